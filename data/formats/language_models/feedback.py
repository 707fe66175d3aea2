"""Feedback of LangSmith as its interface gives it: a list of objects with `key` and `score`, each of a run, or such a
list in each run."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from data.formats.parts.answers import answers_of, known_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.nested import first_filled, objects_of, text_of, value_of
from data.formats.parts.table import Cells, Table

RUNS = ("example_id", "reference_example_id", "run_id", "id")
EXPERIMENTS = ("experiment", "session_name", "experiment_name", "session", "session_id", "model")
_LIST, _SOURCE = "feedback", "feedback_source"
_COLUMNS = ("item", "rater", "answer", "measure", "group", "system", "submitted")


class _Feedback(NamedTuple):
    """What was said of a run, by whom: a user, or where none is named the source and the key."""

    key: str
    answer: str
    source: str
    user: str
    time: str


def _knows(table: Table) -> bool:
    if {"run_id", "key", "score"} <= set(table.names):
        return True
    return bool(set(RUNS) & set(table.names)) and any(
        {"key", "score"} <= set(each) for cell in first_filled(table, _LIST) for each in objects_of(cell)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    item = "run_id" if "key" in table.names else next(name for name in RUNS if name in table.names)
    system = next((name for name in EXPERIMENTS if name in table.names), "")
    made = [each for row in table.first_rows() for each in _told(row)]
    keys = list(dict.fromkeys(each.key for each in made))
    answers, notes = answers_of(
        [{key: each.answer if each.key == key else "" for key in keys} for each in made], keys
    )
    if not answers:
        answers, notes = tuple(keys), ()

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        answered = [each for each in _told(row) if each.key in answers and each.answer]
        if not answered:
            yield Aside(line, "score", "there is no score", row.get("key", ""))
        for each in answered:
            made_by = row[system] if system else ""
            yield (
                line,
                {
                    "item": "__".join(part for part in (row[item], made_by) if part),
                    "rater": each.user or " ".join(part for part in (each.source, each.key) if part),
                    "answer": each.answer,
                    "measure": each.key if len(answers) > 1 else "",
                    "group": each.source,
                    "system": made_by,
                    "submitted": each.time,
                },
            )

    said = "Feedback that names no user is that of an evaluator, who is called by the source and the key."
    known = known_of(_COLUMNS, (each.answer for each in made if each.key in answers))
    return Canonical(_COLUMNS, table.made(of_row), known, (*notes, said))


def _told(row: Cells) -> list[_Feedback]:
    """What a row says: that of its list, or the row itself."""
    if "key" not in row:
        return [_feedback(each) for each in objects_of(row[_LIST])]
    source = value_of(row.get(_SOURCE, "")) or {
        name.removeprefix(f"{_SOURCE}."): cell for name, cell in row.items() if name.startswith(_SOURCE)
    }
    return [_feedback({**row, _SOURCE: source})]


def _feedback(told: Mapping[str, Any]) -> _Feedback:
    found = told.get(_SOURCE)
    source = found if isinstance(found, dict) else {}
    score = told.get("score")
    answer = text_of(int(score) if isinstance(score, bool) else score) or text_of(told.get("value"))
    return _Feedback(
        text_of(told.get("key")),
        {"true": "1", "false": "0"}.get(answer.casefold(), answer),
        text_of(source.get("type")),
        text_of(source.get("user_id")),
        text_of(told.get("created_at")),
    )


FORMAT = Format("LangSmith feedback", _knows, _canonical)
