"""How well a summary stands in for its document: judgments of relevance against gold and against the rater's own.

LDC Agreement holds judgments against gold, Relevance Prediction against what the same rater said of the full text.
The second needs no gold and asks what a reader of search results wants to know: would I have decided alike? But a
rater who always answers "no" scores 1.0 in it, so that the chance-corrected form, Cohen's kappa within the rater,
stands beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from analysis.correlation.columns import student_p
from analysis.crowd_vs_lab.comparison import holm
from analysis.relevance.judgments import coded, codes, joint, numbers, yes_or_no
from analysis.relevance.relevance_draws import (
    Units,
    cohen,
    drawn_sums,
    mean_over,
    membership,
    ratio,
    share,
    units,
    with_interval,
)
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
OnProgress = Callable[[float], object] | None

_FIGURES = 5
"""Accuracy, precision, recall, F and kappa."""
_EQUAL = 1e-12

NO_JUDGMENT = "there is no judgment of it"
NO_GOLD = "no gold is known for its documents"
NO_FULL_TEXT = "no rater of it judged the full text of the same documents"
IS_FULL_TEXT = "the full text is what the others are held against"
NO_TRUTH = "the truth is not known for any judgment of it"
NONE_CALLED_RELEVANT = "nothing was judged relevant"
NONE_RELEVANT = "nothing is relevant"
NONE_EITHER = "nothing is relevant and nothing was judged so"
NO_KAPPA = "each rater's answers, and the truth, are one and the same throughout"
NO_RATERS = "an interval needs to know raters and events"
NO_SECONDS = "no time is known"
NO_TEXT_TO_LOSE = "there is no full text"
NO_SECONDS_OF_TEXT = "no time is known for the full text"
ONE_RATER = "a test over raters needs two of them"
EQUAL_DIFFERENCES = "all raters differ by the same amount, so that there is no spread to test against"


@dataclass(frozen=True)
class Agreement:
    """How judgments of one surrogate agree with the truth.

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

    >>> found = agreement(["h"] * 4, [1, 1, 0, 0], [1, 0, 0, float("nan")])["h"]
    >>> found.tp, found.fp, found.tn, found.fn, found.set_aside, found.precision.value
    (1, 1, 1, 0, 1, 0.5)
    """
    given = [each is not None for each in (rater, event, document)]
    if any(given) and not all(given):
        raise InputError("`rater`, `event` and `document` belong together: give all three, or none")
    names, code = _surrogates(surrogate)
    judged, true = yes_or_no("judgment", judgment, len(code)), yes_or_no("truth", truth, len(code), True)
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    why = [NO_TRUTH] * len(names)
    if rater is None or event is None or document is None:
        alone, each = np.zeros(len(code), dtype=np.int64), np.arange(len(code))
        study = _study(code, len(names), units(alone, alone, each), each, judged, [true])
        found = tuple(_by_wilson(one, spec) for one in _described(study, 0, why))
    else:
        study = _study(
            code, len(names), units(rater, event, document), _documents(event, document), judged, [true]
        )
        found = _with_intervals(study, [why], -1, spec, on_progress)[0][0]
    return dict(zip(names.tolist(), found, strict=True))


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
    session, order : as in `own_full_text`
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
    Answers: would a reader have decided alike on the whole document? Not whether the decision is right. A rater who
    always answers "no" scores 1.0: read `kappa` beside it, which is undefined for such a rater, and near 0 for one
    whose agreement is what the own share of "yes" gives by chance. Judgments without one of the full text are set
    aside and counted; raters who have none at all change nothing else.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.2; methods, section 6.

    >>> found = relevance_prediction(
    ...     [1, 1, 1, 1], ["e"] * 4, [1, 2, 1, 2], ["h", "h", "Full Text", "Full Text"], [1, 0, 1, 1]
    ... )["h"]
    >>> found.tp, found.fn, found.accuracy.value
    (1, 1, 0.5)
    """
    names, code = _surrogates(surrogate)
    if full_text not in names.tolist():
        shown = ", ".join(f"{name!r}" for name in names.tolist()[:10])
        raise InputError(f"`full_text` must be one of the surrogates ({shown}), got {full_text!r}")
    text = names.tolist().index(full_text)
    judged = yes_or_no("judgment", judgment, len(code))
    true = own_full_text(rater, event, document, code, judged, text, session, order)
    rest = [place for place in range(len(names)) if place != text]
    kept = ~np.isnan(true)
    who, what, which = (np.asarray(each)[kept] for each in (rater, event, document))
    study = _study(
        code[kept], len(names), units(who, what, which), _documents(what, which), judged[kept], [true[kept]]
    )
    aside = np.bincount(code[~kept], minlength=len(names))
    study = replace(study, judgments=study.judgments + aside, unknown=study.unknown + aside[None])
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    found, *_ = _with_intervals(study, [[NO_FULL_TEXT] * len(names)], -1, spec, on_progress)
    return {names[place].item(): found[0][place] for place in rest}


