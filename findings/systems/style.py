"""The systems with style taken out: whether length and the like are preferred, and who comes first without that."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from analysis.systems.bradley_terry import ON, Scale
from analysis.systems.covariates import StyleEffects
from analysis.systems.scale_intervals import ScaleIntervals, chances, strengths
from analysis.values.estimate import BootstrapSpec
from features.blocks import Finding
from features.plotting.numbers import count, decimal, p_phrase, p_value, percent, share
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence, counted, listed
from findings.systems.scale import between, ends, percents, rank_of

ASIDE = ", style aside"
NONE_CHOSEN: Sentence = (
    "Choose what differs between two outputs, such as their length: strengths are then those of outputs that are alike "
    "in it.",
    {},
)
TWICE = "Twice as much wins"
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Comparisons", "Place", f"Place{ASIDE}"), count),
    **dict.fromkeys(("Chance", f"Chance{ASIDE}", TWICE), _TENTH),
    **dict.fromkeys(("Strength", f"Strength{ASIDE}", "Effect"), _EXACT),
    "p": p_value,
}


def finding(style: StyleEffects) -> Finding:
    """Who comes first without style's help, and whether what was first chosen helps."""
    what = listed([_plain(name) for name in style.names])
    if style.reason:
        return not_enough_data(
            "The effect of {what} <b>cannot be taken out</b>: {reason}.",
            {"what": what, "reason": style.reason},
        )
    places, aside = _places(style.plain), _places(style.adjusted)
    moved = sum(places[at] != place for at, place in aside.items())
    before, after = (next(iter(each)) for each in (places, aside))
    systems = style.adjusted.systems
    still = "still comes first" if before == after else "comes first, and no longer {before}"
    lowest = int(style.intervals.rank_high[after])
    if lowest:
        still += ", surely above all others" if lowest == 1 else ", though not surely (it may rank {lowest})"
    told, values = of_effect(style, 0)
    return clear_if(
        lowest == 1,
        "With the effect of {what} taken out, <b>{after}</b> " + still + "; {moved} of {k} systems "
        f"change{'s' if moved == 1 else ''} places. " + told,
        {
            **values,
            "what": what,
            "after": systems[after],
            "before": systems[before],
            "lowest": lowest,
            "moved": count(moved) if moved else "none",
            "k": count(len(aside)),
        },
    )


def of_effect(style: StyleEffects, at: int) -> Sentence:
    """Whether more of something is preferred."""
    twice = style.twice[at]
    ends_told = f" ({percent(twice)})" if twice.low == twice.low else ""
    values: dict[str, object] = {
        "style": _plain(style.names[at]),
        "wins": share(twice.value),
        "between": ends_told,
        "p": p_phrase(style.p[at]),
    }
    wins = (
        "wins <b>{wins}</b>{between} of the votes that name a winner, against one of an equally strong system"
    )
    if not style.p[at] < 0.05:
        known = "; {p}" if style.p[at] == style.p[at] else ""
        return (
            "Whether more {style} helps <b>cannot be told</b>: with twice as much an output "
            + wins
            + known
            + ".",
            values,
        )
    return "With twice the {style}, an output " + wins + " ({p}).", values


def seen_first(spec: BootstrapSpec) -> tuple[str, ...]:
    """The columns of both tables that are seen first."""
    ends = f", {share(spec.level)}"
    chances_of_both = (f"{name}{end}" for name in ("Chance", f"Chance{ASIDE}") for end in ("", ends))
    of_systems = "System", "Place", f"Place{ASIDE}", *chances_of_both, "Rank", f"Rank{ASIDE}"
    return *of_systems, "Style", TWICE, f"{TWICE}{ends}", "p"


def systems_table(style: StyleEffects, plain: ScaleIntervals, spec: BootstrapSpec) -> Shown:
    """One row per system, the strongest with style taken out first: its place, chance, rank and strength as it is and
    with style aside."""
    level, order = share(spec.level), style.adjusted.order.tolist()
    columns: dict[str, Any] = {"System": style.adjusted.systems[order]}
    for suffix, scale, drawn in (("", style.plain, plain), (ASIDE, style.adjusted, style.intervals)):
        chance, strength, places = chances(scale, drawn), strengths(scale, drawn), _places(scale)
        columns |= {
            f"Place{suffix}": [places.get(at, float("nan")) for at in order],
            f"Chance{suffix}": scale.chance[order],
            f"Chance{suffix}, {level}": [between(chance[at], drawn, percents) for at in order],
            f"Rank{suffix}": [rank_of(scale, drawn, at) for at in order],
            f"Strength{suffix}": scale.strength[order],
            f"Strength{suffix}, {level}": [between(strength[at], drawn, ends) for at in order],
        }
    columns["Comparisons"] = style.plain.comparisons[order]
    return pd.DataFrame(columns), _WRITTEN


def effects_table(style: StyleEffects, spec: BootstrapSpec) -> Shown:
    """One row for each thing told of both outputs: what twice as much wins, and its effect."""
    level = share(spec.level)
    columns = {
        "Style": list(style.names),
        TWICE: [each.value for each in style.twice],
        f"{TWICE}, {level}": [percents(each) if each.low == each.low else "–" for each in style.twice],
        "Effect": [each.value for each in style.effect],
        f"Effect, {level}": [ends(each) if each.low == each.low else "–" for each in style.effect],
        "p": style.p,
        "Comparisons": [each.n for each in style.effect],
    }
    return pd.DataFrame(columns), _WRITTEN


def notes(style: StyleEffects) -> list[Sentence]:
    """Whether the others that were chosen help, and what taking out does not say."""
    return [
        *(of_effect(style, at) for at in range(1, len(style.names))),
        (
            "This is who is preferred among outputs that are alike in style, which is no fairer in itself: a system "
            "that writes more for good reasons loses what that brought it.",
            {},
        ),
    ]


def remarks(style: StyleEffects) -> list[Sentence]:
    """What could not enter, and why there are no intervals."""
    told: list[Sentence] = []
    if style.left_out:
        told.append(
            (
                "{n} of {all} lack a number of an output and count on neither scale of this table.",
                {"n": count(style.left_out), "all": counted(len(style.known), "comparison")},
            )
        )
    if style.intervals.reason and not style.reason:
        told.append(("No intervals: {reason}.", {"reason": style.intervals.reason}))
    return told


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _places(scale: Scale) -> dict[int, int]:
    """The place of each system on the scale, the strongest first."""
    on = [at for at in scale.order.tolist() if scale.position[at] == ON]
    return {at: place for place, at in enumerate(on, start=1)}
