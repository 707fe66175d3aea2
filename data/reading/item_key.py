# ruff: noqa: SIM905 - lists of words read better as words
"""The fewest columns that name an item: with the rater and the measure they tell one rating from another."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from data.errors import listed
from data.kinds.likely_names import ABOUT, ITEM_PARTS, ends_as_id, is_about, is_called_item
from data.reading.columns import Column
from data.reading.profile import (
    SHARED,
    TableProfile,
    are_crossed,
    is_balanced,
    is_constant_within,
    reserved_places,
    share_distinct,
    varies_within,
)

UNIQUE = 0.98
"""Share of rows that a key must identify; the rest are repeats."""
MOST_PARTS, MOST_CANDIDATES = 4, 8
_ROUNDS = frozenset(
    "round phase block session wave repeat repetition retest rep runde durchgang wiederholung ronda repeticion "
    "ripetizione repeticao 轮次 重复 繰り返し 反復".split()
)
"""Names of repetitions of the same items, which are no part of an item's name."""
REPEATS = _ROUNDS | frozenset(
    "run replicate durchlauf replikat replicat day occasion attempt messung versuch jour essai tentative dia ocasion "
    "intento giorno occasione tentativo ocasiao tentativa 天 日".split()
)
"""Names of columns that may say when an item was rated again, or in which state, and then hold no ratings."""
SETS = frozenset(("set", "list"))
"""Names of numbers of the sets that items belong to."""
PARTS = ("topic", "system", "condition", "split")


@dataclass(frozen=True)
class _Key:
    """Columns that name an item, what speaks against them, and sentences on them."""

    columns: tuple[Column, ...] = ()
    doubt: float = 0.0
    notes: tuple[str, ...] = ()


def find_item_key(
    table: TableProfile, roles: Mapping[str, Column], rater: Column, measure: Column | None, given: set[int]
) -> _Key:
    """Return the fewest columns that, with the rater and the measure, tell one row from another."""
    with_rater = (rater, *table.parts) if measure is None else (rater, measure, *table.parts)
    rounds = [one for one in table.columns if one.plain in _ROUNDS and one.is_full and not one.is_constant]
    told_apart = (*with_rater, *rounds)
    named = roles.get("item_id")
    if named is not None and (named.at in given or (named.is_constant and table.rows > 1)):
        named = None
    system = roles.get("system")
    if named is not None and system is not None and system.at not in given and varies_within(system, named):
        pair = named, system
        repeated = share_distinct((*pair, *with_rater)) < UNIQUE
        others = [
            one
            for one in _key_candidates(table, roles, given | {one.at for one in with_rater}, named, rater)
            if repeated and is_called_item(one.name) and one not in pair
        ]
        wider = [one for one in others if _is_key((one, *pair), with_rater, table)]
        of_system = (*wider[:1], *pair)
        note = f"The item is made of {listed([one.name for one in of_system])}: several systems have the same item."
        return _Key(of_system, 0.0, (note,))
    counts = named is not None and only_counts_rows(named, rater, table)
    if named is not None and not counts and share_distinct((named, *with_rater)) >= UNIQUE:
        return _Key((named,))
    candidates = _key_candidates(table, roles, given | {one.at for one in with_rater}, named, rater)
    if named is None:
        design = _of_design(candidates, roles)
        others = [one for one in candidates if one not in design and one.holds == "labels"]
        for key in (design, *((*design, one) for one in others)) if len(design) > 1 else ():
            if share_distinct((*key, *with_rater)) >= UNIQUE:
                note = f"The item is made of {listed([each.name for each in key])}: no column names it."
                return _Key(key, 0.0 if key == design else 0.1, (note,))
    for size in range(1, MOST_PARTS + 1):
        for key in combinations(candidates, size):
            if (named is None or named in key or counts) and (
                _is_key(key, with_rater, table) or (named is None and _is_key(key, told_apart, table))
            ):
                note = (
                    f"The item is made of {listed([one.name for one in key])}: none of them alone names it."
                )
                return _Key(key, 0.0 if _all_named(key, roles) else 0.1, (note,) if size > 1 else ())
    if named is None:
        return _Key()
    distinct = share_distinct((named, *with_rater))
    return _Key((named,), 0.0 if distinct >= SHARED or len(named.values) > len(rater.values) else 0.4)


