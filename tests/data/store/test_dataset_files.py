"""A data set as a file: Parquet holds it exactly, CSV can be imported again, nothing in it runs or leads anywhere."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as settled
from hypothesis import strategies as st

from data.dataset import Dataset
from data.engines.schema import table_of
from data.errors import DataError, DiskFull, NotFound
from data.export import neutralize
from data.samples import SAMPLES
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE
from tests.data.damage import files_no_larger_than

WriteCsv = Callable[..., Path]
HEADER = ("item", "rater", "score", "when", "trap", "rouge", "rater age")
MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "score": "score",
    "rated_at": "when",
    "check": "trap",
    "rouge": "rouge",
    "rater_age": "rater age",
}
ROWS = [
    ("z 1", "x", 1, "2024-05-06 07:08:09.123456", "", 0.1, "30-39"),
    ("a, 1", 'the "lab"', 2.5, "", "", 1e-300, ""),
    ("a, 1", "y", 3, "2024-05-06 07:08:10", "1", 1e-300, "40-49"),
    ("日本語 🎧", "two\nlines", -4, "2023-01-01", "", -0.30000000000000004, "é"),
    ("z 1", "", 3, "", "", 0.1, ""),
    ("m", "x", "three", "", "", 7, ""),
]


@pytest.fixture
def threads() -> int:
    return 2


@pytest.fixture
def saved(store: Store, write_csv: WriteCsv) -> Dataset:
    return store.add(
        write_csv(HEADER, ROWS), "ratings", MAPPING, "My study: <Ümläut>", "w1", file="my ratings.csv"
    )


def _unpacked(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as pack:
        assert pack.testzip() is None
        return {name: pack.read(name) for name in pack.namelist()}


def _stored(store: Store, id: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The rows in the file's order, without the number of the row."""
    with store._database.cursor() as cursor:
        found = cursor.execute(f'SELECT * EXCLUDE ("row") FROM {table_of(id)} ORDER BY "row"')
        names = [column[0] for column in found.description or ()]
        return names, found.fetchall()


# --- the table -------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_parquet_holds_the_stored_rows_exactly(store: Store, saved: Dataset, tmp_path: Path) -> None:
    files = _unpacked(store.files(saved.id, "parquet"))
    assert list(files) == ["my-study-umlaut-ratings.parquet", "import-report.txt", "import-report.json"]
    table = tmp_path / "out.parquet"
    table.write_bytes(files["my-study-umlaut-ratings.parquet"])
    with duckdb.connect() as plain:
        found = plain.execute("FROM read_parquet(?)", [str(table)])
        names = [column[0] for column in found.description or ()]
        assert (names, found.fetchall()) == _stored(store, saved.id)
    rows = _stored(store, saved.id)[1]
    assert [row[0] for row in rows] == ["z 1", "a, 1", "a, 1", "日本語 🎧"]
    assert rows[2][names.index("check")] == "1"
    assert rows[0][names.index("rated_at")] == datetime(2024, 5, 6, 7, 8, 9, 123456)


def test_csv_can_be_imported_again_and_gives_the_same_rows(
    store: Store, saved: Dataset, tmp_path: Path
) -> None:
    files = _unpacked(store.files(saved.id, "csv"))
    table = tmp_path / "again.csv"
    table.write_bytes(files["my-study-umlaut-ratings.csv"])
    names, rows = _stored(store, saved.id)
    assert next(csv.reader(io.StringIO(table.read_text("utf-8")))) == names
    again = store.add(table, "ratings", {name: name for name in names}, "again", "w1")
    assert again.rows_kept == saved.rows_kept == 3
    assert _stored(store, again.id) == (names, rows)


@pytest.mark.parametrize(
    "sample",
    {sample.kind: sample for sample in SAMPLES if sample.kind != "ratings"}.values(),
    ids=lambda of: of.key,
)
def test_every_other_kind_can_be_taken_away_and_brought_back(
    shared_store: Store, sample: Any, tmp_path: Path
) -> None:
    store = shared_store
    saved = store.ensure_samples((sample,))[sample.key]
    [name, *_] = files = _unpacked(store.files(saved.id, "csv"))
    table = tmp_path / "again.csv"
    table.write_bytes(files[name])
    names, rows = _stored(store, saved.id)
    mapping = {name: name for name in names}
    again = store.add(table, saved.kind, mapping, "again", "w1")
    assert _stored(store, again.id) == (names, rows)
    assert _unpacked(store.files(again.id, "csv"))[f"again-{saved.kind}.csv"] == files[name]


