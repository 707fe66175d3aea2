"""One step of the shuffles slider on the sample: the whole page against a bare script with ready numbers.

The clock runs inside the page: from key down to two frames after the last trace of the main figure has
changed. Every step shows a number of shuffles not seen before, so nothing comes from a cache; page and bare
script take turns in one browser. The second row is the time until the rest of the page stands.
"""

import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from analysis.repetitions.fitted_curves import fit_curves
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.ratings import Ratings
from benchmarks.ratio import Ratio
from charts.parts.theme import CONFIG, GROUP_COLOURS, Look
from charts.repetitions.curves import repetitions
from data.samples import SAMPLES
from data.store.store import Store
from tests.browser.conftest import FLAGS, ROOT, chromium_path, free_port, settle, start_server

STEPS = 30
FIRST = 200
LIMIT = 1.3
REST_LIMIT = 2.0

CLOCK = """() => {
    window.__clock = {down: 0, stands: 0, rest: 0};
    document.addEventListener('keydown', () => {
        window.__clock = {down: performance.now(), stands: 0, rest: 0};
    }, true);
    const inPlot = node => node.nodeType === 1 && node.closest('.js-plotly-plot') &&
        document.querySelector('.js-plotly-plot') === node.closest('.js-plotly-plot');
    new MutationObserver(changes => {
        if (!window.__clock.down) return;
        window.__clock.rest = performance.now();
        const drawn = changes.some(c => inPlot(c.target) && c.target.closest('.trace') &&
            (c.type === 'childList' || (c.attributeName === 'd' && c.target.getAttribute('d') !== c.oldValue)));
        if (drawn) requestAnimationFrame(() => requestAnimationFrame(() => {
            window.__clock.stands = performance.now();
        }));
    }).observe(document.body, {subtree: true, childList: true, characterData: true,
        attributes: true, attributeFilter: ['d'], attributeOldValue: true});
}"""


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        figures = Path(folder) / "figures.pickle"
        figures.write_bytes(pickle.dumps({"config": CONFIG, "figures": ready_figures(Path(folder))}))
        app = start_server(Path(folder))
        bare, bare_url = start_bare("benchmarks/slider_bare.py", figures)
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            pages = []
            for url in (f"{app.url}/repetitions", bare_url):
                page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
                page.goto(url)
                settle(page)
                page.locator(".js-plotly-plot").first.wait_for()
                page.wait_for_timeout(3000)
                page.evaluate(CLOCK)
                pages.append(page)
            steps = [[_step(page, FIRST + at + 1) for page in pages] for at in range(STEPS + 3)][3:]
        finally:
            browser.close()
            bare.terminate()
            app.stop()
    whole, alone = (statistics.median(step[which][0] for step in steps) for which in (0, 1))
    yield Ratio(
        f"slider step until the main figure stands ({whole:.0f} ms)",
        f"bare script with ready numbers ({alone:.0f} ms)",
        whole / alone,
        LIMIT,
        "at most",
    )
    rest = statistics.median(max(step[0][1] - step[0][0], 0) for step in steps) / 1000
    yield Ratio("rest of the page after it, seconds", "1 second", rest, REST_LIMIT, "at most")


def ready_figures(folder: Path) -> dict[int, dict[str, object]]:
    """The page's own main figure for every number of shuffles that the run will ask for."""
    with Store(folder / "ready.duckdb") as store:
        dataset = store.ensure_samples()[SAMPLES[0].key]
        cells = store.query(dataset, "cells")
        measures = list(dict.fromkeys(cells["measure"].tolist()))
        rated = {}
        for measure in measures:
            for group in ("crowd", "lab"):
                found = store.query(dataset, "ratings", measure=measure, group=group)
                rated[measure, group] = Ratings(found["item"], found["rater"], found["score"], found["order"])
    figures = {}
    for shuffles in range(FIRST, FIRST + STEPS + 5):
        curves = []
        for measure in measures:
            mos = rated[measure, "lab"].mos()
            reference = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
            curves.append(simulate(rated[measure, "crowd"], reference, RepetitionSpec(shuffles=shuffles)))
        fitted = fit_curves(measures, curves, sensitivity=1.0)
        figures[shuffles] = repetitions(fitted, "Spearman's ρ", GROUP_COLOURS[0], Look())
    return figures


def start_bare(script: str, figures: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A bare script that finds ready figures in that file, and its address."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | {"RATERSCOPE_BENCHMARK_FIGURES": str(figures)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://localhost:{port}"
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return process, url
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the bare script did not start")


def _step(page: Page, expected: int) -> tuple[float, float]:
    """Milliseconds from key down until the main figure, and until everything on the page, stands."""
    page.bring_to_front()
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.__clock.stands > 0", timeout=30_000)
    page.wait_for_timeout(300)
    settle(page)
    shown = page.get_by_role("slider").first.input_value()
    if shown != str(expected):
        raise RuntimeError(f"the slider stands at {shown} instead of {expected}")
    clock = page.evaluate("() => window.__clock")
    return clock["stands"] - clock["down"], clock["rest"] - clock["down"]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
