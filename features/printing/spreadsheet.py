"""A page's table as an Excel sheet: the digits that the page shows, and behind them the numbers with all of theirs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import SupportsFloat

from data.export import Figure, workbook
from features.plotting.numbers import MINUS
from features.printing.tables import one_line
from features.tables import Shown, cells, printed

_SHOWN = re.compile(rf"({MINUS}?)([\d,]*)(?:\.(\d+))?(%)?")
_BELOW = re.compile(r"< (\.\d+)")
_ENDS = re.compile(r" \((.+) to (.+?)\)")


@dataclass(frozen=True)
class _Read:
    """What a cell shows: its number, the format that shows it so, and what stands behind it."""

    number: float
    figure: Figure
    rest: str


def excel(shown: Shown, columns: Sequence[str] | None, title: str, notes: Sequence[str] = ()) -> bytes:
    """The table with these columns as an Excel workbook.

    A number is a number, unrounded, shown with the page's digits. The ends of an interval stand in columns of their
    own, with the digits shown; what else a cell says beside its number stands in a column `…, as shown`.
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
        rests = [seen.rest if seen else "" for seen in read]
        if not any(rests):
            continue
        ends = [_ends(rest) for rest in rests]
        if all(rest == "" or both for rest, both in zip(rests, ends, strict=True)):
            heads += [f"{head}, low", f"{head}, high"]
            filled += [[both[which] if both else "" for both in ends] for which in (0, 1)]
        else:
            heads.append(f"{head}, as shown")
            filled.append(list(plain))
    return workbook(title, heads, list(zip(*filled, strict=True)), [title, *text.notes, *notes])


def _read(value: object, shows: str) -> _Read | None:
    """The number of a cell, where it shows the one that the table holds."""
    if isinstance(value, (bool, str)) or not isinstance(value, SupportsFloat):
        return None
    number = float(value)
    if not isfinite(number):
        return None
    if below := _BELOW.fullmatch(shows):
        limit = float(below[1])
        return _Read(limit, Figure(number, f'[<{limit:g}]"{shows}";{_zeros("", below[1][1:])}'), "")
    seen = _seen(shows)
    if seen is None or abs(seen.number - number) > _last_place(seen, shows):
        return None
    return _Read(seen.number, Figure(number, seen.figure.format), seen.rest)


def _seen(text: str) -> _Read | None:
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
    """What rounding, also down, may take from a number."""
    found = _SHOWN.match(shows)
    assert found is not None
    return float(10 ** -(len(found[3] or "") + (2 if found[4] else 0))) * (1 + 1e-9)


def _ends(rest: str) -> tuple[Figure, Figure] | None:
    """The ends of an interval in brackets; a sign of percent stands behind the second alone."""
    found = _ENDS.fullmatch(rest)
    if found is None:
        return None
    percent = "%" if found[2].endswith("%") else ""
    low, high = _seen(found[1] + percent), _seen(found[2])
    return (low.figure, high.figure) if low and high and not low.rest and not high.rest else None
