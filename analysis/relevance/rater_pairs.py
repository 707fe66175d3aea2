"""Each subject's own rates for every surrogate: what an analysis of variance over raters or events compares."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from analysis.relevance.agreements import (
    NO_FULL_TEXT,
    NO_JUDGMENT,
    Agreement,
    OutcomeSums,
    cohen,
    drawn_figures,
    outcome_sums,
    seconds,
    with_intervals,
)
from analysis.relevance.judgments import Judgments, joint, own_full_text, yes_or_no
from analysis.relevance.metric_means import (
    Spread,
    Units,
    drawn_sums,
    mean_over,
    membership,
    spread_of,
    units,
    with_interval,
)
from analysis.resampling.intervals import ANGLE, IDENTITY, LOG, UNIT_INTERVAL, interval_from_error
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, OnProgress, holm, student_p
from analysis.values.ratings import ratio

Subject = Literal["rater", "event"]


@dataclass(frozen=True, eq=False)
class SubjectRates:
    """Rates of n subjects (raters or events, in ascending order) for k surrogates, (n, k) each.

    NaN where a subject has no judgment of known truth, none judged relevant (precision) or none relevant (recall).
    """

    accuracy: Floats
    precision: Floats
    recall: Floats
    f_score: Floats


def rates_by_subject(judgments: Judgments, subject: Subject, truth: Floats) -> SubjectRates:
    """Accuracy, precision, recall and F of every subject for every surrogate.

    Parameters
    ----------
    judgments : N of them, of k surrogates
    subject : whose rates, each rater's or each event's
    truth : (N,) 0, 1, or NaN where not known

    Returns
    -------
    SubjectRates
        (n, k) tables, as `analysis.relevance.anova.of_table` takes them.

    Notes
    -----
    Not a figure of the whole study, which counts judgments alike, while here subjects count alike. F is 2 TP / (2 TP +
    FP + FN).
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 4.3.1, Table 1; methods, section 6.

    >>> of = Judgments([1, 1, 2, 2], [1] * 4, [1, 2, 1, 2], [0, 0, 0, 1], [1, 0, 1, 1])
    >>> rates_by_subject(of, "rater", np.array([1, 1, 1, 0])).accuracy.tolist()
    [[0.5, nan], [1.0, 0.0]]
    """
    cell, shape = _cells(judgments, subject)
    true = yes_or_no("truth", truth, len(judgments), may_lack=True)
    known = ~np.isnan(true)
    outcome = (2 * judgments.judgment[known] + true[known]).astype(np.int64)
    counts = np.bincount(cell[known] * 4 + outcome, minlength=4 * shape[0] * shape[1])
    tn, fn, fp, tp = np.moveaxis(counts.reshape(*shape, 4), 2, 0)
    return SubjectRates(
        ratio(tp + tn, tp + tn + fp + fn),
        ratio(tp, tp + fp),
        ratio(tp, tp + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
    )


def seconds_by_subject(judgments: Judgments, subject: Subject) -> Floats:
    """Mean seconds (n, k) of every subject for every surrogate, NaN where no time is known (Hobson, Dorr, Monz and
    Schwartz 2007, Table 7).

    >>> of = Judgments([1, 1, 2], [1] * 3, [1, 2, 1], [0, 0, 1], [1, 0, 1], seconds=[2, 4, 9])
    >>> seconds_by_subject(of, "rater").tolist()
    [[3.0, nan], [nan, 9.0]]
    """
    cell, shape = _cells(judgments, subject)
    known = ~np.isnan(judgments.seconds)
    total = np.bincount(cell[known], judgments.seconds[known], shape[0] * shape[1])
    many = np.bincount(cell[known], minlength=shape[0] * shape[1])
    return ratio(total, many).reshape(shape)


def _cells(judgments: Judgments, subject: Subject) -> tuple[Codes, tuple[int, int]]:
    """Each judgment's cell (N,) in a table of n subjects by k surrogates, and the table's shape."""
    codes, k = judgments.codes, len(judgments.surrogates)
    who, n = (codes.rater, codes.raters) if subject == "rater" else (codes.event, codes.events)
    return who * k + codes.surrogate, (n, k)


AGREEMENT = 1
"""Place of the share that agree among the figures; kappa is 0."""
MOST_DRAWN = 3_000_000_000
"""Pairs of raters and events times draws that take some half a minute."""

NO_PAIRS = "no two raters judged the same document from it"
NO_KAPPA = "both raters of each pair gave one and the same answer throughout"
TOO_MANY = "there are too many pairs of raters to draw an interval"


@dataclass(frozen=True)
class BetweenRaters:
    """Agreement of raters of one surrogate with each other.

    `kappa` Cohen's, the mean over pairs of raters (its n, of `pairs`; `undefined_pairs` gave one answer throughout);
    `agreement` the share of pairs of judgments of the same document that are equal (its n). `repeated` judgments of a
    rater on the same document and surrogate after the first, set aside.
    """

    kappa: Estimate
    agreement: Estimate
    pairs: int
    undefined_pairs: int
    repeated: int


@dataclass(frozen=True, eq=False)
class RaterAgreement:
    """Agreement between raters by surrogate (k,), and what the intervals draw."""

    surrogates: tuple[BetweenRaters, ...]
    resampled: str


def between_raters(
    judgments: Judgments, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> RaterAgreement:
    """Cohen's kappa over pairs of raters and the share of pairs that agree, for every surrogate.

    Parameters
    ----------
    judgments : (N,) of k surrogates; of several by a rater on a document and surrogate, the first counts
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of draws with the share done

    Notes
    -----
    Not whether what it tells is right. All pairs of raters count alike in kappa, all pairs of judgments in the share.
    Pairs are found by one matrix product of judgments with themselves; copies of a rater in a draw are no pair.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2; Cohen 1960; methods, section 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    k, every_code = len(judgments.surrogates), judgments.codes.surrogate
    key, _ = joint(every_code, judgments.codes.rater, judgments.codes.document)
    firsts = judgments.where(judgments.first_of_each(key))
    of, code = units(firsts), firsts.codes.surrogate
    shown, _ = joint(code, firsts.codes.document)
    pairs = _pairs(code, of, shown, firsts.judgment, k)
    repeated = np.bincount(every_code, minlength=k) - np.bincount(code, minlength=k)
    distinct = np.bincount(code[np.unique(shown, return_index=True)[1]], minlength=k)

    once = np.ones((len(pairs.raters), 1))
    kappa, agreed = _figures(pairs.total[:, :, None], once, pairs.groups)[:, :, 0]
    every = (pairs.groups @ once)[:, 0]
    compared = pairs.groups @ pairs.total.sum(axis=0)
    defined = pairs.groups @ (~np.isnan(cohen(*pairs.total))).astype(np.float64)
    few = pairs.sums.nnz * spec.draws * of.kinds <= MOST_DRAWN
    drawn = [np.empty((2, k, 0))]
    for sums, weight in drawn_sums(pairs.sums, pairs.raters, of, spec, on_progress) if few else ():
        drawn.append(_figures(sums.reshape(4, *weight.shape), weight, pairs.groups))
    draws = np.concatenate(drawn, axis=2)

    def estimate(figure: int, place: int, value: float, n: float, reason: str, independent: int) -> Estimate:
        observed = Estimate(float(value), n=int(n), reason=reason if np.isnan(value) else "")
        if observed.defined and not few:
            return replace(observed, reason=TOO_MANY)
        scale, within = (ANGLE, UNIT_INTERVAL) if figure == AGREEMENT else (IDENTITY, (-1.0, 1.0))
        return with_interval(observed, draws[figure, place], of, spec, independent, scale, within)

    by_surrogate = []
    for place in range(k):
        nothing = "" if every[place] else NO_PAIRS if distinct[place] else NO_JUDGMENT
        by_surrogate.append(
            BetweenRaters(
                estimate(0, place, kappa[place], defined[place], nothing or NO_KAPPA, 0),
                estimate(1, place, agreed[place], compared[place], nothing, int(distinct[place])),
                int(every[place]),
                int(every[place] - defined[place]),
                int(repeated[place]),
            )
        )
    return RaterAgreement(tuple(by_surrogate), of.resampled)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Tables of p pairs of raters on a surrogate: `raters` (p, 2), `groups` (k, p), `total` (4, p) counts of both yes,
    both no, yes of the first alone and of the second; `sums` (4 p, u) sparse, the same by unit.
    """

    raters: Codes
    groups: Any
    total: Floats
    sums: Any


def _pairs(code: Codes, of: Units, shown: Codes, yes: Floats, k: int) -> _Pairs:
    """Judgments (N,) are rows of documents `shown`, in cells of one rater on one unit of one surrogate: the
    product of that matrix with itself counts what every two cells share."""
    cell, cells = joint(code, of.unit, of.rater)
    at = np.unique(cell, return_index=True)[1]
    by_document = (shown, cell), (int(shown.max(initial=-1)) + 1, cells)
    there, said = (
        sparse.csr_array((each, by_document[0]), shape=by_document[1]) for each in (np.ones(len(yes)), yes)
    )
    both = sparse.triu(there.T @ there, 1, format="coo")
    one, other = (each.astype(np.int64) for each in both.coords)
    of_both = both.data

    def shared(first: Any, second: Any) -> Floats:
        """The product's entries at the pairs of cells."""
        return _entries(first.T @ second, one, other, cells)

    yes_yes, yes_one, yes_other = shared(said, said), shared(said, there), shared(there, said)
    tables = np.stack(
        [yes_yes, of_both - yes_one - yes_other + yes_yes, yes_one - yes_yes, yes_other - yes_yes]
    )
    rater = of.rater[at]
    pair, p = joint(code[at][one], rater[one], rater[other])
    where = np.unique(pair, return_index=True)[1]
    rows, unit = (np.arange(4)[:, None] * p + pair).ravel(), np.tile(of.unit[at][one], 4)
    sums = sparse.coo_array((tables.ravel(), (rows, unit)), shape=(4 * p, of.units)).tocsr()
    sums.eliminate_zeros()
    return _Pairs(
        np.stack([rater[one], rater[other]], axis=1)[where],
        membership(code[at][one][where], k),
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(4, p),
        sums,
    )


