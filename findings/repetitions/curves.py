"""What the Repetitions page says of ratings: where more of them stop paying, and what is saved and given up there."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from analysis.repetitions.cost import CostSpec, costs
from analysis.repetitions.fitted_curves import FittedCurves, by_knee
from analysis.repetitions.knee import knees_by_repetitions
from analysis.values.names import shorten
from features.blocks import Finding
from features.plotting.numbers import decimal, decimal_with_interval, interval, share, share_saved
from features.study import Study
from features.verdicts import not_enough_data, uncertain
from features.words import Sentence, counted
from findings.repetitions.knee_table import Intervals
from findings.repetitions.needed import FEWEST_ITEMS, Reliability, held_apart_from_0, ratings_finding

TARGET = 0.8
"""The reliability that the finding names unless another is chosen, a common wish for the mean of an item's ratings."""


def no_other_reference(study: Study) -> Sentence | None:
    """What to choose where candidate and reference are the same group."""
    if study.reference != study.candidate:
        return None
    return (
        "Candidate and reference are both {group}. Choose another reference, or split halves, in the sidebar.",
        {"group": study.candidate},
    )


def in_focus(fitted: Sequence[FittedCurves]) -> FittedCurves:
    """The measure that the finding speaks of: the middle one by its knee, or the least reliable one."""
    with_knee = by_knee(fitted)
    if with_knee:
        return with_knee[len(with_knee) // 2]
    return min(fitted, key=lambda one: one.beyond.reliability_of_one if one.beyond else 1.0)


def finding(
    study: Study,
    fitted: Sequence[FittedCurves],
    reliabilities: Sequence[Reliability],
    target: float = TARGET,
    intervals: Intervals = None,
) -> Finding:
    """Return the ratings needed for a reliability and, once its interval is known, the knee with savings and loss."""
    return _both(study, ratings_finding(reliabilities, target), _knee(fitted, intervals))


def at_a_glance(
    study: Study, fitted: Sequence[FittedCurves], reliabilities: Sequence[Reliability]
) -> Finding:
    """The same without the knee, whose interval takes long."""
    return _both(study, ratings_finding(reliabilities, TARGET), _knee(fitted, None))


def _both(study: Study, needed: Finding, knee: Finding | None) -> Finding:
    """Both as one finding, of the status of the first that concludes."""
    template, values = needed.headline
    if study.reference is None and study.reference_column is None:
        return replace(needed, headline=(template + " This is repeatability, not validity.", values))
    if knee is None:
        return needed
    status = next((one.status for one in (needed, knee) if one.status.concludes), needed.status)
    headline = f"{template} {knee.headline[0]}", {**values, **knee.headline[1]}
    return replace(needed, headline=headline, status=status)


def _knee(fitted: Sequence[FittedCurves], intervals: Intervals) -> Finding | None:
    """The knee with what is saved and given up there; or that there is none, or no correlation to speak of; None while
    its interval is not known."""
    known = [one for one in fitted if held_apart_from_0(one.correlation)]
    if not known:
        return _no_correlation(fitted)
    if intervals is None and by_knee(known):
        return None
    found = {one.measure: interval for one, interval in zip(fitted, intervals or (), strict=False)}
    with_knee = [one for one in by_knee(known) if found[one.measure].has_knee]
    if not with_knee and (unstable := by_knee(known)):
        one = unstable[len(unstable) // 2]
        return not_enough_data(
            "Where the curve of {of} flattens is uncertain: {share} of the bootstrap samples have no knee.",
            {"of": one.measure, "share": share(found[one.measure].without_knee)},
        )
    if not with_knee:
        reasons = {one.saturation.reason or one.curves.reason or _why_no_knee(one) for one in known}
        return not_enough_data(
            "Where the correlation flattens cannot be told: no measure has a knee ({why}).",
            {"why": "; ".join(sorted(reasons))},
        )
    middle = with_knee[len(with_knee) // 2]
    r, m = int(middle.knee or 0), middle.curves.repetitions
    at_r, at_m = middle.saturation.at([r, m]).tolist()
    told = middle.correlation
    values = {
        "knee": r,
        "m": m,
        "at_r": decimal(at_r),
        "at_m": decimal(at_m),
        "from_to": interval(told),
        "of_items": counted(told.n, "item"),
        "saved": share_saved(float(costs(1, 1, m, CostSpec()).saved_of_ratings[r - 1])),
        "of": middle.measure,
        "first": with_knee[0].knee,
        "last": with_knee[-1].knee,
        "k": len(with_knee),
        "all": len(fitted),
        "twice": 2 * m,
        "later": int(knees_by_repetitions(middle.saturation, 2 * m).knee[-1]),
    }
    sentence = (
        "The curve of {of} bends at <b>{knee}</b> of {m} ratings (its knee): a correlation of <b>{at_r}</b> instead of "
        "{at_m} ({from_to} over {of_items}, for these raters), <b>{saved}</b> of the per-rating cost saved."
    )
    if len(fitted) > 1:
        where = "at <b>{first}</b>" if values["first"] == values["last"] else "from <b>{first} to {last}</b>"
        sentence += f" Knees lie {where} ({{k}} of {{all}} measures have one)."
    sentence += " The knee moves with how many ratings were collected: with {twice} it would lie at {later}."
    return uncertain(sentence, values)


def _no_correlation(fitted: Sequence[FittedCurves]) -> Finding:
    """What is known of the correlations where none can be held apart from 0."""
    defined = [one for one in fitted if one.correlation.defined]
    if not defined:
        reasons = {one.curves.reason or one.correlation.reason for one in fitted}
        return not_enough_data(
            "What more ratings bring cannot be told: {why}.", {"why": "; ".join(sorted(reasons))}
        )
    first = max(defined, key=lambda one: one.correlation.n)
    values = {
        "of": first.measure,
        "told": decimal_with_interval(first.correlation),
        "of_items": counted(first.correlation.n, "item"),
        "m": counted(first.curves.repetitions, "rating"),
        "at_least": FEWEST_ITEMS,
    }
    if first.correlation.n < FEWEST_ITEMS:
        return not_enough_data(
            "What more ratings bring cannot be told from a correlation over {of_items}: it takes at least {at_least}.",
            values,
        )
    return uncertain(
        "What more ratings bring cannot be told: after {m} per item the correlation of {of} is {told} over {of_items}, "
        "an interval that holds 0; more items would be needed.",
        values,
    )


def _why_no_knee(one: FittedCurves) -> str:
    m = one.curves.repetitions
    return f"{m} repetitions are too few for a knee" if m <= 5 else "the curve after it is not flat enough"


def remarks(fitted: Sequence[FittedCurves], sampled: Collection[str], most_items: int) -> list[Sentence]:
    """What is undefined, left out or sampled (`sampled` measures, of `most_items` items), each reason once."""
    told: dict[str, list[str]] = {}
    for one in fitted:
        reasons = [one.curves.reason, one.saturation.reason, one.beyond.reason if one.beyond else ""]
        if one.saturation.defined and one.knee is None:
            reasons.append(_why_no_knee(one))
        if one.curves.left_out:
            reasons.append(f"left out: {counted(one.curves.left_out, 'item')} without a reference")
        if len(one.curves.items) and one.curves.items[-1] < one.curves.items[0]:
            reasons.append(
                f"items with fewer ratings leave the curve: {one.curves.items[0]} at the first repetition, "
                f"{one.curves.items[-1]} at the last"
            )
        if one.measure in sampled:
            reasons.append(f"the curves rest on {most_items} items drawn at random (seed 0)")
        for reason in dict.fromkeys(reasons):
            if reason:
                told.setdefault(reason, []).append(one.measure)
    return [
        ("{where}: {reason}.", {"where": ", ".join(map(shorten, where[:9])), "reason": reason})
        for reason, where in told.items()
    ]


EXPLANATION = r"""
**Curves.** An item's value after *r* ratings is the mean (or another aggregation) of its first *r*; the curve is
the correlation over items of these values with the reference, for *r* = 1 … *m*, by itself the largest number that
9 of 10 items (and at least 10) have; items with fewer leave the curve after their last. The measured order is the
`order` column's, else the time stamps', else the file's. A shuffle draws a fresh order without replacement:
within each item, or of whole raters where every rater rated every item. All curves of items with exactly *m*
ratings meet at *m*; the band of the shuffles shows luck of the order *given these ratings*, and shrinks to nothing
there by construction.

**Fit and knee.** $y = a\,(1 - e^{-b x}) + c$ by least squares through all points of all orders; R² is that of the one
curve for each order. The knee is where Kneedle (Satopää et al. 2011) finds it on the fitted curve at whole
numbers. With $N = m - 1$ it lies at $1 + \ln\big(bN / (1 - e^{-bN})\big) / b$: **it moves with m**, so it says when
*this* curve flattens, not how many ratings a study needs. No knee where $a \le 0$, $b(m - 1) < 3$ or $m \le 5$.

**Saved** is the share of ratings not asked for, rounded down as in the paper: 8 of 24 ratings save 66 %.

**Reliability** of one rating is ICC(1,1): raters' severities count as noise. Its interval is a jackknife of the log
ratio of mean squares over items and raters (items only where raters are slots), Student's *t* with Satterthwaite's
degrees of freedom; the ratings needed for a reliability follow from it by Spearman-Brown. A rater's repeats of an item
count as one rating here. Curves count every rating.

**Limit and rules.** The attenuation curve $\rho(r) = \rho_\infty \sqrt{r / (r + \lambda)}$ (classical test theory) has
a limit that does not move with *m*. On it rest the first *r* within a share of the limit, and the first where one
more rating gains less than asked for. Reliability is ICC(1,*r*) by Spearman-Brown from ICC(1,1), the width that of
Student's interval of an item's mean, and two systems are told apart by a two-sided test on their items' means.

**Intervals** draw items with replacement, each with the same 20 shuffles, and fit everything again. The draws are moved
(on Fisher's scale) to the estimate and spread by what raters add: how the curve varies without one of some twenty parts
of each group's raters after the other, less how it varies where every item leaves out these parts in an order of its
own. Raters drawn with replacement would count chance within a rating twice.

How often they hold what they should was counted in simulated studies (`docs/calibration.md`): the reliability of one
rating 94 to 96 %, the ratings needed for a reliability or for a width 95 to 98 %, the curve's band 95 to 98 %, the two
rules on the curve 97 to 99 %. The interval of the knee holds the knee *of studies of this size* nearly always (99 % and
more): it is a whole number, which most studies of one size hit, so that no interval around it could hold it less often.

**Split halves.** Without a reference, an item's last *h* ratings (half of them) stand for it. With $c$ Pearson's r
at *h*, $\rho_1 = c / (h - (h - 1) c)$ and $\rho_k = k \rho_1 / (1 + (k - 1) \rho_1)$; dotted beyond *h*:
$\sqrt{\rho_r \rho_h}$. This is repeatability, not validity.

Sources: Iskender, Polzehl and Möller 2020, section 4.2 and Table 2 (five shuffles by column, which orders were fitted
is not stated there; here all). Attenuation: Spearman 1904. Bias correction: ITU-T P.913, 12.4.
"""
