"""A report as one HTML file: it asks for nothing from anywhere, and prints on A4 and Letter."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from features.plotting.export import plotly_js
from features.tables import DASH, Printed
from features.verdicts import sentence_of
from features.words import Sentence, shown
from report.parts.model import EACH, MADE, Report, evidence_of
from report.parts.sources import SOURCES, bibtex

USUAL, SMALLEST = 0.84, 0.65
"""Letters of a table against the text's: as small as it takes to stand between the margins, and not below."""
WIDTH = 640
"""Pixels of a figure: what stands between the margins of a sheet."""
TEMPLATES = Path(__file__).parents[1] / "templates"


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


def json_values(value: object) -> object:
    """Return values that JSON knows: arrays as lists, what is not a number as null, floats with six digits."""
    if isinstance(value, Mapping):
        return {str(name): json_values(one) for name, one in value.items()}
    if hasattr(value, "tolist"):
        return json_values(value.tolist())
    if isinstance(value, list | tuple):
        return [json_values(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if value == value and abs(value) != float("inf") else None
    return value


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
    """Return True for a column of words: most of its cells begin with a letter or are letters for the most part, or are
    numbers of sections."""
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
