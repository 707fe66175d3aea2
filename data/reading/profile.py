# ruff: noqa: SIM905 - lists of words read better as words
"""A table's columns, and how they vary together: which tell rows apart, and which share a scale or a vocabulary."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from data.kinds.kind import RATER, Kind
from data.kinds.likely_names import (
    MEANS,
    control_of,
    ends_as_id,
    groups_of,
    is_abbreviation,
    is_about,
    is_beside_model,
    is_called_item,
    is_called_rater,
    is_grade,
    is_graded,
    is_rater,
    is_slot,
    look_like_people,
    look_like_raters,
    may_be_rated,
    shape_of,
    tokens_of,
)
from data.kinds.names import BETWEEN_LEVELS, plain_name, stem_and_number
from data.kinds.studies import CHOICES, RATINGS
from data.mapping.columns import COMMENTS, columns_by_name
from data.mapping.values import scaled
from data.reading.columns import (
    LONGEST_LABEL,
    MOST_LABELS,
    ROUNDED,
    Column,
    is_missing,
    largest_group,
)
from data.reading.label_cells import HeldSets, set_columns, sets_in
from data.tables.sniffed import Sniffed, is_constant_in

Rows = Sequence[Sequence[str]]
_MOST_COMPARED, _FEWEST_TOLD = 40, 3
"""Columns among which it is looked for one that tells others, and how many it tells at least."""
_DESIGN = ("topic", "system", "condition")
LIKE = 0.6
"""Likeness from which on names are taken for those of raters, items or measures."""
MAY_BE_RATED = 0.59
"""Evidence of a reading in which those who were rated may be the raters: not enough alone."""
_MAKERS = frozenset(("developer", "programmer"))
"""Words for raters that are words for companies as well, or for those whose work was rated."""
_RATED_ONCE = _MAKERS | {"surgeon", "dentist", "psychologist", "physiotherapist", "physio"}
"""Words for raters that say who was rated where each item has one row."""
_GROUP_WORDS = frozenset(("crowd", "lab", "expert", "novice"))
"""Words that name a rater alone next to numbered ones, such as expert next to crowd_1 and lab_1."""
_AT_SCHOOL = frozenset("student students pupil pupils learner teacher instructor lecturer".split())
"""Words for people who teach or learn subjects."""
_PAGES = frozenset(("trial", "trialid", "page", "pageid", "screen", "screenid"))
_STIMULI = frozenset(("stimulus", "stimulusid", "ratingstimulus", "sound", "condition"))
"""Names of columns of a listening test: what is on one screen, and what is rated there."""
_MOST_STIMULI, _ONCE = 20, 0.98
"""Stimuli of a page, and share of rows that differ where each is rated once."""
_BEST_GRADES = (5, 7, 9, 10, 11)
"""Highest points of scales that begin with 1."""
_RESERVED = (
    "rater_group", "system", "system_kind", "topic", "condition", "split", "order", "rated_at", "seconds", "text_id",
    "text", "reference_text", "check", "expected", "status", "design", "gold", "expert", "weight",
)  # fmt: skip


@dataclass(frozen=True)
class TableProfile:
    """A table's columns, and the column that each canonical column of a kind is by its name."""

    sniffed: Sniffed
    columns: tuple[Column, ...]
    parts: tuple[Column, ...] = ()
    """Columns that say from which of several files or sheets a row comes."""
    told_by_others: list[Column] = field(default_factory=list)
    """The column taken for the item because most others are the same in all rows of a value."""
    stimuli: list[tuple[Column, Column]] = field(default_factory=list)
    """The columns of pages of a listening test, and of the systems that raters compare on each."""
    _roles: dict[str, dict[str, Column]] = field(default_factory=dict)

    def tells_rows_apart(self, columns: Sequence[Column]) -> bool:
        """Return True where no two rows of a file or sheet agree in these columns."""
        full = bool(columns) and all(one.is_full for one in columns)
        return full and share_distinct((*columns, *self.parts)) == 1

    @cached_property
    def rows(self) -> int:
        """Number of rows that were looked at."""
        return len(self.columns[0].cells) if self.columns else 0

    @cached_property
    def scaled(self) -> Sniffed:
        """The table with words of scales as their numbers."""
        return scaled(self.sniffed)

    @cached_property
    def sets(self) -> Mapping[int, HeldSets]:
        """Columns, by their places, whose cells hold sets of labels."""
        return {one.at: held for one in self.columns if (held := sets_in(one)) is not None}

    def holds_sets(self, one: Column) -> bool:
        """Return True where the cells of a column can be nothing else than sets of labels."""
        return one.at in self.sets and self.sets[one.at].sure

    def _may_be_raters(self, one: Column) -> bool:
        """Return True where a column holds neither sets of labels nor what was computed from answers, nor companies."""
        if self.holds_sets(one) or not all(map(float.is_integer, one.points)):
            return False
        if not self.may_be_companies(one):
            return True
        others = [other for other in self.columns if other is not one]
        return not any(is_called_rater(other.name) for other in others) and any(
            varies_within(one, other) for other in others if other.holds == "labels"
        )

    def may_be_companies(self, one: Column) -> bool:
        """Return True for developers whose names are neither numbered nor those of people."""
        return one.plain in _MAKERS and not _are_numbered_or_people(one)

    def _may_be_school_subject(self, one: Column) -> bool:
        """Return True for a column called subject, with words that name nobody, in which others grade students or
        teachers."""
        if one.plain != "subject" or _are_numbered_or_people(one):
            return False
        others = [other for other in self.columns if other is not one and other.is_full]
        return any(
            self.holds_only_grades or any(is_called_rater(each.name) for each in others if each is not other)
            for other in others
            if tokens_of(other.name) & _AT_SCHOOL
        )

    def _varies_in_items(self, subject: Column) -> bool:
        """Return True for a school subject that differs within students or teachers, and within all other items."""
        others = [one for one in self.columns if one is not subject and one.is_full and not one.names_rows]
        at_school = [one for one in others if tokens_of(one.name) & _AT_SCHOOL]
        items = [one for one in others if one not in at_school and not is_called_rater(one.name)]
        items = [one for one in items if one.holds in ("labels", "texts") or is_called_item(one.name)]
        return any(varies_within(subject, one) for one in at_school) and not any(
            is_constant_within(subject, [one]) for one in items
        )

    @cached_property
    def set_columns(self) -> tuple[tuple[Column, ...], HeldSets] | None:
        """Columns that hold sets of the same labels, one for each rater or item; None where there are none."""
        return set_columns(self.columns)

    def may_answer(self, rater: Column, roles: Mapping[str, Column]) -> bool:
        """Return True where the column of raters may be one of several with their answers: it holds whole points
        of the others' scale, nothing says what the others are, and rows differ without it."""
        others = [
            one
            for one in self.columns
            if one.in_steps
            and one.may_be_scale
            and one not in roles.values()
            and shape_of(one.name) in ("word", "name")
            and not is_about(one.name)
            and len(one.points & rater.points) > 1
        ]
        key = [roles[role] for role in ("item_id", "topic", "system", "condition") if role in roles]
        return rater.in_steps and len(others) > 1 and self.tells_rows_apart(key)

    def may_be_rated_instead(self, one: Column, key: Sequence[Column]) -> bool:
        """Return True for a column that may say who was rated rather than who rated, where the items are no people."""
        people = one.plain not in RATER and (may_be_rated(one.name) or one.plain in _RATED_ONCE)
        return people and one not in key and not any(may_be_rated(each.name) for each in key)

    def numbers_options(self, one: Column) -> bool:
        """Return True for the number of the best of several columns such as response_1 to response_4."""
        stems = Counter(
            stem.casefold()
            for each in self.columns
            if each.holds in ("labels", "texts")
            for stem, number in [stem_and_number(each.name)]
            if number.isdecimal()
        )
        most = max(stems.values(), default=0)
        called = one.plain in ("best", "bestresponse", "bestof") or one.plain in CHOICES.columns[2].names
        return most > 2 and called and bool(one.points) and one.points <= {*range(1, most + 1)}

    def _holds_grades(self, one: Column) -> bool:
        """Return True for most points of a scale from 1 to 5 or the like, next to one system and no options."""
        best = max(one.points, default=0)
        on_scale = best in _BEST_GRADES and one.points <= {*range(1, int(best) + 1)}
        of_system = "system" in columns_by_name(self.scaled, RATINGS) and not self.numbers_options(one)
        return on_scale and 2 * len(one.points) > best and of_system

    @cached_property
    def holds_only_grades(self) -> bool:
        """True where the only numbers that may be answers are called grades, which teachers give to students."""
        able = [one for one in self.columns if one.holds == "numbers" and may_be_answer(one)]
        able = [one for one in able if not is_called_rater(one.name) and not one.names_rows]
        return len(able) == 1 and is_grade(able[0].name)

    @cached_property
    def _answering(self) -> set[int]:
        """Places of columns that are called as raters and hold answers."""
        return _answer_beside_a_model(self.columns) | _answer_as_others(self.columns)

    def roles(self, kind: Kind) -> Mapping[str, Column]:
        """Columns by their names, where what they hold allows it."""
        if kind.name not in self._roles:
            self._roles[kind.name] = self._find_roles(kind)
        return self._roles[kind.name]

    def _find_roles(self, kind: Kind) -> dict[str, Column]:
        by_name = {one.name: one for one in self.columns}
        found = columns_by_name(self.scaled, kind)
        roles = {role: by_name[name] for role, name in found.items() if name in by_name}
        for one in self.columns:
            if one.plain == "choice" and self._holds_grades(one):
                roles |= {"score": one} if kind is RATINGS and "score" not in roles else {}
                roles = {role: other for role, other in roles.items() if role != "choice" or other is not one}
        rater = roles.get("rater_id")
        if rater is not None and rater.is_constant and self.rows > 1 and "mail" in rater.plain:
            del roles["rater_id"]  # nobody's address
        if rater is not None and not self._may_be_raters(rater):
            roles.pop("rater_id", None)
        subjects = [one for one in self.columns if self._may_be_school_subject(one)]
        counting = {roles["score"].at} if "score" in roles and roles["score"].counts_rows else set()
        answering = self._answering | counting | {one.at for one in subjects}
        roles = {role: one for role, one in roles.items() if one.at not in answering}
        if subjects and kind is RATINGS and self._varies_in_items(subjects[0]):
            roles.setdefault("measure", subjects[0])
        taken = {one.at for one in roles.values()}
        for role, is_called in (("item_id", is_called_item), ("rater_id", is_called_rater)):
            likely = [*self.columns]
            if role == "rater_id":  # those who may be rated last, and of these who is graded
                likely.sort(
                    key=lambda one: (
                        (may_be_rated(one.name) or one.plain in _MAKERS)
                        + (self.holds_only_grades and is_graded(one.name))
                    )
                )
            for one in likely:
                able = one.at not in taken | answering and one.is_full and one.holds != "times"
                told = one.plain in COMMENTS and one.names_rows and bool(self.parts)
                able = able and (not told if role == "item_id" else self._may_be_raters(one))
                if (
                    role not in roles
                    and able
                    and (is_called(one.name) or (role == "rater_id" and self._numbers_people(one, roles)))
                    and (role == "item_id" or len(one.values) > 1)
                ):
                    roles[role] = one
                    taken.add(one.at)
        rated = self._find_rated(roles)
        if rated is not None:
            roles["item_id"] = rated
        pages = self._find_stimuli(roles) if kind is RATINGS else None
        if pages is not None:
            self.stimuli.append(pages)
            roles = {role: one for role, one in roles.items() if one not in pages}
            roles |= {"item_id": pages[0], "system": pages[1]}
        item = None if {"item_id", *_DESIGN} & roles.keys() else self._told_by_others(roles.get("rater_id"))
        if item is not None:
            self.told_by_others.append(item)
            roles["item_id"] = item
        return roles

    def _find_rated(self, roles: Mapping[str, Column]) -> Column | None:
        """Return the only other column of people, who were rated by the raters; None where there is an item."""
        rater = roles.get("rater_id")
        if rater is None or rater.names_rows or "item_id" in roles:
            return None
        taken = (rater, roles.get("measure"))
        able = [one for one in self.columns if one not in taken and may_be_rated(one.name) and one.is_full]
        able = [one for one in able if not is_constant_within(one, [rater])]
        able = [one for one in able if not one.may_be_scale or share_distinct((rater, one)) >= _ONCE]
        return able[0] if len(able) == 1 else None

    def _find_stimuli(self, roles: Mapping[str, Column]) -> tuple[Column, Column] | None:
        """Return the columns of pages and of their stimuli, where raters rate each stimulus on each page once.

        One of the stimuli is a hidden reference or an anchor, or both columns are called so and pages have names.
        """
        rater = roles.get("rater_id")
        if rater is None or "system" in roles:
            return None
        who = (rater, roles["measure"]) if "measure" in roles else (rater,)
        taken = (*who, roles.get("score"))
        able = [one for one in self.columns if one.is_full and not one.is_constant and one not in taken]
        able = [one for one in able if one.holds == "labels" or all(map(str.isdecimal, one.values))]
        for system in able:
            has_controls = any(control_of(value) for value in system.values)
            is_called = system.plain in _STIMULI and len(system.values) <= _MOST_STIMULI
            if system.holds != "labels" or not (has_controls or is_called):
                continue
            pages = [
                one
                for one in able
                if one is not system
                and (has_controls or (one.plain in _PAGES and one.holds == "labels"))
                and share_distinct((*who, one, system)) >= _ONCE
                and max(share_distinct((*who, one)), share_distinct((*who, system))) < _ONCE
                and len({*zip(one.cells, system.cells, strict=True)})
                >= CROSSED * len(one.values) * len(system.values)  # nearly each system is on each page
            ]
            for page in sorted(pages, key=lambda one: one.holds != "labels"):
                return page, system
        return None

    def _told_by_others(self, rater: Column | None) -> Column | None:
        """Return the column within which many others are the same, as what is known of items is; None where there are
        too few, or too many to compare."""
        if rater is None or rater.names_rows or len(self.columns) > _MOST_COMPARED:
            return None
        others = [one for one in self.columns if not one.is_constant and one is not rater]
        others = [one for one in others if not is_constant_within(one, [rater])]
        able = [one for one in others if one.is_full and not is_about(one.name) and not one.names_rows]
        able = [one for one in able if one.holds == "labels" or all(map(str.isdecimal, one.values))]
        told = {
            one.at: sum(is_constant_within(other, [one]) for other in others if other is not one)
            for one in able
        }
        best = max(able, key=lambda one: (told[one.at], -one.at), default=None)
        return best if best is not None and told[best.at] > max(_FEWEST_TOLD, len(others) / 3) else None

    def _numbers_people(self, one: Column, roles: Mapping[str, Column]) -> bool:
        """Return True for a column called after people whose values are the same in each item, once each."""
        item = roles.get("item_id")
        if item is None or not is_rater(one.name) or item.names_rows:
            return False
        within: dict[str, list[str]] = {}
        for of, cell in zip(item.cells, one.cells, strict=True):
            within.setdefault(of, []).append(cell)
        return {*map(tuple, map(sorted, within.values()))} == {tuple(sorted(one.values))}


