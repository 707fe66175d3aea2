"""Tables of rankings in each layout, and tables of ratings that only resemble them."""

import random
from pathlib import Path

import pytest

from data.errors import AmbiguousReading, BadMapping
from data.formats.readers import sniff
from data.importing.staging import preview
from data.kinds.studies import ENDS, OPTION_COLUMNS, PLACE_COLUMNS
from data.mapping.plan import ALL, plan
from data.mapping.proposal import complete_mapping, propose
from data.reading.rankings import find_ranking, is_ranking

Table = tuple[list[str], list[list[str]]]


def rankings(*names: str, rows: int = 12) -> Table:
    dice = random.Random(3)
    ranks = [dice.sample(range(1, len(names) + 1), len(names)) for _ in range(rows)]
    return ["rater", *names], [[f"r{at}", *map(str, row)] for at, row in enumerate(ranks)]


def ratings(*names: str, high: int = 5, rows: int = 20) -> Table:
    dice = random.Random(5)
    return ["item", *names], [[f"i{at}", *(str(dice.randint(1, high)) for _ in names)] for at in range(rows)]


def saved(folder: Path, head: str, rows: list[str]) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("table", "ranked"),
    [
        (rankings("rank_A", "rank_B", "rank_C"), ("rank_A", "rank_B", "rank_C")),
        (rankings("A (rank)", "B (rank)"), ("A (rank)", "B (rank)")),
        (rankings("sysA", "sysB", "sysC", "sysD"), ("sysA", "sysB", "sysC", "sysD")),
    ],
)
def test_rankings_are_found_by_names_or_by_permutations(table: Table, ranked: tuple[str, ...]) -> None:
    found, sure = find_ranking(*table)
    assert found == ranked
    assert sure > 0.98


def test_ranks_may_be_shared_or_missing_where_names_say_so() -> None:
    names, rows = rankings("rank_A", "rank_B", "rank_C")
    rows[0][1:], rows[1][1:], rows[2][1:] = ["1", "1", "3"], ["1", "2", "2"], ["1", "", "2"]
    assert find_ranking(names, rows)[0] == ("rank_A", "rank_B", "rank_C")
    assert find_ranking(["rater", "A", "B", "C"], rows)[0] == ()


@pytest.mark.parametrize(
    "table",
    [
        ratings("anna", "ben", "eva", high=3),
        ratings("rank_anna", "rank_ben", "rank_eva"),
        ratings("anna", "ben", "eva", "kim", "lee"),
        (["item", "a", "b", "c"], [[f"i{at}", "1", "2", "3"] for at in range(9)]),
        (["model", "rank_bleu", "rank_chrf"], [[f"m{at}", str(at + 1), str(9 - at)] for at in range(9)]),
    ],
)
def test_ratings_are_no_rankings(table: Table) -> None:
    assert find_ranking(*table) == ((), 0.0)


def test_few_rows_of_permutations_are_asked_about(tmp_path: Path) -> None:
    names, rows = rankings("old", "new", "human", rows=4)
    path = saved(tmp_path, ",".join(names), [",".join(row) for row in rows])
    with pytest.raises(AmbiguousReading, match="two ways"):
        complete_mapping(sniff(path))
    names, rows = rankings("old", "new", "human", rows=12)
    path = saved(tmp_path, ",".join(names), [",".join(row) for row in rows])
    kind, mapping = complete_mapping(sniff(path))
    assert (kind, mapping["item_id"], mapping["@form"]) == ("rankings", ALL, OPTION_COLUMNS)


