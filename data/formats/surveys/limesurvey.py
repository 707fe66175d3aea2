"""Responses of LimeSurvey: sub-questions such as Q1[SQ001], one response per row, unfinished without a submitdate."""

import re

from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.table import Table
from data.formats.surveys import questions
from data.formats.surveys.questions import PARTS, UNFINISHED, Cell, Survey

_ENVELOPE = {
    "id", "response id", "submitdate", "date submitted", "lastpage", "last page", "startlanguage", "start language",
    "seed", "token", "startdate", "date started", "datestamp", "date last action", "ipaddr", "ip address", "refurl",
    "referrer url", "interviewtime", "total time",
}  # fmt: skip
_PART = re.compile(r"(.+?)\s*\[(.+)\]")
_TIME = re.compile(r"(question|group) ?time.*", re.IGNORECASE)


def _knows(table: Table) -> bool:
    has = table.lower
    return (
        bool(has & {"id", "response id"})
        and bool(has & {"submitdate", "date submitted"})
        and bool(has & {"lastpage", "last page", "startlanguage", "start language"})
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    names = {name.casefold(): name for name in table.names}
    cells = []
    for name in table.names:
        part = _PART.fullmatch(name)
        if name.casefold() not in _ENVELOPE and not _TIME.fullmatch(name):
            cells.append(Cell(name, part[1], part[2]) if part else Cell(name, name, name))
    submitted = names.get("submitdate") or names["date submitted"]
    asides = {}
    if chosen[UNFINISHED.name] == "set aside":
        asides[submitted] = ("the response is unfinished", frozenset({""}))
    survey = Survey(
        names.get("id") or names["response id"],
        names.get("interviewtime", names.get("total time", "")),
        submitted,
    )
    return questions.canonical(
        survey, cells, list(table.first_rows()), questions.finished(table.all_rows(), asides), chosen
    )


FORMAT = Format("LimeSurvey", _knows, _canonical, (UNFINISHED, PARTS))
