"""Readings of a table: the layouts in which it may hold ratings or labels, each with the evidence for it.

A table is long (a row per rating, or per item and rater), or has answers side by side, in which columns stand for
raters, items or measures. Names are evidence as well as values, and a column is never left out of the answers for using
fewer points of the scale than its sisters.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from math import prod

from analysis.values.estimate import thousands
from data.errors import listed
from data.kinds.answer_words import GRADING
from data.kinds.definitions import KINDS
from data.kinds.kind import EXPECTED, Kind
from data.kinds.likely_names import (
    SUMMARIES,
    UNATTRIBUTED,
    is_about,
    is_called_rater,
    look_like_measures,
    look_like_raters,
)
from data.kinds.names import plain_name
from data.kinds.studies import CHOICES, RANKINGS, RATINGS
from data.mapping.plan import ROW
from data.reading.columns import (
    MOST_LABELS,
    Column,
    columns_of,
    find_minus_one,
    find_outlying_codes,
    is_missing,
    is_scale_with_minus_one,
    to_number,
)
from data.reading.item_key import MOST_CANDIDATES
from data.reading.label_sets import read_label_sets, takes_sets_for_labels
from data.reading.long_layouts import LONG, MEASURES_BESIDE, read_long, read_without_rater
from data.reading.profile import (
    LIKE,
    Rows,
    TableProfile,
    is_constant_within,
    may_be_answer,
    share_distinct,
    source_of,
)
from data.reading.rankings import read_rankings, words_of
from data.reading.votes import PER_GRADE, are_votes, find_class_votes, read_votes
from data.reading.wide_layouts import (
    Pair,
    measure_of_slot,
    parallel_columns,
    read_wide,
    row_of,
    slots_of,
    slots_of_raters,
)
from data.tables.sniffed import (
    ASKED,
    SURVEY,
    Reading,
    Sniffed,
    is_any_number,
    named_by,
    thousands_mark,
)


def with_missing_codes(reading: Reading, table: TableProfile) -> tuple[Reading, ...]:
    """Return the reading with the codes of missing answers; of labels, which may have such names, also the one without
    codes."""
    answer_columns = [column for column in table.columns if column.name in reading.answers]
    if reading.layout == PER_GRADE or reading.kind == RANKINGS.name:
        codes = Counter(code for column in answer_columns for code in column.codes)
        if reading.layout == PER_GRADE:
            codes = Counter(filter(is_missing, codes))
        return (_with_codes(reading, codes),)
    if reading.kind != RATINGS.name:
        labels = Counter(cell for column in answer_columns for cell in column.filled)
        is_answer = "both" in map(plain_name, labels)  # of two options, neither is an answer as well
        codes = Counter({label: times for label, times in labels.items() if is_missing(label)})
        codes -= Counter(
            {label: labels[label] for label in codes if is_answer and plain_name(label) == "none"}
        )
        if not codes:
            return (reading,)
        code_list = _list_counts(codes)
        missing = _with_codes(reading, codes, f"Taken for missing answers: {code_list}.")
        notes = (*reading.notes, f"Taken for labels: {code_list}.")
        return missing, replace(reading, evidence=reading.evidence - 0.01, notes=notes)
    answers = [column for column in answer_columns if column.holds in ("numbers", "words")]
    codes = Counter()
    minus_ones: Counter[str] = Counter()
    is_on_scale = False  # of one measure, and a code in another
    for column in answers:
        codes.update(column.codes)
    for group in [[column] for column in answers] if reading.layout == MEASURES_BESIDE else [answers]:
        numbers = [column for column in group if column.holds == "numbers" and not column.leading]
        scores = Counter(cell for column in numbers for cell in column.filled)
        outlying = find_outlying_codes(scores)
        codes.update({cell: times for cell, times in scores.items() if cell in outlying})
        minus_ones.update({cell: scores[cell] for cell in find_minus_one(scores)})
        is_on_scale |= is_scale_with_minus_one(scores.keys() - outlying)
    codes = Counter(
        {code: times for code, times in codes.items() if is_missing(code) or times > 1 or is_any_number(code)}
    )
    readings: tuple[Reading, ...] = (reading,)
    counts = Counter(cell for column in answers for cell in column.filled if cell in minus_ones)
    if minus_ones and is_on_scale:
        missing = _with_codes(reading, minus_ones, f"Taken for missing answers: {_list_counts(counts)}.")
        notes = (*reading.notes, f"Taken for ratings: {_list_counts(counts)}.")
        readings = (missing, replace(reading, notes=notes))
    elif minus_ones:
        code_list = f"{_list_counts(counts)}: more than twice as often as any other number"
        note = f"{code_list}, so taken for missing answers."
        readings = (replace(_with_codes(reading, minus_ones), notes=(note, *reading.notes)),)
    if not codes:
        return readings
    far_off = _list_counts({code: times for code, times in codes.most_common() if is_any_number(code)})
    words = _list_counts({code: times for code, times in codes.most_common() if not is_any_number(code)})
    note = f"{far_off}: far off the scale, so taken for missing answers."
    if words:
        note = (
            f"Taken for missing answers: {words}{f'; and {far_off}, far off the scale' if far_off else ''}."
        )
    if not far_off:
        return tuple(_with_codes(choice, codes, note) for choice in readings)
    return tuple(replace(_with_codes(choice, codes), notes=(note, *choice.notes)) for choice in readings)


def _list_counts(codes: Mapping[str, int]) -> str:
    return ", ".join(f'"{code}" ({thousands(times)})' for code, times in codes.items())


def _with_codes(reading: Reading, codes: Mapping[str, int], *notes: str) -> Reading:
    """Return the reading with these codes of missing answers, itself where there are none."""
    if not codes:
        return reading
    mapping = {**reading.mapping, "@missing": (*named_by(reading.mapping.get("@missing", ())), *codes)}
    return replace(reading, mapping=mapping, notes=(*reading.notes, *notes))


_FEWEST_SHARED = 5
"""Rows in which a total that all share is no chance."""
_LEAST, _RIVAL, _MOST_READINGS = 0.2, 0.5, 4
"""Evidence below which a reading is none, that of one that makes others doubtful, and readings that are kept."""
_OTHER_SIZE, _FEWEST_POINTS = 5, 4
"""Ratio of the largest numbers of two columns without names beyond which they may not be on one scale, and the least of
a scale that is no lenient rater's."""
_FEWEST_ASKED, _FEWEST_QUESTIONS = 5, 3
"""Words of a name that is a question, and names that make a survey."""
SLOTS = "ratings with a column each that names the item"
RATER_SLOTS = "ratings with a column each that names the rater"


