"""Answers that Mechanical Turk writes in other ways than one cell each: all in one cell of JSON (`Answer.taskAnswers`),
or a column of true and false for every option (`Answer.quality.4`, `Answer.good.true`)."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from data.formats.parts.columns import filled
from data.formats.parts.options import fold, marked, options_of
from data.formats.parts.table import Cells, Table

_JSON = "answer.taskanswers"
_ANSWER = "Answer."
_MOST_ANSWERS, _DEEPEST = 500, 4
_SHARE = 0.9
"""The rows, of those that mark any option, that mark exactly one."""


def told_apart(table: Table) -> Table:
    """The table with one column for each answer; itself where it has that already."""
    return _options_folded(_json_unfolded(table))


def _json_unfolded(table: Table) -> Table:
    holder = table.first(_JSON)
    if not holder:
        return table
    answers = list(dict.fromkeys(name for row in table.first_rows() for name in _answers_in(row[holder])))
    kept = tuple(name for name in table.names if name != holder)
    added = tuple(name for name in answers if name not in kept)[:_MOST_ANSWERS]

    def of(row: Cells) -> Cells:
        told = _answers_in(row[holder])
        return {**{name: row[name] for name in kept}, **{name: told.get(name, "") for name in added}}

    return table.derived((*kept, *added), of) if added else table


def _answers_in(cell: str) -> dict[str, str]:
    """The answers in a cell of JSON, by the names that columns of their own would have."""
    try:
        told = json.loads(cell) if cell else {}
    except (ValueError, RecursionError):
        return {}
    return dict(_leaves(told, "", 0))


def _leaves(told: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(told, list):
        for each in told[:1]:
            yield from _leaves(each, name, depth + 1)
    elif isinstance(told, dict):
        options = [str(option) for option, marked in told.items() if marked is True]
        if name and told and all(isinstance(marked, bool) for marked in told.values()):
            yield _ANSWER + name, options[0] if len(options) == 1 else ""
            return
        if name and set(told) <= {"label", "value"}:
            yield from _leaves(next(iter(told.values()), ""), name, depth + 1)
            return
        for key, value in told.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key), depth + 1)
    elif name and told is not None:
        yield _ANSWER + name, str(told).lower() if isinstance(told, bool) else str(told).strip()


def _options_folded(table: Table) -> Table:
    """Return the table with one column for each answer whose options have columns of true and false."""
    rows = list(table.first_rows())
    named = {name: _answer_and_option(name) for name in table.prefixed(_ANSWER) if _holds_marks(rows, name)}
    options = options_of(rows, named)
    counts = {answer: [len(marked(row, labels)) for row in rows] for answer, labels in options.items()}
    return fold(
        table,
        {
            answer: labels
            for answer, labels in options.items()
            if counts[answer].count(1) >= _SHARE * sum(map(bool, counts[answer]))
        },
    )


def _holds_marks(rows: Sequence[Cells], name: str) -> bool:
    told = {cell.casefold() for cell in filled(rows, name)}
    return told <= {"true", "false", "on"} and not told <= {"false"}


def _answer_and_option(name: str) -> tuple[str, str]:
    """Return the answer and the option of a column such as `Answer.quality.4` or `Answer.good.true`."""
    parts = name[len(_ANSWER) :].split(".")
    *of, option = parts[:-1] if len(parts) > 1 and parts[-1].casefold() in ("true", "on") else parts
    return _ANSWER + (".".join(of) or "answer"), option
