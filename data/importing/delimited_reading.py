# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`
"""Read delimited text into the database, in SQL or row by row, within limits."""

import csv
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import duckdb

from analysis.values.estimate import thousands
from data.engines.schema import quoted
from data.errors import OverLimit
from data.importing.cells import drop_tables, fetch_number
from data.mapping.plan import Plan
from data.settings import Settings, shown, variable_of
from data.tables.rows import Fault, Row, fits, ragged, rows
from data.tables.sniffed import Sniffed
from data.tables.text import MAX_LINE, Text, check_rows

_LIMITS: Mapping[str, str] = {
    "measure": "measures",
    "design": "measures",
    "surrogate": "measures",
    "rater_group": "groups",
}
"""Setting that limits the distinct names in a column, since each is computed and drawn separately."""

_NAMES = {
    "measure": "measures",
    "design": "designs",
    "surrogate": "surrogates",
    "rater_group": "groups",
}


def check_lines(text: Text, sniffed: Sniffed, limits: Settings) -> None:
    """Refuse a text of too many rows before it is read, unless quotation marks may join lines."""
    if not text.quoted:
        check_rows(text.lines - sniffed.before, limits)


def check_cells(text: Text, sniffed: Sniffed, plan: Plan, limits: Settings) -> None:
    """Refuse a wide table with too many filled cells before they become rows."""
    if (text.lines - sniffed.before) * len(plan.wide) <= limits.rows:
        return
    filled = 0
    for row in rows(text.path, sniffed.before, sniffed.delimiter):
        if isinstance(row, Row) and len(row.cells) >= sniffed.width:
            cells = row.cells
            filled += sum(
                1 for index in plan.wide if index < len(cells) and cells[index] and not cells[index].isspace()
            )
        if filled > limits.rows:
            raise OverLimit(
                f"the file has about {thousands(text.lines - sniffed.before)} rows with "
                f"{thousands(len(plan.wide))} columns of "
                f"{plan.kind.rows}, which are more than the {shown('rows', limits.rows)} {plan.kind.rows} that "
                f"{variable_of('rows')} allows; split it, for instance by item"
            )


def check_names(cursor: duckdb.DuckDBPyConnection, plan: Plan, limits: Settings) -> None:
    """Refuse `import_rows` with more measures or groups than a page can show."""
    for target in plan.targets:
        if target.name not in _LIMITS:
            continue
        setting = _LIMITS[target.name]
        limit: int = getattr(limits, setting)
        count = fetch_number(cursor, f"SELECT count(DISTINCT {quoted(target.name)}) FROM import_rows")
        if count > limit:
            subject = (
                f"the columns with {plan.kind.rows} name"
                if target.names
                else f'the column "{target.label[:60]}" names'
            )
            raise OverLimit(
                f"{subject} {thousands(count)} different {_NAMES[target.name]}, more than the "
                f"{shown(setting, limit)} that one data set may have; choose another column for the "
                f"{plan.kind.title_of(target.name)} or none, or split the file by it"
            )


def read_csv(types: list[str], options: str = f"max_line_size={MAX_LINE}") -> str:
    """Return a `read_csv` without any sniffing that fails at the first unreadable row: of each cell that it
    passes over it would keep a kilobyte in memory, whatever its limit."""
    columns = ", ".join(f"'c{number}': '{type}'" for number, type in enumerate(types))
    return (
        f"read_csv($path, skip=$skip, delim=$delimiter, decimal_separator=$decimal, columns={{{columns}}}, "
        f"compression='none', header=false, auto_detect=false, quote='\"', escape='\"', {options})"
    )


CANNOT_READ = (duckdb.InvalidInputException, duckdb.ConversionException, UnicodeDecodeError)
"""Errors of DuckDB about a file; the last one if its message quotes a line that is truncated within a character."""
_FAULT = ["line", "place", "reason", "value"]
"""Columns of the file of unreadable rows: line, column, reason and value."""
_OWN_CSV = f"new_line='\\n', max_line_size={10 * MAX_LINE}"


def csv_options(path: Path, skip: int, delimiter: str, decimal: str = ".") -> dict[str, object]:
    return {"path": str(path), "skip": skip, "delimiter": delimiter, "decimal": decimal}


