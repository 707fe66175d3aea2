"""One step of a slider: the whole page against a bare script that draws the page's own pictures from ready numbers.

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
FIRST_STAND = CLOCK.replace(
    "window.__clock.stands = performance.now();",
    "window.__clock.stands = window.__clock.stands || performance.now();",
)
"""For a page that adds to the same picture later."""

MOST_TIMES_BARE = 1.6
"""Limit of a step's median, as a multiple of the bare script's."""
MOST_SECONDS = 0.3
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


def compared(what: str, taken: Sequence[tuple[Step, Step]]) -> Iterator[Ratio]:
    """Compare when the main figure stands: the median with the bare script, the 95th percentile with `MOST_SECONDS`."""
    page, bare = ([step.figure for step in each] for each in zip(*taken, strict=True))
    whole, alone = statistics.median(page), statistics.median(bare)
    yield Ratio(
        f"{what} ({whole:.0f} ms)",
        f"bare script with ready numbers ({alone:.0f} ms)",
        whole / alone,
        MOST_TIMES_BARE,
        "at most",
    )
    slow = statistics.quantiles(page, n=20, method="inclusive")[18] / 1000
    yield Ratio(f"{what}, p95 ({slow:.2f} s)", f"{MOST_SECONDS:g} s", slow / MOST_SECONDS, 1, "at most")


def steps(
    ready: Callable[[Path], BareSlider],
    address: str,
    seeds: Sequence[int],
    places: Sequence[int],
    clock: str = CLOCK,
) -> Iterator[tuple[Step, Step]]:
    """Each step on the page at `address` (of a server, with `{seed}`) and in the bare script, which `ready` fills."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        slider = ready(Path(folder))
        app = start_server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            with bare("slider_bare.py", Path(folder), asdict(slider)) as url:
                for seed in seeds:
                    context = browser.new_context(viewport={"width": 1366, "height": 900})
                    pages = clocked(
                        context, app.url + address.format(seed=seed), f"{url}?seed={seed}", clock=clock
                    )
                    for place in places:
                        whole, alone = (_step(page, place) for page in pages)
                        yield whole, alone
                    context.close()
        finally:
            browser.close()
            app.stop()


def clocked(context: BrowserContext, *urls: str, clock: str = CLOCK) -> list[Page]:
    """Pages that stand, each with the clock in it."""
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
def bare(script: str, folder: Path, shown: Mapping[str, object]) -> Iterator[str]:
    """The address of a bare script that finds what it shows, and the pictures' settings, in a file."""
    file = folder / "bare.pickle"
    file.write_bytes(pickle.dumps({"config": CONFIG} | dict(shown)))
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", f"benchmarks/steps/{script}", "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | {"RATERSCOPE_BENCHMARK_FIGURES": str(file)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield _answering(f"http://localhost:{port}")
    finally:
        process.terminate()


def _answering(url: str) -> str:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return url
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the bare script did not start")


def _step(page: Page, place: int) -> Step:
    """Moves to the place before it unmeasured: what lies between may be known already."""
    page.bring_to_front()
    slider = page.get_by_role("slider").first
    slider.focus()
    while int(slider.input_value()) < place - 1:
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        settle(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.__clock.stands > 0", timeout=30_000)
    page.wait_for_timeout(300)
    settle(page)
    if slider.input_value() != str(place):
        raise RuntimeError(f"the slider stands at {slider.input_value()} instead of {place}")
    clock = page.evaluate("() => window.__clock")
    return Step(clock["stands"] - clock["down"], clock["rest"] - clock["down"])
