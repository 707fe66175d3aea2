"""Consistency of raters: who is clearly below or above the typical rater, tables, and results of screening rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from analysis.assessors.consistency import CONSTANT, Consistency
from analysis.assessors.rater_estimates import Ranked, best_first, estimates
from analysis.raters.naming import FEWEST_UNITS
from analysis.screening.bt500_rejection import Bt500
from analysis.screening.check_results import FailedChecks
from analysis.screening.equal_runs import Runs
from analysis.screening.p913_rejection import P913
from analysis.screening.rating_speed import Speed
from analysis.screening.subject_bias import Bias
from analysis.screening.subject_model import SubjectModel
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval, p_value, share
from features.raters.naming_findings import ADJUSTED, TYPICAL, ComparedRaters, naming_finding, verdicts
from features.study import Scenario
from features.tables import Shown
from features.verdicts import not_applicable
from features.words import Sentence, counted
from findings.leaving_out import marked

FELL_BACK = (
    "Too few identical texts were judged again by the same rater (the columns text_id or text would show them), so "
    "raters are compared by their agreement with the others."
)
SLOTS = "Consistency of raters is unknown: the columns are slots, which may hold another rater in each row."
_ALPHA, _OTHERS, _OWN = "Alpha", "r with the others", "Alpha on own repeats"
_EXACT, _TENTH = partial(decimal, digits=3), partial(decimal, digits=1)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys((_ALPHA, _OTHERS, _OWN, "Alpha without", "P.913 r", "Chance of the run"), _EXACT),
    **dict.fromkeys(("Bias", "Inconsistency"), decimal),
    "Seconds": _TENTH,
    ADJUSTED: p_value,
    **dict.fromkeys(
        ("Ratings", "Sets", "Judgements", "Items shared", "Items repeated", "Longest run", "Checks"), count
    ),
    **dict.fromkeys(("Failed checks", "BT.500 far"), partial(share, digits=1)),
}
Names = NDArray[np.str_]
"""Names by code."""


@dataclass(frozen=True, eq=False)
class ScreeningFigures:
    """What screening looks at for the raters of one measure; None where the data set has no columns for it."""

    bias: Bias
    runs: Runs
    bt500: Bt500
    p913: P913
    model: SubjectModel | None
    speed: Speed | None
    checks: FailedChecks | None
    repeats: Consistency | None = None


def by_texts(by_measure: Mapping[str, Ranked]) -> bool:
    """Whether raters of some measure are ranked by identical texts."""
    return any(isinstance(ranked, Consistency) for ranked in by_measure.values())


def finding(by_measure: Sequence[ComparedRaters], persons: bool = True) -> Finding:
    """Return who is clearly less or more consistent than the typical rater; nobody where raters are slots and no
    `persons`."""
    return naming_finding(by_measure) if persons else not_applicable(SLOTS)


def ranking_table(by_measure: Mapping[str, Ranked], raters: Names) -> Shown:
    """The paper's Table 1: per measure the raters by their consistency, side by side."""
    columns: dict[str, list[str]] = {}
    for measure, ranked in by_measure.items():
        in_order = best_first(ranked)
        term = _ALPHA if isinstance(ranked, Consistency) else "r"
        columns[measure] = [str(raters[rater]) for rater, _ in in_order]
        columns[f"{term}, {measure}"] = [decimal(e.value, 3) for _, e in in_order]
        columns[f"95 %, {measure}"] = [interval(e) for _, e in in_order]
    table = pd.DataFrame({name: pd.Series(values, dtype=str) for name, values in columns.items()}).fillna("")
    table.insert(0, "Rank", range(1, len(table) + 1))
    return table, {}


def screening_table(
    ranked: Ranked,
    compared: Sequence[ComparedRaters],
    measure: str,
    figures: ScreeningFigures,
    raters: Names,
    splits: Names,
    scenario: Scenario,
) -> Shown:
    """Return a row per rater of a measure, by ascending consistency: its figure, its verdict among all raters and
    measures `compared`, and what screening rules look at."""
    codes = figures.bias.raters
    of_measure = verdicts(compared).get(measure, {})
    found = [of_measure.get(name, ("", nan)) for name in raters[codes].tolist()]
    columns: dict[str, object] = {
        "Rater": raters[codes],
        "Left out": marked(codes.tolist(), scenario.left_out_codes),
        "Ratings": figures.runs.ratings,
        **_consistency_columns(ranked, codes, splits),
        TYPICAL: [verdict for verdict, _ in found],
        ADJUSTED: [p for _, p in found],
        **_repeats_columns(figures.repeats, codes),
        "Bias": figures.bias.bias,
        "Bias, 95 %": _between(figures.bias.low, figures.bias.high),
    }
    model = figures.model
    if model is not None and not model.reason:
        columns |= {
            "Inconsistency": model.inconsistency,
            "Inconsistency, 95 %": _between(model.inconsistency_low, model.inconsistency_high),
        }
    if figures.speed is not None:
        columns["Seconds"] = figures.speed.seconds
    if figures.checks is not None:
        columns["Checks"] = _at(codes, figures.checks.raters, figures.checks.checks)
        columns["Failed checks"] = _at(codes, figures.checks.raters, figures.checks.share)
    columns |= {
        "Longest run": figures.runs.longest,
        "Chance of the run": figures.runs.chance,
        "BT.500 far": figures.bt500.far,
        "BT.500": _verdicts(figures.bt500.rejected),
        "P.913 r": figures.p913.by_item,
        "P.913": _verdicts(figures.p913.rejected),
    }
    table = pd.DataFrame(columns)
    per_split = [name for name in columns if name.startswith(f"{_ALPHA}, ") and "%" not in name]
    table = table.sort_values(_ALPHA if _ALPHA in table else _OTHERS, ignore_index=True)
    return table, _WRITTEN | dict.fromkeys(per_split, _EXACT)


