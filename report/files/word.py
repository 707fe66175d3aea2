"""A report as a Word file: words, tables and captions; figures where they can be drawn without a browser."""

import re
from collections.abc import Mapping
from io import BytesIO
from types import MappingProxyType
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Length, Mm, Pt

from features.blocks import Finding
from features.tables import Printed
from features.verdicts import sentence_of
from features.words import Sentence, plain
from report.parts.model import EACH, MADE, Report, Section, evidence_of
from report.parts.sources import SOURCES

NO_FIGURES = "Figures of this section are in the HTML file of this report."
SMALL = Pt(9)
"""Type of the evidence below a headline."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Letters that a Word file cannot hold."""


def word(report: Report, drawn: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """The whole file, with those figures that are `drawn` (PNG by name)."""
    made = docx.Document()
    made.core_properties.title = _clean(report.title)[:250]
    made.core_properties.author = ""
    made.add_heading(_clean(report.title), 0)
    if report.notes:
        made.add_paragraph(_clean(report.notes))
    for section in report.sections:
        _section(made, section, drawn)
    made.add_heading(MADE, 1)
    for name, value in report.facts:
        _paragraph(made, ("<b>{name}:</b> {value}", {"name": name, "value": value}))
    if report.cited:
        made.add_heading("Sources", 1)
        for key in report.cited:
            made.add_paragraph(SOURCES[key].listed)
    file = BytesIO()
    made.save(file)
    return file.getvalue()


def _section(made: Any, section: Section, drawn: Mapping[str, bytes]) -> None:
    made.add_heading(_clean(section.title), 1)
    for finding in section.findings:
        _finding(made, finding)
    for sentence in section.warnings:
        _paragraph(made, sentence)
    there = [picture for picture in section.pictures if picture.name in drawn]
    for picture in there:
        made.add_picture(BytesIO(drawn[picture.name]), width=Mm(150))
        _paragraph(made, picture.caption, "Caption")
    if len(there) < len(section.pictures):
        _paragraph(made, (NO_FIGURES, {}), "Caption")
    for table in section.printed_tables:
        _paragraph(made, table.caption, "Caption")
        _table(made, table.printed)
    if section.details:
        made.add_heading(EACH, 2)
    for finding in section.details:
        _finding(made, finding)
    for sentence in (*section.notes, *section.file_notes):
        _paragraph(made, sentence)
    if section.methods:
        made.add_heading("Methods", 2)
    for sentence in section.methods:
        _paragraph(made, sentence)


def _finding(made: Any, finding: Finding) -> None:
    """Add a headline, its evidence in smaller type, and the warnings about it."""
    _paragraph(made, sentence_of(finding))
    if finding.evidence[0]:
        _paragraph(made, evidence_of(finding), size=SMALL)
    for sentence in finding.warnings:
        _paragraph(made, sentence)


def _paragraph(made: Any, sentence: Sentence, style: str | None = None, size: Length | None = None) -> None:
    """Add a sentence whose <b> is bold; what comes from data is text."""
    template, values = sentence
    paragraph = made.add_paragraph(style=style)
    for part in re.split(r"(<b>.*?</b>)", template):
        text = plain((part, values))
        if text:
            run = paragraph.add_run(_clean(text))
            run.bold, run.font.size = part.startswith("<b>"), size


def _table(made: Any, printed: Printed) -> None:
    table = made.add_table(rows=1 + len(printed.rows), cols=max(len(printed.heads), 1), style="Light List")
    cells = iter(table._cells)  # all at once: asking row by row takes a minute for long tables
    for texts in (printed.heads, *printed.rows):
        for at, text in enumerate(texts):
            (paragraph,) = next(cells).paragraphs
            run = paragraph.add_run(_clean(text))
            run.font.size = Pt(8)
            if at and text[:1].isdigit():
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    for note in printed.notes:
        made.add_paragraph(_clean(note))


def _clean(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)