_NUMBERED = re.compile(r"\d|[ _-][a-zA-Z]$")


def _are_numbered_or_people(one: Column) -> bool:
    """Return True where all values hold a digit, as dev1 and S01 do, or count with letters, as dev_a does, or they look
    like names of people."""
    numbered = all(map(_NUMBERED.search, one.values))
    return numbered or look_like_people([*one.values]) >= 0.5


def _answer_beside_a_model(columns: Sequence[Column]) -> set[int]:
    """Return the places of columns called as raters that hold the same few answers, one called a person or a model."""
    called = [one for one in columns if is_rater(one.name) and len(one.values) <= MOST_LABELS]
    kinds = [one for one in called if is_beside_model(one.name)]
    return {
        place
        for one in kinds
        for other in called
        if one is not other and len(one.values & other.values) > 1
        for place in (one.at, other.at)
    }


def _answer_as_others(columns: Sequence[Column]) -> set[int]:
    """Return the places of columns called as raters that hold the answers of at least two others.

    Words are answers where the others hold the very same and they are no people's names, or all hold those of a scale;
    numbers, where the others are called as raters are, by names of people unless all are called so.
    """
    few = [one for one in columns if 1 < len(one.values) <= MOST_LABELS]
    words = Counter(
        one.values for one in few if one.holds == "labels" and look_like_people([*one.values]) < 0.5
    )
    numbers = [one for one in few if one.holds == "numbers" and not is_about(one.name)]
    test = look_like_raters if _are_only_raters(columns) else look_like_people
    people = [one for one in numbers if test([one.name]) >= 0.5]
    of_scale = sum(one.holds == "words" for one in few)
    return {
        one.at
        for one in few
        if is_rater(one.name)
        and (
            words[one.values] > 2
            or (one.holds == "words" and of_scale > 2)
            or _shares_points_of_two(one, people)
        )
    }


