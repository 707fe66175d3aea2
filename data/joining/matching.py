# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, files by `literal`; values are parameters
"""Match the names of a second file with those of a data set, and propose what the file adds: more rows, or columns on
its items or raters.

Names match only if all characters are the same. Those that differ only in case, white space or zeros are listed for the
user to correct. The key is proposed from the values of the columns, not from their names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from data.dataset import Dataset
from data.engines.schema import quoted, table_of
from data.errors import listed
from data.kinds.definitions import KINDS, additions_to, kind_named
from data.kinds.kind import CHOICE, SCORE, Kind
from data.kinds.names import plain_name
from data.mapping.plan import NAMES, VALUES, FileMapping
from data.mapping.proposal import Proposal, propose
from data.mapping.values import as_entry, describe_values, values_to_map
from data.tables.sniffed import Sniffed, SniffedColumn

Overlaps = Mapping[str, Mapping[str, float]]
"""Overlap, from 0 to 1, of the names in each key of a data set with the values of each column of a file."""
EXAMPLES = 5
MAX_NAMES = 500
"""Different values of a column that are compared with the names of a data set to propose the key."""
_MAX_LABELS = 100


@dataclass(frozen=True)
class Matching:
    """Counts of the names in `key`: how many the data set has, the file has, and both have; of those on one
    side only the first few; and pairs (file's, data set's) that differ in case, white space or zeros only."""

    key: tuple[str, ...]
    own: int
    new: int
    both: int
    own_only: tuple[str, ...]
    new_only: tuple[str, ...]
    alike: int
    pairs: tuple[tuple[str, str], ...]


def match_names(cursor: duckdb.DuckDBPyConnection, own: str, new: str, key: Sequence[str]) -> Matching:
    """Compare the names in two relations, each given as SQL that may follow FROM."""
    columns = ", ".join(quoted(name) for name in key)
    display_name = " || ' / ' || ".join(quoted(name) for name in key)
    normalized = " || chr(0) || ".join(_normalized_sql(quoted(name)) for name in key)
    filled = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in key)

    def select_names(relation: str) -> str:
        return (
            f"SELECT DISTINCT {columns}, {display_name} AS shown, {normalized} AS plain "
            f"FROM {relation} WHERE {filled}"
        )

    row = cursor.execute(
        f"""WITH own AS ({select_names(own)}), new AS ({select_names(new)}),
        own_only AS (SELECT * FROM own ANTI JOIN new USING ({columns})),
        new_only AS (SELECT * FROM new ANTI JOIN own USING ({columns})),
        plain_own AS (SELECT plain, min(shown) AS ours FROM own_only GROUP BY plain),
        alike AS (SELECT DISTINCT shown AS theirs, ours FROM new_only JOIN plain_own USING (plain))
        SELECT (SELECT count(*) FROM own), (SELECT count(*) FROM new),
            (SELECT count(*) FROM own SEMI JOIN new USING ({columns})),
            (SELECT min(shown, {EXAMPLES}) FROM own_only), (SELECT min(shown, {EXAMPLES}) FROM new_only),
            (SELECT count(*) FROM alike),
            (SELECT min(row(theirs, ours), {EXAMPLES}) FROM alike)"""
    ).fetchone()
    assert row is not None
    own_count, new_count, both, own_only, new_only, alike, pairs = row
    return Matching(
        tuple(key),
        own_count,
        new_count,
        both,
        tuple(own_only or ()),
        tuple(new_only or ()),
        alike,
        tuple(tuple(pair) for pair in pairs or ()),
    )


def no_match_error(matched: Matching, addition: Kind) -> str:
    """Return the error for a file without any name of the data set."""
    file, own = (listed(names) or "none" for names in (matched.new_only, matched.own_only))
    return (
        f"no {addition.row} of the file is in the data set: the file has {file}, the data set has {own}. Names must be "
        "the same letter by letter; choose another column for them, or correct them in the file"
    )


def overlaps(
    cursor: duckdb.DuckDBPyConnection, own: str, keys: Sequence[str], values: Mapping[str, Sequence[str]]
) -> Overlaps:
    """Return for each key of a data set the share of its names in each column of a file: 1 if all values are names, and
    all names that could be checked are among them."""
    columns = list(values)
    positions = [position for position, name in enumerate(columns) for _ in values[name]]
    cells = [cell for name in columns for cell in values[name]]
    shares: dict[str, dict[str, float]] = {}
    for key in keys:
        column = quoted(key)
        (names,) = cursor.execute(f"SELECT count(DISTINCT {column}) FROM {own}").fetchone() or (0,)
        matched = cursor.execute(
            f"""SELECT place, count(*)
            FROM (SELECT unnest($places::BIGINT[]) AS place, unnest($cells::VARCHAR[]) AS cell)
            WHERE cell IN (SELECT {column} FROM {own}) GROUP BY place""",
            {"places": positions, "cells": cells},
        ).fetchall()
        shares[key] = {
            columns[position]: count / max(len(values[columns[position]]), min(names, MAX_NAMES))
            for position, count in matched
        }
    return shares


def count_labels(cursor: duckdb.DuckDBPyConnection, own: str) -> dict[str, int]:
    """Return the labels that raters chose, with counts; empty if there are too many to list."""
    rows = cursor.execute(
        f"SELECT choice, count(*) FROM {own} WHERE choice IS NOT NULL GROUP BY choice ORDER BY count(*) DESC, choice "
        f"LIMIT {_MAX_LABELS + 1}"
    ).fetchall()
    return dict(rows) if len(rows) <= _MAX_LABELS else {}


def _normalized_sql(name: str) -> str:
    """Return a name without case, white space, leading zeros and a fraction of zeros."""
    compact = f"regexp_replace(lower({name}), '\\s+', '', 'g')"
    return f"regexp_replace(regexp_replace({compact}, '(^|[^0-9.])0+([0-9])', '\\1\\2', 'g'), '^([0-9]+)\\.0+$', '\\1')"


_MAX_GROUPS = 50
"""Values of an attribute that distinguishes raters."""
_BEST_FIT = 0.5
"""Fit above which most names match."""


@dataclass(frozen=True)
class Joinable:
    """Ways in which a file can be added, the likeliest first; `labels` are those that the data set's raters chose, with
    counts, to which gold answers are mapped."""

    proposals: tuple[Proposal, ...]
    labels: Mapping[str, int]

    def of(self, kind: str) -> Proposal:
        return next(proposal for proposal in self.proposals if proposal.kind == kind)


def joinable(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    sniffed: Sniffed,
    column_values: Mapping[str, Sequence[str]],
) -> Joinable:
    """Return all ways in which a file with these values can be added to the data set; a proposal may lack required
    columns."""
    additions = [
        addition for addition in additions_to(dataset.kind) if all(map(dataset.has, addition.required))
    ]
    keys = list(dict.fromkeys(name for addition in additions for name in addition.required))
    relation = table_of(dataset.id)
    overlap = overlaps(cursor, relation, keys, column_values)
    labels = {} if dataset.kind != "choices" or dataset.has("option_a") else count_labels(cursor, relation)
    rows = _map_values(propose(sniffed, dataset.kind), KINDS[dataset.kind], sniffed, labels)
    addition_proposals = [_propose_addition(addition, sniffed, overlap, labels) for addition in additions]
    addition_proposals.sort(key=lambda proposal: _sort_key(proposal, overlap))
    is_wide = "@form" in rows.mapping
    complete = _is_complete(KINDS[dataset.kind], rows.mapping)
    metrics = propose(sniffed).kind == "metrics"
    best_fit = _compute_fit(addition_proposals[0], overlap) if addition_proposals else 0.0
    rows_come_first = complete and not (
        addition_proposals and (metrics or (is_wide and best_fit > _BEST_FIT))
    )
    return Joinable(
        (rows, *addition_proposals)
        if rows_come_first or not addition_proposals
        else (*addition_proposals, rows),
        labels,
    )


def _sort_key(proposal: Proposal, overlap: Overlaps) -> tuple[bool, int, float, int]:
    """Return the sort key of proposals: those whose names fit and that add something, of these those with more key
    columns; then by fit and by the number of columns added."""
    key = kind_named(proposal.kind).required
    added = {name for name in proposal.mapping if name[0] != "@"} - {*key}
    fit = _compute_fit(proposal, overlap)
    return not (fit and added), -len(key) if fit > _BEST_FIT else 0, -fit, -len(added)


def _compute_fit(proposal: Proposal, overlap: Overlaps) -> float:
    """Return how well the best columns of the file match the names that the proposal needs."""
    return min(max(overlap.get(key, {}).values(), default=0.0) for key in kind_named(proposal.kind).required)


def _is_complete(kind: Kind, mapping: FileMapping) -> bool:
    cell_column = kind.forms.get(str(mapping.get("@form", "long")))
    return all(name in mapping or name == cell_column or NAMES + name in mapping for name in kind.required)


def _propose_addition(
    addition: Kind, sniffed: Sniffed, overlap: Overlaps, labels: Mapping[str, int]
) -> Proposal:
    proposal = propose(sniffed, addition.name)
    mapping: dict[str, str | tuple[str, ...]] = dict(proposal.mapping)
    notes = []
    for key in addition.required:
        fitting = overlap.get(key, {})
        other_columns = {mapping.get(other) for other in addition.required if other != key}
        current = mapping.get(key)
        best = max(
            (name for name in fitting if name not in other_columns),
            key=lambda name: (fitting[name], name == current),
            default=None,
        )
        if best is None:
            continue
        for name in [name for name, source in mapping.items() if source == best]:
            del mapping[name]
        mapping[key] = best
        notes.append(f'"{best}" holds names of this data set ({key}).')
    used = {source for name, source in mapping.items() if addition.column(name)}
    unused = [column for column in sniffed.columns if column.name not in used and column.filled]
    if addition.column("gold") and "gold" not in mapping:
        gold_names = ("gold", "truth", *CHOICE, *SCORE)
        fitting_names = [column.name for column in unused if plain_name(column.name) in gold_names]
        if fitting_names or len(unused) == 1:
            gold = [*fitting_names, unused[0].name][0]
            mapping = {name: source for name, source in mapping.items() if source != gold} | {"gold": gold}
    if "rater attribute" in addition.further:
        mapping |= {
            f"rater_{plain_name(column.name)}": column.name
            for column in unused
            if column.name not in mapping.values() and _distinguishes(column, sniffed)
        }
    missing = [name for name in addition.required if name not in mapping]
    notes += [f"No column holds names of this data set ({name}); choose one." for name in missing]
    return _map_values(Proposal(addition.name, mapping, tuple(notes)), addition, sniffed, labels)


def _map_values(proposal: Proposal, kind: Kind, sniffed: Sniffed, labels: Mapping[str, int]) -> Proposal:
    """Return the proposal with the file's labels and gold answers mapped to those of the data set."""
    if kind.name in KINDS and not labels:
        return proposal
    values = values_to_map(sniffed, kind, proposal.mapping, labels=labels)
    entries = {VALUES + name: as_entry(rows) for name, rows in values.items() if as_entry(rows)}
    notes = dict.fromkeys([*proposal.notes, *describe_values(kind, values)])
    return replace(proposal, mapping={**proposal.mapping, **entries}, notes=tuple(notes))


def _distinguishes(column: SniffedColumn, sniffed: Sniffed) -> bool:
    return (
        1 < column.distinct <= min(_MAX_GROUPS, max(sniffed.looked_at - 1, 2))
        and plain_name(column.name) != ""
    )
