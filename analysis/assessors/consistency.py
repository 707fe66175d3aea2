"""One measure's ratings with everything that assessors are judged by: systems, topics, identical texts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.agreement_summary import infer_scale
from analysis.agreement.alpha import LEVELS, alpha_without_each_rater, interval_alpha, krippendorff_alpha
from analysis.agreement.chance_corrected import (
    COEFFICIENT_NAMES,
    Agreement,
    CoefficientName,
    Weights,
    agreement_coefficients,
)
from analysis.agreement.intraclass import icc
from analysis.agreement.reliability import FEWEST_ITEMS, rater_reliability
from analysis.assessors.naming import correlation_changes, variance_ratio
from analysis.resampling.intervals import FISHER, by_error
from analysis.values.estimate import BootstrapSpec, Codes, Counts, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import Ratings, coded


@dataclass(frozen=True, eq=False)
class Assessments:
    """N ratings of one measure, everything but the numbers as codes.

    Parameters
    ----------
    measure : its name
    item, rater : (N,) codes from 0
    score, order, seconds : (N,) numbers; `order` is the place in time, `seconds` NaN where unknown
    system, topic, condition, split : (N,) codes, -1 where there is none
    text : (N,) code of the text within its topic and condition: equal codes are identical texts; -1 for none

    Notes
    -----
    Source: the judgments of Owczarzak et al. 2012, section 2; methods, section 3.
    """

    measure: str
    item: Codes
    rater: Codes
    score: NDArray[np.float64]
    order: NDArray[np.float64]
    seconds: NDArray[np.float64]
    system: Codes
    topic: Codes
    condition: Codes
    split: Codes
    text: Codes

    def __len__(self) -> int:
        return len(self.score)

    @property
    def has_systems(self) -> bool:
        """Return True where there are systems to rank; without them items are ranked."""
        return bool((self.system >= 0).any())

    @property
    def has_topics(self) -> bool:
        """Return True where systems met topics that scores can be averaged within."""
        return self.has_systems and bool((self.topic >= 0).any())

    @property
    def has_texts(self) -> bool:
        """Return True where some assessor judged identical texts more than once."""
        known = self.text >= 0
        pairs = self.text[known] * (int(self.rater.max(initial=0)) + 1) + self.rater[known]
        return len(np.unique(pairs)) < len(pairs)

    @property
    def ranked(self) -> Codes:
        """Return what is ranked (N,): the system, or the item where there are no systems."""
        return self.system if self.has_systems else self.item

    @property
    def block(self) -> Codes:
        """Return what scores are averaged within before they are averaged over (N,): topic and condition, or the
        item where there are no topics, or one for all where items are ranked."""
        if not self.has_systems:
            return np.zeros(len(self), dtype=np.int64)
        if not self.has_topics:
            return self.item
        conditions = int(self.condition.max(initial=0)) + 2
        return self.topic * conditions + self.condition + 1

    @property
    def ranking(self) -> tuple[Codes, Codes, Codes, NDArray[np.float64]]:
        """Return what is ranked, block, rater and score (n,) of the ratings that belong to a ranking: with systems,
        those of items whose system is known."""
        known = self.ranked >= 0
        return self.ranked[known], self.block[known], self.rater[known], self.score[known]

    def ratings(self) -> Ratings:
        """The same as plain ratings of items."""
        return Ratings(self.item, self.rater, self.score, self.order)

    def sole_raters(self, items: int) -> Codes:
        """Return who judged each item, by item code (items,); -1 where that is nobody or not one person."""
        rater = np.full(items, -1, dtype=np.int64)
        rater[self.item] = self.rater
        rater[self.item[rater[self.item] != self.rater]] = -1
        return rater


MOST_NUMBERS = 20_000_000
"""Ratings x values up to which coefficients are worked out."""
TOO_MANY = "there are too many ratings and values for it"
CALLED = dict(
    zip(
        COEFFICIENT_NAMES,
        (
            "percent agreement",
            "Brennan-Prediger",
            "Gwet's AC2",
            "Fleiss' kappa",
            "Conger's kappa",
            "mean pairwise kappa",
        ),
        strict=True,
    )
)
COHEN = "Cohen's kappa"


@dataclass(frozen=True)
class AgreementFigure:
    """A figure of agreement: `fixed` with its interval over items for these raters, `random` with that over items and
    raters, None where it has none; `error` the published standard error over items, NaN where there is none."""

    fixed: Estimate | None
    random: Estimate | None = None
    error: float = nan


@dataclass(frozen=True, eq=False)
class BeyondChance:
    """Agreement beyond chance: percent agreement of equal values (`plain`), the rest with weights (`near`)."""

    plain: Agreement
    near: Agreement
    called: dict[CoefficientName, str]

    def of(self, name: CoefficientName) -> Agreement:
        """Whichever the figure is taken from."""
        return self.plain if name == "percent agreement" else self.near

    @property
    def figures(self) -> dict[str, AgreementFigure]:
        """By the names people use."""
        return {
            called: AgreementFigure(
                self.of(name).estimates[name], self.of(name).over_raters[name], self.of(name).errors[name]
            )
            for name, called in self.called.items()
        }

    def differences(self, other: "BeyondChance") -> dict[str, AgreementFigure]:
        """Each figure less the other's, over what both share."""
        return {
            called: AgreementFigure(
                self.of(name).difference(other.of(name), name),
                self.of(name).difference(other.of(name), name, over_raters=True),
            )
            for name, called in self.called.items()
        }


