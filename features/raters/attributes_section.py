"""Section on who the raters are: shares of each attribute, and how raters of different values rate."""

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from analysis.assessors.attributes import FEWEST_RATERS
from features.blocks import (
    MAIN,
    Block,
    Figure,
    Finding,
    Heading,
    Table,
    Warning,
    clear_if,
    for_raters,
    method_of,
    not_applicable,
    not_enough_data,
)
from features.plotting.series import Series, series_dots
from features.plotting.theme import (
    ONE_DIGIT,
    count,
    escape,
    estimate_with_interval,
    group_colour,
    p_phrase,
    p_value,
    share,
)
from features.program import computed_by
from features.raters.attributes_results import (
    AGREEMENT,
    LEVEL,
    UNKNOWN,
    Attribute,
    AttributesFound,
    AttributesSpec,
    attributes_of,
    describe_raters,
)
from features.repetitions.figures import named_curves
from features.study import Study
from features.words import Column, counted, estimate_columns, listed, table_of, why_column

SIGNIFICANT = 0.05
NO_ATTRIBUTES = not_applicable(
    "Nothing is known of the raters: join a table of their attributes, or map a column such as rater_age."
)


@computed_by(
    describe_raters,
    "results = {'values': found.values, **found.compared, 'pairs': found.pairs, 'curves': found.curves}",
    "for one in found.attributes:",
    "    results |= {one.called: one.shares, f'{one.called}, quantity': one.summaries()}",
)
def attributes_section(study: Study, spec: AttributesSpec) -> Iterator[Block]:
    if not attributes_of(study):
        yield NO_ATTRIBUTES
        return
    found = describe_raters(study, spec)
    yield value_finding(found, study, LEVEL, MAIN)
    if any(e.defined for e in found.compared[LEVEL].means):
        color = group_colour(study.candidate, study.groups) if study.candidate in study.groups else ""
        series = [Series(LEVEL, found.compared[LEVEL].means, color)]
        draw = partial(series_dots, list(found.values), series, LEVEL, shares=False)
        caption = "Mean score of raters by {attribute} on {measure}, on the same items, with its 95% CI."
        yield Figure("values", (caption, _named(found)), draw)
        yield values_table(found)
    yield value_finding(found, study, AGREEMENT, "agreement")
    if found.curves:
        yield value_finding(found, study, found.curve_name, "curves")
        caption = (
            "Spearman's ρ with {reference} by ratings per item, of raters by {attribute} on {measure}: mean over "
            "random orders. The dotted line is where values are compared."
        )
        named = {**_named(found), "reference": study.reference_name}
        axis = f"Spearman's ρ with {escape(study.reference_name)}"
        yield Figure(
            "value-curves", (caption, named), partial(named_curves, found.curves, axis, marked=found.at)
        )
    if any(of.pairs for of in found.compared.values()):
        yield pairs_table(found)
    yield from shares_blocks(found.attributes)
    yield method_of("raters", "attributes", ["iskender2020", "games1976"])


def _named(found: AttributesFound) -> dict[str, object]:
    return {"attribute": found.chosen.called, "measure": found.measure}


_COMPARED = {LEVEL: "scores", AGREEMENT: "agreement with the others"}
"""Figures in a sentence; the others are correlations of curves."""


def value_finding(found: AttributesFound, study: Study, figure: str, name: str) -> Finding:
    """Return whether raters with different values of the attribute differ in a figure."""
    compared = found.compared[figure]
    after = f"correlations with {study.reference_name} after {counted(found.at, 'rating')}"
    values = {**_named(found), "what": _COMPARED.get(figure, after)}
    if compared.largest is None:
        few = "Not enough data to compare {what} by {attribute}."
        counts = [f"{value} {e.n}" for value, e in zip(found.values, compared.means, strict=True)]
        needs = f"It needs two values with {FEWEST_RATERS} raters each; there are {listed(counts) or 'none'}"
        return not_enough_data(few, values, needs, study.candidate, name=name)
    high, low = compared.largest
    best = compared.difference(high, low)
    differ = sum(of.p < SIGNIFICANT for of in compared.pairs.values())
    raters = sum(e.n for e in compared.means)
    difference = estimate_with_interval(best.difference, found.writer_of(figure))
    line = [
        f"{found.values[high]} above {found.values[low]} by {difference}",
        p_phrase(best.p),
        counted(raters, "rater"),
        study.candidate,
        for_raters("raters like these"),
    ]
    values |= {"high": found.values[high], "low": found.values[low], "n": differ, "of": len(compared.pairs)}
    headline = "{n} of {of} pairs of values of {attribute} differ in {what}."
    if not differ:
        headline = "Raters do not clearly differ in {what} by {attribute}."
    elif len(compared.pairs) == 1:
        headline = "Raters with {attribute} {high} have higher {what} than those with {low}."
    return clear_if(differ > 0, headline, values, *line, name=name)


