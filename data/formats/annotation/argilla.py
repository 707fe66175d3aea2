"""Argilla's records: each with the responses of users to questions, in the three forms of its versions.

By question (`responses: {question: [{value, user_id, status}]}`), by user (a list of responses with `values`), and in
data sets on a hub as three columns of lists (`question.responses`, `.users`, `.status`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from data.formats.parts.answers import SEVERAL
from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.nested import first_filled, objects_of, text_of, value_of
from data.formats.parts.responses import Response, questions_in, table_of, without_rankings
from data.formats.parts.table import Cells, Table

_ENDS = (".responses", ".responses.users", ".responses.status")
_IDS = ("external_id", "id", "_server_id")
_Told = tuple[str, str, str, Any]
"""User, status, question and value."""


def _knows(table: Table) -> bool:
    if "responses" in table.names:
        return any(any(_in_record(cell)) for cell in first_filled(table, "responses"))
    return any(f"{name}.users" in table.names for name in table.names if name.endswith(_ENDS[0]))


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    item = next((name for name in _IDS if name in table.names and all(row[name] for row in rows)), "")
    texts = [name for name in table.names if name.startswith("fields.") or name == "text"]

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        by_user: dict[tuple[str, str], dict[str, str]] = {}
        for user, status, question, value in _told(row):
            if not _is_ranked(value):
                by_user.setdefault((user, status), {})[question] = text_of(value)
        if not by_user:
            yield Aside(line, "responses", "the record has no response", "")
        for (user, status), answers in by_user.items():
            if status not in ("", "submitted"):
                yield Aside(line, "status", f"the response is no submitted one, but {status[:40]}", user)
                continue
            called, text = row[item] if item else f"record {line}", row[texts[0]] if texts else ""
            yield Response(called, user, answers, {"text": text}, told_by=("responses", user))

    questions, notes = questions_in(table, responses, else_all=True)
    told = (each for row in rows for each in _told(row))
    ranked = tuple(dict.fromkeys(question for *_, question, value in told if _is_ranked(value)))
    notes = without_rankings(ranked, questions, notes)
    return table_of(table, responses, questions, "the response holds no value", notes=notes)


def _told(row: Cells) -> Iterator[_Told]:
    if "responses" in row:
        yield from _in_record(row["responses"])
        return
    for name in row:
        if name.endswith(_ENDS[0]) and f"{name}.users" in row:
            question = name.removesuffix(_ENDS[0])
            values, users, states = (
                told if isinstance(told := value_of(row.get(question + end, "")), list) else []
                for end in _ENDS
            )
            for at, value in enumerate(values):
                user, status = (text_of(each[at]) if at < len(each) else "" for each in (users, states))
                yield user, status, question, value


def _in_record(cell: str) -> Iterator[_Told]:
    told = value_of(cell)
    if isinstance(told, dict):
        for question, given in told.items():
            for each in given if isinstance(given, list) else ():
                if isinstance(each, dict) and "value" in each:
                    yield *_by(each), question, each["value"]
    for each in objects_of(cell):
        values = each.get("values")
        for question, given in values.items() if isinstance(values, dict) else ():
            if isinstance(given, dict):
                yield *_by(each), question, given.get("value")


def _by(told: Mapping[str, Any]) -> tuple[str, str]:
    """Return the user and the status of a response."""
    status = told.get("status")
    return text_of(told.get("user_id")), text_of(status.get("value") if isinstance(status, dict) else status)


def _is_ranked(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) and "rank" in each for each in value)


FORMAT = Format("Argilla", _knows, _canonical, (SEVERAL,))
