# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts and files by `literal`
"""Join a data set and a second file into one table, written as a file that is imported like any upload.

Both sides were validated when they were imported, and the joined table is validated again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from analysis.values.estimate import thousands
from data.dataset import SLOT, Dataset
from data.engines.schema import literal, quoted, table_of
from data.errors import BadMapping, OverLimit, listed
from data.importing.report import ImportReport
from data.importing.staging import Staged
from data.joining import matching
from data.joining.matching import Matching
from data.kinds.definitions import kind_named
from data.kinds.kind import Kind
from data.mapping.plan import SWITCHES, FileMapping
from data.settings import Settings, shown, variable_of

_MEANING_SWITCHES = ("@raters", "@numbers")
"""Switches that define the meaning of stored cells, so that a data set has only one setting of each."""


@dataclass(frozen=True)
class Part:
    """One of the two sides: the relation of its rows, its columns, its mapping, and values for columns that it lacks
    (`defaults`)."""

    relation: str
    columns: tuple[str, ...]
    mapping: FileMapping
    defaults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JoinedRows:
    """Relation of the joined rows, their order, and the columns to be kept."""

    relation: str
    order: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Joined:
    """A data set and a second file as one table, which waits in the spool to be saved.

    path, kind, mapping : arguments of `Store.add` to save it
    added_as : kind as which the second file was read
    matching : for each key, the match of the names on both sides
    changed : for each column of the data set that the file has too, the number of rows with another value
    addition : import report of the second file
    report : import report of the joined table
    made_from : the data set and the file, with hashes and mappings
    """

    path: Path
    kind: str
    mapping: FileMapping
    added_as: str
    matching: tuple[Matching, ...]
    changed: Mapping[str, int]
    addition: ImportReport
    report: ImportReport
    made_from: tuple[Mapping[str, object], ...]


def columns_of(cursor: duckdb.DuckDBPyConnection, relation: str) -> tuple[str, ...]:
    """Return the columns of staged rows except their place."""
    rows = cursor.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    return tuple(str(row[0]) for row in rows if row[0] != "row")


def stack_rows(kind: Kind, own: Part, new: Part) -> JoinedRows:
    """Stack the rows of both vertically."""
    columns = list(own.columns) + [name for name in own.defaults if name not in own.columns]
    for name in (*new.columns, *new.defaults):
        if name.casefold() not in {existing.casefold() for existing in columns}:
            columns.append(name)
    _check_settings(kind, own, new)
    for part, subject in ((own, "the data set has"), (new, "the file has")):
        present = {name.casefold() for name in (*part.columns, *part.defaults)}
        missing = [
            name
            for name in columns
            if name.casefold() not in present and (column := kind.column(name)) is not None and column.filled
        ]
        if missing:
            raise BadMapping(
                f"{subject} no column for {listed(missing)}, which the other side has: say what it is called there, "
                "or leave the column out"
            )
    selects = [
        f'SELECT {position} AS "@part", "row" AS "@row", '
        + ", ".join(f"{_cell_sql(part, name)} AS {quoted(name)}" for name in columns)
        + f" FROM {part.relation}"
        for position, part in enumerate((own, new))
    ]
    return JoinedRows(f"({' UNION ALL '.join(selects)})", '"@part", "@row"', tuple(columns))


def merge_columns(key: Sequence[str], own: Part, new: Part) -> JoinedRows:
    """Add the file's columns about items or raters to the data set's rows.

    Where both tell something, the file does.
    """
    file_columns = [name for name in new.columns if name not in key]
    if not file_columns:
        raise BadMapping(f"the file tells nothing besides {listed(key)}; choose at least one further column")
    own_names = {name.casefold(): name for name in own.columns}
    shared = {own_names[name.casefold()]: name for name in file_columns if name.casefold() in own_names}
    new_columns = [name for name in file_columns if name.casefold() not in own_names]
    select_list = [
        f"coalesce(added.{quoted(shared[name])}, own.{quoted(name)}) AS {quoted(name)}"
        if name in shared
        else f"own.{quoted(name)}"
        for name in own.columns
    ]
    select_list += [f"added.{quoted(name)}" for name in new_columns]
    relation = (
        f'(SELECT own."row" AS "@row", {", ".join(select_list)} FROM {own.relation} AS own '
        f"LEFT JOIN {new.relation} AS added USING ({', '.join(map(quoted, key))}))"
    )
    return JoinedRows(relation, '"@row"', (*own.columns, *new_columns))


def count_changes(
    cursor: duckdb.DuckDBPyConnection, key: Sequence[str], own: Part, new: Part
) -> dict[str, int]:
    """Count the rows of the data set whose values the file changes, by column."""
    own_names = {name.casefold(): name for name in own.columns}
    shared = {own_names[name.casefold()]: name for name in new.columns if name.casefold() in own_names}
    shared = {own_name: file_name for own_name, file_name in shared.items() if file_name not in key}
    if not shared:
        return {}
    counts = ", ".join(
        f"count(*) FILTER (own.{quoted(own_name)} <> added.{quoted(file_name)})"
        for own_name, file_name in shared.items()
    )
    row = cursor.execute(
        f"SELECT {counts} FROM {own.relation} AS own JOIN {new.relation} AS added "
        f"USING ({', '.join(map(quoted, key))})"
    ).fetchone()
    return dict(zip(shared, row or (), strict=True))


def write(cursor: duckdb.DuckDBPyConnection, joined: JoinedRows, target: Path, limits: Settings) -> None:
    """Write the joined table as CSV within the limit on unpacked files."""
    texts = [
        str(row[0])
        for row in cursor.execute(f"DESCRIBE SELECT * FROM {joined.relation}").fetchall()
        if row[1] == "VARCHAR"
    ]
    lengths = " + ".join(f"coalesce(strlen({quoted(name)}), 0)" for name in texts) or "0"
    row = cursor.execute(f"SELECT count(*), sum({lengths}) FROM {joined.relation}").fetchone()
    count, size = row or (0, 0)
    if count > limits.rows:
        raise OverLimit(
            f"together they have {thousands(count)} rows, more than the {shown('rows', limits.rows)} that "
            f"{variable_of('rows')} allows; keep them as two data sets"
        )
    if size > limits.unpacked_size:
        raise OverLimit(
            "the texts of the joined table take more than the "
            f"{shown('unpacked_size', limits.unpacked_size)} that is allowed, because each "
            "stands in every row of its item; leave the column of texts out"
        )
    columns = ", ".join(quoted(name) for name in joined.columns)
    cursor.execute(
        f"COPY (SELECT {columns} FROM {joined.relation} ORDER BY {joined.order}) "
        f"TO {literal(str(target))} (FORMAT csv, HEADER true)"
    )


def mapping_of(
    columns: Sequence[str], own: FileMapping, switches: Mapping[str, str]
) -> dict[str, str | tuple[str, ...]]:
    """Return the mapping of the joined table: columns by their own names, cells as in the data set."""
    meaning = {name: _setting(own, name) for name in _MEANING_SWITCHES if _setting(own, name)}
    mapping: dict[str, str | tuple[str, ...]] = {name: name for name in columns}
    return mapping | {"@header": "yes", "@decimal": "."} | meaning | dict(switches)


def _check_settings(kind: Kind, own: Part, new: Part) -> None:
    for switch in _MEANING_SWITCHES:
        if switch not in kind.switches:
            continue
        own_setting, file_setting = (
            _setting(part.mapping, switch) or SWITCHES[switch][0] for part in (own, new)
        )
        if own_setting != file_setting:
            raise BadMapping(
                f"{switch} is {own_setting!r} in the data set and {file_setting!r} in the file; both must be read "
                "alike to be one table"
            )


def _setting(mapping: FileMapping, switch: str) -> str:
    """Return the setting of a switch for the meaning of stored cells, "" for the default."""
    if switch == "@raters" and mapping.get("rater_id") == SLOT:
        return "slots"
    return str(mapping.get(switch, ""))


def _cell_sql(part: Part, name: str) -> str:
    columns = {column.casefold(): column for column in part.columns}
    if name.casefold() in columns:
        return quoted(columns[name.casefold()])
    return literal(part.defaults[name]) if name in part.defaults else "NULL"


@dataclass(frozen=True)
class Addition:
    """Second file: how it is read, and values for columns that only the other side has, for the rows of the data set
    (`own`) and of the file (`new`)."""

    kind: str
    mapping: FileMapping
    file: str = ""
    own: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JoinedTable:
    """Columns of the joined table, the matches by key, and the number of changed values by column."""

    columns: tuple[str, ...]
    matching: tuple[Matching, ...]
    changed: Mapping[str, int]


def write_joined(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    staged: Staged,
    addition: Addition,
    target: Path,
    limits: Settings,
) -> JoinedTable:
    """Join staged rows of a file to those of a data set, and write the result to `target`.

    Raises
    ------
    BadMapping
        where nothing in the file matches, or the two cannot be one table.
    OverLimit
        where both together are larger than a file may be.
    """
    kind = kind_named(addition.kind)
    if not staged.report.kept:
        raise BadMapping(f"no {kind.row} can be kept from this file; correct the columns")
    relation = staged.rows
    stored = tuple(column.name for column in dataset.columns)
    own = Part(table_of(dataset.id), stored, dataset.mapping, addition.own)
    new = Part(relation, columns_of(cursor, relation), addition.mapping, addition.new)
    if kind.name == dataset.kind:
        matched = tuple(
            matching.match_names(cursor, own.relation, relation, key) for key in _shared_keys(kind, own, new)
        )
        joined, changed = stack_rows(kind, own, new), dict[str, int]()
    else:
        matched = (matching.match_names(cursor, own.relation, relation, kind.required),)
        if not matched[0].both:
            raise BadMapping(matching.no_match_error(matched[0], kind))
        changed = dict(count_changes(cursor, kind.required, own, new))
        joined = merge_columns(kind.required, own, new)
    write(cursor, joined, target, limits)
    return JoinedTable(joined.columns, matched, changed)


def describe_origin(dataset: Dataset, addition: Addition, sha256: str) -> tuple[Mapping[str, object], ...]:
    """Return the origin of the joined table: the data set and the file, with hashes and mappings."""
    return (
        {
            "dataset": dataset.id,
            "name": dataset.name,
            "sha256": dataset.sha256,
            "mapping": dict(dataset.mapping),
        },
        {"file": addition.file, "kind": addition.kind, "sha256": sha256, "mapping": dict(addition.mapping)},
    )


def _shared_keys(kind: Kind, own: Part, new: Part) -> list[tuple[str]]:
    """Return the columns that identify items and raters, if both sides have them."""
    return [(name,) for name in (*kind.item, kind.rater) if name in own.columns and name in new.columns]
