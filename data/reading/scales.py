"""Columns that share a scale or a vocabulary, by their values and by the shapes of their names."""

import re
from collections.abc import Mapping, Sequence

from data.kinds.likely_names import is_about, is_slot, look_like_raters, shape_of
from data.reading.columns import LONGEST_LABEL, MOST_LABELS, Column, is_missing
from data.reading.profile import LIKE, TableProfile, reserved_places

_SEPARATED = re.compile(r"\s*[|/:_.\[\]()-]+\s*")
SHORT_NAME = 6
"""Characters at the beginning of names that they have in common by chance, if they are fewer."""
SHARED = 0.5
"""Share of the values of a column, or of its sister, that both have on one scale."""


def share_scale(one: Column, other: Column) -> bool:
    """Return True where two columns may hold points of one scale."""
    if "words" in (one.holds, other.holds):
        return one.holds == other.holds
    if not one.points or not other.points:
        return False
    if one.in_steps != other.in_steps:
        return False
    fewer = min(len(one.points), len(other.points))
    if not one.in_steps or fewer > MOST_LABELS // 2:
        return _overlap(one, other) >= SHARED
    return len(one.points & other.points) >= SHARED * fewer


def _overlap(one: Column, other: Column) -> float:
    """Return the share of the narrower range that lies in the other."""
    low, high = max(min(one.points), min(other.points)), min(max(one.points), max(other.points))
    narrower = min(max(one.points) - min(one.points), max(other.points) - min(other.points))
    return (high - low) / narrower if narrower > 0 else float(high >= low)


def columns_on_one_scale(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of numbers, or of words of a scale, that are ratings of one scale, severe ones included."""
    reserved = reserved_places(roles) | {roles[role].at for role in ("item_id", "rater_id") if role in roles}
    able = [
        one for one in table.columns if one.may_be_scale and one.at not in reserved and may_be_answer(one)
    ]
    words = [one for one in able if one.holds == "words"]
    if len(words) >= 2:
        return words
    numbers = [one for one in able if one.holds == "numbers"]
    varying = [one for one in numbers if not one.is_constant]
    if not varying:
        return []
    stepped = [one for one in varying if one.in_steps]
    varying = stepped if len(stepped) * 2 > len(varying) else varying
    names = [one.name for one in varying]
    if not stepped and look_like_raters(names) < LIKE and not all(map(is_slot, names)):
        return []
    alike = grown(largest_group(varying), varying)
    main = _main_shape(varying)
    alike = [one for one in varying if _has_shape(one, main)] if main else alike
    sisters = {shape_of(one.name) for one in alike} - {"word"}
    within = range(min(one.at for one in alike), max(one.at for one in alike)) if alike else range(0)
    low = min((min(one.points) for one in alike), default=0.0)
    high = max((max(one.points) for one in alike), default=0.0)
    reach = max(high - low, 1.0)
    constants = []
    for one in numbers:
        is_sister = shape_of(one.name) in sisters or _shares_part(one, alike)
        beyond = reach if is_sister else 0.0  # the others may have left out an end of the scale
        if (
            one.is_constant
            and (is_sister or one.at in within)
            and low - beyond <= one.numbers[0] <= high + beyond
        ):
            constants.append(one)
    found = {one.at for one in (*alike, *constants)} if alike else set()
    return [one for one in numbers if one.at in found]


def may_be_answer(one: Column) -> bool:
    return not is_about(one.name) and not one.name.casefold().endswith(("_id", " id", "_length", "_count"))


def _shares_part(one: Column, others: Sequence[Column]) -> bool:
    """Return True where a name begins or ends like one of the others, or has a part between separators in common."""
    parts = {part for part in _SEPARATED.split(one.name) if len(part) > 1}
    return any(
        parts & {*_SEPARATED.split(other.name)} or one.name[:SHORT_NAME] == other.name[:SHORT_NAME]
        for other in others
    )


def largest_group(columns: Sequence[Column]) -> list[Column]:
    """Return the most columns whose ranges overlap with that of one of them."""
    groups = ([one for one in columns if _overlap(one, first) >= SHARED] for first in columns)
    return max(groups, key=len, default=[])


def grown(group: Sequence[Column], columns: Sequence[Column]) -> list[Column]:
    """Return the group with the columns that lie on its scale, or less than its length beyond."""
    grown = list(group)
    while grown:
        low, high = min(min(one.points) for one in grown), max(max(one.points) for one in grown)
        reach = max(high - low, 1.0)
        more = [
            one
            for one in columns
            if one not in grown
            and low - 3 * reach <= min(one.points) <= high + reach
            and low - reach <= max(one.points) <= high + 3 * reach
        ]
        if not more:
            break
        grown += more
    return grown


def _has_shape(one: Column, shapes: frozenset[str]) -> bool:
    """Return True where a name has one of the shapes, or is the word that the others number."""
    return shape_of(one.name) in shapes or f"{one.plain} with a number" in shapes


def _main_shape(columns: Sequence[Column]) -> frozenset[str]:
    """Return the shape that most names have, where it tells them from others; none where none prevails."""
    shapes = [shape_of(one.name) for one in columns]
    main = max(set(shapes), key=shapes.count, default="")
    if shapes.count(main) < max(2, 0.6 * len(shapes)) or main in ("word", "name", "measure", "number"):
        return frozenset()
    return frozenset((main, "name"))


def _told(one: Column) -> frozenset[str]:
    return frozenset(value for value in one.values if not is_missing(value))


def columns_of_one_vocabulary(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of labels that share one vocabulary."""
    reserved = reserved_places(roles) | {roles[role].at for role in ("rater_id", "item_id") if role in roles}
    able = [
        one
        for one in table.columns
        if one.holds in ("labels", "texts")
        and one.at not in reserved
        and _told(one)
        and not is_about(one.name)
        and all(len(value) <= LONGEST_LABEL and value[0] not in "{[" for value in one.values)
    ]
    best: list[Column] = []
    for first in able:
        alike = [one for one in able if len(_told(one) & _told(first)) >= SHARED * len(_told(one))]
        best = alike if len(alike) > len(best) else best
    main = _main_shape(able)
    vocabulary = frozenset[str]().union(*map(_told, best))
    best = [one for one in able if one in best or one.values & vocabulary or (main and _has_shape(one, main))]
    vocabulary = vocabulary.union(*(one.values for one in best))
    cells = sum(len(one.filled) for one in best)
    return best if len(best) >= 2 and len(vocabulary) <= min(MOST_LABELS, cells / 2) else []
