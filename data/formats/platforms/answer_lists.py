"""Tables whose cells hold lists of answers, one row per item, of objects, as SummEval has them, or of plain values; and
those with a row for each label of a set, which become lists.

`expert_annotations: [{coherence: 4, …}, …]` holds a group's answers by measure, in objects that may name the rater;
`fluency: [4, 5]` those to one measure, whose raters another list may name. Unnamed answers are slots. Objects may also
name the system that made what was rated: `completions: [{model: "A", score: 4}, …]`.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import itemgetter
from typing import Any

from data.errors import listed
from data.formats.parts.cells import (
    are_leaves,
    are_sets,
    constant_within,
    filled,
    may_name,
    text_of,
    value_of,
)
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Made, Table
from data.formats.parts.responses import Response, answers_of, table_of
from data.kinds.answer_words import SIDES
from data.kinds.kind import ITEM, ORDER, RATED_AT, RATER, SCORE, SECONDS
from data.kinds.label_sets import split_labels
from data.kinds.likely_names import (
    GROUPS,
    ITEM_PARTS,
    MEASURES,
    is_about,
    is_personal,
    look_like_measures,
    look_like_people,
    look_like_raters,
)
from data.kinds.names import plain_name
from data.kinds.studies import CHOICES, LABEL_SETS, RATINGS
from data.mapping.columns import COMMENTS, columns_by_name
from data.reading.columns import MOST_LABELS, Column, column_of, is_answer
from data.reading.label_cells import detect_set_format
from data.reading.profile import LIKE, follows, share_scale
from data.reading.wide_layouts import short_names
from data.tables.sniffed import is_number

_MOST = 0.8
"""Share of the rows that hold a list in a column of answers."""
_LONGEST = 500
"""Answers of one item in a list; longer ones are vectors."""
_ANSWERS = {"annotations", "annotation", "ratings", "rating", "scores", "score", "answers", "judgments", "labels",
            "evaluations", "votes", "list"}  # fmt: skip
_LABELS = {"answer", "choice", "label", "vote"}
"""Words in names of keys that hold labels, beside which numbers are no ratings."""
_PREFERENCES = {"preference", "preferred", "winner"}
"""Names of keys that say which of two was better."""
_SIDE = re.compile("|".join(SIDES))
_CALLED = {*_ANSWERS, *GROUPS, *MEASURES, *SCORE}
_PLACE = re.compile(r"(^|[^\d]\.)\d+(\.|$)")
"""The place in a list, in the path of a field; no number of a version, such as that of claude-3.5."""
_FEWEST_TOTALS = 5
"""Different lists from which on it is no chance that they add up to the same."""
_COLUMNS = ("item", "rater", "answer", "measure", "group")
_ITEMS = ("system", "topic", "condition")
_STANDARDIZED = frozenset(("z", "zscore", "zscores", "standardized", "normalized"))
"""Words for answers that follow from others."""
_NAME, _GIVEN = "rater", "answer"
"""Keys of the pairs of an object with an answer by rater."""
_NO_ANSWERS = {"index", "rank", "age", *ITEM_PARTS, *ORDER, *RATED_AT, *SECONDS}
"""Names of keys that say something else of an answer: its id, its time."""
_SYSTEM = next(column.names for column in RATINGS.columns if column.name == "system")


@dataclass(frozen=True)
class _Answer:
    """An answer in a list: its column and place there (among those to its system), the names of rater and system where
    there are such, and the answers by key."""

    column: str
    place: int
    rater: str
    system: str
    given: Mapping[str, str]


@dataclass(frozen=True)
class _Lists:
    """The columns of lists, of objects or of plain values; the key, or the column, with the raters' names, and the key
    with the systems'."""

    columns: tuple[str, ...]
    of_objects: bool
    rater: str = ""
    system: str = ""
    single: tuple[str, ...] = ()
    """Columns of plain answers, of groups of one."""
    text: str = ""
    """The column of lists of texts, to each of which a list holds the answers."""

    def answers(self, row: Cells) -> Iterator[_Answer]:
        """Yield the answers that a row holds."""
        raters = [] if self.of_objects or not self.rater else _parts(row[self.rater])
        for name in self.single:
            yield _Answer(name, 1, "", "", {name: row[name]})
        for name in self.columns:
            places: Counter[str] = Counter()
            for place, each in enumerate((_parts if raters else _list)(row[name]), start=1):
                if self.of_objects and isinstance(each, dict):
                    answer = {key: text_of(value) for key, value in _flat(each)}
                    rater, system = answer.pop(self.rater, ""), answer.pop(self.system, "")
                    places[system] += 1
                    yield _Answer(name, places[system], rater, system, answer)
                elif isinstance(each, list):
                    for inner, answer in enumerate(each, start=1):
                        yield _Answer(name, inner, "", str(place), {name: text_of(answer)})
                elif not self.of_objects:
                    rater = text_of(raters[place - 1]) if place <= len(raters) else ""
                    yield _Answer(name, place, rater, "", {name: text_of(each)})


