"""Addresses that lead nowhere, and what the browser says of those that do."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import console_errors, unfold


def test_an_unknown_data_set_is_not_found_and_shows_nobodys_figures(visitor: Visitor) -> None:
    page = visitor.open("/repetitions?d=0123456789abcdef0123456789abcdef")
    expect(page.get_by_role("heading", level=1, name="Not found")).to_be_visible()
    assert page.locator(".js-plotly-plot").count() == 0
    assert "0123456789abcdef" in page.url


def test_a_link_to_a_page_logs_nothing_in_the_browsers_console(visitor: Visitor) -> None:
    """The browser asks the server once, at its root, and not below the page's address first. That the root logs nothing
    either is seen by tests/browser/test_first_start.py."""
    said = console_errors(visitor.page)
    page = visitor.open("/data?d=sample-relevance")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    visitor.go_to("Overview")
    assert urlsplit(page.url).path == "/overview"
    assert said == []
    asked = {urlsplit(url).path for url in visitor.requests if "_stcore" in url}
    assert asked == {"/_stcore/health", "/_stcore/host-config"}


@pytest.mark.slow
@pytest.mark.journey
def test_a_control_stays_in_the_address_when_something_appears_above_it(visitor: Visitor) -> None:
    page = visitor.open("/assessors?d=sample-assessors&draws=20&question=Where+the+variance+comes+from")
    box = page.get_by_test_id("stNumberInput").filter(has_text="Items per system").locator("input")

    def one_less() -> str:
        with acting(page):
            box.focus()
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        return f"variance_items={box.input_value()}"

    for _ in range(2):  # the variances are computed when the page is opened, and at hand from then on
        assert one_less() in page.url
    unfold(visitor, "Filter")
    conditions = page.get_by_test_id("stMultiSelect").filter(has_text="Condition")
    expect(conditions).to_be_visible()
    conditions.scroll_into_view_if_needed()
    settle(page)  # a list of options closes when the page is drawn anew
    conditions.locator("input").click()
    conditions.locator("input").press_sequentially("update")
    expect(page.get_by_role("option", name="update")).to_be_visible()
    with acting(page):
        page.keyboard.press("Enter")
    assert "only_condition=update" in page.url
    for _ in range(2):
        assert one_less() in page.url
