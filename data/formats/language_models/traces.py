"""Scores of traces of language models: Langfuse (one row per score) and LangSmith (a `feedback.*` column per score)."""

from collections.abc import Iterator

from data.formats.language_models.feedback import EXPERIMENTS, RUNS
from data.formats.language_models.feedback import FORMAT as FEEDBACK
from data.formats.parts.answers import answers_of, known_of
from data.formats.parts.columns import filled, is_numeric
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table

_MEANS = "feedback_stats."
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
    return bool(_feedback(table)) and bool(set(RUNS) & set(table.names))


def _feedback(table: Table) -> dict[str, str]:
    """The columns with a kind of feedback each, and how it is called; of several users, its mean."""
    plain = {name: name.partition(".")[2] for name in table.prefixed("feedback.")}
    means = {
        name: name.partition(".")[2].removesuffix(".avg")
        for name in table.prefixed(_MEANS)
        if name.endswith(".avg")
    }
    return plain | means


def _langsmith(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    called = _feedback(table)
    answers, notes = answers_of(rows, [name for name in called if filled(rows, name)])
    item = next(name for name in RUNS if name in table.names)
    system = next((name for name in EXPERIMENTS if name in table.names), "")

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        answered = [name for name in answers if row[name]]
        if not answered:
            yield Aside(line, "", "the run holds no feedback", "")
        for name in answered:
            made_by = row[system] if system else ""
            measure = called[name]
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
    FEEDBACK,
    Format("LangSmith", _knows_langsmith, _langsmith),
)
