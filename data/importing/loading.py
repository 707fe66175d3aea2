# ruff: noqa: S608 - identifiers are ours or quoted by `_name`, texts by `_text`; values are parameters
"""From a file and a mapping to a table of typed rows, and a report that accounts for every row of the file.

Two ways lead there. The fast one lets the database read the file with the right types and looks at the result
in a few aggregates; it is taken for long tables and kept only if nothing at all is wrong. Otherwise the file
is read once more as text, every cell is judged, and what cannot be kept is listed with its line, column,
reason and value. Only where the rows themselves are broken (ragged, over-long, damaged) does Python read
them.

Rows are judged in temporary tables of any connection to DuckDB and end in a file of their own, with their report
in it: what was checked is what is saved, the transaction that saves stays short, and the file's order is kept as
`row`. Reading needs nothing of the store, so that it could happen in another process.
"""

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from data.errors import BadMapping, DiskFull
from data.export import neutral
from data.formats.delimited import (
    DELIMITERS,
    LEADING_NUMBER,
    MAX_LINE,
    Fault,
    Sniffed,
    Text,
    as_text,
    describe,
    rows,
)
from data.importing import warning_signs
from data.importing.mapping import FALSE_CHECKS, ROW, Plan, Source, Target, listed, plan
from data.kinds.answer_words import answer_sql, judgment_sql
from data.kinds.choice_words import side_sql
from data.kinds.definitions import CODED, Repeats, kind_named
from data.settings import variable_of

IMPORTER_VERSION = 1
"""Raised whenever the same file and mapping would give other rows than before."""

SHOWN_REJECTS = 10_000
LONGEST_SHOWN = 200
"""Characters of a rejected value that a report shows; a cell may have a million."""
_WHITE_SPACE = "".join(c for c in map(chr, range(0x3001)) if c.isspace())
_SQL_TYPE = {"number": "DOUBLE", "time": "TIMESTAMP"}
"""What the database reads a type as; all others as text."""
_UNREADABLE = {"number": "number", "time": "time", "judgment": "judgment"}
"""Types whose cells are left empty where they cannot be read, and what they are called then."""
_NOT_UNDERSTOOD = {
    "answer": "is none of R, P, I, N",
    "judgment": "is neither relevant (1) nor not relevant (0)",
}
"""Why a row is set aside whose cell of such a type is no word or number that is known."""
_TOLD = "raterscope"
"""The entry of a staged file that tells what it is."""
_TEMPORARY = ("rows", "read", "faults", "judged", "rejects", "errors", "scans")
_TIME_FORMS = (
    "try_cast({x} AS TIMESTAMP)",
    "CASE WHEN regexp_full_match({x}, '\\d{{10}}(\\.\\d+)?') THEN make_timestamp((try_cast({x} AS DOUBLE) * "
    "1000000)::BIGINT) WHEN regexp_full_match({x}, '\\d{{13}}') THEN make_timestamp(try_cast({x} AS BIGINT) "
    "* 1000) END",
    "try_strptime(regexp_replace({x}, ' [A-Z]{{3,4}} (\\d{{4}})$', ' \\1'), '%a %b %d %H:%M:%S %Y')",
    *(
        f"try_strptime({{x}}, ['{date} %H:%M:%S', '{date} %H:%M', '{date} %I:%M:%S %p', '{date} %I:%M %p', "
        f"'{date}'])"
        for date in ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y")
    ),
)


@dataclass(frozen=True)
class Rejects:
    """Rows set aside because something in them cannot be used, in the file's order.

    `line` (n,), `column` (n,), `reason` (n,), `value` (n,): the first 10,000 of `total`.
    """

    line: NDArray[np.int64]
    column: NDArray[np.str_]
    reason: NDArray[np.str_]
    value: NDArray[np.str_]
    total: int


