"""Readings of a table with one row per rating, or per item and rater, whoever names the raters."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

from data.dataset import SLOT
from data.errors import listed
from data.kinds.kind import PREFERENCES, RATER, Kind
from data.kinds.likely_names import (
    ITEM_PARTS,
    STRICT,
    is_abbreviation,
    is_about,
    is_called_answer,
    is_called_item,
    is_grade,
    is_model,
    look_like_items,
    look_like_measures,
    look_like_people,
    look_like_raters,
    may_be_rated,
    share_titled,
    tokens_of,
)
from data.kinds.studies import CHOICES, LABEL_SETS, RATINGS
from data.mapping.likely_kind import LABELS
from data.mapping.values import SAID
from data.reading.columns import MOST_LABELS, Column, largest_group
from data.reading.item_key import REPEATS, SETS, UNIQUE, find_item_key, only_counts_rows
from data.reading.item_means import is_mean_of
from data.reading.profile import (
    LIKE,
    SHORT_NAME,
    TableProfile,
    are_crossed,
    find_computed,
    is_constant_within,
    may_be_answer,
    only_people,
    reserved_places,
    share_distinct,
    share_scale,
    source_of,
    varies_within,
)
from data.reading.rankings import words_of
from data.tables.sniffed import Reading


def find_answers(table: TableProfile, kind: Kind, roles: Mapping[str, Column], rater: Column) -> list[Column]:
    """Return the columns of ratings, or of labels, that differ within raters."""
    named = roles.get(kind.cells)
    judged = [one for one in table.columns if one.may_be_scale and look_like_measures([one.name]) > 0]
    if named is not None and named.plain == "rank" and any("relevan" in one.plain for one in judged):
        named = None  # of what a search found
    reserved = {rater.at} | reserved_places(roles, ("item_id",))
    item = roles.get("item_id")
    if kind is LABEL_SETS:
        return _sets(table, named, reserved)
    if kind is CHOICES:
        if named is not None and named.plain in ("response", "answer") and item not in (None, named):
            named = None if _is_text_of(item, named) else named
        return [] if judged and named is None else _labels(table, named, reserved, rater)
    short = [one for one in table.columns if is_abbreviation(one.name) and one.may_be_scale]
    short = [one for one in short if not one.is_constant and one.at not in reserved]
    if len(short) < 3 or not all(share_scale(one, short[0]) for one in short):  # NR, of OQ, GR and FO
        short = []
    able = [
        one
        for one in table.columns
        if one.may_be_scale
        and one.at not in reserved
        and not table.numbers_options(one)
        and (one is named or may_be_answer(one) or one in short)
        and (one is named or one.is_constant or not is_constant_within(one, (rater,)))
        and (one is named or any(answer and who for answer, who in zip(one.cells, rater.cells, strict=True)))
    ]
    able = [
        one for one in able if one is named or not (table.sniffed.header and _UNNAMED.fullmatch(one.name))
    ]
    able = [one for one in able if one.plain not in SETS and not _says_when(one, item, rater, table)] or able
    parts = [one for one in able if one is not named and one.in_steps]
    if named is not None and named in able and not named.in_steps and len(parts) > 1:
        is_computed = is_mean_of(named.cells, [one.cells for one in parts])
        named, able = (None, parts) if is_computed else (named, able)
    if named is not None and named not in able and named.holds in ("numbers", "words"):
        able = [named, *able]
    if named is None and not able and item is not None:  # agreement with statements
        able = [one for one in table.columns if one.plain == "agreement" and one.may_be_scale]
        able = [one for one in able if not any(is_constant_within(one, (key,)) for key in (rater, item))]
    if named is None and not able and item is not None:  # on no scale, as estimates of magnitude
        free = [one for one in table.columns if one.is_free and one.at not in reserved and one is not item]
        free = [one for one in free if not any(is_constant_within(one, (key,)) for key in (rater, item))]
        able = [one for one in free if may_be_answer(one)] if len(free) == 1 else []
    varying = [one for one in able if one is named or not one.is_constant]
    scales = [one.points for one in varying if one.points]
    judged = [one for one in able if look_like_measures([one.name]) > 0]

    def is_on_a_scale(one: Column) -> bool:  # a measure that got the same score every time
        return bool(one.points) and any(min(each) <= one.numbers[0] <= max(each) for each in scales)

    able = [one for one in able if one in varying or (one in judged and is_on_a_scale(one))]
    judged = [one for one in judged if one in able]
    if named is not None:  # beside the one that is called the rating, others are further measures
        strict = named.plain in STRICT
        sisters = [
            one
            for one in able
            if one is not named
            and (not strict or (one in judged and share_scale(one, named)))
            and (one in judged or (share_scale(one, named) and (one.in_steps or one.holds == "words")))
        ]
        sisters = sisters if 2 * sum(one in judged for one in sisters) >= len(sisters) else []
        return [one for one in able if one is named or one in sisters]
    begins = {one.name[:SHORT_NAME] for one in judged}
    if len(judged) > 1 and len(begins) == 1:  # leave out those that begin otherwise
        able = [one for one in able if one.name[:SHORT_NAME] in begins]
    if judged:
        alike = [one for one in able if one not in judged and _is_as_exact(one, judged)]
        alike = alike if 2 * len(alike) < len(judged) else []  # else these may be computed
        return [one for one in able if one in judged or one in alike or is_on_scale_of(one, judged)]
    stepped = [one for one in able if one.holds == "words" or one.in_steps] or able
    stepped = [one for one in stepped if is_called_answer(one.name)] or stepped
    best = largest_group(stepped, lambda one, first: one is first or share_scale(one, first))
    return best if len(best) == len(stepped) else []


def _says_when(one: Column, item: Column | None, rater: Column, table: TableProfile) -> bool:
    """Return True for a column such as day without which rows of an item and a rater agree, and with which none do.

    Where no column is called the item, it may be any of labels.
    """
    if one.plain not in REPEATS:
        return False
    unnamed = [
        each for each in table.columns if each.holds == "labels" and each.is_full and each is not rater
    ]
    keys = [(each, rater, *table.parts) for each in (unnamed if item is None else [item])]
    return any(share_distinct(key) < UNIQUE <= share_distinct((one, *key)) for key in keys)


def _is_text_of(item: Column | None, one: Column) -> bool:
    """Return True for a column such as the response of a system: the same for all who rated an item, and another one
    for nearly each item."""
    return item is not None and 2 * len(one.values) > len(item.values) and is_constant_within(one, (item,))


def _sets(table: TableProfile, named: Column | None, reserved: set[int]) -> list[Column]:
    """Return the columns of sets of labels with one separator, none beside others that are called ratings or labels."""
    able = [one for one in table.columns if one.at in table.sets and one.at not in reserved]
    choice = table.roles(CHOICES).get("choice")
    if (choice is not None and choice not in able) or "score" in table.roles(RATINGS):
        return []
    first = named if named is not None and named in able else able[0] if able else None
    return [one for one in able if first and table.sets[one.at].separator == table.sets[first.at].separator]


def _labels(table: TableProfile, named: Column | None, reserved: set[int], rater: Column) -> list[Column]:
    """Return the columns of labels that differ within raters: the one that is called so, else all."""
    if named is not None and named.plain in SAID:
        return []  # ratings in words that are not all known
    if named is not None and table.holds_sets(named):
        reserved = reserved | {named.at}  # beside the answers to each question, perhaps
    elif named is not None:
        is_label = named.holds in ("labels", "words")
        is_label |= named.holds == "numbers" and len(named.values) <= MOST_LABELS
        varies = not is_constant_within(named, (rater,)) or _is_only_answer(named, table, named)
        return [named] if is_label and varies else []
    reserved = reserved | reserved_places(table.roles(RATINGS))
    able = [
        one
        for one in table.columns
        if (one.holds == "labels" or of_same_classes(table, one) or table.numbers_options(one))
        and one.at not in reserved
        and one.plain not in ITEM_PARTS
        and share_distinct((one, rater, *table.parts)) < UNIQUE
        and (one.is_constant or not is_constant_within(one, (rater,)))
    ]
    return [
        one
        for one in able
        if (one.is_full and (not one.is_constant or _is_only_answer(one, table, named)))
        or any(one.values & other.values and not other.is_constant for other in able if other is not one)
    ]


def _is_only_answer(one: Column, table: TableProfile, named: Column | None) -> bool:
    """Return True where a table holds items, raters and these answers only, which may be alike in the first rows."""
    alike = len(table.columns) == 3 and one.is_constant and one.holds == "labels"
    return alike and (one is named or not table.sniffed.header)


def of_same_classes(table: TableProfile, answer: Column) -> list[Column]:
    """Return the columns of the same whole numbers as the answers in a table without a header, where they may be true
    classes."""
    if table.sniffed.header or answer.holds != "numbers" or len(answer.values) > MOST_LABELS:
        return []
    return [
        one
        for one in table.columns
        if one is not answer and one.is_full and one.values <= answer.values and len(one.values) > 1
    ]


def are_classes(table: TableProfile, answer: Column) -> bool:
    """Return True where numbers are called a label and count from 0, or are the values of all gold answers."""
    if answer.holds != "numbers" or answer.plain not in (*LABELS, "response"):
        return False
    gold = table.roles(CHOICES).get("gold")
    is_told = gold is not None and gold.points == answer.points and (len(answer.points) == 2 or gold.is_full)
    return is_told or answer.points == set(range(len(answer.points)))


def others_may_be_rated(
    table: TableProfile, roles: Mapping[str, Column], answers: Sequence[Column], keys: Sequence[Column]
) -> list[Column]:
    """Return further columns that differ within items and raters as ratings do, by their values alone."""
    taken = reserved_places(roles) | {one.at for one in (*answers, *keys)}
    return [
        one
        for one in table.columns
        if one.at not in taken
        and one.may_be_scale
        and not one.plain.endswith(("confidence", "certainty"))  # of the answer
        and not one.is_constant
        and one.in_steps == answers[0].in_steps
        and not is_constant_within(one, keys[:1])
        and not is_constant_within(one, keys[1:])
    ]


def is_on_scale_of(one: Column, others: Sequence[Column]) -> bool:
    return any(share_scale(one, other) for other in others) and (one.in_steps or one.holds == "words")


def _are_of_a_test(answers: Sequence[Column], measure: Column, rater: Column) -> bool:
    """Return True for 0 and 1 of numbered questions by who may have taken a test: right and wrong answers, perhaps, to
    questions on each text."""
    marks = all(one.points <= {0, 1} for one in answers)
    asked = not _TAKERS.isdisjoint(tokens_of(rater.name)) and measure.plain not in _CRITERIA
    return marks and asked and look_like_items(sorted(measure.values)) >= LIKE


def _is_as_exact(one: Column, others: Sequence[Column]) -> bool:
    """Return True for a measure whose numbers lie on the scale of others that all have fractions, with as many digits
    after the mark, and are as far apart as theirs."""
    digits = {_digits_of(other) for other in (one, *others)}
    if len(digits) != 1 or 0 in digits or not any(share_scale(one, other) for other in others):
        return False
    ranges = [other.high - other.low for other in others]
    return (1 - _NEAR) * min(ranges) <= one.high - one.low <= (1 + _NEAR) * max(ranges)


def _measures_by_numbers(answers: Sequence[Column]) -> list[str]:
    """Return the names of answers with fractions that say nothing of what was judged, beside those that do."""
    judged = [one for one in answers if look_like_measures([one.name]) > 0]
    return [one.name for one in answers if one not in judged and not one.in_steps] if judged else []


def _digits_of(one: Column) -> int:
    """Return how many digits stand after the mark of a column's numbers at most."""
    return max((len(cell.replace(",", ".").partition(".")[2]) for cell in one.values), default=0)


