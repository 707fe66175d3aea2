"""Verdicts and tables of one scale for all systems: which ranks first, which differ, and what position and style do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from analysis.systems.bradley_terry import ABOVE, BELOW, ON, Scale
from analysis.systems.covariates import StyleEffects
from analysis.systems.goodness_of_fit import circular_triads
from analysis.systems.paired_votes import shares_won
from analysis.systems.scale_intervals import ScaleIntervals, chances, strengths
from analysis.systems.scale_position import PositionEffect, largest_shift, same_order
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Finding, NextStep, Note, Status, Table, Text, Warning
from features.evidence import (
    FOR_RATERS_LIKE_THESE,
    FOR_THESE_RATERS,
    capitalized,
    confidence_interval,
    evidence,
)
from features.plotting.numbers import count, decimal, p_phrase, p_value, share
from features.systems.scale_results import SystemsOnScale
from features.systems.scores_findings import system_name
from features.tables import WHY, Written
from features.words import counted, listed

FEWEST_COMPARISONS = 10
"""Comparisons of a system below which it is not said to be the best."""
ADJUSTED, TWICE, OPEN = "adjusted ", "Wins with twice as much", "open"
EXACT, TENTH = partial(decimal, digits=3), partial(share, digits=1)
_OFF = {ABOVE: "above the scale", BELOW: "below the scale"}
_PLAN = NextStep("Plan more comparisons", "planning.py")


def scale_finding(found: SystemsOnScale, spec: BootstrapSpec) -> Finding:
    """Return which system ranks first, and whether it clearly differs from the others."""
    scale, drawn = found.scale, found.intervals
    on = _places(scale)
    if not on:
        reason = "; ".join(sorted(set(scale.reasons) - {""})) or "nothing was compared"
        return Finding(
            ("Not enough data to place the systems on one scale.", {}),
            evidence(capitalized(reason), counted(len(found.votes.comparisons), "comparison")),
            Status.NOT_ENOUGH_DATA,
            next_step=_PLAN,
        )
    first, *others = on
    above = [str(scale.systems[at]) for at in scale.order if scale.position[at] == ABOVE]
    name, met = system_name(scale.systems[first]), int(scale.comparisons[first])
    if met < FEWEST_COMPARISONS:
        return Finding(
            ("Not enough data to name the best system.", {}),
            evidence(
                f"{name} ranks first with {counted(met, 'comparison')}",
                f"{FEWEST_COMPARISONS} are needed",
                f"{listed(above)} was never beaten" if above else "",
            ),
            Status.NOT_ENOUGH_DATA,
            next_step=_PLAN,
        )
    values: dict[str, object] = {"first": name, "others": count(len(others)), "above": listed(above)}
    headline, status = "{first} ranks first.", Status.UNCERTAIN
    if drawn is not None and not drawn.reason:
        alike = [at for at in others if not drawn.above[first, at]]
        rivals = "{other}" if len(alike) == 1 else "{alike} others"
        values |= {"alike": count(len(alike)), "other": scale.systems[(alike or others)[0]]}
        if not alike:
            status = Status.CLEAR
            than = "{other}" if len(others) == 1 else "the other {others} systems"
            headline = f"{{first}} ranks above {than}."
        elif drawn.above.any():
            headline = f"{{first}} ranks first, but {rivals} may be as good."
        else:
            headline = "No two systems clearly differ."
    if above:
        values["first"] = name[:1].lower() + name[1:] if name.startswith("System ") else name
        headline = "Apart from unbeaten {above}, " + headline[:1].lower() + headline[1:]
    raters = len(np.unique(found.votes.rater)) if drawn is not None and "rater" in drawn.resampled else 0
    line = _evidence(scale, drawn, spec, counted(raters, "rater") if raters else "")
    return Finding((headline, values), line, status)


def _evidence(scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec, *more: str) -> Text:
    """Return the chance of the first system with its interval and rank, and how many pairs differ."""
    on = _places(scale)
    first, k = next(iter(on)), len(on)
    chance = _chances(scale, drawn)[first]
    places = list(on)
    never = int((scale.compared[np.ix_(places, places)] == 0).sum() - k) // 2
    told: list[str] = []
    if drawn is not None and not drawn.reason:
        told = [
            confidence_interval(chance, share, spec.level)
            or f"{100 * spec.level:g}% CI {between(chance, share)}",
            f"rank {_ranks(drawn, first, '–')}",
            f"{count(drawn.above.sum())} of {counted(k * (k - 1) // 2, 'pair')} differ",
        ]
        more = *more, FOR_RATERS_LIKE_THESE if "rater" in drawn.resampled else FOR_THESE_RATERS
    return evidence(
        f"Wins {share(chance.value)} against an average system",
        *told,
        counted(chance.n, "comparison"),
        f"{counted(never, 'pair')} never compared directly" if never else "",
        *more,
    )


def _chances(scale: Scale, drawn: ScaleIntervals | None) -> list[Estimate]:
    """Return the chance of each system to win against an average one; open ends of its interval are NaN."""
    return [
        replace(each, low=each.low if each.low > 0 else nan, high=each.high if each.high < 1 else nan)
        for each in chances(scale, drawn)
    ]


def _places(scale: Scale) -> dict[int, int]:
    """Return the place of each system on the scale, the strongest first."""
    on = [at for at in scale.order.tolist() if scale.position[at] == ON]
    return {at: place for place, at in enumerate(on, start=1)}


def _ranks(drawn: ScaleIntervals, at: int, dash: str) -> str:
    low, high = int(drawn.rank_low[at]), int(drawn.rank_high[at])
    return f"{low}" if low == high else f"{low}{dash}{high}"


def position_finding(scale: Scale, effect: PositionEffect, spec: BootstrapSpec) -> Finding:
    """Return whether the system shown first wins more often, and whether that changes the order."""
    if not effect.factor.defined:
        return Finding(
            ("Not enough data to estimate an effect of position.", {}),
            evidence(capitalized(effect.factor.reason)),
            Status.NOT_ENOUGH_DATA,
            name="position",
        )
    headline, order, status = "Position has no clear effect.", "", Status.UNCERTAIN
    if effect.p < 0.05:
        often, status = "more" if effect.factor.value > 1 else "less", Status.CLEAR
        headline = f"The system shown first wins {often} often."
        kept = "the same" if same_order(scale, effect) else "another"
        order = f"{kept} order without it, strengths move by at most {decimal(largest_shift(scale, effect))}"
    return Finding(
        (headline, {}),
        evidence(
            f"Odds ratio {decimal(effect.factor.value)}",
            confidence_interval(effect.factor, level=spec.level),
            p_phrase(effect.p) if not isnan(effect.p) else "",
            counted(effect.factor.n, "comparison"),
            order,
        ),
        status,
        name="position",
    )


def style_finding(style: StyleEffects, spec: BootstrapSpec) -> Finding:
    """Return which system ranks first among outputs that are alike in style."""
    what = listed([_plain(name) for name in style.names])
    if style.reason:
        return Finding(
            ("Not enough data to adjust for {what}.", {"what": what}),
            evidence(capitalized(style.reason)),
            Status.NOT_ENOUGH_DATA,
            name="style",
        )
    before, after = _places(style.plain), _places(style.adjusted)
    old, new = next(iter(before)), next(iter(after))
    moved = sum(before[at] != place for at, place in after.items())
    systems = style.adjusted.systems
    names = [system_name(systems[at]) for at in (new, old)]
    values = {"what": what, "first": names[0], "before": systems[old]}
    again = "still ranks first" if new == old else "ranks first instead of {before}"
    return Finding(
        (f"{{first}} {again} when adjusted for {{what}}.", values),
        _evidence(
            style.adjusted,
            style.intervals,
            spec,
            f"{count(moved)} of {counted(len(after), 'system')} {'changes' if moved == 1 else 'change'} rank",
        ),
        Status.CLEAR if style.intervals.rank_high[new] == 1 else Status.UNCERTAIN,
        name="style",
    )


def effect_findings(style: StyleEffects, spec: BootstrapSpec) -> list[Finding]:
    """Return for each number of the outputs whether more of it is preferred."""
    findings = []
    for name, twice, p in zip(style.names, style.twice, style.p, strict=True):
        clear = bool(p < 0.05)
        values = {"style": _plain(name), "wins": share(twice.value)}
        headline = "With twice the {style}, an output wins {wins} of decided comparisons."
        findings.append(
            Finding(
                (headline if clear else "More {style} has no clear effect.", values),
                evidence(
                    "" if clear else f"With twice as much, {values['wins']} of decided comparisons are won",
                    confidence_interval(twice, share, spec.level),
                    p_phrase(p) if p == p else "",
                    counted(twice.n, "comparison"),
                    "between equally strong systems",
                ),
                Status.CLEAR if clear else Status.UNCERTAIN,
                name=f"effect of {name}",
            )
        )
    return findings


def _plain(name: str) -> str:
    return name.replace("_", " ")


def systems_table(found: SystemsOnScale) -> Table:
    """Return one row per system, the strongest first."""
    scale, drawn, order = found.scale, found.intervals, found.scale.order.tolist()
    columns, formats = _scale_columns(scale, drawn, order)
    counts = {"Comparisons": scale.comparisons, "Won": scale.won, "Tied": scale.tied, "Lost": scale.lost}
    columns = {"System": scale.systems[order]} | columns
    columns |= {name: values[order] for name, values in counts.items()}
    columns |= {
        "Share won": shares_won(scale)[order],
        "Cluster": [_cluster(scale, drawn, at) for at in order],
    }
    if found.position is not None and found.position.factor.defined:
        columns["Strength without position"] = found.position.strength[order]
    if not scale.identified:
        columns[WHY] = [scale.reasons[at] for at in order]
    formats |= dict.fromkeys(counts, count) | {"Share won": TENTH, "Strength without position": EXACT}
    return Table(
        "scale",
        ("All systems from the strongest to the weakest, with intervals.", {}),
        pd.DataFrame(columns),
        ("System", "Chance", "Rank", "Cluster", "Comparisons"),
        formats,
    )


def _scale_columns(
    scale: Scale, drawn: ScaleIntervals | None, order: Sequence[int], prefix: str = ""
) -> tuple[dict[str, Any], dict[str, Written]]:
    """Return the columns of chance, rank and strength, with both ends of their intervals, and their formats."""
    chance, strength, places = _chances(scale, drawn), strengths(scale, drawn), _places(scale)
    ranks = [f"{places.get(at)}" for at in order]
    if drawn is not None and not drawn.reason:
        ranks = [f"{rank} ({_ranks(drawn, at, ' to ')})" for rank, at in zip(ranks, order, strict=True)]
    columns, formats = _columns(capitalized(prefix + "chance"), [chance[at] for at in order], TENTH)
    more, written = _columns(capitalized(prefix + "strength"), [strength[at] for at in order], EXACT)
    rank = capitalized(prefix + "rank")
    return (
        {**columns, rank: [places.get(at, nan) for at in order], **more},
        {**formats, rank: ranks, **written},
    )


def _columns(
    name: str, estimates: Sequence[Estimate], write: Callable[[float], str]
) -> tuple[dict[str, Any], dict[str, Written]]:
    """Return the columns of estimates and both ends of their intervals; the cell of an estimate has its interval."""
    texts = [write(each.value) for each in estimates]
    if any(between(each, write) != OPEN for each in estimates):
        texts = [f"{text} ({between(each, write)})" for text, each in zip(texts, estimates, strict=True)]
    parts = {"": "value", " from": "low", " to": "high"}
    columns = {f"{name}{end}": [getattr(each, of) for each in estimates] for end, of in parts.items()}
    return columns, {**dict.fromkeys(columns, write), name: texts}


def pairs_table(found: SystemsOnScale, spec: BootstrapSpec) -> Table:
    """Return one row per pair, the stronger system first."""
    level = f"{100 * spec.level:g}% CI"
    known = found.intervals is not None and not found.intervals.reason
    rows = [
        {
            "First": pair.first,
            "Second": pair.second,
            "Comparisons": pair.compared,
            "Share of the first": pair.share,
            "Expected": pair.expected,
            "Residual": pair.residual,
            "Difference": pair.difference.value,
            level: between(pair.difference, EXACT) if known and pair.difference.defined else "–",
            "Adjusted p": pair.p,
            "Differ": {None: "", True: "yes", False: "no"}[pair.apart],
            WHY: "" if pair.compared else f"never compared with {pair.second}",
        }
        for pair in found.pairs
    ]
    return Table(
        "scale-pairs",
        ("All pairs of systems; intervals of each pair, p adjusted for all pairs.", {}),
        pd.DataFrame(rows),
        ("First", "Second", "Comparisons", "Share of the first", "Differ"),
        {
            "Comparisons": count,
            **dict.fromkeys(("Share of the first", "Expected"), TENTH),
            "Residual": decimal,
            "Difference": EXACT,
            "Adjusted p": p_value,
        },
    )


def style_tables(style: StyleEffects, unadjusted: ScaleIntervals | None) -> list[Table]:
    """Return systems with and without adjustment for style, and the effect of each number of the outputs."""
    order = style.adjusted.order.tolist()
    adjusted, written = _scale_columns(style.adjusted, style.intervals, order, ADJUSTED)
    plain, formats = _scale_columns(style.plain, unadjusted, order)
    systems = {"System": style.adjusted.systems[order], **adjusted, **plain}
    systems["Comparisons"] = style.plain.comparisons[order]
    wins, of_wins = _columns(TWICE, style.twice, TENTH)
    effects, of_effects = _columns("Effect", style.effect, EXACT)
    effects = {"Style": list(style.names), **wins, **effects, "p": style.p}
    effects["Comparisons"] = [each.n for each in style.effect]
    return [
        Table(
            "style",
            ("All systems with and without adjustment for style.", {}),
            pd.DataFrame(systems),
            ("System", "Adjusted chance", "Chance", "Adjusted rank", "Rank"),
            {**written, **formats, "Comparisons": count},
        ),
        Table(
            "style-effects",
            ("Effect of each number of the outputs.", {}),
            pd.DataFrame(effects),
            ("Style", TWICE, "p", "Comparisons"),
            {**of_wins, **of_effects, "p": p_value, "Comparisons": count},
        ),
    ]


def between(estimate: Estimate, write: Callable[[float], str]) -> str:
    """Return an interval of which an end may be open.

    >>> between(Estimate(0.6, 0.5, 0.7123), TENTH), between(Estimate(0.6, 0.5), TENTH)
    ('50.0 to 71.2 %', 'above 50.0 %')
    >>> between(Estimate(1.0, high=2.0), EXACT), between(Estimate(1.0), EXACT)
    ('below 2.000', 'open')
    """
    low, high = ("" if isnan(end) else write(end) for end in (estimate.low, estimate.high))
    if low and high:
        return f"{low.removesuffix(' %')} to {high}"
    return f"above {low}" if low else f"below {high}" if high else OPEN


def _cluster(scale: Scale, drawn: ScaleIntervals | None, at: int) -> str:
    if scale.position[at] != ON:
        return _OFF.get(int(scale.position[at]), "not connected")
    return "–" if drawn is None or not drawn.cluster[at] else str(drawn.cluster[at])


def scale_notes(found: SystemsOnScale) -> list[Note]:
    """Return what votes were used, how intervals were computed, and how well one scale fits."""
    votes, scale, drawn, fit = found.votes, found.scale, found.intervals, found.fit
    ties = scale.ties.sum() / 2
    forced = " Under {forced} no tie was on offer." if votes.forced and ties else ""
    notes: list[Text] = [
        (
            "{votes} on {s} systems, {ties}: 'both', 'neither' and 'tie' all count as ties, half a win for either side."
            + forced,
            {
                "votes": counted(len(votes.comparisons), "vote"),
                "s": count(len(scale.systems)),
                "ties": counted(round(ties), "tie"),
                "forced": listed(list(votes.forced), 3),
            },
        )
    ]
    if drawn is not None and not drawn.reason:
        how = "Intervals: variance of the fit, clustered by {what}. Differences hold for all pairs at once."
        notes.append((how, {"what": drawn.resampled}))
    if fit.p >= 0.05:
        notes.append(("One scale fits the results of the pairs: {test}.", {"test": _test_of_fit(found)}))
    elif isnan(fit.p) and len(_places(scale)) > 2:
        notes.append(("The fit of one scale is not tested: {why}.", {"why": fit.reason}))
    circular, triples = circular_triads(scale)
    if triples:
        values = {"circular": count(circular) if circular else "None", "triples": count(triples)}
        notes.append(("{circular} of {triples} triples of systems beat each other in a circle.", values))
    return [Note(note) for note in notes]


def _test_of_fit(found: SystemsOnScale) -> str:
    fit = found.fit
    return (
        f"chi-square {decimal(fit.statistic, 1)}, {count(fit.degrees)} degrees of freedom, divided by "
        f"{decimal(fit.inflated)} for votes that resemble each other, {p_phrase(fit.p)}"
    )


def scale_warnings(found: SystemsOnScale) -> list[Warning]:
    """Return which systems have no place on the scale and why, and what else to know before trusting it."""
    votes, scale, drawn = found.votes, found.scale, found.intervals
    warnings: list[Text] = []
    if votes.itself:
        warnings.append(
            ("{n} compare a system with itself and are ignored.", {"n": counted(votes.itself, "row")})
        )
    by_reason: dict[tuple[str, bool], list[str]] = {}
    for at in scale.order.tolist():
        if scale.reasons[at]:
            key = scale.reasons[at], int(scale.position[at]) in _OFF
            by_reason.setdefault(key, []).append(str(scale.systems[at]))
    for (reason, is_next), who in by_reason.items():
        helps = "More comparisons with the systems next to it may give one."
        if not is_next:
            helps = (
                "Comparisons with the other systems, in which either side wins at times, would connect them."
            )
        warnings.append(("No strength for {who}: {reason}. " + helps, {"who": listed(who), "reason": reason}))
    if drawn is not None and drawn.reason:
        warnings.append(("No intervals: {reason}.", {"reason": drawn.reason}))
    elif drawn is not None and drawn.open_reason:
        open_ends = "Some intervals have an open end: {reason}. More comparisons would close them."
        warnings.append((open_ends, {"reason": drawn.open_reason}))
    if found.fit.p < 0.05:
        bad = "One scale does not fit the results of the pairs: {test}. See the residuals of the pairs."
        warnings.append((bad, {"test": _test_of_fit(found)}))
    return [Warning(warning) for warning in warnings]


def style_remarks(style: StyleEffects) -> list[Note | Warning]:
    """Return what could not enter, why there are no intervals, and what adjustment does not say."""
    remarks: list[Note | Warning] = []
    if style.left_out:
        values = {"n": count(style.left_out), "all": counted(len(style.known), "comparison")}
        remarks.append(Warning(("{n} of {all} lack a number of an output and are ignored here.", values)))
    if style.reason:
        return remarks
    if style.intervals.reason:
        remarks.append(Warning(("No intervals with style: {reason}.", {"reason": style.intervals.reason})))
    fairer = (
        "Adjusted strengths compare outputs that are alike in style. That is not fairer by default: a system that "
        "writes more for good reasons loses what that brought it."
    )
    return [*remarks, Note((fairer, {}))]


DETAILS = r"""
**One scale** (Bradley-Terry, with ties after Davidson). Each system has a strength $p_i$, and
$P(i \text{ beats } j) = \dfrac{p_i}{p_i + p_j + \nu\sqrt{p_i p_j}}$; a tie has $\nu\sqrt{p_i p_j}$ over the same sum.
Strengths and $\nu$ are estimated by maximum likelihood from the wins and ties of all pairs. 'Both', 'neither' and 'tie'
all count as ties; a comparison without a tie on offer has $\nu = 0$ and shares the strengths. *Strength* is $\ln p_i$
with mean 0. *Chance* is the expected share of wins, ties counting half, against a system of strength 0.

