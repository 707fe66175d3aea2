"""Texts made to keep a reader busy: each is read in a time that grows with its length, and no row has no end."""

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import OverLimit, UnreadableFile
from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.settings import Settings
from data.store.store import Store
from data.tables.rows import Fault, Row, rows, rows_of_lines
from data.tables.text import MAX_LINE
from tests.data.clock import clock

HEADER = "item,rater,score\n"
OPEN_TO_THE_END = "a quotation mark opens a cell that does not end before the file does"


def written(folder: Path, content: str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "cell",
    [
        "1" * 100_000 + "x",
        " " * 100_000 + "x",
        "1" + " " * 100_000 + "2",
        "1." + "1" * 100_000 + "x",
        "1e" + "1" * 100_000 + "x",
        "1," + "1" * 100_000 + "x",
        "-" * 100_000,
        "9" * 100_000,
    ],
    ids=lambda cell: repr(cell[:4]),
)
@pytest.mark.parametrize("line", ["a,b,{}\n", "a;b;{}\n", '"{}",b,4\n', "{},b,4\n{}"])
def test_a_long_cell_that_is_nearly_a_number_is_looked_at_once(tmp_path: Path, line: str, cell: str) -> None:
    content = line.replace("{}", cell[:100_000])
    for text in (HEADER.replace(",", ";" if ";" in line else ",") + content, content):
        path = written(tmp_path, text)
        with clock(20):
            try:
                propose(sniff(path))
            except UnreadableFile:
                continue


