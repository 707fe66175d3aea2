"""How well a summary stands in for its document: judgments of relevance against gold and against the rater's own.

LDC Agreement holds judgments against gold, Relevance Prediction against what the same rater said of the full text.
The second needs no gold and asks what a reader of search results wants to know: would I have decided alike? But a
rater who always answers "no" scores 1.0 in it, so that the chance-corrected form, Cohen's kappa within the rater,
stands beside it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.relevance.full_text import own_full_text
from analysis.relevance.judgments import Judgments, yes_or_no
from analysis.relevance.kappa import cohen
from analysis.relevance.outcome_sums import FIGURES, OutcomeSums, figures, outcome_sums, seconds
from analysis.relevance.relevance_draws import drawn_sums, share, units, with_interval
from analysis.resampling.intervals import ANGLE, IDENTITY, SHARE
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.types import Floats, OnProgress

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
            scale, within = (IDENTITY, (-1.0, 1.0)) if figure == KAPPA else (ANGLE, SHARE)
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
