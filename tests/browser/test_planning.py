"""Planning, as who prepares a study uses it: a click moves the study, and its template is downloaded. What is filled in
and uploaded comes back in tests/pages/planning."""

from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting

POINT = """plot => {
    const curve = plot.data.find(one => one.name === '4 per item');
    const place = curve.x.findIndex(items => items >= 20 && items % 2 === 0);
    const {_offset: left, l2p: across} = plot._fullLayout.xaxis;
    const {_offset: top, l2p: up} = plot._fullLayout.yaxis;
    const at = plot.getBoundingClientRect();
    return [curve.x[place], at.left + left + across(curve.x[place]), at.top + top + up(curve.y[place])];
}"""
"""A study with 4 raters of each item: how many items, and where it is on the screen."""


def test_a_click_moves_the_study_and_its_template_has_a_row_for_each_rating(
    visitor: Visitor,
) -> None:
    page = visitor.open(
        "/planning?d=sample-summaries&plan_variances=speech+study&plan_raters=8&plan_items=19&plan_template=true"
    )
    figure = page.locator(".js-plotly-plot").first
    figure.scroll_into_view_if_needed()
    items, across, up = figure.evaluate(POINT)
    page.mouse.move(across - 1, up + 1)
    page.wait_for_timeout(200)
    with acting(page):
        page.mouse.click(across, up)
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text(f"{items} items · 4 of 8 raters each")
    asked = parse_qs(urlsplit(page.url).query)
    assert (asked["plan_items"], asked["plan_ratings"]) == ([str(items)], ["4"])
    slider = page.get_by_role("slider", name="Items")
    slider.focus()
    with acting(page):
        page.keyboard.press("ArrowRight")
    expect(main).to_contain_text(f"{items + 1} items · 4 of 8 raters each")

    page.get_by_role("button", name="Settings").click()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Template (CSV)").click()
    rows = pd.read_csv(downloading.value.path())
    assert len(rows) == 2 * 4 * (items + 1), "under two systems"
    assert rows["rater_id"].nunique() == 8


def test_what_to_collect_next_is_downloaded_as_rows_to_fill_in(visitor: Visitor) -> None:
    page = visitor.open("/planning?d=sample-summaries&measures=focus&collect_more=24")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Further targeted ratings bring every item's mean to")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Assignments (CSV)").click()
    rows = pd.read_csv(downloading.value.path())
    assert len(rows) == 24
    assert not rows.duplicated(["item_id", "rater_id"]).any()
    assert rows["score"].isna().all()
    assert (rows["measure"] == "focus").all()


@pytest.mark.parametrize(
    "asked",
    [
        "sample-summaries&plan=How+precise%3F",
        "sample-assessors&plan=How+precise%3F&plan_precise=a+system's+mean",
        "sample-assessors&plan=What+to+collect+next",
    ],
)
def test_controls_of_a_plan_stand_in_one_row(visitor: Visitor, asked: str) -> None:
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    page = visitor.open(f"/planning?d={asked}")
    settings = page.get_by_test_id("stMain").get_by_role("button", name="Settings").bounding_box()
    first = page.get_by_test_id("stMain").get_by_test_id("stSelectbox").first.bounding_box()
    assert settings is not None
    assert first is not None
    assert settings["y"] < first["y"] + first["height"]
    page.set_viewport_size({"width": 1366, "height": 900})
