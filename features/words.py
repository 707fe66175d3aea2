"""Sentences before they are shown, with values that are escaped when filled in, tables with their formats, and terms.

Each term is explained once, in the heads of tables and where a sentence first uses it. Terms are in `glossary.toml`. A
term of one or two letters is explained in heads alone: elsewhere it may be anything.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, overload

import pandas as pd

from analysis.values.estimate import LONGEST_SHOWN, Estimate, shorten
from features.blocks import Table, Text, Warning
from features.plotting.theme import (
    UNDEFINED,
    NumberFormat,
    count,
    decimal,
    estimate_in_table,
)

# ruff: noqa: SIM905 - lists of words read better as words


Sentence = Text
LONGEST_TOLD = 2_000
"""Characters of a value that holds several names, or a sentence."""
_SEVERAL = frozenset(
    (
        "because caution clean columns correlations doubt doubts few how known levels line lost machines measures "
        "methods named names note notes pairs reason remark rest settings slopes style there ties told used warning "
        "what where which who why"
    ).split()
)
"""Values that hold several names, or words of ours; every other one may be a single name from a file."""


UNNAMED = "unnamed raters"
"""Stands for their number where nobody is named who rated."""
RATERS_ARE_SLOTS: Sentence = (
    "Rater ids are only slots here, not persons: what is said of a rater holds for a column of the file, and intervals "
    "over raters do not show chance over persons.",
    {},
)


def shown(values: Mapping[str, object]) -> dict[str, str]:
    """Cut the values of a sentence to the lengths that are shown.

    >>> [len(text) for text in shown({"rater": "x" * 5_000, "who": "x" * 5_000}).values()]
    [200, 2000]
    """
    return {
        name: shorten(value, LONGEST_TOLD if name.rstrip("_0123456789") in _SEVERAL else LONGEST_SHOWN)
        for name, value in values.items()
    }


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return the first few names as a list in a sentence, long ones cut.

    >>> listed(["focus", "grammar"]), listed(list("abcdef"))
    ('focus and grammar', 'a, b, c, d and 2 more')
    """
    shown_names = [shorten(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown_names)} and {len(names) - most} more"
    return " and ".join(
        [", ".join(shown_names[:-1]), shown_names[-1]] if len(shown_names) > 1 else shown_names
    )


def by_reason(
    reasons_by_name: Iterable[tuple[str, str]], every: int = 0, several: str = ""
) -> Iterator[Warning]:
    """Yield each reason of pairs of a name and a reason once, with all names that it holds for.

    Where these are all of `every` names, such as "measures" (`several`), it says so instead of listing them.
    """
    where: dict[str, list[str]] = {}
    for name, reason in dict.fromkeys(reasons_by_name):
        where.setdefault(reason, []).append(name)
    for reason, names in where.items():
        if reason:
            holds_for_all = len(names) == every > 1
            there = extent_in_words(every, every, several).capitalize() if holds_for_all else listed(names, 9)
            yield Warning(("{where}: {reason}.", {"where": there, "reason": reason}))


def distinct_names(named: Mapping[str, str]) -> dict[str, str]:
    """Return unique labels for a select box: repeated names get a number.

    >>> distinct_names({"x": "study", "y": "study", "z": "study (2)"})
    {'x': 'study', 'y': 'study (2)', 'z': 'study (2) (2)'}
    """
    labels: dict[str, str] = {}
    for key, name in named.items():
        label, number = name, 1
        while label in labels.values():
            number += 1
            label = f"{name} ({number})"
        labels[key] = label
    return labels


