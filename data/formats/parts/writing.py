"""Leaves the table that a format makes on disk, and beside it what the format set aside."""

import csv
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from data.errors import UnreadableFile
from data.formats.parts.format import Aside, Canonical
from data.settings import Settings
from data.tables.bounded import check_rows, check_size, writing_text
from data.tables.text import Text

_LOOK = 1000
_LONGEST = 200
"""Characters of a value that is set aside."""


@dataclass(frozen=True)
class Written:
    """The table as text, how many rows were set aside for which reason, and the columns that hold anything."""

    text: Text
    set_aside: Counter[str]
    filled: set[str]


def write(
    canonical: Canonical,
    folder: Path,
    encoding: str,
    limits: Settings,
    name: str = "canonical",
    what: str = "row of this file holds a rating",
    header: bool = True,
) -> Written:
    """Writes the rows into `folder`, each with its line as last cell, and apart from them what is set aside.

    Without a `header`, whether the first row holds names is for its cells to tell.
    """
    made, aside = folder / f"{name}.csv", folder / f"{name} aside.csv"
    set_aside: Counter[str] = Counter()
    number, filled = 0, set[str]()
    with ExitStack() as files:
        rows_file, aside_file = (files.enter_context(writing_text(path)) for path in (made, aside))
        write_row = csv.writer(rows_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        write_aside = csv.writer(aside_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        if header:
            write_row([*canonical.columns, "line of the file"])
        for number, row in enumerate(canonical.rows, start=1):
            if isinstance(row, Aside):
                write_aside([row.line, row.column, row.reason, row.value[:_LONGEST]])
                set_aside[row.reason] += 1
            else:
                line, cells = row
                write_row([*(cells.get(column, "") for column in canonical.columns), line])
                filled.update(column for column, cell in cells.items() if cell)
            if number % _LOOK == 0:
                check_rows(number, limits, "ratings or more")
                check_size(rows_file.tell() + aside_file.tell())
    check_rows(number, limits, "ratings")
    kept = number - set_aside.total()
    if not kept:
        why = "; ".join(f"{count:,} because {reason}" for reason, count in set_aside.most_common(3))
        raise UnreadableFile(f"no {what}{f' ({why})' if why else ''}")
    lines = kept + header
    text = Text(made, encoding, lines, False, True, aside, header or None, canonical.notes)
    return Written(text, set_aside, filled)
