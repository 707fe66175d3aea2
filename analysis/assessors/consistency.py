"""Consistency of raters: with themselves on identical texts or repeated items, and with the other raters."""

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
from analysis.assessors.typical_rater import correlation_changes, variance_ratio
from analysis.resampling.intervals import FISHER, interval_from_error
from analysis.values.estimate import BootstrapSpec, Codes, Counts, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import Ratings, coded, sum_by_code


@dataclass(frozen=True, eq=False)
class Assessments:
    """N ratings of one measure, with ids as codes.

    Parameters
    ----------
    measure : its name
    item, rater : (N,) codes from 0
    score, order, seconds : (N,) numbers; `order` is the position in time, `seconds` NaN where unknown
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
        """True if there are systems to rank; otherwise items are ranked."""
        return bool((self.system >= 0).any())

    @property
    def has_topics(self) -> bool:
        """True if systems have topics to average scores within."""
        return self.has_systems and bool((self.topic >= 0).any())

    @property
    def has_texts(self) -> bool:
        """True if some assessor judged identical texts more than once."""
        known = self.text >= 0
        pairs = self.text[known] * (int(self.rater.max(initial=0)) + 1) + self.rater[known]
        return len(np.unique(pairs)) < len(pairs)

    @property
    def ranked(self) -> Codes:
        """Code of the ranked unit (N,): the system, or the item without systems."""
        return self.system if self.has_systems else self.item

    @property
    def block(self) -> Codes:
        """Code of the block (N,) within which scores are averaged first.

        A block is a topic and condition, an item if there are no topics, or all ratings if items are ranked.
        """
        if not self.has_systems:
            return np.zeros(len(self), dtype=np.int64)
        if not self.has_topics:
            return self.item
        conditions = int(self.condition.max(initial=0)) + 2
        return self.topic * conditions + self.condition + 1

    @property
    def ranking(self) -> tuple[Codes, Codes, Codes, NDArray[np.float64]]:
        """Ranked unit, block, rater and score (n,) of the ratings of known systems, or of all items without systems."""
        known = self.ranked >= 0
        return self.ranked[known], self.block[known], self.rater[known], self.score[known]

    def ratings(self) -> Ratings:
        """Return the ratings of items."""
        return Ratings(self.item, self.rater, self.score, self.order)

    def sole_raters(self, items: int) -> Codes:
        """Return the rater of each item by code (items,), -1 for items without exactly one rater."""
        rater = np.full(items, -1, dtype=np.int64)
        rater[self.item] = self.rater
        rater[self.item[rater[self.item] != self.rater]] = -1
        return rater


MOST_CELLS = 20_000_000
"""Largest number of ratings x values for which coefficients are computed."""
LABELS = dict(
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
    """Agreement coefficient with its intervals.

    `fixed` has the interval over items for these raters, `random` that over items and raters; None if there is none.
    `error` is the published standard error over items, NaN if there is none.
    """

    fixed: Estimate | None
    random: Estimate | None = None
    error: float = nan


@dataclass(frozen=True, eq=False)
class ChanceCorrected:
    """Chance-corrected coefficients with agreement weights (`weighted`), and unweighted percent agreement."""

    unweighted: Agreement
    weighted: Agreement
    labels: dict[CoefficientName, str]

    def agreement_for(self, name: CoefficientName) -> Agreement:
        """Return the agreement that contains this coefficient."""
        return self.unweighted if name == "percent agreement" else self.weighted

    @property
    def figures(self) -> dict[str, AgreementFigure]:
        """Coefficients by their usual names."""
        return {
            called: AgreementFigure(
                self.agreement_for(name).estimates[name],
                self.agreement_for(name).over_raters[name],
                self.agreement_for(name).errors[name],
            )
            for name, called in self.labels.items()
        }

    def differences(self, other: "ChanceCorrected") -> dict[str, AgreementFigure]:
        """Return each coefficient minus the other's, paired over shared items and raters."""
        return {
            called: AgreementFigure(
                self.agreement_for(name).difference(other.agreement_for(name), name),
                self.agreement_for(name).difference(other.agreement_for(name), name, over_raters=True),
            )
            for name, called in self.labels.items()
        }