@dataclass(frozen=True)
class ImportReport:
    """What became of every row of a file. `kept` + `set_aside` = `rows_read`, the rows below the header; for
    wide tables their filled cells. `set_aside` counts `check_rows`, which are stored apart from all figures,
    and the rejected rows. `reasons` counts those by column and reason. `notes` say what was assumed."""

    rows_read: int
    kept: int
    set_aside: int
    check_rows: int
    rejects: Rejects
    reasons: tuple[tuple[str, str, int], ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Staged:
    """A file's rows as they will be saved, in a Parquet file at `path`, and the report about all of them."""

    path: Path
    kind: str
    report: ImportReport

    def save(self, cursor: duckdb.DuckDBPyConnection, table: str) -> None:
        """Creates `table` with the rows and their place in the file (`row`), in the caller's transaction.

        Raises
        ------
        BadMapping
            where not one row is left to be saved.
        """
        if self.report.kept == 0:
            row = kind_named(self.kind).row
            raise BadMapping(f"no {row} can be kept from this file; the report says why for each row")
        cursor.execute(f"CREATE TABLE {table} AS SELECT * FROM read_parquet($path)", {"path": str(self.path)})


def sha256_of(path: Path, kind: str, mapping: Mapping[str, Any]) -> str:
    """What a file's rows depend on, in one hash: its bytes, kind, mapping and the importer's version."""
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256")
    digest.update(json.dumps([kind, dict(mapping), IMPORTER_VERSION]).encode())
    return digest.hexdigest()


def stage(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: Mapping[str, Any],
    target: Path,
    sha256: str,
) -> Staged:
    """Reads and judges a file and writes its rows to `target`, with the report and the hash of what made them.

    Any connection will do that may read the folder of `path`, where decoded copies are written too, and write that of
    `target`, which must be a path of its own: DuckDB remembers files by their path. Outside a transaction it is faster.

    Raises
    ------
    DataError
        where the file cannot be read at all, or the mapping does not fit it.
    """
    with _judged(cursor, path, kind, mapping) as (columns, report):
        chosen = ", ".join(_name(column) for column in columns)
        told = json.dumps({"sha256": sha256, "report": _as_json(report)})
        try:
            cursor.execute(
                f"""COPY (SELECT rowid - (SELECT min(rowid) FROM import_rows) + 1 AS "row", {chosen} FROM import_rows)
                TO {_text(str(target))} (FORMAT parquet, KV_METADATA {{{_TOLD}: {_text(told)}}})"""
            )
        except duckdb.IOException as error:
            raise DiskFull(
                f"there is no room in {target.parent} for the rows of this file; make room, or set "
                f"{variable_of('spool')} to a folder on another disk"
            ) from error
    return Staged(target, kind, report)


def reopened(cursor: duckdb.DuckDBPyConnection, path: Path, kind: str, sha256: str) -> Staged | None:
    """What `stage` left at `path` earlier; None where that is not whole or was made from something else."""
    try:
        row = cursor.execute(
            "SELECT decode(value) FROM parquet_kv_metadata($path) WHERE key = $key::BLOB",
            {"path": str(path), "key": _TOLD},
        ).fetchone()
        told = json.loads(row[0]) if row else {}
        return Staged(path, kind, _from_json(told["report"])) if told.get("sha256") == sha256 else None
    except (duckdb.IOException, duckdb.InvalidInputException, ValueError, KeyError, TypeError):
        return None


def _as_json(report: ImportReport) -> dict[str, Any]:
    rejects = {name: getattr(report.rejects, name).tolist() for name in ("line", "column", "reason", "value")}
    return asdict(report) | {"rejects": rejects | {"total": report.rejects.total}}


def _from_json(told: dict[str, Any]) -> ImportReport:
    rejects = told["rejects"]
    return ImportReport(
        **told
        | {
            "rejects": _rejects(*(rejects[name] for name in ("line", "column", "reason", "value", "total"))),
            "reasons": tuple((column, reason, rows) for column, reason, rows in told["reasons"]),
            "warnings": tuple(told["warnings"]),
            "notes": tuple(told["notes"]),
        }
    )


def _rejects(
    line: Sequence[int], column: Sequence[str], reason: Sequence[str], value: Sequence[str], total: int
) -> Rejects:
    return Rejects(
        np.array(line, dtype=np.int64),
        np.array(column, dtype=np.str_),
        np.array(reason, dtype=np.str_),
        np.array(value, dtype=np.str_),
        total,
    )


@contextmanager
def _judged(
    cursor: duckdb.DuckDBPyConnection, path: Path, kind: str, mapping: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], ImportReport]]:
    """A file's rows in `import_rows` and `import_rejects`, its columns that are stored, and the report."""
    try:
        with as_text(path, path.parent) as text:
            sniffed = describe(text, {"yes": True, "no": False}.get(str(mapping.get("@header"))))
            todo = plan(kind, mapping, sniffed)
            _drop(cursor)
            unreadable: list[str] = []
            empty = 0
            if not (_may_be_fast(todo, text, sniffed) and _read_typed(cursor, text, sniffed, todo)):
                unreadable, empty = _read_and_judge(cursor, text, sniffed, todo)
        left_out = _no_numbers_of_items(cursor, todo)
        kept = _one(cursor, "SELECT count(*) FROM import_rows")
        if kept and todo.kind.needs_further and len(left_out) == len(todo.further_numbers):
            raise BadMapping(
                f"a table of {todo.kind.name} needs at least one column of numbers, but no row that can be "
                f"kept has a number in {listed(todo.further_numbers)}; choose other columns"
            )
        columns = tuple(target.name for target in todo.targets if target.name not in left_out)
        yield columns, _report(cursor, sniffed, todo, left_out, unreadable, empty)
    finally:
        with suppress(duckdb.Error):
            _drop(cursor)


