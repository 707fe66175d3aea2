"""All systems on one scale: who leads, who cannot be told apart, and who beat whom."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from analysis.systems.bradley_terry import ABOVE, BELOW, ON, Scale
from analysis.systems.goodness_of_fit import GoodnessOfFit, circular_triads
from analysis.systems.paired_votes import PairedVotes, clusters, pairs, shares_won
from analysis.systems.scale_intervals import ScaleIntervals, chances, strengths
from analysis.systems.scale_position import PositionEffect, largest_shift, same_order
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval, p_phrase, p_value, share
from features.tables import WHY, Shown
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import Sentence, counted, listed

PENDING = "…"
FEWEST_COMPARISONS = 10
"""Comparisons of a system below which it is not said to be the strongest."""
WITHOUT_POSITION = "Strength, position aside"
_OFF = {ABOVE: "above the scale", BELOW: "below the scale"}
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Comparisons", "Won", "Tied", "Lost"), count),
    **dict.fromkeys(("Share won", "Chance", "Share of the first", "Expected"), _TENTH),
    **dict.fromkeys(("Strength", "Difference", WITHOUT_POSITION), _EXACT),
    "Residual": decimal,
    "p, all pairs": p_value,
}


def finding(scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec) -> Finding:
    """Who leads, and who cannot be told apart."""
    order = scale.order.tolist()
    on = [at for at in order if scale.position[at] == ON]
    above = [str(scale.systems[at]) for at in order if scale.position[at] == ABOVE]
    if not on:
        return not_enough_data(
            "The systems have no common scale: {reason}.", {"reason": _only(scale.reasons)}
        )
    chance = chances(scale, drawn)[on[0]]
    values: dict[str, object] = {
        "first": scale.systems[on[0]],
        "chance": share(chance.value),
        "between": f" ({between(chance, drawn, percents)})" if drawn is not None and not drawn.reason else "",
        "above": listed(above),
        "k": len(on),
        "level": share(spec.level),
    }
    beyond = "<b>{above}</b> was never beaten and lies above the scale; on it, " if above else ""
    met = int(scale.comparisons[on[0]])
    if met < FEWEST_COMPARISONS:
        values |= {"met": counted(met, "comparison"), "least": FEWEST_COMPARISONS}
        return not_enough_data(
            beyond
            + ("w" if above else "W")
            + "hich system is strongest <b>cannot be told</b>: {first}, which comes "
            "first, has {met}, and {least} or more would be needed.",
            values,
        )
    against = ", with a chance of <b>{chance}</b>{between} to win against an average system"
    if drawn is None:
        return uncertain(beyond + "<b>{first}</b> comes first" + against + ".", values)
    if drawn.reason:
        values |= {"reason": drawn.reason}
        return uncertain(
            beyond + "{first} comes first" + against + "; how surely <b>cannot be told</b>: {reason}.",
            values,
        )
    members = clusters(scale, drawn)
    values |= {"clusters": len(members), "f": len(members[0]), "firsts": listed(members[0])}
    k = len(on)
    values |= {"apart": count(drawn.above.sum()), "pairs": counted(k * (k - 1) // 2, "pair")}
    apart = " <b>{apart}</b> of {pairs} are told apart."
    if len(members) == 1:
        return uncertain(
            beyond
            + "{first} comes first"
            + against
            + ", but no line between stronger and weaker is sure at {level}: the <b>{k} systems</b> form one cluster."
            + apart,
            values,
        )
    alone = (
        " it is surely above all others."
        if len(members[0]) == 1
        else " the first {f} ({firsts}) cannot all be told apart."
    )
    first = "<b>{first}</b> leads" if len(members[0]) == 1 else "{first} comes first"
    return clear_if(
        len(members[0]) == 1,
        beyond
        + first
        + against
        + ". The {k} systems fall into <b>{clusters} clusters</b> at {level}:"
        + alone
        + apart,
        values,
    )


def _only(reasons: Sequence[str]) -> str:
    return "; ".join(sorted(set(reasons) - {""})) or "nothing was compared"


def systems_table(
    scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec, effect: PositionEffect | None = None
) -> Shown:
    """One row per system, the strongest first."""
    level = share(spec.level)
    strength, chance = strengths(scale, drawn), chances(scale, drawn)
    order = scale.order.tolist()
    columns: dict[str, Any] = {
        "System": scale.systems[order],
        "Comparisons": scale.comparisons[order],
        "Won": scale.won[order],
        "Tied": scale.tied[order],
        "Lost": scale.lost[order],
        "Share won": shares_won(scale)[order],
        "Chance": scale.chance[order],
        f"Chance, {level}": [between(chance[at], drawn, percents) for at in order],
        "Strength": scale.strength[order],
        f"Strength, {level}": [between(strength[at], drawn, ends) for at in order],
        "Rank": [rank_of(scale, drawn, at) for at in order],
        "Cluster": [_cluster(scale, drawn, at) for at in order],
    }
    if effect is not None and effect.factor.defined:
        columns[WITHOUT_POSITION] = effect.strength[order]
    if not scale.identified:
        columns["Why"] = [scale.reasons[at] for at in order]
    return pd.DataFrame(columns), _WRITTEN


def pairs_table(scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit, spec: BootstrapSpec) -> Shown:
    """One row per pair, the stronger system first."""
    rows = [
        {
            "First": pair.first,
            "Second": pair.second,
            "Comparisons": pair.compared,
            "Share of the first": pair.share,
            "Expected": pair.expected,
            "Residual": pair.residual,
            "Difference": pair.difference.value,
            f"Difference, {share(spec.level)}": between(pair.difference, drawn, ends),
            "p, all pairs": pair.p,
            "Told apart": {None: "", True: "yes", False: "no"}[pair.apart],
            WHY: "" if pair.compared else f"never compared with {pair.second}",
        }
        for pair in pairs(scale, drawn, fit)
    ]
    return pd.DataFrame(rows), _WRITTEN


def between(estimate: Estimate, drawn: ScaleIntervals | None, written: Callable[[Estimate], str]) -> str:
    """An interval in a cell of a table."""
    if not estimate.defined or (drawn is not None and drawn.reason):
        return "–"
    return PENDING if drawn is None else written(estimate)


def percents(estimate: Estimate) -> str:
    """An interval of a chance, of which an end may be open.

    >>> percents(Estimate(0.6, 0.5, 0.7123)), percents(Estimate(0.6, 0.5, 1.0)), percents(Estimate(0.6, 0.0, 1.0))
    ('50.0 to 71.2 %', 'above 50.0 %', 'open')
    """
    low, high = (decimal(100 * end, 1) for end in (estimate.low, estimate.high))
    if estimate.low > 0 and estimate.high < 1:
        return f"{low} to {high} %"
    if estimate.low > 0:
        return f"above {low} %"
    return f"below {high} %" if estimate.high < 1 else "open"


def ends(estimate: Estimate) -> str:
    """An interval of which an end may be open.

    >>> ends(Estimate(1.0, 0.5)), ends(Estimate(1.0, 0.5, 2.0)), ends(Estimate(1.0))
    ('above 0.500', '0.500 to 2.000', 'open')
    """
    low, high = estimate.low == estimate.low, estimate.high == estimate.high
    if low and high:
        return f"{_EXACT(estimate.low)} to {_EXACT(estimate.high)}"
    if low:
        return f"above {_EXACT(estimate.low)}"
    return f"below {_EXACT(estimate.high)}" if high else "open"


def rank_of(scale: Scale, drawn: ScaleIntervals | None, at: int) -> str:
    """The ranks that a system may have, in a cell of a table."""
    if scale.position[at] != ON:
        return "–"
    if drawn is None:
        return PENDING
    low, high = int(drawn.rank_low[at]), int(drawn.rank_high[at])
    return "–" if low == 0 else f"{low}" if low == high else f"{low} to {high}"


def _cluster(scale: Scale, drawn: ScaleIntervals | None, at: int) -> str:
    if scale.position[at] != ON:
        return _OFF.get(int(scale.position[at]), "apart")
    if drawn is None:
        return PENDING
    return str(drawn.cluster[at] or "–")


def notes(
    data: PairedVotes, scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit
) -> list[Sentence]:
    """What the figures rest on, and how well one scale fits."""
    ties = scale.ties.sum() / 2
    told: list[Sentence] = [
        (
            "{votes} on pairs of {s} systems, {ties} of them {a_tie}: 'both', 'neither' and 'tie' all count as ties, "
            "half for either side."
            + (
                " No tie was on offer under {forced}; nothing there is taken for one."
                if data.forced and ties
                else ""
            ),
            {
                "votes": counted(len(data.comparisons), "vote"),
                "s": count(len(scale.systems)),
                "ties": count(ties),
                "a_tie": "a tie" if ties == 1 else "ties",
                "forced": listed(list(data.forced), 3),
            },
        )
    ]
    if drawn is not None and not drawn.reason:
        told.append(
            (
                "Intervals, ranks and clusters: variance of the fit, clustered by {what}. Systems are told apart for "
                "all pairs at once.",
                {"what": drawn.resampled.replace("raters", "workers")},
            )
        )
    if fit.p == fit.p:
        told.append(
            (
                "One scale "
                + ("fits" if fit.p >= 0.05 else "does not fit")
                + " the pairs' own results (chi-square "
                "{statistic}, {degrees} degrees of freedom, by chance {times} times that of independent votes; {p})"
                + ("." if fit.p >= 0.05 else ": look at the residuals below."),
                {
                    "statistic": decimal(fit.statistic, 1),
                    "degrees": count(fit.degrees),
                    "times": decimal(fit.inflated),
                    "p": p_phrase(fit.p),
                },
            )
        )
    elif scale.position.tolist().count(ON) > 2:
        told.append(
            ("Whether one scale fits the pairs' own results is not tested: {why}.", {"why": fit.reason})
        )
    circular, triples = circular_triads(scale)
    if triples:
        told.append(
            (
                "{circular} of {triples} triples of systems beat each other in a circle.",
                {"circular": count(circular) if circular else "None", "triples": count(triples)},
            )
        )
    return told


def of_position(scale: Scale, effect: PositionEffect) -> Sentence:
    """Whether standing first helps, and whether the order hangs on it."""
    factor = effect.factor
    if not factor.defined:
        return "Whether standing first helps cannot be told: {reason}.", {"reason": factor.reason}
    values: dict[str, object] = {
        "factor": decimal(factor.value),
        "between": interval(factor),
        "p": p_phrase(effect.p),
        "n": count(factor.n),
        "most": decimal(largest_shift(scale, effect)),
    }
    if not effect.p < 0.05:
        return (
            "Standing first: no effect can be told over {n} comparisons (odds times {factor}, {between}; {p}).",
            values,
        )
    helps = "helps" if factor.value > 1 else "hurts"
    order = "the order stays" if same_order(scale, effect) else "the order changes"
    return (
        f"Standing first <b>{helps}</b>: it multiplies a system's odds by <b>{{factor}}</b> ({{between}}; {{p}}; {{n}} "
        f"comparisons). With the position set aside {order}, and strengths move by {{most}} at most.",
        values,
    )


def remarks(data: PairedVotes, scale: Scale, drawn: ScaleIntervals | None) -> list[Sentence]:
    """Who has no place on the scale, why, and what to do; what cannot be drawn."""
    told: list[Sentence] = []
    if data.itself:
        told.append(("{n} rows compare a system with itself; they are left out.", {"n": count(data.itself)}))
    by_reason: dict[tuple[str, bool], list[str]] = {}
    for at in scale.order.tolist():
        if scale.reasons[at]:
            key = scale.reasons[at], int(scale.position[at]) in _OFF
            by_reason.setdefault(key, []).append(str(scale.systems[at]))
    told += [
        (
            "No strength for {who}: {reason}. "
            + (
                "More comparisons with the systems next to it may give one."
                if next_to
                else "Comparisons with the other systems, in which either side wins at times, would join them."
            ),
            {"who": listed(who), "reason": reason},
        )
        for (reason, next_to), who in by_reason.items()
    ]
    if drawn is not None and drawn.reason and scale.position.tolist().count(ON):
        told.append(("No intervals: {reason}.", {"reason": drawn.reason}))
    elif drawn is not None and drawn.open_reason:
        told.append(
            (
                "Some intervals have an open end: {reason}. More comparisons would close them.",
                {"reason": drawn.open_reason},
            )
        )
    return told


EXPLANATION = r"""
**One scale** (Bradley-Terry with ties after Davidson). Each system has a strength $p_i$, and
$P(i \text{ beats } j) = \dfrac{p_i}{p_i + p_j + \nu\sqrt{p_i p_j}}$, with
$\nu\sqrt{p_i p_j}$ over the same sum for a tie. Strengths and $\nu$ are estimated together by maximum likelihood
from the wins and ties of all pairs. 'Both', 'neither' and 'tie' all count as ties; a comparison that offered
no tie has $\nu = 0$ and shares the strengths. *Strength* is $\ln p_i$ with mean 0; *chance* is the expected share of
wins, ties counting half, against a system of strength 0. The position in which a system was shown does not enter.

