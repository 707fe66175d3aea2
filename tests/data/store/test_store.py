"""The store: whole or not at all, unchanged once saved, harmless whatever the texts, and clear when it cannot.

Most tests run on a file; what every engine has to keep on a lake too, some with the lake's files in a bucket.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from data.dataset import Column
from data.engines.schema import table_of
from data.errors import (
    DataError,
    DiskFull,
    NotFound,
    OverLimit,
    UnknownName,
)
from data.samples import SAMPLES
from data.settings import Settings
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE, EVERY_STORAGE, EVERY_STORAGE_ANEW, is_lake
from tests.data.damage import files_no_larger_than

WriteCsv = Callable[..., Path]
ROOT = Path(__file__).parents[3]
HEADER = ("item", "rater", "score", "group")
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "group"}
ROWS = [
    (item, f"{group} {rater}", rater % 5 + 1, group)
    for item in ("a", "b", "c")
    for group in ("crowd", "lab")
    for rater in range(6)
]


@pytest.fixture
def threads() -> int:
    return 2


@pytest.fixture
def file(write_csv: WriteCsv) -> Path:
    return write_csv(HEADER, ROWS)


# --- in and out ------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_a_saved_data_set_is_found_again_as_it_was_returned(store: Store, file: Path) -> None:
    before = datetime.now(UTC)
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    assert len(saved.id) == 32
    assert int(saved.id, 16) >= 0
    assert saved.rows_kept == len(ROWS)
    assert saved.rows_set_aside == 0
    assert saved.mapping == MAPPING
    assert before <= saved.created <= datetime.now(UTC)
    assert saved.columns == tuple(Column(name, "canonical") for name in MAPPING)
    assert store.get(saved.id) == saved
    assert store.query(saved, "overview")["rows"].tolist() == [len(ROWS)]


@EVERY_STORAGE_ANEW
def test_a_data_set_outlives_the_process_that_saved_it(settings: Settings, file: Path) -> None:
    with Store(settings=settings) as first:
        saved = first.add(file, "ratings", MAPPING, "My study")
    with Store(settings=settings) as second:
        assert second.get(saved.id) == saved
        assert second.query(saved, "cells")["ratings"].tolist() == [18, 18]


def test_check_reports_what_add_would_do_and_saves_nothing(store: Store, write_csv: WriteCsv) -> None:
    file = write_csv(HEADER, [*ROWS, ("a", "x", "not a number", "lab"), ("a", "", 3, "lab")])
    report = store.check(file, "ratings", MAPPING)
    assert (report.kept, report.set_aside) == (len(ROWS), 2)
    assert _tables(store) == []
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    assert (saved.rows_kept, saved.rows_set_aside) == (report.kept, report.set_aside)
    assert b"not a number" in b"".join(store.rejects_csv(file, "ratings", MAPPING))


def test_equal_contents_have_equal_sha256_and_anything_else_another(
    store: Store, write_csv: WriteCsv
) -> None:
    file = write_csv(HEADER, ROWS)
    other = write_csv(HEADER, [*ROWS[:-1], ("c", "lab 5", 2, "lab")], "other.csv")
    sha256 = store.add(file, "ratings", MAPPING, "one").sha256
    assert store.add(file, "ratings", MAPPING, "two").sha256 == sha256
    assert store.add(other, "ratings", MAPPING, "one").sha256 != sha256
    assert store.add(file, "ratings", MAPPING | {"rater_group": "rater"}, "one").sha256 != sha256


def test_columns_have_roles(store: Store, write_csv: WriteCsv) -> None:
    file = write_csv(
        ("item", "rater", "score", "age", "rouge"), [("a", "x", 1, "30-39", 0.5), ("b", "y", 2, "", 0.7)]
    )
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_age": "age", "rouge": "rouge"}
    saved = store.add(file, "ratings", mapping, "My study")
    assert saved.named("rater attribute") == ("rater_age",)
    assert saved.named("item number") == ("rouge",)
    assert saved.has("score", "rater_age")
    assert not saved.has("measure")


@EVERY_ENGINE
def test_workspaces_see_their_own_newest_first(store: Store, file: Path) -> None:
    first, second = (store.add(file, "ratings", MAPPING, name, "w1") for name in ("first", "second"))
    store.add(file, "ratings", MAPPING, "other", "w2")
    store.add(file, "ratings", MAPPING, "notebook")
    assert store.datasets("w1") == [second, first]
    assert store.datasets("nobody") == []
    assert store.datasets(None) == []


@EVERY_STORAGE
def test_delete_removes_rows_catalogue_and_links(store: Store, file: Path) -> None:
    kept, gone = (store.add(file, "ratings", MAPPING, name, "w1") for name in ("kept", "gone"))
    link = store.link(gone.id)
    store.delete(gone.id)
    assert store.datasets("w1") == [kept]
    assert store.by_key(link) is None
    assert _tables(store) == [table_of(kept.id)]
    for call in (store.get, store.delete, store.link):
        with pytest.raises(NotFound, match="no such data set"):
            call(gone.id)
    with pytest.raises(NotFound, match="no such data set any more"):
        store.query(gone, "overview")


# --- links -----------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_a_link_leads_to_its_data_set_until_it_is_revoked(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    link = store.link(saved.id)
    assert len(link) == 32
    assert link != saved.id
    assert store.link(saved.id) == link
    assert store.by_key(link) == saved
    store.revoke(saved.id)
    assert store.by_key(link) is None
    renewed = store.link(saved.id)
    assert renewed != link
    assert store.by_key(renewed) == saved


def test_a_key_that_leads_nowhere_is_none_whatever_it_holds(store: Store, file: Path) -> None:
    store.add(file, "ratings", MAPPING, "My study")
    senseless = ["", "x", "0" * 32, "' OR 1=1 --", "%", "\x00", "\ud800", "ключ", "a" * 1_000_000, "sample-"]
    for key in [*senseless, "../../etc/passwd"]:
        assert store.by_key(key) is None, key[:40]


# --- texts -----------------------------------------------------------------------------------------------------

HOSTILE = [
    "'; DROP TABLE datasets; --",
    '" OR ""="',
    "<img src=x onerror=alert(1)>",
    "[link](javascript:alert(1)) $x$ `code`",
    "=cmd|' /C calc'!A0",
    "$measure ? %s {0}",
    "a\\b\tc",
    "日本語 🎧 é",
]


@EVERY_ENGINE
def test_any_text_is_only_text(store: Store, write_csv: WriteCsv) -> None:
    header = ('it"em', "ra;ter", "score", "gro'up", "mea--sure", "rater_<b>", 'num"ber; DROP TABLE links')
    rows = [
        (item, rater, score + 1, group, measure, rater, at)
        for at, item in enumerate(HOSTILE)
        for score, (rater, group) in enumerate(zip(HOSTILE[:4], HOSTILE[4:], strict=True))
        for measure in HOSTILE[:2]
    ]
    mapping = {
        "item_id": header[0],
        "rater_id": header[1],
        "score": header[2],
        "rater_group": header[3],
        "measure": header[4],
        "rater_<b>": header[5],
        header[6]: header[6],
    }
    for name in ("".join(HOSTILE[:4]), "".join(HOSTILE[4:])):
        saved = store.add(write_csv(header, rows), "ratings", mapping, name, workspace=name)
        assert store.datasets(name) == [saved]
        assert store.get(saved.id).name == name
    cells = store.query(saved, "cells")
    assert set(cells["measure"]) == set(HOSTILE[:2])
    assert set(cells["group"]) == set(HOSTILE[4:])
    assert store.query(saved, "item_names")["name"].tolist() == sorted(HOSTILE)
    found = store.query(
        saved, "ratings", measure=HOSTILE[0], group=HOSTILE[4], attribute="rater_<b>", value=HOSTILE[0]
    )
    assert found["score"].tolist() == [1.0] * len(HOSTILE)
    pairs = store.query(saved, "item_pairs", measure=HOSTILE[1], candidate=HOSTILE[5], reference=HOSTILE[6])
    assert pairs["sum_reference"].tolist() == [3.0] * len(HOSTILE)
    assert len(store.query(saved, "item_numbers", column=header[6])["value"]) == len(HOSTILE)
    assert set(store.query(saved, "rater_attributes")["value"]) == set(HOSTILE[:4])
    with pytest.raises(UnknownName):
        store.query(saved, "item_numbers", column='score" FROM datasets --')
    with pytest.raises(UnknownName):
        store.query(saved, "ratings", measure="\ud800", group="x")


def test_an_id_that_is_none_never_reaches_a_statement(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study")
    with pytest.raises(NotFound):
        store.get("' OR 1=1 --")
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        store.query(replace(saved, id="datasets; --"), "overview")


# --- files -----------------------------------------------------------------------------------------------------


def test_a_file_under_any_name_and_place_can_be_imported(store: Store, file: Path, tmp_path: Path) -> None:
    strange = tmp_path / "a [b] * ? 'c' ё"
    strange.mkdir()
    moved = strange / "ratings [1-9] *.csv"
    moved.write_bytes(file.read_bytes())
    link = tmp_path / "link.csv"
    link.symlink_to(moved)
    for path in (str(moved), link):
        assert store.add(path, "ratings", MAPPING, "My study").rows_kept == len(ROWS)
    assert moved.read_bytes() == file.read_bytes()
    assert list(store.spool.folder.iterdir()) == []


def test_a_file_that_is_none_is_said_to_be(store: Store) -> None:
    for path in ("/nowhere/at/all.csv", "/", "\x00"):
        with pytest.raises(DataError, match=r"there is no file|is not a file"):
            store.check(path, "ratings", MAPPING)


@EVERY_STORAGE
def test_the_database_reads_no_file_outside_the_spool(store: Store, file: Path) -> None:
    inside = store.spool.folder / "inside.csv"
    inside.write_bytes(file.read_bytes())
    with store._database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM read_csv(?)", [str(inside)]).fetchone() == (len(ROWS),)
        for statement in (
            f"SELECT * FROM read_csv('{file}')",
            f"COPY (SELECT 1) TO '{file.with_name('out.csv')}'",
            f"ATTACH '{file.with_name('other.duckdb')}'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '100GB'",
        ):
            with pytest.raises(duckdb.Error):
                cursor.execute(statement)


def test_uploads_wait_in_the_spool_until_their_time_is_over(store: Store, file: Path) -> None:
    with file.open("rb") as content:
        waiting = store.spool.keep("../../my ratings.CSV.gz", content)
    assert waiting.parent.parent == store.spool.folder
    assert waiting.name == "file.csv.gz"
    assert waiting.read_bytes() == file.read_bytes()
    store.spool.sweep()
    assert waiting.exists()
    old = time.time() - store.settings.spool_hours * 3600 - 60
    os.utime(waiting.parent, (old, old))
    store.spool.sweep()
    assert not waiting.exists()
    store.spool.discard(waiting)


def test_a_kept_upload_is_imported_and_discarded(store: Store, file: Path) -> None:
    with file.open("rb") as content:
        waiting = store.spool.keep("ratings.csv", content)
    store.check(waiting, "ratings", MAPPING)
    assert store.add(waiting, "ratings", MAPPING, "My study").rows_kept == len(ROWS)
    store.spool.discard(waiting)
    assert list(store.spool.folder.iterdir()) == []
    store.spool.discard(file)
    assert file.exists()


# --- limits ----------------------------------------------------------------------------------------------------


def test_limits_are_named_with_the_variable_that_raises_them(settings: Settings, file: Path) -> None:
    tight = replace(settings, rows=len(ROWS) - 1, datasets=1, upload_size=10)
    with Store(settings=tight) as store:
        with pytest.raises(OverLimit, match=r"36 rows, more than the 35 that RATERSCOPE_ROWS allows"):
            store.add(file, "ratings", MAPPING, "too long", "w1")
        with file.open("rb") as content, pytest.raises(OverLimit, match=r"10 B that RATERSCOPE_UPLOAD_SIZE"):
            store.spool.keep("ratings.csv", content)
        assert _tables(store) == []
        assert list(store.spool.folder.iterdir()) == []
        short = file.with_name("short.csv")
        short.write_text("\n".join(file.read_text().splitlines()[:20]))
        store.add(short, "ratings", MAPPING, "first", "w1")
        with pytest.raises(OverLimit, match=r"already holds 1 data sets, the most that RATERSCOPE_DATASETS"):
            store.add(short, "ratings", MAPPING, "second", "w1")
        store.add(short, "ratings", MAPPING, "elsewhere", "w2")


@EVERY_ENGINE
def test_threads_at_once_do_not_exceed_the_limit(settings: Settings, file: Path) -> None:
    with Store(settings=replace(settings, datasets=3)) as store:
        refused: list[Exception] = []

        def add() -> None:
            try:
                store.add(file, "ratings", MAPPING, "one of many", "w1")
            except OverLimit as error:
                refused.append(error)

        _at_once([add] * 8)
        assert len(store.datasets("w1")) == 3
        assert len(refused) == 5
        assert len(_tables(store)) == 3


# --- at once ---------------------------------------------------------------------------------------------------


@pytest.mark.storage
@EVERY_ENGINE
def test_many_threads_query_add_link_and_delete_at_once(store: Store, file: Path) -> None:
    # a lake takes its time for each
    threads, turns = (4, 2) if is_lake(store) else (8, 4)
    shared = store.add(file, "ratings", MAPPING, "shared", "w1")
    expected = store.query(shared, "cells")
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for turn in range(turns):
                mine = store.add(file, "ratings", MAPPING, f"{thread} {turn}", f"thread {thread}")
                found = store.query(shared, "cells")
                assert all(np.array_equal(found[name], expected[name]) for name in expected)
                pairs = store.query(mine, "item_pairs", measure="score", candidate="crowd", reference="lab")
                assert pairs["n_candidate"].tolist() == [6, 6, 6]
                assert store.by_key(store.link(mine.id)) == mine
                assert store.link(shared.id) == store.link(shared.id)
                if turn % 2:
                    store.delete(mine.id)
        except BaseException as error:
            failures.append(error)

    _at_once([lambda thread=thread: work(thread) for thread in range(threads)])
    assert failures == []
    assert all(len(store.datasets(f"thread {thread}")) == turns // 2 for thread in range(threads))


# --- samples ---------------------------------------------------------------------------------------------------


def test_samples_are_added_once_under_their_fixed_keys(settings: Settings) -> None:
    samples = SAMPLES[3:5]  # of few rows; two servers and all pages make all
    with Store(settings=settings) as store:
        added = store.ensure_samples(samples)
        assert set(added) == {sample.key for sample in samples} >= {"sample-comparisons"}
        assert store.ensure_samples(samples) == added
        assert store.by_key("sample-comparisons") == added["sample-comparisons"]
        assert added["sample-comparisons"].workspace is None
        assert added["sample-comparisons"].rows_kept == len(samples[0].generate()["item_id"])
        assert list(store.spool.folder.iterdir()) == []
    with Store(settings=settings) as store:
        assert store.ensure_samples(samples) == added


def test_what_a_process_that_was_killed_left_of_a_sample_is_swept(store: Store) -> None:
    """In the middle of writing it, all that lies in the spool goes once its time is over."""
    left = []

    def look() -> dict[str, NDArray[Any]]:
        for entry in store.spool.folder.iterdir():
            os.utime(entry, (0, 0))
        store.spool.sweep()
        left.extend(store.spool.folder.iterdir())
        return SAMPLES[0].generate()

    with pytest.raises(DataError):
        store.ensure_samples((replace(SAMPLES[0], generate=look),))
    assert left == []


def test_a_sample_of_another_version_is_replaced(store: Store) -> None:
    before = store.ensure_samples(SAMPLES[3:4])
    renewed = store.ensure_samples((replace(SAMPLES[3], version="next"),))
    key = SAMPLES[3].key
    assert renewed[key].id != before[key].id
    assert store.by_key(key) == renewed[key]
    assert _tables(store) == [table_of(renewed[key].id)]


@pytest.mark.storage
@pytest.mark.parametrize("settings", ["file", "lake"], indirect=True)
def test_two_processes_that_start_at_once_add_the_samples_once(settings: Settings) -> None:
    script = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from data.engines import database
from data.samples import SAMPLES
from data.settings import Settings
from data.store.store import Store
database._PATIENCE = 120.0  # the other may hold the file for long on a busy machine
settings = Settings(
    database={settings.database!r}, data_path={settings.data_path!r}, spool=Path({str(settings.spool)!r})
)
with Store(settings=settings) as store:
    print(store.ensure_samples(SAMPLES[-1:])[SAMPLES[-1].key].id)
"""
    both = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    ids = {process.communicate(timeout=240)[0].strip() for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(ids) == 1
    with Store(settings=settings) as store:
        assert len(_tables(store)) == 1


# --- what can go wrong -----------------------------------------------------------------------------------------


def test_a_full_spool_is_said_to_be(store: Store, tmp_path: Path) -> None:
    big = tmp_path / "big.csv"
    big.write_bytes(b"x" * 500_000)
    with (
        big.open("rb") as content,
        files_no_larger_than(100_000),
        pytest.raises(DiskFull, match="RATERSCOPE_SPOOL"),
    ):
        store.spool.keep("big.csv", content)
    assert list(store.spool.folder.iterdir()) == []


@EVERY_ENGINE
def test_after_a_fatal_error_of_the_engine_the_file_is_opened_anew(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "before")
    with pytest.raises(DataError, match=r"opened anew .* try again"), store._database.cursor():
        raise duckdb.FatalException(
            "FATAL Error: database has been invalidated because of a previous fatal error"
        )
    assert store.query(saved, "overview")["rows"].tolist() == [len(ROWS)]
    assert store.add(file, "ratings", MAPPING, "after").rows_kept == len(ROWS)


@EVERY_ENGINE
def test_what_broke_while_it_was_read_is_read_again_once(store: Store, file: Path) -> None:
    """A lake whose PostgreSQL goes fails in DuckLake itself: 1 of 25 restarts gave an 'INTERNAL Error'."""
    kind = duckdb.FatalException if store.settings.database.endswith(".duckdb") else duckdb.InternalException
    saved = store.add(file, "ratings", MAPPING, "before")
    breaks = 1

    def work(cursor: duckdb.DuckDBPyConnection) -> object:
        nonlocal breaks
        breaks -= 1
        if breaks >= 0:
            raise kind("INTERNAL Error: Attempted to access index 0 within vector of size 0")
        return cursor.execute("SELECT count(*) FROM store.datasets WHERE id = ?", [saved.id]).fetchone()

    assert store._database.read(work) == (1,)
    breaks = 2
    with pytest.raises(DataError, match=r"opened anew .* try again"):
        store._database.read(work)


@EVERY_ENGINE
def test_the_schema_needs_nothing_that_a_lake_lacks(store: Store, file: Path) -> None:
    store.add(file, "ratings", MAPPING, "My study")
    with store._database.cursor() as cursor:
        for function in ("duckdb_constraints", "duckdb_indexes", "duckdb_sequences"):
            assert cursor.execute(
                f"SELECT count(*) FROM {function}() WHERE database_name = 'store'"
            ).fetchone() == (0,)
        types = cursor.execute(
            "SELECT DISTINCT data_type FROM duckdb_columns() WHERE database_name = 'store'"
        ).fetchall()
    assert {name for (name,) in types} <= {"VARCHAR", "BIGINT", "INTEGER", "DOUBLE", "TIMESTAMP", "BOOLEAN"}


# ---------------------------------------------------------------------------------------------------------------


def _tables(store: Store) -> list[str]:
    with store._database.cursor() as cursor:
        return [
            name
            for (name,) in cursor.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name LIKE 'rows%' "
                "ORDER BY table_name"
            ).fetchall()
        ]


def _at_once(calls: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=240)
    assert not any(thread.is_alive() for thread in threads)


@EVERY_ENGINE
def test_time_is_kept_in_utc(store: Store, file: Path) -> None:
    saved = store.get(store.add(file, "ratings", MAPPING, "My study").id)
    assert saved.created.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - saved.created) < timedelta(minutes=1)