def readings_of(sniffed: Sniffed, rows: Rows) -> tuple[Reading, ...]:
    """Return the readings of a table by its first rows, the one with most evidence first."""
    last = len(sniffed.names) - len(sniffed.parts)
    names, parts = sniffed.names[:last], sniffed.names[last:]
    rows = [row for row in rows if any(cell.strip() for cell in row) and not _is_summary_row(row[:last])]
    cells_of_rows = [[*row[:last], *[""] * (last - len(row))] for row in rows]
    if not cells_of_rows or len(names) < 2:
        return ()
    of_parts = tuple(
        replace(column, at=last + column.at) for column in columns_of(parts, [row[last:] for row in rows])
    )
    without_parts = replace(sniffed, columns=sniffed.columns[:last])
    table = TableProfile(without_parts, columns_of(names, cells_of_rows, sniffed.decimal), of_parts)
    if patterns := _patterns_reading(table):
        return patterns
    if of_raters := _rater_slots_reading(table, cells_of_rows):
        return with_missing_codes(of_raters, table)
    slots = slots_of(names, cells_of_rows)
    rater, item = (table.roles(RATINGS).get(role) for role in ("rater_id", "item_id"))
    answers = [column for column in table.columns if column.name in {slot.answer for slot in slots}]
    if item is not None and all(is_constant_within(column, [item]) for column in answers):
        slots = ()  # numbers that say something of the item
    named_items = {slot.item for slot in slots}
    shown = Counter(cell for column in table.columns if column.name in named_items for cell in column.filled)
    if rater is None and max(shown.values(), default=0) < 2:
        slots = ()  # each names its own rating, such as a review
    ranked = list(read_rankings(table))
    if slots and rater is not None and not ranked:
        return with_missing_codes(_slots_reading(slots, rater, table), table)
    votes = list(read_votes(table, cells_of_rows))
    if any(is_sure for _, is_sure in votes):
        return with_missing_codes(votes[0][0], table)
    if not votes and rater is None and (of_classes := _class_votes_reading(table, cells_of_rows)):
        return of_classes
    readings = [*ranked, *(reading for kind in (RATINGS, CHOICES) for reading in read_long(table, kind))]
    readings += [reading for kind in (RATINGS, CHOICES) if not slots for reading in read_wide(table, kind)]
    if any(reading.kind == RATINGS.name and len(reading.answers) > 1 for reading in readings):
        # items with several ratings may have been ranked by the order in which they came
        readings = [reading for reading in readings if reading.kind != RANKINGS.name or reading.items]
    readings += [other for reading in readings if (other := _of_other_labels(reading, table))]
    readings += [other for reading in readings if (other := _as_classes(reading, table))]
    readings = [reading for reading in readings if not takes_sets_for_labels(reading, table)]
    readings = [_add_doubts(reading, table) for reading in readings]
    unknown = [reading for reading in readings if _is_by_unknown(reading, table)]
    rated = {reading.mapping["item_id"] for reading in unknown if reading.kind == RATINGS.name}
    readings = [
        replace(reading, is_rival=True)
        if reading.kind == CHOICES.name and reading in unknown and reading.mapping["item_id"] in rated
        else reading
        for reading in readings
    ]
    readings = readings if votes or ranked else [_doubt_counts(reading, table) for reading in readings]
    # other columns hold answers, too
    has_other_answers = any(reading.evidence >= LIKE for reading in readings)
    readings += [] if slots else read_label_sets(table, has_other_answers)
    if not any(reading.evidence >= LIKE for reading in readings):
        unnamed = [
            reading for kind in (RATINGS, CHOICES) for reading in read_without_rater(table, kind, bool(parts))
        ]
        have_rivals = any(len(reading.answers) > 2 and reading.evidence >= _RIVAL for reading in readings)
        most = ASKED if have_rivals else 1.0  # answers of raters stand beside the column, perhaps
        unnamed = [replace(reading, evidence=min(reading.evidence, most)) for reading in unnamed]
        readings += [_add_doubts(reading, table) for reading in unnamed]
    best = max((reading.evidence for reading in readings), default=_LEAST)
    if not readings:
        readings += (
            _lists_reading(table)
            or _survey_reading(table)
            or _shares_reading(table)
            or _nobody_reading(table)
        )
    readings += [replace(reading, evidence=best) for reading, _ in votes]
    ordered = sorted(
        (reading for reading in readings if reading.evidence >= _LEAST), key=lambda reading: -reading.evidence
    )
    return tuple(each for reading in ordered[:_MOST_READINGS] for each in with_missing_codes(reading, table))


