"""Readings of a table with answers side by side: its columns are raters or items, and measures of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from statistics import median

from data.errors import listed
from data.kinds.kind import ATTRIBUTES, ITEM, Kind
from data.kinds.likely_names import (
    GROUPS,
    ITEM_PARTS,
    MEANS,
    MEASURES,
    NOBODYS,
    are_files,
    are_groups,
    ends_as_id,
    ends_as_nobodys,
    groups_of,
    has_rater_word,
    hold_measures,
    is_about,
    is_beside_model,
    is_called_system,
    is_model,
    is_personal,
    is_rater,
    is_slot,
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
from data.kinds.studies import LABEL_SETS, RATINGS
from data.mapping.plan import NAMES, ROW
from data.mapping.proposal import NAMED_PARTS
from data.reading.columns import LONGEST_LABEL, Column, column_of, is_answer, is_score
from data.reading.item_key import MOST_CANDIDATES, MOST_PARTS, PARTS
from data.reading.profile import (
    CROSSED,
    LIKE,
    MAY_BE_RATED,
    TableProfile,
    are_crossed,
    columns_of_one_vocabulary,
    columns_on_one_scale,
    find_computed,
    follows,
    may_be_answer,
    reserved_places,
    share_scale,
    source_of,
)
from data.reading.rankings import words_of
from data.tables.sniffed import Reading

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
    found: list[Grid] = []
    if all(map(_NUMBER_OF_QUESTION.match, names)):
        names = [_NUMBER_OF_QUESTION.sub("", name, count=1) for name in names]
    for pattern in (_BRACKETS, _CODES):
        split = [pattern.fullmatch(name.strip()) for name in names]
        if all(split):
            found.append(Grid(tuple((match[1], match[2]) for match in split if match)))
    for separator in SEPARATORS:
        if all(separator in name for name in names):
            found.append(Grid(tuple(_split(name.partition(separator)) for name in names)))
            found.append(Grid(tuple(_split(name.rpartition(separator)) for name in names)))
    different: dict[tuple[tuple[str, str], ...], Grid] = {}
    for grid in found:
        if grid.is_full and all(map(_NAME.fullmatch, (*grid.first, *grid.second))):
            different.setdefault(grid.pairs, grid)
    return list(different.values())


def short_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names without the upper level, or the parts between dots, that all have in common: of
    annotations.kim.fluency and annotations.lee.fluency kim and lee."""
    named = [match for name in columns if (match := _BRACKETS.fullmatch(name))]
    if len(named) == len(columns) and len({match[1] for match in named}) == 1 < len(
        {match[2] for match in named}
    ):
        return tuple(match[2] for match in named)  # Score (Ann) and Score (Ben)
    split = [name.split(".") for name in columns]
    most = min(map(len, split))
    before = next((at for at in range(most) if len({parts[at] for parts in split}) > 1), 0)
    if not before or any(set(name) & set("@ ") for name in columns):
        levels = levels_of(columns)
        below = all(lower for _, lower in levels) and len({upper for upper, _ in levels}) == 1
        return tuple(lower for _, lower in levels) if below else tuple(columns)
    after = next((at for at in range(most) if len({parts[-1 - at] for parts in split}) > 1), 0)
    before -= all(parts[before].isdecimal() for parts in split)  # Rater.1 of R
    short = tuple(".".join(parts[before : len(parts) - after]) for parts in split)
    return short if all(short) and len(set(short)) == len(short) else tuple(columns)


def _split(parts: tuple[str, str, str]) -> tuple[str, str]:
    return parts[0].strip().rstrip(":-/|_ "), parts[2].strip()


def roles_of(grid: Grid, raters: Sequence[frozenset[str]] | None) -> Mapping[str, tuple[str, ...]] | None:
    """Return which part is the measure and which the group, or the rater where the files name none.

    `raters`: those of each file, by name or column; None where no file names any. Told by words that people use for
    groups and measures, else by groups having no rater in common.
    """
    first, second = zip(*grid.pairs, strict=True)
    sides = [(first, second), (second, first)]

    def are_called(parts: Sequence[str], words: frozenset[str]) -> bool:
        return all({word.casefold() for word in part.split()} <= words for part in parts)

    def are_apart(parts: Sequence[str]) -> bool:
        seen: dict[str, str] = {}
        rater_parts = (
            (rater, part) for part, names in zip(parts, raters or (), strict=True) for rater in names
        )
        return all(
            seen.setdefault(rater, part) == part for rater, part in rater_parts
        )  # no rater is in two of the parts

    groups = [side for side in sides if are_called(side[0], GROUPS)]
    if len(groups) != 1:
        groups = [(other, side) for side, other in sides if are_called(side, MEASURES)]
        if len(groups) == 1 and raters is None:
            return {"measure": groups[0][1], "rater_id": groups[0][0]}
    if len(groups) != 1:
        groups = [side for side in sides if raters and are_apart(side[0])]
    return {"measure": groups[0][1], "rater_group": groups[0][0]} if len(groups) == 1 else None