def _entries(matrix: Any, row: Codes, column: Codes, width: int) -> Floats:
    """Entries (m,) of a sparse matrix, 0 where nothing is stored."""
    stored = matrix.tocoo()
    rows, columns = stored.coords
    key = rows.astype(np.int64) * width + columns
    ordered = np.argsort(key)
    key, value = np.append(key[ordered], -1), np.append(stored.data[ordered], 0.0)
    wanted = row.astype(np.int64) * width + column
    at = np.searchsorted(key[:-1], wanted)
    return np.where(key[at] == wanted, value[at], 0.0)


def _figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Mean kappa and share of equal judgments (2, k, b) from tables (4, p, b) and weights (p, b)."""
    yes_yes, no_no, _, _ = sums
    equal, all_pairs = groups @ ((yes_yes + no_no) * weight), groups @ (sums.sum(axis=0) * weight)
    return np.stack([mean_over(groups, cohen(*sums), weight), ratio(equal, all_pairs)])


_EQUAL = 1e-12

NO_GOLD = "no gold is known for its documents"
IS_FULL_TEXT = "the others are compared with the full text"
NO_SECONDS = "no time is known"
NO_TEXT_TO_LOSE = "there is no full text"
NO_SECONDS_OF_TEXT = "no time is known for the full text"
NEITHER = "no judgment has both gold and the rater's own judgment of the full text"
NO_RATE = "no rater judged anything relevant"
ONE_RATER = "a test over raters needs two of them"
EQUAL_DIFFERENCES = "all raters differ by the same amount, so that there is no spread to test against"


PairedRate = Literal["accuracy", "precision", "f_score"]
PAIRED: tuple[PairedRate, ...] = get_args(PairedRate)
"""Rates whose difference between both agreements is tested."""


@dataclass(frozen=True)
class PairedDifference:
    """Relevance Prediction less LDC Agreement in one rate, on judgments where both are known (`n`), by rater.

    `difference`: mean of the raters' differences, Student's t interval, n = raters who have the rate in both; `t`,
    `degrees`, `p` of the paired t test over raters, `p_holm` adjusted for the surrogates; NaN with the `reason`.
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
    """Both agreements, by surrogate (k of them): `ldc`, `prediction`, their `differences` by rate (of `PAIRED`), mean
    `seconds` and `seconds_saved` against the full text. `ldc_lost` is the accuracy with the full text less the
    surrogate's, `prediction_lost` the share of judgments unlike those of the full text; `ldc_spread` and
    `prediction_spread` are those of the accuracies. `resampled` says what the intervals draw.
    """

    ldc: tuple[Agreement, ...]
    prediction: tuple[Agreement, ...]
    differences: Mapping[PairedRate, tuple[PairedDifference, ...]]
    seconds: tuple[Estimate, ...]
    seconds_saved: tuple[Estimate, ...]
    ldc_lost: tuple[Estimate, ...]
    prediction_lost: tuple[Estimate, ...]
    ldc_spread: Spread
    prediction_spread: Spread
    resampled: str
    raters: int
    events: int
    documents: int

    @property
    def difference(self) -> tuple[PairedDifference, ...]:
        """Differences of the accuracies."""
        return self.differences["accuracy"]


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
    The paired t tests are over raters' rates on the judgments where both are known, Holm's adjustment of each rate over
    surrogates; they take the events as given. Each agreement separately uses all judgments that it can. Draws weigh
    raters and events, documents stay in theirs.
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
        spread_of(drawn.figures[0, 0], of, spec),
        spread_of(_with_itself(drawn.figures[1, 0], text), of, spec),
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