def _is_by_unknown(reading: Reading, table: TableProfile) -> bool:
    """Return True for the only answer in a row under a name that says nothing: numbers, or labels of some classes."""
    kind = KINDS[reading.kind]
    named = table.roles(kind).get(kind.cells)
    is_known = named is not None and named.name in reading.answers
    classes = max((len(each.values) for each in table.columns if each.name in reading.answers), default=0)
    return (
        reading.layout == LONG
        and not is_known
        and classes >= _FEWEST_CLASSES
        and look_like_measures([*reading.answers]) == 0
    )


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LIST = re.compile(r"\[.*\]|\(.*\)|\{.*\}|\d+( ?[|;] ?\d+)+", re.DOTALL)


def _lists_reading(table: TableProfile) -> tuple[Reading, ...]:
    """Return a reading with the reason why cells with lists cannot be read, where there are such."""
    lists = [
        column.name for column in table.columns if column.filled and all(map(_LIST.fullmatch, column.filled))
    ]
    has_votes = any(
        are_votes([[*map(float, _NUMBER.findall(cell))] for cell in {*column.filled}])
        for column in table.columns
        if column.name in lists
    )
    note = (
        f"Cells of {listed(lists)} hold lists or objects. Write each answer into its own row or column, with "
        "who gave it."
        + (" Some of them seem to be numbers of votes for classes or grades, or their shares." * has_votes)
    )
    return _reason(lists, note)


def _class_votes_reading(table: TableProfile, rows: Rows) -> tuple[Reading, ...]:
    """Return a reading with the reason why numbers of votes for classes cannot be read, where there are such."""
    classes, number = find_class_votes([column.name for column in table.columns], rows)
    note = _CLASS_VOTES.format(listed(list(classes)), number)
    return _reason(classes, note)


_TIMES = frozenset(("n", "count", "counts", "freq", "frequency", "frequencies", "num", "nitems", "ncases"))
"""Names of columns that say how many items got the same answers."""
_POSSIBLE = 3
"""Most combinations of answers for each that occurs in a table of them."""


