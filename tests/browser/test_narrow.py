"""A narrow window, whatever its device: pictures in two columns at most, their buttons beside the legend."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor

PANELS = """plot => new Set(Object.entries(plot._fullLayout)
    .filter(([name]) => /^xaxis\\d*$/.test(name)).map(([, axis]) => axis.domain[0].toFixed(2))).size"""


@pytest.mark.parametrize(("pixels", "columns"), [(390, 2), (1366, 3)])
def test_a_narrow_window_has_two_columns_and_buttons_leave_the_legend_free(
    visitor: Visitor, pixels: int, columns: int
) -> None:
    visitor.page.set_viewport_size({"width": pixels, "height": 900})
    page = visitor.open("/distributions?d=sample-summaries")
    plot = page.locator(".js-plotly-plot").first
    assert plot.evaluate(PANELS) == columns
    plot.hover()
    expect(plot.locator(".modebar-btn").first).to_be_visible()
    legend, buttons = plot.locator(".legend").bounding_box(), plot.locator(".modebar").bounding_box()
    assert legend is not None
    assert buttons is not None
    below = legend["y"] >= buttons["y"] + buttons["height"] - 2
    beside = legend["x"] + legend["width"] <= buttons["x"]
    assert below or beside, (legend, buttons)
    page.set_viewport_size({"width": 1366, "height": 900})