def mapping_of_answers(kind: Kind, answers: Sequence[Column]) -> dict[str, str | tuple[str, ...]]:
    if len(answers) == 1:
        return {kind.cells: answers[0].name}
    return {kind.cells: tuple(one.name for one in answers), "@form": "measure columns"}


_UNNAMED = re.compile(r"column \d+")
"""Name that a column without one gets, such as an index."""
_FEWEST_KEYS = 5
"""Columns of up to so many values may be labels, systems or groups as well as ids."""
_MOST_REPEATS = 20
"""Rows for each pair of item and rater, above which two columns are no items and raters."""
_NO_PAIR = (
    "Preferences between two systems need the names of both in each row, in columns such as model_a and model_b, and "
    "the one that was preferred by its name or as A or B."
)
_TAKERS = frozenset(("participant", "subject", "student", "pupil", "learner", "person", "respondent"))
"""Words in names of columns of those who take tests."""
_CRITERIA = frozenset(("criterion", "measure", "dimension", "aspect", "scale"))
"""Names of columns of what is judged, which are no questions of a test."""
_NEAR = 0.2
"""Part by which a measure's range may be narrower or wider than those of the others."""
_IN_DOUBT = 0.35
"""Doubts about raters whose column may hold answers."""
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
    for rater in raters_of(table, roles):
        if not rater.is_full and len(rater.filled) < 0.5 * table.rows:
            continue
        others = {**roles, "item_id": named} if named is not None and rater is not named else roles
        item, score = others.get("item_id"), roles.get("score") or roles.get("choice")
        judged = [one for one in table.columns if one.may_be_scale and look_like_measures([one.name]) > 0]
        is_rated = score is not None or len(judged) > 1
        is_short = item is not None and is_rated and not (item.names_rows and table.rows > 1)
        if rater.names_rows and not is_short:
            continue
        yield from _of_rater(table, kind, others, rater, named is not None)


