"""Surveys of Qualtrics, SoSci Survey and LimeSurvey: one response per row, in columns of questions with several parts.

Each of the parts, or of the questions, is an item that every respondent may have rated; single questions are about the
rater.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from data.errors import listed
from data.formats.parts.cells import filled
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Table, has_columns
from data.formats.parts.responses import Response, share, table_of
from data.kinds.likely_names import is_about
from data.reading.columns import columns_of, is_answer, is_numeric, is_score
from data.reading.wide_layouts import Grid, grids_of, is_natural
from data.tables.rows import Row, rows
from data.tables.sniffed import Switch

_PARTS = Switch(
    "@parts",
    "Questions of several parts",
    ("the more numerous are items", "parts are items", "questions are items"),
    "In a survey of clips, either the parts of a question are the clips, or each question is a clip and its parts are "
    "what was judged. The other of the two is the measure.",
    asked=True,
)
_KEEP = ("set aside", "keep")
_UNFINISHED = Switch(
    "@unfinished", "Unfinished responses", _KEEP, "Responses of people who did not reach the end."
)
_PREVIEWS = Switch(
    "@previews", "Survey previews", _KEEP, "Responses that somebody gave while trying the survey out."
)


_NO_NAME = re.compile(r"[\W_]")
_NO_RATING = "the response holds no rating"


@dataclass(frozen=True)
class _Cell:
    """A column of answers: its question and the part of it."""

    column: str
    question: str
    part: str
    is_about_rater: bool = False


def _canonical(
    table: Table,
    chosen: Chosen,
    cells: Sequence[_Cell],
    response_columns: tuple[str, str, str],
    set_aside: Mapping[str, tuple[str, frozenset[str]]],
    missing: frozenset[str] = frozenset(),
    notes: Sequence[str] = (),
) -> Canonical:
    """Return the table of a survey's answers. `response_columns`: the columns of respondent, duration and time.

    `missing` are codes for no answer. A row is set aside for a reason where a column holds one of some values.
    """
    rater, time, submitted = response_columns
    values_by_column = {
        cell.column: [text for text in filled(table.head, cell.column) if text not in missing]
        for cell in cells
    }
    rated, several = _rated_cells([cell for cell in cells if not cell.is_about_rater], values_by_column)
    rated = _in_grid(rated)
    questions, parts = {cell.question: None for cell in rated}, {cell.part: None for cell in rated}
    of_questions = chosen[_PARTS.name] == "questions are items" or (
        chosen[_PARTS.name] == _PARTS.allowed[0] and len(questions) > len(parts)
    )
    attributes = {
        cell.column: f"rater_{_NO_NAME.sub('_', cell.question.casefold()).strip('_')[:60] or 'question'}"
        for cell in cells
        if cell not in rated and values_by_column[cell.column] and cell.question not in several
    }
    all_notes = [*notes]
    if len(questions) > 1 and len(parts) > 1:
        meanings = ("question is an item", "part") if of_questions else ("part is an item", "question")
        all_notes.append(
            f"{len(questions)} questions of {len(parts)} parts: each {meanings[0]}, each {meanings[1]} a measure."
        )
    if attributes:
        all_notes.append(f"Taken for what is known of the rater: {listed(attributes)}.")
    if time:
        all_notes.append("The time of a response is divided evenly over its ratings.")

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        for column, (reason, values) in set_aside.items():
            if row[column].casefold() in values:
                yield Aside(line, column, reason, row[column])
                return
        answered = [cell for cell in rated if row[cell.column] and row[cell.column] not in missing]
        if not answered:
            yield Aside(line, rated[0].column if rated else "", _NO_RATING, "")
        cells = {"submitted": row.get(submitted, "")}
        cells |= {plain: row[column] for column, plain in attributes.items()}
        seconds = share(row.get(time, ""), len(answered))
        for cell in answered:
            item, measure = (cell.question, cell.part) if of_questions else (cell.part, cell.question)
            yield Response(item, row[rater], {measure: row[cell.column]}, cells, seconds)

    measures = tuple(parts if of_questions else questions)
    return table_of(table, responses, measures, _NO_RATING, notes=all_notes)


def _rated_cells(
    cells: Sequence[_Cell], values_by_name: Mapping[str, Sequence[str]]
) -> tuple[list[_Cell], Collection[str]]:
    """Return the cells that are rated, of questions of several parts, else single ones that hold scores; and the
    questions of which some parts may be rated."""
    answers_by_question: dict[str, list[str]] = {}
    for cell in cells:
        answers_by_question.setdefault(cell.question, []).extend(values_by_name[cell.column])
    answered = {question for question, answers in answers_by_question.items() if is_answer(answers)}
    scored = {question for question, answers in answers_by_question.items() if is_score(answers)}
    names = [cell.column for cell in cells]
    columns = columns_of(names, [*zip_longest(*(values_by_name[name] for name in names), fillvalue="")], ",")
    words = {column.name: column.values for column in columns if column.holds == "words"}
    varying = {value for values in words.values() if len(values) > 1 for value in values}
    on_scale = {name for name, values in words.items() if not varying.isdisjoint(values)}
    scored |= {cell.question for cell in cells if cell.column in on_scale}
    candidates = [
        cell
        for cell in cells
        if (answers := values_by_name[cell.column])
        and (
            cell.question in answered
            or cell.column in on_scale
            or is_answer(answers)
            or (len({*answers}) == 1 and is_numeric(answers))
        )
    ]
    rated = [cell for cell in candidates if sum(other.question == cell.question for other in candidates) > 1]
    questions_of_parts = {cell.question for cell in rated}
    if not rated:
        rated = [cell for cell in candidates if cell.question in scored]
        questions_of_parts = {cell.question for cell in rated}
    return [cell for cell in rated if cell.question in scored] or rated, questions_of_parts


def _in_grid(cells: list[_Cell]) -> list[_Cell]:
    """Return single questions as items of one measure, or as questions of parts where their names join items with
    measures, such as clip1_clarity."""
    if not all(map(_is_single, cells)):
        return cells
    columns = [cell.column for cell in cells]
    pairs = next(
        (grid.pairs for grid in grids_of(columns) if is_natural(grid)),
        [(cell.question, "") for cell in cells],
    )
    return [_Cell(column, *pair) for column, pair in zip(columns, pairs, strict=True)]


def _is_single(cell: _Cell) -> bool:
    return cell.question == cell.part


def _unfinished_rule(
    column: str, unit: str, values: Sequence[str], chosen: Chosen
) -> dict[str, tuple[str, frozenset[str]]]:
    """Return the column, reason and values that set unfinished responses aside, unless they are kept."""
    if not column or chosen[_UNFINISHED.name] == "keep":
        return {}
    return {column: (f"the {unit} is unfinished", frozenset(values))}


_OF_QUALTRICS = {
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished", "recordeddate",
    "responseid", "recipientlastname", "recipientfirstname", "recipientemail", "externalreference",
    "externaldatareference", "responseset", "name", "emailaddress", "locationaccuracy",
    "locationlatitude", "locationlongitude", "distributionchannel", "userlanguage", "q_recaptchascore", "prolific_pid",
}  # fmt: skip
_LOOP = re.compile(r"(\d+)_(Q.+)")
_PART = re.compile(r"(.+?)_(\d+)(_.+)?")
_TIMING = re.compile(r".*_(First Click|Last Click|Page Submit|Click Count|TEXT|DO)(_\d+)?", re.IGNORECASE)


def _qualtrics(table: Table, chosen: Chosen) -> Canonical:
    names = {name.casefold(): name for name in table.names}
    codes, texts = _header(table)
    questions = [
        named
        for named in zip(table.names, codes, texts, strict=True)
        if named[0].casefold() not in _OF_QUALTRICS and not _TIMING.fullmatch(named[1])
    ]
    cells = [_cell(name, code, text) for name, code, text in questions]
    if len({(cell.question, cell.part) for cell in cells}) < len(cells):  # several texts end alike
        cells = [_cell(name, code, code) for name, code, _ in questions]
    set_aside = {}
    if chosen[_PREVIEWS.name] == "set aside" and "status" in names:
        values = frozenset({"survey preview", "1", "spam", "8", "survey test", "2"})
        set_aside[names["status"]] = ("it is a preview of the survey", values)
    set_aside |= _unfinished_rule(names["finished"], "response", ("false", "0"), chosen)
    rater = names.get("prolific_pid") or names["responseid"]
    seconds, submitted = names.get("duration (in seconds)", ""), names.get("recordeddate", "")
    return _canonical(table, chosen, cells, (rater, seconds, submitted), set_aside)


def _header(table: Table) -> tuple[Sequence[str], Sequence[str]]:
    """Return the columns' own names and the texts of their questions; the names twice where there is one header row."""
    names, width = table.names, len(table.names)
    records: list[Sequence[str]] = []
    if table.sniffed.before > 1:  # the column, the question's text, an ImportId
        first = islice(rows(table.text.path, 0, table.sniffed.delimiter), 2)
        records = [row.cells[:width] if isinstance(row, Row) else names for row in first]
    if len(records) < 2 or min(map(len, records)) < width:
        return names, names
    return records[0], records[1]


