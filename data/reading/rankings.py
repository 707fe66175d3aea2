"""Readings of a table as rankings: a rank in each row, a column per option or per place, or best and worst of a tuple.

Ranks are permutations, with ties or gaps, within a task and a rater. Names that say "rank" need less evidence than
values alone, and ranks never come from scores.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from data.dataset import SLOT
from data.errors import list_first, listed
from data.kinds.answer_words import END_RANKS
from data.kinds.kind import OPTION, RANK, SCORE
from data.kinds.likely_names import is_about, look_like_measures
from data.kinds.names import names_of_options, plain_name, stem_and_number
from data.kinds.studies import ENDS, OPTION_COLUMNS, PLACE_COLUMNS, RANKINGS
from data.mapping.plan import ALL
from data.mapping.proposal import NAMED_PARTS
from data.reading.columns import Column, cells_by_name, is_missing
from data.reading.profile import (
    LIKE,
    TableProfile,
    find_people_column,
    reserved_indices,
    share_distinct,
    source_of,
)
from data.tables.sniffed import Reading

Cells = Sequence[Sequence[str]]
IN_ROWS, PER_OPTION, PER_PLACE = "one row per rank", "one column of ranks per option", "one column per place"
OF_TUPLES = "best and worst of a tuple"
_MOSTLY = 0.95
_FEWEST_ROWS = 3
_CHANCE = 1e-4
"""Probability of permutations in all rows by chance, below which scores are taken for ranks."""
SURE, _UNSURE = 0.99, 0.9
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
    words = re.findall(r"\d+(?:st|nd|rd|th)\b|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)
    return [plain_name(word) for word in words]


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
    yield from _best_and_worst(table)
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
    named_ranks = [name for name in cells if {*RANK} & {*words_of(name)} and any(cells[name])]
    if len(named_ranks) > 1 and _rank_each_other([cells[name] for name in named_ranks]):
        return tuple(named_ranks), SURE
    highest = {
        name: max(map(int, column))
        for name, column in cells.items()
        if column and all(cell.isdecimal() and len(cell) < 4 for cell in column) and "0" not in column
    }
    for size in range(len(highest), 2, -1):
        group = [name for name, rank in highest.items() if rank <= size]
        if len(group) != size or len(rows) < _FEWEST_ROWS:
            continue
        rankings = [*zip(*(cells[name] for name in group), strict=True)]
        strict = sum(is_strict([*map(int, row)]) for row in rankings)
        if strict >= _MOSTLY * len(rankings) and len({*rankings}) > 1:
            chance = (math.factorial(size) / size**size) ** strict
            return tuple(group), SURE if chance < _CHANCE else _UNSURE
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
    families = [family for family in _families(table, set()) if _holds_rankings(family)]
    if len(families) < 2:
        return
    ranked = [column for family in families for column in family]
    stems_and_numbers = [stem_and_number(column.name) for column in ranked]
    tasks, options = zip(*((stem.strip(" _-.:/"), number) for stem, number in stems_and_numbers), strict=True)
    mapping: dict[str, str | tuple[str, ...]] = {
        "rank": tuple(column.name for column in ranked),
        "@form": OPTION_COLUMNS,
        "@names item_id": tasks,
        "@names option": options,
    }
    note = (
        f"{len(families)} questions ({listed(dict.fromkeys(tasks))}) are ranked, each from 1 for the best to "
        f"{len(families[0])}: a task each, with the options {listed(dict.fromkeys(options))}."
    )
    yield from _rankings_in_one_row(table, ranked, mapping, PER_OPTION, _UNSURE, note)


def _holds_rankings(family: Sequence[Column]) -> bool:
    """Return True for columns of which nearly every full row is a permutation, more than chance would have it."""
    rows = [row for row in zip(*(column.cells for column in family), strict=True) if all(row)]
    if len(rows) < _FEWEST_ROWS or len({*rows}) < 2:
        return False
    strict = sum(is_strict([_number(cell) for cell in row]) for row in rows)
    chance = (math.factorial(len(family)) / len(family) ** len(family)) ** strict
    return strict >= _MOSTLY * len(rows) and chance < _CHANCE


def _per_option(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of ranks side by side."""
    per_question = list(_per_question(table))
    yield from per_question
    names = [column.name for column in table.columns]
    columns, evidence = find_ranking(names, [*zip(*(column.cells for column in table.columns), strict=True)])
    if (
        per_question
        or not columns
        or all(place_of(name) and not {*RANK} & {*words_of(name)} for name in columns)
    ):
        return
    ranked = [column for column in table.columns if column.name in columns]
    option_names = without_ranks(columns)
    mapping: dict[str, str | tuple[str, ...]] = {"rank": columns, "@form": OPTION_COLUMNS}
    mapping |= {"@names option": option_names} if option_names != columns else {}
    note = f"{len(columns)} columns hold ranks ({list_first(columns)}): one column per option, 1 is the best."
    yield from _rankings_in_one_row(table, ranked, mapping, PER_OPTION, evidence, note)


