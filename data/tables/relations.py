"""How columns vary with another: which are the same in all rows that agree in it, as a clip's codec and a worker's
country, and which are the same for a while, as the time of an assignment."""

from collections import Counter
from collections.abc import Mapping, Sequence

from data.tables.sniffed import Part

_MOST_KEYS = 8
_MOST_CELLS = 200_000
"""Cells that are looked at for each key: a file of many columns is judged by fewer rows."""
_FEWEST_TIMES, _SHARED = 10, 1.5
"""A column of more different values than this is looked at for values that stand together: scales have fewer."""
_FEWEST_GROUPS = 5
"""So many values must stand in more than one row before a column that is alike in their rows means anything."""


def constant_within(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """For each column, those whose rows agree in it: only columns whose values return are looked at as such."""
    rows, groups, keys = _looked_at(names, rows)
    found: dict[str, list[str]] = {name: [] for name in names}
    for key in keys:
        for at, name in enumerate(names):
            if at != key and len(groups[at]) > 1 and _constant(rows, key, at):
                found[name].append(names[key])
    return {name: tuple(within) for name, within in found.items()}


def together(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """For each column of many values, the columns in whose rows, one after the other, several share one of its values,
    and how many do."""
    rows, groups, keys = _looked_at(names, rows)
    found: dict[str, list[tuple[str, float]]] = {name: [] for name in names}
    for key in keys:
        for at, name in enumerate(names):
            if at == key or len(groups[at]) <= _FEWEST_TIMES:
                continue
            last: dict[str, str] = {}
            filled = stretches = 0
            for row in rows:
                if row[at]:
                    filled += 1
                    stretches += last.get(row[key]) != row[at]
                    last[row[key]] = row[at]
            if stretches and filled / stretches >= _SHARED:
                found[name].append((names[key], filled / stretches))
    return {name: tuple(shared) for name, shared in found.items()}


def part_of(at: int, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Part:
    """What the column at that place, which says where a row comes from, has to do with the others."""
    shared, alone = [], []
    for other, name in enumerate(names):
        if other == at:
            continue
        parts: dict[str, set[str]] = {}
        for row in rows:
            if row[other]:
                parts.setdefault(row[other], set()).add(row[at])
        if parts:
            shared.append((name, sum(len(each) > 1 for each in parts.values()) / len(parts)))
        if _constant(rows, at, other):
            alone.append(name)
    return Part(names[at], tuple(dict.fromkeys(row[at] for row in rows)), tuple(shared), tuple(alone))


def _looked_at(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[Sequence[str]], dict[int, Counter[str]], list[int]]:
    """The rows that are looked at, how often each column holds each value, and the columns whose values return."""
    rows = rows[: max(_MOST_CELLS // max(len(names), 1), 1)]
    groups = {at: Counter(row[at] for row in rows) for at in range(len(names))}
    keys = [
        at
        for at, counts in groups.items()
        if "" not in counts and sum(times > 1 for times in counts.values()) >= _FEWEST_GROUPS
    ]
    return rows, groups, sorted(keys, key=lambda at: -len(groups[at]))[:_MOST_KEYS]


def _constant(rows: Sequence[Sequence[str]], key: int, at: int) -> bool:
    first: dict[str, str] = {}
    return all(not row[at] or first.setdefault(row[key], row[at]) == row[at] for row in rows)