_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>\d{1,3})(?P<after>\D*)")
_CALLED = {*ITEM, "url", "itemname", "clipname"}
_FEWEST_RETURN = 0.5
"""The share of items that are shown in more than one row."""


@dataclass(frozen=True)
class Pair:
    """A slot: the column with its answer, the one that says which item it showed, and which of several measures."""

    answer: str
    item: str
    measure: str = ""


@dataclass(frozen=True, eq=False)
class _Family:
    """Columns of one name but for their number; `stem` is the name without it and what follows, `length` that of both,
    `called` the stem without a platform's prefix."""

    length: int
    called: str
    columns: Mapping[int, str]

    @property
    def measure(self) -> str:
        """The stem as the name of a measure."""
        return measure_of_slot(next(iter(self.columns.values())))


def paired(
    rows: Sequence[Mapping[str, str]], answers: Iterable[str], items: Iterable[str]
) -> tuple[Pair, ...]:
    """The slots among these columns, in the order of their numbers; none where no pair holds in the rows."""
    answering = [
        family
        for family in _families(answers)
        if is_answer([row[name] for row in rows for name in family.columns.values()])
    ]
    showing = _families(items)
    fitting = [
        (showed.called != answer.called, answer.length, at, answer, showed)
        for answer in answering
        for at, showed in enumerate(showing)
        if showed is not answer and {*answer.columns} <= {*showed.columns} and _holds(rows, answer, showed)
    ]
    if not fitting:
        return ()
    *_, answer, showed = min(fitting, key=lambda found: found[:3])
    measures = _parallel_families(rows, answer, [each for each in answering if each is not showed])
    return tuple(
        Pair(name, showed.columns[number], each.measure if len(measures) > 1 else "")
        for each in measures
        for number, name in sorted(each.columns.items())
    )


def numbered_questions(rows: Sequence[Mapping[str, str]], answers: Iterable[str]) -> tuple[Pair, ...]:
    """Return the slots of several measures each, called by their numbers, where nothing says what they showed."""
    families = [*_families(answers)]
    most = max((_parallel_families(rows, each, families) for each in families), key=len, default=[])
    return tuple(
        Pair(name, str(number), each.measure)
        for each in most
        for number, name in sorted(each.columns.items())
        if len(most) > 1
    )


def _parallel_families(
    rows: Sequence[Mapping[str, str]], answer: _Family, families: Sequence[_Family]
) -> list[_Family]:
    """Return the families of answers that have the numbers and the scale, or the labels, of this one, and itself."""
    values_by_name = {
        each: column_of("", 0, [row[name] for row in rows for name in each.columns.values()], ",")
        for each in families
        if each.columns.keys() == answer.columns.keys()
    }
    own = values_by_name[answer]
    return [
        each
        for each, one in values_by_name.items()
        if each is answer
        or one.values == own.values
        or (
            look_like_measures([each.measure, answer.measure]) == 1
            and (share_scale(one, own) or one.values & own.values)
        )
    ]


