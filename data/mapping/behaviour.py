"""What a column can be, whatever it is called: by how its values vary over rows, items and raters.

A column that is the same in all rows of a rater is about the rater, one that is the same in all rows of an item about
the item; neither is a rating, nor is a constant, a number that only counts, or a time.
"""

from data.kinds.shared_columns import ITEM, RATER
from data.mapping.names import plain_name
from data.tables.sniffed import Sniffed, SniffedColumn

_ENOUGH = 10
"""Rows below which nothing is concluded from values that do not vary."""
_SCALE_VALUES = 101
_MOST_CONDITIONS = 50
_TIME = 1e8
"""Numbers from here on are seconds or milliseconds since 1970, or ids."""
_MOST_GROUPS = 50
"""Values of an attribute by which raters can be told apart."""


def may_be_rating(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Whether nothing in how the values vary speaks against a rating."""
    return not (
        is_constant(column, sniffed)
        or counts(column, sniffed)
        or column.low >= _TIME
        or is_of(column, sniffed, RATER)
        or is_of(column, sniffed, ITEM)
    )


def is_constant(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Whether it says the same in all of enough rows."""
    return sniffed.looked_at >= _ENOUGH and column.distinct <= 1


def counts(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Whether every row has a number of its own, more than any scale has."""
    return column.filled == column.distinct == sniffed.looked_at > _SCALE_VALUES and column.numbers == 1


def is_of(column: SniffedColumn, sniffed: Sniffed, called: tuple[str, ...] | list[str]) -> bool:
    """Whether it is the same in all rows that agree in the column which is called so: the item's, the rater's."""
    key = named(sniffed, called)
    return key is not None and key.name != column.name and key.name in column.within


def named(sniffed: Sniffed, called: tuple[str, ...] | list[str]) -> SniffedColumn | None:
    """The column with the first of these names that the file has."""
    found = {plain_name(column.name): column for column in reversed(sniffed.columns)}
    return next((found[name] for name in called if name in found), None)


def is_attribute_of_raters(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Whether it tells raters apart and says nothing about items."""
    return (
        1 < column.distinct <= _MOST_GROUPS
        and is_of(column, sniffed, RATER)
        and not is_of(column, sniffed, ITEM)
    )


def may_be_condition(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Whether it has few values, or each of them in many rows."""
    return column.distinct <= max(_MOST_CONDITIONS, sniffed.looked_at / _ENOUGH)


def may_be_metric(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Whether it may be a number of the items: it varies, is no mark of yes and no, no time, and not the rater's."""
    marks = sniffed.looked_at >= _ENOUGH and column.distinct == 2 and (column.low, column.high) == (0, 1)
    return not (
        is_constant(column, sniffed)
        or marks
        or column.low >= _TIME
        or (is_of(column, sniffed, RATER) and not is_of(column, sniffed, ITEM))
    )


def are_ratings_beside(columns: list[SniffedColumn], sniffed: Sniffed) -> list[SniffedColumn]:
    """The columns that vary within items and raters on a scale: what may be ratings where no name says so."""
    return [
        column
        for column in columns
        if column.filled
        and column.numbers >= 0.95
        and 2 < column.distinct <= _SCALE_VALUES
        and may_be_rating(column, sniffed)
    ]
