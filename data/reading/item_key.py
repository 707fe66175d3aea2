# ruff: noqa: SIM905 - lists of words read better as words
"""The fewest columns that name an item: with the rater and the measure they tell one rating from another."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from data.errors import listed
from data.kinds.likely_names import (
    ABOUT,
    ITEM_PARTS,
    ends_as_id,
    is_about,
    is_called_item,
    is_called_system,
    is_personal,
    is_system,
)
from data.reading.columns import MOST_LABELS, Column
from data.reading.profile import (
    SHARED,
    TableProfile,
    are_crossed,
    is_balanced,
    is_constant_within,
    pairs_among,
    reserved_indices,
    share_distinct,
    varies_within,
)

UNIQUE, MOSTLY_UNIQUE = 0.98, 0.9
"""Share of rows that a key must identify, the rest are repeats; and where the named item alone identifies few."""
MOST_PARTS, MOST_CANDIDATES = 4, 8
_IN_DOUBT = 0.38
"""Doubt about a key that is asked about."""
_CROSSED_AT_MOST = 1.5
"""Pairs of items and raters in a row up to which most raters meet most items."""
REPEATED = frozenset(
    "repeat repetition retest rep wiederholung repeticion ripetizione repeticao 重复 繰り返し 反復".split()
)
_ROUNDS = REPEATED | frozenset("round phase block session wave runde durchgang ronda 轮次".split())
"""Names of columns that number repetitions of items, and are no part of an item's name."""
REPEATS = _ROUNDS | frozenset(
    "run replicate durchlauf replikat replicat day occasion attempt messung versuch jour essai tentative dia ocasion "
    "intento giorno occasione tentativo ocasiao tentativa 天 日".split()
)
"""Names of columns that may say when an item was rated again, or in which state, and then hold no ratings."""
_PARTS = frozenset("position index idx seq number no nr version".split())
"""Names of numbers that may be of parts of a whole, or say something about a row."""
SETS = frozenset(("set", "list"))
"""Names of numbers of the sets that items belong to."""
PARTS = ("topic", "system", "condition", "split")
_MOST_SYSTEMS = 20
"""Most values of a part of the item that is taken for the system."""


@dataclass(frozen=True)
class _Key:
    """Columns that name an item, the doubt about them, and sentences on them."""

    columns: tuple[Column, ...] = ()
    doubt: float = 0.0
    notes: tuple[str, ...] = ()
    or_only: tuple[Column, ...] = ()
    """The columns without the last one, where this may be no part of the item."""


def find_item_key(
    table: TableProfile, roles: Mapping[str, Column], rater: Column, measure: Column | None, answers: set[int]
) -> _Key:
    """Return the fewest columns that, with the rater and the measure, tell one row from another, and the one that
    rotates within them."""
    key = _complete_pair(_find_fewest(table, roles, rater, measure, answers), table, roles, answers)
    rotated = _find_rotated_part(table, roles, key.columns, rater, answers) if key.columns else None
    if rotated is None:
        return key
    columns = (*key.columns, rotated)
    names = listed([column.name for column in columns])
    note = f"The item is made of {names}: each rater met all of them equally often."
    if rotated in [roles.get(role) for role in PARTS] or is_called_item(rotated.name):
        return _Key(columns, key.doubt, (note,))
    return _Key(columns, max(key.doubt, _IN_DOUBT), (note,), key.columns)


def _complete_pair(key: _Key, table: TableProfile, roles: Mapping[str, Column], answers: set[int]) -> _Key:
    """Return the key with both of two columns named alike but for the side, such as pic1 and pic2, that were compared;
    in doubt where it has none of them, but they vary within it, as trials only number rows."""
    pairs = pairs_among(column for column in table.columns if column.at not in answers and column.is_full)
    if len(pairs) != 1 or not key.columns or not table.sniffed.header:
        return key
    missing = [each for each in pairs[0] if each not in key.columns and varies_within(each, key.columns[0])]
    names = listed([column.name for column in pairs[0]])
    if len(missing) == 1 and key.columns[0] in pairs[0] and len(key.columns) == 1:
        return _Key(pairs[0], key.doubt, (f"The item is made of {names}, which were compared.",))
    are_counted = all(column.counts_from_one for column in key.columns)
    if len(missing) == 2 and are_counted and not _all_named(key.columns, roles):
        note = f"{names} seem to be what was compared, and differ between rows of one item."
        return replace(key, doubt=_IN_DOUBT, notes=(*key.notes, note))
    return key