def _patterns_reading(table: TableProfile) -> tuple[Reading, ...]:
    """Return a reading that says why combinations of answers with their counts cannot be read; none for other tables.

    The combinations all differ and are a good part of all possible ones, and no column names items."""
    others = [column for column in table.columns if column.plain not in _TIMES]
    times = [column for column in table.columns if column.plain in _TIMES and column.holds == "numbers"]
    whole = all(point.is_integer() and not column.counts_rows for column in times for point in column.points)
    if len(times) != 1 or not whole or len(others) < 2 or "item_id" in table.roles(CHOICES):
        return ()
    are_alike = all(column.values & others[0].values and not column.names_rows for column in others)
    possible = prod(len(column.values) for column in others)
    if not are_alike or share_distinct(others) < 1 or possible > _POSSIBLE * table.rows:
        return ()
    note = (
        f'Each row is a different combination of answers, and "{times[0].name}" seems to say how many items got it. '
        "Write one row per item."
    )
    return _reason([column.name for column in others], note)


def _survey_reading(table: TableProfile) -> tuple[Reading, ...]:
    """Return a reading with the reason why a survey of several kinds of questions cannot be read, where there is
    one."""
    questions = [column.name for column in table.columns if len(column.name.split()) >= _FEWEST_ASKED]
    note = (
        "The columns are questions of several kinds. Write the answers to one of them, with who answered, into a "
        "separate file."
    )
    is_survey = len(questions) >= _FEWEST_QUESTIONS
    return _reason(questions if is_survey else (), note, SURVEY)


_SEGMENTS = (
    '"{}" is the length from "{}" to "{}", so each row is a segment that somebody marked, and raters need not have '
    "marked the same ones. Decide on the units, and write one row per unit and rater with the label."
)
_OF_PAIRS = (
    "No column is called after raters, and each pair of {} has one row. Upload the single ratings, with a column for "
    "who gave each. Where one of these names the raters, choose it."
)
_LENGTH = 0.0015
"""Distance of a length in seconds from the exact one."""


def _nobody_reading(table: TableProfile) -> tuple[Reading, ...]:
    """Return a reading with the reason why a table that names nobody cannot be read: rows are segments of a recording,
    or two columns tell them apart, as system and segment do."""
    columns = [column for column in table.columns if column.is_full and not column.is_constant]
    numbers = [column for column in columns if column.holds == "numbers"]
    for begin, end, length in permutations(numbers[:MOST_CANDIDATES], 3):
        rows = zip(begin.numbers, end.numbers, length.numbers, strict=True)
        if begin.at < end.at and all(
            first < last and abs(last - first - size) < _LENGTH for first, last, size in rows
        ):
            return _reason([length.name], _SEGMENTS.format(length.name, begin.name, end.name))
    names = [column for column in columns if column.holds in ("labels", "texts") or column.in_steps]
    names = [column for column in names if not is_about(column.name) and len(column.values) > 2]
    if any(is_called_rater(column.name) or (column.names_rows and not column.numbers) for column in names):
        return ()
    names = [
        column for column in names if not column.names_rows and all(map(float.is_integer, column.points))
    ]
    for first, second in combinations(names[:MOST_CANDIDATES], 2):
        others = [column.name for column in numbers if column not in (first, second)]
        if others and table.tells_rows_apart((first, second)):
            return _reason(others, _OF_PAIRS.format(listed([first.name, second.name])))
    return ()


def _reason(columns: Sequence[str], note: str, layout: str = "") -> tuple[Reading, ...]:
    """Return a reading that only has a note, which says why these columns cannot be read; none without columns."""
    reading = Reading(RATINGS.name, layout, {RATINGS.cells: tuple(columns)}, _LEAST, (note,))
    return (reading,) if columns else ()


def _is_summary_row(row: Sequence[str]) -> bool:
    """Return True for a row of means or the like below a table, or a note."""
    filled = [cell.strip() for cell in row if cell.strip()]
    return not filled or filled[0].casefold() in SUMMARIES or (len(filled) == 1 < len(row) - 1)


_GRADED = (
    "Two systems stand in each row, and numbers below and above 0: these seem to be preferences with a strength, not "
    "ratings. Which of the two a number below 0 prefers is not told. Write which one is preferred in a column."
)


_CODED = ({"segment", "code"}, {"quotationcontent", "codes"})
"""Columns in which MAXQDA and ATLAS.ti write the passages that a coder marked."""
_MARKED = (
    "Each row is a passage that a coder marked, so coders need not have judged the same things. Decide on the units, "
    "such as documents or sentences, and write one row per unit and coder with the code."
)