**Position.** The same model with a factor $g$, the odds ratio, on the system that was shown first:
$P(i \text{ first, beats } j) = \dfrac{g p_i}{g p_i + p_j + \nu\sqrt{g p_i p_j}}$. *Strength without position* is the
strength in that model. It needs pairs that were shown in both orders.

**Style.** The same model, with the log odds of *i* against *j* moved by $b \dfrac{x - y}{x + y}$ for each number of the
outputs ($x$ and $y$; 0 where both are 0), as in the style control of Chatbot Arena. *Effect* is $b$ per standard
deviation of that ratio around 0. An output with twice as much has a ratio of 1/3, so against one of an equally strong
system it wins $1 / (1 + e^{-b/3})$ of the votes that name a winner. Both scales use the comparisons whose numbers are
known. Outputs of one system must differ; where numbers differ only as the systems do, nothing separates the two.

**Systems without a strength.** A system that won everything, or that no chain of wins and ties connects with the others
in both directions, would fit better the further away it is put (Ford 1957). It is named, and the largest connected part
keeps its scale. With ties, some cycle must also hold more wins than ties.

**Intervals** come from the fit (sandwich variance). What each vote adds to the slope of the likelihood is summed by
item and by rater. The variance is *items + raters - votes of a rater on an item*, the last two never below 0 together,
with Student's *t* (Satterthwaite). In simulated studies they held the truth in 92 to 98 of 100 (docs/calibration.md).

**Which systems differ.** For each pair, the distance of the two strengths in standard errors is compared with the
largest such distance of any pair by chance (multivariate *t*). The risk that *any* two equal systems are said to differ
is at most 1 minus the level. A rank runs from one plus the systems clearly above to the number not clearly below. A new
cluster begins where all systems above are clearly above all systems below. WMT builds clusters alike, without the
adjustment for many pairs.

**Fit.** Pearson's chi-square of wins and ties against those expected. Votes on one item, or by one rater, resemble
each other, which makes it larger; it is divided by that (Rao and Scott). With few raters it is cautious: it rejects 2
to 4 of 100 scales that fit (docs/calibration.md). *Residual*: observed minus expected share, in standard deviations.

**Sources:** Bradley and Terry 1952; Davidson 1970; Davidson and Beaver 1977 (position); Ford 1957; Chiang et al. 2024
(style); White 1982 (sandwich); Cameron, Gelbach and Miller 2011 (clustering in two ways); Rao and Scott 1984 (fit);
Hothorn, Bretz and Westfall 2008 (all pairs); Bojar et al. 2016 (clusters). Habibi and Popescu-Belis 2012 compare two
systems at a time.
"""
