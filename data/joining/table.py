# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts and files by `literal`
"""Join a data set and a second file into one table, written as a file that is imported like any upload.

What is joined has been judged by the rules of imports on either side, and is judged by them once more as a whole.
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

_MEANING = ("@raters", "@numbers")
"""Switches that say what the stored cells mean: of one data set there is one setting."""


@dataclass(frozen=True)
class Part:
    """One of the two sides: where its rows are, as SQL that may follow FROM, its columns, and what it is to be said to
    hold in columns that it lacks."""

    relation: str
    columns: tuple[str, ...]
    mapping: FileMapping
    filled_in: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JoinedRows:
    """The joined rows as SQL that may follow FROM, what they are ordered by, and the columns to be kept."""

    relation: str
    order: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Joined:
    """A data set and a second file as one table, which waits in the spool to be saved.

    path, kind, mapping : what `Store.add` takes to save it
    added_as : as what the second file was read
    matching : by key, what became of the names on both sides
    changed : columns that the data set had already, and in how many of its rows the file says something else
    addition : what became of the second file's own rows
    report : what becomes of the rows of the joined table
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
    described = cursor.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    return tuple(str(row[0]) for row in described if row[0] != "row")


def stack_rows(kind: Kind, own: Part, new: Part) -> JoinedRows:
    """Stack the rows of both vertically."""
    columns = list(own.columns) + [name for name in own.filled_in if name not in own.columns]
    for name in (*new.columns, *new.filled_in):
        if name.casefold() not in {known.casefold() for known in columns}:
            columns.append(name)
    _check_settings(kind, own, new)
    for part, told in ((own, "the data set has"), (new, "the file has")):
        has = {name.casefold() for name in (*part.columns, *part.filled_in)}
        lacking = [
            name
            for name in columns
            if name.casefold() not in has and (column := kind.column(name)) is not None and column.filled
        ]
        if lacking:
            raise BadMapping(
                f"{told} no column for {listed(lacking)}, which the other side has: say what it is called there, "
                "or leave the column out"
            )
    pieces = [
        f'SELECT {at} AS "@part", "row" AS "@row", '
        + ", ".join(f"{_cell_sql(part, name)} AS {quoted(name)}" for name in columns)
        + f" FROM {part.relation}"
        for at, part in enumerate((own, new))
    ]
    return JoinedRows(f"({' UNION ALL '.join(pieces)})", '"@part", "@row"', tuple(columns))


def merge_columns(key: Sequence[str], own: Part, new: Part) -> JoinedRows:
    """Add the file's columns about items or raters to the data set's rows.

    Where both tell something, the file does.
    """
    told = [name for name in new.columns if name not in key]
    if not told:
        raise BadMapping(f"the file tells nothing besides {listed(key)}; choose at least one further column")
    own_names = {name.casefold(): name for name in own.columns}
    again = {own_names[name.casefold()]: name for name in told if name.casefold() in own_names}
    added = [name for name in told if name.casefold() not in own_names]
    chosen = [
        f"coalesce(added.{quoted(again[name])}, own.{quoted(name)}) AS {quoted(name)}"
        if name in again
        else f"own.{quoted(name)}"
        for name in own.columns
    ]
    chosen += [f"added.{quoted(name)}" for name in added]
    joined = (
        f'(SELECT own."row" AS "@row", {", ".join(chosen)} FROM {own.relation} AS own '
        f"LEFT JOIN {new.relation} AS added USING ({', '.join(map(quoted, key))}))"
    )
    return JoinedRows(joined, '"@row"', (*own.columns, *added))


def count_changes(
    cursor: duckdb.DuckDBPyConnection, key: Sequence[str], own: Part, new: Part
) -> dict[str, int]:
    """Count the rows of the data set whose values the file changes, by column."""
    own_names = {name.casefold(): name for name in own.columns}
    again = {own_names[name.casefold()]: name for name in new.columns if name.casefold() in own_names}
    again = {ours: theirs for ours, theirs in again.items() if theirs not in key}
    if not again:
        return {}
    counts = ", ".join(
        f"count(*) FILTER (own.{quoted(ours)} <> added.{quoted(theirs)})" for ours, theirs in again.items()
    )
    row = cursor.execute(
        f"SELECT {counts} FROM {own.relation} AS own JOIN {new.relation} AS added "
        f"USING ({', '.join(map(quoted, key))})"
    ).fetchone()
    return dict(zip(again, row or (), strict=True))