_MARKED_NUMBERS = (
    "All numbers such as {} have three digits after the mark, which may be decimal or stand between thousands. Map the "
    "columns by hand where it is decimal; else write the numbers without it."
)
_ROW_PER_VOTE = (
    "Write one row per rater and item with the label, or without names of raters one row per vote."
)
_SHARES = (
    "The numbers of each row add up to {}: these seem to be numbers of raters who chose each of the columns, not "
    f"ratings. {_ROW_PER_VOTE}"
)
_OF_SHARES = (
    "The numbers in {} are the shares of those in {}, so these are numbers of votes, not ratings. "
    + _ROW_PER_VOTE
)
_ROUNDED = 0.006
"""Distance of a share with two decimals from the exact one."""
_CLASS_VOTES = (
    'The numbers in {} add up to "{}" in each row: these are numbers of votes for classes, not ratings. '
    f"{_ROW_PER_VOTE}"
)


def _votes_beside_shares(columns: Sequence[Column]) -> tuple[list[str], list[str]]:
    """Return the columns of whole numbers such as votes.yes and votes.no, and those of their shares in the sum of each
    row, such as share.yes and share.no."""
    families: dict[tuple[str, ...], dict[str, Column]] = {}
    for column in columns:
        if column.holds == "numbers" and column.is_full and (words := words_of(column.name)):
            families.setdefault(tuple(words[:-1]), {})[words[-1]] = column
    several = [family for family in families.values() if len(family) > 1]
    whole = [family for family in several if all(column.in_steps for column in family.values())]
    parts = [
        family for family in several if all(0 <= column.low <= column.high <= 1 for column in family.values())
    ]
    for votes, shares in product(whole, parts):
        if votes is shares or votes.keys() != shares.keys():
            continue
        counted = zip(*(votes[end].numbers for end in votes), strict=True)
        shared = zip(*(shares[end].numbers for end in votes), strict=True)
        if all(
            sum(numbers) > 0 and abs(number / sum(numbers) - share) < _ROUNDED
            for numbers, shares_of_row in zip(counted, shared, strict=True)
            for number, share in zip(numbers, shares_of_row, strict=True)
        ):
            return [votes[end].name for end in votes], [shares[end].name for end in votes]
    return [], []


def _doubt_counts(reading: Reading, table: TableProfile) -> Reading:
    """Return the reading; in doubt where the answers of each row share the same total, as votes for categories do, or
    where columns hold numbers of another size than others."""
    if reading.mapping.get("@form") == "rater columns" and _differ_in_size(reading, table):
        notes = (_OF_DIFFERENT_SIZES, *reading.notes)
        return replace(reading, evidence=min(reading.evidence, 0.4), notes=notes)
    votes, shares = _votes_beside_shares(table.columns)
    if {*votes, *shares} & {*reading.answers}:
        note = _OF_SHARES.format(listed(shares), listed(votes))
        return replace(reading, layout="", evidence=min(reading.evidence, 0.4), notes=(note,))
    columns = [
        column for column in table.columns if column.name in reading.answers and column.holds == "numbers"
    ]
    stems = [*{tuple(words_of(name)[:-1]) for name in reading.answers}]
    if (
        len(stems) == 1 and stems[0]
    ):  # with that of votes.n, which might be a number of votes.yes and votes.no
        numbers = [column for column in table.columns if column.holds == "numbers"]
        columns = [column for column in numbers if tuple(words_of(column.name)[:-1]) == stems[0]]
    highest = sorted(max(column.points) for column in columns if column.points)
    is_wide = bool(reading.mapping.get("@form")) and not table.sniffed.header and len(highest) > 1
    if is_wide and highest[0] >= _FEWEST_POINTS and highest[-1] > _OTHER_SIZE * highest[-2]:
        reading = replace(
            reading, evidence=min(reading.evidence, ASKED)
        )  # one of them counts things, perhaps
    whole = _whole_numbers(table)
    others = whole if {*reading.answers} < {column.name for column in whole} else ()
    total = _shared_total(columns) or _shared_total(others)
    if reading.kind != RATINGS.name or total is None:
        return reading
    return replace(reading, layout="", evidence=min(reading.evidence, 0.4), notes=(_SHARES.format(total),))


def _whole_numbers(table: TableProfile) -> list[Column]:
    return [column for column in table.columns if column.in_steps and not column.names_rows]


def _shared_total(columns: Sequence[Column]) -> str | None:
    """Return the number to which columns, some of them 0, add up in each row, which does not order as many
    numbers; None where there is none."""
    rows = [*zip(*(column.cells for column in columns), strict=True)]
    totals = {sum(map(to_number, filter(None, cells))) for cells in rows}
    are_enough = 2 < len(columns) <= MOST_LABELS and len(rows) >= _FEWEST_SHARED and len(totals) == 1
    has_zeros = any(0 in column.points or not column.is_full for column in columns)
    are_orders = all(len({*cells}) == len(cells) for cells in rows)
    return f"{totals.pop():g}" if are_enough and has_zeros and not are_orders else None


