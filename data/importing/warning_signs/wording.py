# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""The words and rows that the warnings of several kinds share."""

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb

from data.mapping.plan import Plan

REJECTED = "SIMILAR TO '(?i)(reject|return|timed).*'"
FEW = 5


def real(todo: Plan) -> str:
    return 'WHERE "check" IS NULL' if todo.has("check") else ""


def about_repeats(
    cursor: duckdb.DuckDBPyConnection, todo: Plan, one: str, many: str, same: str
) -> Iterable[str]:
    repeats = todo.kind.repeats
    if repeats is None or todo.switches["@duplicates"] != "keep":
        return
    key = ", ".join(name for name in repeats.key if todo.has(name))
    (repeated,) = first_row(cursor, f"SELECT count(*) - count(DISTINCT hash({key})) FROM import_rows")
    if repeated:
        yield f"{number_of(repeated, one, many)} an earlier row (same {same}); all are kept."


def first_row(
    cursor: duckdb.DuckDBPyConnection, statement: str, values: Sequence[str] = ()
) -> tuple[Any, ...]:
    warnings_about = cursor.execute(statement, list(values)).fetchone()
    assert warnings_about is not None
    return warnings_about


def has(n: int) -> str:
    return "has" if n == 1 else "have"


def number_of(n: int, one: str, many: str = "") -> str:
    return f"1 {one}" if n == 1 else f"{n:,} {many or one + 's'}"


def shortened(name: str) -> str:
    return name if len(name) <= 60 else name[:59] + "…"
