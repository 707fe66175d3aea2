# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""The words and rows that the warnings of several kinds share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from analysis.values.names import shorten, thousands
from data.mapping.plan import Plan

REPEATED, ALONE = 1 / 3, 1 / 2
"""Shares of repeated rows, and of items with one row, from which nothing is concluded without saying so."""


@dataclass(frozen=True)
class Doubt:
    """A warning that every finding carries: its sentence in the report, and the clause in a finding's sentence."""

    sentence: str
    clause: str


@dataclass(frozen=True)
class Remark:
    """A remark that is nothing to worry about: a note in the report."""

    sentence: str


@dataclass(frozen=True)
class Unrepeated:
    """Nobody rated an item twice: no sentence, but sums need not look for it again."""


@dataclass(frozen=True)
class Who:
    """Number of items the rows are of, how many raters they come from (none where they are unknown), and how many of
    each group that is named: no sentence, but the report need not count again."""

    items: int
    raters: int
    groups: tuple[tuple[str, int], ...]


Sign = str | Doubt | Remark | Unrepeated | Who
REJECTED = "SIMILAR TO '(?i)(reject|return|timed).*'"
FEW = 5
SHOWN_GROUPS = 50
"""Groups of which a report tells how many raters they have."""


def real(todo: Plan) -> str:
    return 'WHERE "check" IS NULL' if todo.has("check") else ""


def about_repeats(
    cursor: duckdb.DuckDBPyConnection, todo: Plan, one: str, many: str, same: str
) -> Iterable[Sign]:
    repeats = todo.kind.repeats
    if repeats is None or todo.switches["@duplicates"] != "keep":
        return
    key = ", ".join(name for name in repeats.key if todo.has(name))
    rows, repeated = first_row(
        cursor, f"SELECT count(*), count(*) - count(DISTINCT hash({key})) FROM import_rows"
    )
    if repeated:
        sentence = f"{number_of(repeated, one, many)} an earlier row (same {same}); all are kept."
        yield doubted_repeats(todo, repeated, rows, sentence)


def about_rejected(cursor: duckdb.DuckDBPyConnection, todo: Plan, one: str, many: str) -> Iterable[Sign]:
    if not todo.has("status") or todo.switches["@rejected"] != "keep":
        return
    (rejected,) = first_row(
        cursor, f"SELECT count(*) FILTER (status {REJECTED}) FROM import_rows {real(todo)}"
    )
    if rejected:
        yield (
            f"{number_of(rejected, one, many)} from assignments whose status says rejected, returned or timed out; "
            "they are kept."
        )


def doubted_repeats(todo: Plan, repeated: int, rows: int, sentence: str) -> Sign:
    """A sentence on rows that repeat what the same rater said before; in doubt where these are many."""
    if repeated < REPEATED * rows:
        return sentence
    return Doubt(sentence, f"{100 * repeated / rows:.0f}% of the {todo.kind.rows} repeat an item and a rater")


def counted_once(todo: Plan) -> str:
    """A sentence on figures that compare raters; nothing where rater ids are slots."""
    return "" if todo.switches["@raters"] == "slots" else " Where raters are compared, they count once."


def doubted_alone(todo: Plan, alone: int, items: int, sentence: str) -> Sign:
    """A sentence on items with one row; in doubt where these are most."""
    if alone <= ALONE * items:
        return sentence
    of = "all" if alone == items else f"{100 * alone / items:.0f}% of the"
    return Doubt(sentence, f"{of} {todo.kind.items} have only one {todo.kind.row}")


def first_row(
    cursor: duckdb.DuckDBPyConnection, statement: str, values: Sequence[str] = ()
) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = cursor.execute(statement, list(values)).fetchone()
    assert row is not None
    return row


def has(n: int) -> str:
    return "has" if n == 1 else "have"


def number_of(n: int, one: str, many: str = "") -> str:
    return f"1 {one}" if n == 1 else f"{thousands(n)} {many or one + 's'}"


def shortened(name: str) -> str:
    return shorten(name, 60)
