"""Tables whose ids hold topic, system and measure: doc_7__sysB__coherence becomes columns of their own."""

from collections.abc import Iterator

from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.ids import SplitIds, may_be_systems, split_ids
from data.formats.parts.table import Cells, Table
from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import ITEM

_PARTS = ("system", "topic")


def _ids(table: Table) -> tuple[str, SplitIds] | None:
    """Return the column of such ids and how they are made; None where a column tells the measure or the system."""
    names = {plain_name(name): name for name in reversed(table.names)}
    id = next((names[name] for name in ITEM if name in names), "")
    if not id or "measure" in names:
        return None
    found = split_ids(row[id] for row in table.first_rows() if row[id])
    if found is None or ("measure" not in found.roles and {*_PARTS} & names.keys()):
        return None
    systems = {found.parts_of(row[id]).get("system", "") for row in table.first_rows() if row[id]}
    return (id, found) if "measure" in found.roles or may_be_systems(systems) else None


def _knows(table: Table) -> bool:
    return _ids(table) is not None


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    found = _ids(table)
    assert found is not None
    id, ids = found
    made = ("item", *ids.roles)
    rest = [name for name in table.names if name != id and name.casefold() not in made]

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        if row[id].count(ids.separator) + 1 != len(ids.roles):
            yield Aside(line, id, "the id of the item has other parts than the first ones", row[id])
            return
        yield line, {**{name: row[name] for name in rest}, **ids.parts_of(row[id])}

    example = next(row[id] for row in table.first_rows() if row[id])
    notes = (f'Ids are taken apart at "{ids.separator}": {", ".join(ids.roles)} (as in "{example}").',)
    return Canonical((*made, *rest), table.made(of_row), None, notes)


FORMAT = Format("ids of several parts", _knows, _canonical)
