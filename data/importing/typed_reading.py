# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts by `literal`; values are parameters
"""Read a valid file in one pass with its types; a file with any invalid row is left to `judging`."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from data.engines.schema import quoted
from data.importing.cells import (
    check_value,
    drop_tables,
    fetch_number,
    index,
    indices,
    is_computable,
    is_empty,
    is_one_of,
    is_too_long,
    joined_sql,
    make_rejects,
    missing_sql,
    part_sql,
    store_rows,
    trimmed_sql,
)
from data.importing.delimited_reading import CANNOT_READ, csv_options, read_csv
from data.importing.judging import comparison_problems, matches_word, parse_value, repeat_key
from data.kinds.kind import CODED
from data.kinds.likely_names import MEANS
from data.mapping.plan import Plan, Target
from data.tables.sniffed import Sniffed
from data.tables.text import MAX_LINE, Columns, Text

_SQL_TYPE = {"number": "DOUBLE", "time": "TIMESTAMP"}
"""Database types of our types; all others are read as text."""
_SAME_AS_TEXT = {
    "DOUBLE": (
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "DOUBLE"),
    ),
    "TIMESTAMP": ("TIMESTAMP", "DATE"),
}
"""Types of a file's columns that convert to these without parsing their text."""
_IS_UNSOUND = f"contains(name, chr(0)) OR strlen(name) > {MAX_LINE}"
"""SQL condition for a value that could not be read from a line of text."""


def can_read_typed(plan: Plan, text: Text, sniffed: Sniffed) -> bool:
    types: dict[int, set[str]] = {}
    for target in plan.targets:
        for position in indices(target.source):
            types.setdefault(position, set()).add(_SQL_TYPE.get(target.type, "VARCHAR"))
    return (
        plan.form == "long"
        and text.regular
        and sniffed.regular
        and plan.switches["@scores"] == "numbers"
        and plan.counted is None
        and (plan.switches["@rejected"] == "keep" or not plan.has("status"))
        and all(isinstance(target.source, int) or target.joined for target in plan.targets)
        and all(position < sniffed.width for position in types)
        and (text.columns is None or all(_is_equal(target, text.columns) for target in plan.targets))
        and all(len(kinds) == 1 for kinds in types.values())
        and not any(target.values for target in plan.targets)
        and not (plan.missing and plan.target(plan.cells).type in CODED)
    )


def _is_equal(target: Target, columns: Columns) -> bool:
    sql_type = _SQL_TYPE.get(target.type)
    return sql_type is None or columns.types[index(target.source)] in _SAME_AS_TEXT[sql_type]


def read_typed(
    cursor: duckdb.DuckDBPyConnection, text: Text, sniffed: Sniffed, plan: Plan, packed: Path | None
) -> bool:
    """Read the rows with their types, into the file `packed` if given; return False if any row is invalid."""
    types = ["VARCHAR"] * sniffed.width
    for target in plan.targets:
        for position in indices(target.source):
            types[position] = _SQL_TYPE.get(target.type, "VARCHAR")
    select_list = ", ".join(
        f"{_typed_value(target, plan)} AS {quoted(target.name)}" for target in plan.targets
    )
    source, values = (
        read_csv(types),
        csv_options(text.path, sniffed.before, sniffed.delimiter, plan.switches["@decimal"]),
    )
    if text.columns:
        source, values = _select_as_text(text.columns, types), {}
    try:
        store_rows(cursor, f"SELECT {select_list} FROM {source}", packed, values)
    except CANNOT_READ:
        drop_tables(cursor, packed=packed)
        return False
    conditions = []
    for target in plan.targets:
        name = quoted(target.name)
        if target.filled:
            conditions.append(is_empty(target, name))
        if target.type == "number":
            conditions.append(f"NOT {is_computable(name)}")
        if target.type == "time":
            conditions.append(f"NOT isfinite({name})")
        if target.column and target.column.positive:
            conditions.append(f"{name} <= 0")
        if target.type == "number" and target.name == plan.cells and plan.missing_numbers:
            conditions.append(is_one_of(name, plan.missing_numbers))
    checks = [
        f"SELECT count(*) - {text.lines - sniffed.before} FROM import_rows",  # else lines are not rows
        f"SELECT count(*) FROM import_rows WHERE {' OR '.join(conditions)}",
    ]
    is_invalid = _IS_UNSOUND if text.columns else "FALSE"
    checks += [
        f"SELECT count(*) FILTER (name <> {trimmed_sql('name')} OR {is_invalid} OR "
        f"{is_too_long('name') if target.holds_names else 'FALSE'}{_is_missing(target, plan)}) "
        f"FROM (SELECT DISTINCT {quoted(target.name)} AS name FROM import_rows)"
        for target in plan.targets
        if target.type == "text"
    ]
    checks += [
        f"SELECT count(*) FROM (SELECT {quoted(target.name)} AS name FROM import_rows) WHERE {is_invalid}"
        for target in plan.targets
        if target.type == "free text" and text.columns
    ]
    if plan.compared:
        checks.append(
            # a WHERE would be pushed below DISTINCT and evaluated for every row
            f"SELECT count(*) FILTER ({' OR '.join(problem.condition for problem in comparison_problems(plan))}) "
            f"FROM (SELECT DISTINCT {', '.join(plan.compared)} FROM import_rows)"
        )
    if plan.set_aside:
        key = repeat_key(plan, plan.set_aside)
        checks.append(f"SELECT count(*) - count(DISTINCT ({key})) FROM import_rows")
    for statement in checks:
        if fetch_number(cursor, statement):
            drop_tables(cursor, packed=packed)
            return False
    make_rejects(cursor)
    return True


def _is_missing(target: Target, plan: Plan) -> str:
    """Return the condition that an answer is a missing code, or that the rater is a mean."""
    if target.name == "rater_id":
        return f" OR {matches_word('name', MEANS)}"
    return f" OR {missing_sql('name', plan)}" if plan.missing and target.name == plan.cells else ""


def _select_as_text(columns: Columns, types: Sequence[str]) -> str:
    """Select a typed file's columns as if they were read as text: an empty text is NULL."""
    cells = ", ".join(
        f"nullif(CAST(c{position} AS VARCHAR), '') AS c{position}"
        if type == "VARCHAR"
        else f"CAST(c{position} AS {type}) AS c{position}"
        for position, type in enumerate(types)
    )
    return f"(SELECT {cells} FROM {columns.relation})"


def _typed_value(target: Target, plan: Plan) -> str:
    """Return SQL for a cell that was read with its type; an unknown word is an error."""
    cell = f"c{index(target.source)}"
    if target.joined:
        cell = joined_sql(part_sql(position) for position in indices(target.source))
    if target.name == "check":
        return check_value(cell)
    if target.type in CODED:
        word = parse_value(cell, target, plan)
        return f"CASE WHEN {cell} IS NULL OR {word} IS NOT NULL THEN {word} ELSE error('unknown') END"
    return cell
