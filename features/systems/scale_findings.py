"""Verdicts and tables of one scale for all systems: which ranks first, which differ, and what position and style do."""

from collections.abc import Iterator, Sequence
from math import isnan, nan

import numpy as np

from analysis.systems.bradley_terry import ABOVE, BELOW, ON, Scale
from analysis.systems.covariates import StyleEffects
from analysis.systems.goodness_of_fit import PositionEffect, has_same_order, largest_shift
from analysis.systems.rankings import TIE
from analysis.systems.scale_intervals import ScaleIntervals, chance_estimates, strength_estimates
from analysis.values.estimate import BootstrapSpec
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    Warning,
    capitalized,
    clear_if,
    confidence_interval,
    name_of,
    not_enough_data,
    resampled_scopes,
)
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    p_phrase,
    p_value,
    share,
)
from features.systems.scale_results import SystemsOnScale, usable
from features.systems.scores_findings import first_system_headline
from features.words import DASH, WHY, Column, counted, estimate_columns, listed, part_of_whole, table_of

FEWEST_COMPARISONS = 10
"""Comparisons of a system below which it is not said to be the best."""
_OFF = {ABOVE: "above the scale", BELOW: "below the scale"}


def scale_finding(found: SystemsOnScale, spec: BootstrapSpec) -> Finding:
    """Return which system ranks first, and whether it clearly differs from the others."""
    scale, drawn, on = found.scale, usable(found.intervals), list(found.scale.places)
    step = NextStep("Plan more comparisons", "planning.py")
    if not on:
        reason = capitalized("; ".join(sorted(set(scale.reasons) - {""})) or "nothing was compared")
        line = reason, counted(len(found.votes.comparisons), "comparison")
        headline = f"Not enough data to place the {found.what}s on one scale."
        return not_enough_data(headline, {}, *line, next_step=step)
    above = listed([str(scale.systems[at]) for at in scale.order if scale.position[at] == ABOVE])
    names, met = [str(scale.systems[at]) for at in on], found.met(on[0])
    first, alike = name_of(names[0], found.what), names[1:]
    if met < FEWEST_COMPARISONS:
        line = f"{first} ranks first with {counted(met, found.unit)}", f"it needs {FEWEST_COMPARISONS}"
        headline, unbeaten = f"Not enough data to name the best {found.what}.", above and f"unbeaten: {above}"
        return not_enough_data(headline, {}, *line, unbeaten, next_step=step)
    headline, values = "{first} ranks first.", dict[str, object](first=first)
    if drawn:
        alike = [str(scale.systems[at]) for at in on[1:] if not drawn.above[on[0], at]]
        headline, values = first_system_headline(names, alike, bool(drawn.above.any()), found.what)
    if above:
        headline = "Apart from unbeaten {above}, " + headline[:1].lower() + headline[1:]
        values |= {"above": above, "first": first[:1].lower() + first[1:]}
    raters = counted(len(np.unique(found.votes.rater)), "rater")
    number = (
        counted(met, found.unit)
        if met == found.total
        else f"in {part_of_whole(met, found.total, found.unit)}"
    )
    if found.effective is not None:
        number += f", effective n {count(found.effective[on[0]])}"
    evidence = _evidence(scale, drawn, spec, raters, number, found.what)
    unnamed = "" if "{first}" in headline else f"first: {names[0]}"
    return clear_if(bool(drawn) and not alike, headline, values, unnamed, *evidence)