def without_ranks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of columns without the word for rank, where they stay different.

    >>> without_ranks(("rank_sysA", "rank_sysB")), without_ranks(("A (rank)", "B (rank)"))
    (('sysA', 'sysB'), ('A', 'B'))
    """
    words = "|".join(sorted(RANK, key=len, reverse=True))
    affixes = re.compile(
        rf"(?i)^\s*({words})(\s+of|\s+for)?[\s_.:/\[(-]+|[\s_.:/\[(-]+({words})(ing|s)?[\s\])]*$|[\])]\s*$"
    )
    short = tuple(affixes.sub("", name).strip() for name in names)
    return short if len({*short}) == len(short) and all(short) else names


def place_of(name: str) -> int:
    """Return the rank that a column's name says, 0 for none.

    >>> place_of("1st"), place_of("Rank 2"), place_of("third choice"), place_of("clip 2")
    (1, 2, 3, 0)
    """
    words = words_of(name)
    ranks = [_PLACE_OF[word] for word in words if word in _PLACE_OF]
    ranks += [int(word) for word in words if word.isdecimal() and len(word) < 3 and _PLACES & {*words}]
    return ranks[0] if len(ranks) == 1 else 0


def _per_place(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of a column of options for each place."""
    column_of_rank = {
        place_of(column.name): column for column in table.columns if place_of(column.name) and column.filled
    }
    ordered = [column_of_rank[rank] for rank in sorted(column_of_rank)]
    if len(ordered) < 3 or [*sorted(column_of_rank)] != [*range(1, len(ordered) + 1)]:
        return
    rows = [
        ["" if is_missing(cell) else cell for cell in row]
        for row in zip(*(column.cells for column in ordered), strict=True)
    ]
    rows = [row for row in rows if any(row)]
    complete = [row for row in rows if _is_prefix(row)]
    options = {cell for row in rows for cell in row if cell}
    repeated = sum(
        len({index for row in rows for index, option in enumerate(row) if option == cell}) > 1
        for cell in options
    )
    if len(rows) < 2 or len(complete) < _MOSTLY * len(rows) or 2 * repeated < len(options):
        return
    names = tuple(column.name for column in ordered)
    mapping: dict[str, str | tuple[str, ...]] = {"option": names, "@form": PLACE_COLUMNS}
    mapping["@names rank"] = tuple(str(rank) for rank in sorted(column_of_rank))
    note = f"{len(names)} columns name what is in each place ({list_first(names)}); the first is the best."
    yield from _rankings_in_one_row(table, ordered, mapping, PER_PLACE, SURE, note)


def _is_prefix(row: Sequence[str]) -> bool:
    """Return True where the filled cells come first, and differ."""
    filled = [cell for cell in row if cell]
    return len(filled) > 1 and row[: len(filled)] == filled and len({*filled}) == len(filled)


