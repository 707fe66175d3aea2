"""A report as one HTML file: it asks for nothing from anywhere, and prints on A4 and Letter."""

import json
from collections.abc import Mapping, Sequence
from html import escape

from features.doubts import sentence_of
from features.plotting.export import plotly_js
from features.plotting.figure import Figure
from features.tables import DASH, Printed
from features.words import Sentence, shown
from report.parts.model import EACH, MADE, Picture, Report, Section, Table
from report.parts.sources import SOURCES, bibtex

USUAL, SMALLEST = 0.84, 0.65
"""Letters of a table against the text's: as small as it takes to stand between the margins, and not below."""
WIDTH = 640
"""Pixels of a figure: what stands between the margins of a sheet."""
_RULES = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
_STYLE = """
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem; background: #fff; color: #1B1F24;
  font: 11pt/1.5 "Source Sans 3", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.9em; line-height: 1.2; margin: 0 0 .4em; }
h2 { font-size: 1.35em; line-height: 1.25; margin: 2em 0 .5em; padding-top: .6em; border-top: 1px solid #C9CED4; }
h3 { font-size: 1em; margin: 1.4em 0 .3em; }
p { margin: .5em 0; }
a { color: #0072B2; }
nav ol { padding-left: 2.2em; margin: .4em 0; }
.notes { white-space: pre-wrap; border-left: 3px solid #0072B2; padding-left: .8em; }
.finding { font-size: 1.06em; }
.small, figcaption, caption, .methods, .sources { font-size: .88em; color: #4A535C; }
.small, .finding { overflow-wrap: anywhere; }
.warning { font-size: .92em; color: #8A4700; }
.warning::before { content: "\\25B3\\2009"; }
figure { margin: 1.2em 0; break-inside: avoid; }
.figure { overflow-x: auto; }
figcaption, caption { text-align: left; margin: .3em 0; }
caption { padding-bottom: .3em; }
.table { overflow-x: auto; margin: 1.2em 0; }
table { border-collapse: collapse; font-size: .84em; line-height: 1.35; font-variant-numeric: tabular-nums;
  min-width: 60%; }
thead { display: table-header-group; border-top: 1.5px solid #1B1F24; border-bottom: 1px solid #1B1F24; }
tbody { border-bottom: 1.5px solid #1B1F24; }
tr { break-inside: avoid; }
table.short { break-inside: avoid; }
caption, thead { break-after: avoid; }
th, td { padding: .18em .7em .18em 0; text-align: right; vertical-align: top; }
th { font-weight: 600; vertical-align: bottom; }
td { white-space: nowrap; }
th.text, td.text { text-align: left; }
td.long { white-space: normal; overflow-wrap: break-word; min-width: 10em; }
th:last-child, td:last-child { padding-right: 0; }
.facts th { text-align: left; font-weight: 600; padding-right: 1.2em; white-space: nowrap; }
.facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
pre { font-size: .78em; white-space: pre-wrap; overflow-wrap: anywhere; }
details > summary { cursor: pointer; }
@page { size: auto; margin: 18mm 18mm 20mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .figure, .table { overflow: visible; }
  h2, h3 { break-after: avoid; }
  h2 { margin-top: 1.4em; }
  p { orphans: 3; widows: 3; }
  a { color: inherit; text-decoration: none; }
  details > summary { display: none; }
  details:not([open]) { display: none; }
}
"""
_DRAW = """
for (const place of document.querySelectorAll(".figure")) {
  const figure = JSON.parse(place.nextElementSibling.textContent);
  const width = Math.max(320, Math.min(%d, place.clientWidth || %d));
  Plotly.newPlot(place, figure.data, {...figure.layout, width, autosize: false, paper_bgcolor: "#fff"},
    {displaylogo: false, showSendToCloud: false, displayModeBar: false, staticPlot: false});
}
""" % (WIDTH, WIDTH)  # noqa: UP031 - braces are the script's own


def html(report: Report) -> str:
    """The whole file."""
    drawn = any(section.pictures for section in report.sections)
    scripts = f"<script>{plotly_js()}</script><script>{_DRAW}</script>" if drawn else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_RULES}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(report.title)}</h1>{_notes(report)}{_contents(report)}"
        f"{''.join(map(_section, report.sections))}{_provenance(report)}{_sources(report)}{scripts}</body></html>"
    )


def filled(sentence: Sentence) -> str:
    """A sentence as HTML; what comes from data is escaped."""
    template, values = sentence
    return template.format_map({name: escape(value) for name, value in shown(values).items()})


def _notes(report: Report) -> str:
    return f'<p class="notes">{escape(report.notes)}</p>' if report.notes else ""


def _contents(report: Report) -> str:
    places = [(section.name, section.title) for section in report.sections]
    places += [("made", MADE), *([("sources", "Sources")] if report.cited else [])]
    links = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in places)
    return f'<nav aria-label="Contents"><ol>{links}</ol></nav>'


