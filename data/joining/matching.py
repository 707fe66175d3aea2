# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, files by `literal`; values are parameters
"""Which names of a second file are names of a data set: counted, with examples of what is on one side only.

Names are the same only where every character is. Those that would be the same but for case, white space or zeros are
told, for the user to mend: to match them without a word could join two items that somebody told apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from data.engines.schema import quoted
from data.errors import listed
from data.kinds.kind import Kind

Overlaps = Mapping[str, Mapping[str, float]]
"""For each key of a data set, how well the values of a file's columns are its names, from 0 to 1."""
EXAMPLES = 5
MOST_NAMES = 500
"""Different values of a column that are compared with the names of a data set to propose the key."""
_MOST_LABELS = 100


@dataclass(frozen=True)
class Matching:
    """What became of the names in `key`: how many the data set has, the file has, and both have; of those on one
    side only the first few; and pairs (file's, data set's) that differ in case, white space or zeros only."""

    key: tuple[str, ...]
    own: int
    new: int
    both: int
    own_only: tuple[str, ...]
    new_only: tuple[str, ...]
    alike: int
    pairs: tuple[tuple[str, str], ...]


def matching(cursor: duckdb.DuckDBPyConnection, own: str, new: str, key: Sequence[str]) -> Matching:
    """Compares the names in two relations, each given as SQL that may follow FROM."""
    columns = ", ".join(quoted(name) for name in key)
    shown = " || ' / ' || ".join(quoted(name) for name in key)
    plain = " || chr(0) || ".join(_plain(quoted(name)) for name in key)
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


def nothing_matches(matched: Matching, addition: Kind) -> str:
    """Why a file cannot be added of which no name is one of the data set's."""
    file, own = (listed(names) or "none" for names in (matched.new_only, matched.own_only))
    return (
        f"no {addition.row} of the file is in the data set: the file has {file}, the data set has {own}. Names must be "
        "the same letter by letter; choose another column for them, or correct them in the file"
    )


def overlaps(
    cursor: duckdb.DuckDBPyConnection,
    own: str,
    keys: Sequence[str],
    values: Mapping[str, Sequence[str]],
) -> Overlaps:
    """For each key of a data set, how well the values of each column of a file are its names: 1 where all of them
    are, and all names that could be looked at are among them."""
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
            columns[place]: many / max(len(values[columns[place]]), min(names, MOST_NAMES))
            for place, many in matched
        }
    return found


def labels_of(cursor: duckdb.DuckDBPyConnection, own: str) -> dict[str, int]:
    """The labels that raters chose, and how often; none where these are too many to be told one by one."""
    rows = cursor.execute(
        f"SELECT choice, count(*) FROM {own} WHERE choice IS NOT NULL GROUP BY choice ORDER BY count(*) DESC, choice "
        f"LIMIT {_MOST_LABELS + 1}"
    ).fetchall()
    return dict(rows) if len(rows) <= _MOST_LABELS else {}


def _plain(name: str) -> str:
    """Without case, white space, zeros before a number and a fraction of zeros after it."""
    bare = f"regexp_replace(lower({name}), '\\s+', '', 'g')"
    return f"regexp_replace(regexp_replace({bare}, '(^|[^0-9.])0+([0-9])', '\\1\\2', 'g'), '^([0-9]+)\\.0+$', '\\1')"
