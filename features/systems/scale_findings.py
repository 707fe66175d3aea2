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
from features.tables import DASH, WHY, Written
from features.words import counted, listed

FEWEST_COMPARISONS = 10
"""Comparisons of a system below which it is not said to be the best."""
TWICE, OPEN = "Wins with twice as much", "open"
EXACT, TENTH = partial(decimal, digits=3), partial(share, digits=1)
_OFF = {ABOVE: "above the scale", BELOW: "below the scale"}
_Columns = tuple[dict[str, Any], dict[str, Written]]
"""Columns of a table and their formats."""


def scale_finding(found: SystemsOnScale, spec: BootstrapSpec) -> Finding:
    """Return which system ranks first, and whether it clearly differs from the others."""
    scale, drawn, plan = found.scale, found.intervals, NextStep("Plan more comparisons", "planning.py")
    on = _places(scale)
    if not on:
        reason = capitalized("; ".join(sorted(set(scale.reasons) - {""})) or "nothing was compared")
        n = counted(len(found.votes.comparisons), "comparison")
        return _not_enough("place the systems on one scale", reason, n, next_step=plan)
    first, *others = on
    above = [str(scale.systems[at]) for at in scale.order if scale.position[at] == ABOVE]
    name, met = system_name(scale.systems[first]), int(scale.comparisons[first])
    if met < FEWEST_COMPARISONS:
        has = f"{name} ranks first with {counted(met, 'comparison')}", f"it needs {FEWEST_COMPARISONS}"
        unbeaten = f"unbeaten: {listed(above)}" if above else ""
        return _not_enough("name the best system", *has, unbeaten, next_step=plan)
    values: dict[str, object] = {"first": name, "others": count(len(others)), "above": listed(above)}
    headline, status = "{first} ranks first.", Status.UNCERTAIN
    if drawn is not None and not drawn.reason:
        alike = [at for at in others if not drawn.above[first, at]]
        values |= {"alike": count(len(alike)), "other": scale.systems[(alike or others)[0]]}
        headline = "No two systems clearly differ."
        if not alike:
            than = "{other}" if len(others) == 1 else "the other {others} systems"
            headline, status = f"{{first}} ranks above {than}.", Status.CLEAR
        elif drawn.above.any():
            rivals = "{other}" if len(alike) == 1 else "{alike} others"
            headline = f"{{first}} ranks first, but {rivals} may be as good."
    if above:
        values["first"] = name.replace("System ", "system ", 1)
        headline = "Apart from unbeaten {above}, " + headline[:1].lower() + headline[1:]
    raters = counted(len(np.unique(found.votes.rater)), "rater") if _over_raters(drawn) else ""
    return Finding((headline, values), _evidence(scale, drawn, spec, raters), status)


def _not_enough(
    to: str, *line: str, name: str = "finding", next_step: NextStep | None = None, **values: object
) -> Finding:
    headline, status = (f"Not enough data to {to}.", values), Status.NOT_ENOUGH_DATA
    return Finding(headline, evidence(*line), status, next_step=next_step, name=name)


