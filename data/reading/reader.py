"""Readings of a table: the layouts in which it may hold ratings or labels, each with the evidence for it.

A table is long (a row per rating, or per item and rater), or has answers side by side, in which columns stand for
raters, items or measures. Names are evidence as well as values, and a column is never left out of the answers for using
fewer points of the scale than its sisters.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from analysis.values.counts import thousands
from data.dataset import SLOT
from data.errors import listed
from data.kinds.choices import CHOICES
from data.kinds.kind import Kind
from data.kinds.likely_names import (
    ABOUT,
    ITEM_PARTS,
    STRICT,
    groups_of,
    is_abbreviation,
    is_about,
    is_called_item,
    is_called_rater,
    is_slot,
    look_like_items,
    look_like_measures,
    look_like_people,
    look_like_raters,
    shape_of,
)
from data.kinds.plain_names import plain_name
from data.kinds.ratings import RATINGS
from data.mapping.named_columns import columns_by_name
from data.mapping.plan import ROW
from data.mapping.values import SAID, scaled
from data.reading.columns import LONGEST_LABEL, MOST_LABELS, Column, columns_of, far_off, is_missing
from data.reading.grids import Grid, grids_of, short_names
from data.reading.slots import Pair, slots_of
from data.tables.sniffed import Reading, Sniffed

Rows = Sequence[Sequence[str]]
_UNIQUE = 0.98
"""Share of rows that a key must tell apart; the rest are repeats."""
_LIKE = 0.6
"""Likeness from which on names are taken for those of raters, items or measures."""
_SEPARATED = re.compile(r"\s*[|/:_.\[\]()-]+\s*")
_SHORT_NAME = 6
"""Characters at the beginning of names that they have in common by chance, if they are fewer."""
_LEAST, _MOST_READINGS = 0.2, 4
"""Evidence below which a reading is none, and readings that are kept."""
_MOST_PARTS, _MOST_CANDIDATES = 4, 8
_FEWEST_KEYS = 5
"""Columns of up to so many values may be labels, systems or groups as well as ids."""
_MOST_REPEATS = 20
"""Rows for each pair of item and rater, above which two columns are no items and raters."""
_SHARED = 0.5
"""Share of the values of a column, or of its sister, that both have on one scale."""
_PREFERENCES = frozenset(("winner", "preferred", "preference", "preferredmodel", "better", "praferenz"))
"""Names of choices between two options."""
_ROUNDS = frozenset(
    ("round", "turn", "phase", "block", "session", "wave", "runde", "durchgang", "ronda", "轮次")
)
"""Names of repetitions of the same items, which are no part of an item's name."""
_RESERVED = (
    *(
        "rater_group",
        "system",
        "system_kind",
        "topic",
        "condition",
        "split",
        "order",
        "rated_at",
        "seconds",
        "text_id",
    ),
    *("text", "reference_text", "check", "expected", "status", "design", "gold", "expert"),
)
_VAGUE = frozenset(("id", "case", "name", "no", "nr", "number", "code", "编号", "番号"))
"""Names of columns that name a row, whatever that is."""
_PARTS = ("topic", "system", "condition", "split")
LONG, MEASURES_BESIDE = "one row per rating", "one column per measure"
RATERS_BESIDE, ITEMS_BESIDE = "one column per rater", "one column per item"
RATERS_BY_MEASURE, ITEMS_BY_MEASURE = "one column per rater and measure", "one column per item and measure"
SLOTS = "ratings with a column each that names the item"
NOBODY = "ratings of nobody by name"


@dataclass(frozen=True)
class _Table:
    """A table's columns, and the column that each canonical column of a kind is by its name."""

    sniffed: Sniffed
    columns: tuple[Column, ...]
    parts: tuple[Column, ...] = ()
    """Columns that say from which of several files or sheets a row comes."""

    def tells_rows_apart(self, columns: Sequence[Column]) -> bool:
        """Return True where no two rows of a file or sheet agree in these columns."""
        return (
            bool(columns)
            and _told_apart((*columns, *self.parts)) == 1
            and all(one.is_full for one in columns)
        )

    @cached_property
    def rows(self) -> int:
        """Number of rows that were looked at."""
        return len(self.columns[0].cells) if self.columns else 0

    @cached_property
    def scaled(self) -> Sniffed:
        """The table with words of scales as their numbers."""
        return scaled(self.sniffed)

    def roles(self, kind: Kind) -> dict[str, Column]:
        """Columns by their names, where what they hold allows it."""
        by_name = {one.name: one for one in self.columns}
        found = columns_by_name(self.scaled, kind)
        roles = {role: by_name[name] for role, name in found.items() if name in by_name}
        rater = roles.get("rater_id")
        if rater is not None and rater.is_constant and self.rows > 1 and "mail" in rater.plain:
            del roles["rater_id"]  # nobody's address
        taken = {one.at for one in roles.values()}
        for role, is_called in (("rater_id", is_called_rater), ("item_id", is_called_item)):
            likely = [
                one for one in self.columns if one.at not in taken and is_called(one.name) and one.is_full
            ]
            likely = [
                one for one in likely if one.holds != "times" and (role == "item_id" or len(one.values) > 1)
            ]
            if role not in roles and likely:
                roles[role] = likely[0]
                taken.add(likely[0].at)
        return roles


