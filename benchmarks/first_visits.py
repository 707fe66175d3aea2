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

from playwright.sync_api import Browser, sync_playwright

from benchmarks.ratio import Ratio
from data.samples import SAMPLES
from panels.visit.pages import PAGES, START
from tests.browser.conftest import FLAGS, chromium_path, new_context, settle, start_server

FIRST, SECOND = 2.5, 1.0
"""Seconds, as limits of the slowest page."""
WITHOUT_PICTURE = ("study_report.py",)
STANDS = """what => {
    if (window.__stood) return window.__stood;
    if (document.querySelector(what))
        requestAnimationFrame(() => requestAnimationFrame(() => { window.__stood ||= performance.now(); }));
    return false;
}"""
PICTURE, FINDING = ".js-plotly-plot .trace", "[data-testid=stMain] [data-testid=stHtml]"


def rows() -> Iterator[Ratio]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        taken = [
            visited(
                chromium,
                f"{'' if entry is START else entry.address}?d={sample.key}",
                _looked_for(entry.script),
            )
            for sample in SAMPLES
            for entry in PAGES
            if entry.needs_dataset and sample.kind in entry.kinds
        ]
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


def _looked_for(script: str) -> str:
    return FINDING if script in WITHOUT_PICTURE else PICTURE


def visited(chromium: Browser, address: str, looked_for: str) -> tuple[float, float]:
    """Seconds of both visits."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder))
        context = new_context(chromium)
        page = context.new_page()
        seconds = []
        try:
            for _ in range(2):
                page.goto("about:blank")
                page.goto(f"{server.url}/{address}", wait_until="commit")
                stood = page.wait_for_function(STANDS, arg=looked_for, polling="raf", timeout=120_000)
                seconds.append(stood.json_value() / 1000)
                settle(page)
        finally:
            context.close()
            server.stop()
    sys.stderr.write(f"({address}: {seconds[0]:.2f} s, {seconds[1]:.2f} s)\n")
    return seconds[0], seconds[1]
