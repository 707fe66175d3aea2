"""Agreement between raters, rates by subject, and the comparison of LDC Agreement and Relevance Prediction."""

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
    agreements_with_intervals,
    bootstrap_figures,
    cohen_kappa,
    mean_seconds,
    outcome_sums,
)
from analysis.relevance.judgments import Judgments, check_binary, encode_combinations, own_full_text
from analysis.relevance.metric_means import (
    FigureCovariance,
    Units,
    add_interval,
    bootstrap_sums,
    figure_covariance,
    find_units,
    group_means,
    membership_matrix,
)
from analysis.resampling.intervals import ANGLE, IDENTITY, LOG, UNIT_INTERVAL, interval_from_error
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, OnProgress, holm, student_p
from analysis.values.ratings import ratio

Subject = Literal["rater", "event"]


@dataclass(frozen=True, eq=False)
class SubjectRates:
    """Rates of n subjects (raters or events, in ascending order) for k surrogates, (n, k) each.

    NaN for a subject without a judgment of known truth, without a positive judgment (precision) or a relevant
    document (recall).
    """

    accuracy: Floats
    precision: Floats
    recall: Floats
    f_score: Floats


def rates_by_subject(judgments: Judgments, subject: Subject, truth: Floats) -> SubjectRates:
    """Return accuracy, precision, recall and F of every subject for every surrogate.

    Parameters
    ----------
    judgments : N of them, of k surrogates
    subject : "rater" or "event"
    truth : (N,) 0, 1, or NaN where unknown

    Returns
    -------
    SubjectRates
        (n, k) tables for `analysis.relevance.anova.of_table`.

    Notes
    -----
    Subjects are weighted equally, while figures of the whole study weight judgments equally. F is 2 TP / (2 TP + FP +
    FN).
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 4.3.1, Table 1; methods, section 6.

    >>> of = Judgments([1, 1, 2, 2], [1] * 4, [1, 2, 1, 2], [0, 0, 0, 1], [1, 0, 1, 1])
    >>> rates_by_subject(of, "rater", np.array([1, 1, 1, 0])).accuracy.tolist()
    [[0.5, nan], [1.0, 0.0]]
    """
    cell, shape = _table_cells(judgments, subject)
    true = check_binary("truth", truth, len(judgments), may_lack=True)
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
    """Return the mean seconds (n, k) of every subject for every surrogate, NaN where unknown (Hobson, Dorr, Monz and
    Schwartz 2007, Table 7).

    >>> of = Judgments([1, 1, 2], [1] * 3, [1, 2, 1], [0, 0, 1], [1, 0, 1], seconds=[2, 4, 9])
    >>> seconds_by_subject(of, "rater").tolist()
    [[3.0, nan], [nan, 9.0]]
    """
    cell, shape = _table_cells(judgments, subject)
    known = ~np.isnan(judgments.seconds)
    total = np.bincount(cell[known], judgments.seconds[known], shape[0] * shape[1])
    many = np.bincount(cell[known], minlength=shape[0] * shape[1])
    return ratio(total, many).reshape(shape)


def _table_cells(judgments: Judgments, subject: Subject) -> tuple[Codes, tuple[int, int]]:
    """Return each judgment's cell (N,) in a table of n subjects by k surrogates, and the table's shape."""
    codes, k = judgments.codes, len(judgments.surrogates)
    who, n = (codes.rater, codes.raters) if subject == "rater" else (codes.event, codes.events)
    return who * k + codes.surrogate, (n, k)


AGREEMENT_INDEX = 1
"""Index of the share of equal judgments among the figures; kappa has index 0."""
MOST_PAIR_DRAWS = 3_000_000_000
"""Pairs of raters and events times draws that take about half a minute."""

NO_PAIRS = "no two raters judged the same document from it"
NO_KAPPA = "both raters of each pair gave one and the same answer throughout"
TOO_MANY = "there are too many pairs of raters to draw an interval"