def rejects_csv(
    cursor: duckdb.DuckDBPyConnection, path: Path, kind: str, mapping: Mapping[str, Any]
) -> Iterator[bytes]:
    """All rejected rows of a file as CSV, in pieces, with formulas neutralised; it is read again for that."""
    with _judged(cursor, path, kind, mapping):
        yield b"line,column,reason,value\r\n"
        found = cursor.execute(
            'SELECT line, "column", reason, value FROM import_rejects ORDER BY line, place'
        )
        while piece := found.fetchmany(10_000):
            lines = _Lines()
            csv.writer(lines).writerows([neutral(cell) for cell in row] for row in piece)
            yield "".join(lines).encode()


class _Lines(list[str]):
    write = list.append


# --- the fast way -------------------------------------------------------------------------------------------


def _may_be_fast(todo: Plan, text: Text, sniffed: Sniffed) -> bool:
    types: dict[int, set[str]] = {}
    for target in todo.targets:
        if isinstance(target.source, int):
            types.setdefault(target.source, set()).add(_SQL_TYPE.get(target.type, "VARCHAR"))
    return (
        todo.form == "long"
        and text.regular
        and sniffed.regular
        and todo.switches["@scores"] == "numbers"
        and (todo.switches["@rejected"] == "keep" or not todo.has("status"))
        and all(isinstance(target.source, int) for target in todo.targets)
        and all(len(kinds) == 1 for kinds in types.values())
    )


def _read_typed(cursor: duckdb.DuckDBPyConnection, text: Text, sniffed: Sniffed, todo: Plan) -> bool:
    """Reads the rows with their types; False where anything is wrong with any row."""
    types = ["VARCHAR"] * len(sniffed.columns)
    for target in todo.targets:
        types[_index(target.source)] = _SQL_TYPE.get(target.type, "VARCHAR")
    chosen = ", ".join(
        f"{_as_read(f'c{target.source}', target, todo)} AS {_name(target.name)}" for target in todo.targets
    )
    try:
        cursor.execute(
            f"CREATE TEMP TABLE import_rows AS SELECT {chosen} FROM {_reader(types)}",
            _reading(text.path, sniffed.before, sniffed.delimiter, todo.switches["@decimal"]),
        )
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        _drop(cursor)
        return False
    wrong = []
    for target in todo.targets:
        name = _name(target.name)
        if target.filled:
            wrong.append(_is_empty(target, name))
        if target.type in ("number", "time"):
            wrong.append(f"NOT isfinite({name})")
        if target.column and target.column.positive:
            wrong.append(f"{name} <= 0")
    judged = [
        f"SELECT count(*) - {text.lines - sniffed.before} FROM import_rows",  # else lines are not rows
        "SELECT count(*) FROM import_errors",
        f"SELECT count(*) FROM import_rows WHERE {' OR '.join(wrong)}",
    ]
    judged += [
        f"SELECT count(*) FILTER (name <> {_trimmed('name')}) FROM (SELECT DISTINCT "
        f"{_name(target.name)} AS name FROM import_rows)"
        for target in todo.targets
        if target.type == "text"
    ]
    if todo.compared:
        judged.append(
            # a WHERE would be carried below DISTINCT, and every row be looked at
            f"SELECT count(*) FILTER ({' OR '.join(problem.condition for problem in _comparisons(todo))}) "
            f"FROM (SELECT DISTINCT {', '.join(todo.compared)} FROM import_rows)"
        )
    if todo.set_aside:
        key = _key(todo, todo.set_aside)
        judged.append(f"SELECT count(*) - count(DISTINCT ({key})) FROM import_rows")
    for statement in judged:
        if _one(cursor, statement):
            _drop(cursor)
            return False
    cursor.execute(
        'CREATE TEMP TABLE import_rejects (line BIGINT, "column" VARCHAR, reason VARCHAR, value VARCHAR, '
        "place BIGINT)"
    )
    return True


