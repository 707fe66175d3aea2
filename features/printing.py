"""Tables for a paper: what a page shows, written in the format of whoever prints it, names escaped for that format.

A page's own table, with the numbers behind it, is in `data.export`.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import SupportsFloat

from data.export import Figure, neutralize, workbook
from features.plotting.theme import MINUS
from features.words import DASH, Printed, Shown, cells, printed

_UNPRINTABLE = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_NUMBER = rf"[{MINUS}-]?[\d,]*\.?\d+%?"
_FIGURE = re.compile(rf"(< ?)?{_NUMBER}( to {_NUMBER})?( \(.*\))?[*]*|[{DASH}…∞][⁰¹²³⁴⁵⁶⁷⁸⁹]*|")
"""Cells at the right of their columns."""
_MARKED_DASH = re.compile(rf"^{DASH}[⁰¹²³⁴⁵⁶⁷⁸⁹]+$")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>$~&])")


def _letter(sign: str) -> str:
    _, size, _, name = unicodedata.name(sign).split()
    return (
        name.replace("LAMDA", "LAMBDA").title()
        if size == "CAPITAL"
        else name.replace("LAMDA", "LAMBDA").lower()
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    **{sign: f"\\{sign}" for sign in "%$#_&"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    MINUS: "$-$",
    "\u2002": r"\enspace{}",
    "\u00a0": "~",
    "–": "--",
    "—": "---",
    "„": ",{},",
    "‚": ",",
    "«": r"$\ll$",
    "»": r"$\gg$",
    "…": r"\ldots{}",
    **{sign: f"${name}$" for sign, name in {"≤": r"\le", "≥": r"\ge", "×": r"\times", "±": r"\pm"}.items()},
    **{
        sign: f"${name}$"
        for sign, name in {"∞": r"\infty", "≈": r"\approx", "→": r"\to", "·": r"\cdot"}.items()
    },
    **{sign: f"$^{{{at}}}$" for at, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{sign: f"$_{{{at}}}$" for at, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{sign: f"$\\{_letter(sign)}$" for sign in "αβγδεηθκλμνπρστφχψωΔΣΦΩ"},
    "√": r"$\surd$",
}
"""Replacements of signs that TeX would run, join to another or not know; other letters are its fonts' affair."""

_LETTERS = r"% letters beyond English need \usepackage[T1]{fontenc}; beyond Latin, XeLaTeX or LuaLaTeX"


def latex(printed: Printed, caption: str = "", label: str = "") -> str:
    """Return a LaTeX table for the package booktabs, with its caption above and its notes below.

    One that is longer than a page goes on over several, by longtable, which needs one column.

    >>> print(latex(Printed(("Rater", "ρ"), (("a_b", "0.5"),), ("Seed 0",)), "50% of them", "tab:raters"))
    % needs \\usepackage{booktabs}
    \\begin{table}
    \\centering
    \\caption{50\\% of them}
    \\label{tab:raters}
    \\begin{tabular}{lr}
    \\toprule
    Rater & $\\rho$ \\\\
    \\midrule
    a\\_b & 0.5 \\\\
    \\bottomrule
    \\end{tabular}
    \\par\\smallskip
    {\\footnotesize Seed 0\\par}
    \\end{table}
    """
    points = 10 * sum(map(_ems, zip(printed.heads, *printed.rows, strict=True))) + 12 * len(printed.heads)
    is_wide, is_too_wide = points > COLUMN, points > PAGE
    foreign = not in_latex(
        " ".join([caption, *printed.heads, *(text for row in printed.rows for text in row)])
    ).isascii()
    if sum(map(_lines, printed.rows)) > MOST_LINES:
        return _over_pages(printed, [_LETTERS] if foreign else [], is_too_wide, caption, label)
    table = _tabular(printed)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,graphicx}" if is_too_wide else r"% needs \usepackage{booktabs}",
            *([_LETTERS] if foreign else []),
            r"\begin{table*}" if is_wide else r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{in_latex(caption)}}}"] if caption else []),
            *([_label(label)] if label else []),
            rf"\resizebox{{\textwidth}}{{!}}{{{table}}}" if is_too_wide else table,
            *([r"\par\smallskip"] if printed.notes else []),
            *(rf"{{\footnotesize {in_latex(note)}\par}}" for note in printed.notes),
            r"\end{table*}" if is_wide else r"\end{table}",
        ]
    )


