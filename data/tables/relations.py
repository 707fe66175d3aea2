"""Which columns are the same in all rows that agree in another: a clip's codec, a worker's country."""

from collections import Counter
from collections.abc import Mapping, Sequence

_MOST_KEYS = 8
_MOST_CELLS = 200_000
"""Cells that are looked at for each key: a file of many columns is judged by fewer rows."""
_FEWEST_GROUPS = 5
"""So many values must stand in more than one row before a column that is alike in their rows means anything."""


def constant_within(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """For each column, those whose rows agree in it: only columns whose values return are looked at as such."""
    rows = rows[: max(_MOST_CELLS // max(len(names), 1), 1)]
    groups = {at: Counter(row[at] for row in rows) for at in range(len(names))}
    keys = [
        at
        for at, counts in groups.items()
        if "" not in counts and sum(times > 1 for times in counts.values()) >= _FEWEST_GROUPS
    ]
    keys = sorted(keys, key=lambda at: -len(groups[at]))[:_MOST_KEYS]
    found: dict[str, list[str]] = {name: [] for name in names}
    for key in keys:
        for at, name in enumerate(names):
            if at != key and len(groups[at]) > 1 and _constant(rows, key, at):
                found[name].append(names[key])
    return {name: tuple(within) for name, within in found.items()}


def _constant(rows: Sequence[Sequence[str]], key: int, at: int) -> bool:
    first: dict[str, str] = {}
    return all(not row[at] or first.setdefault(row[key], row[at]) == row[at] for row in rows)
