"""A new visitor on a fresh server: a study is open, figures stand, and nothing is asked of the network."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor

PAGES = ["Distributions", "Crowd vs lab", "Repetitions", "Assessors", "Data", "Overview"]


def test_first_screen_shows_figures_of_the_sample(visitor: Visitor) -> None:
    page = visitor.open("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("synthetic").first).to_be_visible()
    first = page.locator(".js-plotly-plot").first
    expect(first).to_be_visible()
    assert first.bounding_box()["y"] < 900, "the first figure lies below the first screen"


def test_nothing_is_requested_from_any_other_host(visitor: Visitor) -> None:
    visitor.open("/")
    for title in PAGES:
        visitor.go_to(title)
    visitor.page.wait_for_timeout(1000)
    own = urlsplit(visitor.base).netloc
    foreign = [
        url
        for url in visitor.requests
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != own
    ]
    assert len(visitor.requests) > 20
    assert foreign == []


def test_no_page_shows_an_error_or_a_traceback(visitor: Visitor) -> None:
    visitor.open("/")
    for title in PAGES:
        page = visitor.go_to(title)
        assert page.get_by_test_id("stException").count() == 0, title
        assert page.get_by_test_id("stAlertContentError").count() == 0, title


EXCLUSION = "/assessors?d=sample-assessors&question=What+if+they+go&without=E"


@pytest.mark.parametrize(
    "path", ["/", "/distributions", "/crowd-vs-lab", "/repetitions", "/assessors", EXCLUSION, "/data"]
)
def test_a_phone_can_read_every_page_without_scrolling_sideways(visitor: Visitor, path: str) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    page = visitor.open(path)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 1
