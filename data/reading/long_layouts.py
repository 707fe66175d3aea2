"""Readings of a table with one row per rating, or per item and rater, whoever names the raters."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, compress

from data.dataset import SLOT
from data.errors import list_first, listed
from data.kinds.answer_words import points_of
from data.kinds.kind import PREFERENCES, RANK, RATER, Kind
from data.kinds.likely_names import (
    ITEM_PARTS,
    STRICT,
    SURENESS,
    is_abbreviation,
    is_about,
    is_called_answer,
    is_called_item,
    is_grade,
    is_model,
    is_slot,
    look_like_items,
    look_like_measures,
    look_like_people,
    look_like_raters,
    may_be_rated,
    share_titled,
    tokens_of,
)
from data.kinds.names import stem_and_number
from data.kinds.studies import CHOICES, LABEL_SETS, RATINGS
from data.mapping.likely_kind import LABELS
from data.mapping.values import RATING_NAMES
from data.reading.columns import MOST_LABELS, Column, largest_group
from data.reading.item_key import (
    MOSTLY_UNIQUE,
    PARTS,
    REPEATED,
    REPEATS,
    SETS,
    UNIQUE,
    find_item_key,
    find_system,
    only_counts_rows,
    rotates,
    varies_in_items,
)
from data.reading.item_means import is_mean_of
from data.reading.profile import (
    CROSSED,
    LIKE,
    SHORT_NAME,
    UNNAMED,
    TableProfile,
    are_crossed,
    find_computed,
    find_people_column,
    is_balanced,
    is_constant_within,
    is_time,
    may_be_answer,
    reserved_indices,
    share_distinct,
    share_scale,
    source_of,
    varies_within,
)
from data.reading.rankings import words_of
from data.tables.sniffed import ASKED, Reading


def find_answers(table: TableProfile, kind: Kind, roles: Mapping[str, Column], rater: Column) -> list[Column]:
    """Return the columns of ratings, or of labels, that differ within raters."""
    named_answer = roles.get(kind.cells)
    judged = [
        column for column in table.columns if column.may_be_scale and look_like_measures([column.name]) > 0
    ]
    if named_answer is not None and named_answer.plain == "rank":
        beside = [column for column in table.columns if column.may_be_scale and column is not named_answer]
        are_profiles = len(largest_group(beside, share_scale)) > _MOST_BESIDE_RANK
        if are_profiles or any("relevan" in column.plain for column in judged):
            named_answer = None  # of what a search found, or the order of serving
    reserved = {rater.at} | reserved_indices(roles, ("item_id",))
    item = roles.get("item_id")
    if kind is LABEL_SETS:
        return _set_columns(table, named_answer, reserved)
    if kind is CHOICES:
        if (
            named_answer is not None
            and named_answer.plain in ("response", "answer")
            and item not in (None, named_answer)
        ):
            named_answer = None if _is_text_of(item, named_answer) else named_answer
        return [] if judged and named_answer is None else _label_columns(table, named_answer, reserved, rater)
    short = [column for column in table.columns if is_abbreviation(column.name) and column.may_be_scale]
    short = [column for column in short if not column.is_constant and column.at not in reserved]
    if len(short) < 3 or not all(share_scale(column, short[0]) for column in short):  # NR, of OQ, GR and FO
        short = []
    on_sliders = named_answer is None or named_answer.is_slider  # else numbers with decimals are computed
    answers = [
        column
        for column in table.columns
        if (
            column.may_be_scale or (on_sliders and column.is_slider and look_like_measures([column.name]) > 0)
        )
        and column.at not in reserved
        and (column is named_answer or not may_be_rated(column.name))
        and not table.numbers_options(column)
        and not table.compares(column)
        and (column is named_answer or may_be_answer(column) or column in short)
        and (column is named_answer or column.is_constant or not is_constant_within(column, (rater,)))
        and (
            column is named_answer
            or any(
                answer and rater_cell for answer, rater_cell in zip(column.cells, rater.cells, strict=True)
            )
        )
    ]

    def is_named(column: Column) -> bool:  # else it may be an index
        return not (table.sniffed.header and UNNAMED.fullmatch(column.name))

    answers = [column for column in answers if column is named_answer or is_named(column)]
    answers = [
        column
        for column in answers
        if column is named_answer
        or column in judged
        or not (
            _is_of_design(column, table, roles, rater)
            or (judged and (is_called_item(column.name) or is_balanced(column, rater)))
        )
    ]
    answers = [
        column
        for column in answers
        if column.plain not in SETS | REPEATED and not _tells_repeats_apart(column, item, rater, table)
    ] or answers
    if named_answer is None and len(answers) > 1 and (item is not None or _words_name_items(table, rater)):
        answers = [column for column in answers if not _numbers_order(column, rater)] or answers
    elif item is None and len(answers) > 1:  # numbers of items, perhaps
        numbering = _find_item_numbers(table, rater)
        answers = [
            column
            for column in answers
            if column is not numbering or column is named_answer or column in judged
        ]
    components = [column for column in answers if column is not named_answer and column.in_steps]
    if (
        named_answer is not None
        and named_answer in answers
        and not named_answer.in_steps
        and len(components) > 1
    ):
        is_computed = is_mean_of(named_answer.cells, [column.cells for column in components])
        named_answer, answers = (None, components) if is_computed else (named_answer, answers)
    if (
        named_answer is not None
        and named_answer not in answers
        and named_answer.holds in ("numbers", "words")
    ):
        answers = [named_answer, *answers]
    if named_answer is None and not answers and item is not None:  # agreement with statements
        answers = [column for column in table.columns if column.plain == "agreement" and column.may_be_scale]
        answers = [
            column
            for column in answers
            if not any(is_constant_within(column, (key,)) for key in (rater, item))
        ]
    if named_answer is None and not answers and item is not None:  # on no scale, as estimates of magnitude
        free = [
            column
            for column in table.columns
            if column.is_free
            and column.at not in reserved
            and column is not item
            and is_named(column)
            and not _is_of_design(column, table, roles, rater)
            and not table.numbers_options(column)
        ]
        free = [
            column for column in free if not any(is_constant_within(column, (key,)) for key in (rater, item))
        ]
        answers = [column for column in free if may_be_answer(column)] if len(free) == 1 else []
    if named_answer is None and not answers:
        answers = _find_ease_or_confidence(table, reserved, rater, item)
    varying = [column for column in answers if column is named_answer or not column.is_constant]
    scales = [column.points for column in varying if column.points]
    judged = [column for column in answers if look_like_measures([column.name]) > 0]
    if any(column.in_steps for column in judged):  # others with many digits are computed
        answers = [column for column in answers if column.in_steps or column.digits < _MOST_DIGITS]
        judged = [column for column in judged if column in answers]

    def is_on_a_scale(column: Column) -> bool:  # a measure that got the same score every time
        return bool(column.points) and any(
            min(points) <= column.numbers[0] <= max(points) for points in scales
        )

    answers = [
        column for column in answers if column in varying or (column in judged and is_on_a_scale(column))
    ]
    judged = [column for column in judged if column in answers]
    if named_answer is not None:  # beside the one that is called the rating, others are further measures
        strict = named_answer.plain in STRICT
        measures = [
            column
            for column in answers
            if column is not named_answer
            and (not strict or (column in judged and share_scale(column, named_answer)))
            and (
                column in judged
                or (share_scale(column, named_answer) and (column.in_steps or column.holds == "words"))
            )
        ]
        measures = measures if 2 * sum(column in judged for column in measures) >= len(measures) else []
        return [column for column in answers if column is named_answer or column in measures]
    beginnings = {column.name[:SHORT_NAME] for column in judged}
    if len(judged) > 1 and len(beginnings) == 1:  # leave out those that begin otherwise
        answers = [column for column in answers if column.name[:SHORT_NAME] in beginnings]
    if judged:
        exact = [column for column in answers if column not in judged and _is_as_exact(column, judged)]
        if 2 * len(exact) >= len(judged):  # these may be computed
            exact = []
        return [
            column
            for column in answers
            if column in judged or column in exact or is_on_scale_of(column, judged)
        ]
    stepped = [column for column in answers if column.holds == "words" or column.in_steps] or answers
    stepped = [column for column in stepped if is_called_answer(column.name)] or stepped
    best = largest_group(stepped, lambda column, first: column is first or share_scale(column, first))
    return best if len(best) == len(stepped) else []


_EASE = frozenset(("seq",))
"""Names of the single ease question, which is a rating only where nothing else is."""
_MOST_EASE = 10


def _find_ease_or_confidence(
    table: TableProfile, reserved: set[int], rater: Column, item: Column | None
) -> list[Column]:
    """Return the column of the single ease question; else that of confidence, where no words differ as answers do."""
    keys = [rater, item] if item is not None else [rater]

    def varies(column: Column) -> bool:
        return not any(is_constant_within(column, (key,)) for key in keys)

    others = [column for column in table.columns if column.at not in reserved and column not in keys]
    words = any(column.holds in ("labels", "words", "texts") and varies(column) for column in others)
    named = [
        column for column in others if column.plain in _EASE | SURENESS and column.in_steps and varies(column)
    ]
    named = [column for column in named if not words or column.plain in _EASE]
    named = [column for column in named if column.plain in SURENESS or column.high <= _MOST_EASE]
    return named if len(named) == 1 and not _numbers_order(named[0], rater) else []


def _tells_repeats_apart(column: Column, item: Column | None, rater: Column, table: TableProfile) -> bool:
    """Return True for a column such as day without which rows of an item and a rater agree, and with which none do.

    Where no column is called the item, it may be any of labels.
    """
    if column.plain not in REPEATS:
        return False
    labels = [each for each in table.columns if each.holds == "labels" and each.is_full and each is not rater]
    keys = [(each, rater, *table.parts) for each in (labels if item is None else [item])]
    return any(share_distinct(key) < UNIQUE <= share_distinct((column, *key)) for key in keys)


def _is_of_design(column: Column, table: TableProfile, roles: Mapping[str, Column], rater: Column) -> bool:
    """Return True where rows of a rater and the same item, system and the like often agree, but none in this column, as
    those of several systems or segments do; or where all raters and items meet each value equally often."""
    design = [roles[role] for role in ("item_id", *PARTS) if role in roles]
    design += [other for other in table.columns if other.is_full and is_called_item(other.name)]
    key = (rater, *(other for other in design if other is not column))
    item = roles.get("item_id")
    others = [other for other in table.columns if other is not column]
    have_sessions = any(_tells_repeats_apart(other, item, rater, table) for other in others)
    is_repeated = len(key) > 1 and share_distinct(key) < MOSTLY_UNIQUE and not have_sessions
    are_marks = bool(column.points) and column.points <= {0, 1}
    if item is not None and item is not column and not are_marks and rotates(column, rater, item.cells):
        return True
    is_shared = share_distinct((column, *key[1:])) * 1.25 <= 1  # by several raters, as no ratings are
    return (
        is_repeated
        and is_shared
        and share_distinct((column, *key)) >= UNIQUE > share_distinct((column, rater))
    )


def _numbers_order(column: Column, rater: Column) -> bool:
    """Return True for the place of each row among those of its rater, from 1 on."""
    called = is_called_answer(column.name) or look_like_measures([column.name]) > 0
    return column.points == {*range(1, len(column.points) + 1)} and not called and are_crossed(column, rater)


def _is_text_of(item: Column | None, column: Column) -> bool:
    """Return True for a column such as the response of a system: constant within items, and different for nearly each
    item."""
    return (
        item is not None and 2 * len(column.values) > len(item.values) and is_constant_within(column, (item,))
    )


def _set_columns(table: TableProfile, named_set: Column | None, reserved: set[int]) -> list[Column]:
    """Return the columns of sets of labels with one separator, none beside others with names for ratings or labels."""
    sets = [column for column in table.columns if column.at in table.sets and column.at not in reserved]
    choice = table.roles(CHOICES).get("choice")
    if (choice is not None and choice not in sets) or "score" in table.roles(RATINGS):
        return []
    first = named_set if named_set is not None and named_set in sets else sets[0] if sets else None
    return [
        column
        for column in sets
        if first and table.sets[column.at].separator == table.sets[first.at].separator
    ]


def _label_columns(
    table: TableProfile, named_label: Column | None, reserved: set[int], rater: Column
) -> list[Column]:
    """Return the columns of labels that differ within raters: the one with a name for labels, else all."""
    if "option_a" in table.roles(CHOICES) and named_label is not None:
        return [named_label]
    if named_label is not None and named_label.plain in RATING_NAMES and not _holds_no_points(named_label):
        return []  # ratings in words that are not all known
    if named_label is not None and table.holds_sets(named_label):
        reserved = reserved | {named_label.at}  # beside the answers to each question, perhaps
    elif named_label is not None:
        is_label = named_label.holds in ("labels", "words")
        is_label |= named_label.holds == "numbers" and len(named_label.values) <= MOST_LABELS
        varies = not is_constant_within(named_label, (rater,)) or _is_only_answer(
            named_label, table, named_label
        )
        return [named_label] if is_label and varies else []
    roles = table.roles(RATINGS)
    item = roles.get("item_id", table.roles(CHOICES).get("item_id", roles.get("text")))
    answering = {
        role
        for role in ("topic", "text")
        if item is not None and role in roles and roles[role] is not item
        if roles[role].holds == "labels" and _varies_in_ratings(roles[role], item, rater)
    }
    roles = {role: column for role, column in roles.items() if role not in answering}
    reserved = reserved | reserved_indices(roles)
    labels = [
        column
        for column in table.columns
        if (column.holds == "labels" or of_same_classes(table, column) or table.numbers_options(column))
        and column.at not in reserved
        and column.plain not in ITEM_PARTS
        and share_distinct((column, rater, *table.parts)) < UNIQUE
        and (column.is_constant or not is_constant_within(column, (rater,)))
        and not _is_criterion(column, rater, table)
        and not _is_of_design(column, table, roles, rater)
    ]
    return [
        column
        for column in labels
        if (column.is_full and (not column.is_constant or _is_only_answer(column, table, named_label)))
        or any(
            column.values & other.values and not other.is_constant for other in labels if other is not column
        )
    ]


def _varies_in_ratings(column: Column, item: Column, rater: Column) -> bool:
    """Return True where a column differs within items that raters met once each, as no topic does."""
    are_shared = not item.names_rows and share_distinct((item, rater)) >= UNIQUE
    return varies_within(column, item) or (are_shared and not is_constant_within(column, [item]))


def _holds_no_points(column: Column) -> bool:
    """Return True for labels without a number, of which none is known as a point of a scale."""
    return (
        column.holds == "labels"
        and not column.is_constant
        and not points_of(column.values)
        and not any(map(_DIGIT.search, column.values))
    )


def _is_criterion(column: Column, rater: Column, table: TableProfile) -> bool:
    """Return True for labels such as criteria, all of which each rater has once for each of other labels, beside a
    further column that may hold the answers, as it repeats within raters."""
    repeating = [
        other
        for other in table.columns
        if other not in (column, rater)
        and (other.holds in ("labels", "words") or other.may_be_scale)
        and share_distinct((other, rater, *table.parts)) < UNIQUE
    ]
    return (
        column.is_full
        and len(repeating) > 1
        and any(
            share_distinct((other, column, rater, *table.parts)) == 1
            and len({*zip(other.cells, rater.cells, strict=True)}) * len(column.values) == table.rows
            for other in repeating
            if other.holds == "labels" and other.is_full
        )
    )


def _is_only_answer(column: Column, table: TableProfile, named_answer: Column | None) -> bool:
    """Return True where a table holds items, raters and these answers only, which may be equal in the first rows."""
    has_only_answer = len(table.columns) == 3 and column.is_constant and column.holds == "labels"
    return has_only_answer and (column is named_answer or not table.sniffed.header)


def of_same_classes(table: TableProfile, answer: Column) -> list[Column]:
    """Return the columns of the same whole numbers as the answers in a table without a header, where they may be true
    classes."""
    if table.sniffed.header or answer.holds != "numbers" or len(answer.values) > MOST_LABELS:
        return []
    return [
        column
        for column in table.columns
        if column is not answer
        and column.is_full
        and column.values <= answer.values
        and len(column.values) > 1
    ]


def are_classes(table: TableProfile, answer: Column) -> bool:
    """Return True where numbers are named as labels and count from 0, or are the values of all gold answers."""
    if answer.holds != "numbers" or answer.plain not in (*LABELS, "response"):
        return False
    gold = table.roles(CHOICES).get("gold")
    has_all_classes = (
        gold is not None and gold.points == answer.points and (len(answer.points) == 2 or gold.is_full)
    )
    counted = answer.points == {*range(len(answer.points))} != {*range(_OF_TEN)}
    return has_all_classes or counted


def others_may_be_rated(
    table: TableProfile, roles: Mapping[str, Column], answers: Sequence[Column], keys: Sequence[Column]
) -> list[Column]:
    """Return further columns that differ within items and raters as ratings do, by their values alone."""
    reserved = reserved_indices(roles) | {column.at for column in (*answers, *keys)}
    return [
        column
        for column in table.columns
        if column.at not in reserved
        and column.may_be_scale
        and column.plain not in REPEATS
        and not is_time(column)
        and not column.plain.endswith(tuple(SURENESS))  # of the answer
        and not _numbers_order(column, keys[0])
        and not column.is_constant
        and column.in_steps == answers[0].in_steps
        and not is_constant_within(column, keys[:1])
        and not is_constant_within(column, keys[1:])
    ]


def is_on_scale_of(column: Column, columns: Sequence[Column]) -> bool:
    return any(share_scale(column, other) for other in columns) and (
        column.in_steps or column.holds == "words"
    )


def _are_of_a_test(answers: Sequence[Column], measure: Column, rater: Column) -> bool:
    """Return True for 0 and 1 of numbered questions by people who may have taken a test: possibly right and wrong
    answers to questions on each text."""
    marks = all(column.points <= {0, 1} for column in answers)
    is_taken_by_people = not _TAKERS.isdisjoint(tokens_of(rater.name)) and measure.plain not in _CRITERIA
    return marks and is_taken_by_people and look_like_items(sorted(measure.values)) >= LIKE


def _is_as_exact(column: Column, measures: Sequence[Column]) -> bool:
    """Return True for a measure whose numbers lie on the scale of others that all have fractions, with as many digits
    after the mark, and are as far apart as theirs."""
    digits = {measure.digits for measure in (column, *measures)}
    if len(digits) != 1 or 0 in digits or not any(share_scale(column, measure) for measure in measures):
        return False
    ranges = [measure.high - measure.low for measure in measures]
    return (1 - _NEAR) * min(ranges) <= column.high - column.low <= (1 + _NEAR) * max(ranges)


def _measures_by_numbers(answers: Sequence[Column]) -> list[str]:
    """Return the names of answers with fractions that are no words for measures, beside those that are."""
    judged = [column for column in answers if look_like_measures([column.name]) > 0]
    return (
        [column.name for column in answers if column not in judged and not column.in_steps] if judged else []
    )


def mapping_of_answers(kind: Kind, answers: Sequence[Column]) -> dict[str, str | tuple[str, ...]]:
    if len(answers) == 1:
        return {kind.cells: answers[0].name}
    return {kind.cells: tuple(column.name for column in answers), "@form": "measure columns"}


_DIGIT = re.compile(r"\d")
_FEWEST_KEYS = 5
"""Columns of up to so many values may be labels, systems or groups as well as ids."""
_FEWEST_LEVELS, _MOST_COMPARED, _MET = 3, 20, 0.5
"""Values of columns that may be items and raters, columns that are compared for that, and the share of pairs of values
that must occur."""
_LONGEST_ID = 4
"""Digits of a number that identifies a rater everywhere."""
_MOST_REPEATS = 20
"""Rows for each pair of item and rater, above which two columns are no items and raters."""
_NO_PAIR = (
    "Preferences between two systems need the names of both in each row, in columns such as model_a and model_b, and "
    "the one that was preferred by its name or as A or B."
)
_TAKERS = frozenset(("participant", "subject", "student", "pupil", "learner", "person", "respondent"))
"""Words in names of columns of those who take tests."""
_CRITERIA = frozenset(("criterion", "measure", "dimension", "aspect", "scale"))
"""Names of columns of measures, which are no questions of a test."""
_MOST_BESIDE_RANK = 4
"""Columns on one scale, of more than which a rank is no answer but the order of serving."""
_MOST_DIGITS = 5
"""Digits after the mark of numbers that nobody gave."""
_NEAR = 0.2
"""Part by which a measure's range may be narrower or wider than those of the others."""
_RETURNING = 10
"""Rows, on average, with the same numbers in all columns, which are no chance."""
_MOST_OPPOSITES = 2
"""Words such as yes and no, which are labels even where they are called votes."""
_IN_DOUBT = 0.35
"""Doubts about raters whose column may hold answers."""
_OF_TEN = 11
"""Points of a scale from 0 to 10, which are no classes."""
LONG, MEASURES_BESIDE = "one row per rating", "one column per measure"
NOBODY = "ratings by unnamed raters"


