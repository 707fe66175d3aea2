"""Interviews of SoSci Survey: variables such as AB01_03, one interview per row; -1 and -9 are no answer."""

import re

from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.table import Table
from data.formats.surveys import questions
from data.formats.surveys.questions import PARTS, UNFINISHED, Cell, Survey

_VARIABLE = re.compile(r"([A-Z][A-Z\d]\d{2})(?:_(\d{2}))?([a-z]?)")


def _knows(table: Table) -> bool:
    return {"CASE", "QUESTNNR", "STARTED"} <= set(table.names)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    cells = []
    for name in table.names:
        variable = _VARIABLE.fullmatch(name)
        if variable:
            cells.append(Cell(name, variable[1], variable[2] or variable[1]))
    asides = {}
    if chosen[UNFINISHED.name] == "set aside" and "FINISHED" in table.names:
        asides["FINISHED"] = ("the interview is unfinished", frozenset({"0", "false", ""}))
    seconds = "TIME_SUM" if "TIME_SUM" in table.names else ""
    survey = Survey(
        "CASE", seconds, "LASTDATA" if "LASTDATA" in table.names else "STARTED", frozenset({"-1", "-9"})
    )
    rows = (row for row in table.all_rows())
    return questions.canonical(
        survey,
        cells,
        [row for row in table.first_rows() if row["CASE"].isdecimal()],
        questions.finished(rows, asides),
        chosen,
        ("-1 and -9 are no answer.",),
    )


FORMAT = Format("SoSci Survey", _knows, _canonical, (UNFINISHED, PARTS))