def _list(cell: str) -> list[Any]:
    """Return the list in a cell; of an object its pairs, each an answer with the name of the rater."""
    value = value_of(cell)
    if isinstance(value, dict):
        value = [{_NAME: name, _GIVEN: each} for name, each in value.items()]
    return value if isinstance(value, list) and len(value) <= _LONGEST else []


def _parts(cell: str) -> list[Any]:
    """Return the list in a cell, or the parts of a text between commas."""
    return _list(cell) or ([part.strip() for part in cell.split(",")] if cell[:1] not in "[{" else [])


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of an object, and those of objects in it, by their own names; of an object for each measure,
    such as {"honesty": {"rating": 4, "why": "…"}}, by the name of the measure."""
    for key, value in record.items():
        pairs = value.items() if isinstance(value, dict) else [(key, value)]
        for name, each in pairs:
            if isinstance(each, dict):
                yield from ((name, leaf) for inner, leaf in each.items() if inner.casefold() in _ANSWERS)
            elif not isinstance(each, list):
                yield name, each


def _measures_in_objects(cell: str) -> set[str]:
    """Return the names of the objects for each measure that the answers in a list hold, as `_flat` names them."""
    each_answer = [each for each in _list(cell) if isinstance(each, dict)]
    held = [value for each in each_answer for value in each.values() if isinstance(value, dict)]
    return {name for value in held for name, inner in value.items() if isinstance(inner, dict)}


def _lists_of(table: Table) -> _Lists | None:
    rows, is_rated = table.head, any(plain_name(name) in RATER for name in table.names)
    if len(rows) < 2:
        return None
    listing = [
        each.name for each in table.sniffed.columns if any(cell[:1] in "[{(" for cell in each.examples)
    ]
    objects, values, nested = [], [], []
    for name in listing:
        parsed = [value for row in rows if (value := value_of(row[name]))]
        every = [each for value in parsed for each in value]
        if len(parsed) < _MOST * len(rows) or _PLACE.search(name):
            continue  # one record of everything, or lists within lists
        if isinstance(parsed[0], dict):
            plain = all(isinstance(value, dict) and are_leaves(value.values()) for value in parsed)
            given = {pair for value in parsed for pair in value.items()} if plain else {*every}
            varies = len(given) > len({*every})  # else it is what is known of the raters
            objects += [name] if varies and look_like_raters(every) >= LIKE else []
        elif all(isinstance(each, dict) for each in every):
            alone = all(len([*_flat(each)]) == len(dict(_flat(each))) for each in every)
            objects += [name] if alone else []  # else objects within say the same of different things
        elif are_leaves(every):
            values.append(name)
        elif all(isinstance(each, list) and are_leaves(each) for each in every):
            nested.append(name)
    if objects:
        found = _Lists(tuple(objects), True)
        keys = dict.fromkeys(key for row in rows for each in found.answers(row) for key in each.given)
        rater, system = (
            next((key for key in keys if plain_name(key) in names), "") for names in (RATER, _SYSTEM)
        )
        found = replace(found, rater=rater, system=system)
        unclear = not rater and (is_rated or _has_distinguishing_text(found, rows))
        return found if not unclear and _measures(found, rows)[0] else None
    if is_rated:
        return None
    shares = [name for name in values if _are_shares(rows, name)]
    values = [name for name in values if name not in shares]
    texts = [name for name in values if nested and _are_parallel(rows, [name, *nested])]
    if texts:
        columns = tuple(name for name in nested if is_answer(_every(rows, name)))
        distinct = [name for name in texts if len({*_every(rows, name)}) == len(_every(rows, name))]
        told = distinct[0] if len(distinct) == 1 else ""  # else nobody can tell to which texts they answer
        return _Lists(columns, False, text=told) if columns else None
    rater = next((name for name in values if plain_name(name).removesuffix("s") in RATER), "")
    people = [name for name in values if look_like_raters(_every(rows, name)) >= LIKE]
    rater = rater or (people[0] if len(people) == 1 and len(values) > 1 else "")
    if not values and not shares:
        rater, values = _find_rater_list(table.names, rows)
    able = [
        name
        for name in values
        if name != rater
        and not {*_words(name)} & _STANDARDIZED
        and (
            rater or not table.sniffed.header or {*_words(name), *map(plain_name, name.split("."))} & _CALLED
        )
        and is_answer(_every(rows, name))
    ]
    has_answers = any(not name.endswith(rater) for name in able)
    known = [  # of the raters or their answers, such as gender_annotators and confidence_annotators
        name
        for name in able
        if rater
        and name.endswith(rater)
        and _CALLED.isdisjoint(_words(own := name.removesuffix(rater)))
        and (is_personal(own) or has_answers or _is_of_raters(rows, rater, name))
    ]
    able = [name for name in able if name not in known] or able
    numbers = [name for name in able if all(is_number(cell) for cell in _every(rows, name) if cell)]
    scale = {float(cell) for name in numbers for cell in _every(rows, name) if is_number(cell)}
    numbers += [  # measures by other names, with as many answers on the same scale
        name
        for name in values
        if numbers
        and name not in (*able, rater)
        and not {*_words(name)} & _STANDARDIZED
        and not is_about(name)
        and is_answer(_every(rows, name))
        and all(is_number(cell) and min(scale) <= float(cell) <= max(scale) for cell in _every(rows, name))
        and _are_parallel(rows, [numbers[0], name])
    ]
    numbers = [name for name in table.names if name in numbers]
    many = any(
        len({*map(text_of, parsed)}) < len(parsed)
        for row in rows
        for name in able
        if (parsed := _list(row[name]))
    )
    columns = tuple(numbers or (able if rater or many else ()))  # sets of labels hold none twice
    said = {cell for name in columns for cell in _every(rows, name)}
    single = [name for name in table.names if name not in listing and {*_words(name)} & GROUPS]
    single = [name for name in single if said >= {row[name] for row in rows} - {""} and not is_about(name)]
    single = [] if rater or numbers else single  # numbers may be means
    found = _Lists(columns, False, rater, single=tuple(single))
    return found if columns and _grid_of(found, table.names) is not None else None


def _every(rows: Sequence[Cells], name: str) -> list[str]:
    """Return what the lists in a column hold, and lists in them."""
    given = [each for row in rows for each in _parts(row[name])]
    return [text_of(one) for each in given for one in (each if isinstance(each, list) else [each])]


def _is_of_raters(rows: Sequence[Cells], rater: str, name: str) -> bool:
    """Return True where the lists in a column hold the same of each rater throughout."""
    pairs = {
        pair
        for row in rows
        for pair in zip(_parts(row[rater]), map(text_of, _parts(row[name])), strict=False)
    }
    return len(pairs) == len({rater for rater, _ in pairs})


def _are_parallel(rows: Sequence[Cells], names: Sequence[str]) -> bool:
    """Return True where the lists in these columns are equally long in each row."""
    return all(len({len(_list(row[name])) for name in names}) == 1 for row in rows)


def _are_shares(rows: Sequence[Cells], name: str) -> bool:
    """Return True where the lists add up to the same in all rows and hold a 0 or parts of 1, as votes for classes and
    their shares do."""
    lists = {tuple(map(text_of, _list(row[name]))) for row in rows if row[name]}
    if len(lists) < _FEWEST_TOTALS or not all(is_number(cell) for each in lists for cell in each):
        return False
    numbers = [[float(cell) for cell in each] for each in lists]
    totals = {round(sum(each), 6) for each in numbers}
    are_votes = any(0 in each for each in numbers) or max(map(max, numbers)) > MOST_LABELS
    return len(totals) == 1 and (totals == {1.0} or are_votes)


def _find_rater_list(names: Sequence[str], rows: Sequence[Cells]) -> tuple[str, list[str]]:
    """Return the column whose cells name raters between commas, and those that hold as many answers; "" for none."""
    for rater in names:
        if plain_name(rater).removesuffix("s") in {*RATER} - {plain_name(rater)}:
            places = [len(_parts(row[rater])) for row in rows]
            others = [
                name for name in names if name != rater and [len(_parts(row[name])) for row in rows] == places
            ]
            if max(places) > 1 and others:
                return rater, [rater, *others]
    return "", []


def _systems_of(columns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the columns whose names end with that of another, or have a part that is only in that of another, which
    holds what a system made; none unless all do."""
    made = {
        each: max((name for name in names if each.endswith(name)), key=len, default="") for each in columns
    }
    if all(made.values()) and len({*made.values()}) == len(made) > 1:
        return made
    parts = dict(zip(columns, short_names(columns), strict=True))
    told = [[name for name in names if f".{part}." in f".{name}."] for part in parts.values()]
    of_each = all(told) and len({name for each in told for name in each}) == sum(map(len, told))
    return parts if of_each and len(parts) > 1 else {}


