"""Label Studio: JSON (tasks with their annotations, each with a result per question), and CSV or JSON-MIN (one row per
annotation, with the task's data beside the results).

Regions, spans and free texts are no ratings and are counted; predictions are not read. In a table, what varies within a
task is a result.
"""

from collections.abc import Iterator
from typing import Any

from data.errors import NoRatings, listed
from data.formats.parts.cells import constant_within, filled, item_column, objects_of, text_of, value_of
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Table
from data.formats.parts.responses import (
    NAMES,
    SEVERAL,
    Response,
    answers_of,
    rankings_of,
    table_of,
    table_of_questions,
)

_ENVELOPE = {
    "annotator", "annotation_id", "lead_time", "id", "created_at", "updated_at", "completed_by", "was_cancelled",
}  # fmt: skip
_VALUES = {name: name for name in ("rating", "number", "choices", "taxonomy")} | {"pairwise": "selected"}
"""The types of results that are ratings or choices, with the keys of their values."""
_RANKER = "ranker"
_LISTS = ("annotations", "completions")
_CANCELLED, _NOTHING = "the annotation was cancelled", "the annotation holds no result"


def _person(value: Any) -> str:
    """Return the annotator: a name, a number, or the address or number in an object."""
    return text_of(value.get("email") or value.get("id") if isinstance(value, dict) else value)


def _json(table: Table, chosen: Chosen) -> Canonical:
    annotations, rows = table.first(*_LISTS), table.head
    first = [annotation for row in rows for annotation in objects_of(row[annotations])]
    names_raters = any(_person(annotation.get("completed_by")) for annotation in first)
    results = [result for annotation in first for result in _results(annotation)]
    unused_questions = sorted({question for question, type, _ in results if type not in (*_VALUES, _RANKER)})
    data = {name: name.partition(".")[2] for name in table.prefixed("data.")}
    ids = [name for name, short_name in data.items() if "id" in short_name.casefold()]
    tasks = "id" if "id" in table.names else ""
    ids = [name for name in ids if not tasks or constant_within(rows, tasks, [name])]
    item = item_column(rows, ids) or (ids[0] if len(rows) == len(ids) == 1 else tasks)
    further = {
        name: short_name for name, short_name in data.items() if name != item and short_name not in NAMES
    }

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        objects = objects_of(row[annotations])
        if not objects:
            yield Aside(line, annotations, "the task has no annotation", "")
        for annotation in objects:
            rater = _person(annotation.get("completed_by"))
            if annotation.get("was_cancelled") is True:
                yield Aside(line, "was_cancelled", _CANCELLED, rater)
                continue
            submitted, seconds, id = (
                text_of(annotation.get(name)) for name in ("created_at", "lead_time", "id")
            )
            yield Response(
                row[item] if item else f"task {line}",
                rater if names_raters else None,
                {question: text for question, type, text in _results(annotation) if type in _VALUES},
                {
                    "submitted": submitted,
                    **{short_name: row[source] for source, short_name in further.items()},
                },
                seconds=seconds,
                no_answer_cell=(annotations, rater),
                id=id,
                ranks=_ranks_in(annotation),
            )

    notes = (
        [f"Regions, spans and texts are no ratings and are not taken: {listed(unused_questions)}."]
        if unused_questions
        else []
    )
    return table_of_questions(table, responses, _NOTHING, tuple(further.values()), notes)


