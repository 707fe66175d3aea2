"""A new visitor on a fresh server: a study is open, figures stand on every page, and a phone can read them."""

import pytest
from playwright.sync_api import expect

from panels.visit.pages import PAGES
from tests.browser.conftest import Visitor


def test_the_first_screen_shows_figures_of_the_sample_and_every_listed_page_opens(visitor: Visitor) -> None:
    page = visitor.open("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("synthetic").first).to_be_visible()
    first = page.locator(".js-plotly-plot").first
    expect(first).to_be_visible()
    assert first.bounding_box()["y"] < 900, "the first figure lies below the first screen"
    for entry in PAGES:
        if "ratings" not in entry.kinds:
            continue
        visitor.go_to(entry.title)
        if entry.needs_dataset:
            expect(page.locator(".js-plotly-plot").first).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0, entry.title
        assert page.get_by_test_id("stAlertContentError").count() == 0, entry.title
    assert len(visitor.requests) > 20, "the visitor's fixture looks at them: none may go to another host"


EXCLUSION = "/assessors?d=sample-assessors&question=What+if+they+go&without=E"


@pytest.mark.parametrize("path", ["/", EXCLUSION])
def test_a_phone_can_read_what_it_opens_without_scrolling_sideways(visitor: Visitor, path: str) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    page = visitor.open(path)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 1