def _grid_of(lists: _Lists, names: Sequence[str]) -> dict[str, tuple[str, str]] | None:
    """Return system and measure of each column where the names cross both; none where they do not, and None where
    neither outputs nor words for measures tell which part is which."""
    columns = (*lists.columns, *lists.single)
    short = short_names([name.replace(" ", "\0") for name in columns])
    parts = [name.replace("\0", " ").rpartition(".") for name in short]
    systems, measures = {part[0] for part in parts}, {part[2] for part in parts}
    if "" in systems or not len(columns) == len(measures) * len(systems) > len(measures):
        return {}
    others = [
        name for name in names if name not in columns and plain_name(name.split(".")[0]) not in COMMENTS
    ]
    have_outputs = all(any(name.endswith(f".{system}") for name in others) for system in systems)
    told = have_outputs or look_like_measures([*measures]) >= LIKE
    grid = {name: (part[0], part[2]) for name, part in zip(columns, parts, strict=True)}
    return grid if told and look_like_people([*systems]) < 0.5 else None


def _has_distinguishing_text(lists: _Lists, rows: Sequence[Cells]) -> bool:
    """Return True where a text in each answer tells the answers of an item apart, such as the prompt that was used:
    they are about different things, and not of as many raters."""
    given = [
        (at, each.column, each.system, each.given)
        for at, row in enumerate(rows)
        for each in lists.answers(row)
    ]
    texts = {key for *_, cells in given for key, cell in cells.items() if cell and not is_number(cell)}
    several = len({one[:3] for one in given}) < len(given)
    return several and any(
        all(cells.get(key) for *_, cells in given)
        and 1 < len({cells[key] for *_, cells in given}) <= len(given) / 2
        and len({(*place, cells[key]) for *place, cells in given}) == len(given)
        for key in texts
    )


