"""Annotations of Potato as CSV, TSV or JSON lines (one row per instance and user, a column per scheme, or per label),
and its `user_state.json` (all answers of one user, by instance, and in it by scheme and label).

A Likert scheme is one column with the number, or a column for each point of the scale with true, or its number, in one
of them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from data.errors import listed
from data.formats.parts.answers import SEVERAL, answers_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.nested import text_of, value_of
from data.formats.parts.options import fold, options_of
from data.formats.parts.responses import Response, questions_in, table_of
from data.formats.parts.table import Cells, Table

_USERS = ("user", "user_id", "annotator")
_ENVELOPE = {"instance_id", "displayed_text", "text", "time", "time_string", "timestamp"}
_BEHAVIOR = ("behavioral_data", "span_annotations", "spans", "metadata")
_ANSWERS = ("label_annotations.", "labels.", "annotations.")
"""What JSON lines write before the names of schemes."""
_LABEL = re.compile(r"(.+?)(?::::|\.|:)([^.:]+)")


def _knows(table: Table) -> bool:
    return "instance_id" in table.names and any(user in table.names for user in _USERS)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    user = table.first(*_USERS)
    named = {name: _LABEL.fullmatch(name) for name in table.names if _is_scheme(name, user)}
    options = options_of(
        list(table.first_rows()), {name: (told[1], told[2]) for name, told in named.items() if told}
    )
    table = fold(table, options)
    schemes = [name for name in table.names if _is_scheme(name, user)]
    answers, notes = answers_of(list(table.first_rows()), schemes)
    if options:
        notes = (*notes, f"One column per label: {listed(options)}; the one that holds true is the answer.")
    text = table.first("displayed_text", "text")

    def responses(line: int, row: Cells) -> Iterator[Response]:
        told = {name: row[name] for name in answers}
        yield Response(row["instance_id"], row[user], told, {"text": row.get(text, "")})

    questions = {name: _plain(name.rpartition(":::")[0] or name) for name in answers}
    return table_of(table, responses, questions, "the row holds no answer", notes=notes)


def _is_scheme(name: str, user: str) -> bool:
    return name not in {user, *_ENVELOPE} and name.partition(".")[0] not in _BEHAVIOR


def _plain(scheme: str) -> str:
    """A scheme's own name."""
    return next((scheme.removeprefix(before) for before in _ANSWERS if scheme.startswith(before)), scheme)


# --- the state of a user -------------------------------------------------------------------------------------------

_LABELS = "instance_id_to_label_to_value"
_NO_ANSWER = "the user gave no answer"


def _knows_state(table: Table) -> bool:
    return {"user_id", _LABELS} <= set(table.names)


def _state(table: Table, chosen: Chosen) -> Canonical:
    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        told, user = value_of(row[_LABELS]), row["user_id"]
        items = told.items() if isinstance(told, dict) else ()
        answered = {item: answers for item, given in items if (answers := _answers(given))}
        if not answered:
            yield Aside(line, _LABELS, _NO_ANSWER, user)
        for item, answers in answered.items():
            yield Response(item, user, answers, told_by=(_LABELS, user))

    questions, notes = questions_in(table, responses, else_all=True)
    if table.sniffed.rows == 1:
        notes = (*notes, "The file holds the answers of one user; Potato writes such a file for each.")
    return table_of(table, responses, questions, _NO_ANSWER, notes=notes)


def _answers(given: Any) -> Mapping[str, str]:
    """Return the answers about an item by scheme; of a box that is ticked, its label is the answer."""
    schemes: dict[str, list[str]] = {}
    for scheme, label, value in _labels(given):
        written = text_of(value)
        if written.casefold() not in ("", "false"):
            ticked = written.casefold() in ("true", "1", "on") and not label.isdecimal()
            schemes.setdefault(scheme, []).append(label if value is True or ticked else written)
    return {scheme: " + ".join(sorted(answers)) for scheme, answers in schemes.items()}


def _labels(given: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield scheme, label and value, in both ways that Potato writes them: as pairs, and as objects of objects."""
    if isinstance(given, list):
        for pair in given:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
                yield str(pair[0].get("schema", "")), str(pair[0].get("name", "")), pair[1]
    elif isinstance(given, dict):
        for scheme, labels in given.items():
            pairs = labels.items() if isinstance(labels, dict) else [(str(labels), labels)]
            yield from ((scheme, label, value) for label, value in pairs)


FORMATS = (
    Format("Potato", _knows, _canonical, (SEVERAL,)),
    Format("Potato user state", _knows_state, _state, (SEVERAL,)),
)