def slots_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Return the slots of a table: numbers or words of a scale, and beside them what is no number or called an item."""
    cells = [dict(zip(names, map(str.strip, row), strict=True)) for row in rows]
    numbered = {
        name: [row[name] for row in cells if row[name]] for name in names if _NUMBERED.fullmatch(name)
    }
    stems = {name: "".join(filter(str.isalpha, name.casefold())) for name in numbered}
    scores = {name for name, own in numbered.items() if is_score(own)}
    for family in _families(numbered):
        names_of_family = {*family.columns.values()}
        if not names_of_family <= scores and is_score(
            [cell for name in family.columns.values() for cell in numbered[name]]
        ):
            scores |= names_of_family
    ratings = [
        name for name, own in numbered.items() if own and stems[name] not in _CALLED and name in scores
    ]
    answers = {cell for name in ratings for cell in numbered[name]}
    items = [
        name
        for name in numbered
        if name not in ratings and (stems[name] in _CALLED or answers.isdisjoint(numbered[name]))
    ]
    return paired(cells, ratings, items)


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
    numbers = [int(each["number"]) for each in matches if each]
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
        each and is_called_system(each["before"] + each["after"]) for each in matches
    )


_FILLERS = frozenset(("blank", "empty", "filler"))


def filler_of(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    """Return the text in slots that show nothing, such as BLANK: called so, or the only one that stands several times
    in a row; "" where there is none."""
    cells = [Counter(row[name] for name in columns if row[name]) for row in rows]
    found = {cell for row in cells for cell, times in row.items() if times > 1 or cell.casefold() in _FILLERS}
    return found.pop() if len(found) == 1 else ""


def _families(names: Iterable[str]) -> list[_Family]:
    found: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match:
            found.setdefault((match["before"], match["after"]), {})[int(match["number"])] = name
    return [
        _Family(len(before + after), re.sub(r"^.*[.:]", "", before).casefold(), columns)
        for (before, after), columns in found.items()
        if len(columns) > 1
    ]


def _holds(rows: Sequence[Mapping[str, str]], answer: _Family, showed: _Family) -> bool:
    seen: Counter[str] = Counter()
    filler = filler_of(rows, [*showed.columns.values()])
    for row in rows:
        items = [row[showed.columns[number]] for number in answer.columns if row[answer.columns[number]]]
        items = [item for item in items if item != filler or not filler]
        if not all(items) or len(set(items)) < len(items):
            return False
        seen.update(items)
    return len(seen) > 1 and sum(times > 1 for times in seen.values()) >= _FEWEST_RETURN * len(seen)


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
"""Names of what people do, who may be the raters or what is rated."""
_NO_RATERS = (NAMED_PARTS["measure"], NAMED_PARTS["rater_group"])
"""Beginnings of the names of columns that tell which measure or group a file or sheet holds."""


def read_wide(table: TableProfile, kind: Kind) -> Iterator[Reading]:
    """Yield readings with answers side by side: columns are raters or items, and measures of them."""
    judged = "measure" if kind is RATINGS else "design"
    roles = {role: one for role, one in table.roles(kind).items() if role not in ("measure", "design")}
    if "rater_id" in roles and table.may_answer(roles["rater_id"], roles):
        del roles["rater_id"]
    system = roles.get("system")
    if system is not None and "item_id" not in roles:
        met = [one for one in table.columns if len(one.values) > 2 and are_crossed(one, system)]
        roles |= {"item_id": met[0]} if len(met) == 1 else {}  # each system once
    found = _find_answer_columns(table, kind, roles)
    beside = _drop_aggregates(found)
    if len(beside) < 2 or (kind is RATINGS and _are_preferences(table, beside)):
        return
    given = {one.at for one in beside}
    rest = [one for one in table.columns if one.at not in given and one.holds != "nothing"]
    unnamed = [part for part in table.parts if not part.name.startswith(_NO_RATERS)]
    people = [value for part in unnamed for value in part.values]
    if look_like_people(people) >= 0.5 > look_like_raters([one.name for one in beside]):
        return
    names = [one.name for one in beside]
    of_raters = max(_raters_above(names), look_like_raters(names)) >= 0.5
    item, rater = roles.get("item_id"), roles.get("rater_id")
    if of_raters and rater is not None and may_be_rated(rater.name) and not table.tells_rows_apart((rater,)):
        del roles["rater_id"]  # those who are rated, several times each
    if item in rest and roles.get("rater_id") in rest and not (item is not None and item.names_rows):
        return
    measure = _measure_of_rows(rest, table.roles(kind).get(judged))
    apart = replace(table, parts=(*table.parts, measure)) if measure else table
    row = row_of(apart, [one for one in rest if one is not measure], roles, of_raters)
    if measure is not None and not row.key:
        measure, row = None, row_of(table, rest, roles, of_raters)
    rows = row.rows // len(measure.values) if measure else row.rows
    parts = [one for one in rest if one not in (roles.get("condition"), roles.get("rater_group"))]
    are_items = look_like_items(names) >= LIKE and shape_of(names[0]) != "question"
    if row.several and not are_items and any(_names_items(one, row.key[0], table) for one in parts):
        return  # a row for each item and rater
    row = replace(row, rows=rows, by_rows=table.sniffed.header_rows > 1)
    levels = [level for grid in grids_of(short_names(names)) for level in (grid.first, grid.second)]
    have_raters = of_raters or any(look_like_raters(level) >= 0.5 for level in levels)
    are_rated = len(row.key) == 1 and (
        may_be_rated(row.key[0].name)
        or (share_titled(names) == 1 and look_like_people(row.key[0].filled) >= 0.5)
    )
    if are_rated and have_raters:
        averaged = any(one.name.casefold() in MEANS for one in table.columns)  # over the raters of each row
        either = not averaged and may_be_rated_by_rows(names)
        row = replace(row, raters=0.5, several=False, either=either)  # those who are rated, perhaps
    elif row.raters >= 0.9 and share_titled(names) == 1:
        row = replace(row, either=True)
    returning = any(  # names that come again in other rows, as those of items and raters do
        (one.holds in ("labels", "texts") or (one.holds == "numbers" and not one.may_be_scale))
        and one.is_full
        and 1 < len(one.values) < len(one.cells)
        for one in rest
    )
    personal = [one for one in rest if is_personal(one.name) or one.plain in _OCCUPATIONS]
    returning &= 2 * len(personal) < len(rest)  # else rows are people
    if not row.key and returning and max(look_like_raters(names), look_like_items(names)) < LIKE:
        return
    between = range(beside[0].at, beside[-1].at)
    rated = [one for one in rest if one.may_be_scale and (one.at in between or not one.is_constant)]
    told = [roles.get(role) for role in (*PARTS, "rater_group", "expected", "gold")]
    rated = [one for one in rated if may_be_answer(one)]
    nobodys = [one.name for one in rated if one.plain in NOBODYS]
    rated = [one for one in rated if one.plain not in _VAGUE | NOBODYS]
    rated = [one for one in rated if one not in told and not follows(one, beside)]

    def may_be_sister(column: Column) -> bool:
        finer = beside[0].in_steps and column.holds == "numbers" and not column.in_steps
        total = ends_as_nobodys(column.name) and not share_scale(column, beside[0])
        return column not in found and not finer and not total and not column.is_constant

    rows_called = row.key[0].filled if len(row.key) == 1 else ()
    joined = _joined_names(rows_called)
    compared = _are_compared(table.columns) or {*names} == {*rows_called}
    doubt = _COMPARED if compared else _OF_OUTPUTS if _are_of_outputs(table, names) else ""
    doubt = doubt or (_CONTINGENCY if _are_classes_of_two(table.columns) else "")
    people_left = not have_raters and any(table.may_be_rated_instead(one, row.key) for one in rest)
    for one in _of_names(kind, names, row):
        if joined:
            one = replace(one, evidence=min(one.evidence, 0.5), notes=(joined, *one.notes))
        if doubt:
            one = replace(one, evidence=min(one.evidence, 0.3), notes=(doubt,))
        elif one.layout == RATERS_BESIDE and (metrics := _one_of_people(names)):
            one = replace(one, evidence=min(one.evidence, 0.3), notes=(metrics,))
        if people_left and one.layout == RATERS_BESIDE:
            one = replace(one, evidence=min(one.evidence, MAY_BE_RATED))
        if measure is not None and NAMES + judged in one.mapping:
            one = replace(one, evidence=min(one.evidence, 0.5))  # measures in two places
        elif measure is not None:
            one = replace(one, mapping={**one.mapping, judged: measure.name})
        left = [column.name for column in rated if column.name not in one.columns]
        unused = dict.fromkeys((*left, *nobodys, *(column.name for column in found if column not in beside)))
        notes = (*one.notes, *((f"Not used: {listed([*unused])}.",) if unused else ()))
        doubted = any(column.name in left and may_be_sister(column) for column in rated)
        named = look_like_raters(names) >= LIKE > max(look_like_raters(left), look_like_measures(left))
        yield replace(
            one, evidence=one.evidence * (1.0 if not doubted else 0.8 if named else 0.6), notes=notes
        )


def _names_items(one: Column, rater: Column, table: TableProfile) -> bool:
    """Return True for a column called as items that return, one row of each rater."""
    called = one.plain in ITEM_PARTS or (ends_as_id(one.name) and not is_about(one.plain.removesuffix("id")))
    returning = 1 < 1.5 * len(one.values) <= len(one.cells)
    return called and returning and table.tells_rows_apart((one, rater))


def _measure_of_rows(rest: Sequence[Column], called: Column | None) -> Column | None:
    """Return the column that says what each row of an item is about: by its name, or words for what is judged."""
    named = [
        one
        for one in rest
        if one.holds in ("labels", "words") and one.is_full and 1 < len(one.values) <= len(one.cells) / 2
        if (one is called and look_like_items(sorted(one.values)) < LIKE)
        or look_like_measures(sorted(one.values)) >= LIKE
    ]
    return named[0] if len(named) == 1 else None


def _joined_names(names: Sequence[str]) -> str:
    """Return a sentence where the names of rows join raters or items with measures, such as "A1 fluency"; else ""."""
    natural = [grid for grid in grids_of(names) if _is_natural(grid)] if len(names) > 3 else []
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


def _one_of_people(names: Sequence[str]) -> str:
    """Return a sentence where one name is that of people, such as human_score, and no other that of a rater or a
    model; else ""."""
    called = [name for name in names if look_like_raters([name]) >= 0.5]
    if len(names) < 3 or len(called) != 1 or not is_beside_model(called[0]) or is_model(called[0]):
        return ""
    others = listed([name for name in names if name not in called][:3])
    return (
        f'Only "{called[0]}" is called that of people, so others, such as {others}, may be metrics. Map the columns '
        "of raters, or write one row per rating with a column for the rater."
    )


def _are_classes_of_two(columns: Sequence[Column]) -> bool:
    """Return True where the names of rows and of columns are the same but for a word for the rater that comes first or
    last in all, and the cells are whole numbers: "A: yes" and "B: yes"."""
    rows, *counts = columns
    if not counts or len(counts) != len(rows.cells) or rows.holds == "numbers":
        return False
    if any(not cell.isdecimal() for one in counts for cell in one.cells):
        return False
    classes = _without_shared([words_of(cell) for cell in rows.cells])
    named = all(len(" ".join(each)) > 1 and not any(map(str.isdecimal, each)) for each in classes)
    return named and classes == _without_shared([words_of(one.name) for one in counts])


def _without_shared(names: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the words of names without those that all begin or end with."""
    words = [tuple(name) for name in names]
    for at in (0, -1):
        while all(words) and len({each[at] for each in words}) == 1:
            words = [each[1:] if at == 0 else each[:-1] for each in words]
    return words