def read_long(table: TableProfile, kind: Kind) -> Iterator[Reading]:
    """Yield the readings with a column of raters whose names return."""
    roles = table.roles(kind)
    reserved = {column.at for column in roles.values()}
    is_unnamed = "rater_id" not in roles and "item_id" not in roles
    crossed = _find_crossed_columns(table, reserved) if is_unnamed else None
    readings = list(_read_crossed_columns(table, kind, roles, crossed))
    readings = readings or list(_read_with_raters(table, kind, roles))
    if not readings and is_unnamed:
        readings = list(_read_crossed_columns(table, kind, roles, _find_full_design(table, reserved)))
        in_steps = {column.name for column in table.columns if column.in_steps or column.holds != "numbers"}
        readings = [reading for reading in readings if in_steps.issuperset(reading.answers)]
    if not readings and "rater_id" not in roles and "item_id" in roles:
        readings = list(_read_beside_items(table, kind, roles))
    yield from readings


def _read_with_raters(table: TableProfile, kind: Kind, roles: Mapping[str, Column]) -> Iterator[Reading]:
    """Yield the readings of each column that may name the raters."""
    named_rater = roles.get("rater_id")
    for rater in raters_of(table, roles):
        if not rater.is_full and len(rater.filled) < 0.5 * table.rows:
            continue
        roles_of_rater = (
            {**roles, "item_id": named_rater}
            if named_rater is not None and rater is not named_rater
            else roles
        )
        item, score = roles_of_rater.get("item_id"), roles.get("score") or roles.get("choice")
        judged = [
            column
            for column in table.columns
            if column.may_be_scale and look_like_measures([column.name]) > 0
        ]
        is_rated = score is not None or len(judged) > 1
        is_short = item is not None and is_rated and not (item.names_rows and table.rows > 1)
        if rater.names_rows and not is_short:
            continue
        yield from _read_with_rater(table, kind, roles_of_rater, rater, named_rater is not None)


