"""Real tables go through the browser, and the report's counts equal a count made by hand: one whose kind is corrected,
and one whose columns are chosen by hand. tests/pages/data takes all of them through the page."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from data.formats.readers import sniff
from data.kinds.definitions import KINDS
from data.mapping.proposal import propose
from tests.browser.conftest import Visitor, settle
from tests.browser.paths import choose, choose_file
from tests.reference.counted import LONG_BY_HAND, counted


@pytest.mark.parametrize(
    "name",
    ["choice2_sentiment_timed.csv", "pandalm_pairwise_3way.csv"],
)
def test_the_report_counts_what_is_in_the_file(visitor: Visitor, shared_data: Path, name: str) -> None:
    file = shared_data / name
    proposed = dict(propose(sniff(file), kind="ratings").mapping)
    choose_file(visitor, file)
    if propose(sniff(file)).kind != "ratings":
        choose(visitor, "Kind of table", KINDS["ratings"].title)
    if name in LONG_BY_HAND:
        for column, source in LONG_BY_HAND[name].items():
            if proposed.get(column) != source:
                choose(visitor, f"{column} (required)", source)
        proposed = LONG_BY_HAND[name]
    kept, check_rows, rejected = counted(file, proposed)
    report = visitor.page.get_by_test_id("stMain")
    expect(report.get_by_role("heading", name="3 Check")).to_be_visible()
    expect(report).to_contain_text(
        f"{_written(kept)} of {_written(kept + check_rows + rejected)} ratings will be kept, "
        f"{_written(check_rows + rejected)} set aside."
    )
    if not kept:
        expect(report).to_contain_text("Nothing is left to save")
        return
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    expect(visitor.page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(visitor.page)
    expect(visitor.page.locator(".js-plotly-plot").first).to_be_visible()


def _written(number: int) -> str:
    return f"{number:,}".replace(",", "\u2009")
