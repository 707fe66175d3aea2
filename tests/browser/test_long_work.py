"""Long work shows its progress, the picture stands before it, and it can be stopped and taken up again."""

from playwright.sync_api import expect

from tests.browser.conftest import Visitor, settle


def test_long_work_can_be_stopped_and_resumed(visitor: Visitor) -> None:
    """The most draws take minutes unless they are stopped; tests/pages/parts/test_progress.py resumes to the end."""
    page = visitor.page
    page.goto(f"{visitor.base}/repetitions?draws=20000&shuffles=20")
    main = page.get_by_test_id("stMain")
    stop = main.get_by_role("button", name="Stop", exact=True)
    stopped = main.get_by_text("Intervals of the knees: stopped.")
    expect(stop).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    stop.click()
    expect(stopped).to_be_visible()
    expect(stop).to_be_hidden()
    settle(page)
    page.get_by_role("button", name="Compute it").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(stopped).to_be_hidden()
    stop.click()
    expect(stopped).to_be_visible()
    settle(page)
