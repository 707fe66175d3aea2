"""The joining of a second file: what matches, and both together on disk, to be imported like any upload."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from data.dataset import Dataset
from data.engines.schema import table_of
from data.errors import BadMapping
from data.importing.staging import Staged
from data.joining import matching, table
from data.joining.matching import Matching
from data.joining.table import Part
from data.kinds.definitions import kind_named
from data.kinds.kind import Kind
from data.mapping.plan import FileMapping
from data.settings import Settings


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


def write(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    staged: Staged,
    added: Addition,
    target: Path,
    limits: Settings,
) -> Written:
    """Joins the rows of a file that were staged to those of a data set, and writes both to `target`.

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
    new = Part(relation, table.columns_of(cursor, relation), added.mapping, added.new)
    if kind.name == dataset.kind:
        matched = tuple(
            matching.matching(cursor, own.relation, relation, key) for key in _names(kind, own, new)
        )
        together, changed = table.below(kind, own, new), {}
    else:
        matched = (matching.matching(cursor, own.relation, relation, kind.required),)
        if not matched[0].both:
            raise BadMapping(matching.nothing_matches(matched[0], kind))
        changed = table.changed(cursor, kind.required, own, new)
        together = table.beside(kind.required, own, new)
    table.write(cursor, together, target, limits)
    return Written(together.columns, matched, changed)


def made_from(dataset: Dataset, added: Addition, sha256: str) -> tuple[Mapping[str, object], ...]:
    """What the joined table is made of: the data set and the file, with hashes and mappings."""
    return (
        {
            "dataset": dataset.id,
            "name": dataset.name,
            "sha256": dataset.sha256,
            "mapping": dict(dataset.mapping),
        },
        {"file": added.file, "kind": added.kind, "sha256": sha256, "mapping": dict(added.mapping)},
    )


def _names(kind: Kind, own: Part, new: Part) -> list[tuple[str]]:
    """What tells items apart, and what tells raters apart, where both sides have it."""
    return [(name,) for name in (*kind.item, kind.rater) if name in own.columns and name in new.columns]