def _best_and_worst(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of tuples of three options or more, with the best and the worst of each."""
    ends = [
        [column for column in table.columns if words & {*words_of(column.name)} and column.filled]
        for words in (_BEST, _WORST)
    ]
    if [len(end) for end in ends] != [1, 1]:
        return
    best, worst = ends[0][0], ends[1][0]
    for options in _families(table, {best.at, worst.at}):
        tuples = [
            (_option_index(row[2:], row[0], options), _option_index(row[2:], row[1], options))
            for row in zip(best.cells, worst.cells, *(column.cells for column in options), strict=True)
            if row[0] and row[1]
        ]
        valid = sum(first >= 0 <= second != first for first, second in tuples)
        if not tuples or valid < _MOSTLY * len(tuples):
            continue
        names = tuple(column.name for column in options)
        mapping: dict[str, str | tuple[str, ...]] = {
            "option": names,
            "rank": (best.name, worst.name),
            "@form": ENDS,
        }
        note = (
            f'Of the {len(names)} options in a row ({list_first(names)}), "{best.name}" names the best and '
            f'"{worst.name}" the worst; the others are tied between them.'
        )
        yield from _rankings_in_one_row(
            table, [*options, best, worst], mapping, OF_TUPLES, SURE, note, of_tuples=True
        )
        return


def _families(table: TableProfile, reserved: set[int]) -> Iterator[list[Column]]:
    """Yield columns with one name but for a number or letter at its end, three or more."""
    families: dict[str, list[Column]] = {}
    for column in table.columns:
        stem, number = stem_and_number(column.name)
        if number and column.at not in reserved and column.filled:
            families.setdefault(stem.casefold(), []).append(column)
    yield from sorted((family for family in families.values() if len(family) > 2), key=len, reverse=True)


def _option_index(row: Sequence[str], end: str, options: Sequence[Column]) -> int:
    """Return the place of the option that an end names by text, column, number or letter; -1 for none."""
    if end in row:
        return [*row].index(end)
    names_of_columns = names_of_options([column.name for column in options])
    return next((index for index, names in enumerate(names_of_columns) if end.casefold() in names), -1)


def _rankings_in_one_row(
    table: TableProfile,
    ranked: Sequence[Column],
    mapping: Mapping[str, str | tuple[str, ...]],
    layout: str,
    evidence: float,
    note: str,
    of_tuples: bool = False,
) -> Iterator[Reading]:
    """Yield the reading of rankings in one row each."""
    reserved = {column.at for column in ranked}
    roles = {role: column for role, column in table.roles(RANKINGS).items() if column.at not in reserved}
    remaining = [column for column in (*table.columns, *table.parts) if column.at not in reserved]
    rater, task = roles.get("rater_id"), roles.get("item_id")
    if task is not None and not _may_name_tasks(task):
        task = None
    rater = (
        rater
        if rater is not None and rater.is_full
        else find_people_column(column for column in remaining if column is not task)
    )
    if rater is None and task is not None and not of_tuples:
        rater = _rater_of_parts(table, (task,))
    if task is None and rater is not None and share_distinct((rater,)) < 1 and not of_tuples:
        task = _task_by_values(remaining, rater, roles)
    further: dict[str, str | tuple[str, ...]] = {}
    notes = [note]
    of_questions = {*mapping.get("@names item_id", ())}
    task = None if of_questions else task
    task_columns = (task, *_part_of_task(table, rater, task)) if task is not None else ()
    if of_questions:
        pass  # the columns name the tasks
    elif task_columns:
        further["item_id"] = source_of(task_columns)
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
    items = (
        len({*zip(*(column.cells for column in task_columns), strict=True)}) if task_columns else table.rows
    )
    items = 1 if further.get("item_id") == ALL else len(of_questions) or items
    raters = len(rater.values) if rater is not None else table.rows
    yield Reading(RANKINGS.name, layout, {**further, **mapping}, evidence, tuple(notes), raters, items)


def _rater_of_parts(table: TableProfile, ranked: Sequence[Column]) -> Column | None:
    """Return the column of files or sheets, where each holds one ranking of tasks that return."""
    names = [column.name for column in ranked]
    candidates = [
        part
        for part in table.parts
        if not part.name.startswith((NAMED_PARTS["measure"], NAMED_PARTS["rater_group"]))
        and look_like_measures(sorted(part.values)) < LIKE
        and part.name not in names
    ]
    returning = share_distinct(ranked) < 1 == share_distinct((*ranked, *table.parts))
    return candidates[0] if len(candidates) == 1 and returning else None


def _part_of_task(table: TableProfile, rater: Column | None, task: Column) -> tuple[Column, ...]:
    """Return the column of files or sheets that tells their tasks apart, where a rater ranks in more than one of
    them."""
    if rater is None or share_distinct((rater, task)) == 1:
        return ()
    parts = (part for part in table.parts if part not in (rater, task))
    return next(((part,) for part in parts if share_distinct((rater, task, part)) == 1), ())


def _may_name_tasks(task: Column) -> bool:
    """Return True for a column with a name for tasks, or whose values return in other rows."""
    is_named = task.plain in RANKINGS.columns[0].names
    return task.is_full and len(task.values) > 1 and (is_named or 2 * len(task.values) <= len(task.cells))


def _task_by_values(columns: Sequence[Column], rater: Column, roles: Mapping[str, Column]) -> Column | None:
    """Return the only column that tells the rankings of a rater apart."""
    reserved = reserved_indices(roles)
    candidates = [
        column
        for column in columns
        if column is not rater
        and column.at not in reserved
        and column.is_full
        and column.holds in ("labels", "texts", "numbers")
        and not is_about(column.name)
        and len(column.values) < len(column.cells)
        and share_distinct((rater, column)) == 1
    ]
    return candidates[0] if len(candidates) == 1 else None


def _ranks_in_rows(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of a rank in each row, within rater and task."""
    if any(column.plain in SCORE and not {*RANK} & {*words_of(column.name)} for column in table.columns):
        return
    ranks = [column for column in table.columns if {*RANK} & {*words_of(column.name)} and column.filled]
    ranks = [column for column in ranks if not any(math.isnan(_number(cell)) for cell in column.filled)]
    if len(ranks) != 1:
        return
    [rank] = ranks
    roles = {role: column for role, column in table.roles(RANKINGS).items() if column is not rank}
    reserved = reserved_indices({role: column for role, column in roles.items() if role != "system"})
    candidates = [
        column
        for column in (*table.columns, *table.parts)
        if column is not rank
        and column.at not in reserved
        and column.is_full
        and (len(column.values) > 1 or column in (roles.get("rater_id"), roles.get("item_id")))
    ]
    rater = roles.get("rater_id")
    if rater not in candidates:
        rater = find_people_column(
            column
            for column in candidates
            if _option_weight(column) < 0 and column is not roles.get("item_id")
        )
    if rater is None:
        rater = _rater_of_parts(table, [column for column in candidates if column not in table.parts])
    further = [column for column in candidates if column is not rater and not is_about(column.name)]
    option_and_task = None if rater is None else _option_and_task(table, rank, rater, further, roles)
    note = f'"{rank.name}" ranks the options of each task and rater, 1 is the best.'
    if rater is not None and option_and_task is not None:
        option, task = option_and_task
        item = source_of(task) if task else ALL
        mapping: dict[str, str | tuple[str, ...]] = {
            "item_id": item, "rater_id": rater.name, "option": option.name, "rank": rank.name,
        }  # fmt: skip
        notes = (note,) if task else (note, "No column names a task: everyone ranked the same options.")
        items = len({*zip(*(column.cells for column in task), strict=True)}) if task else 1
        yield Reading(RANKINGS.name, IN_ROWS, mapping, SURE, notes, len(rater.values), items)
    elif any(_ranks_within(rank, [], key) for size in (1, 2, 3) for key in combinations(candidates, size)):
        mapping = {"rank": rank.name}
        mapping |= {"rater_id": rater.name} if rater is not None else {}
        yield Reading(RANKINGS.name, IN_ROWS, mapping, SURE, (note,), 0, 0)


def _ends_in_rows(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of a row per option of a tuple, with the best and the worst of each."""
    roles = table.roles(RANKINGS)
    rater = roles.get("rater_id")
    codes = {
        column.at: {END_RANKS.get(value.casefold(), 0) for value in column.values} for column in table.columns
    }
    coded = [column for column in table.columns if column.is_full and codes[column.at] == {1, 2, 3}]
    if rater is None or not rater.is_full or len(coded) != 1:
        return
    [ends] = coded
    reserved = reserved_indices(
        {role: column for role, column in roles.items() if role not in ("system", "rank")}
    )
    candidates = [
        column
        for column in table.columns
        if column.is_full
        and column.at not in reserved
        and column not in (rater, ends)
        and len(column.values) > 1
        and not is_about(column.name)
    ]
    tasks = sorted(
        candidates, key=lambda column: (column is not roles.get("item_id"), _option_weight(column))
    )
    options = sorted(candidates, key=_option_weight, reverse=True)
    for task, option in product(tasks, options):
        if task is option:
            continue
        groups: dict[tuple[str, str], list[int]] = {}
        for end, *key in zip(ends.cells, rater.cells, task.cells, strict=True):
            groups.setdefault((key[0], key[1]), []).append(END_RANKS[end.casefold()])
        valid = sum(len(end) > 2 and end.count(1) == end.count(3) == 1 for end in groups.values())
        once = share_distinct((rater, task, option)) == 1 > share_distinct((option,))
        if not once or len(groups) < _FEWEST_ROWS or valid < _MOSTLY * len(groups):
            continue
        mapping: dict[str, str | tuple[str, ...]] = {"item_id": task.name, "rater_id": rater.name}
        mapping |= {"option": option.name, "rank": ends.name}
        note = f'"{ends.name}" says which option of a tuple is the best and which the worst; the others are tied.'
        yield Reading(RANKINGS.name, OF_TUPLES, mapping, SURE, (note,), len(rater.values), len(task.values))
        return


def _option_weight(column: Column) -> int:
    """Return the weight of a column's name as that of options; -1 for none."""
    return len(OPTION) - OPTION.index(column.plain) if column.plain in OPTION else -1


def _option_and_task(
    table: TableProfile, rank: Column, rater: Column, columns: Sequence[Column], roles: Mapping[str, Column]
) -> tuple[Column, tuple[Column, ...]] | None:
    """Return the column of options and those of the task, within which ranks are rankings."""
    item = roles.get("item_id")
    tasks: list[tuple[Column, ...]] = [(item,)] if item in columns and item is not None else []
    tasks += [
        (column,) for column in columns if column is not item and column.plain in RANKINGS.columns[0].names
    ]
    tasks += [(), *((column,) for column in columns if (column,) not in tasks), *combinations(columns, 2)]
    for task in tasks:
        options = [column for column in columns if column not in task]
        options = [column for column in options if _ranks_within(rank, [column], (rater, *task), table)]
        if options:
            return min(options, key=lambda column: (len(column.values), -_option_weight(column))), task
    return None


def _ranks_within(
    rank: Column, options: Sequence[Column], keys: Sequence[Column], table: TableProfile | None = None
) -> bool:
    """Return True where most groups of rows that agree in the keys hold a ranking of different options."""
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    cells = zip(rank.cells, *(column.cells for column in options), strict=True)
    for (own_rank, *option), *key in zip(cells, *(column.cells for column in keys), strict=True):
        if own_rank:
            groups.setdefault(tuple(key), []).append((own_rank, *option))
    rows = sum(map(len, groups.values()))
    if not rows or 2 * len(groups) > rows:
        return False
    if options and any(len({option for _, option in group}) < len(group) for group in groups.values()):
        return False
    ranks = [[_number(own_rank) for own_rank, *_ in group] for group in groups.values()]
    valid = sum(map(is_ranking if options else is_strict, ranks))
    if valid >= _MOSTLY * len(groups) and _are_apart(ranks):
        return True
    is_cut = (
        table is not None and table.sniffed.rows > 1.5 * table.rows
    )  # groups that the first rows show in part
    most_options = max(len(column.values) for column in options) if options else 0
    return is_cut and all(
        len({*ranks_of_group}) == len(ranks_of_group) and max(ranks_of_group) <= most_options
        for ranks_of_group in ranks
    )
