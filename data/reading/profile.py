# ruff: noqa: SIM905 - lists of words read better as words
"""A table's columns, and how they vary together: which identify rows, and which share a scale or a vocabulary."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from statistics import median
from string import ascii_lowercase

from data.kinds.answer_words import is_side
from data.kinds.kind import RATER, Kind, sides_of
from data.kinds.likely_names import (
    MEANS,
    are_called_raters,
    control_of,
    ends_as_id,
    groups_of,
    is_abbreviation,
    is_about,
    is_beside_model,
    is_called_item,
    is_called_rater,
    is_called_time,
    is_grade,
    is_graded,
    is_model,
    is_rater,
    is_slot,
    look_like_items,
    look_like_people,
    look_like_raters,
    may_be_rated,
    shape_of,
    tokens_of,
)
from data.kinds.names import BETWEEN_LEVELS, levels_of, plain_name, stem_and_number
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
from data.reading.label_cells import SetFormat, set_columns, sets_in
from data.tables.sniffed import Sniffed, is_constant_in

Rows = Sequence[Sequence[str]]
_MOST_COMPARED, _FEWEST_CONSTANT = 40, 3
"""Most columns of a table in which an item is inferred from constant columns, and least number of these."""
_DESIGN = ("topic", "system", "condition")
LIKE = 0.6
"""Least likeness of names that are taken for raters, items or measures."""
MAY_BE_RATED = 0.59
"""Evidence of a reading in which those who were rated may be the raters: not enough alone."""
_MAKERS = frozenset(("developer", "programmer"))
"""Words for raters that are words for companies as well, or for those whose work was rated."""
_RATED_ONCE = _MAKERS | {"surgeon", "dentist", "psychologist", "physiotherapist", "physio"}
"""Words for raters that name the rated person where each item has one row."""
_GROUP_WORDS = frozenset(("crowd", "lab", "expert", "novice"))
"""Words that name a rater alone next to numbered ones, such as expert next to crowd_1 and lab_1."""
_AT_SCHOOL = frozenset("student students pupil pupils learner teacher instructor lecturer".split())
"""Words for people who teach or learn subjects."""
_PAGES = frozenset(("trial", "trialid", "page", "pageid", "screen", "screenid"))
_STIMULI = frozenset(("stimulus", "stimulusid", "ratingstimulus", "sound", "condition"))
"""Names of columns of a listening test: the screens, and the stimuli rated there."""
_FEWEST_WORDS = 5
"""Fewest words, in the median, of texts that name no rater."""
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
    """Columns that name the file or sheet of a row."""
    inferred_items: list[Column] = field(default_factory=list)
    """The column taken for the item because most others are the same in all rows of a value."""
    stimuli: list[tuple[Column, Column]] = field(default_factory=list)
    """The columns of pages of a listening test, and of the systems that raters compare on each."""
    _roles: dict[str, dict[str, Column]] = field(default_factory=dict)

    def tells_rows_apart(self, columns: Sequence[Column]) -> bool:
        """Return True where no two rows of a file or sheet agree in these columns."""
        are_full = bool(columns) and all(column.is_full for column in columns)
        return are_full and share_distinct((*columns, *self.parts)) == 1

    @cached_property
    def rows(self) -> int:
        """Number of rows that were looked at."""
        return len(self.columns[0].cells) if self.columns else 0

    @cached_property
    def scaled(self) -> Sniffed:
        """The table with words of scales as their numbers."""
        return scaled(self.sniffed)

    @cached_property
    def sets(self) -> Mapping[int, SetFormat]:
        """Formats of the columns whose cells hold sets of labels, by index."""
        return {
            column.at: set_format for column in self.columns if (set_format := sets_in(column)) is not None
        }

    def holds_sets(self, column: Column) -> bool:
        """Return True where the cells of a column can be nothing else than sets of labels."""
        return column.at in self.sets and self.sets[column.at].is_certain

    def _may_be_raters(self, column: Column) -> bool:
        """Return True where a column holds neither sets of labels nor values computed from answers, nor companies, nor
        texts of many words."""
        if self.holds_sets(column) or not all(map(float.is_integer, column.points)):
            return False
        words = [len(value.split()) for value in column.values]
        if words and median(words) >= _FEWEST_WORDS and column.plain not in RATER:
            return False
        if not self.may_be_companies(column):
            return True
        other_columns = [other for other in self.columns if other is not column]
        return not any(is_called_rater(other.name) for other in other_columns) and any(
            varies_within(column, other) for other in other_columns if other.holds == "labels"
        )

    def _has_raters_beside(self, column: Column) -> bool:
        """Return True for a column such as response_id, which may name items, where each row has its own value and the
        names of all columns of numbers are words for raters or models with numbers or names."""
        names = [other.name for other in self.columns if other.may_be_scale and other is not column]
        stems = Counter(stem for stem, number in map(stem_and_number, names) if number.isdecimal())
        are_marked = max(stems.values(), default=0) > 1 or all(
            len(tokens_of(name)) > 1 and not is_model(name) for name in names
        )
        are_raters = len(names) > 1 and are_marked and all(map(is_rater, names))
        return are_raters and is_called_item(column.name) and column.names_rows

    def may_be_companies(self, column: Column) -> bool:
        """Return True for developers whose names are neither numbered nor those of people."""
        return column.plain in _MAKERS and not _are_numbered_or_people(column)

    def _may_be_school_subject(self, column: Column) -> bool:
        """Return True for a column named subject, of words that are no names, in which others grade students or
        teachers."""
        if column.plain != "subject" or _are_numbered_or_people(column):
            return False
        full_columns = [other for other in self.columns if other is not column and other.is_full]
        return any(
            self.holds_only_grades
            or any(is_called_rater(rater.name) for rater in full_columns if rater is not other)
            for other in full_columns
            if tokens_of(other.name) & _AT_SCHOOL
        )

    def _varies_in_items(self, subject: Column) -> bool:
        """Return True for a school subject that varies within students or teachers, and within all columns of other
        items."""
        full_columns = [
            column
            for column in self.columns
            if column is not subject and column.is_full and not column.names_rows
        ]
        at_school = [column for column in full_columns if tokens_of(column.name) & _AT_SCHOOL]
        items = [
            column for column in full_columns if column not in at_school and not is_called_rater(column.name)
        ]
        items = [
            column for column in items if column.holds in ("labels", "texts") or is_called_item(column.name)
        ]
        return any(varies_within(subject, column) for column in at_school) and not any(
            is_constant_within(subject, [column]) for column in items
        )

    @cached_property
    def set_columns(self) -> tuple[tuple[Column, ...], SetFormat] | None:
        """Columns that hold sets of the same labels, one for each rater or item; None where there are none."""
        return set_columns(self.columns)

    def may_answer(self, rater: Column, roles: Mapping[str, Column]) -> bool:
        """Return True where the column of raters may be one of several with their answers: it holds whole points of the
        others' scale, the others' names have no meaning, and rows differ without it."""
        other_answers = [
            column
            for column in self.columns
            if column.in_steps
            and column.may_be_scale
            and column not in roles.values()
            and shape_of(column.name) in ("word", "name")
            and not is_about(column.name)
            and len(column.points & rater.points) > 1
        ]
        key = [roles[role] for role in ("item_id", "topic", "system", "condition") if role in roles]
        return rater.in_steps and len(other_answers) > 1 and self.tells_rows_apart(key)

    def may_be_rated_instead(self, column: Column, key: Sequence[Column]) -> bool:
        """Return True for a column that may name the rated person rather than the rater, where the items are no
        people."""
        may_be_person = column.plain not in RATER and (
            may_be_rated(column.name) or column.plain in _RATED_ONCE
        )
        return may_be_person and column not in key and not any(may_be_rated(part.name) for part in key)

    def numbers_options(self, column: Column) -> bool:
        """Return True for the number, letter or name of the best of columns such as response_1 to response_4."""
        stems = Counter(
            stem.casefold()
            for option in self.columns
            if option.holds in ("labels", "texts")
            for stem, number in [stem_and_number(option.name)]
            if number.isdecimal()
        )
        count = max(stems.values(), default=0)
        is_named = (
            column.plain in ("best", "bestresponse", "bestof") or column.plain in CHOICES.columns[2].names
        )
        options = {str(number) for number in range(1, count + 1)} | {*ascii_lowercase[:count]}
        options |= {option.name.casefold() for option in self.columns}
        return count > 2 and is_named and {value.casefold() for value in column.values} <= options

    def compares(self, column: Column) -> bool:
        """Return True for 1 and 0 that say whether two columns of labels agree, such as an answer and the truth."""
        labels = [
            other
            for other in self.columns
            if other.is_full
            and len(other.values) <= MOST_LABELS
            and not other.values <= {"0", "0.0", "1", "1.0"}
        ]
        return column.points == {0, 1} and any(
            all(
                (one == two) == number
                for one, two, number in zip(first.cells, second.cells, column.number_or_none, strict=True)
            )
            for first, second in combinations(labels, 2)
        )

    def _holds_grades(self, column: Column) -> bool:
        """Return True for most points of a scale from 1 to 5 or the like, next to one system and no options."""
        highest = max(column.points, default=0)
        on_scale = highest in _BEST_GRADES and column.points <= {*range(1, int(highest) + 1)}
        of_system = "system" in columns_by_name(self.scaled, RATINGS) and not self.numbers_options(column)
        return on_scale and 2 * len(column.points) > highest and of_system

    @cached_property
    def holds_only_grades(self) -> bool:
        """True where the only numbers that may be answers are named grades, which teachers give to students."""
        answers = [column for column in self.columns if column.holds == "numbers" and may_be_answer(column)]
        answers = [column for column in answers if not is_called_rater(column.name) and not column.names_rows]
        return len(answers) == 1 and is_grade(answers[0].name)

    @cached_property
    def _answering(self) -> set[int]:
        """Indices of columns that are named as raters and hold answers."""
        return _answer_beside_a_model(self.columns) | _answer_as_others(self.columns)

    def roles(self, kind: Kind) -> Mapping[str, Column]:
        """Return the columns of roles, by their names, where their content allows it."""
        if kind.name not in self._roles:
            self._roles[kind.name] = self._find_roles(kind)
        return self._roles[kind.name]

    def _find_roles(self, kind: Kind) -> dict[str, Column]:
        by_name = {column.name: column for column in self.columns}
        name_by_role = columns_by_name(self.scaled, kind)
        roles = {role: by_name[name] for role, name in name_by_role.items() if name in by_name}
        for column in self.columns:
            if column.plain == "choice" and self._holds_grades(column):
                roles |= {"score": column} if kind is RATINGS and "score" not in roles else {}
                roles = {
                    role: other for role, other in roles.items() if role != "choice" or other is not column
                }
        rater = roles.get("rater_id")
        if rater is not None and rater.is_constant and self.rows > 1 and "mail" in rater.plain:
            del roles["rater_id"]  # nobody's address
        if rater is not None and not self._may_be_raters(rater):
            roles.pop("rater_id", None)
        elif rater is not None and "item_id" not in roles and self._has_raters_beside(rater):
            roles["item_id"] = roles.pop("rater_id")
        raters = [
            column for column in self.columns if column.holds == "labels" and are_called_raters(column.name)
        ]
        if rater is not None and rater not in raters and len(raters) == 1 and "item_id" not in roles:
            roles |= {"item_id": rater, "rater_id": raters[0]}  # Subject beside Raters
        subjects = [column for column in self.columns if self._may_be_school_subject(column)]
        row_counts = {roles["score"].at} if "score" in roles and roles["score"].counts_rows else set()
        answering = self._answering | row_counts | {column.at for column in subjects}
        roles = {role: column for role, column in roles.items() if column.at not in answering}
        if subjects and kind is RATINGS and self._varies_in_items(subjects[0]):
            roles.setdefault("measure", subjects[0])
        used = {column.at for column in roles.values()}
        for role, is_called in (("item_id", is_called_item), ("rater_id", is_called_rater)):
            candidates = [*self.columns]
            if role == "rater_id":  # those who may be rated last, and of these who is graded
                candidates.sort(
                    key=lambda column: (
                        (may_be_rated(column.name) or column.plain in _MAKERS)
                        + (self.holds_only_grades and is_graded(column.name))
                    )
                )
            for column in candidates:
                is_usable = column.at not in used | answering and column.is_full and column.holds != "times"
                is_comment = column.plain in COMMENTS and column.names_rows and bool(self.parts)
                is_usable = is_usable and (
                    not is_comment if role == "item_id" else self._may_be_raters(column)
                )
                if (
                    role not in roles
                    and is_usable
                    and (
                        is_called(column.name) or (role == "rater_id" and self._numbers_people(column, roles))
                    )
                    and (role == "item_id" or len(column.values) > 1)
                ):
                    roles[role] = column
                    used.add(column.at)
        rated = self._find_rated(roles)
        if rated is not None:
            roles["item_id"] = rated
        pages = self._find_stimuli(roles) if kind is RATINGS else None
        if pages is not None:
            self.stimuli.append(pages)
            roles = {role: column for role, column in roles.items() if column not in pages}
            roles |= {"item_id": pages[0], "system": pages[1]}
        if kind is CHOICES and self._chosen is not None:
            roles |= dict(zip(("option_a", "option_b", "choice"), self._chosen, strict=True))
        item = (
            None
            if {"item_id", *_DESIGN} & roles.keys()
            else self._find_item_by_constancy(roles.get("rater_id"))
        )
        if item is not None:
            self.inferred_items.append(item)
            roles["item_id"] = item
        return roles

    @cached_property
    def _chosen(self) -> tuple[Column, Column, Column] | None:
        """The columns of two options, which differ in each row, and the one that names the chosen of them."""
        labels = [column for column in self.columns if column.holds == "labels"]
        for pair in pairs_among(labels):
            for chosen in (column for column in labels if column not in pair):
                rows = [*zip(*(column.cells for column in pair), chosen.cells, strict=True)]
                named = sum(cell in (one, other) for one, other, cell in rows)
                if 2 * named > len(rows) and all(
                    one != other and (cell in ("", one, other) or is_side(cell)) for one, other, cell in rows
                ):
                    return *pair, chosen
        return None

    def _find_rated(self, roles: Mapping[str, Column]) -> Column | None:
        """Return the only other column of people, who were rated by the raters; None where there is an item."""
        rater = roles.get("rater_id")
        if rater is None or rater.names_rows or "item_id" in roles:
            return None
        used = (rater, roles.get("measure"))
        candidates = [
            column
            for column in self.columns
            if column not in used and may_be_rated(column.name) and column.is_full
        ]
        candidates = [column for column in candidates if not is_constant_within(column, [rater])]
        candidates = [
            column
            for column in candidates
            if not column.may_be_scale or share_distinct((rater, column)) >= _ONCE
        ]
        return candidates[0] if len(candidates) == 1 else None

    def _find_stimuli(self, roles: Mapping[str, Column]) -> tuple[Column, Column] | None:
        """Return the columns of pages and of their stimuli, where raters rate each stimulus on each page once.

        One of the stimuli is a hidden reference or an anchor, or both columns are called so and pages have names.
        """
        rater = roles.get("rater_id")
        if rater is None or "system" in roles:
            return None
        rater_columns = (rater, roles["measure"]) if "measure" in roles else (rater,)
        used = (*rater_columns, roles.get("score"))
        candidates = [
            column
            for column in self.columns
            if column.is_full and not column.is_constant and column not in used
        ]
        candidates = [
            column
            for column in candidates
            if column.holds == "labels" or all(map(str.isdecimal, column.values))
        ]
        for system in candidates:
            has_controls = any(control_of(value) for value in system.values)
            is_called = system.plain in _STIMULI and len(system.values) <= _MOST_STIMULI
            if system.holds != "labels" or not (has_controls or is_called):
                continue
            pages = [
                column
                for column in candidates
                if column is not system
                and (has_controls or (column.plain in _PAGES and column.holds == "labels"))
                and share_distinct((*rater_columns, column, system)) >= _ONCE
                and max(share_distinct((*rater_columns, column)), share_distinct((*rater_columns, system)))
                < _ONCE
                and len({*zip(column.cells, system.cells, strict=True)})
                >= CROSSED * len(column.values) * len(system.values)  # nearly each system is on each page
            ]
            for page in sorted(pages, key=lambda column: column.holds != "labels"):
                return page, system
        return None

    def _find_item_by_constancy(self, rater: Column | None) -> Column | None:
        """Return the column within which many others are constant, as attributes of items are; None where there are too
        few, or too many to compare."""
        if rater is None or rater.names_rows or len(self.columns) > _MOST_COMPARED:
            return None
        varying = [column for column in self.columns if not column.is_constant and column is not rater]
        varying = [column for column in varying if not is_constant_within(column, [rater])]
        candidates = [
            column
            for column in varying
            if column.is_full and not is_about(column.name) and not column.names_rows
        ]
        candidates = [
            column
            for column in candidates
            if column.holds in ("labels", "texts") or all(map(str.isdecimal, column.values))
        ]
        constants = {
            column.at: sum(is_constant_within(other, [column]) for other in varying if other is not column)
            for column in candidates
        }
        best = max(candidates, key=lambda column: (constants[column.at], -column.at), default=None)
        return (
            best
            if best is not None and constants[best.at] > max(_FEWEST_CONSTANT, len(varying) / 3)
            else None
        )

    def _numbers_people(self, column: Column, roles: Mapping[str, Column]) -> bool:
        """Return True for a column called after people whose values are the same in each item, once each."""
        item = roles.get("item_id")
        if item is None or not is_rater(column.name) or item.names_rows:
            return False
        cells_by_item: dict[str, list[str]] = {}
        for item_name, cell in zip(item.cells, column.cells, strict=True):
            cells_by_item.setdefault(item_name, []).append(cell)
        return {*map(tuple, map(sorted, cells_by_item.values()))} == {tuple(sorted(column.values))}


_NUMBERED = re.compile(r"\d|[ _-][a-zA-Z]$")


def _are_numbered_or_people(column: Column) -> bool:
    """Return True where all values hold a digit, as dev1 and S01 do, or count with letters, as dev_a does, or they look
    like names of people."""
    numbered = all(map(_NUMBERED.search, column.values))
    return numbered or look_like_people([*column.values]) >= 0.5


def _answer_beside_a_model(columns: Sequence[Column]) -> set[int]:
    """Return the indices of columns named as raters that hold the same few answers, one named a person or a model."""
    rater_columns = [
        column for column in columns if is_rater(column.name) and len(column.values) <= MOST_LABELS
    ]
    beside_models = [column for column in rater_columns if is_beside_model(column.name)]
    return {
        index
        for column in beside_models
        for other in rater_columns
        if column is not other and len(column.values & other.values) > 1
        for index in (column.at, other.at)
    }


def _answer_as_others(columns: Sequence[Column]) -> set[int]:
    """Return the indices of columns named as raters that hold the answers of at least two others.

    Words are answers where the others hold the very same and they are no people's names, or all hold those of a scale;
    numbers, where the others are called as raters are, by names of people unless all are called so.
    """
    candidates = [column for column in columns if 1 < len(column.values) <= MOST_LABELS]
    words = Counter(
        column.values
        for column in candidates
        if column.holds == "labels" and look_like_people([*column.values]) < 0.5
    )
    numbers = [column for column in candidates if column.holds == "numbers" and not is_about(column.name)]
    numbers = [column for column in numbers if not is_called_item(column.name)]  # SRC and HRC are no initials
    test = look_like_raters if _are_only_raters(columns) else look_like_people
    people = [column for column in numbers if test([column.name]) >= LIKE]
    of_scale = sum(column.holds == "words" for column in candidates)
    return {
        column.at
        for column in candidates
        if is_rater(column.name)
        and (
            words[column.values] > 2
            or (column.holds == "words" and of_scale > 2)
            or _shares_points_of_two(column, people)
        )
    }


def _shares_points_of_two(column: Column, columns: Sequence[Column]) -> bool:
    """Return True where at least two of the others have several points of the column."""
    sharing = (len(column.points & other.points) > 1 for other in columns)
    return any(sharing) and any(sharing)


def _are_only_raters(columns: Sequence[Column]) -> bool:
    """Return True where all numbers that may be answers are named as raters, and the other columns identify rows.

    Two that are called rater and user hold ids, and so may one beside labels that may be the answers.
    """
    answers = [column for column in columns if column.holds == "numbers" and may_be_answer(column)]
    answers = [column for column in answers if not is_called_item(column.name)]
    places = {column.at for column in answers}
    other_columns = [column for column in columns if column.at not in places]
    ids = sum(column.plain in RATER for column in answers)
    if (
        share_distinct(other_columns) < 1
        or ids > 1
        or not all(look_like_raters([column.name]) >= LIKE for column in answers)
    ):
        return False
    labels = [column for column in other_columns if column.holds == "labels" and not column.names_rows]
    return not ids or not any(
        share_distinct([column for column in other_columns if column is not label]) == 1 for label in labels
    )


def reserved_indices(roles: Mapping[str, Column], further_roles: Sequence[str] = ()) -> set[int]:
    """Return the indices of columns that are no answers by their roles."""
    return {roles[role].at for role in (*_RESERVED, *further_roles) if role in roles}


def find_people_column(columns: Iterable[Column]) -> Column | None:
    """Return the only column whose values look like people."""
    candidates = [
        column
        for column in columns
        if column.holds in ("labels", "texts")
        and column.is_full
        and len(column.values) > 1
        and look_like_raters(sorted(column.values)) >= LIKE
    ]
    if len(candidates) > 1:  # REF and TGT are no initials beside names
        candidates = [column for column in candidates if not all(map(is_abbreviation, column.values))]
    return candidates[0] if len(candidates) == 1 else None


def pairs_among(columns: Iterable[Column]) -> list[tuple[Column, Column]]:
    """Return the columns of labels or texts whose names differ only in the side, such as Word 1 and Word 2."""
    by_name = {column.name: column for column in columns if column.holds in ("labels", "texts")}
    return [(by_name[first], by_name[second]) for _, (first, second) in sides_of(by_name)]


def share_distinct(columns: Sequence[Column]) -> float:
    """Return the share of different rows in these columns."""
    rows = list(zip(*(column.cells for column in columns), strict=True))
    return len(set(rows)) / max(len(rows), 1)


def are_crossed(first: Column, second: Column) -> bool:
    """Return True where nearly each value of one column meets each of the other in one row."""
    is_unique = (
        first is not second
        and first.is_full
        and not first.is_constant
        and share_distinct((first, second)) == 1
    )
    return is_unique and len(first.cells) >= CROSSED * len(first.values) * len(second.values)


def is_constant_within(column: Column, key: Sequence[Column]) -> bool:
    """Return True where the column is the same in all rows that agree in the key, of which some do."""
    rows = [*zip(*(key_column.cells for key_column in key), strict=True)]
    filled = {key_cells for key_cells, cell in zip(rows, column.cells, strict=True) if cell}
    return len(filled) < len(column.filled) and is_constant_in(rows, column.cells)


_FEWEST_COMPUTED = 5
"""Rows of different answers in which a sum or mean of them is no chance."""


def follows(column: Column, other_columns: Sequence[Column]) -> bool:
    """Return True where a column holds the sum or mean of the others in all rows, or the difference of two, where they
    differ often. Numbers from 0 on that are not called a difference may be a third one's answers."""
    if column.holds != "numbers" or column.is_constant:
        return False
    may_differ = column.low < 0 or not _DIFFERENCES.isdisjoint(tokens_of(column.name))
    is_sum = is_mean = True
    is_difference = len(other_columns) == 2 and may_differ
    varied = 0
    for computed, *numbers in zip(
        column.number_or_none, *(other.number_or_none for other in other_columns), strict=True
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
"""Least number of raters who have the same numbers equally often not by chance."""


def is_balanced(column: Column, rater: Column) -> bool:
    """Return True for repeated numbers that all raters have equally often, as parts of an item's name."""
    counts: dict[str, Counter[str]] = {}
    for rater_name, cell in zip(rater.cells, column.cells, strict=True):
        counts.setdefault(rater_name, Counter())[cell] += 1
    first, *other_counts = counts.values()
    are_enough = len(other_counts) + 1 >= _FEWEST_BALANCED and len(first) > 1 and min(first.values()) > 1
    return are_enough and all(rater_counts == first for rater_counts in other_counts)


_DIFFERENCES = frozenset(
    "difference diff gain change delta differenz anderung ecart diferencia cambio differenza diferenca 差 差异 差值 "
    "差分".split()
)
_TOTALS = MEANS | _DIFFERENCES | {"overall", "combined"}
"""Words in names of columns that are computed from others."""


def find_computed(columns: Sequence[Column]) -> Column | None:
    """Return the column that follows from all others, and is no rater's where another is.

    As a = b + c is b = a - c, the last one that is called a total is taken, else the last.
    """
    are_raters = [look_like_raters([column.name]) >= 0.5 for column in columns]
    candidates = [
        column
        for column, of_rater in zip(columns, are_raters, strict=True)
        if not of_rater or all(are_raters)
    ]
    candidates = [
        column
        for column in candidates
        if follows(column, [other for other in columns if other is not column])
    ]
    return max(
        candidates,
        key=lambda column: (not _TOTALS.isdisjoint(tokens_of(column.name)), column.at),
        default=None,
    )


def varies_within(column: Column, key: Column) -> bool:
    """Return True where most values of the key stand beside several values of the column."""
    values_by_key: dict[str, set[str]] = {}
    for cell, key_value in zip(column.cells, key.cells, strict=True):
        values_by_key.setdefault(key_value, set()).add(cell)
    return 2 * sum(len(values) > 1 for values in values_by_key.values()) > len(values_by_key)


def source_of(columns: Sequence[Column]) -> str | tuple[str, ...]:
    return columns[0].name if len(columns) == 1 else tuple(column.name for column in columns)


_SEPARATED = re.compile(r"\s*[|/:_.\[\]()-]+\s*")
SHORT_NAME = 6
"""Number of first characters of names below which a common beginning may be chance."""
CROSSED = 0.85
"""Share of the pairs of values that two columns must hold: some are missing."""
SHARED = 0.5
"""Share of the values of a column, or of its sister, that both have on one scale."""


def share_scale(first: Column, second: Column) -> bool:
    """Return True where two columns may hold points of one scale."""
    if "words" in (first.holds, second.holds):
        return first.holds == second.holds
    if not first.points or not second.points:
        return False
    if first.in_steps != second.in_steps:
        return False
    fewer = min(len(first.points), len(second.points))
    widest = max(column.high - column.low for column in (first, second))
    if not first.in_steps or fewer > MOST_LABELS // 2 or widest > MOST_LABELS:
        return _overlap(first, second) >= SHARED
    return len(first.points & second.points) >= SHARED * fewer


def _overlap(first: Column, second: Column) -> float:
    """Return the share of the narrower range that lies in the other."""
    low, high = max(first.low, second.low), min(first.high, second.high)
    narrower = min(first.high - first.low, second.high - second.low)
    return (high - low) / narrower if narrower > 0 else float(high >= low)


def _is_name(name: str) -> bool:
    """Return True for a name of a person, unlike initials, which may abbreviate words such as sentence id."""
    return look_like_people([name]) >= 0.9 and not is_abbreviation(name)


def _are_raters_or_items(names: Sequence[str], roles: Mapping[str, Column]) -> bool:
    """Return True for names of raters, or of items where a column is called after raters."""
    return look_like_raters(names) >= 0.5 or ("rater_id" in roles and look_like_items(names) >= LIKE)


def columns_on_one_scale(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of numbers, or of words of a scale, that are ratings of one scale, severe ones included."""
    reserved = reserved_indices(roles, ("item_id", "rater_id"))
    sliders = [column for column in table.columns if column.is_slider and column.at not in reserved]
    are_named = _are_raters_or_items([column.name for column in sliders], roles)
    candidates = [
        column
        for column in table.columns
        if (
            column.may_be_scale
            or (column.is_free and _is_name(column.name))
            or (column in sliders and are_named)
        )
        and column.at not in reserved
        and (may_be_answer(column) or (column.holds == "words" and is_abbreviation(column.name)))
    ]
    words = [column for column in candidates if column.holds == "words"]
    if len(words) >= 2:
        return words
    numbers = [column for column in candidates if column.holds == "numbers"]
    numbers = [
        column for column in numbers if not (_numbers_rows(column, numbers) or counts_filled(column, numbers))
    ]
    varying = [column for column in numbers if not column.is_constant]
    if not varying and len({column.numbers[0] for column in numbers}) > 1 and _main_shape(numbers):
        varying = numbers  # all raters agree on each item
    if not varying:
        return []
    numbered = _numbered_beside_their_mean(numbers)
    if numbered:
        return numbered
    stepped = [column for column in varying if column.in_steps]
    varying = stepped if len(stepped) * 2 > len(varying) else varying
    names = [column.name for column in varying]
    are_known = bool(stepped) or _are_raters_or_items(names, roles) or all(map(is_slot, names))
    if not are_known and not _may_be_sliders(varying, table.sniffed.header):
        return []
    same_scale = grow_group(
        largest_group(varying, lambda column, first: _overlap(column, first) >= SHARED), varying
    )
    lower = [name for _, name in levels_of(names)]
    has_upper_level = BETWEEN_LEVELS in names[0] and (bool(groups_of(names)) or len({*lower}) < len(lower))
    main_shape = (
        frozenset[str]() if has_upper_level else _main_shape(varying)
    )  # else each measure has a shape
    alone = _GROUP_WORDS - {plain_name(stem_and_number(name)[0]) for name in names if name[-1:].isdigit()}
    of_group = [
        column for column in same_scale if column.plain in alone and "group with a number" in main_shape
    ]
    same_scale = (
        [column for column in varying if _has_shape(column, main_shape) or column in of_group]
        if main_shape
        else same_scale
    )
    shapes = {shape_of(column.name) for column in same_scale} - {"word"}
    low = min((column.low for column in same_scale), default=0.0)
    high = max((column.high for column in same_scale), default=0.0)
    width = max(high - low, 1.0)
    name_parts = {part for column in same_scale for part in _SEPARATED.split(column.name) if len(part) > 1}
    beginnings = {column.name[:SHORT_NAME] for column in same_scale}

    def is_sister(column: Column) -> bool:
        named_alike = shape_of(column.name) in shapes or column.name[:SHORT_NAME] in beginnings
        return named_alike or not name_parts.isdisjoint(_SEPARATED.split(column.name))

    on_scale = {column.at for column in same_scale}
    constant = [column for column in numbers if column.is_constant] if same_scale else []
    # the others may have left out an end of the scale
    for column in sorted(filter(is_sister, constant), key=lambda column: column.numbers[0]):
        if low - width <= column.numbers[0] <= high + width:
            on_scale.add(column.at)
            high = max(high, column.numbers[0])
    within = range(min(on_scale, default=0), max(on_scale, default=0))
    # a gap may hide the other points; a flag has none
    beyond = {column.at: 0 if column.is_full else 1 for column in constant}
    on_scale |= {
        column.at
        for column in constant
        if column.at in within and low - beyond[column.at] <= column.numbers[0] <= high + beyond[column.at]
    }
    raters = [
        column for column in numbers if column.at in on_scale and look_like_raters([column.name]) >= LIKE
    ]
    words = [column for column in raters if not is_abbreviation(column.name)]
    raters = words if len(words) > 2 else raters
    unnamed = [column for column in numbers if column.at in on_scale and column not in raters]
    points = sorted(frozenset[float]().union(*(column.points for column in raters)))
    name_parts = {part for column in raters for part in _SEPARATED.split(column.name)}
    are_measures = any(not name_parts.isdisjoint(_SEPARATED.split(column.name)) for column in unnamed)
    if len(raters) > 2 and not are_measures:
        half = max(points[-1] - points[0], 1.0) / 2
        if any(column.low < points[0] - half or column.high > points[-1] + half for column in unnamed):
            on_scale = {column.at for column in raters}  # beside what is known of the items
    return [column for column in numbers if column.at in on_scale]


def _may_be_sliders(columns: Sequence[Column], has_header: bool) -> bool:
    """Return True for several columns of unknown names with two decimals at most, on one scale, of which each uses
    about as much as the others: of raters, perhaps."""
    widths = [column.high - column.low for column in columns]
    return (
        len(columns) > 2
        and 2 * min(widths) >= max(widths)
        and all(column.digits <= _MOST_DIGITS for column in columns)
        and (not has_header or all(shape_of(column.name) in ("word", "name") for column in columns))
        and all(share_scale(column, columns[0]) for column in columns)
    )


def _numbers_rows(column: Column, columns: Sequence[Column]) -> bool:
    """Return True for each number from 1 to that of the rows once, in any order, far beyond those of all others."""
    rows = len(column.cells)
    is_far = rows >= _FEWEST_NUMBERED_ROWS and column.points == {*range(1, rows + 1)}
    return is_far and all(2 * other.high < rows for other in columns if other is not column)


def counts_filled(column: Column, columns: Sequence[Column]) -> bool:
    """Return True where a column holds how many of the others each row fills, which differs."""
    others = [other.cells for other in columns if other is not column]
    filled = [sum(map(bool, cells)) for cells in zip(*others, strict=True)]
    return len({*filled}) > 1 and [*column.number_or_none] == filled


def _numbered_beside_their_mean(columns: Sequence[Column]) -> list[Column]:
    """Return at least three columns of one numbered name, such as Kampfrichter 1 to 4, where all others hold their sum
    or mean."""
    by_stem: dict[str, list[Column]] = {}
    for column in columns:
        stem, number = stem_and_number(column.name)
        if number.isdecimal():
            by_stem.setdefault(stem, []).append(column)
    numbered = next(iter(by_stem.values())) if len(by_stem) == 1 else []
    others = [column for column in columns if column not in numbered]
    are_computed = bool(others) and all(follows(column, numbered) for column in others)
    return numbered if len(numbered) >= _FEWEST_NUMBERED and are_computed else []


def may_be_answer(column: Column) -> bool:
    """Return True for a column whose name does not say that it holds a length, count, time or id."""
    name = column.name.casefold()
    counts = name.endswith(("_length", "_count"))
    counts |= name.startswith("count_") and not name.endswith(tuple("0123456789"))
    if counts or is_time(column) or is_about(column.name) or ends_as_id(column.name):
        return False
    rows = len(column.cells)
    is_index = rows > _FEWEST_NUMBERED and column.points in ({*range(rows)}, {*range(1, rows + 1)})
    return not (is_index and UNNAMED.fullmatch(column.name))


UNNAMED = re.compile(r"column \d+|Unnamed: \d+")
"""Names of columns without one, such as an index."""


def is_time(column: Column) -> bool:
    """Return True for a column with a name of times, whose numbers have fractions or are beyond 100."""
    is_called = is_called_time(column.name) and not is_abbreviation(column.name)
    return is_called and bool(column.points) and (not column.in_steps or column.high > _LONGEST_SCALE)


_LONGEST_SCALE, _MOST_DIGITS = 100, 2
_FEWEST_NUMBERED_ROWS = 10
"""Fewest rows of which the numbers 1 to n, once each, are an index and no ratings."""
_FEWEST_NUMBERED = 3
"""Numbered columns that are those of raters, beside their mean."""


def grow_group(group: Sequence[Column], columns: Sequence[Column]) -> list[Column]:
    """Return the group with the columns that lie on its scale, or less than its length beyond."""
    grown = list(group)
    while grown:
        low, high = min(column.low for column in grown), max(column.high for column in grown)
        reach = max(high - low, 1.0)
        indices = {column.at for column in grown}
        more = [
            column
            for column in columns
            if column.at not in indices
            and low - 3 * reach <= column.low <= high + reach
            and low - reach <= column.high <= high + 3 * reach
        ]
        if not more:
            break
        grown += more
    return grown


def _has_shape(column: Column, shapes: frozenset[str]) -> bool:
    """Return True where a name has one of the shapes, or is the word that the others number."""
    return shape_of(column.name) in shapes or f"{column.plain} with a number" in shapes


def _main_shape(columns: Sequence[Column]) -> frozenset[str]:
    """Return the shape that most names have, where it tells them from others; none where none prevails."""
    shapes = [shape_of(column.name) for column in columns]
    shape = max(set(shapes), key=shapes.count, default="")
    if shapes.count(shape) < max(2, 0.6 * len(shapes)) or shape in ("word", "name", "measure", "number"):
        return frozenset()
    return frozenset((shape, "name"))


def columns_of_one_vocabulary(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the columns of labels that share one vocabulary."""
    reserved = reserved_indices(roles, ("rater_id", "item_id"))
    values_at = {
        column.at: {value for value in column.values if not is_missing(value)} for column in table.columns
    }
    candidates = [
        column
        for column in table.columns
        if column.holds in ("labels", "texts")
        and column.at not in reserved
        and values_at[column.at]
        and not is_about(column.name)
        and all(len(value) <= LONGEST_LABEL and value[0] not in "{[" for value in column.values)
    ]

    def are_alike(column: Column, first: Column) -> bool:
        return len(values_at[column.at] & values_at[first.at]) >= SHARED * len(values_at[column.at])

    best = largest_group(candidates, are_alike)
    main_shape = _main_shape(candidates) if table.sniffed.header else frozenset[str]()
    vocabulary = set[str]().union(*(values_at[column.at] for column in best))
    questions = [
        column
        for column in candidates
        if column not in best and not column.values & vocabulary and shape_of(column.name) == "question"
    ]
    if "question" in main_shape and questions and not all(column.is_constant for column in questions):
        return []  # questions of a survey that have answers of their own
    # a word beside numbered raters, such as Density, may be known of the items
    numbered = main_shape - {"name"}
    best = [
        column
        for column in candidates
        if column in best or column.values & vocabulary or (numbered and _has_shape(column, numbered))
    ]
    vocabulary.update(*(column.values for column in best))
    cells = sum(len(column.filled) for column in best)
    return best if len(best) >= 2 and len(vocabulary) <= min(MOST_LABELS, cells / 2) else []