def _shares_reading(table: TableProfile) -> tuple[Reading, ...]:
    """Return a reading with the reason why numbers that add up to one total cannot be read, where there are such."""
    columns = _whole_numbers(table)
    total = _shared_total(columns)
    return () if total is None else _reason([column.name for column in columns], _SHARES.format(total))


_NESTED = re.compile(r"""["']([^"']+)["']\s*:\s*-?\d""")
"""A name in an object, with the beginning of its number."""


def _add_doubts(reading: Reading, table: TableProfile) -> Reading:
    """Return the reading; in doubt where cells hold numbers of several things by name, a mark in numbers may be decimal
    or not, rows are passages that coders marked, or ratings may be graded preferences between two systems."""
    for column in table.columns:
        doubts = {tuple(_NESTED.findall(cell)) for cell in column.filled if cell[0] == "{"}
        if len(doubts) > 1 and min(map(len, doubts)) > 1:
            note = f'Cells of "{column.name}" hold several answers by name. Write each into its own row.'
            return replace(reading, evidence=min(reading.evidence, 0.4), notes=(note, *reading.notes))
    decimal = (".", ",") if table.sniffed.delimiter == ";" else (".",)
    numbers = [
        column for column in table.columns if column.name in reading.answers and column.holds == "numbers"
    ]
    marked = [
        column.filled[0] for column in numbers if thousands_mark(column.filled)[0] not in ("", *decimal)
    ]
    if marked:
        note = _MARKED_NUMBERS.format(marked[0])
        return replace(reading, evidence=min(reading.evidence, 0.4), notes=(note, *reading.notes))
    if any(names <= {column.plain for column in table.columns} for names in _CODED):
        return replace(reading, layout="", evidence=min(reading.evidence, 0.3), notes=(_MARKED,))
    of_nobody = _find_nobody(reading, table)
    if of_nobody:
        note = _OF_NOBODY.format(reading.mapping["rater_id"], of_nobody)
        return replace(reading, layout="", evidence=min(reading.evidence, 0.4), notes=(note,))
    mixed = [column for column in table.columns if column.name in reading.answers and _mixes_numbers(column)]
    if mixed and reading.kind == CHOICES.name:
        note = f'"{mixed[0].name}" holds numbers as well as words: all are taken for labels.'
        reading = replace(reading, evidence=min(reading.evidence, ASKED), notes=(note, *reading.notes))
    if _are_of_two_texts(reading, table):
        return replace(reading, evidence=min(reading.evidence, 0.3), notes=(_OF_TWO_TEXTS, *reading.notes))
    points = [point for column in table.columns if column.name in reading.answers for point in column.points]
    used = {*reading.answers, reading.mapping.get("item_id"), reading.mapping.get("rater_id")}
    versus = [column for column in table.columns if column.name not in used and _holds_two_names(column)]
    if versus and points and {*points} <= {0, 1, 2}:
        note = _OF_JOINED_NAMES.format(versus[0].filled[0])
        return replace(reading, evidence=min(reading.evidence, 0.3), notes=(note, *reading.notes))
    pairs = {"option_a", "option_b"} <= {*table.roles(CHOICES)}
    if reading.kind != RATINGS.name or not pairs or min(points, default=0) >= 0 or max(points) <= 0:
        return reading
    return replace(reading, evidence=min(reading.evidence, 0.5), notes=(_GRADED, *reading.notes))


def _of_other_labels(reading: Reading, table: TableProfile) -> Reading | None:
    """Return the reading of the only other column with the values of a column called label, which may hold the true
    ones: none of the rows that were looked at, of more, tell which."""
    by_name = {column.name: column for column in table.columns}
    label = by_name.get(str(reading.mapping.get("choice")))
    item = [by_name[name] for name in named_by(reading.mapping.get("item_id", ())) if name in by_name]
    if label is None or label.plain != "label" or not item or reading.mapping.get("@form"):
        return None
    known = {column.at for column in table.roles(CHOICES).values()} | {label.at}
    others = [column for column in table.columns if column.at not in known and column.values == label.values]
    is_unique = len({*zip(*(column.cells for column in item), strict=True)}) == table.rows
    if len(others) != 1 or len(label.values) < 2 or not is_unique or table.sniffed.rows <= table.rows:
        return None
    note = f'"{others[0].name}" is taken for the answer, and "{label.name}" may be the true one.'
    mapping = {**reading.mapping, "choice": others[0].name}
    return replace(reading, mapping=mapping, evidence=reading.evidence - 0.01, notes=(*reading.notes, note))


