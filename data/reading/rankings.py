"""Readings of a table as rankings: a rank in each row, a column per option or per place, or best and worst of a tuple.

Ranks are permutations, with ties or gaps, within a task and a rater. Names that say "rank" need less evidence than
values alone, and ranks never come from scores.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from data.dataset import SLOT
from data.errors import listed
from data.kinds.answer_words import END_RANKS
from data.kinds.kind import OPTION, RANK, SCORE
from data.kinds.likely_names import is_about, look_like_measures
from data.kinds.names import names_of_options, plain_name, stem_and_number
from data.kinds.studies import ENDS, OPTION_COLUMNS, PLACE_COLUMNS, RANKINGS
from data.mapping.plan import ALL
from data.mapping.proposal import NAMED_PARTS
from data.reading.columns import Column, cells_by_name, is_missing
from data.reading.profile import LIKE, TableProfile, only_people, reserved_places, share_distinct, source_of
from data.tables.sniffed import Reading

Cells = Sequence[Sequence[str]]
IN_ROWS, PER_OPTION, PER_PLACE = "one row per rank", "one column of ranks per option", "one column per place"
OF_TUPLES = "best and worst of a tuple"
_MOSTLY = 0.95
_FEWEST_ROWS = 3
_CHANCE = 1e-4
"""Chance that so many rows of scores would all be permutations, from which on they are taken for ranks."""
_SURE, _UNSURE = 0.99, 0.9
_APART = 0.6
"""Share of different ranks within rankings: with more ties they are scores."""
_ORDINALS = (
    "first 1st erste erster premier primero", "second 2nd zweite zweiter deuxieme segundo",
    "third 3rd dritte dritter troisieme tercero", "fourth 4th vierte vierter quatrieme cuarto",
    "fifth 5th funfte funfter cinquieme quinto", "sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th",
)  # fmt: skip
_PLACE_OF = {word: place for place, words in enumerate(_ORDINALS, 1) for word in words.split()}
_PLACES = frozenset((*RANK, "place", "top", "preference", "priority"))
_BEST, _WORST = (
    frozenset(("best", "most", "beste", "bester", "mejor")),
    frozenset(("worst", "least", "schlechteste", "schlechtester", "peor")),
)


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case: sys_rank, sysRank and "Rank of sys" all hold rank.

    >>> words_of("rankOfB_1st")
    ['rank', 'of', 'b', '1st']
    """
    found = re.findall(r"\d+(?:st|nd|rd|th)\b|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)
    return [plain_name(word) for word in found]


def is_ranking(ranks: Sequence[float]) -> bool:
    """Return True for ranks from 1 on; ties may be 1 2 2 3, 1 2 2 4 or 1 2.5 2.5 4.

    >>> [is_ranking(ranks) for ranks in ((2, 1, 3), (1, 2, 2), (1, 3, 3), (1, 2.5, 2.5), (2, 3, 3))]
    [True, True, False, True, False]
    """
    ordered = sorted(ranks)
    if not ordered or ordered[0] < 1:
        return False
    dense = sorted({*ordered}) == [*range(1, len({*ordered}) + 1)]
    first = all(rank == 1 + ordered.index(rank) for rank in ordered)
    middle = all(rank == ordered.index(rank) + (ordered.count(rank) + 1) / 2 for rank in ordered)
    return dense or first or middle


def is_strict(ranks: Sequence[float]) -> bool:
    """Return True for each rank from 1 on once."""
    return sorted(ranks) == [*range(1, len(ranks) + 1)]


def read_rankings(table: TableProfile) -> Iterator[Reading]:
    """Yield the readings of a table as rankings."""
    yield from _of_tuples(table)
    yield from _per_place(table)
    yield from _per_option(table)
    yield from _ranks_in_rows(table)
    yield from _ends_in_rows(table)


def find_ranking(names: Sequence[str], rows: Cells) -> tuple[tuple[str, ...], float]:
    """Return the columns that rank their names, and the evidence; ties and gaps need names that say "rank".

    >>> find_ranking(["rater", "a", "b", "c"], [["x", "1", "3", "2"], ["y", "2", "1", "3"], ["z", "3", "2", "1"]])
    (('a', 'b', 'c'), 0.9)
    """
    cells = {
        name: ["" if is_missing(cell) else cell for cell in column]
        for name, column in cells_by_name(names, rows).items()
    }
    called = [name for name in cells if {*RANK} & {*words_of(name)} and any(cells[name])]
    if len(called) > 1 and _rank_each_other([cells[name] for name in called]):
        return tuple(called), _SURE
    highest = {
        name: max(map(int, column))
        for name, column in cells.items()
        if column and all(cell.isdecimal() and len(cell) < 4 for cell in column) and "0" not in column
    }
    for most in range(len(highest), 2, -1):
        group = [name for name, rank in highest.items() if rank <= most]
        if len(group) != most or len(rows) < _FEWEST_ROWS:
            continue
        rankings = [*zip(*(cells[name] for name in group), strict=True)]
        strict = sum(is_strict([*map(int, row)]) for row in rankings)
        if strict >= _MOSTLY * len(rankings) and len({*rankings}) > 1:
            chance = (math.factorial(most) / most**most) ** strict
            return tuple(group), _SURE if chance < _CHANCE else _UNSURE
    return (), 0.0


def _rank_each_other(columns: Cells) -> bool:
    """Return True where rows hold ranks from 1 to at most the number of columns, and not all the same."""
    rows = [[_number(cell) for cell in row if cell] for row in zip(*columns, strict=True)]
    rows = [row for row in rows if row]
    if not rows or sum(len(row) > 1 for row in rows) < _MOSTLY * len(rows):
        return False
    return sum(map(is_ranking, rows)) >= _MOSTLY * len(rows) and _are_apart(rows)


def _are_apart(rankings: Sequence[Sequence[float]]) -> bool:
    """Return True where most ranks of the rankings differ."""
    return sum(len({*ranks}) for ranks in rankings) >= _APART * sum(map(len, rankings))


def _number(cell: str) -> float:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return math.nan


def _per_question(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of questions in each of which the options are ranked, such as Q1_1 to Q1_4 and Q2_1 to Q2_4."""
    families = [family for family in _families(table, set()) if _ranks_one(family)]
    if len(families) < 2:
        return
    ranked = [one for family in families for one in family]
    called = [stem_and_number(one.name) for one in ranked]
    tasks, options = zip(*((stem.strip(" _-.:/"), number) for stem, number in called), strict=True)
    mapping: dict[str, str | tuple[str, ...]] = {
        "rank": tuple(one.name for one in ranked),
        "@form": OPTION_COLUMNS,
        "@names item_id": tasks,
        "@names option": options,
    }
    note = (
        f"{len(families)} questions ({listed(dict.fromkeys(tasks))}) are ranked, each from 1 for the best to "
        f"{len(families[0])}: a task each, with the options {listed(dict.fromkeys(options))}."
    )
    yield from _rankings_in_one_row(table, ranked, mapping, PER_OPTION, _UNSURE, note)


def _ranks_one(family: Sequence[Column]) -> bool:
    """Return True for columns of which nearly every full row is a permutation, more than chance would have it."""
    rows = [row for row in zip(*(one.cells for one in family), strict=True) if all(row)]
    if len(rows) < _FEWEST_ROWS or len({*rows}) < 2:
        return False
    strict = sum(is_strict([_number(cell) for cell in row]) for row in rows)
    chance = (math.factorial(len(family)) / len(family) ** len(family)) ** strict
    return strict >= _MOSTLY * len(rows) and chance < _CHANCE


def _per_option(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of ranks side by side."""
    several = list(_per_question(table))
    yield from several
    names = [one.name for one in table.columns]
    columns, sure = find_ranking(names, [*zip(*(one.cells for one in table.columns), strict=True)])
    if several or not columns or all(place_of(name) and not {*RANK} & {*words_of(name)} for name in columns):
        return
    ranked = [one for one in table.columns if one.name in columns]
    called = without_ranks(columns)
    mapping: dict[str, str | tuple[str, ...]] = {"rank": columns, "@form": OPTION_COLUMNS}
    mapping |= {"@names option": called} if called != columns else {}
    note = f"{len(columns)} columns hold ranks ({listed(list(columns[:3]))} …): one column per option, 1 is the best."
    yield from _rankings_in_one_row(table, ranked, mapping, PER_OPTION, sure, note)


def without_ranks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of columns without the word for rank, where they stay different.

    >>> without_ranks(("rank_sysA", "rank_sysB")), without_ranks(("A (rank)", "B (rank)"))
    (('sysA', 'sysB'), ('A', 'B'))
    """
    words = "|".join(sorted(RANK, key=len, reverse=True))
    ends = re.compile(
        rf"(?i)^\s*({words})(\s+of|\s+for)?[\s_.:/\[(-]+|[\s_.:/\[(-]+({words})(ing|s)?[\s\])]*$|[\])]\s*$"
    )
    short = tuple(ends.sub("", name).strip() for name in names)
    return short if len({*short}) == len(short) and all(short) else names


def place_of(name: str) -> int:
    """Return the place that a column's name says, 0 for none.

    >>> place_of("1st"), place_of("Rank 2"), place_of("third choice"), place_of("clip 2")
    (1, 2, 3, 0)
    """
    words = words_of(name)
    places = [_PLACE_OF[word] for word in words if word in _PLACE_OF]
    places += [int(word) for word in words if word.isdecimal() and len(word) < 3 and _PLACES & {*words}]
    return places[0] if len(places) == 1 else 0


def _per_place(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of a column of options for each place."""
    places = {place_of(one.name): one for one in table.columns if place_of(one.name) and one.filled}
    ordered = [places[place] for place in sorted(places)]
    if len(ordered) < 3 or [*sorted(places)] != [*range(1, len(ordered) + 1)]:
        return
    rows = [
        ["" if is_missing(cell) else cell for cell in row]
        for row in zip(*(one.cells for one in ordered), strict=True)
    ]
    rows = [row for row in rows if any(row)]
    whole = [row for row in rows if _is_prefix(row)]
    shared = {cell for row in rows for cell in row if cell}
    again = sum(len({at for row in rows for at, one in enumerate(row) if one == cell}) > 1 for cell in shared)
    if len(rows) < 2 or len(whole) < _MOSTLY * len(rows) or 2 * again < len(shared):
        return
    names = tuple(one.name for one in ordered)
    mapping: dict[str, str | tuple[str, ...]] = {"option": names, "@form": PLACE_COLUMNS}
    mapping["@names rank"] = tuple(str(place) for place in sorted(places))
    note = f"{len(names)} columns name what is in each place ({listed(list(names[:3]))} …); the first is the best."
    yield from _rankings_in_one_row(table, ordered, mapping, PER_PLACE, _SURE, note)


def _is_prefix(row: Sequence[str]) -> bool:
    """Return True where the filled cells come first, and differ."""
    filled = [cell for cell in row if cell]
    return len(filled) > 1 and row[: len(filled)] == filled and len({*filled}) == len(filled)


def _of_tuples(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of tuples of three options or more, of which one was called the best and one the worst."""
    ends = [
        [one for one in table.columns if words & {*words_of(one.name)} and one.filled]
        for words in (_BEST, _WORST)
    ]
    if [len(end) for end in ends] != [1, 1]:
        return
    best, worst = ends[0][0], ends[1][0]
    for options in _families(table, {best.at, worst.at}):
        tuples = [
            (_place_in(row[2:], row[0], options), _place_in(row[2:], row[1], options))
            for row in zip(best.cells, worst.cells, *(one.cells for one in options), strict=True)
            if row[0] and row[1]
        ]
        right = sum(first >= 0 <= second != first for first, second in tuples)
        if not tuples or right < _MOSTLY * len(tuples):
            continue
        names = tuple(one.name for one in options)
        mapping: dict[str, str | tuple[str, ...]] = {
            "option": names,
            "rank": (best.name, worst.name),
            "@form": ENDS,
        }
        note = (
            f'Of the {len(names)} options in a row ({listed(list(names[:3]))} …), "{best.name}" names the best and '
            f'"{worst.name}" the worst; the others are tied between them.'
        )
        yield from _rankings_in_one_row(
            table, [*options, best, worst], mapping, OF_TUPLES, _SURE, note, of_tuples=True
        )
        return


def _families(table: TableProfile, ends: set[int]) -> Iterator[list[Column]]:
    """Yield columns with one name but for a number or letter at its end, three or more."""
    found: dict[str, list[Column]] = {}
    for one in table.columns:
        stem, number = stem_and_number(one.name)
        if number and one.at not in ends and one.filled:
            found.setdefault(stem.casefold(), []).append(one)
    yield from sorted((family for family in found.values() if len(family) > 2), key=len, reverse=True)


def _place_in(row: Sequence[str], end: str, options: Sequence[Column]) -> int:
    """Return the place of the option that an end names by text, column, number or letter; -1 for none."""
    if end in row:
        return [*row].index(end)
    called = names_of_options([one.name for one in options])
    return next((at for at, names in enumerate(called) if end.casefold() in names), -1)


def _rankings_in_one_row(
    table: TableProfile,
    given: Sequence[Column],
    mapping: Mapping[str, str | tuple[str, ...]],
    layout: str,
    sure: float,
    note: str,
    of_tuples: bool = False,
) -> Iterator[Reading]:
    """Yield the reading of rankings of which each stands in one row."""
    places = {one.at for one in given}
    roles = {role: one for role, one in table.roles(RANKINGS).items() if one.at not in places}
    rest = [one for one in (*table.columns, *table.parts) if one.at not in places]
    rater, task = roles.get("rater_id"), roles.get("item_id")
    if task is not None and not _may_name_tasks(task):
        task = None
    rater = (
        rater if rater is not None and rater.is_full else only_people(one for one in rest if one is not task)
    )
    if rater is None and task is not None and not of_tuples:
        rater = _rater_of_parts(table, (task,))
    if task is None and rater is not None and share_distinct((rater,)) < 1 and not of_tuples:
        task = _task_by_values(rest, rater, roles)
    further: dict[str, str | tuple[str, ...]] = {}
    notes = [note]
    of_questions = {*mapping.get("@names item_id", ())}
    task = None if of_questions else task
    named = (task, *_part_of_task(table, rater, task)) if task is not None else ()
    if of_questions:
        pass  # the columns name the tasks
    elif named:
        further["item_id"] = source_of(named)
    elif of_tuples:
        further["item_id"] = mapping["option"]
        notes.append("No column names the tuples; they are called by their options.")
    elif rater is None or share_distinct((rater,)) == 1:
        further["item_id"] = ALL
        notes.append("No column names a task: all rankings are of the same options.")
    if rater is not None:
        further["rater_id"] = rater.name
    elif task is None or share_distinct((task,)) < 1:
        further["rater_id"] = SLOT
        notes.append(
            "No column names the raters: the rankings of a task are numbered, and nothing is said about persons."
        )
    items = len({*zip(*(one.cells for one in named), strict=True)}) if named else table.rows
    items = 1 if further.get("item_id") == ALL else len(of_questions) or items
    raters = len(rater.values) if rater is not None else table.rows
    yield Reading(RANKINGS.name, layout, {**further, **mapping}, sure, tuple(notes), raters, items)


def _rater_of_parts(table: TableProfile, ranked: Sequence[Column]) -> Column | None:
    """Return what says from which file or sheet a row comes, where each holds one ranking of tasks that return."""
    names = [one.name for one in ranked]
    able = [
        part
        for part in table.parts
        if not part.name.startswith((NAMED_PARTS["measure"], NAMED_PARTS["rater_group"]))
        and look_like_measures(sorted(part.values)) < LIKE
        and part.name not in names
    ]
    returning = share_distinct(ranked) < 1 == share_distinct((*ranked, *table.parts))
    return able[0] if len(able) == 1 and returning else None


def _part_of_task(table: TableProfile, rater: Column | None, task: Column) -> tuple[Column, ...]:
    """Return what tells the tasks of several files or sheets apart, where a rater ranks in more than one of them."""
    if rater is None or share_distinct((rater, task)) == 1:
        return ()
    parts = (part for part in table.parts if part not in (rater, task))
    return next(((part,) for part in parts if share_distinct((rater, task, part)) == 1), ())


def _may_name_tasks(task: Column) -> bool:
    """Return True for a column that is called as tasks are, or whose values return in other rows."""
    called = task.plain in RANKINGS.columns[0].names
    return task.is_full and len(task.values) > 1 and (called or 2 * len(task.values) <= len(task.cells))


def _task_by_values(columns: Sequence[Column], rater: Column, roles: Mapping[str, Column]) -> Column | None:
    """Return the only column that tells the rankings of a rater apart."""
    reserved = reserved_places(roles)
    fitting = [
        one
        for one in columns
        if one is not rater
        and one.at not in reserved
        and one.is_full
        and one.holds in ("labels", "texts", "numbers")
        and not is_about(one.name)
        and len(one.values) < len(one.cells)
        and share_distinct((rater, one)) == 1
    ]
    return fitting[0] if len(fitting) == 1 else None


def _ranks_in_rows(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of a rank in each row, within rater and task."""
    if any(one.plain in SCORE and not {*RANK} & {*words_of(one.name)} for one in table.columns):
        return
    ranks = [one for one in table.columns if {*RANK} & {*words_of(one.name)} and one.filled]
    ranks = [one for one in ranks if not any(math.isnan(_number(cell)) for cell in one.filled)]
    if len(ranks) != 1:
        return
    [rank] = ranks
    roles = {role: one for role, one in table.roles(RANKINGS).items() if one is not rank}
    reserved = reserved_places({role: one for role, one in roles.items() if role != "system"})
    able = [
        one
        for one in (*table.columns, *table.parts)
        if one is not rank
        and one.at not in reserved
        and one.is_full
        and (len(one.values) > 1 or one in (roles.get("rater_id"), roles.get("item_id")))
    ]
    rater = roles.get("rater_id")
    if rater not in able:
        rater = only_people(one for one in able if _is_option(one) < 0 and one is not roles.get("item_id"))
    if rater is None:
        rater = _rater_of_parts(table, [one for one in able if one not in table.parts])
    others = [one for one in able if one is not rater and not is_about(one.name)]
    found = None if rater is None else _option_and_task(table, rank, rater, others, roles)
    note = f'"{rank.name}" ranks the options of each task and rater, 1 is the best.'
    if rater is not None and found is not None:
        option, task = found
        item = source_of(task) if task else ALL
        mapping: dict[str, str | tuple[str, ...]] = {
            "item_id": item, "rater_id": rater.name, "option": option.name, "rank": rank.name,
        }  # fmt: skip
        notes = (note,) if task else (note, "No column names a task: everyone ranked the same options.")
        items = len({*zip(*(one.cells for one in task), strict=True)}) if task else 1
        yield Reading(RANKINGS.name, IN_ROWS, mapping, _SURE, notes, len(rater.values), items)
    elif any(_ranks_within(rank, [], key) for size in (1, 2, 3) for key in combinations(able, size)):
        mapping = {"rank": rank.name}
        mapping |= {"rater_id": rater.name} if rater is not None else {}
        yield Reading(RANKINGS.name, IN_ROWS, mapping, _SURE, (note,), 0, 0)


def _ends_in_rows(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of a row per option of a tuple, of which one was called the best and one the worst."""
    roles = table.roles(RANKINGS)
    rater = roles.get("rater_id")
    codes = {one.at: {END_RANKS.get(value.casefold(), 0) for value in one.values} for one in table.columns}
    coded = [one for one in table.columns if one.is_full and codes[one.at] == {1, 2, 3}]
    if rater is None or not rater.is_full or len(coded) != 1:
        return
    [ends] = coded
    reserved = reserved_places({role: one for role, one in roles.items() if role not in ("system", "rank")})
    others = [
        one
        for one in table.columns
        if one.is_full
        and one.at not in reserved
        and one not in (rater, ends)
        and len(one.values) > 1
        and not is_about(one.name)
    ]
    tasks = sorted(others, key=lambda one: (one is not roles.get("item_id"), _is_option(one)))
    options = sorted(others, key=_is_option, reverse=True)
    for task, option in product(tasks, options):
        if task is option:
            continue
        groups: dict[tuple[str, str], list[int]] = {}
        for end, *key in zip(ends.cells, rater.cells, task.cells, strict=True):
            groups.setdefault((key[0], key[1]), []).append(END_RANKS[end.casefold()])
        right = sum(len(end) > 2 and end.count(1) == end.count(3) == 1 for end in groups.values())
        once = share_distinct((rater, task, option)) == 1 > share_distinct((option,))
        if not once or len(groups) < _FEWEST_ROWS or right < _MOSTLY * len(groups):
            continue
        mapping: dict[str, str | tuple[str, ...]] = {"item_id": task.name, "rater_id": rater.name}
        mapping |= {"option": option.name, "rank": ends.name}
        note = f'"{ends.name}" says which option of a tuple is the best and which the worst; the others are tied.'
        yield Reading(RANKINGS.name, OF_TUPLES, mapping, _SURE, (note,), len(rater.values), len(task.values))
        return


def _is_option(one: Column) -> int:
    """Return the weight of a column's name as that of options; -1 for none."""
    return len(OPTION) - OPTION.index(one.plain) if one.plain in OPTION else -1


def _option_and_task(
    table: TableProfile, rank: Column, rater: Column, others: Sequence[Column], roles: Mapping[str, Column]
) -> tuple[Column, tuple[Column, ...]] | None:
    """Return the column of options and those of the task, within which ranks are rankings."""
    named = roles.get("item_id")
    tasks: list[tuple[Column, ...]] = [(named,)] if named in others and named is not None else []
    tasks += [(one,) for one in others if one is not named and one.plain in RANKINGS.columns[0].names]
    tasks += [(), *((one,) for one in others if (one,) not in tasks), *combinations(others, 2)]
    for task in tasks:
        options = [one for one in others if one not in task]
        options = [one for one in options if _ranks_within(rank, [one], (rater, *task), table)]
        if options:
            return min(options, key=lambda one: (len(one.values), -_is_option(one))), task
    return None


def _ranks_within(
    rank: Column, options: Sequence[Column], keys: Sequence[Column], table: TableProfile | None = None
) -> bool:
    """Return True where most groups of rows that agree in the keys hold a ranking of different options."""
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    cells = zip(rank.cells, *(one.cells for one in options), strict=True)
    for (own_rank, *option), *key in zip(cells, *(one.cells for one in keys), strict=True):
        if own_rank:
            groups.setdefault(tuple(key), []).append((own_rank, *option))
    rows = sum(map(len, groups.values()))
    if not rows or 2 * len(groups) > rows:
        return False
    if options and any(len({option for _, option in group}) < len(group) for group in groups.values()):
        return False
    ranks = [[_number(own_rank) for own_rank, *_ in group] for group in groups.values()]
    right = sum(map(is_ranking if options else is_strict, ranks))
    if right >= _MOSTLY * len(groups) and _are_apart(ranks):
        return True
    cut = (
        table is not None and table.sniffed.rows > 1.5 * table.rows
    )  # groups that the first rows show in part
    most = max(len(one.values) for one in options) if options else 0
    return cut and all(len({*each}) == len(each) and max(each) <= most for each in ranks)
