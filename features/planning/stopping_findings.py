"""Findings and tables on whether the ratings so far are enough."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from analysis.repetitions.attenuation import ratings_needed
from features.blocks import Finding, NextStep, Note, Table
from features.evidence import for_raters
from features.planning.costs import Prices
from features.planning.power_findings import written_number
from features.planning.stopping_results import SoFar, StoppingFound
from features.plotting.numbers import count, counts, decimal, decimal_with_interval
from features.tables import Column, table_of
from features.verdicts import clear_if, not_applicable, not_enough_data, uncertain
from features.words import counted, of_many


def stopping_finding(one: SoFar) -> Finding:
    """Return the ratings per item that the precision needs, and whether they are reached."""
    if not one.defined:
        reason = one.found.reason or "no item has two ratings"
        step = NextStep("Plan a pilot", "planning.py", {"plan": "How precise?"})
        return not_enough_data(
            "Not enough ratings of {measure} to say how many are enough.",
            {"measure": one.measure},
            reason,
            next_step=step,
        )
    half, reliability, scope = one.half_with_ends(one.ratings), one.reliability_now, one.agreement.scope
    values = {"half": f"±\u00a0{decimal(one.half)}", "measure": one.measure}
    line = (
        f"Now {count(one.ratings)}",
        f"±\u00a0{decimal_with_interval(half)}",
        counted(one.found.items, "item"),
        one.measure,
        _reliability(one),
        for_raters(scope),
    )
    if not isfinite(one.for_reliability):
        return uncertain("No number of ratings makes means of {measure} reliable.", values, *line)
    if not isfinite(one.for_half):
        return uncertain("No number of ratings reaches a precision of {half}.", values, *line)
    if one.for_half <= one.ratings:
        return clear_if(
            half.high <= one.half and reliability.low > 0,
            "The ratings so far reach a precision of {half}.",
            values,
            f"{count(one.for_half)} needed per item",
            *line,
        )
    return clear_if(
        reliability.low > 0 and half.low > one.half,
        "A precision of {half} needs <b>{needed}</b> per item.",
        values | {"needed": of_many(one.for_half, "ratings")},
        *line,
    )


def _reliability(one: SoFar) -> str:
    """Return whether the reliability is reached, and if not, by how many ratings."""
    now, wanted = one.reliability_now, decimal(one.reliability)
    told = f"reliability {decimal_with_interval(now)}"
    if not isfinite(one.for_reliability):
        return f"{told}, items do not differ beyond chance"
    if now.value >= one.reliability:
        return f"{told}, {wanted} is reached"
    return f"{told}, {wanted} needs {count(one.for_reliability)}"


def rule_finding() -> Finding:
    """Return the rule of stopping."""
    found = not_applicable(
        "Stop on precision, never on a p value.",
        {},
        "Stopping at a small p finds differences that do not exist",
    )
    return replace(found, name="rule")


def compared_note(one: SoFar) -> Note:
    """Return which items the half-width holds for."""
    if one.spread.compares_only:
        return Note(("The half-width is for items compared by the same raters.", {}))
    return Note(("The half-width is for a typical item; disputed items are less certain.", {}))


def further_table(one: SoFar, prices: Prices) -> Table:
    """Return what further ratings per item would buy."""
    numbers = one.numbers
    more = [(r - one.ratings) * one.found.items for r in numbers]
    price = [Column("Price", [prices.costs.rating * n for n in more], prices.written)]
    return table_of(
        "further-ratings",
        "Precision and reliability with further ratings per item.",
        [
            Column("Ratings per item", numbers),
            Column("±", [one.half_at(r) for r in numbers], lambda value: decimal(value, 3)),
            Column("Reliability", [one.reliability_at(r) for r in numbers], decimal),
            Column("More ratings", more, count),
            *(price if prices.are_known else []),
        ],
    )


def measures_table(found: StoppingFound) -> Table:
    """Return each measure: what is known now, and at how many ratings it is enough."""
    every: Sequence[SoFar] = found.every
    needed = [ratings_needed(one.agreement, one.reliability) for one in every]
    for_reliability = [
        written_number(one.for_reliability) + ("" if counts(e) == "–" else f" ({counts(e)})")
        for one, e in zip(every, needed, strict=True)
    ]
    halves = [one.half_at(one.ratings) if one.defined else float("nan") for one in every]
    now = [one.reliability_now for one in every]
    return table_of(
        "measures",
        "Each measure: precision and reliability now, and the ratings per item that are enough.",
        [
            Column("Measure", [one.measure for one in every]),
            Column(
                "Ratings per item", [one.found.ratings_per_item for one in every], lambda n: decimal(n, 1)
            ),
            Column("±", halves, decimal),
            Column("Reliability", [e.value for e in now], [decimal_with_interval(e) for e in now]),
            Column("Enough at", [one.enough_at for one in every], written_number),
            Column("For the interval", [one.for_half for one in every], written_number, False),
            Column("For the reliability", [one.for_reliability for one in every], for_reliability, False),
        ],
    )
