"""Write the table that a format makes to disk, and the rows that the format set aside to a second file."""

import csv
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from analysis.values.estimate import thousands
from data.errors import UnreadableFile
from data.formats.parts.format import Aside, Canonical
from data.settings import Settings
from data.tables.text import Text, check_rows, check_size, writing_text

_NAME = "canonical"
ASIDE = f"{_NAME} aside.csv"
"""The file of rows that a format set aside, in the folder of its table."""
_LOOK = 1000
_LONGEST = 200
"""Characters of a value that is set aside."""
_SHORTEST = 256
"""Least characters that a row of a sample counts for: looking at many rows takes time however short they are."""


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
    name: str = _NAME,
    content: str = "row of this file holds a rating",
    header: bool = True,
    parts: tuple[str, ...] = (),
    sample_size: int = 0,
) -> Written:
    """Write the rows into `folder`, each with its line as last cell, and the rows set aside into a separate file.

    Without a `header`, whether the first row holds names is for its cells to tell. Where rows come from several files
    or sheets, which the last columns (`parts`) say, the first rows of each are kept apart too, up to `sample_size`
    characters.
    """
    table_path, aside_path = folder / f"{name}.csv", folder / f"{name} aside.csv"
    set_aside: Counter[str] = Counter()
    number, columns, empty = 0, canonical.columns, list(canonical.columns)
    sample = folder / f"{name} sample.csv" if parts else None
    sampled: Counter[tuple[str, ...]] = Counter()
    with ExitStack() as files:
        rows_file, aside_file = (files.enter_context(writing_text(path)) for path in (table_path, aside_path))
        write_row, write_aside = _writer(rows_file), _writer(aside_file)
        write_sample = _writer(files.enter_context(writing_text(sample))) if sample else write_aside
        if header:
            for write_header in (write_row, write_sample) if sample else (write_row,):
                write_header([*canonical.columns, "line of the file"])
        for number, row in enumerate(canonical.rows, start=1):
            if isinstance(row, Aside):
                write_aside([row.line, row.column, row.reason, row.value[:_LONGEST]])
                set_aside[row.reason] += 1
            else:
                line, cells = row
                row_cells: list[object] = [cells.get(column, "") for column in columns]
                row_cells.append(line)
                write_row(row_cells)
                if sample and sampled[part := tuple(cells.get(column, "") for column in parts)] < sample_size:
                    sampled[part] += max(sum(map(len, cells.values())), _SHORTEST)
                    write_sample(row_cells)
                if empty:
                    empty = [column for column in empty if not cells.get(column)]
            if number % _LOOK == 0:
                check_rows(number, limits, "ratings or more")
                check_size(rows_file.tell() + aside_file.tell())
    check_rows(number, limits, "ratings")
    row_count = number - set_aside.total()
    if not row_count:
        reasons = "; ".join(
            f"{thousands(count)} because {reason}" for reason, count in set_aside.most_common(3)
        )
        raise UnreadableFile(f"no {content}{f' ({reasons})' if reasons else ''}")
    lines = row_count + header
    text = Text(
        table_path,
        encoding,
        lines,
        False,
        True,
        aside_path,
        header or None,
        canonical.notes,
        parts=len(parts),
        sample=sample,
    )
    return Written(text, set_aside, set(columns) - set(empty))


def _writer(file: TextIO) -> Callable[[Iterable[object]], object]:
    return csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
