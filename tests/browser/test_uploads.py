"""Every real table goes through the browser, and the report's counts equal a count made by hand."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from data.kinds import KINDS
from data.mapping import propose
from data.reading import sniff
from tests.browser.conftest import Visitor, new_visitor, settle, start_server
from tests.browser.paths import choose, choose_file
from tests.reference.counted import LONG_BY_HAND, REAL, counted


@pytest.mark.parametrize("name", REAL)
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


def test_a_refused_file_is_told_with_its_limit(chromium: Browser, tmp_path: Path) -> None:
    """Streamlit's uploader alone would show the number of the refusal."""
    running = start_server(tmp_path, RATERSCOPE_UPLOADS_PER_HOUR="1")
    table = tmp_path / "ratings.csv"
    table.write_text("item,rater,score\n" + "".join(f"{at // 3},{at % 3},{at % 5}\n" for at in range(12)))
    visitor = new_visitor(chromium, running)
    try:
        choose_file(visitor, table)
        page = visitor.page
        expect(page.get_by_role("heading", name="3 Check")).to_be_visible()
        page.get_by_role("button", name="Choose another file").click()
        page.locator("input[type=file]").set_input_files(table)
        told = page.get_by_role("alert").filter(has_text="This file was not taken.")
        expect(told).to_contain_text("RATERSCOPE_UPLOADS_PER_HOUR")
        expect(page.get_by_test_id("stMain")).not_to_contain_text("AxiosError")
        expect(page.get_by_role("heading", name="Samples")).to_be_visible()
    finally:
        visitor.context.close()
        running.stop()