def _are_compared(columns: Sequence[Column]) -> bool:
    """Return True where rows and columns are the same things: what two have in common stands twice, or adds up."""
    cells = [one.numbers for one in columns if one.holds == "numbers"]
    size = len(cells)
    if size < 4 or any(len(each) != size for each in cells) or len(columns[0].cells) != size:
        return False
    across = [(cells[a][b], cells[b][a]) for a, b in combinations(range(size), 2)]
    alike = len({a + b for a, b in across}) == 1 or all(a == b for a, b in across)
    return alike and len({cells[at][at] for at in range(size)}) == 1


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
    made = set[str]()
    for one in table.columns:
        before, words, after = _ends_of(one.name) if one.holds == "texts" else ("", (), "")
        made |= {part for part, word in zip((after, before), words, strict=False) if word in _OUTPUTS}
    told = [name for name in names if {*_ends_of(name)[::2]} & made - {""}]
    return len(told) > 1 and 2 * len(told) > len(names) and look_like_people(sorted(made)) < 0.5


def _ends_of(name: str) -> tuple[str, tuple[str, str], str]:
    """Return a name without its last word, its first and last word, and the name without its first."""
    words = re.split(r"[\s._/-]+", name.casefold())
    return " ".join(words[:-1]), (words[0], words[-1]), " ".join(words[1:])


