"""How far raters agree: what single ratings and their means are worth, per measure and group, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

import pandas as pd

from analysis.agreement.how_far import HowFar
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import UNDEFINED, count, decimal, decimal_with_interval, interval
from features.study import Study
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence, counted, listed, throughout

FEWEST_ITEMS = 10
"""Items below which no agreement is told."""
TOO_WIDE = 0.5
"""Of an interval of a reliability: wider, it tells next to nothing."""
TENTATIVE, RELIED_ON = 2 / 3, 0.8
"""Krippendorff's marks for alpha: for tentative conclusions, and for firm ones (2004, page 241)."""


@dataclass(frozen=True)
class Agreed:
    """How far one group's raters agree on one measure; `halves` the correlation of two halves of `h` ratings."""

    measure: str
    group: str
    figures: HowFar
    halves: Estimate | None = None
    h: int = 0

    @property
    def told(self) -> bool:
        """Whether there is enough to say how far they agree."""
        return self.figures.alpha.defined and self.figures.alpha.n >= FEWEST_ITEMS


def named(study: Study, agreed: Sequence[Agreed]) -> list[str]:
    """What tells the figures apart: the measure, the group, or both."""
    if len(study.groups) == 1:
        return [one.measure for one in agreed]
    if len(study.measures) == 1:
        return [one.group for one in agreed]
    return [f"{one.measure}, {one.group}" for one in agreed]


def anything(agreed: Sequence[Agreed]) -> bool:
    """Whether there is any agreement to show."""
    return any(one.figures.alpha.defined for one in agreed)


def finding(study: Study, agreed: Sequence[Agreed]) -> Finding:
    """How far raters agree, on the measure or in the group where they do most and least."""
    by_group = len(study.groups) > 1 and len(study.measures) == 1
    asked = [one for one in agreed if by_group or one.group == study.candidate]
    known = [one for one in asked if one.told]
    if not known:
        return _cannot_be_told(study, asked)
    if len(known) == 1:
        return _of_one(study, known[0])
    low, high = (choose(known, key=lambda one: one.figures.alpha.value) for choose in (min, max))
    apart = low.figures.alpha.high < high.figures.alpha.low
    means = sorted(
        (one.figures.mean for one in known if one.figures.mean.defined), key=lambda mean: mean.value
    )
    values: dict[str, object] = {
        "high": high.group if by_group else high.measure,
        "low": low.group if by_group else low.measure,
        "most": decimal(high.figures.alpha.value),
        "least": decimal(low.figures.alpha.value),
        "most_between": interval(high.figures.alpha),
        "least_between": interval(low.figures.alpha),
        "measure": study.measures[0],
        "candidate": study.candidate,
    }
    everywhere = throughout(len(known), len(known), "groups" if by_group else "measures")
    among = "Raters of {candidate} agree" if len(study.groups) > 1 else "Raters agree"
    is_clear = apart
    if values["most"] == values["least"]:
        is_clear = low.figures.alpha.low > 0
        template = (
            f"Krippendorff's alpha is about <b>{{most}}</b> in {everywhere} ({{least_between}} of {{low}})"
        )
    elif by_group and apart:
        template = (
            "On {measure} raters of {high} agree most (Krippendorff's alpha <b>{most}</b>, {most_between}), those of "
            "{low} least (<b>{least}</b>, {least_between})"
        )
    elif apart:
        template = (
            f"{among} most on {{high}} (Krippendorff's alpha <b>{{most}}</b>, {{most_between}}) and least on {{low}} "
            "(<b>{least}</b>, {least_between})"
        )
    else:
        where = (
            "In which group raters agree most on {measure}"
            if by_group
            else f"On which measure {among.lower()} most"
        )
        template = (
            f"{where} cannot be told: Krippendorff's alpha runs from <b>{{least}}</b> ({{low}}, {{least_between}}) to "
            "<b>{most}</b> ({high}, {most_between})"
        )
    if means:
        values |= {"lowest": decimal_with_interval(means[0]), "highest": decimal_with_interval(means[-1])}
        alike = decimal(means[0].value) == decimal(means[-1].value)
        template += "; the means of an item's ratings have reliabilities " + (
            "of about {lowest}" if alike else "from {lowest} to {highest}"
        )
    template += ". " + _verdict_of_all(known, "groups" if by_group else "measures")
    return clear_if(is_clear, template, values)


