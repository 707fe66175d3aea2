"""Small files that are expensive to read: each is made, read as the Data page reads an upload, and held to two limits.

A file is looked at and then checked with a mapping given by hand, each in the isolated reading process. The slower of
the two counts for the processor time, and the larger for the peak memory of that process.
"""

import gzip
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.ratio import Ratio
from data.errors import DataError
from data.settings import Settings
from data.store.store import Store

SECONDS = 5
MEGABYTES = 500
ROOT = Path(__file__).parents[2]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MILLION = 10**6

Pieces = Iterable[str]
"""A part of a workbook in pieces, so that none of them has to fit into memory."""


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        for name, make in FILES.items():
            path = Path(folder) / "upload"
            path.write_bytes(make())
            seconds, megabytes, outcome = measure_reading(path)
            size = f"{path.stat().st_size / 1000:,.0f} KB"
            print(
                f"{name} ({size}): {seconds:.1f} s, {megabytes:.0f} MB: {outcome}",
                file=sys.stderr,
                flush=True,
            )
            yield Ratio(
                f"{name}, {size} ({seconds:.1f} s of CPU)", f"{SECONDS} s", seconds / SECONDS, 1, "at most"
            )
            against = f"{MEGABYTES} MB"
            yield Ratio(f"its memory ({megabytes:.0f} MB)", against, megabytes / MEGABYTES, 1, "at most")


