"""What a panel shows in turn: figures at once, then with intervals; and at once with intervals that are there."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.values.estimate import BootstrapSpec
from features.cache import ResultCache
from features.results import Session, use_session
from ui.stages import show_intervals

DRAWS = BootstrapSpec(draws=10)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[str, str]]]:
    """Shows a panel in one session, again and again, and says what it showed."""
    study: Any = SimpleNamespace(
        key="k", dataset=SimpleNamespace(sha256="0" * 64, without=(), only=(), merged=None)
    )
    session = Session(results=ResultCache(10**6))

    def show(bootstrap: BootstrapSpec, *parts: object) -> list[tuple[str, str]]:
        seen: list[tuple[str, str]] = []

        def compute(asked: BootstrapSpec, on_progress: object) -> str:
            return f"{asked.draws} draws of {parts}"

        with use_session(session):
            last = show_intervals(
                study, "Shares", compute, bootstrap, lambda found, stage: seen.append((found, stage)), *parts
            )
        assert last == seen[-1][0]
        return seen

    return show


def test_figures_come_at_once_and_then_with_intervals(shown: Callable[..., Any]) -> None:
    assert shown(DRAWS, "a") == [("0 draws of ('a',)", "closed"), ("10 draws of ('a',)", "with intervals")]


def test_intervals_that_are_there_are_shown_at_once(shown: Callable[..., Any]) -> None:
    shown(DRAWS, "a")
    assert shown(DRAWS, "a") == [("10 draws of ('a',)", "with intervals")]
    assert len(shown(DRAWS, "b")) == 2
    assert shown(BootstrapSpec(draws=0), "a") == [("0 draws of ('a',)", "closed")]
