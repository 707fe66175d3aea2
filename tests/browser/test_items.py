"""Clicks on a picture: the items of a bar, the pair of a cell."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting, settle

BAR = """plot => {
    const shown = plot.data.findIndex(one => one.mode === 'markers');
    const tall = plot.data[shown].y.indexOf(Math.max(...plot.data[shown].y));
    const {_offset: left, l2p: across} = plot._fullLayout.xaxis;
    const {_offset: top, l2p: up} = plot._fullLayout.yaxis;
    const at = plot.getBoundingClientRect();
    return [at.left + left + across(plot.data[shown].x[tall]), at.top + top + up(plot.data[shown].y[tall])];
}"""
"""Where the tallest bar has its middle on the screen."""


@pytest.mark.slow
def test_a_bar_of_distributions_leads_to_its_items(visitor: Visitor) -> None:
    page = visitor.open("/distributions?d=sample-summaries&measures=focus")
    for name in ("lab", "crowd"):
        plot = page.locator(".js-plotly-plot").first
        page.mouse.move(1, 1)
        across, up = plot.evaluate(BAR)
        page.mouse.move(across - 1, up + 1)
        page.wait_for_timeout(200)
        with acting(page):
            page.mouse.click(across, up)
        expect(page.get_by_text(f"Chosen: focus, {name}, MOS from")).to_be_visible()
        with acting(page):
            button = page.get_by_role("button", name="Its items")
            rows = page.get_by_test_id("stLayoutWrapper").filter(has=button)
            rows.filter(has_text=f"Chosen: focus, {name}").last.get_by_role("button").click()
        expect(page.get_by_role("heading", level=1, name="Items")).to_be_visible()
        settle(page)
        expect(page.get_by_text("have the MOS asked for")).to_be_visible()
        page.get_by_role("button", name="Settings").click()
        expect(page.get_by_label("MOS from")).not_to_have_value("")
        page.keyboard.press("Escape")
        expect(page.get_by_role("combobox", name="Candidate group")).to_have_value(name)
        visitor.go_to("Distributions")


def test_a_cell_of_the_wins_leads_to_its_pair(visitor: Visitor) -> None:
    page = visitor.open("/systems?d=sample-comparisons&about=All+systems&scale_draws=20")
    plot = page.locator(".js-plotly-plot").filter(has_text="Row beats column").last
    plot.scroll_into_view_if_needed()
    across, up, told = plot.evaluate(
        """plot => {
            const {_offset: left, l2p: across} = plot._fullLayout.xaxis;
            const {_offset: top, l2p: up} = plot._fullLayout.yaxis;
            const cells = plot.data[1], met = cells.hovertext.findIndex(text => text.includes(' of '));
            const at = plot.getBoundingClientRect();
            return [
                at.left + left + across(cells.x[met] - 0.3),
                at.top + top + up(cells.y[met] - 0.2),
                cells.hovertext[met],
            ];
        }"""
    )
    page.mouse.move(across - 3, up)
    page.mouse.move(across, up)
    page.wait_for_timeout(200)
    with acting(page):
        page.mouse.click(across, up)
    expect(page.get_by_role("radio", name="Any two systems")).to_be_checked()
    for name in told.split(":")[0].split(" against "):
        expect(page.get_by_test_id("stMain")).to_contain_text(name)
