"""Toloka, Crowdee, and Figure Eight, once CrowdFlower: a row for each task of an assignment.

Toloka writes INPUT, OUTPUT, GOLDEN, HINT and ASSIGNMENT columns. Of Figure Eight's full reports, columns that begin
with _ are the envelope, all others the unit's data and the answers; what varies within a unit is an answer.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from data.errors import listed
from data.formats.parts.cells import constant_within, filled, item_column, text_of, value_of
from data.formats.parts.format import Canonical, Cells, Chosen, Format, Table
from data.formats.parts.responses import (
    NAMES,
    SEVERAL,
    Response,
    answers_of,
    seconds_in_page,
    share,
    table_of,
)
from data.reading.columns import is_score
from data.reading.wide_layouts import are_systems, paired
from data.tables.sniffed import is_number

_TOLOKER, _TASK = "ASSIGNMENT:worker_id", "ASSIGNMENT:task_id"
_ASSIGNMENT, _STATUS = "ASSIGNMENT:assignment_id", "ASSIGNMENT:status"
_BEGAN, _SUBMITTED = "ASSIGNMENT:started", "ASSIGNMENT:submitted"


def _toloka(table: Table, chosen: Chosen) -> Canonical:
    rows = table.head
    outputs, notes = answers_of(rows, table.prefixed("OUTPUT:"))
    inputs = table.prefixed("INPUT:")
    item = item_column(rows, inputs) or (_TASK if _TASK in table.names else "")
    hints = [name for name in table.prefixed("HINT:") if len({row[name] for row in rows}) > 1]
    further = {
        name: short_name
        for name in (*inputs, *hints)
        if name != item and (short_name := name.partition(":")[2]) not in NAMES
    }
    if {_ASSIGNMENT, _BEGAN, _SUBMITTED} <= {*table.names}:
        notes = (*notes, "An assignment's time is divided evenly over its answers.")
    seconds = seconds_in_page(table, [_ASSIGNMENT], _BEGAN, _SUBMITTED, outputs)

    def responses(line: int, row: Cells) -> Iterator[Response]:
        status, assignment = row.get(_STATUS, ""), row.get(_ASSIGNMENT, "")
        yield Response(
            row.get(item, ""),
            row[_TOLOKER],
            {name: row[name] for name in outputs},
            {
                "submitted": row.get(_SUBMITTED, ""),
                "status": status,
                "assignment": assignment,
                **{short_name: row[source] for source, short_name in further.items()},
            },
            seconds=seconds(row),
            expected={name: row.get(f"GOLDEN:{name.partition(':')[2]}", "") for name in outputs},
            no_answer_cell=(_STATUS if status else "", status),
        )

    questions = {name: name.partition(":")[2] for name in outputs}
    no_answer = "the task holds no answer"
    return table_of(table, responses, questions, no_answer, tuple(further.values()), notes)


_CROWDEE, _SHOWN, _DURATION = {"AnswerId", "JobName", "Worker"}, "DynamicContent.", "WorkDurationInSeconds"


def _crowdee(table: Table, chosen: Chosen) -> Canonical:
    cells_by_column = {name: filled(table.head, name) for name in table.prefixed("Answer.")}
    numbers = tuple(name for name, cells in cells_by_column.items() if cells and all(map(is_number, cells)))
    # sliders go beyond 100
    outputs, notes = (numbers, ()) if numbers else answers_of(table.head, [*cells_by_column])
    inputs = [name for name in table.prefixed(_SHOWN) if filled(table.head, name)]
    item = item_column(table.head, inputs) or inputs[0]
    further = {
        name: short_name
        for name in inputs
        if name != item and (short_name := name.removeprefix(_SHOWN)) not in NAMES
    }

    def responses(line: int, row: Cells) -> Iterator[Response]:
        cells = {"submitted": row.get("AnswerSubmittedTime", ""), "status": row.get("Status", "")}
        cells |= {short_name: row[name] for name, short_name in further.items()}
        answers = {name: row[name] for name in outputs}
        seconds = share(row.get(_DURATION, ""), len(outputs))
        yield Response(row[item], row["Worker"], answers, cells, seconds, no_answer_cell=("Status", ""))

    questions = {name: name.removeprefix("Answer.") for name in outputs}
    return table_of(table, responses, questions, "the task holds no answer", tuple(further.values()), notes)


def _recognizes_crowdee(table: Table) -> bool:
    has_answers = bool(table.prefixed("Answer.")) and bool(filled(table.head, *table.prefixed(_SHOWN)))
    return {*table.names} >= _CROWDEE and has_answers


_UNITS, _WORKER, _STARTED, _CREATED = ("_unit_id", "unit_id"), "_worker_id", "_started_at", "_created_at"
_OF_WORKERS = ("_country", "_region", "_city", "_channel")
_GOLD = ("_gold", "_gold_reason")
_LONGEST_LINE = 60
"""Characters of a box that is ticked; longer lines are those of a text."""


def _figure_eight(table: Table, chosen: Chosen) -> Canonical:
    rows = [{name: _label(cell) for name, cell in row.items()} for row in table.head]
    unit = table.first(*_UNITS)
    unit_columns = [name for name in table.names if not name.startswith("_") and not name.endswith(_GOLD)]
    varying = [name for name in unit_columns if not constant_within(rows, name, [unit])]
    answers, notes = answers_of(
        rows, varying or [name for name in unit_columns if f"{name}_gold" in table.names]
    )
    scored = [name for name in varying if is_score(filled(rows, name))]
    if not answers and varying:
        answers, notes = _labels(rows, unit, [name for name in varying if name not in scored] or varying)
    input_columns = [name for name in unit_columns if name not in (*varying, unit)]
    slots = {slot.answer: slot.item for slot in paired(rows, scored or varying, input_columns)}
    slots = slots if are_systems([*slots.values()]) else {}
    if slots:
        answers, unused = tuple(slots), [name for name in varying if name not in slots]
        notes = (f"{answers[0]} is of {slots[answers[0]]}, and so on for {len(slots)} slots a row.",)
        notes += (f"Not taken for ratings: {listed(unused)}.",) if unused else ()
    further = {
        name: name for name in unit_columns if name not in (*varying, *NAMES, unit) and filled(rows, name)
    }
    further = {name: name for name in further if name not in slots.values() and name != "system"}
    of_workers = {name: f"rater{name}" for name in _OF_WORKERS if name in table.names}
    seconds = seconds_in_page(table, [_WORKER, _STARTED], _STARTED, _CREATED, answers)
    if _STARTED in table.names:
        notes = (*notes, "A page's time is divided evenly over its ratings.")

    def responses(line: int, row: Cells) -> Iterator[Response]:
        for name, system_column in slots.items():
            single_answer = {**row, **dict.fromkeys(set(answers) - {name}, "")}
            system = {"system": row[system_column], "measure": ""}
            yield replace(response(single_answer, system), item=f"{row[unit]}__{row[system_column]}")
        if not slots:
            yield response(row, {})

    def response(row: Cells, system: Cells) -> Response:
        return Response(
            row[unit],
            row[_WORKER],
            {name: _label(row[name]) for name in answers},
            {
                **system,
                "check": "gold" if row.get("_golden", "").casefold() == "true" else "",
                "submitted": row.get(_CREATED, ""),
                "status": "rejected" if row.get("_tainted", "").casefold() == "true" else "",
                **{column: row[name] for name, column in {**further, **of_workers}.items()},
            },
            seconds=seconds(row),
            expected={name: _label(row.get(f"{name}_gold", "")) for name in answers},
        )

    no_answer = "the judgment holds no answer"
    return table_of(table, responses, answers, no_answer, tuple(further.values()), notes)


def _labels(
    rows: Sequence[Cells], unit: str, names: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of labels that are too many or too long for a scale, such as selected passages, and notes on
    the columns left out: comments, of which no two workers write the same."""
    counts = {name: Counter((row[unit], row[name]) for row in rows if row[name]) for name in names}
    chosen = tuple(name for name in names if any(times > 1 for times in counts[name].values()))
    chosen = chosen or tuple(names if len(names) == 1 else ())
    unused = [name for name in names if name not in chosen and filled(rows, name)]
    notes = [f"Read as labels: {listed(chosen)}."] if chosen else []
    notes += [f"Not taken for labels: {listed(unused)}."] if unused else []
    return chosen, tuple(notes)


def _label(cell: str) -> str:
    """Return an answer as it stands; of several, in a list as JSON or in lines, as `text_of`."""
    value = value_of(cell)
    if isinstance(value, list):
        return text_of(value)
    lines = [line.strip() for line in cell.splitlines() if line.strip()]
    return text_of(lines) if len(lines) > 1 and max(map(len, lines)) <= _LONGEST_LINE else cell


def _recognizes_toloka(table: Table) -> bool:
    return _TOLOKER in table.names and bool(table.prefixed("OUTPUT:")) and bool(table.prefixed("INPUT:"))


FORMATS = (
    Format("Toloka TSV", _recognizes_toloka, _toloka, (SEVERAL,)),
    Format("Crowdee", _recognizes_crowdee, _crowdee, (SEVERAL,)),
    Format(
        "Figure Eight / CrowdFlower",
        lambda table: (
            _WORKER in table.names and bool(table.first(*_UNITS)) and bool(table.first("_trust", _STARTED))
        ),
        _figure_eight,
        (SEVERAL,),
    ),
)