def _find_fewest(
    table: TableProfile, roles: Mapping[str, Column], rater: Column, measure: Column | None, answers: set[int]
) -> _Key:
    """Return the fewest columns that, with the rater and the measure, tell one row from another."""
    with_rater = (rater, *table.parts) if measure is None else (rater, measure, *table.parts)
    item = roles.get("item_id")
    if item is not None and (item.at in answers or (item.is_constant and table.rows > 1)):
        item = None
    system = roles.get("system")
    if item is not None and is_constant_within(rater, [item]):  # of a rater, as a HIT is
        made_by = [system] if system is not None else []
        others = [column for column in table.columns if is_called_item(column.name) and column is not item]
        shared = (each for each in others if _is_key((each, *made_by), with_rater, table, system=system))
        item = next(shared, item)
    if item is not None and system is not None and system.at not in answers and varies_within(system, item):
        pair = item, system
        of_system = (*_further_parts(table, roles, pair, with_rater, answers), *pair)
        names = listed([column.name for column in of_system])
        note = f"The item is made of {names}: several systems have the same item."
        return _Key(of_system, 0.0, (note,))
    counts = item is not None and only_counts_rows(item, rater, table)
    if item is not None and not counts and share_distinct((item, *with_rater)) >= UNIQUE:
        return _Key((item,))
    candidates = _key_candidates(table, roles, answers | {column.at for column in with_rater}, item, rater)
    if item is None:
        design = _design_columns(candidates, roles)
        further = [column for column in candidates if column not in design and column.holds == "labels"]
        for key in (design, *((*design, column) for column in further)) if len(design) > 1 else ():
            if share_distinct((*key, *with_rater)) >= UNIQUE:
                note = f"The item is made of {listed([each.name for each in key])}: no column names it."
                return _Key(key, 0.0 if key == design else 0.1, (note,))
    for size in range(1, MOST_PARTS + 1):
        for key in combinations(candidates, size):
            if (item is None or item in key or counts) and _is_key(key, with_rater, table):
                note = f"The item is made of {listed([column.name for column in key])}: none of them alone names it."
                return _Key(key, 0.0 if _all_named(key, roles) else 0.1, (note,) if size > 1 else ())
    if item is None:
        return _find_repeated_item(candidates, with_rater, table)
    parts = _further_parts(table, roles, (item,), with_rater, answers)
    if parts:
        names = listed([column.name for column in (item, *parts)])
        return _Key((item, *parts), 0.1, (f"The item is made of {names}: none of them alone names it.",))
    distinct = share_distinct((item, *with_rater))
    doubt = 0.0 if len(item.values) > len(rater.values) else 0.3 if "score" in roles else _IN_DOUBT
    for column in candidates if distinct < SHARED else ():
        pairs = len({*zip(item.cells, column.cells, strict=True)})
        is_crossed = pairs * len(rater.values) <= _CROSSED_AT_MOST * table.rows
        is_part = is_crossed and _is_key((item, column), with_rater, table, MOSTLY_UNIQUE)
        is_part |= column.holds == "labels" and are_crossed(column, item)  # whoever rated
        of_rater = is_constant_within(item, (rater,)) and share_distinct((item, column, *with_rater)) == 1
        doubt = _IN_DOUBT if of_rater else doubt
        if column is not item and (is_part or of_rater):
            note = f"The item is made of {listed([item.name, column.name])}: neither of them alone names it."
            return _Key((item, column), max(doubt, 0.1), (note,))
    return _Key((item,), 0.0 if distinct >= SHARED else doubt)


def _further_parts(
    table: TableProfile,
    roles: Mapping[str, Column],
    key: Sequence[Column],
    with_rater: Sequence[Column],
    answers: set[int],
) -> tuple[Column, ...]:
    """Return the one or two columns that tell the rows of a rater on each key apart, as the segments of a document do;
    none where rows seldom agree in the key."""
    if share_distinct((*key, *with_rater)) >= MOSTLY_UNIQUE:
        return ()
    candidates = [
        column
        for column in table.columns
        if column.at not in answers
        and column not in (*key, *with_rater, roles.get("rater_group"))
        and not is_personal(column.name)
        and column.plain.removeprefix("is") not in REPEATS
        and (column.plain not in ABOUT - _PARTS or column.plain in ITEM_PARTS)
        and column.is_full
        and not column.is_constant
        and (column.holds in ("labels", "texts") or all(map(str.isdecimal, column.values)))
        and (
            column.plain not in ABOUT or share_distinct((column, *with_rater)) < UNIQUE
        )  # else it is the order
    ]
    candidates.sort(key=lambda column: (not is_called_item(column.name), column.holds != "labels", column.at))
    parts: list[tuple[Column, ...]] = [(column,) for column in candidates]
    parts += [*combinations(candidates[:MOST_CANDIDATES], 2)]
    return next(
        (part for part in parts if _is_key((*part, *key), with_rater, table, system=roles.get("system"))), ()
    )


