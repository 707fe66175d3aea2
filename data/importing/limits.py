# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`
"""How large a table may be: its rows before they are judged, and the measures and groups that its cells name."""

from collections.abc import Mapping

import duckdb

from analysis.values.columns import thousands
from data.errors import OverLimit
from data.importing.cells import one_number
from data.mapping.plan import Plan
from data.quoting import quoted
from data.settings import Settings, shown, variable_of
from data.tables.bounded import check_rows
from data.tables.rows import Row, rows
from data.tables.sniffed import Sniffed
from data.tables.text import Text

_LIMIT_OF: Mapping[str, str] = {
    "measure": "measures",
    "design": "measures",
    "surrogate": "measures",
    "rater_group": "groups",
}
"""The limit that says how many different names a column may hold: each is computed and drawn for itself."""

_CALLED = {"measure": "measures", "design": "designs", "surrogate": "surrogates", "rater_group": "groups"}


def check_lines(text: Text, sniffed: Sniffed, limits: Settings) -> None:
    """Refuses a text of too many rows before it is read; where quotation marks may join lines, only reading tells."""
    if not text.quoted:
        check_rows(text.lines - sniffed.before, limits)


def check_cells(text: Text, sniffed: Sniffed, todo: Plan, limits: Settings) -> None:
    """Refuses a wide table of which too many cells are filled, before it is read and they become rows."""
    if (text.lines - sniffed.before) * len(todo.wide) <= limits.rows:
        return
    filled = 0
    for row in rows(text.path, sniffed.before, sniffed.delimiter):
        if isinstance(row, Row) and len(row.cells) >= sniffed.width:
            cells = row.cells
            filled += sum(1 for at in todo.wide if at < len(cells) and cells[at] and not cells[at].isspace())
        if filled > limits.rows:
            raise OverLimit(
                f"the file has about {thousands(text.lines - sniffed.before)} rows with "
                f"{thousands(len(todo.wide))} columns of "
                f"{todo.kind.rows}, which are more than the {shown('rows', limits.rows)} {todo.kind.rows} that "
                f"{variable_of('rows')} allows; split it, for instance by item"
            )


def check_names(cursor: duckdb.DuckDBPyConnection, todo: Plan, limits: Settings) -> None:
    """Refuses rows of `import_rows` that name more measures or groups than a page can show."""
    for target in todo.targets:
        if target.name not in _LIMIT_OF:
            continue
        limit = _LIMIT_OF[target.name]
        most: int = getattr(limits, limit)
        named = one_number(cursor, f"SELECT count(DISTINCT {quoted(target.name)}) FROM import_rows")
        if named > most:
            where = (
                f"the columns with {todo.kind.rows} name"
                if target.names
                else f'the column "{target.label[:60]}" names'
            )
            raise OverLimit(
                f"{where} {thousands(named)} different {_CALLED[target.name]}, more than the {shown(limit, most)} that "
                f"one data set may have; choose another column for the {todo.kind.title_of(target.name)} or none, "
                "or split the file by it"
            )
