"""Sentences on how a table was read, and the choice between two readings."""

from collections.abc import Sequence

from analysis.values.estimate import thousands
from data.importing.report import ImportReport
from data.importing.warning_signs.wording import Unused
from data.kinds.definitions import KINDS
from data.kinds.kind import Kind
from data.mapping.plan import JOINED, MISSING, NAMES
from data.reading.votes import PER_GRADE
from data.tables.sniffed import Reading
from features.plotting.theme import count
from features.words import Sentence, listed, of_many


def reading_sentences(first: Reading, second: Reading) -> tuple[Sentence, Sentence]:
    """Return who rated what in each reading, and where this is the same, in what they differ."""
    counts = _counts(first), _counts(second)
    how = ("", "") if counts[0] != counts[1] else _differences(first, second)
    return _sentence(counts[0], how[0]), _sentence(counts[1], how[1])


def reading_sentence(reading: Reading) -> Sentence:
    """Return who rated what in a reading."""
    return _sentence(_counts(reading), "")


def _sentence(counts: str, how: str) -> Sentence:
    return ("{counts}{how}.", {"counts": counts, "how": f": {how}" if how else ""})


def _counts(reading: Reading) -> str:
    """Return how many raters rated how many items, on how many measures."""
    kind = KINDS[reading.kind]
    items, measures = of_many(reading.items, kind.items), _measures(reading)
    on = f" on {thousands(measures)} measures" if measures > 1 else ""
    if reading.layout == PER_GRADE:
        return f"{items} with a number of votes per grade{on}"
    if reading.mapping.get("@raters") == "slots" or not reading.raters:
        return f"{items} with {kind.rows} by unnamed raters{on}"
    return f"{of_many(reading.raters, kind.raters)} {kind.rated} {items}{on}"


def _measures(reading: Reading) -> int:
    """Return the number of measures that stand in columns."""
    names = reading.mapping.get(f"{NAMES}measure") or reading.mapping.get(f"{NAMES}design")
    if names:
        return len(set(names))
    return len(reading.answers) if reading.mapping.get("@form") == "measure columns" else 1


def _differences(first: Reading, second: Reading) -> tuple[str, str]:
    """Return what each of two readings of as many raters and items takes for what."""
    codes = {*first.mapping.get(MISSING, ())} ^ {*second.mapping.get(MISSING, ())}
    if codes:
        named = ", ".join(f'"{code}"' for code in sorted(codes))
        is_first = codes <= {*first.mapping.get(MISSING, ())}
        meanings = f"{named} means no answer", f"{named} is an answer"
        return meanings if is_first else meanings[::-1]
    for column in KINDS[first.kind].columns:
        if first.mapping.get(column.name) != second.mapping.get(column.name):
            ways = _source(first, column.name), _source(second, column.name)
            if ways[0] != ways[1]:
                return ways
    return first.layout, second.layout


def _source(reading: Reading, name: str) -> str:
    source = reading.mapping.get(name)
    if source is None or str(source).startswith("@"):
        return reading.layout
    called = KINDS[reading.kind].title_of(name)
    return f'the {called} is "{source if isinstance(source, str) else JOINED.join(source)}"'


NAMED_GROUPS = 3
"""Groups up to which each is named with its raters."""
NAMED_COLUMNS = 6
"""Unused columns that are named."""


def verdict(kind: Kind, report: ImportReport) -> Sentence:
    """Return how many rows are kept of those read, and how many raters of which groups rated how many items."""
    return (
        "<b>{kept} of {read} {rows}{files} kept</b>{aside}{who}.",
        {
            "kept": count(report.kept),
            "read": count(report.rows_read),
            "rows": kind.rows,
            "files": f" of {len(report.files)} files" if report.files else "",
            "aside": f", {count(report.set_aside)} set aside" if report.set_aside else "",
            "who": f": {_raters_and_groups(kind, report)}" if report.kept else "",
        },
    )


def unused_columns(unused: Unused) -> Sentence:
    """Return which columns are not used, and how many numbers or labels of those that could be ratings."""
    others = [name for name in unused.columns if name not in unused.ratings]
    if not unused.columns:
        return "All columns are used.", {}
    if not unused.ratings:
        return "Not used: {names}.", {"names": _names(others)}
    return (
        "<b>{used} of {possible} {cells} are used; {columns} {names} {are} not</b>{counted}.{others}",
        {
            "used": count(unused.used),
            "possible": count(unused.possible),
            "cells": unused.cells,
            "columns": "column" if len(unused.ratings) == 1 else "columns",
            "names": _names(unused.ratings),
            "are": "is" if len(unused.ratings) == 1 else "are",
            "counted": f", counted in the first {count(unused.looked_at)} rows"
            if unused.rows > unused.looked_at
            else "",
            "others": f" Not used either: {_names(others)}." if others else "",
        },
    )


def _names(columns: Sequence[str]) -> str:
    """Return names of columns, in quotation marks where they end like sentences."""
    return listed([name if name[-1:].isalnum() else f'"{name}"' for name in columns], NAMED_COLUMNS)


def _raters_and_groups(kind: Kind, report: ImportReport) -> str:
    items = of_many(report.items, kind.items)
    if not report.raters:
        return items
    raters = of_many(report.raters, kind.raters)
    groups = report.groups
    if len(groups) > NAMED_GROUPS:
        raters += f" in {len(groups)} groups"
    elif groups:
        (name, first), *others = groups
        raters = f"{of_many(first, kind.raters)} in {name}"
        if others:
            raters = listed([raters, *(f"{count(n)} in {other}" for other, n in others)])
    return f"{raters} {kind.rated} {items}"