def _evidence(
    scale: Scale,
    drawn: ScaleIntervals | None,
    spec: BootstrapSpec,
    more: str,
    met: str = "",
    what: str = "system",
) -> list[str]:
    """Return the chance of the first system with its interval and rank, and how many pairs differ."""
    on = list(scale.places)
    chance, never = (
        chance_estimates(scale, drawn)[on[0]],
        int(np.triu(scale.compared[np.ix_(on, on)] == 0, 1).sum()),
    )
    parts, scope = [f"wins {share(chance.value)} against an average {what}"], tuple[str, ...]()
    if drawn:
        parts.append(confidence_interval(chance, share, spec.level))
        pairs = counted(len(on) * (len(on) - 1) // 2, "pair")
        parts += [f"rank {ranks_of(drawn, on[0], '–')}", f"{count(drawn.above.sum())} of {pairs} differ"]
        scope = resampled_scopes(drawn.resampled)
    direct = f"{counted(never, 'pair')} never compared directly" if never else ""
    return [*parts, met or counted(chance.n, "comparison"), more, direct, *scope]


def ranks_of(drawn: ScaleIntervals, at: int, dash: str = " to ") -> str:
    low, high = int(drawn.rank_low[at]), int(drawn.rank_high[at])
    return f"{low}" if low == high else f"{low}{dash}{high}"


def position_finding(
    scale: Scale,
    effect: PositionEffect,
    spec: BootstrapSpec,
    more: str = "The system shown first wins more often.",
    less: str = "The system shown first wins less often.",
) -> Finding:
    """Return whether the system shown first wins more often, and whether that changes the order."""
    factor, is_clear = effect.factor, effect.p < 0.05
    if not factor.defined:
        why = capitalized(factor.reason)
        return not_enough_data("Not enough data to estimate an effect of position.", {}, why, name="position")
    headline = more if factor.value > 1 else less
    kept = "the same" if has_same_order(scale, effect) else "another"
    shift = f"{kept} order without it, strengths move by at most {decimal(largest_shift(scale, effect))}"
    return clear_if(
        is_clear,
        headline if is_clear else "Position has no clear effect.",
        {},
        f"Odds ratio {decimal(factor.value)}",
        confidence_interval(factor, level=spec.level),
        "" if isnan(effect.p) else p_phrase(effect.p),
        counted(factor.n, "comparison"),
        shift if is_clear else "",
        name="position",
    )


def style_finding(style: StyleEffects, spec: BootstrapSpec) -> Finding:
    """Return which system ranks first among outputs that are alike in style."""
    what = listed([_plain(name) for name in style.names])
    if style.reason:
        line = capitalized(style.reason)
        return not_enough_data("Not enough data to adjust for {what}.", {"what": what}, line, name="style")
    before, after = style.plain.places, style.adjusted.places
    old, new = next(iter(before)), next(iter(after))
    moved = sum(before[at] != place for at, place in after.items())
    changed = f"{count(moved)} of {counted(len(after), 'system')} change{'s' if moved == 1 else ''} rank"
    again = "still ranks first" if new == old else "ranks first instead of {before}"
    systems = style.adjusted.systems
    return clear_if(
        bool(style.intervals.rank_high[new] == 1),
        f"{{first}} {again} when adjusted for {{what}}.",
        {"what": what, "first": name_of(systems[new]), "before": systems[old]},
        *_evidence(style.adjusted, usable(style.intervals), spec, changed),
        name="style",
    )


def effect_findings(style: StyleEffects, spec: BootstrapSpec) -> Iterator[Finding]:
    """Yield for each number of the outputs whether more of it is preferred."""
    for name, twice, p in zip(style.names, style.twice, style.p.tolist(), strict=True):
        is_clear, wins = p < 0.05, f"{share(twice.value)} of decided comparisons"
        headline = f"With twice the {{style}}, an output wins {wins}."
        yield clear_if(
            is_clear,
            headline if is_clear else "The effect of {style} is unclear.",
            {"style": _plain(name)},
            "" if is_clear else f"Twice as much wins {wins}",
            confidence_interval(twice, share, spec.level),
            "" if isnan(p) else p_phrase(p),
            counted(twice.n, "comparison"),
            "between equally strong systems",
            name=f"effect of {name}",
        )


def _plain(name: str) -> str:
    return name.replace("_", " ")


def systems_table(found: SystemsOnScale, more: Sequence[Column] = ()) -> Table:
    """Return one row per system, the strongest first, with `more` columns in that order."""
    scale, drawn, order = found.scale, usable(found.intervals), found.scale.order.tolist()
    by = "" if found.effective is None else " by weight"
    columns = [
        Column(capitalized(found.what), scale.systems[order]),
        *_scale_columns(scale, drawn, order),
        Column("Cluster", [cluster_of(scale, drawn, at) for at in order]),
        *more,
        Column("Comparisons", scale.comparisons[order], count, not more),
        *([] if found.effective is None else [Column("Effective n", found.effective[order], count)]),
        Column(f"Won{by}", scale.won[order], count, False),
        Column(f"Tied{by}", scale.tied[order], count, False),
        Column(f"Lost{by}", scale.lost[order], count, False),
        Column("Share won", scale.shares_won[order], PERCENT_ONE_DIGIT, False),
    ]
    if found.position is not None and found.position.factor.defined:
        columns.append(
            Column("Strength without position", found.position.strength[order], THREE_DIGITS, False)
        )
    if not scale.is_identified:
        columns.append(Column(WHY, [scale.reasons[at] for at in order], None, False))
    return table_of("scale", f"All {found.what}s, the strongest first.", columns)


def _scale_columns(
    scale: Scale, drawn: ScaleIntervals | None, order: Sequence[int], which: str = ""
) -> list[Column]:
    """Return the columns of chance, rank and strength; `which` begins their names."""
    chance, strength, places = chance_estimates(scale, drawn), strength_estimates(scale, drawn), scale.places
    ranks, name = [f"{places.get(at)}" for at in order], capitalized(f"{which}rank")
    ends: list[Column] = []
    if drawn:
        rank_texts = [ranks_of(drawn, at) for at in order]
        ranks = [rank if rank == to else f"{rank} ({to})" for rank, to in zip(ranks, rank_texts, strict=True)]
        for end, ranked in (("from", drawn.rank_low[order]), ("to", drawn.rank_high[order])):
            ends.append(Column(f"{name} {end}", np.where(ranked > 0, ranked, nan), count, False))
    return [
        *estimate_columns(capitalized(f"{which}chance"), [chance[at] for at in order], PERCENT_ONE_DIGIT),
        Column(name, [places.get(at, nan) for at in order], ranks),
        *ends,
        *estimate_columns(
            capitalized(f"{which}strength"),
            [strength[at] for at in order],
            THREE_DIGITS,
            at_first_sight=False,
        ),
    ]


def pairs_table(found: SystemsOnScale, spec: BootstrapSpec) -> Table:
    pairs, differ = found.pairs, {None: "", True: "yes", False: "no"}
    why = ["" if each.compared else f"never compared with {each.second}" for each in pairs]
    columns = [
        Column("First", [each.first for each in pairs]),
        Column("Second", [each.second for each in pairs]),
        Column("Comparisons", [each.compared for each in pairs], count),
        Column("Share of the first", [each.share for each in pairs], PERCENT_ONE_DIGIT),
        Column("Expected", [each.expected for each in pairs], PERCENT_ONE_DIGIT, False),
        Column("Residual", [each.residual for each in pairs], decimal, False),
        *estimate_columns(
            "Difference", [each.difference for each in pairs], THREE_DIGITS, at_first_sight=False
        ),
        Column("Adjusted p", [each.p for each in pairs], p_value, False),
        Column("Differ", [differ[each.differs] for each in pairs]),
        Column(WHY, why, None, False),
    ]
    caption = f"All pairs of systems; p and {100 * spec.level:g}% CI are adjusted for all pairs."
    return table_of("scale-pairs", caption, columns)


def style_table(style: StyleEffects) -> Table:
    scale, order, plain = style.adjusted, style.adjusted.order.tolist(), style.plain.places
    columns = [
        Column("System", scale.systems[order]),
        *_scale_columns(scale, usable(style.intervals), order, "adjusted "),
        Column("Rank without", [plain.get(at, nan) for at in order], count),
        Column("Comparisons", style.plain.comparisons[order], count, False),
    ]
    return table_of("style", "All systems adjusted for style, and their rank without adjustment.", columns)


def effects_table(style: StyleEffects) -> Table:
    columns = [
        Column("Style", list(style.names)),
        *estimate_columns("Wins with twice as much", style.twice, PERCENT_ONE_DIGIT),
        *estimate_columns("Effect", style.effect, THREE_DIGITS, at_first_sight=False),
        Column("p", style.p, p_value),
        Column("Comparisons", [each.n for each in style.effect], count),
    ]
    return table_of("style-effects", "Effect of each number of the outputs.", columns)


def cluster_of(scale: Scale, drawn: ScaleIntervals | None, at: int) -> str:
    """Return the cluster of a system, or why it has no place on the scale."""
    if scale.position[at] != ON:
        return _OFF.get(int(scale.position[at]), "not connected")
    return str(drawn.cluster[at]) if drawn and drawn.cluster[at] else DASH


def scale_remarks(found: SystemsOnScale, used: Note | None = None) -> Iterator[Note | Warning]:
    """Yield which systems have no place and why, which votes were used, and how well one scale fits."""
    votes, scale, drawn, fit = found.votes, found.scale, found.intervals, found.fit
    if votes.self_comparisons:
        rows = counted(votes.self_comparisons, "row")
        yield Warning(("{rows} compare a system with itself and are ignored.", {"rows": rows}))
    without: dict[str, list[str]] = {}
    for at in scale.order.tolist():
        if scale.reasons[at]:
            without.setdefault(scale.reasons[at], []).append(str(scale.systems[at]))
    for reason, who in without.items():
        yield Warning(("No strength for {who}: {reason}.", {"who": listed(who), "reason": reason}))
    if drawn and drawn.reason:
        yield Warning(("No intervals: {reason}.", {"reason": drawn.reason}))
    yield used or _votes_used(found)
    test = f"chi-square {decimal(fit.statistic, 1)}, {count(fit.degrees)} degrees of freedom, divided by "
    test += f"{decimal(fit.inflation)} because votes are not independent, {p_phrase(fit.p)}"
    is_tested = used is None  # the pairs of a ranking are not separate results
    if is_tested and fit.p < 0.05:
        text = "One scale does not fit the results of the pairs: {test}. See their residuals."
        yield Warning((text, {"test": test}))
    elif is_tested and fit.p >= 0.05:
        yield Note(("One scale fits the results of the pairs: {test}.", {"test": test}))
    elif is_tested and len(scale.places) > 2:
        yield Note(("The fit of one scale is not tested: {why}.", {"why": fit.reason}))


def _votes_used(found: SystemsOnScale) -> Note:
    """Return which votes were used, and how ties count."""
    votes = found.votes
    ties = int((votes.comparisons.outcome == TIE).sum())
    used = "{votes} on {s} systems" + (", {ties}: a tie is half a win for either side." if ties else ".")
    values = {
        "votes": counted(len(votes.comparisons), "vote"),
        "s": count(len(votes.comparisons.systems)),
        "ties": counted(ties, "tie"),
        "forced": listed(list(votes.forced), 3),
    }
    return Note((used + (" {forced} offered no tie." if votes.forced and ties else ""), values))


def style_remarks(style: StyleEffects) -> Iterator[Note | Warning]:
    """Yield what could not enter, why there are no intervals, and what adjustment does not say."""
    if style.left_out:
        values = {"n": count(style.left_out), "all": counted(len(style.known), "comparison")}
        yield Warning(("{n} of {all} lack a number of an output and are ignored here.", values))
    if style.reason:
        return
    if style.intervals.reason:
        yield Warning(("No intervals with style: {reason}.", {"reason": style.intervals.reason}))
    text = "Adjusting for style is not fairer by default: a system that writes more for good reasons loses by it."
    yield Note((text, {}))
