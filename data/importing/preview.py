# ruff: noqa: S608 - identifiers are canonical columns, quoted
"""The first ratings of a file under a mapping, before all of it is read."""

import csv
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from data.engines.locking import lock_down
from data.importing.judging import read_and_judge
from data.mapping.plan import FileMapping, plan
from data.quoting import quoted
from data.settings import from_environment
from data.tables.sniffed import Sniffed
from data.tables.text import Text

_MEMORY = 100 * 10**6
"""Bytes that the few rows may take."""
_FURTHER = ("rater_group", "system", "topic", "measure", "design")
"""Columns that tell ratings of the same item and rater apart, or make a name whole."""


@dataclass(frozen=True)
class Preview:
    """The first ratings, or other rows, as they would be saved.

    columns : canonical names, the required ones first
    rows : cells as texts, for as many rows as were asked for
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def preview(sniffed: Sniffed, kind: str, mapping: FileMapping, most: int = 5) -> Preview:
    """Import the few rows that a look at the file keeps, as the whole file would be imported.

    Raises
    ------
    BadMapping
        where the mapping does not fit the file.
    """
    todo, limits = plan(kind, mapping, sniffed), from_environment()
    declared = todo.kind
    names = [
        name for name in (*declared.required, *_FURTHER) if todo.has(name) and name != (declared.cells or "")
    ]
    names += [declared.cells] if declared.cells and todo.has(declared.cells) else []
    if declared.compared and todo.compared:
        names += [name for name in declared.compared[1:] if name not in names]
    limits.spool.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=limits.spool, ignore_cleanup_errors=True) as folder,
        duckdb.connect(":memory:") as connection,
    ):
        lock_down(connection, [folder], str(Path(folder, "spilled")), _MEMORY, threads=1)
        path = Path(folder, "first.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            width = len(
                sniffed.columns
            )  # in the table that a format makes, the line of the file comes after it
            rows = [row[:width] for row in sniffed.first]
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
        first = Text(path, "utf-8", len(sniffed.first), regular=True, quoted=True)
        shown = replace(sniffed, delimiter=",", before=0, regular=True, short_by=0, starts=(), files=())
        cursor = connection.cursor()
        read_and_judge(cursor, first, shown, todo, limits, None)
        texts = ", ".join(_as_text(name) for name in dict.fromkeys(names))
        found = cursor.execute(f"SELECT {texts} FROM import_rows LIMIT {most}").fetchall()
    return Preview(tuple(dict.fromkeys(names)), tuple(tuple(str(cell) for cell in row) for row in found))


def _as_text(name: str) -> str:
    """Return what shows a cell: whole numbers without a decimal point."""
    cell = f"coalesce({quoted(name)}::VARCHAR, '')"
    return f"regexp_replace({cell}, '^(-?\\d+)\\.0$', '\\1')"
