"""The Report page: what it will hold, that it is made when asked for, and its files."""

import html
import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import pytest
from streamlit.testing.v1 import AppTest

from report.blocks import Report
from tests.pages.conftest import sentences
from tests.report.studies import ITEMS, MEASURES, RATERS, write_study

Open = Callable[..., AppTest]


def test_a_report_is_made_when_asked_for_and_given_as_files(
    open_page: Open, add_study: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, Any] = {}
    names: list[str] = []

    def keep(label: str, make: Callable[[], Any], name: str, mime: str, keys: object) -> None:
        files[label] = make
        names.append(name)

    monkeypatch.setattr("ui.screens.report.offer_download", keep)
    key = add_study(write_study(tmp_path / "study.csv"))
    app = open_page(
        "study_report.py",
        d=key,
        report_draws="20",
        report_title="Mine & <i>yours</i>",
        without="crowd <i>1</i>",
        report_sections=["The data", "Groups compared", "Human evaluation datasheet"],
    )
    assert "has 3 sections" in sentences(app)
    assert not files
    app.button(key="make_report").click().run()
    assert not app.exception
    told = html.unescape(sentences(app))
    assert f"{2 * (2 * RATERS - 1) * ITEMS} ratings of {ITEMS} items by {2 * RATERS - 1} raters" in told
    assert "Crowd and lab correlate least on" in told
    assert len(names) == 4
    assert all("_report" in name for name in names)
    page = files["HTML"]()
    assert "Mine &amp; &lt;i&gt;yours&lt;/i&gt;" in page
    assert "Mine & <i>yours" not in page
    results = json.loads(files["Numbers (JSON)"]())
    assert results["asked"]["without"] == ["crowd <i>1</i>"]
    assert [section["name"] for section in results["sections"]][-1] == "heds"
    assert "@inproceedings{iskender2020" in files["BibTeX"]()
    made = files["Word"]()
    assert zipfile.ZipFile(BytesIO(made)).testzip() is None
    read = docx.Document(BytesIO(made))
    words = "\n".join(paragraph.text for paragraph in read.paragraphs)
    assert "Mine & <i>yours</i>" in words
    assert "Crowd and lab correlate least on" in words
    of_groups = next(table for table in read.tables if table.cell(0, 1).text == "Spearman ρ")
    assert [row.cells[0].text for row in of_groups.rows][1:] == list(MEASURES)
    app.session_state["report_title"] = "Another"
    app.run()
    assert "Crowd and lab correlate least on" not in sentences(app)


def test_a_stopped_report_can_be_gone_on_with(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = "features.study.long_result"
    monkeypatch.setattr(stopped, lambda key, label, compute: None)
    app = open_page("study_report.py", report_sections="Agreement of the raters")
    app.button(key="make_report").click().run()
    assert not app.exception
    assert "The report was stopped" in sentences(app)


def test_a_word_file_holds_letters_that_xml_cannot() -> None:
    from report.files import word

    made = word(Report("a\x00b\ud800", "\x1f", [], [("x\x0b", "y")]))
    assert "a\ufffdb\ufffd" in docx.Document(BytesIO(made)).paragraphs[0].text


def test_sections_stay_chosen_while_a_candidate_is_its_own_reference(open_page: Open) -> None:
    """The address still holds them, so that its reader would see others than its sender."""
    address = {"d": "sample-summaries", "reference": "lab"}
    app = open_page("study_report.py", **address, report_sections=["The data", "Groups compared"])
    app.selectbox(key="candidate").set_value("lab").run()
    assert "has 1 section." in sentences(app)
    app.selectbox(key="candidate").set_value("crowd").run()
    assert app.multiselect(key="report_sections").value == ["The data", "Groups compared"]


def test_a_link_made_before_a_section_was_renamed_still_chooses_it(open_page: Open) -> None:
    present = "What to collect next"
    asked = ["The data", "The workers", "no section", "Planning a further study", present]
    app = open_page("study_report.py", d="sample-comparisons", report_sections=asked)
    assert app.multiselect(key="report_sections").value == ["The data", "The raters", present]
    assert "has 3 sections" in sentences(app)


def test_a_section_that_cannot_be_made_is_named_with_its_reason(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not all sections instead, as if nothing had been chosen."""
    files: dict[str, Any] = {}
    monkeypatch.setattr(
        "ui.screens.report.offer_download", lambda label, make, name, mime, keys: files.update({label: make})
    )
    address = {"d": "sample-summaries", "candidate": "lab", "reference": "lab"}
    app = open_page("study_report.py", **address, report_sections="Groups compared")
    why = "'Groups compared' is missing: lab is its own reference."
    assert f"has no section. {why}" in html.unescape(sentences(app))
    app.button(key="make_report").click().run()
    assert not app.exception
    (section,) = json.loads(files["Numbers (JSON)"]())["sections"]
    assert section["findings"] == [why]
