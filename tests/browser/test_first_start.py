"""A new visitor: a study is open, its figures stand on the first screen, and a phone can read them."""

from playwright.sync_api import expect

from panels.visit.pages import PAGES
from tests.browser.conftest import Visitor


def test_the_first_screen_shows_figures_of_the_sample_and_every_page_of_ratings_is_listed(
    visitor: Visitor,
) -> None:
    page = visitor.open("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("synthetic").first).to_be_visible()
    first = page.locator(".js-plotly-plot").first
    expect(first).to_be_visible()
    assert first.bounding_box()["y"] < 900, "the first figure lies below the first screen"
    for entry in (entry for entry in PAGES if "ratings" in entry.kinds):
        link = page.get_by_test_id("stSidebarNavItems").get_by_role("link", name=entry.title, exact=True)
        expect(link).to_be_visible()
    assert len(visitor.requests) > 20, "the visitor's fixture looks at them: none may go to another host"


def test_a_phone_can_read_an_exclusion_without_scrolling_sideways(visitor: Visitor) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    page = visitor.open("/assessors?d=sample-assessors&question=What+if+they+go&without=E")
    main = page.get_by_test_id("stMain")
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 1
