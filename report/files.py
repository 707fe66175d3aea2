"""Files of a report: HTML, Word, numbers as JSON, and a folder with all of them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import count
from math import isinf
from pathlib import Path
from types import MappingProxyType
from typing import Any

import docx
import pandas as pd
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Length, Mm, Pt
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from data.export import csv_bytes
from features.blocks import Finding, sentence_of
from features.plotting.export import (
    ONE_COLUMN,
    TWO_COLUMNS,
    Format,
    NotDrawn,
    one_chromium,
    plotly_js,
)
from features.plotting.export import html as figure_html
from features.printing import at_right, latex
from features.words import Printed, Sentence, plain, shown
from report.blocks import (
    APPENDIX_HEADING,
    DETAILS_HEADING,
    PAPER_LOOK,
    SOURCES,
    Picture,
    Report,
    Section,
    Table,
    bibtex,
    format_evidence,
)

FONT_SIZE, MIN_FONT_SIZE = 0.84, 0.65
"""Font size of a table relative to the text: default, and minimum for tables that must be shrunk to fit the page."""
FIGURE_WIDTH = 640
"""Width of a figure in pixels, between the margins of a page."""
TEMPLATES = Path(__file__).parent / "templates"


def html(report: Report) -> str:
    has_figures = any(section.pictures for section in report.sections)
    # plotly.js is the only third-party script: it is trusted, and would break if it were escaped.
    script = Markup(plotly_js()) if has_figures else ""
    return _ENVIRONMENT.get_template("report.html.jinja").render(report=report, plotly_js=script)


def render_sentence(sentence: Sentence) -> Markup:
    """Return a sentence as HTML: the template is trusted, values from data are escaped."""
    template, values = sentence
    return Markup(template).format_map(shown(values))


def json_values(value: object, digits: int | None = 6) -> object:
    """Convert values for JSON: arrays to lists, undefined numbers to null, floats to six digits or full precision."""
    if isinstance(value, Mapping):
        return {str(name): json_values(one, digits) for name, one in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [json_values(one, digits) for one in value]
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if isinstance(value, float):
        if isinf(value):
            return None
        return value if digits is None else float(f"{value:.{digits}g}")
    return value if isinstance(value, str | int) else str(value)


def table_html(printed: Printed, caption: str = "") -> Markup:
    """Return a printed table as HTML, with numbers right-aligned; a caption that is not Markup is escaped."""
    columns = [[row[at] for row in printed.rows] for at in range(len(printed.heads))]
    are_text = [not is_right for is_right in at_right(printed)]
    needed = sum(map(_column_width, printed.heads, columns, are_text))
    size = max(FONT_SIZE * PAGE_WIDTH / needed, MIN_FONT_SIZE) if needed > PAGE_WIDTH else FONT_SIZE
    document = _ENVIRONMENT.get_template("table.html.jinja").render(
        printed=printed,
        caption=caption,
        classes=[
            ("text long" if _is_long(cells, is_text) else "text") if is_text else None
            for cells, is_text in zip(columns, are_text, strict=True)
        ],
        size=size if size < FONT_SIZE else None,
    )
    return Markup(document)


PAGE_WIDTH, COLUMN_GAP, WRAPPED_WIDTH, LETTER_WIDTH = 105.0, 1.3, 20.0, 0.9
"""Widths in digits: text area of A4, gap between columns, column with line breaks, letter."""
MAX_UNWRAPPED = 28
"""Longest cell of a text column, in characters, that is not broken into lines."""


def _column_width(head: str, cells: Sequence[str], is_text: bool) -> float:
    """Return the width of a column in digits: heads break between words, cells only if they are long."""
    longest = max(map(len, cells), default=0)
    room = WRAPPED_WIDTH if _is_long(cells, is_text) else longest * (LETTER_WIDTH if is_text else 1)
    return max([room, *(float(len(word)) for word in head.split())]) + COLUMN_GAP


def _is_long(cells: Sequence[str], is_text: bool) -> bool:
    return is_text and max(map(len, cells), default=0) > MAX_UNWRAPPED


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
_ENVIRONMENT.globals.update(
    DETAILS_HEADING=DETAILS_HEADING,
    APPENDIX_HEADING=APPENDIX_HEADING,
    SOURCES=SOURCES,
    FIGURE_WIDTH=FIGURE_WIDTH,
    bibtex=bibtex,
    format_evidence=format_evidence,
    render_sentence=render_sentence,
    json_values=json_values,
    sentence_of=sentence_of,
    table_html=table_html,
)


def results_json(report: Report) -> str:
    """Return the report without its figures as JSON; an undefined number is null."""
    values = {
        "title": report.title,
        "notes": report.notes,
        "made": dict(report.facts),
        "asked": json_values(report.settings, None),
        "summary": [
            {"section": section.name, "headline": plain(sentence_of(one)), "evidence": plain(one.evidence)}
            for section, one in report.summary
        ],
        "sections": [_section_numbers(section) for section in report.sections],
    }
    return json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False)


def _section_numbers(section: Section) -> dict[str, Any]:
    return {
        "name": section.name,
        "title": section.title,
        **_findings("finding", section.findings),
        **_findings("detail", section.details),
        "warnings": [plain(one) for one in section.warnings],
        "notes": [plain(one) for one in section.notes],
        "methods": [plain(one) for one in section.methods],
        "tables": [_table_numbers(table) for table in section.printed_tables],
    }


def _findings(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        f"{name}s": [plain(sentence_of(one)) for one in findings],
        f"{name}_statuses": [one.status for one in findings],
        f"{name}_evidence": [plain(one.evidence) for one in findings],
        f"{name}_warnings": [[plain(each) for each in one.warnings] for one in findings],
    }


def _table_numbers(table: Table) -> dict[str, Any]:
    numbers = table.numbers
    return {
        "name": table.name,
        "caption": plain(table.caption),
        "columns": [str(column) for column in numbers],
        "rows": json_values([tuple(row) for row in numbers.itertuples(index=False)], None),
        "notes": list(table.printed.notes),
    }


NO_FIGURES = "Figures of this section are in the HTML file of this report."
SMALL = Pt(9)
"""Font size of the evidence below a headline."""
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Characters that are invalid in a Word file."""


