"""Scores of traces of language models: Langfuse (one row per score), and LangSmith, in a column per score
(`feedback.*`) or as objects with `key` and `score`, each in a row of its own or several in a list."""

from collections.abc import Iterator, Mapping
from typing import Any

from data.formats.parts.answers import answers_of
from data.formats.parts.columns import filled
from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.nested import first_filled, objects_of, text_of, value_of
from data.formats.parts.responses import Response, questions_in, table_of
from data.formats.parts.table import Cells, Table
from data.reading.columns import is_numeric

_RUNS = ("example_id", "reference_example_id", "run_id", "id")
_EXPERIMENTS = ("experiment", "session_name", "experiment_name", "session", "session_id", "model")
_LIST, _SOURCE, _MEANS = "feedback", "feedback_source", "feedback_stats."


# --- Langfuse ------------------------------------------------------------------------------------------------------


def _camel(table: Table) -> dict[str, str]:
    """Names without case and underscores: exports write `traceId` as well as `trace_id`."""
    return {name.casefold().replace("_", ""): name for name in table.names}


def _knows_langfuse(table: Table) -> bool:
    return set(_camel(table)) >= {"traceid", "name", "value", "source"}


def _langfuse(table: Table, chosen: Chosen) -> Canonical:
    names = _camel(table)
    trace, name, value, source = (names[each] for each in ("traceid", "name", "value", "source"))
    observation, author = names.get("observationid", ""), names.get("authoruserid", "")
    words = names.get("stringvalue", "")
    time = names.get("timestamp", names.get("createdat", ""))
    numeric = is_numeric([row.get(words, "") or row[value] for row in table.first_rows()])

    def responses(line: int, row: Cells) -> Iterator[Response]:
        yield Response(
            "/".join(part for part in (row[trace], row.get(observation, "")) if part),
            row.get(author, "") or f"{row[source]} {row[name]}",
            {value: ("" if numeric else row.get(words, "")) or row[value]},
            {"measure": row[name], "group": row[source], "submitted": row.get(time, "")},
            told_by=(value, ""),
        )

    said = "Scores without an author are those of an evaluator, who is called by the source and the score's name."
    return table_of(table, responses, [value], "the score holds no value", notes=[said])


# --- LangSmith -----------------------------------------------------------------------------------------------------


def _item_and_system(table: Table, row: Cells) -> tuple[str, str]:
    item = "run_id" if "key" in row else next(name for name in _RUNS if name in table.names)
    system = next((row[name] for name in _EXPERIMENTS if name in table.names), "")
    return "__".join(part for part in (row[item], system) if part), system


def _knows_feedback(table: Table) -> bool:
    if {"run_id", "key", "score"} <= set(table.names):
        return True
    return bool(set(_RUNS) & set(table.names)) and any(
        {"key", "score"} <= set(each) for cell in first_filled(table, _LIST) for each in objects_of(cell)
    )


def _feedback(table: Table, chosen: Chosen) -> Canonical:
    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        item, system = _item_and_system(table, row)
        given = [row] if "key" in row else objects_of(row[_LIST])
        told = [(text_of(each.get("key")), _answer(each), each) for each in given]
        if not any(answer for _, answer, _ in told):
            yield Aside(line, "score", "there is no score", row.get("key", ""))
        for key, answer, each in told:
            if answer:
                source = _source_of(each)
                group, user = (text_of(source.get(name)) for name in ("type", "user_id"))
                cells = {"group": group, "system": system, "submitted": text_of(each.get("created_at"))}
                rater = user or " ".join(part for part in (group, key) if part)
                yield Response(item, rater, {key: answer}, cells, told_by=("score", key))

    questions, notes = questions_in(table, responses, else_all=True)
    said = "Feedback that names no user is that of an evaluator, who is called by the source and the key."
    return table_of(table, responses, questions, "there is no score", notes=(*notes, said))


def _answer(told: Mapping[str, Any]) -> str:
    score = told.get("score")
    answer = text_of(int(score) if isinstance(score, bool) else score) or text_of(told.get("value"))
    return {"true": "1", "false": "0"}.get(answer.casefold(), answer)


def _source_of(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return who or what gave feedback, from an object, a cell of JSON or columns."""
    source = told.get(_SOURCE, "")
    source = value_of(source) if isinstance(source, str) else source
    before = f"{_SOURCE}."
    columns = {name.removeprefix(before): cell for name, cell in told.items() if name.startswith(before)}
    return source if isinstance(source, dict) else columns


def _knows_langsmith(table: Table) -> bool:
    return bool(_columns_of_feedback(table)) and bool(set(_RUNS) & set(table.names))


def _columns_of_feedback(table: Table) -> dict[str, str]:
    """Return the columns with a kind of feedback each, and how it is called; of several users, its mean."""
    plain = {name: name.partition(".")[2] for name in table.prefixed("feedback.")}
    means = [name for name in table.prefixed(_MEANS) if name.endswith(".avg")]
    return plain | {name: name.partition(".")[2].removesuffix(".avg") for name in means}


def _langsmith(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    called = _columns_of_feedback(table)
    answers, notes = answers_of(rows, [name for name in called if filled(rows, name)])

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        item, system = _item_and_system(table, row)
        if not any(row[name] for name in answers):
            yield Aside(line, "", "the run holds no feedback", "")
        for name in answers:
            if row[name]:
                yield Response(item, f"feedback {called[name]}", {name: row[name]}, {"system": system})

    said = "The export does not say who gave feedback: each kind of feedback is taken for one rater."
    questions = {name: called[name] for name in answers}
    return table_of(table, responses, questions, "", notes=(*notes, said))


FORMATS = (
    Format("Langfuse", _knows_langfuse, _langfuse),
    Format("LangSmith feedback", _knows_feedback, _feedback),
    Format("LangSmith", _knows_langsmith, _langsmith),
)