def readings_of(sniffed: Sniffed, rows: Rows) -> tuple[Reading, ...]:
    """Return the readings of a table by its first rows, the one with most evidence first."""
    parts = [part.name for part in sniffed.parts]
    at = [index for index, name in enumerate(sniffed.names) if name not in parts]
    names = [sniffed.names[index] for index in at]
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    kept = [[row[index] if index < len(row) else "" for index in at] for row in rows]
    if not kept or len(names) < 2:
        return ()
    of_parts = columns_of(
        [*parts], [[row[index] for index, name in enumerate(sniffed.names) if name in parts] for row in rows]
    )
    without = replace(sniffed, columns=tuple(sniffed.columns[index] for index in at))
    table = _Table(without, columns_of(names, kept, sniffed.decimal), of_parts)
    slots = slots_of(names, kept)
    rater = table.roles(RATINGS).get("rater_id")
    if slots and rater is not None:
        return _with_codes(_of_slots(slots, rater, table), table)
    found = [one for kind in (RATINGS, CHOICES) for one in _long(table, kind)]
    found += [one for kind in (RATINGS, CHOICES) if not slots for one in _wide(table, kind)]
    if not any(one.evidence >= _LIKE for one in found):
        found += [one for kind in (RATINGS, CHOICES) for one in _without_rater(table, kind, bool(parts))]
    ordered = sorted((one for one in found if one.evidence >= _LEAST), key=lambda one: -one.evidence)
    return tuple(each for one in ordered[:_MOST_READINGS] for each in _with_codes(one, table))


def _with_codes(reading: Reading, table: _Table) -> tuple[Reading, ...]:
    """Return the reading with the codes in its answers that stand for a missing one; of labels, which may be called so,
    also the one without."""
    cells = reading.answers
    if reading.kind != RATINGS.name:
        labels = Counter(cell for one in table.columns if one.name in cells for cell in one.filled)
        is_answer = "both" in map(plain_name, labels)  # of two options, neither is an answer as well
        found = {
            label: times
            for label, times in labels.items()
            if is_missing(label) and not (is_answer and plain_name(label) == "none")
        }
        if not found:
            return (reading,)
        said = ", ".join(f'"{code}" ({thousands(times)})' for code, times in found.items())
        missing = replace(
            reading,
            mapping={**reading.mapping, "@missing": tuple(found)},
            notes=(*reading.notes, f"Taken for missing answers: {said}."),
        )
        return missing, replace(
            reading, evidence=reading.evidence - 0.01, notes=(*reading.notes, f"Taken for labels: {said}.")
        )
    answers = [one for one in table.columns if one.name in cells and one.holds in ("numbers", "words")]
    codes: Counter[str] = Counter()
    for one in answers:
        codes.update(one.codes)
    groups = [[one] for one in answers] if reading.layout == MEASURES_BESIDE else [answers]
    for group in groups:
        scores = Counter(
            cell for one in group if one.holds == "numbers" and not one.leading for cell in one.filled
        )
        codes.update({cell: scores[cell] for cell in far_off(scores)})
    if not codes:
        return (reading,)
    said = ", ".join(f'"{code}" ({thousands(times)})' for code, times in codes.most_common())
    numbers = [code for code in codes if not is_missing(code)]
    note = f"Missing answers among the first rows: {said}; they are left out."
    if numbers:
        note = f"{said}: far off the scale, so taken for missing answers and left out."
    mapping = {**reading.mapping, "@missing": tuple(codes)}
    return (
        replace(
            reading, mapping=mapping, notes=(note, *reading.notes) if numbers else (*reading.notes, note)
        ),
    )


# --- one row per rating --------------------------------------------------------------------------------------------


def _long(table: _Table, kind: Kind) -> Iterator[Reading]:
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


def _crossed(table: _Table, kind: Kind, roles: Mapping[str, Column]) -> Iterator[Reading]:
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


def _crossing(table: _Table, taken: set[int]) -> tuple[Column, Column] | None:
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
    if len(keys) != 2 or any(_constant_within(one, [keys[1 - at]]) for at, one in enumerate(keys)):
        return None
    first, second = sorted(keys, key=lambda one: -len(one.values))
    if len(first.values) * len(second.values) < table.rows / _MOST_REPEATS:
        return None
    people = [look_like_people(sorted(one.values)) >= 0.5 for one in (first, second)]
    return (second, first) if people == [True, False] else (first, second)


def _may_be_ids(one: Column) -> bool:
    """Return True for whole numbers of more different values than a scale has points."""
    return len(one.points) > MOST_LABELS and all(map(str.isdecimal, one.values))


def _one_row_each(table: _Table, roles: Mapping[str, Column]) -> bool:
    """Return True where each rater has one row and items and a score are named, as in the rows of a short table."""
    item, score = roles.get("item_id"), roles.get("score") or roles.get("choice")
    return item is not None and score is not None and not (item.names_rows and table.rows > 1)


