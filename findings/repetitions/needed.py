"""How many ratings per item are needed, and how sure that is; or that it cannot be told, and what would be needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from analysis.agreement.one_way_intervals import OneWayIntervals, items_to_tell
from analysis.repetitions.stopping import reliable_between
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, counts, decimal, decimal_with_interval
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import counted, listed

FEWEST_ITEMS = 10
"""Items below which no number of ratings is named."""
MOST_TIMES = 4
"""Times the items at hand up to which it is said how many would be enough; beyond, that would be a guess."""


@dataclass(frozen=True)
class Reliability:
    """One measure's reliability of one rating and SD of an item's ratings, with their intervals."""

    measure: str
    intervals: OneWayIntervals

    @property
    def told(self) -> bool:
        """Whether there is enough to say how many ratings are needed."""
        icc = self.intervals.icc
        return icc.n >= FEWEST_ITEMS and icc.low > 0


def ratings_needed(measures: Sequence[Reliability], target: float) -> Finding:
    """How many ratings per item give a mean that reliability, on the measure that needs most; or why none is named."""
    told = [one for one in measures if one.told]
    if not told:
        return _cannot_be_told(measures, target)
    most = max(told, key=lambda one: reliable_between(one.intervals.icc, target).value)
    needed = reliable_between(most.intervals.icc, target)
    values: dict[str, object] = {
        "measure": most.measure,
        "target": decimal(target),
        "r": count(needed.value),
        "between": counts(needed),
        "items": counted(needed.n, "item"),
        "one": decimal_with_interval(most.intervals.icc),
    }
    sentence = (
        "A mean rating with a reliability of {target} takes <b>{r}</b> ratings per item for {measure} (95 % interval "
        "{between}; {items}; one rating has {one})"
    )
    is_wide = needed.high > 4 * needed.low
    if is_wide:
        sentence += ", too wide to plan by: more items or raters would narrow it"
    if len(told) > 1:
        fewest = min(reliable_between(one.intervals.icc, target).value for one in told)
        alike = count(fewest) == values["r"]
        sentence += (
            "; none of {n} measures takes fewer"
            if alike
            else "; of {n} measures it takes most, the least takes {fewest}"
        )
        values |= {"n": len(told), "fewest": count(fewest)}
    sentence += "."
    others = [one.measure for one in measures if not one.told]
    if others:
        sentence += " For {others} it cannot be told."
        values["others"] = listed(others)
    return clear_if(not is_wide, sentence, values)


def _cannot_be_told(measures: Sequence[Reliability], target: float) -> Finding:
    start = "How many ratings per item give a mean with a reliability of {target} cannot be told"
    values: dict[str, object] = {"target": decimal(target)}
    if not measures:
        return not_enough_data(start + ".", values)
    best = max(measures, key=lambda one: (one.intervals.icc.low == one.intervals.icc.low, _low(one)))
    icc = best.intervals.icc
    values |= {"measure": best.measure, "items": counted(icc.n, "item")}
    if icc.reason:
        return not_enough_data(start + ": {because}.", values | {"because": icc.reason})
    if icc.n < FEWEST_ITEMS:
        return not_enough_data(
            start + " from {items}: it takes at least {at_least}.", values | {"at_least": FEWEST_ITEMS}
        )
    values["one"] = decimal_with_interval(icc)
    start += ": for {measure} one rating has a reliability of {one} over {items}"
    if icc.low != icc.low:
        return not_enough_data(start + ", and too few items have two ratings for an interval.", values)
    start += ", an interval that holds 0"
    needed = items_to_tell(icc)
    if needed <= MOST_TIMES * icc.n:
        return uncertain(
            start + ". If it is what it seems, about {needed} and more raters would show it.",
            values | {"needed": counted(ceil(needed), "item")},
        )
    return uncertain(start + ". It takes more items, or items that differ more.", values)


def _low(one: Reliability) -> float:
    low = one.intervals.icc.low
    return low if low == low else 0.0


def held_apart_from_0(correlation: Estimate) -> bool:
    """Whether a correlation rests on enough items and its interval does not hold 0."""
    return correlation.n >= FEWEST_ITEMS and (correlation.low > 0 or correlation.high < 0)
