"""Kept views: named, noted, seen by whom they are meant for, gone with their data set."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from data.dataset import Dataset
from data.errors import DataError, NotFound, OverLimit
from data.settings import Settings
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
HOSTILE = "'); DROP TABLE kept_views; -- <img src=x onerror=alert(1)> \ud800"


@pytest.fixture
def file(write_csv: Callable[..., Path]) -> Path:
    return write_csv(("item", "rater", "score"), [("a", "x", 1), ("b", "y", 2)])


@pytest.fixture
def saved(store: Store, file: Path) -> Dataset:
    return store.add(file, "ratings", MAPPING, "My study", "w1")


@EVERY_ENGINE
def test_views_are_kept_changed_and_removed_and_readers_see_those_that_are_shared(
    store: Store, saved: Dataset, file: Path
) -> None:
    other = store.add(file, "ratings", MAPPING, "Another's", "w2")
    knee = store.keep_view(saved.id, " The knee ", "/repetitions?shuffles=10", " Enough at 8? ")
    first = store.keep_view(saved.id, "all raters", "/assessors", shared=True)
    assert (knee.name, knee.view, knee.note, knee.shared) == (
        "The knee",
        "/repetitions?shuffles=10",
        "Enough at 8?",
        False,
    )
    assert store.views(saved.id) == [first, knee]
    assert store.views(saved.id, shared_only=True) == [first]
    assert store.views(other.id) == []
    changed = store.change_view(saved.id, knee.id, "A knee", "Yes.", shared=True)
    assert changed == replace(knee, name="A knee", note="Yes.", shared=True)
    assert store.views(saved.id, shared_only=True) == [changed, first]
    with pytest.raises(NotFound):
        store.change_view(other.id, knee.id, "Taken over", "", shared=True)
    store.forget_view(other.id, knee.id)
    assert store.views(saved.id) == [changed, first]
    store.forget_view(saved.id, knee.id)
    assert store.views(saved.id) == [first]
    store.take_over("w1", "person:1")
    assert store.views(saved.id) == [first]


@EVERY_ENGINE
def test_views_go_with_their_data_set_and_with_no_other(store: Store, saved: Dataset, file: Path) -> None:
    newer = store.add(file, "ratings", MAPPING, "My study", "w1", replaces=saved.id)
    store.keep_view(saved.id, "old", "/overview")
    kept = store.keep_view(newer.id, "new", "/overview")
    store.delete(saved.id)
    assert store.views(saved.id) == []
    assert store.views(newer.id) == [kept]
    with store._database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM kept_views").fetchall() == [(1,)]
    with pytest.raises(NotFound):
        store.keep_view(saved.id, "late", "/overview")


@EVERY_ENGINE
def test_hostile_words_are_words(store: Store, saved: Dataset) -> None:
    kept = store.keep_view(saved.id, HOSTILE[:100], "/repetitions?x=" + "%27%3B--", HOSTILE, shared=True)
    assert store.views(saved.id) == [kept]
    assert kept.note == HOSTILE.replace("\ud800", "?")


@pytest.mark.parametrize("view", ["//evil.invalid/", "javascript:alert(1)", "overview", "/overview?d=abc"])
def test_a_view_is_a_page_without_a_key(store: Store, saved: Dataset, view: str) -> None:
    with pytest.raises(DataError):
        store.keep_view(saved.id, "bad", view)
    assert store.views(saved.id) == []


def test_names_notes_and_their_number_have_limits(settings: Settings, file: Path) -> None:
    with Store(settings=replace(settings, views=2, note=10)) as store:
        saved = store.add(file, "ratings", MAPPING, "My study", "w1")
        with pytest.raises(DataError, match="needs a name"):
            store.keep_view(saved.id, " ", "/overview")
        with pytest.raises(DataError, match="121 characters"):
            store.keep_view(saved.id, "n" * 121, "/overview")
        with pytest.raises(DataError, match=r"11 characters, one may have 10 at most"):
            store.keep_view(saved.id, "a", "/overview", "n" * 11)
        kept = [store.keep_view(saved.id, name, "/overview", "n" * 10) for name in "ab"]
        with pytest.raises(OverLimit, match="already has 2 kept views"):
            store.keep_view(saved.id, "c", "/overview")
        with pytest.raises(DataError, match="11 characters"):
            store.change_view(saved.id, kept[0].id, "a", "n" * 11, shared=False)
        assert store.views(saved.id) == kept
