"""Toloka's assignments: INPUT, OUTPUT, GOLDEN, HINT and ASSIGNMENT columns, one row per task of an assignment."""

from collections.abc import Iterator

from data.formats.parts.answers import SEVERAL, answers_of, seconds_in_page
from data.formats.parts.columns import item_column
from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.responses import NAMES, Response, table_of
from data.formats.parts.table import Cells, Table

_WORKER, _TASK = "ASSIGNMENT:worker_id", "ASSIGNMENT:task_id"
_ASSIGNMENT, _STATUS = "ASSIGNMENT:assignment_id", "ASSIGNMENT:status"
_STARTED, _SUBMITTED = "ASSIGNMENT:started", "ASSIGNMENT:submitted"


def _knows(table: Table) -> bool:
    return _WORKER in table.names and bool(table.prefixed("OUTPUT:")) and bool(table.prefixed("INPUT:"))


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    outputs, notes = answers_of(rows, table.prefixed("OUTPUT:"))
    inputs = table.prefixed("INPUT:")
    item = item_column(rows, inputs) or (_TASK if _TASK in table.names else "")
    hints = [name for name in table.prefixed("HINT:") if _varies(rows, name)]
    kept = {name: name.partition(":")[2] for name in (*inputs, *hints) if name != item}
    kept = {name: plain for name, plain in kept.items() if plain not in NAMES}
    if {_ASSIGNMENT, _STARTED, _SUBMITTED} <= set(table.names):
        notes = (*notes, "An assignment's time is divided evenly over its answers.")
    seconds = seconds_in_page(table, [_ASSIGNMENT], _STARTED, _SUBMITTED, outputs)

    def responses(line: int, row: Cells) -> Iterator[Response]:
        status, assignment = row.get(_STATUS, ""), row.get(_ASSIGNMENT, "")
        yield Response(
            row.get(item, ""),
            row[_WORKER],
            {name: row[name] for name in outputs},
            {
                "submitted": row.get(_SUBMITTED, ""),
                "status": status,
                "assignment": assignment,
                **{plain: row[source] for source, plain in kept.items()},
            },
            seconds=seconds(row),
            expected={name: row.get(f"GOLDEN:{name.partition(':')[2]}", "") for name in outputs},
            told_by=(_STATUS if status else "", status),
        )

    questions = {name: name.partition(":")[2] for name in outputs}
    nothing = "the task holds no answer"
    return table_of(table, responses, questions, nothing, tuple(kept.values()), notes)


def _varies(rows: list[Cells], name: str) -> bool:
    return len({row[name] for row in rows}) > 1


FORMAT = Format("Toloka TSV", _knows, _canonical, (SEVERAL,))
