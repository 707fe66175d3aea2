"""Answers of a cross comprehension test: recognised, their words understood, set aside with reasons, warned about."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.formats.readers import sniff
from data.importing.report import ImportReport
from data.kinds.answer_words import ANSWER_NUMBERS, answer_sql
from data.mapping.proposal import propose
from data.samples import SAMPLES
from data.store.store import Store

HEADER = "story,author,asker,question,answer,judge\n"
MAPPING = {
    "story_id": "story",
    "summary_author": "author",
    "question_author": "asker",
    "question_id": "question",
    "answer": "answer",
    "judge_id": "judge",
}
ROWS = "s1,A,B,q1,R,j1\ns1,A,B,q1,p,j2\ns1,B,A,q1,I,j1\ns1,B,A,q1,N,j2\ns2,A,B,q1,r,j1\ns2,B,A,q1,n,j1\n"
SOUND = HEADER + ROWS
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ =1+1"


@pytest.fixture
def check(store: Store, tmp_path: Path):
    """Return the report of a trial import. A ragged last line (`thorough`) makes the file be read as text."""

    def run(content: str, mapping: Mapping[str, Any] = MAPPING, thorough: bool = False) -> ImportReport:
        path = tmp_path / "answers.csv"
        path.write_text(content + ("ragged,row\n" if thorough else ""), encoding="utf-8")
        return store.check(path, "comprehension", mapping)

    return run


def _proposed(tmp_path: Path, content: str):
    path = tmp_path / "proposed.csv"
    path.write_text(content, encoding="utf-8")
    return propose(sniff(path))


# --- words ---------------------------------------------------------------------------------------------------------

WORDS = {
    "R": [
        "R",
        "r",
        " R ",
        "(R)",
        "relevant",
        "Relevant",
        "R - relevant",
        "R: relevant",
        "fully relevant",
        "correct",
    ],
    "P": [
        "P",
        "p",
        "partially relevant",
        "PARTIALLY_RELEVANT",
        "partial",
        "partly relevant",
        "P (partially relevant)",
    ],
    "I": ["I", "i", "irrelevant", "totally irrelevant", "not relevant", "wrong", "I irrelevant"],
    "N": ["N", "n", "not found", "Not_Found", "notfound", "no answer", "missing", "N: not found"],
    None: ["", " ", "?", "x", "RP", "relevant?!x", "maybe", HOSTILE, "irrelevantly"],
}


def _understood(words: list[str], numbers: str = ANSWER_NUMBERS[0]) -> dict[str, str | None]:
    """Return the answer that each word stands for."""
    rows = duckdb.execute(
        f"SELECT word, {answer_sql('word', numbers)} FROM (SELECT unnest(?) AS word)", [words]
    ).fetchall()
    return dict(rows)


@pytest.mark.parametrize("answer", WORDS)
def test_words_that_stand_for_an_answer(answer: str | None) -> None:
    assert _understood(WORDS[answer]) == dict.fromkeys(WORDS[answer], answer)


@pytest.mark.parametrize("numbers", ANSWER_NUMBERS)
def test_numbers_are_read_as_the_switch_says(numbers: str) -> None:
    expected = dict(zip(numbers.split(), "RPIN", strict=True))
    tried = ["-1", "0", "1", "2", "3", "4", "5"]
    assert _understood([*tried, "2.5"], numbers) == {
        number: expected.get(number) for number in (*tried, "2.5")
    }
    assert _understood([f"{number}.0" for number in tried], numbers) == {
        f"{number}.0": expected.get(number) for number in tried
    }


# --- recognised ----------------------------------------------------------------------------------------------------


def test_the_sample_is_recognised_kept_whole_and_warned_of(store: Store, tmp_path: Path) -> None:
    [sample] = [sample for sample in SAMPLES if sample.kind == "comprehension"]
    file = tmp_path / "sample.csv"
    sample.write(file)
    proposal = propose(sniff(file))
    assert (proposal.kind, proposal.mapping, proposal.notes) == ("comprehension", sample.mapping, ())
    report = store.check(file, "comprehension", sample.mapping)
    assert (report.kept, report.set_aside) == (4628, 0)
    assert report.warnings == (
        "20 answers are to a question of the summary's own author; they are kept but enter no figure.",
    )


@pytest.mark.parametrize(
    ("content", "mapping"),
    [
        (
            "document,summariser,asker,question,judgment\nd,A,B,q1,R\n",
            {
                "story_id": "document",
                "summary_author": "summariser",
                "question_author": "asker",
                "answer": "judgment",
            },
        ),
        (
            "Story,Summary author,Question author,Question ID,Question,Answer,Verdict,Annotator\n"
            "s,A,B,1,Who is it?,Ms Wu of the bank,partially relevant,j\n",
            {
                "answer": "Verdict",
                "question_id": "Question ID",
                "question_text": "Question",
                "judge_id": "Annotator",
            },
        ),
        (
            "story,summary_by,asked_by,question_no,answer,found,summary,chars,genre,kind\n"
            "s,A,B,1,N,x,Words.,6,factual,machine\n",
            {
                "summary_text": "summary",
                "summary_characters": "chars",
                "story_type": "genre",
                "author_kind": "kind",
            },
        ),
    ],
)
def test_names_that_people_use(tmp_path: Path, content: str, mapping: dict[str, str]) -> None:
    proposal = _proposed(tmp_path, content)
    assert proposal.kind == "comprehension"
    assert proposal.notes == ()
    assert dict(proposal.mapping) | mapping == dict(proposal.mapping)


@pytest.mark.parametrize(("values", "numbers"), [("3210", "3 2 1 0"), ("01", "3 2 1 0"), ("1234", "1 2 3 4")])
def test_what_numbers_mean_is_proposed_and_said(tmp_path: Path, values: str, numbers: str) -> None:
    rows = "".join(f"s,A,B,{at},{value}\n" for at, value in enumerate(values))
    proposal = _proposed(tmp_path, f"story,summary_author,question_author,question,answer\n{rows}")
    assert proposal.mapping["@answers"] == numbers
    assert f"Answers are numbers; {numbers} are taken for R, P, I and N" in proposal.notes[0]


@pytest.mark.parametrize(
    "content",
    [
        "story,summary_author,question_author,question,answer\ns,A,B,q,87\ns,A,B,p,12\n",  # no answers as these
        "story,summary_author,question,rating\ns,A,q,4\ns,B,q,5\n",  # nobody asks
    ],
)
def test_other_tables_are_not_taken_for_it(tmp_path: Path, content: str) -> None:
    assert _proposed(tmp_path, content).kind == "ratings"


# --- judged --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thorough", [False, True])
def test_both_ways_of_reading_keep_the_same(check, thorough: bool) -> None:
    report = check(SOUND, thorough=thorough)
    assert (report.kept, report.set_aside, report.warnings) == (6, int(thorough), ())


UNKNOWN = "the answer is none of R, P, I, N"


@pytest.mark.parametrize(
    ("row", "column", "reason", "value"),
    [
        ("s3,A,B,q1,maybe,j1", "answer", UNKNOWN, "maybe"),
        ("s3,A,B,q1,4,j1", "answer", UNKNOWN, "4"),
        (f"s3,A,B,q1,{HOSTILE},j1", "answer", UNKNOWN, HOSTILE),
        ("s3,A,B,q1,,j1", "answer", "the answer is empty", ""),
        (",A,B,q1,R,j1", "story", "the story is empty", ""),
        ("s3,,B,q1,R,j1", "author", "the summary's author is empty", ""),
        ("s3,A, ,q1,R,j1", "asker", "the question's author is empty", ""),
        ("s3,A,B,,R,j1", "question", "the question is empty", ""),
        ("s3,A,B", "", "the row has 3 cells where the header has 6", "s3,A,B"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why(
    check, row: str, column: str, reason: str, value: str
) -> None:
    report = check(f"{SOUND}{row}\n")
    assert (report.rows_read, report.kept, report.set_aside) == (7, 6, 1)
    assert report.reasons == ((column, reason, 1),)
    rejects = report.rejects
    assert [rejects.line.tolist(), rejects.column.tolist(), rejects.value.tolist()] == [
        [8],
        [column],
        [value],
    ]


def test_nothing_but_rejects_is_no_crash(check) -> None:
    report = check(HEADER + "s,A,B,q,what,j\n")
    assert (report.kept, report.set_aside, report.warnings) == (0, 1, ())


@pytest.mark.parametrize("thorough", [False, True])
def test_the_same_answer_by_another_judge_is_no_repetition(check, thorough: bool) -> None:
    repeated = SOUND + "s1,A,B,q1,N,j1\n"
    [said] = check(repeated, MAPPING, thorough).warnings
    assert said == "1 answer repeats an earlier row (same story, authors, question and judge); all are kept."
    report = check(repeated, MAPPING | {"@duplicates": "set aside"}, thorough)
    assert report.kept == 6
    assert ("question", "this answer has been judged before by the same judge", 1) in report.reasons


def test_words_and_numbers_are_stored_as_letters(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text(
        HEADER + "s,A,B,1,1,j\ns,A,B,2,4,j\ns,A,B,3,not found,j\ns,A,B,4,2.0,j\n", encoding="utf-8"
    )
    for numbers, expected in (("1 2 3 4", [0, 3, 3, 1]), ("4 3 2 1", [3, 0, 3, 2])):
        dataset = store.add(file, "comprehension", MAPPING | {"@answers": numbers}, "numbers")
        assert store.query(dataset, "comprehension")["answer"].tolist() == expected
        assert store.query(dataset, "comprehension_texts", summary_author="A", question_author="B")[
            "answer"
        ].tolist() == ["RPIN"[code] for code in expected]


# --- warnings ------------------------------------------------------------------------------------------------------


def _warnings(check, rows: str, header: str = HEADER, mapping: Mapping[str, Any] = MAPPING) -> str:
    fast, thorough = (" ".join(check(header + rows, mapping, way).warnings) for way in (False, True))
    assert fast == thorough
    return fast


def test_own_questions_are_kept_and_counted(check) -> None:
    said = _warnings(check, ROWS + "s1,A,A,q1,R,j1\n")
    assert said == "1 answer is to a question of the summary's own author; it is kept but enters no figure."
    assert check(SOUND + "s1,A,A,q1,R,j1\n").kept == 7


def test_one_judge_and_judges_of_different_questions_are_reported(check) -> None:
    assert "There is only one judge" in _warnings(check, ROWS.replace("j2", "j1").replace("q1,p", "q2,p"))
    assert "No answer was judged by more than one judge" in _warnings(
        check, "s1,A,B,q1,R,j1\ns2,A,B,q1,P,j2\ns1,B,A,q1,R,j1\ns2,B,A,q1,P,j2\n"
    )
    without = {name: column for name, column in MAPPING.items() if name != "judge_id"}
    assert "No column names the judges" in _warnings(check, ROWS, mapping=without)
    assert "1 answer has no judge." in _warnings(check, ROWS + "s2,A,B,q2,R,\n")


def test_authors_that_are_on_one_side_only_are_reported(check) -> None:
    said = _warnings(check, ROWS + "s1,C,C,q1,R,j1\ns1,A,a,q1,R,j1\n")
    assert '1 author wrote summaries that nobody else asked about, for instance "C".' in said
    assert '1 author asked questions but wrote no summary, for instance "a"; are names written alike' in said


def test_stories_and_answers_that_leave_nothing_to_compare_are_reported(check) -> None:
    said = _warnings(check, ROWS + "s3,A,B,q1,R,j1\n")
    assert '1 story of 3 has a summary by only one author, for instance "s3".' in said
    one = "s1,A,B,q1,R,j1\ns1,B,A,q1,R,j1\n"
    assert "There is only one story, so no interval can be given." in _warnings(check, one)
    assert "All answers are R, so nothing can be compared." in _warnings(check, one)


def test_what_is_said_twice_and_differently_is_reported(check) -> None:
    header = HEADER.replace("\n", ",kind,type,text\n")
    mapping = MAPPING | {"author_kind": "kind", "story_type": "type", "summary_text": "text"}
    rows = (
        "s1,A,B,q1,R,j1,person,factual,one\ns1,A,B,q2,N,j2,machine,not,two\ns1,B,A,q1,P,j1,person,factual,x\n"
    )
    said = _warnings(check, rows, header, mapping)
    assert '1 author has more than one author_kind, for instance "A"; the least of them counts.' in said
    assert '1 story has more than one story_type, for instance "s1"' in said
    assert '1 summary has more than one summary_text, for instance "s1 by A"' in said