def test_a_tuple_is_the_same_task_in_any_order_and_its_ends_become_ranks(tmp_path: Path) -> None:
    rows = ["w1,a,b,c,d,b,d", "w2,d,c,b,a,1,4", "w1,e,f,g,h,e,e", "w2,e,f,g,h,x,h", "w3,a,b,c,e,C,text D"]
    path = saved(tmp_path, "worker,text A,text B,text C,text D,best,worst", rows * 1)
    seen = sniff(path)
    options = tuple(f"text {letter}" for letter in "ABCD")
    mapping = {
        "item_id": options,
        "rater_id": "worker",
        "option": options,
        "rank": ("best", "worst"),
        "@form": ENDS,
    }
    shown = preview(seen, "rankings", mapping, most=20)
    assert shown.columns == ("item_id", "rater_id", "option", "rank")
    ranks = {(task, rater, option): rank for task, rater, option, rank in shown.rows}
    assert ranks["a / b / c / d", "w1", "b"] == "1"
    assert ranks["a / b / c / d", "w1", "d"] == "3"
    assert ranks["a / b / c / d", "w2", "d"] == "1"
    assert ranks["a / b / c / d", "w2", "b"] == "2"
    assert ranks["a / b / c / e", "w3", "c"] == "1"
    assert ranks["a / b / c / e", "w3", "e"] == "3"
    assert len(ranks) == 12  # tuples whose best is its worst, or none of them, are set aside


def test_columns_of_places_name_the_option_of_each_rank(tmp_path: Path) -> None:
    dice = random.Random(1)
    rows = [f"q{at % 5},p{at},{','.join(dice.sample(['x', 'y', 'z'], 3))}" for at in range(15)]
    kind, mapping = complete_mapping(sniff(saved(tmp_path, "question,participant,1st,2nd,3rd", rows)))
    assert kind == "rankings"
    assert (mapping["@form"], mapping["option"]) == (PLACE_COLUMNS, ("1st", "2nd", "3rd"))
    assert mapping["@names rank"] == ("1", "2", "3")


def test_ranks_of_nobody_known_are_asked_about(tmp_path: Path) -> None:
    rows = [
        f"{who},{task},{system},{1 + (who + at) % 3}"
        for who in range(4)
        for task in "ab"
        for at, system in enumerate("xyz")
    ]
    found = propose(sniff(saved(tmp_path, "w,prompt,system,rank", rows)))
    assert found.kind == "rankings"
    assert any("as the rater" in note for note in found.notes)


@pytest.mark.parametrize(
    ("ranks", "is_one"),
    [((1,), True), ((1, 1), True), ((2, 1, 4), False), ((0, 1), False), ((1, 2, 2, 4), True)],
)
def test_a_ranking_begins_with_1_and_counts_on(ranks: tuple[float, ...], is_one: bool) -> None:
    assert is_ranking(ranks) == is_one


def test_best_and_worst_are_two_columns(tmp_path: Path) -> None:
    seen = sniff(saved(tmp_path, "worker,item1,item2,item3,best,worst", ["w,a,b,c,a,b"]))
    mapping = {
        "item_id": "item1",
        "rater_id": "worker",
        "option": ("item1", "item2", "item3"),
        "rank": "best",
        "@form": ENDS,
    }
    with pytest.raises(BadMapping, match="the column of the best and that of the worst"):
        plan("rankings", mapping, seen)
    with pytest.raises(BadMapping, match="only the task of rankings can"):
        plan("ratings", {"item_id": ALL, "rater_id": "worker", "score": "best"}, seen)


def test_scores_called_rank_are_no_rankings_with_ties(tmp_path: Path) -> None:
    dice = random.Random(2)
    rows = [f"r{who},clip{at},{dice.randint(1, 5)}" for who in range(4) for at in range(30)]
    assert propose(sniff(saved(tmp_path, "rater,clip,rank", rows))).kind == "ratings"


def test_ranks_of_systems_by_topic_and_measure_have_both_as_task(tmp_path: Path) -> None:
    dice, rows = random.Random(4), list[str]()
    for who in range(3):
        for topic in range(6):
            for measure in ("coverage", "fluency"):
                for system, rank in zip("abc", dice.sample([1, 2, 3], 3), strict=True):
                    rows.append(f"t{topic}__{system},r{who},{measure},{rank},{system},t{topic}")
    kind, mapping = complete_mapping(sniff(saved(tmp_path, "item,rater,measure,rank,system,topic", rows)))
    assert kind == "rankings"
    assert ({*mapping["item_id"]}, mapping["option"]) == ({"topic", "measure"}, "system")