def _cell(column: str, code: str, text: str) -> _Cell:
    """Return the cell of a column: a looped question is rated once per round; of a question with parts, the text after
    the dash names the part."""
    loop = _LOOP.fullmatch(code)
    if loop:
        return _Cell(column, loop[2], f"loop {loop[1]}")
    part = _PART.fullmatch(code)
    if not part:
        return _Cell(column, code, code, is_about(code) or is_about(text))
    stem, dash, tail = text.rpartition(" - ")
    return _Cell(column, part[1] + (part[3] or ""), " ".join(tail.split()) if dash and stem else part[2])


_VARIABLE = re.compile(r"([A-Z][A-Z\d]\d{2})(?:_(\d{2}))?([a-z]?)")


def _sosci(table: Table, chosen: Chosen) -> Canonical:
    variables = filter(None, map(_VARIABLE.fullmatch, table.names))
    cells = [_Cell(variable[0], variable[1], variable[2] or variable[1]) for variable in variables]
    names_of_columns = (("TIME_SUM",), ("LASTDATA", "STARTED"), ("FINISHED",))
    seconds, submitted, finished = (table.first(*names) for names in names_of_columns)
    set_aside = _unfinished_rule(finished, "interview", ("0", "false", ""), chosen)
    response_columns, missing = ("CASE", seconds, submitted), frozenset({"-1", "-9"})
    return _canonical(
        table, chosen, cells, response_columns, set_aside, missing, ("-1 and -9 are no answer.",)
    )


