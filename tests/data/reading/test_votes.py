"""Votes per grade: which columns hold them, how they become ratings, and tables that only resemble them."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from data.dataset import SLOT
from data.errors import BadMapping, OverLimit
from data.formats.readers import sniff
from data.importing.report import ImportReport
from data.mapping.plan import grades_of, plan
from data.mapping.proposal import propose
from data.reading.item_means import find_item_means
from data.reading.votes import Votes, find_class_votes, find_votes
from data.settings import Settings
from data.store.store import Store

Table = tuple[list[str], list[list[str]]]


def votes(
    stem: str, first: int = 1, mean: str = "MOS", total: str = "", most: int = 9, rows: int = 12
) -> Table:
    dice = random.Random(4)
    table = []
    for at in range(rows):
        counts = [dice.randint(0, most) for _ in range(5)]
        grades = range(first, first + 5)
        row = [f"{at}.jpg", *map(str, counts)]
        if mean:
            score = sum(grade * count for grade, count in zip(grades, counts, strict=True)) / sum(counts)
            row.append(f"{score:.2f}")
        if total:
            row.append(str(sum(counts)))
        table.append(row)
    names = ["image", *(stem.format(grade) for grade in range(first, first + 5))]
    return [*names, *filter(None, (mean, total))], table


def ratings(*names: str, high: int = 5, rows: int = 20) -> Table:
    dice = random.Random(5)
    return ["item", *names], [[f"i{at}", *(str(dice.randint(1, high)) for _ in names)] for at in range(rows)]


def shares_total(stem: str) -> Table:
    """Return columns that share a total of ten."""
    dice = random.Random(6)
    rows = []
    for at in range(12):
        counts = Counter(dice.randint(1, 5) for _ in range(10))
        rows.append([f"{at}.jpg", *(str(counts[grade]) for grade in range(1, 6))])
    return ["image", *(stem.format(grade) for grade in range(1, 6))], rows


@pytest.mark.parametrize(
    "table",
    [
        votes("c{}"),
        votes("anything {}"),
        votes("votes_{}", mean=""),
        votes("count{}", first=0),
        votes("{} stars", mean="", total="n"),
    ],
)
def test_votes_are_sure_by_their_mean_or_by_names_that_say_so(table: Table) -> None:
    assert find_votes(*table) == Votes(
        tuple(table[0][1:6]), tuple(grades_of(table[0][1:6])), (), is_sure=True
    )


@pytest.mark.parametrize(
    "table", [votes("c{}", mean="", total="c_total"), shares_total("grade {}"), shares_total("{}")]
)
def test_a_total_alone_leaves_a_question(table: Table) -> None:
    found = find_votes(*table)
    assert found is not None
    assert not found.is_sure


def test_words_of_a_scale_name_votes_but_not_the_marks_of_one_rater() -> None:
    _, rows = votes("{}", mean="")
    words = ["bad", "poor", "fair", "good", "excellent"]
    found = find_votes(["image", *words[::-1]], [[row[0], *row[:0:-1]] for row in rows])
    assert found == Votes(tuple(words), ("1", "2", "3", "4", "5"), (), is_sure=True)
    marks = [[row[0], *(str(int(at == place % 5)) for at in range(5))] for place, row in enumerate(rows)]
    assert find_votes(["image", *words], marks) is None


@pytest.mark.parametrize(
    "table",
    [
        ratings("r1", "r2", "r3", "r4", "r5"),
        ratings("c1", "c2", "c3", "c4", "c5"),
        shares_total("rater {}"),
        (
            ["item", "r1", "r2", "r3", "sum"],
            [[*row, str(sum(map(int, row[1:])))] for row in ratings("r1", "r2", "r3")[1]],
        ),
        (
            ["item", "r1", "r2", "r3", "mean"],
            [[*row, f"{sum(map(int, row[1:])) / 3:.2f}"] for row in ratings("r1", "r2", "r3")[1]],
        ),
        (["item", "c1", "c2", "c3"], [["a", "0.2", "0.5", "0.3"], ["b", "0.1", "0.2", "0.7"]]),
        (["item", "c1", "c3", "c4"], [["a", "1", "2", "3"], ["b", "4", "0", "2"]]),
    ],
)
def test_ratings_shares_and_gaps_are_no_votes(table: Table) -> None:
    assert find_votes(*table) is None


@pytest.mark.parametrize(
    ("names", "rows", "found"),
    [
        (
            ["clip", "mos", "std", "votes"],
            [["a", "3.25", "0.9", "8"], ["b", "4.5", "0.7", "8"]],
            {"item_id": "clip", "mos": "mos", "std": "std", "votes": "votes"},
        ),
        (
            ["codec", "clip", "MOS", "CI95"],
            [["x", "a", "3.25", "0.9"], ["x", "b", "4.5", "0.7"]],
            {"item_id": "clip", "MOS": "MOS", "CI95": "CI95"},
        ),
        (["clip", "rater", "mos", "std"], [["a", "r1", "3.5", "1"], ["b", "r2", "4.5", "1"]], {}),
        (["clip", "mos"], [["a", "3.5"], ["b", "4.5"]], {}),
        (["clip", "mean", "n"], [["a", "3", "8"], ["b", "4", "8"]], {}),
        (["clip", "mos", "votes"], [["a", "3.5", "8"], ["a", "4.5", "8"]], {}),
    ],
)
def test_means_with_their_spread_or_number_are_numbers_of_items(
    names: list[str], rows: list[list[str]], found: dict[str, str]
) -> None:
    assert find_item_means(names, rows) == found


def test_how_often_a_rater_gave_each_grade_is_no_vote_on_items(tmp_path: Path) -> None:
    names, rows = votes("c{}")
    file = tmp_path / "raters.csv"
    file.write_text("\n".join([",".join(["rater", *names[1:]]), *(f"r{','.join(row)}" for row in rows)]))
    assert "votes" not in propose(sniff(file)).mapping


def test_a_column_of_votes_that_no_grade_belongs_to_is_named_as_not_used(tmp_path: Path) -> None:
    dice = random.Random(2)
    file = tmp_path / "jokes.csv"
    rows = [f"joke {at}," + ",".join(str(dice.randint(0, 4)) for _ in range(6)) for at in range(12)]
    file.write_text("\n".join(["joke,votes_no,votes_1,votes_2,votes_3,votes_4,votes_5", *rows]))
    notes = " ".join(propose(sniff(file)).notes)
    assert "Not used: 'votes_no', which no grade belongs to." in notes


def test_marks_points_with_a_total_and_numbers_with_another_sum_are_no_votes_for_classes() -> None:
    votes = [["3", "0", "3"], ["3", "1", "2"], ["4", "4", "0"], ["3", "3", "0"], ["2", "1", "1"]]
    assert find_class_votes(["numResponses", "spam", "ham"], votes) == (("spam", "ham"), "numResponses")
    assert find_class_votes(["total", "spam", "ham"], votes) == ((), "")
    assert find_class_votes(["n_errors", "spam", "ham"], votes) == ((), "")
    assert find_class_votes(["count", "spam", "ham"], [["5", "1", "2"], *votes[1:]]) == ((), "")
    marks = [["1", "0", "1"], ["2", "1", "1"], ["0", "0", "0"], ["1", "1", "0"], ["2", "1", "1"]]
    assert find_class_votes(["count", "spam", "ham"], marks) == ((), "")


def test_votes_for_a_few_numbered_options_are_asked_about(tmp_path: Path) -> None:
    dice = random.Random(1)
    file = tmp_path / "options.csv"
    rows = [f"place {at}," + ",".join(str(dice.randint(0, 90)) for _ in range(3)) for at in range(12)]
    file.write_text("\n".join(["district,votes_1,votes_2,votes_3", *rows]))
    found = propose(sniff(file))
    assert found.other is not None or found.reading is None


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=str(tmp_path / "r.duckdb"), spool=tmp_path)


def checked(settings: Settings, content: str, mapping: dict[str, object] | None = None) -> ImportReport:
    path = settings.spool / "votes.csv"
    path.write_text(content)
    with Store(settings=settings) as store:
        return store.check(path, "ratings", mapping or propose(sniff(path)).mapping)  # type: ignore[arg-type]


def test_every_vote_becomes_one_rating_in_an_order_that_is_no_order_of_grades(settings: Settings) -> None:
    path = settings.spool / "votes.csv"
    path.write_text("clip,1 star,2 stars,3 stars\n" + "".join(f"clip {at},20,0,30\n" for at in range(40)))
    with Store(settings=settings) as store:
        first, second = store.add(path), store.add(path)
        rows, again = (
            store.query(each, "ratings", measure="score", group="all ratings") for each in (first, second)
        )
        assert not first.raters_are_persons
        assert first.sha256 == second.sha256
    assert rows["score"].tolist() == again["score"].tolist()
    assert Counter(zip(rows["item"].tolist(), rows["score"].tolist(), strict=True)) == {
        (at, score): n for at in range(40) for score, n in ((1.0, 20), (3.0, 30))
    }
    halves = [rows["score"][rows["item"] == item][:25] for item in range(40)]
    assert 0.3 < np.mean([half == 1 for half in halves]) < 0.5  # 20 of 50; in the order of grades 20 of 25


def test_cells_that_count_nothing_are_set_aside_by_name_and_empty_ones_are_no_votes(
    settings: Settings,
) -> None:
    content = "clip,star1,star2,star3\n" + "a,1,2,3\n" * 60 + "b,-1,1.5,4\nc,,x,0\n"
    report = checked(settings, content)
    assert (report.kept, report.set_aside) == (364, 3)
    assert {*report.rejects.value.tolist()} == {"-1", "1.5", "x"}
    assert sum("no votes" in note for note in report.notes) == 1


@pytest.mark.parametrize(
    ("told", "number", "differs"),
    [
        ("MOS", "2.3333", False),
        ("MOS", "2.4", True),
        ("SD", "0.7454", False),
        ("SD", "0.8165", False),
        ("SD", "0.9", True),
        ("SD", "nan", False),
        ("c_total", "6", False),
        ("c_total", "7", True),
        ("MOS_zscore", "64", False),
    ],
)
def test_what_a_file_says_of_its_votes_is_checked(
    settings: Settings, told: str, number: str, differs: bool
) -> None:
    rows = "".join(f"{at},1,2,3,{number}\n" for at in range(9))
    report = checked(settings, f"clip,star1,star2,star3,{told}\n{rows}")
    assert report.kept == 54
    assert any(f'"{told}"' in sentence for sentence in report.warnings) == differs


def test_a_number_of_votes_beyond_the_limit_is_refused_before_it_is_written_out(settings: Settings) -> None:
    with pytest.raises(OverLimit):
        checked(settings, "clip,star1,star2,star3\na,1,2,1e15\nb,3,2,1\n")


def test_a_column_of_votes_beside_scores_counts_ratings_of_nobody_by_name(settings: Settings) -> None:
    content = "clip,grade,times\na,1,4\na,2,0\na,5,2\nb,3,7\n"
    mapping: dict[str, object] = {"item_id": "clip", "score": "grade", "votes": "times", "rater_id": SLOT}
    assert checked(settings, content, mapping).kept == 13
    seen = sniff(settings.spool / "votes.csv")
    with pytest.raises(BadMapping, match="unnamed"):
        plan("ratings", mapping | {"rater_id": "clip"}, seen)  # type: ignore[arg-type]


def test_grades_of_a_mapping_by_hand_are_the_numbers_in_the_names(settings: Settings) -> None:
    mapping: dict[str, object] = {"item_id": "clip", "votes": ("v-1", "v0", "v1"), "rater_id": SLOT}
    report = checked(settings, "clip,v-1,v0,v1\na,1,2,3\n", mapping | {"@form": "grade columns"})
    assert report.kept == 6


@pytest.mark.parametrize("cells", ["0.4,0,0", "-5,6,0", "1e308,1e308,0", "1,0,0", "nan,inf,1", "0,0,0"])
def test_no_cell_breaks_the_check_of_what_a_file_says(settings: Settings, cells: str) -> None:
    rows = "".join(f"{at},1,2,3,6,2.3333,0.7454\n" for at in range(60))
    content = f"clip,star1,star2,star3,votes,MOS,SD\n{rows}x,{cells},1,1,0\n"
    if "e308" in cells:
        content = content.replace("1e308", "1e70")  # a count that no limit allows
        with pytest.raises(OverLimit):
            checked(settings, content)
        return
    report = checked(settings, content)
    kept = sum(float(cell) for cell in cells.split(",") if cell in {"1", "6"})
    assert report.kept == 360 + kept
