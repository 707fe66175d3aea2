"""Figures of sections that are drawn in stages: what stands already is not drawn again."""

import pytest
from streamlit.testing.v1 import AppTest


def staged() -> None:
    import streamlit as st

    from features.blocks import Figure, Progress
    from ui.render import draw_section

    def figure(height: int, caption: str = "A line.") -> Figure:
        made = {"data": [{"type": "scatter", "x": [0, 1], "y": [0, height]}], "layout": {"height": height}}
        return Figure("line", (caption, {}), lambda look: made)

    heights, caption = st.session_state["heights"], st.session_state.get("caption", "A line.")
    blocks = [figure(heights[0])]
    for height in heights[1:]:
        blocks += [Progress("Intervals"), figure(height, caption)]
    draw_section("page", blocks)


def sent_by(monkeypatch: pytest.MonkeyPatch, heights: list[int], **state: str) -> tuple[int, str]:
    """Number of figures that a run sends to the browser, and the id of the one that stands in the end."""
    sent = []
    from ui import elements, render

    monkeypatch.setattr(
        render, "show_figure", lambda *of, **more: (sent.append(1), elements.show_figure(*of, **more))
    )
    app = AppTest.from_function(staged)
    app.session_state["heights"] = heights
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception
    (chart,) = app.get("plotly_chart")
    return len(sent), chart.proto.id


def test_a_figure_that_later_work_left_as_it_was_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent_by(monkeypatch, [200, 200, 200])[0] == 1


def test_a_figure_that_later_work_changed_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent_by(monkeypatch, [200, 300])[0] == 2
    assert sent_by(monkeypatch, [200, 200], caption="A line with its interval.")[0] == 2


def test_a_figure_may_become_again_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent_by(monkeypatch, [200, 300, 200, 300])[0] == 4


def test_a_browser_knows_a_figure_again_however_many_stages_led_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sent_by(monkeypatch, [200, 300])[1] == sent_by(monkeypatch, [300])[1]


def sections() -> None:
    import streamlit as st

    from features.blocks import Figure
    from ui import render

    st.session_state[render._MAY_PAUSE] = True  # as at the beginning of a run
    for name, height in st.session_state["heights"].items():
        made = {"data": [{"type": "scatter", "x": [0, 1], "y": [0, height]}], "layout": {"height": height}}
        render.draw_section("page", [Figure(name, ("A line.", {}), lambda look, made=made: made)])


@pytest.mark.parametrize(("visits", "pauses"), [(0, [0, 0, 0, 0]), (1, [0, 0, 1, 1]), (6, [0, 0, 0, 0])])
def test_a_run_pauses_once_for_a_figure_that_has_changed_while_few_pages_are_open(
    monkeypatch: pytest.MonkeyPatch, visits: int, pauses: list[int]
) -> None:
    """Nothing shown yet, the same again, one changed, both changed."""
    from ui import render

    taken: list[float] = []
    monkeypatch.setattr(render, "open_visits", lambda: visits)
    monkeypatch.setattr(render.time, "sleep", taken.append)
    app = AppTest.from_function(sections)
    seen = []
    for first, second in ((200, 200), (200, 200), (200, 300), (250, 350)):
        taken.clear()
        app.session_state["heights"] = {"line": first, "other": second}
        app.run()
        assert not app.exception
        seen.append(taken.count(render.PAUSE))
    assert seen == pauses