def _measures(lists: _Lists, rows: Sequence[Cells]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of the answers, and sentences on what is left out."""
    given = [each.given for row in rows for each in lists.answers(row)]
    keys = [*dict.fromkeys(key for each in given for key in each)]
    keys = [key for key in keys if plain_name(key) not in _NO_ANSWERS and "rank" not in _words(key)]
    rows_of_answers = [{key: each.get(key, "") for key in keys} for each in given]
    values_of_key = {key: set(filled(rows_of_answers, key)) for key in keys}
    named = {plain_name(text) for row in rows for pair in row.items() for text in pair}
    preferred = [
        key
        for key in keys
        if plain_name(key) in _PREFERENCES
        and all(_SIDE.fullmatch(cell) or cell in named for cell in map(plain_name, values_of_key[key]))
    ]
    called = [key for key in keys if {*_words(key)} & _LABELS or key in preferred]
    called = [key for key in called if not all(map(is_number, values_of_key[key]))]
    inner = {key for row in rows for name in lists.columns for key in _measures_in_objects(row[name])}
    beside = _without_totals(keys, inner, rows_of_answers)
    answers = answers_of(rows_of_answers, called)[0] or answers_of(rows_of_answers, beside)[0]
    scale = {float(cell) for key in answers for cell in values_of_key[key] if is_number(cell)}
    alike = [  # given by all to all, on the scale of the others
        key
        for key in beside
        if scale
        and key not in answers
        and len(values_of_key[key]) == 1
        and all(is_number(cell) and min(scale) <= float(cell) <= max(scale) for cell in values_of_key[key])
    ]
    left = [key for key in keys if key not in (*answers, *alike) and values_of_key[key]]
    return (*answers, *alike), (f"Not taken for answers: {listed(left)}.",) if left else ()


def _without_totals(
    keys: Sequence[str], inner: Collection[str], rows_of_answers: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the keys without those of totals: next to an object for each measure, numbers that are the sum or the mean
    of all measures, or on the scale of none."""
    columns = {key: column_of(key, 0, [row[key] for row in rows_of_answers]) for key in keys}
    given = [columns[key] for key in keys if key in inner and columns[key].holds == "numbers"]

    def is_total(one: Column) -> bool:
        alike = any(share_scale(one, each) for each in given)
        return one.holds == "numbers" and (not alike or (len(given) > 1 and follows(one, given)))

    return [key for key in keys if key in inner or not (given and is_total(columns[key]))]


def _item_of(names: Sequence[str], rows: Sequence[Cells]) -> tuple[str, ...]:
    """Return the fewest columns that tell one row from another, those that are called so first; none where no one to
    three columns do."""
    short = [name for name in names if all(0 < len(row[name]) <= 200 for row in rows)]
    short = [name for name in short if may_name(row[name] for row in rows)]
    measure = next(column for column in RATINGS.columns if column.name == "measure")
    measures = [name for name in short if plain_name(name) in (measure.name, *measure.names)]
    measures = [name for name in measures if 2 * len({row[name] for row in rows}) <= len(rows)]
    short = [name for name in short if name not in measures]
    called = [ITEM, *((column.name, *column.names) for column in RATINGS.columns if column.name in _ITEMS)]
    by_name = [*dict.fromkeys(name for words in called for name in short if plain_name(name) in words)]
    for able in (by_name, [*dict.fromkeys([*by_name, *short])][:8]):
        for size in (1, 2, 3):
            for key in combinations(able, size):
                if len({tuple(row[name] for name in (*key, *measures)) for row in rows}) == len(rows):
                    return key
    return ()


def _words(name: str) -> list[str]:
    return name.rpartition(".")[2].casefold().replace("-", " ").replace("_", " ").split()


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    lists = _lists_of(table)
    assert lists is not None
    rows = table.head
    listing = (*lists.columns, *lists.single)
    names = [name for name in table.names if name not in (*listing, lists.rater, lists.text)]
    plain = [name for name in names if not any(_list(row[name]) for row in rows)]
    item = _item_of(plain, rows)
    measures, notes = _measures(lists, rows)
    levels = short_names([name.replace(" ", "\0") for name in listing])
    short = {name: told.replace("\0", " ") for name, told in zip(listing, levels, strict=True)}
    words = {name: {*_words(told)} & GROUPS for name, told in short.items()}
    of_groups = all(words.values()) and len({*map(frozenset, words.values())}) == len(words)
    groups = {name: " ".join(sorted(told)) for name, told in words.items()}
    if not of_groups:
        groups = {
            name: " ".join(word for word in _words(told) if word not in _ANSWERS)
            for name, told in short.items()
        }
    groups = groups if of_groups or (lists.of_objects and len(groups) > 1) else {}
    systems: dict[str, str] = {}
    raters_of = [[each.rater for each in lists.answers(row)] for row in rows]
    if lists.rater and lists.of_objects and any(len({*each}) < len(each) for each in raters_of):
        systems = _systems_of(lists.columns, names)  # no groups: raters answer in several columns
        groups = {}
    else:
        grid = {} if lists.of_objects else _grid_of(lists, table.names)
        if grid:
            systems = {name: system for name, (system, _) in grid.items()}
            short = {name: measure for name, (_, measure) in grid.items()}
            groups = {}
    by_column = lists.rater == _NAME and len(lists.columns) > 1 and not groups and not systems
    held = detect_set_format(
        cell for row in rows for each in lists.answers(row) for cell in map(each.given.get, measures) if cell
    )
    of_table = "system" in plain and not (lists.system or systems)
    ours = (*_COLUMNS, *([] if of_table else ["system"]), *(item if len(item) == 1 else ()))
    kept = tuple(name for name in names if name not in ours and filled(rows, name))
    named = {measure: measure if lists.of_objects else short[measure] for measure in measures}
    named = short if by_column else named

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        called = "__".join(row[name] for name in item) if item else f"row {line}"
        answered = [each for each in lists.answers(row) if any(map(each.given.get, measures))]
        if not answered:
            yield Aside(line, lists.columns[0], "the lists of answers are empty", "")
        for each in answered:
            group = groups.get(each.column, "")
            known = {**{name: row[name] for name in kept}, "group": group}
            known |= {"measure": ""} if groups and not lists.of_objects else {}
            system = systems.get(each.column, each.system)
            known |= {"system": system} if lists.system or systems else {}
            text = text_of(_list(row[lists.text])[int(system) - 1]) if lists.text else ""
            known |= {"text": text} if lists.text else {}
            of_system = f"{called}__{system}" if system else called
            of_system = of_system if item or not text else text
            rater = each.rater or f"{group or 'slot'} {each.place}"
            answers = {each.column if by_column else name: each.given.get(name, "") for name in measures}
            if held is not None:
                answers = {
                    name: text_of([*(split_labels(cell, held.separator) or ())])
                    for name, cell in answers.items()
                }
            yield Response(of_system, rater, answers, known)

    said = f"Lists of answers in {listed(lists.columns)} become separate rows"
    said += f", with the item in {listed(item)}." if item else ", each row an item."
    are_labels = lists.of_objects and {*map(plain_name, measures)} <= {"label", "labels"}
    made = table_of(table, responses, named, "", kept, (said, *notes), pairs=are_labels and held is None)
    if lists.rater or made.known is None:
        return made
    return replace(made, known=replace(made.known, mapping={**made.known.mapping, "@raters": "slots"}))


_FEWEST_SETS = 5
"""Pairs of rater and item in several rows, from which on it is no chance that no label comes twice."""


def _rows_of_labels(table: Table) -> tuple[str, str, str] | None:
    """Return the columns of items, raters and labels where rows of the same item and rater are labels of one set.

    Of repeated answers, some would be the same; of several questions or systems, another column would tell.
    """
    named = columns_by_name(table.sniffed, LABEL_SETS)
    named = {"item_id": named["text"], **named} if "text" in named else named
    if not {"item_id", "rater_id", "labels"} <= named.keys() or "option_a" in columns_by_name(
        table.sniffed, CHOICES
    ):
        return None
    item, rater, label = columns = tuple(named[role] for role in ("item_id", "rater_id", "labels"))
    rows = [row for row in table.head if row[label]]
    pairs = Counter((row[item], row[rater]) for row in rows)
    if sum(times > 1 for times in pairs.values()) < _FEWEST_SETS or are_sets(row[label] for row in rows):
        return None
    if len({tuple(map(row.get, columns)) for row in rows}) < len(rows):
        return None
    others = [name for name in table.names if name not in columns]
    given = {name: column_of(name, 0, [row[name] for row in rows]) for name in (*others, label)}
    is_told = any(  # by a question, a system or a round: rows of a pair differ in it
        given[name].is_full
        and len(given[name].values) <= MOST_LABELS
        and len({(row[item], row[rater], row[name]) for row in rows}) == len(rows)
        for name in others
    )
    return (item, rater, label) if given[label].holds in ("labels", "words") and not is_told else None


def _label_rows(table: Table, chosen: Chosen) -> Canonical:
    found = _rows_of_labels(table)
    assert found is not None
    item, rater, label = found
    given: dict[tuple[str, str], list[str]] = {}
    for row in table.head:
        given.setdefault((row[item], row[rater]), []).append(row[label])
    questions: dict[str, set[str]] = {}  # perhaps: the reader offers both
    if len({*map(len, given.values())}) == 1:
        places = [{*place} for place in zip(*given.values(), strict=True)]
        if sum(map(len, places)) == len(set[str]().union(*places)):
            questions = {f"{label} {number}": place for number, place in enumerate(places, start=1)}
    kept = [name for name in table.names if name == label or constant_within(table.head, name, (item, rater))]

    def sets() -> Iterator[Made]:
        first: dict[tuple[str, str], tuple[int, Cells]] = {}
        labels: dict[tuple[str, str], dict[str, None]] = {}
        for row in table.all_rows():
            if isinstance(row, Aside):
                yield row
                continue
            line, cells = row
            key = cells[item], cells[rater]
            if not cells[label] or cells[label] in labels.get(key, ()):
                reason = (
                    "the rater gave the item this label before" if cells[label] else "the row holds no label"
                )
                yield Aside(line, label, reason, cells[label])
                continue
            first.setdefault(key, row)
            labels.setdefault(key, {})[cells[label]] = None
        for key, (line, cells) in first.items():
            answers = {
                name: next((each for each in labels[key] if each in place), "")
                for name, place in questions.items()
            }
            yield line, {**cells, label: json.dumps([*labels[key]], ensure_ascii=False), **answers}

    note = f"Rows of the same {item} and {rater} hold one label each ({label}); together they are a set of labels."
    return Canonical((*kept, *questions), sets(), None, (note,))


def _single_fields(table: Table) -> dict[str, str]:
    """Return the columns of which most cells hold an object with a single field each, such as {"label": "dog"}, and its
    name, which is the same in all of these; those only that are called as answers are."""
    found = {}
    words = {*_ANSWERS, *_LABELS, *_PREFERENCES, *SCORE}
    for name in table.names:
        given = [value_of(cell) for cell in filled(table.head, name)]
        single = [each for each in given if isinstance(each, dict) and are_leaves(each.values())]
        keys = Counter(next(iter(each)) for each in single if len(each) == 1)
        key, times = max(keys.items(), key=itemgetter(1), default=("", 0))
        if times and times >= _MOST * len(given) and words & {plain_name(name), plain_name(key)}:
            found[name] = key
    return found


def _values_of_fields(table: Table, chosen: Chosen) -> Canonical:
    fields = _single_fields(table)

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        held = {name: value_of(row[name]) for name in fields}
        objects = {name: each for name, each in held.items() if isinstance(each, dict)}
        yield line, {**row, **{name: text_of(each.get(fields[name], "")) for name, each in objects.items()}}

    note = f"Cells of {listed(list(fields))} hold an object with one field each; its value is read"
    note += ", and an object without this field is no answer."
    return Canonical(table.names, table.made(of_row), None, (note,))


FORMATS = (
    Format("lists of answers", lambda table: _lists_of(table) is not None, _canonical),
    Format("a row per label", lambda table: _rows_of_labels(table) is not None, _label_rows),
)
SINGLE_FIELDS = Format("objects with one field", lambda table: bool(_single_fields(table)), _values_of_fields)
"""The format for tables that no other format knows."""