def values_table(found: AttributesFound) -> Table:
    """Return a row per value: how many raters, and their means."""
    caption = (
        "Raters by {attribute} on {measure}: mean score on the same items, and agreement with the others."
    )
    figures = [
        column
        for name, of in found.compared.items()
        for column in estimate_columns(name, of.means, found.writer_of(name))
    ]
    return table_of(
        "values",
        (caption, _named(found)),
        [
            Column("Value", list(found.values)),
            *figures,
            Column("Raters", [e.n for e in found.compared[LEVEL].means], count),
            Column("Ratings", list(found.ratings), count, False),
            why_column(zip(*(of.means for of in found.compared.values()), strict=True)),
        ],
    )


def pairs_table(found: AttributesFound) -> Table:
    """Return a row per figure and pair of values, the higher value first."""
    rows = found.pairs
    formats = [found.difference_writer_of(figure) for figure, *_ in rows]
    return table_of(
        "value-pairs",
        "Differences between values; intervals and p hold for all pairs of values at once.",
        [
            Column("Figure", [figure for figure, *_ in rows]),
            Column("Higher", [high for _, high, _, _ in rows]),
            Column("Lower", [low for *_, low, _ in rows]),
            *estimate_columns("Difference", [of.difference for *_, of in rows], formats),
            Column("p", [of.p for *_, of in rows], p_value),
            Column("Raters", [of.difference.n for *_, of in rows], count),
        ],
        "All pairs" if len(rows) > len(found.compared) else "",
    )


def shares_blocks(attributes: Sequence[Attribute]) -> Iterator[Block]:
    """Yield shares of each attribute, by group; nothing where nothing is known."""
    if not attributes:
        return
    yield Heading("Shares of raters")
    yield shares_table(attributes)
    if any(one.summaries() for one in attributes):
        yield quantities_table(attributes)
    yield from _warnings(attributes)


def shares_table(attributes: Sequence[Attribute]) -> Table:
    """Return raters and ratings of each value of each attribute, by group."""
    rows = [
        (one.called, group, band or UNKNOWN, *of)
        for one in attributes
        for (group, band), of in one.shares.items()
    ]
    frame = pd.DataFrame(rows, columns=["Attribute", "Group", "Value", "Raters", "Ratings"])
    columns = [Column(heading, frame[heading]) for heading in ("Attribute", "Group", "Value")]
    for heading in ("Raters", "Ratings"):
        of_group = frame.groupby(["Attribute", "Group"])[heading].transform("sum")
        columns.append(Column(heading, frame[heading], count))
        columns.append(Column(f"Percent of {heading.lower()}", frame[heading] / of_group, share))
    caption = (
        "Raters and ratings by value of each attribute and group; numbers in bands between their quartiles."
    )
    return table_of("rater-attributes", caption, columns)


def quantities_table(attributes: Sequence[Attribute]) -> Table:
    """Return mean, SD, range and quartiles of each attribute that is a quantity, by group."""
    rows = [(one, group, of) for one in attributes for group, of in one.summaries().items()]
    ends = [f"{of.lowest:g} to {of.highest:g}" for *_, of in rows]
    quartiles = [", ".join(f"{at:g}" for at in of.quartiles) for *_, of in rows]
    unknown = [int((one.groups == group).sum()) - of.n for one, group, of in rows]
    return table_of(
        "rater-quantities",
        "Mean, SD, range and quartiles of attributes that are numbers, by group.",
        [
            Column("Attribute", [one.called for one, *_ in rows]),
            Column("Group", [group for _, group, _ in rows]),
            Column("Mean", [of.mean for *_, of in rows], ONE_DIGIT),
            Column("SD", [of.sd for *_, of in rows], ONE_DIGIT),
            Column("Range", ends),
            Column("Quartiles", quartiles),
            Column("Raters", [of.n for *_, of in rows], count),
            Column("Not known", unknown, count),
        ],
    )


def _warnings(attributes: Sequence[Attribute]) -> Iterator[Warning]:
    changing = [one for one in attributes if one.changing]
    if changing:
        names = ", ".join(f"{one.called} of {counted(one.changing, 'rater')}" for one in changing)
        text = "Several values of the same rater, of which the most frequent counts: {named}."
        yield Warning((text, {"named": names}))
