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
from data.kinds.kind import ITEM, ORDER, PREFERENCE_NAMES, RATED_AT, RATER, SCORE, SECONDS
from data.kinds.label_sets import split_labels
from data.kinds.likely_names import (
    GROUPS,
    ITEM_PARTS,
    MEASURES,
    SURENESS,
    are_called_raters,
    ends_as_id,
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
from data.reading.votes import are_votes
from data.reading.wide_layouts import short_names
from data.tables.sniffed import is_number

_MOST = 0.8
"""Share of the rows that hold a list in a column of answers."""
_RARE = 10
"""A field that fewer than one in so many answers hold is no answer."""
_LONGEST = 500
"""Answers of one item in a list; longer ones are vectors."""
_ANSWERS = {"annotations", "annotation", "ratings", "rating", "scores", "score", "answers", "judgments", "labels",
            "evaluations", "votes", "list"}  # fmt: skip
_LABELS = {"answer", "choice", "label", "vote"}
"""Words in names of keys that hold labels, beside which numbers are no ratings."""
_SIDE = re.compile("|".join(SIDES))
_CALLED = {*_ANSWERS, *GROUPS, *MEASURES, *SCORE}
_PLACE = re.compile(r"(^|[^\d]\.)\d+(\.|$)")
"""The place in a list, in the path of a field; no number of a version, such as that of claude-3.5."""
_COLUMNS = ("item", "rater", "answer", "measure", "group")
_ITEMS = ("system", "topic", "condition")
_STANDARDIZED = frozenset(("z", "zscore", "zscores", "standardized", "normalized"))
"""Words for answers that follow from others."""
_NAME, _GIVEN = "rater", "answer"
"""Keys of the pairs of an object with an answer by rater."""
_NO_ANSWERS = {"index", "rank", "age", *ITEM_PARTS, *ORDER, *RATED_AT, *SECONDS}
"""Names of keys for other attributes of an answer: its id, its time."""
_SYSTEM = next(column.names for column in RATINGS.columns if column.name == "system")


@dataclass(frozen=True)
class _Answer:
    """An answer in a list: its column and its number there (among those to its system), the names of rater and system
    where there are such, and the answers by key."""

    column: str
    number: int
    rater: str
    system: str
    fields: Mapping[str, str]


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
        raters = [] if self.of_objects or not self.rater else _split_cell(row[self.rater])
        for name in self.single:
            yield _Answer(name, 1, "", "", {name: row[name]})
        for name in self.columns:
            positions: Counter[str] = Counter()
            for number, element in enumerate((_split_cell if raters else _list)(row[name]), start=1):
                if self.of_objects and isinstance(element, dict):
                    answer = {key: text_of(value) for key, value in _fields_of(element)}
                    rater, system = answer.pop(self.rater, ""), answer.pop(self.system, "")
                    positions[system] += 1
                    yield _Answer(name, positions[system], rater, system, answer)
                elif isinstance(element, list) and raters:  # a set of labels by each
                    rater = text_of(raters[number - 1]) if number <= len(raters) else ""
                    yield _Answer(name, number, rater, "", {name: text_of(element)})
                elif isinstance(element, list):
                    for inner, answer in enumerate(element, start=1):
                        yield _Answer(name, inner, "", str(number), {name: text_of(answer)})
                elif not self.of_objects:
                    rater = text_of(raters[number - 1]) if number <= len(raters) else ""
                    yield _Answer(name, number, rater, "", {name: text_of(element)})


def _list(cell: str) -> list[Any]:
    """Return the list in a cell; of an object its pairs, each an answer with the name of the rater."""
    value = value_of(cell)
    if isinstance(value, dict):
        value = [{_NAME: name, _GIVEN: answer} for name, answer in value.items()]
    return value if isinstance(value, list) and len(value) <= _LONGEST else []


def _split_cell(cell: str) -> list[Any]:
    """Return the list in a cell, or the parts of a text between commas, semicolons or bars."""
    return _list(cell) or ([part.strip() for part in re.split("[,;|]", cell)] if cell[:1] not in "[{" else [])


def _fields_of(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of an object, and those of objects in it, by their own names; of an object for each measure,
    such as {"honesty": {"rating": 4, "why": "…"}}, by the name of the measure."""
    for key, value in record.items():
        pairs = value.items() if isinstance(value, dict) else [(key, value)]
        for name, content in pairs:
            if isinstance(content, dict):
                yield from ((name, leaf) for inner, leaf in content.items() if inner.casefold() in _ANSWERS)
            elif not isinstance(content, list):
                yield name, content


def _measures_in_objects(cell: str) -> set[str]:
    """Return the names of the objects for each measure that the answers in a list hold, as `_fields_of` names them."""
    answers = [element for element in _list(cell) if isinstance(element, dict)]
    objects = [value for element in answers for value in element.values() if isinstance(value, dict)]
    return {name for value in objects for name, inner in value.items() if isinstance(inner, dict)}


_RATING = r"-?\d{1,2}(?:\.0+)?"
_UNBRACKETED = re.compile(rf"{_RATING}(?: ?([,;|]) ?{_RATING}(?: ?\1 ?{_RATING})*)?")
"""Whole numbers with the same mark between them."""
_FEWEST_GIVEN, _WIDEST = 3, 10
"""Ratings that most cells hold at least, and the difference between the ends of their scale."""


def _with_brackets(table: Table) -> Table:
    """Return the table with ratings such as "2,3,3,2" as lists in brackets, where no other list names raters."""
    names = [name for name in table.names if _hold_ratings(filled(table.head, name))]
    if not names or _find_rater_list(table.names, table.head)[0]:
        return table

    def of_row(row: Cells) -> Cells:
        lists = {name: re.findall(_RATING, row[name]) for name in names if _UNBRACKETED.fullmatch(row[name])}
        return {
            **row,
            **{
                name: f"[{', '.join(str(int(float(rating))) for rating in ratings)}]"
                for name, ratings in lists.items()
            },
        }

    return table.derived(table.names, of_row)


def _hold_ratings(cells: Sequence[str]) -> bool:
    """Return True for several whole numbers of one small scale in most cells, with the same mark between them; most of
    these hold a number twice, which no set of labels does."""
    matches = [match for cell in cells if (match := _UNBRACKETED.fullmatch(cell))]
    lists = [re.findall(_RATING, match[0]) for match in matches]
    long = [numbers for numbers in lists if len(numbers) >= _FEWEST_GIVEN]
    points = {float(number) for numbers in lists for number in numbers}
    return (
        len(matches) == len(cells)
        and len({match[1] for match in matches} - {None}) == 1
        and 2 * len(long) > len(cells)
        and 2 * sum(len({*numbers}) < len(numbers) for numbers in long) > len(long)
        and max(points) - min(points) <= _WIDEST
    )


_GOLD = {"gold", "golden", "truth"}
"""Words in names of lists of known answers."""


def _lists_of(table: Table) -> _Lists | None:
    table = _with_brackets(table)
    rows, is_rated = table.head, any(plain_name(name) in RATER for name in table.names)
    if len(rows) < 2:
        return None
    listing = [name for name in table.names if any(cell[0] in "[{(" for cell in filled(rows, name))]
    objects, values, nested = [], [], []
    for name in listing:
        parsed = [value for row in rows if (value := value_of(row[name]))]
        elements = [element for value in parsed for element in value]
        if len(parsed) < _MOST * len(rows) or _PLACE.search(name) or len({*map(type, parsed)}) > 1:
            continue  # one record of everything, lists within lists, or lists in some rows and objects in others
        if isinstance(parsed[0], dict):
            are_flat = all(are_leaves(value.values()) for value in parsed)
            pairs = {pair for value in parsed for pair in value.items()} if are_flat else {*elements}
            varies = len(pairs) > len({*elements})  # else it is what is known of the raters
            objects += [name] if varies and look_like_raters(elements) >= LIKE else []
        elif all(isinstance(element, dict) for element in elements):
            are_unique = all(
                len([*_fields_of(element)]) == len(dict(_fields_of(element))) for element in elements
            )
            # else objects within say the same of different things
            objects += [name] if are_unique else []
        elif are_leaves(elements):
            values.append(name)
        elif all(isinstance(element, list) and are_leaves(element) for element in elements):
            nested.append(name)
    if objects:
        lists = _Lists(tuple(objects), True)
        keys = dict.fromkeys(key for row in rows for element in lists.answers(row) for key in element.fields)
        rater, system = (
            next((key for key in keys if plain_name(key) in names), "") for names in (RATER, _SYSTEM)
        )
        lists = replace(lists, rater=rater, system=system)
        are_known = any(_GOLD & {*_words(name)} for name in objects)
        have_raters = any(
            isinstance(value, list) and are_called_raters(key)  # of each object, such as a passage
            for row in rows
            for name in objects
            for element in _list(row[name])
            for key, value in element.items()
        )
        unclear = have_raters or is_rated or are_known or _has_distinguishing_text(lists, rows)
        unclear = not rater and unclear
        return lists if not unclear and _measures(lists, rows)[0] else None
    if is_rated:
        return None
    shares = [name for name in values if _are_shares(rows, name)]
    values = [name for name in values if name not in shares]
    texts = [name for name in values if nested and _are_parallel(rows, [name, *nested])]
    raters = [name for name in texts if are_called_raters(_words(name)[-1])]
    if len(raters) == len(nested) == 1:
        return _Lists((nested[0],), False, raters[0])
    if texts:
        columns = tuple(name for name in nested if is_answer(_flat_values(rows, name)))
        distinct = [
            name for name in texts if len({*_flat_values(rows, name)}) == len(_flat_values(rows, name))
        ]
        # else it is unknown to which texts they answer
        distinguishing = distinct[0] if len(distinct) == 1 else ""
        return _Lists(columns, False, text=distinguishing) if columns else None
    rater = next((name for name in values if plain_name(name).removesuffix("s") in RATER), "")
    people = [name for name in values if look_like_raters(_flat_values(rows, name)) >= LIKE]
    rater = rater or (people[0] if len(people) == 1 and len(values) > 1 else "")
    if not values and not shares:
        rater, values = _find_rater_list(table.names, rows)
    candidates = [
        name
        for name in values
        if name != rater
        and not {*_words(name)} & _STANDARDIZED
        and (
            rater or not table.sniffed.header or {*_words(name), *map(plain_name, name.split("."))} & _CALLED
        )
        and is_answer(_flat_values(rows, name))
    ]
    has_answers = any(not name.endswith(rater) for name in candidates)
    about_raters = [  # of the raters or their answers, such as gender_annotators and confidence_annotators
        name
        for name in candidates
        if rater
        and name.endswith(rater)
        and _CALLED.isdisjoint(_words(own := name.removesuffix(rater)))
        and (is_personal(own) or has_answers or _is_of_raters(rows, rater, name))
    ]
    candidates = [name for name in candidates if name not in about_raters] or candidates
    numbers = [
        name for name in candidates if all(is_number(cell) for cell in _flat_values(rows, name) if cell)
    ]
    scale = {float(cell) for name in numbers for cell in _flat_values(rows, name) if is_number(cell)}
    numbers += [  # measures by other names, with as many answers on the same scale
        name
        for name in values
        if numbers
        and name not in (*candidates, rater)
        and not {*_words(name)} & _STANDARDIZED
        and not is_about(name)
        and is_answer(_flat_values(rows, name))
        and all(
            is_number(cell) and min(scale) <= float(cell) <= max(scale) for cell in _flat_values(rows, name)
        )
        and _are_parallel(rows, [numbers[0], name])
    ]
    numbers = [name for name in table.names if name in numbers]
    have_repeats = any(
        len({*map(text_of, parsed)}) < len(parsed)
        for row in rows
        for name in candidates
        if (parsed := _list(row[name]))
    )
    # sets of labels hold none twice
    columns = tuple(numbers or (candidates if rater or have_repeats else ()))
    words = {cell for name in columns for cell in _flat_values(rows, name)}
    single = [name for name in table.names if name not in listing and {*_words(name)} & GROUPS]
    single = [name for name in single if words >= {row[name] for row in rows} - {""} and not is_about(name)]
    single = [] if rater or numbers else single  # numbers may be means
    lists = _Lists(columns, False, rater, single=tuple(single))
    return lists if columns and _grid_of(lists, table.names) is not None else None


def _flat_values(rows: Sequence[Cells], name: str) -> list[str]:
    """Return the elements of the lists in a column, those of nested lists included."""
    elements = [element for row in rows for element in _split_cell(row[name])]
    return [
        text_of(value)
        for element in elements
        for value in (element if isinstance(element, list) else [element])
    ]


def _is_of_raters(rows: Sequence[Cells], rater: str, name: str) -> bool:
    """Return True where the lists in a column hold the same of each rater throughout."""
    pairs = {
        pair
        for row in rows
        for pair in zip(*(map(text_of, _split_cell(row[column])) for column in (rater, name)), strict=False)
    }
    return len(pairs) == len({rater for rater, _ in pairs})


def _are_parallel(rows: Sequence[Cells], names: Sequence[str]) -> bool:
    """Return True where the lists in these columns are equally long in each row."""
    return all(len({len(_list(row[name])) for name in names}) == 1 for row in rows)


def _are_shares(rows: Sequence[Cells], name: str) -> bool:
    """Return True where the lists hold votes for classes or grades, or their shares."""
    lists = {tuple(map(text_of, _list(row[name]))) for row in rows if row[name]}
    if not all(is_number(cell) for values in lists for cell in values):
        return False
    return are_votes([[float(cell) for cell in values] for values in lists])


def _find_rater_list(names: Sequence[str], rows: Sequence[Cells]) -> tuple[str, list[str]]:
    """Return the column whose cells name raters, and those whose cells hold as many answers; "" for none."""
    for rater in names:
        if plain_name(rater).removesuffix("s") in {*RATER} - {plain_name(rater)}:
            lengths = [len(_split_cell(row[rater])) for row in rows]
            parallel = [
                name
                for name in names
                if name != rater and [len(_split_cell(row[name])) for row in rows] == lengths
            ]
            if max(lengths) > 1 and parallel:
                return rater, [rater, *parallel]
    return "", []


def _systems_of(columns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the column of a system's output for each column: its name ends the other's name, or shares a part with it
    alone; none unless all have one."""
    output_of_column = {
        column: max((name for name in names if column.endswith(name)), key=len, default="")
        for column in columns
    }
    if all(output_of_column.values()) and len({*output_of_column.values()}) == len(output_of_column) > 1:
        return output_of_column
    parts = dict(zip(columns, short_names(columns), strict=True))
    matches = [[name for name in names if f".{part}." in f".{name}."] for part in parts.values()]
    are_distinct = all(matches) and len({name for outputs in matches for name in outputs}) == sum(
        map(len, matches)
    )
    return parts if are_distinct and len(parts) > 1 else {}


def _grid_of(lists: _Lists, names: Sequence[str]) -> dict[str, tuple[str, str]] | None:
    """Return system and measure of each column where the names cross both; none where they do not, and None where
    neither outputs nor words for measures tell which part is which."""
    columns = (*lists.columns, *lists.single)
    short = short_names([name.replace(" ", "\0") for name in columns])
    partitions = [name.replace("\0", " ").rpartition(".") for name in short]
    systems, measures = (
        {partition[0] for partition in partitions},
        {partition[2] for partition in partitions},
    )
    if "" in systems or not len(columns) == len(measures) * len(systems) > len(measures):
        return {}
    other_names = [
        name for name in names if name not in columns and plain_name(name.split(".")[0]) not in COMMENTS
    ]
    have_outputs = all(any(name.endswith(f".{system}") for name in other_names) for system in systems)
    are_clear = have_outputs or look_like_measures([*measures]) >= LIKE
    grid = {name: (partition[0], partition[2]) for name, partition in zip(columns, partitions, strict=True)}
    return grid if are_clear and look_like_people([*systems]) < 0.5 else None


def _has_distinguishing_text(lists: _Lists, rows: Sequence[Cells]) -> bool:
    """Return True where a text in each answer tells the answers of an item apart, such as the prompt that was used:
    they are about different things, and not of as many raters."""
    answers = [
        (index, answer.column, answer.system, answer.fields)
        for index, row in enumerate(rows)
        for answer in lists.answers(row)
    ]
    texts = {key for *_, cells in answers for key, cell in cells.items() if cell and not is_number(cell)}
    has_repeated_places = len({answer[:3] for answer in answers}) < len(answers)
    return has_repeated_places and any(
        all(cells.get(key) for *_, cells in answers)
        and 1 < len({cells[key] for *_, cells in answers}) <= len(answers) / 2
        and len({(*key_of_answer, cells[key]) for *key_of_answer, cells in answers}) == len(answers)
        for key in texts
    )


def _measures(lists: _Lists, rows: Sequence[Cells]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of the answers, and sentences on what is left out."""
    fields_of_answers = [answer.fields for row in rows for answer in lists.answers(row)]
    keys = [*dict.fromkeys(key for fields in fields_of_answers for key in fields)]
    keys = [key for key in keys if plain_name(key) not in _NO_ANSWERS and "rank" not in _words(key)]
    rows_of_answers = [{key: fields.get(key, "") for key in keys} for fields in fields_of_answers]
    keys = [key for key in keys if not ends_as_id(key)]
    common = [key for key in keys if not _is_rare(filled(rows_of_answers, key), fields_of_answers)]
    keys = common or keys
    values_of_key = {key: set(filled(rows_of_answers, key)) for key in keys}
    words = {plain_name(text) for row in rows for pair in row.items() for text in pair}
    preferred = [
        key
        for key in keys
        if plain_name(key) in PREFERENCE_NAMES
        and all(_SIDE.fullmatch(cell) or cell in words for cell in map(plain_name, values_of_key[key]))
    ]
    label_keys = [key for key in keys if {*_words(key)} & _LABELS or key in preferred]
    label_keys = [key for key in label_keys if not all(map(is_number, values_of_key[key]))]
    inner = {key for row in rows for name in lists.columns for key in _measures_in_objects(row[name])}
    beside = _without_totals(keys, inner, rows_of_answers)
    certain = [key for key in beside if plain_name(key) in SURENESS]
    choices = (label_keys, [key for key in beside if key not in certain], certain)
    answers = next(filter(None, (answers_of(rows_of_answers, keys)[0] for keys in choices)), ())
    scale = {float(cell) for key in answers for cell in values_of_key[key] if is_number(cell)}
    constant_keys = [  # given by all to all, on the scale of the others
        key
        for key in beside
        if scale
        and key not in answers
        and len(values_of_key[key]) == 1
        and all(is_number(cell) and min(scale) <= float(cell) <= max(scale) for cell in values_of_key[key])
    ]
    unused = [key for key in keys if key not in (*answers, *constant_keys) and values_of_key[key]]
    return (*answers, *constant_keys), (f"Not taken for answers: {listed(unused)}.",) if unused else ()


def _is_rare(cells: Sequence[str], answers: Sequence[Mapping[str, str]]) -> bool:
    """Return True for words that few of the answers hold."""
    return _RARE * len(cells) < len(answers) and not all(map(is_number, cells))


def _without_totals(
    keys: Sequence[str], inner: Collection[str], rows_of_answers: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the keys without those of totals: next to an object for each measure, numbers that are the sum or the mean
    of all measures, or on the scale of none."""
    columns = {key: column_of(key, 0, [row[key] for row in rows_of_answers]) for key in keys}
    measures = [columns[key] for key in keys if key in inner and columns[key].holds == "numbers"]

    def is_total(column: Column) -> bool:
        is_on_scale = any(share_scale(column, measure) for measure in measures)
        is_computed = len(measures) > 1 and follows(column, measures)
        return column.holds == "numbers" and (not is_on_scale or is_computed)

    return [key for key in keys if key in inner or not (measures and is_total(columns[key]))]


def _item_of(names: Sequence[str], rows: Sequence[Cells]) -> tuple[str, ...]:
    """Return the fewest columns that identify a row, those with names for items first; none where no one to three
    columns do."""
    short_columns = [name for name in names if all(0 < len(row[name]) <= 200 for row in rows)]
    short_columns = [name for name in short_columns if may_name(row[name] for row in rows)]
    measure = next(column for column in RATINGS.columns if column.name == "measure")
    measures = [name for name in short_columns if plain_name(name) in (measure.name, *measure.names)]
    measures = [name for name in measures if 2 * len({row[name] for row in rows}) <= len(rows)]
    short_columns = [name for name in short_columns if name not in measures]
    words_of_roles = [
        ITEM,
        *((column.name, *column.names) for column in RATINGS.columns if column.name in _ITEMS),
    ]
    by_name = [
        *dict.fromkeys(
            name for words in words_of_roles for name in short_columns if plain_name(name) in words
        )
    ]
    for candidates in (by_name, [*dict.fromkeys([*by_name, *short_columns])][:8]):
        for size in (1, 2, 3):
            for key in combinations(candidates, size):
                if len({tuple(row[name] for name in (*key, *measures)) for row in rows}) == len(rows):
                    return key
    return ()


def _words(name: str) -> list[str]:
    return name.rpartition(".")[2].casefold().replace("-", " ").replace("_", " ").split()


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    table = _with_brackets(table)
    lists = _lists_of(table)
    assert lists is not None
    rows = table.head
    listing = (*lists.columns, *lists.single)
    names = [name for name in table.names if name not in (*listing, lists.rater, lists.text)]
    plain_columns = [name for name in names if not any(_list(row[name]) for row in rows)]
    item = _item_of(plain_columns, rows)
    measures, notes = _measures(lists, rows)
    levels = short_names([name.replace(" ", "\0") for name in listing])
    short = {name: label.replace("\0", " ") for name, label in zip(listing, levels, strict=True)}
    words = {name: {*_words(label)} & GROUPS for name, label in short.items()}
    of_groups = all(words.values()) and len({*map(frozenset, words.values())}) == len(words)
    groups = {name: " ".join(sorted(group_words)) for name, group_words in words.items()}
    if not of_groups:
        groups = {
            name: " ".join(word for word in _words(label) if word not in _ANSWERS)
            for name, label in short.items()
        }
    groups = groups if of_groups or (lists.of_objects and len(groups) > 1) else {}
    systems: dict[str, str] = {}
    raters_of = [[answer.rater for answer in lists.answers(row)] for row in rows]
    if lists.rater and lists.of_objects and any(len({*raters}) < len(raters) for raters in raters_of):
        systems = _systems_of(lists.columns, names)  # no groups: raters answer in several columns
        groups = {}
    else:
        grid = {} if lists.of_objects else _grid_of(lists, table.names)
        if grid:
            systems = {name: system for name, (system, _) in grid.items()}
            short = {name: measure for name, (_, measure) in grid.items()}
            groups = {}
    by_column = lists.rater == _NAME and len(lists.columns) > 1 and not groups and not systems
    set_format = detect_set_format(
        cell
        for row in rows
        for answer in lists.answers(row)
        for cell in map(answer.fields.get, measures)
        if cell
    )
    of_table = "system" in plain_columns and not (lists.system or systems)
    own = _COLUMNS if groups else _COLUMNS[:-1]
    reserved = (*own, *([] if of_table else ["system"]), *(item if len(item) == 1 else ()))
    kept_columns = tuple(name for name in names if name not in reserved and filled(rows, name))
    questions = {measure: measure if lists.of_objects else short[measure] for measure in measures}
    questions = short if by_column else questions
    records: Counter[int] = Counter()  # on each line of the file

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        records[line] += line > 0  # not where rows are only looked at
        of_line = f"row {line}" + (f", record {records[line]}" if records[line] > 1 else "")
        item_name = "__".join(row[name] for name in item) if item else of_line
        answered = [answer for answer in lists.answers(row) if any(map(answer.fields.get, measures))]
        if not answered:
            yield Aside(line, lists.columns[0], "the lists of answers are empty", "")
        for answer in answered:
            group = groups.get(answer.column, "")
            cells = {name: row[name] for name in kept_columns} | ({"group": group} if groups else {})
            cells |= {"measure": ""} if groups and not lists.of_objects else {}
            system = systems.get(answer.column, answer.system)
            cells |= {"system": system} if lists.system or systems else {}
            text = text_of(_list(row[lists.text])[int(system) - 1]) if lists.text else ""
            cells |= {"text": text} if lists.text else {}
            of_system = f"{item_name}__{system}" if system else item_name
            of_system = of_system if item or not text else text
            rater = answer.rater or f"{group or 'slot'} {answer.number}"
            answers = {answer.column if by_column else name: answer.fields.get(name, "") for name in measures}
            if set_format is not None:
                answers = {
                    name: text_of([*(split_labels(cell, set_format.separator) or ())])
                    for name, cell in answers.items()
                }
            yield Response(of_system, rater, answers, cells)

    note = f"Lists of answers in {listed(lists.columns)} become separate rows"
    note += f", with the item in {listed(item)}." if item else ", each row an item."
    given = {
        answer.fields.get(name, "")
        for row in table.head
        for answer in lists.answers(row)
        for name in measures
    }
    numbers = {float(cell) for cell in given if is_number(cell)}
    are_grades = len(numbers) == len(given - {""}) and numbers != {*range(len(numbers))}
    are_grades = are_grades and (len(numbers) > MOST_LABELS or min(numbers, default=2) <= 1)
    are_labels = lists.of_objects and {*map(plain_name, measures)} <= {"label", "labels"} and not are_grades
    canonical = table_of(
        table,
        responses,
        questions,
        "",
        kept_columns,
        (note, *notes),
        pairs=are_labels and set_format is None,
    )
    if lists.rater or canonical.known is None:
        return canonical
    return replace(
        canonical, known=replace(canonical.known, mapping={**canonical.known.mapping, "@raters": "slots"})
    )


_FEWEST_SETS = 5
"""Least number of pairs of rater and item in several rows in which labels do not repeat by chance."""


def _rows_of_labels(table: Table) -> tuple[str, str, str] | None:
    """Return the columns of items, raters and labels where rows of the same item and rater are labels of one set.

    Of repeated answers, some would be the same; of several questions or systems, another column would tell.
    """
    columns_by_role = columns_by_name(table.sniffed, LABEL_SETS)
    if "text" in columns_by_role:
        columns_by_role = {"item_id": columns_by_role["text"], **columns_by_role}
    if not {"item_id", "rater_id", "labels"} <= columns_by_role.keys() or "option_a" in columns_by_name(
        table.sniffed, CHOICES
    ):
        return None
    item, rater, label = columns = tuple(columns_by_role[role] for role in ("item_id", "rater_id", "labels"))
    rows = [row for row in table.head if row[label]]
    pairs = Counter((row[item], row[rater]) for row in rows)
    if sum(times > 1 for times in pairs.values()) < _FEWEST_SETS or are_sets(row[label] for row in rows):
        return None
    if len({tuple(map(row.get, columns)) for row in rows}) < len(rows):
        return None
    other_columns = [name for name in table.names if name not in columns]
    contents = {name: column_of(name, 0, [row[name] for row in rows]) for name in (*other_columns, label)}
    is_distinguished = any(  # by a question, a system or a round: rows of a pair differ in it
        contents[name].is_full
        and len(contents[name].values) <= MOST_LABELS
        and len({(row[item], row[rater], row[name]) for row in rows}) == len(rows)
        for name in other_columns
    )
    return (
        (item, rater, label)
        if contents[label].holds in ("labels", "words") and not is_distinguished
        else None
    )


def _label_rows(table: Table, chosen: Chosen) -> Canonical:
    roles = _rows_of_labels(table)
    assert roles is not None
    item, rater, label = roles
    sets_by_pair: dict[tuple[str, str], list[str]] = {}
    for row in table.head:
        sets_by_pair.setdefault((row[item], row[rater]), []).append(row[label])
    questions: dict[str, set[str]] = {}  # perhaps: the reader offers both
    if len({*map(len, sets_by_pair.values())}) == 1:
        positions = [{*position_labels} for position_labels in zip(*sets_by_pair.values(), strict=True)]
        if sum(map(len, positions)) == len(set[str]().union(*positions)):
            questions = {
                f"{label} {number}": position_labels
                for number, position_labels in enumerate(positions, start=1)
            }
    further_columns = [
        name for name in table.names if name == label or constant_within(table.head, name, (item, rater))
    ]

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
                name: next((answer for answer in labels[key] if answer in position_labels), "")
                for name, position_labels in questions.items()
            }
            yield line, {**cells, label: json.dumps([*labels[key]], ensure_ascii=False), **answers}

    note = f"Rows of the same {item} and {rater} hold one label each ({label}); together they are a set of labels."
    return Canonical((*further_columns, *questions), sets(), None, (note,))


def _single_fields(table: Table) -> dict[str, str]:
    """Return the columns of which most cells hold an object with a single field each, such as {"label": "dog"}, and the
    field's name, which is the same in all of these; only those with names for answers."""
    field_by_column = {}
    words = {*_ANSWERS, *_LABELS, *PREFERENCE_NAMES, *SCORE}
    for name in table.names:
        values = [value_of(cell) for cell in filled(table.head, name)]
        objects = [value for value in values if isinstance(value, dict) and are_leaves(value.values())]
        keys = Counter(next(iter(record)) for record in objects if len(record) == 1)
        key, times = max(keys.items(), key=itemgetter(1), default=("", 0))
        if times and times >= _MOST * len(values) and words & {plain_name(name), plain_name(key)}:
            field_by_column[name] = key
    return field_by_column


def _values_of_fields(table: Table, chosen: Chosen) -> Canonical:
    fields = _single_fields(table)

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        parsed = {name: value_of(row[name]) for name in fields}
        objects = {name: record for name, record in parsed.items() if isinstance(record, dict)}
        values = {name: text_of(record.get(fields[name], "")) for name, record in objects.items()}
        yield line, {**row, **values}

    note = f"Cells of {listed(list(fields))} hold an object with one field each; its value is read"
    note += ", and an object without this field is no answer."
    return Canonical(table.names, table.convert(of_row), None, (note,))


FORMATS = (
    Format("lists of answers", lambda table: _lists_of(table) is not None, _canonical),
    Format("a row per label", lambda table: _rows_of_labels(table) is not None, _label_rows),
)
SINGLE_FIELDS = Format("objects with one field", lambda table: bool(_single_fields(table)), _values_of_fields)
"""The format for tables that no other format knows."""
