"""Readings of a table with answers side by side: its columns are raters or items, and measures of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from statistics import median
from string import ascii_uppercase

from data.errors import list_first, listed
from data.kinds.kind import ATTRIBUTES, ITEM, RATER, Kind
from data.kinds.likely_names import (
    FIRST_NAMES,
    GROUPS,
    ITEM_PARTS,
    MEANS,
    MEASURES,
    UNATTRIBUTED,
    are_files,
    are_groups,
    are_lettered,
    ends_as_id,
    groups_of,
    has_rater_word,
    hold_measures,
    is_about,
    is_beside_model,
    is_called_item,
    is_called_rater,
    is_called_system,
    is_model,
    is_personal,
    is_rater,
    is_slot,
    is_unattributed,
    look_like_items,
    look_like_measures,
    look_like_people,
    look_like_raters,
    may_be_rated,
    may_be_rated_by_rows,
    shape_of,
    share_titled,
    tokens_of,
)
from data.kinds.names import levels_of, plain_name, stem_and_number
from data.kinds.studies import CHOICES, LABEL_SETS, RATINGS
from data.mapping.plan import NAMES, ROW
from data.mapping.proposal import NAMED_PARTS
from data.reading.columns import LONGEST_LABEL, TIME, Column, column_of, is_answer, is_score
from data.reading.item_key import MOST_CANDIDATES, MOST_PARTS, PARTS
from data.reading.item_means import COUNTS, SPREADS, is_mean_of
from data.reading.profile import (
    CROSSED,
    LIKE,
    MAY_BE_RATED,
    TableProfile,
    are_crossed,
    columns_of_one_vocabulary,
    columns_on_one_scale,
    counts_filled,
    find_computed,
    follows,
    may_be_answer,
    pairs_among,
    reserved_indices,
    share_scale,
    source_of,
)
from data.reading.rankings import words_of
from data.tables.sniffed import ASKED, Reading

SEPARATORS = ("__", " - ", " – ", " — ", "—", " / ", "/", "|", "::", ": ", ":", "_", ".", "-", " ")
_NAME = re.compile(r"(?:[^\W_]|[¿¡])(?:.*[\])?？!%.]|.*[^\W_])?", re.DOTALL)
_NUMBER_OF_QUESTION = re.compile(r"\d+\s*[、．]\s*")
_BRACKETS = re.compile(r"(.*\S)\s*[\[(]([^\])]+)[\])]")
_CODES = re.compile(r"([A-Za-z]+\d+)([Qq]\d+|[A-Za-z]+\d+\b.*\w.*)")
"""A name of two codes with a number each, the second of a question, such as R1Q2, or with a text after it."""


@dataclass(frozen=True)
class Grid:
    """Pairs of levels that the names consist of, in the order of the names."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def first(self) -> tuple[str, ...]:
        """Levels of the first part."""
        return tuple(dict.fromkeys(pair[0] for pair in self.pairs))

    @property
    def second(self) -> tuple[str, ...]:
        """Levels of the second part."""
        return tuple(dict.fromkeys(pair[1] for pair in self.pairs))

    @property
    def is_full(self) -> bool:
        """True where nearly each level meets each level of the other part, once, two or more of both."""
        sizes = len(self.first), len(self.second)
        full = len(self.pairs) >= CROSSED * sizes[0] * sizes[1]
        return full and min(sizes) > 1 and len(set(self.pairs)) == len(self.pairs)


def grids_of(names: Sequence[str]) -> list[Grid]:
    """Return every way to split all names into a full grid, the most natural separator first."""
    grids: list[Grid] = []
    if all(map(_NUMBER_OF_QUESTION.match, names)):
        names = [_NUMBER_OF_QUESTION.sub("", name, count=1) for name in names]
    again = {name.removesuffix(" (2)") for name in names if name.endswith(" (2)")}
    names = [f"{name} (1)" if name in again else name for name in names]
    for pattern in (_BRACKETS, _CODES):
        split = [pattern.fullmatch(name.strip()) for name in names]
        if all(split):
            grids.append(Grid(tuple((match[1], match[2]) for match in split if match)))
    for separator in SEPARATORS:
        if all(separator in name for name in names):
            grids.append(Grid(tuple(_split(name.partition(separator)) for name in names)))
            grids.append(Grid(tuple(_split(name.rpartition(separator)) for name in names)))
    different: dict[tuple[tuple[str, str], ...], Grid] = {}
    for grid in grids:
        if grid.is_full and all(map(_NAME.fullmatch, (*grid.first, *grid.second))):
            different.setdefault(grid.pairs, grid)
    return list(different.values())


def _grids_of_two_words(names: Sequence[str]) -> list[Grid]:
    """Return the full grids in which raters have two words, as in density_expert_1."""
    grids = []
    for separator in SEPARATORS:
        parts = [name.split(separator) for name in names]
        for at in (-2, 2) if min(map(len, parts), default=0) > 2 else ():
            grid = Grid(tuple((separator.join(words[:at]), separator.join(words[at:])) for words in parts))
            of_raters = look_like_raters(grid.second if at < 0 else grid.first) >= LIKE
            grids += [grid] if of_raters and grid.is_full and is_natural(grid) else []
    return grids


def short_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names without the upper level, or the parts between dots, that all have in common: of
    annotations.kim.fluency and annotations.lee.fluency kim and lee."""
    matches = [match for name in columns if (match := _BRACKETS.fullmatch(name))]
    if len(matches) == len(columns) and len({match[1] for match in matches}) == 1 < len(
        {match[2] for match in matches}
    ):
        return tuple(match[2] for match in matches)  # Score (Ann) and Score (Ben)
    split = [name.split(".") for name in columns]
    shortest = min(map(len, split))
    start = next((index for index in range(shortest) if len({words[index] for words in split}) > 1), 0)
    if not start or any(set(name) & set("@ ") for name in columns):
        levels = levels_of(columns)
        is_shared = all(lower for _, lower in levels) and len({upper for upper, _ in levels}) == 1
        return tuple(lower for _, lower in levels) if is_shared else tuple(columns)
    end = next((index for index in range(shortest) if len({words[-1 - index] for words in split}) > 1), 0)
    start -= all(words[start].isdecimal() for words in split)  # Rater.1 of R
    short = tuple(".".join(words[start : len(words) - end]) for words in split)
    return short if all(short) and len(set(short)) == len(short) else tuple(columns)


def _split(partition: tuple[str, str, str]) -> tuple[str, str]:
    return partition[0].strip().rstrip(":-/|_ "), partition[2].strip()


def roles_of(grid: Grid, raters: Sequence[frozenset[str]] | None) -> Mapping[str, tuple[str, ...]] | None:
    """Return the labels of measures and of groups, or of raters where the files name none.

    `raters`: those of each file, by name or column; None where no file names any. Told by words that people
    use for groups and measures, else by groups having no rater in common.
    """
    first, second = zip(*grid.pairs, strict=True)
    orders = [(first, second), (second, first)]

    def are_called(labels: Sequence[str], words: frozenset[str]) -> bool:
        return all({word.casefold() for word in label.split()} <= words for label in labels)

    def are_apart(labels: Sequence[str]) -> bool:
        part_of_rater: dict[str, str] = {}
        rater_parts = (
            (rater, label) for label, names in zip(labels, raters or (), strict=True) for rater in names
        )
        return all(
            part_of_rater.setdefault(rater, label) == label for rater, label in rater_parts
        )  # no rater is in two of the parts

    groups = [order for order in orders if are_called(order[0], GROUPS)]
    if len(groups) != 1:
        groups = [(second_part, order) for order, second_part in orders if are_called(order, MEASURES)]
        if len(groups) == 1 and raters is None:
            return {"measure": groups[0][1], "rater_id": groups[0][0]}
    if len(groups) != 1:
        groups = [order for order in orders if raters and are_apart(order[0])]
    return {"measure": groups[0][1], "rater_group": groups[0][0]} if len(groups) == 1 else None


_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>\d{1,3})(?P<after>\D*)")
_CALLED = {*ITEM, "url", "itemname", "clipname"}
_SEVERAL = 3
"""Rows of a rater, or of a number, on average, in which it is no chance that all differ."""
_FEWEST_RETURN = 0.5
"""The share of items that are shown in more than one row."""


@dataclass(frozen=True)
class Pair:
    """A slot: the column of its answer, the column of its item, and which of several measures."""

    answer: str
    item: str
    measure: str = ""


@dataclass(frozen=True, eq=False)
class _Family:
    """Columns with the same name but for a number; `length` is that of the name without the number, `stem` the part
    before it without a platform's prefix."""

    length: int
    stem: str
    columns: Mapping[int, str]

    @property
    def measure(self) -> str:
        """The stem as the name of a measure."""
        return measure_of_slot(next(iter(self.columns.values())))


