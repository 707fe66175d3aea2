"""What a column of a platform's table is, by how its cells behave in the first rows."""

from collections.abc import Iterable, Mapping, Sequence

from data.formats.parts.table import Cells


def filled(rows: Iterable[Cells], *names: str) -> list[str]:
    """The cells of columns that hold anything."""
    return [row[name] for row in rows for name in names if row[name]]


def constant_within(rows: Iterable[Cells], name: str, keys: Sequence[str]) -> bool:
    """Whether the filled cells of a column are alike in all rows that agree in the `keys`."""
    first: dict[tuple[str, ...], str] = {}
    return all(
        first.setdefault(tuple(row[key] for key in keys), row[name]) == row[name] for row in rows if row[name]
    )


def item_column(rows: Sequence[Cells], names: Sequence[str]) -> str | None:
    """The column that names the item: all others are the same in all rows that agree in it; the one of most values
    that repeat, and the shortest cells."""
    values = {name: {row[name] for row in rows} for name in names}
    able = [
        name
        for name in names
        if len(values[name]) > 1
        and "" not in values[name]
        and all(constant_within(rows, other, [name]) for other in names if other != name)
    ]
    lengths: Mapping[str, int] = {name: sum(map(len, values[name])) for name in able}
    return min(able, key=lambda name: (-len(values[name]), lengths[name]), default=None)
