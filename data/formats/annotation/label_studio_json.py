"""Label Studio's JSON: a list of tasks, each with its annotations, each of these with a result per question.

Regions, spans and free texts are no ratings and are counted. What annotations were predicted is not read.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from data.errors import NoRatings, listed
from data.formats.annotation.label_studio import TWICE
from data.formats.parts.answers import SEVERAL, answers_of, known_of, share
from data.formats.parts.columns import constant_within, item_column
from data.formats.parts.format import ONE_RATER, UNNAMED, Aside, Canonical, Chosen, Format, Made
from data.formats.parts.nested import first_filled, objects_of, text_of
from data.formats.parts.table import Cells, Table

_VALUES = {
    "rating": "rating",
    "number": "number",
    "choices": "choices",
    "taxonomy": "taxonomy",
    "pairwise": "selected",
}
"""The types of results that are ratings or choices, and what their value is called."""
_LISTS = ("annotations", "completions")
_COLUMNS = ("item", "rater", "answer", "measure", "seconds", "submitted")


class _Annotation(NamedTuple):
    """One person's annotation of a task: the answers by question, and the questions whose answers are rankings or
    neither ratings nor choices."""

    id: str
    rater: str
    answers: Mapping[str, str]
    ranked: tuple[str, ...]
    others: tuple[str, ...]
    cancelled: bool
    seconds: str
    submitted: str


def _list_of(table: Table) -> str:
    return next((name for name in _LISTS if name in table.names), "")


def _knows(table: Table) -> bool:
    name = _list_of(table)
    return bool(name) and any(
        isinstance(each.get("result"), list)
        for cell in first_filled(table, name)
        for each in objects_of(cell)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    annotations = _list_of(table)
    rows = list(table.first_rows())
    made = [each for row in rows for each in _annotations(row[annotations])]
    questions = list(dict.fromkeys(name for each in made for name in each.answers))
    told = [{name: each.answers.get(name, "") for name in questions} for each in made if not each.cancelled]
    answers, notes = answers_of(told, questions)
    answers = answers or tuple(questions)
    ranked = sorted({name for each in made for name in each.ranked})
    if ranked and not answers:
        raise NoRatings.but_rankings(ranked)
    if ranked:
        notes = (*notes, f"Rankings are not supported yet and are not taken: {listed(ranked)}.")
    others = sorted({name for each in made for name in each.others})
    if others:
        notes = (*notes, f"Regions, spans and texts are no ratings and are not taken: {listed(others)}.")
    named = any(each.rater for each in made)
    if not named:
        notes = (*notes, ONE_RATER)
    data = {name: name.partition(".")[2] for name in table.prefixed("data.")}
    ids = [name for name, plain in data.items() if "id" in plain.casefold()]
    tasks = "id" if "id" in table.names else ""
    if tasks:
        ids = [name for name in ids if constant_within(rows, tasks, [name])]
    item = item_column(rows, ids) or (ids[0] if len(rows) == len(ids) == 1 else tasks)
    kept = {name: plain for name, plain in data.items() if name != item and plain not in _COLUMNS}

    seen: set[str] = set()

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        each_told = _annotations(row[annotations])
        if not each_told:
            yield Aside(line, annotations, "the task has no annotation", "")
        for each in each_told:
            answered = [name for name in answers if each.answers.get(name)]
            if each.id in seen:
                yield Aside(line, "id", TWICE, each.id)
                continue
            if each.id:
                seen.add(each.id)
            if each.cancelled:
                yield Aside(line, "was_cancelled", "the annotation was cancelled", each.rater)
            elif not answered:
                yield Aside(line, annotations, "the annotation holds no result", each.rater)
            else:
                yield from (
                    (
                        line,
                        {
                            "item": row[item] if item else f"task {line}",
                            "rater": each.rater if named else UNNAMED,
                            "answer": each.answers[name],
                            "measure": name if len(answers) > 1 else "",
                            "seconds": share(each.seconds, len(answered)),
                            "submitted": each.submitted,
                            **{plain: row[source] for source, plain in kept.items()},
                        },
                    )
                    for name in answered
                )

    columns = (*_COLUMNS, *kept.values())
    given = (each[name] for each in told for name in answers)
    return Canonical(columns, table.made(of_row), known_of(columns, given, tuple(kept.values())), notes)


def _annotations(cell: str) -> list[_Annotation]:
    made = []
    for each in objects_of(cell):
        answers: dict[str, str] = {}
        ranked: dict[str, None] = {}
        others: dict[str, None] = {}
        results = each.get("result")
        for result in results if isinstance(results, list) else ():
            if not isinstance(result, dict):
                continue
            question, kind, value = str(result.get("from_name")), result.get("type"), result.get("value")
            name = _VALUES.get(kind) if isinstance(kind, str) else None
            if kind == "ranker":
                ranked[question] = None
            elif name is None or not isinstance(value, dict) or "start" in value:
                others[question] = None
            else:
                answers[question] = text_of(value.get(name))
        made.append(
            _Annotation(
                text_of(each.get("id")),
                _person(each.get("completed_by")),
                answers,
                tuple(ranked),
                tuple(others),
                each.get("was_cancelled") is True,
                text_of(each.get("lead_time")),
                text_of(each.get("created_at")),
            )
        )
    return made


def _person(completed_by: Any) -> str:
    """Who annotated: a number, or an object with an address or a number."""
    if isinstance(completed_by, dict):
        return text_of(completed_by.get("email") or completed_by.get("id"))
    return text_of(completed_by)


FORMAT = Format("Label Studio JSON", _knows, _canonical, (SEVERAL,))
