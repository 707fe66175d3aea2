"""Sharing, with real browsers: the address is the whole view, a reader only looks, and a revoked link leads nowhere."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visitor, settle
from tests.browser.paths import dataset_key, lower, move, upload, view

BEFORE_SCREENING = (
    "/repetitions?measures=focus&draws=20&shuffles=20&candidate=lab&reference=summary_words+(column)"
)
"""Without the rater whom a rule then screens out most items have 23 ratings: a slider that nobody touched moves there
with them. The short journeys load every page's address again."""


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """Two groups who rated the same items: small, so that its pages are quick."""
    file = tmp_path / "two groups.csv"
    rows = [f"i{i},{g}{r},{g},{(i * (r + 2)) % 5 + 1}" for i in range(12) for r in range(6) for g in "ab"]
    file.write_text("item,rater,group,score\n" + "\n".join(rows) + "\n")
    return file


def shared(visitor: Visitor) -> Locator:
    """Open the Share popover and return its content."""
    body = visitor.page.get_by_test_id("stPopoverBody").filter(has_text="This view")
    if not body.count():
        visitor.page.get_by_role("button", name="Share", exact=True).click()
    expect(body).to_be_visible()
    settle(visitor.page)  # a run of the popover alone may be over before the browser shows that it began
    return body


def addresses(visitor: Visitor) -> list[str]:
    """The addresses in the popover: of this view, then of each link."""
    return [code.inner_text() for code in shared(visitor).get_by_test_id("stCode").all()]


def make_link(visitor: Visitor, name: str) -> str:
    """Make a named link and return its address."""
    body = shared(visitor)
    known = addresses(visitor)
    body.get_by_label("Name", exact=True).fill(name)
    body.get_by_role("button", name="Make a link").click()
    expect(body).to_contain_text(name)
    settle(visitor.page)
    [made] = [address for address in addresses(visitor) if address not in known]
    return made


def test_the_shared_address_is_the_browsers_and_shows_the_same_view(
    visitor: Visitor, second_visitor: Visitor
) -> None:
    page = visitor.open(BEFORE_SCREENING)
    before = page.url
    move(visitor, "Exclude by a rule: BT.500 screening")
    assert page.url != before
    [address] = addresses(visitor)
    assert address == page.url
    second_visitor.open(address)
    assert second_visitor.page.url == address
    assert view(second_visitor) == view(visitor)
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    width = shared(visitor).evaluate("body => body.scrollWidth - body.clientWidth")
    assert width <= 1


def test_a_named_link_shows_the_view_to_a_reader_who_can_change_nothing(
    visitor: Visitor, second_visitor: Visitor, small_file: Path
) -> None:
    upload(visitor, small_file)
    visitor.go_to("Repetitions")
    lower(visitor, "shuffles", 196)
    make_link(visitor, "somebody else")
    address = make_link(visitor, "Anna <b>at</b> [work](https://evil.invalid)")
    assert dataset_key(visitor) not in address
    assert parse_qs(urlsplit(address).query)["shuffles"] == ["196"]

    other = second_visitor.open(address)
    assert view(second_visitor)["finding"] == view(visitor)["finding"]
    assert other.get_by_role("slider").first.input_value() == "196"
    lower(second_visitor, "shuffles", 190)
    assert addresses(second_visitor) == [other.url]
    body = shared(second_visitor)
    for told in ("somebody else", "Anna", "Named links", "Revoke"):
        expect(body).not_to_contain_text(told)
    other.keyboard.press("Escape")
    data = second_visitor.go_to("Data").get_by_test_id("stMain")
    expect(data).not_to_contain_text("Your data sets")
    expect(data.get_by_role("button", name="More")).to_have_count(0)


@pytest.mark.slow
def test_a_revoked_link_gives_nothing_more_and_leads_where_one_leads_that_never_was(
    visitor: Visitor, second_visitor: Visitor, small_file: Path
) -> None:
    """The page that stands open is not run again: its download and its popover ask by themselves."""
    upload(visitor, small_file)
    visitor.go_to("Distributions")
    address = make_link(visitor, "Ben")
    key = parse_qs(urlsplit(address).query)["d"][0]
    reader = second_visitor.open(address)
    reader.locator("summary").filter(has_text="Download").click()
    table = reader.get_by_role("button", name="CSV", exact=True)
    with reader.expect_download() as had:
        table.click()
    assert Path(had.value.path()).stat().st_size > 0

    body = shared(visitor)
    body.get_by_role("button", name="Revoke", exact=True).last.click()
    body.get_by_role("button", name="Revoke it").click()
    expect(body).not_to_contain_text("Ben")

    reader.get_by_role("button", name="LaTeX", exact=True).click()
    expect(reader.get_by_test_id("stDownloadButtonError")).to_contain_text("was revoked")
    expect(reader.get_by_role("heading", level=1, name="Distributions")).to_be_visible()
    reader.get_by_role("button", name="Share", exact=True).click()
    expect(reader.get_by_role("heading", level=1, name="Not found")).to_be_visible()

    def whole_page(address: str) -> str:
        page = second_visitor.open(address)
        expect(page.get_by_role("heading", level=1, name="Not found")).to_be_visible()
        whole = page.get_by_test_id("stApp").inner_html()
        return re.sub(r":r\w+:", ":id:", whole)  # numbered by how often the browser drew

    revoked = whole_page(address)
    never = whole_page(address.replace(key, "0123456789abcdef" * 2))
    assert revoked.replace(key, "") == never.replace("0123456789abcdef" * 2, "")


@pytest.mark.slow
def test_the_owner_who_revokes_the_address_in_the_bar_goes_on(visitor: Visitor, small_file: Path) -> None:
    old = upload(visitor, small_file)
    page = visitor.go_to("Distributions")
    move(visitor, "Single ratings")
    body = shared(visitor)
    body.get_by_role("button", name="Revoke", exact=True).first.click()
    body.get_by_role("button", name="Revoke it").click()
    page.wait_for_function("old => new URL(location).searchParams.get('d') !== old", arg=old)
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Distributions")).to_be_visible()
    expect(page.get_by_role("radio", name="Single ratings")).to_be_checked()
