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
    html_beside,
    one_chromium,
    plotly_js,
)
from features.printing import latex
from features.words import DASH, Printed, Sentence, plain, shown
from report.blocks import EACH, LOOK, MADE, SOURCES, Picture, Report, Section, Table, bibtex, evidence_of

USUAL, SMALLEST = 0.84, 0.65
"""Letters of a table against the text's: as small as it takes to stand between the margins, and not below."""
WIDTH = 640
"""Pixels of a figure: what stands between the margins of a sheet."""
TEMPLATES = Path(__file__).parent / "templates"


def html(report: Report) -> str:
    """Return the whole file."""
    has_figures = any(section.pictures for section in report.sections)
    # plotly.js is the one script that is not ours: it is trusted as it is, and would break if it were escaped.
    script = Markup(plotly_js()) if has_figures else ""
    return _ENVIRONMENT.get_template("report.html.jinja").render(report=report, plotly_js=script)


def fill(sentence: Sentence) -> Markup:
    """Return a sentence as HTML: its template is ours, and what comes from data is escaped."""
    template, values = sentence
    return Markup(template).format_map(shown(values))


def json_values(value: object, digits: int | None = 6) -> object:
    """Return values that JSON knows: arrays as lists, undefined numbers as null, floats with six digits or in full."""
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
    """Return a table as it is printed, numbers to the right; a caption that is no Markup is escaped."""
    columns = [[row[at] for row in printed.rows] for at in range(len(printed.heads))]
    needed = sum(_needed(head, cells) for head, cells in zip(printed.heads, columns, strict=True))
    size = max(USUAL * ROOM / needed, SMALLEST) if needed > ROOM else USUAL
    made = _ENVIRONMENT.get_template("table.html.jinja").render(
        printed=printed,
        caption=caption,
        classes=[_class(cells) for cells in columns],
        size=size if size < USUAL else None,
    )
    return Markup(made)


ROOM, BETWEEN, WRAPPED, LETTER = 105.0, 1.3, 20.0, 0.9
"""Digits that fit beside each other between the margins of A4; digits between columns, of a column that is broken into
lines, and of a letter."""
LONGEST_NAME = 28
"""Letters of the longest cell up to which a column of words is not broken into lines."""


def _needed(head: str, cells: Sequence[str]) -> float:
    """Return the room of a column, in digits: heads break between words, cells only where they are long."""
    longest, text = max(map(len, cells), default=0), _is_text(cells)
    room = WRAPPED if text and longest > LONGEST_NAME else longest * (LETTER if text else 1)
    return max([room, *(float(len(word)) for word in head.split())]) + BETWEEN


def _class(cells: Sequence[str]) -> str | None:
    """Return the class of a column's cells."""
    if not _is_text(cells):
        return None
    return "text long" if max(map(len, cells), default=0) > LONGEST_NAME else "text"


def _is_text(cells: Sequence[str]) -> bool:
    """Return True for a column of words or numbers of sections."""
    filled = [cell for cell in cells if cell.strip(f"{DASH} ")]
    return 2 * sum(map(_is_word, filled)) > len(filled)


def _is_word(cell: str) -> bool:
    section = cell.count(".") > 1 and " " not in cell
    return cell[0].isalpha() or section or 2 * sum(map(str.isalpha, cell)) > len(cell.replace(" ", ""))


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
_ENVIRONMENT.globals.update(
    EACH=EACH,
    MADE=MADE,
    SOURCES=SOURCES,
    WIDTH=WIDTH,
    bibtex=bibtex,
    evidence_of=evidence_of,
    fill=fill,
    json_values=json_values,
    sentence_of=sentence_of,
    table_html=table_html,
)


def results_json(report: Report) -> str:
    """Return the whole report without its pictures as JSON; an undefined number is null."""
    told = {
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
    return json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False)


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
"""Type of the evidence below a headline."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Letters that a Word file cannot hold."""


def word(report: Report, drawn: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """Return the report as a Word file, with the figures that are `drawn` (PNG by name)."""
    made = docx.Document()
    made.core_properties.title = _clean(report.title)[:250]
    made.core_properties.author = ""
    made.add_heading(_clean(report.title), 0)
    if report.notes:
        made.add_paragraph(_clean(report.notes))
    if report.summary:
        made.add_heading("Summary", 1)
    for section, finding in report.summary:
        made.add_heading(_clean(section.title), 2)
        _finding(made, finding)
    numbers = {"Figure": count(1), "Table": count(1)}
    for section in report.sections:
        _section(made, section, drawn, numbers)
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


def _section(
    made: Any, section: Section, drawn: Mapping[str, bytes], numbers: Mapping[str, Iterator[int]]
) -> None:
    made.add_heading(_clean(section.title), 1)
    for finding in section.findings:
        _finding(made, finding)
    for sentence in section.warnings:
        _paragraph(made, sentence)
    there = [picture for picture in section.pictures if picture.name in drawn]
    for picture in there:
        made.add_picture(BytesIO(drawn[picture.name]), width=Mm(150))
        _caption(made, "Figure", picture.caption, numbers)
    if len(there) < len(section.pictures):
        _paragraph(made, (NO_FIGURES, {}), "Caption")
    for table in section.printed_tables:
        _caption(made, "Table", table.caption, numbers)
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


def _caption(made: Any, kind: str, caption: Sentence, numbers: Mapping[str, Iterator[int]]) -> None:
    """Add a caption with the next number of its kind."""
    template, values = caption
    _paragraph(made, (f"<b>{kind} {next(numbers[kind])}.</b> {template}", values), "Caption")


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


WIDTHS = {TWO_COLUMNS: "", ONE_COLUMN: "-one-column"}
"""Millimetres of a paper's columns, and how the figure's file says so."""
CONFIG = "report.toml"
"""The file of settings that repeats the report."""


def write(
    report: Report, folder: Path, settings: str, formats: Sequence[Format], say: Callable[[str], object]
) -> None:
    """Write everything into a folder, which is created if missing, with figures in further formats."""
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
        page = html_beside(picture.figure, LOOK)
        (folder / "figures" / f"{picture.name}.html").write_text(page, encoding="utf-8")
    in_word = _drawn(pictures, folder / "figures", formats, say) if formats else {}
    (folder / "report.docx").write_bytes(word(report, in_word))
    say(
        f"{folder}: report.html, report.docx, results.json, {len(tables)} tables, {len(pictures)} figures, {CONFIG}"
    )


def _drawn(
    pictures: Sequence[Picture], folder: Path, formats: Sequence[Format], say: Callable[[str], object]
) -> dict[str, bytes]:
    """Write the figures in further formats, and return those for the Word file by name."""
    wide: dict[str, bytes] = {}
    try:
        with one_chromium() as draw:
            for picture in pictures:
                for form in formats:
                    say(f"Figure {picture.name} as {form.upper()}")
                    for width, more in WIDTHS.items():
                        made = draw(picture.at(width), width, form)
                        (folder / f"{picture.name}{more}.{form}").write_bytes(made)
                        wide |= {picture.name: made} if form == "png" and width == TWO_COLUMNS else {}
    except NotDrawn as error:
        say(str(error))
    return wide
