"""Names longer than pages can list: their rows are set aside, and items named by their texts get an id."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import pytest

from data.importing import staging
from data.kinds.definitions import KINDS
from data.kinds.kind import LONGEST_NAME
from data.kinds.studies import RATINGS
from data.store.store import Store
from tests.data.conftest import WriteCsv

LONGEST = "n" * LONGEST_NAME
REASON = "has more than the 1,000 characters that a name may have"
ROWS: Mapping[str, Mapping[str, str]] = {
    "ratings": {"item_id": "a", "rater_id": "r", "score": "4"},
    "contributors": {
        "topic": "D",
        "item_id": "s",
        "scu_id": "1",
        "contributor_text": "words",
        "weight": "2",
    },
    "choices": {"item_id": "a", "rater_id": "r", "choice": "A", "option_a": "one", "option_b": "two"},
    "comprehension": {
        "story_id": "s",
        "summary_author": "x",
        "question_author": "y",
        "question_id": "1",
        "answer": "R",
    },
    "relevance": {
        "rater_id": "r",
        "event_id": "e",
        "document_id": "d",
        "surrogate": "headline",
        "judgment": "1",
    },
}
"""A row that can be kept, of each kind that has names of its own."""


@pytest.fixture(params=["as they are typed", "as text"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """First reading method."""
    if request.param == "as text":
        monkeypatch.setattr(staging, "can_read_typed", lambda *_: False)
    return str(request.param)


def rated(
    write_csv: WriteCsv, items: Sequence[str], *more: str, texts: Sequence[str] = ()
) -> tuple[Path, dict[str, str]]:
    """A file in which two raters rate each of these items, and its mapping."""
    rows = [
        [item, rater, 1 + at % 5, *more, *([texts[at]] if texts else [])]
        for at, item in enumerate(items)
        for rater in ("r", "s")
    ]
    header = ["item", "rater", "score", *(["words"] if texts else [])]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    return write_csv(header, rows), mapping | ({"text": "words"} if texts else {})


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_with_too_long_a_name_is_set_aside(tmp_path: Path, write_csv: WriteCsv, kind: str) -> None:
    """Each name in turn has the longest length in one row, and one character more in the next."""
    names = [
        column.name
        for column in KINDS[kind].columns
        if column.type == "text"
        and column.listed
        and column.text_in is None
        and not (column.name == "system" and "option_a" in ROWS[kind])  # pairs have theirs in both options
    ]
    good = {**ROWS[kind], **{name: ROWS[kind].get(name, "x") for name in names}}
    rows = [good, *({**good, name: text} for name in names for text in (LONGEST, f"{LONGEST}n"))]
    file = write_csv(list(good), [list(row.values()) for row in rows])
    mapping = {column: column for column in good}
    with duckdb.connect() as connection:
        report = staging.stage(connection, file, kind, mapping, tmp_path / "staged.parquet", "").report
    told = {
        (line, column): (reason, value)
        for line, column, reason, value in zip(
            report.rejects.line.tolist(),
            report.rejects.column.tolist(),
            report.rejects.reason.tolist(),
            report.rejects.value.tolist(),
            strict=True,
        )
    }
    assert names
    for at, name in enumerate(names):
        reason, value = told[4 + 2 * at, name]
        assert reason.endswith(REASON)
        assert (len(value), value[-1]) == (200, "…")
        assert ((3 + 2 * at, name) in told) is (name == "choice")  # neither option is called so


def test_an_attribute_of_raters_is_a_name_too(store: Store, write_csv: WriteCsv, way: str) -> None:
    file = write_csv(
        ["item", "rater", "score", "rater_town"], [["a", "r", 4, LONGEST], ["b", "s", 5, LONGEST + "n"]]
    )
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_town": "rater_town"}
    report = store.check(file, "ratings", mapping)
    assert (report.kept, report.rejects.line.tolist()) == (1, [3])
    assert report.rejects.reason.tolist() == [f'the value of "rater_town" {REASON}']


def test_what_no_page_lists_may_be_long(store: Store, write_csv: WriteCsv, way: str) -> None:
    hidden = [column.name for column in RATINGS.columns if column.type == "text" and not column.listed]
    assert hidden == ["text_id", "check", "expected"]
    rows = [["a", "r", 4, LONGEST + "n", ""], ["b", "r", 5, LONGEST + "n", LONGEST + "n"]]
    file = write_csv(["item", "rater", "score", "text_id", "check"], rows)
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    report = store.check(file, "ratings", mapping | {"text_id": "text_id", "check": "check"})
    assert (report.kept, report.check_rows, report.rejects.total) == (1, 1, 0)


def test_names_of_the_longest_length_stay_on_the_fast_way(
    store: Store, write_csv: WriteCsv, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Characters count, not bytes."""
    monkeypatch.setattr(staging, "read_and_judge", None)
    names = ["ä" * LONGEST_NAME, LONGEST]
    file, mapping = rated(write_csv, names)
    dataset = store.add(file, "ratings", mapping)
    assert store.query(dataset, "item_names")["name"].tolist() == sorted(names)
    assert not dataset.has("text")