def word(report: Report, images: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """Return the report as a Word file, with the figures in `images` (PNG by name)."""
    document = docx.Document()
    document.core_properties.title = _replace_control_characters(report.title)[:250]
    document.core_properties.author = ""
    document.add_heading(_replace_control_characters(report.title), 0)
    if report.notes:
        document.add_paragraph(_replace_control_characters(report.notes))
    if report.summary:
        document.add_heading("Summary", 1)
    for section, finding in report.summary:
        document.add_heading(_replace_control_characters(section.title), 2)
        _add_finding(document, finding)
    numbers = {"Figure": count(1), "Table": count(1)}
    for section in report.sections:
        _add_section(document, section, images, numbers)
    document.add_heading(APPENDIX_HEADING, 1)
    for name, value in report.facts:
        _add_paragraph(document, ("<b>{name}:</b> {value}", {"name": name, "value": value}))
    if report.cited:
        document.add_heading("Sources", 1)
        for key in report.cited:
            document.add_paragraph(SOURCES[key].listed)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _add_section(
    document: Any, section: Section, images: Mapping[str, bytes], numbers: Mapping[str, Iterator[int]]
) -> None:
    document.add_heading(_replace_control_characters(section.title), 1)
    for finding in section.findings:
        _add_finding(document, finding)
    for sentence in section.warnings:
        _add_paragraph(document, sentence)
    pictures = [picture for picture in section.pictures if picture.name in images]
    for picture in pictures:
        document.add_picture(BytesIO(images[picture.name]), width=Mm(150))
        _add_caption(document, "Figure", picture.caption, numbers)
    if len(pictures) < len(section.pictures):
        _add_paragraph(document, (NO_FIGURES, {}), "Caption")
    for table in section.printed_tables:
        _add_caption(document, "Table", table.caption, numbers)
        _add_table(document, table.printed)
    if section.details:
        document.add_heading(DETAILS_HEADING, 2)
    for finding in section.details:
        _add_finding(document, finding)
    for sentence in (*section.notes, *section.file_notes):
        _add_paragraph(document, sentence)
    if section.methods:
        document.add_heading("Methods", 2)
    for sentence in section.methods:
        _add_paragraph(document, sentence)


def _add_caption(document: Any, kind: str, caption: Sentence, numbers: Mapping[str, Iterator[int]]) -> None:
    template, values = caption
    _add_paragraph(document, (f"<b>{kind} {next(numbers[kind])}.</b> {template}", values), "Caption")


def _add_finding(document: Any, finding: Finding) -> None:
    """Add a headline, its evidence in smaller type, and the warnings about it."""
    _add_paragraph(document, sentence_of(finding))
    if finding.evidence[0]:
        _add_paragraph(document, format_evidence(finding), size=SMALL)
    for sentence in finding.warnings:
        _add_paragraph(document, sentence)


def _add_paragraph(
    document: Any, sentence: Sentence, style: str | None = None, size: Length | None = None
) -> None:
    """Add a sentence, with <b> of its template in bold; values from data are plain text."""
    template, values = sentence
    paragraph = document.add_paragraph(style=style)
    for part in re.split(r"(<b>.*?</b>)", template):
        text = plain((part, values))
        if text:
            run = paragraph.add_run(_replace_control_characters(text))
            run.bold, run.font.size = part.startswith("<b>"), size


def _add_table(document: Any, printed: Printed) -> None:
    table = document.add_table(
        rows=1 + len(printed.rows), cols=max(len(printed.heads), 1), style="Light List"
    )
    cells = iter(table._cells)  # all at once: asking row by row takes a minute for long tables
    for texts in (printed.heads, *printed.rows):
        for column, text in enumerate(texts):
            (paragraph,) = next(cells).paragraphs
            run = paragraph.add_run(_replace_control_characters(text))
            run.font.size = Pt(8)
            if column and text[:1].isdigit():
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    for note in printed.notes:
        document.add_paragraph(_replace_control_characters(note))


def _replace_control_characters(text: str) -> str:
    return _CONTROL_CHARACTERS.sub("\ufffd", text)


WIDTHS = {TWO_COLUMNS: "", ONE_COLUMN: "-one-column"}
"""Widths of a paper's columns in millimeters, and the suffix of the figure's file."""
CONFIG = "report.toml"
"""Name of the settings file that repeats the report."""


def write_report(
    report: Report,
    folder: Path,
    settings: str,
    formats: Sequence[Format],
    report_progress: Callable[[str], object],
) -> None:
    """Write all files of a report into a folder, which is created if missing, with figures in further formats."""
    for part in ("", "tables", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(html(report), encoding="utf-8")
    (folder / "results.json").write_text(results_json(report), encoding="utf-8")
    (folder / "sources.bib").write_text(bibtex(report.cited), encoding="utf-8")
    (folder / CONFIG).write_text(settings, encoding="utf-8")
    tables = [table for section in report.sections for table in section.tables]
    for table in tables:
        (folder / "tables" / f"{table.name}.csv").write_bytes(csv_bytes(table.numbers))
        if table.is_folded:
            continue  # of all items or pairs: nobody prints it
        text = latex(table.whole, plain(table.caption), f"tab:{table.name}")
        (folder / "tables" / f"{table.name}.tex").write_text(text, encoding="utf-8")
    pictures = [picture for section in report.sections for picture in section.pictures]
    if pictures:
        (folder / "figures" / "plotly.min.js").write_text(plotly_js(), encoding="utf-8")
    for picture in pictures:
        page = figure_html(picture.figure, PAPER_LOOK, "directory")
        (folder / "figures" / f"{picture.name}.html").write_text(page, encoding="utf-8")
    in_word = _export_figures(pictures, folder / "figures", formats, report_progress) if formats else {}
    (folder / "report.docx").write_bytes(word(report, in_word))
    report_progress(
        f"{folder}: report.html, report.docx, results.json, {len(tables)} tables, {len(pictures)} figures, {CONFIG}"
    )


def _export_figures(
    pictures: Sequence[Picture],
    folder: Path,
    formats: Sequence[Format],
    report_progress: Callable[[str], object],
) -> dict[str, bytes]:
    """Write figures in further formats, and return those for the Word file by name."""
    wide: dict[str, bytes] = {}
    try:
        with one_chromium() as draw:
            for picture in pictures:
                for form in formats:
                    report_progress(f"Figure {picture.name} as {form.upper()}")
                    for width, suffix in WIDTHS.items():
                        document = draw(picture.at(width), width, form)
                        (folder / f"{picture.name}{suffix}.{form}").write_bytes(document)
                        wide |= {picture.name: document} if form == "png" and width == TWO_COLUMNS else {}
    except NotDrawn as error:
        report_progress(str(error))
    return wide