def _shares_points_of_two(column: Column, others: Sequence[Column]) -> bool:
    """Return True where at least two of the others have several points of the column."""
    sharing = (len(column.points & other.points) > 1 for other in others)
    return any(sharing) and any(sharing)


def _are_only_raters(columns: Sequence[Column]) -> bool:
    """Return True where all numbers that may be answers are called as raters, and the other columns tell rows apart.

    Two that are called rater and user hold ids, and so may one beside labels that may be the answers.
    """
    able = [one for one in columns if one.holds == "numbers" and may_be_answer(one)]
    able = [one for one in able if not is_called_item(one.name)]
    places = {one.at for one in able}
    others = [one for one in columns if one.at not in places]
    ids = sum(one.plain in RATER for one in able)
    if share_distinct(others) < 1 or ids > 1 or not all(look_like_raters([one.name]) >= LIKE for one in able):
        return False
    labels = [one for one in others if one.holds == "labels" and not one.names_rows]
    return not ids or not any(
        share_distinct([one for one in others if one is not each]) == 1 for each in labels
    )


def reserved_places(roles: Mapping[str, Column], also: Sequence[str] = ()) -> set[int]:
    """Return the places of columns that are no answers by their roles."""
    return {roles[role].at for role in (*_RESERVED, *also) if role in roles}


