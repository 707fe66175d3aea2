"""LDC Agreement and Relevance Prediction beside each other, their difference, and what a surrogate saves in time."""

from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import Any

import numpy as np

from analysis.relevance.agreements import (
    NO_FULL_TEXT,
    NO_JUDGMENT,
    Agreement,
    drawn_figures,
    with_intervals,
)
from analysis.relevance.full_text import own_full_text
from analysis.relevance.judgments import Judgments
from analysis.relevance.outcome_sums import OutcomeSums, outcome_sums, seconds
from analysis.relevance.relevance_draws import Units, units, with_interval
from analysis.resampling.intervals import IDENTITY, LOG, by_error
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.p_values import holm, student_p
from analysis.values.quotients import ratio
from analysis.values.types import Floats, OnProgress

_EQUAL = 1e-12

NO_GOLD = "no gold is known for its documents"
IS_FULL_TEXT = "the full text is what the others are held against"
NO_SECONDS = "no time is known"
NO_TEXT_TO_LOSE = "there is no full text"
NO_SECONDS_OF_TEXT = "no time is known for the full text"
ONE_RATER = "a test over raters needs two of them"
EQUAL_DIFFERENCES = "all raters differ by the same amount, so that there is no spread to test against"


@dataclass(frozen=True)
class PairedDifference:
    """Relevance Prediction less LDC Agreement on judgments where both are known (`n`), by rater.

    `difference` of the accuracies: mean of the raters' differences, Student's t interval, n = raters; `t`, `degrees`,
    `p` of the paired t test over raters, `p_holm` adjusted for the surrogates; NaN with the `reason`.
    """

    difference: Estimate
    t: float
    degrees: int
    p: float
    p_holm: float
    n: int
    reason: str = ""


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Both agreements, by surrogate (k of them): `ldc`, `prediction`, their `difference`, mean `seconds` and
    `seconds_saved` against the full text. `ldc_lost` is the accuracy with the full text less the surrogate's,
    `prediction_lost` the share of judgments unlike those of the full text. `resampled` says what the intervals draw.
    """

    ldc: tuple[Agreement, ...]
    prediction: tuple[Agreement, ...]
    difference: tuple[PairedDifference, ...]
    seconds: tuple[Estimate, ...]
    seconds_saved: tuple[Estimate, ...]
    ldc_lost: tuple[Estimate, ...]
    prediction_lost: tuple[Estimate, ...]
    resampled: str
    raters: int
    events: int
    documents: int


def side_by_side(
    judgments: Judgments,
    full_text: Any,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> SideBySide:
    """LDC Agreement and Relevance Prediction of every surrogate, and what it saves in time.

    Parameters
    ----------
    judgments : N of them, of k surrogates
    full_text : the surrogate that is the document itself; any other id for none
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    SideBySide
        tuples (k,) in the order of the surrogates.

    Notes
    -----
    The paired t test is over raters' means on the judgments where both are known, Holm's adjustment over surrogates; it
    takes the events as given. Each agreement by itself uses all judgments that it can. Draws weigh raters and events,
    documents stay in theirs.
    Source: Hobson, Dorr, Monz and Schwartz 2007, Tables 1, 7 and 8, section 5.3.1; methods, sections 0 and 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    of, k, text = units(judgments), len(judgments.surrogates), judgments.place_of(full_text)
    own = own_full_text(judgments, full_text)
    sums = outcome_sums(judgments, of, [judgments.gold, own], timed=True)
    drawn = drawn_figures(sums, 2, spec, on_progress)
    without_own = [IS_FULL_TEXT if place == text else NO_FULL_TEXT for place in range(k)]
    ldc = with_intervals(sums, 0, [NO_GOLD] * k, drawn.figures[0], spec)
    prediction = with_intervals(sums, 1, without_own, drawn.figures[1], spec)
    taken, saved = _times(sums, 8, drawn.seconds, text, spec)
    unlike = tuple(
        replace(e, value=1 - e.value, low=1 - e.high, high=1 - e.low)
        for e in (one.accuracy for one in prediction)
    )
    return SideBySide(
        ldc,
        prediction,
        _paired(judgments, own, spec.level),
        taken,
        saved,
        _lost(ldc, drawn.figures[0, 0], text, of, spec),
        unlike,
        of.resampled,
        judgments.codes.raters,
        judgments.codes.events,
        judgments.codes.documents,
    )