def _of_rater(
    table: _Table, kind: Kind, roles: Mapping[str, Column], rater: Column, is_named: bool
) -> Iterator[Reading]:
    measure = roles.get("measure") if kind is RATINGS else roles.get("design")
    answers = _answers(table, kind, roles, rater)
    if not answers:
        return
    given = {one.at for one in answers} | {rater.at}
    if measure is not None and (len(answers) > 1 or measure.at in given or not measure.is_full):
        measure = None
    key = _item_key(table, roles, rater, measure, given)
    if not key.columns:
        return
    if not is_named and len(key.columns) > 1 and key.doubt:
        return
    named_answer = _named_answer(kind, roles)
    left = [one for one in answers if one not in key.columns]
    varying = [one for one in left if not one.is_constant and not _constant_within(one, key.columns)]
    agreed = [one for one in left if varying and look_like_measures([one.name]) > 0]  # by all raters, perhaps
    answers = [one for one in left if one in varying or one in agreed]
    answers = answers or [
        one for one in left if one is named_answer and kind is RATINGS and one.plain in SAID
    ]
    if not answers:
        return
    sure = (0.97 if is_named else 0.85) - key.doubt
    if kind is CHOICES and named_answer in answers and named_answer.plain in _PREFERENCES:
        sure = 0.5  # which two were compared is not known
    if named_answer not in answers and look_like_measures([one.name for one in answers]) < _LIKE:
        sure -= 0.05 if kind is RATINGS or len(answers) == 1 else 0.15
        sure -= (
            0.5
            if kind is RATINGS
            and len(answers) == 1
            and _others_may_be_rated(table, roles, answers, (rater, *key.columns))
            else 0
        )
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": _source(key.columns), "rater_id": rater.name}
    notes = key.notes
    truth = [one for one in _of_same_classes(table, answers[0]) if _constant_within(one, key.columns)]
    if truth and len(answers) == 1:
        sure -= 0.4 if kind is RATINGS else 0
        mapping |= {"gold": truth[0].name} if kind is CHOICES else {}
    if not is_named:
        notes += (
            f'"{rater.name}" is taken for the rater: its values look like people ("{rater.filled[0]}").',
        )
    mapping |= _of_answers(kind, answers)
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


def _of_same_classes(table: _Table, answer: Column) -> list[Column]:
    """Return the columns of the same whole numbers as the answers in a table without a header, where they may be true
    classes."""
    if table.sniffed.header or answer.holds != "numbers" or len(answer.values) > MOST_LABELS:
        return []
    return [
        one
        for one in table.columns
        if one is not answer and one.is_full and one.values <= answer.values and len(one.values) > 1
    ]


def _others_may_be_rated(
    table: _Table, roles: Mapping[str, Column], answers: Sequence[Column], keys: Sequence[Column]
) -> bool:
    """Return True where further columns differ within items and raters as ratings do, by their values alone."""
    taken = _reserved(roles) | {one.at for one in (*answers, *keys)}
    return any(
        one.at not in taken
        and one.may_be_scale
        and not one.is_constant
        and one.in_steps == answers[0].in_steps
        and not _constant_within(one, keys[:1])
        and not _constant_within(one, keys[1:])
        for one in table.columns
    )


def _side_by_side(answers: Sequence[Column], each: str) -> str:
    names = listed([one.name for one in answers[:3]]) + (" …" if len(answers) > 3 else "")
    return f"{len(answers)} columns hold answers ({names}): one column per {each}."


def _of_answers(kind: Kind, answers: Sequence[Column]) -> dict[str, str | tuple[str, ...]]:
    if len(answers) == 1:
        return {kind.cells: answers[0].name}
    return {kind.cells: tuple(one.name for one in answers), "@form": "measure columns"}


def _named_answer(kind: Kind, roles: Mapping[str, Column]) -> Column | None:
    return roles.get(kind.cells)


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
        and look_like_raters(sorted(one.values)) >= _LIKE
    ]
    return fitting if len(fitting) == 1 else []


def _answers(table: _Table, kind: Kind, roles: Mapping[str, Column], rater: Column) -> list[Column]:
    """Return the columns of ratings, or of labels, that differ within raters."""
    named = _named_answer(kind, roles)
    reserved = _reserved(roles) | {rater.at, *([roles["item_id"].at] if "item_id" in roles else [])}
    if kind is CHOICES:
        are_rated = any(one.may_be_scale and look_like_measures([one.name]) > 0 for one in table.columns)
        return [] if are_rated and named is None else _labels(table, named, reserved, rater)
    able = [
        one
        for one in table.columns
        if one.may_be_scale
        and one.at not in reserved
        and (one is named or _may_be_answer(one))
        and (one is named or one.is_constant or not _constant_within(one, (rater,)))
    ]
    if named is not None and named not in able and named.holds in ("numbers", "words"):
        able = [named, *able]
    able = _with_abbreviations(able, table, reserved, rater)
    varying = [one for one in able if one is named or not one.is_constant]
    able = [one for one in able if one in varying or _is_constant_measure(one, varying)]
    if named is not None:
        sisters = [one for one in able if one is not named and _is_sister(one, named)]
        if 2 * sum(look_like_measures([one.name]) > 0 for one in sisters) < len(sisters):
            sisters = []
        return [one for one in able if one is named or one in sisters]
    judged = [one for one in able if look_like_measures([one.name]) > 0]
    if len(judged) > 1 and len({one.name[:_SHORT_NAME] for one in judged}) == 1:
        return judged
    if judged:
        return [one for one in able if one in judged or _on_scale_of(one, judged)]
    stepped = [one for one in able if one.holds == "words" or one.in_steps] or able
    best: list[Column] = []
    for first in stepped:
        alike = [one for one in stepped if one is first or _share_scale(one, first)]
        best = alike if len(alike) > len(best) else best
    return best if len(best) == len(stepped) else []


