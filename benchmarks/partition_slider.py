"""One step of the group size on the sample: the Relevance page against a bare script with ready numbers.

The clock is that of `benchmarks.slider`, stopped when the distributions stand for the first time: the page adds
their intervals to the same picture later. Every step asks for a size and a seed not seen before, in both; the page
works out all sizes ahead, once it has drawn the first.
"""

import os
import pickle
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.ratio import Ratio
from benchmarks.slider import CLOCK, start_bare
from charts.parts.theme import CONFIG
from tests.browser.conftest import FLAGS, chromium_path, settle, start_server

SAMPLE = "sample-relevance"
SEEDS = (1, 2, 3, 4)
SIZES = range(1, 9)
LIMIT = 1.3
FIRST_STAND = CLOCK.replace(
    "window.__clock.stands = performance.now();",
    "window.__clock.stands = window.__clock.stands || performance.now();",
)


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        figures = Path(folder) / "figures.pickle"
        figures.write_bytes(pickle.dumps({"config": CONFIG, "figures": ready_figures(Path(folder))}))
        app = start_server(Path(folder))
        bare, bare_url = start_bare("benchmarks/partition_slider_bare.py", figures)
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        steps = []
        try:
            for seed in SEEDS:
                address = (
                    f"{app.url}/relevance?d={SAMPLE}&about=Partitions&group_size=1&partition_seed={seed}"
                )
                pages = []
                for url in (address, f"{bare_url}?seed={seed}"):
                    page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
                    page.goto(url)
                    settle(page)
                    page.wait_for_timeout(3000)
                    page.evaluate(FIRST_STAND)
                    pages.append(page)
                steps += [[_step(page, size) for page in pages] for size in SIZES[1:] if size not in (2, 4)]
                for page in pages:
                    page.context.close()
        finally:
            browser.close()
            bare.terminate()
            app.stop()
    whole, alone = (statistics.median(step[which] for step in steps) for which in (0, 1))
    yield Ratio(
        f"one document more per group until the distributions stand ({whole:.0f} ms)",
        f"bare script with ready numbers ({alone:.0f} ms)",
        whole / alone,
        LIMIT,
        "at most",
    )


def ready_figures(folder: Path) -> dict[tuple[int, int], dict[str, object]]:
    """The page's own picture for every seed and group size, before its intervals."""
    os.environ["RATERSCOPE_DATABASE"] = str(folder / "ready.duckdb")
    from analysis.relevance.partitions import PartitionSpec
    from findings.relevance.partitions import Drawn
    from findings.relevance.surrogates import PREDICTION
    from findings.study import ALL_GROUPS, Study
    from panels.parts.store import store
    from panels.relevance import partitions as panel
    from panels.relevance.rows import main_rows

    dataset = store().by_key(SAMPLE)
    study = Study(SAMPLE, dataset, dataset, (), (), ALL_GROUPS, None, None, ())
    judged = main_rows(study)
    asked = panel.Asked(study, judged, study.dataset.named("item number")[0], PREDICTION)
    figures = {}
    for seed in SEEDS:
        for size in SIZES:
            spec = PartitionSpec((size,), 10_000, seed, judged.full_text)
            partitioned = panel.study_of(asked, spec)
            if partitioned is None:
                raise RuntimeError(f"partitions into groups of {size} were stopped")
            figures[seed, size] = panel.figure(judged, Drawn(partitioned))
    store().close()
    return figures


def _step(page: Page, expected: int) -> float:
    """Milliseconds from key down until the distributions stand."""
    page.bring_to_front()
    slider = page.get_by_role("slider").first
    slider.focus()
    while int(slider.input_value()) < expected - 1:  # the sizes of the table are known already: not measured
        page.keyboard.press("ArrowRight")
        settle(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.__clock.stands > 0", timeout=30_000)
    page.wait_for_timeout(300)
    settle(page)
    if slider.input_value() != str(expected):
        raise RuntimeError(f"the slider stands at {slider.input_value()} instead of {expected}")
    clock = page.evaluate("() => window.__clock")
    return clock["stands"] - clock["down"]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