def _drop_aggregates(columns: Sequence[Column]) -> list[Column]:
    """Return the columns without those of no rater or item, such as the majority or the sum of the others; a repeated
    name has sisters."""
    named = [
        one
        for one in columns
        if one.plain not in NOBODYS
        or any(other is not one and other.name.startswith(one.name) for other in columns)
    ]
    if sum(has_rater_word(one.name) for one in named) > 1:  # rater1_essay and rater2_essay beside essay_score
        named = [
            one
            for one in named
            if is_rater(one.name) or has_rater_word(one.name) or not ends_as_nobodys(one.name)
        ]
    totals = [*_totals_in_grid(named), *_outside_the_grid(named)]
    named = [one for one in named if one not in totals]
    numbered: dict[str, list[Column]] = {}  # such as Overall_1 and Overall_2 beside Overall
    for one in named:
        stem, _ = stem_and_number(one.name)
        if stem != one.name:
            numbered.setdefault(stem, []).append(one)
    named = [one for one in named if not follows(one, numbered.get(one.name, []))]
    computed = find_computed(named)
    return [one for one in named if one is not computed]


_FEWEST_INSIDE = 4
"""Columns of a grid for each that is left out."""


def _totals_in_grid(columns: Sequence[Column]) -> list[Column]:
    """Return the columns such as total_R1 that hold the sums or means of others, such as content_R1 and style_R1, and
    those of no one rater beside those of raters."""
    found: list[Column] = []
    for grid in grids_of([one.name for one in columns]):
        for own, other in ((0, 1), (1, 0)):
            called = [plain_name(pair[own]) in NOBODYS for pair in grid.pairs]
            people = [pair[own] for pair, nobody in zip(grid.pairs, called, strict=True) if not nobody]
            if any(called) and look_like_raters(people) >= LIKE:  # resolved_style beside rater1_style
                found += [*compress(columns, called)]
            called = [pair[own].casefold() in MEANS for pair in grid.pairs]
            sums = [
                follows(
                    one,
                    [
                        each
                        for each, of, told in zip(columns, grid.pairs, called, strict=True)
                        if of[other] == pair[other] and not told
                    ],
                )
                for one, pair, is_total in zip(columns, grid.pairs, called, strict=True)
                if is_total
            ]
            found += [*compress(columns, called)] if sums and all(sums) else []
    return found


_COUNTED = re.compile(r"(?:n|nr|num|number)[_ .-].*|.*[_ .-](?:set|number|nr)", re.IGNORECASE)
"""Names of numbers of things or of sets, such as n_turns and essay_set."""


def _begins_attribute(plain: str) -> bool:
    """Return True for the beginning of an attribute of raters, such as geschl."""
    return len(plain) > 3 and any(attribute.startswith(plain) for attribute in ATTRIBUTES)


def _parts_of_grids(columns: Sequence[Column], grids: Sequence[Grid]) -> Iterator[list[Column]]:
    """Yield the columns of each rater, item or measure that their names tell."""
    for grid in grids:
        for level in (0, 1):
            for part in dict.fromkeys(pair[level] for pair in grid.pairs):
                yield [one for one, pair in zip(columns, grid.pairs, strict=True) if pair[level] == part]