def _with_itself(drawn: Floats, full_text: int) -> Floats:
    """Relevance Prediction in the draws (k, draws), of the full text too, which always agrees with itself."""
    if full_text >= 0:
        drawn = drawn.copy()
        drawn[full_text] = 1.0
    return drawn


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


def _paired(
    judgments: Judgments, own: Floats, level: float
) -> dict[PairedRate, tuple[PairedDifference, ...]]:
    k, codes = len(judgments.surrogates), judgments.codes
    both = ~np.isnan(judgments.gold) & ~np.isnan(own)
    counts = np.bincount(codes.surrogate[both], minlength=k).tolist()
    kept = judgments.where(both)
    prediction, ldc = (rates_by_subject(kept, "rater", of[both]) for of in (own, judgments.gold))
    found = {}
    for rate in PAIRED:
        less = getattr(prediction, rate) - getattr(ldc, rate)
        tests = [
            _paired_t(own_less[~np.isnan(own_less)], n, level)
            for own_less, n in zip(less.T, counts, strict=True)
        ]
        adjusted = holm([test.p for test in tests])
        found[rate] = tuple(replace(test, p_holm=float(p)) for test, p in zip(tests, adjusted, strict=True))
    return found


def _paired_t(differences: Floats, judgments: int, level: float) -> PairedDifference:
    n = len(differences)
    if n == 0:
        reason = NO_RATE if judgments else NEITHER
        return PairedDifference(Estimate(nan, reason=reason), nan, 0, nan, nan, judgments, reason)
    mean = float(differences.mean())
    if n < 2 or float(np.ptp(differences)) <= _EQUAL:
        reason = ONE_RATER if n < 2 else EQUAL_DIFFERENCES
        return PairedDifference(Estimate(mean, n=n, reason=reason), nan, n - 1, nan, nan, judgments, reason)
    error = float(differences.std(ddof=1)) / sqrt(n)
    low, high = (float(end) for end in interval_from_error(mean, error, level, n - 1))
    t = mean / error
    return PairedDifference(
        Estimate(mean, low, high, n),
        t,
        n - 1,
        student_p(t, n - 1, "two-sided"),
        nan,
        judgments,
    )