def only_people(columns: Iterable[Column]) -> Column | None:
    """Return the only column whose values look like people."""
    fitting = [
        one
        for one in columns
        if one.holds in ("labels", "texts")
        and one.is_full
        and len(one.values) > 1
        and look_like_raters(sorted(one.values)) >= LIKE
    ]
    if len(fitting) > 1:  # REF and TGT are no initials beside names
        fitting = [one for one in fitting if not all(map(is_abbreviation, one.values))]
    return fitting[0] if len(fitting) == 1 else None


def share_distinct(columns: Sequence[Column]) -> float:
    """Return the share of different rows in these columns."""
    rows = list(zip(*(one.cells for one in columns), strict=True))
    return len(set(rows)) / max(len(rows), 1)


def are_crossed(one: Column, other: Column) -> bool:
    """Return True where nearly each value of one column meets each of the other in one row."""
    full = one is not other and one.is_full and not one.is_constant and share_distinct((one, other)) == 1
    return full and len(one.cells) >= CROSSED * len(one.values) * len(other.values)


def is_constant_within(column: Column, key: Sequence[Column]) -> bool:
    """Return True where the column is the same in all rows that agree in the key, of which some do."""
    rows = [*zip(*(one.cells for one in key), strict=True)]
    filled = {of for of, cell in zip(rows, column.cells, strict=True) if cell}
    return len(filled) < len(column.filled) and is_constant_in(rows, column.cells)