def _outside_the_grid(columns: Sequence[Column]) -> list[Column]:
    """Return the few columns that have no part of the name in common with any other, where the others join raters or
    items with measures, such as r1_style and r2_style.

    They are called numbers of things or sets, such as n_turns, attributes of raters, means or totals, or measures
    beside those of raters, or follow from the others.
    """
    for separator in SEPARATORS:
        pairs = [_split(one.name.partition(separator)) for one in columns]
        first, second = (
            (Counter(parts) for parts in zip(*pairs, strict=True)) if pairs else (Counter(), Counter())
        )
        is_outside = [not after or max(first[before], second[after]) < 2 for before, after in pairs]
        outside = [*compress(columns, is_outside)]
        inside = [one for one, is_out in zip(columns, is_outside, strict=True) if not is_out]
        few = 0 < _FEWEST_INSIDE * len(outside) <= len(columns)
        grids = [grid for grid in grids_of([one.name for one in inside]) if _is_natural(grid)] if few else []
        if grids:
            people = [level for grid in grids for level in (grid.first, grid.second)]
            of_raters = any(look_like_raters(level) >= 0.5 for level in people)
            summed = [inside, *_parts_of_grids(inside, grids)]
            known = all(
                _COUNTED.fullmatch(one.name)
                or _begins_attribute(one.plain)
                or ends_as_nobodys(one.name)
                or not MEANS.isdisjoint(tokens_of(one.name))
                or any(follows(one, each) for each in summed)
                for one in outside
            )
            judged = of_raters and all(look_like_measures([one.name]) > 0 for one in outside)
            return outside if known or judged else []
    return []


def _find_answer_columns(table: TableProfile, kind: Kind, roles: Mapping[str, Column]) -> list[Column]:
    if kind is RATINGS:
        return columns_on_one_scale(table, roles)
    if kind is not LABEL_SETS:
        return columns_of_one_vocabulary(table, roles)
    reserved = reserved_places(roles, ("rater_id", "item_id"))
    found = table.set_columns
    return [one for one in found[0] if one.at not in reserved] if found is not None else []


def _are_preferences(table: TableProfile, beside: Sequence[Column]) -> bool:
    """Return True where numbers stand beside two texts of one name, numbered: they say which of the two is better."""
    texts = {one.name[:-1]: 0 for one in table.columns if one.holds == "texts" and one.name[-1:] in "12abAB"}
    for one in table.columns:
        if one.holds == "texts" and one.name[:-1] in texts:
            texts[one.name[:-1]] += 1
    points = frozenset[float]().union(*(one.points for one in beside))
    return 2 in texts.values() and len(points) <= 4 and points <= {-1, 0, 1, 2, 3}


@dataclass(frozen=True)
class _Row:
    """Columns that name a row, how likely rows are raters, and how many rows there are."""

    key: tuple[Column, ...]
    raters: float
    rows: int
    several: bool = False
    """Rows of a rater: more than one."""
    either: bool = False
    """Rows and columns are people who may rate each other."""
    by_rows: bool = False
    """Levels of the columns' names stand in separate header rows."""


