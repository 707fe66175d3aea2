"""A spool folder that goes, cannot be written or is full: a sentence that names it, and all that is saved is read."""

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from data.errors import CannotOpen, DatabaseReadOnly, DiskFull, spool_error
from data.settings import Settings
from data.store.store import Store
from tests.data.engines.test_disk_space import fill
from tests.data.engines.test_engine_faults import disk

WriteCsv = Callable[..., Path]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.fixture
def file(write_csv: WriteCsv) -> Path:
    return write_csv(MAPPING.values(), [(at // 5, at % 5, at % 7) for at in range(50)])


def test_a_spool_that_was_deleted_is_made_anew(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "one", "w")
    steps: list[Callable[[], object]] = [
        store.check_writable,
        lambda: store.add(file, "ratings", MAPPING, "two", "w"),
        lambda: store.check(file, "ratings", MAPPING),
        lambda: store.files(saved.id, "csv"),
        store.spool.sweep,
    ]
    for step in steps:
        shutil.rmtree(store.settings.spool, ignore_errors=True)
        step()
    assert store.query(saved, "overview")["rows"].tolist() == [50]


def test_a_spool_that_is_no_folder_any_more_is_named_and_nothing_is_saved(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "one", "w")
    spool = store.settings.spool
    shutil.rmtree(spool)
    spool.write_text("in the way")
    steps: list[Callable[[], object]] = [
        store.check_writable,
        lambda: store.add(file, "ratings", MAPPING, "two", "w"),
        lambda: store.files(saved.id, "csv"),
        lambda: store.spool.keep("a.csv", BytesIO(b"rows")),
    ]
    for step in steps:
        with pytest.raises(
            DatabaseReadOnly, match=r"the spool folder .* cannot be written .* RATERSCOPE_SPOOL"
        ) as caught:
            step()
        assert str(spool) in str(caught.value)
        assert str(spool) not in caught.value.visitor_message()
    assert [each.id for each in store.datasets("w")] == [saved.id]
    assert store.query(saved, "overview")["rows"].tolist() == [50]
    spool.unlink()
    store.check_writable()


def test_a_spool_that_cannot_be_made_at_the_start_is_named(file_settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    with pytest.raises(CannotOpen, match=r"the spool folder .*in the way.* cannot be written"):
        Store(settings=replace(file_settings, spool=tmp_path / "in the way" / "spool"))


@pytest.mark.storage
def test_a_spool_on_a_full_disk_keeps_nobody_from_reading(
    file_settings: Settings, tmp_path: Path, file: Path
) -> None:
    with disk(tmp_path / "disk", "300k") as place:
        on_it = replace(file_settings, spool=place / "spool")
        with Store(settings=on_it) as store:
            saved = store.add(file, "ratings", MAPPING, "one", "w")
            fill(place / "others")
            steps: list[Callable[[], object]] = [
                store.check_writable,
                lambda: store.add(file, "ratings", MAPPING, "two", "w"),
                lambda: store.files(saved.id, "csv"),
            ]
            for step in steps:
                with pytest.raises(DiskFull, match=str(place / "spool")):
                    step()
            assert store.query(saved, "overview")["rows"].tolist() == [50]
            (place / "others").unlink()
            store.check_writable()
            store.add(file, "ratings", MAPPING, "two", "w")


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOSPC, DiskFull), (errno.EROFS, DatabaseReadOnly), (errno.EACCES, DatabaseReadOnly)],
)
def test_only_a_full_disk_is_said_to_be_full(number: int, kind: type[CannotOpen]) -> None:
    assert type(spool_error("spool", "RATERSCOPE_SPOOL", OSError(number, "so"))) is kind