def _repeats_columns(repeats: Consistency | None, codes: NDArray[np.int64]) -> dict[str, object]:
    if repeats is None or not repeats.sets.any():
        return {}
    between = dict(zip(repeats.raters.tolist(), map(interval, repeats.alpha), strict=True))
    return {
        _OWN: _at(codes, repeats.raters, [e.value for e in repeats.alpha]),
        f"{_OWN}, 95 %": [between.get(code, "–") for code in codes.tolist()],
        "Items repeated": _at(codes, repeats.raters, repeats.sets),
    }


def repeats_note(repeats: Consistency | None) -> list[Sentence]:
    """How far raters agree with themselves on items that they rated more than once; nothing where nobody did."""
    if repeats is None or not repeats.sets.any():
        return []
    known = [e.value for e in repeats.alpha if e.defined]
    who: dict[str, object] = {
        "raters": counted(int((repeats.sets > 0).sum()), "rater"),
        "items": count(int(repeats.sets.max())),
    }
    opening = "{raters} rated up to {items} items more than once"
    if not known:
        return [(opening + ", too few for an alpha of a rater with itself.", who)]
    middle, low, high = (decimal(float(f(known))) for f in (np.median, min, max))
    ends: dict[str, object] = {"middle": middle, "low": low, "high": high}
    return [
        (opening + ". A rater's alpha with itself is {middle} at the median ({low} to {high}).", who | ends)
    ]


def _consistency_columns(ranked: Ranked, codes: NDArray[np.int64], splits: Names) -> dict[str, object]:
    known = estimates(ranked)
    values = _at(codes, ranked.raters, [e.value for e in known])
    between = dict(zip(ranked.raters.tolist(), (interval(e) for e in known), strict=True))
    told = [between.get(code, "–") for code in codes.tolist()]
    if isinstance(ranked, Consistency):
        return {
            _ALPHA: values,
            f"{_ALPHA}, 95 %": told,
            "Sets": _at(codes, ranked.raters, ranked.sets),
            "Judgements": _at(codes, ranked.raters, ranked.judgements),
        } | {
            f"{_ALPHA}, {splits[split]}": _at(codes, part.raters, [e.value for e in part.alpha])
            for split, part in (ranked.by_split or {}).items()
        }
    return {
        _OTHERS: values,
        f"{_OTHERS}, 95 %": told,
        "Items shared": _at(codes, ranked.raters, ranked.items),
        "Alpha without": _at(codes, ranked.raters, ranked.alpha_without),
    }


def _at(codes: NDArray[np.int64], raters: NDArray[np.int64], values: ArrayLike) -> pd.Series:
    """Values known for some raters, at these codes, NaN where there is none."""
    known = pd.Series(np.asarray(values, dtype=np.float64), index=raters)
    return known.reindex(codes).reset_index(drop=True)