def own_full_text(
    rater: ArrayLike,
    event: ArrayLike,
    document: ArrayLike,
    surrogate: ArrayLike,
    judgment: ArrayLike,
    full_text: Any,
    session: ArrayLike | None = None,
    order: ArrayLike | None = None,
) -> Floats:
    """What each judgment's rater said of the full text of the same document.

    Parameters
    ----------
    rater, event, document, surrogate : (N,) ids; a document is its own within its event
    judgment : (N,) 0 or 1
    full_text : the surrogate that is the document itself
    session : (N,) ids of sittings, any one for none; optional
    order : (N,) numbers that say which judgment came first; as given where not told

    Returns
    -------
    (N,)
        of the same session where there is one, else the first; NaN without any, and for the full text itself.

    Raises
    ------
    InputError
        where lengths differ or judgments are not 0 or 1.

    Notes
    -----
    Answers: what is a summary's judgment to be held against? Of several in one session, the first.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.2; methods, section 6.

    >>> own_full_text([1, 1, 1], [1, 1, 1], [1, 1, 2], ["h", "text", "h"], [0, 1, 0], "text").tolist()
    [1.0, nan, nan]
    """
    who, _ = coded("rater", rater)
    what, which = (
        coded(name, each, len(who))[0] for name, each in (("event", event), ("document", document))
    )
    shown = np.asarray(surrogate)
    if shown.shape != who.shape:
        raise InputError(f"`surrogate` needs one id per judgment, {len(who)}, got shape {shown.shape}")
    judged = yes_or_no("judgment", judgment, len(who))
    pair, _ = joint(who, what, which)
    whole = np.flatnonzero(shown == full_text)
    if order is not None:
        whole = whole[np.argsort(numbers("order", order, len(who))[whole], kind="stable")]
    found = _first(pair, whole, judged)
    if session is not None:
        sitting, _ = joint(pair, coded("session", session, len(who))[0])
        same = _first(sitting, whole, judged)
        found = np.where(np.isnan(same), found, same)
    found[whole] = nan
    return found


def _first(key: Codes, whole: Codes, judged: Floats) -> Floats:
    """The judgment of the first of `whole` with the same key (N,)."""
    keys, place = np.unique(key[whole], return_index=True)
    of_key = np.full(int(key.max(initial=-1)) + 1, nan)
    of_key[keys] = judged[whole[place]]
    return of_key[key]