def paired(
    rows: Sequence[Mapping[str, str]], answers: Iterable[str], items: Iterable[str]
) -> tuple[Pair, ...]:
    """Return the slots among these columns, in the order of their numbers; none where no pair holds in the rows."""
    answering = [
        family
        for family in _families(answers)
        if is_answer([row[name] for row in rows for name in family.columns.values()])
    ]
    showing = _families(items)
    candidates = [
        (showed.stem != answer.stem, answer.length, index, answer, showed)
        for answer in answering
        for index, showed in enumerate(showing)
        if showed is not answer and {*answer.columns} <= {*showed.columns} and _holds(rows, answer, showed)
    ]
    if not candidates:
        return ()
    *_, answer, showed = min(candidates, key=lambda candidate: candidate[:3])
    measures = _parallel_families(rows, answer, [family for family in answering if family is not showed])
    return tuple(
        Pair(name, showed.columns[number], family.measure if len(measures) > 1 else "")
        for family in measures
        for number, name in sorted(family.columns.items())
    )


def numbered_questions(rows: Sequence[Mapping[str, str]], answers: Iterable[str]) -> tuple[Pair, ...]:
    """Return the slots of several measures each, named by their numbers, where no column names their items."""
    families = [*_families(answers)]
    largest = max((_parallel_families(rows, family, families) for family in families), key=len, default=[])
    return tuple(
        Pair(name, str(number), family.measure)
        for family in largest
        for number, name in sorted(family.columns.items())
        if len(largest) > 1
    )


def _parallel_families(
    rows: Sequence[Mapping[str, str]], answer: _Family, families: Sequence[_Family]
) -> list[_Family]:
    """Return the families of answers that have the numbers and the scale, or the labels, of this one, and itself."""
    values_by_name = {
        family: column_of("", 0, [row[name] for row in rows for name in family.columns.values()], ",")
        for family in families
        if family.columns.keys() == answer.columns.keys()
    }
    own_values = values_by_name[answer]
    return [
        family
        for family, values in values_by_name.items()
        if family is answer
        or values.values == own_values.values
        or (
            look_like_measures([family.measure, answer.measure]) == 1
            and (share_scale(values, own_values) or values.values & own_values.values)
        )
    ]


def slots_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Return the slots of a table: numbers or words of a scale, and beside them columns of items."""
    cells = [dict(zip(names, map(str.strip, row), strict=True)) for row in rows]
    numbered = {
        name: [row[name] for row in cells if row[name]] for name in names if _NUMBERED.fullmatch(name)
    }
    stems = {name: "".join(filter(str.isalpha, name.casefold())) for name in numbered}
    scores = {name for name, values in numbered.items() if is_score(values)}
    for family in _families(numbered):
        names_of_family = {*family.columns.values()}
        if not names_of_family <= scores and is_score(
            [cell for name in family.columns.values() for cell in numbered[name]]
        ):
            scores |= names_of_family
    ratings = [
        name for name, values in numbered.items() if values and stems[name] not in _CALLED and name in scores
    ]
    answers = {cell for name in ratings for cell in numbered[name]}
    items = [
        name
        for name in numbered
        if name not in ratings and (stems[name] in _CALLED or answers.isdisjoint(numbered[name]))
    ]
    return paired(cells, ratings, items)


def slots_of_raters(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Return the answers that have a column of the same number for who gave them: rater1_id and rater1_score."""
    cells = [dict(zip(names, map(str.strip, row), strict=True)) for row in rows]
    raters = [name for name in names if _NUMBERED.fullmatch(name) and is_called_rater(_DIGITS.sub("", name))]
    values = {name: [row[name] for row in cells if row[name]] for name in names if name not in raters}
    answers = [name for name, filled in values.items() if filled and is_score(filled)]
    labels = [name for name in values if name not in answers and not is_about(_DIGITS.sub("", name))]
    return paired(cells, answers, raters) or paired(cells, labels, raters)


_DIGITS = re.compile(r"\d+")


def measure_of_slot(name: str) -> str:
    """Return the measure that a numbered answer is of, by its name; "" where it has no number."""
    match = _NUMBERED.fullmatch(name)
    if not match:
        return ""
    before, after = (re.sub(r"^.*[.:]", "", part).strip(" _.:-") for part in match.group("before", "after"))
    return after if after and (not before or look_like_items([f"{before} 1"]) > 0) else before or after


