"""Lines of the VoiceMOS and BVCC challenges, without header: system, clip, score, and last the listener."""

from collections.abc import Iterator

from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table
from data.reading.columns import is_numeric

_FEWEST = 5


def _knows(table: Table) -> bool:
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


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    system, clip, score, *_, listener = table.names

    def responses(line: int, row: Cells) -> Iterator[Response]:
        yield Response(row[clip], row[listener], {score: row[score]}, {"system": row[system]})

    return table_of(table, responses, [score], "the clip has no score")


FORMAT = Format("VoiceMOS", _knows, _canonical)
