"""A content hash tells every two tables apart that differ in one cell, and no two that only lie differently."""

import hashlib
import json
import math
import struct
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import DataError
from data.transfer import interchange

ID = "0" * 32
TABLE = f"rows_{ID}"
COLUMNS = {"row": "BIGINT", "item": "VARCHAR", "text": "VARCHAR", "score": "DOUBLE", "at": "TIMESTAMP"}
INFINITE = "infinity"
TEXTS = (
    st.none()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
    | st.sampled_from(["", ":", "1:a"])
)
NUMBERS = st.none() | st.floats() | st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0])
TIMES = st.none() | st.datetimes(datetime(1, 1, 1), datetime(9999, 1, 1)) | st.just(INFINITE)
CELLS = st.tuples(TEXTS, TEXTS, NUMBERS, TIMES)
FORMS = (TEXTS, TEXTS, NUMBERS, TIMES)


@pytest.fixture(scope="module")
def cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as cursor:
        yield cursor


def hash_of(cursor: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> str:
    declared = ", ".join(f'"{name}" {type}' for name, type in COLUMNS.items())
    cursor.execute(f"CREATE OR REPLACE TABLE {TABLE} ({declared})")
    if rows:
        places = ", ".join(["(?, ?, ?, ?, ?)"] * len(rows))
        cursor.execute(f"INSERT INTO {TABLE} VALUES {places}", [cell for row in rows for cell in row])
    return interchange.hash_dataset(cursor, ID)


def numbered(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(place, *row) for place, row in enumerate(rows, 1)]


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit; all that is not a number is one value."""
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or struct.pack("d", one) == struct.pack("d", other)
    return type(one) is type(other) and one == other


@given(st.lists(CELLS, min_size=1, max_size=4), st.data())
def test_any_other_value_in_any_cell_is_another_hash(
    cursor: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, 3))
    was = rows[at][column]
    becomes = data.draw(FORMS[column].filter(lambda value: not same(value, was)))
    changed = [*rows[:at], (*rows[at][:column], becomes, *rows[at][column + 1 :]), *rows[at + 1 :]]
    assert hash_of(cursor, numbered(changed)) != hash_of(cursor, numbered(rows))


@given(st.permutations(range(5)), st.lists(CELLS, min_size=5, max_size=5))
def test_the_order_in_which_rows_lie_does_not_matter(
    cursor: duckdb.DuckDBPyConnection, order: list[int], rows: list[tuple[Any, ...]]
) -> None:
    lying = numbered(rows)
    assert hash_of(cursor, [lying[place] for place in order]) == hash_of(cursor, lying)


PLAIN = [("a", "x", 1.0, None), ("b", "y", 2.0, None)]


@pytest.mark.parametrize(
    "other",
    [
        [(1, *PLAIN[1]), (2, *PLAIN[0])],  # places exchanged
        [(1, *PLAIN[0])],
        [(1, *PLAIN[0]), (2, *PLAIN[1]), (2, *PLAIN[1])],
        [(1, *PLAIN[0]), (3, *PLAIN[1])],
        [(1, *PLAIN[0]), (None, *PLAIN[1])],
        [(1, "ax", "", 1.0, None), (2, *PLAIN[1])],
        [(1, "a", "x", 2.0, None), (2, "b", "y", 1.0, None)],  # one column's cells exchanged
        [],
    ],
)
def test_other_places_lengths_and_neighbours_are_other_hashes(
    cursor: duckdb.DuckDBPyConnection, other: list[tuple[Any, ...]]
) -> None:
    assert hash_of(cursor, other) != hash_of(cursor, numbered(PLAIN))


def test_column_names_types_and_order_count(cursor: duckdb.DuckDBPyConnection) -> None:
    found = set()
    for columns in (
        "1::BIGINT AS a, 'x' AS b",
        "1::BIGINT AS b, 'x' AS a",
        "'x' AS b, 1::BIGINT AS a",
        "1.0::DOUBLE AS a, 'x' AS b",
    ):
        cursor.execute(f"CREATE OR REPLACE TABLE {TABLE} AS SELECT {columns}")
        found.add(interchange.hash_dataset(cursor, ID))
    assert len(found) == 4


def test_the_hash_is_what_its_description_says(cursor: duckdb.DuckDBPyConnection) -> None:
    rows = [
        (1, "é", "", -0.5, datetime(2026, 3, 1, 12, 30)),
        (2, None, "a:b", math.nan, None),
        (3, "", "x\x00y", None, datetime(1999, 12, 31, 23, 59, 59, 250_000)),
    ]
    upper = lower = 0
    for row, item, text, score, at in rows:
        written = f"{row};".encode()
        for value in (item, text):
            written += b":" if value is None else f"{len(value.encode())}:{value}".encode()
        bits = "" if score is None else struct.unpack("q", struct.pack("d", score))[0]
        written += ("NaN" if score is not None and math.isnan(score) else str(bits)).encode() + b";"
        written += ("" if at is None else str(at).rstrip("0") if at.microsecond else str(at)).encode() + b";"
        digest = hashlib.md5(written).digest()
        upper += int.from_bytes(digest[:8], "little")
        lower += int.from_bytes(digest[8:], "little")
    told = json.dumps([[list(column) for column in COLUMNS.items()], ["3", str(upper), str(lower)]])
    assert hash_of(cursor, rows) == hashlib.sha256(told.encode()).hexdigest()


def test_a_type_that_no_import_makes_is_refused(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute(f"CREATE OR REPLACE TABLE {TABLE} AS SELECT [1, 2] AS a")
    with pytest.raises(DataError, match=r"`?'a' has the type INTEGER\[\]"):
        interchange.hash_dataset(cursor, ID)