def raters_of(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the column named as that of raters, else the one whose values look like people, else the ids that meet
    each item once."""
    item = roles.get("item_id")
    if "rater_id" in roles:
        rater = roles["rater_id"]
        both = item is not None and may_be_rated(rater.name) and may_be_rated(item.name)
        both = both and item is not _find_item_in_questions(table)
        return [rater, item] if both and item is not None and not table.holds_only_grades else [rater]
    reserved = {*table.sets, *(column.at for column in roles.values())}
    people = find_people_column(
        column
        for column in table.columns
        if column.at not in reserved
        and not column.names_rows
        and not is_about(column.name)
        and (item is None or not is_constant_within(column, [item]))
        and not (item is not None and _are_codes_of_items(column, item, table))
    )
    ids = [
        column
        for column in table.columns
        if column.plain == "id" and item is not None and are_crossed(column, item)
    ]
    return [people] if people is not None else ids


def _are_codes_of_items(column: Column, item: Column, table: TableProfile) -> bool:
    """Return True for capital letters such as OA and RA beside items of one row each: diagnoses, and no initials."""
    return (
        item.names_rows
        and all(map(is_abbreviation, column.values))
        and not only_counts_rows(item, column, table)
    )


def _read_crossed_columns(
    table: TableProfile, kind: Kind, roles: Mapping[str, Column], crossed: tuple[Column, Column] | None
) -> Iterator[Reading]:
    """Yield the readings of two columns that cross and that no header names: either may be the items, the other then
    the raters."""
    if crossed is None:
        return
    first, second = crossed
    people = look_like_people(sorted(second.values)) >= LIKE and look_like_people(sorted(first.values)) < 0.5
    people |= look_like_items(sorted(first.values)) >= 0.5 > look_like_items(sorted(second.values))
    labeled = [column for column in crossed if _has_true_classes(column, table)]
    doubtful = share_titled(sorted(second.values)) >= 0.5  # as characters of books are
    doubtful |= min(len(first.values), len(second.values)) <= _FEWEST_KEYS
    likely = "there are fewer of these than of the items"
    if people:
        likely = f'"{second.filled[0]}" looks more like a person than "{first.filled[0]}"'
    for item, rater, evidence, reason in (
        (first, second, 0.85 if people and not doubtful else ASKED, likely),
        (second, first, 0.1 if people and not doubtful else 0.5, "the other way round"),
    ):
        if len(labeled) == 1 and item is not labeled[0] and not doubtful:
            continue
        evidence = 0.9 if labeled and not doubtful else evidence
        note = (
            f'No header names the items and raters; judged by the values, "{item.name}" is taken for the item and '
            f'"{rater.name}" for the rater ({reason}). Check this.'
        )
        for reading in _read_with_rater(table, kind, {**roles, "item_id": item}, rater, True):
            if reading.mapping["item_id"] != item.name or look_like_raters([*reading.answers]) >= LIKE:
                continue
            yield replace(reading, evidence=min(reading.evidence, evidence), notes=(note, *reading.notes))


def _read_beside_items(table: TableProfile, kind: Kind, roles: Mapping[str, Column]) -> Iterator[Reading]:
    """Yield two readings of the only labels or whole numbers that occur once with each item, or with some of the items,
    where no column is called or looks like that of raters: they may be the raters, or a part of what was rated."""
    item = roles["item_id"]
    reserved = {column.at for column in roles.values()}
    candidates = [
        column
        for column in table.columns
        if column.at not in reserved
        and (column.holds in ("labels", "texts") or _are_ids(column))
        and len(column.values) >= _FEWEST_LEVELS
        and not is_about(column.name)
        and _meets_once(column, item)
    ]
    if len(candidates) != 1 or raters_of(table, roles) or kind is not RATINGS:
        return
    (rater,) = candidates
    for reading in _read_with_rater(table, kind, roles, rater, True):
        if look_like_raters([*reading.answers]) >= LIKE:
            continue
        times = "once" if are_crossed(rater, item) else "at most once"
        note = f'"{rater.name}" is taken for the rater: each of its values occurs {times} with each item. Check this.'
        yield replace(reading, evidence=min(reading.evidence, ASKED), notes=(note, *reading.notes))
        note = f'"{rater.name}" is taken for a part of what was rated, and nobody is named who rated.'
        key = {"item_id": source_of((item, rater)), "rater_id": SLOT, "@raters": "slots"}
        yield Reading(kind.name, NOBODY, {**reading.mapping, **key}, 0.5, (note,), 1, table.rows)


def _find_crossed_columns(table: TableProfile, reserved: set[int]) -> tuple[Column, Column] | None:
    """Return the only two columns whose many values return from row to row, neither the same within the other: the one
    of people last, else the one of fewer values. None where more columns may be ids: a session is no rater."""
    keys = [
        column
        for column in table.columns
        if column.at not in reserved
        and column.is_full
        and _FEWEST_KEYS < len(column.values) <= len(column.cells) / 2
        and (
            column.holds in ("labels", "texts")
            or column.leading
            or (len(column.points) > MOST_LABELS and all(map(str.isdecimal, column.values)))  # ids
        )
    ]
    people = [column for column in keys if look_like_people(sorted(column.values)) >= 0.5]
    labeled = [column for column in keys if column not in people and _has_true_classes(column, table)]
    keys = [*labeled, *people] if len(labeled) == len(people) == 1 else keys  # beside seconds, perhaps
    if len(keys) != 2 or any(
        is_constant_within(column, [keys[1 - index]]) for index, column in enumerate(keys)
    ):
        return None
    first, second = sorted(keys, key=lambda column: -len(column.values))
    if len(first.values) * len(second.values) < table.rows / _MOST_REPEATS:
        return None
    return (second, first) if people == [first] else (first, second)


def _find_full_design(table: TableProfile, reserved: set[int]) -> tuple[Column, Column] | None:
    """Return two columns of which most pairs of values occur, each in one row: the one with more values first.

    None if there is no such pair of columns, or more than one. At least one holds words; beside one of numbers nearly
    all pairs must occur.
    """
    candidates = [
        column
        for column in table.columns
        if column.at not in reserved
        and column.is_full
        and _FEWEST_LEVELS <= len(column.values) <= len(column.cells) / 2
        and (column.holds in ("labels", "texts") or (_are_ids(column) and not is_about(column.name)))
        and look_like_measures(sorted(column.values)) < LIKE
    ]
    pairs = [
        (one, other)
        for one, other in combinations(candidates[:_MOST_COMPARED], 2)
        if share_distinct((one, other)) == 1
        and (numbered := _are_ids(one) + _are_ids(other)) < 2
        and table.rows >= (CROSSED if numbered else _MET) * len(one.values) * len(other.values)
    ]
    if len(pairs) != 1:
        return None
    first, second = pairs[0]
    return (first, second) if len(first.values) >= len(second.values) else (second, first)


def _words_name_items(table: TableProfile, rater: Column) -> bool:
    """Return True where a column of words tells the rows of each rater apart."""
    words = [
        column for column in table.columns if column.holds in ("labels", "texts") and column is not rater
    ]
    return any(share_distinct((column, rater)) == 1 for column in words)


def _find_item_numbers(table: TableProfile, rater: Column) -> Column | None:
    """Return the first column of whole numbers that occur once per rater, where no words do: they number the items."""
    if not rater.is_full or _words_name_items(table, rater):
        return None
    numbers = [column for column in table.columns if _are_ids(column) and not is_called_answer(column.name)]
    return next((column for column in numbers if _meets_once(column, rater)), None)


def _are_numbered(column: Column) -> bool:
    """Return True for values that a word and a short number make, or the number alone."""
    split = [*map(stem_and_number, column.values)]
    return len({stem for stem, _ in split}) == 1 and all(
        number.isdecimal() and len(number) < _LONGEST_ID for _, number in split
    )


def _are_ids(column: Column) -> bool:
    return column.holds == "numbers" and column.is_full and all(map(str.isdecimal, column.values))


def _has_true_classes(column: Column, table: TableProfile) -> bool:
    """Return True where a column of the same classes as another tells one for each value, as truths of items do."""
    return any(
        is_constant_within(truth, [column])
        for answer in table.columns
        for truth in of_same_classes(table, answer)
        if not is_constant_within(answer, [column])
    )


def _is_only_item(column: Column, rater: Column, table: TableProfile) -> bool:
    """Return True for a column such as question that tells all rows of a rater apart."""
    return is_called_item(column.name) and share_distinct((column, rater, *table.parts)) >= UNIQUE


def _read_with_rater(
    table: TableProfile, kind: Kind, roles: Mapping[str, Column], rater: Column, is_named: bool
) -> Iterator[Reading]:
    measure = roles.get("measure") if kind is RATINGS else roles.get("design")
    whole = roles.get("item_id", roles.get("topic"))
    if (
        measure is not None
        and measure.plain not in _CRITERIA
        and whole is not None
        and (len(measure.values) > len(whole.values) or is_constant_within(whole, [measure]))
    ):  # a part of it
        roles = {"item_id": measure, **{role: column for role, column in roles.items() if role != "measure"}}
        measure = None
    answers = find_answers(table, kind, roles, rater)
    if not answers:
        return
    reserved = {column.at for column in answers} | {rater.at}
    if measure is not None and (len(answers) > 1 or measure.at in reserved or not measure.is_full):
        measure = None
    key = find_item_key(table, roles, rater, measure, reserved)
    if not key.columns and measure is not None and _is_only_item(measure, rater, table):
        roles, measure = {**roles, "item_id": measure}, None
        key = find_item_key(table, roles, rater, measure, reserved)
    graders = [column.name for column in answers if not is_grade(column.name)]  # Mark is a name, too
    are_graders = look_like_raters(graders) >= LIKE and not all(map(is_model, graders))
    are_graders = are_graders and not (len(graders) == 1 and is_abbreviation(graders[0]))
    are_slots = len(graders) > 1 and all(map(is_slot, graders))  # marks of judges J1 and J2
    are_slots = are_slots and table.roles(kind).get("rater_id") is not rater
    if not key.columns or (may_be_rated(rater.name) and are_graders) or are_slots:
        return
    if not is_named and len(key.columns) > 1 and key.doubt:
        return
    named_answer = roles.get(kind.cells)
    remaining = [column for column in answers if column not in key.columns]
    varying = [
        column
        for column in remaining
        if not column.is_constant and not is_constant_within(column, key.columns)
    ]
    agreed = [  # by all raters, perhaps; else these are means
        column
        for column in remaining
        if varying
        and look_like_measures([column.name]) > 0
        and (column.in_steps or column.holds != "numbers")
    ]
    answers = [column for column in remaining if column in varying or column in agreed]
    total = find_computed(answers)
    answers = [column for column in answers if column is not total]
    places = [column for column in answers if column.plain in RANK and len(answers) > 2]
    answers = [column for column in answers if column not in places]
    answers = answers or [
        column
        for column in remaining
        if (column is named_answer and kind is RATINGS and column.plain in RATING_NAMES)
        or (kind is CHOICES and _is_only_answer(column, table, named_answer))
    ]
    if not answers:
        return
    others = others_may_be_rated(table, roles, answers, (rater, *key.columns)) if kind is RATINGS else []
    evidence = (0.97 if is_named else 0.85) - key.doubt
    if kind is RATINGS and are_classes(table, answers[0]):
        evidence -= 0.02
    evidence -= _IN_DOUBT if table.may_answer(rater, roles) else 0
    if named_answer not in answers and look_like_measures([column.name for column in answers]) < LIKE:
        evidence -= 0.05 if kind is RATINGS or len(answers) == 1 else 0.15
        is_single_rating = kind is RATINGS and len(answers) == 1
        evidence -= 0.5 if is_single_rating and others else 0
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": source_of(key.columns), "rater_id": rater.name}
    notes = key.notes
    rated_once = len(key.columns) == 1 and key.columns[0].names_rows and table.rows > 1
    rated: tuple[Column, ...] = ()  # instead, perhaps, and then nobody is named who rated
    if rated_once and table.may_be_rated_instead(rater, key.columns):
        rated = (rater,)
        notes += (f'Each "{key.columns[0].name}" has one row, so "{rater.name}" may say who was rated.',)
    elif table.may_be_companies(rater):
        rated = (*key.columns, rater)
        notes += (f'"{rater.name}" may name companies, and then nobody is named who rated.',)
    evidence = min(evidence, LIKE) if rated else evidence
    if total is not None:
        notes += (f"Not used: {listed([total.name])}, as computed from the others.",)
    if places:
        names = listed([column.name for column in places])
        notes += (f"Not used: {names}, which may be the order in which the items came.",)
    unused = [column.name for column in others if column is not total and not column.in_steps]
    if unused:
        notes += (f"Not used: {listed(unused)}.",)
    is_preference = kind is CHOICES and named_answer in answers and named_answer.plain.startswith(PREFERENCES)
    if is_preference and named_answer is not None and not table.numbers_options(named_answer):
        evidence = 0.5
        notes = (_NO_PAIR, *notes)
    is_pair = kind is CHOICES and {"option_a", "option_b"} <= roles.keys()
    are_words = kind is CHOICES and not is_pair and answers[0].plain in RATING_NAMES
    if are_words and len(answers[0].values) > _MOST_OPPOSITES:
        evidence = min(evidence, ASKED)
        notes = (
            f'The words in "{answers[0].name}" are on no scale that is known here: taken for labels.',
            *notes,
        )
    truth = [
        column for column in of_same_classes(table, answers[0]) if is_constant_within(column, key.columns)
    ]
    if truth and len(answers) == 1:
        evidence -= 0.4 if kind is RATINGS else 0
        mapping |= {"gold": truth[0].name} if kind is CHOICES else {}
    if not is_named:
        notes += (
            f'"{rater.name}" is taken for the rater: its values look like people ("{rater.filled[0]}").',
        )
        numbers_items = not {"item_id", kind.cells} & roles.keys() and all(map(_are_ids, key.columns))
        evidence = min(evidence, ASKED) if numbers_items else evidence  # strokes of golfers on holes, perhaps
    if key.columns[0] in table.inferred_items:
        evidence -= 0.1
        note = f'"{key.columns[0].name}" is taken for the item: other columns are the same in all its rows.'
        notes += (f"{note} Check this.",)
    mapping |= mapping_of_answers(kind, answers)
    if len(answers) > 1:
        examples = list_first([column.name for column in answers])
        meaning = "measure" if kind is RATINGS else "question"
        notes += (f"{len(answers)} columns hold answers ({examples}): one column per {meaning}.",)
        guessed = _measures_by_numbers(answers) if kind is RATINGS else []
        if guessed:
            ending = "are taken for measures" if len(guessed) > 1 else "is taken for a measure"
            notes += (f"{listed(guessed)} {ending}, by the numbers alone.",)
    elif answers[0] is not named_answer:
        beginning = f'"{answers[0].name}" is taken for the {kind.row}'
        is_place = named_answer is not None and named_answer.plain == "rank"
        reason = (
            '"rank" may be a place in a list'
            if is_place
            else "nothing says that the others are ratings"
            if unused
            else f"no other column seems to hold {kind.rows}"
        )
        notes += (f"{beginning}: {reason}.",)
    if measure is not None:
        mapping["measure" if kind is RATINGS else "design"] = measure.name
    if is_pair:
        mapping |= {role: roles[role].name for role in ("option_a", "option_b")}
    for page, system in table.stimuli if kind is RATINGS else ():
        mapping |= {"system": system.name, "topic": page.name}
    made_by = find_system(table, roles, key.columns, rater) if kind is RATINGS and not table.stimuli else None
    if made_by is not None:
        mapping["system"] = made_by.name
        notes += (f'"{made_by.name}" is taken for the system: most items have several of its values.',)
    layout = LONG if len(answers) == 1 else MEASURES_BESIDE
    items = len(set(zip(*(column.cells for column in key.columns), strict=True)))
    reading = Reading(kind.name, layout, mapping, evidence, notes, len(rater.values), items)
    yield reading
    group = next((column for column in key.columns if column.plain == "source"), None)
    rest = [column for column in key.columns if column is not group]
    if group is not None and varies_in_items(group, rest) and _are_numbered(rater):  # in each group, perhaps
        items = len({*zip(*(column.cells for column in rest), strict=True)})
        mapping = {role: source for role, source in mapping.items() if source != group.name}
        mapping |= {"item_id": source_of(rest), "rater_group": group.name}
        raters = len({*zip(rater.cells, group.cells, strict=True)})
        note = f'"{group.name}" is taken for groups of raters, who are numbered in each.'
        yield replace(reading, mapping=mapping, notes=(*key.notes, note), items=items, raters=raters)
    if key.or_only:
        note = f'"{key.columns[-1].name}" is taken for no part of the item.'
        items = len(set(zip(*(column.cells for column in key.or_only), strict=True)))
        mapping = {**mapping, "item_id": source_of(key.or_only)}
        mapping.pop("system", None)
        yield replace(
            reading, mapping=mapping, evidence=evidence - 0.05, notes=(*reading.notes, note), items=items
        )
    if rated:
        rows = Counter(zip(*(column.cells for column in rated), strict=True))
        mapping = {**mapping, "item_id": source_of(rated), "rater_id": SLOT, "@raters": "slots"}
        yield replace(reading, layout=NOBODY, mapping=mapping, raters=max(rows.values()), items=len(rows))
        return
    if kind is RATINGS and measure is not None and _are_of_a_test(answers, measure, rater):
        questions = (*key.columns, measure)
        mapping = {role: source for role, source in mapping.items() if role != "measure"}
        mapping["item_id"] = source_of(questions)
        names = listed([column.name for column in questions])
        note = f"The item is made of {names}, so each question is a separate item."
        items = len(set(zip(*(column.cells for column in questions), strict=True)))
        yield replace(reading, mapping=mapping, notes=(*notes, note), items=items)


def read_without_rater(table: TableProfile, kind: Kind, has_parts: bool) -> Iterator[Reading]:
    """Yield the reading of a table that names items several times and no raters."""
    roles = table.roles(kind)
    item = roles.get("item_id")
    if item is None:
        item = _find_item_of_parts(table, roles) if has_parts else _find_item_in_questions(table)
    if (
        "rater_id" in roles
        or item is None
        or item.is_constant
        or (kind is CHOICES and kind.cells not in roles)
    ):
        return
    if any(column.plain in RATER and 0 < len(column.filled) < len(column.cells) for column in table.columns):
        return  # raters of blocks of rows, perhaps
    system = roles.get("system")
    of_systems = system is not None and system is not item and varies_within(system, item)
    key = (item, system) if system is not None and of_systems else (item,)
    if has_parts and not table.tells_rows_apart(key):
        wider = [
            (*key, column) for column in table.columns if is_called_item(column.name) and column not in key
        ]
        key = next((key for key in wider if table.tells_rows_apart(key)), key)
    reserved = reserved_indices(roles) | {item.at}
    answers = find_answers(table, kind, roles, item)
    answers = [column for column in answers if not _may_be_codes(column, key, roles.get(kind.cells))]
    if all(column.is_constant for column in answers):  # marks, such as x
        return
    if kind is RATINGS and _are_known_together(answers):
        return
    measure = roles.get("measure") if kind is RATINGS and len(answers) == 1 else None
    measure = measure if measure is not None and measure.is_full else None
    agreed = [  # by all raters of an item, perhaps
        column
        for column in table.columns
        if kind is RATINGS
        and column.may_be_scale
        and column.at not in reserved
        and look_like_measures([column.name]) > 0
        and is_on_scale_of(column, answers)
    ]
    answers = [column for column in table.columns if column in answers or column in agreed]
    unknown = [
        column
        for column in table.columns
        if column.at not in reserved | {column.at for column in answers}
        and column is not measure
        and (
            column.holds in ("labels", "texts")
            or (_are_ids(column) and share_distinct((*key, column)) == 1 and not is_about(column.name))
        )
        and column.is_full
        and 1 < len(column.values) < len(column.cells)
        and not is_constant_within(column, key)
    ]
    answered = [any(cells) for cells in zip(*(column.cells for column in answers), strict=True)]
    rated = key if measure is None else (*key, measure)

    def count_rows(columns: Sequence[Column]) -> Counter[tuple[str, ...]]:
        return Counter(compress(zip(*(column.cells for column in columns), strict=True), answered))

    def are_repeated(rows: Counter[tuple[str, ...]]) -> bool:
        return len(rows) * 1.5 <= rows.total()

    def may_be_rater(column: Column) -> bool:
        """Return True where each value has about one rating of an item, or the same number of each, or names people."""
        rows = count_rows((*rated, column))
        are_people = look_like_people(sorted(column.values)) >= 0.5
        return are_people or not are_repeated(rows) or len({*rows.values()}) == 1

    rows = count_rows(rated)
    repeated = are_repeated(rows)
    # else these are means
    if of_systems and all(column.in_steps or column.holds == "words" for column in answers):
        repeated = len(item.values) * 1.5 <= len(item.filled)
    if (
        len(rows) == table.rows
        and len(answers) > 1
        and look_like_measures([column.name for column in answers]) == 0
    ):
        return  # one row per item, with a column for each rater perhaps
    if (
        any(may_be_rater(column) for column in unknown)
        or not repeated
        or all(is_constant_within(column, (item,)) for column in answers)
    ) and not has_parts:
        return
    source = source_of(key)
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": source, **mapping_of_answers(kind, answers)}
    mapping |= {"measure": measure.name} if measure is not None else {}
    items = len({cells[: len(key)] for cells in rows})
    if has_parts:
        yield Reading(kind.name, NOBODY, mapping, 0.8, (), 0, items)
        return
    mapping |= {"rater_id": SLOT, "@raters": "slots"}
    note = (
        "No column names the raters: the ratings of an item are numbered, and nothing is said about persons."
    )
    if item is not roles.get("item_id"):
        note = f'"{item.name}" is taken for the item, as the questions name it. {note}'
    may_be_computed = any(not column.in_steps and column.digits > 1 for column in answers)
    evidence = ASKED if unknown or may_be_computed else 0.9
    yield Reading(kind.name, NOBODY, mapping, evidence, (note,), max(rows.values()), items)


def _are_known_together(answers: Sequence[Column]) -> bool:
    """Return True for several columns of numbers with two decimals or more of which the same rows come again, so that
    one nearly tells the others: norms of pictures, and no ratings."""
    rows = Counter(zip(*(column.cells for column in answers), strict=True))
    are_fine = len(answers) > 1 and all(column.digits > 1 and not column.in_steps for column in answers)
    most = max((len(column.values) for column in answers), default=0)
    return are_fine and len(rows) < 2 * most and _RETURNING * len(rows) <= rows.total()


def _meets_once(column: Column, item: Column) -> bool:
    """Return True where values that return, as do the items, meet each item at most once."""
    rows = len(column.cells)
    returns = _FEWEST_LEVELS * len(column.values) <= rows >= 1.5 * len(item.values)
    return are_crossed(column, item) or (column.is_full and returns and share_distinct((column, item)) == 1)


def _may_be_codes(column: Column, key: Sequence[Column], named_answer: Column | None) -> bool:
    """Return True for whole numbers without a known name that differ between all rows of an item: raters, perhaps."""
    is_called = (
        column is named_answer or is_called_answer(column.name) or look_like_measures([column.name]) > 0
    )
    return (
        not is_called
        and _are_ids(column)
        and len(column.cells) >= _FEWEST_LEVELS * len(column.values)
        and share_distinct((*key, column)) == 1
    )


def _find_item_in_questions(table: TableProfile) -> Column | None:
    """Return the column of labels whose name stands in most questions, such as that of teachers above "How clear is the
    teacher?"."""
    questions = [
        words for column in table.columns if column.may_be_scale and len(words := words_of(column.name)) > 2
    ]
    candidates = [
        column
        for column in table.columns
        if column.holds == "labels"
        and column.is_full
        and 1.5 * len(column.values) <= len(column.cells)
        and 2 * sum(column.plain in words for words in questions) > len(questions) > 1
    ]
    return candidates[0] if len(candidates) == 1 else None


def _find_item_of_parts(table: TableProfile, roles: Mapping[str, Column]) -> Column | None:
    """Return the column whose values name the rows of each file or sheet, and return in the others."""
    reserved = reserved_indices(roles, ("score",))
    candidates = [
        column
        for column in table.columns
        if column.at not in reserved
        and not is_about(column.name)
        and table.tells_rows_apart((column,))
        and 1.5 * len(column.values) <= len(column.cells)
    ]
    return candidates[0] if candidates else None
