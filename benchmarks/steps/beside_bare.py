"""One step of a slider: the page compared with a bare script that draws the page's figures from precomputed numbers.

The clock runs inside the page: from key down to two frames after the last trace of the main figure has changed. Page
and bare script take turns in one browser. Every step asks for a place of the slider, or a seed, not seen before, so
nothing comes from a cache.
"""

import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.ratio import Ratio
from features.plotting.theme import CONFIG
from tests.browser.conftest import FLAGS, ROOT, chromium_path, free_port, settle, start_server

CLOCK = """() => {
    window.__clock = {down: 0, stands: 0, rest: 0};
    document.addEventListener('keydown', () => {
        window.__clock = {down: performance.now(), stands: 0, rest: 0};
    }, true);
    new MutationObserver(changes => {
        if (!window.__clock.down) return;
        window.__clock.rest = performance.now();
        const plot = document.querySelector('.js-plotly-plot');
        const drawn = plot && changes.some(c => plot.contains(c.target) && c.target.closest?.('.trace') &&
            (c.type === 'childList' || (c.attributeName === 'd' && c.target.getAttribute('d') !== c.oldValue)));
        if (drawn) requestAnimationFrame(() => requestAnimationFrame(() => {
            window.__clock.stands = performance.now();
        }));
    }).observe(document.body, {subtree: true, childList: true, characterData: true,
        attributes: true, attributeFilter: ['d'], attributeOldValue: true});
}"""
CLOCK_OF_FIRST_DRAWING = CLOCK.replace(
    "window.__clock.stands = performance.now();",
    "window.__clock.stands = window.__clock.stands || performance.now();",
)
"""For a page that adds to the same picture later."""

MAX_RATIO = 1.6
"""Limit of a step's median, as a multiple of the bare script's."""
MAX_SECONDS = 0.3
"""Limit of the step that 95 of 100 do not exceed."""


@dataclass(frozen=True)
class BareSlider:
    """Content of the bare script: a title, a slider from `least` to `most` that begins at `first`, and the page's own
    figures by seed and place of the slider."""

    title: str
    label: str
    least: int
    most: int
    first: int
    figures: Mapping[tuple[int, int], Mapping[str, object]]


@dataclass(frozen=True)
class Step:
    """Milliseconds from key down until the main figure, and until everything on the page, stands."""

    figure: float
    all: float


def compare_with_bare(description: str, steps: Sequence[tuple[Step, Step]]) -> Iterator[Ratio]:
    """Compare when the main figure stands: the median with the bare script, the 95th percentile with `MAX_SECONDS`."""
    page, bare_script = ([step.figure for step in each] for each in zip(*steps, strict=True))
    page_median, bare_median = statistics.median(page), statistics.median(bare_script)
    yield Ratio(
        f"{description} ({page_median:.0f} ms)",
        f"bare script with ready numbers ({bare_median:.0f} ms)",
        page_median / bare_median,
        MAX_RATIO,
        "at most",
    )
    slow = statistics.quantiles(page, n=20, method="inclusive")[18] / 1000
    yield Ratio(f"{description}, p95 ({slow:.2f} s)", f"{MAX_SECONDS:g} s", slow / MAX_SECONDS, 1, "at most")


def measure_steps(
    ready: Callable[[Path], BareSlider],
    address: str,
    seeds: Sequence[int],
    positions: Sequence[int],
    clock: str = CLOCK,
) -> Iterator[tuple[Step, Step]]:
    """Each step on the page at `address` (of a server, with `{seed}`) and in the bare script, which `ready` fills."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        slider = ready(Path(folder))
        app = start_server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            with run_bare_script("slider_bare.py", Path(folder), asdict(slider)) as url:
                for seed in seeds:
                    context = browser.new_context(viewport={"width": 1366, "height": 900})
                    pages = open_with_clock(
                        context, app.url + address.format(seed=seed), f"{url}?seed={seed}", clock=clock
                    )
                    for position in positions:
                        page_step, bare_step = (_measure_step(page, position) for page in pages)
                        yield page_step, bare_step
                    context.close()
        finally:
            browser.close()
            app.stop()


def open_with_clock(context: BrowserContext, *urls: str, clock: str = CLOCK) -> list[Page]:
    """Open pages, each with the clock."""
    pages = []
    for url in urls:
        page = context.new_page()
        page.goto(url)
        settle(page)
        page.wait_for_timeout(3000)
        page.evaluate(clock)
        pages.append(page)
    return pages


@contextmanager
def run_bare_script(script: str, folder: Path, values: Mapping[str, object]) -> Iterator[str]:
    """Run a bare script that reads its figures and settings from a file, and yield its address."""
    file = folder / "bare.pickle"
    file.write_bytes(pickle.dumps({"config": CONFIG} | dict(values)))
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", f"benchmarks/steps/{script}", "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | {"RATERSCOPE_BENCHMARK_FIGURES": str(file)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield _wait_until_running(f"http://localhost:{port}")
    finally:
        process.terminate()


def _wait_until_running(url: str) -> str:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return url
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the bare script did not start")


def _measure_step(page: Page, position: int) -> Step:
    """Measure the step to a place from the one before it; earlier steps are not measured, as they may be cached."""
    page.bring_to_front()
    slider = page.get_by_role("slider").first
    slider.focus()
    while int(slider.input_value()) < position - 1:
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        settle(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.__clock.stands > 0", timeout=30_000)
    page.wait_for_timeout(300)
    settle(page)
    if slider.input_value() != str(position):
        raise RuntimeError(f"the slider stands at {slider.input_value()} instead of {position}")
    clock = page.evaluate("() => window.__clock")
    return Step(clock["stands"] - clock["down"], clock["rest"] - clock["down"])
