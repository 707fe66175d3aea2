"""Choices: recognised, their words understood, judged alike by both ways of reading, warned about, stored."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from data.errors import BadMapping
from data.formats.readers import sniff
from data.importing.report import ImportReport
from data.kinds.answer_words import CHOICE_NUMBERS, side_sql
from data.kinds.definitions import KINDS
from data.mapping.proposal import propose
from data.samples import SAMPLES
from data.store.store import Store

PAIRS = {"item_id": "item", "rater_id": "rater", "choice": "choice", "option_a": "a", "option_b": "b"}
LABELS = {"item_id": "item", "rater_id": "rater", "choice": "label"}
SOUND = "item,rater,choice,a,b\nq1,r1,A,gpt,llama\nq1,r2,tie,llama,gpt\nq2,r1,Llama,gpt,llama\nq2,r2,both,gpt,llama\n"
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ =1+1"


@pytest.fixture
def check(store: Store, tmp_path: Path):
    """Return the report of a trial import. A ragged last line (`thorough`) makes the file be read as text."""

    def run(content: str, mapping: Mapping[str, Any], thorough: bool = False) -> ImportReport:
        path = tmp_path / "choices.csv"
        path.write_text(content + ("ragged,row\n" if thorough else ""), encoding="utf-8")
        return store.check(path, "choices", mapping)

    return run


def _proposed(tmp_path: Path, content: str):
    path = tmp_path / "proposed.csv"
    path.write_text(content, encoding="utf-8")
    return propose(sniff(path))


# --- words ---------------------------------------------------------------------------------------------------------

WORDS = {
    0: [
        *(
            "A",
            " a ",
            "[[A]]",
            "first",
            "The first list",
            "left",
            "Option A",
            "option_a",
            "model_a",
            "system 1",
            "#1",
        ),
        *(
            "A is better",
            "a is slightly better",
            "#1 better than #2",
            "Strongly prefer A",
            "gpt",
            "GPT",
            "1",
            "1.0",
        ),
    ],
    1: [
        "b",
        "Second",
        "right",
        "model_b",
        "Response 2",
        "B is much better",
        "prefer B",
        "llama",
        "L-lama",
        "2",
    ],
    2: ["both", "Both good", "both equally good", "equally relevant", "BOTH ARE RELEVANT"],
    3: [
        "neither",
        "none",
        "tie (bothbad)",
        "both equally poor",
        "equally irrelevant",
        "none of them",
        "Both bad",
    ],
    4: ["tie", "TIE", "draw", "equal", "about the same", "no preference", "neither is better", "0"],
    None: ["", " ", "?", "maybe", "c", "3", "-1", "nan", "inf", "both a", "abba", "A/B"],
}


@pytest.mark.parametrize("side", WORDS)
def test_words_are_read_by_side(side: int | None) -> None:
    found = duckdb.execute(
        f"SELECT word, {side_sql('word', 'a', 'b')} FROM (SELECT unnest(?) AS word, 'gpt' AS a, 'llama' AS b)",
        [WORDS[side]],
    ).fetchall()
    assert dict(found) == dict.fromkeys(WORDS[side], side)


@pytest.mark.parametrize("numbers", CHOICE_NUMBERS)
def test_numbers_are_read_as_the_switch_says(numbers: str) -> None:
    first, second = numbers.split(" and ")
    expected = {"0": 4} | {first: 0, second: 1}
    for number in ("-1", "0", "1", "2", "3"):
        found = duckdb.execute(
            f"SELECT {side_sql('word', 'a', 'b', numbers)} FROM (SELECT ? AS word, 'x' AS a, 'y' AS b)",
            [number],
        ).fetchone()
        assert found == (expected.get(number),)


@pytest.mark.parametrize(
    ("word", "side"),
    [("A", 1), ("B", 0), ("second", 1), ("gpt-4", None)],
)
def test_the_name_of_a_system_wins_over_a_position(word: str, side: int | None) -> None:
    found = duckdb.execute(
        f"SELECT {side_sql('word', 'a', 'b')} FROM (SELECT ? AS word, 'B' AS a, 'A' AS b)",
        [word],
    ).fetchone()
    assert found == (side,)


# --- recognised ----------------------------------------------------------------------------------------------------

PLAIN = {"item_id": "item", "rater_id": "rater", "choice": "label"}
REAL = {
    "choice2_sentiment_timed.csv": PLAIN | {"gold": "gold", "seconds": "seconds"},
    "choice4_website_gold.csv": PLAIN | {"gold": "gold"},
    "pandalm_pairwise_3way.csv": {"choice": "choice", "option_a": "option_a", "option_b": "option_b"},
    "formats/crowdkit_task_worker_label.csv": {"item_id": "task", "rater_id": "worker", "choice": "label"},
}


@pytest.mark.parametrize("name", REAL)
def test_real_files_are_choices_and_all_their_rows_are_kept(
    store: Store, shared_data: Path, name: str
) -> None:
    file = shared_data / name
    proposal = propose(sniff(file))
    assert proposal.kind == "choices"
    assert proposal.notes == ()
    assert dict(proposal.mapping) | REAL[name] == dict(proposal.mapping)
    report = store.check(file, "choices", proposal.mapping)
    with file.open(encoding="utf-8") as lines:
        assert (report.kept, report.set_aside) == (sum(1 for _ in lines) - 1, 0)


def test_an_arena_is_recognised(tmp_path: Path) -> None:
    proposal = _proposed(
        tmp_path,
        "question_id,model_a,model_b,winner,judge,turn,language,tstamp\n"
        "q1,vicuna,alpaca,model_a,u1,1,English,1682351591.1\nq2,koala,alpaca,tie (bothbad),u2,1,German,1682351591.2\n",
    )
    assert proposal.kind == "choices"
    assert proposal.mapping == {
        "item_id": "item",
        "rater_id": "rater",
        "choice": "answer",
        "option_a": "option_a",
        "option_b": "option_b",
        "design": "design",
        "rated_at": "submitted",
        "@format": "arena battles",
    }


STYLE = "item,rater,choice,a,b,length_a,length_b\n" + "".join(
    f"q{n},r{n % 4},{'AB'[n % 2]},{'gpt' if n % 3 else 'llama'},{'claude'},{90 + 7 * n},{200 - 3 * n}\n"
    for n in range(30)
)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("length_a", "length_b", "length"),
        ("a_words", "b_words", "words"),
        ("left length", "right length", "length"),
        ("tokens1", "tokens2", "tokens"),
        ("sum_assistant_a_tokens", "sum_assistant_b_tokens", "tokens"),
        ("headerCountA", "headerCountB", "header_count"),
    ],
)
def test_a_number_told_of_both_options_is_kept(
    store: Store, tmp_path: Path, first: str, second: str, kept: str
) -> None:
    path = tmp_path / "style.csv"
    path.write_text(STYLE.replace("length_a", first).replace("length_b", second))
    proposal = propose(sniff(path))
    assert (proposal.mapping[f"{kept}_a"], proposal.mapping[f"{kept}_b"]) == (first, second)
    saved = store.add(path)
    assert saved.option_numbers == (kept,)
    found = store.query(saved, "option_numbers", told=kept)
    assert found["first"].tolist() == [90 + 7 * n for n in range(30)]
    assert found["second"].tolist() == [200 - 3 * n for n in range(30)]


@pytest.mark.parametrize(
    "names", [("score_a", "score_b"), ("winner_a", "winner_b"), ("id_a", "id_b"), ("length", "words")]
)
def test_what_was_answered_and_ids_are_no_numbers_of_options(tmp_path: Path, names: tuple[str, str]) -> None:
    text = STYLE.replace("length_a", names[0]).replace("length_b", names[1])
    assert not {*names} & {*_proposed(tmp_path, text).mapping}


def test_choices_that_lack_a_number_of_an_option_are_kept_and_told(store: Store, tmp_path: Path) -> None:
    lines = STYLE.splitlines()
    for at, cells in ((3, ",80"), (5, "70,"), (8, "about 90,80"), (9, "-4,80")):
        lines[at] = ",".join([*lines[at].split(",")[:5], cells])
    path = tmp_path / "style.csv"
    path.write_text("\n".join(lines) + "\n")
    mapping = propose(sniff(path)).mapping
    report = store.check(path, "choices", mapping)
    assert (report.kept, report.set_aside) == (30, 0)
    told = " ".join(report.warnings)
    assert '4 choices lack "length" of an option' in told
    assert '1 cell of "length_a" could not be read as a number and is left empty' in told
    saved = store.add(path, "choices", mapping)
    found = store.query(saved, "option_numbers", told="length")
    assert np.flatnonzero(np.isnan(found["first"])).tolist() == [2, 7, 8]
    assert np.flatnonzero(np.isnan(found["second"])).tolist() == [4]


@pytest.mark.parametrize(
    ("more", "less", "told"),
    [
        ({"length_a": "length_a"}, (), "must be two columns"),
        ({"length": "length_a"}, (), "has no column 'length'"),
        ({"length_a": "length_a", "length_b": "length_b"}, ("option_a", "option_b"), "tell of two options"),
        ({"system": "length_a"}, (), "map the two of a pair"),
    ],
)
def test_a_column_that_does_not_fit_pairs_is_refused(check, more, less, told) -> None:
    mapping = {name: source for name, source in {**PAIRS, **more}.items() if name not in less}
    with pytest.raises(BadMapping, match=told):
        check(STYLE, mapping)


@pytest.mark.parametrize(
    ("content", "mapping"),
    [
        (
            "item,rater,choice,system1,system2\nq,r,first,s,t\n",
            {"option_a": "system1", "option_b": "system2"},
        ),
        ("item,rater,preference,left,right\nq,r,left,s,t\n", {"choice": "preference", "option_a": "left"}),
        ("item,rater,winner,optionA,optionB\nq,r,s,s,t\n", {"choice": "winner", "option_b": "optionB"}),
        (
            "meta.item,meta.a,meta.b,accept,answer,_annotator_id\nq,s,t,B,accept,r\n",
            {"choice": "accept", "option_a": "meta.a"},
        ),
        ("task,annotator,answer\nq,r,cat\nq,s,dog\n", {"choice": "answer"}),
        ("item,rater,label,expert,age\nq,r,cat,dog,31\n", {"expert": "expert", "rater_age": "age"}),
        ("item,rater,choice,check\nq,r,cat,1\nq,s,dog,0\n", {"check": "check"}),
        ("item,rater,choice,gold\nq,r,cat,1\nq,s,dog,0\n", {"check": "gold"}),
    ],
)
def test_names_that_people_use_for_choices(tmp_path: Path, content: str, mapping: dict[str, str]) -> None:
    proposal = _proposed(tmp_path, content)
    assert proposal.kind == "choices"
    assert dict(proposal.mapping) | mapping == dict(proposal.mapping)


@pytest.mark.parametrize(
    "content",
    [
        "item,rater,label\nq,r,4\nq,s,5\nq,t,1\n",
        "item,rater,score,gold\nq,r,0,1\nq,s,1,1\n",
        "item,left,right\nq,4,5\np,3,3\n",
        "item,a,b\nq,4,5\np,3,3\n",
        "item,rater,rating,category\nq,r,4,news\n",
        "item,rater,score,system_a,system_b\nq,r,5,s,t\n",
    ],
)
def test_ratings_stay_ratings(tmp_path: Path, content: str) -> None:
    assert _proposed(tmp_path, content).kind == "ratings"


@pytest.mark.parametrize(
    ("values", "numbers"),
    [("12", "1 and 2"), ("120", "1 and 2"), ("01", "0 and 1"), (["-1", "1"], "-1 and 1")],
)
def test_what_numbers_mean_is_proposed_and_said(tmp_path: Path, values: str, numbers: str) -> None:
    rows = "".join(f"q{at},r,{value},s,t\n" for at, value in enumerate(values))
    proposal = _proposed(tmp_path, f"item,rater,choice,system_a,system_b\n{rows}")
    assert proposal.mapping["@numbers"] == numbers
    assert (
        f"Choices are numbers; {numbers} are taken for the first and the second option" in proposal.notes[0]
    )


# --- judged --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thorough", [False, True])
def test_both_ways_of_reading_keep_the_same(check, thorough: bool) -> None:
    report = check(SOUND, PAIRS, thorough)
    assert (report.kept, report.set_aside) == (4, int(thorough))


UNKNOWN = "the choice is none of the two options, both, neither or a tie"


@pytest.mark.parametrize(
    ("row", "column", "reason", "value"),
    [
        ("q3,r1,mistral,gpt,llama", "choice", UNKNOWN, "mistral"),
        ("q3,r1,3,gpt,llama", "choice", UNKNOWN, "3"),
        ("q3,r1,-1,gpt,llama", "choice", UNKNOWN, "-1"),
        (f"q3,r1,{HOSTILE},gpt,llama", "choice", UNKNOWN, HOSTILE),
        ("q3,r1,A,gpt,gpt", "b", "the two options are the same system", "gpt"),
        ("q3,r1,,gpt,llama", "choice", "the choice is empty", ""),
        (",r1,A,gpt,llama", "item", "the item is empty", ""),
        ("q3,,A,gpt,llama", "rater", "the rater is empty", ""),
        ("q3,r1,A,,llama", "a", "the first option is empty", ""),
        ("q3,r1,A,gpt, ", "b", "the second option is empty", ""),
        ("q3,r1,A", "", "the row has 3 cells where the header has 5", "q3,r1,A"),
    ],
)
def test_a_choice_that_cannot_be_used_says_why(check, row: str, column: str, reason: str, value: str) -> None:
    report = check(f"{SOUND}{row}\n", PAIRS)
    assert (report.rows_read, report.kept, report.set_aside) == (5, 4, 1)
    assert report.reasons == ((column, reason, 1),)
    rejects = report.rejects
    assert [rejects.line.tolist(), rejects.column.tolist(), rejects.value.tolist()] == [
        [6],
        [column],
        [value],
    ]


@pytest.mark.parametrize("thorough", [False, True])
def test_labels_may_be_anything(check, thorough: bool) -> None:
    report = check(f"item,rater,label\nq1,r1,3\nq1,r2,maybe\nq2,r1,{HOSTILE}\nq2,r2,-1\n", LABELS, thorough)
    assert report.kept == 4


@pytest.mark.parametrize("thorough", [False, True])
def test_a_pair_in_either_order_is_one_pair_to_repetitions(check, thorough: bool) -> None:
    content = "item,rater,choice,a,b,d\nq,r,A,s,t,2\nq,r,A,t,s,2\nq,r,A,s,u,2\nq,r,A,s,t,4\n"
    mapping = PAIRS | {"design": "d"}
    assert any(said.startswith("1 choice repeats") for said in check(content, mapping, thorough).warnings)
    report = check(content, mapping | {"@duplicates": "set aside"}, thorough)
    assert report.kept == 3
    assert ("rater", "the same rater has chosen for this item before", 1) in report.reasons


def test_options_are_mapped_together_or_not_at_all(check) -> None:
    mapping = {name: column for name, column in PAIRS.items() if name != "option_b"}
    with pytest.raises(BadMapping, match="'option_a', 'option_b' belong together"):
        check(SOUND, mapping)


def test_only_attributes_of_raters_are_further_columns(check) -> None:
    assert check(SOUND, PAIRS | {"rater_age": "rater"}).kept == 4
    with pytest.raises(BadMapping, match="a table of choices has no column 'bleu'"):
        check(SOUND, PAIRS | {"bleu": "item"})


def test_one_row_is_a_table(check) -> None:
    report = check("item,rater,choice,a,b\nq,r,A,s,t\n", PAIRS)
    assert report.kept == 1
    assert (
        "There is only one rater, so nothing can be said about agreement or reliability." in report.warnings
    )


# --- warnings ------------------------------------------------------------------------------------------------------


def _warnings(check, header: str, rows: list[tuple[object, ...]], mapping: Mapping[str, Any]) -> str:
    content = "\n".join([header, *(",".join(str(cell) for cell in row) for row in rows)]) + "\n"
    fast, thorough = (" ".join(check(content, mapping, way).warnings) for way in (False, True))
    assert fast == thorough
    return fast


def test_raters_who_always_choose_the_same_are_reported_with_an_example(check) -> None:
    rows = [
        (f"q{at}", rater, label) for at in range(6) for rater, label in (("r1", "x"), ("r2", "xy"[at % 2]))
    ]
    said = _warnings(check, "item,rater,label", rows, LABELS)
    assert '1 rater made the same choice every time in 5 or more choices, for instance "r1": "x".' in said


def test_raters_who_always_take_one_position_are_reported(check) -> None:
    rows = [
        (f"q{at}", rater, said, *(("s", "t") if at % 2 else ("t", "s")))
        for at in range(6)
        for rater, said in (("r1", "first"), ("r2", "s"))
    ]
    said = _warnings(check, "item,rater,choice,a,b", rows, PAIRS)
    assert '1 rater took the same position every time in 5 or more choices, for instance "r1".' in said
    assert '1 rater made the same choice every time in 5 or more choices, for instance "r2": "s".' in said


def test_items_with_one_vote_and_raters_with_one_item_are_counted(check) -> None:
    rows = [("q1", "r1", "x"), ("q1", "r2", "y"), ("q2", "r1", "x")]
    said = _warnings(check, "item,rater,label", rows, LABELS)
    assert "1 item of 2 has only one vote" in said
    assert "1 rater of 2 judged only one item." in said


def test_battles_with_one_vote_each_are_reported_and_not_doubted(check) -> None:
    rows = [(f"q{at}", f"r{at % 3}", "A" if at % 2 else "B", "s", "t") for at in range(9)]
    content = "\n".join(["item,rater,choice,a,b", *(",".join(row) for row in rows)]) + "\n"
    told = check(content, PAIRS, False)
    assert "9 comparisons of 9 have only one vote, which says nothing about agreement." in told.warnings
    assert told.doubtful == ()


def test_an_option_nobody_chose_is_reported_by_design(check) -> None:
    rows = [("q", "r1", "A", "s", "t", "4-choice"), ("q", "r2", "both", "s", "t", "4-choice")]
    rows += [("q", "r1", "A", "s", "t", "2-choice"), ("q", "r2", "B", "s", "t", "2-choice")]
    said = _warnings(check, "item,rater,choice,a,b,design", rows, PAIRS | {"design": "design"})
    assert 'Nobody chose "t" between "s" and "t", design "4-choice".' in said
    assert 'Nobody chose "neither" between "s" and "t", design "4-choice".' in said
    assert said.count("Nobody chose") == 2


def test_a_leaning_to_the_first_position_is_reported_with_its_share(check) -> None:
    rows = [
        (f"q{at}", f"r{at % 5}", "first" if at % 4 else "second", *(("s", "t") if at % 2 else ("t", "s")))
        for at in range(100)
    ]
    said = _warnings(check, "item,rater,choice,a,b", rows, PAIRS)
    assert "The first position was chosen in 75% of 100 choices" in said


def test_systems_that_never_change_position_are_reported(check) -> None:
    said = _warnings(
        check, "item,rater,choice,a,b", [("q", "r1", "A", "s", "t"), ("q", "r2", "B", "s", "t")], PAIRS
    )
    assert "In the one pair of systems the same system always stands in first position" in said


def test_unknown_experts_set_no_row_aside_and_are_reported(check) -> None:
    rows = [
        ("q1", "r1", "A", "s", "t", "who knows"),
        ("q1", "r2", "B", "s", "t", "who knows"),
        ("q2", "r1", "A", "s", "t", "B"),
    ]
    said = _warnings(check, "item,rater,choice,a,b,expert", rows, PAIRS | {"expert": "expert"})
    assert "1 item has the expert's answer that is none of the two options" in said
    assert 'for instance "who knows" for "q1"' in said
    assert "The expert's answer is known for 1 of 2 comparisons." in said


def test_gold_that_differs_within_an_item_is_reported_by_system(check) -> None:
    mapping = PAIRS | {"gold": "gold"}
    alike = [("q", "r1", "A", "s", "t", "A"), ("q", "r2", "A", "t", "s", "B")]
    assert "more than one answer" not in _warnings(check, "item,rater,choice,a,b,gold", alike, mapping)
    differing = [("q", "r1", "A", "s", "t", "A"), ("q", "r2", "A", "t", "s", "A")]
    said = _warnings(check, "item,rater,choice,a,b,gold", differing, mapping)
    assert '1 comparison has more than one answer as the gold answer, for instance "q".' in said


def test_many_labels_many_systems_and_gold_that_nobody_chose_are_reported(check) -> None:
    rows = [(f"q{at}", f"r{at % 2}", f"label {at}", "other") for at in range(30)]
    said = _warnings(check, "item,rater,label,gold", rows, LABELS | {"gold": "gold"})
    assert "There are 30 different labels; is the choice column the right one?" in said
    assert '1 label occurs as the gold answer but nobody chose it, for instance "other".' in said
    texts = [(f"q{at}", f"r{at % 2}", "A", f"text {at}", f"other {at}") for at in range(30)]
    assert "There are 60 different options" in _warnings(check, "item,rater,choice,a,b", texts, PAIRS)


def test_systems_named_like_positions_and_ties_beside_neither_are_reported(check) -> None:
    rows = [("q", "r1", "tie", "B", "A"), ("q", "r2", "bothbad", "A", "B")]
    said = _warnings(check, "item,rater,choice,a,b", rows, PAIRS)
    assert '2 systems are called as a choice might be, for instance "A"' in said
    assert "the tie is read as both, as in Chatbot Arena" in said


# --- stored --------------------------------------------------------------------------------------------------------


def test_the_sample_is_kept_whole_and_without_warnings(store: Store, tmp_path: Path) -> None:
    [sample] = [sample for sample in SAMPLES if sample.kind == "choices"]
    file = tmp_path / "sample.csv"
    sample.write(file)
    assert propose(sniff(file)).mapping == sample.mapping
    report = store.check(file, "choices", sample.mapping)
    assert (report.kept, report.set_aside, report.warnings) == (1320, 0, ())


def test_numbers_are_reported_by_the_stored_switch(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text("item,rater,choice,a,b\nq,r1,0,s,t\nq,r2,1,s,t\n", encoding="utf-8")
    for numbers, expected in (("0 and 1", [0, 1]), ("1 and 0", [1, 0]), ("1 and 2", [4, 0])):
        dataset = store.add(file, "choices", PAIRS | {"@numbers": numbers}, "numbers")
        assert store.query(dataset, "choices")["choice"].tolist() == expected


def test_choices_are_a_study() -> None:
    assert KINDS["choices"].study
