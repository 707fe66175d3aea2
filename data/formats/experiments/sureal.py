"""Data sets of SUREAL, as Python or JSON: one video per record, with its opinion scores by rater.

A list of scores has a place for each rater, the same in all videos; a dictionary names them, and may hold a list of
repetitions for each.
"""

from collections.abc import Iterator
from typing import Any

from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.nested import text_of, value_of
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table

_NOTHING = "the video has no opinion score"


def _knows(table: Table) -> bool:
    return "os" in table.names and not {"asset_id", "content_id"}.isdisjoint(table.names)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
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


FORMAT = Format("SUREAL", _knows, _canonical)
