"""Scores of traces of language models: Langfuse (one row per score) and LangSmith (a `feedback.*` column per score)."""

from collections.abc import Iterator

from data.formats.parts.answers import answers_of, known_of
from data.formats.parts.columns import filled, is_numeric
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table

_RUNS = ("example_id", "reference_example_id", "run_id", "id")
_EXPERIMENTS = ("experiment", "session_name", "experiment_name", "session", "model")
_COLUMNS = ("item", "rater", "answer", "measure", "group", "system", "submitted")


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
    rows = list(table.first_rows())
    numeric = is_numeric([_value(row, value, words) for row in rows])

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        told = row[value] if numeric else _value(row, value, words)
        if not told:
            yield Aside(line, value, "the score holds no value", "")
            return
        yield (
            line,
            {
                "item": "/".join(part for part in (row[trace], row.get(observation, "")) if part),
                "rater": row.get(author, "") or f"{row[source]} {row[name]}",
                "answer": told,
                "measure": row[name],
                "group": row[source],
                "submitted": row.get(time, ""),
            },
        )

    notes = (
        "Scores without an author are those of an evaluator, who is called by the source and the score's name.",
    )
    known = known_of(_COLUMNS, (_value(row, value, words) for row in rows))
    return Canonical(_COLUMNS, table.made(of_row), known, notes)


def _value(row: Cells, value: str, words: str) -> str:
    return row.get(words, "") or row[value]


def _knows_langsmith(table: Table) -> bool:
    return bool(table.prefixed("feedback.")) and bool(set(_RUNS) & set(table.names))


def _langsmith(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    able = [name for name in table.prefixed("feedback.") if filled(rows, name)]
    answers, notes = answers_of(rows, able)
    item = next(name for name in _RUNS if name in table.names)
    system = next((name for name in _EXPERIMENTS if name in table.names), "")

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        answered = [name for name in answers if row[name]]
        if not answered:
            yield Aside(line, "", "the run holds no feedback", "")
        for name in answered:
            made_by = row[system] if system else ""
            measure = name.partition(".")[2]
            yield (
                line,
                {
                    "item": "__".join(part for part in (row[item], made_by) if part),
                    "rater": f"feedback {measure}",
                    "answer": row[name],
                    "measure": measure if len(answers) > 1 else "",
                    "system": made_by,
                },
            )

    said = (
        *notes,
        "The export does not say who gave feedback: each kind of feedback is taken for one rater.",
    )
    known = known_of(_COLUMNS, (row[name] for row in rows for name in answers))
    return Canonical(_COLUMNS, table.made(of_row), known, said)


FORMATS = (
    Format("Langfuse", _knows_langfuse, _langfuse),
    Format("LangSmith", _knows_langsmith, _langsmith),
)
