"""Agreement of judgments with one truth or two, from sums by surrogate, rater and unit.

All figures of agreement are functions of these sums, so that a bootstrap sample of raters and units reweights them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from analysis.relevance.judgments import Judgments, check_binary, own_full_text
from analysis.relevance.metric_means import (
    Units,
    add_interval,
    bootstrap_sums,
    find_units,
    group_means,
    membership_matrix,
    wilson_share,
)
from analysis.resampling.intervals import ANGLE, IDENTITY, UNIT_INTERVAL
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio


def cohen_kappa(both_yes: Floats, both_no: Floats, only_first: Floats, only_second: Floats) -> Floats:
    """Return Cohen's kappa of yes-or-no tables (Cohen 1960, "A coefficient of agreement for nominal scales").

    >>> cohen_kappa(*np.array([[1.0], [2.0], [0.0], [1.0]])).tolist()
    [0.5]
    """
    yes, no = both_yes + only_first, both_no + only_second
    yes_second, no_second = both_yes + only_second, both_no + only_first
    return ratio(2 * (both_yes * both_no - only_first * only_second), yes * no_second + yes_second * no)


def paper_kappa(accuracy: Estimate, chance: float = 0.5) -> Estimate:
    """Return the paper's kappa: agreement with gold beyond a fixed chance agreement.

    Parameters
    ----------
    accuracy : P_A with its interval, of judgments (n,)
    chance : P_E

    Raises
    ------
    InputError
        where `chance` is not from 0 to below 1.

    Notes
    -----
    (P_A - P_E) / (1 - P_E), the accuracy beyond chance. Not Cohen's kappa, which estimates P_E from the answers: with
    half of the documents relevant, P_E = 0.5 for any rater.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2.

    >>> round(paper_kappa(Estimate(0.69)).value, 2)
    0.38
    """
    if not 0 <= chance < 1:
        raise InputError(f"`chance` must be from 0 to below 1, got {chance}")

    def kappa(agreed: float) -> float:
        return (agreed - chance) / (1 - chance)

    return replace(accuracy, value=kappa(accuracy.value), low=kappa(accuracy.low), high=kappa(accuracy.high))


FIGURES = ("accuracy", "precision", "recall", "f_score", "kappa")


@dataclass(frozen=True, eq=False)
class OutcomeSums:
    """Sums of outcomes and seconds by surrogate and rater (p pairs) and unit.

    `sums` (q p, u) sparse, q = 4 outcomes (TP, TN, FP, FN) of each side, then seconds and the number of known ones;
    `total` (q, p); `surrogate`, `rater` (p,); `groups` (k, p); `judgments` (k,), `unknown` and `documents` (s, k).
    """

    units: Units
    sums: Any
    total: Floats
    surrogate: Codes
    rater: Codes
    groups: Any
    judgments: Codes
    unknown: Codes
    documents: Codes


def outcome_sums(
    judgments: Judgments, units: Units, truths: list[Floats], timed: bool = False
) -> OutcomeSums:
    """Sum outcomes against each of the truths (N,), by surrogate, rater and unit; with seconds if `timed`."""
    codes, k = judgments.codes, len(judgments.surrogates)
    cell, p = np.unique(codes.surrogate * max(units.raters, 1) + units.rater, return_inverse=True)
    rows, columns, values, unknown, documents = [], [], [], [], []
    for side, truth in enumerate(truths):
        is_known = ~np.isnan(truth)
        judged = judgments.judgment
        outcome = np.where(judged == truth, 1 - judged, 3 - judged)[is_known].astype(np.int64)
        rows.append((4 * side + outcome) * len(cell) + p[is_known])
        columns.append(units.unit[is_known])
        values.append(np.ones(int(is_known.sum())))
        unknown.append(np.bincount(codes.surrogate[~is_known], minlength=k))
        documents_shown = np.unique(
            codes.surrogate[is_known] * max(codes.documents, 1) + codes.document[is_known]
        )
        documents.append(np.bincount(documents_shown // max(codes.documents, 1), minlength=k))
    q = 4 * len(truths)
    if timed:
        is_known = ~np.isnan(judgments.seconds)
        for row, value in ((q, judgments.seconds[is_known]), (q + 1, np.ones(int(is_known.sum())))):
            rows.append(row * len(cell) + p[is_known])
            columns.append(units.unit[is_known])
            values.append(value)
        q += 2
    sums = sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(q * len(cell), units.units),
    ).tocsr()
    surrogates, raters = np.divmod(cell, max(units.raters, 1))
    return OutcomeSums(
        units,
        sums,
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(q, len(cell)),
        surrogates,
        raters,
        membership_matrix(surrogates, k),
        np.bincount(codes.surrogate, minlength=k),
        np.array(unknown),
        np.array(documents),
    )


def agreement_figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Return accuracy, precision, recall, F and kappa of one side (5, k, b) from sums (4, p, b) and weights (p, b)."""
    tp, tn, fp, fn = (groups @ (each * weight) for each in sums)
    yes_yes, no_no, only_judged, only_true = sums
    return np.stack(
        [
            ratio(tp + tn, tp + tn + fp + fn),
            ratio(tp, tp + fp),
            ratio(tp, tp + fn),
            ratio(2 * tp, 2 * tp + fp + fn),
            group_means(groups, cohen_kappa(yes_yes, no_no, only_judged, only_true), weight),
        ]
    )