def write(cursor: duckdb.DuckDBPyConnection, together: JoinedRows, target: Path, limits: Settings) -> None:
    """Write the joined table as CSV within the limit on unpacked files."""
    texts = [
        str(row[0])
        for row in cursor.execute(f"DESCRIBE SELECT * FROM {together.relation}").fetchall()
        if row[1] == "VARCHAR"
    ]
    lengths = " + ".join(f"coalesce(strlen({quoted(name)}), 0)" for name in texts) or "0"
    row = cursor.execute(f"SELECT count(*), sum({lengths}) FROM {together.relation}").fetchone()
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
    chosen = ", ".join(quoted(name) for name in together.columns)
    cursor.execute(
        f"COPY (SELECT {chosen} FROM {together.relation} ORDER BY {together.order}) "
        f"TO {literal(str(target))} (FORMAT csv, HEADER true)"
    )


def mapping_of(
    columns: Sequence[str], own: FileMapping, switches: Mapping[str, str]
) -> dict[str, str | tuple[str, ...]]:
    """Return the mapping of the joined table: columns by their own names, cells as in the data set."""
    meaning = {name: _setting(own, name) for name in _MEANING if _setting(own, name)}
    mapping: dict[str, str | tuple[str, ...]] = {name: name for name in columns}
    return mapping | {"@header": "yes", "@decimal": "."} | meaning | dict(switches)


def _check_settings(kind: Kind, own: Part, new: Part) -> None:
    for switch in _MEANING:
        if switch not in kind.switches:
            continue
        ours, theirs = (_setting(part.mapping, switch) or SWITCHES[switch][0] for part in (own, new))
        if ours != theirs:
            raise BadMapping(
                f"{switch} is {ours!r} in the data set and {theirs!r} in the file; both must be read alike to be one "
                "table"
            )


def _setting(mapping: FileMapping, switch: str) -> str:
    """Return the setting of a switch for the meaning of stored cells, "" for the default."""
    if switch == "@raters" and mapping.get("rater_id") == SLOT:
        return "slots"
    return str(mapping.get(switch, ""))


def _cell_sql(part: Part, name: str) -> str:
    theirs = {column.casefold(): column for column in part.columns}
    if name.casefold() in theirs:
        return quoted(theirs[name.casefold()])
    return literal(part.filled_in[name]) if name in part.filled_in else "NULL"


@dataclass(frozen=True)
class Addition:
    """A second file: how it is read, and what the rows of either side are to be said to hold in columns that the other
    side has (`own`, `new`)."""

    kind: str
    mapping: FileMapping
    file: str = ""
    own: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Written:
    """The columns of the joined table, by key what matched, and how often the file says something else than before."""

    columns: tuple[str, ...]
    matching: tuple[Matching, ...]
    changed: Mapping[str, int]


def write_joined(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    staged: Staged,
    added: Addition,
    target: Path,
    limits: Settings,
) -> Written:
    """Join staged rows of a file to those of a data set, and write the result to `target`.

    Raises
    ------
    BadMapping
        where nothing in the file matches, or the two cannot be one table.
    OverLimit
        where both together are larger than a file may be.
    """
    kind = kind_named(added.kind)
    if not staged.report.kept:
        raise BadMapping(f"no {kind.row} can be kept from this file; correct the columns")
    relation = staged.rows
    stored = tuple(column.name for column in dataset.columns)
    own = Part(table_of(dataset.id), stored, dataset.mapping, added.own)
    new = Part(relation, columns_of(cursor, relation), added.mapping, added.new)
    if kind.name == dataset.kind:
        matched = tuple(
            matching.match_names(cursor, own.relation, relation, key) for key in _shared_keys(kind, own, new)
        )
        together, others = stack_rows(kind, own, new), dict[str, int]()
    else:
        matched = (matching.match_names(cursor, own.relation, relation, kind.required),)
        if not matched[0].both:
            raise BadMapping(matching.no_match_error(matched[0], kind))
        others = dict(count_changes(cursor, kind.required, own, new))
        together = merge_columns(kind.required, own, new)
    write(cursor, together, target, limits)
    return Written(together.columns, matched, others)


def describe_origin(dataset: Dataset, added: Addition, sha256: str) -> tuple[Mapping[str, object], ...]:
    """Return the origin of the joined table: the data set and the file, with hashes and mappings."""
    return (
        {
            "dataset": dataset.id,
            "name": dataset.name,
            "sha256": dataset.sha256,
            "mapping": dict(dataset.mapping),
        },
        {"file": added.file, "kind": added.kind, "sha256": sha256, "mapping": dict(added.mapping)},
    )


def _shared_keys(kind: Kind, own: Part, new: Part) -> list[tuple[str]]:
    """Return the columns that identify items and raters, if both sides have them."""
    return [(name,) for name in (*kind.item, kind.rater) if name in own.columns and name in new.columns]
