"""Results are computed in the current session: its store, its progress and its cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from data.store.store import Store
from features.cache import ResultCache, Stopped
from features.study import (
    Session,
    cached,
    long_result,
    put_result,
    query,
    read_report,
    report_part,
    result,
    use_session,
)

DATASET: Any = SimpleNamespace(id="id", sha256="0" * 64, without=(), only=(), merged=None)


def session(store: object = None, **given: Any) -> Session:
    """A session with a cache of its own."""
    return Session(cast(Store, store), results=ResultCache(10**6), **given)


def test_an_inner_session_replaces_the_outer_until_it_ends_however_it_ends() -> None:
    outer, inner = session(), session()
    with use_session(outer):
        assert result("a", lambda: 1) == 1
        with use_session(inner):
            put_result("b", 2)
        with pytest.raises(ZeroDivisionError), use_session(inner):
            result("c", lambda: 1 // 0)
        assert cached("a") == 1
        assert cached("b") is None
    assert (outer.cache().get("a"), inner.cache().get("b")) == (1, 2)


def test_a_store_is_asked_once_for_what_is_cached() -> None:
    asked: list[str] = []

    def named(dataset: object, name: str, **params: object) -> dict[str, object]:
        asked.append(name)
        return {"rows": [len(asked)], **params}

    store = SimpleNamespace(query=named, report=lambda id: {"id": id})
    with use_session(session(store)):
        assert query(DATASET, "overview") == query(DATASET, "overview") == {"rows": [1]}
        assert query(DATASET, "overview", group="lab") == {"rows": [2], "group": "lab"}
        assert read_report(DATASET) == {"id": "id"}
    assert asked == ["overview"] * 2


def test_progress_of_a_long_result_is_shown_by_its_session_and_not_where_it_is_cached() -> None:
    shown: list[tuple[str, str, float, str]] = []

    @contextmanager
    def show(key: str, label: str) -> Iterator[Callable[[float, str], object]]:
        yield lambda done, words: shown.append((key, label, done, words))

    def compute(report: Callable[..., None]) -> int:
        report(0.5)
        report(0.9, "almost")
        return 3

    with use_session(session(show_progress=show)):
        assert long_result("key", "Knees", compute) == 3
        assert shown == [
            ("key", "Knees", 0.0, "Knees"),
            ("key", "Knees", 0.5, "Knees"),
            ("key", "Knees", 0.9, "almost"),
        ]
        assert long_result("key", "Knees", compute) == 3
    assert len(shown) == 3


@pytest.mark.parametrize("stops_at", [0.0, 0.5])
def test_a_stopped_result_is_none_and_is_not_kept(stops_at: float) -> None:
    @contextmanager
    def show(key: str, label: str) -> Iterator[Callable[[float, str], object]]:
        def stop(done: float, words: str) -> None:
            if done == stops_at:
                raise Stopped(label)

        yield stop

    def compute(report: Callable[..., None]) -> int:
        report(0.5)
        return 3

    results = ResultCache(10**6)
    with use_session(Session(show_progress=show, results=results)):
        assert long_result("key", "Knees", compute) is None
        assert cached("key") is None
    with use_session(Session(results=results)):
        assert long_result("key", "Knees", compute) == 3


def test_by_default_progress_goes_nowhere_and_nothing_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    own = ResultCache(10**6)
    monkeypatch.setattr("features.cache.CACHE", own)
    assert long_result("key", "Knees", lambda report: report(0.5) or 3) == 3
    assert result("quick", lambda: 4) == 4
    assert (own.get("key"), own.get("quick")) == (3, 4)


def test_without_a_store_of_its_own_a_session_reads_that_of_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = SimpleNamespace(report=lambda id: {"id": id})
    monkeypatch.setattr("features.study.SHARED_STORE", SimpleNamespace(get=lambda: store))
    assert read_report(DATASET) == {"id": "id"}


def test_a_long_result_may_need_other_results_of_either_kind() -> None:
    with use_session(session()):
        found = long_result(
            "outer",
            "Outer",
            lambda _: (
                result("quick", lambda: 1)
                + (long_result("inner", "Inner", lambda _: result("quick", lambda: 2)) or 0)
            ),
        )
        assert found == 2
        assert (cached("inner"), cached("quick")) == (1, 1)


def test_parts_of_progress_add_up_to_the_whole() -> None:
    told: list[float] = []
    for at in range(4):
        report_part(told.append, at, 4)(0.5)
    assert told == [0.125, 0.375, 0.625, 0.875]