def test_no_list_of_rejected_rows_holds_a_whole_long_name(store: Store, write_csv: WriteCsv) -> None:
    file = write_csv(["item", "rater", "score"], [["a", "r" * 400_000, 4], ["b", "s", 5]])
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    assert len(b"".join(store.rejects_csv(file, "ratings", mapping))) < 1000


def test_a_long_name_of_a_column_is_cut_and_said(store: Store, write_csv: WriteCsv) -> None:
    """Its cells are ratings of a measure, which has that name."""
    long = [f"{'m' * 500_000}{end}" for end in "ab"]
    file = write_csv(["item", "rater", *long], [["a", "r", 4, 5], ["b", "r", 3, 2]])
    sniffed = store.sniff(file)
    assert max(map(len, sniffed.names)) <= 204
    assert [said for said in sniffed.problems if "500" in said]
    mapping = {"@form": "measure columns", "item_id": "item", "rater_id": "rater", "score": sniffed.names[2:]}
    dataset = store.add(file, "ratings", mapping)
    assert sorted(set(store.query(dataset, "cells")["measure"].tolist())) == sorted(sniffed.names[2:])


@pytest.mark.parametrize("kind", ["ratings", "choices"])
def test_an_item_named_by_its_text_gets_an_id_and_keeps_the_text(
    store: Store, write_csv: WriteCsv, way: str, kind: str
) -> None:
    texts = [f"Once upon a time,  there was {'a king and ' * 200}{end}" for end in ("a frog", "a dog")]
    row = ROWS[kind]
    rows = [
        {**row, "item_id": item, "rater_id": f"r{at}"} for at, item in enumerate([*texts, *texts, "short"])
    ]
    file = write_csv(list(row), [list(each.values()) for each in rows])
    mapping = {column: column for column in row}
    dataset = store.add(file, kind, mapping)
    assert (dataset.rows_kept, dataset.rows_set_aside) == (5, 0)
    names = store.query(dataset, "item_names")["name"].tolist()
    long = [name for name in names if name != "short"]
    assert len(long) == 2
    assert all(name.startswith("Once upon a time, there was") and len(name) < 100 for name in long)
    assert dict(kept(store, dataset.id)) == {"short": None} | dict(
        zip([name_of(store, dataset.id, text) for text in texts], texts, strict=True)
    )
    report = store.check(file, kind, mapping)
    assert [
        note for note in report.notes if note.startswith("2 items are named by a text of more than 1,000")
    ]
    assert (report.items, report.raters) == (3, 5)
    again = store.add(write_csv(list(row), [list(rows[1].values())]), kind, mapping)
    assert set(store.query(again, "item_names")["name"].tolist()) < {*long}


def test_a_mapped_text_stays(store: Store, write_csv: WriteCsv, way: str) -> None:
    file, mapping = rated(write_csv, ["word " * 400, "b"], texts=["its own text", "another"])
    dataset = store.add(file, "ratings", mapping)
    assert sorted({text for _, text in kept(store, dataset.id)}) == ["another", "its own text"]
    assert "b" in store.query(dataset, "item_names")["name"].tolist()


def test_the_id_does_not_depend_on_white_space_around_the_text(store: Store, write_csv: WriteCsv) -> None:
    text = "word " * 400 + "end"
    file, mapping = rated(write_csv, [text, f" {text}\u00a0"])
    assert len(store.query(store.add(file, "ratings", mapping), "item_names")["name"]) == 1


def test_metrics_of_items_named_by_their_texts_find_them(store: Store, write_csv: WriteCsv) -> None:
    texts = ["word " * 400 + end for end in "ab"]
    file, mapping = rated(write_csv, texts)
    dataset = store.add(file, "ratings", mapping)
    metrics = write_csv(["item", "bleu"], [[text, at] for at, text in enumerate(texts)], "metrics.csv")
    added = store.add(metrics, "metrics", {"item_id": "item", "bleu": "bleu"})
    assert (
        store.query(added, "item_names")["name"].tolist()
        == store.query(dataset, "item_names")["name"].tolist()
    )
    joined = store.join(dataset, metrics, "items of ratings", {"item_id": "item", "bleu": "bleu"})
    assert [(found.own, found.new, found.both) for found in joined.matching] == [(2, 2, 2)]
    again = store.add(joined.path, joined.kind, joined.mapping, "joined", made_from=joined.made_from)
    assert sorted({text for _, text in kept(store, again.id)}) == texts


def test_a_parquet_file_is_judged_like_a_text(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "file.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT repeat('i', 2000) || n AS item, repeat('r', 990 + n::INTEGER) AS rater, n AS "
            "score FROM range(20) numbers(n)"
        )
        connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")
    report = store.check(file, "ratings", {"item_id": "item", "rater_id": "rater", "score": "score"})
    assert (report.kept, report.rejects.total, report.items) == (11, 9, 11)
    assert {reason for _, reason, _ in report.reasons} == {f"the rater {REASON}"}


def kept(store: Store, id: str) -> list[tuple[str, str | None]]:
    """Item and text of each row that is stored."""
    with store._database.cursor() as cursor:
        return cursor.execute(f"SELECT item_id, text FROM rows_{id}").fetchall()


def name_of(store: Store, id: str, text: str) -> str:
    return next(item for item, held in kept(store, id) if held == text)
