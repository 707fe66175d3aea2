"""A table's columns, and how they vary together: which tell rows apart, which are the same within others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from data.kinds.kind import Kind
from data.kinds.likely_names import is_called_item, is_called_rater
from data.mapping.named_columns import columns_by_name
from data.mapping.values import scaled
from data.reading.columns import Column
from data.tables.sniffed import Sniffed

Rows = Sequence[Sequence[str]]
LIKE = 0.6
"""Likeness from which on names are taken for those of raters, items or measures."""
_RESERVED = (
    *(
        "rater_group",
        "system",
        "system_kind",
        "topic",
        "condition",
        "split",
        "order",
        "rated_at",
        "seconds",
        "text_id",
    ),
    *("text", "reference_text", "check", "expected", "status", "design", "gold", "expert"),
)


@dataclass(frozen=True)
class TableProfile:
    """A table's columns, and the column that each canonical column of a kind is by its name."""

    sniffed: Sniffed
    columns: tuple[Column, ...]
    parts: tuple[Column, ...] = ()
    """Columns that say from which of several files or sheets a row comes."""
    _roles: dict[str, dict[str, Column]] = field(default_factory=dict)

    def tells_rows_apart(self, columns: Sequence[Column]) -> bool:
        """Return True where no two rows of a file or sheet agree in these columns."""
        return (
            bool(columns)
            and share_told_apart((*columns, *self.parts)) == 1
            and all(one.is_full for one in columns)
        )

    @cached_property
    def rows(self) -> int:
        """Number of rows that were looked at."""
        return len(self.columns[0].cells) if self.columns else 0

    @cached_property
    def scaled(self) -> Sniffed:
        """The table with words of scales as their numbers."""
        return scaled(self.sniffed)

    def roles(self, kind: Kind) -> Mapping[str, Column]:
        """Columns by their names, where what they hold allows it."""
        if kind.name not in self._roles:
            self._roles[kind.name] = self._find_roles(kind)
        return self._roles[kind.name]

    def _find_roles(self, kind: Kind) -> dict[str, Column]:
        by_name = {one.name: one for one in self.columns}
        found = columns_by_name(self.scaled, kind)
        roles = {role: by_name[name] for role, name in found.items() if name in by_name}
        rater = roles.get("rater_id")
        if rater is not None and rater.is_constant and self.rows > 1 and "mail" in rater.plain:
            del roles["rater_id"]  # nobody's address
        taken = {one.at for one in roles.values()}
        for role, is_called in (("rater_id", is_called_rater), ("item_id", is_called_item)):
            likely = [
                one for one in self.columns if one.at not in taken and is_called(one.name) and one.is_full
            ]
            likely = [
                one for one in likely if one.holds != "times" and (role == "item_id" or len(one.values) > 1)
            ]
            if role not in roles and likely:
                roles[role] = likely[0]
                taken.add(likely[0].at)
        return roles


def reserved_places(roles: Mapping[str, Column]) -> set[int]:
    return {roles[role].at for role in _RESERVED if role in roles}


def share_told_apart(columns: Sequence[Column]) -> float:
    """Return the share of different rows in these columns."""
    rows = list(zip(*(one.cells for one in columns), strict=True))
    return len(set(rows)) / max(len(rows), 1)


def is_constant_within(column: Column, key: Sequence[Column]) -> bool:
    """Return True where the column is the same in all rows that agree in the key, of which some do."""
    first: dict[tuple[str, ...], str] = {}
    again = False
    for cell, *of in zip(column.cells, *(one.cells for one in key), strict=True):
        if not cell:
            continue
        again = again or tuple(of) in first
        if first.setdefault(tuple(of), cell) != cell:
            return False
    return again


def varies_within(one: Column, key: Column) -> bool:
    """Return True where most values of the key stand beside several values of the column."""
    beside: dict[str, set[str]] = {}
    for cell, of in zip(one.cells, key.cells, strict=True):
        beside.setdefault(of, set()).add(cell)
    return 2 * sum(len(values) > 1 for values in beside.values()) > len(beside)


def source_of(columns: Sequence[Column]) -> str | tuple[str, ...]:
    return columns[0].name if len(columns) == 1 else tuple(one.name for one in columns)
