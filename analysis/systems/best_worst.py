"""Best-worst choices: the counting score of each option with its interval, and the scores' split-half reliability."""

from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.stats import rankdata

from analysis.systems.ranked_options import DEFAULT_SCOPE, RankedOptions, RankingScope, clusters
from analysis.values.columns import coded
from analysis.values.estimate import InputError
from analysis.values.types import Codes, Floats

HALVES = 100
"""Random halves of the tuples."""


@dataclass(frozen=True, eq=False)
class BestWorstScores:
    """Counting scores of the S options of best-worst choices.

    `score` (S,) is (times best - times worst) / times shown, from -1 to 1, with `low` and `high`; `shown`, `best` and
    `worst` (S,) are counts. `inflation` (S,) is how many times as large as that of independent shares the variance of
    a score is. `reliability` is the mean Spearman correlation of the scores of two random halves of the tuples,
    `halves` all of them; NaN with a `reason` where it is undefined.
    """

    score: Floats
    low: Floats
    high: Floats
    shown: Codes
    best: Codes
    worst: Codes
    inflation: Floats
    reliability: float
    halves: Floats
    reason: str = ""


def best_worst_scores(
    ranked: RankedOptions,
    level: float = 0.95,
    seed: int = 0,
    raters_are_persons: bool = True,
    halves: int = HALVES,
    scope: RankingScope = DEFAULT_SCOPE,
) -> BestWorstScores:
    """Return the counting scores of best-worst choices with intervals, and their split-half reliability.

    Parameters
    ----------
    ranked : best-worst choices, (n,) ranks of S options: one best and one worst in each
    level : of the intervals
    seed : of the halves
    halves : number of random halves
    raters_are_persons : if not, choices of one rater are not known to be so
    scope : raters and tuples that intervals hold for

    Returns
    -------
    BestWorstScores

    Raises
    ------
    InputError
        where `ranked` are no best-worst choices.

    Notes
    -----
    (score + 1) / 2 is treated as a share: Wilson's interval, with as many choices as independent ones would say the
    same. How many these are comes from the variance of all options' scores, clustered as
    `clusters` says.
    Source: Kiritchenko and Mohammad 2017, section 3; Wilson 1927; Rao and Scott 1992 (clustered shares).
    """
    if not ranked.is_best_worst:
        raise InputError("`ranked` must be best-worst choices: one best and one worst option in each")
    s, rows = len(ranked.options), np.concatenate([table.ravel() for table in ranked.tables])
    value = np.zeros(len(ranked))
    for table in ranked.tables:
        value[table[:, 0]], value[table[:, -1]] = 1.0, -1.0
    option, of = ranked.option[rows], value[rows]
    shown, best, worst = (np.bincount(option[which], minlength=s) for which in (of > -2, of > 0, of < 0))
    score = np.divide(best - worst, shown, out=np.full(s, np.nan), where=shown > 0)
    part = (score + 1) / 2
    by, by_rater = clusters(ranked, raters_are_persons, scope)
    other = None if by_rater is None else by_rater[rows]
    inflation = _inflation((of + 1) / 2, option, part, by[rows], other)
    many = np.where(shown > 0, shown / inflation, np.nan)
    z = special.ndtri((1 + level) / 2)
    middle = (part + z**2 / (2 * many)) / (1 + z**2 / many)
    reach = z / (1 + z**2 / many) * np.sqrt(part * (1 - part) / many + z**2 / (4 * many**2))
    low, high = 2 * (middle - reach) - 1, 2 * (middle + reach) - 1
    correlations = _halves(option, of, ranked.task[rows], s, seed, halves)
    reason = "" if len(correlations) else "no half of the tuples has three options that differ in score"
    mean = float(correlations.mean()) if len(correlations) else np.nan
    return BestWorstScores(score, low, high, shown, best, worst, inflation, mean, correlations, reason)


def _inflation(part: Floats, option: Codes, mean: Floats, task: Codes, rater: Codes | None) -> Floats:
    """Return how many times as large as p (1 - p) / n the variance of each share (S,) is, clustered by task and rater.

    That of all options together, or the option's own where that is larger.
    """
    left, s = part - mean[option], len(mean)
    shown = np.bincount(option, minlength=s)

    def squares(by: Codes) -> Floats:
        own, cell = coded(option * (int(by.max()) + 1) + by)
        sums = np.bincount(cell, left)
        of = own // (int(by.max()) + 1)
        many = np.bincount(of, minlength=s)[of]
        return np.bincount(of, sums**2 * many / np.maximum(many - 1, 1), s).astype(np.float64)

    found = squares(task)
    if rater is not None and rater.max(initial=0) > 0:
        more = squares(rater) - squares(task * (int(rater.max()) + 1) + rater)
        found = np.maximum(found, found + more)
    usual = shown * np.nan_to_num(mean * (1 - mean))
    if not usual.sum() > 0 or not found.sum() > 0:
        return np.ones(s)
    own = np.divide(found, usual, out=np.zeros(s), where=usual > 0)
    return np.asarray(np.maximum(found.sum() / usual.sum(), own))


def _halves(option: Codes, value: Floats, task: Codes, s: int, seed: int, halves: int) -> Floats:
    """Return the rank correlations of the scores of random halves of the tuples."""
    rng, tuples = np.random.default_rng(seed), coded(task)[1]
    many = int(tuples.max(initial=-1)) + 1
    found = []
    for _ in range(halves):
        inside = rng.permutation(many) < many // 2
        scores = []
        for half in (inside[tuples], ~inside[tuples]):
            shown = np.bincount(option[half], minlength=s)
            total = np.bincount(option[half], value[half], s)
            scores.append(np.divide(total, shown, out=np.full(s, np.nan), where=shown > 0))
        both = np.isfinite(scores[0]) & np.isfinite(scores[1])
        x, y = (rankdata(each[both]) for each in scores)
        if len(x) > 2 and x.std() > 0 and y.std() > 0:
            found.append(float(np.corrcoef(x, y)[0, 1]))
    return np.array(found)
