"""Verdict on machine summaries, as a share of what people's summaries answer of the same questions."""

from collections.abc import Iterator

from features.blocks import Finding, Note, Table, Text, Warning
from features.comprehension.results import Machines
from features.comprehension.shares_findings import FIGURE_NAMES, TENTH
from features.evidence import capitalized, confidence_interval
from features.plotting.numbers import count, points, share, share_with_interval
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear, excludes, not_applicable, not_enough_data, uncertain
from features.words import counted, listed, number_repeats, reasons

NO_MACHINE = not_enough_data(
    "Not enough data to study machines: no author is known to be one.",
    {},
    "Choose below which are, or map a column author_kind that says machine",
)
NO_PEOPLE = not_applicable("All authors of summaries are machines, so there is no human level.")
NOTE = Note(
    (
        "Each machine is compared with people's summaries on the same questions; several people's answers to a "
        "question count as one.",
        {},
    )
)
_SHARES = ("R", "R+P", "N")


def machines_finding(found: Machines) -> Finding:
    """Return how near the best machine comes to people, and the lowest of several."""
    known = {name: one for name, one in found.figures.items() if one.ratio.defined}
    if not known:
        why = sorted({e.reason for e in found.ratios.values()})
        headline = "Not enough data to compare machines with people."
        advice = "let the same judge judge the same questions for both"
        return not_enough_data(headline, {}, capitalized("; ".join(why)), advice)
    best, last = (pick(known, key=lambda name: known[name].ratio.value) for pick in (max, min))
    level = known[best]
    line = (
        confidence_interval(level.ratio, share),
        counted(level.ratio.n, "question"),
        f"R + P {share(level.machine['R+P'].value)}, people {share(level.people['R+P'].value)}",
        f"lowest: {last} {share_with_interval(known[last].ratio)}" if len(known) > 1 else "",
    )
    values = {"name": capitalized(best), "ratio": share(level.ratio.value)}
    if excludes(level.difference):
        return clear("{name} reaches {ratio} of the human level.", values, *line)
    headline = "{name} does not clearly differ from people, with {ratio} of the human level."
    return uncertain(headline, values, *line)


def machines_warnings(found: Machines) -> Iterator[Warning]:
    """Yield questions that could not be paired, and missing figures."""
    told: list[Text] = [
        (
            "{questions} put to summaries of {name} not put to a person's summary by the same judge: left out here.",
            {"questions": counted(level.left_out, "question"), "name": name},
        )
        for name, level in found.figures.items()
        if level.left_out and level.ratio.defined
    ]
    undefined = [name for name, e in found.ratios.items() if not e.defined]
    if undefined and len(undefined) < len(found.levels):
        text = "Undefined for {who}: no question has both a person's answer and the machine's."
        told.append((text, {"who": listed(undefined)}))
    told += reasons(e.reason for e in found.ratios.values() if e.defined)
    yield from map(Warning, number_repeats(told))


def machines_table(found: Machines) -> Table:
    """Return a row per machine."""
    levels = list(found.levels.values())
    differences = [level.difference for level in levels]
    columns = [
        Column("Machine", list(found.figures)),
        *estimate_columns("Share of the human level", [level.ratio for level in levels], TENTH),
        *estimate_columns("Difference of R + P", differences, TENTH, [points(e) for e in differences]),
    ]
    for figure in _SHARES:
        for who, of in (
            ("Machine", [one.machine for one in levels]),
            ("People", [one.people for one in levels]),
        ):
            heading = f"{who}: {FIGURE_NAMES[figure]}"
            columns.append(Column(heading, [one[figure].value for one in of], TENTH, figure == "R+P"))
    columns += [
        Column("Questions", [level.ratio.n for level in levels], count),
        Column("Stories", [level.stories for level in levels], count, False),
        Column("Judges", [level.judges for level in levels], count, False),
    ]
    return table_of("machines", "Machines compared with people on the same questions.", columns)