COLUMN, PAGE = 219.0, 455.0
"""Points of a column and of both columns of a paper (ACL's, the narrowest of those in use)."""
LONGEST = 42
"""Letters of a cell beyond which it breaks into lines."""
MOST_LINES = 40
"""Lines of a table that fit on a page of a paper, with room for its caption and notes."""


def _ems(column: Sequence[str]) -> float:
    """Return how wide a column is in Computer Modern, in sizes of its letters, rather too wide."""
    if any(len(text) > LONGEST for text in column):
        return 15.0
    wide = {"m", "w", "%", "M", "W"}
    return max(
        sum(
            0.9 if sign in wide else 0.75 if sign.isupper() else 0.55 if sign.isalnum() else 0.4
            for sign in text
        )
        for text in column
    )


def _lines(row: Sequence[str]) -> int:
    return max((-(-len(text) // 30) if len(text) > LONGEST else 1 for text in row), default=1)


def _label(label: str) -> str:
    return rf"\label{{{re.sub(r'[^a-zA-Z0-9:-]+', '-', label)}}}"


def _over_pages(printed: Printed, letters: Sequence[str], is_too_wide: bool, caption: str, label: str) -> str:
    """Return a table over several pages, its head on each."""
    sides, head, rows = _set(printed)
    above = (rf"\caption{{{in_latex(caption)}}}" if caption else "") + (_label(label) if label else "")
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,longtable}; in a paper of two columns it stands after \onecolumn",
            *letters,
            r"{\footnotesize\setlength{\tabcolsep}{3pt}" if is_too_wide else "{",
            rf"\begin{{longtable}}{{{sides}}}",
            *([above + r" \\"] if above else []),
            *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
            *(r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
            *rows,
            r"\end{longtable}",
            *(rf"{{\footnotesize\noindent {in_latex(note)}\par}}" for note in printed.notes),
            "}",
        ]
    )


def _tabular(printed: Printed) -> str:
    sides, head, rows = _set(printed)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _set(printed: Printed) -> tuple[str, str, list[str]]:
    """Return how the columns stand, their heads, and their rows, in TeX."""
    right = at_right(printed)

    def side(at: int) -> str:
        if max((len(row[at]) for row in printed.rows), default=0) > LONGEST:
            return r"p{15em}"
        return "r" if right[at] else "l"

    head, *rows = (" & ".join(map(in_latex, row)) + r" \\" for row in (printed.heads, *printed.rows))
    return "".join(map(side, range(len(right)))), head, rows


def in_latex(text: str) -> str:
    """Return text that TeX prints as it is, also where a row begins.

    >>> print(in_latex("50% of a_b & −0.5"), in_latex("[a--b]"))
    50\\% of a\\_b \\& $-$0.5 {}[a-{}-b]
    """
    signs = one_line(text)
    apart = (
        sign + "{}" if sign == after and sign in "-'," else _LATEX.get(sign, sign)
        for sign, after in pairwise(signs + " ")
    )
    return ("{}" if signs[:1] in ("[", "*") else "") + "".join(apart)


def markdown(printed: Printed, caption: str = "") -> str:
    """Return a table as GitHub Markdown, special characters escaped.

    >>> print(markdown(Printed(("measure", "rho"), (("a|b", "0.5"),), ("Seed 0",))))
    | measure | rho |
    | --- | ---: |
    | a\\|b | 0.5 |
    <BLANKLINE>
    Seed 0
    """
    rules = ["---:" if right else "---" for right in at_right(printed)]
    head, *rows = (map(_in_markdown, row) for row in (printed.heads, *printed.rows))
    lines = ["| " + " | ".join(row) + " |" for row in (head, rules, *rows)]
    above = [f"**{_in_markdown(caption)}**", ""] if caption else []
    return "\n".join([*above, *lines, *(f"\n{_in_markdown(note)}" for note in printed.notes)])


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def csv_bytes(printed: Printed) -> bytes:
    """A table as CSV, nothing else: no notes, and no marks of them; formulas neutralised, marked as UTF-8 for
    spreadsheets."""
    rows = tuple(tuple(_MARKED_DASH.sub(DASH, text) for text in row) for row in printed.rows)
    return _delimited(Printed(printed.heads, rows), ",", "\r\n").encode("utf-8-sig")


def pasteable(printed: Printed) -> str:
    """Return a table as text to paste into a spreadsheet or a word processor, formulas neutralized.

    >>> print(pasteable(Printed(("rater", "rho"), (("=1+1", "0.5"),))).expandtabs())
    rater   rho
    '=1+1   0.5
    """
    return _delimited(printed, "\t", "\n").rstrip("\n")


def _delimited(printed: Printed, between: str, end: str) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=between, lineterminator=end)
    rest = [""] * (len(printed.heads) - 1)
    for row in (printed.heads, *printed.rows, *((note, *rest) for note in printed.notes)):
        writer.writerow([neutralize(one_line(text)) for text in row])
    return file.getvalue()


