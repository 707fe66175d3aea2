"""What has become of a file that is read: how much of it is kept, and who rated what in it."""

from collections.abc import Sequence

from data.importing.report import ImportReport
from data.importing.warning_signs.unused import Unused
from data.kinds.kind import Kind
from features.plotting.numbers import count
from features.words import Sentence, listed, of_many

NAMED_GROUPS = 3
"""Groups up to which each is named with its raters."""
NAMED_COLUMNS = 6
"""Unused columns that are named."""


def verdict(kind: Kind, report: ImportReport) -> Sentence:
    """How many rows are kept of those read, and how many raters of which groups rated how many items."""
    return (
        "<b>{kept} of {read} {rows}{files} kept</b>{aside}{who}.",
        {
            "kept": count(report.kept),
            "read": count(report.rows_read),
            "rows": kind.rows,
            "files": f" of {len(report.files)} files" if report.files else "",
            "aside": f", {count(report.set_aside)} set aside" if report.set_aside else "",
            "who": f": {_who(kind, report)}" if report.kept else "",
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


def _who(kind: Kind, report: ImportReport) -> str:
    items = of_many(report.items, kind.items)
    if not report.raters:
        return items
    raters = of_many(report.raters, kind.raters)
    groups = report.groups
    if 1 < len(groups) <= NAMED_GROUPS:
        (name, first), *others = groups
        told = [
            f"{of_many(first, kind.raters)} of {name}",
            *(f"{count(n)} of {other}" for other, n in others),
        ]
        raters = " and ".join([", ".join(told[:-1]), told[-1]])
    elif groups:
        raters += f" in {len(groups)} groups" if len(groups) > 1 else f" of {groups[0][0]}"
    return f"{raters} {kind.rated} {items}"
