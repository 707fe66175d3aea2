"""Staged files: a save uses the rows that were checked; an incomplete or unrelated staged file is remade."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from data.dataset import Dataset
from data.engines.schema import table_of
from data.importing import staging
from data.settings import Settings
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

WriteCsv = Callable[..., Path]
ROOT = Path(__file__).parents[3]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score", "check": "trap"}
SWAPPED = MAPPING | {"item_id": "rater", "rater_id": "item"}
HEADER = "item,rater,score,trap\n"
ROWS = "b,r1,4,\na,r1,3.5,yes\nb,,2,\na,r2,x,\nc,r2,1e70,\n"
KEPT = [(1, "b", "r1", 4.0, None), (2, "a", "r1", 3.5, "yes"), (3, "c", "r2", 1e70, None)]


@pytest.fixture
def upload(store: Store, tmp_path: Path) -> Path:
    """A file that waits in the spool."""
    return _kept(store, HEADER + ROWS, tmp_path)


def _kept(store: Store, content: str, folder: Path) -> Path:
    file = folder / "file.csv"
    file.write_text(content)
    with file.open("rb") as opened:
        return store.spool.keep("file.csv", opened)


def _stored(store: Store, dataset: Dataset) -> list[tuple[object, ...]]:
    columns = '"row", item_id, rater_id, score, "check"'
    return store._database.read(
        lambda cursor: cursor.execute(
            f'SELECT {columns} FROM {table_of(dataset.id)} ORDER BY "row"'
        ).fetchall()
    )


def _staged(upload: Path) -> list[Path]:
    assert {each.suffix for each in upload.parent.glob("staged-*")} <= {".parquet", ".json"}
    return sorted(upload.parent.glob("staged-*.parquet"))


def _unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_table(path: Path, *_: object) -> None:
        raise AssertionError(f"{path} is read again")

    monkeypatch.setattr(staging, "as_table", as_table)


@EVERY_ENGINE
def test_what_was_checked_is_saved_without_reading_the_upload_again(
    store: Store, upload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = store.add(upload, "ratings", MAPPING, "without a check", "w")
    for staged in _staged(upload):
        staged.unlink()
    report = store.check(upload, "ratings", MAPPING)
    _unread(monkeypatch)
    assert repr(store.check(upload, "ratings", MAPPING)) == repr(report)
    saved = store.add(upload, "ratings", MAPPING, "after a check", "w", file="file.csv")
    assert _stored(store, saved) == _stored(store, at_once) == KEPT
    assert (saved.rows_kept, saved.rows_set_aside) == (report.kept, report.set_aside) == (2, 3)
    assert saved.sha256 == at_once.sha256
    told = store.report(saved.id)
    assert told is not None
    assert [(reject["line"], reject["value"]) for reject in told["rejects"]] == [(4, ""), (5, "x")]
    with pytest.raises(AssertionError, match="is read again"):
        store.add(upload, "ratings", SWAPPED, "another mapping", "w")


def test_an_upload_that_changed_after_its_check_is_read_again(store: Store, upload: Path) -> None:
    store.check(upload, "ratings", MAPPING)
    upload.write_text(HEADER + "z,r9,5,\n")
    assert _stored(store, store.add(upload, "ratings", MAPPING, "changed")) == [(1, "z", "r9", 5.0, None)]


@pytest.mark.parametrize("harm", ["gone", "empty", "cut", "no parquet", "of another mapping", "other rows"])
def test_a_staged_file_that_is_not_whole_or_of_something_else_is_made_anew(
    store: Store, upload: Path, harm: str
) -> None:
    store.check(upload, "ratings", SWAPPED)
    other = _staged(upload)[0].read_bytes()
    store.check(upload, "ratings", MAPPING)
    (staged,) = _staged(upload)
    whole = staged.read_bytes()
    staged.unlink()
    if harm == "other rows":
        with store._database.cursor() as cursor:
            cursor.execute(f"COPY (SELECT 1 AS item_id) TO '{staged}' (FORMAT parquet)")
    elif harm != "gone":
        contents = {
            "empty": b"",
            "cut": whole[:-40],
            "no parquet": b"x" * 99,
            "of another mapping": other,
        }
        staged.write_bytes(contents[harm])
    assert _stored(store, store.add(upload, "ratings", MAPPING, "anew")) == KEPT
    assert len(_staged(upload)) == 1


@pytest.mark.parametrize("harm", ["gone", "empty", "cut", "no report", "of another mapping"])
def test_rows_whose_report_is_not_whole_or_of_something_else_are_read_anew(
    store: Store, upload: Path, harm: str
) -> None:
    store.check(upload, "ratings", SWAPPED)
    other = staging.report_path(_staged(upload)[0]).read_bytes()
    store.check(upload, "ratings", MAPPING)
    told = staging.report_path(_staged(upload)[0])
    whole = told.read_bytes()
    told.unlink()
    contents = {"empty": b"", "cut": whole[:-1], "no report": b'{"sha256": 1}', "of another mapping": other}
    if harm != "gone":
        told.write_bytes(contents[harm])
    assert _stored(store, store.add(upload, "ratings", MAPPING, "anew")) == KEPT
    assert staging.report_path(_staged(upload)[0]).read_bytes() not in contents.values()


def test_an_upload_has_one_staged_file_that_goes_with_it(store: Store, upload: Path, tmp_path: Path) -> None:
    for mapping in (MAPPING, SWAPPED, MAPPING):
        store.check(upload, "ratings", mapping)
        assert len(_staged(upload)) == 1
    assert list(store.spool.folder.iterdir()) == [upload.parent]
    store.check(tmp_path / "file.csv", "ratings", MAPPING)  # one that does not wait leaves nothing
    assert list(store.spool.folder.iterdir()) == [upload.parent]
    store.spool.discard(upload)
    assert list(store.spool.folder.iterdir()) == []
    other = _kept(store, HEADER + ROWS, tmp_path)
    store.check(other, "ratings", MAPPING)
    old = time.time() - store.settings.spool_hours * 3600 - 60
    os.utime(other.parent, (old, old))
    store.spool.sweep()
    assert list(store.spool.folder.iterdir()) == []


def test_a_file_may_be_read_in_another_process(
    settings: Settings, store: Store, upload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the other one needs are paths and a connection of its own."""
    sha256 = staging.import_hash(upload, "ratings", MAPPING)
    script = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
import duckdb
from data.importing import staging
upload = Path({str(upload)!r})
target = upload.with_name("staged-{sha256}.parquet")
staging.stage(duckdb.connect(), upload, "ratings", {MAPPING!r}, target, {sha256!r})
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    _unread(monkeypatch)
    assert _stored(store, store.add(upload, "ratings", MAPPING, "read elsewhere")) == KEPT


def test_rejected_values_are_cut_on_the_page_and_in_the_file(store: Store, tmp_path: Path) -> None:
    long = "x" * 300_000
    upload = _kept(store, HEADER + f"a,r,{long},\nb,r,{'y' * 200},\nc,r,4,\n", tmp_path)
    shown = store.check(upload, "ratings", MAPPING).rejects.value.tolist()
    assert shown == ["x" * 199 + "…", "y" * 200]
    rejects = b"".join(store.rejects_csv(upload, "ratings", MAPPING)).decode()
    assert "x" * 199 + "…" in rejects
    assert len(rejects) < 1_000