def mean_seconds(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Return mean seconds (k, b) from their sums and counts (2, p, b)."""
    return ratio(groups @ (sums[0] * weight), groups @ (sums[1] * weight))


KAPPA = FIGURES.index("kappa")
NO_JUDGMENT = "there is no judgment of it"
NO_FULL_TEXT = "no rater of it judged the full text of the same documents"
NO_TRUTH = "the truth is not known for any judgment of it"
NONE_CALLED_RELEVANT = "nothing was judged relevant"
NONE_RELEVANT = "nothing is relevant"
NONE_EITHER = "nothing is relevant and nothing was judged so"
NO_KAPPA = "each rater's answers, and the truth, are one and the same throughout"
NO_RATERS = "an interval needs to know raters and events"


@dataclass(frozen=True)
class Agreement:
    """Agreement of judgments of one surrogate with the truth.

    `kappa` is Cohen's within raters, averaged over the raters where it is defined (its n), `raters_without_kappa`
    counts the others. `tp`, `fp`, `tn`, `fn` count true and false positives and negatives; `n` is their sum;
    `set_aside` counts judgments of unknown truth. `reason` says why n is 0.
    """

    accuracy: Estimate
    precision: Estimate
    recall: Estimate
    f_score: Estimate
    kappa: Estimate
    tp: int
    tn: int
    fp: int
    fn: int
    n: int
    set_aside: int
    raters_without_kappa: int
    reason: str = ""


def agreement(
    surrogate: ArrayLike,
    judgment: ArrayLike,
    truth: ArrayLike,
    rater: ArrayLike | None = None,
    event: ArrayLike | None = None,
    document: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[Any, Agreement]:
    """Estimate LDC Agreement: agreement of the judgments of each surrogate with gold.

    Parameters
    ----------
    surrogate : (N,) ids
    judgment : (N,) 0 or 1
    truth : (N,) 0, 1, or NaN where unknown
    rater, event, document : (N,) ids, all three or none
    bootstrap : of the intervals, over raters and events
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    dict of Agreement by surrogate

    Raises
    ------
    InputError
        where lengths differ, values are not 0 or 1, or raters, events and documents are not given together.

    Notes
    -----
    The question is whether people who see only this surrogate decide as gold does; it says little about the surrogate
    where gold is doubtful. Judgments of unknown truth are excluded and counted. Without raters and events all judgments
    count as one rater's, and shares have Wilson's interval for independent judgments. F is 2 TP / (2 TP + FP + FN), the
    harmonic mean of precision and recall if defined, and 0 without true positives.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.1; methods, section 6.

    >>> headline = agreement(["h"] * 4, [1, 1, 0, 0], [1, 0, 0, float("nan")])["h"]
    >>> headline.tp, headline.fp, headline.tn, headline.fn, headline.set_aside, headline.precision.value
    (1, 1, 1, 0, 1, 0.5)
    """
    has_ids = [each is not None for each in (rater, event, document)]
    if any(has_ids) and not all(has_ids):
        raise InputError("`rater`, `event` and `document` belong together: give all three, or none")
    n = np.size(judgment)
    if rater is None or event is None or document is None:
        no_ids = np.zeros(n, dtype=np.int64)
        judgments = Judgments(no_ids, no_ids, np.arange(n), surrogate, judgment)
    else:
        judgments = Judgments(rater, event, document, surrogate, judgment)
    sums = outcome_sums(judgments, find_units(judgments), [check_binary("truth", truth, n, may_lack=True)])
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    reasons = [NO_TRUTH] * len(judgments.surrogates)
    if rater is None:
        agreements = tuple(
            _add_wilson_intervals(result, spec) for result in _agreements_without_intervals(sums, 0, reasons)
        )
    else:
        samples = bootstrap_figures(sums, 1, spec, on_progress)
        agreements = agreements_with_intervals(sums, 0, reasons, samples.figures[0], spec)
    return dict(zip(judgments.surrogates.tolist(), agreements, strict=True))


def relevance_prediction(
    rater: ArrayLike,
    event: ArrayLike,
    document: ArrayLike,
    surrogate: ArrayLike,
    judgment: ArrayLike,
    full_text: Any = "Full Text",
    session: ArrayLike | None = None,
    order: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[Any, Agreement]:
    """Estimate Relevance Prediction: agreement of judgments of each surrogate with the rater's own judgment of the
    full text.

    Parameters
    ----------
    rater, event, document, surrogate : (N,) ids; documents of different events are different
    judgment : (N,) 0 or 1
    full_text : the surrogate that is the document itself
    session, order : as in `Judgments`
    bootstrap : of the intervals, over raters and events
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    dict of Agreement by surrogate
        without the full text.

    Raises
    ------
    InputError
        where lengths differ, judgments are not 0 or 1, or `full_text` is not a surrogate.

    Notes
    -----
    It does not measure whether decisions are right. A rater who always answers "no" scores 1.0: also read `kappa`,
    which is undefined for such a rater, and near 0 where agreement is due to chance. Judgments without one of the full
    text are excluded and counted.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.2; methods, section 6.

    >>> headline = relevance_prediction(
    ...     [1, 1, 1, 1], ["e"] * 4, [1, 2, 1, 2], ["h", "h", "Full Text", "Full Text"], [1, 0, 1, 1]
    ... )["h"]
    >>> headline.tp, headline.fn, headline.accuracy.value
    (1, 1, 0.5)
    """
    judgments = Judgments(rater, event, document, surrogate, judgment, session=session, order=order)
    names = judgments.surrogates.tolist()
    if full_text not in names:
        shown = ", ".join(f"{name!r}" for name in names[:10])
        raise InputError(f"`full_text` must be one of the surrogates ({shown}), got {full_text!r}")
    own_judgment = own_full_text(judgments, full_text)
    is_known = ~np.isnan(own_judgment)
    with_own = judgments.where(is_known)
    sums = outcome_sums(with_own, find_units(with_own), [own_judgment[is_known]])
    excluded = np.bincount(judgments.codes.surrogate[~is_known], minlength=len(names))
    sums = replace(sums, judgments=sums.judgments + excluded, unknown=sums.unknown + excluded[None])
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    samples = bootstrap_figures(sums, 1, spec, on_progress)
    agreements = agreements_with_intervals(sums, 0, [NO_FULL_TEXT] * len(names), samples.figures[0], spec)
    return {name: result for name, result in zip(names, agreements, strict=True) if name != full_text}


@dataclass(frozen=True, eq=False)
class BootstrapFigures:
    """Bootstrap samples of `figures` (sides, 5, k, draws) of every surrogate, and of mean `seconds` (k, draws)."""

    figures: Floats
    seconds: Floats


def bootstrap_figures(
    sums: OutcomeSums, sides: int, spec: BootstrapSpec, on_progress: OnProgress
) -> BootstrapFigures:
    """Return the figures of agreement in every bootstrap sample, with seconds if the sums have them."""
    p, k = len(sums.rater), sums.groups.shape[0]
    timed = len(sums.total) > 4 * sides
    draws = spec.draws * sums.units.resampled_kinds
    samples = BootstrapFigures(np.empty((sides, len(FIGURES), k, draws)), np.empty((k, draws)))
    start = 0
    for block_sums, weight in bootstrap_sums(sums.sums, sums.rater, sums.units, spec, on_progress):
        block = slice(start, start + weight.shape[1])
        sums_by_row = block_sums.reshape(len(sums.total), p, weight.shape[1])
        for side in range(sides):
            samples.figures[side, ..., block] = agreement_figures(
                sums_by_row[4 * side : 4 * side + 4], weight, sums.groups
            )
        if timed:
            samples.seconds[:, block] = mean_seconds(sums_by_row[4 * sides :], weight, sums.groups)
        start = block.stop
    return samples


def agreements_with_intervals(
    sums: OutcomeSums, side: int, reasons: list[str], samples: Floats, spec: BootstrapSpec
) -> tuple[Agreement, ...]:
    """Return the agreement of every surrogate with one truth, with intervals from its bootstrap figures (5, k,
    draws)."""

    def add_intervals(result: Agreement, index: int) -> Agreement:
        documents = int(sums.documents[side, index])

        def add_bootstrap_interval(figure: int, estimate: Estimate, is_share: bool) -> Estimate:
            independent = min(documents, estimate.n) if is_share else 0
            scale, within = (IDENTITY, (-1.0, 1.0)) if figure == KAPPA else (ANGLE, UNIT_INTERVAL)
            return add_interval(
                estimate, samples[figure, index], sums.units, spec, independent, scale, within
            )

        return replace(
            result,
            accuracy=add_bootstrap_interval(0, result.accuracy, True),
            precision=add_bootstrap_interval(1, result.precision, True),
            recall=add_bootstrap_interval(2, result.recall, True),
            f_score=add_bootstrap_interval(3, result.f_score, False),
            kappa=add_bootstrap_interval(4, result.kappa, False),
        )

    return tuple(
        add_intervals(result, index)
        for index, result in enumerate(_agreements_without_intervals(sums, side, reasons))
    )


def _agreements_without_intervals(sums: OutcomeSums, side: int, reasons: list[str]) -> tuple[Agreement, ...]:
    """Return the agreement of every surrogate with one truth, without intervals."""
    outcomes = sums.total[4 * side : 4 * side + 4, :, None]
    unit_weight = np.ones((outcomes.shape[1], 1))
    values = agreement_figures(outcomes, unit_weight, sums.groups)[:, :, 0]
    counts = np.rint([sums.groups @ each[:, 0] for each in outcomes]).astype(np.int64)
    judging_raters = sums.groups @ (outcomes.sum(axis=0)[:, 0] > 0).astype(np.float64)
    defined_kappas = sums.groups @ (~np.isnan(cohen_kappa(*outcomes)[:, 0])).astype(np.float64)
    agreements = []
    for index, (tp, tn, fp, fn) in enumerate(counts.T.tolist()):
        n = tp + tn + fp + fn
        no_data_reason = "" if n else reasons[index] if sums.judgments[index] else NO_JUDGMENT
        accuracy, precision, recall, f_score, kappa = (
            Estimate(float(value), n=int(count), reason=(no_data_reason or reason) if np.isnan(value) else "")
            for value, count, reason in zip(
                values[:, index],
                (n, tp + fp, tp + fn, n, defined_kappas[index]),
                ("", NONE_CALLED_RELEVANT, NONE_RELEVANT, NONE_EITHER, NO_KAPPA),
                strict=True,
            )
        )
        agreements.append(
            Agreement(
                accuracy,
                precision,
                recall,
                f_score,
                kappa,
                *(tp, tn, fp, fn, n),
                set_aside=int(sums.unknown[side, index]),
                raters_without_kappa=int(judging_raters[index] - defined_kappas[index]),
                reason=no_data_reason,
            )
        )
    return tuple(agreements)


def _add_wilson_intervals(result: Agreement, spec: BootstrapSpec) -> Agreement:
    """Add intervals for independent judgments."""

    def add_wilson(value: Estimate) -> Estimate:
        return wilson_share(value.value * value.n, value.n, spec.level, value) if value.defined else value

    def add_reason(value: Estimate) -> Estimate:
        return replace(value, reason=NO_RATERS) if value.defined else value

    return replace(
        result,
        accuracy=add_wilson(result.accuracy),
        precision=add_wilson(result.precision),
        recall=add_wilson(result.recall),
        f_score=add_reason(result.f_score),
        kappa=add_reason(result.kappa),
    )
