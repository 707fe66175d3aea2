"""Trials of PsychoPy, jsPsych and Gorilla: one row per screen, of which only some are ratings.

All else (instructions, fixations, key presses) is set aside and counted.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from data.formats.parts.answers import SEVERAL, seconds_of
from data.formats.parts.columns import filled, item_column
from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.responses import NAMES, Response, table_of
from data.formats.parts.table import Cells, Table
from data.kinds.plain_names import plain_name
from data.kinds.ratings import RATINGS
from data.tables.sniffed import begins_with_number, is_number

_RATERS = (
    "participant", "participant_id", "subject", "subject_id", "prolific_pid", "participant private id", "worker_id",
    "workerid", "sona_id", "sona", "run_id", "user_id",
)  # fmt: skip


_OF_STIMULI = {
    name
    for role in ("system", "topic", "condition")
    if (column := RATINGS.column(role))
    for name in (role, *column.names)
} - {"round", "turn", "phase", "block"}


@dataclass(frozen=True)
class _Trials:
    """Where a program writes what: the columns of answers with their measure, of seconds (in milliseconds?), of the
    trial's number; which rows are ratings; which columns may name the item."""

    answers: dict[str, str]
    seconds: Callable[[Cells, str], str]
    order: str
    is_rating: Callable[[Cells], bool]
    kind_of_row: str
    items: Sequence[str]


def _canonical(table: Table, trials: _Trials) -> Canonical:
    rater = table.first(*_RATERS)
    rows = [
        row for row in table.first_rows() if trials.is_rating(row) and any(row[a] for a in trials.answers)
    ]
    items = [name for name in trials.items if filled(rows, name)]
    item = item_column(rows, items) or next(
        (name for name in items if len({row[name] for row in rows}) > 1 and not _is_numbering(rows, name)), ""
    )
    parts = _parts_of_item(rows, item, items, rater)
    notes = []
    if len(parts) > 1:
        notes.append(f"Raters meet each {item} more than once: an item is {' with '.join(parts)}.")
    kept = {
        name: name
        for name in trials.items
        if name != item and name not in NAMES and len({row[name] for row in rows}) > 1
    }

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        answered = [name for name in trials.answers if row[name]] if trials.is_rating(row) else []
        if not answered:
            yield Aside(line, trials.kind_of_row, "the row is no rating", row.get(trials.kind_of_row, ""))
        for name in answered:
            for question, answer in _answers(row[name]):
                yield Response(
                    "__".join(row[part] for part in parts),
                    row.get(rater),
                    {"response": answer},
                    {
                        "measure": question or (trials.answers[name] if len(trials.answers) > 1 else ""),
                        "order": row.get(trials.order, ""),
                        **{plain: row[source] for source, plain in kept.items()},
                    },
                    seconds=trials.seconds(row, name),
                )

    return table_of(table, responses, ["response"], "the response is empty", tuple(kept.values()), notes)


def _parts_of_item(rows: Sequence[Cells], item: str, names: Sequence[str], rater: str) -> tuple[str, ...]:
    """Return the item's column, and those of the stimulus with which a rater meets no item twice."""
    if not item or len({(row.get(rater), row[item]) for row in rows}) == len(rows):
        return (item,) if item else ()
    others = [name for name in names if name != item and plain_name(name) in _OF_STIMULI]
    for other in others:
        if len({(row.get(rater), row[item], row[other]) for row in rows}) == len(rows):
            return item, other
    return (item,)


def _answers(cell: str) -> list[tuple[str, str]]:
    """A response, or those of a page of several questions: {"Q0": 4, "Q1": 2}."""
    if cell[:1] == "{":
        try:
            told = json.loads(cell)
        except (ValueError, RecursionError):
            told = None
        if isinstance(told, dict):
            several = len(told) > 1
            return [
                (str(name) if several else "", str(value))
                for name, value in told.items()
                if value is not None and not isinstance(value, dict | list)
            ]
    return [("", cell)] if cell else []