def find_system(
    table: TableProfile, roles: Mapping[str, Column], key: Sequence[Column], rater: Column
) -> Column | None:
    """Return the column of the key that names what made the items: the only one with few values of which raters, and
    most of what the other columns name, have several. None where a column is called the system."""
    others = [roles.get(role) for role in ("item_id", "system", "topic", "split", "text", "rater_group")]
    candidates = [
        column
        for column in key
        if column not in others
        and (column.holds == "labels" or is_called_system(column.name) or column is roles.get("condition"))
        and len(column.values) <= _MOST_SYSTEMS
        and (not is_called_item(column.name) or any(map(is_system, column.values)))
        and not is_about(column.name)
        and column.plain != "innerkey"  # which nobody named
        and varies_within(column, rater)
        and varies_in_items(column, [part for part in key if part is not column])
    ]
    return candidates[0] if len(candidates) == 1 and "system" not in roles else None


def varies_in_items(column: Column, key: Sequence[Column]) -> bool:
    """Return True where most names by the key have several values of the column, which has fewer values than names."""
    pairs = {*zip(zip(*(part.cells for part in key), strict=True), column.cells, strict=bool(key))}
    times = Counter(name for name, _ in pairs)
    return 2 * sum(number > 1 for number in times.values()) > len(times) > len(column.values)


def _find_rotated_part(
    table: TableProfile, roles: Mapping[str, Column], key: Sequence[Column], rater: Column, answers: set[int]
) -> Column | None:
    """Return the only labels or numbers that rotate: all raters and all items meet each of them equally often, but each
    rater and item meet once, as raters get the output of one of several systems for each item."""
    of_key = {column.at for column in key}
    reserved = reserved_indices(roles, ("measure", "design")) | answers | {rater.at} | of_key
    reserved -= {roles[role].at for role in PARTS if role in roles} - of_key
    items = tuple(zip(*(column.cells for column in key), strict=True))
    rotated = [
        column
        for column in table.columns
        if column.at not in reserved
        and column.plain not in (ABOUT - _PARTS) | REPEATS
        and rotates(column, rater, items)
    ]
    return rotated[0] if len(rotated) == 1 else None


def rotates(column: Column, rater: Column, items: Sequence[object]) -> bool:
    """Return True where all raters met each value of the column equally often, or once more, and so did all items."""
    if not column.is_full or not 1 < len(column.values) <= MOST_LABELS:
        return False
    if column.holds != "labels" and not all(map(str.isdecimal, column.values)):
        return False

    def spreads(names: Sequence[object], least: int) -> bool:
        counts: dict[object, Counter[str]] = {}
        for cell, name in zip(column.cells, names, strict=True):
            counts.setdefault(name, Counter(dict.fromkeys(column.values, 0)))[cell] += 1
        return all(
            least <= min(times.values()) and max(times.values()) <= min(times.values()) + 1
            for times in counts.values()
        )

    are_shared = len({*items}) < len({*zip(items, rater.cells, strict=True)})
    return are_shared and spreads(rater.cells, 1) and spreads(items, 0)


def _find_repeated_item(
    candidates: Sequence[Column], with_rater: Sequence[Column], table: TableProfile
) -> _Key:
    """Return the only column of words that may name an item, or two columns, where a column such as repetition, or a
    session of two, tells its repeats apart."""
    repeats = [
        column
        for column in table.columns
        if column.is_full
        and (column.plain in REPEATED or (column.plain == "session" and len(column.values) == 2))
    ]
    named = [column for column in candidates if column.holds in ("labels", "texts")]
    keys = [*([(named[0],)] if len(named) == 1 else []), *combinations(candidates, 2)] if repeats else []
    key = next((key for key in keys if _is_key(key, (*with_rater, *repeats), table)), ())
    note = f"The item is made of {listed([column.name for column in key])}: none of them alone names it."
    return _Key(key, 0.1 if key else 0.0, (note,) if len(key) > 1 else ())