_OF_LIMESURVEY = {
    "id", "response id", "submitdate", "date submitted", "lastpage", "last page", "startlanguage", "start language",
    "seed", "token", "startdate", "date started", "datestamp", "date last action", "ipaddr", "ip address", "refurl",
    "referrer url", "interviewtime", "total time",
}  # fmt: skip
_LIMESURVEY = ("id", "response id"), ("submitdate", "date submitted")
_SUBQUESTION = re.compile(r"(.+?)\s*\[(.+?)\](\s*\[.+\])?")
"""A question with one of its parts, and perhaps one of two scales, such as Q1[SQ001][2]."""
_TIME = re.compile(r"(question|group) ?time.*", re.IGNORECASE)


_CODE = re.compile(r"AO?0*([1-9])")
"""Code that LimeSurvey gives the answers of an array, in their order."""


def _limesurvey(table: Table, chosen: Chosen) -> Canonical:
    cells, notes = [], []
    parts = [name for name in table.names if _SUBQUESTION.fullmatch(name)]
    answers = {*filled(table.head, *parts)}
    if len(answers) > 2 and all(map(_CODE.fullmatch, answers)):
        table = table.derived(
            table.names,
            lambda row: row | {name: _CODE.sub(r"\1", row[name]) for name in parts},
        )
        notes = ["Codes of answers such as A1 are read as their numbers."]
    codes = [
        (part[1], *part[2].partition("_")[::2]) for name in parts if (part := _SUBQUESTION.fullmatch(name))
    ]
    of_columns = Grid(tuple((row, column) for _, row, column in codes)).is_full and len({*codes}) == len(
        codes
    )
    for name in table.names:
        part = _SUBQUESTION.fullmatch(name)
        if part and of_columns:  # an array of numbers or texts: Q1[SQ001_SQ101]
            row, _, column = part[2].partition("_")
            cells.append(_Cell(name, f"{part[1]} [{column}]", row))
            continue
        if name.casefold() not in _OF_LIMESURVEY and not _TIME.fullmatch(name):
            cells.append(
                _Cell(name, part[1] + (part[3] or ""), part[2])
                if part
                else _Cell(name, name, name, is_about(name))
            )
    rater, submitted, seconds = (
        table.first(*names) for names in (*_LIMESURVEY, ("interviewtime", "total time"))
    )
    set_aside = _unfinished_rule(submitted, "response", ("",), chosen)
    return _canonical(table, chosen, cells, (rater, seconds, submitted), set_aside, notes=notes)


FORMATS = (
    Format(
        "Qualtrics",
        has_columns("responseid", "finished"),
        _qualtrics,
        (_PREVIEWS, _UNFINISHED, _PARTS),
    ),
    Format(
        "SoSci Survey",
        lambda table: {"CASE", "QUESTNNR", "STARTED"} <= {*table.names},
        _sosci,
        (_UNFINISHED, _PARTS),
    ),
    Format(
        "LimeSurvey",
        has_columns(*_LIMESURVEY, ("lastpage", "last page", "startlanguage", "start language")),
        _limesurvey,
        (_UNFINISHED, _PARTS),
    ),
)