def _as_read(cell: str, target: Target, todo: Plan) -> str:
    """A cell that was read with its type; a word that is not understood is an error."""
    if target.name == "check":
        return _real_check(cell)
    if target.type in CODED:
        word = _understood(cell, target, todo)
        return f"CASE WHEN {cell} IS NULL OR {word} IS NOT NULL THEN {word} ELSE error('unknown') END"
    return cell


def _reader(types: list[str], options: str = "") -> str:
    """A `read_csv` with nothing left to guess; what it cannot read is counted in `import_errors`."""
    columns = ", ".join(f"'c{number}': '{type}'" for number, type in enumerate(types))
    options = options or (
        f"max_line_size={2 * MAX_LINE}, store_rejects=true, rejects_table='import_errors', "
        "rejects_scan='import_scans', rejects_limit=1"
    )
    return (
        f"read_csv($path, skip=$skip, delim=$delimiter, decimal_separator=$decimal, columns={{{columns}}}, "
        f"header=false, auto_detect=false, quote='\"', escape='\"', {options})"
    )


_WRITTEN_BY_US = f"new_line='\\n', max_line_size={10 * MAX_LINE}"


def _reading(path: Path, skip: int, delimiter: str, decimal: str = ".") -> dict[str, object]:
    return {"path": str(path), "skip": skip, "delimiter": delimiter, "decimal": decimal}


# --- the thorough way ---------------------------------------------------------------------------------------


def _read_and_judge(
    cursor: duckdb.DuckDBPyConnection, text: Text, sniffed: Sniffed, todo: Plan
) -> tuple[list[str], int]:
    """Reads all cells as text and sorts the rows into `import_rows` and `import_rejects`; returns sentences
    about optional cells that could not be read, and how many cells of a wide table are empty."""
    used = sorted({index for target in todo.targets for index in _indices(target.source)})
    faulty = _read_raw(cursor, text, sniffed, used)
    _judge(cursor, sniffed, todo)
    empty = 0
    if todo.wide:
        cells = _one(cursor, "SELECT count(*) FROM import_raw") * len(todo.wide)
        empty = cells - _one(cursor, "SELECT count(*) FROM import_judged")
    _drop(cursor, "read")
    _collect_rejects(cursor, sniffed, todo, faulty)
    typed = ", ".join(_name(target.name) for target in todo.targets)
    cursor.execute(
        f'CREATE TEMP TABLE import_rows AS SELECT {typed} FROM import_judged WHERE "@problem" IS NULL'
    )
    unreadable = _unreadable(cursor, sniffed, todo)
    _drop(cursor, "judged")
    return unreadable, empty


def _read_raw(cursor: duckdb.DuckDBPyConnection, text: Text, sniffed: Sniffed, used: list[int]) -> bool:
    """`import_raw`: line and the used columns as text. True where Python had to read, which leaves
    the faulty rows in `import_faults`."""
    columns = ", ".join(f"c{index}" for index in used)
    if text.regular and sniffed.regular:
        with suppress(duckdb.InvalidInputException):
            cursor.execute(
                f"CREATE TEMP TABLE import_read AS SELECT {columns} FROM "
                f"{_reader(['VARCHAR'] * len(sniffed.columns))}",
                _reading(text.path, sniffed.before, sniffed.delimiter),
            )
            lines_as_rows = _one(cursor, "SELECT count(*) FROM import_read") == text.lines - sniffed.before
            if lines_as_rows and not _one(cursor, "SELECT count(*) FROM import_errors"):
                cursor.execute(
                    "CREATE TEMP VIEW import_raw AS SELECT rowid - (SELECT min(rowid) FROM import_read) + "
                    f"{sniffed.before + 1} AS line, {columns} FROM import_read"
                )
                return False
        _drop(cursor)
    sound, faulty = text.path.with_name("rows.csv"), text.path.with_name("faults.csv")
    try:
        _repair(text.path, sniffed, used, sound, faulty)
        for table, path, names in (
            ("import_read", sound, ["line", *(f"c{index}" for index in used)]),
            ("import_faults", faulty, ["line", "reason", "value"]),
        ):
            types = ["BIGINT", *["VARCHAR"] * (len(names) - 1)]
            named = ", ".join(f"c{at} AS {name}" for at, name in enumerate(names))
            cursor.execute(
                f"CREATE TEMP TABLE {table} AS SELECT {named} FROM {_reader(types, _WRITTEN_BY_US)}",
                _reading(path, 0, ","),
            )
        cursor.execute("CREATE TEMP VIEW import_raw AS SELECT * FROM import_read")
    finally:
        sound.unlink(missing_ok=True)
        faulty.unlink(missing_ok=True)
    return True


