"""Experiments with listeners and viewers: PsychoPy, jsPsych, Gorilla, webMUSHRA, SUREAL and VoiceMOS.

PsychoPy, jsPsych and Gorilla write one row per screen, of which only some are ratings; all else (instructions,
fixations, key presses) is set aside and counted. Of webMUSHRA, the stimuli of a page are systems on one topic; the
hidden reference and the anchors are stimuli by name. SUREAL has one record per video: a list of scores has a place for
each rater, the same in all videos, and a dictionary names them. Lines of VoiceMOS have no header.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from data.formats.parts.cells import filled, item_column, text_of, value_of
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Table
from data.formats.parts.responses import NAMES, SEVERAL, Response, seconds_of, table_of
from data.kinds.names import plain_name
from data.kinds.ratings import RATINGS
from data.reading.columns import is_numeric
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


def _table_of_trials(table: Table, trials: _Trials) -> Canonical:
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

    return _table_of_trials(table, _Trials(answers, seconds, order, lambda row: True, "", items))


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
    return _table_of_trials(table, trials)


_TRIALS = (
    Format("PsychoPy", _knows_psychopy, _psychopy, (SEVERAL,)),
    Format("jsPsych", _knows_jspsych, _jspsych, (SEVERAL,)),
    Format("Gorilla", _knows_gorilla, _gorilla, (SEVERAL,)),
)


_OURS = {"session_test_id", "session_uuid", "trial_id"}
_SCORE = "rating_score"
_OF_RATINGS = {"rating_stimulus", _SCORE}
_OF_PAIRS = {"choice_reference", "choice_non_reference", "choice_answer"}


def _knows_webmushra(table: Table) -> bool:
    has = set(table.names)
    return has >= _OURS and (has >= _OF_RATINGS or has >= _OF_PAIRS)


def _webmushra(table: Table, chosen: Chosen) -> Canonical:
    first = table.names.index("trial_id")
    about = {name: f"rater_{name.casefold()}" for name in table.names[:first] if name not in _OURS}
    notes = ["A session is a rater."]
    pairs = set(table.names) >= _OF_PAIRS
    if not pairs:
        notes.append(
            "An item is a stimulus on a page (trial); the stimulus is its system, the page its topic."
        )

    def responses(line: int, row: Cells) -> Iterator[Response]:
        rater, page = row["session_uuid"], row["trial_id"]
        attributes = {plain: row[name] for name, plain in about.items()}
        if pairs:
            options = {"option_a": row["choice_reference"], "option_b": row["choice_non_reference"]}
            told = row["choice_answer"].casefold().replace("_", "").replace(" ", "")
            answer = {"reference": "A", "nonreference": "B"}.get(told, row["choice_answer"])
            seconds = seconds_of(row.get("choice_time", ""))
            yield Response(
                page, rater, {_SCORE: answer}, attributes | options, seconds, told_by=("choice_answer", "")
            )
            return
        system = row["rating_stimulus"]
        cells = attributes | {"system": system, "system_kind": _kind(system), "topic": page}
        seconds = seconds_of(row.get("rating_time", ""))
        yield Response(
            f"{page}__{system}", rater, {_SCORE: row[_SCORE]}, cells, seconds, told_by=(_SCORE, "")
        )

    return table_of(table, responses, [_SCORE], "the stimulus was not rated", notes=notes, pairs=pairs)


def _kind(stimulus: str) -> str:
    plain = stimulus.casefold()
    return "reference" if plain == "reference" else "anchor" if plain.startswith("anchor") else "system"


_WEBMUSHRA = Format("webMUSHRA", _knows_webmushra, _webmushra)


_NOTHING = "the video has no opinion score"


def _knows(table: Table) -> bool:
    return "os" in table.names and not {"asset_id", "content_id"}.isdisjoint(table.names)


def _sureal(table: Table, chosen: Chosen) -> Canonical:
    named = any(isinstance(value_of(row["os"]), dict) for row in table.first_rows())
    item = table.first("asset_id", "path", "content_id")
    notes = () if named else ("Scores stand in lists: raters are called by their place in them.",)

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        scores = _scores(value_of(row["os"]))
        if not scores:
            yield Aside(line, "os", _NOTHING, row["os"])
        cells = {"topic": row.get("content_id", ""), "file": row.get("path", "")}
        for rater, score in scores:
            yield Response(row[item], rater, {"os": score}, cells)

    return table_of(table, responses, ["os"], _NOTHING, notes=notes)


def _scores(told: Any) -> list[tuple[str, str]]:
    """Raters and their scores; a rater without one has none."""
    pairs = (
        told.items() if isinstance(told, dict) else enumerate(told, start=1) if isinstance(told, list) else ()
    )
    return [
        (str(rater), text_of(score))
        for rater, given in pairs
        for score in (given if isinstance(given, list) else [given])
        if text_of(score) not in ("", "nan")
    ]


_SUREAL = Format("SUREAL", _knows, _sureal)


_FEWEST = 5


def _knows_voice_mos(table: Table) -> bool:
    names = table.names
    rows = list(table.first_rows())
    if table.sniffed.header or len(names) < _FEWEST or not rows:
        return False
    system, clip, score, *_, listener = names
    return (
        all(row[clip].startswith(row[system]) and "." in row[clip] and row[listener] for row in rows)
        and is_numeric(row[score] for row in rows)
        and 1 < len({row[system] for row in rows}) < len({row[clip] for row in rows}) < len(rows)
    )


def _voice_mos(table: Table, chosen: Chosen) -> Canonical:
    system, clip, score, *_, listener = table.names

    def responses(line: int, row: Cells) -> Iterator[Response]:
        yield Response(row[clip], row[listener], {score: row[score]}, {"system": row[system]})

    return table_of(table, responses, [score], "the clip has no score")


_VOICE_MOS = Format("VoiceMOS", _knows_voice_mos, _voice_mos)


FORMATS = (_WEBMUSHRA, _SUREAL, _VOICE_MOS, *_TRIALS)
