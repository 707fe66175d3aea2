"""A new visitor: one screen says what this is for and leads on, and a phone can read a study."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from features.notices import Holding
from tests.browser.conftest import Visitor, acting
from tests.browser.paths import console_errors
from ui.visit.pages import MENU, PAGES


def links(page: Page) -> list[str]:
    """Return the pages that the menu lists, in its order."""
    listed = page.get_by_test_id("stSidebarNav").get_by_role("link").all_inner_texts()
    return [text.split("\n")[-1] for text in listed]  # the icon's name stands first


def test_the_first_screen_says_what_this_is_for_and_the_mark_leads_back_to_it(visitor: Visitor) -> None:
    errors = console_errors(visitor.page)
    page = visitor.open("/")
    for said in ("whom to exclude", "Or open a synthetic sample", "How many crowd ratings are enough?"):
        expect(page.get_by_text(said).first).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Upload a file")).to_be_in_viewport(ratio=1)
    expect(page.locator(".js-plotly-plot").first).to_be_in_viewport(ratio=1)
    assert links(page) == ["Start", "Data"]
    with acting(page):
        page.get_by_role("button", name="How many crowd ratings are enough?").click()
    summaries = Holding("ratings", ("crowd", "lab"), numbers=1)
    listed = {entry.title_for(summaries) for entry in PAGES if entry.is_open_to(summaries)}
    assert set(links(page)) == listed - {"Start"}
    assert page.get_by_test_id("stNavSectionHeader").all_inner_texts() == list(MENU)
    with acting(page):
        page.get_by_role("button", name="Navigate to home page").click()
    with acting(page):
        page.get_by_role("button", name="Which summaries suffice?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert page.url.endswith("/overview?d=sample-relevance")
    with acting(page):
        page.get_by_role("button", name="Navigate to home page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Can you trust your human ratings?")
    with acting(page):
        page.get_by_role("button", name="Continue with the last data set").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("judgments of 80 documents")
    assert errors == []
    asked = {urlsplit(url).path for url in visitor.requests if "_stcore" in url}
    assert asked == {"/_stcore/health", "/_stcore/host-config"}
    assert len(visitor.requests) > 20, "the visitor's fixture looks at them: none may go to another host"


def test_an_address_from_before_there_was_a_first_screen_shows_its_view(visitor: Visitor) -> None:
    view = "?d=sample-summaries&measures=focus&rule=the+least+consistent"
    page = visitor.open(f"/{view}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    expect(page.get_by_test_id("stMain")).to_contain_text("by 116 raters in 2 groups")
    assert urlsplit(page.url).path == "/overview"
    assert parse_qs(urlsplit(page.url).query) == parse_qs(view[1:])
