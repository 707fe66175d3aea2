"""What the progress line says of the time that is left, and how often it says something."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from panels.parts import progress
from panels.parts.progress import time_left


def test_the_rest_is_told_at_the_speed_so_far() -> None:
    assert time_left(6.0, 0.2, 0.7) == ", about 20 s left"  # 30 s for all, 21 for the rest
    assert time_left(30.0, 0.1, 0.9) == ", about 4 min left"  # 270 s
    assert time_left(3.0, 0.5, 0.5) == ", a few seconds left"


def test_nothing_is_told_of_the_rest_before_it_can_be_known() -> None:
    assert time_left(0.5, 0.5, 0.5) == time_left(9.0, 0.01, 0.99) == ""


def test_a_line_says_how_far_work_is_once_a_pace_however_often_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SimpleNamespace(now=0.0)
    said: list[float] = []

    def bar(done: float, text: str) -> SimpleNamespace:
        said.append(clock.now)
        return SimpleNamespace(progress=bar)

    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(progress, "st", SimpleNamespace(progress=bar, button=lambda *_, **__: None))
    place: Any = SimpleNamespace(container=lambda **_: nullcontext())
    line = progress._ProgressLine(place, "Working", "stopped", "key")
    for step in range(1000):
        clock.now = step / 250
        line.show(step / 1000, "Working")
    assert said[0] == pytest.approx(progress.PATIENCE)
    assert len(said) == 1 + (clock.now - progress.PATIENCE) // progress.PACE