def _labels(table: _Table, named: Column | None, reserved: set[int], rater: Column) -> list[Column]:
    """Return the columns of labels that differ within raters: the one that is called so, else all."""
    if named is not None and named.plain in SAID:
        return []  # ratings in words that are not all known
    if named is not None:
        is_label = named.holds in ("labels", "words") or (
            named.holds == "numbers" and len(named.values) <= MOST_LABELS
        )
        return [named] if is_label and not _constant_within(named, (rater,)) else []
    reserved = reserved | _reserved(table.roles(RATINGS))
    able = [
        one
        for one in table.columns
        if (one.holds == "labels" or _of_same_classes(table, one))
        and one.at not in reserved
        and one.plain not in ITEM_PARTS
        and _told_apart((one, rater, *table.parts)) < _UNIQUE
        and (one.is_constant or not _constant_within(one, (rater,)))
    ]
    return [
        one
        for one in able
        if (one.is_full and not one.is_constant)
        or any(one.values & other.values and not other.is_constant for other in able if other is not one)
    ]


def _is_constant_measure(one: Column, others: Sequence[Column]) -> bool:
    """Return True where a measure got the same score every time, on the scale of the others."""
    scales = [other.points for other in others if other.points]
    return (
        look_like_measures([one.name]) > 0
        and bool(one.points)
        and any(min(points) <= one.numbers[0] <= max(points) for points in scales)
    )


def _with_abbreviations(able: list[Column], table: _Table, reserved: set[int], rater: Column) -> list[Column]:
    """Return the answers with columns such as NR, non-redundancy, among OQ, GR and FO on the same scale."""
    short = [one for one in able if is_abbreviation(one.name) and not one.is_constant]
    return [
        one
        for one in table.columns
        if one in able
        or (
            len(short) > 1
            and is_abbreviation(one.name)
            and one.may_be_scale
            and one.at not in reserved
            and all(_share_scale(one, other) for other in short)
            and not _constant_within(one, (rater,))
        )
    ]


def _may_be_answer(one: Column) -> bool:
    return not is_about(one.name) and not one.name.casefold().endswith(("_id", " id", "_length", "_count"))


def _is_sister(one: Column, named: Column) -> bool:
    """Return True where a column stands beside the one that is called the rating as a further measure."""
    if look_like_measures([one.name]) > 0:
        return named.plain not in STRICT or _share_scale(one, named)
    return named.plain not in STRICT and _share_scale(one, named) and (one.in_steps or one.holds == "words")


def _on_scale_of(one: Column, others: Sequence[Column]) -> bool:
    return any(_share_scale(one, other) for other in others) and (one.in_steps or one.holds == "words")


def _share_scale(one: Column, other: Column) -> bool:
    """Return True where two columns may hold points of one scale."""
    if "words" in (one.holds, other.holds):
        return one.holds == other.holds
    if not one.points or not other.points:
        return False
    if one.in_steps != other.in_steps:
        return False
    fewer = min(len(one.points), len(other.points))
    if not one.in_steps or fewer > MOST_LABELS // 2:
        return _overlap(one, other) >= _SHARED
    return len(one.points & other.points) >= _SHARED * fewer


def _overlap(one: Column, other: Column) -> float:
    """Return the share of the narrower range that lies in the other."""
    low, high = max(min(one.points), min(other.points)), min(max(one.points), max(other.points))
    narrower = min(max(one.points) - min(one.points), max(other.points) - min(other.points))
    return (high - low) / narrower if narrower > 0 else float(high >= low)


def _reserved(roles: Mapping[str, Column]) -> set[int]:
    return {roles[role].at for role in _RESERVED if role in roles}


@dataclass(frozen=True)
class _Key:
    """Columns that name an item, what speaks against them, and sentences on them."""

    columns: tuple[Column, ...] = ()
    doubt: float = 0.0
    notes: tuple[str, ...] = ()


