"""One step of the shuffles slider on the sample: the whole page against a bare script with ready numbers.

Every step shows a number of shuffles not seen before. The second row is the time until the rest of the page stands.
"""

import statistics
from collections.abc import Iterator
from pathlib import Path

from analysis.repetitions.knee import fit_curves
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.ratings import Ratings
from benchmarks.ratio import Ratio
from benchmarks.steps.beside_bare import CLOCK, BareSlider, compare_with_bare, measure_steps
from data.samples import SAMPLES
from data.store.store import Store
from features.plotting.theme import GROUP_COLOURS, Look
from features.repetitions.figures import repetition_curves

STEPS = 30
WARM_UP_STEPS = 3
FIRST = 200
MAX_SECONDS_OF_OTHERS = 0.5
CURVES = "[class*=st-key-repetitions-curves-] .js-plotly-plot, .st-key-figure .js-plotly-plot"
"""Main figure of the page, which is its second, and that of the bare script."""


def rows() -> Iterator[Ratio]:
    positions = range(FIRST + 1, FIRST + 1 + WARM_UP_STEPS + STEPS)
    clock = CLOCK.replace("querySelector('.js-plotly-plot')", f"querySelector('{CURVES}')")
    steps = list(measure_steps(prepare_figures, "/repetitions", (0,), positions, clock))[WARM_UP_STEPS:]
    yield from compare_with_bare("slider step until the main figure stands", steps)
    remaining = statistics.median(max(page.all - page.figure, 0) for page, _ in steps) / 1000
    yield Ratio(
        f"rest of the page after it ({remaining:.2f} s)",
        f"{MAX_SECONDS_OF_OTHERS:g} s",
        remaining / MAX_SECONDS_OF_OTHERS,
        1,
        "at most",
    )


def prepare_figures(folder: Path) -> BareSlider:
    """Return the page's main figure for every number of shuffles in the run."""
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
        figures[0, shuffles] = repetition_curves(fitted, "Spearman's ρ with lab", GROUP_COLOURS[0], Look())
    return BareSlider("Repetitions", "Shuffles", 1, 1000, FIRST, figures)


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
