"""Time of drawn correlations of Crowd vs lab, compared with a loop of SciPy's, at the size of the sample `assessors`.

Both sides have 4,752 items; each draw takes items with replacement, as the page's bootstrap does. SciPy's
`spearmanr` and `kendalltau` are called on fewer draws and counted per draw; both are equal to 1e-12.
"""

import sys
import time

import numpy as np
from scipy import stats

from analysis.comparison.clusters import Belonging
from analysis.comparison.comparison import compare
from analysis.comparison.comparison_intervals import figures_of_samples
from analysis.values.ratings import Ratings
from benchmarks.ratio import Ratio, median_seconds
from data.samples import assessors

DRAWS, LOOPED, RUNS = 1_000, 40, 3
METRIC = "rouge2"


def rows() -> list[Ratio]:
    table = assessors.generate()
    studies = [study(table, measure) for measure in assessors.MEASURES]
    start = time.process_time()
    for ratings, metric, belonging in studies:
        compare(ratings, metric, belonging=belonging)
    print(
        f"(all intervals and tests of {len(studies)} measures: {time.process_time() - start:.1f} s of CPU)",
        file=sys.stderr,
    )
    ratings, metric, _ = studies[0]
    items, means, _ = ratings.mos()
    pairs = np.stack([means, [metric[item] for item in items.tolist()]])
    samples = pairs[:, np.random.default_rng(0).integers(0, len(items), (DRAWS, len(items)))]
    np.testing.assert_allclose(
        np.tanh(figures_of_samples(*samples)[[0, 2], :LOOPED]), loop(samples), atol=1e-12
    )
    our_seconds, scipy_seconds = median_seconds(
        RUNS, lambda: figures_of_samples(*samples), lambda: loop(samples)
    )
    scipy_seconds *= DRAWS / LOOPED
    return [
        Ratio(
            f"{DRAWS:,} draws of {len(items):,} items, six figures ({our_seconds:.2f} s)",
            f"`scipy.stats.spearmanr` and `kendalltau` on each draw ({scipy_seconds:.1f} s), equal to 1e-12",
            scipy_seconds / our_seconds,
            2,
            "at least",
        )
    ]


def study(table: dict[str, np.ndarray], measure: str) -> tuple[Ratings, dict[str, float], Belonging]:
    """Return the ratings of one measure, an automatic metric of the items, and the clusters of items."""
    part = {name: of[table["measure"] == measure] for name, of in table.items()}
    items, first = np.unique(part["item_id"], return_index=True)
    system, topic = (np.unique(part[name][first], return_inverse=True)[1] for name in ("system", "topic"))
    metric = dict(zip(items.tolist(), part[METRIC][first].tolist(), strict=True))
    return Ratings(part["item_id"], part["rater_id"], part["score"]), metric, Belonging(items, system, topic)


def loop(samples: np.ndarray) -> np.ndarray:
    """Return Spearman's and Kendall's correlations of the first bootstrap samples (2, LOOPED), in a loop."""
    both = stats.spearmanr, stats.kendalltau
    return np.array([[of(x, y).statistic for x, y in zip(*samples[:, :LOOPED], strict=True)] for of in both])


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
