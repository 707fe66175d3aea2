"""A narrow window, whatever its device: pictures in two columns at most, their buttons beside the legend."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor
from tests.browser.paths import expect_fixed_margins

PANELS = """plot => new Set(Object.entries(plot._fullLayout)
    .filter(([name]) => /^xaxis\\d*$/.test(name)).map(([, axis]) => axis.domain[0].toFixed(2))).size"""


@pytest.mark.parametrize(("pixels", "columns"), [(390, 2), (1366, 3)])
def test_a_narrow_window_has_two_columns_and_buttons_leave_titles_and_names_free(
    visitor: Visitor, pixels: int, columns: int
) -> None:
    visitor.page.set_viewport_size({"width": pixels, "height": 900})
    page = visitor.open("/distributions?d=sample-summaries")
    plot = page.locator(".js-plotly-plot").first
    assert plot.evaluate(PANELS) == columns
    expect_fixed_margins(plot)
    plot.hover()
    expect(plot.locator(".modebar-btn").first).to_be_visible()
    buttons = plot.locator(".modebar").bounding_box()
    assert buttons is not None
    for name in ("lab", "crowd", "overall quality", "grammaticality", "non-redundancy"):
        box = plot.locator(".annotation-text", has_text=re.compile(rf"^{name}$")).first.bounding_box()
        assert box is not None
        below = box["y"] >= buttons["y"] + buttons["height"] - 2
        assert below or box["x"] + box["width"] <= buttons["x"], (name, box, buttons)
    page.set_viewport_size({"width": 1366, "height": 900})


CUT = "option => [...option.querySelectorAll('*')].some(part => part.scrollWidth > part.clientWidth + 1)"
FILL = "option => getComputedStyle(option).backgroundColor"


def test_a_chosen_section_of_the_report_is_readable_on_a_phone(visitor: Visitor) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    visitor.page.emulate_media(color_scheme="dark")
    page = visitor.open("/report?d=sample-summaries&report_sections=Where+the+variance+comes+from")
    chosen = page.locator("[data-testid=stMultiSelectTagsContainer] [data-tag]")
    expect(chosen).to_have_text("Where the variance comes from")
    assert not chosen.evaluate(CUT)
    assert (
        chosen.evaluate(FILL) == "rgb(0, 114, 178)"
    )  # white letters need a darker blue than that of the dark theme
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1366, "height": 900})