def _evidence(scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec, *more: str) -> Text:
    """Return the chance of the first system with its interval and rank, and how many pairs differ."""
    on = list(_places(scale))
    chance, never = _chances(scale, drawn)[on[0]], int(np.triu(scale.compared[np.ix_(on, on)] == 0, 1).sum())
    told, scope = [f"Wins {share(chance.value)} against an average system"], ""
    if drawn is not None and not drawn.reason:
        open_interval = f"{100 * spec.level:g}% CI {between(chance, share)}"
        pairs = counted(len(on) * (len(on) - 1) // 2, "pair")
        told.append(confidence_interval(chance, share, spec.level) or open_interval)
        told += [f"rank {ranks_of(drawn, on[0], '–')}", f"{count(drawn.above.sum())} of {pairs} differ"]
        scope = FOR_RATERS_LIKE_THESE if _over_raters(drawn) else FOR_THESE_RATERS
    direct = f"{counted(never, 'pair')} never compared directly" if never else ""
    return evidence(*told, counted(chance.n, "comparison"), *more, direct, scope)


def _over_raters(drawn: ScaleIntervals | None) -> bool:
    return drawn is not None and "rater" in drawn.resampled


def _chances(scale: Scale, drawn: ScaleIntervals | None) -> list[Estimate]:
    """Return the chance of each system to win against an average one; open ends of its interval are NaN."""
    each = chances(scale, drawn)
    return [replace(e, low=e.low if e.low > 0 else nan, high=e.high if e.high < 1 else nan) for e in each]


def _places(scale: Scale) -> dict[int, int]:
    """Return the place of each system on the scale, the strongest first."""
    on = [at for at in scale.order.tolist() if scale.position[at] == ON]
    return {at: place for place, at in enumerate(on, start=1)}


def ranks_of(drawn: ScaleIntervals, at: int, dash: str = " to ") -> str:
    """Return the ranks that a system may have."""
    low, high = int(drawn.rank_low[at]), int(drawn.rank_high[at])
    return f"{low}" if low == high else f"{low}{dash}{high}"


def position_finding(scale: Scale, effect: PositionEffect, spec: BootstrapSpec) -> Finding:
    """Return whether the system shown first wins more often, and whether that changes the order."""
    factor, order = effect.factor, ""
    if not factor.defined:
        return _not_enough("estimate an effect of position", capitalized(factor.reason), name="position")
    headline, status = "Position has no clear effect.", Status.UNCERTAIN
    if effect.p < 0.05:
        often, status = "more" if factor.value > 1 else "less", Status.CLEAR
        headline = f"The system shown first wins {often} often."
        kept = "the same" if same_order(scale, effect) else "another"
        order = f"{kept} order without it, strengths move by at most {decimal(largest_shift(scale, effect))}"
    told = f"Odds ratio {decimal(factor.value)}", confidence_interval(factor, level=spec.level), _p(effect.p)
    line = evidence(*told, counted(factor.n, "comparison"), order)
    return Finding((headline, {}), line, status, name="position")


def _p(p: float) -> str:
    return "" if isnan(p) else p_phrase(p)


def style_finding(style: StyleEffects, spec: BootstrapSpec) -> Finding:
    """Return which system ranks first among outputs that are alike in style."""
    what = listed([_plain(name) for name in style.names])
    if style.reason:
        return _not_enough("adjust for {what}", capitalized(style.reason), name="style", what=what)
    before, after = _places(style.plain), _places(style.adjusted)
    old, new = next(iter(before)), next(iter(after))
    moved = sum(before[at] != place for at, place in after.items())
    changed = f"{count(moved)} of {counted(len(after), 'system')} change{'s' if moved == 1 else ''} rank"
    again = "still ranks first" if new == old else "ranks first instead of {before}"
    systems = style.adjusted.systems
    values = {"what": what, "first": system_name(systems[new]), "before": systems[old]}
    return Finding(
        (f"{{first}} {again} when adjusted for {{what}}.", values),
        _evidence(style.adjusted, style.intervals, spec, changed),
        Status.CLEAR if style.intervals.rank_high[new] == 1 else Status.UNCERTAIN,
        name="style",
    )


def effect_findings(style: StyleEffects, spec: BootstrapSpec) -> list[Finding]:
    """Return for each number of the outputs whether more of it is preferred."""
    findings = []
    for name, twice, p in zip(style.names, style.twice, style.p.tolist(), strict=True):
        wins, n = f"{share(twice.value)} of decided comparisons", counted(twice.n, "comparison")
        unclear = "" if p < 0.05 else f"Twice as much wins {wins}"
        told = (
            unclear,
            confidence_interval(twice, share, spec.level),
            _p(p),
            n,
            "between equally strong systems",
        )
        headline, status = "The effect of {style} is unclear.", Status.UNCERTAIN
        if p < 0.05:
            headline, status = f"With twice the {{style}}, an output wins {wins}.", Status.CLEAR
        line = evidence(*told)
        findings.append(Finding((headline, {"style": _plain(name)}), line, status, name=f"effect of {name}"))
    return findings


def _plain(name: str) -> str:
    return name.replace("_", " ")


def systems_table(found: SystemsOnScale) -> Table:
    """Return one row per system, the strongest first."""
    scale, drawn, order = found.scale, found.intervals, found.scale.order.tolist()
    counts = {"Comparisons": scale.comparisons, "Won": scale.won, "Tied": scale.tied, "Lost": scale.lost}
    columns, formats = _scale_columns(scale, drawn, order)
    columns = {"System": scale.systems[order]} | columns
    columns |= {name: values[order] for name, values in (counts | {"Share won": shares_won(scale)}).items()}
    columns["Cluster"] = [_cluster(scale, drawn, at) for at in order]
    if found.position is not None and found.position.factor.defined:
        columns["Strength without position"] = found.position.strength[order]
    if not scale.identified:
        columns[WHY] = [scale.reasons[at] for at in order]
    formats |= dict.fromkeys(counts, count) | {"Share won": TENTH, "Strength without position": EXACT}
    first = "System", "Chance", "Rank", "Cluster", "Comparisons"
    return Table("scale", ("All systems, the strongest first.", {}), pd.DataFrame(columns), first, formats)


def _scale_columns(
    scale: Scale, drawn: ScaleIntervals | None, order: Sequence[int], which: str = ""
) -> _Columns:
    """Return the columns of chance, rank and strength; `which` begins their names."""
    chance, strength, places = _chances(scale, drawn), strengths(scale, drawn), _places(scale)
    called = [capitalized(which + name) for name in ("chance", "rank", "strength")]
    ranks = [f"{places.get(at)}" for at in order]
    if drawn is not None and not drawn.reason:
        told = [ranks_of(drawn, at) for at in order]
        ranks = [
            rank if rank == among else f"{rank} ({among})" for rank, among in zip(ranks, told, strict=True)
        ]
    columns, formats = _columns(called[0], [chance[at] for at in order], TENTH)
    more, written = _columns(called[2], [strength[at] for at in order], EXACT)
    rank: dict[str, Any] = {called[1]: [places.get(at, nan) for at in order]}
    if drawn is not None:
        both = zip(("from", "to"), (drawn.rank_low[order], drawn.rank_high[order]), strict=True)
        rank |= {f"{called[1]} {end}": np.where(ranked > 0, ranked, nan) for end, ranked in both}
    return columns | rank | more, {**formats, **written, **dict.fromkeys(rank, count), called[1]: ranks}


def _columns(name: str, estimates: Sequence[Estimate], write: Callable[[float], str]) -> _Columns:
    """Return the columns of estimates and both ends of their intervals; the cell of an estimate has its interval."""
    told = [(write(each.value), between(each, write)) for each in estimates]
    has_intervals = any(interval != OPEN for _, interval in told)
    parts = {"": "value", " from": "low", " to": "high"}
    columns = {f"{name}{end}": [getattr(each, of) for each in estimates] for end, of in parts.items()}
    cells = [f"{value} ({interval})" if has_intervals else value for value, interval in told]
    return columns, {**dict.fromkeys(columns, write), name: cells}


def pairs_table(found: SystemsOnScale, spec: BootstrapSpec) -> Table:
    """Return one row per pair, the stronger system first."""
    pairs, parts = found.pairs, {"First": "first", "Second": "second", "Comparisons": "compared"}
    parts |= {"Share of the first": "share", "Expected": "expected", "Residual": "residual"}
    columns: dict[str, Any] = {name: [getattr(pair, of) for pair in pairs] for name, of in parts.items()}
    columns["Difference"] = [pair.difference.value for pair in pairs]
    columns[f"{100 * spec.level:g}% CI"] = [
        DASH if isnan(pair.p) else between(pair.difference, EXACT) for pair in pairs
    ]
    columns["Adjusted p"] = [pair.p for pair in pairs]
    columns["Differ"] = [{None: "", True: "yes", False: "no"}[pair.apart] for pair in pairs]
    columns[WHY] = ["" if pair.compared else f"never compared with {pair.second}" for pair in pairs]
    formats: dict[str, Written] = {"Comparisons": count, "Share of the first": TENTH, "Expected": TENTH}
    formats |= {"Residual": decimal, "Difference": EXACT, "Adjusted p": p_value}
    first = "First", "Second", "Comparisons", "Share of the first", "Differ"
    caption: Text = "All pairs of systems; p is adjusted for all pairs.", {}
    return Table("scale-pairs", caption, pd.DataFrame(columns), first, formats)


def style_tables(style: StyleEffects, unadjusted: ScaleIntervals | None) -> tuple[Table, Table]:
    """Return systems with and without adjustment for style, and the effect of each number of the outputs."""
    order = style.adjusted.order.tolist()
    adjusted, written = _scale_columns(style.adjusted, style.intervals, order, "adjusted ")
    plain, formats = _scale_columns(style.plain, unadjusted, order)
    systems = {"System": style.adjusted.systems[order], **adjusted, **plain}
    systems["Comparisons"] = style.plain.comparisons[order]
    wins, of_wins = _columns(TWICE, style.twice, TENTH)
    effect, of_effect = _columns("Effect", style.effect, EXACT)
    effects = {"Style": list(style.names), **wins, **effect, "p": style.p}
    effects["Comparisons"] = [each.n for each in style.effect]
    formats |= {**written, "Comparisons": count}
    of_wins |= {**of_effect, "p": p_value, "Comparisons": count}
    of_systems = "System", "Adjusted chance", "Chance", "Adjusted rank", "Rank"
    of_all: Text = "All systems with and without adjustment for style.", {}
    of_each: Text = "Effect of each number of the outputs.", {}
    return (
        Table("style", of_all, pd.DataFrame(systems), of_systems, formats),
        Table("style-effects", of_each, pd.DataFrame(effects), ("Style", TWICE, "p", "Comparisons"), of_wins),
    )


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
    return DASH if drawn is None or not drawn.cluster[at] else str(drawn.cluster[at])


def scale_notes(found: SystemsOnScale) -> list[Note]:
    """Return which votes were used, how intervals were computed, and how well one scale fits."""
    votes, scale, drawn, fit = found.votes, found.scale, found.intervals, found.fit
    ties = round(scale.ties.sum() / 2)
    values: dict[str, object] = {
        "votes": counted(len(votes.comparisons), "vote"),
        "s": count(len(scale.systems)),
    }
    values |= {"ties": counted(ties, "tie"), "forced": listed(list(votes.forced), 3)}
    used = (
        "{votes} on {s} systems, {ties}: 'both', 'neither' and 'tie' all count as half a win for either side."
    )
    notes: list[Text] = [(used + (" {forced} offered no tie." if votes.forced and ties else ""), values)]
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
    chi_square = f"chi-square {decimal(fit.statistic, 1)}, {count(fit.degrees)} degrees of freedom"
    return f"{chi_square}, divided by {decimal(fit.inflated)} as votes resemble each other, {p_phrase(fit.p)}"


def scale_warnings(found: SystemsOnScale) -> list[Warning]:
    """Return which systems have no place on the scale and why, and what else to know before trusting it."""
    scale, drawn, itself = found.scale, found.intervals, found.votes.itself
    told: list[Text] = []
    if itself:
        told.append(("{n} compare a system with itself and are ignored.", {"n": counted(itself, "row")}))
    by_reason: dict[tuple[str, bool], list[str]] = {}
    for at in scale.order.tolist():
        if scale.reasons[at]:
            key = scale.reasons[at], int(scale.position[at]) in _OFF
            by_reason.setdefault(key, []).append(str(scale.systems[at]))
    for (reason, is_next), who in by_reason.items():
        helps = "Comparisons with the other systems, in which either side wins at times, would connect them."
        helps = "More comparisons with the systems next to it may give one." if is_next else helps
        told.append((f"No strength for {{who}}: {{reason}}. {helps}", {"who": listed(who), "reason": reason}))
    if drawn is not None and drawn.reason:
        told.append(("No intervals: {reason}.", {"reason": drawn.reason}))
    elif drawn is not None and drawn.open_reason:
        ends = "Some intervals have an open end: {reason}. More comparisons would close them."
        told.append((ends, {"reason": drawn.open_reason}))
    if found.fit.p < 0.05:
        bad = "One scale does not fit the results of the pairs: {test}. See the residuals of the pairs."
        told.append((bad, {"test": _test_of_fit(found)}))
    return [Warning(warning) for warning in told]


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
    fairer = "Adjusted strengths compare outputs that are alike in style. That is not fairer by default: a system that "
    return [*remarks, Note((fairer + "writes more for good reasons loses what that brought it.", {}))]


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
outputs ($x$ and $y$; 0 where both are 0). *Effect* is $b$ per standard deviation of that ratio around 0. An output with
twice as much has a ratio of 1/3, so it wins $1 / (1 + e^{-b/3})$ of the decided votes against an equally strong system.
Both scales use the comparisons whose numbers are known. Where numbers differ only as the systems do, nothing separates
the two.

**Systems without a strength.** A system that won everything, or that no chain of wins and ties connects with the others
in both directions, would fit better the further away it is put (Ford 1957). It is named, and the largest connected part
keeps its scale. With ties, some cycle must also hold more wins than ties.

**Intervals** come from the fit (sandwich variance). What each vote adds to the slope of the likelihood is summed by
item and by rater. The variance is *items + raters - votes of a rater on an item*, the last two never below 0 together,
with Student's *t* (Satterthwaite). In simulated studies they held the truth in 92 to 98 of 100 (docs/calibration.md).

**Which systems differ.** For each pair, the distance of the two strengths in standard errors is compared with the
largest such distance of any pair by chance (multivariate *t*). The risk that *any* two equal systems are said to differ
is at most 1 minus the level. A rank runs from one plus the systems clearly above to the number not clearly below. A new
cluster begins where all systems above are clearly above all systems below.

**Fit.** Pearson's chi-square of wins and ties against those expected. Votes on one item, or by one rater, resemble
each other, which makes it larger; it is divided by that (Rao and Scott). With few raters it is cautious: it rejects 2
to 4 of 100 scales that fit (docs/calibration.md). *Residual*: observed minus expected share, in standard deviations.

**Sources:** Bradley and Terry 1952; Davidson 1970; Davidson and Beaver 1977 (position); Ford 1957; Chiang et al. 2024
(style control of Chatbot Arena); White 1982 (sandwich); Cameron, Gelbach and Miller 2011 (clustering in two ways); Rao
and Scott 1984 (fit); Hothorn, Bretz and Westfall 2008 (all pairs); Bojar et al. 2016 (clusters of WMT). Habibi and
Popescu-Belis 2012 compare two systems at a time.
"""