def _is_numbering(rows: Sequence[Cells], name: str) -> bool:
    return all(is_number(row[name]) for row in rows)


def _is_score(cell: str) -> bool:
    return all(is_number(answer) or begins_with_number(answer) for _, answer in _answers(cell)) and bool(
        _answers(cell)
    )


# --- PsychoPy ------------------------------------------------------------------------------------------------------


_OF_PSYCHOPY = {
    "participant", "session", "date", "expname", "psychopyversion", "framerate", "expstart", "age", "gender", "notes",
}  # fmt: skip


def _knows_psychopy(table: Table) -> bool:
    return "participant" in table.lower and bool(_psychopy_answers(table)) and "expname" in table.lower


def _psychopy_answers(table: Table) -> dict[str, str]:
    return {
        name: name.rpartition(".")[0]
        for name in table.names
        if name.endswith(".response") and not name.endswith("_resp.response")
    }


def _psychopy(table: Table, chosen: Chosen) -> Canonical:
    answers = _psychopy_answers(table)
    items = [name for name in table.names if "." not in name and name.casefold() not in _OF_PSYCHOPY]
    order = next((name for name in table.names if name.endswith(".thisN")), "")

    def seconds(row: Cells, name: str) -> str:
        return row.get(f"{name.rpartition('.')[0]}.rt", "")

    return _canonical(table, _Trials(answers, seconds, order, lambda row: True, "", items))


# --- jsPsych and Gorilla: a type of each row, and milliseconds -------------------------------------------------------

_RATING_TYPE = re.compile(
    r".*(slider|likert|button|survey-multi|multiple.?choice|rating|scale|vas).*", re.IGNORECASE
)
_OF_JSPSYCH = {
    "rt", "response", "trial_type", "trial_index", "time_elapsed", "internal_node_id", "success", "timeout",
    "failed_images", "failed_audio", "failed_video", "question_order", "slider_start", "view_history", "key_press",
    "plugin_version",
}  # fmt: skip
_ZONES = ("zone type", "component name", "response type")


def _knows_jspsych(table: Table) -> bool:
    return table.lower >= {"trial_type", "trial_index", "rt", "response"}


def _jspsych(table: Table, chosen: Chosen) -> Canonical:
    items = [name for name in table.names if name.casefold() not in (*_OF_JSPSYCH, *_RATERS)]
    return _by_type(table, "trial_type", "rt", "trial_index", items)


def _knows_gorilla(table: Table) -> bool:
    return table.lower >= {"participant private id", "response", "reaction time"} and bool(
        table.lower.intersection(_ZONES)
    )


def _gorilla(table: Table, chosen: Chosen) -> Canonical:
    zone = next(name for name in _ZONES if name in table.lower)
    items = [name for name in table.names if name.casefold().startswith("spreadsheet")]
    items = items or [name for name in table.names if name[:1].islower() or name == table.names[-1]]
    return _by_type(table, zone, "reaction time", "trial number", items)


def _by_type(table: Table, type: str, time: str, order: str, items: Sequence[str]) -> Canonical:
    """Return the table of the rows whose type is that of a rating: a scale, or else buttons that hold scores."""
    type, time, order, response = (table.first(name) for name in (type, time, order, "response"))
    rated = {
        row[type]
        for row in table.first_rows()
        if _RATING_TYPE.fullmatch(row[type]) and _is_score(row[response])
    }
    rated = {kind for kind in rated if "button" not in kind} or rated
    trials = _Trials(
        {response: "response"},
        lambda row, _: seconds_of(row[time]),
        order,
        lambda row: row[type] in rated,
        type,
        items,
    )
    return _canonical(table, trials)


FORMATS = (
    Format("PsychoPy", _knows_psychopy, _psychopy, (SEVERAL,)),
    Format("jsPsych", _knows_jspsych, _jspsych, (SEVERAL,)),
    Format("Gorilla", _knows_gorilla, _gorilla, (SEVERAL,)),
)
