"""A table that can be read in two ways, from the upload through the one question to the open study."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import choose_file

TABLE = Path(__file__).parents[1] / "corpus" / "cases" / "neutral_grid.csv"


@pytest.mark.slow
def test_a_reading_is_chosen_saved_and_opened(visitor: Visitor) -> None:
    """The readings are side by side, on a phone one below the other, and one is chosen."""
    page, main = visitor.page, visitor.page.get_by_test_id("stMain")
    choose_file(visitor, TABLE)
    first, second = (
        main.get_by_text(f"{who}.") for who in ("7 raters rated 5 items", "5 raters rated 7 items")
    )
    expect(first).to_be_visible()
    expect(second).to_be_visible()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        places = [each.bounding_box() for each in (first, second)]
        assert places[0] is not None
        assert places[1] is not None
        assert (places[0]["y"] < places[1]["y"]) is (width == 390)
    expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)
    with acting(page):
        main.get_by_role("button", name="This is right").nth(1).click()
    expect(main).to_contain_text("35 of 35 ratings kept: 5 raters rated 7 items.")
    with acting(page):
        main.get_by_role("button", name="Use this reading").click()
    expect(main).to_contain_text("35 of 35 ratings kept: 7 raters rated 5 items.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(page)
    expect(main).to_contain_text("7 raters")
    page.set_viewport_size({"width": 1366, "height": 900})
