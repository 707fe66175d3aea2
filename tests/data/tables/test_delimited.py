"""Reading files: every hostile or broken one gets its own sentence, all others the same table."""

import gzip
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import OverLimit, UnreadableFile
from data.formats.readers import as_table, as_text, sniff
from data.settings import from_environment
from data.tables import text as bounded_text
from data.tables.rows import Fault, Row, _row_ends, rows
from data.tables.text import MAX_LINE

RATINGS = "item,rater,score\nclip 1,anna,4\nclip 2,anna,5\n"
NOT_YET = "cannot be read yet: open it where it was made, save the table as CSV (UTF-8) and upload that"


def zipped(content: bytes) -> bytes:
    """Without the time in it, which would give the tests other names in each process."""
    return gzip.compress(content, mtime=0)


def written(folder: Path, content: bytes | str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this file is empty"),
        (b"\xef\xbb\xbf", "this file holds nothing but white space"),
        (b" \n\n\t\n", "this file holds nothing but white space"),
        (b" " * 100_000 + b"item", "this file begins with nothing but white space; remove it"),
        (b"item,rater,score\n", "this file has a header but no rows; nothing can be imported"),
        (b"item,rater,score", "this file has a header but no rows; nothing can be imported"),
        (
            b"item\nclip 1\nclip 2\n",
            "there is only one column in this file: neither comma, semicolon, tab nor vertical bar divides "
            "its rows. A table of ratings needs at least the item, the rater and the score",
        ),
        (
            b"x" * (2 * MAX_LINE) + b"\n",
            "the first line is longer than 1,048,576 characters, so this is hardly a table with one row per "
            "line; check the line ends, or save it again as CSV",
        ),
        (
            b"PK\x03\x04\x14\x00",
            "this Excel file or ZIP archive is damaged or was not copied whole; save or upload it again",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", f"this is an Excel 97-2003 file (.xls); these {NOT_YET}"),
        (
            b"PAR1\x15\x04",
            "this Parquet file is damaged or was not copied whole; write it again, or save the table as CSV",
        ),
        (b"%PDF-1.7", "this is a PDF, not a table; upload the table behind it as CSV"),
        (
            b"<!DOCTYPE html><html><body>Please log in</body></html>",
            "this is a web page (HTML or XML), not a table; download the table itself as CSV and upload that",
        ),
        (
            bytes(range(256)) * 20,
            "this is a binary file, not a table of text; save the table as CSV and upload that",
        ),
        (
            b"item,rater,score\n\x81\x8d,anna,4\n",
            "the text of this file is neither UTF-8 nor UTF-16 nor Windows-1252; save it as CSV in UTF-8",
        ),
        (
            zipped(zipped(RATINGS.encode())),
            "this file was packed with gzip twice; unpack it once",
        ),
        (zipped(b""), "this file is empty"),
        (
            zipped(RATINGS.encode())[:-12],
            "this .gz file ends too early; it was not copied or uploaded whole",
        ),
        (
            zipped(RATINGS.encode())[:10] + b"\xff" * 40,
            "this .gz file is damaged and cannot be unpacked; pack it again, or upload it unpacked",
        ),
    ],
    ids=lambda part: part[:30] if isinstance(part, str) else "",
)
def test_what_is_no_table_gets_a_sentence_of_its_own(tmp_path, content, message):
    with pytest.raises(UnreadableFile) as raised:
        sniff(written(tmp_path, content))
    assert str(raised.value) == message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UnreadableFile, match="there is no file "):
        sniff(tmp_path / "nowhere.csv")


def test_a_gzip_file_of_a_million_empty_members_is_refused(tmp_path):
    endless = written(tmp_path, zipped(b"item,rater,score\na,b,1\n") + zipped(b"") * 10**6, "members.csv.gz")
    with pytest.raises(UnreadableFile, match="very many tiny packed pieces"):
        sniff(endless)


def test_members_of_usual_size_are_read_however_many(tmp_path):
    """As bgzip writes them."""
    rows = "".join(f"item {at},rater {at % 7},{at % 5}\n" for at in range(400_000)).encode()
    blocks = [zipped(rows[at : at + 5000]) for at in range(0, len(rows), 5000)]
    assert len(blocks) > 1000
    assert (
        sniff(written(tmp_path, zipped(b"item,rater,score\n") + b"".join(blocks), "b.csv.gz")).rows == 400_000
    )


