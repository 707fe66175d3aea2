"""How far raters agree: what single ratings and their means are worth, per measure and group, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan

import pandas as pd

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.values.estimate import Estimate
from features.blocks import Finding, Status, Text
from features.evidence import confidence_interval, evidence, for_raters
from features.plotting.numbers import UNDEFINED, count, decimal, decimal_with_interval
from features.rater_agreement import HARDLY_ANY
from features.study import Study
from features.tables import Shown
from features.verdicts import clear, clear_if, not_enough_data, uncertain
from features.words import Sentence, counted, listed

TENTATIVE = 2 / 3
"""Krippendorff's minimum of alpha for tentative conclusions (2004, page 241)."""


@dataclass(frozen=True)
class Agreed:
    """How far one group's raters agree on one measure; `halves` the correlation of two halves of `h` ratings."""

    measure: str
    group: str
    figures: AgreementSummary
    halves: Estimate | None = None
    h: int = 0

    @property
    def has_verdict(self) -> bool:
        """True where there is enough to say whether raters agree."""
        alpha = self.figures.alpha
        return alpha.defined and alpha.low == alpha.low and not alpha.warning


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
    """Return whether raters agree, on the measure or in the group where they do most."""
    by_group = len(study.groups) > 1 and len(study.measures) == 1
    asked = [one for one in agreed if by_group or one.group == study.candidate]
    known = [one for one in asked if one.has_verdict]
    if not known:
        return _without_verdict(study, asked)
    best = max(known, key=lambda one: one.figures.alpha.value)
    alpha, several = best.figures.alpha, len(asked) > 1
    where = best.group if by_group else best.measure
    line = _evidence(
        best,
        where if several else "",
        f"usual minimum {decimal(TENTATIVE)}" if alpha.low > 0 else "",
        _of_means([best] if by_group or not several else known),
        f"not enough data on {listed(_names(study, asked, known))}" if len(known) < len(asked) else "",
    )
    values: dict[str, object] = {
        "where": where,
        "measure": best.measure,
        "alpha": decimal(alpha.value),
        "who": study.candidate if len(study.groups) > 1 and not by_group else "",
    }
    is_null = alpha.low <= 0
    if is_null and (alpha.value <= 0 or alpha.high < HARDLY_ANY):
        found = clear_if(
            alpha.high < HARDLY_ANY,
            "Raters do not agree beyond chance" + (" on any measure." if several and not by_group else "."),
            values,
        )
    elif is_null:
        found = uncertain("It is unclear whether raters agree beyond chance on {measure}.", values)
    elif several:
        template = "Single ratings reach an alpha of at most <b>{alpha}</b>."
        if values["who"]:
            template = "Single ratings of {who} reach an alpha of at most <b>{alpha}</b>."
        found = clear(template, values)
    else:
        found = clear("Raters agree on {measure} with an alpha of <b>{alpha}</b>.", values)
    if best.figures.is_rough and found.status is Status.CLEAR:
        found = replace(found, status=Status.UNCERTAIN)
    return replace(found, evidence=line, warnings=_cautions(best))


def _without_verdict(study: Study, asked: Sequence[Agreed]) -> Finding:
    defined = [one for one in asked if one.figures.alpha.defined]
    if not defined:
        why = dict.fromkeys(_why_undefined(one.figures) for one in asked)
        itself = study.whole.has("text_id") or study.whole.has("text")
        hint = "The page Assessors has the consistency of each rater." if itself else ""
        found = not_enough_data("Not enough data to say whether raters agree.")
        return replace(
            found, evidence=evidence("; ".join(each for each in why if each)), warnings=_hints(hint)
        )
    best = max(defined, key=lambda one: (one.figures.alpha.low == one.figures.alpha.low, one.figures.alpha.n))
    alpha, values = best.figures.alpha, {"measure": best.measure}
    if alpha.value == 1 and alpha.reason:
        found = not_enough_data("Raters never disagree on {measure}.", values)
        return replace(found, evidence=evidence(alpha.reason, for_raters(best.figures.scope)))
    found = not_enough_data("Not enough data to say whether raters agree on {measure}.", values)
    return replace(found, evidence=_evidence(best, "", alpha.reason), warnings=_cautions(best))


def _evidence(one: Agreed, where: str, *more: str) -> Text:
    alpha = one.figures.alpha
    return evidence(
        where,
        f"alpha {decimal(alpha.value)}",
        confidence_interval(alpha),
        counted(alpha.n, "item"),
        counted(one.figures.raters, "rater"),
        for_raters(one.figures.scope),
        *more,
    )


def _of_means(known: Sequence[Agreed]) -> str:
    """Return the reliability of the means of an item's ratings."""
    means = [one.figures.mean for one in known if one.figures.mean.defined and one.figures.k > 1]
    if not means:
        return ""
    ks = {per_item(one.figures.k) for one in known}
    of = f"means of {next(iter(ks))}" if len(ks) == 1 else "means of an item's ratings"
    low, high = (decimal(pick(mean.value for mean in means)) for pick in (min, max))
    if len(means) == 1:
        return f"{of}: {decimal_with_interval(means[0])}"
    return f"{of}: {low}" if low == high else f"{of}: {low} to {high}"


def _names(study: Study, asked: Sequence[Agreed], known: Sequence[Agreed]) -> list[str]:
    by_group = len(study.groups) > 1 and len(study.measures) == 1
    return [one.group if by_group else one.measure for one in asked if one not in known]


def _cautions(one: Agreed) -> tuple[Text, ...]:
    rough = f"Rough: {one.figures.raters} raters stand for raters like these." if one.figures.is_rough else ""
    return _hints(one.figures.alpha.warning, rough)


def _hints(*told: str) -> tuple[Text, ...]:
    return tuple(("{told}", {"told": each}) for each in told if each)


def _why_undefined(figures: AgreementSummary) -> str:
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
page 241) relies on .800 and draws tentative conclusions from .667.

**One rating** is the reliability of one rating: ICC(C,1) where the same raters rated all items, since severity cancels
between items, else ICC(1,1), where severity is noise. **Mean of ratings** is what averaging an item's ratings makes of
it (Spearman-Brown; *k* is the harmonic mean of the ratings per item).

**Generalize to** says for whom the intervals hold: *these raters* (other items), or *raters like these* (other items
and other raters, the default from six raters on; rough with three to five, unknown with two). The interval for these
raters is the hull of jackknife, bootstrap-t and Fieller's interval on Fisher's z, widened where few items carry it.
Items of the same topic, or of the same system and topic, are left out together.

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
over items and other raters; with fewer than six raters it is cautious, with fewer than three unknown. Brennan-Prediger
and AC2 count all grades of the scale: of whole numbers those from 1 (or the lowest, if below 1) to the highest that any
group gave on the measure, else those that occur. A longer scale is not known: where nobody gave the highest grades,
their intervals held in 80 to 81 of 100 simulated studies (in 94 to 96 where scores are at a ceiling). ICCs of
complete tables have intervals from F, over items and raters. Standard
errors (SE) are those of the coefficient itself (Gwet 2014), not of the hypothesis that it is 0. A difference (*Compare
with*) is paired over the items and the raters that both have. The matrix shows Pearson's r of each two raters on at
least ten items that both rated.

Sources: Krippendorff 2004, 2011; Shrout and Fleiss 1979; McGraw and Wong 1996; Gwet 2014; Spearman 1910; Brown 1910.
"""