def overall_agreement(
    ratings: Ratings, on_progress: Callable[[float], object] | None = None
) -> dict[str, AgreementFigure]:
    """Estimate alphas and ICCs by name; ratio alpha only if no score is negative."""
    figures: dict[str, AgreementFigure] = {}
    for index, level in enumerate(LEVELS):
        if level != "ratio" or ratings.score.min(initial=0) >= 0:
            figures[f"alpha, {level}"] = AgreementFigure(
                krippendorff_alpha(ratings.item, ratings.score, level)
            )
        if on_progress is not None:
            on_progress((index + 1) / (len(LEVELS) + 1))
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


def chance_corrected_agreement(
    ratings: Ratings, weights: Weights = "quadratic", scores: ArrayLike = ()
) -> ChanceCorrected | None:
    """Estimate percent agreement and, with agreement weights, Brennan-Prediger, Gwet's AC and the kappas.

    Only the first of a rater's repeated ratings of an item is used. The scale is inferred (`infer_scale`) from these
    ratings and from `scores`, further ones of the same measure such as those of other groups. None if there are too
    many ratings and values.
    """
    _, rater = coded(ratings.rater)
    _, item = coded(ratings.item)
    raters = int(rater.max(initial=-1)) + 1
    _, first = np.unique(item * max(raters, 1) + rater, return_index=True)
    scale = infer_scale(np.concatenate([ratings.score, np.asarray(scores, dtype=np.float64)]))
    if len(first) * len(scale) > MOST_CELLS:
        return None
    labels = dict(LABELS)
    if weights == "identity":
        labels["Gwet AC"] = "Gwet's AC1"
    if raters == 2:
        labels["Conger kappa"] = COHEN
        del labels["mean pairwise kappa"]
    columns = ratings.item[first], ratings.rater[first], ratings.score[first]
    weighted = agreement_coefficients(*columns, weights, scale)
    unweighted = weighted if weights == "identity" else agreement_coefficients(*columns, scale=scale)
    return ChanceCorrected(unweighted, weighted, labels)


FEWEST_SETS = 2
"""Fewest sets of identical texts for an assessor's alpha."""
CONSTANT = "gave all items the same score"
"""Reason for a rater with constant scores."""


@dataclass(frozen=True, eq=False)
class Consistency:
    """Agreement of each assessor with itself.

    `raters` (w,) ids, ascending; `alpha` (w,) estimates, n = sets; `sets` (w,) number of sets of identical texts judged
    more than once, `judgements` (w,) in them. `by_split`: the same for the judgements of each split.
    """

    raters: NDArray[Any]
    alpha: tuple[Estimate, ...]
    sets: Counts
    judgements: Counts
    by_split: dict[int, "Consistency"] | None = None


