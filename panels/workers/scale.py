"""More than two systems: one scale from all pairs, who cannot be told apart, and who beat whom."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers.bradley_terry import (
    ABOVE,
    BELOW,
    ON,
    GoodnessOfFit,
    PairedComparisons,
    Scale,
    circular_triads,
    fit_comparisons,
    goodness_of_fit,
)
from analysis.workers.polls import Poll
from analysis.workers.scale_intervals import ScaleIntervals, chances, intervals, strengths
from charts.parts.numbers import count, decimal, p_phrase, p_value, share
from charts.workers.scale import TITLES, Axis, scale_dots, win_matrix
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of, result
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.workers.polls import is_pairs, polls

LEVELS = {"95 %": 0.95, "99 %": 0.99, "90 %": 0.9}
AXES: dict[str, Axis] = {TITLES["chance"]: "chance", TITLES["strength"]: "strength"}
NO_DESIGN = "no design named"
PENDING = "…"
_OFF = {ABOVE: "above the scale", BELOW: "below the scale"}
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)
WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Comparisons", "Won", "Tied", "Lost"), count),
    **dict.fromkeys(("Share won", "Chance", "Share of the first", "Expected"), _TENTH),
    **dict.fromkeys(("Strength", "Difference"), _EXACT),
    "Residual": decimal,
    "p, all pairs": p_value,
}


@dataclass(frozen=True, eq=False)
class Compared:
    """All comparisons of the chosen designs; `item` and `rater` (n,) are the data set's codes.

    `forced` names the designs that offered no tie; `itself` counts rows in which a system met itself.
    """

    comparisons: PairedComparisons
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    forced: tuple[str, ...]
    itself: int


def show(study: Study) -> None:
    """Finding, the scale, its table, the pairs, the matrix of wins and what to know of them."""
    if not study.holds_choices or not is_pairs(study):
        say(
            "One scale needs comparisons of pairs: columns <b>option_a</b> and <b>option_b</b> with the two systems "
            "that were shown, and <b>choice</b> with the one that was chosen."
        )
        return
    finding = st.empty()
    designs, on, spec = _controls(study)
    data = compared_in(study, designs)
    scale = result(_key(study, designs, "scale"), lambda: fit_comparisons(data.comparisons))
    fit = result(_key(study, designs, "fit of the scale"), lambda: goodness_of_fit(scale))
    picture = st.empty()
    _say(finding, scale, None, spec)
    _draw(picture, scale, None, on)
    let_it_be_drawn(f"scale {study.key} {study.candidate} {designs} {on}")
    drawn = long_result(
        _key(study, designs, "intervals of the scale", spec),
        "Intervals of the scale",
        lambda on_progress: intervals(
            data.comparisons,
            data.item,
            data.rater if study.raters_are_persons else None,
            spec,
            on_progress,
        ),
    )
    if drawn is not None:
        _say(finding, scale, drawn, spec)
        _draw(picture, scale, drawn, on)
    table = scale_table(scale, drawn, spec)
    show_table(table, WRITTEN, alt="All systems from the strongest to the weakest", most=12)
    for template, values in notes(data, scale, drawn, fit):
        note(template, **values)
    for template, values in remarks(data, scale, drawn):
        warn(template, **values)
    downloads("scale", lambda: table, lambda: scale_dots(scale, look(), drawn, on))
    st.subheader("Who beats whom")
    draw(
        st,
        win_matrix(scale, look(), fit),
        key="win matrix",
        alt="Share of comparisons that the row's system won against the column's, ties counting half",
    )
    pairs = pair_table(scale, drawn, fit, spec)
    show_table(pairs, WRITTEN, alt="All pairs of systems that were compared", most=10)
    downloads("pairs", lambda: pairs, lambda: win_matrix(scale, look(), fit))


def _controls(study: Study) -> tuple[tuple[str, ...], Axis, BootstrapSpec]:
    """The designs to use, the axis, and how intervals are drawn."""
    there = list(dict.fromkeys(design_of(poll) for poll in polls(study)))
    chosen: list[str] = []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(there) > 1:
            chosen = st.multiselect(
                "Designs",
                there,
                key="scale_designs",
                bind="query-params",
                placeholder="All designs",
                width=320,
                help="Comparisons with and without a tie on offer share one scale. With none chosen, all count.",
            )
        on = st.selectbox("Scale", list(AXES), key="scale_axis", bind="query-params", width=320)
        with st.popover("More"):
            level = st.selectbox(
                "Level",
                list(LEVELS),
                key="scale_level",
                bind="query-params",
                help="Of the intervals, and of telling systems apart: the risk of parting any two that are alike is "
                "what it leaves over.",
            )
            draws = draws_control("scale_draws")
            seed = seed_control("scale_seed")
    designs = tuple(design for design in there if design in (chosen or there))
    return designs, AXES[on], BootstrapSpec(draws, seed, LEVELS[level])


def design_of(poll: Poll) -> str:
    return poll.design or NO_DESIGN


def compared_in(study: Study, designs: Sequence[str]) -> Compared:
    """The comparisons of these designs, shelved."""
    return result(_key(study, designs, "compared"), lambda: _compared(polls(study), designs))


def _compared(there: Sequence[Poll], designs: Sequence[str]) -> Compared:
    chosen = [poll for poll in there if design_of(poll) in designs]
    free = {design_of(poll) for poll in there if len(poll.options) > 2}
    itself = sum(len(poll.votes) for poll in chosen if poll.first == poll.second)
    used = [poll for poll in chosen if poll.first != poll.second]
    systems = sorted({system for poll in used for system in (poll.first, poll.second)})
    lengths = [len(poll.votes) for poll in used]

    def by_vote(values: list[Any], kind: type) -> NDArray[Any]:
        return np.repeat(np.array(values, dtype=kind), lengths)

    def together(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    comparisons = PairedComparisons(
        by_vote([systems.index(poll.first) for poll in used], np.int64),
        by_vote([systems.index(poll.second) for poll in used], np.int64),
        np.minimum(together([poll.votes.choice for poll in used]), 2),
        by_vote([design_of(poll) in free for poll in used], np.bool_),
        np.array(systems, dtype=np.str_),
    )
    return Compared(
        comparisons,
        together([poll.item_code[poll.votes.item] for poll in used]),
        together([poll.rater_code[poll.votes.rater] for poll in used]),
        tuple(design for design in designs if design not in free),
        itself,
    )


def _key(study: Study, designs: Sequence[str], what: str, *spec: object) -> str:
    return key_of(study.dataset, what, study.candidate, tuple(designs), *spec)


def _say(place: Any, scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec) -> None:
    with place:
        template, values = finding_of(scale, drawn, spec)
        say(template, **values)


def _draw(place: Any, scale: Scale, drawn: ScaleIntervals | None, on: Axis) -> None:
    draw(
        place,
        scale_dots(scale, look(), drawn, on),
        key=f"scale {'closed' if drawn is None else 'with intervals'}",
        alt="All systems on one scale, the strongest on top, with intervals; lines part clusters",
    )


def finding_of(scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec) -> Sentence:
    """Who leads, and who cannot be told apart."""
    order = scale.order.tolist()
    on = [at for at in order if scale.position[at] == ON]
    above = [str(scale.systems[at]) for at in order if scale.position[at] == ABOVE]
    if not on:
        return "The systems have no common scale: {reason}.", {"reason": _only(scale.reasons)}
    chance = chances(scale, drawn)[on[0]]
    values: dict[str, object] = {
        "first": scale.systems[on[0]],
        "chance": share(chance.value),
        "between": f" ({_between(chance, drawn, percents)})"
        if drawn is not None and not drawn.reason
        else "",
        "above": listed(above),
        "k": len(on),
        "level": share(spec.level),
    }
    leads = (
        "<b>{first}</b> leads, with a chance of <b>{chance}</b>{between} to win against an average system."
    )
    if above:
        leads = "<b>{above}</b> was never beaten and lies above the scale; on it, " + leads
    if drawn is None or drawn.reason:
        return leads, values
    members = [
        [str(scale.systems[at]) for at in on if drawn.cluster[at] == cluster]
        for cluster in range(1, int(drawn.cluster.max()) + 1)
    ]
    values |= {
        "clusters": len(members),
        "f": len(members[0]),
        "firsts": listed(members[0]),
    }
    if len(members) == 1:
        return (
            leads
            + " No line between stronger and weaker is sure at {level}: the <b>{k} systems</b> form one "
            "cluster.",
            values,
        )
    alone = (
        " it is surely above all others."
        if len(members[0]) == 1
        else " the first {f} ({firsts}) cannot all be told apart."
    )
    return leads + " The {k} systems fall into <b>{clusters} clusters</b> at {level}:" + alone, values


def _only(reasons: Sequence[str]) -> str:
    return "; ".join(sorted(set(reasons) - {""})) or "nothing was compared"


def scale_table(scale: Scale, drawn: ScaleIntervals | None, spec: BootstrapSpec) -> pd.DataFrame:
    """One row per system, the strongest first."""
    level = share(spec.level)
    strength, chance = strengths(scale, drawn), chances(scale, drawn)
    order = scale.order.tolist()
    met = np.where(scale.comparisons > 0, scale.comparisons, np.nan)
    columns: dict[str, Any] = {
        "System": scale.systems[order],
        "Comparisons": scale.comparisons[order],
        "Won": scale.won[order],
        "Tied": scale.tied[order],
        "Lost": scale.lost[order],
        "Share won": ((scale.won + scale.tied / 2) / met)[order],
        "Chance": scale.chance[order],
        f"Chance, {level}": [_between(chance[at], drawn, percents) for at in order],
        "Strength": scale.strength[order],
        f"Strength, {level}": [_between(strength[at], drawn, ends) for at in order],
        "Rank": [_rank(scale, drawn, at) for at in order],
        "Cluster": [_cluster(scale, drawn, at) for at in order],
    }
    if not scale.identified:
        columns["Why"] = [scale.reasons[at] for at in order]
    return pd.DataFrame(columns)


def _between(estimate: Estimate, drawn: ScaleIntervals | None, written: Callable[[Estimate], str]) -> str:
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


def _rank(scale: Scale, drawn: ScaleIntervals | None, at: int) -> str:
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


def pair_table(
    scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit, spec: BootstrapSpec
) -> pd.DataFrame:
    """One row per pair that was compared, or that the scale compares, the stronger system first."""
    order = scale.order.tolist()
    rows = []
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            n = scale.compared[i, j]
            both = scale.position[i] == scale.position[j] == ON
            if n == 0 and not both:
                continue
            low, high = (
                (drawn.difference_low[i, j], drawn.difference_high[i, j]) if drawn else (np.nan, np.nan)
            )
            difference = Estimate(scale.strength[i] - scale.strength[j], low, high)
            points = scale.wins[i, j] + scale.ties[i, j] / 2
            rows.append(
                {
                    "First": str(scale.systems[i]),
                    "Second": str(scale.systems[j]),
                    "Comparisons": n,
                    "Share of the first": points / n if n else np.nan,
                    "Expected": fit.expected[i, j] / n if n else np.nan,
                    "Residual": fit.residual[i, j],
                    "Difference": difference.value,
                    f"Difference, {share(spec.level)}": _between(difference, drawn, ends),
                    "p, all pairs": drawn.p[i, j] if drawn else np.nan,
                    "Told apart": "" if drawn is None or not both else _told_apart(drawn, i, j),
                }
            )
    return pd.DataFrame(rows)


def _told_apart(drawn: ScaleIntervals, i: int, j: int) -> str:
    return "yes" if drawn.above[i, j] or drawn.above[j, i] else "no"


def notes(data: Compared, scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit) -> list[Sentence]:
    """What the figures rest on, and how well one scale fits."""
    ties = scale.ties.sum() / 2
    told: list[Sentence] = [
        (
            "{n} votes on pairs of {s} systems, {ties} of them ties: 'both', 'neither' and 'tie' all count as ties, "
            "half for either side."
            + (
                " No tie was on offer under {forced}; nothing there is taken for one."
                if data.forced and ties
                else ""
            ),
            {
                "n": count(len(data.comparisons)),
                "s": count(len(scale.systems)),
                "ties": count(ties),
                "forced": listed(list(data.forced), 3),
            },
        )
    ]
    if len(scale.systems) == 2:
        told.append(
            (
                "With two systems the scale says no more than their shares; <b>Which system wins</b> says more, with "
                "workers weighed by their reliability.",
                {},
            )
        )
    if drawn is not None and not drawn.reason:
        told.append(
            (
                "Intervals, ranks and clusters: {draws} draws of {what}, the scale fitted again in each. Systems are "
                "told apart for all pairs at once.",
                {"draws": count(drawn.draws), "what": drawn.resampled.replace("raters", "workers")},
            )
        )
    if fit.p == fit.p:
        told.append(
            (
                "One scale "
                + ("fits" if fit.p >= 0.05 else "does not fit")
                + " the pairs' own results (chi-square "
                "{statistic}, {degrees} degrees of freedom, {p})"
                + (
                    "."
                    if fit.p >= 0.05
                    else ": look at the residuals below. Votes on one item resemble each other, which alone can make p "
                    "small."
                ),
                {
                    "statistic": decimal(fit.statistic, 1),
                    "degrees": count(fit.degrees),
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


def remarks(data: Compared, scale: Scale, drawn: ScaleIntervals | None) -> list[Sentence]:
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

**Who has no strength.** A system that won everything, or that no chain of wins and ties joins to the others
in both directions, would fit ever better the further away it is put (Ford 1957). It is named, and the largest
part that holds together keeps its scale. With ties, some round trip must also hold more wins than ties.

**Intervals** draw items and workers with replacement and fit the whole scale again in each draw. Where a system
wins everything in a draw, its distance is infinite there; where it meets nobody, the draw counts against both
ends. If this happens too often the interval is open.

**Told apart, ranks, clusters.** For each pair, the expected share of one against the other (ties set aside, on the
arcsine scale) is held against one half, for all pairs at once: the largest deviation of any pair in the draws,
in standard errors, decides, so that the risk of parting *any* two systems that are alike is what the level
leaves over. Rank: one plus the systems surely above, to the number not surely below. A new cluster begins where
everyone above is surely above everyone below; WMT's clusters are built alike, without the adjustment for many
pairs.

**Does one scale fit?** Pearson's chi-square of wins and ties against what the scale expects. It takes votes as
independent. *Residual*: observed less expected share, in standard deviations.

Sources: Bradley and Terry 1952; Davidson 1970; Ford 1957; Owen 2007 (pigeonhole bootstrap); Westfall and Young 1993
(all pairs at once); Bojar et al. 2016 (clusters of WMT). Not in Habibi and Popescu-Belis 2012, who compare two systems
at a time.
"""