def _results(annotation: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the question of each result, its type ("" for what is neither a rating, a choice nor a ranking), and its
    value as text."""
    for result in objects_of(annotation.get("result")):
        question, type, value = str(result.get("from_name")), str(result.get("type")), result.get("value")
        if type in _VALUES and isinstance(value, dict) and "start" not in value:
            yield question, type, text_of(value.get(_VALUES[type]))
        else:
            yield question, type if type == _RANKER else "", ""


def _ranks_in(annotation: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the options that an annotation ranks, with their ranks, by question."""
    ranks_by_question: dict[str, list[tuple[str, str]]] = {}
    for result in objects_of(annotation.get("result")):
        if result.get("type") == _RANKER and (ranks := _ranks_of(result.get("value"))):
            ranks_by_question.setdefault(str(result.get("from_name")), ranks)
    return ranks_by_question


def _ranks_of(value: Any) -> list[tuple[str, str]]:
    """Return the options of one ordered list with their ranks: {"ranker": {"rank": ["b", "a"]}}, or the list itself.

    Several lists are classes, not ranks.
    """
    value = value.get(_RANKER) if isinstance(value, dict) and _RANKER in value else value
    lists = [each for each in value.values() if each] if isinstance(value, dict) else [value]
    options = lists[0] if len(lists) == 1 and isinstance(lists[0], list) else []
    names = [text_of(each.get("id") if isinstance(each, dict) else each) for each in options]
    return [(name, str(rank)) for rank, name in enumerate(names, 1)] if all(names) else []


def _csv(table: Table, chosen: Chosen) -> Canonical:
    rater = table.first("annotator", "completed_by")
    rows = [{name: _value_of_result(cell) for name, cell in row.items()} for row in table.head]
    keys = {name: {_key_of(row[name]) for row in table.head} for name in table.names}
    columns = [name for name in table.names if name not in _ENVELOPE]
    varying = [name for name in columns if not constant_within(rows, name, ["id"])]
    results = [name for name in columns if any(keys[name])]
    ranked = [name for name in results if _RANKER in keys[name]]
    results = [name for name in results if name not in ranked]
    repeated = len({row["id"] for row in rows}) < len({row["annotation_id"] for row in rows})
    candidates = [*dict.fromkeys([*results, *varying])] or ([] if repeated or len(rows) < 2 else columns)
    answers, notes = answers_of(rows, candidates)
    answers = () if ranked else answers or tuple(results)
    if not answers and not ranked:
        raise NoRatings(
            "no annotation in this file holds a result: its columns are the tasks' own, the same in all annotations of "
            "a task, or the only one. Export the project again once there are results of several tasks, or as JSON"
        )
    constant = [name for name in columns if name not in varying and name not in answers]
    ids = [name for name in constant if "id" in name.casefold() and constant_within(rows, "id", [name])]
    item = item_column(rows, ids) or "id"
    further = tuple(name for name in constant if name != item and name not in NAMES)

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        cancelled = row.get("was_cancelled", "")
        if cancelled.casefold() in ("true", "1"):
            yield Aside(line, "was_cancelled", _CANCELLED, cancelled)
            return
        yield Response(
            row[item],
            _person(value_of(row[rater]) or row[rater]) or row[rater],
            {name: _value_of_result(row[name]) for name in answers},
            {"submitted": row.get("created_at", ""), **{name: row[name] for name in further}},
            seconds=row["lead_time"],
            no_answer_cell=((*answers, *ranked)[0], ""),
            id=row["annotation_id"],
            ranks={name: _ranks_of(_single_element(value_of(row[name]))) for name in ranked},
        )

    if ranked:
        return rankings_of(table, responses, ranked, _NOTHING, further)
    return table_of(table, responses, answers, _NOTHING, further, notes)


def _value_of_result(cell: str) -> str:
    """Return the value of a result such as [{"rating": 4}] or {"choices": ["a", "b"]}; other cells as they stand."""
    value = _single_element(value_of(cell))
    if isinstance(value, dict):
        value = value.get(_key_of(cell), value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return text_of(value)
    return cell if value is None or isinstance(value, dict | list) else str(value)


def _key_of(cell: str) -> str:
    """Return the key of the value of a result; empty for a cell that is none."""
    value = _single_element(value_of(cell))
    keys = (*_VALUES.values(), _RANKER)
    return next((key for key in keys if key in value), "") if isinstance(value, dict) else ""


def _single_element(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _recognizes_json(table: Table) -> bool:
    cells = filled(table.head, table.first(*_LISTS))
    return any(isinstance(each.get("result"), list) for cell in cells for each in objects_of(cell))


def _recognizes_csv(table: Table) -> bool:
    has = {*table.names}
    return has >= {"annotation_id", "lead_time", "id"} and bool(has & {"annotator", "completed_by"})


FORMATS = (
    Format("Label Studio JSON", _recognizes_json, _json, (SEVERAL,)),
    Format("Label Studio CSV", _recognizes_csv, _csv, (SEVERAL,)),
)