def side_by_side(
    rater: ArrayLike,
    event: ArrayLike,
    document: ArrayLike,
    surrogate: ArrayLike,
    judgment: ArrayLike,
    full_text: int,
    gold: ArrayLike | None = None,
    seconds: ArrayLike | None = None,
    session: ArrayLike | None = None,
    order: ArrayLike | None = None,
    surrogates: int | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> SideBySide:
    """LDC Agreement and Relevance Prediction of every surrogate, and what it saves in time.

    Parameters
    ----------
    rater, event, document : (N,) codes; a document is its own within its event
    surrogate : (N,) codes from 0
    judgment : (N,) 0 or 1
    full_text : code of the surrogate that is the document itself, -1 for none
    gold : (N,) 0, 1, or NaN where not known; None where nothing is
    seconds : (N,) NaN where not known; None where nothing is
    session, order : as in `own_full_text`
    surrogates : k, how many there are; as many as there are codes unless told
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    SideBySide
        tuples (k,) by surrogate code.

    Raises
    ------
    InputError
        where lengths differ, a code is not below `surrogates`, or judgments or gold are not 0 or 1.

    Notes
    -----
    Answers: which summaries suffice, and which of the two agreements says so? The paired t test is over raters'
    means on the judgments where both are known, Holm's adjustment over surrogates; it takes the events as given.
    Each agreement by itself uses all judgments that it can. Draws weigh raters and events, documents stay in theirs.
    Source: Hobson, Dorr, Monz and Schwartz 2007, Tables 1, 7 and 8, section 5.3.1; methods, sections 0 and 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    of = units(rater, event, document)
    code, k = codes("surrogate", surrogate, len(of.rater), surrogates)
    judged = yes_or_no("judgment", judgment, len(code))
    unknown = np.full(len(code), nan)
    true = unknown if gold is None else yes_or_no("gold", gold, len(code), True)
    time = unknown if seconds is None else numbers("seconds", seconds, len(code))
    own = own_full_text(rater, event, document, code, judged, full_text, session, order)
    shown = _documents(event, document)
    study = _study(code, k, of, shown, judged, [true, own], time)
    why = [[NO_GOLD] * k, [IS_FULL_TEXT if place == full_text else NO_FULL_TEXT for place in range(k)]]
    (ldc, prediction), taken, saved, lost = _with_intervals(study, why, full_text, spec, on_progress)
    difference = _paired(code, k, of, judged, true, own, spec.level)
    events = len(np.unique(np.asarray(event)))
    documents = len(np.unique(shown))
    unlike = tuple(
        replace(e, value=1 - e.value, low=1 - e.high, high=1 - e.low)
        for e in (one.accuracy for one in prediction)
    )
    counts = of.resampled, of.raters, events, documents
    return SideBySide(ldc, prediction, difference, taken, saved, lost, unlike, *counts)


def each_event(
    rater: ArrayLike,
    event: ArrayLike,
    document: ArrayLike,
    surrogate: ArrayLike,
    judgment: ArrayLike,
    full_text: int,
    gold: ArrayLike | None = None,
    seconds: ArrayLike | None = None,
    session: ArrayLike | None = None,
    order: ArrayLike | None = None,
    surrogates: int | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[Any, SideBySide]:
    """Both agreements within every event.

    Parameters
    ----------
    rater, event, document, surrogate, judgment, full_text, gold, seconds, session, order, surrogates, bootstrap :
        (N,) each, as in `side_by_side`
    on_progress : called between events with the share done

    Returns
    -------
    dict of SideBySide by event
        intervals draw raters and documents.

    Raises
    ------
    InputError
        as in `side_by_side`.

    Notes
    -----
    Answers: on which events do summaries suffice? Not a test between events.
    Source: Hobson, Dorr, Monz and Schwartz 2007, Tables 7 and 8; methods, section 6.
    """
    what, _ = coded("event", event)
    code, k = codes("surrogate", surrogate, len(what), surrogates)
    columns = {
        "rater": rater,
        "event": event,
        "document": document,
        "surrogate": code,
        "judgment": judgment,
        "gold": gold,
        "seconds": seconds,
        "session": session,
        "order": order,
    }
    arrays = {name: _column(name, each, len(what)) for name, each in columns.items() if each is not None}
    rows = np.argsort(what, kind="stable")
    ends = np.cumsum(np.bincount(what)).tolist() if len(what) else []
    found = {}
    for start, end in zip([0, *ends], ends, strict=False):
        own: dict[str, Any] = {name: each[rows[start:end]] for name, each in arrays.items()}
        found[own["event"][0].item()] = side_by_side(
            **own, full_text=full_text, surrogates=k, bootstrap=bootstrap
        )
        if on_progress is not None:
            on_progress(end / len(what))
    return found


def _column(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one value per judgment, {length}, got shape {array.shape}")
    return array


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


@dataclass(frozen=True, eq=False)
class _Study:
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


def _study(
    surrogate: Codes,
    k: int,
    of: Units,
    document: Codes,
    judged: Floats,
    truths: list[Floats],
    seconds: Floats | None = None,
) -> _Study:
    cell, p = np.unique(surrogate * max(of.raters, 1) + of.rater, return_inverse=True)
    rows, columns, values, unknown, documents = [], [], [], [], []
    for side, truth in enumerate(truths):
        known = ~np.isnan(truth)
        outcome = np.where(judged == truth, 1 - judged, 3 - judged)[known].astype(np.int64)
        rows.append((4 * side + outcome) * len(cell) + p[known])
        columns.append(of.unit[known])
        values.append(np.ones(int(known.sum())))
        unknown.append(np.bincount(surrogate[~known], minlength=k))
        shown = np.unique(surrogate[known] * (int(document.max(initial=0)) + 1) + document[known])
        documents.append(np.bincount(shown // (int(document.max(initial=0)) + 1), minlength=k))
    q = 4 * len(truths)
    if seconds is not None:
        known = ~np.isnan(seconds)
        for place, value in ((q, seconds[known]), (q + 1, np.ones(int(known.sum())))):
            rows.append(place * len(cell) + p[known])
            columns.append(of.unit[known])
            values.append(value)
        q += 2
    sums = sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(q * len(cell), of.units),
    ).tocsr()
    surrogates, raters = np.divmod(cell, max(of.raters, 1))
    return _Study(
        of,
        sums,
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(q, len(cell)),
        surrogates,
        raters,
        membership(surrogates, k),
        np.bincount(surrogate, minlength=k),
        np.array(unknown),
        np.array(documents),
    )


def _figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
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


def _seconds(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Mean seconds (k, b) from their sums and counts (2, p, b)."""
    return ratio(groups @ (sums[0] * weight), groups @ (sums[1] * weight))


def _described(study: _Study, side: int, why: list[str]) -> tuple[Agreement, ...]:
    """The agreement of every surrogate with one truth, without intervals."""
    sums = study.total[4 * side : 4 * side + 4, :, None]
    once = np.ones((sums.shape[1], 1))
    figures = _figures(sums, once, study.groups)[:, :, 0]
    counts = np.rint([study.groups @ each[:, 0] for each in sums]).astype(np.int64)
    judging = study.groups @ (sums.sum(axis=0)[:, 0] > 0).astype(np.float64)
    kappas = study.groups @ (~np.isnan(cohen(*sums)[:, 0])).astype(np.float64)
    found = []
    for place, (tp, tn, fp, fn) in enumerate(counts.T.tolist()):
        n = tp + tn + fp + fn
        nothing = "" if n else why[place] if study.judgments[place] else NO_JUDGMENT
        accuracy, precision, recall, f_score, kappa = (
            Estimate(float(value), n=int(rests), reason=(nothing or reason) if np.isnan(value) else "")
            for value, rests, reason in zip(
                figures[:, place],
                (n, tp + fp, tp + fn, n, kappas[place]),
                ("", NONE_CALLED_RELEVANT, NONE_RELEVANT, NONE_EITHER, NO_KAPPA),
                strict=True,
            )
        )
        found.append(
            Agreement(
                accuracy,
                precision,
                recall,
                f_score,
                kappa,
                *(tp, tn, fp, fn, n),
                set_aside=int(study.unknown[side, place]),
                raters_without_kappa=int(judging[place] - kappas[place]),
                reason=nothing,
            )
        )
    return tuple(found)


def _by_wilson(one: Agreement, spec: BootstrapSpec) -> Agreement:
    """Intervals as if judgments were independent."""

    def of_share(found: Estimate) -> Estimate:
        return share(found.value * found.n, found.n, spec.level, found) if found.defined else found

    def of_other(found: Estimate) -> Estimate:
        return replace(found, reason=NO_RATERS) if found.defined else found

    return replace(
        one,
        accuracy=of_share(one.accuracy),
        precision=of_share(one.precision),
        recall=of_share(one.recall),
        f_score=of_other(one.f_score),
        kappa=of_other(one.kappa),
    )


def _with_intervals(
    study: _Study, why: list[list[str]], full_text: int, spec: BootstrapSpec, on_progress: OnProgress
) -> tuple[list[tuple[Agreement, ...]], tuple[Estimate, ...], tuple[Estimate, ...], tuple[Estimate, ...]]:
    """Agreements by side; seconds, seconds saved and accuracy of the first side lost, where times were given."""
    sides, p, k = len(why), len(study.rater), study.groups.shape[0]
    timed = len(study.total) > 4 * sides
    drawn, times = np.empty((sides, _FIGURES, k, spec.draws)), np.empty((k, spec.draws))
    done = 0
    for sums, weight in drawn_sums(study.sums, study.rater, study.of, spec, on_progress):
        block = slice(done, done + weight.shape[1])
        each = sums.reshape(len(study.total), p, weight.shape[1])
        for side in range(sides):
            drawn[side, ..., block] = _figures(each[4 * side : 4 * side + 4], weight, study.groups)
        if timed:
            times[:, block] = _seconds(each[4 * sides :], weight, study.groups)
        done = block.stop

    def with_draws(one: Agreement, side: int, place: int) -> Agreement:
        documents = int(study.documents[side, place])

        def drawn_around(figure: int, found: Estimate, is_share: bool) -> Estimate:
            independent = min(documents, found.n) if is_share else 0
            return with_interval(found, drawn[side, figure, place], study.of, spec, independent)

        return replace(
            one,
            accuracy=drawn_around(0, one.accuracy, True),
            precision=drawn_around(1, one.precision, True),
            recall=drawn_around(2, one.recall, True),
            f_score=drawn_around(3, one.f_score, False),
            kappa=drawn_around(4, one.kappa, False),
        )

    found = [
        tuple(with_draws(one, side, place) for place, one in enumerate(_described(study, side, why[side])))
        for side in range(sides)
    ]
    if not timed:
        return found, (), (), ()
    taken, saved = _times(study, 4 * sides, times, full_text, spec)
    return found, taken, saved, _lost(found[0], drawn[0, 0], full_text, study.of, spec)


def _lost(
    found: tuple[Agreement, ...], drawn: Floats, full_text: int, of: Units, spec: BootstrapSpec
) -> tuple[Estimate, ...]:
    """Accuracy with the full text less that with each surrogate, from the accuracies in the draws (k, draws)."""
    text = found[full_text].accuracy if 0 <= full_text < len(found) else Estimate(nan, reason=NO_TEXT_TO_LOSE)
    lost = []
    for place, (one, own) in enumerate(zip(found, drawn, strict=True)):
        if place == full_text or not (one.accuracy.defined and text.defined):
            reason = IS_FULL_TEXT if place == full_text else one.accuracy.reason or text.reason
            lost.append(Estimate(nan, n=one.n, reason=reason))
        else:
            less = Estimate(text.value - one.accuracy.value, n=one.n)
            lost.append(with_interval(less, drawn[full_text] - own, of, spec))
    return tuple(lost)


def _times(
    study: _Study, row: int, drawn: Floats, full_text: int, spec: BootstrapSpec
) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...]]:
    sums = study.total[row:, :, None]
    mean = _seconds(sums, np.ones(sums.shape[1:]), study.groups)[:, 0]
    counts = np.rint(study.groups @ sums[1, :, 0]).astype(np.int64)
    known_text = 0 <= full_text < len(mean) and not np.isnan(mean[full_text])
    taken, saved = [], []
    for place, (value, n, own) in enumerate(zip(mean.tolist(), counts.tolist(), drawn, strict=True)):
        if not n:
            taken.append(Estimate(nan, n=0, reason=NO_SECONDS if study.judgments[place] else NO_JUDGMENT))
            saved.append(taken[-1])
            continue
        taken.append(with_interval(Estimate(value, n=n), own, study.of, spec))
        if place == full_text:
            saved.append(Estimate(nan, n=n, reason=IS_FULL_TEXT))
        elif not known_text:
            saved.append(Estimate(nan, n=n, reason=NO_SECONDS_OF_TEXT))
        else:
            less = Estimate(float(mean[full_text]) - value, n=n)
            saved.append(with_interval(less, drawn[full_text] - own, study.of, spec))
    return tuple(taken), tuple(saved)


