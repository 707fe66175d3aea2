# ruff: noqa: S608 - identifiers are quoted, values are parameters
"""Parquet and Arrow (Feather) files: tables of typed columns, written out as text by the database.

Lists and structures stay in one cell, as JSON; categories are their labels. Many rows of a Parquet file need not be
text where nothing is wrong with any (`data.importing.typed_reading`).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from data.engines.schema import literal, quoted
from data.errors import DataError, UnreadableFile, listed
from data.settings import from_environment
from data.tables import text as delimited_text
from data.tables.text import Columns, Text, check_columns, check_growth, check_rows, check_size, head_of

if TYPE_CHECKING:
    import pyarrow

_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_NESTED = ("STRUCT", "MAP", "UNION")
TYPED_FROM = 100_000
"""Rows of a Parquet file from which its columns are read as they are: fewer are soon written as text."""
_FIRST = 20_000
"""Rows of these that are written as text to be looked at: as many as a proposal looks at."""


def reads(head: bytes) -> bool:
    return head.startswith((_PARQUET, _ARROW, _STREAM))


def as_text(path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Text:
    format = "Parquet" if head_of(path, 4) == _PARQUET else "Arrow"
    first_rows_path, all_rows_path = folder / "first rows.csv", folder / "columns.csv"
    try:
        text = (
            _of_parquet(path, first_rows_path, all_rows_path)
            if format == "Parquet"
            else _of_arrow(path, all_rows_path)
        )
        return replace(text, source=format)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise UnreadableFile(
            f"this {format} file is damaged or was not copied whole; write it again, or save the table as CSV"
        ) from error


def _of_parquet(path: Path, first_rows_path: Path, all_rows_path: Path) -> Text:
    """Return all rows as text; of many, the first ones, and the columns for readers of typed columns."""
    table = f"read_parquet({literal(path)})"
    with _connect() as connection:
        plain_columns = _describe(connection, table)
        [(row_count,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
        check_rows(int(row_count), from_environment())
        _check_texts(connection, table, plain_columns, path)
    rows = int(row_count)

    @cache
    def write() -> Text:
        with _connect() as connection:
            return _write_csv(connection, table, plain_columns, all_rows_path)

    if rows < TYPED_FROM:
        return write()
    with _connect() as connection:
        text = _write_csv(connection, f"(FROM {table} LIMIT {_FIRST})", plain_columns, first_rows_path)
    select_list = ", ".join(f"{column} AS c{index}" for index, column in enumerate(plain_columns.columns))
    columns = Columns(f"(SELECT {select_list} FROM {table})", plain_columns.types, write)
    return replace(text, lines=rows + 1, quoted=False, columns=columns)


@contextmanager
def _connect() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET memory_limit='{from_environment().reading_memory // 2 // 10**6} MB'")
        connection.execute("SET temp_directory=''")
        connection.execute("SET threads=1")
        yield connection


def _of_arrow(path: Path, target: Path) -> Text:
    import pyarrow
    from pyarrow import ipc

    refused: list[DataError] = []  # the database would report its own error instead
    try:
        with pyarrow.OSFile(str(path)) as file, _connect() as connection:
            if head_of(path, 6) == _ARROW:
                source = ipc.open_file(file)
                batches = (source.get_batch(index) for index in range(source.num_record_batches))
            else:
                source = ipc.open_stream(file)
                batches = iter(source)
            checked = pyarrow.RecordBatchReader.from_batches(
                source.schema, _checked_batches(batches, path.stat().st_size, refused)
            )
            connection.register("uploaded", checked)
            return _write_csv(connection, "uploaded", _describe(connection, "uploaded"), target)
    except duckdb.Error:
        if refused:
            raise refused[0] from None
        raise
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UnreadableFile(
            "this Arrow file is damaged or was not copied whole; write it again, or save the table as CSV"
        ) from error


def _checked_batches(
    batches: Iterator["pyarrow.RecordBatch"], upload: int, refused: list[DataError]
) -> Iterator["pyarrow.RecordBatch"]:
    """Yield batches whose offsets and lengths are valid, until a limit is reached."""
    rows = texts = 0
    for batch in batches:
        batch.validate(full=True)
        rows += batch.num_rows
        texts += sum(map(_characters, batch.columns))
        try:
            check_rows(rows, from_environment(), "rows or more")
            check_growth(texts, upload)
        except DataError as error:
            refused.append(error)
            raise
        yield batch


def _characters(column: "pyarrow.Array") -> int:
    """Bytes of the texts that a dictionary repeats."""
    import pyarrow
    from pyarrow import compute, types

    if not types.is_dictionary(column.type) or not _is_text(column.type.value_type):
        return 0
    lengths = compute.binary_length(column.dictionary).cast(pyarrow.int64())
    return compute.sum(lengths.take(column.indices)).as_py() or 0


def _is_text(type: "pyarrow.DataType") -> bool:
    from pyarrow import types

    return bool(types.is_string(type) or types.is_large_string(type))


@dataclass(frozen=True)
class _PlainColumns:
    """The columns of plain values: their names, SQL expressions and types; and sentences about the others."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    types: tuple[str, ...]
    notes: tuple[str, ...]


def _describe(connection: duckdb.DuckDBPyConnection, table: str) -> _PlainColumns:
    relation = connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
    check_columns(len(relation), from_environment())
    names, columns, types, nested, binary = [], [], [], [], []
    for name, type, *_ in relation:
        column = quoted(name)
        if type in ("BLOB", "BIT"):
            binary.append(name)
            continue
        if type.endswith("]") or type.startswith(_NESTED):
            nested.append(name)
            column, type = f"to_json({column})::VARCHAR", "VARCHAR"
        elif type in ("DOUBLE", "FLOAT"):
            column = f"CASE WHEN NOT isnan({column}) THEN {column} END"
        names.append(name)
        columns.append(column)
        types.append(type)
    if not columns:
        raise UnreadableFile("this file holds no column of texts or numbers")
    notes = []
    if nested:
        notes.append(f"Columns of lists and structures are read as JSON: {listed(nested)}.")
    if binary:
        notes.append(f"Columns of bytes are left out: {listed(binary)}.")
    return _PlainColumns(tuple(names), tuple(columns), tuple(types), tuple(notes))


def _check_texts(
    connection: duckdb.DuckDBPyConnection, table: str, plain_columns: _PlainColumns, path: Path
) -> None:
    """Refuse texts that a dictionary repeats, before they are written: they cost a file nothing."""
    texts = [
        f"coalesce(sum(strlen({column})), 0)"
        for column, type in zip(plain_columns.columns, plain_columns.types, strict=True)
        if type == "VARCHAR"
    ]
    if texts:
        [(size,)] = connection.execute(f"SELECT {' + '.join(texts)} FROM {table}").fetchall()
        check_growth(int(size), path.stat().st_size)


def _write_csv(
    connection: duckdb.DuckDBPyConnection, table: str, plain_columns: _PlainColumns, target: Path
) -> Text:
    select_list = ", ".join(
        f"{column} AS {quoted(name)}"
        for name, column in zip(plain_columns.names, plain_columns.columns, strict=True)
    )
    connection.execute(
        f"COPY (SELECT {select_list} FROM {table}) TO {literal(target)} (FORMAT csv, HEADER, DELIMITER ',')"
    )
    check_size(target.stat().st_size)
    return replace(delimited_text.as_text(target, target.parent), header=True, notes=plain_columns.notes)
