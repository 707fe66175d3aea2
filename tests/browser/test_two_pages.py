"""Two pages in a real browser, so that the tests one runs often ask whether anything is drawn at all. What `.ci/run`
takes besides walks all of them."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor
from tests.browser.test_each_page import JOURNEYS, TWO_GROUPS
from ui.visit.pages import PAGES, START


@pytest.mark.parametrize("script", [START.script, "repetitions.py"])
def test_a_page_is_drawn_with_its_finding(visitor: Visitor, script: str) -> None:
    [entry] = [page for page in PAGES if page.script == script]
    page = visitor.open(f"/{'' if entry is START else entry.address}{JOURNEYS[script].query}")
    expect(page.get_by_role("heading", level=1, name=entry.title_for(TWO_GROUPS))).to_be_visible()
    expect(page.get_by_test_id("stMain")).to_contain_text(JOURNEYS[script].finding)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    for alert in ("stException", "stAlertContentError"):
        assert page.get_by_test_id(alert).count() == 0
