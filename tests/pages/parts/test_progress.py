"""The progress line of long work: what it says and how often, its buttons, and what a page leaves behind."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from features import cache
from features.cache import ResultCache, WorkQueue
from ui import elements
from ui.elements import describe_time_left


def test_the_rest_is_reported_at_the_speed_so_far() -> None:
    assert describe_time_left(6.0, 0.2, 0.7) == ", about 20 s left"  # 30 s for all, 21 for the rest
    assert describe_time_left(30.0, 0.1, 0.9) == ", about 4 min left"  # 270 s
    assert describe_time_left(3.0, 0.5, 0.5) == ", a few seconds left"


def test_nothing_is_reported_of_the_rest_before_it_can_be_known() -> None:
    assert describe_time_left(0.5, 0.5, 0.5) == describe_time_left(9.0, 0.01, 0.99) == ""


def test_a_line_says_how_far_work_is_once_a_pace_however_often_it_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SimpleNamespace(now=0.0)
    said: list[float] = []

    def bar(done: float, text: str) -> SimpleNamespace:
        said.append(clock.now)
        return SimpleNamespace(progress=bar)

    monkeypatch.setattr(elements, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(
        elements, "st", SimpleNamespace(progress=bar, button=lambda *_, **__: None, session_state={})
    )
    place: Any = SimpleNamespace(container=lambda **_: nullcontext())
    line = elements._ProgressLine(place, "Working", "key")
    for step in range(1000):
        clock.now = step / 250
        line.show(step / 1000, "Working")
    assert said[0] == pytest.approx(elements.PATIENCE)
    assert len(said) == 1 + (clock.now - elements.PATIENCE) // elements.PACE


BOUND = 20.0


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> WorkQueue:
    """A queue with one slot, a cache and progress lines without patience, for the pages of one test."""
    one_slot = WorkQueue(1)
    monkeypatch.setattr("features.study.work_queue", lambda: one_slot)
    monkeypatch.setattr(cache, "CACHE", ResultCache(10**6))
    monkeypatch.setattr(elements, "PATIENCE", 0.0)
    return one_slot


def is_free(queue: WorkQueue) -> bool:
    """Return True where nothing is under way: a newcomer would start at once."""

    def refuse(_: str) -> None:
        raise TimeoutError

    try:
        with queue.slot(refuse):
            return cache.CACHE._single_flight._under_way == {}
    except TimeoutError:
        return False


def until(there: Callable[[], object]) -> None:
    ends = time.monotonic() + BOUND
    while not there():
        assert time.monotonic() < ends, "this never came to be"
        time.sleep(0.005)


def test_a_page_says_that_it_waits_and_goes_on_when_there_is_a_slot(
    queue: WorkQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars: list[str] = []
    show = elements._ProgressLine.show

    def heard(line: Any, done: float, words: str) -> None:
        show(line, done, words)
        bars.append(words)

    monkeypatch.setattr(elements._ProgressLine, "show", heard)
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with queue.slot(lambda _: None):
            begun.set()
            assert go_on.wait(BOUND)

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(hold)
        try:
            assert begun.wait(BOUND)
            page = pool.submit(lambda: AppTest.from_function(_page, default_timeout=BOUND).run())
            until(lambda: "Knees: waiting for a turn, 1 computation before this one" in bars)
            assert not page.done()
        finally:
            go_on.set()
        app = page.result(BOUND)
        other.result(BOUND)
    assert not app.exception
    assert [text.value for text in app.text] == ["computed"]
    assert not app.button, "the Stop button stayed"


def test_a_page_whose_computation_fails_releases_its_slot(queue: WorkQueue) -> None:
    app = AppTest.from_function(_failing, default_timeout=BOUND).run()
    assert app.exception
    assert not app.get("progress"), "the progress line stayed"
    assert not app.button, "the Stop button stayed"
    assert is_free(queue)


def test_a_page_that_ends_in_the_middle_releases_its_slot(queue: WorkQueue) -> None:
    app = AppTest.from_function(_stopping, default_timeout=BOUND).run()
    assert not app.exception
    assert not app.text
    assert is_free(queue)


def test_stopped_work_is_not_computed_until_it_is_resumed_and_then_needs_no_button(queue: WorkQueue) -> None:
    app = AppTest.from_function(_page, default_timeout=BOUND)
    app.session_state["stopped:Knees"] = "key"
    app.run()
    assert [text.value for text in app.text] == ["Knees: stopped.", "None"]
    assert [button.label for button in app.button] == ["Compute it"]
    assert cache.CACHE.get("key") is None
    assert is_free(queue)
    app.button[0].click().run()
    assert [text.value for text in app.text] == ["computed"]
    assert not app.button
    app.session_state["stopped:Knees"] = "key"
    app.run()
    assert [text.value for text in app.text] == ["computed"], "what another visitor computed is shown"


def test_two_long_works_of_one_label_can_follow_each_other(queue: WorkQueue) -> None:
    app = AppTest.from_function(_twice, default_timeout=BOUND).run()
    assert not app.exception
    assert [text.value for text in app.text] == ["one", "other"]
    assert not app.button, "a Stop button stayed"


def _page() -> None:
    import streamlit as st

    from features.study import long_result, use_session
    from ui.elements import PAGE

    with use_session(PAGE):
        st.text(str(long_result("key", "Knees", lambda report: "computed")))


def _failing() -> None:
    from collections.abc import Callable

    from features.study import long_result, use_session
    from ui.elements import PAGE

    def fail(report: Callable[..., None]) -> None:
        report(0.5, "half of it")
        raise ValueError("a bug")

    with use_session(PAGE):
        long_result("key", "Knees", fail)


def _stopping() -> None:
    import streamlit as st

    from features.study import long_result, use_session
    from ui.elements import PAGE

    with use_session(PAGE):
        st.text(str(long_result("key", "Knees", lambda report: st.stop())))


def _twice() -> None:
    from collections.abc import Callable

    import streamlit as st

    from features.study import long_result, use_session
    from ui.elements import PAGE

    def compute(report: Callable[..., None], answer: str) -> str:
        report(0.5, "half of it")
        return answer

    with use_session(PAGE):
        for key, answer in (("with everyone", "one"), ("without some", "other")):
            st.text(str(long_result(key, "Knees", lambda report, answer=answer: compute(report, answer))))
