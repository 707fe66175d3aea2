"""A report as a folder: the page, the numbers, and each table and figure apart."""

from collections.abc import Callable, Sequence
from pathlib import Path

from data.export import csv_bytes
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
from features.words import plain
from report.files.html import html
from report.files.numbers import results_json
from report.files.word import word
from report.parts.model import LOOK, Picture, Report
from report.parts.sources import bibtex

WIDTHS = {TWO_COLUMNS: "", ONE_COLUMN: "-one-column"}
"""Millimetres of a paper's columns, and how the figure's file says so."""
CONFIG = "report.toml"
"""The file of settings that repeats the report."""


def write(
    report: Report, folder: Path, settings: str, formats: Sequence[Format], say: Callable[[str], object]
) -> None:
    """Writes everything into a folder, which is made where there is none; figures in further formats, too.

    Raises
    ------
    OSError
        where it cannot be written.
    """
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
    """Writes the figures in further formats; by name those that a Word file takes."""
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
