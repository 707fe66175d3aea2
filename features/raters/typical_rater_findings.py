"""Findings on raters who are clearly less or more consistent than the typical rater, on all measures together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, tanh
from typing import NamedTuple

import numpy as np

from analysis.assessors.typical_rater import (
    FEWEST_RATERS,
    FEWEST_UNITS,
    NamedRaters,
    TypicalComparison,
    is_screening_list,
    name_raters,
)
from analysis.values.estimate import Estimate
from features.blocks import (
    Finding,
    NextStep,
    Status,
    Text,
    confidence_interval,
    evidence,
    for_raters,
    name_of,
    not_enough_data,
)
from features.plotting.theme import NumberFormat, count, decimal, p_phrase
from features.words import counted, listed, raters_named

BELOW, ABOVE = "clearly below", "clearly above"
"""Words of a table for raters compared with the typical rater."""
TYPICAL, ADJUSTED = "Typical rater", "Adjusted p"
"""Columns of a table: the verdict of a rater, and its p."""
SCATTER = "scatter"
"""Name of the finding on raters who deviate more."""
MOST_ALSO = 3
"""Further raters that an evidence line names."""


class Statistic(NamedTuple):
    """Figure that is compared: its symbol in a sentence, and its value from the scale of the test."""

    symbol: str
    value: Callable[[float], float]
    unit: str = "item"
    units: str = "items"


CORRELATION = Statistic("r", tanh)
ALPHA = Statistic("alpha", lambda z: 1 - exp(-2 * z), "set of texts", "sets of texts")
RESIDUAL = Statistic("SD", lambda z: z**1.5)


@dataclass(frozen=True, eq=False)
class ComparedRaters:
    """Raters of one measure: their names and figures (w,), and their tests against the typical rater."""

    measure: str
    names: Sequence[str]
    figures: Sequence[Estimate]
    compared: TypicalComparison
    statistic: Statistic = CORRELATION

    @property
    def tested(self) -> list[str]:
        """Names of the raters who were tested."""
        return [self.names[at] for at in np.flatnonzero(self.compared.tested).tolist()]


Named = tuple[ComparedRaters, int]
"""A named rater on one measure, by its place there."""


def naming_finding(measures: Sequence[ComparedRaters], shown: str = "") -> Finding:
    """Return how many raters are clearly less consistent than the typical rater, on the measure `shown` or on all."""
    shown_measures = [each for each in measures if shown in ("", each.measure)]
    if (missing := _missing(shown_measures)) is not None:
        return missing
    named = name_raters([each.compared for each in measures])
    below, above = (_listed(measures, named, side) for side in ("below", "above"))
    elsewhere: list[str] = []
    on = ""
    if shown and len(measures) > 1:
        on = " on {shown}"
        every = _names(below)
        below, above = ([one for one in side if one[0].measure == shown] for side in (below, above))
        here_too = set(_names(below))
        elsewhere = [name for name in every if name not in here_too]
    elif len(measures) > 1:
        on = " on at least one measure"
    values = {"n": count(_number(shown_measures)), "shown": shown}
    other = f"on other measures: {raters_named(elsewhere)}" if elsewhere else ""
    if below or above:
        named_raters = below or above
        values |= {
            "k": count(len(_names(named_raters))),
            "are": "is" if len(_names(named_raters)) == 1 else "are",
        }
        if below and is_screening_list([each.compared for each in measures]):
            headline = "{k} of {n} raters {are} on the screening list for low consistency"
            headline += on if shown else ""
        else:
            values |= {"side": "less" if below else "more"}
            than = on if on and not shown else f" than the typical rater{on}"
            headline = f"{{k}} of {{n}} raters {{are}} clearly {{side}} consistent{than}"
        line = _evidence(measures, named_raters, above if below else [], other, is_on_one=bool(shown))
        return Finding((f"{headline}.", values), line)
    shown_pairs = [pair for pair in zip(measures, named, strict=True) if shown in ("", pair[0].measure)]
    first, of = min(shown_pairs, key=lambda pair: np.nan_to_num(pair[1].p_differ, nan=2.0))
    on = on if shown else ""
    differ = of.p_differ < 0.05
    headline = f"No rater is clearly less consistent than the typical rater{on}."
    if differ:
        headline = f"Raters differ in consistency{on}, but nobody clearly stands out."
    line = _power(first, of, len(measures) > 1, other)
    return Finding((headline, values), line, Status.CLEAR if differ else Status.UNCERTAIN)


def scatter_finding(raters: ComparedRaters, write: NumberFormat) -> Iterator[Finding]:
    """Yield who deviates clearly more than the typical rater, in points of the scale; nothing where nobody does."""
    named_raters = _listed([raters], name_raters([raters.compared]), "above")
    if not named_raters:
        return
    values = {"n": count(_number([raters])), "k": count(len(named_raters))}
    verb = "deviates" if len(named_raters) == 1 else "deviate"
    headline = f"{{k}} of {{n}} raters {verb} more than the typical rater, in scale points."
    at = named_raters[0][1]
    line = evidence(
        f"{name_of(raters.names[at], 'rater')}{_on(raters.measure)}: residual SD {write(raters.figures[at].value)}",
        f"typical rater {write(RESIDUAL.value(raters.compared.typical))}",
        _also(_names(named_raters)[1:]),
    )
    yield Finding((headline, values), line, name=SCATTER)


def verdicts(measures: Sequence[ComparedRaters]) -> dict[str, dict[str, tuple[str, float]]]:
    """Return, by measure and name of each tested rater, its verdict ("" for none) and adjusted p."""
    named = name_raters([each.compared for each in measures])
    return {
        each.measure: {
            each.names[at]: (BELOW if of.below[at] else ABOVE if of.above[at] else "", float(of.p[at]))
            for at in np.flatnonzero(each.compared.tested).tolist()
        }
        for each, of in zip(measures, named, strict=True)
    }


def leading_measure(measures: Sequence[ComparedRaters]) -> str | None:
    """Return the measure on which raters differ most clearly; None where nobody could be tested."""
    tested = [each for each in measures if not each.compared.reason]
    first = min(tested, key=lambda each: (each.compared.p_differ, np.nanmin(each.compared.p)), default=None)
    return None if first is None else first.measure


def _missing(measures: Sequence[ComparedRaters]) -> Finding | None:
    """Return what is missing for a comparison, None where somebody was tested."""
    if any(not each.compared.reason for each in measures):
        return None
    most = max((len(each.names) for each in measures), default=0)
    if most == 1 and measures[0].statistic is CORRELATION:
        headline = "Not enough data to compare raters: only one rater is in this group."
        others = NextStep("Add ratings by others", "datasets.py")
        return not_enough_data(headline, {}, name_of(measures[0].names[0], "rater"), next_step=others)
    reasons = list(dict.fromkeys(each.compared.reason for each in measures))
    units = measures[0].statistic.units if measures else CORRELATION.units
    can_plan = most >= FEWEST_RATERS and units != "tasks"
    step = NextStep("Plan more items", "planning.py", {"plan": "How precise?"}) if can_plan else None
    return not_enough_data(
        "Not enough data to compare raters: {why}.",
        {"why": reasons[0] if reasons else "there is none"},
        f"Each must share {FEWEST_UNITS} {units} with others",
        next_step=step,
    )


def _listed(measures: Sequence[ComparedRaters], named: Sequence[NamedRaters], side: str) -> list[Named]:
    """Return the raters named on a side, the smallest adjusted p first."""
    found = [
        (float(of.p[at]), (each, at))
        for each, of in zip(measures, named, strict=True)
        for at in np.flatnonzero(getattr(of, side)).tolist()
    ]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _names(named: Sequence[Named]) -> list[str]:
    return list(dict.fromkeys(each.names[at] for each, at in named))


def _number(measures: Sequence[ComparedRaters]) -> int:
    """Return the number of raters who were tested on some measure."""
    return len({name for each in measures for name in each.tested})


def _evidence(
    measures: Sequence[ComparedRaters],
    named_raters: Sequence[Named],
    above: Sequence[Named],
    other: str,
    is_on_one: bool,
) -> Text:
    """Return the first named rater's figure, and who else is named; `is_on_one` headlines name the measure."""
    first, at = named_raters[0]
    figure, statistic = first.figures[at], first.statistic
    on = _on(first.measure) if len(measures) > 1 and not is_on_one else ""
    adjusted = f"adjusted for {counted(_number(measures), 'rater')}"
    if len(measures) > 1:
        adjusted += f" on {counted(len(measures), 'measure')}"
    if is_screening_list([each.compared for each in measures]):
        adjusted += ", about 1 in 20 listed by chance"
    return evidence(
        f"{name_of(first.names[at], 'rater')}{on}: {statistic.symbol} = {decimal(figure.value)}",
        confidence_interval(figure),
        f"typical rater {decimal(statistic.value(first.compared.typical))}",
        counted(figure.n, statistic.unit, statistic.units),
        for_raters("these raters"),
        adjusted,
        _also(_names(named_raters)[1:]),
        f"clearly above: {raters_named(_names(above))}" if above else "",
        other,
    )


def _power(raters: ComparedRaters, named: NamedRaters, of_several: bool, other: str) -> Text:
    """Return the typical figure and what would be missed: a null result of few items says little."""
    symbol, value, unit, units = raters.statistic
    compared = raters.compared
    return evidence(
        f"Typical {symbol} {decimal(value(compared.typical))}" + (_on(raters.measure) if of_several else ""),
        f"a rater at {decimal(value(named.detectable))} would be missed half of the time",
        f"{counted(compared.units, unit, units)} each",
        counted(int(compared.tested.sum()), "rater"),
        for_raters("these raters"),
        f"test of equal consistency {p_phrase(named.p_differ)}" if named.p_differ == named.p_differ else "",
        other,
    )


def _also(names: Sequence[str]) -> str:
    """Return who else is named, where these are few; the figure marks all."""
    return f"also {listed(names)}" if 0 < len(names) <= MOST_ALSO else ""


def _on(measure: str) -> str:
    return f" on {measure}" if measure else ""
