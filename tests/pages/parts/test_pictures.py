"""The wait for a picture: a step of a control ends it, and the picture is waited for again."""

import pytest

from panels.parts import pictures


class Stepped(BaseException):
    """As Streamlit ends a run."""


def test_a_step_of_a_control_ends_the_wait_for_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def stepped_at_third_look() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise Stepped

    visit: dict[str, str] = {}
    monkeypatch.setattr(pictures, "DRAWING", 60.0)
    monkeypatch.setattr(pictures, "LOOK", 0.0)
    monkeypatch.setattr(pictures, "give_way", stepped_at_third_look)
    monkeypatch.setattr(pictures.st, "session_state", visit)
    with pytest.raises(Stepped):
        pictures.let_it_be_drawn("curves")
    assert looks == 3
    assert visit == {}
