"""Data sets of workspaces: a file's tables are queried again only after a change; others' stay hidden."""

from collections.abc import Callable
from pathlib import Path

import pytest

from data.store import catalogue
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.fixture
def file(write_csv: Callable[..., Path]) -> Path:
    return write_csv(("item", "rater", "score"), [("a", "x", 1), ("b", "y", 2)])


def named(store: Store, workspace: str) -> list[str]:
    return [dataset.name for dataset in store.datasets(workspace)]


@EVERY_ENGINE
def test_every_change_is_seen_by_who_listed_before(store: Store, file: Path) -> None:
    assert named(store, "w1") == []
    saved = store.add(file, "ratings", MAPPING, "Before", "w1")
    assert (named(store, "w1"), named(store, "w2")) == (["Before"], [])
    store.rename(saved.id, "After")
    assert named(store, "w1") == ["After"]
    store.take_over("w2", "w1")
    store.take_over("w1", "w2")
    assert (named(store, "w1"), named(store, "w2")) == ([], ["After"])
    store.delete(saved.id)
    assert named(store, "w2") == []


def test_a_files_tables_are_asked_once_after_a_change(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(file, "ratings", MAPPING, "Study", "w1")
    asked: list[str] = []
    of_workspace = catalogue.list_workspace

    def counted(cursor: object, workspace: str) -> object:
        asked.append(workspace)
        return of_workspace(cursor, workspace)  # type: ignore[arg-type]

    monkeypatch.setattr(catalogue, "list_workspace", counted)
    for _ in range(3):
        listed = store.datasets("w1")
        assert [dataset.name for dataset in listed] == ["Study"]
        listed.clear()  # whoever has the list may change it
    assert asked == ["w1"]
    monkeypatch.setattr(catalogue, "MAX_WORKSPACES", 1)
    store.datasets("w2")
    store.datasets("w1")
    assert asked == ["w1", "w2", "w1"]
