"""Judgments summed by surrogate, rater and unit: outcomes against one truth or two, and seconds.

All figures of agreement are closed in these sums, so that a draw of raters and units is a weighing of them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from analysis.relevance.judgments import Judgments, own_full_text, yes_or_no
from analysis.relevance.metric_means import (
    Units,
    drawn_sums,
    mean_over,
    membership,
    share,
    units,
    with_interval,
)
from analysis.resampling.intervals import ANGLE, IDENTITY, UNIT_INTERVAL
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio


def cohen(both_yes: Floats, both_no: Floats, only_first: Floats, only_second: Floats) -> Floats:
    """Cohen's kappa of yes-or-no tables (Cohen 1960, "A coefficient of agreement for nominal scales").

    >>> cohen(*np.array([[1.0], [2.0], [0.0], [1.0]])).tolist()
    [0.5]
    """
    yes, no = both_yes + only_first, both_no + only_second
    yes_second, no_second = both_yes + only_second, both_no + only_first
    return ratio(2 * (both_yes * both_no - only_first * only_second), yes * no_second + yes_second * no)


def paper_kappa(accuracy: Estimate, chance: float = 0.5) -> Estimate:
    """The paper's kappa: agreement with gold beyond a chosen agreement by chance.

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
    (P_A - P_E) / (1 - P_E). Answers: how far above chance is the accuracy? Not Cohen's kappa, which takes P_E from
    the answers themselves: with half of the documents relevant, P_E = 0.5 whatever a rater says.
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

    `sums` (q p, u) sparse, q = 4 outcomes (TP, TN, FP, FN) of each side, then seconds and how many are known;
    `total` (q, p); `surrogate`, `rater` (p,); `groups` (k, p); `judgments` (k,), `unknown` and `documents` (s, k).
    """

    of: Units
    sums: Any
    total: Floats
    surrogate: Codes
    rater: Codes
    groups: Any
    judgments: Codes
    unknown: Codes
    documents: Codes


def outcome_sums(judgments: Judgments, of: Units, truths: list[Floats], timed: bool = False) -> OutcomeSums:
    """Outcomes against each of the truths (N,), by surrogate and rater and unit; with seconds where `timed`."""
    codes, k = judgments.codes, len(judgments.surrogates)
    cell, p = np.unique(codes.surrogate * max(of.raters, 1) + of.rater, return_inverse=True)
    rows, columns, values, unknown, documents = [], [], [], [], []
    for side, truth in enumerate(truths):
        known = ~np.isnan(truth)
        judged = judgments.judgment
        outcome = np.where(judged == truth, 1 - judged, 3 - judged)[known].astype(np.int64)
        rows.append((4 * side + outcome) * len(cell) + p[known])
        columns.append(of.unit[known])
        values.append(np.ones(int(known.sum())))
        unknown.append(np.bincount(codes.surrogate[~known], minlength=k))
        shown = np.unique(codes.surrogate[known] * max(codes.documents, 1) + codes.document[known])
        documents.append(np.bincount(shown // max(codes.documents, 1), minlength=k))
    q = 4 * len(truths)
    if timed:
        known = ~np.isnan(judgments.seconds)
        for place, value in ((q, judgments.seconds[known]), (q + 1, np.ones(int(known.sum())))):
            rows.append(place * len(cell) + p[known])
            columns.append(of.unit[known])
            values.append(value)
        q += 2
    sums = sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(q * len(cell), of.units),
    ).tocsr()
    surrogates, raters = np.divmod(cell, max(of.raters, 1))
    return OutcomeSums(
        of,
        sums,
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(q, len(cell)),
        surrogates,
        raters,
        membership(surrogates, k),
        np.bincount(codes.surrogate, minlength=k),
        np.array(unknown),
        np.array(documents),
    )


def figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Accuracy, precision, recall, F and kappa of one side (5, k, b) from sums (4, p, b) and weights (p, b)."""
    tp, tn, fp, fn = (groups @ (each * weight) for each in sums)
    yes_yes, no_no, only_judged, only_true = sums
    return np.stack(
        [
            ratio(tp + tn, tp + tn + fp + fn),
            ratio(tp, tp + fp),
            ratio(tp, tp + fn),
            ratio(2 * tp, 2 * tp + fp + fn),
            mean_over(groups, cohen(yes_yes, no_no, only_judged, only_true), weight),
        ]
    )