def read_raw(
    cursor: duckdb.DuckDBPyConnection, text: Text, sniffed: Sniffed, used: list[int], limits: Settings
) -> tuple[str, bool]:
    """Create `import_read` with the used columns as text. Return the relation of these with their line, and True if
    faulty rows are in `import_faults`."""
    width = sniffed.width
    columns = ", ".join(f"c{index}" if index < width else f"NULL::VARCHAR AS c{index}" for index in used)
    if text.aside is not None:
        return "import_read", _read_converted(cursor, text.path, text.aside, sniffed, used)
    if text.regular and sniffed.regular:
        with suppress(*CANNOT_READ):
            cursor.execute(
                f"CREATE TEMP TABLE import_read AS SELECT {columns} FROM {read_csv(['VARCHAR'] * width)}",
                csv_options(text.path, sniffed.before, sniffed.delimiter),
            )
            if fetch_number(cursor, "SELECT count(*) FROM import_read") == text.lines - sniffed.before:
                line = f"rowid - (SELECT min(rowid) FROM import_read) + {sniffed.before + 1}"
                return f"(SELECT {line} AS line, * FROM import_read)", False
        drop_tables(cursor, "read")
    valid, faulty = text.path.with_name("rows.csv"), text.path.with_name("faults.csv")
    try:
        _split_faulty_rows(text, sniffed, used, valid, faulty, limits)
        _read_own_csv(cursor, "import_read", valid, ["line", *(f"c{index}" for index in used)])
        return "import_read", _read_faults(cursor, faulty)
    finally:
        valid.unlink(missing_ok=True)
        faulty.unlink(missing_ok=True)


def _read_converted(
    cursor: duckdb.DuckDBPyConnection, path: Path, faults: Path, sniffed: Sniffed, used: list[int]
) -> bool:
    """Read the output of a format or reader: rows with their line in the last cell, and rejected rows."""
    width = len(sniffed.columns)
    columns = [f"c{index}" for index in range(width)]
    _read_own_csv(
        cursor,
        "import_read",
        path,
        [*columns, "line"],
        skip=sniffed.before,
        keep=[f"c{index}" for index in used],
    )
    return _read_faults(cursor, faults)


def _read_faults(cursor: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Store the unreadable rows in `import_faults`; return False if there are none."""
    if not path.stat().st_size:
        return False
    _read_own_csv(cursor, "import_faults", path, _FAULT)
    return True


def _read_own_csv(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    path: Path,
    columns: list[str],
    skip: int = 0,
    keep: list[str] | None = None,
) -> None:
    """Read a CSV file written by us into a table of these columns; `keep` selects columns besides the line."""
    types = ["BIGINT" if name == "line" else "VARCHAR" for name in columns]
    selected = columns if keep is None else ["line", *keep]
    select_list = ", ".join(f"c{columns.index(name)} AS {name}" for name in selected)
    cursor.execute(
        f"CREATE TEMP TABLE {table} AS SELECT {select_list} FROM {read_csv(types, _OWN_CSV)}",
        csv_options(path, skip, ","),
    )


def _split_faulty_rows(
    text: Text, sniffed: Sniffed, used: list[int], valid: Path, faulty: Path, limits: Settings
) -> None:
    """Write the used cells of valid rows with their lines to one file, and the faulty rows to another."""
    with (
        valid.open("w", encoding="utf-8", newline="") as valid_file,
        faulty.open("w", encoding="utf-8", newline="") as faulty_file,
    ):
        write_row = csv.writer(valid_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        write_fault = csv.writer(faulty_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        for number, row in enumerate(rows(text.path, sniffed.before, sniffed.delimiter), start=1):
            if number > limits.rows:
                check_rows(number, limits, "rows or more")
            if isinstance(row, Fault):
                write_fault([row.line, "", row.reason, row.value])
            elif fits(row, sniffed.width, sniffed.short_by):
                write_row([row.line, *[row.cells[index] if index < len(row.cells) else "" for index in used]])
            else:
                reason = ragged(row, sniffed.width, text, sniffed.header)
                write_fault([row.line, "", reason, sniffed.delimiter.join(row.cells)[:200]])
