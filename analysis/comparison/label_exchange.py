"""Does one group rate higher? The raters' group labels exchanged, where every rater rated every item.

The difference is studentised anew in each exchange: plain differences are exchanged validly only where both groups
are alike in everything, and with unequal workloads they are not.
"""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.level_tests import NO_SPREAD, Tails
from analysis.resampling.pigeonhole import Side
from analysis.values.types import Floats, OnProgress

BLOCK = 500
UNEQUAL = "labels can be exchanged only where every rater rated every item; workloads are unequal here"
SHARED = "somebody rated in both groups, so that labels cannot be exchanged freely"
FEWEST = 20
"""With fewer ways to label the raters no p below .05 can come out."""


def by_exchange(
    candidate: Side, reference: Side, exchanges: int, seed: int, on_progress: OnProgress = None
) -> tuple[Tails, str]:
    """p of the studentised mean difference under exchanged labels, all of them where they are fewer than asked for.

    Source: methods, section 1; Chung and Romano 2013, "Exact and asymptotically robust permutation tests".
    """
    if not reference.raters.size or not candidate.raters.size:
        return Tails(), "one side has no raters"
    if np.intersect1d(candidate.raters, reference.raters).size:
        return Tails(), SHARED
    if not (_complete(candidate) and _complete(reference)):
        return Tails(), UNEQUAL
    scores = np.hstack([_plain(candidate.sums), _plain(reference.sums)])
    first, raters = len(candidate.raters), scores.shape[1]
    ways = comb(raters, first)
    if ways < FEWEST or min(first, raters - first) < 2:
        return Tails(), f"there are only {ways} ways to label the raters"
    own = float(_studentised(scores, np.arange(raters)[:, None] < first)[0])
    if np.isnan(own):
        return Tails(), NO_SPREAD
    every = ways <= exchanges
    drawn: list[Floats] = []
    for labels in _all_labels(raters, first) if every else _random_labels(raters, first, exchanges, seed):
        drawn.append(_studentised(scores, labels))
        if on_progress is not None:
            on_progress(sum(map(len, drawn)) / min(ways, exchanges))
    t = np.nan_to_num(np.concatenate(drawn))
    dust = 1e-9 * max(abs(own), 1.0)
    as_far = np.abs(t) >= abs(own) - dust, t <= own + dust, t >= own - dust
    more = 0 if every else 1
    tails = Tails(*((int(far.sum()) + more) / (t.size + more) for far in as_far))
    how = f"all {ways} ways" if every else f"{exchanges} random ways (seed {seed})"
    return tails, f"studentised difference under {how} to label the raters"


def _studentised(scores: Floats, labels: NDArray[np.bool_]) -> Floats:
    """(b,) t of the difference for labels (r, b), with the two-way variance of complete groups."""
    items = len(scores)
    of_rater = scores.mean(axis=0)
    means, of_raters = [], np.zeros(labels.shape[1])
    for group in (labels, ~labels):
        weight = group.astype(np.float64)
        k = weight.sum(axis=0)
        mean = scores @ weight / k
        centre = (of_rater @ weight) / k
        between_raters = ((of_rater**2) @ weight - k * centre**2) / (k - 1)
        whole = ((scores**2) @ weight).sum(axis=0) - k * (mean**2).sum(axis=0)
        rest = (whole - items * (k - 1) * between_raters) / ((items - 1) * (k - 1))
        of_raters += np.maximum(between_raters - rest / items, 0.0) / k
        means.append(mean)
    difference = means[0] - means[1]
    variance = difference.var(axis=0, ddof=1) / items + of_raters
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 0, difference.mean(axis=0) / np.sqrt(variance), np.nan))


def _all_labels(raters: int, first: int) -> list[NDArray[np.bool_]]:
    labels = np.zeros((raters, comb(raters, first)), dtype=np.bool_)
    for place, chosen in enumerate(combinations(range(raters), first)):
        labels[list(chosen), place] = True
    return [labels]


def _random_labels(raters: int, first: int, exchanges: int, seed: int) -> list[NDArray[np.bool_]]:
    rng = np.random.default_rng([seed, 1])
    sizes = [min(BLOCK, exchanges - start) for start in range(0, exchanges, BLOCK)]
    return [rng.permuted(np.tile(np.arange(raters)[:, None] < first, size), axis=0) for size in sizes]


def _complete(side: Side) -> bool:
    return bool((_plain(side.counts) == 1).all())


def _plain(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