_FEWEST_COMPUTED = 5
"""Rows of different answers in which a sum or mean of them is no chance."""


def follows(one: Column, others: Sequence[Column]) -> bool:
    """Return True where a column holds the sum or mean of the others in all rows, or the difference of two, where they
    differ often. Numbers from 0 on that are not called a difference may be a third one's answers."""
    if one.holds != "numbers" or one.is_constant:
        return False
    may_differ = one.low < 0 or not _DIFFERENCES.isdisjoint(tokens_of(one.name))
    is_sum = is_mean = True
    is_difference = len(others) == 2 and may_differ
    varied = 0
    for computed, *numbers in zip(
        one.number_or_none, *(other.number_or_none for other in others), strict=True
    ):
        filled = [number for number in numbers if number is not None]
        if computed is None or not filled or len(filled) < len(numbers):
            continue
        total = sum(filled)
        is_sum = is_sum and abs(computed - total) < ROUNDED
        is_mean = is_mean and abs(computed - total / len(filled)) < ROUNDED
        is_difference = is_difference and abs(abs(computed) - abs(filled[0] - filled[-1])) < ROUNDED
        if not (is_sum or is_mean or is_difference):
            return False
        varied += len({*filled}) > 1
    return varied >= _FEWEST_COMPUTED


_FEWEST_BALANCED = 3
"""Raters who have the same numbers equally often by no chance."""


