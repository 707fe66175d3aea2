"""Ids that are made of several parts, and files that are known by them: doc_7__sysB__coherence is what sysB made of
doc_7, judged by its coherence.

The alternative annotator test takes annotations as `{annotator: {item: value}}`; values such as model_a and model_b
are choices between two options.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from data.formats.files.json_records import LEAVES, QUESTION
from data.formats.parts.cells import filled
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Made, Table
from data.formats.parts.responses import Response, table_of
from data.kinds.kind import ITEM
from data.kinds.likely_names import MEASURES, look_like_items, look_like_measures, look_like_raters
from data.kinds.names import plain_name
from data.tables.sniffed import Switch

_SEPARATORS = ("__", "||", "::", "|", "/", "#", ":")
_MOST_VALUES, _MOST_ASPECTS, _LEAST_OF_EACH = 50, 10, 10
_NO_SYSTEM = re.compile(  # file names, numbers, and numbered parts of a text such as page 2
    r"(?i).*\.[a-z]\w{1,4}|([a-z]|page|seg|segment|sent|sentence|line|turn|part|clip|utt|utterance|chunk|item|text|"
    r"question)?[ _-]?\d+"
)
_LIKE = 0.5
_FULL = 0.8
"""Share of the combinations of its parts that ids of one study have."""


@dataclass(frozen=True)
class SplitIds:
    """The parts of ids: the item, its topic, system and measure, where ids contain them."""

    separator: str
    roles: tuple[str, ...]

    def parts_of(self, id: str) -> Mapping[str, str]:
        """Return the parts of an id by role; the item is all but the measure."""
        parts = id.split(self.separator)
        part_of_role = dict(zip(self.roles, parts, strict=True))
        item = [part for role, part in zip(self.roles, parts, strict=True) if role != "measure"]
        return {**part_of_role, "item": self.separator.join(item)}

    def describe(self, example: str) -> str:
        """Return the end of a sentence on how ids are made."""
        return f'taken apart at "{self.separator}": {", ".join(self.roles)} (as in "{example}").'


def split_ids(ids: Iterable[str]) -> SplitIds | None:
    """Return the separator and parts of ids that join a topic, a system and a measure; None for other ids.

    All must have as many parts, of which the last ones take the same few values for every first part. Two parts are
    topic and measure only where words say so, else topic and system; numbered parts are no measures.

    >>> split_ids(f"d{d}__{s}__{m}" for d in range(3) for s in "AB" for m in ("fluency", "focus")).roles
    ('topic', 'system', 'measure')
    >>> split_ids(["a_1", "a_2", "b_1"])
    """
    different = list(dict.fromkeys(ids))
    for separator in _SEPARATORS:
        split = [id.split(separator) for id in different]
        width = len(split[0]) if split else 0
        if width not in (2, 3) or any(len(parts) != width or not all(parts) for parts in split):
            continue
        values = [set(column) for column in zip(*split, strict=True)]
        if width == 2 and _are_aspects([parts[0] for parts in split], [parts[1] for parts in split]):
            return SplitIds(separator, ("topic", "measure"))
        have_few_values = all(2 <= len(part) <= min(_MOST_VALUES, len(different) // 2) for part in values[1:])
        if len(values[0]) < 2 or not have_few_values or len(different) < _FULL * math.prod(map(len, values)):
            continue
        are_measures = [*map(_are_measures, values[1:])]
        if width == 2:
            return SplitIds(separator, ("topic", "measure" if are_measures[0] else "system"))
        words = all(len(value) > 2 and not any(map(str.isdigit, value)) for value in values[2])
        if any(are_measures) or words or all(map(QUESTION.fullmatch, values[2])):
            order = ("topic", "measure", "system") if are_measures[0] else ("topic", "system", "measure")
            return SplitIds(separator, order)
    return None


def _are_measures(values: Iterable[str]) -> bool:
    words = [re.sub(r"[\W_]+", " ", value).casefold().split() for value in values]
    return sum(bool(set(words_of_value) & MEASURES) for words_of_value in words) >= len(words) / 2


def _are_aspects(firsts: Sequence[str], lasts: Sequence[str]) -> bool:
    """Return True where a few plain words repeat often, and several of them occur with some of the first parts."""
    words = Counter(lasts)
    return (
        1 < len(words) <= _MOST_ASPECTS
        and min(words.values()) >= _LEAST_OF_EACH
        and all(word.isalpha() and word.islower() for word in words)
        and len(set(firsts)) < len(firsts)
    )


_PARTS = ("system", "topic")
_OTHER_PARTS = "the id of the item has other parts than the first ones"


def _ids(table: Table) -> tuple[str, SplitIds] | None:
    """Return the column of such ids and how they are made; None where a column tells the measure or the system."""
    names = {plain_name(name): name for name in reversed(table.names)}
    id = next((names[name] for name in ITEM if name in names), "")
    if not id or "measure" in names:
        return None
    split = split_ids(filled(table.head, id))
    if split is None or ("measure" not in split.roles and {*_PARTS} & names.keys()):
        return None
    systems = {split.parts_of(id_of_row).get("system", "") for id_of_row in filled(table.head, id)}
    return (id, split) if "measure" in split.roles or not any(map(_NO_SYSTEM.fullmatch, systems)) else None


def _joined_ids(table: Table, chosen: Chosen) -> Canonical:
    id_column_and_split = _ids(table)
    assert id_column_and_split is not None
    id, ids = id_column_and_split
    new_columns = ("item", *ids.roles)
    other_columns = [name for name in table.names if name != id and name.casefold() not in new_columns]

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        if row[id].count(ids.separator) + 1 != len(ids.roles):
            yield Aside(line, id, _OTHER_PARTS, row[id])
            return
        yield line, {**{name: row[name] for name in other_columns}, **ids.parts_of(row[id])}

    notes = (f"Ids are {ids.describe(filled(table.head, id)[0])}",)
    return Canonical((*new_columns, *other_columns), table.convert(of_row), None, notes)


_KEYS = Switch(
    "@keys",
    "The file names",
    ("as the names say", "annotators, then items", "items, then annotators"),
    "Which of the two levels of names in the file are the annotators: the outer ones as in the alternative annotator "
    "test, or the inner ones. Names such as Anna or rater 1 are those of people, names such as clip_01.wav are not.",
)
_UNTOLD = (
    f"Neither level of names in the file says which one is the annotators: choose it under “{_KEYS.label}”, or map the "
    "columns."
)
_OPTION = re.compile(
    r"(?P<what>model|system|option|response|answer|output|candidate|assistant|summary|list|text)[ _-]?"
    r"(?P<side>[ab12])"
)
_SIDES = ({"first", "second"}, {"left", "right"})
_NEITHER = {"tie", "both", "neither", "none", "equal", "same", "draw", "bothbad", "tie (bothbad)", "both_bad"}


def _levels(table: Table) -> tuple[list[str], list[str]]:
    """Return the outer and the inner names of an object of objects."""
    outer, inner = ([*dict.fromkeys(row[level] for row in table.head)] for level in LEAVES[:2])
    return outer, inner


def _is_alt_test(table: Table) -> bool:
    """Return True for an object of objects where no level has names of measures."""
    return table.names == LEAVES and max(map(look_like_measures, _levels(table))) < _LIKE


def _raters_are_clear(outer: Sequence[str], inner: Sequence[str]) -> bool:
    """Return True where a level is named as raters or items are."""
    return any(
        look_like_raters(names) or look_like_items(names) or split_ids(names) for names in (outer, inner)
    )


def _alt_test(table: Table, chosen: Chosen) -> Canonical:
    rater, item, answer = LEAVES
    rows = table.head
    swapped = chosen[_KEYS.name] == _KEYS.allowed[2]
    if chosen[_KEYS.name] == _KEYS.allowed[0]:
        people = [look_like_raters(names) - look_like_items(names) for names in _levels(table)]
        swapped = people[1] > people[0]
    if swapped:
        rater, item = item, rater
    option_a, option_b = _two_options({*filled(rows, answer)})
    ids = split_ids(row[item] for row in rows)
    notes = [f"Ids of items are {ids.describe(rows[0][item])}"] if ids else []
    notes += [f"{option_a} and {option_b} are two options, not labels."] if option_a else []
    options = {"option_a": option_a, "option_b": option_b}

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        if ids and row[item].count(ids.separator) + 1 != len(ids.roles):
            yield Aside(line, item, _OTHER_PARTS, row[item])
            return
        cells = {"item": row[item], **(ids.parts_of(row[item]) if ids else {}), **options}
        yield Response(
            cells["item"], row[rater], {answer: row[answer]}, cells, no_answer_cell=(answer, row[item])
        )

    no_value = "the annotator gave no value"
    raters_are_clear = chosen[_KEYS.name] != _KEYS.allowed[0] or _raters_are_clear(*_levels(table))
    notes += [] if raters_are_clear else [_UNTOLD]
    canonical = table_of(table, responses, [answer], no_value, notes=notes, pairs=bool(option_a))
    if raters_are_clear or canonical.known is None:
        return canonical
    mapping = {
        role: column
        for role, column in canonical.known.mapping.items()
        if role not in ("item_id", "rater_id")
    }
    return replace(canonical, known=replace(canonical.known, mapping=mapping))


def _two_options(values: Iterable[str]) -> tuple[str, str]:
    """Return the two options where values name their positions, such as model_a and model_b; else nothing."""
    options = sorted(value for value in values if value.casefold() not in _NEITHER)
    if len(options) != 2:
        return "", ""
    words = [match["what"] for value in options if (match := _OPTION.fullmatch(value.casefold()))]
    are_positions = {value.casefold() for value in options} in _SIDES or (
        len(words) == 2 and len({*words}) == 1
    )
    return (options[0], options[1]) if are_positions else ("", "")


FORMATS = (
    Format("AltTest", _is_alt_test, _alt_test, (_KEYS,)),
    Format("ids of several parts", lambda table: _ids(table) is not None, _joined_ids),
)