def _of_one(study: Study, one: Agreed) -> Finding:
    alpha, mean = one.figures.alpha, one.figures.mean
    values: dict[str, object] = {
        "who": f" of {one.group}" if len(study.groups) > 1 else "",
        "measure": one.measure,
        "alpha": decimal(alpha.value),
        "between": f"{interval(alpha)} " if alpha.low == alpha.low else "",
        "items": counted(alpha.n, "item"),
    }
    template = (
        "Raters{who} agree on {measure} with Krippendorff's alpha <b>{alpha}</b> ({between}over {items}, for these "
        f"raters): {verdict(alpha)}."
    )
    if mean.defined and one.figures.k > 1:
        template += (
            " How reliable the mean of an item's {k} ratings is lies open: {mean}; more raters or items would "
            "narrow it."
            if mean.high - mean.low > TOO_WIDE
            else " The mean of an item's {k} ratings has a reliability of <b>{mean}</b>."
        )
        values |= {"k": per_item(one.figures.k), "mean": decimal_with_interval(mean)}
    return clear_if(alpha.low > 0, template, values)


def verdict(alpha: Estimate) -> str:
    """What an alpha says of single ratings, by where its interval lies to Krippendorff's marks."""
    if alpha.low != alpha.low:
        return "how sure that is cannot be told"
    if alpha.low <= 0:
        return "that they agree beyond chance is not shown"
    if alpha.low >= RELIED_ON:
        return "single ratings can be relied on (Krippendorff asks for 0.80)"
    if alpha.low >= TENTATIVE:
        return "enough for tentative conclusions from single ratings (Krippendorff asks for 0.67, for firm ones 0.80)"
    if alpha.high < TENTATIVE:
        return "too little to rely on single ratings (Krippendorff asks for 0.67 for tentative conclusions)"
    return "whether single ratings suffice for tentative conclusions is open (Krippendorff asks for 0.67)"


def _verdict_of_all(known: Sequence[Agreed], of: str) -> str:
    enough = sum(one.figures.alpha.low >= TENTATIVE for one in known)
    mark = "(Krippendorff asks for an alpha of 0.67; its intervals here are for these raters)"
    if not enough:
        return f"Nowhere is a single rating surely enough for tentative conclusions {mark}."
    if enough == len(known):
        return f"Single ratings are enough for tentative conclusions everywhere {mark}."
    return (
        f"Single ratings are surely enough for tentative conclusions in {enough} of {len(known)} {of} {mark}."
    )


def _cannot_be_told(study: Study, asked: Sequence[Agreed]) -> Finding:
    start = "How far raters agree cannot be told"
    if asked and not any(one.figures.alpha.defined for one in asked):
        why = dict.fromkeys(_why_undefined(one.figures) for one in asked)
        itself = study.whole.has("text_id") or study.whole.has("text")
        hint = " How consistent each is with himself is on the page <b>Assessors</b>." if itself else ""
        return not_enough_data(start + ": {why}." + hint, {"why": "; ".join(why)})
    most = max((one.figures.alpha.n for one in asked), default=0)
    return not_enough_data(
        start + " from {items} with two ratings or more: it takes at least {least}.",
        {"items": counted(most, "item"), "least": FEWEST_ITEMS},
    )


def _why_undefined(figures: HowFar) -> str:
    return figures.one.reason or figures.alpha.reason


def per_item(k: float) -> str:
    """How many ratings an item has, in a sentence.

    >>> per_item(3.0), per_item(2.47), per_item(25.99)
    ('3', 'about 2.5', 'about 26')
    """
    if abs(k - round(k)) < 1e-9:
        return count(k)
    return f"about {decimal(k, 1).removesuffix('.0')}"


_ALPHA, _ONE, _MEAN, _HALVES = "Alpha", "One rating", "Mean of ratings", "Split halves"
FIRST = ("Measure", "Group", _ALPHA, _MEAN, _HALVES, "Items")
"""The columns that a page shows first."""


def full_table(study: Study, agreed: Sequence[Agreed]) -> pd.DataFrame:
    """One row per measure and group, unrounded, every figure with the ends of its interval."""
    rows = []
    for one in agreed:
        row: dict[str, object] = {"Measure": one.measure}
        if len(study.groups) > 1:
            row["Group"] = one.group
        for label, e in _estimates(one).items():
            row[label] = e.value
            if label != _HALVES:
                row |= {f"{label} low": e.low, f"{label} high": e.high}
        rows.append(row | {"Items": one.figures.alpha.n, "Ratings per item": one.figures.k, "Half of": one.h})
    return pd.DataFrame(rows)


