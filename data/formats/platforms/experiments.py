"""Experiments with listeners and viewers: PsychoPy, jsPsych, PCIbex, Gorilla, MUSHRA, SUREAL and VoiceMOS.

PsychoPy, jsPsych, PCIbex and Gorilla write a row per screen, of which only some are ratings; all else is set aside. Of
webMUSHRA, the stimuli of a page are systems on one topic. SUREAL has one record per video, with a list of scores in the
order of the raters, or a dictionary by their names. Lines of VoiceMOS have no header.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from data.errors import listed
from data.formats.parts.cells import constant_within, filled, item_column, text_of, value_of
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Made, Table, has_columns
from data.formats.parts.responses import NAMES, SEVERAL, Response, seconds_of, table_of
from data.kinds.kind import ITEM, RATER, SCORE
from data.kinds.likely_names import (
    TIMES,
    control_of,
    is_about,
    is_system,
    look_like_measures,
    look_like_raters,
)
from data.kinds.names import plain_name
from data.kinds.studies import RATINGS
from data.reading.columns import is_numeric, is_score
from data.tables.sniffed import begins_with_number, is_any_number, is_number

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


def _table_of_trials(
    table: Table,
    answers: Mapping[str, str],
    seconds: Callable[[Cells, str], str],
    order: str,
    items: Sequence[str],
    is_rating: Callable[[Cells], bool] = lambda row: True,
    kind_of_row: str = "",
) -> Canonical:
    """Return the table of the trials that are ratings.

    `answers` are the columns of answers with their measure, `seconds` those of an answer, `order` the column of the
    trial's number, `items` the columns that may name the item; `kind_of_row` says what is no rating.
    """
    rater = table.first(*_RATERS)
    rows = [row for row in table.head if is_rating(row) and any(row[a] for a in answers)]
    values = {name: {row[name] for row in rows} for name in items}
    items = [name for name in items if filled(rows, name)]
    varying = (name for name in items if len(values[name]) > 1 and not all(map(is_number, values[name])))
    named_item = next((name for name in items if plain_name(name) in ITEM and len(values[name]) > 1), "")
    item = item_column(rows, items) or named_item or next(varying, "")
    item_columns = _item_columns(rows, item, items, rater)
    note_on_forms = f"Each {item} was shown in several forms: an item is {' with '.join(item_columns)}."
    further_columns = tuple(name for name in values if name not in (item, *NAMES) and len(values[name]) > 1)

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        answered = [name for name in answers if row[name]] if is_rating(row) else []
        if not answered:
            yield Aside(line, kind_of_row, "the row is no rating", row.get(kind_of_row, ""))
        for name in answered:
            for question, answer in _answers(row[name]):
                measure = question or (answers[name] if len(answers) > 1 else "")
                cells = {
                    "measure": measure,
                    "order": row.get(order, ""),
                    **{column: row[column] for column in further_columns},
                }
                item_name = "__".join(row[column] for column in item_columns)
                yield Response(item_name, row.get(rater), {"response": answer}, cells, seconds(row, name))

    notes = [note_on_forms] if len(item_columns) > 1 else []
    return table_of(table, responses, ["response"], "the response is empty", further_columns, notes)


def _item_columns(rows: Sequence[Cells], item: str, names: Sequence[str], rater: str) -> tuple[str, ...]:
    """Return the item's column, and those of the stimulus with which a rater meets no item twice, or which differ
    within items and within raters, as in a Latin square."""
    candidates = [name for name in names if name != item and plain_name(name) in _OF_STIMULI]
    crossed = (
        name for name in candidates if not any(constant_within(rows, name, [key]) for key in (item, rater))
    )
    if not item or len({(row.get(rater), row[item]) for row in rows}) == len(rows):
        candidate = next(crossed, "") if item and rater else ""
        return tuple(filter(None, (item, candidate)))
    for candidate in candidates:
        if len({(row.get(rater), row[item], row[candidate]) for row in rows}) == len(rows):
            return item, candidate
    return (item,)


def _answers(cell: str) -> list[tuple[str, str]]:
    """Return the answer in a cell, or those of a page of several questions: {"Q0": 4, "Q1": 2}."""
    parsed = value_of(cell)
    if not isinstance(parsed, dict):
        return [("", cell)] if cell else []
    answered = [
        (name, value)
        for name, value in parsed.items()
        if value is not None and not isinstance(value, dict | list)
    ]
    return [(name if len(parsed) > 1 else "", str(value)) for name, value in answered]


def _is_score(cell: str) -> bool:
    answers = [answer for _, answer in _answers(cell)]
    return bool(answers) and all(is_number(answer) or begins_with_number(answer) for answer in answers)


_OF_PSYCHOPY = {
    "participant", "session", "date", "expname", "psychopyversion", "framerate", "expstart", "age", "gender", "notes",
}  # fmt: skip


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

    return _table_of_trials(
        table, answers, lambda row, name: row.get(f"{answers[name]}.rt", ""), order, items
    )


_RATING_TYPE = re.compile(
    r".*(slider|likert|button|survey-multi|multiple.?choice|rating|scale|vas).*", re.IGNORECASE
)
_OF_JSPSYCH = {
    "rt", "response", "trial_type", "trial_index", "time_elapsed", "internal_node_id", "success", "timeout",
    "failed_images", "failed_audio", "failed_video", "question_order", "slider_start", "view_history", "key_press",
    "plugin_version",
}  # fmt: skip
_ZONES = ("zone type", "component name", "response type")


def _jspsych(table: Table, chosen: Chosen) -> Canonical:
    items = [name for name in table.names if name.casefold() not in (*_OF_JSPSYCH, *_RATERS)]
    return _table_of_type(table, "trial_type", "rt", "trial_index", items)


_OF_GORILLA = ("reaction time", "trial number", "zone type", "response", *_RATERS)


def _gorilla(table: Table, chosen: Chosen) -> Canonical:
    zone = next(name for name in _ZONES if name in table.lower)
    items = [name for name in table.names if name.casefold().startswith("spreadsheet:")]
    items = items or [name for name in table.names if name[:1].islower() or name == table.names[-1]]
    items += [name for name in table.names if plain_name(name) in ITEM and name not in items]
    items = [name for name in items if not is_about(name) and name.casefold() not in _OF_GORILLA]
    return _table_of_type(table, zone, "reaction time", "trial number", items)


def _table_of_type(table: Table, type: str, time: str, order: str, items: Sequence[str]) -> Canonical:
    """Return the table of the rows whose type is that of a rating: a scale, or else buttons that hold scores."""
    type, time, order, response = (table.first(name) for name in (type, time, order, "response"))
    rated = {
        row[type] for row in table.head if _RATING_TYPE.fullmatch(row[type]) and _is_score(row[response])
    }
    rated = {kind for kind in rated if "button" not in kind} or {  # a button to go on is always the same
        kind for kind in rated if len({row[response] for row in table.head if row[type] == kind}) > 1
    }

    def seconds(row: Cells, name: str) -> str:
        return seconds_of(row[time])

    return _table_of_trials(
        table, {response: "response"}, seconds, order, items, lambda row: row[type] in rated, type
    )


_KEY, _QUESTION, _QUANTISED = "question key", "question", "-quantised"
"""Column of a questionnaire's keys, that of its questions, and the end of a key whose answer is a word's number."""


def _with_keys(table: Table) -> Table:
    """Return the table of newer questionnaires, which hold the question and the key of its answer in two columns, with
    both in one."""
    question, key = table.first(_QUESTION), table.first("key")

    def of_row(row: Cells) -> Cells:
        return {**row, _KEY: f"{row[question]}-{row[key]}".removesuffix("-value")}

    return table.derived((*(name for name in table.names if name != question), _KEY), of_row)


def _gorilla_questions(table: Table, chosen: Chosen) -> Canonical:
    table = table if table.first(_KEY) else _with_keys(table)
    key, response = table.first(_KEY), table.first("response")
    quantised = {row[key] for row in table.head if row[key].endswith(_QUANTISED)}
    answers: dict[str, list[str]] = {}
    for row in table.head:
        if row[response] and row[key] + _QUANTISED not in quantised:
            answers.setdefault(row[key], []).append(row[response])
    rated = {name for name, cells in answers.items() if is_score(cells)}

    return _table_of_trials(
        table.derived(
            (*table.names, _QUESTION), lambda row: row | {_QUESTION: row[key].removesuffix(_QUANTISED)}
        ),
        {response: "response"},
        lambda row, name: "",
        "",
        [_QUESTION],
        lambda row: row[key] in rated,
        key,
    )


_PCIBEX = ("PennElementType", "PennElementName", "Parameter", "Value", "EventTime")
_ANSWERED = {"choice", "selection"}
"""Parameters of elements of PCIbex that hold an answer: of scales, and of selectors."""


def _pcibex(table: Table, chosen: Chosen) -> Canonical:
    kind, element, parameter, value, time = _PCIBEX
    address = next(name for name in table.names if name.casefold().startswith("md5"))
    received = table.names[0]
    # people behind one address, perhaps
    is_shared_address = not constant_within(table.head, received, [address])
    answered = dict.fromkeys(row[element] for row in table.head if row[parameter].casefold() in _ANSWERED)
    first = table.names.index(time) + 1
    items = [name for name in table.names[first:] if name.casefold() != "comments"]

    def of_row(row: Cells) -> Cells:
        is_answer = row[parameter].casefold() in _ANSWERED
        answer_cells = {name: row[value] if is_answer and row[element] == name else "" for name in answered}
        rater = f"{row[address]} {row[received]}" if is_shared_address else row[address]
        return {**row, "participant": rater, **answer_cells}

    table = table.derived((*table.names, "participant", *answered), of_row)
    return _table_of_trials(
        table,
        {name: name for name in answered},
        lambda row, name: "",
        "",
        items,
        lambda row: row[parameter].casefold() in _ANSWERED,
        kind,
    )


_OURS = {"session_test_id", "trial_id"}
_WHO = ("session_uuid", "email", "name")
"""Columns of webMUSHRA that tell listeners apart; older versions only asked for the others."""
_SCORE = "rating_score"
_OF_RATINGS = {"rating_stimulus", _SCORE}
_OF_LIKERT, _GRADE = {"stimuli", "rating_time"}, "stimuli_rating"
"""Columns of pages with a Likert scale, and the beginning of those of its answers."""
_OF_PAIRS = {"choice_reference", "choice_non_reference", "choice_answer"}
_OF_BOTH = {
    "rating_reference",
    "rating_non_reference",
    "rating_reference_score",
    "rating_non_reference_score",
}
"""Columns of a test by BS.1116, which rates a hidden reference and another stimulus in one row."""


def _webmushra(table: Table, chosen: Chosen) -> Canonical:
    first, has, listener = table.names.index("trial_id"), {*table.names}, table.first(*_WHO)
    asked = [name for name in table.names[:first] if name not in {*_OURS, listener}]
    attributes = {name: f"rater_{name.casefold()}" for name in asked}
    are_pairs = has >= _OF_PAIRS
    notes = [] if are_pairs else [_STIMULUS]
    notes += ["A session is a rater."] if listener == _WHO[0] else []
    grades = [name for name in table.names if name.startswith(_GRADE)]
    scores = grades if has >= _OF_LIKERT and grades else [_SCORE]
    rated = [("stimuli", dict(zip(scores, scores, strict=True)))]
    if has >= _OF_BOTH:
        rated = [(name, {_SCORE: f"{name}_score"}) for name in ("rating_reference", "rating_non_reference")]
    elif has >= _OF_RATINGS:
        rated = [("rating_stimulus", {_SCORE: _SCORE})]

    def responses(line: int, row: Cells) -> Iterator[Response]:
        rater, page = row[listener], row["trial_id"]
        cells = {plain: row[name] for name, plain in attributes.items()}
        seconds = seconds_of(row.get("choice_time" if are_pairs else "rating_time", ""))
        if are_pairs:
            choice = row["choice_answer"]
            cells |= {"option_a": row["choice_reference"], "option_b": row["choice_non_reference"]}
            plain = choice.casefold().replace("_", "").replace(" ", "")
            answer = {"reference": "A", "nonreference": "B"}.get(plain, choice)
            yield Response(
                page, rater, {_SCORE: answer}, cells, seconds, no_answer_cell=("choice_answer", "")
            )
            return
        for stimulus, sources in rated:
            of_stimulus = cells | _of_stimulus(page, row[stimulus])
            answers = {score: row[source].strip() for score, source in sources.items()}
            empty = (next(iter(sources.values())), "")
            yield Response(
                f"{page}__{row[stimulus]}", rater, answers, of_stimulus, seconds, no_answer_cell=empty
            )

    return table_of(table, responses, scores, "the stimulus was not rated", notes=notes, pairs=are_pairs)


_STIMULUS = "An item is a stimulus on a page (trial); the stimulus is its system, the page its topic."
_TRIAL, _RATED = "TestID", "rating."
"""Columns of BeaqleJS: the page, and the beginning of those of its stimuli."""


def _of_stimulus(page: str, system: str) -> dict[str, str]:
    """Return the system, its kind and the topic of a stimulus."""
    return {"system": system, "system_kind": control_of(system) or "system", "topic": page}


def _names_mushra_stimulus(name: str) -> bool:
    """Return True for a column named as a reference, an anchor, a system or a model of a MUSHRA test."""
    return bool(control_of(name.removeprefix(_RATED))) or is_system(name)


def _system_columns(table: Table) -> tuple[str, str, tuple[str, ...]]:
    """Return the columns of raters, of pages and of each system, one of which is called a reference, an anchor or a
    model; "" where there are none. BeaqleJS has a file for each rater, and names none."""
    if not any(map(_names_mushra_stimulus, table.names)):
        return "", "", ()
    rows = table.head
    rater = next((name for name in table.names if plain_name(name) in RATER), "")
    rated_columns = table.prefixed(_RATED) if not rater and _TRIAL in table.names else ()
    candidates = [
        name
        for name in rated_columns or table.names
        if (rater or rated_columns) and name != rater and filled(rows, name)
    ]
    scored = [
        name
        for name in candidates
        if is_score(filled(rows, name))
        and not (is_about(name) or plain_name(name) in TIMES)
        and plain_name(name) not in {*ITEM, *SCORE}
    ]
    pages = [_TRIAL] if rated_columns else [name for name in candidates if name not in scored]
    pages = [name for name in pages if len({(row.get(rater), row[name]) for row in rows}) == len(rows)]
    scale_words = {*filled(rows, *scored)}  # a column with few words of a scale is told by the others
    systems = tuple(
        name
        for name in candidates
        if name in scored or (name not in pages and scale_words.issuperset(filled(rows, name)))
    )
    is_complete = any(map(_names_mushra_stimulus, systems)) and len(systems) > 1 and len(pages) == 1
    is_complete &= bool(rated_columns) or look_like_measures(systems) == 0
    others = [name for name in systems if not _names_mushra_stimulus(name)]
    is_complete &= look_like_raters(others) < 0.5  # people beside a model
    possible_ranks = {str(rank) for rank in range(1, len(systems) + 1)}
    cells_of_row = [{cell for cell in filled([row], *systems) if is_any_number(cell)} for row in rows]
    ranks = [cells for cells in cells_of_row if cells]
    are_ranks = bool(ranks) and all("1" in cells <= possible_ranks for cells in ranks)
    return (rater, pages[0], systems) if is_complete and not are_ranks else ("", "", ())


def _read_system_columns(table: Table, chosen: Chosen) -> Canonical:
    rater, page, systems = _system_columns(table)

    def ratings_of_row(line: int, row: Cells) -> Iterator[Made]:
        if not row[page]:
            yield Aside(line, page, "the row names no page", "")
        for column in systems if row[page] else ():
            system = column.removeprefix(_RATED)
            rating = {"item": f"{row[page]}__{system}", "rater": row.get(rater, ""), "score": row[column]}
            yield line, {**rating, **_of_stimulus(row[page], system)}

    notes = [f"{len(systems)} columns hold the ratings of a system each: {listed(systems[:3])}.", _STIMULUS]
    unused = [name for name in table.names if name not in (rater, page, *systems)]
    notes += [f"Not used: {listed(unused)}."] if unused else []
    columns = ("item", *(["rater"] if rater else []), "score", "system", "system_kind", "topic")
    return Canonical(columns, table.convert(ratings_of_row), None, tuple(notes))


_SOUND = re.compile(r"(.+) rating / (.+)")
"""A column of GoListen: the page, and one of its sounds."""


def _golisten(table: Table, chosen: Chosen) -> Canonical:
    sounds = {name: match for name in table.names if (match := _SOUND.fullmatch(name))}
    attribute_columns = [name for name in table.names if name not in (*sounds, "Name", "Date")]
    attributes = {
        name: f"rater_{re.sub(r'[^a-z0-9]+', '_', name.casefold()).strip('_')}" for name in attribute_columns
    }

    def responses(line: int, row: Cells) -> Iterator[Response]:
        rater_cells = {"submitted": row["Date"], **{plain: row[name] for name, plain in attributes.items()}}
        for name, match in sounds.items():
            cells = {**_of_stimulus(match[1], match[2]), **rater_cells}
            yield Response(f"{match[1]}__{match[2]}", row["Name"], {"rating": row[name]}, cells)

    no_rating = "the sound was not rated"
    return table_of(table, responses, ["rating"], no_rating, tuple(attributes.values()), [_STIMULUS])


_NOTHING = "the video has no opinion score"


def _sureal(table: Table, chosen: Chosen) -> Canonical:
    names_raters = any(isinstance(value_of(row["os"]), dict) for row in table.head)
    item = table.first("asset_id", "path", "content_id")
    notes = () if names_raters else ("Scores stand in lists: raters are called by their place in them.",)

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        scores = _scores(value_of(row["os"]))
        if not scores:
            yield Aside(line, "os", _NOTHING, row["os"])
        cells = {"topic": row.get("content_id", ""), "file": row.get("path", "")}
        for rater, score in scores:
            yield Response(row[item], rater, {"os": score}, cells)

    return table_of(table, responses, ["os"], _NOTHING, notes=notes)


def _scores(value: Any) -> list[tuple[str, str]]:
    """Raters and their scores; a rater without one has none."""
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value, start=1)
        if isinstance(value, list)
        else ()
    )
    return [
        (str(rater), text_of(score))
        for rater, scores in pairs
        for score in (scores if isinstance(scores, list) else [scores])
        if text_of(score) not in ("", "nan")
    ]


def _recognizes_voice_mos(table: Table) -> bool:
    names, rows = table.names, table.head
    if table.sniffed.header or len(names) < 5 or not rows:
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


def _recognizes_webmushra(table: Table) -> bool:
    has = {*table.names}
    are_graded = has >= _OF_LIKERT and any(name.startswith(_GRADE) for name in table.names)
    return (
        has >= _OURS
        and bool(table.first(*_WHO))
        and (are_graded or any(has >= names for names in (_OF_RATINGS, _OF_PAIRS, _OF_BOTH)))
    )


def _recognizes_psychopy(table: Table) -> bool:
    return table.lower >= {"participant", "expname"} and bool(_psychopy_answers(table))


def _recognizes_pcibex(table: Table) -> bool:
    has_address = any(name.startswith("md5") for name in table.lower)
    return (
        {*_PCIBEX} <= {*table.names}
        and has_address
        and any(row["Parameter"].casefold() in _ANSWERED for row in table.head)
    )


FORMATS = (
    Format("webMUSHRA", _recognizes_webmushra, _webmushra),
    Format(
        "SUREAL",
        lambda table: "os" in table.names and bool({"asset_id", "content_id"} & {*table.names}),
        _sureal,
    ),
    Format("one column per system", lambda table: bool(_system_columns(table)[2]), _read_system_columns),
    Format(
        "GoListen",
        lambda table: table.names[:2] == ("Name", "Date") and any(map(_SOUND.fullmatch, table.names)),
        _golisten,
    ),
    Format("VoiceMOS", _recognizes_voice_mos, _voice_mos),
    Format("PsychoPy", _recognizes_psychopy, _psychopy, (SEVERAL,)),
    Format(
        "jsPsych",
        has_columns("trial_type", "trial_index", "rt", "response"),
        _jspsych,
        (SEVERAL,),
    ),
    Format("PCIbex", _recognizes_pcibex, _pcibex, (SEVERAL,)),
    Format(
        "Gorilla",
        has_columns("participant private id", "response", "reaction time", _ZONES),
        _gorilla,
        (SEVERAL,),
    ),
    Format(
        "Gorilla questionnaire",
        has_columns("participant private id", "response", (_KEY, _QUESTION), (_KEY, "key")),
        _gorilla_questions,
        (SEVERAL,),
    ),
)
