# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts by `literal`; values are parameters
"""Reading delimited text into the database; where the rows themselves are broken, Python reads them."""

import csv
from contextlib import suppress
from pathlib import Path

import duckdb

from data.importing.cells import drop_tables, one_number
from data.settings import Settings
from data.tables.bounded import check_rows
from data.tables.rows import Fault, fits, ragged, rows
from data.tables.sniffed import Sniffed
from data.tables.text import MAX_LINE, Text


def read_csv(types: list[str], options: str = f"max_line_size={MAX_LINE}") -> str:
    """A `read_csv` with nothing left to guess, which ends at the first row that it cannot read: of each cell that it
    passes over it would keep a kilobyte in memory, whatever its limit."""
    columns = ", ".join(f"'c{number}': '{type}'" for number, type in enumerate(types))
    return (
        f"read_csv($path, skip=$skip, delim=$delimiter, decimal_separator=$decimal, columns={{{columns}}}, "
        f"compression='none', header=false, auto_detect=false, quote='\"', escape='\"', {options})"
    )


_FAULT = ["line", "place", "reason", "value"]
"""What is written of a row that cannot be read: its line, the column, why, and what stood there."""
_WRITTEN_BY_US = f"new_line='\\n', max_line_size={10 * MAX_LINE}"


def reading_of(path: Path, skip: int, delimiter: str, decimal: str = ".") -> dict[str, object]:
    return {"path": str(path), "skip": skip, "delimiter": delimiter, "decimal": decimal}


def read_raw(
    cursor: duckdb.DuckDBPyConnection, text: Text, sniffed: Sniffed, used: list[int], limits: Settings
) -> bool:
    """`import_raw`: line and the used columns as text. True where Python had to read, which leaves
    the faulty rows in `import_faults`."""
    width = sniffed.width
    columns = ", ".join(f"c{at}" if at < width else f"NULL::VARCHAR AS c{at}" for at in used)
    if text.aside is not None:
        _read_made(cursor, text.path, text.aside, sniffed, used)
        return True
    if text.regular and sniffed.regular:
        with suppress(duckdb.InvalidInputException):
            cursor.execute(
                f"CREATE TEMP TABLE import_read AS SELECT {columns} FROM {read_csv(['VARCHAR'] * width)}",
                reading_of(text.path, sniffed.before, sniffed.delimiter),
            )
            if one_number(cursor, "SELECT count(*) FROM import_read") == text.lines - sniffed.before:
                cursor.execute(
                    "CREATE TEMP VIEW import_raw AS SELECT rowid - (SELECT min(rowid) FROM import_read) + "
                    f"{sniffed.before + 1} AS line, * FROM import_read"
                )
                return False
        drop_tables(cursor)
    sound, faulty = text.path.with_name("rows.csv"), text.path.with_name("faults.csv")
    try:
        _repair(text, sniffed, used, sound, faulty, limits)
        _read_written(cursor, "import_read", sound, ["line", *(f"c{index}" for index in used)])
        _read_written(cursor, "import_faults", faulty, _FAULT)
        cursor.execute("CREATE TEMP VIEW import_raw AS SELECT * FROM import_read")
    finally:
        sound.unlink(missing_ok=True)
        faulty.unlink(missing_ok=True)
    return True


def _read_made(
    cursor: duckdb.DuckDBPyConnection, path: Path, aside: Path, sniffed: Sniffed, used: list[int]
) -> None:
    """Reads what a format or reader left: its rows, each with its line in the last cell, and what was set aside."""
    width = len(sniffed.columns)
    columns = [f"c{index}" for index in range(width)]
    _read_written(
        cursor,
        "import_read",
        path,
        [*columns, "line"],
        skip=sniffed.before,
        keep=[f"c{index}" for index in used],
    )
    cursor.execute("CREATE TEMP VIEW import_raw AS SELECT * FROM import_read")
    _read_written(cursor, "import_faults", aside, _FAULT)


def _read_written(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    path: Path,
    columns: list[str],
    skip: int = 0,
    keep: list[str] | None = None,
) -> None:
    """Reads a file that we wrote ourselves into a table of these columns; `keep` leaves others than the line out."""
    types = ["BIGINT" if name == "line" else "VARCHAR" for name in columns]
    kept = columns if keep is None else ["line", *keep]
    named = ", ".join(f"c{columns.index(name)} AS {name}" for name in kept)
    cursor.execute(
        f"CREATE TEMP TABLE {table} AS SELECT {named} FROM {read_csv(types, _WRITTEN_BY_US)}",
        reading_of(path, skip, ","),
    )


def _repair(
    text: Text, sniffed: Sniffed, used: list[int], sound: Path, faulty: Path, limits: Settings
) -> None:
    """Writes the used cells of all sound rows, with their line, and apart from them the rows that are not."""
    with (
        sound.open("w", encoding="utf-8", newline="") as sound_file,
        faulty.open("w", encoding="utf-8", newline="") as faulty_file,
    ):
        write_row = csv.writer(sound_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        write_fault = csv.writer(faulty_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        for number, row in enumerate(rows(text.path, sniffed.before, sniffed.delimiter), start=1):
            if number > limits.rows:
                check_rows(number, limits, "rows or more")
            if isinstance(row, Fault):
                write_fault([row.line, "", row.reason, row.value])
            elif fits(row, sniffed.width, sniffed.short_by):
                write_row([row.line, *[row.cells[at] if at < len(row.cells) else "" for at in used]])
            else:
                said = ragged(row, sniffed.width, text, sniffed.header)
                write_fault([row.line, "", said, sniffed.delimiter.join(row.cells)[:200]])