@dataclass(frozen=True)
class BetweenRaterAgreement:
    """Agreement between raters for one surrogate.

    `kappa` is Cohen's, the mean over pairs of raters (its n, of `pairs`; `undefined_pairs` gave only one answer);
    `agreement` is the share of equal judgments among pairs on the same document (its n). `repeated` counts excluded
    judgments after a rater's first on the same document and surrogate.
    """

    kappa: Estimate
    agreement: Estimate
    pairs: int
    undefined_pairs: int
    repeated: int


@dataclass(frozen=True, eq=False)
class RaterAgreement:
    """Agreement between raters by surrogate (k,), with the resampled units of the intervals."""

    surrogates: tuple[BetweenRaterAgreement, ...]
    resampled: str


def agreement_between_raters(
    judgments: Judgments, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> RaterAgreement:
    """Estimate Cohen's kappa over pairs of raters and the share of equal judgments, for every surrogate.

    Parameters
    ----------
    judgments : (N,) of k surrogates; the first of several by a rater on a document and surrogate counts
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of bootstrap samples with the share done

    Notes
    -----
    Agreement does not imply accuracy. Kappa weights pairs of raters equally, the share weights pairs of judgments
    equally. Copies of a rater in a bootstrap sample form no pair.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2; Cohen 1960; methods, section 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    k, every_code = len(judgments.surrogates), judgments.codes.surrogate
    key, _ = encode_combinations(every_code, judgments.codes.rater, judgments.codes.document)
    firsts = judgments.where(judgments.first_of_each(key))
    units, code = find_units(firsts), firsts.codes.surrogate
    shown, _ = encode_combinations(code, firsts.codes.document)
    pairs = _rater_pair_tables(code, units, shown, firsts.judgment, k)
    repeated_counts = np.bincount(every_code, minlength=k) - np.bincount(code, minlength=k)
    distinct = np.bincount(code[np.unique(shown, return_index=True)[1]], minlength=k)

    unit_weight = np.ones((len(pairs.raters), 1))
    kappa, equal_share = _pair_figures(pairs.total[:, :, None], unit_weight, pairs.groups)[:, :, 0]
    pair_counts = (pairs.groups @ unit_weight)[:, 0]
    compared = pairs.groups @ pairs.total.sum(axis=0)
    defined = pairs.groups @ (~np.isnan(cohen_kappa(*pairs.total))).astype(np.float64)
    is_affordable = pairs.sums.nnz * spec.draws * units.resampled_kinds <= MOST_PAIR_DRAWS
    drawn = [np.empty((2, k, 0))]
    for sums, weight in (
        bootstrap_sums(pairs.sums, pairs.raters, units, spec, on_progress) if is_affordable else ()
    ):
        drawn.append(_pair_figures(sums.reshape(4, *weight.shape), weight, pairs.groups))
    draws = np.concatenate(drawn, axis=2)

    def estimate(figure: int, place: int, value: float, n: float, reason: str, independent: int) -> Estimate:
        observed = Estimate(float(value), n=int(n), reason=reason if np.isnan(value) else "")
        if observed.defined and not is_affordable:
            return replace(observed, reason=TOO_MANY)
        scale, within = (ANGLE, UNIT_INTERVAL) if figure == AGREEMENT_INDEX else (IDENTITY, (-1.0, 1.0))
        return add_interval(observed, draws[figure, place], units, spec, independent, scale, within)

    by_surrogate = []
    for place in range(k):
        no_data_reason = "" if pair_counts[place] else NO_PAIRS if distinct[place] else NO_JUDGMENT
        by_surrogate.append(
            BetweenRaterAgreement(
                estimate(0, place, kappa[place], defined[place], no_data_reason or NO_KAPPA, 0),
                estimate(1, place, equal_share[place], compared[place], no_data_reason, int(distinct[place])),
                int(pair_counts[place]),
                int(pair_counts[place] - defined[place]),
                int(repeated_counts[place]),
            )
        )
    return RaterAgreement(tuple(by_surrogate), units.resampled)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Tables of p pairs of raters on a surrogate: `raters` (p, 2), `groups` (k, p), `total` (4, p) counts of both
    yes, both no, yes of the first alone and of the second; `sums` (4 p, u) sparse, the same by unit."""

    raters: Codes
    groups: Any
    total: Floats
    sums: Any


def _rater_pair_tables(code: Codes, units: Units, document: Codes, yes: Floats, k: int) -> _Pairs:
    """Return the tables of rater pairs. Judgments (N,) are rows by `document` in cells of one rater, unit and
    surrogate; the product of that matrix with itself counts common documents of two cells."""
    cell, cells = encode_combinations(code, units.unit, units.rater)
    first_rows = np.unique(cell, return_index=True)[1]
    by_document = (document, cell), (int(document.max(initial=-1)) + 1, cells)
    judged, judged_yes = (
        sparse.csr_array((values, by_document[0]), shape=by_document[1])
        for values in (np.ones(len(yes)), yes)
    )
    products = sparse.triu(judged.T @ judged, 1, format="coo")
    first_cell, second_cell = (values.astype(np.int64) for values in products.coords)
    joint_count = products.data

    def shared_counts(first: Any, second: Any) -> Floats:
        """Return the product's entries at the pairs of cells."""
        return _sparse_entries(first.T @ second, first_cell, second_cell, cells)

    yes_yes, yes_one, yes_other = (
        shared_counts(judged_yes, judged_yes),
        shared_counts(judged_yes, judged),
        shared_counts(judged, judged_yes),
    )
    tables = np.stack(
        [yes_yes, joint_count - yes_one - yes_other + yes_yes, yes_one - yes_yes, yes_other - yes_yes]
    )
    rater = units.rater[first_rows]
    pair, p = encode_combinations(code[first_rows][first_cell], rater[first_cell], rater[second_cell])
    first_index = np.unique(pair, return_index=True)[1]
    rows, unit = (np.arange(4)[:, None] * p + pair).ravel(), np.tile(units.unit[first_rows][first_cell], 4)
    sums = sparse.coo_array((tables.ravel(), (rows, unit)), shape=(4 * p, units.units)).tocsr()
    sums.eliminate_zeros()
    return _Pairs(
        np.stack([rater[first_cell], rater[second_cell]], axis=1)[first_index],
        membership_matrix(code[first_rows][first_cell][first_index], k),
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(4, p),
        sums,
    )


def _sparse_entries(matrix: Any, row: Codes, column: Codes, width: int) -> Floats:
    """Return entries (m,) of a sparse matrix, 0 where nothing is stored."""
    stored = matrix.tocoo()
    rows, columns = stored.coords
    key = rows.astype(np.int64) * width + columns
    order = np.argsort(key)
    key, value = np.append(key[order], -1), np.append(stored.data[order], 0.0)
    requested = row.astype(np.int64) * width + column
    index = np.searchsorted(key[:-1], requested)
    return np.where(key[index] == requested, value[index], 0.0)


def _pair_figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Return mean kappa and share of equal judgments (2, k, b) from tables (4, p, b) and weights (p, b)."""
    yes_yes, no_no, _, _ = sums
    equal, all_pairs = groups @ ((yes_yes + no_no) * weight), groups @ (sums.sum(axis=0) * weight)
    return np.stack([group_means(groups, cohen_kappa(*sums), weight), ratio(equal, all_pairs)])


_EQUAL = 1e-12

NO_GOLD = "no gold is known for its documents"
IS_FULL_TEXT = "the others are compared with the full text"
NO_SECONDS = "no time is known"
NO_TEXT_TO_LOSE = "there is no full text"
NO_SECONDS_OF_TEXT = "no time is known for the full text"
NO_PAIRED_JUDGMENT = "no judgment has both gold and the rater's own judgment of the full text"
NO_RATE = "no rater judged anything relevant"
ONE_RATER = "a test over raters needs two of them"
EQUAL_DIFFERENCES = "all raters differ by the same amount, so that there is no spread to test against"


PairedRate = Literal["accuracy", "precision", "f_score"]
PAIRED: tuple[PairedRate, ...] = get_args(PairedRate)
"""Rates for which the difference between both agreements is tested."""


@dataclass(frozen=True)
class PairedDifference:
    """Relevance Prediction minus LDC Agreement in one rate, by rater, on judgments where both are known (`n`).

    `difference`: mean of the raters' differences with Student's t interval, n = raters with both rates; `t`,
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
class AgreementComparison:
    """Both agreements, by surrogate (k): `ldc`, `prediction`, their `differences` by rate (of `PAIRED`), mean
    `seconds` and `seconds_saved` against the full text. `ldc_lost` is the accuracy with the full text minus the
    surrogate's, `prediction_lost` the share of judgments that differ from those of the full text; `ldc_spread` and
    `prediction_spread` are the covariances of the accuracies. `resampled` names the units of the intervals."""

    ldc: tuple[Agreement, ...]
    prediction: tuple[Agreement, ...]
    differences: Mapping[PairedRate, tuple[PairedDifference, ...]]
    seconds: tuple[Estimate, ...]
    seconds_saved: tuple[Estimate, ...]
    ldc_lost: tuple[Estimate, ...]
    prediction_lost: tuple[Estimate, ...]
    ldc_spread: FigureCovariance
    prediction_spread: FigureCovariance
    resampled: str
    raters: int
    events: int
    documents: int

    @property
    def difference(self) -> tuple[PairedDifference, ...]:
        """Differences of the accuracies."""
        return self.differences["accuracy"]


def compare_agreements(
    judgments: Judgments,
    full_text: Any,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> AgreementComparison:
    """Estimate LDC Agreement, Relevance Prediction and time saved for every surrogate.

    Parameters
    ----------
    judgments : N of them, of k surrogates
    full_text : the surrogate that is the document itself; any other id for none
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of bootstrap samples with the share done

    Returns
    -------
    SideBySide
        tuples (k,) in the order of the surrogates.

    Notes
    -----
    The paired t tests are over raters' rates on the judgments where both are known, with Holm's adjustment of each rate
    over surrogates, for these events. Each agreement separately uses all judgments with its truth. The bootstrap
    resamples raters and events; documents stay in their events.
    Source: Hobson, Dorr, Monz and Schwartz 2007, Tables 1, 7 and 8, section 5.3.1; methods, sections 0 and 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    units, k, text = find_units(judgments), len(judgments.surrogates), judgments.surrogate_code(full_text)
    own_judgment = own_full_text(judgments, full_text)
    sums = outcome_sums(judgments, units, [judgments.gold, own_judgment], timed=True)
    samples = bootstrap_figures(sums, 2, spec, on_progress)
    no_full_text_reasons = [IS_FULL_TEXT if index == text else NO_FULL_TEXT for index in range(k)]
    ldc = agreements_with_intervals(sums, 0, [NO_GOLD] * k, samples.figures[0], spec)
    prediction = agreements_with_intervals(sums, 1, no_full_text_reasons, samples.figures[1], spec)
    times, saved = _time_estimates(sums, 8, samples.seconds, text, spec)
    prediction_lost = tuple(
        replace(e, value=1 - e.value, low=1 - e.high, high=1 - e.low)
        for e in (result.accuracy for result in prediction)
    )
    return AgreementComparison(
        ldc,
        prediction,
        _paired_tests(judgments, own_judgment, spec.level),
        times,
        saved,
        _lost_accuracy(ldc, samples.figures[0, 0], text, units, spec),
        prediction_lost,
        figure_covariance(samples.figures[0, 0], units, spec),
        figure_covariance(_set_full_text_agreement(samples.figures[1, 0], text), units, spec),
        units.resampled,
        judgments.codes.raters,
        judgments.codes.events,
        judgments.codes.documents,
    )


def compare_agreements_by_event(
    judgments: Judgments,
    full_text: Any,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[Any, AgreementComparison]:
    """Compare both agreements within every event, with intervals over raters and documents."""
    event = judgments.codes.event
    rows = np.argsort(event, kind="stable")
    stops = np.cumsum(np.bincount(event)).tolist()
    by_event = {}
    for start, end in zip([0, *stops], stops, strict=False):
        of_event = judgments.where(rows[start:end])
        by_event[of_event.event[0].item()] = compare_agreements(of_event, full_text, bootstrap)
        if on_progress is not None:
            on_progress(end / len(judgments))
    return by_event


def _set_full_text_agreement(samples: Floats, full_text: int) -> Floats:
    """Set Relevance Prediction of the full text to 1 in the samples (k, draws)."""
    if full_text >= 0:
        samples = samples.copy()
        samples[full_text] = 1.0
    return samples


def _lost_accuracy(
    agreements: tuple[Agreement, ...], samples: Floats, full_text: int, units: Units, spec: BootstrapSpec
) -> tuple[Estimate, ...]:
    """Return the accuracy with the full text minus that with each surrogate, from samples of the accuracies (k,
    draws)."""
    text = agreements[full_text].accuracy if full_text >= 0 else Estimate(nan, reason=NO_TEXT_TO_LOSE)
    differences = []
    for index, (result, surrogate_draws) in enumerate(zip(agreements, samples, strict=True)):
        if index == full_text or not (result.accuracy.defined and text.defined):
            reason = IS_FULL_TEXT if index == full_text else result.accuracy.reason or text.reason
            differences.append(Estimate(nan, n=result.n, reason=reason))
        else:
            difference = Estimate(text.value - result.accuracy.value, n=result.n)
            differences.append(add_interval(difference, samples[full_text] - surrogate_draws, units, spec))
    return tuple(differences)


def _time_estimates(
    sums: OutcomeSums, row: int, samples: Floats, full_text: int, spec: BootstrapSpec
) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...]]:
    total = sums.total[row:, :, None]
    mean = mean_seconds(total, np.ones(total.shape[1:]), sums.groups)[:, 0]
    counts = np.rint(sums.groups @ total[1, :, 0]).astype(np.int64)
    known_text = full_text >= 0 and not np.isnan(mean[full_text])
    times, saved = [], []
    for index, (value, n, surrogate_draws) in enumerate(
        zip(mean.tolist(), counts.tolist(), samples, strict=True)
    ):
        if not n:
            times.append(Estimate(nan, n=0, reason=NO_SECONDS if sums.judgments[index] else NO_JUDGMENT))
            saved.append(times[-1])
            continue
        times.append(
            add_interval(
                Estimate(value, n=n), surrogate_draws, sums.units, spec, scale=LOG if value > 0 else IDENTITY
            )
        )
        if index == full_text:
            saved.append(Estimate(nan, n=n, reason=IS_FULL_TEXT))
        elif not known_text:
            saved.append(Estimate(nan, n=n, reason=NO_SECONDS_OF_TEXT))
        else:
            difference = Estimate(float(mean[full_text]) - value, n=n)
            saved.append(add_interval(difference, samples[full_text] - surrogate_draws, sums.units, spec))
    return tuple(times), tuple(saved)


def _paired_tests(
    judgments: Judgments, own_judgment: Floats, level: float
) -> dict[PairedRate, tuple[PairedDifference, ...]]:
    k, codes = len(judgments.surrogates), judgments.codes
    has_both = ~np.isnan(judgments.gold) & ~np.isnan(own_judgment)
    counts = np.bincount(codes.surrogate[has_both], minlength=k).tolist()
    paired_judgments = judgments.where(has_both)
    prediction, ldc = (
        rates_by_subject(paired_judgments, "rater", truth[has_both])
        for truth in (own_judgment, judgments.gold)
    )
    tests_by_rate = {}
    for rate in PAIRED:
        difference = getattr(prediction, rate) - getattr(ldc, rate)
        tests = [
            _paired_t(surrogate_difference[~np.isnan(surrogate_difference)], n, level)
            for surrogate_difference, n in zip(difference.T, counts, strict=True)
        ]
        adjusted = holm([test.p for test in tests])
        tests_by_rate[rate] = tuple(
            replace(test, p_holm=float(p)) for test, p in zip(tests, adjusted, strict=True)
        )
    return tests_by_rate


def _paired_t(differences: Floats, judgments: int, level: float) -> PairedDifference:
    n = len(differences)
    if n == 0:
        reason = NO_RATE if judgments else NO_PAIRED_JUDGMENT
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
