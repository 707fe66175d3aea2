"""The alternative annotator test: does a candidate come closer to the other raters than a reference rater?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.replacement.reference_means import Answers, beside, chance_along, commonest, covariances, summed
from analysis.resampling.intervals import ANGLE, UNIT_INTERVAL, interval_from_error
from analysis.values.estimate import Codes, Estimate, Floats, InputError, OnProgress, Scope
from analysis.values.ratings import Ratings, ratio

FEWEST_SHARED_ITEMS = 10
"""Items that a line is drawn through."""


def group_values(item: ArrayLike, value: ArrayLike, score: str = "negative rmse") -> dict[Any, Any]:
    """One value per item of a group's answers, as a candidate of `alternative_annotator_test`.

    Parameters
    ----------
    item, value : (N,) the group's answers, numbers or labels
    score : "negative rmse": an item's mean; "accuracy": its commonest answer, of equally common ones the first in order

    Returns
    -------
    dict
        item -> value, by ascending item

    Raises
    ------
    InputError
        where lengths differ, or a mean is asked of what is no number.

    Notes
    -----
    Not how surely: the mean of two answers counts as that of twenty.
    Source: Calderon, Reichart and Dror 2025, section 3; methods, section 7 ("a group is aggregated first").

    >>> group_values(["a", "a", "b"], [1, 2, 5]), group_values(["a", "a", "a"], ["x", "y", "y"], "accuracy")
    ({'a': 1.5, 'b': 5.0}, {'a': 'y'})
    """
    items, values = np.asarray(item), np.asarray(value)
    if items.shape != values.shape or items.ndim != 1:
        raise InputError(
            f"`item` and `value` must be 1-d and equally long, got shapes {items.shape} and {values.shape}"
        )
    ids, code = np.unique(items, return_inverse=True)
    if score == "accuracy":
        labels, of_label = np.unique(values, return_inverse=True)
        found = labels[commonest(of_label.astype(np.float64), code, len(ids)).astype(np.int64)]
        return dict(zip(ids.tolist(), found.tolist(), strict=True))
    if not np.issubdtype(values.dtype, np.number):
        raise InputError('`value` must hold numbers for a mean; labels have a commonest one ("accuracy")')
    means = summed(code, values, len(ids)) / np.bincount(code, minlength=len(ids))
    return dict(zip(ids.tolist(), means.tolist(), strict=True))


def on_the_scale_of(reference: Ratings, candidate: Mapping[Any, float]) -> dict[Any, float]:
    """A candidate's values on the scale of the reference: what a straight line foretells from them.

    Parameters
    ----------
    reference : N ratings (N,)
    candidate : item -> its value on any scale

    Returns
    -------
    dict
        item -> value; empty where fewer than 10 items have both, or all values of the candidate are equal

    Raises
    ------
    InputError
        where a value of the candidate is infinite.

    Notes
    -----
    Least squares of the reference's means on the candidate's values; the line of an item that the reference rated is
    drawn without that item, so that none is foretold from itself.
    Answers: how near would a metric from 0 to 1 come, were it put on the scale of 1 to 5? Not: what is its level, which
    the line takes from the reference. A metric that tells nothing becomes the mean of all items, which is seldom far
    from anybody: see how many raters it is worth.
    Source: Cook and Weisberg 1982, section 2.2 (residuals without the item itself).
    """
    told = {one: float(value) for one, value in candidate.items() if value is not None and value == value}
    if np.isinf(list(told.values())).any():
        raise InputError("a candidate's values must be finite; leave out what is missing")
    mos = reference.mos()
    means = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
    both = [one for one in told if one in means]
    x, y = np.array([told[one] for one in both]), np.array([means[one] for one in both])
    if len(both) < FEWEST_SHARED_ITEMS or np.ptp(x) == 0:
        return {}
    around = x - x.mean()
    squares = float(around @ around)
    slope = float(around @ y) / squares
    line = {one: float(y.mean() + slope * (value - x.mean())) for one, value in told.items()}
    itself = 1 / len(x) + around**2 / squares
    left = y - (y.mean() + slope * around)
    without = np.where(itself < 1, y - left / np.where(itself < 1, 1 - itself, 1.0), np.nan)
    return line | {one: float(value) for one, value in zip(both, without, strict=True) if value == value}


Score = Literal["accuracy", "negative rmse"]
SCORES: tuple[Score, ...] = ("accuracy", "negative rmse")
PASSES = 0.5
"""Winning rate from which a candidate can replace a rater."""
EQUAL = 1e-9
"""Share of the range of the scores, 1 for labels, by which alignments differ at least that are no ties."""
MOST_PAIRS = 20_000_000
"""Pairs of answers to the same item up to which an interval is worked out: a few seconds."""
TOO_MANY = "there are too many answers to an item for an interval over items and raters"
BLOCK = 500_000
"""Pairs looked at together."""


@dataclass(frozen=True, eq=False)
class AlternativeAnnotator:
    """Test of a candidate for the place of a reference rater.

    `winning_rate` the share of the tested raters whom it replaces, `passes` whether that is half or more; `advantage`
    the chance that it agrees with the others at least as well as a rater does, over `n` items, with its interval.
    Of the m tested `raters` (m,): `items` (m,), `advantages` (m,), `p` (m,), `replaced` (m,) by Benjamini-Yekutieli.
    `skipped`: how many items each had who was not tested; `without_candidate` and `alone` count items that the
    candidate, or all but one rater, left out. `reason` says why nothing could be tested.
    """

    winning_rate: float
    passes: bool
    advantage: Estimate
    raters: NDArray[Any]
    items: Codes
    advantages: Floats
    p: Floats
    replaced: NDArray[np.bool_]
    skipped: Mapping[Any, int]
    without_candidate: int
    alone: int
    reason: str = ""


def alternative_annotator_test(
    rater: ArrayLike,
    item: ArrayLike,
    value: ArrayLike,
    candidate: Mapping[Any, Any],
    score: Score = "accuracy",
    epsilon: float = 0.2,
    q: float = 0.05,
    fewest: int = 30,
    level: float | None = 0.95,
    on_progress: OnProgress = None,
    scope: Scope = "raters like these",
) -> AlternativeAnnotator:
    """True where a candidate (a group's mean, a worker, a model) may take the place of a member of the reference group.

    Parameters
    ----------
    rater, item, value : (N,) the reference's ratings, numbers or labels
    candidate : item -> its one value; items without one (None, NaN) do not count
    score : "accuracy", the share of equal answers, or "negative rmse", for numbers
    epsilon : how much worse than a rater the candidate may be, as it costs less: .1 where the reference are crowd
        workers, .15 skilled raters, .2 experts
    q : the share of wrong replacements among all that are named (Benjamini and Yekutieli)
    fewest : items that a tested rater must share with another rater and the candidate; who is skipped still counts
        among the others
    level : of the interval of the advantage; None: without one, which is quicker
    on_progress : called between blocks of the interval's work with the share done; what it raises stops the work
    scope : of that interval: over items for these raters, else over items and raters; tests are of these raters

    Returns
    -------
    AlternativeAnnotator
        NaN with its reason where nobody has enough items

    Raises
    ------
    InputError
        where lengths differ, values are no numbers though the score needs them, or an argument lies outside its range.

    Notes
    -----
    For a rater j and each of j's items, the candidate and j are held against the *other* raters of the item. W_f is 1
    where the candidate agrees with them at least as well as j, W_h where j does at least as well (both in a tie). The
    candidate replaces j where a one-sided t test refutes that the mean of W_h - W_f is epsilon or more. Differences
    that are all equal refute it where they lie below epsilon.
    Answers: may the candidate be used instead of one more rater? Not: is it right; where raters err alike, so may it.
    The interval of the advantage is over items and, for raters like these, raters (each left out, less each rating left
    out, as the paper has none); who is tested stays the same in it.
    Source: Calderon, Reichart and Dror 2025, "The alternative annotator test", arXiv 2501.10970, section 3.
    """
    if score not in SCORES:
        raise InputError(f"`score` must be one of {', '.join(SCORES)}, got {score!r}")
    if not -1 <= epsilon <= 1:
        raise InputError(f"`epsilon` must be between -1 and 1, got {epsilon}")
    for name, share in (("q", q), ("level", level)):
        if share is not None and not 0 < share < 1:
            raise InputError(f"`{name}` must be between 0 and 1, got {share}")
    if fewest < 2:
        raise InputError(f"`fewest` must be 2 or more, got {fewest}")
    answers = beside(rater, item, value, candidate, score == "negative rmse")
    held = _Held(answers, score)
    w = len(answers.raters)
    sums = HeldSums(
        answers.raters,
        np.bincount(answers.rater, minlength=w),
        summed(answers.rater, held.wins, w).astype(np.int64),
        summed(answers.rater, held.loses, w).astype(np.int64),
        answers.items,
        answers.without_candidate,
        answers.alone,
        int((held.others + 1).sum()),
    )
    found = alternative_annotator_of_sums(sums, epsilon, q, fewest, None)
    if level is None or found.reason:
        return found
    tested = sums.number >= fewest
    return replace(found, advantage=_advantage(answers, held, tested, level, sums.pairs, on_progress, scope))


@dataclass(frozen=True, eq=False)
class HeldSums:
    """Count how often the candidate and each of `raters` (w,) agreed with the others at least as well as the other.

    `number` (w,) the rater's items, `wins` (w,) and `loses` (w,) how often the candidate and the rater did; over
    `items`, without those that the candidate, or all but one rater, left out; `pairs` is the sum over items of the
    squared number of their raters.
    """

    raters: NDArray[Any]
    number: Codes
    wins: Codes
    loses: Codes
    items: int
    without_candidate: int
    alone: int
    pairs: int


def alternative_annotator_of_sums(
    sums: HeldSums, epsilon: float = 0.2, q: float = 0.05, fewest: int = 30, level: float | None = 0.95
) -> AlternativeAnnotator:
    """As `alternative_annotator_test`, from sums per rater; there is no interval of the advantage.

    With a `level` the advantage says why, as the test does of more answers to an item than it looks at.
    """
    number, wins, loses = (each.astype(np.int64) for each in (sums.number, sums.wins, sums.loses))
    tested = number >= fewest
    advantages = ratio(wins, number)[tested]
    differ = 2 * number - wins - loses
    p = _p(
        (loses - wins).astype(np.float64),
        differ.astype(np.float64),
        number,
        epsilon,
    )
    replaced = benjamini_yekutieli(p[tested], q)
    reason = (
        "" if tested.any() else f"no rater has {fewest} items that another rater and the candidate have, too"
    )
    rate, share = (float(replaced.mean()), float(advantages.mean())) if tested.any() else (nan, nan)
    return AlternativeAnnotator(
        rate,
        bool(rate >= PASSES),
        Estimate(share, n=sums.items, reason=reason or ("" if level is None else TOO_MANY)),
        sums.raters[tested],
        number[tested],
        advantages,
        p[tested],
        replaced,
        dict(zip(sums.raters[~tested].tolist(), number[~tested].tolist(), strict=True)),
        sums.without_candidate,
        sums.alone,
        reason,
    )


def _p(total: Floats, squares: Floats, number: Codes, epsilon: float) -> Floats:
    """(w,) one-sided p of the means of differences being epsilon or more; NaN for fewer than two."""
    n = number.astype(np.float64)
    mean = ratio(total, n)
    variance = ratio(squares - n * mean**2, n - 1)
    t = (mean - epsilon) / np.sqrt(np.where(variance > 1e-12, variance, 1.0) / np.maximum(n, 1))
    p = special.stdtr(np.maximum(n - 1, 1), np.where(np.isnan(t), 0.0, t))
    alike = np.where(mean < epsilon - 1e-12, 0.0, 1.0)
    return np.where(n > 1, np.where(variance > 1e-12, p, alike), nan)


def benjamini_yekutieli(p: ArrayLike, q: float) -> NDArray[np.bool_]:
    """Return which hypotheses (m,) fall, so that at most a share q of those that do are true, however they depend.

    Source: Benjamini and Yekutieli 2001, "The control of the false discovery rate under dependency".

    >>> benjamini_yekutieli([0.001, 0.02, 0.9], 0.05).tolist()
    [True, False, False]
    """
    values = np.asarray(p, dtype=np.float64)
    m = len(values)
    if not m:
        return np.zeros(0, dtype=bool)
    order = np.argsort(values, kind="stable")
    rank = np.arange(1, m + 1)
    below = values[order] <= q * rank / (m * (1 / rank).sum())
    fallen = np.zeros(m, dtype=bool)
    fallen[order[: int(rank[below].max(initial=0))]] = True
    return fallen


class _Held:
    """Each answer (N,), and the candidate's, held against the other raters of its item."""

    def __init__(self, answers: Answers, score: Score) -> None:
        self.answers, self.score = answers, score
        numeric = score == "negative rmse" and len(answers.value) > 0
        centre = answers.value.mean() if numeric else 0.0  # squares of large numbers would lose what differs
        self.own, candidate = answers.value - centre, answers.candidate - centre
        self.others = answers.size[answers.item] - 1
        self.scale = float(np.ptp(np.append(self.own, candidate))) ** 2 or 1.0 if numeric else 1.0
        self.of_candidate = self._apart(candidate, self.own)
        self.far = self._of_item(self.of_candidate)[answers.item] - self.of_candidate
        self.far_own = self._from_others(self.own)
        self.wins, self.loses = self.compared(self.far, self.far_own, self.others)

    def compared(
        self, candidate: Floats, own: Floats, others: Codes
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """True where the candidate is at least as near to so many others as a rater, and the rater as the candidate."""
        near, nearer = (self._away(far, others) for far in (candidate, own))
        tied = EQUAL * np.sqrt(self.scale)
        return near <= nearer + tied, nearer <= near + tied

    def apart(self, one: Codes, other: Codes) -> Floats:
        """Return how far apart two answers are: 0 or 1, or their squared difference."""
        return self._apart(self.own[one], self.own[other])

    def _apart(self, one: Floats, other: Floats) -> Floats:
        return (one != other).astype(np.float64) if self.score == "accuracy" else (one - other) ** 2

    def _away(self, far: Floats, others: Codes) -> Floats:
        mean = far / np.maximum(others, 1)
        return mean if self.score == "accuracy" else np.sqrt(np.round(mean / self.scale, 12) * self.scale)

    def _of_item(self, of_answers: Floats) -> Floats:
        return summed(self.answers.item, of_answers, self.answers.items)

    def _from_others(self, x: Floats) -> Floats:
        item, size = self.answers.item, self.others + 1
        if self.score == "accuracy":
            label = x.astype(np.int64)
            key = item * (int(label.max(initial=0)) + 1) + label
            _, same, alike = np.unique(key, return_inverse=True, return_counts=True)
            return np.asarray(size - alike[same], dtype=np.float64)
        return np.maximum(size * x**2 - 2 * x * self._of_item(x)[item] + self._of_item(x**2)[item], 0.0)

    def pairs(self) -> Iterator[tuple[Codes, Codes]]:
        """Every answer with every other of the same item, in blocks."""
        size = self.others + 1
        first = np.append(0, np.cumsum(self.answers.size))[self.answers.item]
        ends = np.cumsum(size)
        start = 0
        while start < len(size):
            stop = max(
                int(np.searchsorted(ends, (ends[start - 1] if start else 0) + BLOCK, "right")), start + 1
            )
            one = np.repeat(np.arange(start, stop), size[start:stop])
            place = np.arange(len(one)) - np.repeat(
                ends[start:stop] - size[start:stop] - (ends[start - 1] if start else 0), size[start:stop]
            )
            other = first[one] + place
            yield one[one != other], other[one != other]
            start = stop


def _advantage(
    answers: Answers,
    held: _Held,
    tested: NDArray[np.bool_],
    level: float,
    pairs: int,
    on_progress: OnProgress,
    scope: Scope,
) -> Estimate:
    """The mean over tested raters of the share of their items on which the candidate does at least as well."""
    out = _LeftOut(answers, held, tested)
    if pairs > MOST_PAIRS:
        return Estimate(out.value, n=answers.items, reason=TOO_MANY)
    left_out = out.figures(on_progress)
    if scope == "raters like these" and np.isnan(left_out[1]).any():
        why = "without one of the raters nothing is left to compare, so that there is no interval over raters"
        return Estimate(out.value, n=answers.items, reason=why)
    items, raters, ratings = (ANGLE.forward(figures)[:, None] for figures in left_out)
    parts = covariances(items, raters, ratings, scope=scope)
    chance = chance_along(np.ones(1), parts, len(left_out[0]), len(left_out[1]))
    if not chance.variance > 0:
        why = "leaving out any item or rater changes nothing, so that there is no interval"
        return Estimate(out.value, n=answers.items, reason=why)
    low, high = interval_from_error(
        out.value, np.sqrt(chance.variance), level, chance.degrees, UNIT_INTERVAL, ANGLE
    )
    return Estimate(out.value, float(low), float(high), answers.items)


class _LeftOut:
    """The advantage without each item, each rater and each rating: the mean over tested raters of won / number."""

    def __init__(self, answers: Answers, held: _Held, tested: NDArray[np.bool_]) -> None:
        self.answers, self.held, self.tested = answers, held, tested
        w = len(answers.raters)
        self.wins = held.wins.astype(np.float64)
        self.won = summed(answers.rater, self.wins, w)
        self.number = np.bincount(answers.rater, minlength=w).astype(np.float64)
        self.share = np.where(tested, ratio(self.won, self.number), 0.0)
        self.m = int(tested.sum())
        self.value = float(self.share.sum() / self.m)

    def figures(self, on_progress: OnProgress = None) -> tuple[Floats, Floats, Floats]:
        """(n,) without each item, (w,) without each rater who answered, (N,) without each answer."""
        rater, item, w = self.answers.rater, self.answers.item, len(self.answers.raters)
        own = self._change(rater, -self.wins, -1.0)
        ratings = own.copy()
        pair = np.zeros(0, dtype=np.int64)
        sums = np.zeros((2, 0))
        for one, other in self.held.pairs():
            won, fewer = self._without(one, other)
            ratings += summed(other, self._change(rater[one], won, fewer), len(rater))
            codes, place = np.unique(np.append(pair, rater[other] * w + rater[one]), return_inverse=True)
            both = np.hstack([sums, np.vstack([won, fewer])])
            pair, sums = codes, np.vstack([summed(place, row, len(codes)) for row in both])
            if on_progress is not None:
                on_progress(int(one[-1]) / len(rater) if len(one) else 0.0)
        gone, left = np.divmod(pair, w)
        of_others = summed(gone, self._change(left, *sums), w)
        staying = self.m - self.tested
        raters = ratio(self.share.sum() - self.share + of_others, staying)[np.unique(rater)]
        items = summed(item, own, self.answers.items)
        return self.value + items / self.m, raters, self.value + ratings / self.m

    def _without(self, one: Codes, other: Codes) -> tuple[Floats, Floats]:
        """Return what an answer gains or loses in won and in number where another of its item is gone."""
        held = self.held
        others = held.others[one] - 1
        wins, _ = held.compared(
            held.far[one] - held.of_candidate[other], held.far_own[one] - held.apart(one, other), others
        )
        alone = others == 0
        return np.where(alone, 0.0, wins) - self.wins[one], np.where(alone, -1.0, 0.0)

    def _change(self, rater: Codes, won: Floats, number: Floats | float) -> Floats:
        """Return what the share of a tested rater changes by; NaN where nothing is left of it."""
        after = ratio(self.won[rater] + won, self.number[rater] + number)
        return np.where(self.tested[rater], after - self.share[rater], 0.0)