def row_of(table: TableProfile, rest: Sequence[Column], roles: Mapping[str, Column], of_raters: bool) -> _Row:
    """Return what names a row, by names first and then by values; two columns only beside those `of_raters`."""
    rater, item = roles.get("rater_id"), roles.get("item_id")
    item = None if item is not None and item.plain in _VAGUE and rater is not None else item
    if rater is not None and rater in rest and rater.is_full and (item is None or item not in rest):
        if table.tells_rows_apart((rater,)):
            return _Row((rater,), 0.97, table.rows)
        return _Row((rater,), 0.9, table.rows, several=True)
    if item is not None and item in rest and table.tells_rows_apart((item,)) and item.plain not in _VAGUE:
        return _Row((item,), 0.03, table.rows)
    group = roles.get("rater_group")
    if item is not None and group is not None and item in rest and group in rest:
        of_groups = are_groups([*group.values]) and not any(map(is_beside_model, group.values))  # no authors
        if of_groups and table.tells_rows_apart((item, group)):
            return _Row((item,), 0.03, len(item.values))
    keys = [
        one
        for one in rest
        if one.plain in ITEM_PARTS
        or ends_as_id(one.name)
        or may_be_rated(one.name)
        or one in [roles.get(role) for role in ("item_id", *PARTS)]
    ]
    keys = [one for one in keys if one.is_full and not one.is_constant]
    for size in range(1, MOST_PARTS):
        for key in combinations(keys[:MOST_CANDIDATES], size):
            vague = key[0].plain in _VAGUE or ends_as_id(key[0].name)
            alone = vague if size == 1 else any(table.tells_rows_apart((one,)) for one in key)
            if table.tells_rows_apart(key) and not alone:
                return _Row(key, 0.03, table.rows)
    unique = [one for one in rest if table.tells_rows_apart((one,)) and one.holds != "times"]
    unique = [one for one in unique if not is_personal(one.name)]
    crossed = [
        one for one in rest if one.holds in ("labels", "texts") and one.is_full and not one.is_constant
    ]
    naming = [one for one in unique if one.holds != "numbers" or one.counts_rows or one.plain in _VAGUE]
    if not of_raters:
        bare = {one.at: [value.partition("#")[0] for value in one.values] for one in crossed}
        crossed = [
            one for one in crossed if not table.sniffed.header and look_like_items(bare[one.at]) >= LIKE
        ]
    for pair in combinations(crossed, 2) if rater is None and not naming else ():
        if table.tells_rows_apart(pair) and (of_raters or are_crossed(*pair)):
            return _Row(pair, 0.03, table.rows)
    if not table.sniffed.header:
        return _Row((*naming[:1],), 0.1, table.rows)
    if not naming:
        of_people = any(one.holds == "times" or is_personal(one.name) for one in rest)
        return _Row((), 0.6 if of_people else 0.3, table.rows)
    if {one.plain for one in naming} == {"id"} and sum(one.holds == "times" for one in rest) > 1:
        return _Row((naming[0],), 0.6, table.rows)  # when each response began and ended
    short = [one for one in naming if max(map(len, one.values)) <= LONGEST_LABEL] or naming
    likeness = {
        one.at: (look_like_raters(sorted(one.values)), look_like_items(sorted(one.values))) for one in short
    }
    first = min(short, key=lambda one: (max(likeness[one.at]) < LIKE, one.at))
    raters, items = likeness[first.at]
    if max(raters, items) < LIKE:
        prose = median(len(value) * (" " in value) for value in first.values) > LONGEST_LABEL / 2  # no names
        return _Row((first,), 0.02 if prose else 0.5, table.rows)
    return _Row((first,), 0.9 if raters > items else 0.1, table.rows)


def _of_names(kind: Kind, columns: Sequence[str], row: _Row) -> Iterator[Reading]:
    """Yield what answers side by side in columns of these names may be."""
    names = short_names(columns)
    said = row.raters > 0.5 and median(len(name.split()) for name in names) >= _FEWEST_SAID
    row = replace(row, raters=max(row.raters, 0.85)) if said else row  # who agrees with statements
    measures = look_like_measures(names)
    grids = [grid for grid in grids_of(names) if row.by_rows or _is_natural(grid)]
    yield from _of_grids(kind, columns, grids, row)
    families = _families(names)
    numbered = len(families) == 1 and len(families[0].columns) == len(names)
    if measures >= LIKE and not numbered:
        return  # one number of each measure for an item: means, or one rater who is not named
    raters, items = (
        (0.0, 0.0)
        if row.either
        else (max(_raters_above(columns), look_like_raters(names)), look_like_items(names))
    )
    of_raters = _odds(max(raters, 0.02), max(items, 0.02)) if max(raters, items) >= 0.5 else 0.5
    likely = of_raters * (1 - row.raters)
    other = (1 - of_raters) * row.raters
    shapes = {shape_of(name) for name in names}
    unknown = max(raters, items) < 0.5 and shapes <= {"word", "name", "about"} and not numbered and not said
    sure = (0.5 if grids else 0.58 if unknown else 0.97) / max(likely + other, _AGREES)
    if abs(row.raters - 0.5) <= 0.3 and max(raters, items) < 0.5:
        likely, other, sure = 0.5, 0.5, 1.0
    if row.several and items < 0.5:
        other = 0.0  # a person in several rows, and what tells these apart is not known
    yield from _two_ways(kind, columns, names, {}, sure * likely, sure * other, row)


def _two_ways(
    kind: Kind,
    columns: Sequence[str],
    called: Sequence[str],
    measures: Mapping[str, tuple[str, ...]],
    of_raters: float,
    of_items: float,
    row: _Row,
) -> Iterator[Reading]:
    """Yield columns of answers as one per rater and as one per item, with the evidence for each."""
    by, others = " and measure" if measures else "", len(set(called))
    shown = listed(list(columns if measures else called)[:3])
    beside = f"{len(columns)} columns hold {kind.rows} ({shown} …)"
    given: dict[str, str | tuple[str, ...]] = {kind.cells: tuple(columns), **measures}
    names = {"rater_id": tuple(called), "item_id": tuple(called)} if [*called] != [*columns] else {}
    key = source_of(row.key) if row.key else ROW
    if not row.several:
        nobody = not measures and kind.cells == "score" and all(map(is_slot, called))
        mapping = {"item_id": key, **given, "@form": "rater columns"}
        mapping |= {"@raters": "slots"} if nobody else {}
        mapping |= {"@names rater_id": names["rater_id"]} if names else {}
        groups = () if measures else groups_of(called)
        mapping |= {"@names rater_group": groups} if groups else {}
        description = "one column per rating, not per person" if nobody else f"one column per rater{by}"
        notes = [f"{beside}: {description}."]
        if not row.key and not measures:
            notes.append("No column names the items; they are called by their row.")
        layout = RATERS_BY_MEASURE if measures else RATERS_BESIDE
        yield Reading(kind.name, layout, mapping, of_raters, tuple(notes), others, row.rows)
    if len(row.key) < 2:  # several columns name an item, but no rater
        mapping = {"rater_id": key, **given, "@form": "item columns"}
        mapping |= {"@names item_id": names["item_id"]} if names else {}
        layout = ITEMS_BY_MEASURE if measures else ITEMS_BESIDE
        notes = [f"{beside}: one column per item{by}."]
        yield Reading(kind.name, layout, mapping, of_items, tuple(notes), row.rows, others)