@pytest.mark.parametrize("line", ['a","x\n', 'a"b,"c\n', '"\n', 'a,"\n', '""",\n', '"a"b","\n', '"a\r'])
def test_lines_that_open_a_quotation_mark_each_are_read_once(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, HEADER + line * (250_000 // len(line)))
    with clock(20):
        assert sum(1 for _ in rows(path, 1, ","))


def test_lines_that_leave_a_quotation_mark_open_are_faults_of_their_own(tmp_path: Path) -> None:
    found = list(rows(written(tmp_path, HEADER + 'a"b,"c\n' * 4 + "a,b,4\n"), 1, ","))
    assert found == [Fault(line, OPEN_TO_THE_END, 'a"b,"c') for line in (2, 3, 4, 5)] + [
        Row(6, 6, ["a", "b", "4"])
    ]


def long_row(more: int) -> str:
    """A row over many lines that is closed just within the limit, or so many characters later."""
    text = "x" * 99 + "\n"
    lines = [f'a,b,"{text}', *[text] * ((MAX_LINE - 300) // 100)]
    return "".join([*lines, "y" * (MAX_LINE - sum(map(len, lines)) - len('"\n') + more) + '"\n'])


def test_a_row_goes_over_lines_up_to_the_limit(tmp_path: Path) -> None:
    """One character more, and the reading ends: else each of millions of lines could be set aside like the first."""
    [row] = rows(written(tmp_path, HEADER + long_row(0)), 1, ",")
    assert isinstance(row, Row)
    assert row.last_line == 1 + long_row(0).count("\n")
    with pytest.raises(UnreadableFile, match=r"line 2 .* within 1,048,576 characters"):
        list(rows(written(tmp_path, HEADER + long_row(1)), 1, ","))


OPEN = 'a"b,"c\n' * 160_000


@pytest.mark.parametrize(
    ("content", "line", "packed"),
    [
        (HEADER + OPEN, "2", True),
        ((HEADER + OPEN).replace(",", "\t"), "2", False),
        (f'"{HEADER}' + "a,b,3\n" * 180_000, "1", False),
        (HEADER + '"a\nb",c,3\n' + "a,b,3\n" * 1000 + OPEN, "1,004", False),
        (HEADER + "a,b,3\n" * 90_000 + OPEN, "90,002", False),
        (HEADER + "a,b,3\n" * 90_000 + long_row(1), "90,002", True),
        (HEADER + long_row(1), "2", False),
    ],
    ids=["commas", "tabs", "header", "in the sample", "behind it", "one row", "only row"],
)
def test_a_quotation_mark_that_stays_open_ends_the_reading(
    settings: Settings, tmp_path: Path, content: str, line: str, packed: bool
) -> None:
    """Proposed, where the first rows show it, and checked with a mapping given by hand."""
    path = tmp_path / "upload"
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    said = rf"in line {line} a quotation mark opens .* within 1,048,576 characters"
    with Store(settings=settings) as store, pytest.raises(UnreadableFile, match=said):
        store.check(path, "ratings", mapping)
    if not line.startswith("90"):
        with pytest.raises(UnreadableFile, match=said):
            propose(sniff(path))


@given(st.lists(st.sampled_from(["a", '"', ",", "\n", '""', "b\n", ' "', "\r\n"]), max_size=30).map("".join))
def test_what_no_quotation_mark_leaves_open_is_read_as_the_csv_module_does(content: str) -> None:
    """The obvious reader, of the standard library, on the rest of the file from each line on that is read."""
    lines = io.StringIO(content, newline="").readlines()
    at = 0
    for found in rows_of_lines(enumerate(lines, start=1), ","):
        assert all(not line.strip("\r\n") for line in lines[at : found.line - 1]), (
            "only blank lines are left out"
        )
        rest = lines[found.line - 1 :]
        expected, read = _first_row(rest)
        if isinstance(found, Row):
            assert (found.cells, found.last_line) == (expected, found.line + read - 1)
            at = found.last_line
        else:
            assert expected is None
            at = found.line


def _first_row(lines: list[str]) -> tuple[list[str] | None, int]:
    """The first row of these lines and how many it takes; none where a quotation mark is open at their end."""
    for many in range(1, len(lines) + 1):
        reader = csv.reader([*lines[:many], '"'])
        cells = next(reader)
        if reader.line_num == many:
            return cells, many
    return None, 0


def test_a_header_cell_of_thousands_of_digits_is_a_name_like_any_other(tmp_path: Path) -> None:
    digits = "7" * 5000
    found = sniff(written(tmp_path, f"item,rater,{digits}\na,b,4\nc,b,5\n"))
    assert found.header
    assert found.names == ("item", "rater", digits[:200])
    assert sniff(written(tmp_path, f"{digits},1,2\n3,4,5\n")).looked_at


def test_two_thousand_columns_of_one_name_are_named_apart(tmp_path: Path) -> None:
    with clock(10):
        names = sniff(written(tmp_path, ",".join(["a"] * 2000) + "\n" + "1," * 1999 + "1\n")).names
    assert names[-1] == "a (2000)"
    assert len(set(names)) == 2000


@pytest.mark.parametrize(
    ("header", "cell"),
    [
        (["item", *(f"rater_{place}" for place in range(999))], "{:.0f}"),
        (["id", *(f"text {place}" for place in range(299))], "words {}"),
    ],
    ids=["raters", "texts"],
)
def test_reading_takes_a_time_that_grows_with_the_columns(
    tmp_path: Path, header: list[str], cell: str
) -> None:
    """Guard against comparing each column with all others, which took minutes."""
    rng = np.random.default_rng(7)
    rows = [
        [f"item {row}", *(cell.format(number) for number in numbers)]
        for row, numbers in enumerate(rng.integers(1, 6, (30, len(header) - 1)) + rng.random((30, 1)) / 9)
    ]
    text = "".join(",".join(row) + "\n" for row in [header, *rows])
    with clock(20):
        assert sniff(written(tmp_path, text)).names == tuple(header)


def test_columns_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = written(tmp_path, ",".join(f"column {n}" for n in range(2001)) + "\n1\n")
    with pytest.raises(OverLimit) as raised:
        sniff(wide)
    assert str(raised.value) == (
        "the first row has 2,001 columns; at most 2,000 can be read. Upload the ratings "
        "in long form, one row per rating"
    )
    monkeypatch.setenv("RATERSCOPE_LIMITS", '{"columns": 3}')
    with pytest.raises(OverLimit, match=r"has 4 columns; at most 3 can be read"):
        sniff(written(tmp_path, "item,rater,score,more\na,b,4,5\n"))
