"""The first visit of each page of each sample on a server that was just started, and the second one.

The clock is the browser's own, from the start of the navigation to two frames after the main picture (or, where a page
has none, its finding) stands there. Every first visitor's browser is new and has no program of the page; the second
visit is that browser's.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

from benchmarks.ratio import Ratio
from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from tests.browser.conftest import FLAGS, chromium_path, new_context, settle, start_server

FIRST, SECOND = 2.5, 1.0
"""Seconds, as limits of the slowest page."""
CLOCK = """
const stands = window.__stands = {};
const places = {
    picture: '.js-plotly-plot :is(.trace, .hm, .point)',
    finding: '[data-testid=stMain] [data-testid=stHtml]',
};
(function look() {
    for (const [name, place] of Object.entries(places))
        if (!(name in stands) && document.querySelector(place)) {
            stands[name] = null;
            requestAnimationFrame(() => requestAnimationFrame(() => { stands[name] = performance.now(); }));
        }
    requestAnimationFrame(look);
})();
"""


def rows() -> Iterator[Ratio]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        studies = [sample.key for sample in SAMPLES if KINDS[sample.kind].study]
        taken = [time_visits(chromium, address) for key in studies for address in list_pages(chromium, key)]
        chromium.close()
    for which, limit, seconds in zip(
        ("first", "second"), (FIRST, SECOND), zip(*taken, strict=True), strict=True
    ):
        for name, found in (("slowest", max(seconds)), ("median", statistics.median(seconds))):
            yield Ratio(
                f"{which} visit of a sample's page, {name} of {len(seconds)} ({found:.2f} s)",
                f"{limit:g} s",
                found / limit,
                1,
                "at most",
            )


def list_pages(chromium: Browser, key: str) -> list[str]:
    """Return the addresses of the pages with figures that the sidebar lists for a sample."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder))
        context = new_context(chromium)
        page = context.new_page()
        page.goto(f"{server.url}/overview?d={key}")
        settle(page)
        links = page.get_by_test_id("stSidebarNavItems").get_by_role("link").all()
        paths = [urlsplit(link.get_attribute("href") or "").path.strip("/") for link in links]
        context.close()
        server.stop()
    return [f"{path}?d={key}" for path in paths if path != "data"]


def time_visits(chromium: Browser, address: str) -> tuple[float, float]:
    """Return the seconds of both visits."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder))
        context = new_context(chromium)
        context.add_init_script(CLOCK)
        page = context.new_page()
        seconds = []
        try:
            for _ in range(2):
                page.goto("about:blank")
                page.goto(f"{server.url}/{address}", wait_until="commit")
                settle(page)
                stood = page.evaluate("() => window.__stands.picture ?? window.__stands.finding")
                seconds.append(stood / 1000)
        finally:
            context.close()
            server.stop()
    sys.stderr.write(f"({address}: {seconds[0]:.2f} s, {seconds[1]:.2f} s)\n")
    return seconds[0], seconds[1]