def parallel_columns(names: Iterable[str], answers: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the families of other columns with the numbers of these, each in their order: clip_1 to answer_1."""
    matches = [_NUMBERED.fullmatch(name) for name in answers]
    numbers = [int(match["number"]) for match in matches if match]
    if len(numbers) < len(answers) or len({*numbers}) < 2:
        return []
    return [
        tuple(family.columns[number] for number in numbers)
        for family in _families(name for name in names if name not in answers)
        if {*numbers} <= {*family.columns}
    ]


def are_systems(columns: Sequence[str]) -> bool:
    """Return True for numbered columns that name the systems of a row, such as sys1 and sys2: other rows have the same
    systems, so they are only a part of an item's name."""
    matches = [_NUMBERED.fullmatch(name) for name in columns]
    return len(columns) > 1 and all(
        match and is_called_system(match["before"] + match["after"]) for match in matches
    )


_FILLERS = frozenset(("blank", "empty", "filler"))


def filler_of(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    """Return the text in empty slots, such as BLANK: a word for fillers, or the only text that stands several times in
    a row; "" where there is none."""
    cells = [Counter(row[name] for name in columns if row[name]) for row in rows]
    fillers = {
        cell for row in cells for cell, times in row.items() if times > 1 or cell.casefold() in _FILLERS
    }
    return fillers.pop() if len(fillers) == 1 else ""


def _families(names: Iterable[str]) -> list[_Family]:
    columns_by_affixes: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match:
            columns_by_affixes.setdefault((match["before"], match["after"]), {})[int(match["number"])] = name
    return [
        _Family(len(before + after), re.sub(r"^.*[.:]", "", before).casefold(), columns)
        for (before, after), columns in columns_by_affixes.items()
        if len(columns) > 1
    ]


_ID = re.compile(r"(?=\D*\d)\S{8,}")
"""An id, an address or the name of a file."""


def _holds(rows: Sequence[Mapping[str, str]], answer: _Family, showed: _Family) -> bool:
    counts: Counter[str] = Counter()
    filler = filler_of(rows, [*showed.columns.values()])
    for row in rows:
        items = [row[showed.columns[number]] for number in answer.columns if row[answer.columns[number]]]
        items = [item for item in items if item != filler or not filler]
        if not all(items) or len(set(items)) < len(items):
            return False
        counts.update(items)
    ids = sum(_ID.fullmatch(item) is not None for item in counts)
    if (
        is_called_item(showed.measure) and ids >= CROSSED * len(counts) > 0
    ):  # that no other rater has, perhaps
        return True
    return len(counts) > 1 and sum(times > 1 for times in counts.values()) >= _FEWEST_RETURN * len(counts)


_VAGUE = frozenset(("", "id", "case", "name", "no", "nr", "number", "code", "编号", "番号"))
"""Names of columns that name a row, whatever that is."""
RATERS_BESIDE, ITEMS_BESIDE = "one column per rater", "one column per item"
RATERS_BY_MEASURE, ITEMS_BY_MEASURE = "one column per rater and measure", "one column per item and measure"


_AGREES = 0.2
"""Evidence for both ways, below which names of rows and of columns contradict each other."""
_FEWEST_SAID = 4
"""Words of names that are statements."""
_OCCUPATIONS = frozenset(
    ("occupation", "profession", "beruf", "profesion", "ocupacion", "professione", "profissao")
)
"""Names of occupations of people, who may be the raters or the rated."""
_NO_RATERS = (NAMED_PARTS["measure"], NAMED_PARTS["rater_group"])
"""Beginnings of the names of columns that tell which measure or group a file or sheet holds."""


def read_wide(table: TableProfile, kind: Kind) -> Iterator[Reading]:
    """Yield readings with answers side by side: columns are raters or items, and measures of them."""
    roles = {role: column for role, column in table.roles(kind).items() if role not in ("measure", "design")}
    if "rater_id" in roles and table.may_answer(roles["rater_id"], roles):
        del roles["rater_id"]
    system = roles.get("system")
    if system is not None and "item_id" not in roles:
        crossed = [
            column for column in table.columns if len(column.values) > 2 and are_crossed(column, system)
        ]
        roles |= {"item_id": crossed[0]} if len(crossed) == 1 else {}  # each system once
    answer_columns = _find_answer_columns(table, kind, roles)
    answers = _drop_aggregates(answer_columns)
    odd = _find_odd(answers)
    if odd is None:
        yield from _read_answers(table, kind, roles, answer_columns, answers)
        return
    for these in (answers, [column for column in answers if column is not odd]):
        for reading in _read_answers(table, kind, roles, answer_columns, these):
            yield replace(reading, evidence=min(reading.evidence, ASKED), is_rival=True)


def _read_answers(
    table: TableProfile,
    kind: Kind,
    roles: dict[str, Column],
    answer_columns: Sequence[Column],
    answers: Sequence[Column],
) -> Iterator[Reading]:
    """Yield readings of some of the columns that may hold answers."""
    judged = "measure" if kind is RATINGS else "design"
    roles = dict(roles)
    if len(answers) < 2 or (kind is RATINGS and _are_preferences(table, answers)):
        return
    used = {column.at for column in answers}
    remaining = [column for column in table.columns if column.at not in used and column.holds != "nothing"]
    unnamed = [part for part in table.parts if not part.name.startswith(_NO_RATERS)]
    people = [value for part in unnamed for value in part.values]
    if look_like_people(people) >= 0.5 > look_like_raters([column.name for column in answers]):
        return
    names = [column.name for column in answers]
    is_broken = bool(_few_outside(answers)[0])
    of_raters = max(_raters_above(names), look_like_raters(names)) >= 0.5
    item, rater = roles.get("item_id"), roles.get("rater_id")
    if of_raters and rater is not None:
        is_several = may_be_rated(rater.name) and not table.tells_rows_apart((rater,))
        if is_several or (rater.plain == "responseid" and any(map(is_model, names))):
            del roles["rater_id"]  # those who are rated, several times each; or what models said
    if (
        item in remaining
        and roles.get("rater_id") in remaining
        and not (item is not None and item.names_rows)
    ):
        return
    measure = _measure_of_rows(remaining, table.roles(kind).get(judged))
    with_measure = replace(table, parts=(*table.parts, measure)) if measure else table
    row = row_of(with_measure, [column for column in remaining if column is not measure], roles, of_raters)
    if measure is not None and not row.key:
        measure, row = None, row_of(table, remaining, roles, of_raters)
    rows = len({*zip(*(column.cells for column in row.key), strict=True)}) if measure else row.rows
    parts = [
        column for column in remaining if column not in (roles.get("condition"), roles.get("rater_group"))
    ]
    are_items = look_like_items(names) >= LIKE and shape_of(names[0]) != "question"
    if (
        row.has_several_rows
        and not are_items
        and any(_names_items(column, row.key[0], table) for column in parts)
    ):
        return  # a row for each item and rater
    if row.has_several_rows and any(_numbers_items(column, row.key[0], table) for column in answers):
        return  # one of the columns numbers the items of each rater
    row = replace(
        row,
        rows=rows,
        by_rows=table.sniffed.header_rows > 1,
        are_people=row.raters >= 0.9
        and not (table.parts or any(may_be_rated(part.name) for part in row.key)),
        from_left=_are_filled_from_left(answers),
    )
    levels = [level for grid in grids_of(short_names(names)) for level in (grid.first, grid.second)]
    have_raters = of_raters or any(look_like_raters(level) >= 0.5 for level in levels)
    are_rated = len(row.key) == 1 and (
        may_be_rated(row.key[0].name)
        or (share_titled(names) == 1 and look_like_people(row.key[0].filled) >= 0.5)
    )
    if are_rated and have_raters:
        # over the raters of each row
        averaged = any(column.name.casefold() in MEANS for column in table.columns)
        may_be_either = not averaged and may_be_rated_by_rows(names)
        # those who are rated, perhaps
        row = replace(row, raters=0.5, has_several_rows=False, may_be_swapped=may_be_either)
    elif row.raters >= 0.9 and share_titled(names) == 1:
        row = replace(row, may_be_swapped=True)
    returning = any(  # names that come again in other rows, as those of items and raters do
        (column.holds in ("labels", "texts") or (column.holds == "numbers" and not column.may_be_scale))
        and column.is_full
        and 1 < len(column.values) < len(column.cells)
        for column in remaining
    )
    personal = [column for column in remaining if is_personal(column.name) or column.plain in _OCCUPATIONS]
    returning &= 2 * len(personal) < len(remaining)  # else rows are people
    if not row.key and returning and max(look_like_raters(names), look_like_items(names)) < LIKE:
        return
    between = range(answers[0].at, answers[-1].at)
    rated = [
        column
        for column in remaining
        if column.may_be_scale and (column.at in between or not column.is_constant)
    ]
    known_columns = [roles.get(role) for role in (*PARTS, "rater_group", "expected", "gold")]
    rated = [column for column in rated if may_be_answer(column)]
    unattributed = [column.name for column in rated if column.plain in UNATTRIBUTED]
    unattributed += [roles["expected"].name] if "expected" in roles else []
    rated = [column for column in rated if column.plain not in _VAGUE | UNATTRIBUTED]
    rated = [column for column in rated if column not in known_columns and not follows(column, answers)]
    rated = [column for column in rated if not counts_filled(column, answers)]

    are_whole = all(map(_are_whole, answers))

    def may_be_sister(column: Column) -> bool:
        finer = answers[0].in_steps and column.holds == "numbers" and not column.in_steps
        total = is_unattributed(column.name) and not share_scale(column, answers[0])
        is_other = (
            are_whole and not _are_whole(column) and not any(share_scale(column, one) for one in answers)
        )
        is_count = answers[0].holds == "labels" and bool(COUNTS & {*words_of(column.name)})
        of_others = finer or total or is_other or is_count
        return column not in answer_columns and not of_others and not column.is_constant

    rows_called = row.key[0].filled if len(row.key) == 1 else ()
    joined = _joined_names(rows_called)
    compared = _are_compared(table.columns) or _are_same_things(names, rows_called)
    doubt = _COMPARED if compared else _OF_OUTPUTS if _are_of_outputs(table, names) else ""
    doubt = doubt or (_CONTINGENCY if _are_classes_of_two(table.columns) else "")
    spreads = [
        column.name
        for column in remaining
        if column.holds == "numbers" and not column.in_steps and SPREADS & {*words_of(column.name)}
    ]
    are_fine = all(column.holds == "numbers" and not column.in_steps for column in answers)
    are_means = are_fine and len(spreads) >= len(answers)
    doubt = _OF_MEANS.format(list_first(spreads)) if are_means else doubt
    people_left = not have_raters and any(table.may_be_rated_instead(column, row.key) for column in remaining)
    sisters = [] if kind is RATINGS else _called_alike(names, remaining)
    if sisters:
        doubt = _OTHER_WORDS.format(list_first(names), list_first(sisters))
    for reading in _of_names(kind, names, row):
        if joined:
            reading = replace(reading, evidence=min(reading.evidence, 0.5), notes=(joined, *reading.notes))
        if doubt:
            reading = replace(reading, layout="", evidence=0.3, notes=(doubt,))
        elif reading.layout == RATERS_BESIDE and (metrics := _one_of_people(names)):
            reading = replace(reading, layout="", evidence=min(reading.evidence, 0.3), notes=(metrics,))
        if is_broken and reading.layout == RATERS_BESIDE:  # one of the columns is not named as the others
            reading = replace(reading, evidence=min(reading.evidence, 0.5))
        if people_left and reading.layout == RATERS_BESIDE:
            reading = replace(reading, evidence=min(reading.evidence, MAY_BE_RATED))
        if measure is not None and NAMES + judged in reading.mapping:
            reading = replace(reading, evidence=min(reading.evidence, 0.5))  # measures in two places
        elif measure is not None:
            reading = replace(reading, mapping={**reading.mapping, judged: measure.name})
        unused_ratings = [column.name for column in rated if column.name not in reading.columns]
        unused = dict.fromkeys(
            (
                *unused_ratings,
                *unattributed,
                *(column.name for column in answer_columns if column not in answers),
            )
        )
        notes = (*reading.notes, *((f"Not used: {listed([*unused])}.",) if unused else ()))
        doubted = any(column.name in unused_ratings and may_be_sister(column) for column in rated)
        are_named = (
            look_like_raters(names)
            >= LIKE
            > max(look_like_raters(unused_ratings), look_like_measures(unused_ratings))
        )
        evidence = reading.evidence * (1.0 if not doubted else 0.8 if are_named else 0.6)
        evidence = min(evidence, ASKED) if are_fine and not table.sniffed.header else evidence
        yield replace(reading, evidence=evidence, notes=notes)


_OTHER_WORDS = (
    "Columns {} hold answers in the same words, but those of {}, which are called alike, hold others. Write all "
    "answers in the same words, and notes on them into columns of their own."
)


def _called_alike(names: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """Return the columns of texts that come again whose names begin as all of these do, as "Answer / Kim" and "Answer /
    Lee"."""
    for mark in (separator for separator in SEPARATORS if not re.search(r"\w|^[-. ]$", separator)):
        beginnings = {name.partition(mark)[0] for name in names if mark in name}
        if len(beginnings) == 1 and all(mark in name for name in names):
            return [
                column.name
                for column in columns
                if mark in column.name
                and column.name.partition(mark)[0] in beginnings
                and column.holds in ("labels", "words", "texts")
                and 2 * len(column.values) <= len(column.filled)
            ]
    return []


def _are_filled_from_left(columns: Sequence[Column]) -> bool:
    """Return True for columns named by consecutive numbers of which each row fills the first few, some more than
    others."""
    numbers = [int(column.name) for column in columns if column.name.isdecimal()]
    if len(numbers) < len(columns) or numbers not in ([*range(len(numbers))], [*range(1, len(numbers) + 1)]):
        return False
    filled = [tuple(map(bool, cells)) for cells in zip(*(column.cells for column in columns), strict=True)]
    lengths = Counter(map(sum, filled))
    are_first = all(list(row) == sorted(row, reverse=True) for row in filled)
    return are_first and sum(times >= _FEWEST_FILLED for times in lengths.values()) > 2


_FEWEST_FILLED = 3
"""Rows with the same number of ratings that are no chance; two such numbers may be of a subset that one more rated."""


def _numbers_items(column: Column, rater: Column, table: TableProfile) -> bool:
    """Return True for whole numbers that differ between all rows of a rater, in several rows of each, and return."""
    is_whole = column.is_full and all(map(str.isdecimal, column.values))
    returns = _SEVERAL * len(column.values) <= len(column.cells) >= _SEVERAL * len(rater.values)
    return is_whole and returns and table.tells_rows_apart((rater, column))


def _names_items(column: Column, rater: Column, table: TableProfile) -> bool:
    """Return True for a column named as items that return, one row of each rater."""
    is_named = column.plain in ITEM_PARTS or (
        ends_as_id(column.name) and not is_about(column.plain.removesuffix("id"))
    )
    returning = 1 < 1.5 * len(column.values) <= len(column.cells)
    return is_named and returning and table.tells_rows_apart((column, rater))


def _measure_of_rows(columns: Sequence[Column], named_measure: Column | None) -> Column | None:
    """Return the column of measures of the rows of an item: by its name, or by words for measures."""
    candidates = [
        column
        for column in columns
        if column.holds in ("labels", "words")
        and column.is_full
        and 1 < len(column.values) <= len(column.cells) / 2
        if (column is named_measure and look_like_items(sorted(column.values)) < LIKE)
        or look_like_measures(sorted(column.values)) >= LIKE
    ]
    return candidates[0] if len(candidates) == 1 else None


def _joined_names(names: Sequence[str]) -> str:
    """Return a sentence where the names of rows join raters or items with measures, such as "A1 fluency"; else ""."""
    natural = [grid for grid in grids_of(names) if is_natural(grid)] if len(names) > 3 else []
    likelihoods = [max(look_like_measures(grid.first), look_like_measures(grid.second)) for grid in natural]
    if max(likelihoods, default=0) < LIKE:
        return ""
    return f'Names of rows seem to join two things, such as "{names[0]}". Write each into its own column.'


_COMPARED = (
    "Rows and columns are the same things: these are comparisons or distances of what the columns name, or ratings of "
    "each by each. Write each of them into its own row."
)


_CONTINGENCY = (
    "Rows and columns are the same classes, so the cells seem to count the items that two raters put into each of "
    "them. Write one row per item, with the class that each of the two gave."
)


_OF_MEANS = (
    "Columns such as {} hold standard errors or deviations, one for each of the others, so these are means and not "
    "ratings. Upload the single ratings."
)


def _one_of_people(names: Sequence[str]) -> str:
    """Return a sentence where one name is that of people, such as human_score, and no other that of a rater or a
    model; else ""."""
    rater_names = [name for name in names if look_like_raters([name]) >= 0.5]
    if (
        len(names) < 3
        or len(rater_names) != 1
        or not is_beside_model(rater_names[0])
        or is_model(rater_names[0])
    ):
        return ""
    examples = listed([name for name in names if name not in rater_names][:3])
    return (
        f'Only "{rater_names[0]}" is called that of people, so others, such as {examples}, may be metrics. Map the '
        "columns of raters, or write one row per rating with a column for the rater."
    )


def _are_classes_of_two(columns: Sequence[Column]) -> bool:
    """Return True where the names of rows and of columns are the same but for a word for the rater that comes first or
    last in all, and the cells are whole numbers: "A: yes" and "B: yes"."""
    rows, *counts = columns
    if not counts or len(counts) != len(rows.cells) or rows.holds == "numbers":
        return False
    if any(not cell.isdecimal() for column in counts for cell in column.cells):
        return False
    classes = _without_shared([words_of(cell) for cell in rows.cells])
    are_words = all(len(" ".join(words)) > 1 and not any(map(str.isdecimal, words)) for words in classes)
    return are_words and classes == _without_shared([words_of(column.name) for column in counts])


def _without_shared(names: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the words of names without those that all begin or end with."""
    words = [tuple(name) for name in names]
    for position in (0, -1):
        while all(words) and len({name[position] for name in words}) == 1:
            words = [name[1:] if position == 0 else name[:-1] for name in words]
    return words


_MOST_SAME = 0.8
"""Share of names of rows and columns that are the same where all are meant to be."""


def _are_same_things(names: Sequence[str], rows: Sequence[str]) -> bool:
    """Return True where most names of columns, but for the words that they share, are names of rows and the other way
    round: "score Ann" and Ann."""
    own_names = {" ".join(words) for words in _without_shared([words_of(name) for name in names])}
    row_names = {" ".join(words_of(name)) for name in rows}
    are_numbers = any(name.isdecimal() for name in row_names)
    common = len(own_names & row_names)
    same = common >= _MOST_SAME * max(len(own_names), len(row_names))
    return {*names} == {*rows} or (same and not are_numbers and common > 2)


def _are_compared(columns: Sequence[Column]) -> bool:
    """Return True where rows and columns are the same things: the cells of a pair are equal, or have one sum."""
    cells = [column.numbers for column in columns if column.holds == "numbers"]
    size = len(cells)
    if size < 4 or any(len(numbers) != size for numbers in cells) or len(columns[0].cells) != size:
        return False
    opposite_cells = [(cells[a][b], cells[b][a]) for a, b in combinations(range(size), 2)]
    is_symmetric = len({a + b for a, b in opposite_cells}) == 1 or all(a == b for a, b in opposite_cells)
    return is_symmetric and len({cells[index][index] for index in range(size)}) == 1


_OUTPUTS = frozenset(
    (
        "answer",
        "response",
        "output",
        "utterance",
        "generation",
        "completion",
        "summary",
        "translation",
        "reply",
    )
)
"""Words in names of columns with texts that a system made, such as answer_gpt4."""
_OF_OUTPUTS = (
    "Each answer is about a text in another column, which a system made, and nobody who answered is named. Write each "
    "text into its own row, with the system, the rater and the answer."
)


def _are_of_outputs(table: TableProfile, names: Sequence[str]) -> bool:
    """Return True where most names but for their first or last word are those of texts: judge_gpt4 of answer_gpt4."""
    outputs = set[str]()
    for column in table.columns:
        first_words, words, last_words = _ends_of(column.name) if column.holds == "texts" else ("", (), "")
        outputs |= {
            part for part, word in zip((last_words, first_words), words, strict=False) if word in _OUTPUTS
        }
    matching = [name for name in names if {*_ends_of(name)[::2]} & outputs - {""}]
    return len(matching) > 1 and 2 * len(matching) > len(names) and look_like_people(sorted(outputs)) < 0.5


def _ends_of(name: str) -> tuple[str, tuple[str, str], str]:
    """Return a name without its last word, its first and last word, and the name without its first."""
    words = re.split(r"[\s._/-]+", name.casefold())
    return " ".join(words[:-1]), (words[0], words[-1]), " ".join(words[1:])


def _find_odd(columns: Sequence[Column]) -> Column | None:
    """Return the only column with a name that may be a person's or a word, such as Level, beside raters who are
    numbered, or beside two known first names."""
    odd = [column for column in columns if shape_of(column.name) == "name" and not is_rater(column.name)]
    odd = [column for column in odd if look_like_people([column.name]) < LIKE]
    numbered = [column for column in columns if " with a number" in shape_of(column.name)]
    are_raters = len(numbered) == len(columns) - 1 > 1 and all(
        has_rater_word(column.name) for column in numbered
    )
    are_raters |= len(columns) == 3 and sum(column.plain in FIRST_NAMES for column in columns) == 2
    return odd[0] if len(odd) == 1 and are_raters else None


def _drop_aggregates(columns: Sequence[Column]) -> list[Column]:
    """Return the columns without those of no rater or item, such as the majority or the sum of the others; a repeated
    name has sisters."""
    remaining = [
        column
        for column in columns
        if column.plain not in UNATTRIBUTED
        or any(other is not column and other.name.startswith(column.name) for other in columns)
    ]
    # rater1_essay and rater2_essay beside essay_score
    if sum(has_rater_word(column.name) for column in remaining) > 1:
        remaining = [
            column
            for column in remaining
            if is_rater(column.name) or has_rater_word(column.name) or not is_unattributed(column.name)
        ]
    totals = [*_totals_in_grid(remaining), *_outside_the_grid(remaining)]
    remaining = [column for column in remaining if column not in totals]
    numbered: dict[str, list[Column]] = {}  # such as Overall_1 and Overall_2 beside Overall
    for column in remaining:
        stem, _ = stem_and_number(column.name)
        if stem != column.name:
            numbered.setdefault(stem, []).append(column)
    remaining = [column for column in remaining if not follows(column, numbered.get(column.name, []))]
    remaining = [column for column in remaining if not _is_decision_on(column, remaining)]
    computed = find_computed(remaining)
    cells = [column.cells for column in remaining if MEANS.isdisjoint(tokens_of(column.name))]
    return [
        column
        for column in remaining
        if column is not computed
        and (MEANS.isdisjoint(tokens_of(column.name)) or not is_mean_of(column.cells, cells))
    ]


_FEWEST_OPPOSED = 5
"""Rows of different labels in which one that is always the most frequent is no chance."""


def _is_decision_on(column: Column, columns: Sequence[Column]) -> bool:
    """Return True for labels under another name than the others, which are numbered, where each is the most frequent of
    theirs, or one of those, or which are called gold."""
    others = [other for other in columns if other is not column]
    if column.holds != "labels" or len(others) < 2:
        return False
    stems = {stem_and_number(other.name)[0] for other in others}
    are_numbered = len(stems) == 1 and all(stem_and_number(other.name)[1] for other in others)
    if not are_numbered or stem_and_number(column.name)[0] in stems:
        return False
    if "gold" in words_of(column.name):
        return True
    opposed = 0
    for label, *cells in zip(column.cells, *(other.cells for other in others), strict=True):
        times = Counter(filter(None, cells))
        if label and times and times[label] < max(times.values()):
            return False
        opposed += bool(label) and len(times) > 1
    return opposed >= _FEWEST_OPPOSED


_FEWEST_INSIDE = 4
"""Columns of a grid for each that is left out."""


def _totals_in_grid(columns: Sequence[Column]) -> list[Column]:
    """Return the columns such as total_R1 that hold the sums or means of others, such as content_R1 and style_R1, and
    those of no one rater beside those of raters."""
    totals: list[Column] = []
    for grid in grids_of([column.name for column in columns]):
        for part, other_part in ((0, 1), (1, 0)):
            are_totals = [plain_name(pair[part]) in UNATTRIBUTED for pair in grid.pairs]
            people = [pair[part] for pair, nobody in zip(grid.pairs, are_totals, strict=True) if not nobody]
            if any(are_totals) and look_like_raters(people) >= LIKE:  # resolved_style beside rater1_style
                totals += [*compress(columns, are_totals)]
            are_totals = [pair[part].casefold() in MEANS for pair in grid.pairs]
            sums = [
                follows(
                    column,
                    [
                        sister
                        for sister, levels, is_sum in zip(columns, grid.pairs, are_totals, strict=True)
                        if levels[other_part] == pair[other_part] and not is_sum
                    ],
                )
                for column, pair, is_total in zip(columns, grid.pairs, are_totals, strict=True)
                if is_total
            ]
            totals += [*compress(columns, are_totals)] if sums and all(sums) else []
    return totals


_COUNTED = re.compile(r"(?:n|nr|num|number)[_ .-].*|.*[_ .-](?:set|number|nr)", re.IGNORECASE)
"""Names of numbers of things or of sets, such as n_turns and essay_set."""


def _begins_attribute(word: str) -> bool:
    """Return True for the beginning of an attribute of raters, such as geschl."""
    return len(word) > 3 and any(attribute.startswith(word) for attribute in ATTRIBUTES)


def _are_whole(column: Column) -> bool:
    return all(point.is_integer() for point in column.points)


def _parts_of_grids(columns: Sequence[Column], grids: Sequence[Grid]) -> Iterator[list[Column]]:
    """Yield the columns of each rater, item or measure that their names tell."""
    for grid in grids:
        for level in (0, 1):
            for part in dict.fromkeys(pair[level] for pair in grid.pairs):
                yield [
                    column for column, pair in zip(columns, grid.pairs, strict=True) if pair[level] == part
                ]


def _few_outside(columns: Sequence[Column]) -> tuple[list[Column], list[Column], list[Grid]]:
    """Return the few columns that have no part of the name in common with any other, the others, which join raters or
    items with measures, such as r1_style and r2_style, and their grids; nothing where there is no such grid."""
    for separator in (*SEPARATORS, "[", "("):
        pairs = [_split(column.name.partition(separator)) for column in columns]
        first, second = (
            (Counter(parts) for parts in zip(*pairs, strict=True)) if pairs else (Counter(), Counter())
        )
        is_outside = [not after or max(first[before], second[after]) < 2 for before, after in pairs]
        outside = [*compress(columns, is_outside)]
        inside = [column for column, is_out in zip(columns, is_outside, strict=True) if not is_out]
        if 0 < _FEWEST_INSIDE * len(outside) <= len(columns):
            grids = [grid for grid in grids_of([column.name for column in inside]) if is_natural(grid)]
            if grids:
                return outside, inside, grids
    return [], [], []


def _outside_the_grid(columns: Sequence[Column]) -> list[Column]:
    """Return the few columns outside a grid that are called numbers of things or sets, such as n_turns, attributes of
    raters, means or totals, or measures beside those of raters, or follow from the others."""
    outside, inside, grids = _few_outside(columns)
    people = [level for grid in grids for level in (grid.first, grid.second)]
    of_raters = any(look_like_raters(level) >= 0.5 for level in people)
    summed = [inside, *_parts_of_grids(inside, grids)]
    are_attributes = all(
        _COUNTED.fullmatch(column.name)
        or _begins_attribute(column.plain)
        or is_unattributed(column.name)
        or not MEANS.isdisjoint(tokens_of(column.name))
        or any(follows(column, part) for part in summed)
        for column in outside
    )
    are_measures = of_raters and all(look_like_measures([column.name]) > 0 for column in outside)
    return outside if are_attributes or are_measures else []


def _find_answer_columns(table: TableProfile, kind: Kind, roles: Mapping[str, Column]) -> list[Column]:
    if kind is RATINGS:
        return columns_on_one_scale(table, roles)
    reserved = reserved_indices(roles, ("rater_id", "item_id"))
    preferred = columns_on_one_scale(table, roles)
    if kind is CHOICES and _are_preferences(table, preferred):
        return preferred
    if kind is not LABEL_SETS:
        alike = columns_of_one_vocabulary(table, roles)
        labels = [
            column for column in table.columns if column.holds == "labels" and column.at not in reserved
        ]
        in_grid = any(map(is_natural, grids_of([column.name for column in labels])))
        return labels if in_grid and alike and all(column in labels for column in alike) else alike
    set_columns = table.set_columns
    return (
        [column for column in set_columns[0] if column.at not in reserved] if set_columns is not None else []
    )


def _are_preferences(table: TableProfile, answers: Sequence[Column]) -> bool:
    """Return True where numbers stand beside two texts of one name, numbered: they say which of the two is better."""
    texts = {
        column.name[:-1]: 0
        for column in table.columns
        if column.holds == "texts" and column.name[-1:] in "12abAB"
        if not has_rater_word(column.name)  # the reason of each rater
    }
    for column in table.columns:
        if column.holds == "texts" and column.name[:-1] in texts:
            texts[column.name[:-1]] += 1
    points = frozenset[float]().union(*(column.points for column in answers))
    return 2 in texts.values() and len(points) <= 4 and points <= {-1, 0, 1, 2, 3}


@dataclass(frozen=True)
class _Row:
    """Columns that name a row, how likely rows are raters, and how many rows there are."""

    key: tuple[Column, ...]
    raters: float
    rows: int
    has_several_rows: bool = False
    """True where a rater has more than one row."""
    may_be_swapped: bool = False
    """True where rows and columns are people who may rate each other."""
    by_rows: bool = False
    """True where levels of the columns' names stand in separate header rows."""
    are_people: bool = False
    """True where each row is named by a rater whom nobody else rated."""
    from_left: bool = False
    """True where each row has its answers in the first of numbered columns: the first rating, the second, and so on."""


def _is_above_columns(corner: Column, answers: Sequence[Column]) -> bool:
    """Return True for a header that says what all columns of answers are, and not what is below it."""
    stems = {stem_and_number(column.name)[0].casefold() for column in answers}
    return stems == {corner.plain} and len(answers) > 1 and corner.names_rows


def _find_pair(table: TableProfile, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return two columns of texts, named alike but for the side, that tell rows apart, such as Word 1 and Word 2: two
    things that were compared."""
    pairs = pairs_among(column for column in columns if not has_rater_word(column.name))
    is_pair = table.sniffed.header and len(pairs) == 1 and table.tells_rows_apart(pairs[0])
    return pairs[0] if is_pair else ()


def row_of(
    table: TableProfile, columns: Sequence[Column], roles: Mapping[str, Column], of_raters: bool
) -> _Row:
    """Return the columns that name a row, by names first and then by values; two columns only beside those
    `of_raters`."""
    rater, item = roles.get("rater_id"), roles.get("item_id")
    item = None if item is not None and item.plain in _VAGUE and rater is not None else item
    answers = [column for column in table.columns if column not in columns]
    headers = [each for each in (rater, item) if each is not None and each in columns]
    for corner in headers:
        if _is_above_columns(corner, answers):  # "clip" above raters, next to clip1 and clip2
            are_people = max(look_like_raters([*corner.values]), look_like_people([*corner.values])) >= LIKE
            return _Row((corner,), 0.1 if corner is rater else 0.9 if are_people else 0.5, table.rows)
    if rater is not None and rater in columns and rater.is_full and (item is None or item not in columns):
        if table.tells_rows_apart((rater,)):
            return _Row((rater,), 0.97, table.rows)
        return _Row((rater,), 0.9, table.rows, has_several_rows=True)
    if item is not None and item in columns and table.tells_rows_apart((item,)) and item.plain not in _VAGUE:
        return _Row((item,), 0.03, table.rows)
    group = roles.get("rater_group")
    is_vague = item is not None and item.plain in _VAGUE
    if item is not None and not is_vague and group is not None and item in columns and group in columns:
        of_groups = are_groups([*group.values]) and not any(map(is_beside_model, group.values))  # no authors
        if of_groups and table.tells_rows_apart((item, group)):
            return _Row((item,), 0.03, len(item.values))
    keys = [
        column
        for column in columns
        if column.plain in ITEM_PARTS
        or ends_as_id(column.name)
        or may_be_rated(column.name)
        or column in [roles.get(role) for role in ("item_id", *PARTS)]
    ]
    keys = [column for column in keys if column.is_full and not column.is_constant]
    for size in range(1, MOST_PARTS):
        for key in combinations(keys[:MOST_CANDIDATES], size):
            vague = key[0].plain in _VAGUE or ends_as_id(key[0].name)
            is_redundant = vague if size == 1 else any(table.tells_rows_apart((column,)) for column in key)
            if table.tells_rows_apart(key) and not is_redundant:
                return _Row(key, 0.03, table.rows)
    if (pair := _find_pair(table, columns)) and rater is None:
        return _Row(pair, 0.03, table.rows)
    unique = [column for column in columns if table.tells_rows_apart((column,)) and column.holds != "times"]
    unique = [column for column in unique if not is_personal(column.name)]
    crossed = [
        column
        for column in columns
        if column.holds in ("labels", "texts") and column.is_full and not column.is_constant
    ]
    row_names = [
        column
        for column in unique
        if column.holds != "numbers" or column.counts_rows or column.plain in _VAGUE
    ]
    if not of_raters:
        stems = {column.at: [value.partition("#")[0] for value in column.values] for column in crossed}
        crossed = [
            column
            for column in crossed
            if not table.sniffed.header and look_like_items(stems[column.at]) >= LIKE
        ]
    for pair in combinations(crossed, 2) if rater is None and not row_names else ():
        if table.tells_rows_apart(pair) and (of_raters or are_crossed(*pair)):
            return _Row(pair, 0.03, table.rows)
    places = {column.at for column in keys}
    parts = [*keys, *(column for column in crossed if column.at not in places)]
    parts += [column for column in columns if column not in parts and column.counts_from_one]
    parts = parts[:MOST_CANDIDATES]
    sizes = range(2, MOST_PARTS) if of_raters and rater is None and not row_names else ()
    for key in (key for size in sizes for key in combinations(parts, size)):
        if table.tells_rows_apart(key):
            return _Row(key, 0.03, table.rows)
    if not table.sniffed.header:
        named = row_names[:1]
        # coders of many units, perhaps
        may_rate = table.rows < len(answers) and all(
            look_like_items(sorted(column.values)) < LIKE for column in named
        )
        return _Row((*named,), 0.5 if may_rate else 0.1, table.rows)
    if not row_names:
        of_people = any(column.holds == "times" or is_personal(column.name) for column in columns)
        return _Row((), 0.6 if of_people else 0.3, table.rows)
    if {column.plain for column in row_names} == {"id"} and sum(
        column.holds == "times" for column in columns
    ) > 1:
        return _Row((row_names[0],), 0.9, table.rows)  # when each response began and ended
    short = [column for column in row_names if max(map(len, column.values)) <= LONGEST_LABEL] or row_names
    likeness = {
        column.at: (look_like_raters(sorted(column.values)), look_like_items(sorted(column.values)))
        for column in short
    }
    first = min(short, key=lambda column: (max(likeness[column.at]) < LIKE, column.at))
    raters, items = likeness[first.at]
    if max(raters, items) < LIKE:
        prose = median(len(value) * (" " in value) for value in first.values) > LONGEST_LABEL / 2  # no names
        return _Row((first,), 0.02 if prose else 0.5, table.rows)
    return _Row((first,), 0.9 if raters > items else 0.1, table.rows)


def _of_names(kind: Kind, columns: Sequence[str], row: _Row) -> Iterator[Reading]:
    """Yield the readings of answers side by side in columns of these names."""
    names = short_names(columns)
    are_statements = row.raters > 0.5 and median(len(name.split()) for name in names) >= _FEWEST_SAID
    row = replace(row, raters=max(row.raters, 0.85)) if are_statements else row  # who agrees with statements
    measures = look_like_measures(names)
    full_grids = grids_of(names)
    grids = [grid for grid in full_grids if row.by_rows or is_natural(grid)]
    grids = grids or _grids_of_two_words(names)
    if not grids and row.key and row.raters < 0.5:
        grids = [grid for grid in full_grids if _are_numbered_for_each(grid)]
    yield from _grid_readings(kind, columns, grids, row)
    families = _families(names)
    numbered = len(families) == 1 and len(families[0].columns) == len(names)
    if measures >= LIKE > look_like_raters(names) and not numbered and not row.are_people:
        return  # one number of each measure for an item: means, or one rater who is not named
    raters, items = (
        (0.0, 0.0)
        if row.may_be_swapped
        else (max(_raters_above(columns), look_like_raters(names)), look_like_items(names))
    )
    if row.raters >= 0.4 and (are_lettered(names) or (row.are_people and all(map(is_model, names)))):
        raters = 0.0  # S1 and S2 of people in rows are no subjects, and GPT-4 and Llama are what they rated
    of_raters = _odds(max(raters, 0.02), max(items, 0.02)) if max(raters, items) >= 0.5 else 0.5
    rater_odds = of_raters * (1 - row.raters)
    item_odds = (1 - of_raters) * row.raters
    shapes = {shape_of(name) for name in names}
    unknown = (
        max(raters, items) < 0.5
        and shapes <= {"word", "name", "about", *(["measure"] if row.raters <= 0.5 else [])}
        and not numbered
        and not are_statements
    )
    models = [name for name in names if is_model(name) and not tokens_of(name).intersection(RATER)]
    may_be_rated_models = kind is RATINGS and len(models) == len(names)
    may_be_rated_models &= not any(may_be_rated(part.name) for part in row.key)
    are_letters = "".join(names).upper() == ascii_uppercase[: len(names)]
    own_words = _without_shared([re.split(r"[\s._/-]+", name) for name in names])
    are_names = all(len(words) == 1 and words[0].istitle() for words in own_words)  # topic_Todd
    may_be_people = row.are_people or (are_names and not any(map(str.istitle, names)))
    confidence = (0.5 if grids else 0.58 if unknown else 0.97) / max(rater_odds + item_odds, _AGREES)
    if abs(row.raters - 0.5) <= 0.3 and max(raters, items) < 0.5:
        rater_odds, item_odds, confidence = 0.5, 0.5, 0.96 if grids else 1.0
    are_documents_or_doctors = len(names) == 2 and not row.key
    are_documents_or_doctors &= all(name[:3].casefold() == "doc" for name in names)
    if are_documents_or_doctors or all(map(TIME.fullmatch, names)):  # or days on which whoever rated whatever
        rater_odds, item_odds, confidence = 0.5, 0.5, 1.0
    if row.has_several_rows and items < 0.5:
        item_odds = 0.0  # a person in several rows, and what tells these apart is not known
    for reading in _rater_and_item_readings(
        kind, columns, names, {}, confidence * rater_odds, confidence * item_odds, row
    ):
        if unknown and reading.evidence > 0.5 and (are_letters or may_be_people):
            reading = replace(reading, evidence=ASKED)
        elif measures >= LIKE > max(raters, items) and not numbered:
            reading = replace(reading, evidence=min(reading.evidence, ASKED))
        if may_be_rated_models and reading.layout == RATERS_BESIDE:
            notes = (*reading.notes, _MODELS)
            reading = replace(reading, evidence=min(reading.evidence, ASKED), notes=notes)
        yield replace(reading, notes=(*reading.notes, _UNKNOWN)) if unknown else reading


_MODELS = "If these models wrote what was rated, nobody is named who rated, and this is not the layout."
_UNKNOWN = "The names of the columns do not say whether these are raters, items, measures or questions."


def _rater_and_item_readings(
    kind: Kind,
    columns: Sequence[str],
    labels: Sequence[str],
    measures: Mapping[str, tuple[str, ...]],
    of_raters: float,
    of_items: float,
    row: _Row,
) -> Iterator[Reading]:
    """Yield columns of answers as one per rater and as one per item, with the evidence for each."""
    and_measure, number_of_labels = " and measure" if measures else "", len(set(labels))
    examples = list_first(columns if measures else labels)
    beginning = f"{len(columns)} columns hold {kind.rows} ({examples})"
    answer_mapping: dict[str, str | tuple[str, ...]] = {kind.cells: tuple(columns), **measures}
    names = {"rater_id": tuple(labels), "item_id": tuple(labels)} if [*labels] != [*columns] else {}
    key = source_of(row.key) if row.key else ROW
    if not row.has_several_rows:
        are_slots = not measures and kind.cells == "score" and (row.from_left or all(map(is_slot, labels)))
        numbers = [int(number) for _, number in map(stem_and_number, labels) if number.isdecimal()]
        if are_slots and numbers and max(numbers) - min(numbers) >= 2 * len(labels):  # J11, J12, J21, J22
            of_raters = min(of_raters, ASKED)
        mapping = {"item_id": key, **answer_mapping, "@form": "rater columns"}
        mapping |= {"@raters": "slots"} if are_slots else {}
        mapping |= {"@names rater_id": names["rater_id"]} if names else {}
        groups = () if measures else groups_of(labels)
        mapping |= {"@names rater_group": groups} if groups else {}
        description = (
            "one column per rating, not per person" if are_slots else f"one column per rater{and_measure}"
        )
        notes = [f"{beginning}: {description}."]
        if not row.key and not measures:
            notes.append("No column names the items; they are called by their row.")
        layout = RATERS_BY_MEASURE if measures else RATERS_BESIDE
        yield Reading(kind.name, layout, mapping, of_raters, tuple(notes), number_of_labels, row.rows)
    if len(row.key) < 2:  # several columns name an item, but no rater
        mapping = {"rater_id": key, **answer_mapping, "@form": "item columns"}
        mapping |= {"@names item_id": names["item_id"]} if names else {}
        layout = ITEMS_BY_MEASURE if measures else ITEMS_BESIDE
        notes = [f"{beginning}: one column per item{and_measure}."]
        yield Reading(kind.name, layout, mapping, of_items, tuple(notes), row.rows, number_of_labels)


def _raters_above(columns: Sequence[str]) -> float:
    """Return a score from 0 to 1 of the header above all names as one of raters."""
    upper = {level for level, _ in levels_of(columns)}
    if len(upper) > 1 and not are_groups([*upper]):
        return 0.0
    return 1.0 if len(upper) > 1 else look_like_raters([*upper])


def _odds(first: float, second: float) -> float:
    return first / (first + second)


_CRITERIA = frozenset(
    ("domain", "dimension", "criterion", "aspect", "trait", "kriterium", "aspekt", "critère", "criterio")
)
"""Words for measures that are numbered, such as domain1."""
_QUESTIONS = _CRITERIA | {"q", "question", "item", "statement", "frage", "aussage", "pregunta", "v", "var"}
"""Words for questions that are numbered, and may be about one of several things each."""


def _look_like_measures(level: Sequence[str]) -> float:
    """Return a score from 0 to 1 of names as those of measures, also without the words that they share."""
    short_names_of_level = [" ".join(words) for words in _without_shared([words_of(name) for name in level])]
    are_criteria = bool(level) and all(stem_and_number(name)[0].casefold() in _CRITERIA for name in level)
    measures = max(look_like_measures(level), look_like_measures(short_names_of_level), float(are_criteria))
    are_words = {*map(shape_of, level)} <= {"measure", "word", "name"}  # one of which is known
    of_others = max(look_like_raters(level), look_like_items(level)) >= 0.5
    return 0.5 if 0 < measures < 0.5 and are_words and not of_others else measures


def is_natural(grid: Grid) -> bool:
    """Return True where one of the two levels looks like measures, or one like raters and the other is no number."""
    if max(_look_like_measures(grid.first), _look_like_measures(grid.second)) >= 0.5:
        return True
    if _are_asked_again(grid.second, grid.first):
        return True
    are_numbers = [all(part.isdigit() for part in level) for level in (grid.first, grid.second)]
    numbered = [
        len({*map(shape_of, level)}) == 1 and " with a number" in shape_of(level[0])
        for level in (grid.first, grid.second)
    ]
    people = max(look_like_raters(grid.first), look_like_raters(grid.second))
    if are_files(grid.second):
        return people >= 0.5
    items = max(look_like_items(grid.first), look_like_items(grid.second))
    return not any(are_numbers) and (max(people, items) >= 0.5 or (any(numbered) and not all(numbered)))


def _are_numbered_for_each(grid: Grid) -> bool:
    """Return True for numbers that come again for each of several words, such as V_1, V_2, A_1 and A_2: raters of
    measures, perhaps."""
    of_people = are_groups(grid.first) or look_like_raters(grid.first) > 0
    return all(map(str.isdigit, grid.second)) and not of_people and not any(map(str.isdigit, grid.first))


def _are_asked_again(labels: Sequence[str], judged: Sequence[str]) -> bool:
    """Return True for questions that are asked once for each number of a thing."""
    return all(map(str.isdigit, labels)) and all(shape_of(name) == "question" for name in judged)


def _are_numbered_items(level: Sequence[str]) -> bool:
    """Return True for names of one word and a number or letter, such as b01 or Voice A, that are no questions."""
    shapes = {*map(shape_of, level)}
    stem, numbered, _ = shapes.pop().partition(" with a number") if len(shapes) == 1 else ("", "", "")
    return bool(numbered) and stem not in _QUESTIONS and look_like_raters(level) < 0.5


def _grid_readings(kind: Kind, names: Sequence[str], grids: Sequence[Grid], row: _Row) -> Iterator[Reading]:
    """Yield the readings of columns whose names join raters or items with measures."""
    for position, grid in enumerate(grids):
        for swapped in (False, True):
            labels, judged = (grid.second, grid.first) if swapped else (grid.first, grid.second)
            pairs = [pair[::-1] if swapped else pair for pair in grid.pairs]
            if _are_asked_again(judged, labels):
                continue
            likelihood = 0.5 if _are_asked_again(labels, judged) else _look_like_measures(judged)
            if likelihood < 0.5 and max(_look_like_measures(labels), look_like_raters(judged)) >= 0.5:
                continue
            if row.raters >= 0.5 and _are_numbered_items(judged) and hold_measures(labels):
                continue
            if row.raters >= 0.5 and _are_numbered_items(labels) and hold_measures(judged):
                likelihood = 0.5
            is_in_header = row.by_rows and likelihood > 0 and look_like_raters(labels) >= LIKE
            of_people = kind is not RATINGS and look_like_people(labels) >= 0.5
            of_people &= max(look_like_raters(judged), look_like_items(judged)) < 0.5
            evidence = (0.97 if likelihood >= 0.5 else 0.9 if is_in_header or of_people else 0.7) * (
                0.75 if position else 1
            )
            of_raters = 1 - row.raters
            if abs(row.raters - 0.5) <= 0.3:
                likeness = 0.0 if are_lettered(labels) else look_like_raters(labels)
                of_raters = _odds(likeness + 0.1, look_like_items(labels) + 0.1)
            role = "measure" if kind is RATINGS else "design"
            column_labels, measures = zip(*pairs, strict=True)
            measure_names, of_items = {f"@names {role}": measures}, evidence * (1 - of_raters)
            yield from _rater_and_item_readings(
                kind, names, column_labels, measure_names, evidence * of_raters, of_items, row
            )
