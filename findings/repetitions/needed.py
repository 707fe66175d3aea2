"""Ratings per item that a reliability needs, with its interval; or what is missing to name a number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atanh, isfinite, isnan

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.repetitions.ratings_needed import advise, ratings_needed
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.evidence import capitalized, confidence_interval, evidence, for_raters
from features.plotting.numbers import count, decimal
from features.rater_agreement import HARDLY_ANY
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import counted, listed

FEWEST_ITEMS = 10
"""Items below which a correlation is not spoken of."""
TOO_WIDE = 4
"""Times the lower end of the ratings needed up to which the upper end leaves a number to plan by."""
MOST_TIMES = 4
"""Times the items at hand up to which a number of items is advised; beyond, it would be a guess."""


@dataclass(frozen=True)
class Reliability:
    """One measure's agreement, with the reliability of one rating."""

    measure: str
    agreement: AgreementSummary

    @property
    def has_number(self) -> bool:
        """True where a number of ratings can be named."""
        return self.agreement.one.low > 0 and not self.agreement.one.warning

    def needed(self, target: float) -> Estimate:
        """Return the ratings per item for a reliability of the mean."""
        return ratings_needed(self.agreement, target)


def ratings_finding(measures: Sequence[Reliability], target: float) -> Finding:
    """Return the ratings per item that a reliability needs on the measure that needs most, or why there are none."""
    known = [one for one in measures if one.has_number and isfinite(one.needed(target).value)]
    if not known:
        return _without_number(measures, target)
    most = max(known, key=lambda one: one.needed(target).value)
    needed = most.needed(target)
    several = len(measures) > 1
    least = min(one.needed(target).value for one in known)
    others = [one.measure for one in measures if one not in known]
    line, values = evidence(
        f"Reliability {decimal(target)}",
        confidence_interval(needed, count),
        counted(needed.n, "item"),
        for_raters(most.agreement.scope),
        f"easiest measure: {count(least)}" if several and least < needed.value else "",
        f"no number for {listed(others)}" if others else "",
    )
    is_wide = needed.high > TOO_WIDE * needed.low
    told = _advice(most) if is_wide else ""
    headline = (
        "{measure}, the hardest measure, needs about <b>{r}</b> ratings per item"
        if several
        else "{measure} needs about <b>{r}</b> ratings per item"
    )
    finding = clear_if(
        not is_wide and not most.agreement.is_rough,
        headline + ".",
        {"measure": capitalized(most.measure), "r": count(needed.value)},
    )
    return replace(finding, evidence=(line, values), warnings=_cautions(most, told))


def _without_number(measures: Sequence[Reliability], target: float) -> Finding:
    if not measures:
        return not_enough_data("Not enough data to say how many ratings per item are needed.")
    best = max(measures, key=lambda one: (not isnan(one.agreement.one.low), _low(one)))
    one, reason = best.agreement.one, best.needed(target).reason
    line = evidence(
        f"Reliability of one rating {decimal(one.value)}" if one.defined else "",
        confidence_interval(one),
        counted(one.n, "item"),
        for_raters(best.agreement.scope),
    )
    values = {"measure": best.measure}
    if one.warning or not one.defined or isnan(one.low):
        finding = not_enough_data("Not enough data to say how many ratings {measure} needs.", values)
        return replace(finding, evidence=line, warnings=_cautions(best, "" if one.warning else reason))
    if one.low <= 0 and (one.value <= 0 or one.high < HARDLY_ANY):
        finding = clear_if(
            one.high < HARDLY_ANY,
            "Raters do not agree beyond chance on {measure}, so no mean gets reliable.",
            values,
        )
        return replace(finding, evidence=line)
    if best.agreement.scope == "raters like these" and reason:
        finding = not_enough_data("Not enough raters to say how many ratings {measure} needs.", values)
        return replace(finding, evidence=line, warnings=_cautions(best, reason))
    finding = uncertain("It is unclear how many ratings {measure} needs.", values)
    return replace(
        finding, evidence=line, warnings=_cautions(best, _advice(best, atanh(min(one.value, 0.99))))
    )


def _advice(one: Reliability, wanted: float | None = None) -> str:
    """Return what would narrow the interval; nothing that would not help."""
    found = advise(one.agreement, wanted)
    if found is None:
        return "More items alone cannot narrow this"
    if found.of == "items" and found.number <= MOST_TIMES * one.agreement.one.n:
        return f"About {count(found.number)} items would show it, if the reliability is what it is here"
    return f"More {found.of} would narrow this"


def _cautions(one: Reliability, told: str) -> tuple[tuple[str, dict[str, object]], ...]:
    rough = (
        f"Rough: {one.agreement.raters} raters stand for raters like these." if one.agreement.is_rough else ""
    )
    said = (one.agreement.one.warning, f"{told[:1].upper()}{told[1:]}." if told else "", rough)
    return tuple(("{warning}", {"warning": each}) for each in said if each)


def _low(one: Reliability) -> float:
    low = one.agreement.one.low
    return 0.0 if isnan(low) else low


def held_apart_from_0(correlation: Estimate) -> bool:
    """Whether a correlation rests on enough items and its interval does not hold 0."""
    return correlation.n >= FEWEST_ITEMS and (correlation.low > 0 or correlation.high < 0)
