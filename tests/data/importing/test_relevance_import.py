"""Judgments of relevance: recognised, long or with a column per surrogate, set aside with reasons, warned about."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.errors import BadMapping
from data.formats.readers import sniff
from data.importing.report import ImportReport
from data.kinds.answer_words import judgment_sql
from data.kinds.kind import FULL_TEXT
from data.mapping.proposal import propose
from data.samples import SAMPLES
from data.store.store import Store

HEADER = "rater,event,document,surrogate,judgment,gold\n"
MAPPING = {
    "rater_id": "rater",
    "event_id": "event",
    "document_id": "document",
    "surrogate": "surrogate",
    "judgment": "judgment",
    "gold": "gold",
}
ROWS = "".join(
    f"{rater},{event},d1,{surrogate},{judgment},1\n"
    for rater in ("r1", "r2")
    for event in ("e1", "e2")
    for surrogate, judgment in (("Headline", 0), ("Full Text", 1))
)
SOUND = HEADER + ROWS
WIDE = "rater,event,document,Headline,Human,Full Text,gold\nr1,e1,d1,1,0,yes,R\nr1,e1,d2,,no,0,N\nr2,e1,d1,0,1,1,R\n"
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ =1+1"


@pytest.fixture
def check(store: Store, tmp_path: Path):
    """Return the report of a trial import. A ragged last line (`thorough`) makes the file be read as text."""

    def run(content: str, mapping: Mapping[str, Any] = MAPPING, thorough: bool = False) -> ImportReport:
        path = tmp_path / "judgments.csv"
        path.write_text(content + ("ragged,row\n" if thorough else ""), encoding="utf-8")
        return store.check(path, "relevance", mapping)

    return run


def _proposed(tmp_path: Path, content: str, kind: str | None = None):
    path = tmp_path / "proposed.csv"
    path.write_text(content, encoding="utf-8")
    return propose(sniff(path), kind)


# --- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "judgment"),
    [
        (["1", "1.0", " 1", "yes", "Y", "true", "TRUE", "relevant", "Relevant", "R", "rel"], 1),
        (["0", "0.0", "no", "N", "False", "not relevant", "not_relevant", "non-relevant", "irrelevant"], 0),
        (["", " ", "2", "-1", "0.5", "maybe", "relevant?x", HOSTILE], None),
    ],
)
def test_what_a_word_says_of_a_document(words: list[str], judgment: int | None) -> None:
    for word in words:
        found = duckdb.execute(f"SELECT {judgment_sql('word')} FROM (SELECT ? AS word)", [word]).fetchone()
        assert found == (judgment,), word


# --- recognised ----------------------------------------------------------------------------------------------------


def test_the_sample_is_recognised_kept_whole_and_without_warnings(store: Store, tmp_path: Path) -> None:
    [sample] = [sample for sample in SAMPLES if sample.kind == "relevance"]
    file = tmp_path / "sample.csv"
    sample.write(file)
    proposal = propose(sniff(file))
    assert (proposal.kind, proposal.mapping, proposal.notes) == ("relevance", sample.mapping, ())
    report = store.check(file, "relevance", sample.mapping)
    assert (report.kept, report.set_aside, report.warnings) == (1920, 0, ())


@pytest.mark.parametrize(
    ("content", "mapping"),
    [
        (
            "annotator,query,docno,system,relevant,truth,rt\nu,q,d,First75,yes,no,3.2\n",
            {
                "event_id": "query",
                "document_id": "docno",
                "judgment": "relevant",
                "gold": "truth",
                "seconds": "rt",
            },
        ),
        (
            "user,topic,doc,surrogate,judgement,week,order,ROUGE-1\nu,q,d,Human,1,2,S1D1D2,.31\n",
            {"session": "week", "order_label": "order", "ROUGE-1": "ROUGE-1"},
        ),
    ],
)
def test_names_that_people_use(tmp_path: Path, content: str, mapping: dict[str, str]) -> None:
    proposal = _proposed(tmp_path, content)
    assert (proposal.kind, proposal.notes) == ("relevance", ())
    assert dict(proposal.mapping) | mapping == dict(proposal.mapping)


@pytest.mark.parametrize(
    "content",
    [
        "rater,topic,document,system,relevance\nr,t,d,s,4\nr,t,e,s,5\n",  # a measure on a scale
        "rater,item,text,score\nr,q,1,5\ns,q,0,4\n",
        "item,relevance,fluency\nq,1,4\np,5,3\n",
    ],
)
def test_ratings_stay_ratings(tmp_path: Path, content: str) -> None:
    assert _proposed(tmp_path, content).kind == "ratings"


def test_other_samples_stay_what_they_are(tmp_path: Path) -> None:
    for sample in SAMPLES:
        table = sample.generate()
        header, *rows = list(table), *zip(*(column[:40].tolist() for column in table.values()), strict=True)
        content = "\n".join(",".join(f'"{cell}"' for cell in row) for row in (header, *rows)) + "\n"
        assert _proposed(tmp_path, content).kind == sample.kind, sample.key


# --- one column per surrogate --------------------------------------------------------------------------------------


@pytest.mark.parametrize("full_text", ["Full Text", "full_text", "Text", "FullText"])
def test_a_column_for_each_surrogate_is_recognised(tmp_path: Path, full_text: str) -> None:
    proposal = _proposed(tmp_path, WIDE.replace("Full Text", full_text))
    assert proposal.kind == "relevance"
    assert proposal.mapping == {
        "rater_id": "rater",
        "event_id": "event",
        "document_id": "document",
        "gold": "gold",
        "judgment": ("Headline", "Human", full_text),
        "@form": "surrogate columns",
    }
    [note] = proposal.notes
    assert note.startswith("3 columns hold judgments ('Headline', 'Human', ")
    assert (
        "Numbers known for each surrogate, such as ROUGE or seconds, need the layout with one row per" in note
    )


def test_without_a_full_text_the_columns_are_proposed_once_the_kind_is_chosen(tmp_path: Path) -> None:
    content = WIDE.replace("Full Text", "First75")
    assert _proposed(tmp_path, content).kind != "relevance"
    assert _proposed(tmp_path, content, "relevance").mapping["judgment"] == ("Headline", "Human", "First75")


def test_a_wide_table_gives_one_row_for_each_filled_cell(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(WIDE + "r2,e1,d2,perhaps,1,0,N\n", encoding="utf-8")
    mapping = propose(sniff(file), "relevance").mapping
    mapping = dict(mapping) | {"judgment": ("Headline", "Human", "Full Text"), "@form": "surrogate columns"}
    mapping.pop("surrogate", None)
    report = store.check(file, "relevance", mapping)
    assert (report.rows_read, report.kept, report.set_aside) == (11, 10, 1)
    assert report.reasons == (("Headline", "the judgment is neither relevant (1) nor not relevant (0)", 1),)
    assert "Each filled cell of 3 columns is one judgment; 1 is empty: no judgment." in report.notes
    dataset = store.add(file, "relevance", mapping, "wide")
    found = store.query(dataset, "judgments")
    surrogates = store.query(dataset, "judgment_names", column="surrogate")["name"][found["surrogate"]]
    assert list(
        zip(surrogates.tolist(), found["judgment"].tolist(), found["gold"].tolist(), strict=True)
    ) == [
        ("Headline", 1, 1),
        ("Human", 0, 1),
        ("Full Text", 1, 1),
        ("Human", 0, 0),
        ("Full Text", 0, 0),
        ("Headline", 0, 1),
        ("Human", 1, 1),
        ("Full Text", 1, 1),
        ("Human", 1, 0),
        ("Full Text", 0, 0),
    ]


def test_a_wide_table_has_no_metrics_of_single_surrogates(check) -> None:
    content = WIDE.replace("gold\n", "gold,rouge\n").replace(",R\n", ",R,0.3\n").replace(",N\n", ",N,0.3\n")
    wide = {
        "rater_id": "rater",
        "event_id": "event",
        "document_id": "document",
        "judgment": ("Headline", "Human", "Full Text"),
        "rouge": "rouge",
        "@form": "surrogate columns",
    }
    said = check(content, wide).notes
    assert (
        '"rouge" stands beside all surrogates of a row, so it is no number of one surrogate; it is not stored.'
        in said
    )


def test_forms_of_other_kinds_are_refused(check) -> None:
    with pytest.raises(
        BadMapping, match="@form must be one of 'long', 'surrogate columns'; got 'rater columns'"
    ):
        check(SOUND, MAPPING | {"@form": "rater columns"})
    with pytest.raises(
        BadMapping, match="`judgment` must list the columns with the judgments; got 'judgment'"
    ):
        check(SOUND, MAPPING | {"@form": "surrogate columns"})


# --- judged --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thorough", [False, True])
def test_both_ways_of_reading_keep_the_same(check, thorough: bool) -> None:
    report = check(SOUND, thorough=thorough)
    assert (report.kept, report.set_aside, report.warnings) == (8, int(thorough), ())


UNKNOWN = "the judgment is neither relevant (1) nor not relevant (0)"


@pytest.mark.parametrize(
    ("row", "column", "reason", "value"),
    [
        ("r1,e1,d2,Full Text,2,1", "judgment", UNKNOWN, "2"),
        ("r1,e1,d2,Full Text,0.5,1", "judgment", UNKNOWN, "0.5"),
        (f"r1,e1,d2,Full Text,{HOSTILE},1", "judgment", UNKNOWN, HOSTILE),
        ("r1,e1,d2,Full Text,,1", "judgment", "the judgment is empty", ""),
        (",e1,d2,Full Text,1,1", "rater", "the rater is empty", ""),
        ("r1,,d2,Full Text,1,1", "event", "the event is empty", ""),
        ("r1,e1, ,Full Text,1,1", "document", "the document is empty", ""),
        ("r1,e1,d2,,1,1", "surrogate", "the surrogate is empty", ""),
        ("r1,e1", "", "the row has 2 cells where the header has 6", "r1,e1"),
    ],
)
def test_a_judgment_that_cannot_be_used_says_why(
    check, row: str, column: str, reason: str, value: str
) -> None:
    report = check(f"{SOUND}{row}\n")
    assert (report.rows_read, report.kept, report.set_aside) == (9, 8, 1)
    assert report.reasons == ((column, reason, 1),)
    rejects = report.rejects
    assert [rejects.line.tolist(), rejects.column.tolist(), rejects.value.tolist()] == [
        [10],
        [column],
        [value],
    ]


def test_a_gold_judgment_that_cannot_be_read_is_left_empty_and_told(check) -> None:
    report = check(SOUND.replace("r1,e1,d1,Headline,0,1", f"r1,e1,d1,Headline,0,{HOSTILE}"))
    assert report.kept == 8
    [said] = report.warnings
    assert said.startswith(
        '1 cell of "gold" could not be read as a judgment and is left empty, the first in line 2'
    )


def test_nothing_but_rejects_is_no_crash(check) -> None:
    report = check(HEADER + "r,e,d,Full Text,what,1\n")
    assert (report.kept, report.set_aside, report.warnings) == (0, 1, ())


@pytest.mark.parametrize("thorough", [False, True])
def test_another_session_or_presentation_is_no_repetition(check, thorough: bool) -> None:
    header = HEADER.replace("\n", ",week,place\n")
    rows = "".join(
        f"r1,e1,d1,{surrogate},{judgment},1,{week},{place}\n"
        for surrogate, judgment, week, place in (
            ("Full Text", 1, 1, "D1"),
            ("Full Text", 1, 2, "D1"),
            ("Full Text", 1, 2, "D2"),
            ("Human", 0, 2, "S2"),
            ("Human", 1, 2, "S2"),
        )
    )
    mapping = MAPPING | {"session": "week", "presentation": "place"}
    said = " ".join(check(header + rows, mapping, thorough).warnings)
    assert (
        "1 judgment repeats an earlier row (same rater, event, document, surrogate, session and presentation)"
        in said
    )
    report = check(header + rows, mapping | {"@duplicates": "set aside"}, thorough)
    assert report.kept == 4
    assert (
        "rater",
        "the same rater has judged this document from this surrogate before",
        1,
    ) in report.reasons


def test_metrics_are_numbers_of_a_document_and_surrogate(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "metrics.csv"
    file.write_text(
        "rater,event,document,surrogate,judgment,gold,rouge,bleu\n"
        "r1,e1,d,Human,1,1,0.2,1\nr2,e1,d,Human,1,1,0.2,2\nr1,e1,d,Text,1,1,0.7,3\nr1,e2,d,Human,1,1,0.4,4\n",
        encoding="utf-8",
    )
    mapping = MAPPING | {"rouge": "rouge", "bleu": "bleu"}
    notes = store.check(file, "relevance", mapping).notes
    assert '"bleu" differs within surrogates, so it is no number of the surrogate; it is not stored.' in notes
    dataset = store.add(file, "relevance", mapping, "metrics")
    assert dataset.named("item number") == ("rouge",)


# --- warnings ------------------------------------------------------------------------------------------------------


def _warnings(check, rows: str, mapping: Mapping[str, Any] = MAPPING) -> str:
    fast, thorough = (" ".join(check(HEADER + rows, mapping, way).warnings) for way in (False, True))
    assert fast == thorough
    return fast


def test_raters_and_judgments_without_a_full_text_are_counted(check) -> None:
    said = _warnings(check, ROWS + "r3,e1,d1,Headline,1,1\nr1,e2,d2,Headline,1,0\n")
    assert '1 rater of 3 has no judgment of a full text, for instance "r3".' in said
    assert (
        "2 judgments of 6 of surrogates have no judgment of the document's full text by the same rater."
        in said
    )
    said = _warnings(check, ROWS.replace("Full Text", "First75"))
    assert "No surrogate is called full text" in said


@pytest.mark.parametrize("name", FULL_TEXT)
def test_the_full_text_is_known_by_its_names(check, name: str) -> None:
    assert _warnings(check, ROWS.replace("Full Text", f"{name.upper()}.")) == ""


def test_gold_that_is_missing_or_contradicts_itself_is_reported(check) -> None:
    said = _warnings(check, ROWS + "r1,e1,d2,Full Text,1,\nr1,e1,d3,Full Text,1,1\nr2,e1,d3,Full Text,0,0\n")
    assert "The gold judgment is known for 3 of 4 documents." in said
    assert '1 document has more than one gold judgment, for instance "d3 of e1".' in said


def test_raters_who_always_say_the_same_are_reported(check) -> None:
    rows = "".join(f"r3,e1,x{at},Full Text,0,1\n" for at in range(5))
    assert (
        '1 rater judged the same every time in 5 or more judgments, for instance "r3": not relevant.'
        in _warnings(check, ROWS + rows)
    )


def test_one_of_anything_is_reported(check) -> None:
    said = _warnings(check, "r1,e1,d1,Full Text,1,1\n")
    for sentence in (
        "There is only one rater, so nothing can be said about agreement between raters.",
        "There is only one event, so intervals tell nothing of other events.",
        "There is only one surrogate, so there is nothing to compare it with.",
        "All judgments say relevant, so no agreement beyond chance is defined.",
    ):
        assert sentence in said
