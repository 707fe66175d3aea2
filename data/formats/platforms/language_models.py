"""Judgments of language models: battles of an arena, and scores of traces in Langfuse and LangSmith.

Of both answers in a battle, what is counted (tokens, headings, lists) is kept, as `conv_metadata` or columns tell it,
parts summed up; where nothing is counted but the answers are there, their characters are. LangSmith writes a column per
score (`feedback.*`) or objects with `key` and `score`, each in a row or several in a list.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from data.formats.parts.cells import filled, fold, object_of, objects_of, text_of, value_of
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Table
from data.formats.parts.responses import Response, answers_of, table_of, table_of_questions
from data.kinds.kind import ITEM, RATER, pairs_of
from data.kinds.names import plain_name
from data.reading.columns import is_numeric
from data.tables.sniffed import is_number

_ONE_HOT = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
_WINNER, _LOSER = "winner", "loser"
_JUDGES = (
    "judge", "judge_id", "annotator", "annotator_id", "user", "user_id", "rater", "rater_id", "worker_id",
)  # fmt: skip
_ITEMS = ("question_id", "item", "item_id", "id", "battle_id", "conversation_id", "prompt_id", "prompt")
_TIMES = ("tstamp", "timestamp", "created_at")
_METADATA = "conv_metadata"
_ANSWERS = (("response_a", "response_b"), ("conversation_a", "conversation_b"))
_LOOK = 200
"""Number of battles in which numbers about both answers are looked for."""


def _with_sides(table: Table) -> Table:
    """Return the table with both sides in the order of their names instead of winner and loser."""
    names = {name.casefold(): name for name in table.names}
    if not {_WINNER, _LOSER} <= names.keys():
        return table
    winner, loser = names[_WINNER], names[_LOSER]

    def of_row(row: Cells) -> Cells:
        first, second = sorted((row[winner], row[loser]))
        return {**row, _WINNER: row[winner], "model_a": first, "model_b": second}

    others = (name for name in table.names if name not in (winner, loser))
    return table.derived((*others, "model_a", "model_b", _WINNER), of_row)


def _recognizes_arena(table: Table) -> bool:
    """A battle is a separate item only where no column can be one that we do not know."""
    has = set(_with_sides(table).names)
    standard = {"model_a", "model_b", "winner", "turn", _METADATA, *_ONE_HOT, *_JUDGES, *_TIMES}
    standard |= {name for pair in pairs_of(table.names).values() for name in pair}
    return (
        {"model_a", "model_b"} <= has
        and ("winner" in has or set(_ONE_HOT) <= has)
        and (
            not has.isdisjoint(_ITEMS) or {name for name in has if plain_name(name) not in RATER} <= standard
        )
    )


def _arena(table: Table, chosen: Chosen) -> Canonical:
    table = _with_sides(table)
    table = table if _WINNER in table.names else fold(table, {_WINNER: _ONE_HOT})
    judge, item = (
        table.first(*names) or next((name for name in table.names if plain_name(name) in words), "")
        for names, words in ((_JUDGES, RATER), (_ITEMS, ITEM))
    )
    time, weight = table.first(*_TIMES), table.first("weight")
    weight = weight if is_numeric([row[weight] for row in table.head if weight]) else ""
    notes = []
    if not judge:
        notes.append("No column says who judged, so every battle counts as a separate rater.")
    if "turn" in table.names:
        notes.append("Turns of a conversation are looked at apart, as designs.")

    counting = [
        column.name
        for column in table.sniffed.columns
        if column.name in table.names and (column.numbers > 0 or column.name == _METADATA)
    ]
    pairs = pairs_of(dict.fromkeys(name for row in table.head[:_LOOK] for name in _counts(row, counting)))
    count_columns = {
        f"{quantity}_{end}": name
        for quantity, pair in pairs.items()
        for end, name in zip("ab", pair, strict=True)
    }
    texts = next((pair for pair in _ANSWERS if not count_columns and {*pair} <= {*table.names}), ())
    if texts:
        notes.append("The characters of both answers are counted and kept.")
    of_texts = dict(zip(("characters_a", "characters_b"), texts, strict=False))

    def responses(line: int, row: Cells) -> Iterator[Response]:
        counts = _counts(row, counting) if count_columns else {}
        battle = f"battle {line}"
        yield Response(
            row[item] if item else battle,
            row[judge] if judge else battle,
            {_WINNER: row[_WINNER]},
            {
                "option_a": row["model_a"],
                "option_b": row["model_b"],
                "design": f"turn {row['turn']}" if row.get("turn") else "",
                "submitted": row[time] if time else "",
                **({"weight": row[weight]} if weight else {}),
                **{column: counts.get(name, "") for column, name in count_columns.items()},
                **{column: _characters(row[name]) for column, name in of_texts.items()},
            },
            no_answer_cell=(_WINNER, ""),
        )

    open = (*count_columns, *of_texts)
    return table_of(table, responses, [_WINNER], "no outcome is told", open, notes, pairs=True)


def _counts(row: Cells, counting: Sequence[str]) -> Mapping[str, str]:
    """Return the numbers of a battle by name; those that an object holds in parts, summed up."""
    cells_by_name: dict[str, list[str]] = {}
    for name in counting:
        metadata = object_of(row[name]) if name == _METADATA else {}
        for key, value in metadata.items():
            values = value.values() if isinstance(value, dict) else [value]
            cells_by_name.setdefault(key, []).extend("" if part is None else str(part) for part in values)
        if not metadata:
            path = name.removeprefix(f"{_METADATA}.")
            cells_by_name.setdefault(path.partition(".")[0], []).append(row[name])
    return {
        name: cells[0] if len(cells) == 1 else f"{sum(map(float, filter(is_number, cells))):g}"
        for name, cells in cells_by_name.items()
        if any(map(is_number, cells))
    }


def _characters(cell: str) -> str:
    """Return the number of characters of an answer: a text, a list of texts, or what the assistant says in a list of
    messages."""
    value = value_of(cell)
    if not isinstance(value, list):
        return str(len(cell)) if cell else ""
    messages = (
        message for message in value if not isinstance(message, dict) or message.get("role") == "assistant"
    )
    texts = (message.get("content") if isinstance(message, dict) else message for message in messages)
    return str(sum(len(text_of(text)) for text in texts))


_RUNS = ("example_id", "reference_example_id", "run_id", "id")
_EXPERIMENTS = ("experiment", "session_name", "experiment_name", "session", "session_id", "model")
_LIST, _SOURCE, _MEANS = "feedback", "feedback_source", "feedback_stats."


def _normalized_names(table: Table) -> dict[str, str]:
    """Return the names without case and underscores: exports write `traceId` as well as `trace_id`."""
    return {name.casefold().replace("_", ""): name for name in table.names}


def _langfuse(table: Table, chosen: Chosen) -> Canonical:
    names = _normalized_names(table)
    trace, name, value, source = (names[key] for key in ("traceid", "name", "value", "source"))
    observation, author = names.get("observationid", ""), names.get("authoruserid", "")
    words = names.get("stringvalue", "")
    time = names.get("timestamp", names.get("createdat", ""))
    numeric = is_numeric([row.get(words, "") or row[value] for row in table.head])

    def responses(line: int, row: Cells) -> Iterator[Response]:
        yield Response(
            "/".join(part for part in (row[trace], row.get(observation, "")) if part),
            row.get(author, "") or f"{row[source]} {row[name]}",
            {value: ("" if numeric else row.get(words, "")) or row[value]},
            {"measure": row[name], "group": row[source], "submitted": row.get(time, "")},
            no_answer_cell=(value, ""),
        )

    note = "Scores without an author are those of an evaluator, who is called by the source and the score's name."
    return table_of(table, responses, [value], "the score holds no value", notes=[note])


def _item_and_system(table: Table, row: Cells) -> tuple[str, str]:
    item = "run_id" if "key" in row else next(name for name in _RUNS if name in table.names)
    system = next((row[name] for name in _EXPERIMENTS if name in table.names), "")
    return "__".join(part for part in (row[item], system) if part), system


def _recognizes_feedback(table: Table) -> bool:
    if {"run_id", "key", "score"} <= set(table.names):
        return True
    return bool(set(_RUNS) & set(table.names)) and any(
        {"key", "score"} <= set(each) for cell in filled(table.head, _LIST) for each in objects_of(cell)
    )


def _feedback(table: Table, chosen: Chosen) -> Canonical:
    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        item, system = _item_and_system(table, row)
        records = [row] if "key" in row else objects_of(row[_LIST])
        feedback = [(text_of(record.get("key")), _answer(record), record) for record in records]
        if not any(answer for _, answer, _ in feedback):
            yield Aside(line, "score", "there is no score", row.get("key", ""))
        for key, answer, record in feedback:
            if answer:
                source = _source_of(record)
                group, user = (text_of(source.get(name)) for name in ("type", "user_id"))
                cells = {"group": group, "system": system, "submitted": text_of(record.get("created_at"))}
                rater = user or " ".join(part for part in (group, key) if part)
                yield Response(item, rater, {key: answer}, cells, no_answer_cell=("score", key))

    note = "Feedback that names no user is that of an evaluator, who is called by the source and the key."
    return table_of_questions(table, responses, "there is no score", notes=[note])


def _answer(record: Mapping[str, Any]) -> str:
    score = record.get("score")
    answer = text_of(int(score) if isinstance(score, bool) else score) or text_of(record.get("value"))
    return {"true": "1", "false": "0"}.get(answer.casefold(), answer)


def _source_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the source of feedback, from an object, a cell of JSON or columns."""
    prefix = f"{_SOURCE}."
    columns = {name.removeprefix(prefix): cell for name, cell in record.items() if name.startswith(prefix)}
    return object_of(record.get(_SOURCE)) or columns


