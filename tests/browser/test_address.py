"""The address is the view: a second browser sees what the first saw, and owns nothing by it."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor
from tests.browser.paths import lower


def test_an_unknown_data_set_is_not_found_and_shows_nobodys_figures(visitor: Visitor) -> None:
    page = visitor.open("/repetitions?d=0123456789abcdef0123456789abcdef")
    expect(page.get_by_role("heading", level=1, name="Not found")).to_be_visible()
    assert page.locator(".js-plotly-plot").count() == 0
    assert "0123456789abcdef" in page.url


@pytest.mark.parametrize("path", ["/", "/repetitions", "/crowd-vs-lab?d=sample-assessors", "/data"])
def test_a_link_to_a_page_logs_nothing_in_the_browsers_console(visitor: Visitor, path: str) -> None:
    """The browser asks the server once, at its root, and not below the page's address first."""
    said: list[str] = []
    visitor.page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page = visitor.open(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    visitor.go_to("Distributions")
    assert urlsplit(page.url).path == "/distributions"
    assert said == []
    asked = {urlsplit(url).path for url in visitor.requests if "_stcore" in url}
    assert asked == {"/_stcore/health", "/_stcore/host-config"}


def test_a_copied_address_shows_the_same_controls_in_a_second_browser(
    visitor: Visitor, second_visitor: Visitor
) -> None:
    page = visitor.open("/repetitions")
    lower(visitor, "shuffles", 197)
    shown = _view(visitor)
    copied = page.url
    assert set(parse_qs(urlsplit(copied).query)) >= {"d"}
    second_visitor.open(copied)
    assert _view(second_visitor) == shown
    assert second_visitor.page.url == copied


def _view(visitor: Visitor) -> dict[str, object]:
    """What stands on the page: heading, finding, every control's value and the main figure's curves."""
    page = visitor.page
    return {
        "title": page.get_by_role("heading", level=1).inner_text(),
        "finding": page.get_by_test_id("stHtml").first.inner_text(),
        "sliders": [s.input_value() for s in page.get_by_role("slider").all()],
        "selects": [s.input_value() for s in page.locator("[data-testid=stSelectbox] input").all()],
        "numbers": [s.input_value() for s in page.locator("[data-testid=stNumberInput] input").all()],
        "curves": page.locator(".js-plotly-plot").first.evaluate(
            "p => JSON.stringify(p.data.map(t => [t.name, Array.from(t.y || [])]))"
        ),
    }
