"""Toggling one assessor of eight on the sample: the whole page against a bare script with ready numbers.

The clock is that of `benchmarks.steps.beside_bare`: from the key that adds an assessor to two frames after the last
line of the slope chart has changed. Every step shows a set of assessors not seen before, in both.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import combinations, islice
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from analysis.assessors.consistency import Assessments
from analysis.assessors.exclusion import exclusion
from benchmarks.ratio import Ratio
from benchmarks.steps.beside_bare import Step, compare_with_bare, open_with_clock, run_bare_script
from data.store.store import Store
from features.plotting.theme import Look
from features.raters.exclusion_section import slopes
from tests.browser.conftest import FLAGS, chromium_path, settle, start_server

STEPS = 30
WARM_UP_STEPS = 3
SAMPLE = "sample-assessors"
MEASURE = "Readability"


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, ExitStack() as ending:
        ready, assessors = prepare_figures(Path(folder))
        app = start_server(Path(folder))
        ending.callback(app.stop)
        shown = {"figures": ready, "assessors": assessors}
        bare_url = ending.enter_context(run_bare_script("toggle_bare.py", Path(folder), shown))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        ending.callback(browser.close)
        context = browser.new_context(viewport={"width": 1366, "height": 900})
        pages = open_with_clock(context, f"{app.url}/assessors?d={SAMPLE}&question=What+if+they+go", bare_url)
        steps: list[tuple[Step, Step]] = []
        chosen: tuple[str, ...] = ()
        for subset in islice(_order_by_additions(assessors), WARM_UP_STEPS + STEPS):
            steps_of_pages = []
            for page in pages:
                for _ in range(len(chosen) - len(subset) + 1):
                    _press(page, "Backspace")
                steps_of_pages.append(_add(page, subset[-1]))
            chosen = subset
            steps.append((steps_of_pages[0], steps_of_pages[1]))
    yield from compare_with_bare("toggling one assessor until the slope chart stands", steps[WARM_UP_STEPS:])


def prepare_figures(folder: Path) -> tuple[dict[tuple[str, ...], dict[str, object]], list[str]]:
    """Return the page's slope chart for every set of assessors, and the assessors."""
    with Store(folder / "ready.duckdb") as store:
        dataset = store.ensure_samples()[SAMPLE]
        a = Assessments(MEASURE, **store.query(dataset, "assessments", measure=MEASURE, group="all ratings"))
        assessors = store.query(dataset, "rater_names")["name"].tolist()
        systems = store.query(dataset, "labels", column="system")["name"]
    figures = {}
    for size in range(1, len(assessors)):
        for excluded in combinations(range(len(assessors)), size):
            found = exclusion(*a.ranking, without=excluded)
            figures[tuple(assessors[at] for at in excluded)] = slopes(found, systems, "systems", Look())
    return figures, assessors


def _order_by_additions(assessors: list[str]) -> Iterator[tuple[str, ...]]:
    """Return new sets of assessors, each made from an earlier one by adding one; one assessor always stays."""

    def below(chosen: tuple[str, ...], remaining: list[str]) -> Iterator[tuple[str, ...]]:
        for index, name in enumerate(remaining):
            if len(chosen) + 1 < len(assessors):
                yield (*chosen, name)
                yield from below((*chosen, name), remaining[index + 1 :])

    return below((), assessors)


def _press(page: Page, key: str) -> None:
    _box(page).press(key)
    page.wait_for_timeout(200)
    settle(page)


def _add(page: Page, name: str) -> Step:
    """Return the time from the key that chooses the assessor until the slope chart stands."""
    page.bring_to_front()
    box = _box(page)
    box.click()
    box.fill(name)
    page.get_by_role("option", name=name, exact=True).wait_for()
    box.press("Enter")
    page.wait_for_function("() => window.__clock.stands > 0", timeout=30_000)
    page.wait_for_timeout(300)
    settle(page)
    clock = page.evaluate("() => window.__clock")
    return Step(clock["stands"] - clock["down"], clock["rest"] - clock["down"])


def _box(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_test_id("stMultiSelect").filter(has_text="Exclude raters").locator("input")


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