_NUMBERED_CLASS = re.compile(r"\d+\s*[.):=/–—-]*\s*([^\W\d].*)")
_FEWEST_CLASSES = 3


def _as_classes(reading: Reading, table: TableProfile) -> Reading | None:
    """Return the reading of texts such as "4. Neurosis" as labels, where none of their words says how much or how
    good."""
    answers = [column for column in table.columns if column.name in reading.answers]
    cells = {cell for column in answers for cell in column.values}
    matches = [*map(_NUMBERED_CLASS.fullmatch, cells)]
    words = {match[1].casefold() for match in matches if match}
    roles = {"measure", "@names measure"} & reading.mapping.keys()
    if reading.kind != RATINGS.name or reading.layout == MEASURES_BESIDE or roles or not all(matches):
        return None
    if not _FEWEST_CLASSES <= len(words) == len(cells) or any(
        GRADING & {*re.findall(r"\w+", text)} for text in words
    ):
        return None
    mapping = {role: source for role, source in reading.mapping.items() if role != RATINGS.cells}
    mapping[CHOICES.cells] = reading.mapping[RATINGS.cells]
    note = f'Texts such as "{min(cells)}" are taken for labels.'
    return replace(
        reading,
        kind=CHOICES.name,
        mapping=mapping,
        evidence=reading.evidence - 0.01,
        notes=(*reading.notes, note),
        is_rival=True,
    )


_TRUTHS = frozenset((*EXPECTED, "gold", "goldstandard"))
"""Names that hold the place of a rater where the true answer stands."""
_OF_NOBODY = (
    'Rows whose "{}" is "{}" seem to hold true or agreed answers, not those of a rater. Write these into a column '
    "called gold, or leave them out."
)


def _find_nobody(reading: Reading, table: TableProfile) -> str:
    """Return the name that stands for a rater where true or agreed answers do: a word for these, or -1 beside 0 and 1
    only, unlike all others; "" where there is none."""
    rater, *answers = (
        next((column for column in table.columns if column.name == name), None)
        for name in (reading.mapping.get("rater_id"), *reading.answers)
    )
    if rater is None or len(rater.values) < 2:
        return ""
    truths = {
        cell
        for column in answers
        if column is not None and not column.points <= {0, 1}
        for name, cell in zip(rater.cells, column.cells, strict=True)
        if name == "-1"
    }
    named = [value for value in sorted(rater.values) if plain_name(value) in _TRUTHS | UNATTRIBUTED]
    return "-1" if truths and truths <= {"0", "1"} else next(iter(named), "")


def _mixes_numbers(column: Column) -> bool:
    """Return True for labels of which three or more are points of a scale, and others are words alone."""
    numbers = {value for value in column.values if is_any_number(value)}
    words = {
        value for value in column.values - numbers if not re.search(r"\d", value) and not is_missing(value)
    }
    return column.holds == "labels" and len(numbers) >= _FEWEST_NUMBERS and bool(words)


_FEWEST_NUMBERS = 3
_VERSUS = frozenset(("cmp", "compared", "comparison", "versus", "vs", "matchup"))
_TWO_NAMES = re.compile(r"([^_|/]+)(?:_|\||/| vs\.? )([^_|/]+)")
_OF_JOINED_NAMES = (
    'Each row compares two systems, whose names stand in one cell ("{}"). Write each name into its own column, such as '
    "model_a and model_b, and the one that was preferred by its name or as A or B."
)
_OF_TWO_TEXTS = (
    "Each row holds two texts and a number for each of them. Write each text into its own row, with its system, the "
    "rater and the rating; or, where one of the two was preferred, write which one in a column."
)
_OF_DIFFERENT_SIZES = (
    "Some of the columns hold small numbers only and others large ones. "
    "So these do not seem to be ratings on one scale."
)
_FEWEST_APART = 4
"""Least number of different numbers in two columns whose ranges lie apart not by chance."""


def _holds_two_names(column: Column) -> bool:
    """Return True for a column of comparisons whose cells name two systems each: several on either side, in more
    pairs."""
    if not _VERSUS & {*words_of(column.name)} or not column.values:
        return False
    matches = [_TWO_NAMES.fullmatch(value) for value in column.values]
    pairs = [match.groups() for match in matches if match is not None]
    sides = [{*side} for side in zip(*pairs, strict=True)]
    numbered = len({part.isdecimal() for side in sides for part in side}) > 1  # cat_1
    return len(pairs) == len(matches) and not numbered and all(1 < len(side) < len(pairs) for side in sides)