def _item_key(
    table: _Table, roles: Mapping[str, Column], rater: Column, measure: Column | None, given: set[int]
) -> _Key:
    """Return the fewest columns that, with the rater and the measure, tell one row from another."""
    with_rater = (rater, *table.parts) if measure is None else (rater, measure, *table.parts)
    named = roles.get("item_id")
    if named is not None and named.at in given:
        named = None
    system = roles.get("system")
    if named is not None and system is not None and system.at not in given and _varies_within(system, named):
        note = f"The item is made of {listed([named.name, system.name])}: several systems have the same item."
        return _Key((named, system), 0.0, (note,))
    if (
        named is not None
        and _told_apart((named, *with_rater)) >= _UNIQUE
        and not _only_counts_rows(named, table)
    ):
        return _Key((named,))
    candidates = _key_candidates(table, roles, given | {one.at for one in with_rater}, named)
    if named is None:
        design = _of_design(candidates, roles)
        if len(design) > 1 and _told_apart((*design, *with_rater)) >= _UNIQUE:
            note = f"The item is made of {listed([one.name for one in design])}: no column names it."
            return _Key(design, 0.0, (note,))
        for one in candidates:
            if len(design) > 1 and one not in design and one.holds == "labels":
                key = (*design, one)
                if _told_apart((*key, *with_rater)) >= _UNIQUE:
                    note = f"The item is made of {listed([each.name for each in key])}: no column names it."
                    return _Key(key, 0.1, (note,))
    for size in range(1, _MOST_PARTS + 1):
        for key in combinations(candidates, size):
            if named is not None and named not in key and not _only_counts_rows(named, table):
                continue
            if _is_key(key, with_rater, table):
                note = (
                    f"The item is made of {listed([one.name for one in key])}: none of them alone names it."
                )
                return _Key(key, 0.0 if _all_named(key, roles) else 0.1, (note,) if size > 1 else ())
    if named is None:
        return _Key()
    told = _told_apart((named, *with_rater))
    return _Key((named,), 0.0 if told >= _SHARED or len(named.values) > len(rater.values) else 0.3)


def _of_design(candidates: Sequence[Column], roles: Mapping[str, Column]) -> tuple[Column, ...]:
    """Return the columns of a study's design, without those that the others tell already."""
    design = [one for one in candidates if _all_named((one,), roles)]
    for one in reversed(design[:]):
        others = [other for other in design if other is not one]
        if len(others) > 1 and _constant_within(one, others):
            design = others
    return tuple(design)


def _only_counts_rows(named: Column, table: _Table) -> bool:
    """Return True where what is called an id only counts rows, beside another column that names items."""
    return named.names_rows and any(
        one is not named and one.plain in ITEM_PARTS and 1 < len(one.values) < len(one.cells)
        for one in table.columns
    )


def _key_candidates(
    table: _Table, roles: Mapping[str, Column], given: set[int], named: Column | None
) -> list[Column]:
    """Return the columns that may be part of an item's name, those that are called so first."""
    parts = [roles[role] for role in _PARTS if role in roles and roles[role].plain not in _ROUNDS]
    called = [one for one in table.columns if one.plain in ITEM_PARTS]
    reserved = _reserved(roles) - {one.at for one in parts}
    text = roles.get("text")
    if text is not None and 1 < len(text.values) <= 0.5 * len(text.cells):
        reserved -= {text.at}
    reserved |= {roles[role].at for role in ("rater_group", "measure", "design") if role in roles}
    others = [
        one
        for one in table.columns
        if one.holds in ("labels", "texts") and one.plain not in ABOUT and one.plain not in _ROUNDS
    ]
    texts = [text] if text is not None and text.at not in reserved else []
    ordered = [*([named] if named is not None else []), *called, *parts, *others, *texts]
    found: list[Column] = []
    for one in ordered:
        able = one.at not in given | reserved and one.is_full and not one.is_constant and one.holds != "times"
        if able and one not in found and (one is named or not one.names_rows):
            found.append(one)
    return found[:_MOST_CANDIDATES]


def _is_key(key: Sequence[Column], with_rater: Sequence[Column], table: _Table) -> bool:
    """Return True where the columns tell rows of a rater apart, and several raters meet in their values."""
    if _told_apart((*key, *with_rater)) < _UNIQUE or _constant_within(key[0], with_rater[:1]):
        return False
    if any(_constant_within(one, with_rater[:1]) for one in key):
        return False
    items = len(set(zip(*(one.cells for one in key), strict=True)))
    measures = math.prod(len(one.values) for one in with_rater[1:])
    return items * measures * 1.25 <= table.rows


def _all_named(key: Sequence[Column], roles: Mapping[str, Column]) -> bool:
    named = {roles[role].at for role in ("item_id", *_PARTS) if role in roles}
    return all(one.at in named or one.plain in ITEM_PARTS for one in key)


def _told_apart(columns: Sequence[Column]) -> float:
    """Return the share of different rows in these columns."""
    rows = list(zip(*(one.cells for one in columns), strict=True))
    return len(set(rows)) / max(len(rows), 1)


def _constant_within(column: Column, key: Sequence[Column]) -> bool:
    """Return True where the column is the same in all rows that agree in the key, of which some do."""
    first: dict[tuple[str, ...], str] = {}
    again = False
    for cell, *of in zip(column.cells, *(one.cells for one in key), strict=True):
        if not cell:
            continue
        again = again or tuple(of) in first
        if first.setdefault(tuple(of), cell) != cell:
            return False
    return again


def _varies_within(one: Column, key: Column) -> bool:
    """Return True where most values of the key stand beside several values of the column."""
    beside: dict[str, set[str]] = {}
    for cell, of in zip(one.cells, key.cells, strict=True):
        beside.setdefault(of, set()).add(cell)
    return 2 * sum(len(values) > 1 for values in beside.values()) > len(beside)


