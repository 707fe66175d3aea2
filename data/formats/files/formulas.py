"""Formulas of a workbook without a stored result: a program wrote them, and no spreadsheet has computed them yet."""

import re
import zipfile
from pathlib import Path

from data.tables.bounded import CHUNK

_NAME = rb"(?:\w{1,9}:)?"
_UNCOMPUTED = re.compile(
    rb"<%(n)sc\b(?P<cell>[^<>]{0,200})>\s{0,9}<%(n)sf\b[^<>]{0,300}(?:/>|>[^<]{0,8192}</%(n)sf>)\s{0,9}"
    rb"(?:<%(n)sv\s{0,9}(?:/>|></%(n)sv>)\s{0,9})?</%(n)sc>" % {b"n": _NAME}
)
"""A cell with a formula and without a value; every part is bounded, so that no file makes it slow."""
_PLACE = re.compile(rb'\br="([A-Z]{1,3}\d{1,7})"')
_OVER_THE_EDGE = 10_000
"""Bytes that are looked at again with the next piece: more than a cell has."""


def uncomputed(path: Path) -> tuple[int, str]:
    """How many cells hold a formula without a result, and where the first of them stands."""
    number, first = 0, ""
    with zipfile.ZipFile(path) as archive:
        for part in archive.namelist():
            if not part.startswith("xl/worksheets/") or not part.endswith(".xml"):
                continue
            rest = b""
            with archive.open(part) as file:
                while chunk := file.read(CHUNK):
                    looked = rest + chunk
                    seen = 0
                    for found in _UNCOMPUTED.finditer(looked) if b"<f" in looked or b":f" in looked else ():
                        seen = found.end()
                        if b't="str"' not in found["cell"]:
                            number += 1
                            place = _PLACE.search(found["cell"])
                            first = first or (place[1].decode() if place else "")
                    rest = looked[max(seen, len(looked) - _OVER_THE_EDGE) :]
    return number, first
