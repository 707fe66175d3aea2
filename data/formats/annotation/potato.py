"""Annotations of Potato as CSV, TSV or JSON lines: one row per instance and user, a column per scheme, or per label.

A Likert scheme is one column with the number, or a column for each point of the scale with true, or its number, in one
of them.
"""

import re
from collections.abc import Iterator, Mapping

from data.errors import listed
from data.formats.parts.answers import SEVERAL, answers_of, is_score, known_of
from data.formats.parts.columns import filled
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import is_number

_USERS = ("user", "user_id", "annotator")
_ENVELOPE = {"instance_id", "displayed_text", "text", "time", "time_string", "timestamp"}
_BEHAVIOR = ("behavioral_data", "span_annotations", "spans", "metadata")
_ANSWERS = ("label_annotations.", "labels.", "annotations.")
"""What JSON lines write before the names of schemes."""
_LABEL = re.compile(r"(.+?)(?::::|\.|:)([^.:]+)")
_POINT = re.compile(r"(?:scale[ _-]?)?(\d+)")
_TRUE = ("true", "1", "1.0")
_MARKS = {*_TRUE, "false", "0", "0.0", ""}
_COLUMNS = ("item", "rater", "answer", "measure", "text")


def _knows(table: Table) -> bool:
    return "instance_id" in table.names and any(user in table.names for user in _USERS)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rows = list(table.first_rows())
    user = next(name for name in _USERS if name in table.names)
    others = [
        name
        for name in table.names
        if name not in {user, *_ENVELOPE} and name.partition(".")[0] not in _BEHAVIOR
    ]
    schemes = _one_of_many(rows, others)
    of_a_scheme = {column for labels in schemes.values() for column in labels}
    named = {name: (name.rpartition(":::")[0] or name) for name in others if name not in of_a_scheme}
    plain = {name: _plain(name) for name in (*named.values(), *schemes)}
    answers, notes = answers_of(rows, [*named])
    scored = [
        scheme for scheme, labels in schemes.items() if all(is_number(label) for label in labels.values())
    ]
    if scored or (answers and is_score(filled(rows, answers[0]))):
        left = [scheme for scheme in schemes if scheme not in scored]
        answers = tuple(name for name in answers if is_score(filled(rows, name)))
        schemes = {scheme: schemes[scheme] for scheme in scored}
        if left:
            notes = (*notes, f"Labels beside ratings are not taken: {listed(left)}.")
    text = next((name for name in ("displayed_text", "text") if name in table.names), "")

    def told(row: Cells) -> Iterator[tuple[str, str]]:
        yield from ((named[name], row[name]) for name in answers if row[name])
        for scheme, labels in schemes.items():
            chosen = [label for column, label in labels.items() if _is_chosen(row[column], label)]
            if chosen:
                yield scheme, " + ".join(chosen)

    if schemes:
        notes = (*notes, f"One column per label: {listed(schemes)}; the one that holds true is the answer.")
    several = len(answers) + len(schemes) > 1

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        answered = list(told(row))
        if not answered:
            yield Aside(line, "", "the row holds no answer", "")
        for scheme, answer in answered:
            yield (
                line,
                {
                    "item": row["instance_id"],
                    "rater": row[user],
                    "answer": answer,
                    "measure": plain[scheme] if several else "",
                    "text": row[text] if text else "",
                },
            )

    known = known_of(_COLUMNS, (answer for row in rows for _, answer in told(row)))
    return Canonical(_COLUMNS, table.made(of_row), known, notes)


def _is_chosen(cell: str, label: str) -> bool:
    """Return True for the column of the label that was chosen: it holds true, or the point of the scale."""
    return cell.casefold() in _TRUE or (cell == label != "0" and is_number(label))


def _plain(scheme: str) -> str:
    """A scheme's own name."""
    return next((scheme.removeprefix(before) for before in _ANSWERS if scheme.startswith(before)), scheme)


def _one_of_many(rows: list[Cells], names: list[str]) -> Mapping[str, Mapping[str, str]]:
    """Schemes written as a column per label, each of which is true or not: column -> label."""
    schemes: dict[str, dict[str, str]] = {}
    for name in names:
        label = _LABEL.fullmatch(name)
        if label is None:
            continue
        point = _POINT.fullmatch(label[2])
        told = point[1] if point else label[2]
        if {cell.casefold() for cell in filled(rows, name)} <= {*_MARKS, *([told] if point else [])}:
            schemes.setdefault(label[1], {})[name] = told
    return {scheme: labels for scheme, labels in schemes.items() if len(labels) > 1}


FORMAT = Format("Potato", _knows, _canonical, (SEVERAL,))
