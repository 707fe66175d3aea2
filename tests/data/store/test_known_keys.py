"""Keys that a store has looked up before: its tables are asked again only after a change."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from data.settings import Settings
from data.store import catalogue
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.fixture
def file(write_csv: Callable[..., Path]) -> Path:
    return write_csv(("item", "rater", "score"), [("a", "x", 1), ("b", "y", 2)])


def lookups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys for which the tables are asked from now on."""
    asked: list[str] = []
    led_to = catalogue.find_by_key

    def counted(cursor: object, key: str) -> object:
        asked.append(key)
        return led_to(cursor, key)  # type: ignore[arg-type]

    monkeypatch.setattr(catalogue, "find_by_key", counted)
    return asked


@EVERY_ENGINE
def test_every_change_is_seen_by_who_looked_before(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = store.add(file, "ratings", MAPPING, "Before", "w1")
    ends = store.add_link(saved.id, "For a day", expires=datetime.now(UTC) + timedelta(days=1)).key
    key = store.link(saved.id)
    for _ in range(2):
        assert store.by_key(key) == saved
        assert store.by_key(ends) == saved
    store.rename(saved.id, "After")
    assert getattr(store.by_key(key), "name", None) == "After"
    later = catalogue.to_utc(datetime.now(UTC) + timedelta(days=2))
    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "now", lambda: later)
        assert store.by_key(ends) is None
        assert store.by_key(key) is not None
    store.revoke_link(saved.id, key)
    assert store.by_key(key) is None
    assert store.by_key(ends) is not None
    store.delete(saved.id)
    assert store.by_key(ends) is None


def test_a_files_tables_are_asked_once_after_a_change(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = store.add(file, "ratings", MAPPING, "Study", "w1")
    key = store.link(saved.id)
    asked = lookups(monkeypatch)
    assert [store.by_key(key) for _ in range(5)] == [saved] * 5
    assert asked == [key]
    with closing(Store(settings=store.settings)) as second:
        second.revoke_link(saved.id, key)
    assert [store.by_key(key) for _ in range(2)] == [None, None]
    assert asked == [key] * 3


def test_a_change_during_a_look_up_is_seen_by_the_next(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = store.add(file, "ratings", MAPPING, "Study", "w1")
    key = store.link(saved.id)
    led_to = catalogue.find_by_key

    def revoked_meanwhile(cursor: duckdb.DuckDBPyConnection, key: str) -> object:
        found = led_to(cursor, key)
        store.revoke_link(saved.id, key)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "find_by_key", revoked_meanwhile)
        assert store.by_key(key) == saved
    assert store.by_key(key) is None


@pytest.mark.storage
def test_another_servers_change_is_seen_and_nothing_else_asks_the_tables(
    lake_settings: Settings, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = lookups(monkeypatch)
    other = replace(lake_settings, spool=tmp_path / "other")
    with closing(Store(settings=lake_settings)) as first, closing(Store(settings=other)) as second:
        saved = first.add(file, "ratings", MAPPING, "Study", "w1")
        key = first.link(saved.id)
        assert [first.by_key(key) for _ in range(5)] == [saved] * 5
        assert asked == [key]
        second.revoke_link(saved.id, key)
        assert first.by_key(key) is None


@pytest.mark.storage
def test_no_more_keys_are_remembered_than_the_bound(
    lake_settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "MAX_KEYS", 2)
    with closing(Store(settings=lake_settings)) as store:
        saved = store.add(file, "ratings", MAPPING, "Study", "w1")
        keys = [store.add_link(saved.id, str(number)).key for number in range(4)]
        assert [store.by_key(key) for key in keys] == [saved] * 4
        assert len(store._key_cache._datasets_by_key) == 2