def raters_of(table: TableProfile, roles: Mapping[str, Column]) -> list[Column]:
    """Return the column that is called that of the raters, else the one whose values look like people, else the ids of
    who met each item once."""
    item = roles.get("item_id")
    if "rater_id" in roles:
        rater = roles["rater_id"]
        both = item is not None and may_be_rated(rater.name) and may_be_rated(item.name)
        both = both and item is not _asked_about(table)
        return [rater, item] if both and item is not None and not table.holds_only_grades else [rater]
    taken = {*table.sets, *(one.at for one in roles.values())}
    only = only_people(
        one
        for one in table.columns
        if one.at not in taken
        and not one.names_rows
        and not is_about(one.name)
        and (item is None or not is_constant_within(one, [item]))
        and not (item is not None and _are_codes_of_items(one, item, table))
    )
    ids = [one for one in table.columns if one.plain == "id" and item is not None and are_crossed(one, item)]
    return [only] if only is not None else ids


def _are_codes_of_items(one: Column, item: Column, table: TableProfile) -> bool:
    """Return True for capital letters such as OA and RA beside items of one row each: diagnoses, and no initials."""
    return (
        item.names_rows and all(map(is_abbreviation, one.values)) and not only_counts_rows(item, one, table)
    )


def _crossed(table: TableProfile, kind: Kind, roles: Mapping[str, Column]) -> Iterator[Reading]:
    """Yield the readings of two columns whose values meet again and again, and that no header names."""
    crossing = _crossing(table, {one.at for one in roles.values()})
    if crossing is None:
        return
    first, second = crossing
    people = look_like_people(sorted(second.values)) >= 0.5 > look_like_people(sorted(first.values))
    people |= look_like_items(sorted(first.values)) >= 0.5 > look_like_items(sorted(second.values))
    labeled = [one for one in crossing if _has_true_classes(one, table)]
    likely = "there are fewer of these than of the items"
    titled = share_titled(sorted(second.values)) >= 0.5  # as characters of books are
    likely = f'"{second.filled[0]}" looks more like a person than "{first.filled[0]}"' if people else likely
    for item, rater, sure, why in (
        (first, second, 0.85 if people and not titled else 0.6, likely),
        (second, first, 0.1 if people and not titled else 0.5, "the other way round"),
    ):
        if len(labeled) == 1 and item is not labeled[0]:
            continue
        sure = 0.9 if labeled else sure
        note = (
            f'No header names the items and raters; judged by the values, "{item.name}" is taken for the item and '
            f'"{rater.name}" for the rater ({why}). Check this.'
        )
        for one in _of_rater(table, kind, {**roles, "item_id": item}, rater, True):
            if one.mapping["item_id"] != item.name or look_like_raters([*one.answers]) >= LIKE:
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
        and (
            one.holds in ("labels", "texts")
            or one.leading
            or (len(one.points) > MOST_LABELS and all(map(str.isdecimal, one.values)))  # ids
        )
    ]
    people = [one for one in keys if look_like_people(sorted(one.values)) >= 0.5]
    labeled = [one for one in keys if one not in people and _has_true_classes(one, table)]
    keys = [*labeled, *people] if len(labeled) == len(people) == 1 else keys  # beside seconds, perhaps
    if len(keys) != 2 or any(is_constant_within(one, [keys[1 - at]]) for at, one in enumerate(keys)):
        return None
    first, second = sorted(keys, key=lambda one: -len(one.values))
    if len(first.values) * len(second.values) < table.rows / _MOST_REPEATS:
        return None
    return (second, first) if people == [first] else (first, second)