def _columns_of_feedback(table: Table) -> dict[str, str]:
    """Return the columns with a kind of feedback each, and its name; of several users, its mean."""
    single_answers = {name: name.partition(".")[2] for name in table.prefixed("feedback.")}
    means = [name for name in table.prefixed(_MEANS) if name.endswith(".avg")]
    return single_answers | {name: name.partition(".")[2].removesuffix(".avg") for name in means}


def _langsmith(table: Table, chosen: Chosen) -> Canonical:
    names_of_feedback = _columns_of_feedback(table)
    answers, notes = answers_of(table.head, [name for name in names_of_feedback if filled(table.head, name)])

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        item, system = _item_and_system(table, row)
        if not any(row[name] for name in answers):
            yield Aside(line, "", "the run holds no feedback", "")
        for name in answers:
            if row[name]:
                yield Response(
                    item, f"feedback {names_of_feedback[name]}", {name: row[name]}, {"system": system}
                )

    note = "The export does not say who gave feedback: each kind of feedback is taken for one rater."
    questions = {name: names_of_feedback[name] for name in answers}
    return table_of(table, responses, questions, "", notes=(*notes, note))


def _recognizes_langsmith(table: Table) -> bool:
    return bool(_columns_of_feedback(table)) and bool({*_RUNS} & {*table.names})


FORMATS = (
    Format("arena battles", _recognizes_arena, _arena),
    Format(
        "Langfuse",
        lambda table: {*_normalized_names(table)} >= {"traceid", "name", "value", "source"},
        _langfuse,
    ),
    Format("LangSmith feedback", _recognizes_feedback, _feedback),
    Format("LangSmith", _recognizes_langsmith, _langsmith),
)