def test_a_gzip_bomb_stops_at_the_limit_of_the_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("RATERSCOPE_LIMITS", '{"unpacked_size": "10 MB"}')
    bomb = written(tmp_path, zipped(bytes(200 * 10**6)), "bomb.csv.gz")
    tracemalloc.start()
    try:
        with pytest.raises(OverLimit) as raised:
            sniff(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert str(raised.value) == (
        "this file unpacks to more than the 10 MB that is allowed; split it, for instance by measure"
    )
    assert peak < 20 * 10**6  # of 200 MB; other threads of this process are counted, too
    assert list(tmp_path.iterdir()) == [bomb]


def test_a_huge_line_is_never_held_in_memory(tmp_path):
    huge = tmp_path / "ratings.csv"
    with huge.open("wb") as file:
        file.write(b"item,rater,score\nclip 1,anna,4\n")
        for _ in range(64):
            file.write(b"x" * (1 << 20))
        file.write(b"\nclip 2,anna,5\n")
    tracemalloc.start()
    try:
        assert not sniff(huge).regular
        found = list(rows(huge, 1, ","))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [type(each) for each in found] == [Row, Fault, Row]
    assert found[1].line == 3
    assert found[1].reason == "the line is longer than 1,048,576 characters"
    assert found[2].line == 4
    assert peak < 30 * 10**6


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (RATINGS.encode(), "utf-8"),
        (RATINGS.encode("utf-8-sig"), "utf-8"),
        (RATINGS.encode("utf-16"), "utf-16"),
        (RATINGS.encode("utf-16-le"), "utf-16-le"),
        (RATINGS.encode("utf-16-be"), "utf-16-be"),
        (RATINGS.replace("anna", "änna €").encode("windows-1252"), "windows-1252"),
        (zipped(RATINGS.encode("utf-16")), "utf-16"),
        (zipped(RATINGS[:20].encode()) + zipped(RATINGS[20:].encode()), "utf-8"),
        (RATINGS.replace("\n", "\r\n").encode(), "utf-8"),
        (RATINGS.replace("\n", "\r").encode(), "utf-8"),
    ],
)
def test_encodings_line_ends_and_gzip_make_no_difference(tmp_path, content, encoding):
    found = sniff(written(tmp_path, content))
    assert found.encoding == encoding
    assert found.names == ("item", "rater", "score")
    assert found.columns[0].examples == ("clip 1", "clip 2")
    assert found.columns[1].examples in (("anna",), ("änna €",))
    assert (found.columns[2].low, found.columns[2].high, found.rows) == (4, 5, 2)


def test_windows_1252_is_said(tmp_path):
    found = sniff(written(tmp_path, "item,rater,score\nMüller,anna,4\n".encode("windows-1252")))
    assert found.problems == ("The file is not UTF-8. Check names with accents.",)


def test_another_encoding_far_down_the_file_is_found(tmp_path):
    content = b"item,rater,score\n" + b"clip,anna,4\n" * 300_000 + "Müller,anna,4\n".encode("windows-1252")
    assert sniff(written(tmp_path, content)).encoding == "windows-1252"


def test_a_little_damage_does_not_make_it_another_encoding(tmp_path):
    content = b"item,rater,score\n" + "Äpfel & Öl,anna,4\n".encode() * 50 + b"\xff\xfe,anna,4\n"
    found = sniff(written(tmp_path, content))
    assert found.encoding == "damaged utf-8"
    assert found.columns[0].examples == ("Äpfel & Öl",)


def test_a_plain_file_is_not_copied(tmp_path):
    path = written(tmp_path, RATINGS)
    text = as_text(path, tmp_path, {})
    assert text.path == path
    assert text.regular
    assert list(tmp_path.iterdir()) == [path]


