"""Responses of Qualtrics: three header rows (the column, the question's text, an ImportId), one response per row."""

import re

from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.table import Table
from data.formats.surveys import questions
from data.formats.surveys.questions import PARTS, UNFINISHED, Cell, Survey
from data.tables.rows import Row, rows
from data.tables.sniffed import Switch

_ENVELOPE = {
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished", "recordeddate",
    "responseid", "recipientlastname", "recipientfirstname", "recipientemail", "externalreference",
    "externaldatareference",
    "locationlatitude", "locationlongitude", "distributionchannel", "userlanguage", "q_recaptchascore", "prolific_pid",
}  # fmt: skip
_PREVIEWS = Switch(
    "@previews",
    "Survey previews",
    ("set aside", "keep"),
    "Responses that somebody gave while trying the survey out.",
)
_LOOP = re.compile(r"(\d+)_(Q.+)")
_PART = re.compile(r"(.+?)_(\d+)(_.+)?")
_TIMING = re.compile(r".*_(First Click|Last Click|Page Submit|Click Count|TEXT|DO)(_\d+)?", re.IGNORECASE)


def _knows(table: Table) -> bool:
    return table.lower >= {"responseid", "finished"} and bool(table.lower & {"status", "progress"})


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    names = {name.casefold(): name for name in table.names}
    codes, texts = _header(table)
    cells = [
        _cell(name, code, text)
        for name, code, text in zip(table.names, codes, texts, strict=True)
        if name.casefold() not in _ENVELOPE and not _TIMING.fullmatch(code)
    ]
    asides = {}
    if chosen[_PREVIEWS.name] == "set aside" and "status" in names:
        told = "it is a preview of the survey"
        asides[names["status"]] = (told, frozenset({"survey preview", "1", "spam", "8", "survey test", "2"}))
    if chosen[UNFINISHED.name] == "set aside":
        asides[names["finished"]] = ("the response is unfinished", frozenset({"false", "0"}))
    rater = names.get("prolific_pid") or names["responseid"]
    survey = Survey(rater, names.get("duration (in seconds)", ""), names.get("recordeddate", ""))
    return questions.canonical(
        survey,
        cells,
        list(table.first_rows()),
        questions.finished(table.all_rows(), asides),
        chosen,
    )


def _header(table: Table) -> tuple[list[str], list[str]]:
    """The columns' own names and the texts of their questions; the names twice where there is one header row."""
    records = [
        row for row, _ in zip(rows(table.text.path, 0, table.sniffed.delimiter), range(2), strict=False)
    ]
    names = list(table.names)
    if table.sniffed.before < 2 or len(records) < 2:
        return names, names
    first, second = (record.cells if isinstance(record, Row) else names for record in records)
    width = len(names)
    if min(len(first), len(second)) < width:
        return names, names
    return list(first[:width]), list(second[:width])


def _cell(column: str, code: str, text: str) -> Cell:
    """A looped question is rated once per round; of a question with parts, the text after the dash names the part."""
    loop = _LOOP.fullmatch(code)
    if loop:
        return Cell(column, loop[2], f"loop {loop[1]}")
    part = _PART.fullmatch(code)
    if not part:
        return Cell(column, code, code)
    stem, dash, tail = text.rpartition(" - ")
    return Cell(column, part[1] + (part[3] or ""), " ".join(tail.split()) if dash and stem else part[2])


FORMAT = Format("Qualtrics", _knows, _canonical, (_PREVIEWS, UNFINISHED, PARTS))
