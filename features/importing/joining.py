"""What the Data page says of a second file: which of its names are names of the data set, and what does not match."""

from collections.abc import Sequence

from analysis.values.columns import thousands
from analysis.values.names import shorten
from data.joining.matching import Matching
from data.joining.table import Joined
from data.kinds.definitions import KINDS, kind_named
from data.kinds.kind import Kind
from features.plotting.numbers import count
from features.words import Sentence, counted, listed, of_many

SHOWN = 3
"""Examples of names in a sentence."""


def verdict(joined: Joined, told: Sequence[str]) -> Sentence:
    """What the data set gains: `told` are the columns that the file adds."""
    addition = kind_named(joined.added_as)
    if joined.added_as == joined.kind:
        return (
            "<b>{rows}</b> are added; the new version has {kept} that count.",
            {"rows": of_many(joined.addition.kept, addition.rows), "kept": count(joined.report.kept)},
        )
    found = joined.matching[0]
    return (
        "<b>{told}</b> for {both} of {own}.",
        {
            "told": listed(told, 6),
            "both": count(found.both),
            "own": of_many(found.own, addition.rows),
        },
    )


def remarks(joined: Joined) -> list[Sentence]:
    """What matches on one side only, with examples; what is nearly alike; what stood there before."""
    addition = kind_named(joined.added_as)
    rows = joined.added_as == joined.kind
    said: list[Sentence] = []
    for found in joined.matching:
        many = _many(found, addition)
        said += _of_rows(found, many) if rows else _of_names(found, addition)
        if found.alike:
            pairs = "; ".join(
                f"{shorten(theirs, 40)!r} and {shorten(ours, 40)!r}" for theirs, ours in found.pairs[:SHOWN]
            )
            said.append(
                (
                    "{names} of the file would match but for case, white space or zeros: {pairs}. They are not taken "
                    "for the same; where they are, correct the file.",
                    {"names": of_many(found.alike, many), "pairs": pairs},
                )
            )
    for column, number in joined.changed.items():
        if number:
            said.append(
                (
                    "{column} stood there before and says something else in {rows}; the new version has what the "
                    "file says, the old one stays.",
                    {"column": column, "rows": counted(number, "row")},
                )
            )
    for column, reason, number in joined.addition.reasons:
        where = f"{column}: " if column else ""
        said.append(
            ("{rows} of the file set aside: {why}.", {"rows": counted(number, "row"), "why": where + reason})
        )
    return said


def _many(found: Matching, addition: Kind) -> str:
    """What the names are of: items, raters."""
    if addition.name not in KINDS:
        return addition.rows
    (name,) = found.key
    if name == addition.rater:
        return addition.raters
    column = addition.column(name)
    return addition.items if addition.item == (name,) or column is None else f"{column.called}s"


def _of_names(found: Matching, addition: Kind) -> list[Sentence]:
    said: list[Sentence] = []
    unknown, without = found.new - found.both, found.own - found.both
    if unknown:
        said.append(
            (
                "{rows} of the file {name} no {one} of this data set: {examples}.",
                {
                    "rows": counted(unknown, "row"),
                    "name": "names" if unknown == 1 else "name",
                    "one": addition.row,
                    "examples": _examples(found.new_only, unknown),
                },
            )
        )
    if without:
        said.append(
            (
                "{names} of the data set {have} no row in the file: {examples}.",
                {
                    "names": of_many(without, addition.rows),
                    "have": "has" if without == 1 else "have",
                    "examples": _examples(found.own_only, without),
                },
            )
        )
    return said


def _of_rows(found: Matching, many: str) -> list[Sentence]:
    new = found.new - found.both
    sentence: Sentence = (
        "{both} of the file's {names} are in the data set already{new}.",
        {
            "both": count(found.both),
            "names": of_many(found.new, many),
            "new": f"; new: {_examples(found.new_only, new)}" if new else "",
        },
    )
    return [sentence]


def _examples(names: Sequence[str], of: int) -> str:
    short = [shorten(name, 40) for name in names[:SHOWN]]
    return ", ".join(short) + (f" and {thousands(of - len(short))} more" if of > len(short) else "")