def _between(low: NDArray[np.float64], high: NDArray[np.float64]) -> list[str]:
    return [interval(Estimate(0.0, a, b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _verdicts(rejected: NDArray[np.bool_]) -> NDArray[np.str_]:
    return np.where(rejected, "reject", "")


def alpha_with_everyone(ranked: Ranked) -> list[Sentence]:
    """What the column 'Alpha without' is to be held against, and how intervals were made."""
    if isinstance(ranked, Consistency) or not ranked.alpha_all.defined:
        return []
    return [
        (
            "With everyone, alpha over {items} is {alpha} ({between}); <i>Alpha without</i> is the same when "
            "that rater goes. Intervals of r: Fisher's z over the rater's items, for these raters.",
            {
                "items": counted(ranked.alpha_all.n, "item"),
                "alpha": decimal(ranked.alpha_all.value, 3),
                "between": interval(ranked.alpha_all, 3),
            },
        )
    ]


def remarks(ranked: Ranked, figures: ScreeningFigures, raters: Names) -> list[Sentence]:
    """What is undefined or rests on little, each reason once."""
    reasons: dict[str, list[str]] = {}
    for rater, estimate in zip(ranked.raters.tolist(), estimates(ranked), strict=True):
        if not estimate.defined:
            reasons.setdefault(estimate.reason, []).append(str(raters[rater]))
    told: list[Sentence] = [
        (
            "Without variation, so not compared: {who}."
            if reason == CONSTANT
            else "Undefined for {who}: {reason}.",
            {
                "who": f"{count(len(who))} raters" if len(who) > 4 else ", ".join(map(shorten, who)),
                "reason": reason,
            },
        )
        for reason, who in reasons.items()
    ]
    if isinstance(ranked, Consistency):
        few = int(((ranked.sets > 1) & (ranked.sets < FEWEST_UNITS)).sum())
        if few:
            sentence = (
                "Fewer than {sets} sets of identical texts: {few} rater{s}, last in the table and not compared with "
                "the typical rater."
            )
            told.append((sentence, {"few": few, "s": "" if few == 1 else "s", "sets": FEWEST_UNITS}))
    elif not ranked.alpha_all.defined:
        told.append(("Alpha over items is undefined: {reason}.", {"reason": ranked.alpha_all.reason}))
    for sentence, reason in (
        ("BT.500 can reject nobody here: {reason}.", figures.bt500.reason),
        ("Inconsistency (P.910) is undefined: {reason}.", figures.model.reason if figures.model else ""),
    ):
        if reason:
            told.append((sentence, {"reason": reason}))
    return told


EXPLANATION = r"""
**Alpha on identical texts** (Krippendorff's alpha, interval metric). A unit is one set of identical texts
within a topic and condition that the same assessor judged more than once without knowing: 1 means equal scores
whenever the text is equal, 0 no more alike than any two of this assessor's judgments. Pooled over splits; with
fewer than two sets it is undefined. Intervals draw the assessor's sets.

**Agreement with the others** (where no identical texts are known): Pearson's correlation of a rater's scores with the
mean of all other raters on the same items, at least three; severity does not enter. Tables list the highest first,
raters with few items last; intervals are on Fisher's z. *Alpha without* is Krippendorff's alpha over items when that
rater goes: higher than with everyone means the rater pulls agreement down.

**Raters clearly below or above the typical rater.** Each rater's r on Fisher's z (alpha: −½ ln(1 − α)) is compared with
the weighted median of all. The error is one jackknife variance for all raters, without the chance that they share by
rating the same items. Raters need 10 items or sets, and 5 raters must have them. p values are adjusted for all raters
and measures (Holm); above 50 raters there is a screening list instead (Benjamini and Hochberg), of which about 1 in 20
is listed by chance. An F test asks whether raters differ at all. With few items the power is low: 25 items hardly
separate r = .67 from .35, so a rater who is not named may still be worse. In simulated studies of equally good raters
somebody was named in 2 to 6 of 100. A rater with 2.5 times the noise of 5 or 23 others was found in 45 to 57 of 100
studies of 50 to 60 items, in 3 to 8 where 40 to 60 raters shared few items (docs/calibration.md).

**Scatters more, in scale points**: a rater's residuals (score minus the others' mean, without severity) against the
typical rater's, on the cube root of their mean square. It is about the use of the scale: who uses more of it scatters
more.

**Alpha on own repeats**: the same with the item as the unit, over items that a rater rated more than once; no texts are
needed. In all other figures of this page that compare raters, a rater's repeats of an item count as one value: their
mean, or the last one, as the sidebar says.

**Bias**: mean deviation from the items' MOS (P.913, 12.4). **Inconsistency**: the rater's own noise in the
model *score = quality + bias + noise* (P.910, Annex E); its interval is Grubbs', since that of the standard takes the
qualities as known and covers only 50 to 85 %. **Longest run** of equal answers in
time order, with the chance of one as long if the same answers came in random order. **BT.500**: rejected when
more than 5 % of the scores lie far from the others' in both directions; the SD divides by n − 1 as the standard has it
(the rule in the sidebar offers n, which the package sureal takes and which rejects more). **P.913**: rejected while the
correlation with the MOS is below 0.75 (and, with systems, that of the system means below 0.8), the worst first.

Sources: Owczarzak, Rankel, Dang and Conroy 2012, section 2 and Table 1; Habibi and Popescu-Belis 2012, section
5; Holm 1979; Benjamini and Hochberg 1995; Efron and Stein 1981; Wilson and Hilferty 1931; ITU-R
BT.500, ITU-T P.910 and P.913. Verdicts are advice, not exclusions: nothing is left out until you say
so.
"""