def _has_true_classes(one: Column, table: TableProfile) -> bool:
    """Return True where a column of the same classes as another tells one for each value, as truths of items do."""
    return any(
        is_constant_within(truth, [one])
        for answer in table.columns
        for truth in of_same_classes(table, answer)
        if not is_constant_within(answer, [one])
    )


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
    graders = [one.name for one in answers if not is_grade(one.name)]  # Mark is a name, too
    are_graders = look_like_raters(graders) >= LIKE and not all(map(is_model, graders))
    if not key.columns or (may_be_rated(rater.name) and are_graders):
        return
    if not is_named and len(key.columns) > 1 and key.doubt:
        return
    named_answer = roles.get(kind.cells)
    left = [one for one in answers if one not in key.columns]
    varying = [one for one in left if not one.is_constant and not is_constant_within(one, key.columns)]
    agreed = [  # by all raters, perhaps; else these are means
        one
        for one in left
        if varying and look_like_measures([one.name]) > 0 and (one.in_steps or one.holds != "numbers")
    ]
    answers = [one for one in left if one in varying or one in agreed]
    total = find_computed(answers)
    answers = [one for one in answers if one is not total]
    answers = answers or [
        one
        for one in left
        if (one is named_answer and kind is RATINGS and one.plain in SAID)
        or (kind is CHOICES and _is_only_answer(one, table, named_answer))
    ]
    if not answers:
        return
    others = others_may_be_rated(table, roles, answers, (rater, *key.columns)) if kind is RATINGS else []
    sure = (0.97 if is_named else 0.85) - key.doubt
    if kind is RATINGS and are_classes(table, answers[0]):
        sure -= 0.02
    sure -= _IN_DOUBT if table.may_answer(rater, roles) else 0
    if named_answer not in answers and look_like_measures([one.name for one in answers]) < LIKE:
        sure -= 0.05 if kind is RATINGS or len(answers) == 1 else 0.15
        only = kind is RATINGS and len(answers) == 1
        sure -= 0.5 if only and others else 0
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
    sure = min(sure, LIKE) if rated else sure
    if total is not None:
        notes += (f"Not used: {listed([total.name])}, as computed from the others.",)
    unused = [one.name for one in others if one is not total and not one.in_steps]
    if unused:
        notes += (f"Not used: {listed(unused)}.",)
    if kind is CHOICES and named_answer in answers and named_answer.plain.startswith(PREFERENCES):
        sure = 0.5
        notes = (_NO_PAIR, *notes)
    truth = [one for one in of_same_classes(table, answers[0]) if is_constant_within(one, key.columns)]
    if truth and len(answers) == 1:
        sure -= 0.4 if kind is RATINGS else 0
        mapping |= {"gold": truth[0].name} if kind is CHOICES else {}
    if not is_named:
        notes += (
            f'"{rater.name}" is taken for the rater: its values look like people ("{rater.filled[0]}").',
        )
    if key.columns[0] in table.told_by_others:
        sure -= 0.1
        note = f'"{key.columns[0].name}" is taken for the item: other columns are the same in all its rows.'
        notes += (f"{note} Check this.",)
    mapping |= mapping_of_answers(kind, answers)
    if len(answers) > 1:
        shown = listed([one.name for one in answers[:3]]) + (" …" if len(answers) > 3 else "")
        each = "measure" if kind is RATINGS else "question"
        notes += (f"{len(answers)} columns hold answers ({shown}): one column per {each}.",)
        guessed = _measures_by_numbers(answers) if kind is RATINGS else []
        if guessed:
            called = "are taken for measures" if len(guessed) > 1 else "is taken for a measure"
            notes += (f"{listed(guessed)} {called}, by the numbers alone.",)
    elif answers[0] is not named_answer:
        what = f'"{answers[0].name}" is taken for the {kind.row}'
        is_place = named_answer is not None and named_answer.plain == "rank"
        why = (
            '"rank" may be a place in a list'
            if is_place
            else "nothing says that the others are ratings"
            if unused
            else "no other column varies within items and raters"
        )
        notes += (f"{what}: {why}.",)
    if measure is not None:
        mapping["measure" if kind is RATINGS else "design"] = measure.name
    for page, system in table.stimuli if kind is RATINGS else ():
        mapping |= {"system": system.name, "topic": page.name}
    layout = LONG if len(answers) == 1 else MEASURES_BESIDE
    items = len(set(zip(*(one.cells for one in key.columns), strict=True)))
    reading = Reading(kind.name, layout, mapping, sure, notes, len(rater.values), items)
    yield reading
    if rated:
        rows = Counter(zip(*(one.cells for one in rated), strict=True))
        mapping = {**mapping, "item_id": source_of(rated), "rater_id": SLOT, "@raters": "slots"}
        yield replace(reading, layout=NOBODY, mapping=mapping, raters=max(rows.values()), items=len(rows))
        return
    if kind is RATINGS and measure is not None and _are_of_a_test(answers, measure, rater):
        asked = (*key.columns, measure)
        mapping = {role: source for role, source in mapping.items() if role != "measure"}
        mapping["item_id"] = source_of(asked)
        note = (
            f"The item is made of {listed([one.name for one in asked])}, so each question is a separate item."
        )
        items = len(set(zip(*(one.cells for one in asked), strict=True)))
        yield replace(reading, mapping=mapping, notes=(*notes, note), items=items)


