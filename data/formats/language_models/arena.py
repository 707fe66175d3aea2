"""Battles of an arena: two models, and which of them won, in a word or in one column for each outcome."""

from collections.abc import Iterator

from data.formats.parts.answers import known_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table

_ONE_HOT = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
_JUDGES = (
    "judge",
    "judge_id",
    "annotator",
    "annotator_id",
    "user",
    "user_id",
    "rater",
    "rater_id",
    "worker_id",
)
_ITEMS = ("question_id", "item", "item_id", "id", "battle_id", "conversation_id", "prompt_id", "prompt")
_TIMES = ("tstamp", "timestamp", "created_at")
_COLUMNS = ("item", "rater", "answer", "option_a", "option_b", "design", "submitted")


def _knows(table: Table) -> bool:
    """A battle is an item of its own only where no column can be one that we do not know."""
    has = set(table.names)
    told = {"model_a", "model_b", "winner", "turn", *_ONE_HOT, *_JUDGES, *_TIMES}
    return (
        {"model_a", "model_b"} <= has
        and ("winner" in has or set(_ONE_HOT) <= has)
        and (not has.isdisjoint(_ITEMS) or has <= told)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    judge, item, time = (
        next((name for name in wanted if name in table.names), "") for wanted in (_JUDGES, _ITEMS, _TIMES)
    )
    notes = []
    if not judge:
        notes.append("No column says who judged: every battle counts as a rater of its own.")
    if "turn" in table.names:
        notes.append("Turns of a conversation are looked at apart, as designs.")

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        won = row["winner"] if "winner" in row else _outcome(row)
        if not won:
            yield Aside(line, "winner", "no outcome is told", "")
            return
        yield (
            line,
            {
                "item": row[item] if item else f"battle {line}",
                "rater": row[judge] if judge else f"battle {line}",
                "answer": won,
                "option_a": row["model_a"],
                "option_b": row["model_b"],
                "design": f"turn {row['turn']}" if row.get("turn") else "",
                "submitted": row[time] if time else "",
            },
        )

    known = known_of(_COLUMNS, ["model_a", "tie"])
    return Canonical(_COLUMNS, table.made(of_row), known, tuple(notes))


def _outcome(row: Cells) -> str:
    won = [outcome for column, outcome in _ONE_HOT.items() if row[column].casefold() in ("1", "1.0", "true")]
    return won[0] if len(won) == 1 else ""


FORMAT = Format("arena battles", _knows, _canonical)
