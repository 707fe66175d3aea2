"""The ways a visitor takes through the pages, as steps that several browser tests share."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from tests.browser.conftest import Visitor, settle


def dataset_key(visitor: Visitor) -> str:
    """The reader's key in the address that the visitor's browser shows."""
    return parse_qs(urlsplit(visitor.page.url).query)["d"][0]


def choose_file(visitor: Visitor, file: Path) -> None:
    """Opens the Data page and hands it the file; returns when the proposal stands."""
    page = visitor.open("/data")
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_role("button", name="Choose another file")).to_be_visible()
    settle(page)


def choose(visitor: Visitor, label: str, option: str) -> None:
    """Picks an option of the select box with that label."""
    box = visitor.page.get_by_test_id("stSelectbox").filter(has_text=label).first
    box.click()
    visitor.page.get_by_role("option", name=option, exact=True).first.click()
    settle(visitor.page)


def upload(visitor: Visitor, file: Path) -> str:
    """Uploads a file, accepts what is proposed, saves it, and returns its reader's key."""
    choose_file(visitor, file)
    before = dataset_key(visitor)
    visitor.page.get_by_role("button", name="Save").click()
    visitor.page.wait_for_function(
        "before => new URL(location).searchParams.get('d') !== before", arg=before, timeout=120_000
    )
    settle(visitor.page)
    expect(visitor.page.get_by_test_id("stSidebar")).to_be_visible()
    return dataset_key(visitor)