def at_right(printed: Printed) -> list[bool]:
    """Return which columns hold figures, that stand at the right."""
    if not printed.rows:
        return [False] * len(printed.heads)
    return [_figures(column) for column in zip(*printed.rows, strict=True)]


def _figures(column: Sequence[str]) -> bool:
    return any(text not in ("", DASH) for text in column) and all(map(_FIGURE.fullmatch, column))


def one_line(text: str) -> str:
    """Return a text without ends of lines and what no document may hold."""
    return "".join(" " if unicodedata.category(sign) in _UNPRINTABLE else sign for sign in text).strip(" ")


_SHOWN = re.compile(rf"({MINUS}?)([\d,]*)(?:\.(\d+))?(%)?")
_BELOW = re.compile(r"< (\.\d+)")


@dataclass(frozen=True)
class _Read:
    """Content of a cell: its number, the format that shows it so, and what stands behind it."""

    number: float
    figure: Figure
    rest: str


def excel(shown: Shown, columns: Sequence[str] | None, title: str, notes: Sequence[str] = ()) -> bytes:
    """Return the table with these columns as an Excel workbook.

    Numbers are unrounded, shown with the page's digits. Cells with more than a number, such as its interval, have a
    second column with their texts (`…, as shown`).
    """
    table, written = shown
    text = printed(shown, columns)
    heads: list[str] = []
    filled: list[list[str | Figure]] = []
    for at, head in enumerate(text.heads):
        plain = [one_line(row[at]) for row in text.rows]
        bare = cells(table[head], written.get(head))
        read = [_read(value, shows) for value, shows in zip(table[head], bare, strict=True)]
        heads.append(head)
        filled.append([seen.figure if seen else shows for seen, shows in zip(read, plain, strict=True)])
        if any(seen and seen.rest for seen in read):
            heads.append(f"{head}, as shown")
            filled.append(list(plain))
    return workbook(title, heads, list(zip(*filled, strict=True)), [title, *text.notes, *notes])


def _read(value: object, shows: str) -> _Read | None:
    """Return the number of a cell, where it shows the one that the table holds."""
    if isinstance(value, (bool, str)) or not isinstance(value, SupportsFloat):
        return None
    number = float(value)
    if not isfinite(number):
        return None
    if below := _BELOW.fullmatch(shows):
        limit = float(below[1])
        return _Read(limit, Figure(number, f'[<{limit:g}]"{shows}";{_zeros("", below[1][1:])}'), "")
    seen = _shown_number(shows)
    if seen is None or abs(seen.number - number) > _last_place(seen, shows):
        return None
    return _Read(seen.number, Figure(number, seen.figure.format), seen.rest)


def _shown_number(text: str) -> _Read | None:
    found = _SHOWN.match(text)
    if found is None or not (found[2].strip(",") or found[3]):
        return None
    sign, whole, digits, percent = found.groups(default="")
    number = float(f"{'-' if sign else ''}{whole.replace(',', '') or '0'}.{digits or '0'}")
    number = number / 100 if percent else number
    form = ("#,##0" if "," in whole else "") or _zeros(whole, digits)
    return _Read(number, Figure(number, form + ("%" if percent else "")), text[found.end() :])


def _zeros(whole: str, digits: str) -> str:
    return ("0" if whole else "") + ("." + "0" * len(digits) if digits else "")


def _last_place(seen: _Read, shows: str) -> float:
    """Return what rounding, also down, may take from a number."""
    found = _SHOWN.match(shows)
    assert found is not None
    return float(10 ** -(len(found[3] or "") + (2 if found[4] else 0))) * (1 + 1e-9)