def test_copies_are_gone_at_the_end(tmp_path):
    path = written(tmp_path, zipped(RATINGS.encode("utf-16")))
    with as_table(path, tmp_path, {}, from_environment()) as (text, _):
        assert text.path != path
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_distinguished_though_others_stand_in_the_cells(tmp_path, delimiter):
    others = "".join(each for each in ",;\t|" if each != delimiter)
    lines = [["item", "rater", "score"], [f"a {others}", "anna", "4"], ["b", f"{others} bert", "5"]]
    content = "".join(delimiter.join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    found = sniff(written(tmp_path, content))
    assert found.delimiter == delimiter
    assert found.names == ("item", "rater", "score")


def test_excels_own_hint_is_followed(tmp_path):
    found = sniff(written(tmp_path, "sep=;\nitem;rater;score\nclip, 1;anna;4\n"))
    assert (found.delimiter, found.before, found.names) == (";", 2, ("item", "rater", "score"))


def test_decimal_commas_are_seen(tmp_path):
    found = sniff(written(tmp_path, "item;rater;score\nclip 1;anna;3,5\nclip 2;anna;4\n"))
    assert (found.decimal, found.columns[2].numbers, found.columns[2].low) == (",", 1.0, 3.5)
    assert sniff(written(tmp_path, "item;rater;score\nclip 1;anna;3.5\n")).decimal == "."
    assert sniff(written(tmp_path, "item,rater,score\n1,2,4\n")).decimal == "."


def test_columns_of_the_same_or_no_name_are_made_distinct_and_said(tmp_path):
    found = sniff(written(tmp_path, "item,,Score,score,score,\na,1,2,3,4,5\n"))
    assert found.names == ("item", "column 2", "Score", "score (2)", "score (3)", "column 6")
    assert found.problems == (
        'Column 2 has no name; it is called "column 2" here.',
        'More than one column is called "score"; column 4 is called "score (2)" here.',
        'More than one column is called "score"; column 5 is called "score (3)" here.',
        'Column 6 has no name; it is called "column 6" here.',
    )


@pytest.mark.parametrize(
    ("content", "header"),
    [
        ("item,rater,score\na,b,4\n", True),
        ("item,1,2,3\na,4,5,5\n", True),
        ("item,101,205,309,410,77\na,4,5,5,1,2\n", True),
        ("5.0,4.0,3.0\n4.0,4.0,3.0\n", False),
        ("5,4,3\n4,4,3\n", False),
        ("clip 1,anna,4\nclip 2,anna,5\n", False),
        ("a,b,c\nd,e,f\n", True),
    ],
)
def test_a_missing_header_is_recognised_and_can_be_overruled(tmp_path, content, header):
    path = written(tmp_path, content)
    assert sniff(path).header is header
    forced = sniff(path, header=not header)
    assert forced.header is not header
    if not header:
        assert sniff(path).problems == (
            "The first row holds numbers, so the file seems to have no header; the columns are called by "
            "their number.",
        )
        assert sniff(path).names[0] == "column 1"


def test_the_matrix_without_header(shared_data):
    found = sniff(shared_data / "formats" / "item_by_subject_matrix_no_header.csv")
    assert not found.header
    assert (len(found.columns), found.rows, found.before) == (26, 79, 0)


def test_qualtrics_further_header_rows_are_no_ratings_but_name_the_columns(shared_data):
    found = sniff(shared_data / "formats" / "qualtrics_wide_three_header_rows.csv", format="")
    assert found.before == 3
    assert found.rows == 24
    assert found.names[10:12] == ("v000", "v001")
    assert found.problems == (
        "Lines 2 to 3 are further header rows, as Qualtrics writes them; they are no ratings and are left "
        "out.",
    )


def test_rows_carry_the_lines_they_stand_on(tmp_path):
    content = 'item,rater,score\n"two\nlines",anna,4\n\n5" disk,anna,"4"\n'
    assert list(rows(written(tmp_path, content), 1, ",")) == [
        Row(2, 3, ["two\nlines", "anna", "4"]),
        Row(5, 5, ['5" disk', "anna", "4"]),
    ]


def test_a_quotation_mark_never_closed_costs_its_own_line_only(tmp_path):
    content = 'item,rater,score\nclip 1,anna,4\n"clip 2,anna,5\nclip 3,anna,5\nclip 4,anna,1\n'
    found = list(rows(written(tmp_path, content), 1, ","))
    assert found == [
        Row(2, 2, ["clip 1", "anna", "4"]),
        Fault(3, "a quotation mark opens a cell that does not end before the file does", '"clip 2,anna,5'),
        Row(4, 4, ["clip 3", "anna", "5"]),
        Row(5, 5, ["clip 4", "anna", "1"]),
    ]


def test_a_quotation_mark_does_not_swallow_a_long_file(tmp_path):
    content = 'item,rater,score\n"clip 0,anna,4\n' + "clip,anna,5\n" * 200_000
    with pytest.raises(UnreadableFile, match="in line 2 a quotation mark opens"):
        list(rows(written(tmp_path, content), 1, ","))


@pytest.mark.parametrize(
    ("content", "reason", "value"),
    [
        (
            b"clip\x00 1,anna,4\n",
            "the row holds a NUL character, a sign of a damaged file",
            "clip\ufffd 1,anna,4",
        ),
        (b"clip\xff 1,anna,4\n", "the row holds bytes that are not valid UTF-8", "clip\ufffd 1,anna,4"),
    ],
)
def test_damaged_rows_are_faults_of_their_own(tmp_path, content, reason, value):
    found = list(rows(written(tmp_path, b"item,rater,score\n" + content + b"clip 2,anna,5\n"), 1, ","))
    assert found == [Fault(2, reason, value), Row(3, 3, ["clip 2", "anna", "5"])]


def _is_open(line: str, inside: bool) -> bool:
    """The csv module's own states, one character after the other."""
    state = "quoted" if inside else "start"
    for sign in line:
        if state == "quoted":
            state = "quote" if sign == '"' else "quoted"
        elif sign == '"' and state in ("start", "quote"):
            state = "quoted"
        else:
            state = "start" if sign == "," else "field"
    return state == "quoted"


@given(st.text(alphabet='",a', max_size=14), st.booleans())
def test_a_row_ends_where_the_csv_module_ends_it(line: str, inside: bool) -> None:
    assert _row_ends(line, ",", inside) is not _is_open(line, inside)


def test_a_file_that_ends_in_an_open_cell_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no row of this file can be read"):
        sniff(written(tmp_path, ',"'))


@given(
    st.lists(
        st.sampled_from(["a,w,1", "a,w", "a,w,1,2", "a,w,1,", 'a,"w,1', "a,w,\0", 'a,"w",2']), min_size=1
    )
)
def test_broken_rows_are_counted_and_the_first_is_named(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), "\n".join(["item,rater,score", "a,w,1", *lines]) + "\n")
        read = list(rows(path, 1, ","))
        told = sniff(path).broken
    broken = [row.line for row in read if isinstance(row, Fault) or len(row.cells) < 3 or any(row.cells[3:])]
    if broken:
        rows_are = "1 row is" if len(broken) == 1 else f"{len(broken)} rows are"
        assert told.startswith(
            f"{rows_are} broken among the first {len(read)}, the first in line {broken[0]}: "
        )
    else:
        assert told == ""


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize(
    ("cell", "encoding"),
    [
        (b"plain", "utf-8"),
        ("é€😀".encode(), "utf-8"),
        ("é€😀é€😀é€😀é€😀".encode() + b"\xf0\x9f", "damaged utf-8"),
        ("é€😀é€😀é€😀é€😀".encode() + b"\xe2plain", "damaged utf-8"),
    ],
)
def test_pieces_of_a_file_may_end_within_a_character(tmp_path, monkeypatch, size, cell, encoding):
    """A piece of plain ASCII alone does not tell that the one before it ended with a whole character."""
    path = tmp_path / "ratings.csv"
    path.write_bytes(b"item,rater,score\n" + b"a,b,%s\n" % cell * 3)
    monkeypatch.setattr(bounded_text, "CHUNK", size)
    monkeypatch.setattr(bounded_text, "_mostly_utf8", lambda piece: True)
    text = as_text(path, tmp_path, {})
    assert (text.encoding, text.lines, text.regular) == (encoding, 4, encoding == "utf-8")