def _paired(
    code: Codes, k: int, of: Units, judged: Floats, true: Floats, own: Floats, level: float
) -> tuple[PairedDifference, ...]:
    both = ~np.isnan(true) & ~np.isnan(own)
    apart = (judged == own).astype(np.float64) - (judged == true)
    cell, place = np.unique(code[both] * max(of.raters, 1) + of.rater[both], return_inverse=True)
    counts = np.bincount(place, minlength=len(cell))
    means = ratio(np.bincount(place, apart[both], len(cell)), counts)
    surrogate = cell // max(of.raters, 1)
    found = [
        _paired_t(means[surrogate == each], int(counts[surrogate == each].sum()), level) for each in range(k)
    ]
    adjusted = holm([one.p for one in found])
    return tuple(replace(one, p_holm=float(p)) for one, p in zip(found, adjusted, strict=True))


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
    half = float(special.stdtrit(n - 1, 0.5 + level / 2)) * error
    t = mean / error
    return PairedDifference(
        Estimate(mean, mean - half, mean + half, n),
        t,
        n - 1,
        student_p(t, n - 1, "two-sided"),
        nan,
        judgments,
    )


def _documents(event: ArrayLike, document: ArrayLike) -> Codes:
    of_event, _ = coded("event", event)
    return joint(of_event, coded("document", document, len(of_event))[0])[0]


def _surrogates(surrogate: ArrayLike) -> tuple[NDArray[Any], Codes]:
    code, _ = coded("surrogate", surrogate)
    return np.unique(np.asarray(surrogate)), code