def _design_columns(candidates: Sequence[Column], roles: Mapping[str, Column]) -> tuple[Column, ...]:
    """Return the columns of a study's design, without those that are constant within the others."""
    design = [column for column in candidates if _all_named((column,), roles)]
    for column in reversed(design[:]):
        other_columns = [other for other in design if other is not column]
        if len(other_columns) > 1 and is_constant_within(column, other_columns):
            design = other_columns
    return tuple(design)


def only_counts_rows(item: Column, rater: Column, table: TableProfile) -> bool:
    """Return True where an id only counts rows, beside another column that names items, or labels that
    each rater met once."""
    return item.names_rows and any(
        column is not item
        and 1 < len(column.values) < len(column.cells)
        and (
            column.plain in ITEM_PARTS
            or is_called_item(column.name)
            or (column.holds == "labels" and are_crossed(column, rater))
        )
        for column in table.columns
    )


def _key_candidates(
    table: TableProfile,
    roles: Mapping[str, Column],
    answers: set[int],
    item: Column | None,
    rater: Column,
) -> list[Column]:
    """Return the columns that may be part of an item's name, those with names for items first."""
    design = [roles[role] for role in PARTS if role in roles and roles[role].plain not in _ROUNDS]
    named_columns = [
        column for column in table.columns if ends_as_id(column.name) or is_called_item(column.name)
    ]
    named_columns.sort(key=lambda column: column.plain not in ITEM_PARTS)
    reserved = reserved_indices(roles) - {column.at for column in design}
    text = roles.get("text")
    if text is not None and 1 < len(text.values) <= 0.5 * len(text.cells):
        reserved -= {text.at}
    reserved |= {roles[role].at for role in ("rater_group", "measure", "design") if role in roles}
    further = [
        column
        for column in table.columns
        if column.holds in ("labels", "texts")
        or (
            column.in_steps
            and not is_about(column.name)
            and table.sniffed.header
            and are_crossed(column, rater)
        )
        or (column.in_steps and (column.plain in SETS or is_balanced(column, rater) or _are_codes(column)))
        if column.plain not in ABOUT
        or (column.plain == "version" and column.holds == "labels" and item is not None)
        if column.plain not in _ROUNDS
    ]
    further.sort(key=lambda column: column.holds == "numbers")  # these may be the order
    texts = [text] if text is not None and text.at not in reserved else []
    ordered = [
        *([item] if item is not None else []),
        *named_columns,
        *design,
        *further,
        *texts,
    ]
    candidates: list[Column] = []
    for column in ordered:
        usable = (
            column.at not in answers | reserved
            and column.is_full
            and not column.is_constant
            and column.holds != "times"
        )
        is_flag = column.plain.startswith("is") and column.plain.removeprefix("is") in REPEATS
        if usable and not is_flag and column not in candidates and (column is item or not column.names_rows):
            candidates.append(column)
    return candidates[:MOST_CANDIDATES]


def _are_codes(column: Column) -> bool:
    """Return True for numbers of one length of which some begin with 0, such as 00858, as ids do and no amounts."""
    return len({*map(len, column.values)}) == 1 and any(
        cell[0] == "0" and cell.isdecimal() for cell in column.values
    )


def _is_key(
    key: Sequence[Column],
    with_rater: Sequence[Column],
    table: TableProfile,
    least: float = UNIQUE,
    system: Column | None = None,
) -> bool:
    """Return True where the columns tell rows of a rater apart, and rows share their values, those of the system
    aside."""
    if share_distinct((*key, *with_rater)) < least or any(
        is_constant_within(column, with_rater[:1]) and not is_called_item(column.name) for column in key
    ):
        return False
    items = len({*zip(*(column.cells for column in key if column is not system), strict=True)})
    measures = math.prod(len(column.values) for column in with_rater[1:])
    return items * measures * 1.25 <= table.rows


def _all_named(key: Sequence[Column], roles: Mapping[str, Column]) -> bool:
    reserved = {roles[role].at for role in ("item_id", *PARTS) if role in roles}
    return all(column.at in reserved or column.plain in ITEM_PARTS for column in key)