def consistency_on_texts(
    rater: ArrayLike,
    text: ArrayLike,
    score: ArrayLike,
    split: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Consistency:
    """Estimate Krippendorff's alpha of each assessor over identical texts that it judged more than once.

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
    set of identical texts; the metric is interval. 1: identical texts always have equal scores; 0: they differ as
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

    def consistency(mask: NDArray[np.bool_], steps_done: int) -> Consistency:
        mask = mask & (ratings.item >= 0)
        report_step = None if on_progress is None else lambda step: on_progress((steps_done + step) / steps)
        return _consistency(raters, code[mask], ratings.item[mask], ratings.score[mask], spec, report_step)

    pooled = consistency(np.ones(len(ratings), dtype=np.bool_), 0)
    if split is None:
        return pooled
    by_split = {part: consistency(parts == part, len(raters) * (i + 1)) for i, part in enumerate(splits)}
    return replace(pooled, by_split=by_split)


def consistency_on_items(ratings: Ratings, bootstrap: BootstrapSpec | None = None) -> Consistency:
    """Estimate Krippendorff's alpha of each rater over the items that it rated more than once.

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
    Source: as `consistency_on_texts`, with items instead of texts; Krippendorff 2011, "Computing Krippendorff's
    alpha".

    >>> twice = Ratings(list("aabbcc"), ["r"] * 6, [1, 1, 3, 4, 5, 5])
    >>> round(consistency_on_items(twice).alpha[0].value, 3)
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
    cell, cell_code = np.unique(code * texts + text, return_inverse=True)
    count = np.bincount(cell_code, minlength=len(cell))
    means = np.bincount(code, weights=score, minlength=w) / np.maximum(np.bincount(code, minlength=w), 1)
    centred = score - means[code]
    total, squares = sum_by_code(cell_code, centred), sum_by_code(cell_code, centred**2)
    is_repeated = count > 1
    cell_rater = cell[is_repeated] // texts
    count, total, squares = count[is_repeated], total[is_repeated], squares[is_repeated]
    start = np.searchsorted(cell_rater, np.arange(w + 1))
    alpha = []
    for w_index in range(w):
        sets = slice(start[w_index], start[w_index + 1])
        alpha.append(_set_alpha(count[sets], total[sets], squares[sets], spec, unit))
        if on_step is not None:
            on_step(w_index + 1)
    judgements = np.bincount(cell_rater, weights=count, minlength=w).astype(np.int64)
    return Consistency(raters, tuple(alpha), np.diff(start), judgements)


def _set_alpha(count: Counts, total: Floats, squares: Floats, spec: BootstrapSpec, unit: str) -> Estimate:
    sets = len(count)
    if sets < FEWEST_SETS:
        return Estimate(nan, n=sets, reason=f"{'no' if sets == 0 else 'only one'} {unit}")
    return replace(interval_alpha(count, total, squares, spec), n=sets)


@dataclass(frozen=True, eq=False)
class OthersAgreement:
    """Agreement of each rater with the others.

    `raters` (w,) ids, ascending; `correlation`, `low`, `high` (w,) with the mean of the others on the same items, by
    Fisher's z; `items` (w,) number shared; `reasons` (w,) where undefined. `alpha_all` of all raters over items, n =
    items with two ratings or more; `alpha_without` (w,) without that rater.
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
    """Estimate the agreement of each rater with the others, and the agreement of all without that rater.

    Parameters
    ----------
    ratings : N ratings by w raters
    bootstrap : of the interval of the overall alpha; its level is that of all intervals
    widening : ratio of the variance of correlations to Fisher's; None estimates it by the jackknife

    Returns
    -------
    OthersAgreement
        arrays (w,).

    Notes
    -----
    Severity does not affect the correlation, but it does affect alpha (interval metric, units are items): if alpha is
    higher without a rater, that rater disagrees more than the rest. Not a measure of consistency: a lone expert
    disagrees with everyone. Intervals of the correlation are Fisher's z over the rater's items, for these raters, with
    the jackknife variance of all raters if that is larger: with Fisher's alone they covered in 65 to 80 of 100 studies
    in which most scores were the highest.
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on numeric ratings; Krippendorff 2011; methods,
    sections 3 (fallback) and 4 (last line).
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    reliability = rater_reliability(ratings)
    _, item = np.unique(ratings.item, return_inverse=True)
    count = np.bincount(item)
    centred = ratings.score - (ratings.score.mean() if len(ratings) else 0)
    total, squares = sum_by_code(item, centred), sum_by_code(item, centred**2)
    _, alpha_without = alpha_without_each_rater(ratings.item, ratings.rater, ratings.score)
    return build_others_agreement(
        reliability.raters,
        reliability.correlation,
        reliability.items,
        reliability.constant,
        interval_alpha(count, total, squares, spec),
        alpha_without,
        spec.level,
        variance_ratio(correlation_changes(ratings)) if widening is None else widening,
    )


def build_others_agreement(
    raters: NDArray[Any],
    correlation: Floats,
    items: Counts,
    constant: NDArray[np.bool_],
    alpha_all: Estimate,
    alpha_without: Floats,
    level: float,
    widening: float = 1.0,
) -> OthersAgreement:
    """Build the agreement of raters (w,) with its intervals and the reasons for undefined values."""
    known = items > FEWEST_ITEMS
    error = np.where(known, widening**0.5 / np.sqrt(np.where(known, items - 3, 1)), nan)
    low, high = interval_from_error(correlation, error, level, scale=FISHER)
    reasons = tuple(
        ""
        if r == r
        else f"fewer than {FEWEST_ITEMS} items shared with others"
        if shared < FEWEST_ITEMS
        else CONSTANT
        if is_constant
        else "the others' means do not vary"
        for r, shared, is_constant in zip(correlation, items, constant, strict=True)
    )
    return OthersAgreement(raters, correlation, low, high, items, reasons, alpha_all, alpha_without)
