"""Tables that a page folds: the report names their files and prints none of their cells."""

from io import BytesIO, StringIO
from pathlib import Path

import docx
import pandas as pd

from features.blocks import Table
from report.blocks import Report, build_section
from report.files import html, word, write_report

LONG = Table(
    "items", ("Items of {name}.", {"name": "<b>x</b>"}), pd.DataFrame({"Item": ["q7"]}), fold="Items"
)
SHORT = Table("systems", ("Systems.", {}), pd.DataFrame({"System": ["s3"]}))
REPORT = Report("T", "", [build_section("s", "S", [LONG, SHORT], "-1")], [])


def test_the_report_names_the_file_of_a_folded_table_and_prints_the_other() -> None:
    page = html(REPORT)
    assert "Items of &lt;b&gt;x&lt;/b&gt;. This table is in tables/items-1.csv." in page
    assert ("q7" in page, "s3" in page) == (False, True)
    document = docx.Document(BytesIO(word(REPORT)))
    assert "Items of <b>x</b>. This table is in tables/items-1.csv." in [
        one.text for one in document.paragraphs
    ]
    assert [table.rows[1].cells[0].text for table in document.tables] == ["s3"]


def test_the_file_that_is_named_holds_the_table(tmp_path: Path) -> None:
    write_report(REPORT, tmp_path, "", (), lambda text: None)
    rows = pd.read_csv(StringIO((tmp_path / "tables" / "items-1.csv").read_text(encoding="utf-8-sig")))
    assert rows.to_dict("list") == {"Item": ["q7"]}
    assert "q7" not in (tmp_path / "results.json").read_text(encoding="utf-8")
