"""Addresses that lead nowhere, and what the browser says of those that do."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor


def test_an_unknown_data_set_is_not_found_and_shows_nobodys_figures(visitor: Visitor) -> None:
    page = visitor.open("/repetitions?d=0123456789abcdef0123456789abcdef")
    expect(page.get_by_role("heading", level=1, name="Not found")).to_be_visible()
    assert page.locator(".js-plotly-plot").count() == 0
    assert "0123456789abcdef" in page.url


@pytest.mark.parametrize("path", ["/", "/data?d=sample-relevance"])
def test_a_link_to_a_page_logs_nothing_in_the_browsers_console(visitor: Visitor, path: str) -> None:
    """The browser asks the server once, at its root, and not below the page's address first."""
    said: list[str] = []
    visitor.page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page = visitor.open(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    other = "Data" if path == "/" else "Overview"
    visitor.go_to(other)
    assert urlsplit(page.url).path == f"/{other.lower()}"
    assert said == []
    asked = {urlsplit(url).path for url in visitor.requests if "_stcore" in url}
    assert asked == {"/_stcore/health", "/_stcore/host-config"}
