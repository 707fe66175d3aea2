"""One step of the slider 'Drop the least reliable' on the sample: the whole page against a bare script.

The clock is that of `benchmarks.slider`: from key down to two frames after the main figure's bars have changed.
Every step asks for a number of workers and a seed not seen before, in both; the other methods' intervals are on
the shelf, as they are for someone who moves the slider.
"""

import pickle
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from analysis.values.votes import Lists, Votes
from analysis.workers.preference import DROPPED, METHODS, PreferenceSpec, preference
from benchmarks.ratio import Ratio
from benchmarks.slider import CLOCK, start_bare
from charts.parts.theme import CONFIG, Look, group_colour
from charts.workers.preference import preference_bars
from data.store.store import Store
from tests.browser.conftest import FLAGS, chromium_path, settle, start_server

SAMPLE = "sample-comparisons"
PAIR = ("AW", "UI")
SEEDS = (1, 2, 3, 4)
WORKERS = 10
LIMIT = 1.3


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        figures = Path(folder) / "figures.pickle"
        figures.write_bytes(pickle.dumps({"config": CONFIG, "figures": ready_figures(Path(folder))}))
        app = start_server(Path(folder))
        bare, bare_url = start_bare("benchmarks/drop_slider_bare.py", figures)
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        steps = []
        try:
            for seed in SEEDS:
                address = (
                    f"{app.url}/workers?d={SAMPLE}&about=Which+system+wins&dropped=0&preference_seed={seed}"
                )
                pages = []
                for url in (address, f"{bare_url}?seed={seed}"):
                    page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
                    page.goto(url)
                    settle(page)
                    page.wait_for_timeout(3000)
                    page.evaluate(CLOCK)
                    pages.append(page)
                steps += [[_step(page, n) for page in pages] for n in range(1, WORKERS)]
                for page in pages:
                    page.context.close()
        finally:
            browser.close()
            bare.terminate()
            app.stop()
    whole, alone = (statistics.median(step[which] for step in steps) for which in (0, 1))
    yield Ratio(
        f"dropping one more worker until the bars stand ({whole:.0f} ms)",
        f"bare script with ready numbers ({alone:.0f} ms)",
        whole / alone,
        LIMIT,
        "at most",
    )


def ready_figures(folder: Path) -> dict[tuple[int, int], dict[str, object]]:
    """The page's own picture of both designs for every seed and number of workers dropped."""
    with Store(folder / "ready.duckdb") as store:
        dataset = store.ensure_samples()[SAMPLE]
        found = store.query(dataset, "choices")
        systems = store.query(dataset, "options")["name"].tolist()
        designs = store.query(dataset, "designs")["name"].tolist()
    first, second = (systems.index(name) for name in PAIR)
    figures = {}
    for seed in SEEDS:
        shares = {}
        for dropped in range(WORKERS):
            for design, name in enumerate(designs):
                spec = PreferenceSpec(dropped=dropped, seed=seed)
                known = shares.get((name, 0))
                votes, lists = _votes(found, design, {first, second})
                part = preference(votes, lists, spec, (DROPPED,) if known else METHODS).shares
                shares[name, dropped] = {**(known or {}), **part}
            figures[seed, dropped] = preference_bars(
                [(name, shares[name, dropped]) for name in designs],
                PAIR,
                (group_colour(PAIR[0], systems), group_colour(PAIR[1], systems)),
                Look(),
                {DROPPED: f"least reliable {dropped} dropped"},
            )
    return figures


def _votes(found: dict[str, np.ndarray], design: int, pair: set[int]) -> tuple[Votes, Lists]:
    """One design's votes on the pair, told by system: the first of the two names is option 0."""
    low = np.minimum(found["first"], found["second"])
    high = np.maximum(found["first"], found["second"])
    kept = (found["design"] == design) & (low == min(pair)) & (high == max(pair))
    choice, shown = found["choice"][kept], found["first"][kept] == min(pair)
    choice = np.where((choice < 2) & ~shown, 1 - choice, choice)
    item, rater = (np.unique(found[name][kept], return_inverse=True) for name in ("item", "rater"))
    options = 4 if (choice > 1).any() else 2
    votes = Votes(item[1], rater[1], choice, len(item[0]), len(rater[0]), options)
    return votes, Lists(0, 1, 2, 3) if options == 4 else Lists(0, 1)


def _step(page: Page, expected: int) -> float:
    """Milliseconds from key down until the main figure stands."""
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
    return clock["stands"] - clock["down"]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