def is_balanced(column: Column, rater: Column) -> bool:
    """Return True for numbers that come again, and that all raters have equally often, as parts of an item's name."""
    counts: dict[str, Counter[str]] = {}
    for who, cell in zip(rater.cells, column.cells, strict=True):
        counts.setdefault(who, Counter())[cell] += 1
    first, *others = counts.values()
    enough = len(others) + 1 >= _FEWEST_BALANCED and len(first) > 1 and min(first.values()) > 1
    return enough and all(each == first for each in others)


_DIFFERENCES = frozenset(
    "difference diff gain change delta differenz anderung ecart diferencia cambio differenza diferenca 差 差异 差值 "
    "差分".split()
)
_TOTALS = MEANS | _DIFFERENCES | {"overall", "combined"}
"""Words in names of what is computed from other columns."""


def find_computed(columns: Sequence[Column]) -> Column | None:
    """Return the column that follows from all others, and is no rater's where another is.

    As a = b + c is b = a - c, the last one that is called a total is taken, else the last.
    """
    called = [look_like_raters([one.name]) >= 0.5 for one in columns]
    able = [one for one, is_rater in zip(columns, called, strict=True) if not is_rater or all(called)]
    able = [one for one in able if follows(one, [other for other in columns if other is not one])]
    return max(able, key=lambda one: (not _TOTALS.isdisjoint(tokens_of(one.name)), one.at), default=None)


def varies_within(one: Column, key: Column) -> bool:
    """Return True where most values of the key stand beside several values of the column."""
    beside: dict[str, set[str]] = {}
    for cell, of in zip(one.cells, key.cells, strict=True):
        beside.setdefault(of, set()).add(cell)
    return 2 * sum(len(values) > 1 for values in beside.values()) > len(beside)


def source_of(columns: Sequence[Column]) -> str | tuple[str, ...]:
    return columns[0].name if len(columns) == 1 else tuple(one.name for one in columns)


_SEPARATED = re.compile(r"\s*[|/:_.\[\]()-]+\s*")
SHORT_NAME = 6
"""Characters at the beginning of names that they have in common by chance, if they are fewer."""
CROSSED = 0.85
"""Share of the pairs of values that two columns must hold: some are missing."""
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
    reach = max(each.high - each.low for each in (one, other))
    if not one.in_steps or fewer > MOST_LABELS // 2 or reach > MOST_LABELS:
        return _overlap(one, other) >= SHARED
    return len(one.points & other.points) >= SHARED * fewer


def _overlap(one: Column, other: Column) -> float:
    """Return the share of the narrower range that lies in the other."""
    low, high = max(one.low, other.low), min(one.high, other.high)
    narrower = min(one.high - one.low, other.high - other.low)
    return (high - low) / narrower if narrower > 0 else float(high >= low)


