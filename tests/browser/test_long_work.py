"""Long work shows its progress, the picture stands before it, and it can be stopped and taken up again."""

from playwright.sync_api import expect

from tests.browser.conftest import Visitor, settle


def test_long_work_can_be_stopped_and_resumed(visitor: Visitor) -> None:
    page = visitor.page
    page.goto(f"{visitor.base}/crowd-vs-lab?draws=8000&permutations=8000")
    stop = page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)
    expect(stop).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    stop.click()
    expect(page.get_by_text("Intervals and tests: stopped.")).to_be_visible()
    settle(page)
    assert page.get_by_test_id("stDataFrame").count() == 0
    page.get_by_role("button", name="Compute it").click()
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible(timeout=120_000)
