"""Which columns of a platform's answers are ratings or choices, and what the table made of them means."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from data.errors import listed
from data.formats.parts.columns import filled
from data.formats.parts.format import Aside, Canonical, Made
from data.formats.parts.table import Cells, Table
from data.kinds.definitions import KINDS
from data.reading.columns import is_answer, is_score
from data.tables.sniffed import Known, Switch, begins_with_number, is_number

_MEANT: Mapping[str, Mapping[str, str]] = {
    "ratings": {
        "answer": "score",
        "item": "item_id",
        "rater": "rater_id",
        "measure": "measure",
        "group": "rater_group",
        "expected": "expected",
        "submitted": "rated_at",
    },
    "choices": {
        "answer": "choice",
        "item": "item_id",
        "rater": "rater_id",
        "measure": "design",
        "group": "rater_group",
        "expected": "gold",
        "submitted": "rated_at",
    },
}
"""What the columns mean that formats call alike; all others mean what they are called, where their kind has such."""


SEVERAL = Switch(
    "@several",
    "Several answers in a row are",
    ("measures of one item", "items of their own"),
    "Either one thing was judged in several ways (fluency, adequacy), or several things in one way (the first image, "
    "the second).",
    asked=True,
)
_BEST = re.compile(r"(?<![a-z])best(?![a-z])")
_ALL = "all answers"
"""The one measure of answers that are items of their own."""


def as_items(canonical: Canonical) -> Canonical:
    """The table with each answer's item called by the row's item and the answer."""

    def of_its_own(row: Made) -> Made:
        if isinstance(row, Aside) or not row[1].get("measure"):
            return row
        line, cells = row
        return line, {**cells, "item": f"{cells['item']}__{cells['measure']}", "measure": _ALL}

    return replace(canonical, rows=map(of_its_own, canonical.rows))


def answers_of(rows: Sequence[Cells], names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns that hold ratings, else those that hold labels, and sentences about what was left out."""
    able = [name for name in names if is_answer(filled(rows, name))]
    scored = [name for name in able if is_score(filled(rows, name))]
    chosen = tuple(scored or _without_worst(able))
    left = [name for name in names if name not in chosen and filled(rows, name)]
    notes = []
    if len(chosen) > 1:
        what = "measure" if scored else "question"
        notes.append(f"{len(chosen)} columns of answers ({listed(chosen)}) are taken for one {what} each.")
    if left:
        notes.append(f"Not taken for ratings: {listed(left)}.")
    return chosen, tuple(notes)


def _without_worst(names: Sequence[str]) -> list[str]:
    """Return the names of the best option where those of the worst, such as worst_coh, say the same of two options.

    Answers of other names beside them, such as a question on the rater's language, choose no option.
    """
    called = {name.casefold().rpartition(".")[2]: name for name in names}
    best = [
        name for short, name in called.items() if _BEST.search(short) and _BEST.sub("worst", short) in called
    ]
    return best or list(names)


def known_of(
    columns: Sequence[str], answers: Iterable[str], open: Sequence[str] = (), pairs: bool = False
) -> Known:
    """What the columns of a format's table mean, if these are its answers; the `open` ones are for their names and
    values to tell. Answers that choose between two options (`pairs`) are no scores, even where they are numbers."""
    told = [answer for answer in answers if answer]
    kind = "choices" if pairs or not is_score(told) else "ratings"
    mapping: dict[str, str | tuple[str, ...]] = {}
    for column in columns:
        means = _MEANT[kind].get(column, column)
        if column not in open and (KINDS[kind].column(means) or means.startswith("rater_")):
            mapping[means] = column
    if kind == "ratings" and any(begins_with_number(cell) for cell in set(told)):
        mapping["@scores"] = "leading number"
    return Known(kind, mapping, tuple(open))


def share(seconds: str, answers: int) -> str:
    """The seconds of one answer among several; empty where that is not told."""
    if not is_number(seconds) or answers < 1:
        return ""
    return f"{float(seconds) / answers:.6g}"


def seconds_of(milliseconds: str) -> str:
    """Return milliseconds in seconds; "" where there is no number."""
    return share(milliseconds, 1000)


def seconds_in_page(
    table: Table, page: Sequence[str], started: str, ended: str, answers: Sequence[str]
) -> Callable[[Cells], str]:
    """Return a function that gives the seconds of all answers in a row: their part of the time of the page, or of the
    assignment, that rows which agree in `page` have in common."""
    counts: Counter[tuple[str, ...]] = Counter()
    if {*page, started, ended} <= {*table.names}:
        for row in table.all_rows():
            if not isinstance(row, Aside):
                counts[tuple(row[1][name] for name in page)] += len(filled([row[1]], *answers))

    def seconds(row: Cells) -> str:
        of = counts[tuple(row.get(name, "") for name in page)]
        for read in (datetime.fromisoformat, _read_american):
            with suppress(ValueError, TypeError, KeyError):
                taken = read(row[ended]) - read(row[started])
                return str(taken.total_seconds() * len(filled([row], *answers)) / of) if of else ""
        return ""

    return seconds


def _read_american(time: str) -> datetime:
    """Return a time whose month comes first."""
    return datetime.strptime(time, "%m/%d/%Y %H:%M:%S")