def _raters_above(columns: Sequence[str]) -> float:
    """Return a score from 0 to 1 that the header above all names says that they are raters."""
    upper = {level for level, _ in levels_of(columns)}
    if len(upper) > 1 and not are_groups([*upper]):
        return 0.0
    return 1.0 if len(upper) > 1 else look_like_raters([*upper])


def _odds(first: float, second: float) -> float:
    return first / (first + second)


_CRITERIA = frozenset(
    ("domain", "dimension", "criterion", "aspect", "trait", "kriterium", "aspekt", "critère", "criterio")
)
"""Words for what is judged that are numbered, such as domain1."""
_QUESTIONS = _CRITERIA | {"q", "question", "item", "statement", "frage", "aussage", "pregunta", "v", "var"}
"""Words for questions that are numbered, and may be about one of several things each."""


def _look_like_measures(level: Sequence[str]) -> float:
    """Return a score from 0 to 1 of names as those of measures, also without the words that they share."""
    own = [" ".join(words) for words in _without_shared([words_of(name) for name in level])]
    called = bool(level) and all(stem_and_number(name)[0].casefold() in _CRITERIA for name in level)
    return max(look_like_measures(level), look_like_measures(own), float(called))


def _is_natural(grid: Grid) -> bool:
    """Return True where one of the two levels looks like measures, or one like raters and the other is no number."""
    if max(_look_like_measures(grid.first), _look_like_measures(grid.second)) >= 0.5:
        return True
    counted = [all(part.isdigit() for part in level) for level in (grid.first, grid.second)]
    numbered = [
        len({*map(shape_of, level)}) == 1 and " with a number" in shape_of(level[0])
        for level in (grid.first, grid.second)
    ]
    people = max(look_like_raters(grid.first), look_like_raters(grid.second))
    if are_files(grid.second):
        return people >= 0.5
    asked = max(look_like_items(grid.first), look_like_items(grid.second))
    return not any(counted) and (max(people, asked) >= 0.5 or (any(numbered) and not all(numbered)))


def _are_numbered_items(level: Sequence[str]) -> bool:
    """Return True for names of one word and a number or letter, such as b01 or Voice A, that are no questions."""
    shapes = {*map(shape_of, level)}
    stem, numbered, _ = shapes.pop().partition(" with a number") if len(shapes) == 1 else ("", "", "")
    return bool(numbered) and stem not in _QUESTIONS and look_like_raters(level) < 0.5


def _of_grids(kind: Kind, names: Sequence[str], grids: Sequence[Grid], row: _Row) -> Iterator[Reading]:
    """Yield what columns may be whose names join raters or items with measures."""
    for place, grid in enumerate(grids):
        for swapped in (False, True):
            others, judged = (grid.second, grid.first) if swapped else (grid.first, grid.second)
            pairs = [pair[::-1] if swapped else pair for pair in grid.pairs]
            likelihood = _look_like_measures(judged)
            if likelihood < 0.5 and max(_look_like_measures(others), look_like_raters(judged)) >= 0.5:
                continue
            if row.raters >= 0.5 and _are_numbered_items(judged) and hold_measures(others):
                continue
            if row.raters >= 0.5 and _are_numbered_items(others) and hold_measures(judged):
                likelihood = 0.5
            is_told = row.by_rows and likelihood > 0 and look_like_raters(others) >= LIKE
            fits = (0.97 if likelihood >= 0.5 else 0.9 if is_told else 0.7) * (0.75 if place else 1)
            of_raters = 1 - row.raters
            if abs(row.raters - 0.5) <= 0.3:
                of_raters = _odds(look_like_raters(others) + 0.1, look_like_items(others) + 0.1)
            role = "measure" if kind is RATINGS else "design"
            called, measures = zip(*pairs, strict=True)
            named, of_items = {f"@names {role}": measures}, fits * (1 - of_raters)
            yield from _two_ways(kind, names, called, named, fits * of_raters, of_items, row)
