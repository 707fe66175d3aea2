"""Limits on messages hinder nobody who drags a slider or types fast: the last value is shown, and none is lost."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor, acting, settle

SECONDS = 3.0
ADDRESS = "/repetitions?d=sample-summaries&measures=focus"


def figure(page: Page) -> object:
    """Return the numbers that the curves draw, the last figure of the page."""
    return page.evaluate(
        """() => Array.from(document.querySelectorAll('.js-plotly-plot')).at(-1).data
            .map(trace => [trace.name, Array.from(trace.x || []), Array.from(trace.y || [])])"""
    )


def test_a_slider_that_is_dragged_for_seconds_ends_at_its_last_figure(visitor: Visitor) -> None:
    page = visitor.open(ADDRESS)
    slider = page.get_by_role("slider").first
    handle = slider.locator("xpath=..").bounding_box() or slider.bounding_box()
    assert handle is not None
    before = slider.input_value()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    ends, step = time.monotonic() + SECONDS, 0
    while time.monotonic() < ends:
        step += 1
        page.mouse.move(x - 20 - step % 60 * 3, y)
    page.mouse.up()
    settle(page)
    slider.focus()
    with acting(page):  # what follows the drag is taken, too
        page.keyboard.press("ArrowRight")
    value = slider.input_value()
    assert value != before
    dragged = figure(page)
    other = visitor.context.new_page()
    other.goto(page.url)
    settle(other)
    assert other.get_by_role("slider").first.input_value() == value
    assert figure(other) == dragged
    other.close()


@pytest.mark.slow
def test_arrow_keys_pressed_as_fast_as_can_be_all_count(visitor: Visitor) -> None:
    page = visitor.open(ADDRESS)
    slider = page.get_by_role("slider").first
    before = int(slider.input_value())
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value(str(before - 60))
    settle(page)
    dragged = figure(page)
    other = visitor.context.new_page()
    other.goto(page.url)
    settle(other)
    assert int(other.get_by_role("slider").first.input_value()) == before - 60
    assert figure(other) == dragged
    other.close()
