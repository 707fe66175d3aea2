"""Time of `simulate`, compared with the loop over scipy that a user would write, and that both agree.

The study has the paper's size: 9 measures x 50 items x 24 ratings, scores 1 to 5. The loop is timed on some
of the orders (each costs the same) in turns with `simulate` on all of them, which draws its orders anew in
every run.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from analysis.repetitions.rating_orders import clear_caches
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.values.ratings import Ratings
from benchmarks.ratio import Ratio, median_seconds

MEASURES, ITEMS, RATINGS, SHUFFLES = 9, 50, 24, 1000
LOOPED = 2
RUNS = 7


def study(seed: int) -> tuple[Ratings, dict[int, float]]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(3.5, 0.6, ITEMS)
    item = np.repeat(np.arange(ITEMS), RATINGS)
    score = np.clip(np.rint(quality[item] + rng.normal(0, 1, len(item))), 1, 5)
    reference = quality + rng.normal(0, 0.2, ITEMS)
    return Ratings(item, rng.integers(0, 46, len(item)), score), dict(enumerate(reference.tolist()))


def loop(
    ratings: Ratings, reference: dict[int, float], orders_of_items: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the correlations of the reference with the means of the first r ratings of each item, for each r and
    order."""
    reference_values = np.array([reference[item] for item in range(ITEMS)])
    curves = np.empty((len(orders_of_items), RATINGS))
    for s, order in enumerate(orders_of_items):
        scores = ratings.score[order]
        for r in range(1, RATINGS + 1):
            curves[s, r - 1] = spearmanr(scores[:, :r].mean(axis=1), reference_values).statistic
    return curves


def rows() -> list[Ratio]:
    studies = [study(seed) for seed in range(MEASURES)]
    looped_spec = RepetitionSpec(shuffles=LOOPED)
    all_orders = [orders(ratings, looped_spec) for ratings, _ in studies]
    for (ratings, reference), order in zip(studies, all_orders, strict=True):
        expected = loop(ratings, reference, order)
        np.testing.assert_allclose(
            simulate(ratings, reference, looped_spec).shuffled, expected, atol=1e-12, rtol=0
        )

    def looped() -> None:
        for (ratings, reference), order in zip(studies, all_orders, strict=True):
            loop(ratings, reference, order)

    def simulated(shuffles: int) -> None:
        clear_caches()
        for ratings, reference in studies:
            simulate(ratings, reference, RepetitionSpec(shuffles=shuffles))

    loop_seconds, our_seconds = median_seconds(RUNS, looped, partial(simulated, SHUFFLES))
    return [
        Ratio(
            f"`simulate`, {MEASURES} measures x {ITEMS} items x {RATINGS} ratings x {SHUFFLES} shuffles",
            "a loop over `scipy.stats.spearmanr`, equal to 1e-12",
            loop_seconds / LOOPED * SHUFFLES / our_seconds,
            150,
            "at least",
        )
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