def seconds(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Mean seconds (k, b) from their sums and counts (2, p, b)."""
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

    `kappa` Cohen's within the rater, averaged over the raters where it is defined (its n), `raters_without_kappa` the
    others. `tp` judged relevant and so it is, `fp` judged so but is not, `tn`, `fn` likewise; `n` their sum;
    `set_aside` judgments of unknown truth. `reason` says why there is nothing, where n is 0.
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
    """LDC Agreement: judgments of each surrogate against gold.

    Parameters
    ----------
    surrogate : (N,) ids
    judgment : (N,) 0 or 1
    truth : (N,) 0, 1, or NaN where not known
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
    Answers: do people who see only this surrogate decide as gold does? Not "is the surrogate good" where gold itself
    is doubtful. Judgments of unknown truth are set aside and counted. Without raters and events all judgments count
    as one rater's, and shares have Wilson's interval, as if judgments were independent. F is
    2 TP / (2 TP + FP + FN), the harmonic mean of precision and recall where that is defined, and 0 where nothing was
    found.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.1; methods, section 6.

    >>> headline = agreement(["h"] * 4, [1, 1, 0, 0], [1, 0, 0, float("nan")])["h"]
    >>> headline.tp, headline.fp, headline.tn, headline.fn, headline.set_aside, headline.precision.value
    (1, 1, 1, 0, 1, 0.5)
    """
    given = [each is not None for each in (rater, event, document)]
    if any(given) and not all(given):
        raise InputError("`rater`, `event` and `document` belong together: give all three, or none")
    n = np.size(judgment)
    if rater is None or event is None or document is None:
        nobody = np.zeros(n, dtype=np.int64)
        judgments = Judgments(nobody, nobody, np.arange(n), surrogate, judgment)
    else:
        judgments = Judgments(rater, event, document, surrogate, judgment)
    sums = outcome_sums(judgments, units(judgments), [yes_or_no("truth", truth, n, may_lack=True)])
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    why = [NO_TRUTH] * len(judgments.surrogates)
    if rater is None:
        agreements = tuple(_by_wilson(one, spec) for one in _described(sums, 0, why))
    else:
        drawn = drawn_figures(sums, 1, spec, on_progress)
        agreements = with_intervals(sums, 0, why, drawn.figures[0], spec)
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
    """Relevance Prediction: judgments of each surrogate against the same rater's own judgment of the full text.

    Parameters
    ----------
    rater, event, document, surrogate : (N,) ids; a document is its own within its event
    judgment : (N,) 0 or 1
    full_text : the surrogate that is the document itself
    session, order : as in `Judgments`
    bootstrap : of the intervals, over raters and events
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    dict of Agreement by surrogate
        without the full text, which would agree with itself.

    Raises
    ------
    InputError
        where lengths differ, judgments are not 0 or 1, or `full_text` is none of the surrogates.

    Notes
    -----
    Not whether the decision is right. A rater who always answers "no" scores 1.0: read `kappa` beside it, which is
    undefined for such a rater, and near 0 for one whose agreement is what the own share of "yes" gives by chance.
    Judgments without one of the full text are set aside and counted; raters who have none at all change nothing else.
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
    own = own_full_text(judgments, full_text)
    known = ~np.isnan(own)
    compared = judgments.where(known)
    sums = outcome_sums(compared, units(compared), [own[known]])
    aside = np.bincount(judgments.codes.surrogate[~known], minlength=len(names))
    sums = replace(sums, judgments=sums.judgments + aside, unknown=sums.unknown + aside[None])
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    drawn = drawn_figures(sums, 1, spec, on_progress)
    agreements = with_intervals(sums, 0, [NO_FULL_TEXT] * len(names), drawn.figures[0], spec)
    return {name: one for name, one in zip(names, agreements, strict=True) if name != full_text}


@dataclass(frozen=True, eq=False)
class Drawn:
    """`figures` (sides, 5, k, draws) of every surrogate under resampling, and mean `seconds` (k, draws)."""

    figures: Floats
    seconds: Floats


def drawn_figures(sums: OutcomeSums, sides: int, spec: BootstrapSpec, on_progress: OnProgress) -> Drawn:
    """The figures of agreement in every draw of every kind, and seconds where the sums have them."""
    p, k = len(sums.rater), sums.groups.shape[0]
    timed = len(sums.total) > 4 * sides
    draws = spec.draws * sums.of.kinds
    drawn = Drawn(np.empty((sides, len(FIGURES), k, draws)), np.empty((k, draws)))
    done = 0
    for of_draws, weight in drawn_sums(sums.sums, sums.rater, sums.of, spec, on_progress):
        block = slice(done, done + weight.shape[1])
        each = of_draws.reshape(len(sums.total), p, weight.shape[1])
        for side in range(sides):
            drawn.figures[side, ..., block] = figures(each[4 * side : 4 * side + 4], weight, sums.groups)
        if timed:
            drawn.seconds[:, block] = seconds(each[4 * sides :], weight, sums.groups)
        done = block.stop
    return drawn


def with_intervals(
    sums: OutcomeSums, side: int, why: list[str], drawn: Floats, spec: BootstrapSpec
) -> tuple[Agreement, ...]:
    """The agreement of every surrogate with one truth, with the intervals of its drawn figures (5, k, draws)."""

    def of_draws(one: Agreement, place: int) -> Agreement:
        documents = int(sums.documents[side, place])

        def drawn_around(figure: int, estimate: Estimate, is_share: bool) -> Estimate:
            independent = min(documents, estimate.n) if is_share else 0
            scale, within = (IDENTITY, (-1.0, 1.0)) if figure == KAPPA else (ANGLE, UNIT_INTERVAL)
            return with_interval(estimate, drawn[figure, place], sums.of, spec, independent, scale, within)

        return replace(
            one,
            accuracy=drawn_around(0, one.accuracy, True),
            precision=drawn_around(1, one.precision, True),
            recall=drawn_around(2, one.recall, True),
            f_score=drawn_around(3, one.f_score, False),
            kappa=drawn_around(4, one.kappa, False),
        )

    return tuple(of_draws(one, place) for place, one in enumerate(_described(sums, side, why)))


def _described(sums: OutcomeSums, side: int, why: list[str]) -> tuple[Agreement, ...]:
    """The agreement of every surrogate with one truth, without intervals."""
    outcomes = sums.total[4 * side : 4 * side + 4, :, None]
    once = np.ones((outcomes.shape[1], 1))
    values = figures(outcomes, once, sums.groups)[:, :, 0]
    counts = np.rint([sums.groups @ each[:, 0] for each in outcomes]).astype(np.int64)
    judging = sums.groups @ (outcomes.sum(axis=0)[:, 0] > 0).astype(np.float64)
    kappas = sums.groups @ (~np.isnan(cohen(*outcomes)[:, 0])).astype(np.float64)
    agreements = []
    for place, (tp, tn, fp, fn) in enumerate(counts.T.tolist()):
        n = tp + tn + fp + fn
        nothing = "" if n else why[place] if sums.judgments[place] else NO_JUDGMENT
        accuracy, precision, recall, f_score, kappa = (
            Estimate(float(value), n=int(rests), reason=(nothing or reason) if np.isnan(value) else "")
            for value, rests, reason in zip(
                values[:, place],
                (n, tp + fp, tp + fn, n, kappas[place]),
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
                set_aside=int(sums.unknown[side, place]),
                raters_without_kappa=int(judging[place] - kappas[place]),
                reason=nothing,
            )
        )
    return tuple(agreements)


def _by_wilson(one: Agreement, spec: BootstrapSpec) -> Agreement:
    """Intervals as if judgments were independent."""

    def of_share(value: Estimate) -> Estimate:
        return share(value.value * value.n, value.n, spec.level, value) if value.defined else value

    def of_other(value: Estimate) -> Estimate:
        return replace(value, reason=NO_RATERS) if value.defined else value

    return replace(
        one,
        accuracy=of_share(one.accuracy),
        precision=of_share(one.precision),
        recall=of_share(one.recall),
        f_score=of_other(one.f_score),
        kappa=of_other(one.kappa),
    )
