"""Annotations as the alternative annotator test takes them: `{annotator: {item: value}}`.

An item's id may hold its system and the measure; values such as model_a and model_b are choices between two options.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from data.formats.files.json_records import LEAVES
from data.formats.parts.format import Aside, Canonical, Chosen, Format
from data.formats.parts.ids import SplitIds, split_ids
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table
from data.kinds.likely_names import look_like_items, look_like_raters
from data.tables.sniffed import Switch, is_number

_KEYS = Switch(
    "@keys",
    "The file names",
    ("as the names say", "annotators, then items", "items, then annotators"),
    "Which of the two levels of names in the file are the annotators: the outer ones as in the alternative annotator "
    "test, or the inner ones. Names such as Anna or rater 1 are those of people, names such as clip_01.wav are not.",
)
_OPTION = re.compile(
    r"(?P<what>model|system|option|response|answer|output|candidate|assistant|summary|list|text)[ _-]?"
    r"(?P<side>[ab12])"
)
_SIDES = ({"first", "second"}, {"left", "right"})
_NEITHER = {"tie", "both", "neither", "none", "equal", "same", "draw", "bothbad", "tie (bothbad)", "both_bad"}


def _knows(table: Table) -> bool:
    return table.names == LEAVES


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rater, item, answer = LEAVES
    rows = list(table.first_rows())
    swapped = chosen[_KEYS.name] == _KEYS.allowed[2]
    if chosen[_KEYS.name] == _KEYS.allowed[0]:
        outer, inner = ([*dict.fromkeys(row[level] for row in rows)] for level in (rater, item))
        swapped = _are_people(inner) > _are_people(outer)
    if swapped:
        rater, item = item, rater
    option_a, option_b = _options({row[answer] for row in rows if row[answer]})
    ids = split_ids(row[item] for row in rows)
    if ids and ids.roles == ("topic", "system") and _differ(rows, item, answer, ids.separator):
        ids = SplitIds(ids.separator, ("topic", "measure"))
    notes = []
    if ids:
        notes.append(
            f'Ids of items are taken apart at "{ids.separator}": {", ".join(ids.roles)} (as in "{rows[0][item]}").'
        )
    if option_a:
        notes.append(f"{option_a} and {option_b} are two options, not labels.")

    options = {"option_a": option_a, "option_b": option_b}

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        told = {"item": row[item]}
        if ids and row[item].count(ids.separator) + 1 != len(ids.roles):
            yield Aside(line, item, "the id of the item has other parts than the first ones", row[item])
            return
        told |= ids.parts_of(row[item]) if ids else {}
        answers = {answer: row[answer]}
        yield Response(told["item"], row[rater], answers, {**told, **options}, told_by=(answer, row[item]))

    return table_of(
        table,
        responses,
        [answer],
        "the annotator gave no value",
        notes=notes,
        pairs=bool(option_a),
    )


def _differ(rows: Sequence[Cells], item: str, answer: str, separator: str) -> bool:
    """Return True where the values of some last parts of ids go further than those of others: other scales."""
    highest: dict[str, float] = {}
    for row in rows:
        if is_number(row[answer]):
            last = row[item].rpartition(separator)[2]
            highest[last] = max(highest.get(last, -math.inf), float(row[answer]))
    return len(set(highest.values())) > 1


def _are_people(names: Sequence[str]) -> float:
    """Return how far names look like those of people rather than of items, from -1 to 1."""
    return look_like_raters(names) - look_like_items(names)


def _options(values: Iterable[str]) -> tuple[str, str]:
    """Return the two options where values name their positions, such as model_a and model_b; else nothing."""
    sides = sorted(value for value in values if value.casefold() not in _NEITHER)
    if len(sides) != 2:
        return "", ""
    told = [_OPTION.fullmatch(value.casefold()) for value in sides]
    if {value.casefold() for value in sides} in _SIDES:
        return sides[0], sides[1]
    if all(told) and len({match["what"] for match in told if match}) == 1:
        return sides[0], sides[1]
    return "", ""


FORMAT = Format("AltTest", _knows, _canonical, (_KEYS,))
