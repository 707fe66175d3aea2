"""Take the README's picture: `python -m tests.browser.picture` writes docs/screenshot.png.

It shows the Repetitions page of the default sample in the light theme, in a window of 1440 by 900.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import FLAGS, ROOT, chromium_path, new_visitor, settle, start_server

PICTURE = ROOT / "docs" / "screenshot.png"
WIDTH, HEIGHT = 1440, 900
VIEW = "/repetitions?d=sample-summaries"


def take(path: Path = PICTURE) -> None:
    """Start a server with the samples, open the page, wait for its intervals and save the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = start_server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            size = {"width": WIDTH, "height": HEIGHT}
            page = new_visitor(browser, server, viewport=size, color_scheme="light").open(VIEW)
            expect(page.get_by_text("95% CI").first).to_be_visible()
            expect(page.locator(".js-plotly-plot").first).to_be_visible()
            settle(page)
            page.screenshot(path=path)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    take()