def attribute_name(column: str) -> str:
    """Return the words for an attribute of raters.

    >>> attribute_name("rater_first_language")
    'first language'
    """
    return column.removeprefix("rater_").replace("_", " ")


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its word.

    >>> counted(1, "story", "stories"), counted(3, "judge")
    ('1 story', '3 judges')
    """
    return f"{count(number)} {one if number == 1 else several or one + 's'}"


def part_of_whole(part: int, whole: int, one: str) -> str:
    """Return a part of a number of things in words, also of a single one.

    >>> part_of_whole(3, 20, "rater"), part_of_whole(1, 1, "rater"), part_of_whole(3, 3, "rater")
    ('3 of 20 raters', 'the only rater', 'all 3 raters')
    """
    return f"the only {one}" if whole == 1 else extent_in_words(part, whole, f"{one}s")


def raters_named(names: Sequence[str]) -> str:
    """Return raters by name where they are few, else by number; "" for nobody.

    >>> raters_named(["Ann", "Bob"]), raters_named(list("abcd"))
    ('Ann and Bob', '4 raters')
    """
    return listed(names) if len(names) <= 3 else counted(len(names), "rater")


def extent_in_words(part: int, number: int, several: str) -> str:
    """Return how many of all something holds for, in words.

    >>> extent_in_words(2, 2, "measures"), extent_in_words(5, 5, "groups"), extent_in_words(3, 4, "measures")
    ('both measures', 'all 5 groups', '3 of 4 measures')
    """
    if part < number:
        return f"{count(part)} of {count(number)} {several}"
    return f"both {several}" if number == 2 else f"all {count(number)} {several}"


def of_many(number: float, several: str) -> str:
    """Return a number with a word given for many.

    >>> of_many(1, "stories"), of_many(2, "items"), of_many(1, "choices")
    ('1 story', '2 items', '1 choice')
    """
    one = several[:-3] + "y" if several.endswith("ies") else several.removesuffix("s")
    return f"{count(number)} {one if number == 1 else several}"


def per_item(mean: float, unit: str = " per item") -> str:
    """Return the mean number of ratings of an item in words.

    >>> per_item(24.0), per_item(2.42), per_item(2.42, unit="")
    ('24 per item', '2.4 per item on average', '2.4 on average')
    """
    is_whole = abs(mean - round(mean)) < 0.05
    return f"{count(mean)}{unit}" if is_whole else f"{decimal(mean, 1)}{unit} on average"


def reasons(why: Iterable[str]) -> list[Sentence]:
    """Reasons as separate sentences, each once."""
    return [("{why}.", {"why": reason[:1].upper() + reason[1:]}) for reason in sorted(set(why) - {""})]


def number_repeats(texts: Iterable[Text]) -> list[Text]:
    """Return texts of which no two have the same template, since a later block of a template replaces an earlier one.

    >>> number_repeats([("No {why}.", {"why": "a"}), ("No {why}.", {"why": "b"})])
    [('No {why}.', {'why': 'a'}), ('No {why_2}.', {'why_2': 'b'})]
    """
    numbered, seen = list[Text](), Counter[str]()
    for template, values in texts:
        seen[template] += 1
        number = seen[template]
        if number > 1:
            values = {f"{name}_{number}": value for name, value in values.items()}
            numbered.append((re.sub(r"\{(\w+)\}", rf"{{\1_{number}}}", template), values))
        else:
            numbered.append((template, values))
    return numbered


def plain(sentence: Sentence) -> str:
    """Return a sentence as text without markup, long values cut.

    >>> plain(("At <b>{n}</b> ratings {who}&nbsp;agree", {"n": 8, "who": "<i>raters</i>"})).replace("\\xa0", " ")
    'At 8 ratings <i>raters</i> agree'
    """
    template, values = sentence
    return unescape(re.sub(r"<[^>]*>", "", template)).format(**shown(values))


Written = NumberFormat | Sequence[str]
"""Format of a column: that of a number, or the text of each cell where it holds more than its number."""
Shown = tuple[pd.DataFrame, Mapping[str, Written]]
"""A table and how its columns are written."""
DASH = "–"
"""In the cell of a number that could not be worked out; its reason stands beside the table."""
WHY = "Why"
"""The column with the reason of a row's dashes."""
_DIGITS = 3
"""Digits of a number whose column has no format."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class LazyTexts(Sequence[str]):
    """The texts of a long column, each written when it is read: a page shows few of them."""

    def __init__(self, write: Callable[[int], str], places: Sequence[int]) -> None:
        self._write, self._places = write, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...

    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self._write(place) for place in self._places[at]]
        return self._write(self._places[at])


@dataclass(frozen=True, eq=False)
class Column:
    """Column of a table: its heading, the values of all rows, how they are written, and if a page shows it at once."""

    heading: str
    values: Any
    write: Written | None = None
    at_first_sight: bool = True


def estimate_columns(
    heading: str,
    estimates: Sequence[Estimate],
    write: NumberFormat | Sequence[NumberFormat],
    texts: Sequence[str] | None = None,
    at_first_sight: bool = True,
) -> list[Column]:
    """Return the column of estimates with their intervals (or `texts`), and those of both ends.

    `write` is the format of all rows, or that of each.
    """
    formats = [write] * len(estimates) if callable(write) else write
    if texts is None:
        texts = [estimate_in_table(each, one) for each, one in zip(estimates, formats, strict=True)]
    low, high = [each.low for each in estimates], [each.high for each in estimates]
    return [
        Column(heading, [each.value for each in estimates], texts, at_first_sight),
        Column(f"{heading} from", low, write if callable(write) else write_each(low, write), False),
        Column(f"{heading} to", high, write if callable(write) else write_each(high, write), False),
    ]


def write_each(values: Sequence[float], formats: Sequence[NumberFormat]) -> list[str]:
    """Return the texts of a column of numbers that each have their format."""
    return [write(value) for value, write in zip(values, formats, strict=True)]


def why_column(rows: Iterable[Iterable[Estimate]]) -> Column:
    """Return the column with the reasons of the undefined among each row's estimates."""
    lacking = ({each.reason: "" for each in row if not each.defined and each.reason} for row in rows)
    return Column(WHY, ["; ".join(reasons) for reasons in lacking], None, False)