def _are_of_two_texts(reading: Reading, table: TableProfile) -> bool:
    """Return True for unattributed answers, or such as score_A and score_B, beside texts such as reply_A and
    reply_B."""
    texts = [column.name for column in table.columns if column.holds == "texts"]
    of_nobody = reading.mapping.get("@raters") == "slots"
    return all(
        any(name[-1:] == a and name[:-1] + b in names for name in names for a, b in ("AB", "ab"))
        for names in (texts, *(() if of_nobody else (reading.answers,)))
    )


def _differ_in_size(reading: Reading, table: TableProfile) -> bool:
    """Return True where the ranges of two columns that are not named as raters lie further apart than one is wide:
    these may be counts."""
    if look_like_raters([*reading.answers]) >= LIKE and table.sniffed.header:
        return False
    points = [column.points for column in table.columns if column.name in reading.answers]
    points = [column_points for column_points in points if len(column_points) >= _FEWEST_APART]
    lowest, highest = min(points, key=max, default=None), max(points, key=min, default=None)
    if lowest is None or highest is None:
        return False
    width = min(max(column_points) - min(column_points) for column_points in (lowest, highest))
    return min(highest) - max(lowest) > width


def _rater_slots_reading(table: TableProfile, rows: Rows) -> Reading | None:
    """Return the reading of rows in which each answer has a column that names its rater; None for other tables."""
    slots = slots_of_raters([column.name for column in table.columns], rows)
    answers, raters = tuple(slot.answer for slot in slots), tuple(slot.item for slot in slots)
    given = [column for column in table.columns if column.name in answers]
    kind = RATINGS if all(column.holds in ("numbers", "words") for column in given) else CHOICES
    roles = {role: column for role, column in table.roles(kind).items() if column.name not in raters}
    if not slots or "rater_id" in roles:
        return None
    key = row_of(
        table, [column for column in table.columns if column.name not in {*answers, *raters}], roles, True
    ).key
    note = f'"{raters[0]}" says who gave "{answers[0]}", and so on: {len({*raters})} raters in a row.'
    mapping = {"item_id": source_of(key) if key else ROW, "rater_id": raters, "@form": "rater columns"}
    mapping |= _answers_of(slots, kind)
    people = {cell for column in table.columns if column.name in raters for cell in column.values}
    return Reading(kind.name, RATER_SLOTS, mapping, 0.97, (note,), len(people), table.rows)


def _answers_of(slots: Sequence[Pair], kind: Kind) -> dict[str, str | tuple[str, ...]]:
    """Return the part of a mapping that names the answers in slots, and their measures where there are several."""
    measures = tuple(slot.measure for slot in slots)
    named = {"@names measure" if kind is RATINGS else "@names design": measures} if measures[0] else {}
    return {kind.cells: tuple(slot.answer for slot in slots), **named}


_OF_ROWS = (
    'Raters answer on the same things, such as "{}" in "{}", in several rows: these are systems, not items. Write '
    "one row per answer, with the rater, what was shown, the system, and the rating or rank."
)


def _slots_reading(slots: Sequence[Pair], rater: Column, table: TableProfile) -> Reading:
    """Return the reading of the ratings in a row, each with a column that names its item."""
    answers, items = tuple(slot.answer for slot in slots), tuple(slot.item for slot in slots)
    shown = [column for column in table.columns if column.name in items]
    pairs = Counter(
        pair for column in shown for pair in zip(rater.cells, column.cells, strict=True) if pair[1]
    )
    if 2 * len(pairs) <= pairs.total():
        return _reason(answers, _OF_ROWS.format(shown[0].filled[0], shown[0].name))[0]
    note = (
        f'Each row holds {len(slots)} ratings, each with a column that names its item ("{answers[0]}" is of '
        f'"{items[0]}"); they become separate rows.'
    )
    shown_items = {cell for column in shown for cell in column.values}
    parallel = {name for family in parallel_columns(table.sniffed.names, answers) for name in family}
    unused = [
        column.name
        for column in table.columns
        if column.name in parallel - {*items}
        and column.may_be_scale
        and not column.is_constant
        and may_be_answer(column)
    ]
    notes = (note, f"Not used: {listed(unused)}.") if unused else (note,)
    evidence = 0.58 if look_like_measures([measure_of_slot(name) for name in unused]) > 0 else 0.97
    mapping = {
        "item_id": items,
        "rater_id": rater.name,
        "@form": "item columns",
        **_answers_of(slots, RATINGS),
    }
    return Reading(RATINGS.name, SLOTS, mapping, evidence, notes, len(rater.values), len(shown_items))