def _repair(path: Path, sniffed: Sniffed, used: list[int], sound: Path, faulty: Path) -> None:
    """Writes the used cells of all sound rows, with their line, and apart from them the rows that are not."""
    width = len(sniffed.columns)
    with (
        sound.open("w", encoding="utf-8", newline="") as sound_file,
        faulty.open("w", encoding="utf-8", newline="") as faulty_file,
    ):
        write_row = csv.writer(sound_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        write_fault = csv.writer(faulty_file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
        for row in rows(path, sniffed.before, sniffed.delimiter):
            if isinstance(row, Fault):
                write_fault([row.line, row.reason, row.value])
            elif len(row.cells) == width or (len(row.cells) > width and not any(row.cells[width:])):
                write_row([row.line, *[row.cells[index] for index in used]])
            else:
                cells = "1 cell" if len(row.cells) == 1 else f"{len(row.cells):,} cells"
                said = f"the row has {cells} where the header has {width:,}"
                if not sniffed.header:
                    said = f"the row has {cells} where the first row has {width:,}"
                write_fault([row.line, said, sniffed.delimiter.join(row.cells)[:200]])


def _judge(cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, todo: Plan) -> None:
    """`import_judged`: each row with typed columns, its cells as text, and the number of its first
    problem."""
    cells = ['line AS "@line"']
    for target in todo.targets:
        if target.source == ROW:
            source = "'row ' || (row_number() OVER ())::VARCHAR"
        elif isinstance(target.source, int):
            source = f"c{target.source}"
        elif target.names:
            source = f"unnest([{', '.join(_text(name) for name in target.names)}])"
        else:
            source = f"unnest([{', '.join(f'c{index}' for index in _indices(target.source))}])"
        cells.append(f"{source} AS {_cell(target)}")
    cells.append(f'{f"unnest(range({len(todo.wide)}))" if todo.wide else "0"} AS "@place"')
    trimmed = ['"@line"', '"@place"']
    for target in todo.targets:
        cell = _cell(target)
        trimmed.append(f"nullif({cell if target.type == 'free text' else _trimmed(cell)}, '') AS {cell}")
    typed = ["*"]
    typed += [
        f"{_typed(cursor, target, todo)} AS {_name(target.name)}"
        for target in todo.targets
        if _cell(target) != _name(target.name)
    ]
    cases = " ".join(
        f"WHEN {problem.condition} THEN {number}" for number, problem in enumerate(_problems(todo))
    )
    filled = f"WHERE {_cell(todo.target(todo.kind.cells))} IS NOT NULL" if todo.wide else ""
    cursor.execute(
        f"""CREATE TEMP TABLE import_judged AS
        WITH cells AS (SELECT {", ".join(cells)} FROM import_raw),
        trimmed AS (SELECT {", ".join(trimmed)} FROM cells),
        typed AS (SELECT {", ".join(typed)} FROM trimmed {filled})
        SELECT *, CASE {cases} END AS "@problem" FROM typed"""
    )
    if todo.set_aside:
        key = _key(todo, todo.set_aside)
        real = 'AND "check" IS NULL' if todo.has("check") else ""
        first = len(_problems(todo)) - len(_repetitions(todo))
        others = ", ".join(_name(name) for name in todo.further_numbers)
        differs = f"row({others}) IS DISTINCT FROM first_value(row({others})) OVER same"
        cursor.execute(
            f"""UPDATE import_judged SET "@problem" = {first} + differs FROM (
                SELECT rowid AS id, row_number() OVER same AS nth,
                    ({differs if todo.set_aside.differing else "0"})::BIGINT AS differs
                FROM import_judged WHERE "@problem" IS NULL {real}
                WINDOW same AS (PARTITION BY {key} ORDER BY rowid)
            ) AS repeated WHERE import_judged.rowid = id AND nth > 1"""
        )


def _key(todo: Plan, repeats: Repeats) -> str:
    """Two options are the same pair in either order."""
    options = todo.compared[1:] if todo.compared else ()
    names = [_name(name) for name in repeats.key if todo.has(name) and name not in options]
    if options:
        names += [f"{end}({', '.join(options)})" for end in ("least", "greatest")]
    return ", ".join(names)


@dataclass(frozen=True)
class _Problem:
    column: str
    reason: str
    condition: str = "FALSE"


def _problems(todo: Plan) -> list[_Problem]:
    """What keeps a row out, the first that holds counts."""
    found = []
    filled = [column for column in todo.kind.columns if column.filled and todo.has(column.name)]
    for column in sorted(filled, key=lambda column: column.type == "number"):
        target = todo.target(column.name)
        found.append(_Problem(column.name, f"the {column.called} is empty", _is_empty(target, _cell(target))))
    wrong_number = "is not a number"
    if todo.switches["@scores"] == "leading number":
        wrong_number = "does not begin with a number"
    elif todo.switches["@decimal"] == ",":
        wrong_number = "is not a number with a decimal comma"
    for column in filled:
        if column.type in _NOT_UNDERSTOOD:
            reason = f"the {column.called} {_NOT_UNDERSTOOD[column.type]}"
            found.append(_Problem(column.name, reason, f"{_name(column.name)} IS NULL"))
        if column.type != "number":
            continue
        name = _name(column.name)
        found.append(_Problem(column.name, f"the {column.called} {wrong_number}", f"{name} IS NULL"))
        found.append(
            _Problem(column.name, f"the {column.called} is not a finite number", f"NOT isfinite({name})")
        )
        if column.positive:
            found.append(_Problem(column.name, f"the {column.called} is not above 0", f"{name} <= 0"))
    found += _comparisons(todo)
    if todo.switches["@rejected"] == "set aside" and todo.has("status"):
        found.append(_Problem("status", "the assignment was rejected", f"status {warning_signs.REJECTED}"))
    return [*found, *_repetitions(todo)]


def _comparisons(todo: Plan) -> list[_Problem]:
    """What a row that says which of two options was chosen must not be, where all three are told."""
    if todo.compared is None:
        return []
    choice, option_a, option_b = todo.compared
    side = side_sql(choice, option_a, option_b, todo.switches["@numbers"])
    return [
        _Problem(option_b, "the two options are the same system", f"{option_a} = {option_b}"),
        _Problem(
            choice,
            f"the {choice} is none of the two options, both, neither or a tie",
            f"{side} IS NULL",
        ),
    ]


def _repetitions(todo: Plan) -> list[_Problem]:
    """Why a row that repeats an earlier one is set aside: no condition of the row alone tells it."""
    if todo.set_aside is None:
        return []
    reasons = [todo.set_aside.reason, todo.set_aside.differing]
    return [_Problem(todo.set_aside.column, reason) for reason in reasons if reason]


def _typed(cursor: duckdb.DuckDBPyConnection, target: Target, todo: Plan) -> str:
    cell = _cell(target)
    if target.name == "check":
        return _real_check(cell)
    if target.type == "time":
        return _time(cursor, target)
    if target.type in CODED:
        return _understood(cell, target, todo)
    if target.type != "number":
        return cell
    if target.filled and todo.switches["@scores"] == "leading number":
        cell = f"coalesce(nullif(regexp_extract({cell}, {_text(LEADING_NUMBER)}, 1), ''), {cell})"
    if todo.switches["@decimal"] == ",":
        return f"CASE WHEN NOT contains({cell}, '.') THEN try_cast(replace({cell}, ',', '.') AS DOUBLE) END"
    return f"try_cast({cell} AS DOUBLE)"


def _understood(cell: str, target: Target, todo: Plan) -> str:
    """What the word or number in a cell says, as it is stored; NULL where that is not known."""
    if target.type == "answer":
        return answer_sql(cell, todo.switches["@answers"])
    return judgment_sql(cell)


def _time(cursor: duckdb.DuckDBPyConnection, target: Target) -> str:
    """The way to read this column's times under which most of them can be read: one way for all of them,
    because a mixture of days and months would shuffle the order."""
    forms = [form.format(x="x") for form in _TIME_FORMS]
    counts = ", ".join(f"count({form})" for form in forms)
    column = f"c{_indices(target.source)[0]}"
    found = cursor.execute(
        f"SELECT {counts} FROM (SELECT trim({column}) AS x FROM import_raw WHERE {column} IS NOT NULL LIMIT "
        "10000)"
    ).fetchone()
    assert found is not None
    best = max(range(len(forms)), key=lambda number: (found[number], -number))
    return _TIME_FORMS[best].format(x=_cell(target))


def _collect_rejects(cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, todo: Plan, faulty: bool) -> None:
    columns, reasons, values = [], [], []
    for number, problem in enumerate(_problems(todo)):
        target = todo.target(problem.column)
        columns.append(f"WHEN {number} THEN {_source_name(target, sniffed, todo)}")
        reasons.append(f"WHEN {number} THEN {_text(problem.reason)}")
        values.append(f"WHEN {number} THEN {_cell(target)}")
    faults = "UNION ALL SELECT line, '', reason, value, 0 FROM import_faults" if faulty else ""
    cursor.execute(
        f"""CREATE TEMP TABLE import_rejects AS
        SELECT "@line" AS line, CASE "@problem" {" ".join(columns)} END AS "column",
            CASE "@problem" {" ".join(reasons)} END AS reason,
            coalesce(CASE "@problem" {" ".join(values)} END, '') AS value, "@place" AS place
        FROM import_judged WHERE "@problem" IS NOT NULL {faults}"""
    )


def _source_name(target: Target, sniffed: Sniffed, todo: Plan) -> str:
    """The column of the file that a value came from, as SQL; in wide tables it depends on the place."""
    if isinstance(target.source, int):
        return _text(sniffed.names[target.source])
    if target.source == ROW:
        return "''"
    names = [sniffed.names[index] for index in (_indices(target.source) or todo.wide)]
    return f'[{", ".join(_text(name) for name in names)}]["@place" + 1]'


def _unreadable(cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, todo: Plan) -> list[str]:
    said = []
    for target in todo.targets:
        if target.filled or target.type not in _UNREADABLE:
            continue
        found = cursor.execute(
            f"""SELECT count(*), arg_min({_cell(target)}, "@line"), min("@line") FROM import_judged
            WHERE {_cell(target)} IS NOT NULL AND ({_name(target.name)} IS NULL OR NOT
            isfinite({_name(target.name)})) AND "@problem" IS NULL"""
        ).fetchone()
        if found and found[0]:
            what = _UNREADABLE[target.type]
            cells, are = ("1 cell", "is") if found[0] == 1 else (f"{found[0]:,} cells", "are")
            said.append(
                f'{cells} of "{target.label}" could not be read as a {what} and {are} left empty, the first '
                f'in line {found[2]:,}: "{str(found[1])[:60]}".'
            )
            cursor.execute(
                f"UPDATE import_rows SET {_name(target.name)} = NULL WHERE NOT isfinite({_name(target.name)})"
            )
    return said


# --- the report ---------------------------------------------------------------------------------------------


def _report(
    cursor: duckdb.DuckDBPyConnection,
    sniffed: Sniffed,
    todo: Plan,
    left_out: Mapping[str, str],
    unreadable: list[str],
    empty: int,
) -> ImportReport:
    staged_rows = _one(cursor, "SELECT count(*) FROM import_rows")
    check_rows = _one(cursor, 'SELECT count("check") FROM import_rows') if todo.has("check") else 0
    total = _one(cursor, "SELECT count(*) FROM import_rejects")
    shown = cursor.execute(
        f"""SELECT line, "column", reason,
            CASE WHEN length(value) > {LONGEST_SHOWN} THEN left(value, {LONGEST_SHOWN - 1}) || '…' ELSE value END
        FROM import_rejects ORDER BY line, place LIMIT {SHOWN_REJECTS}"""
    ).fetchall()
    line, column, reason, value = zip(*shown, strict=True) if shown else ((), (), (), ())
    reasons = cursor.execute(
        'SELECT "column", reason, count(*) AS n FROM import_rejects GROUP BY ALL ORDER BY n DESC, "column", '
        "reason LIMIT 100"
    ).fetchall()
    warnings = warning_signs.found(cursor, todo)
    return ImportReport(
        rows_read=staged_rows + total,
        kept=staged_rows - check_rows,
        set_aside=total + check_rows,
        check_rows=check_rows,
        rejects=_rejects(line, column, reason, value, total),
        reasons=tuple((str(column), str(reason), int(count)) for column, reason, count in reasons),
        warnings=(*warnings, *unreadable),
        notes=_notes(sniffed, todo, left_out, empty),
    )


def _notes(sniffed: Sniffed, todo: Plan, left_out: Mapping[str, str], empty: int) -> tuple[str, ...]:
    said = list(sniffed.problems)
    said.append(
        f"Read as {sniffed.encoding.upper()} with {DELIMITERS[sniffed.delimiter]}s between columns and a "
        f"decimal {'comma' if todo.switches['@decimal'] == ',' else 'point'}. Ids are kept as they are; only "
        "white space around them is removed."
    )
    if todo.wide:
        said.append(
            f"Each filled cell of {len(todo.wide):,} columns is one {todo.kind.row}"
            + (f"; {empty:,} {'is' if empty == 1 else 'are'} empty: no {todo.kind.row}." if empty else ".")
        )
    said += [f'"{name}" {why}; it is not stored.' for name, why in left_out.items()]
    return tuple(said)


def _no_numbers_of_items(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Mapping[str, str]:
    """Further columns that are not one number per item, and so no reference to compare with, and why."""
    extra = todo.further_numbers
    if not extra:
        return {}
    what = todo.kind.numbered
    if todo.wide and todo.kind.forms[todo.form] in todo.kind.numbers_of:
        return dict.fromkeys(extra, f"stands beside all {what}s of a row, so it is no number of one {what}")
    ranges = ", ".join(
        f"min({_name(name)}) AS low{at}, max({_name(name)}) AS high{at}" for at, name in enumerate(extra)
    )
    differ = ", ".join(f"bool_or(low{at} <> high{at})" for at in range(len(extra)))
    found = cursor.execute(
        f"SELECT {differ} FROM (SELECT {ranges} FROM import_rows GROUP BY {', '.join(todo.kind.numbers_of)})"
    ).fetchone()
    assert found is not None
    why = {None: "holds no number", True: f"differs within {what}s, so it is no number of the {what}"}
    return {name: why[differs] for name, differs in zip(extra, found, strict=True) if differs is not False}


# --- SQL ----------------------------------------------------------------------------------------------------


def _one(cursor: duckdb.DuckDBPyConnection, statement: str) -> int:
    found = cursor.execute(statement).fetchone()
    return int(found[0]) if found else 0


def _drop(cursor: duckdb.DuckDBPyConnection, *tables: str) -> None:
    """Frees the memory of these temporary tables, by default of all."""
    cursor.execute("DROP VIEW IF EXISTS temp.import_raw")
    for table in tables or _TEMPORARY:
        cursor.execute(f"DROP TABLE IF EXISTS temp.import_{table}")


def _index(source: Source) -> int:
    return _indices(source)[0]


def _indices(source: Source) -> tuple[int, ...]:
    if isinstance(source, int):
        return (source,)
    return source if isinstance(source, tuple) else ()


def _is_empty(target: Target, cell: str) -> str:
    """Ids are trimmed before, texts are stored as they are: only white space is as good as nothing."""
    return f"coalesce({_trimmed(cell)}, '') = ''" if target.type == "free text" else f"{cell} IS NULL"


def _cell(target: Target) -> str:
    """The column that holds a target's cells as text; no column of a file can have such a name."""
    as_it_is = target.type in ("text", "free text") and target.name != "check"
    return _name(target.name if as_it_is else f"@text of {target.name}")


def _trimmed(cell: str) -> str:
    """Without white space at its ends; the slow `trim` only sees what does not begin and end with
    plain ASCII."""
    ends = f"unicode({cell}) BETWEEN 33 AND 126 AND unicode(right({cell}, 1)) BETWEEN 33 AND 126"
    return f"CASE WHEN {ends} THEN {cell} ELSE trim({cell}, {_text(_WHITE_SPACE)}) END"


def _real_check(cell: str) -> str:
    """A check column that says 'no' marks no check row."""
    return (
        f"CASE WHEN lower({cell}) NOT IN ({', '.join(_text(word) for word in FALSE_CHECKS)}) THEN {cell} END"
    )


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