**Standing first.** The same model with a factor $g$ on the odds of the system that was shown first:
$P(i \text{ first, beats } j) = \dfrac{g p_i}{g p_i + p_j + \nu\sqrt{g p_i p_j}}$. Its interval and test come from
the sandwich variance over items and workers. *Strength, position aside* is the strength in that model. It needs pairs
that were shown in both orders.

**Style taken out.** The same model with the log odds of *i* against *j* moved by $b \dfrac{x - y}{x + y}$ for each
thing told of both outputs (of length $x$ and $y$; 0 where both are 0), as in the style control of Chatbot Arena;
*effect* is $b$ per standard deviation of that ratio around 0. An output with twice the count has a ratio of 1/3:
*twice as much wins* is the share of the votes that name a winner which it then gets against one of an equally strong
system, $1 / (1 + e^{-b/3})$. Strengths, ranks and intervals beside it are of the same comparisons. It needs outputs of
a system that differ; where length differs only as the systems do, the two cannot be told apart.

**Who has no strength.** A system that won everything, or that no chain of wins and ties joins to the others
in both directions, would fit ever better the further away it is put (Ford 1957). It is named, and the largest
part that holds together keeps its scale. With ties, some round trip must also hold more wins than ties.

**Intervals** come from the fit itself (sandwich variance): what each vote adds to the slope of the likelihood is summed
by item and by worker; the variance is *items + workers - votes of a worker on an item*, the last two never below 0
together, with Student's *t* (Satterthwaite; items and workers counted by how equal their loads are). In simulated
studies they covered the truth 92 to 98 of 100 times (docs/calibration.md); drawing items and workers covered 99.8.