def read_without_rater(table: TableProfile, kind: Kind, several: bool) -> Iterator[Reading]:
    """Yield the reading of a table that names items several times and nobody who rated them."""
    roles = table.roles(kind)
    item = roles.get("item_id")
    if item is None:
        item = _item_of_parts(table, roles) if several else _asked_about(table)
    if (
        "rater_id" in roles
        or item is None
        or item.is_constant
        or (kind is CHOICES and kind.cells not in roles)
    ):
        return
    if any(one.plain in RATER and 0 < len(one.filled) < len(one.cells) for one in table.columns):
        return  # raters of blocks of rows, perhaps
    system = roles.get("system")
    of_systems = system is not None and system is not item and varies_within(system, item)
    key = (item, system) if system is not None and of_systems else (item,)
    if several and not table.tells_rows_apart(key):
        wider = [(*key, one) for one in table.columns if is_called_item(one.name) and one not in key]
        key = next((each for each in wider if table.tells_rows_apart(each)), key)
    reserved = reserved_places(roles) | {item.at}
    answers = find_answers(table, kind, roles, item)
    if not answers:
        return
    agreed = [  # by all raters of an item, perhaps
        one
        for one in table.columns
        if kind is RATINGS
        and one.may_be_scale
        and one.at not in reserved
        and look_like_measures([one.name]) > 0
        and is_on_scale_of(one, answers)
    ]
    answers = [one for one in table.columns if one in answers or one in agreed]
    unknown = [
        one
        for one in table.columns
        if one.at not in reserved | {one.at for one in answers}
        and one.holds in ("labels", "texts")
        and one.is_full
        and 1 < len(one.values) < len(one.cells)
        and not is_constant_within(one, key)
    ]
    answered = [any(cells) for cells in zip(*(one.cells for one in answers), strict=True)]
    rows = Counter(compress(zip(*(one.cells for one in key), strict=True), answered))
    repeated = len(rows) * 1.5 <= rows.total()
    if of_systems and all(one.in_steps or one.holds == "words" for one in answers):  # else these are means
        repeated = len(item.values) * 1.5 <= len(item.filled)
    if (
        len(rows) == table.rows
        and len(answers) > 1
        and look_like_measures([one.name for one in answers]) == 0
    ):
        return  # one row per item, with a column for each rater perhaps
    if (unknown or not repeated or all(is_constant_within(one, (item,)) for one in answers)) and not several:
        return
    source = source_of(key)
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": source, **mapping_of_answers(kind, answers)}
    if several:
        yield Reading(kind.name, NOBODY, mapping, 0.8, (), 0, len(rows))
        return
    mapping |= {"rater_id": SLOT, "@raters": "slots"}
    note = (
        "No column names the raters: the ratings of an item are numbered, and nothing is said about persons."
    )
    if item is not roles.get("item_id"):
        note = f'"{item.name}" is taken for the item, as the questions name it. {note}'
    yield Reading(kind.name, NOBODY, mapping, 0.9, (note,), max(rows.values()), len(rows))


def _asked_about(table: TableProfile) -> Column | None:
    """Return the column of labels whose name stands in most questions, such as that of teachers above "How clear is the
    teacher?"."""
    asked = [words for one in table.columns if one.may_be_scale and len(words := words_of(one.name)) > 2]
    able = [
        one
        for one in table.columns
        if one.holds == "labels"
        and one.is_full
        and 1.5 * len(one.values) <= len(one.cells)
        and 2 * sum(one.plain in words for words in asked) > len(asked) > 1
    ]
    return able[0] if len(able) == 1 else None


def _item_of_parts(table: TableProfile, roles: Mapping[str, Column]) -> Column | None:
    """Return the column whose values name the rows of each file or sheet, and return in the others."""
    taken = reserved_places(roles, ("score",))
    able = [
        one
        for one in table.columns
        if one.at not in taken
        and not is_about(one.name)
        and table.tells_rows_apart((one,))
        and 1.5 * len(one.values) <= len(one.cells)
    ]
    return able[0] if able else None
