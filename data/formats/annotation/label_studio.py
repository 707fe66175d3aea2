"""Label Studio's CSV, and its JSON-MIN as a table: one row per annotation, with the task's data beside the results.

What varies within a task is a result; what does not is the task's data.
"""

from collections.abc import Iterator
from typing import Any

from data.errors import NoRatings
from data.formats.parts.answers import SEVERAL, answers_of, known_of, share
from data.formats.parts.columns import constant_within, item_column
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.nested import text_of, value_of
from data.formats.parts.table import Cells, Table

_ENVELOPE = {
    "annotator", "annotation_id", "lead_time", "id", "created_at", "updated_at", "completed_by", "was_cancelled",
}  # fmt: skip
_RANKER = "ranker"
_RESULTS = ("rating", "number", "choices", "selected", "taxonomy", _RANKER)
"""Names of the value of a result."""
TWICE = "the annotation stands in the file twice"
_COLUMNS = ("item", "rater", "answer", "measure", "seconds", "submitted")


def _knows(table: Table) -> bool:
    return {"annotation_id", "lead_time", "id"} <= set(table.names) and bool(
        {"annotator", "completed_by"} & set(table.names)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rater = "annotator" if "annotator" in table.names else "completed_by"
    rows = [{name: _plain(cell) for name, cell in row.items()} for row in table.first_rows()]
    others = [name for name in table.names if name not in _ENVELOPE]
    varying = [name for name in others if not constant_within(rows, name, ["id"])]
    raw = list(table.first_rows())
    results = [name for name in others if any(_key_of(row[name]) for row in raw)]
    if any(_key_of(row[name]) == _RANKER for row in raw for name in results):
        raise NoRatings.but_rankings(results)
    repeated = len({row["id"] for row in rows}) < len({row["annotation_id"] for row in rows})
    able = list(dict.fromkeys([*results, *varying])) or ([] if repeated else others)
    answers, notes = answers_of(rows, able)
    if not answers and not results:
        raise NoRatings(
            "no annotation in this file holds a result: its columns are the tasks' own, the same in all annotations of "
            "a task. Export the project again once there are results, with its labels (JSON or CSV)"
        )
    answers = answers or tuple(results)
    data = [name for name in others if name not in varying and name not in answers]
    item = item_column(rows, [name for name in data if _names_tasks(rows, name)]) or "id"
    kept = {name: name for name in data if name != item and name not in _COLUMNS}

    seen: set[str] = set()

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        annotation = row["annotation_id"]
        if annotation in seen:
            yield Aside(line, "annotation_id", TWICE, annotation)
            return
        if annotation:
            seen.add(annotation)
        if row.get("was_cancelled", "").casefold() in ("true", "1"):
            yield Aside(line, "was_cancelled", "the annotation was cancelled", row["was_cancelled"])
            return
        told = {name: _plain(row[name]) for name in answers}
        answered = [name for name in answers if told[name]]
        if not answered:
            yield Aside(line, answers[0] if answers else "", "the annotation holds no result", "")
        for name in answered:
            yield (
                line,
                {
                    "item": row[item],
                    "rater": _annotator(row[rater]),
                    "answer": told[name],
                    "measure": name if len(answers) > 1 else "",
                    "seconds": share(row["lead_time"], len(answered)),
                    "submitted": row.get("created_at", ""),
                    **{plain: row[source] for source, plain in kept.items()},
                },
            )

    columns = (*_COLUMNS, *kept.values())
    known = known_of(columns, (row[name] for row in rows for name in answers), tuple(kept.values()))
    return Canonical(columns, table.made(of_row), known if answers else None, notes)


def _names_tasks(rows: list[Cells], name: str) -> bool:
    """Whether a column of the task's data is an id of it rather than a text."""
    return "id" in name.casefold() and constant_within(rows, "id", [name])


def _plain(cell: str) -> str:
    """Return the value of a result such as [{"rating": 4}] or {"choices": ["a", "b"]}; other cells as they stand."""
    told = _only(value_of(cell))
    if isinstance(told, dict):
        told = told.get(_key_of(cell), told)
    if isinstance(told, list) and all(isinstance(each, str) for each in told):
        return text_of(told)
    return cell if told is None or isinstance(told, dict | list) else str(told)


def _key_of(cell: str) -> str:
    """Return what the value of a result is called; empty for a cell that is none."""
    told = _only(value_of(cell))
    return next((key for key in _RESULTS if key in told), "") if isinstance(told, dict) else ""


def _only(told: Any) -> Any:
    return told[0] if isinstance(told, list) and len(told) == 1 else told


def _annotator(cell: str) -> str:
    """Return who annotated: a name, a number, or an object with one of them."""
    told = value_of(cell)
    return text_of(told.get("email") or told.get("id")) or cell if isinstance(told, dict) else cell


FORMAT = Format("Label Studio CSV", _knows, _canonical, (SEVERAL,))
