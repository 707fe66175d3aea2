"""Choices, as a researcher follows them: upload, ask which system wins, drop workers, send the view on."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting
from tests.browser.paths import evidence, expect_finding, finding, upload
from tests.browser.test_assessors import LINES


@pytest.mark.slow
def test_a_file_of_comparisons_is_followed_to_who_wins_and_sent_on(
    visitor: Visitor, second_visitor: Visitor, shared_data: Path
) -> None:
    upload(visitor, shared_data / "pandalm_pairwise_3way.csv")
    page = visitor.page
    expect(page.get_by_test_id("stMain")).to_contain_text("2,997 choices of 999 items by 3 raters")
    expect(page.get_by_test_id("stSidebarNavItems")).not_to_contain_text("Crowd vs lab")
    page = visitor.go_to("Raters")
    expect(page.get_by_test_id("stMain")).to_contain_text("agree with the others beyond chance.")
    page = visitor.go_to("Ranking systems")
    with acting(page):
        page.get_by_role("radio", name="Any two systems").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("preferred")
    assert parse_qs(urlsplit(page.url).query)["about"] == ["Any two systems"]
    with acting(page):
        page.get_by_role("radio", name="All systems").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("System llama-7b ranks above")

    other = second_visitor.open(page.url)
    expect_finding(other, finding(visitor))


@pytest.mark.slow
def test_dropping_workers_moves_one_bar_and_the_address(visitor: Visitor, second_visitor: Visitor) -> None:
    page = visitor.open("/systems?d=sample-comparisons&about=Any+two+systems")
    chart = page.locator(".js-plotly-plot").first
    before = chart.evaluate("p => JSON.stringify(p.data.map(t => Array.from(t.x || [])))")
    slider = page.get_by_role("slider").first
    slider.focus()
    with acting(page):
        page.keyboard.press("ArrowRight")
    assert chart.evaluate("p => JSON.stringify(p.data.map(t => Array.from(t.x || [])))") != before
    assert parse_qs(urlsplit(page.url).query)["dropped"] == ["5"]
    other = second_visitor.open(page.url)
    assert other.locator(".js-plotly-plot").first.evaluate(LINES) == chart.evaluate(LINES)


@pytest.mark.slow
def test_a_ticked_worker_is_left_out_which_changes_the_winners_share(visitor: Visitor) -> None:
    page = visitor.open("/workers?d=sample-comparisons")
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    with acting(page):
        table.click(position={"x": 18, "y": 50})  # the box before the first row, the least reliable rater
    with acting(page):
        page.get_by_role("button", name="Exclude this rater").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("Excluded: worker 07 (picked by hand).")
    assert "without=worker+07" in page.url or "without=worker%2007" in page.url
    visitor.go_to("Ranking systems")
    without = evidence(visitor)
    with acting(page):
        page.get_by_test_id("stSidebar").get_by_text("Figures of this page without them").click()
    assert evidence(visitor) != without