def _section(section: Section) -> str:
    return "".join(
        [
            f'<section id="{section.name}"><h2>{escape(section.title)}</h2>',
            _paragraphs([*map(sentence_of, section.findings)], "finding"),
            _paragraphs(section.warnings, "warning"),
            *map(_picture, section.pictures),
            *map(_table, section.tables),
            f"<h3>{EACH}</h3>" if section.details else "",
            _paragraphs([*map(sentence_of, section.details)], "small"),
            _paragraphs(section.notes, "small"),
            "<h3>Methods</h3>" if section.methods else "",
            _paragraphs(section.methods, "methods"),
            "</section>",
        ]
    )


def _paragraphs(sentences: Sequence[Sentence], kind: str) -> str:
    return "".join(f'<p class="{kind}">{filled(one)}</p>' for one in sentences)


def _picture(picture: Picture) -> str:
    height = int(picture.figure.get("layout", {}).get("height") or 450)
    return (
        f'<figure><div class="figure" style="min-height:{height}px"></div>'
        f'<script type="application/json">{_json(picture.figure)}</script>'
        f"<noscript>This figure is drawn by a script inside this file.</noscript>"
        f"<figcaption>{filled(picture.caption)}</figcaption></figure>"
    )


def _json(figure: Figure) -> str:
    """A figure inside a script element, from which no text leads out."""
    text = json.dumps(plain({"data": figure["data"], "layout": figure["layout"]}), separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def plain(value: object) -> object:
    """Values that JSON knows: arrays as lists, what is not a number as null; floats of figures keep six digits."""
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if value == value and abs(value) != float("inf") else None
    return value


def _table(table: Table) -> str:
    return f'<div class="table">{table_html(table.printed, filled(table.caption))}</div>'


def table_html(printed: Printed, caption: str = "") -> str:
    """A table as it is printed, numbers to the right."""
    columns = [[row[at] for row in printed.rows] for at in range(len(printed.heads))]
    kinds_of = [_kind(cells) for cells in columns]

    def row(cells: Sequence[str], tag: str, scope: str = "") -> str:
        return "".join(
            f"<{tag}{scope}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds_of, strict=True)
        )

    head = row(printed.heads, "th", ' scope="col"')
    body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in printed.rows)
    notes = "".join(f'<p class="small">{escape(note)}</p>' for note in printed.notes)
    needed = sum(_needed(head, cells) for head, cells in zip(printed.heads, columns, strict=True))
    size = max(USUAL * ROOM / needed, SMALLEST) if needed > ROOM else USUAL
    short = ' class="short"' if len(printed.rows) <= 20 else ""
    small = f' style="font-size:{size:.2f}em"' if size < USUAL else ""
    rows = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f"<table{short}{small}><caption>{caption}</caption>{rows}</table>{notes}"


ROOM, BETWEEN, WRAPPED, LETTER = 105.0, 1.3, 20.0, 0.9
"""Digits that fit beside each other between the margins of A4; digits between columns, of a column that is broken into
lines, and of a letter."""
LONGEST_NAME = 28
"""Letters of the longest cell up to which a column of words is not broken into lines."""


def _needed(head: str, cells: Sequence[str]) -> float:
    """The room of a column, in digits: heads break between words, cells only where they are long."""
    longest, text = max(map(len, cells), default=0), _is_text(cells)
    room = WRAPPED if text and longest > LONGEST_NAME else longest * (LETTER if text else 1)
    return max([room, *(float(len(word)) for word in head.split())]) + BETWEEN


def _kind(cells: Sequence[str]) -> str:
    """The class of a column's cells, as an attribute."""
    if not _is_text(cells):
        return ""
    long = max(map(len, cells), default=0) > LONGEST_NAME
    return ' class="text long"' if long else ' class="text"'


def _is_text(cells: Sequence[str]) -> bool:
    """Whether a column holds words: most of its cells begin with a letter or are letters for the most part, or are
    numbers of sections."""
    filled = [cell for cell in cells if cell.strip(f"{DASH} ")]
    return 2 * sum(map(_is_word, filled)) > len(filled)


def _is_word(cell: str) -> bool:
    section = cell.count(".") > 1 and " " not in cell
    return cell[0].isalpha() or section or 2 * sum(map(str.isalpha, cell)) > len(cell.replace(" ", ""))


def _provenance(report: Report) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in report.facts
    )
    return f'<section id="made"><h2>{MADE}</h2><table class="facts">{rows}</table></section>'


def _sources(report: Report) -> str:
    if not report.cited:
        return ""
    listed = "".join(f"<p>{escape(SOURCES[key].listed)}</p>" for key in report.cited)
    return (
        f'<section id="sources" class="sources"><h2>Sources</h2>{listed}'
        f"<details><summary>BibTeX</summary><pre>{escape(bibtex(report.cited))}</pre></details></section>"
    )
