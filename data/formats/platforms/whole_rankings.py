"""A column whose cells each hold a whole ranking: `a > b = c`, a list, or options in order, the best first.

It becomes a column of ranks for each option, which the reader then takes like any other such table.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from data.errors import list_first
from data.formats.parts.cells import value_of
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Made, Table
from data.kinds.kind import RANK
from data.reading.columns import is_missing
from data.reading.rankings import words_of

Order = tuple[tuple[str, ...], ...]
"""The options of a ranking, those of equal rank together, the best first."""
_MOST, _LONGEST = 50, 60
"""Options of a column, and characters of one."""
_FEWEST = 3
"""Least number of rankings that show the content of a column."""
_ABOVE, _EQUAL = re.compile(r"\s*(?:>+|≻|»)\s*"), re.compile(r"\s*(?:=+|~|≈)\s*")
_IN_ORDER = (";", "|", ",")


def _by_signs(cell: str) -> Order | None:
    """Return the order of `a > b = c`; None for another text.

    >>> _by_signs("gpt > llama=claude")
    (('gpt',), ('llama', 'claude'))
    """
    order = tuple(tuple(_EQUAL.split(tied)) for tied in _ABOVE.split(cell.strip()))
    return order if "<" not in cell and sum(map(len, order)) > 1 else None


def _by_list(cell: str) -> Order | None:
    """Return the order of a list of texts as JSON; None for another text."""
    value = value_of(cell)
    if not isinstance(value, list) or not all(isinstance(option, str) for option in value):
        return None
    return tuple((option.strip(),) for option in value)


def _by_separator(separator: str) -> Callable[[str], Order | None]:
    """Return a reader of options in order between separators."""

    def read(cell: str) -> Order | None:
        return tuple((option.strip(),) for option in cell.split(separator)) if separator in cell else None

    return read


def _readers(name: str, cells: Sequence[str]) -> Iterator[Callable[[str], Order | None]]:
    """Yield the ways in which a column's cells are rankings: without signs only where its name says so, or all cells
    hold the same options in different orders."""
    is_called = bool({*RANK} & {*words_of(name)})
    for reader in (_by_signs, _by_list, *map(_by_separator, _IN_ORDER)):
        if reader(cells[0]) is None:
            continue
        orders = [order for cell in cells if (order := reader(cell)) is not None]
        if len(orders) < len(cells) or not _are_rankings(orders):
            continue
        complete = len({frozenset(_options(order)) for order in orders}) == 1 and len(orders[0]) > 2
        if reader is _by_signs or complete or (is_called and reader is _by_list):
            yield reader


def _options(order: Order) -> list[str]:
    return [option for tied in order for option in tied]


def _are_rankings(orders: Sequence[Order]) -> bool:
    """Return True where these are different orders of a few short options, most of which stand in several of them."""
    different = {*orders}
    if len(orders) < _FEWEST or len(different) < 2:
        return False
    counts = Counter(option for order in different for option in _options(order))
    short = all(0 < len(option) <= _LONGEST for option in counts)
    once = all(len({*_options(order)}) == len(_options(order)) for order in different)
    again = sum(times > 1 for times in counts.values())
    return short and once and 2 < len(counts) <= _MOST and 2 * again >= len(counts)


def _ranking_column(table: Table) -> tuple[str, Callable[[str], Order | None]] | None:
    """Return the only column of whole rankings and the reader of its cells; None where there is none, or several."""
    columns = []
    for name in table.names:
        cells = [cell for row in table.head if (cell := row.get(name, "")) and not is_missing(cell)]
        if cells and (reader := next(_readers(name, cells), None)):
            columns.append((name, reader))
    return columns[0] if len(columns) == 1 else None


def _column(option: str) -> str:
    return f"rank of {option}"


def _ranks(order: Order) -> dict[str, str]:
    """Return the rank of each option; tied ones share the best rank."""
    ranks, rank = {}, 1
    for options in order:
        ranks.update(dict.fromkeys(options, str(rank)))
        rank += len(options)
    return ranks


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    column_and_reader = _ranking_column(table)
    assert column_and_reader is not None
    name, reader = column_and_reader

    def order_in(row: Cells) -> Order | None:
        """Return the ranking in a row; None where its cell holds none, or an option twice."""
        cell = row.get(name, "")
        order = None if is_missing(cell) else reader(cell)
        options = [] if order is None else _options(order)
        return order if all(options) and len({*options}) == len(options) else None

    orders = (order_in(row[1]) for row in table.all_rows() if not isinstance(row, Aside))
    options = list(dict.fromkeys(option for order in orders if order for option in _options(order)))
    other_columns = [column for column in table.names if column != name]

    def ranked(line: int, row: Cells) -> Iterator[Made]:
        order = order_in(row)
        if not order:
            yield Aside(line, name, "the cell holds no ranking", row.get(name, "")[:200])
            return
        ranks = _ranks(order)
        rank_cells = {_column(option): ranks.get(option, "") for option in options}
        yield line, {**{column: row.get(column, "") for column in other_columns}, **rank_cells}

    note = (
        f'Each cell of "{name}" holds a whole ranking of {len(options)} options ({list_first(options)}), the best '
        "first."
    )
    columns = (*other_columns, *map(_column, options))
    return Canonical(columns, table.convert(ranked), None, (note,))


FORMATS = (Format("rankings in a cell", lambda table: _ranking_column(table) is not None, _canonical),)