@EVERY_ENGINE
def test_rows_come_in_the_files_order_however_many_there_are(
    store: Store, write_csv: WriteCsv, tmp_path: Path
) -> None:
    count = 130_000  # more than the rows that DuckDB reads at once
    rows = [(f"i{at * 7919 % count}", f"r{at % 7}", at) for at in range(count)]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    saved = store.add(write_csv(HEADER[:3], rows), "ratings", mapping, "long", "w1")
    found = store.query(saved, "ratings", measure="score", group="all ratings")
    assert (found["score"] == range(count)).all()
    assert (found["order"] == range(1, count + 1)).all()
    for form, reader in (("csv", "read_csv"), ("parquet", "read_parquet")):
        table = tmp_path / f"out.{form}"
        table.write_bytes(_unpacked(store.files(saved.id, form))[f"long-ratings.{form}"])
        with duckdb.connect() as plain:
            plain.execute("SET preserve_insertion_order = true")
            scores = plain.execute(f"SELECT score FROM {reader}(?)", [str(table)]).fetchnumpy()["score"]
        assert (scores == range(count)).all()


# --- formulas --------------------------------------------------------------------------------------------------

_TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
_HOSTILE = st.builds(
    "{}{}".format,
    st.sampled_from(
        ["=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "＋", "－1", "＠", "+1", "-1e5", "'=", ""]
    ),
    _TEXTS,
)


@pytest.fixture
def study(store: Store, write_csv: WriteCsv) -> Dataset:
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    return store.add(write_csv(HEADER[:3], [("a", "x", 1)]), "ratings", mapping, "study")


@settled(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(ids=st.lists(_HOSTILE, min_size=1, max_size=30))
def test_no_text_in_the_csv_is_a_formula(store: Store, study: Dataset, ids: list[str]) -> None:
    """The rows are put into the table past the import, which would take white space away."""
    table = table_of(study.id)
    with store._database.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")
        cursor.executemany(
            f"INSERT INTO {table} VALUES (?, ?, 'r', 1)", [[at, id] for at, id in enumerate(ids)]
        )
    files = _unpacked(store.files(study.id, "csv"))
    text = files["study-ratings.csv"].decode("utf-8")
    [header, *rows] = csv.reader(io.StringIO(text, newline=""))
    assert header == ["item_id", "rater_id", "score"]
    assert [row[0] for row in rows] == [neutralize(id) for id in ids]
    for cell, *_ in rows:
        assert not cell.startswith(("=", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
        assert cell[:1] not in {"+", "-"} or re.fullmatch(r"[+-][0-9.]+([eE][+-]?[0-9]+)?", cell)


def test_headers_are_no_formulas_either_and_parquet_keeps_every_text(
    store: Store, write_csv: WriteCsv, tmp_path: Path
) -> None:
    number = "=HYPERLINK(\"http://x\";'y')"
    file = write_csv(("item", "rater", "score", number), [("=1+1", "@x", 1, 2), ("-3", "'quoted", 2, -4)])
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", number: number}
    saved = store.add(file, "ratings", mapping, "=cmd|' /C calc'!A0", "w1")
    files = _unpacked(store.files(saved.id, "csv"))
    rows = list(csv.reader(io.StringIO(files["cmd-c-calc-a0-ratings.csv"].decode())))
    assert rows == [
        ["item_id", "rater_id", "score", "'" + number],
        ["'=1+1", "'@x", "1.0", "2.0"],
        ["-3", "'quoted", "2.0", "-4.0"],
    ]
    assert b"has an apostrophe before it" in files["import-report.txt"]
    packed = _unpacked(store.files(saved.id, "parquet"))
    assert b"apostrophe" not in packed["import-report.txt"]
    table = tmp_path / "out.parquet"
    table.write_bytes(packed["cmd-c-calc-a0-ratings.parquet"])
    with duckdb.connect() as plain:
        found = plain.execute("FROM read_parquet(?)", [str(table)])
        assert [column[0] for column in found.description or ()] == ["item_id", "rater_id", "score", number]
        assert found.fetchall() == [("=1+1", "@x", 1.0, 2.0), ("-3", "'quoted", 2.0, -4.0)]


# --- the report ------------------------------------------------------------------------------------------------


def test_the_report_says_what_became_of_every_row(store: Store, saved: Dataset) -> None:
    files = _unpacked(store.files(saved.id, "csv"))
    text = files["import-report.txt"].decode("utf-8")
    for line in (
        "Data set: My study: <Ümläut>",
        "Imported from: my ratings.csv",
        f"Saved: {saved.created:%Y-%m-%d %H:%M} UTC",
        f"Content (SHA-256 of file, kind and mapping): {saved.sha256}",
        "Ratings kept: 3",
        "Rows set aside: 3",
        "  1 with a check: they are in the table, but in no figure",
        '  1 "rater": the rater is empty',
        '  1 "score": the score is not a number',
        "  item_id: item",
        "  rater_age: rater age",
    ):
        assert line in text.splitlines()
    told = json.loads(files["import-report.json"])
    assert told["report"] == store.report(saved.id)
    assert told["mapping"] == MAPPING
    assert (told["rows_kept"], told["rows_set_aside"], told["sha256"]) == (3, 3, saved.sha256)


def test_a_data_set_from_before_reports_were_kept_says_so(store: Store, saved: Dataset) -> None:
    with store._database.cursor() as cursor:
        cursor.execute("DELETE FROM reports")
    files = _unpacked(store.files(saved.id, "parquet"))
    assert b"saved before reports were kept" in files["import-report.txt"]
    assert json.loads(files["import-report.json"])["report"] is None


def test_a_name_makes_no_line_of_its_own_in_the_report(store: Store, saved: Dataset) -> None:
    store.rename(saved.id, "a\nSaved: never\r\n")
    text = _unpacked(store.files(saved.id, "csv"))["import-report.txt"].decode()
    assert text.splitlines()[0] == "Data set: a Saved: never"


def test_nothing_in_the_archive_tells_where_the_server_keeps_it(store: Store, saved: Dataset) -> None:
    for form in ("csv", "parquet"):
        archive = store.files(saved.id, form)
        content = b"".join(_unpacked(archive).values())
        for told in (str(store.spool.folder), store.settings.database, saved.id, store.link(saved.id), "w1"):
            assert told.encode() not in content


# --- files -----------------------------------------------------------------------------------------------------


HARMLESS = {
    "../../etc/passwd": "etc-passwd-ratings",
    "con": "con-ratings",
    "日本語": "data-set-ratings",
    "...": "data-set-ratings",
    "a\\b/c:d*e?f\"g<h>i|j\nk'l": "a-b-c-d-e-f-g-h-i-j-k-l-ratings",
    "x" * 120: "x" * 60 + "-ratings",
}


def test_the_archive_and_the_table_have_harmless_names(store: Store, saved: Dataset) -> None:
    for name, stem in HARMLESS.items():
        store.rename(saved.id, name)
        archive = store.files(saved.id, "csv")
        assert archive.name == f"{stem}.zip"
        assert archive.parent.parent == store.spool.folder
        assert list(_unpacked(archive)) == [f"{stem}.csv", "import-report.txt", "import-report.json"]


def test_an_archive_waits_in_the_spool_until_it_is_discarded(store: Store, saved: Dataset) -> None:
    first, second = store.files(saved.id, "csv"), store.files(saved.id, "csv")
    assert first != second
    assert list(first.parent.iterdir()) == [first]
    store.spool.discard(first)
    assert [folder.name for folder in store.spool.folder.iterdir()] == [second.parent.name]


@EVERY_ENGINE
def test_what_is_gone_or_of_another_form_leaves_nothing_behind(store: Store, saved: Dataset) -> None:
    store.delete(saved.id)
    for id in (saved.id, "", "\ud800", "../x"):
        with pytest.raises(NotFound):
            store.files(id, "csv")
    with pytest.raises(DataError, match="csv or parquet, not as 'exe'"):
        store.files(saved.id, "exe")
    assert list(store.spool.folder.iterdir()) == []


def test_a_full_spool_leaves_nothing_behind(store: Store, write_csv: WriteCsv) -> None:
    rows = [(f"item {at}", f"rater {at * 7919}", at % 5) for at in range(10_000)]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    saved = store.add(write_csv(HEADER[:3], rows), "ratings", mapping, "long", "w1")
    for form in ("csv", "parquet"):
        with files_no_larger_than(20_000), pytest.raises(DiskFull):
            store.files(saved.id, form)
    assert list(store.spool.folder.iterdir()) == []