def agreement_of_everyone(
    ratings: Ratings, on_progress: Callable[[float], object] | None = None
) -> dict[str, AgreementFigure]:
    """Alphas and ICCs by name; alpha of ratios only where no score is below 0."""
    figures: dict[str, AgreementFigure] = {}
    for at, level in enumerate(LEVELS):
        if level != "ratio" or ratings.score.min(initial=0) >= 0:
            figures[f"alpha, {level}"] = AgreementFigure(
                krippendorff_alpha(ratings.item, ratings.score, level)
            )
        if on_progress is not None:
            on_progress((at + 1) / (len(LEVELS) + 1))
    forms = icc(ratings)
    one_way = {"ICC(1,1)": forms.one_way, "ICC(1,k)": forms.one_way_k}
    two_way = {
        "ICC(A,1)": forms.agreement,
        "ICC(C,1)": forms.consistency,
        "ICC(A,k)": forms.agreement_k,
        "ICC(C,k)": forms.consistency_k,
    }
    over_items = {} if not forms.complete else one_way
    over_both = two_way if forms.complete else one_way | two_way
    return (
        figures
        | {name: AgreementFigure(e) for name, e in over_items.items()}
        | {name: AgreementFigure(None, e) for name, e in over_both.items()}
    )


def beyond_chance(
    ratings: Ratings, weights: Weights = "quadratic", scores: ArrayLike = ()
) -> BeyondChance | None:
    """Percent agreement and, with credit for near misses, Brennan-Prediger, Gwet's AC and the kappas.

    Of a rater's several ratings of an item the first counts. `scores` are further ones of the same measure, such as
    those of other groups: the scale is inferred from all (`infer_scale`), so that a grade which these ratings lack
    counts. None where there are too many ratings and values.
    """
    _, rater = coded(ratings.rater)
    _, item = coded(ratings.item)
    raters = int(rater.max(initial=-1)) + 1
    _, first = np.unique(item * max(raters, 1) + rater, return_index=True)
    scale = infer_scale(np.concatenate([ratings.score, np.asarray(scores, dtype=np.float64)]))
    if len(first) * len(scale) > MOST_NUMBERS:
        return None
    called = dict(CALLED)
    if weights == "identity":
        called["Gwet AC"] = "Gwet's AC1"
    if raters == 2:
        called["Conger kappa"] = COHEN
        del called["mean pairwise kappa"]
    once = ratings.item[first], ratings.rater[first], ratings.score[first]
    near = agreement_coefficients(*once, weights, scale)
    plain = near if weights == "identity" else agreement_coefficients(*once, scale=scale)
    return BeyondChance(plain, near, called)


FEWEST_SETS = 2
"""Sets of identical texts that an assessor must have judged."""
CONSTANT = "gave all items the same score"
"""Reason of a rater without variation."""


@dataclass(frozen=True, eq=False)
class Consistency:
    """Each assessor's agreement with itself.

    `raters` (w,) ascending ids, all of them; `alpha` (w,) estimates, n = sets; `sets` (w,) of identical texts
    judged more than once, `judgements` (w,) in them. `by_split`: the same for each split's judgements alone.
    """

    raters: NDArray[Any]
    alpha: tuple[Estimate, ...]
    sets: Counts
    judgements: Counts
    by_split: dict[int, "Consistency"] | None = None


