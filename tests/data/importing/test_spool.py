"""The spool is bounded over all visits: the oldest unsaved uploads go first, and it is known which did."""

import gzip
import io
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from data.errors import DataError, OverLimit
from data.formats.readers import sniff
from data.importing.spool import Spool, disk_size
from data.settings import Settings


def kept(spool: Spool, size: int, hours_ago: float = 0.0) -> Path:
    waiting = spool.keep("ratings.csv", io.BytesIO(bytes(size)))
    then = time.time() - 3600 * hours_ago
    os.utime(waiting.parent, (then, then))
    return waiting


@pytest.fixture
def spool(settings: Settings) -> Spool:
    return Spool(replace(settings, spool_size=300_000, upload_size=10**6))


def test_the_oldest_unsaved_uploads_make_room_for_new_ones(spool: Spool) -> None:
    """Six visits that were closed leave 50,000 bytes each; a seventh uploads 120,000."""
    waiting = [kept(spool, 50_000, hours_ago=10 - at) for at in range(6)]
    new = kept(spool, 120_000)
    assert [upload.exists() for upload in waiting] == [False, False, False, True, True, True]
    told = ["newer uploads needed its room" in spool.explain_missing(upload) for upload in [*waiting, new]]
    assert told == [True] * 3 + [False] * 4
    assert new.stat().st_size == 120_000
    assert disk_size(spool.folder) <= 300_000


def test_what_is_being_read_or_fetched_is_not_pushed_out(spool: Spool) -> None:
    old, younger = kept(spool, 100_000, hours_ago=5), kept(spool, 50_000, hours_ago=4)
    with spool.expose(old) as inside, spool.make_folder() as folder:
        (folder / "rows.zip").write_bytes(bytes(50_000))
        kept(spool, 150_000)
        assert not younger.exists()
        assert old.exists()
        assert inside.read_bytes() == bytes(100_000)
        assert (folder / "rows.zip").exists()
    kept(spool, 100_000)
    assert not old.exists()


def test_what_finds_no_room_is_refused_by_a_sentence(spool: Spool) -> None:
    with spool.make_folder() as folder:
        (folder / "rows.zip").write_bytes(bytes(250_000))
        with pytest.raises(OverLimit) as raised:
            kept(spool, 60_000)
        assert str(raised.value) == (
            "the folder where uploads wait and are read is full: it holds 300 KB, the most that RATERSCOPE_SPOOL_SIZE "
            "allows; try again later, or with a smaller file"
        )
        assert len(list(spool.folder.iterdir())) == 1


def test_unpacking_counts_and_happens_in_the_spool(
    spool: Spool, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing goes to the system's folder for temporary files, which is memory in a container."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(settings.spool))
    packed = tmp_path / "ratings.csv.gz"
    packed.write_bytes(gzip.compress(b"item,rater,score\na,b,4\n"))
    assert sniff(packed).names == ("item", "rater", "score")
    assert list(settings.spool.iterdir()) == []
    old = kept(spool, 200_000, hours_ago=1)
    with spool.expose(packed) as inside:
        (inside.parent / "ratings.unpacked").write_bytes(bytes(150_000))
        spool.enforce_limit()
        assert not old.exists()
        (inside.parent / "more.unpacked").write_bytes(bytes(200_000))
        with pytest.raises(OverLimit, match="RATERSCOPE_SPOOL_SIZE"):
            spool.enforce_limit()


@pytest.mark.parametrize("what", ["gone", "a folder"])
def test_a_file_that_is_not_there_is_reported_to_visitors_without_its_path(
    spool: Spool, tmp_path: Path, what: str
) -> None:
    path = tmp_path if what == "a folder" else tmp_path / "gone.csv"
    with pytest.raises(DataError) as raised, spool.expose(path):
        pass
    assert str(path) in str(raised.value)
    assert str(tmp_path) not in raised.value.visitor_message()
