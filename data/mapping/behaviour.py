"""What a column can be, whatever it is called: by how its values vary over rows, items and raters.

A column that is the same in all rows of a rater is about the rater, one that is the same in all rows of an item about
the item; neither is a rating, nor is a constant, a number that only counts, or a time.
"""

from collections.abc import Mapping, Sequence

from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import ITEM, RATER
from data.tables.sniffed import Sniffed, SniffedColumn, is_number

_ENOUGH = 10
"""Rows below which nothing is concluded from values that do not vary."""
_SCALE_VALUES = 101
_MOST_CONDITIONS = 50
_TIME = 1e8
"""Numbers from here on are seconds or milliseconds since 1970, or ids."""
_MOST_GROUPS = 50
"""Values of an attribute by which raters can be told apart."""
_SHARED = 1.5
"""Ratings in a row with one time, from which on it is no chance."""
_MOSTLY = 0.8
"""Share of numbers among the cells of what may be a column of numbers with some words in it."""


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


def in_steps(column: SniffedColumn) -> bool:
    """Return True where the numbers are whole, half or quarter steps, as raters give them."""
    written = [example.replace(",", ".") for example in column.examples]
    return all((4 * float(cell)).is_integer() for cell in written if is_number(cell))


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


def may_be_option_number(column: SniffedColumn) -> bool:
    """Whether it may count something of an option, such as its length: most cells are numbers, none far below 0, where
    -1 and -9 may stand for what is missing."""
    return column.filled > 0 and column.numbers >= _MOSTLY and column.low > -10 and column.high < _TIME


def seconds_of(sniffed: Sniffed, mapping: Mapping[str, str | Sequence[str]]) -> tuple[str, str] | None:
    """What seconds seem to be of, and a sentence where that is an assignment; None where nothing tells. In the table
    that a format makes they are of single ratings."""
    seconds, rater = mapping.get("seconds"), mapping.get("rater_id")
    if "@seconds" in mapping or not isinstance(seconds, str) or not isinstance(rater, str):
        return None
    if sniffed.known and sniffed.known.mapping.get("seconds") == seconds:
        return "rating", ""
    if mapping.get("@form", "long") != "long":
        told = f'"{seconds}" is of all ratings of its row'
    else:
        column = next(column for column in sniffed.columns if column.name == seconds)
        share = dict(column.together).get(rater, 1.0)
        if share < _SHARED:
            return None
        told = f'"{seconds}" seems to be of whole assignments: about {share:.1f} ratings in a row of a rater share one'
    return "assignment", f"{told}; it is divided evenly over them. Choose below where that is not so."