def columns_on_one_scale(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of numbers, or of words of a scale, that are ratings of one scale, severe ones included."""
    reserved = reserved_places(roles, ("item_id", "rater_id"))
    able = [
        one
        for one in table.columns
        if (one.may_be_scale or (one.is_free and look_like_people([one.name]) >= 0.9))
        and one.at not in reserved
        and may_be_answer(one)
    ]
    words = [one for one in able if one.holds == "words"]
    if len(words) >= 2:
        return words
    numbers = [one for one in able if one.holds == "numbers"]
    varying = [one for one in numbers if not one.is_constant]
    if not varying and len({one.numbers[0] for one in numbers}) > 1 and _main_shape(numbers):
        varying = numbers  # all raters agree on each item
    if not varying:
        return []
    stepped = [one for one in varying if one.in_steps]
    varying = stepped if len(stepped) * 2 > len(varying) else varying
    names = [one.name for one in varying]
    if not stepped and look_like_raters(names) < LIKE and not all(map(is_slot, names)):
        return []
    alike = grown(largest_group(varying, lambda one, first: _overlap(one, first) >= SHARED), varying)
    below = BETWEEN_LEVELS in names[0] and bool(groups_of(names))  # each group has a shape
    main = frozenset[str]() if below else _main_shape(varying)
    alone = _GROUP_WORDS - {plain_name(stem_and_number(name)[0]) for name in names if name[-1:].isdigit()}
    of_group = [one for one in alike if one.plain in alone and "group with a number" in main]
    alike = [one for one in varying if _has_shape(one, main) or one in of_group] if main else alike
    sisters = {shape_of(one.name) for one in alike} - {"word"}
    low = min((one.low for one in alike), default=0.0)
    high = max((one.high for one in alike), default=0.0)
    reach = max(high - low, 1.0)
    parts = {part for one in alike for part in _SEPARATED.split(one.name) if len(part) > 1}
    begins = {one.name[:SHORT_NAME] for one in alike}

    def is_sister(one: Column) -> bool:
        named_alike = shape_of(one.name) in sisters or one.name[:SHORT_NAME] in begins
        return named_alike or not parts.isdisjoint(_SEPARATED.split(one.name))

    found = {one.at for one in alike}
    constant = [one for one in numbers if one.is_constant] if alike else []
    # the others may have left out an end of the scale
    found |= {one.at for one in constant if is_sister(one) and low - reach <= one.numbers[0] <= high + reach}
    within = range(min(found, default=0), max(found, default=0))
    # a gap may hide the other points; a flag has none
    beyond = {one.at: 0 if one.is_full else 1 for one in constant}
    found |= {
        one.at
        for one in constant
        if one.at in within and low - beyond[one.at] <= one.numbers[0] <= high + beyond[one.at]
    }
    called = [one for one in numbers if one.at in found and look_like_raters([one.name]) >= LIKE]
    words = [one for one in called if not is_abbreviation(one.name)]
    called = words if len(words) > 2 else called
    others = [one for one in numbers if one.at in found and one not in called]
    points = sorted(frozenset[float]().union(*(one.points for one in called)))
    parts = {part for one in called for part in _SEPARATED.split(one.name)}
    are_measures = any(not parts.isdisjoint(_SEPARATED.split(one.name)) for one in others)
    if len(called) > 2 and not are_measures:
        half = max(points[-1] - points[0], 1.0) / 2
        if any(one.low < points[0] - half or one.high > points[-1] + half for one in others):
            found = {one.at for one in called}  # beside what is known of the items
    return [one for one in numbers if one.at in found]


def may_be_answer(one: Column) -> bool:
    told = one.name.casefold().endswith(("_length", "_count"))
    return not (told or is_about(one.name) or ends_as_id(one.name))


def grown(group: Sequence[Column], columns: Sequence[Column]) -> list[Column]:
    """Return the group with the columns that lie on its scale, or less than its length beyond."""
    grown = list(group)
    while grown:
        low, high = min(one.low for one in grown), max(one.high for one in grown)
        reach = max(high - low, 1.0)
        places = {one.at for one in grown}
        more = [
            one
            for one in columns
            if one.at not in places
            and low - 3 * reach <= one.low <= high + reach
            and low - reach <= one.high <= high + 3 * reach
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


def columns_of_one_vocabulary(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of labels that share one vocabulary."""
    reserved = reserved_places(roles, ("rater_id", "item_id"))
    values_at = {one.at: {value for value in one.values if not is_missing(value)} for one in table.columns}
    able = [
        one
        for one in table.columns
        if one.holds in ("labels", "texts")
        and one.at not in reserved
        and values_at[one.at]
        and not is_about(one.name)
        and all(len(value) <= LONGEST_LABEL and value[0] not in "{[" for value in one.values)
    ]

    def are_alike(one: Column, first: Column) -> bool:
        return len(values_at[one.at] & values_at[first.at]) >= SHARED * len(values_at[one.at])

    best = largest_group(able, are_alike)
    main = _main_shape(able) if table.sniffed.header else frozenset[str]()
    vocabulary = set[str]().union(*(values_at[one.at] for one in best))
    asked = [
        one
        for one in able
        if one not in best and not one.values & vocabulary and shape_of(one.name) == "question"
    ]
    if "question" in main and asked and not all(one.is_constant for one in asked):
        return []  # questions of a survey that have answers of their own
    numbered = main - {"name"}  # a word beside numbered raters, such as Density, may be known of the items
    best = [
        one
        for one in able
        if one in best or one.values & vocabulary or (numbered and _has_shape(one, numbered))
    ]
    vocabulary.update(*(one.values for one in best))
    cells = sum(len(one.filled) for one in best)
    return best if len(best) >= 2 and len(vocabulary) <= min(MOST_LABELS, cells / 2) else []