**Told apart, ranks, clusters.** For each pair, the distance of the two strengths in standard errors is held against
the largest such distance of any pair that chance alone brings (multivariate *t* with the fit's own variance), so that
the risk of parting *any* two systems that are alike is at most what the level leaves over. Rank: one plus the systems
surely above, to the number not surely below. A new cluster begins where everyone above is surely above everyone below;
WMT's clusters are built alike, without the adjustment for many pairs.

**Does one scale fit?** Pearson's chi-square of wins and ties against what the scale expects. Votes on one item, and
those of one worker, resemble each other, which alone makes it larger than independent votes would: it is divided by
how much larger (the correction of Rao and Scott; with few workers it is cautious: it then finds fault with 2 to 4 of
100 scales that fit, docs/calibration.md). *Residual*: observed less expected share, in standard deviations.

Sources: Bradley and Terry 1952; Davidson 1970; Davidson and Beaver 1977 (position); Ford 1957;
Chiang et al. 2024 (style); White 1982 (sandwich); Cameron, Gelbach and Miller 2011 (two
ways of clustering); Rao and Scott 1984 (fit); Hothorn, Bretz and Westfall 2008 (all pairs at once); Bojar et al. 2016
(clusters of WMT). Not in
Habibi and Popescu-Belis 2012, who compare two systems at a time.
"""