def _source(columns: Sequence[Column]) -> str | tuple[str, ...]:
    return columns[0].name if len(columns) == 1 else tuple(one.name for one in columns)


# --- answers side by side ------------------------------------------------------------------------------------------


def _wide(table: _Table, kind: Kind) -> Iterator[Reading]:
    """Yield readings with answers side by side: columns are raters or items, and measures of them."""
    roles = {role: one for role, one in table.roles(kind).items() if role not in ("measure", "design")}
    beside = _on_one_scale(table, roles) if kind is RATINGS else _of_one_vocabulary(table, roles)
    if len(beside) < 2 or (kind is RATINGS and _are_preferences(table, beside)):
        return
    given = {one.at for one in beside}
    rest = [one for one in table.columns if one.at not in given and one.holds != "nothing"]
    people = [value for part in table.parts for value in part.values]
    if look_like_people(people) >= 0.5 > look_like_raters([one.name for one in beside]):
        return
    item, rater = roles.get("item_id"), roles.get("rater_id")
    if item in rest and rater in rest and not (item is not None and item.names_rows):
        return
    row = replace(_row_of(table, rest, roles), by_rows=table.sniffed.header_rows > 1)
    names = [one.name for one in beside]
    if (
        not row.key
        and any(_returns(one) for one in rest)
        and max(look_like_raters(names), look_like_items(names)) < _LIKE
    ):
        return
    for one in _of_names(kind, names, row):
        left = [column.name for column in rest if _may_be_left_out(column)]
        left = [name for name in left if name not in one.columns]
        less = one.evidence * (0.6 if left else 1.0)
        yield replace(one, evidence=less, notes=(*one.notes, *_left_out(left)))


def _are_preferences(table: _Table, beside: Sequence[Column]) -> bool:
    """Return True where numbers stand beside two texts of one name, numbered: they say which of the two is better."""
    texts = {one.name[:-1]: 0 for one in table.columns if one.holds == "texts" and one.name[-1:] in "12abAB"}
    for one in table.columns:
        if one.holds == "texts" and one.name[:-1] in texts:
            texts[one.name[:-1]] += 1
    points = frozenset[float]().union(*(one.points for one in beside))
    return 2 in texts.values() and len(points) <= 4 and points <= {-1, 0, 1, 2, 3}


def _returns(one: Column) -> bool:
    """Return True where a column's names come again in other rows, as those of items and raters do."""
    is_name = one.holds in ("labels", "texts") or (one.holds == "numbers" and not one.may_be_scale)
    return is_name and one.is_full and 1 < len(one.values) < len(one.cells)


def _may_be_left_out(one: Column) -> bool:
    """Return True where a column that is not used might hold ratings."""
    return one.may_be_scale and not (one.is_constant or is_about(one.name) or one.plain in _VAGUE)


def _left_out(names: Sequence[str]) -> tuple[str, ...]:
    return (f"Not used: {listed(names)}.",) if names else ()


@dataclass(frozen=True)
class _Row:
    """Columns that name a row, how likely rows are raters, and how many rows there are."""

    key: tuple[str, ...]
    raters: float
    rows: int
    several: bool = False
    """Rows of a rater: more than one."""
    by_rows: bool = False
    """Levels of the columns' names stand in header rows of their own."""


def _row_of(table: _Table, rest: Sequence[Column], roles: Mapping[str, Column]) -> _Row:
    """Return what names a row, by names first and then by values."""
    rater, item = roles.get("rater_id"), roles.get("item_id")
    item = None if item is not None and item.plain in _VAGUE and rater is not None else item
    if rater is not None and rater in rest and rater.is_full and (item is None or item not in rest):
        if table.tells_rows_apart((rater,)):
            return _Row((rater.name,), 0.97, table.rows)
        return _Row((rater.name,), 0.9, table.rows, several=True)
    if item is not None and item in rest and table.tells_rows_apart((item,)) and item.plain not in _VAGUE:
        return _Row((item.name,), 0.03, table.rows)
    keys = [one for one in rest if one.plain in ITEM_PARTS or one in [roles.get(role) for role in _PARTS]]
    keys = [one for one in keys if one.is_full and not one.is_constant]
    for size in range(1, _MOST_PARTS):
        for key in combinations(keys[:_MOST_CANDIDATES], size):
            if table.tells_rows_apart(key) and (size > 1 or key[0].plain not in _VAGUE):
                return _Row(tuple(one.name for one in key), 0.03, table.rows)
    unique = [one for one in rest if table.tells_rows_apart((one,)) and one.holds != "times"]
    naming = [one for one in unique if one.holds != "numbers" or one.counts_rows or one.plain in _VAGUE]
    if rater is not None and rater in rest and rater.is_full:
        return _Row((rater.name,), 0.9, table.rows, several=True)
    if not table.sniffed.header:
        return _Row((naming[0].name,) if naming else (), 0.1, table.rows)
    if not naming:
        times = any(one.holds == "times" for one in rest)
        return _Row((), 0.6 if times else 0.3, table.rows)
    short = [one for one in naming if max(map(len, one.values)) <= LONGEST_LABEL] or naming
    likely = [one for one in short if _likeness(one) >= _LIKE]
    first = min(likely or short, key=lambda one: one.at)
    values = sorted(first.values)
    raters, items = look_like_raters(values), look_like_items(values)
    if max(raters, items) < _LIKE:
        return _Row((first.name,), 0.5, table.rows)
    return _Row((first.name,), 0.9 if raters > items else 0.1, table.rows)


