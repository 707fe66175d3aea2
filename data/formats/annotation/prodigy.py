"""Prodigy's JSON lines: one task per line and annotator, with the options chosen, or accepted or rejected."""

from collections.abc import Iterator

from data.formats.parts.columns import constant_within, filled, item_column
from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.nested import text_of, value_of
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table

_RATERS = ("_annotator_id", "_session_id")
_TASKS = ("_input_hash", "_task_hash")
_ANSWERS = {"accept", "reject", "ignore"}
_OPTIONS = (("a", "b"), ("option_a", "option_b"), ("model_a", "model_b"), ("system_a", "system_b"))


def _knows(table: Table) -> bool:
    column = table.column("answer")
    return (
        any(name in table.names for name in (*_RATERS, *_TASKS))
        and column is not None
        and set(column.examples) <= _ANSWERS
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    task = table.first(*_TASKS)
    rater = next((name for name in _RATERS if name in table.names and filled(rows, name)), "")
    named = [name for name in table.names if name.startswith("meta.") or name in ("id", "item", "item_id")]
    if task:
        named = [name for name in named if constant_within(rows, task, [name])]
    item = item_column(rows, named) or task or "text"
    option_a, option_b = _options(table)
    choices = "accept" in table.names and bool(filled(rows, "accept"))
    notes, not_taken = [], {"ignore": "the task was ignored"}
    if choices:
        not_taken["reject"] = "the task was rejected"
        notes.append("The options that were accepted are the answer; tasks that were rejected are set aside.")

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        answer = row["answer"]
        if answer in not_taken:
            yield Aside(line, "answer", not_taken[answer], answer)
            return
        yield Response(
            row.get(item, ""),
            row.get(rater),
            {"answer": text_of(value_of(row["accept"])) if choices else answer},
            {
                "option_a": row.get(option_a, ""),
                "option_b": row.get(option_b, ""),
                "text": row.get("text", ""),
                "submitted": row.get("_timestamp", ""),
            },
            told_by=("accept", row.get("accept", "")),
        )

    return table_of(table, responses, ["answer"], "no option was chosen", notes=notes)


def _options(table: Table) -> tuple[str, str]:
    """The columns of the task that say which systems its first and second option are."""
    plain = {name.rpartition(".")[2].casefold(): name for name in table.names}
    return next(((plain[a], plain[b]) for a, b in _OPTIONS if {a, b} <= set(plain)), ("", ""))


FORMAT = Format("Prodigy", _knows, _canonical)