def each_event(
    judgments: Judgments,
    full_text: Any,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[Any, SideBySide]:
    """Both agreements within every event, with intervals over raters and documents."""
    event = judgments.codes.event
    rows = np.argsort(event, kind="stable")
    ends = np.cumsum(np.bincount(event)).tolist()
    by_event = {}
    for start, end in zip([0, *ends], ends, strict=False):
        own = judgments.where(rows[start:end])
        by_event[own.event[0].item()] = side_by_side(own, full_text, bootstrap)
        if on_progress is not None:
            on_progress(end / len(judgments))
    return by_event


def _lost(
    agreements: tuple[Agreement, ...], drawn: Floats, full_text: int, of: Units, spec: BootstrapSpec
) -> tuple[Estimate, ...]:
    """Accuracy with the full text less that with each surrogate, from the accuracies in the draws (k, draws)."""
    text = agreements[full_text].accuracy if full_text >= 0 else Estimate(nan, reason=NO_TEXT_TO_LOSE)
    lost = []
    for place, (one, own) in enumerate(zip(agreements, drawn, strict=True)):
        if place == full_text or not (one.accuracy.defined and text.defined):
            reason = IS_FULL_TEXT if place == full_text else one.accuracy.reason or text.reason
            lost.append(Estimate(nan, n=one.n, reason=reason))
        else:
            less = Estimate(text.value - one.accuracy.value, n=one.n)
            lost.append(with_interval(less, drawn[full_text] - own, of, spec))
    return tuple(lost)


def _times(
    sums: OutcomeSums, row: int, drawn: Floats, full_text: int, spec: BootstrapSpec
) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...]]:
    total = sums.total[row:, :, None]
    mean = seconds(total, np.ones(total.shape[1:]), sums.groups)[:, 0]
    counts = np.rint(sums.groups @ total[1, :, 0]).astype(np.int64)
    known_text = full_text >= 0 and not np.isnan(mean[full_text])
    taken, saved = [], []
    for place, (value, n, own) in enumerate(zip(mean.tolist(), counts.tolist(), drawn, strict=True)):
        if not n:
            taken.append(Estimate(nan, n=0, reason=NO_SECONDS if sums.judgments[place] else NO_JUDGMENT))
            saved.append(taken[-1])
            continue
        taken.append(
            with_interval(Estimate(value, n=n), own, sums.of, spec, scale=LOG if value > 0 else IDENTITY)
        )
        if place == full_text:
            saved.append(Estimate(nan, n=n, reason=IS_FULL_TEXT))
        elif not known_text:
            saved.append(Estimate(nan, n=n, reason=NO_SECONDS_OF_TEXT))
        else:
            less = Estimate(float(mean[full_text]) - value, n=n)
            saved.append(with_interval(less, drawn[full_text] - own, sums.of, spec))
    return tuple(taken), tuple(saved)


def _paired(judgments: Judgments, own: Floats, level: float) -> tuple[PairedDifference, ...]:
    codes, gold = judgments.codes, judgments.gold
    both = ~np.isnan(gold) & ~np.isnan(own)
    apart = (judgments.judgment == own).astype(np.float64) - (judgments.judgment == gold)
    raters = max(codes.raters, 1)
    cell, place = np.unique(codes.surrogate[both] * raters + codes.rater[both], return_inverse=True)
    counts = np.bincount(place, minlength=len(cell))
    means = ratio(np.bincount(place, apart[both], len(cell)), counts)
    surrogate = cell // raters
    tests = [
        _paired_t(means[surrogate == each], int(counts[surrogate == each].sum()), level)
        for each in range(len(judgments.surrogates))
    ]
    adjusted = holm([test.p for test in tests])
    return tuple(replace(test, p_holm=float(p)) for test, p in zip(tests, adjusted, strict=True))


def _paired_t(differences: Floats, judgments: int, level: float) -> PairedDifference:
    n = len(differences)
    if n == 0:
        reason = "no judgment has both gold and the rater's own judgment of the full text"
        return PairedDifference(Estimate(nan, reason=reason), nan, 0, nan, nan, 0, reason)
    mean = float(differences.mean())
    if n < 2 or float(np.ptp(differences)) <= _EQUAL:
        reason = ONE_RATER if n < 2 else EQUAL_DIFFERENCES
        return PairedDifference(Estimate(mean, n=n, reason=reason), nan, n - 1, nan, nan, judgments, reason)
    error = float(differences.std(ddof=1)) / sqrt(n)
    low, high = (float(end) for end in by_error(mean, error, level, n - 1))
    t = mean / error
    return PairedDifference(
        Estimate(mean, low, high, n),
        t,
        n - 1,
        student_p(t, n - 1, "two-sided"),
        nan,
        judgments,
    )
