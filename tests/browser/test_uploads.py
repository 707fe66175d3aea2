"""A real table goes through the browser, and the report's counts equal a count made by hand. tests/pages/data takes all
of them through the page."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from data.formats.readers import sniff
from data.kinds.definitions import KINDS
from data.mapping.proposal import propose
from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import choose, choose_column, choose_file, unfold
from tests.reference.counted import LONG_BY_HAND, counted


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["pandalm_pairwise_3way.csv"],
)
def test_the_report_counts_what_is_in_the_file(visitor: Visitor, shared_data: Path, name: str) -> None:
    file = shared_data / name
    proposed = dict(propose(sniff(file), kind="ratings").mapping)
    choose_file(visitor, file)
    if propose(sniff(file)).kind != "ratings":
        unfold(visitor, "Options")
        choose(visitor, "Kind of table", KINDS["ratings"].title)
    if name in LONG_BY_HAND:
        for column, source in LONG_BY_HAND[name].items():
            if proposed.get(column) != source:
                choose_column(visitor, source, KINDS["ratings"].title_of(column))
        proposed = LONG_BY_HAND[name]
    kept, check_rows, rejected = counted(file, proposed)
    report = visitor.page.get_by_test_id("stMain")
    aside = f", {_written(check_rows + rejected)} set aside" if check_rows + rejected else ""
    expect(report).to_contain_text(
        f"{_written(kept)} of {_written(kept + check_rows + rejected)} ratings kept{aside}"
    )
    if not kept:
        expect(report).to_contain_text("Nothing is left to save")
        return
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    expect(visitor.page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(visitor.page)
    expect(visitor.page.locator(".js-plotly-plot").first).to_be_visible()


def _written(number: int) -> str:
    return f"{number:,}"


def test_the_verdict_and_its_button_are_seen_without_scrolling_and_one_click_saves(
    visitor: Visitor, shared_data: Path
) -> None:
    """Choosing the file and Save are the clicks from a file to its first answer."""
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    choose_file(visitor, shared_data / "formats" / "mturk_p808_batch_60.csv")
    page, main = visitor.page, visitor.page.get_by_test_id("stMain")
    save = page.get_by_role("button", name="Save", exact=True)
    item = main.get_by_role("combobox", name="Column 1: item")
    for part in (main.get_by_text("900 of 1,020 ratings kept"), save, item):
        expect(part).to_be_in_viewport(ratio=1)
    assert main.evaluate("main => main.scrollTop") == 0
    expect(page.get_by_test_id("stSidebar")).not_to_contain_text("Candidate group")
    save.click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(page)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.set_viewport_size({"width": 1366, "height": 900})


@pytest.mark.slow
def test_what_a_word_becomes_is_typed_into_its_cell(visitor: Visitor, tmp_path: Path) -> None:
    words = ["Bad", "Poor", "Fair", "Good", "Excellent", "splendid"]
    file = tmp_path / "words.csv"
    rows = [f"clip {n},rater {r},{words[(n + r) % 6]}" for n in range(12) for r in range(4)]
    file.write_text("item,rater,score\n" + "\n".join(rows) + "\n")
    choose_file(visitor, file)
    page = visitor.page
    expect(page.get_by_test_id("stMain")).to_contain_text("40 of 48 ratings kept, 8 set aside")
    cells = page.get_by_test_id("stDataFrame").first.locator("canvas").first
    cells.scroll_into_view_if_needed()
    size = cells.bounding_box()
    assert size is not None
    row = len(words)  # the head comes before the first, words that become nothing come last
    page.mouse.click(size["x"] + size["width"] - 60, size["y"] + 35 * row + 17)
    with acting(page):
        page.wait_for_timeout(500)  # the drawing takes the keys when it has drawn the chosen cell
        page.keyboard.type("5")
        page.wait_for_timeout(500)
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("stMain")).to_contain_text("48 of 48 ratings kept")


@pytest.mark.slow
def test_several_files_chosen_together_are_one_study(visitor: Visitor, tmp_path: Path) -> None:
    files = []
    for group in ("crowd", "lab"):
        rows = "".join(
            f"i{item},{group}{m},{(item * (m + 2)) % 5 + 1}\n" for item in range(9) for m in range(4)
        )
        files.append(tmp_path / f"mos_{group}.csv")
        files[-1].write_text("item,rater,score\n" + rows)
    page = visitor.open("/data")
    with acting(page):
        page.locator("input[type=file]").first.set_input_files(files)
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("72 of 72 ratings of 2 files kept")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(page)
    expect(main.get_by_text("crowd").first).to_be_visible()
