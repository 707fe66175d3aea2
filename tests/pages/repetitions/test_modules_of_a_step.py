"""A step of a slider and a first visit of the Repetitions page run through few modules."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from features import cache
from tests.pages.conftest import FRAME

ROOT = Path(FRAME).parents[1]
PRODUCT = tuple(f"{ROOT}/{folder}/" for folder in ("analysis", "data", "features", "pages", "server", "ui"))
FIRST_VISIT, STEP = 55, 40
"""Modules that a newcomer may have to read to follow either."""


def modules_of(work: Callable[[], object]) -> set[str]:
    """Return the modules of which work runs a function, in any thread."""
    modules: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PRODUCT):
            modules.add(frame.f_code.co_filename.removeprefix(f"{ROOT}/"))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return modules


def test_a_first_visit_and_a_step_run_through_few_modules(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(st.context), "cookies", property(lambda _: {"raterscope_workspace": "0" * 32}))
    few = {"draws": "20", "shuffles": "20", "measures": ["focus", "post usefulness"]}
    open_page("repetitions.py", **few)  # the pages' scripts are compiled
    cache.CACHE.clear()
    opened: list[AppTest] = []
    first = modules_of(lambda: opened.append(open_page("repetitions.py", **few)))
    step = modules_of(opened[0].slider(key="shuffles").set_value(199).run)
    assert {"pages/repetitions.py", "analysis/repetitions/repetition.py"} <= first & step
    assert len(first) <= FIRST_VISIT, sorted(first)
    assert len(step) <= STEP, sorted(step)
