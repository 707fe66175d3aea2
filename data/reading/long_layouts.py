"""Readings of a table with one row per rating, or per item and rater, whoever names the raters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from data.dataset import SLOT
from data.errors import listed
from data.kinds.choices import CHOICES
from data.kinds.kind import Kind
from data.kinds.likely_names import is_about, look_like_measures, look_like_people, look_like_raters
from data.kinds.ratings import RATINGS
from data.mapping.values import SAID
from data.reading.answers import (
    are_classes,
    find_answers,
    mapping_of_answers,
    of_same_classes,
    others_may_be_rated,
)
from data.reading.columns import MOST_LABELS, Column
from data.reading.item_key import find_item_key
from data.reading.profile import LIKE, TableProfile, is_constant_within, reserved_places, source_of
from data.tables.sniffed import Reading

_FEWEST_KEYS = 5
"""Columns of up to so many values may be labels, systems or groups as well as ids."""
_MOST_REPEATS = 20
"""Rows for each pair of item and rater, above which two columns are no items and raters."""
_PREFERENCES = frozenset(("winner", "preferred", "preference", "preferredmodel", "better", "praferenz"))
"""Names of choices between two options."""
LONG, MEASURES_BESIDE = "one row per rating", "one column per measure"
NOBODY = "ratings of nobody by name"


def read_long(table: TableProfile, kind: Kind) -> Iterator[Reading]:
    """Yield the readings with a column of raters whose names return."""
    roles = table.roles(kind)
    named = roles.get("rater_id")
    if named is None and "item_id" not in roles:
        crossed = list(_crossed(table, kind, roles))
        yield from crossed
        if crossed:
            return
    raters = [named] if named is not None else _raters_by_values(table.columns, roles)
    for rater in raters:
        if not rater.is_full and len(rater.filled) < 0.5 * table.rows:
            continue
        if rater.names_rows and not _one_row_each(table, roles):
            continue
        yield from _of_rater(table, kind, roles, rater, rater is named)


def _crossed(table: TableProfile, kind: Kind, roles: Mapping[str, Column]) -> Iterator[Reading]:
    """Yield the readings of two columns whose values meet again and again, and that no header names."""
    crossing = _crossing(table, {one.at for one in roles.values()})
    if crossing is None:
        return
    first, second = crossing
    people = look_like_people(sorted(second.values)) >= 0.5 > look_like_people(sorted(first.values))
    for item, rater, sure in (
        (first, second, 0.85 if people else 0.6),
        (second, first, 0.1 if people else 0.5),
    ):
        why = "there are fewer of these than of the items"
        if people:
            why = f'"{second.filled[0]}" looks like a person\'s id'
        if rater is first:
            why = "the other way round"
        note = (
            f'No header names the items and raters; judged by the values, "{item.name}" is taken for the item and '
            f'"{rater.name}" for the rater ({why}). Check this.'
        )
        for one in _of_rater(table, kind, {**roles, "item_id": item}, rater, True):
            if one.mapping["item_id"] != item.name:
                continue
            yield replace(one, evidence=min(one.evidence, sure), notes=(note, *one.notes))


def _crossing(table: TableProfile, taken: set[int]) -> tuple[Column, Column] | None:
    """Return the only two columns whose many values return from row to row, neither the same within the other: the one
    of people last, else the one of fewer values. None where more columns may be ids: a session is no rater."""
    keys = [
        one
        for one in table.columns
        if one.at not in taken
        and one.is_full
        and _FEWEST_KEYS < len(one.values) <= len(one.cells) / 2
        and (one.holds in ("labels", "texts") or one.leading or _may_be_ids(one))
    ]
    if len(keys) != 2 or any(is_constant_within(one, [keys[1 - at]]) for at, one in enumerate(keys)):
        return None
    first, second = sorted(keys, key=lambda one: -len(one.values))
    if len(first.values) * len(second.values) < table.rows / _MOST_REPEATS:
        return None
    people = [look_like_people(sorted(one.values)) >= 0.5 for one in (first, second)]
    return (second, first) if people == [True, False] else (first, second)


def _may_be_ids(one: Column) -> bool:
    """Return True for whole numbers of more different values than a scale has points."""
    return len(one.points) > MOST_LABELS and all(map(str.isdecimal, one.values))


def _one_row_each(table: TableProfile, roles: Mapping[str, Column]) -> bool:
    """Return True where each rater has one row and items and a score are named, as in the rows of a short table."""
    item, score = roles.get("item_id"), roles.get("score") or roles.get("choice")
    return item is not None and score is not None and not (item.names_rows and table.rows > 1)


def _of_rater(
    table: TableProfile, kind: Kind, roles: Mapping[str, Column], rater: Column, is_named: bool
) -> Iterator[Reading]:
    measure = roles.get("measure") if kind is RATINGS else roles.get("design")
    answers = find_answers(table, kind, roles, rater)
    if not answers:
        return
    given = {one.at for one in answers} | {rater.at}
    if measure is not None and (len(answers) > 1 or measure.at in given or not measure.is_full):
        measure = None
    key = find_item_key(table, roles, rater, measure, given)
    if not key.columns:
        return
    if not is_named and len(key.columns) > 1 and key.doubt:
        return
    named_answer = roles.get(kind.cells)
    left = [one for one in answers if one not in key.columns]
    varying = [one for one in left if not one.is_constant and not is_constant_within(one, key.columns)]
    agreed = [one for one in left if varying and look_like_measures([one.name]) > 0]  # by all raters, perhaps
    answers = [one for one in left if one in varying or one in agreed]
    answers = answers or [
        one for one in left if one is named_answer and kind is RATINGS and one.plain in SAID
    ]
    if not answers:
        return
    sure = (0.97 if is_named else 0.85) - key.doubt
    if kind is RATINGS and are_classes(table, answers[0]):
        sure -= 0.02
    if kind is CHOICES and named_answer in answers and named_answer.plain in _PREFERENCES:
        sure = 0.5  # which two were compared is not known
    if named_answer not in answers and look_like_measures([one.name for one in answers]) < LIKE:
        sure -= 0.05 if kind is RATINGS or len(answers) == 1 else 0.15
        sure -= (
            0.5
            if kind is RATINGS
            and len(answers) == 1
            and others_may_be_rated(table, roles, answers, (rater, *key.columns))
            else 0
        )
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": source_of(key.columns), "rater_id": rater.name}
    notes = key.notes
    truth = [one for one in of_same_classes(table, answers[0]) if is_constant_within(one, key.columns)]
    if truth and len(answers) == 1:
        sure -= 0.4 if kind is RATINGS else 0
        mapping |= {"gold": truth[0].name} if kind is CHOICES else {}
    if not is_named:
        notes += (
            f'"{rater.name}" is taken for the rater: its values look like people ("{rater.filled[0]}").',
        )
    mapping |= mapping_of_answers(kind, answers)
    if len(answers) > 1:
        notes += (_side_by_side(answers, "measure" if kind is RATINGS else "question"),)
    elif answers[0] is not named_answer:
        notes += (
            f'"{answers[0].name}" is taken for the {kind.row}: no other column varies within items and raters.',
        )
    if measure is not None:
        mapping["measure" if kind is RATINGS else "design"] = measure.name
    layout = LONG if len(answers) == 1 else MEASURES_BESIDE
    items = len(set(zip(*(one.cells for one in key.columns), strict=True)))
    yield Reading(kind.name, layout, mapping, sure, notes, len(rater.values), items)


def _side_by_side(answers: Sequence[Column], each: str) -> str:
    names = listed([one.name for one in answers[:3]]) + (" …" if len(answers) > 3 else "")
    return f"{len(answers)} columns hold answers ({names}): one column per {each}."


def _raters_by_values(columns: Sequence[Column], roles: Mapping[str, Column]) -> list[Column]:
    """Return the only column whose returning values look like people, where none is called so."""
    taken = {one.at for one in roles.values()}
    fitting = [
        one
        for one in columns
        if one.at not in taken
        and one.holds in ("labels", "texts")
        and one.is_full
        and 1 < len(one.values) < len(one.cells)
        and look_like_raters(sorted(one.values)) >= LIKE
    ]
    return fitting if len(fitting) == 1 else []


def read_without_rater(table: TableProfile, kind: Kind, several: bool) -> Iterator[Reading]:
    """Yield the reading of a table that names items several times and nobody who rated them."""
    roles = table.roles(kind)
    item = roles.get("item_id")
    if item is None and several:
        item = _item_of_parts(table, roles)
    if "rater_id" in roles or item is None or (kind is CHOICES and kind.cells not in roles):
        return
    reserved = reserved_places(roles) | {item.at}
    answers = find_answers(table, kind, roles, item)
    if not answers:
        return
    unknown = [
        one
        for one in table.columns
        if one.at not in reserved | {one.at for one in answers}
        and one.holds in ("labels", "texts")
        and one.is_full
        and 1 < len(one.values) < len(one.cells)
        and not is_constant_within(one, (item,))
    ]
    repeated = len(item.values) * 1.5 <= len(item.filled)
    if (unknown or not repeated or all(is_constant_within(one, (item,)) for one in answers)) and not several:
        return
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": item.name, **mapping_of_answers(kind, answers)}
    if several:
        yield Reading(kind.name, NOBODY, mapping, 0.8, (), 0, len(item.values))
        return
    mapping |= {"rater_id": SLOT, "@raters": "slots"}
    notes = (
        "No column names the raters: the ratings of an item are numbered, and nothing is said about persons.",
    )
    most = max((item.filled.count(value) for value in item.values), default=0)
    yield Reading(kind.name, NOBODY, mapping, 0.9, notes, most, len(item.values))


def _item_of_parts(table: TableProfile, roles: Mapping[str, Column]) -> Column | None:
    """Return the column whose values name the rows of each file or sheet, and return in the others."""
    taken = reserved_places(roles) | ({roles["score"].at} if "score" in roles else set())
    able = [
        one
        for one in table.columns
        if one.at not in taken
        and not is_about(one.name)
        and table.tells_rows_apart((one,))
        and 1.5 * len(one.values) <= len(one.cells)
    ]
    return able[0] if able else None
