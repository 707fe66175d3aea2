"""Results for a large file are kept until it changes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from data.importing import staging
from data.tables import text
from data.tables.text import cached_by_content, cached_by_path


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LARGE", 0)
    monkeypatch.setattr(staging, "LARGE", 0)
    monkeypatch.setattr(text, "_cache", {})


def counted(path: Path) -> tuple[Callable[[], bytes], list[Path]]:
    looks: list[Path] = []

    def look() -> bytes:
        looks.append(path)
        return path.read_bytes()

    return look, looks


def test_a_file_is_looked_through_once_under_all_its_names_until_it_changes(tmp_path: Path) -> None:
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_bytes(b"one")
    os.link(path, other)
    look, looks = counted(path)
    assert cached_by_path(path, "bytes", look) == cached_by_path(other, "bytes", look) == b"one"
    assert len(looks) == 1
    path.write_bytes(b"two")
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert cached_by_path(other, "bytes", look) == b"two"
    assert cached_by_path(other, "length", lambda: 3) == 3
    assert len(looks) == 2


def test_a_look_that_fails_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"one")

    def fail() -> bytes:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        cached_by_path(path, "bytes", fail)
    assert cached_by_path(path, "bytes", path.read_bytes) == b"one"


def test_a_small_file_is_looked_through_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LARGE", 4)
    path = tmp_path / "a.csv"
    path.write_bytes(b"one")
    look, looks = counted(path)
    assert cached_by_path(path, "bytes", look) == cached_by_path(path, "bytes", look)
    assert len(looks) == 2


def test_what_a_kept_look_tells_has_the_name_that_was_asked_for(tmp_path: Path) -> None:
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("item,rater,score\na,b,1\n")
    os.link(path, other)
    for name in (path, other):
        told = text.as_text(name, tmp_path)
        assert (told.path, told.lines) == (name, 2)


def test_the_hash_is_of_the_bytes_kind_and_mapping_whoever_made_it_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,rater,score\na,b,1\n")
    alone = staging.import_hash(path, "ratings", {"item_id": "item"})
    text._cache.clear()
    with staging.hash_in_background(path):
        pass
    assert [key[0] for key in text._cache] == ["digest"]
    assert staging.import_hash(path, "ratings", {"item_id": "item"}) == alone
    assert staging.import_hash(path, "choices", {"item_id": "item"}) != alone
    assert staging.import_hash(path, "ratings", {"item_id": "item"}) == alone


def test_a_file_that_is_gone_is_no_error_of_the_hash_made_meanwhile(tmp_path: Path) -> None:
    with staging.hash_in_background(tmp_path / "gone.csv"):
        pass
    assert not text._cache


def test_a_small_file_is_known_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "SMALL", 3)
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    for each in (path, other):
        each.write_bytes(b"one")
    look, looks = counted(path)
    assert cached_by_content(path, "bytes", look) == cached_by_content(other, "bytes", look) == b"one"
    assert len(looks) == 1
    path.write_bytes(b"two")
    assert cached_by_content(path, "bytes", look) == b"two"
    assert cached_by_content(path, ("bytes", 2), lambda: 3) == 3
    path.write_bytes(b"four")
    assert cached_by_content(path, "bytes", look) == cached_by_content(path, "bytes", look) == b"four"
    assert len(looks) == 4
