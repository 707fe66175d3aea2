"""Tables on their way out: CSV that a spreadsheet cannot be tricked by, LaTeX and Markdown for a paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whoever reads a file needs no tables: importing them takes longer than all the rest
    import pandas as pd

FORMULA = r"[=+\-@\t\r\n＝＋－＠]"
"""What a text that a spreadsheet runs begins with, full-width signs included, and the numbers that do so too: for
Python and for SQL."""
PLAIN_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>$~])")


def neutral(cell: object) -> object:
    """Text that a spreadsheet would run as a formula, with an apostrophe before it; all else as it is.

    >>> neutral("=cmd|' /C calc'!A0"), neutral("＝1+1"), neutral("-1.5"), neutral("speech"), neutral(-2)
    ("'=cmd|' /C calc'!A0", "'＝1+1", '-1.5', 'speech', -2)
    """
    if isinstance(cell, str) and re.match(FORMULA, cell) and not re.fullmatch(PLAIN_NUMBER, cell):
        return "'" + cell
    return cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """A table as CSV in UTF-8, full precision, formulas neutralised in cells and headers."""
    text: str = _neutralised(table).to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8")


def pasteable(table: pd.DataFrame) -> str:
    """A table as text that a spreadsheet takes when it is pasted, full precision, formulas neutralised.

    >>> import pandas as pd
    >>> print(pasteable(pd.DataFrame({"rater": ["=1+1"], "rho": [0.5]})).expandtabs())
    rater   rho
    '=1+1   0.5
    """
    lines = table.map(_one_line)
    lines.columns = [_one_line(str(name)) for name in table.columns]
    text: str = _neutralised(lines).to_csv(index=False, sep="\t", lineterminator="\n")
    return text.rstrip("\n")


def _one_line(cell: object) -> object:
    return " ".join(cell.split()) if isinstance(cell, str) else cell


def _neutralised(table: pd.DataFrame) -> pd.DataFrame:
    safe = table.map(neutral)
    safe.columns = [neutral(str(name)) for name in table.columns]
    return safe


def latex(table: pd.DataFrame) -> str:
    """A table as a LaTeX tabular, special characters escaped."""
    text: str = table.to_latex(index=False, escape=True)
    return text


def markdown(table: pd.DataFrame) -> str:
    """A table as GitHub Markdown, special characters escaped.

    >>> import pandas as pd
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
