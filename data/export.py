"""Tables on their way out: CSV that a spreadsheet cannot be tricked by, LaTeX and Markdown for a paper."""

import re

import pandas as pd

FORMULA = r"[=+\-@\t\r]"
"""What a text that a spreadsheet runs begins with, and the numbers that do so too: for Python and for SQL."""
PLAIN_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>$~])")


def neutral(cell: object) -> object:
    """Text that a spreadsheet would run as a formula, with an apostrophe before it; all else as it is.

    >>> neutral("=cmd|' /C calc'!A0"), neutral("-1.5"), neutral("speech"), neutral(-2)
    ("'=cmd|' /C calc'!A0", '-1.5', 'speech', -2)
    """
    if isinstance(cell, str) and re.match(FORMULA, cell) and not re.fullmatch(PLAIN_NUMBER, cell):
        return "'" + cell
    return cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """A table as CSV in UTF-8, full precision, formulas neutralised in cells and headers."""
    safe = table.map(neutral)
    safe.columns = pd.Index([neutral(str(name)) for name in table.columns])
    text: str = safe.to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8")


def latex(table: pd.DataFrame) -> str:
    """A table as a LaTeX tabular, special characters escaped."""
    text: str = table.to_latex(index=False, escape=True)
    return text


def markdown(table: pd.DataFrame) -> str:
    """A table as GitHub Markdown, special characters escaped.

    >>> print(markdown(pd.DataFrame({"measure": ["a|b"], "rho": [0.5]})))
    | measure | rho |
    | --- | --- |
    | a\\|b | 0.5 |
    """
    rows = [list(table.columns), ["---"] * len(table.columns), *table.itertuples(index=False)]
    lines = [
        "| " + " | ".join(_markdown_cell(cell, row == 1) for cell in cells) + " |"
        for row, cells in enumerate(rows)
    ]
    return "\n".join(lines)


def _markdown_cell(cell: object, rule: bool) -> str:
    text = "" if cell is None else " ".join(str(cell).split())
    return text if rule else _MARKDOWN.sub(r"\\\1", text)
