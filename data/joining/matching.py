# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, files by `literal`; values are parameters
"""Names of a second file that are names of a data set, and what the file seems to be: more rows, or what is known of
its items or raters.

Names are the same only where every character is. Those that would be the same but for case, white space or zeros are
told, for the user to mend. The key is proposed from what the columns hold, not from what they are called.
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
"""For each key of a data set, how well the values of a file's columns are its names, from 0 to 1."""
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
    shown = " || ' / ' || ".join(quoted(name) for name in key)
    plain = " || chr(0) || ".join(_normalize(quoted(name)) for name in key)
    filled = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in key)

    def names(relation: str) -> str:
        return f"SELECT DISTINCT {columns}, {shown} AS shown, {plain} AS plain FROM {relation} WHERE {filled}"

    row = cursor.execute(
        f"""WITH own AS ({names(own)}), new AS ({names(new)}),
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
    places = [place for place, name in enumerate(columns) for _ in values[name]]
    cells = [cell for name in columns for cell in values[name]]
    found: dict[str, dict[str, float]] = {}
    for key in keys:
        held = quoted(key)
        (names,) = cursor.execute(f"SELECT count(DISTINCT {held}) FROM {own}").fetchone() or (0,)
        matched = cursor.execute(
            f"""SELECT place, count(*)
            FROM (SELECT unnest($places::BIGINT[]) AS place, unnest($cells::VARCHAR[]) AS cell)
            WHERE cell IN (SELECT {held} FROM {own}) GROUP BY place""",
            {"places": places, "cells": cells},
        ).fetchall()
        found[key] = {
            columns[place]: many / max(len(values[columns[place]]), min(names, MAX_NAMES))
            for place, many in matched
        }
    return found


def count_labels(cursor: duckdb.DuckDBPyConnection, own: str) -> dict[str, int]:
    """Return the labels that raters chose, with counts; empty if there are too many to list."""
    rows = cursor.execute(
        f"SELECT choice, count(*) FROM {own} WHERE choice IS NOT NULL GROUP BY choice ORDER BY count(*) DESC, choice "
        f"LIMIT {_MAX_LABELS + 1}"
    ).fetchall()
    return dict(rows) if len(rows) <= _MAX_LABELS else {}


def _normalize(name: str) -> str:
    """Return a name without case, white space, leading zeros and a fraction of zeros."""
    bare = f"regexp_replace(lower({name}), '\\s+', '', 'g')"
    return f"regexp_replace(regexp_replace({bare}, '(^|[^0-9.])0+([0-9])', '\\1\\2', 'g'), '^([0-9]+)\\.0+$', '\\1')"


_MAX_GROUPS = 50
"""Values of an attribute that distinguishes raters."""
_BEST_FIT = 0.5
"""Fits above this are those of most names."""


@dataclass(frozen=True)
class Joinable:
    """The ways in which a file can be added, the likeliest first; `labels` are those that the data set's raters chose,
    and how often, for gold answers to be told in."""

    proposals: tuple[Proposal, ...]
    labels: Mapping[str, int]

    def of(self, kind: str) -> Proposal:
        return next(proposal for proposal in self.proposals if proposal.kind == kind)


def joinable(
    cursor: duckdb.DuckDBPyConnection, dataset: Dataset, sniffed: Sniffed, held: Mapping[str, Sequence[str]]
) -> Joinable:
    """Return all ways in which a file with these values can be added to the data set; a proposal may lack required
    columns."""
    additions = [each for each in additions_to(dataset.kind) if all(map(dataset.has, each.required))]
    keys = list(dict.fromkeys(name for addition in additions for name in addition.required))
    relation = table_of(dataset.id)
    found = overlaps(cursor, relation, keys, held)
    labels = {} if dataset.kind != "choices" or dataset.has("option_a") else count_labels(cursor, relation)
    rows = _map_values(propose(sniffed, dataset.kind), KINDS[dataset.kind], sniffed, labels)
    about = [_propose_addition(addition, sniffed, found, labels) for addition in additions]
    about.sort(key=lambda proposal: _sort_key(proposal, found))
    wide = "@form" in rows.mapping
    complete = _is_complete(KINDS[dataset.kind], rows.mapping)
    metrics = propose(sniffed).kind == "metrics"
    best = _fit(about[0], found) if about else 0.0
    first = complete and not (about and (metrics or (wide and best > _BEST_FIT)))
    return Joinable((rows, *about) if first or not about else (*about, rows), labels)


def _sort_key(proposal: Proposal, found: Overlaps) -> tuple[bool, int, float, int]:
    """Return the sort key of proposals: those whose names fit and that add something, of these those with more key
    columns; then by fit and by the number of columns added."""
    key = kind_named(proposal.kind).required
    told = {name for name in proposal.mapping if name[0] != "@"} - {*key}
    fit = _fit(proposal, found)
    return not (fit and told), -len(key) if fit > _BEST_FIT else 0, -fit, -len(told)


def _fit(proposal: Proposal, found: Overlaps) -> float:
    """Return how well the best columns of the file match the names that the proposal needs."""
    return min(max(found.get(key, {}).values(), default=0.0) for key in kind_named(proposal.kind).required)


def _is_complete(kind: Kind, mapping: FileMapping) -> bool:
    named = kind.forms.get(str(mapping.get("@form", "long")))
    return all(name in mapping or name == named or NAMES + name in mapping for name in kind.required)


def _propose_addition(
    addition: Kind, sniffed: Sniffed, found: Overlaps, labels: Mapping[str, int]
) -> Proposal:
    guess = propose(sniffed, addition.name)
    mapping: dict[str, str | tuple[str, ...]] = dict(guess.mapping)
    notes = []
    for key in addition.required:
        fitting = found.get(key, {})
        taken = {mapping.get(other) for other in addition.required if other != key}
        named = mapping.get(key)
        best = max(
            (name for name in fitting if name not in taken),
            key=lambda name: (fitting[name], name == named),
            default=None,
        )
        if best is None:
            continue
        for name in [name for name, source in mapping.items() if source == best]:
            del mapping[name]
        mapping[key] = best
        notes.append(f'"{best}" holds names of this data set ({key}).')
    used = {source for name, source in mapping.items() if addition.column(name)}
    free = [column for column in sniffed.columns if column.name not in used and column.filled]
    if addition.column("gold") and "gold" not in mapping:
        wanted = ("gold", "truth", *CHOICE, *SCORE)
        fitting_names = [column.name for column in free if plain_name(column.name) in wanted]
        if fitting_names or len(free) == 1:
            gold = [*fitting_names, free[0].name][0]
            mapping = {name: source for name, source in mapping.items() if source != gold} | {"gold": gold}
    if "rater attribute" in addition.further:
        mapping |= {
            f"rater_{plain_name(column.name)}": column.name
            for column in free
            if column.name not in mapping.values() and _distinguishes(column, sniffed)
        }
    lacking = [name for name in addition.required if name not in mapping]
    notes += [f"No column holds names of this data set ({name}); choose one." for name in lacking]
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