def agreement_table(study: Study, agreed: Sequence[Agreed]) -> Shown:
    """What single ratings, their means and their halves are worth, each figure with its interval in one cell."""
    table = full_table(study, agreed)
    ends = [name for name in table if str(name).endswith((" low", " high"))]
    written = {
        label: [decimal_with_interval(_estimates(one)[label], 3) for one in agreed]
        for label in (_ALPHA, _ONE, _MEAN)
    }
    written[_HALVES] = [
        f"{decimal(one.halves.value, 3)}, {one.h} each"
        if one.halves is not None and one.halves.defined
        else UNDEFINED
        for one in agreed
    ]
    return table.drop(columns=[*ends, "Half of"]), {
        **written,
        "Items": count,
        "Ratings per item": partial(decimal, digits=1),
    }


def _estimates(one: Agreed) -> dict[str, Estimate]:
    return {
        _ALPHA: one.figures.alpha,
        _ONE: one.figures.one,
        _MEAN: one.figures.mean,
        _HALVES: one.halves or Estimate(nan),
    }


def remarks(study: Study, agreed: Sequence[Agreed]) -> list[Sentence]:
    """Why a figure is not there, each reason once with where."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for name, one in zip(named(study, agreed), agreed, strict=True):
        for label, e in _estimates(one).items():
            why = e.reason if label == _HALVES else _why_undefined(one.figures)
            if not e.defined and why:
                reasons.setdefault(why, {}).setdefault(name, []).append(label)
    told: dict[tuple[str, str], list[str]] = {}
    for reason, by_name in reasons.items():
        for name, labels in by_name.items():
            told.setdefault((reason, listed(labels)), []).append(name)
    undefined: list[Sentence] = [
        ("No {labels} ({where}): {reason}.", {"labels": labels, "where": listed(where), "reason": reason})
        for (reason, labels), where in told.items()
    ]
    return undefined + _read_off(agreed)


def _read_off(agreed: Sequence[Agreed]) -> list[Sentence]:
    """Of how many items it was taken what raters add to intervals, where these are very many."""
    most = max((one.figures for one in agreed), key=lambda figures: figures.read_off, default=None)
    if most is None or not most.read_off:
        return []
    return [
        (
            "What raters add to the intervals of {one} and {mean} was read off {some} of {items}, drawn at random "
            "(seed 0).",
            {
                "one": _ONE.lower(),
                "mean": _MEAN.lower(),
                "some": count(most.read_off),
                "items": counted(most.alpha.n, "item"),
            },
        )
    ]


EXPLANATION = r"""
**Alpha** (Krippendorff's, interval metric): do raters give the same item the same score? 1 always, 0 as any two scores
of the data would, severity included. Where items hardly differ it is low however close raters are. Krippendorff (2004,
page 241) relies on .800 and draws tentative conclusions from .667. Its interval leaves out each item in turn, for these
raters.

**One rating** is the reliability ICC(1,1): the share of a rating's variance that is the item's; all else, severities
included, is noise. **Mean of ratings** is ICC(1,k), what averaging an item's ratings makes of it (Spearman-Brown; *k*
is the harmonic mean of the ratings per item). Their intervals hold for other items *and* other raters (jackknife of the
log ratio of mean squares; items alone where rater ids are slots).

**Split halves**: an item's ratings are split in two at random, and the means of both halves correlated over the items
(Spearman), the mean of the random splits. Fisher's interval would be too wide for a mean of splits (it held the truth
in 98 to 100 % of simulated studies): how sure it is stands beside the mean's reliability, and **Repetitions** draws it
and carries it on to other numbers of ratings. All of these tell whether ratings repeat, not whether they are right.

**Repeats**: a rater who rated an item more than once counts once, with the mean or, if the sidebar says so, the last
rating. Otherwise a rater's repeats would count as agreement between raters.

**All figures**: beside alpha and the ICCs what reviewers ask for: percent agreement, Brennan-Prediger,
Gwet's AC1 (with weights: AC2), Fleiss' and Conger's kappa (Cohen's for two raters), and Cohen's averaged over the pairs
of raters with ten items or more in common; all but percent agreement count near misses by the weights chosen: linear,
quadratic, or none. They differ only in what they call chance. *These raters*: chance over items alone. *Raters too*:
over items and other raters; with fewer than six raters it is cautious, with fewer than three unknown. Both leave out
each item (and rater) in turn and take the pseudo-values of the root of what is missing to 1, with Student's t; they
cover 92 to 98 % (docs/calibration.md). ICCs of complete tables have intervals from F, over items and raters. Standard
errors (SE) are those of the coefficient itself (Gwet 2014), not of the hypothesis that it is 0. A difference (*Compare
with*) is paired over the items and the raters that both have. The matrix shows Pearson's r of each two raters on at
least ten items that both rated.

Sources: Krippendorff 2004, 2011; Shrout and Fleiss 1979; McGraw and Wong 1996; Gwet 2014; Spearman 1910; Brown 1910.
"""