def _likeness(one: Column) -> float:
    values = sorted(one.values)
    return max(look_like_raters(values), look_like_items(values))


def _on_one_scale(table: _Table, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of numbers, or of words of a scale, that are ratings of one scale, severe ones included."""
    reserved = _reserved(roles) | {roles[role].at for role in ("item_id", "rater_id") if role in roles}
    able = [
        one for one in table.columns if one.may_be_scale and one.at not in reserved and _may_be_answer(one)
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
    if not stepped and look_like_raters(names) < _LIKE and not all(map(is_slot, names)):
        return []
    alike = _grown(_largest_group(varying), varying)
    main = _main_shape(varying)
    alike = [one for one in varying if _has_shape(one, main)] if main else alike
    sisters = {shape_of(one.name) for one in alike} - {"word"}
    within = range(min(one.at for one in alike), max(one.at for one in alike)) if alike else range(0)
    low = min((min(one.points) for one in alike), default=0.0)
    high = max((max(one.points) for one in alike), default=0.0)
    reach = max(high - low, 1.0)
    constants = []
    for one in numbers:
        is_alike = shape_of(one.name) in sisters or _shares_part(one, alike)
        beyond = reach if is_alike else 0.0  # the others may have left out an end of the scale
        if (
            one.is_constant
            and (is_alike or one.at in within)
            and low - beyond <= one.numbers[0] <= high + beyond
        ):
            constants.append(one)
    found = {one.at for one in (*alike, *constants)} if alike else set()
    return [one for one in numbers if one.at in found]


def _shares_part(one: Column, others: Sequence[Column]) -> bool:
    """Return True where a name begins or ends like one of the others, or has a part between separators in common."""
    parts = {part for part in _SEPARATED.split(one.name) if len(part) > 1}
    return any(
        parts & {*_SEPARATED.split(other.name)} or one.name[:_SHORT_NAME] == other.name[:_SHORT_NAME]
        for other in others
    )


def _largest_group(columns: Sequence[Column]) -> list[Column]:
    """Return the most columns whose ranges overlap with that of one of them."""
    groups = ([one for one in columns if _overlap(one, first) >= _SHARED] for first in columns)
    return max(groups, key=len, default=[])


def _grown(group: Sequence[Column], columns: Sequence[Column]) -> list[Column]:
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


def _of_one_vocabulary(table: _Table, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of labels that share one vocabulary."""
    reserved = _reserved(roles) | {roles[role].at for role in ("rater_id", "item_id") if role in roles}
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
        alike = [one for one in able if len(_told(one) & _told(first)) >= _SHARED * len(_told(one))]
        best = alike if len(alike) > len(best) else best
    main = _main_shape(able)
    vocabulary = frozenset[str]().union(*map(_told, best))
    best = [one for one in able if one in best or one.values & vocabulary or (main and _has_shape(one, main))]
    vocabulary = vocabulary.union(*(one.values for one in best))
    cells = sum(len(one.filled) for one in best)
    return best if len(best) >= 2 and len(vocabulary) <= min(MOST_LABELS, cells / 2) else []


def _of_names(kind: Kind, columns: Sequence[str], row: _Row) -> Iterator[Reading]:
    """Yield what answers side by side in columns of these names may be."""
    names = short_names(columns)
    measures = look_like_measures(names)
    grids = [grid for grid in grids_of(names) if row.by_rows or _is_natural(grid)]
    yield from _of_grids(kind, columns, grids, row)
    if measures >= _LIKE:
        return  # one number of each measure for an item: means, or one rater who is not named
    raters, items = look_like_raters(names), look_like_items(names)
    of_raters = _odds(max(raters, 0.02), max(items, 0.02)) if max(raters, items) >= 0.5 else 0.5
    likely = of_raters * (1 - row.raters)
    other = (1 - of_raters) * row.raters
    shapes = {shape_of(name) for name in names}
    unknown = max(raters, items) < 0.5 and shapes <= {"word", "name", "about"}
    sure = (0.5 if grids else 0.58 if unknown else 0.97) / (likely + other or 1.0)
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
    key: str | tuple[str, ...] = (row.key[0] if len(row.key) == 1 else row.key) if row.key else ROW
    if not row.several:
        nobody = not measures and kind.cells == "score" and all(map(is_slot, called))
        mapping = {"item_id": key, **given, "@form": "rater columns"}
        mapping |= {"@raters": "slots"} if nobody else {}
        mapping |= {"@names rater_id": names["rater_id"]} if names else {}
        groups = () if measures else groups_of(called)
        mapping |= {"@names rater_group": groups} if groups else {}
        told = "one column per rating, not per person" if nobody else f"one column per rater{by}"
        notes = [f"{beside}: {told}."]
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


def _odds(first: float, second: float) -> float:
    return first / (first + second)


def _is_natural(grid: Grid) -> bool:
    """Return True where one of the two levels looks like measures, or one like raters and the other is no number."""
    judged = max(look_like_measures(grid.first), look_like_measures(grid.second))
    if judged >= 0.5:
        return True
    counted = [all(part.isdigit() for part in level) for level in (grid.first, grid.second)]
    people = max(look_like_raters(grid.first), look_like_raters(grid.second))
    asked = max(look_like_items(grid.first), look_like_items(grid.second))
    return not any(counted) and max(people, asked) >= 0.5


def _of_grids(kind: Kind, names: Sequence[str], grids: Sequence[Grid], row: _Row) -> Iterator[Reading]:
    """Yield what columns may be whose names join raters or items with measures."""
    for place, grid in enumerate(grids):
        for swapped in (False, True):
            others, judged = (grid.second, grid.first) if swapped else (grid.first, grid.second)
            pairs = [pair[::-1] if swapped else pair for pair in grid.pairs]
            told = look_like_measures(judged)
            if told < 0.5 and max(look_like_measures(others), look_like_raters(judged)) >= 0.5:
                continue
            fits = (0.97 if told >= 0.5 else 0.7) * (0.75 if place else 1)
            of_raters = 1 - row.raters
            if abs(row.raters - 0.5) <= 0.3:
                of_raters = _odds(look_like_raters(others) + 0.1, look_like_items(others) + 0.1)
            role = "measure" if kind is RATINGS else "design"
            called, measures = zip(*pairs, strict=True)
            yield from _two_ways(
                kind,
                names,
                called,
                {f"@names {role}": measures},
                fits * of_raters,
                fits * (1 - of_raters),
                row,
            )


# --- slots ---------------------------------------------------------------------------------------------------------


def _of_slots(slots: Sequence[Pair], rater: Column, table: _Table) -> Reading:
    """Return the reading of the ratings in a row, each with a column that names its item."""
    answers, items = tuple(slot.answer for slot in slots), tuple(slot.item for slot in slots)
    note = (
        f'Each row holds {len(slots)} ratings, each with a column that names its item ("{answers[0]}" is of '
        f'"{items[0]}"); they become rows of their own.'
    )
    shown = {cell for one in table.columns if one.name in items for cell in one.values}
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": items, "rater_id": rater.name, "score": answers}
    mapping["@form"] = "item columns"
    return Reading(RATINGS.name, SLOTS, mapping, 0.97, (note,), len(rater.values), len(shown))


# --- nobody is named -----------------------------------------------------------------------------------------------


def _without_rater(table: _Table, kind: Kind, several: bool) -> Iterator[Reading]:
    """Yield the reading of a table that names items several times and nobody who rated them."""
    roles = table.roles(kind)
    item, answer = roles.get("item_id"), _named_answer(kind, roles)
    if item is None and several:
        item = _item_of_parts(table, roles)
    if "rater_id" in roles or item is None:
        return
    reserved = _reserved(roles) | {item.at}
    if kind is RATINGS:
        able = [
            one
            for one in table.columns
            if one.may_be_scale and one.at not in reserved and _may_be_answer(one)
        ]
        answers = [answer] if answer in able and answer is not None else []
        judged = [one for one in able if look_like_measures([one.name]) > 0]
        if judged and (answer is None or answer in judged):
            answers = [one for one in able if one in judged or _on_scale_of(one, judged)]
        words = [one for one in able if one.holds == "words"]
        numbers = [one for one in able if one.numbers]
        answers = answers or words or _grown(_largest_group(numbers), numbers)
    else:
        answers = [answer] if answer is not None and answer.holds == "labels" else []
    if not answers:
        return
    unknown = [
        one
        for one in table.columns
        if one.at not in reserved | {one.at for one in answers}
        and one.holds in ("labels", "texts")
        and one.is_full
        and 1 < len(one.values) < len(one.cells)
        and not _constant_within(one, (item,))
    ]
    repeated = len(item.values) * 1.5 <= len(item.filled)
    if (unknown or not repeated or all(_constant_within(one, (item,)) for one in answers)) and not several:
        return
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": item.name, **_of_answers(kind, answers)}
    if several:
        yield Reading(kind.name, NOBODY, mapping, 0.8, (), 0, len(item.values))
        return
    mapping |= {"rater_id": SLOT, "@raters": "slots"}
    notes = (
        "No column names the raters: the ratings of an item are numbered, and nothing is said about persons.",
    )
    most = max((item.filled.count(value) for value in item.values), default=0)
    yield Reading(kind.name, NOBODY, mapping, 0.9, notes, most, len(item.values))


def _item_of_parts(table: _Table, roles: Mapping[str, Column]) -> Column | None:
    """Return the column whose values name the rows of each file or sheet, and return in the others."""
    taken = _reserved(roles) | ({roles["score"].at} if "score" in roles else set())
    able = [
        one
        for one in table.columns
        if one.at not in taken
        and not is_about(one.name)
        and table.tells_rows_apart((one,))
        and 1.5 * len(one.values) <= len(one.cells)
    ]
    return able[0] if able else None
