"""Leaving raters out, as a researcher does it: see the ranking change, send the view on, look at another page."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import expect_finding, finding, upload

LINES = "p => JSON.stringify(p.data.map(t => [t.name, Array.from(t.y || [])]))"


def leave_out(visitor: Visitor, rater: str) -> None:
    """Picks one more rater in the sidebar."""
    box = visitor.page.get_by_test_id("stMultiSelect").filter(has_text="Exclude raters")
    box.scroll_into_view_if_needed()
    box.locator("input").click()
    box.locator("input").fill(rater)
    with acting(visitor.page):
        visitor.page.get_by_role("option", name=rater, exact=True).click()
    visitor.page.keyboard.press("Escape")


@pytest.mark.slow
def test_excluding_raters_changes_the_ranking_and_travels_with_the_address(
    visitor: Visitor, second_visitor: Visitor, shared_data: Path
) -> None:
    upload(visitor, shared_data / "wmt23_mqm_3raters.csv")
    page = visitor.go_to("Raters")
    expect(page.get_by_test_id("stMain")).to_contain_text("clearly more consistent")
    with acting(page):
        page.get_by_role("radio", name="What if they go").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("changes most without")

    leave_out(visitor, "rater1")
    expect(page.get_by_test_id("stMain")).to_contain_text("Without rater1, ")
    settle(page)
    chart = page.locator(".js-plotly-plot").first
    before = chart.evaluate(LINES)
    leave_out(visitor, "rater3")
    expect(page.get_by_test_id("stMain")).to_contain_text("Without the excluded raters, ")
    settle(page)
    assert chart.evaluate(LINES) != before

    other = second_visitor.open(page.url)
    expect_finding(other, finding(visitor))
    assert other.locator(".js-plotly-plot").first.evaluate(LINES) == chart.evaluate(LINES)
    chosen = parse_qs(urlsplit(other.url).query)
    assert chosen["without"] == ["rater1", "rater3"]
    assert chosen["question"] == ["What if they go"]

    visitor.go_to("Repetitions")
    expect(page.get_by_test_id("stMain")).to_contain_text("Without the 2 excluded raters")
    without = finding(visitor)
    with acting(page):
        page.get_by_test_id("stSidebar").get_by_text("Figures of this page without them").click()
    expect(page.get_by_test_id("stMain")).not_to_contain_text("Without the 2 excluded raters")
    assert finding(visitor) != without
    assert "applied=false" in page.url


def test_raters_ticked_in_the_table_are_left_out_and_a_phone_shows_what_follows(visitor: Visitor) -> None:
    page = visitor.open("/assessors?d=sample-assessors")
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    with acting(page):
        table.click(position={"x": 18, "y": 50})  # the box before the first row, the least consistent rater
    with acting(page):
        page.get_by_role("button", name="Exclude this rater").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("Excluded: C (picked by hand).")
    assert "without=C" in page.url
    with acting(page):
        page.get_by_role("radio", name="What if they go").click()
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 1