def identical_texts(
    rater: ArrayLike,
    text: ArrayLike,
    score: ArrayLike,
    split: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Consistency:
    """Krippendorff's alpha of each assessor over identical texts that it judged more than once.

    Parameters
    ----------
    rater : (N,) ids
    text : (N,) codes; equal codes are identical texts, -1 is none
    score : (N,) numbers
    split : (N,) codes of the year or part, -1 for none; optional
    bootstrap : of the intervals, which resample the assessor's sets
    on_progress : called between assessors with the share done

    Returns
    -------
    Consistency
        arrays (w,); alpha undefined with its reason for fewer than two sets or without differences.

    Raises
    ------
    InputError
        where lengths differ or a score is not finite.

    Notes
    -----
    Answers: does this assessor give the same text the same score? Not "is the assessor right". A unit is one
    set of identical texts; the metric is interval. 1: identical texts always score alike; 0: they differ as
    any two of the assessor's scores do.
    Source: Owczarzak et al. 2012, section 3, Table 1; Krippendorff 2011, "Computing Krippendorff's alpha".
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    ratings = Ratings(text, rater, score)
    raters, code = np.unique(ratings.rater, return_inverse=True)
    parts = np.full(len(ratings), -1) if split is None else np.asarray(split)
    if parts.shape != code.shape:
        raise InputError(f"`split` needs one code per rating, {len(code)}, got shape {parts.shape}")
    splits = [int(part) for part in np.unique(parts) if part >= 0]
    steps = len(raters) * (1 + len(splits))

    def consistency(kept: NDArray[np.bool_], done: int) -> Consistency:
        kept = kept & (ratings.item >= 0)
        told = None if on_progress is None else lambda place: on_progress((done + place) / steps)
        return _consistency(raters, code[kept], ratings.item[kept], ratings.score[kept], spec, told)

    pooled = consistency(np.ones(len(ratings), dtype=np.bool_), 0)
    if split is None:
        return pooled
    apart = {part: consistency(parts == part, len(raters) * (i + 1)) for i, part in enumerate(splits)}
    return replace(pooled, by_split=apart)


def repeated_items(ratings: Ratings, bootstrap: BootstrapSpec | None = None) -> Consistency:
    """Krippendorff's alpha of each rater over the items that it rated more than once.

    Parameters
    ----------
    ratings : N ratings by w raters of one measure, repeats included
    bootstrap : of the intervals, which leave out each of the rater's items in turn

    Returns
    -------
    Consistency
        arrays (w,); alpha undefined with its reason for fewer than two items or without differences.

    Notes
    -----
    Answers: does this rater give the same item the same score again? Not "is the rater right", and not for raters who
    could see their earlier rating. A unit is one item; the metric is interval.
    Source: as `identical_texts`, with the item in place of the text; Krippendorff 2011, "Computing Krippendorff's
    alpha".

    >>> twice = Ratings(list("aabbcc"), ["r"] * 6, [1, 1, 3, 4, 5, 5])
    >>> round(repeated_items(twice).alpha[0].value, 3)
    0.95
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    raters, code = np.unique(ratings.rater, return_inverse=True)
    _, item = np.unique(ratings.item, return_inverse=True)
    return _consistency(raters, code, item, ratings.score, spec, None, "item rated more than once")


def _consistency(
    raters: NDArray[Any],
    code: Counts,
    text: Counts,
    score: Floats,
    spec: BootstrapSpec,
    on_step: Callable[[int], object] | None,
    unit: str = "set of identical texts judged more than once",
) -> Consistency:
    w = len(raters)
    texts = int(text.max(initial=0)) + 1
    cell, place = np.unique(code * texts + text, return_inverse=True)
    count = np.bincount(place, minlength=len(cell))
    means = np.bincount(code, weights=score, minlength=w) / np.maximum(np.bincount(code, minlength=w), 1)
    centred = score - means[code]
    total, squares = _sums(place, centred), _sums(place, centred**2)
    several = count > 1
    owner = cell[several] // texts
    count, total, squares = count[several], total[several], squares[several]
    start = np.searchsorted(owner, np.arange(w + 1))
    alpha = []
    for place_of in range(w):
        own = slice(start[place_of], start[place_of + 1])
        alpha.append(_alpha_of_sets(count[own], total[own], squares[own], spec, unit))
        if on_step is not None:
            on_step(place_of + 1)
    judgements = np.bincount(owner, weights=count, minlength=w).astype(np.int64)
    return Consistency(raters, tuple(alpha), np.diff(start), judgements)


def _alpha_of_sets(count: Counts, total: Floats, squares: Floats, spec: BootstrapSpec, unit: str) -> Estimate:
    sets = len(count)
    if sets < FEWEST_SETS:
        return Estimate(nan, n=sets, reason=f"{'no' if sets == 0 else 'only one'} {unit}")
    return replace(interval_alpha(count, total, squares, spec), n=sets)


@dataclass(frozen=True, eq=False)
class OthersAgreement:
    """Each rater's agreement with the others.

    `raters` (w,) ascending ids; `correlation`, `low`, `high` (w,) with the mean of the others on the same
    items, with Fisher's z; `items` (w,) shared; `reasons` (w,) where undefined. `alpha_all` of
    everyone over items, n = items with two ratings or more; `alpha_without` (w,) the same when that rater goes.
    """

    raters: NDArray[Any]
    correlation: Floats
    low: Floats
    high: Floats
    items: Counts
    reasons: tuple[str, ...]
    alpha_all: Estimate
    alpha_without: Floats


def agreement_with_others(
    ratings: Ratings, bootstrap: BootstrapSpec | None = None, widening: float | None = None
) -> OthersAgreement:
    """Return how each rater agrees with the others, and what the agreement of all would be without that rater.

    Parameters
    ----------
    ratings : N ratings by w raters
    bootstrap : of the interval of everyone's alpha, and its level of all
    widening : how many times as large as Fisher's the variance of correlations is; None: by the jackknife

    Returns
    -------
    OthersAgreement
        arrays (w,).

    Notes
    -----
    The correlation does not mind severity, alpha (interval metric, units are items) does: with alpha higher without a
    rater, that rater disagrees more than the rest. Not for consistency: a lone expert disagrees with everyone.
    Intervals of the correlation are Fisher's z over the rater's items, for these raters, with the variance of the
    jackknife of all raters where that is larger: with Fisher's alone they held in 65 to 80 of 100 studies in which most
    scores were the highest.
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on numeric ratings; Krippendorff 2011; methods,
    sections 3 (fallback) and 4 (last line).
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    reliability = rater_reliability(ratings)
    _, item = np.unique(ratings.item, return_inverse=True)
    count = np.bincount(item)
    centred = ratings.score - (ratings.score.mean() if len(ratings) else 0)
    total, squares = _sums(item, centred), _sums(item, centred**2)
    _, alpha_without = alpha_without_each_rater(ratings.item, ratings.rater, ratings.score)
    return told_of_each(
        reliability.raters,
        reliability.correlation,
        reliability.items,
        reliability.constant,
        interval_alpha(count, total, squares, spec),
        alpha_without,
        spec.level,
        variance_ratio(correlation_changes(ratings)) if widening is None else widening,
    )


def told_of_each(
    raters: NDArray[Any],
    correlation: Floats,
    items: Counts,
    constant: NDArray[np.bool_],
    alpha_all: Estimate,
    alpha_without: Floats,
    level: float,
    widening: float = 1.0,
) -> OthersAgreement:
    """The agreement (w,) with its intervals, and why it is undefined where it is."""
    known = items > FEWEST_ITEMS
    error = np.where(known, widening**0.5 / np.sqrt(np.where(known, items - 3, 1)), nan)
    low, high = by_error(correlation, error, level, scale=FISHER)
    reasons = tuple(
        ""
        if r == r
        else f"fewer than {FEWEST_ITEMS} items shared with others"
        if shared < FEWEST_ITEMS
        else CONSTANT
        if same
        else "the others' means do not vary"
        for r, shared, same in zip(correlation, items, constant, strict=True)
    )
    return OthersAgreement(raters, correlation, low, high, items, reasons, alpha_all, alpha_without)


def _sums(code: Counts, values: Floats) -> Floats:
    return np.bincount(code, weights=values).astype(np.float64)
