"""Behind the button below a table one press copies its rows, and one downloads them."""

import csv
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Visitor


def test_one_press_copies_a_table_and_one_downloads_it(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open("/distributions?d=sample-summaries")
    page.get_by_role("button", name="Columns and files").first.focus()
    page.keyboard.press("Enter")
    button = page.locator("button[data-copies]").first
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_have_text("Copied")
    expect(button).to_be_focused()
    visitor.context.grant_permissions(["clipboard-read"])
    copied = page.evaluate("navigator.clipboard.readText()")
    visitor.context.clear_permissions()
    expect(button).to_have_text("Copy")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    downloading.value.save_as(tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        downloaded = list(csv.reader(file))
    rows = list(csv.reader(copied.splitlines(), delimiter="\t"))
    assert len(rows) == 1 + 2 * 9  # nine measures, two groups
    assert downloaded[: len(rows)] == rows
    assert all(row[1:] == [""] * (len(row) - 1) for row in downloaded[len(rows) :])  # notes below