def measure_reading(path: Path, minutes: float = 1.0) -> tuple[float, float, str]:
    """Processor seconds and megabytes of reading a file, and what was said of it; asked of a small process, because the
    peak memory of children starts at that of their parent."""
    command = [sys.executable, "-m", "benchmarks.size.hostile_files", str(path), str(minutes)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    seconds, megabytes, said = json.loads(told)
    return float(seconds), float(megabytes), str(said)


def read(path: Path, minutes: float) -> tuple[float, float, str]:
    """Look at a file and check it; the longer of the two processor times, and the peak memory of what reads."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        settings = replace(
            Settings(), database=str(root / "db.duckdb"), spool=root / "spool", reading_minutes=minutes
        )
        longest, outcome = 0.0, ""
        with Store(settings=settings, isolated=True) as store:
            for look in (lambda: store.sniff(path), lambda: store.check(path, "ratings", MAPPING)):
                began = _processor_time()
                try:
                    look()
                    outcome = "read"
                except DataError as error:
                    outcome = f"{type(error).__name__}: {error}"
                except Exception as error:
                    outcome = f"FAILED {type(error).__name__}: {error}"
                longest = max(longest, _processor_time() - began)
    return longest, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000, outcome


def _processor_time() -> float:
    """Return the processor seconds of ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def workbook(
    sheet: Pieces = (),
    strings: Pieces = (),
    styles: Pieces = (),
    sheets: int = 1,
    names: Pieces = (),
    padded: bool = True,
) -> bytes:
    """A workbook of these rows, shared strings, styles, and definitions of names; all its sheets are one part.

    A picture that cannot be packed makes it as large as it must be for the limit on packing not to refuse it.
    """
    overrides = "".join(
        f'<Override PartName="/xl/{name}.xml" ContentType="{_TYPE}.{type}+xml"/>'
        for name, type in (
            ("workbook", "sheet.main"),
            ("worksheets/sheet1", "worksheet"),
            ("sharedStrings", "sharedStrings"),
            ("styles", "styles"),
        )
    )
    listed = "".join(f'<sheet name="s{at}" sheetId="{at}" r:id="r1"/>' for at in range(1, sheets + 1))
    parts: dict[str, Pieces] = {
        "[Content_Types].xml": [f'<Types xmlns="{_PACKAGE}/content-types">{overrides}</Types>'],
        "xl/_rels/workbook.xml.rels": [
            f'<Relationships xmlns="{_PACKAGE}/relationships">'
            f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
            f'<Relationship Id="r2" Type="{_OFFICE}/styles" Target="styles.xml"/>'
            f'<Relationship Id="r3" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
        ],
        "xl/workbook.xml": [
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets>',
            *names,
            "</workbook>",
        ],
        "xl/styles.xml": _element("styleSheet", styles),
        "xl/sharedStrings.xml": _element("sst", strings),
        "xl/worksheets/sheet1.xml": sheet if isinstance(sheet, _Sheet) else make_sheet(sheet),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, pieces in parts.items():
            with archive.open(name, "w", force_zip64=True) as part:
                for piece in pieces:
                    part.write(piece.encode())
        if padded:
            unpacked = sum(part.file_size for part in archive.infolist())
            archive.writestr("xl/media/image1.png", os.urandom(unpacked // 95))
    return buffer.getvalue()


class _Sheet(list[str]):
    """A sheet with all that stands around its rows."""


def _element(name: str, pieces: Pieces) -> Iterator[str]:
    yield f'<{name} xmlns="{_MAIN}">'
    yield from pieces
    yield f"</{name}>"


def make_sheet(rows: Pieces) -> Iterator[str]:
    yield f'<worksheet xmlns="{_MAIN}"><sheetData>'
    yield from rows
    yield "</sheetData></worksheet>"


def repeat(piece: str, number: int) -> Iterator[str]:
    """Repeat a piece, a few thousand times per chunk."""
    for begin in range(0, number, 4096):
        yield piece * min(4096, number - begin)


def nest(name: str, pieces: Pieces) -> Iterator[str]:
    yield f"<{name}>"
    yield from pieces
    yield f"</{name}>"


def cells(*values: str) -> str:
    """A row of texts in its cells."""
    return "".join(
        ["<row>", *(f'<c t="inlineStr"><is><t>{value}</t></is></c>' for value in values), "</row>"]
    )


TABLE = [cells("item", "rater", "score"), *(cells(f"i{at % 9}", f"r{at // 9}", "3") for at in range(40))]


def shared_string_cells(length: int, times: int) -> bytes:
    """A text in the shared strings to which so many cells refer."""
    row = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c><v>3</v></c></row>'
    return workbook([*TABLE, *repeat(row, times)], [f"<si><t>{'x' * length}</t></si><si><t>r</t></si>"])


def parquet(length: int, times: int) -> bytes:
    import pyarrow
    from pyarrow import parquet as files

    buffer = io.BytesIO()
    files.write_table(_dictionary(pyarrow, length, times), buffer, compression="zstd")
    return buffer.getvalue()


def arrow(length: int, times: int) -> bytes:
    import pyarrow
    from pyarrow import ipc

    table, buffer = _dictionary(pyarrow, length, times), io.BytesIO()
    options = ipc.IpcWriteOptions(compression="zstd")
    with ipc.new_file(buffer, table.schema, options=options) as file:
        file.write_table(table)
    return buffer.getvalue()


def _dictionary(pyarrow, length: int, times: int):  # type: ignore[no-untyped-def]
    index = pyarrow.array([0] * times, pyarrow.int32())
    item = pyarrow.DictionaryArray.from_arrays(index, pyarrow.array(["x" * length]))
    rater = pyarrow.array([f"r{at % 9}" for at in range(times)])
    return pyarrow.table({"item": item, "rater": rater, "score": pyarrow.array([3] * times)})


def spss(rows: int, columns: int) -> bytes:
    import pandas
    import pyreadstat

    frame = pandas.DataFrame({f"v{at}": [1.0] * rows for at in range(columns)})
    with tempfile.NamedTemporaryFile(suffix=".zsav") as file:
        pyreadstat.write_sav(frame, file.name, compress=True)
        return Path(file.name).read_bytes()


_OPEN = b'a"b,"c\n' * (2 * _MILLION)
_HEADER = b"item,rater,score\n"
_ATTLIST = f'<!DOCTYPE worksheet [<!ATTLIST c t CDATA "{"n" * 10**6}">]>'
FILES: dict[str, Callable[[], bytes]] = {
    "3,000,000 cell formats, as small as can be": lambda: workbook(
        TABLE, styles=nest("cellXfs", repeat("<xf/>", 3 * _MILLION)), padded=False
    ),
    "3,000,000 cell formats": lambda: workbook(TABLE, styles=nest("cellXfs", repeat("<xf/>", 3 * _MILLION))),
    "3,000,000 fonts": lambda: workbook(TABLE, styles=nest("fonts", repeat("<font/>", 3 * _MILLION))),
    "3,000,000 fills": lambda: workbook(TABLE, styles=nest("fills", repeat("<fill/>", 3 * _MILLION))),
    "3,000,000 number formats": lambda: workbook(
        TABLE, styles=nest("numFmts", repeat('<numFmt numFmtId="200" formatCode="0"/>', 3 * _MILLION))
    ),
    "3,000,000 named styles": lambda: workbook(
        TABLE, styles=nest("cellStyles", repeat('<cellStyle name="a" xfId="0"/>', 3 * _MILLION))
    ),
    "3,000,000 differential formats": lambda: workbook(
        TABLE, styles=nest("dxfs", repeat("<dxf/>", 3 * _MILLION))
    ),
    "3,000,000 defined names": lambda: workbook(
        TABLE, names=nest("definedNames", repeat('<definedName name="a">b</definedName>', 3 * _MILLION))
    ),
    "a shared string of 983,010 characters in 20,000 cells": lambda: shared_string_cells(983_010, 20_000),
    "a shared string of 32,767 characters in 20,000 cells": lambda: shared_string_cells(32_767, 20_000),
    "5,000,000 shared strings": lambda: workbook(TABLE, repeat("<si><t>a</t></si>", 5 * _MILLION)),
    "an inline string of 1 GB": lambda: workbook(
        [*TABLE, '<row><c t="inlineStr"><is><t>', *repeat("x" * 1000, _MILLION), "</t></is></c></row>"]
    ),
    "1 GB between two cells": lambda: workbook([*TABLE, "<row>", *repeat(" " * 1000, _MILLION), "</row>"]),
    "2,000,000 empty rows": lambda: workbook([*TABLE, *repeat("<row/>", 2 * _MILLION)]),
    "2,000,000 cells with a style only": lambda: workbook(
        [*TABLE, *repeat("<row>" + '<c s="0"/>' * 4 + "</row>", _MILLION // 2)]
    ),
    "2,000,000 cells of one row": lambda: workbook(
        [*TABLE, "<row>", *repeat('<c r="A50"/>', 2 * _MILLION), "</row>"]
    ),
    "2,000,000 merged cells": lambda: workbook(
        _Sheet(
            [
                f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(TABLE)}</sheetData><mergeCells>',
                *repeat('<mergeCell ref="A1:B1"/>', 2 * _MILLION),
                "</mergeCells></worksheet>",
            ]
        )
    ),
    "an attribute of 200 MB": lambda: workbook([*TABLE, '<row spans="', *repeat("x" * 1000, 200_000), '"/>']),
    "1,000,000 elements in each other": lambda: workbook(
        [*TABLE, *repeat("<row>", _MILLION), *repeat("</row>", _MILLION)]
    ),
    "an attribute of 1 MB by default": lambda: workbook(
        _Sheet([_ATTLIST, *make_sheet([*TABLE, *repeat("<row><c/></row>", 20_000)])])
    ),
    "1,000 sheets that are one part": lambda: workbook(
        [*TABLE, *repeat(cells("a", "b", "3"), 3_000)], sheets=1_000
    ),
    "open quotes": lambda: _HEADER + _OPEN,
    "open quotes, tabs": lambda: (_HEADER + _OPEN).replace(b",", b"\t"),
    "open quotes, semicolons": lambda: (_HEADER + _OPEN).replace(b",", b";"),
    "open quotes, gzip": lambda: gzip.compress(_HEADER + _OPEN),
    "open quotes behind 100,000 good rows": lambda: _HEADER + b"a,b,3\n" * 100_000 + _OPEN,
    "an open quote in the header": lambda: b'"' + _HEADER + b"a,b,3\n" * (2 * _MILLION),
    "JSON lines of 5 MB": lambda: gzip.compress((b'{"item": "' + b"x" * (5 * _MILLION) + b'"}\n') * 60),
    "a JSON string that stays open": lambda: gzip.compress(
        b'[{"item": "a", "rater": "b", "score": 3}, {"item": "' + b"x\n" * (150 * _MILLION)
    ),
    "Parquet: a text of 1 MB in 20,000 rows": lambda: parquet(_MILLION, 20_000),
    "Parquet: a text of 100 KB in 200,000 rows": lambda: parquet(100_000, 200_000),
    "Arrow: a text of 1 MB in 20,000 rows": lambda: arrow(_MILLION, 20_000),
    "SPSS: 2,000,000 cases of 20 variables": lambda: spss(2 * _MILLION, 20),
}

if __name__ == "__main__":
    print(json.dumps(read(Path(sys.argv[1]), float(sys.argv[2]))))
