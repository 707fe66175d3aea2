"""Argilla's records: each with the responses of users to questions, in the three forms of its versions.

By question (`responses: {question: [{value, user_id, status}]}`), by user (a list of responses with `values`), and in
data sets on a hub as three columns of lists (`question.responses`, `.users`, `.status`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from data.errors import NoRatings, listed
from data.formats.parts.answers import SEVERAL, answers_of, known_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.nested import first_filled, objects_of, text_of, value_of
from data.formats.parts.table import Cells, Table

_ENDS = (".responses", ".responses.users", ".responses.status")
_IDS = ("external_id", "id", "_server_id")
_COLUMNS = ("item", "rater", "answer", "measure", "text")


class _Response(NamedTuple):
    question: str
    user: str
    value: str
    status: str
    ranked: bool = False


def _knows(table: Table) -> bool:
    if "responses" in table.names:
        return any(_in_record(cell) for cell in first_filled(table, "responses"))
    return any(f"{name}.users" in table.names for name in table.names if name.endswith(_ENDS[0]))


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    made = [each for row in rows for each in _responses(row)]
    questions = list(dict.fromkeys(each.question for each in made))
    told = [{name: each.value if each.question == name else "" for name in questions} for each in made]
    answers, notes = answers_of(told, questions)
    ranked = tuple(dict.fromkeys(each.question for each in made if each.ranked))
    if ranked and not any(each.value for each in made):
        raise NoRatings.but_rankings(ranked)
    if ranked:
        notes = (*notes, f"Rankings are not supported yet and are not taken: {listed(ranked)}.")
    answers = answers or tuple(name for name in questions if name not in ranked)
    item = next((name for name in _IDS if name in table.names and all(row[name] for row in rows)), "")
    texts = [name for name in table.names if name.startswith("fields.") or name == "text"]

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        responses = [each for each in _responses(row) if each.question in answers]
        if not responses:
            yield Aside(line, "responses", "the record has no response", "")
        for each in responses:
            if each.status not in ("", "submitted"):
                yield Aside(
                    line, "status", f"the response is no submitted one, but {each.status[:40]}", each.user
                )
            elif not each.value:
                yield Aside(line, each.question, "the response holds no value", each.user)
            else:
                yield (
                    line,
                    {
                        "item": row[item] if item else f"record {line}",
                        "rater": each.user,
                        "answer": each.value,
                        "measure": each.question if len(answers) > 1 else "",
                        "text": row[texts[0]] if texts else "",
                    },
                )

    given = (each.value for each in made if each.question in answers)
    return Canonical(_COLUMNS, table.made(of_row), known_of(_COLUMNS, given), notes)


def _responses(row: Cells) -> list[_Response]:
    if "responses" in row:
        return _in_record(row["responses"])
    found = []
    for name in row:
        if name.endswith(_ENDS[0]) and f"{name}.users" in row:
            question = name.removesuffix(_ENDS[0])
            values, users, states = (
                told if isinstance(told := value_of(row.get(question + end, "")), list) else []
                for end in _ENDS
            )
            for at, value in enumerate(values):
                user, status = (text_of(each[at]) if at < len(each) else "" for each in (users, states))
                found.append(_Response(question, user, text_of(value), status))
    return found


def _in_record(cell: str) -> list[_Response]:
    told = value_of(cell)
    if isinstance(told, dict):
        return [
            _response(question, each, each.get("value"))
            for question, given in told.items()
            if isinstance(given, list)
            for each in given
            if isinstance(each, dict) and "value" in each
        ]
    found = []
    for each in objects_of(cell):
        values = each.get("values")
        if isinstance(values, dict):
            found += [
                _response(question, each, given.get("value"))
                for question, given in values.items()
                if isinstance(given, dict)
            ]
    return found


def _response(question: str, told: Mapping[str, Any], value: Any) -> _Response:
    status = told.get("status")
    status = status.get("value") if isinstance(status, dict) else status
    objects = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    ranked = any("rank" in each for each in objects)
    plain = "" if objects else text_of(value)
    return _Response(question, text_of(told.get("user_id")), plain, text_of(status), ranked)


FORMAT = Format("Argilla", _knows, _canonical, (SEVERAL,))
