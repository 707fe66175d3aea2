"""Tables that are no text: Excel, Parquet, Arrow, SPSS, and archives, each with the same ratings in it."""

import io
import random
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from data.errors import BadMapping, DataError, OverLimit, UnreadableFile
from data.formats.files import columnar
from data.formats.files.workbook import Workbook, as_text
from data.formats.readers import sniff
from tests.data.formats.conftest import Save

ROWS = [
    {
        "clip": f"clip {n}",
        "worker": f"w{m}",
        "vote": 1 + (2 * n + m) % 5,
        "group": "lab" if m < 2 else "crowd",
    }
    for n in range(6)
    for m in range(4)
]
FRAME = pd.DataFrame(ROWS)


def excel(**sheets: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return out.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def feather(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_feather(out)
    return out.getvalue()


def stream(frame: pd.DataFrame) -> bytes:
    import pyarrow

    table = pyarrow.Table.from_pandas(frame)
    out = io.BytesIO()
    with pyarrow.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def spss(frame: pd.DataFrame, **labels: dict[int, str]) -> bytes:
    pyreadstat = pytest.importorskip("pyreadstat")
    path = Path(SCRATCH[0]) / "table.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)
    return path.read_bytes()


SCRATCH = [""]


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path) -> None:
    SCRATCH[0] = str(tmp_path)


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


WRITERS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    "Excel": lambda frame: excel(ratings=frame),
    "Parquet": parquet,
    "Feather": feather,
    "Arrow stream": stream,
    "SPSS": spss,
    "Excel in ZIP": lambda frame: packed({"folder/ratings": excel(ratings=frame), "__MACOSX/x": b""}),
    "CSV in ZIP": lambda frame: packed({"ratings": frame.to_csv(index=False).encode()}),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_ratings_come_out_of_every_file(save: Save, name: str) -> None:
    saved = save(WRITERS[name](FRAME))
    assert (saved.found.kind, saved.found.format) == ("ratings", "long table")
    assert [
        {"clip": row["item_id"], "worker": row["rater_id"], "vote": row["score"], "group": row["rater_group"]}
        for row in saved.rows
    ] == ROWS
    assert saved.report.set_aside == 0
    read_as = (
        "UTF-8 with commas" if "CSV" in name else re.sub("Feather.*|Arrow.*", "Arrow", name.split(" in ")[0])
    )
    assert saved.report.notes[-1].startswith(f"Read as {read_as}")


def test_the_report_says_that_a_sheets_texts_have_a_decimal_comma(save: Save) -> None:
    report = save(excel(ratings=FRAME.assign(vote=[f"{vote},5" for vote in FRAME.vote]))).report
    assert report.kept == len(ROWS)
    assert report.notes[-1].startswith("Read as Excel with a decimal comma. Ids")


@pytest.mark.parametrize("name", WRITERS)
def test_one_broken_cell_costs_its_row(save: Save, name: str) -> None:
    broken = FRAME.astype({"vote": "str"})
    broken.loc[7, "vote"] = "oops"
    report = save(WRITERS[name](broken)).report
    assert (report.kept, report.set_aside) == (len(ROWS) - 1, 1)
    assert report.rejects.value.tolist() == ["oops"]
    assert report.rejects.line.tolist() == [8 if name == "SPSS" else 9]


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_with_nothing_in_it_ends_in_a_sentence(save: Save, name: str) -> None:
    with pytest.raises(UnreadableFile):
        save(WRITERS[name](FRAME[:0]))


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_was_cut_or_changed_ends_in_a_sentence(tmp_path: Path, name: str) -> None:
    dice = random.Random(3)
    content = WRITERS[name](FRAME)
    path = tmp_path / "upload"
    for number in range(16):
        hurt = bytearray(content)
        if number < 4:
            del hurt[len(content) * (number + 1) // 5 :]
        else:
            for _ in range(10):
                hurt[dice.randrange(8, len(hurt))] = dice.randrange(256)
        path.write_bytes(hurt)
        try:
            sniff(path)
        except DataError:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_hundred_thousand_rows_are_read(save: Save, name: str) -> None:
    many = pd.DataFrame(
        {"clip": [f"c{n % 2000}" for n in range(100_000)], "worker": [f"w{n % 97}" for n in range(100_000)]}
    )
    many["vote"] = [1 + n % 5 for n in range(100_000)]
    saved = save(WRITERS[name](many))
    assert saved.report.kept == 100_000
    assert sum(row["score"] for row in saved.rows) == 300_000


# --- Excel ----------------------------------------------------------------------------------------------------------


def test_sheets_of_the_same_columns_are_stacked_or_chosen(save: Save) -> None:
    lab, crowd = FRAME[FRAME.group == "lab"], FRAME[FRAME.group == "crowd"]
    content = excel(About=pd.DataFrame({"note": ["made by hand"], "by": ["us"]}), Lab=lab, Crowd=crowd)
    saved = save(content)
    assert len(saved.rows) == 24
    assert any(
        "'Lab', 'Crowd' is read; sheets of other columns are left out: 'About'" in note
        for note in saved.found.notes
    )
    assert {row["rater_id"] for row in save(content, sheet="Lab").rows} == {"w0", "w1"}
    assert {row["rater_id"] for row in save(content, sheet="Crowd").rows} == {"w2", "w3"}
    with pytest.raises(BadMapping, match="@sheet must be one of"):
        save(content, sheet="About")


def test_rows_above_the_table_and_empty_ones_are_no_ratings(save: Save) -> None:
    from openpyxl import Workbook

    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet["A1"] = "Study of 2024"
    sheet.append([])
    for row in [
        ["clip", "worker", "vote"],
        ["a", "w1", 4],
        [None, None, None],
        ["a", "w2", 2.5],
        ["b", "w1", "x"],
    ]:
        sheet.append(row)
    out = io.BytesIO()
    workbook.save(out)
    saved = save(out.getvalue())
    assert [(row["item_id"], row["rater_id"], row["score"]) for row in saved.rows] == [
        ("a", "w1", 4),
        ("a", "w2", 2.5),
    ]
    assert saved.report.rejects.line.tolist() == [7]
    assert "The rows above the table, which fill fewer columns, are left out." in saved.found.notes


def test_times_and_truths_are_text(save: Save) -> None:
    frame = FRAME.assign(when=pd.Timestamp("2024-02-03 10:00:05"), rater_expert=True)
    row = save(excel(ratings=frame)).rows[0]
    assert (str(row["rated_at"]), row["rater_expert"]) == ("2024-02-03 10:00:05", "true")


SHEET = "xl/worksheets/sheet1.xml"


def changed(content: bytes, part: str, change: Callable[[str], str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, change(text.decode()).encode() if name == part else text)
    return out.getvalue()


BOMB = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(9)
)


def entities(xml: str) -> str:
    head, _, rest = xml.partition("?>")
    return (f"{head}?>{BOMB}]>{rest}" if rest else f"{BOMB}]>{xml}").replace("clip 0", "&j;", 1)


@pytest.mark.parametrize(
    "hostile",
    [
        lambda content: changed(content, SHEET, entities),
        lambda content: changed(content, "[Content_Types].xml", entities),
        lambda content: changed(content, "xl/workbook.xml", entities),
        lambda content: changed(content, SHEET, lambda xml: xml.replace('r="20"', 'r="2000000000"')),
        lambda content: changed(content, SHEET, lambda xml: xml[: len(xml) // 2]),
        lambda content: changed(content, "xl/workbook.xml", lambda xml: ""),
        lambda content: changed(
            content, "xl/workbook.xml", lambda xml: xml.replace('"ratings"', f'"{"r" * 1001}"')
        ),
        lambda content: changed(content, "xl/styles.xml", lambda xml: "x"),
    ],
    ids=[
        "entities",
        "entities beside",
        "entities above",
        "a far row",
        "cut",
        "no book",
        "a long name",
        "no styles",
    ],
)
def test_a_hostile_workbook_ends_in_a_sentence(tmp_path: Path, hostile: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "upload"
    path.write_bytes(hostile(excel(ratings=FRAME)))
    with pytest.raises(UnreadableFile, match="Excel"):
        sniff(path)


def test_gaps_and_far_cells_cost_nothing_and_far_cells_are_reported(save: Save) -> None:
    """A gap of a million rows is no rows; a row with a cell far beside the table is set aside."""
    far = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in (*range(100, 119), 1_048_576))
    table = excel(ratings=pd.concat([FRAME] * 3))
    content = changed(table, SHEET, lambda xml: xml.replace("</sheetData>", far + "</sheetData>"))
    saved = save(content)
    assert (saved.report.kept, saved.report.set_aside) == (3 * len(ROWS), 20)
    told = "the row has 16,384 cells where the first rows have 4"
    assert [(reason, n) for _, reason, n in saved.report.reasons] == [(told, 20)]
    assert saved.report.rejects.line.tolist()[-1] == 1_048_576


@pytest.mark.parametrize(
    ("stored", "formula"),
    [
        *((stored, "<f>C3+1</f>") for stored in ("<v></v>", "<v />", "", "<v>4</v>")),
        ("", '<f t="shared" si="0"/>'),
        ("<v>4</v>", '<f t="shared" si="0"/>'),
    ],
)
def test_formulas_without_a_result_are_reported(save: Save, stored: str, formula: str) -> None:
    """As openpyxl writes them, which computes nothing; Excel and LibreOffice store what came out."""
    content = changed(
        excel(ratings=FRAME),
        SHEET,
        lambda xml: re.sub(r'<c r="(C[4-9])"[^>]*><v>\d</v></c>', rf'<c r="\1">{formula}{stored}</c>', xml),
    )
    saved = save(content)
    told = [note for note in saved.found.notes if "formula" in note]
    if "4" in stored:
        assert not told
        assert saved.report.kept == len(ROWS)
        assert [row["score"] for row in saved.rows[2:8]] == [4] * 6
    else:
        assert told[0].startswith("6 cells are formulas without a stored result (the first in C4)")
        assert (saved.report.kept, saved.report.set_aside) == (len(ROWS) - 6, 6)


@pytest.mark.parametrize("copies", [1, 3], ids=["fewer rows than are looked at first", "more"])
def test_formulas_of_all_sheets_are_counted_once(save: Save, copies: int) -> None:
    content = excel(first=FRAME, second=pd.concat([FRAME] * copies))
    for sheet in (SHEET, SHEET.replace("sheet1", "sheet2")):
        content = changed(
            content,
            sheet,
            lambda xml: re.sub(r'<c r="(C[4-9])"[^>]*><v>\d</v></c>', r'<c r="\1"><f>C3+1</f></c>', xml),
        )
    saved = save(content)
    told = [note for note in saved.found.notes if "formula" in note]
    assert told[0].startswith("12 cells are formulas without a stored result (the first in C4)")
    assert (saved.report.kept, saved.report.set_aside) == ((1 + copies) * len(ROWS) - 12, 12)


def test_a_formula_may_have_nothing_as_its_result(save: Save) -> None:
    content = changed(
        excel(ratings=FRAME),
        SHEET,
        lambda xml: re.sub(r'<c r="C4"[^>]*><v>\d</v></c>', '<c r="C4" t="str"><f>A1</f><v></v></c>', xml),
    )
    assert not [note for note in save(content).found.notes if "formula" in note]


def test_what_a_sheet_claims_of_its_size_is_not_believed(save: Save) -> None:
    claim = changed(
        excel(ratings=FRAME), SHEET, lambda xml: xml.replace('ref="A1:D25"', 'ref="A1:XFD1048576"')
    )
    assert claim != excel(ratings=FRAME)
    assert save(claim).report.kept == len(ROWS)


def test_parts_are_counted_before_they_are_unpacked(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATERSCOPE_LIMITS", '{"unpacked_size": "1 MB"}')
    big = changed(excel(ratings=FRAME), SHEET, lambda xml: xml + " " * 2_000_000)
    with pytest.raises(OverLimit, match="more than the 1 MB"):
        save(big)


def refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "upload"
    path.write_bytes(content)
    with pytest.raises(OverLimit, match=said):
        sniff(path)


def with_strings(*texts: str) -> bytes:
    """A workbook that shares these texts, the first of which stands in the cell A4."""
    listed = "".join(f"<si>{text}</si>" for text in texts)
    strings = f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{listed}</sst>'
    relation = (
        '<Relationship Id="x" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    )
    content = changed(
        changed(
            excel(ratings=FRAME),
            "xl/_rels/workbook.xml.rels",
            lambda xml: xml.replace("</Relationships>", relation),
        ),
        SHEET,
        lambda xml: re.sub('<c r="A4"[^>]*>.*?</c>', '<c r="A4" t="s"><v>0</v></c>', xml),
    )
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", strings)
    return out.getvalue()


LONGEST = "x" * 32_767


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"<t>{LONGEST}</t>", LONGEST),
        (f"<r><t>{LONGEST[1:]}</t></r><r><rPr><b/></rPr><t>y</t></r>", f"{LONGEST[1:]}y"),
        (f"<t>a</t><rPh sb='0' eb='1'><t>{LONGEST}</t></rPh>", "a"),
        (f"<t>{LONGEST}x</t>", None),
        (f"<r><t>{LONGEST}</t></r><r><t>x</t></r>", None),
    ],
    ids=["longest", "runs", "phonetic", "too long", "runs too long"],
)
@pytest.mark.parametrize("inline", [True, False])
def test_a_cell_holds_as_many_characters_as_in_excel(
    save: Save, tmp_path: Path, text: str, read: str | None, inline: bool
) -> None:
    if inline:
        cell = f'<c r="A4" t="inlineStr"><is>{text}</is></c>'
        content = changed(
            excel(ratings=FRAME), SHEET, lambda xml: re.sub(r'<c r="A4"[^>]*>.*?</c>', cell, xml)
        )
    else:
        content = with_strings(text)
    if read is None:
        refused(tmp_path, content, "longer than the 32,767 characters that Excel allows in a cell")
    else:
        saved = save(content)
        assert read in [row["item_id"] if len(read) < 1_000 else row["text"] for row in saved.rows]


def many_styles(number: int) -> Callable[[str], str]:
    styles = "".join(f'<xf numFmtId="{14 if n % 2 else 0}" fontId="0"/>' for n in range(number))
    return lambda xml: re.sub("(<cellXfs[^>]*>).*(</cellXfs>)", rf"\g<1>{styles}\2", xml)


def test_thousands_of_styles_are_read_and_more_than_in_excel_are_refused(save: Save, tmp_path: Path) -> None:
    """The style of a number says whether it is a date, also the last of many."""
    table = changed(
        excel(ratings=FRAME.assign(when=45_000)),
        SHEET,
        lambda xml: re.sub(r'(<c r="E\d+")', r'\1 s="4001"', xml),
    )
    noise = random.Random(1).randbytes(40_000)
    padded = packed(
        {"noise": noise}
    )  # else it is refused because so little of it is packed into so few bytes
    assert len(padded) > 40_000
    saved = save(changed(table, "xl/styles.xml", many_styles(4_002)), header="yes")
    assert saved.report.kept == len(ROWS)
    assert str(saved.rows[0]["rated_at"]) == "2023-03-15 00:00:00"
    refused(tmp_path, with_noise(changed(table, "xl/styles.xml", many_styles(65_491))), "65,490 cell formats")


def with_noise(content: bytes) -> bytes:
    """The workbook with a picture that cannot be packed: what it unpacks to is then no hundred times its size."""
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("xl/media/image1.png", random.Random(1).randbytes(300_000))
    return out.getvalue()


@pytest.mark.parametrize(
    ("limit", "part", "change", "said"),
    [
        ("MOST_STRINGS", SHEET, lambda xml: xml, "share more than 9 texts"),
        (
            "MOST_ELEMENTS",
            "xl/styles.xml",
            lambda xml: xml.replace("</fonts>", "<font/>" * 10 + "</fonts>"),
            "more than 9 elements",
        ),
        ("MOST_OF_A_ROW", SHEET, lambda xml: xml, "of the sheet 'ratings' has more than 9 elements"),
        (
            "MOST_SHEETS",
            "xl/workbook.xml",
            lambda xml: re.sub("(<sheet .*?/>)", r"\1" * 10, xml),
            "more than 9 sheets",
        ),
    ],
    ids=lambda given: given if isinstance(given, str) and given.startswith("MOST") else "",
)
def test_parts_of_a_workbook_are_held_to_their_limits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    part: str,
    change: Callable[[str], str],
    said: str,
) -> None:
    content = (
        with_strings(*(f"<t>{n}</t>" for n in range(10))) if limit == "MOST_STRINGS" else excel(ratings=FRAME)
    )
    monkeypatch.setattr(f"data.formats.files.workbook.{limit}", 9)
    if limit == "MOST_SHEETS":
        monkeypatch.setattr("data.formats.files.workbook.MOST_ELEMENTS", 10_000)
    refused(tmp_path, changed(content, part, change), said)


def test_a_sheet_is_read_as_openpyxl_reads_it(tmp_path: Path) -> None:
    """The obvious reader, on numbers, dates, durations, truths, errors, texts and gaps."""
    from openpyxl import Workbook as Written
    from openpyxl import load_workbook

    dice = random.Random(3)
    cells = [
        *(None, "", 5, -3, 2.5, 1e20, 10**12, True, False, "=1+1", "#N/A", " a & <b>\n ", "x005F_ é😀"),
        *(pd.Timestamp("2024-02-03 10:00:05").to_pydatetime(), pd.Timestamp("2021-01-02").date()),
        *(pd.Timestamp("2021-01-02 10:30").time(), pd.Timedelta(hours=30).to_pytimedelta()),
    ]
    for epoch in ("1899-12-30", "1904-01-01"):
        written = Written()
        written.epoch = pd.Timestamp(epoch).to_pydatetime()
        assert written.active is not None
        for _ in range(60):
            written.active.append(dice.choices(cells, k=dice.randrange(9)))
        written.active["Z90"] = 5
        written.active["Z90"].number_format = "[h]:mm"
        path = tmp_path / "book.xlsx"
        written.save(path)
        book = load_workbook(path, read_only=True, data_only=True)
        expected = {}
        for line, row in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
            if filled := {
                at: text for at, value in enumerate(row) if value is not None and (text := as_text(value))
            }:
                expected[line] = filled
        book.close()
        with Workbook(path) as workbook:
            assert dict(workbook.rows(workbook.sheets[0])) == expected


def test_a_tag_longer_than_a_megabyte_is_refused(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(1_500_000).hex()
    content = changed(
        excel(ratings=FRAME), SHEET, lambda xml: xml.replace("<sheetData>", f'<a b="{noise}"/><sheetData>')
    )
    refused(tmp_path, content, "an element of xl/worksheets/sheet1.xml is longer")


def test_what_is_packed_a_thousand_times_smaller_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    content = changed(
        excel(ratings=FRAME),
        SHEET,
        lambda xml: xml.replace("</sheetData>", "<row/>" * 500_000 + "</sheetData>"),
    )
    refused(tmp_path, content, "more than 100 times its size")


def test_a_part_that_declares_its_type_is_refused(tmp_path: Path) -> None:
    """An attribute by default, which no entity has to be declared for, would stand in every cell."""
    declared = '<!DOCTYPE worksheet [<!ATTLIST c t CDATA "n">]>'
    path = tmp_path / "upload"
    path.write_bytes(
        changed(
            excel(ratings=FRAME), SHEET, lambda xml: xml.replace("<worksheet", f"{declared}<worksheet", 1)
        )
    )
    with pytest.raises(UnreadableFile, match="Excel file is damaged"):
        sniff(path)


def test_two_sheets_that_are_one_part_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(
        changed(
            excel(a=FRAME, b=FRAME),
            "xl/_rels/workbook.xml.rels",
            lambda xml: xml.replace("/xl/worksheets/sheet2.xml", "worksheets/./sheet1.xml"),
        )
    )
    with pytest.raises(UnreadableFile, match="Excel file is damaged"):
        sniff(path)


def test_cases_of_spss_that_repeat_end_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.tables.text._GROWN_FROM", 100_000)
    monkeypatch.setattr("data.tables.text._GROWTH", 0)
    few = pd.DataFrame({"item": [1.0] * 1_000, "rater": range(1_000), "score": 3.0})
    path = tmp_path / "upload"
    path.write_bytes(spss(few))
    assert sniff(path).rows == 1_000
    refused(tmp_path, spss(pd.concat([few] * 10)), "the rows of this file repeat")


@pytest.mark.parametrize("kind", ["Excel", "Parquet", "Arrow"])
def test_a_long_text_in_many_rows_ends_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A few kilobytes of which each cell is one long text; the same number of short texts is read."""
    monkeypatch.setattr("data.tables.text._GROWN_FROM", 100_000)
    monkeypatch.setattr("data.tables.text._GROWTH", 1)
    write = {"Excel": lambda frame: with_noise(excel(ratings=frame)), "Parquet": parquet, "Arrow": stream}[
        kind
    ]
    path = tmp_path / "upload"
    frame = FRAME.astype({"clip": "category"})
    path.write_bytes(write(frame))
    assert sniff(path).looked_at == len(ROWS)
    frame["clip"] = pd.Categorical.from_codes([0] * len(ROWS), ["x" * 30_000])
    refused(tmp_path, write(frame), "the rows of this file repeat long texts")


# --- archives -------------------------------------------------------------------------------------------------------


def test_an_archive_of_nothing_in_another_or_of_too_much_is_reported(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = FRAME.to_csv(index=False).encode()
    two = packed({"lab.csv": table, "crowd.csv": table})
    with pytest.raises(UnreadableFile, match=r'"both\.zip": this archive holds 2 files; unpack it'):
        save(packed({"both.zip": two, "more.csv": table}))
    with pytest.raises(UnreadableFile, match="holds no file"):
        save(packed({"folder/": b""}))
    with pytest.raises(UnreadableFile, match=r"ZIP archive"):
        save(packed({"outer": packed({"inner": table})}))
    monkeypatch.setenv("RATERSCOPE_LIMITS", '{"unpacked_size": "1 MB"}')
    with pytest.raises(OverLimit, match="more than the 1 MB"):
        save(packed({"../../ratings.csv": bytes(2_000_000)}))


# --- Parquet, Arrow, SPSS -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [parquet, feather, stream])
def test_categories_are_labels_lists_are_json_and_bytes_are_left_out(
    tmp_path: Path, write: Callable[[pd.DataFrame], bytes]
) -> None:
    frame = FRAME.assign(tags=[["a", "b"]] * len(FRAME), raw=b"x").astype({"group": "category"})
    path = tmp_path / "upload"
    path.write_bytes(write(frame))
    seen = sniff(path)
    examples = {column.name: column.examples for column in seen.columns}
    assert examples["group"] == ("lab", "crowd")
    assert examples["tags"] == ('["a","b"]',)
    assert "raw" not in examples
    assert any("'tags'" in problem for problem in seen.problems)
    assert any("'raw'" in problem for problem in seen.problems)


def test_codes_of_spss_are_numbers_on_scales_and_labels_elsewhere(save: Save) -> None:
    pytest.importorskip("pyreadstat")
    frame = FRAME.assign(rater_sex=[1.0 + (n % 4) % 2 for n in range(len(FRAME))])
    content = spss(frame, vote={1: "bad", 5: "excellent"}, rater_sex={1: "female", 2: "male"})
    as_proposed = save(content).rows
    assert [row["score"] for row in as_proposed] == [row["vote"] for row in ROWS]
    assert [row["rater_sex"] for row in as_proposed[:2]] == ["female", "male"]
    assert [row["rater_sex"] for row in save(content, values="numbers").rows[:2]] == ["1", "2"]
    report = save(content, values="labels").report
    assert report.set_aside == sum(row["vote"] in (1, 5) for row in ROWS)


def test_without_its_package_an_spss_file_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    path = tmp_path / "upload"
    path.write_bytes(b"$FL2@(#) SPSS")
    with pytest.raises(UnreadableFile, match=r"pip install -r requirements-optional\.txt"):
        sniff(path)


# --- Parquet of many rows ---------------------------------------------------------------------------------------------


@pytest.fixture
def read_as_they_are(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Few rows count as many, of which twelve are looked at; says how often a file was written out as text."""
    written = []
    as_it_was = columnar._write_csv

    def counted(*given: Any) -> Any:
        written.append(given[-1].name)
        return as_it_was(*given)

    monkeypatch.setattr(columnar, "TYPED_FROM", 10)
    monkeypatch.setattr(columnar, "_FIRST", 12)
    monkeypatch.setattr(columnar, "_write_csv", counted)
    return lambda: written.count("columns.csv")


def test_columns_of_many_rows_are_read_without_being_text(
    save: Save, read_as_they_are: Callable[[], int]
) -> None:
    frame = FRAME.assign(
        seconds=np.arange(len(ROWS)) + 2**40,
        when=pd.Timestamp("2024-02-03 10:00:05.25"),
        rater_age=np.linspace(20, 30, len(ROWS)),
        text=["a, b", "two\nlines", "", 'she said "no"'] * 6,
    )
    few = save(frame.to_csv(index=False))
    many = save(parquet(frame))
    assert read_as_they_are() == 0
    assert (many.found.kind, many.found.mapping) == (few.found.kind, few.found.mapping)
    assert many.rows == few.rows
    assert len(many.rows) == many.report.kept == len(ROWS)
    assert many.report.notes[-1].startswith("Read as Parquet. Ids are kept")
    assert many.report.warnings == few.report.warnings


@pytest.mark.parametrize(
    ("column", "type", "value"),
    [
        ("vote", "object", "oops"),
        ("vote", "float64", np.nan),
        ("vote", "float64", 1e80),
        ("vote", "float32", 3.3),
        ("worker", "object", " w1"),
        ("worker", "object", ""),
        ("worker", "object", None),
        ("worker", "object", "w1\0"),
    ],
)
def test_what_is_wrong_in_a_column_of_many_rows_is_reported_as_of_its_text(
    save: Save,
    read_as_they_are: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    column: str,
    type: str,
    value: Any,
) -> None:
    frame = FRAME.astype({column: type})
    if value == "oops":
        frame[column] = frame[column].astype(str)
    frame.loc[20, column] = value
    many = save(parquet(frame))
    assert read_as_they_are() == 1
    monkeypatch.setattr(columnar, "TYPED_FROM", 10**9)
    few = save(parquet(frame))
    assert many.rows == few.rows
    for name in ("line", "column", "reason", "value"):
        assert getattr(many.report.rejects, name).tolist() == getattr(few.report.rejects, name).tolist()
    assert many.report.warnings == few.report.warnings


def test_a_format_reads_all_rows_of_a_parquet_file(
    save: Save, read_as_they_are: Callable[[], int], shared_data: Path
) -> None:
    """MTurk's results, which one of the formats knows, and two files in an archive."""
    table = pd.concat(
        [pd.read_csv(shared_data / "formats" / "mturk_p808_batch_60.csv", dtype=str)] * 2, ignore_index=True
    )
    few = save(table.to_csv(index=False))
    many = save(parquet(table))
    assert few.found.format == many.found.format != "long table"
    assert [row["score"] for row in many.rows] == [row["score"] for row in few.rows]
    assert read_as_they_are() == 2  # to propose and to stage
    both = save(packed({"lab.parquet": parquet(FRAME), "crowd.parquet": parquet(FRAME)}))
    assert both.report.kept == 2 * len(ROWS)
    assert read_as_they_are() > 2