def _of_design(candidates: Sequence[Column], roles: Mapping[str, Column]) -> tuple[Column, ...]:
    """Return the columns of a study's design, without those that the others tell already."""
    design = [one for one in candidates if _all_named((one,), roles)]
    for one in reversed(design[:]):
        others = [other for other in design if other is not one]
        if len(others) > 1 and is_constant_within(one, others):
            design = others
    return tuple(design)


def only_counts_rows(named: Column, rater: Column, table: TableProfile) -> bool:
    """Return True where what is called an id only counts rows, beside another column that names items, or labels that
    each rater met once."""
    return named.names_rows and any(
        one is not named
        and 1 < len(one.values) < len(one.cells)
        and (
            one.plain in ITEM_PARTS
            or is_called_item(one.name)
            or (one.holds == "labels" and are_crossed(one, rater))
        )
        for one in table.columns
    )


def _key_candidates(
    table: TableProfile, roles: Mapping[str, Column], given: set[int], named: Column | None, rater: Column
) -> list[Column]:
    """Return the columns that may be part of an item's name, those that are called so first."""
    parts = [roles[role] for role in PARTS if role in roles and roles[role].plain not in _ROUNDS]
    called = [one for one in table.columns if ends_as_id(one.name) or is_called_item(one.name)]
    called.sort(key=lambda one: one.plain not in ITEM_PARTS)
    reserved = reserved_places(roles) - {one.at for one in parts}
    text = roles.get("text")
    if text is not None and 1 < len(text.values) <= 0.5 * len(text.cells):
        reserved -= {text.at}
    reserved |= {roles[role].at for role in ("rater_group", "measure", "design") if role in roles}
    others = [
        one
        for one in table.columns
        if one.holds in ("labels", "texts")
        or (one.in_steps and not is_about(one.name) and table.sniffed.header and are_crossed(one, rater))
        or (one.in_steps and (one.plain in SETS or is_balanced(one, rater) or _are_codes(one)))
        if one.plain not in ABOUT or (one.plain == "version" and one.holds == "labels" and named is not None)
        if one.plain not in _ROUNDS
    ]
    texts = [text] if text is not None and text.at not in reserved else []
    ordered = [*([named] if named is not None else []), *called, *parts, *others, *texts]
    found: list[Column] = []
    for one in ordered:
        able = one.at not in given | reserved and one.is_full and not one.is_constant and one.holds != "times"
        if able and one not in found and (one is named or not one.names_rows):
            found.append(one)
    return found[:MOST_CANDIDATES]


def _are_codes(one: Column) -> bool:
    """Return True for numbers of one length of which some begin with 0, such as 00858, as ids do and no amounts."""
    return len({*map(len, one.values)}) == 1 and any(
        cell[0] == "0" and cell.isdecimal() for cell in one.values
    )


def _is_key(key: Sequence[Column], with_rater: Sequence[Column], table: TableProfile) -> bool:
    """Return True where the columns tell rows of a rater apart, and several raters meet in their values."""
    if share_distinct((*key, *with_rater)) < UNIQUE or any(
        is_constant_within(one, with_rater[:1]) for one in key
    ):
        return False
    items = len(set(zip(*(one.cells for one in key), strict=True)))
    measures = math.prod(len(one.values) for one in with_rater[1:])
    return items * measures * 1.25 <= table.rows


def _all_named(key: Sequence[Column], roles: Mapping[str, Column]) -> bool:
    named = {roles[role].at for role in ("item_id", *PARTS) if role in roles}
    return all(one.at in named or one.plain in ITEM_PARTS for one in key)