def table_of(name: str, caption: str | Text, columns: Iterable[Column], fold: str = "") -> Table:
    """Return the table of these columns, in their order; `fold` as for `Table`."""
    chosen = list(columns)
    return Table(
        name,
        (caption, {}) if isinstance(caption, str) else caption,
        pd.DataFrame({column.heading: column.values for column in chosen}),
        [column.heading for column in chosen if column.at_first_sight],
        {column.heading: column.write for column in chosen if column.write is not None},
        fold,
    )


def stacked(name: str, caption: str, head: str, tables: Mapping[str, Table]) -> Table:
    """Return tables of equal columns below each other, by the value of a further column, called `head`."""
    first = next(iter(tables.values()))
    frames = [table.frame.assign(**{head: value}) for value, table in tables.items()]
    texts = {
        column: [
            text for table in tables.values() for text in cells(table.frame[column], table.formats[column])
        ]
        for column in first.formats
    }
    columns = [head, *first.columns_at_first_sight]
    return Table(name, (caption, {}), pd.concat(frames, ignore_index=True), columns, texts)


@dataclass(frozen=True)
class Printed:
    """A table as text: what its cells show, and the notes below it. Names are as in the data, escaped by nobody yet."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def printed(
    shown: Shown, columns: Sequence[str] | None = None, notes: Iterable[Sentence | str] = ()
) -> Printed:
    """Return the table as a page shows it: these columns (all if None), digits, order, a dash where undefined.

    Dashes are marked, and the reasons in the column `WHY` stand before the `notes`, unless that column is printed.
    """
    table, written = shown
    heads = [str(column) for column in table if columns is None or column in columns]
    if columns is not None:
        heads = [column for column in columns if column in heads]
    texts = [cells(table[head], written.get(head)) for head in heads]
    rows = list(zip(*texts, strict=True)) if texts else []
    reasons: dict[str, str] = {}
    if WHY in table and WHY not in heads:
        whys = [reason if isinstance(reason, str) else "" for reason in table[WHY]]
        rows = [_marked(row, why, reasons) for row, why in zip(rows, whys, strict=True)]
    note_texts = [note if isinstance(note, str) else plain(note) for note in notes]
    return Printed(
        tuple(map(shorten, heads)),
        tuple(rows),
        (*(f"{mark} {why}" for why, mark in reasons.items()), *note_texts),
    )


def why_dashes(shown: Shown, columns: Sequence[str]) -> list[Sentence]:
    """Return the reasons in the column `WHY` for the dashes in these columns, each once with the rows it holds for."""
    table, written = shown
    if WHY not in table:
        return []
    texts = [cells(table[column], written.get(column)) for column in columns if column != WHY]
    where: dict[str, list[str]] = {}
    for row, why in zip(zip(*texts, strict=True), table[WHY], strict=True):
        if isinstance(why, str) and why and DASH in row:
            where.setdefault(why, []).append(row[0])
    return [
        (f"{DASH} {{where}}: {{why}}.", {"where": listed(list(dict.fromkeys(named))), "why": why})
        for why, named in where.items()
    ]


def _marked(row: tuple[str, ...], why: str, reasons: dict[str, str]) -> tuple[str, ...]:
    if not why or DASH not in row:
        return row
    mark = reasons.setdefault(why, str(len(reasons) + 1).translate(_RAISED))
    return tuple(DASH + mark if text == DASH else text for text in row)


def cells(column: "pd.Series[Any]", write: Written | None) -> list[str]:
    if write is None or callable(write):
        return [cell(value, write) for value in column]
    return [DASH if _missing(value) else cell(text) for text, value in zip(write, column, strict=False)]


def cell(value: object, write: NumberFormat | None = None) -> str:
    """Return what a cell shows of its value.

    >>> cell(0.5), cell(3.0), cell(float("nan")), cell("undefined"), cell(True), cell(0.034, lambda p: f"p {p:.2f}")
    ('0.500', '3', '–', '–', 'yes', 'p 0.03')
    """
    if _missing(value):
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return DASH if value == UNDEFINED else shorten(value)
    if write is not None:
        return cell(write(value))  # type: ignore[arg-type]  # a column with a way to write numbers holds numbers
    if isinstance(value, float):
        return decimal(value, 0 if value.is_integer() else _DIGITS)
    return str(value)


def _missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


@dataclass(frozen=True)
class Term:
    """`plain` is what the term is called in plain words; `told` says what a low or high value means for the study."""

    plain: str
    told: str
    heads_only: bool = False


def _read_terms() -> dict[str, Term]:
    text = Path(__file__).with_name("glossary.toml").read_text(encoding="utf-8")
    each = tomllib.loads(text)["term"]
    return {
        word: Term(one["plain"], one["told"], one.get("heads_only", False))
        for one in each
        for word in one["words"]
    }


TERMS = _read_terms()


@cache
def _pattern(heads: bool) -> re.Pattern[str]:
    words = sorted(
        (word for word, term in TERMS.items() if heads or not term.heads_only), key=len, reverse=True
    )
    between = "" if heads else r"\{[^}]*\}|<[^>]*>|"
    plural = "" if heads else "s?"
    return re.compile(rf"{between}(?<![\w·])(?P<term>{'|'.join(map(re.escape, words))}){plural}(?!\w)")


def in_head(head: str) -> list[Term]:
    """Return the terms of a table's head, each once.

    >>> [term.plain for term in in_head("r_w, 95%")]
    ['Agreement of a rater with the others (r_w)', '95% interval']
    >>> in_head("Story")
    []
    """
    return list(dict.fromkeys(TERMS[found["term"]] for found in _pattern(heads=True).finditer(head)))


def explained(head: str) -> str:
    """Return what a table's head says on hover; "" where it needs no explanation."""
    return " ".join(f"{term.plain}: {term.told}" for term in in_head(head))


def in_sentence(template: str) -> list[tuple[int, int, Term]]:
    """Return where a sentence of ours first uses each term, and the term; never within a value from data.

    >>> [(at, end) for at, end, _ in in_sentence("At the {knee} <b>knee</b> and knees")]
    [(17, 21)]
    """
    first: dict[Term, tuple[int, int]] = {}
    for found in _pattern(heads=False).finditer(template):
        if found["term"] is not None:
            first.setdefault(TERMS[found["term"]], found.span())
    return [(at, end, term) for term, (at, end) in first.items()]
