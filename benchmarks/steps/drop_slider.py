"""One step of the slider 'Drop the least reliable' on the sample: the whole page against a bare script.

Every step asks for a number of workers and a seed not seen before, in both; the other methods' intervals are on
the cache, as they are for someone who moves the slider.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analysis.systems.preference import DROPPED, METHODS, PreferenceSpec, preference
from analysis.values.votes import Lists, Votes
from benchmarks.ratio import Ratio
from benchmarks.steps.beside_bare import BareSlider, compare_with_bare, measure_steps
from data.store.store import Store
from features.plotting.theme import Look
from features.systems.pairs_section import share_dots

SAMPLE = "sample-comparisons"
PAIR = ("AW", "UI")
SEEDS = (1, 2, 3, 4)
WORKERS = 10


def rows() -> Iterator[Ratio]:
    address = f"/systems?d={SAMPLE}&about=Any+two+systems&dropped=0&preference_seed={{seed}}"
    steps = list(measure_steps(prepare_figures, address, SEEDS, range(1, WORKERS)))
    yield from compare_with_bare("dropping one more worker until the figure stands", steps)


def prepare_figures(folder: Path) -> BareSlider:
    """Return the page's figures of both designs for every seed and number of workers dropped."""
    with Store(folder / "ready.duckdb") as store:
        dataset = store.ensure_samples()[SAMPLE]
        choices = store.query(dataset, "choices")
        systems = store.query(dataset, "options")["name"].tolist()
        designs = store.query(dataset, "designs")["name"].tolist()
    first, second = (systems.index(name) for name in PAIR)
    figures = {}
    for seed in SEEDS:
        shares = {}
        for dropped in range(WORKERS):
            for design, name in enumerate(designs):
                spec = PreferenceSpec(dropped=dropped, seed=seed)
                cached = shares.get((name, 0))
                votes, lists = _votes_of_pair(choices, design, {first, second})
                part = preference(votes, lists, spec, (DROPPED,) if cached else METHODS).shares
                shares[name, dropped] = {**(cached or {}), **part}
            by_design = {name: shares[name, dropped] for name in designs}
            figures[seed, dropped] = share_dots(by_design, PAIR[0], Look(), PreferenceSpec(dropped))
    return BareSlider("Workers", "Drop the least reliable", 0, WORKERS - 1, 0, figures)


def _votes_of_pair(choices: dict[str, np.ndarray], design: int, pair: set[int]) -> tuple[Votes, Lists]:
    """Return one design's votes on the pair by system: the first of the two names is option 0."""
    low = np.minimum(choices["first"], choices["second"])
    high = np.maximum(choices["first"], choices["second"])
    is_kept = (choices["design"] == design) & (low == min(pair)) & (high == max(pair))
    choice, is_first = choices["choice"][is_kept], choices["first"][is_kept] == min(pair)
    choice = np.where((choice < 2) & ~is_first, 1 - choice, choice)
    item, rater = (np.unique(choices[name][is_kept], return_inverse=True) for name in ("item", "rater"))
    options = 4 if (choice > 1).any() else 2
    votes = Votes(item[1], rater[1], choice, len(item[0]), len(rater[0]), options)
    return votes, Lists(0, 1, 2, 3) if options == 4 else Lists(0, 1)


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
