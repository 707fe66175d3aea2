"""Battles of an arena: two models, and which of them won, in a word or in one column for each outcome.

What is counted of both answers (tokens, headings, lists, bold words) is kept, as `conv_metadata` tells it or columns of
their own; where a count is told in parts, as of headings of each level, these are summed up. Where nothing is counted
but the answers are there, their characters are.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.nested import text_of, value_of
from data.formats.parts.options import fold
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table
from data.kinds.option_numbers import pairs_of
from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import ITEM, RATER
from data.tables.sniffed import is_number

_ONE_HOT = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
_WINNER = "winner"
_JUDGES = (
    "judge", "judge_id", "annotator", "annotator_id", "user", "user_id", "rater", "rater_id", "worker_id",
)  # fmt: skip
_ITEMS = ("question_id", "item", "item_id", "id", "battle_id", "conversation_id", "prompt_id", "prompt")
_TIMES = ("tstamp", "timestamp", "created_at")
_METADATA = "conv_metadata"
_ANSWERS = (("response_a", "response_b"), ("conversation_a", "conversation_b"))
_LOOK = 200
"""Battles that are looked at for what is counted of both answers."""


def _knows(table: Table) -> bool:
    """A battle is an item of its own only where no column can be one that we do not know."""
    has = set(table.names)
    told = {"model_a", "model_b", "winner", "turn", _METADATA, *_ONE_HOT, *_JUDGES, *_TIMES}
    told |= {name for pair in pairs_of(table.names).values() for name in pair}
    return (
        {"model_a", "model_b"} <= has
        and ("winner" in has or set(_ONE_HOT) <= has)
        and (not has.isdisjoint(_ITEMS) or has <= told)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    table = table if _WINNER in table.names else fold(table, {_WINNER: _ONE_HOT})
    judge, item, time = (table.first(*wanted) for wanted in (_JUDGES, _ITEMS, _TIMES))
    judge = judge or next((name for name in table.names if plain_name(name) in RATER), "")
    item = item or next((name for name in table.names if plain_name(name) in ITEM), "")
    notes = []
    if not judge:
        notes.append("No column says who judged: every battle counts as a rater of its own.")
    if "turn" in table.names:
        notes.append("Turns of a conversation are looked at apart, as designs.")

    counting = _counting(table)
    names = dict.fromkeys(
        name for row in islice(table.first_rows(), _LOOK) for name in _counts(row, counting)
    )
    counted = {
        f"{what}_{end}": name
        for what, pair in pairs_of(names).items()
        for end, name in zip("ab", pair, strict=True)
    }

    texts = next((pair for pair in _ANSWERS if not counted and {*pair} <= {*table.names}), ())
    if texts:
        notes.append("The characters of both answers are counted and kept.")
    of_texts = dict(zip(("characters_a", "characters_b"), texts, strict=False))

    def responses(line: int, row: Cells) -> Iterator[Response]:
        counts = _counts(row, counting) if counted else {}
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
                **{column: counts.get(name, "") for column, name in counted.items()},
                **{column: _characters(row[name]) for column, name in of_texts.items()},
            },
            told_by=(_WINNER, ""),
        )

    open = (*counted, *of_texts)
    return table_of(table, responses, [_WINNER], "no outcome is told", open, notes, pairs=True)


def _counting(table: Table) -> tuple[str, ...]:
    """The columns that may hold counts: of numbers, and the metadata as JSON."""
    return tuple(
        column.name
        for column in table.sniffed.columns
        if column.name in table.names and (column.numbers > 0 or column.name == _METADATA)
    )


def _counts(row: Cells, counting: tuple[str, ...]) -> Mapping[str, str]:
    """The numbers of a battle by name; those that an object holds in parts, summed up."""
    parts: dict[str, list[str]] = {}
    for name in counting:
        told = value_of(row[name]) if name == _METADATA else None
        if isinstance(told, dict):
            for key, value in told.items():
                each = value.values() if isinstance(value, dict) else [value]
                parts.setdefault(key, []).extend("" if one is None else str(one) for one in each)
        else:
            path = name.removeprefix(f"{_METADATA}.")
            parts.setdefault(path.partition(".")[0], []).append(row[name])
    return {
        name: cells[0] if len(cells) == 1 else f"{sum(map(float, filter(is_number, cells))):g}"
        for name, cells in parts.items()
        if any(map(is_number, cells))
    }


def _characters(cell: str) -> str:
    """How long an answer is: a text, a list of texts, or what the assistant says in a list of messages."""
    told = value_of(cell)
    if not isinstance(told, list):
        return str(len(cell)) if cell else ""
    said = [each for each in told if not isinstance(each, dict)]
    said += [
        each.get("content") for each in told if isinstance(each, dict) and each.get("role") == "assistant"
    ]
    return str(sum(len(text_of(each)) for each in said))


FORMAT = Format("arena battles", _knows, _canonical)
