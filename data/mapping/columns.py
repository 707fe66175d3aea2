"""Roles that a column can have, by its name and by how its values vary over rows, items and raters.

A column that is the same in all rows of a rater is about the rater, one that is the same in all rows of an item about
the item; neither is a rating, nor is a constant, a number that only counts, or a time.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from data.errors import listed
from data.kinds.answer_words import is_side, is_understood, positions_of
from data.kinds.kind import (
    ATTRIBUTES,
    CHECK,
    CHOICE,
    CHOSEN_OPTIONS,
    CODED,
    EXPECTED,
    ITEM,
    RATER,
    SIDES,
    CanonicalColumn,
    Kind,
    options_of,
    pairs_of,
    sides_of,
    split_words,
)
from data.kinds.likely_names import (
    ITEM_PARTS,
    MEASURES,
    are_groups,
    is_called_system,
    is_personal,
)
from data.kinds.names import plain_name
from data.mapping.plan import FALSE_CHECKS, RESERVED, ROW
from data.mapping.values import RATING_NAMES
from data.tables.sniffed import Sniffed, SniffedColumn, is_number, named_by

_ENOUGH = 10
"""Rows below which nothing is concluded from values that do not vary."""
_SCALE_VALUES = 101
_MOST_CONDITIONS = 50
_TIME = 1e8
"""Numbers from here on are seconds or milliseconds since 1970, or ids."""
COMMENTS = frozenset(("comment", "comments", "kommentar", "commentaire", "notes", "remarks", "feedback"))
_MOST_GROUPS = 50
"""Values of an attribute that distinguishes raters."""
_SHARED = 1.5
"""Least mean number of ratings in a row that share one time not by chance."""
_HIGHEST_WEIGHT = 20
"""Weights above are weighed things or persons, or points."""
_MOSTLY = 0.8
"""Share of numbers among the cells of what may be a column of numbers with some words in it."""


def may_be_rating(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where the variation of the values is compatible with a rating."""
    return not (
        is_constant(column, sniffed)
        or counts(column, sniffed)
        or column.low >= _TIME
        or belongs_to(column, sniffed, RATER)
        or belongs_to(column, sniffed, ITEM)
    )


def is_constant(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where it says the same in all of enough rows."""
    return sniffed.looked_at >= _ENOUGH and column.distinct <= 1


def counts(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where every row has a different number, more than any scale has."""
    return column.filled == column.distinct == sniffed.looked_at > _SCALE_VALUES and column.numbers == 1


def in_steps(column: SniffedColumn) -> bool:
    """Return True where the numbers are whole, half or quarter steps, as raters give them."""
    written = [example.replace(",", ".") for example in column.examples]
    return all((4 * float(cell)).is_integer() for cell in written if is_number(cell))


def belongs_to(column: SniffedColumn, sniffed: Sniffed, words: tuple[str, ...] | list[str]) -> bool:
    """Return True where it is the same in all rows that agree in the column with one of these names: the item's, the
    rater's."""
    key = find_named_column(sniffed, words)
    return key is not None and key.name != column.name and key.name in column.within


def find_named_column(sniffed: Sniffed, words: tuple[str, ...] | list[str]) -> SniffedColumn | None:
    """Return the column with the first of these names that the file has."""
    column_by_name = {plain_name(column.name): column for column in reversed(sniffed.columns)}
    return next((column_by_name[name] for name in words if name in column_by_name), None)


def is_attribute_of_raters(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where it tells raters apart and says nothing about items."""
    return (
        1 < column.distinct <= _MOST_GROUPS
        and belongs_to(column, sniffed, RATER)
        and not belongs_to(column, sniffed, ITEM)
    )


def is_beside_answers(column: SniffedColumn) -> bool:
    """Return True where a column of a table with a row per rater is about raters: personal questions, words that
    return."""
    returning = 2 * column.distinct <= column.filled and column.numbers + column.leading_numbers == 0
    is_known = is_personal(column.name) or (returning and plain_name(column.name) not in COMMENTS)
    return bool(column.values) and 1 < column.distinct <= _MOST_GROUPS and is_known


def may_be_metric(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where it may be a number of the items: it varies, is no mark of yes and no, no time, and not the
    rater's."""
    marks = sniffed.looked_at >= _ENOUGH and column.distinct == 2 and (column.low, column.high) == (0, 1)
    return not (
        is_constant(column, sniffed)
        or marks
        or column.low >= _TIME
        or (belongs_to(column, sniffed, RATER) and not belongs_to(column, sniffed, ITEM))
    )


def seconds_of(sniffed: Sniffed, mapping: Mapping[str, str | Sequence[str]]) -> tuple[str, str] | None:
    """Return the unit that seconds seem to belong to, "rating" or "assignment", and a sentence about an assignment;
    None where it is unclear. In the table that a format makes they are of single ratings."""
    seconds, rater = mapping.get("seconds"), mapping.get("rater_id")
    if "@seconds" in mapping or not isinstance(seconds, str) or not isinstance(rater, str):
        return None
    if sniffed.known and sniffed.known.mapping.get("seconds") == seconds:
        return "rating", ""
    if mapping.get("@form", "long") != "long":
        note = f'"{seconds}" is of all ratings of its row'
    else:
        column = next(column for column in sniffed.columns if column.name == seconds)
        share = dict(column.together).get(rater, 1.0)
        if share < _SHARED:
            return None
        note = f'"{seconds}" seems to be of whole assignments: about {share:.1f} ratings in a row of a rater share one'
    return "assignment", f"{note}; it is divided evenly over them. Choose below where that is not so."


_YES = ("1", "1.0", "true", "yes", "y", "t")


def columns_by_name(sniffed: Sniffed, kind: Kind) -> dict[str, str]:
    """Return, for each canonical column, the unused column whose name fits best and whose content allows it."""
    sources: dict[str, str] = {}
    unused = {column.name: column for column in sniffed.columns}
    names_by_word: dict[str, list[str]] = {}
    for name in unused:
        names_by_word.setdefault(plain_name(name), []).append(name)
    position_of_name = {name: position for position, name in enumerate(unused)}
    pair = options_of(name for name, column in unused.items() if column.values and column.numbers < 1)
    pair = pair if pair and not _has_third(pair, unused) else _options_that_are_chosen(unused)
    if pair:  # what else is called a system names no single one
        unused = {name: column for name, column in unused.items() if name not in pair}
        sources |= dict(zip(("option_a", "option_b"), pair, strict=True)) if kind.column("option_a") else {}
    first = [c for c in kind.columns if c.name == "score"]
    for canonical in [*first, *(c for c in kind.columns if c not in first and not c.counts)]:
        if canonical.name in sources:
            continue
        candidates = [
            (
                canonical.name == "choice"
                and pair is not None
                and not are_sides(unused[name], pair, sniffed),
                canonical.preference[words],
                position_of_name[name],
                name,
            )
            for words, names in names_by_word.items()
            if words in canonical.preference
            for name in names
            if name in unused and _may_be(canonical, unused[name], sniffed, sources, kind)
        ]
        if not candidates and canonical.name == "system":
            candidates = [
                (False, 0, position, name)
                for position, (name, column) in enumerate(unused.items())
                if is_called_system(name)
                and column.numbers < 1
                and _may_be(canonical, column, sniffed, sources, kind)
            ]
        if candidates:
            name = min(candidates)[-1]
            sources[canonical.name] = name
            del unused[name]
    return {column.name: sources[column.name] for column in kind.columns if column.name in sources}


def _options_that_are_chosen(columns: Mapping[str, SniffedColumn]) -> tuple[str, str] | None:
    """Return two columns of the same names, such as clip_a and clip_b, where another column says which of the two was
    preferred: by its name, or by its side if that column is called a choice."""
    values = {
        name: {value for value, _ in column.values} for name, column in columns.items() if column.numbers < 1
    }
    for words, pair in sides_of(columns):
        first, second = (values.get(name, set()) for name in pair)
        # with no value in common they are labels, on which a third decides
        if not first & second or _has_third(pair, columns):
            continue
        choosing = [
            column
            for name, column in columns.items()
            if name not in pair and column.distinct > 1 and column.values
            if all(value in first | second or is_side(value) for value, _ in column.values)
        ]
        if len(choosing) > 1 and words & ITEM_PARTS:  # of several raters
            return pair
        for name, column in columns.items():
            others = {value for value, _ in column.values} - first - second - {"0"}  # a tie beside 1 and 2
            is_called = plain_name(name).startswith(CHOSEN_OPTIONS)
            by_side = is_called or (plain_name(name) in CHOICE and not words & {"label", "answer", "rating"})
            if name not in pair and column.distinct > 1 and all(map(is_side, others)):
                chosen = len({value for value, _ in column.values} & (first | second))
                if (chosen > 1 and is_called and words & {*ITEM_PARTS}) or (
                    not chosen and by_side and bool(others)
                ):
                    return pair
    return None


_THIRD = {side: third for sides, third in zip(SIDES, ("c", "", "third", "3"), strict=True) for side in sides}


def _has_third(pair: tuple[str, str], names: Iterable[str]) -> bool:
    """Return True where a third column is named as the two options are, such as option_3."""
    words = split_words(pair[0])
    thirds = {
        (*words[:at], _THIRD[word], *words[at + 1 :]) for at, word in enumerate(words) if _THIRD.get(word)
    }
    return not thirds.isdisjoint(map(split_words, names))


def are_sides(column: SniffedColumn, pair: tuple[str, str], sniffed: Sniffed) -> bool:
    """Return True where all values say which of two options was chosen, by side or by name."""
    options = {value for option in sniffed.columns if option.name in pair for value, _ in option.values}
    return bool(column.values) and all(value in options or is_side(value) for value, _ in column.values)


def _may_be(
    canonical: CanonicalColumn,
    column: SniffedColumn,
    sniffed: Sniffed,
    sources: Mapping[str, str],
    kind: Kind,
) -> bool:
    """Return True unless the content of the column contradicts its name."""
    if canonical.name == "score" and plain_name(column.name) == "y" and find_named_column(sniffed, ["x"]):
        return False  # a place in a picture
    if canonical.name == "score":
        scored = column.numbers + column.leading_numbers >= 0.5
        return scored and (plain_name(column.name) in RATING_NAMES or may_be_rating(column, sniffed))
    if canonical.name == "topic" and plain_name(column.name) in MEASURES:
        return column.numbers < _MOSTLY  # else ratings of the content
    if canonical.name == "status" and plain_name(column.name) == "decision":  # an answer, or on a paper
        return column.numbers < _MOSTLY and ITEM_PARTS.isdisjoint(map(plain_name, column.within))
    if canonical.name == "rater_id" and 2 * column.filled < sniffed.looked_at:
        return False  # a name for a block of rows, perhaps
    if canonical.name == "system":  # pairs name their systems in both options; lists hold outputs
        lists = column.examples and all(re.match(r"\[(\W|\d)", each) for each in column.examples)
        return "option_a" not in sources and not lists
    if canonical.name in ("condition", "split", "design"):  # few values, or each of them in many rows
        return column.distinct <= max(_MOST_CONDITIONS, sniffed.looked_at / _ENOUGH)
    if canonical.name == "weight" and kind.study:
        counts = kind.compared is None or kind.compared[1] in sources  # labels have no scale
        return counts and _may_be_weight(column, sniffed)
    if canonical.type == "number":
        return column.filled == 0 or column.numbers >= (0.5 if canonical.required else 0.8)
    if canonical.type == "time":
        return column.numbers < 0.8 or column.low > 1e8
    if canonical.name == "rater_group" and column.distinct == sniffed.looked_at > 1 and column.numbers == 1:
        return False  # a number of each row
    if (
        canonical.name == "rater_group"
        and plain_name(column.name) == "source"
        and not are_groups([value for value, _ in column.values])
        and (is_constant(column, sniffed) or sources.get("rater_id") not in (None, *column.within))
    ):
        return False  # where rows come from, or what made the items
    if canonical.name in ("measure", "rater_group"):
        return column.distinct <= 50 and all(len(example) <= 40 for example in column.examples)
    if canonical.name in ("option_a", "option_b"):
        if _has_third((column.name, ""), sniffed.names):
            return False
        return column.numbers < 0.5 or len(plain_name(column.name)) > 6
    if canonical.type in CODED:
        mapped = column.filled == 0 or (
            canonical.name == "gold" and bool(column.values)
        )  # whose words can be mapped
        return mapped or any(is_understood(canonical.type, example) for example in column.examples)
    used = {c.name: c for c in sniffed.columns}
    choice, score = (used.get(sources.get(answer, "")) for answer in ("choice", "score"))
    if canonical.name == "expert" and choice is not None and column.distinct > 1:  # else names of experts
        return not {*dict(column.values)}.isdisjoint(dict(choice.values))
    values = {value for value, _ in column.values}
    others = (other for other in sniffed.columns if other is not column and other.distinct > 1)
    alike = next((other for other in others if len(values & {value for value, _ in other.values}) > 1), None)
    if canonical.name == "gold":
        may_mark = plain_name(column.name) in CHECK and choice is not None
        is_called = plain_name(column.name) in EXPECTED and not may_mark
        return is_called or not _is_mark(column, choice or alike)
    if canonical.name == "check" and kind.name == "choices":
        return _is_mark(column, choice or alike)
    if canonical.name == "check":
        values = {example.casefold() for example in column.examples}
        answers = score is not None and column.filled and (score.low, score.high) == (column.low, column.high)
        marks = 0 < column.distinct <= 2 and values <= {*_YES, *FALSE_CHECKS}
        return not answers and (column.filled < sniffed.looked_at or marks)
    return True


def _may_be_weight(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where numbers are about 1, as weights of ratings are, and are neither the item's nor all the same.

    A few of them may be no weights: -1 and -9 may stand for what is missing.
    """
    about_one = column.numbers >= _MOSTLY and column.low > -10 and 0 < column.high <= _HIGHEST_WEIGHT
    return about_one and column.distinct > 1 and not belongs_to(column, sniffed, ITEM)


def _is_mark(column: SniffedColumn, chosen: SniffedColumn | None) -> bool:
    """Return True where a column says yes or no of a row, and is no answer as those in `chosen` are."""
    words = {example.casefold() for example in column.examples}
    answers = {example.casefold() for example in chosen.examples} if chosen else set()
    two_classes = chosen is not None and column.distinct == 2 and len(positions_of(dict(chosen.values))) == 2
    return words <= {*_YES, *FALSE_CHECKS} and not words & answers and not two_classes


_MOST_COLUMNS, _LONGEST = 40, 60


def attribute_of_raters(name: str) -> str:
    """Return the canonical name of an attribute of raters.

    >>> attribute_of_raters("What is your age?"), attribute_of_raters("rater_region")
    ('rater_whatisyourage', 'rater_region')
    """
    return name if name.startswith("rater_") else f"rater_{plain_name(name)[:_LONGEST]}"


_GROUPS_BESIDE = "@names rater_group"


def add_further(
    sniffed: Sniffed, kind: Kind, mapping: dict[str, str | tuple[str, ...]], numbers: bool = True
) -> list[str]:
    """Add the unused columns that the kind can keep: attributes of raters, and numbers of the items and of both
    options. Return sentences about numbers that are of none of them."""
    if "option number" in kind.further and {"option_a", "option_b"} <= mapping.keys():
        _add_option_numbers(sniffed, mapping)
    used_names = {name for source in mapping.values() for name in named_by(source)}
    of_ratings, notes = [], []
    groups = [
        column
        for column in sniffed.columns
        if column.name not in used_names
        and is_attribute_of_raters(column, sniffed)
        and are_groups([value for value, _ in column.values])
    ]
    lacks_groups = kind.column("rater_group") and not {"rater_group", _GROUPS_BESIDE} & mapping.keys()
    if len(groups) == 1 and lacks_groups:
        mapping["rater_group"] = groups[0].name
        used_names.add(groups[0].name)
        values = listed([value for value, _ in groups[0].values])
        notes.append(f'"{groups[0].name}" is taken for the group of raters: it holds {values}.')
    rater = next((column for column in sniffed.columns if column.name == mapping.get("rater_id")), None)
    one_row_each = mapping.get("rater_id") == ROW or (
        rater is not None and rater.distinct == sniffed.looked_at
    )
    of_raters = mapping.get("@form") == "item columns" and one_row_each
    for column in sniffed.columns:
        plain = plain_name(column.name)
        if column.name in used_names or not plain:
            continue
        attribute = f"rater_{plain}" if plain in ATTRIBUTES else column.name.casefold()
        about_raters = (of_raters and is_beside_answers(column)) or is_attribute_of_raters(column, sniffed)
        if about_raters and not attribute.startswith("rater_"):
            attribute = attribute_of_raters(column.name)
        has_raters = "rater attribute" in kind.further and mapping.get("@form") != "rater columns"
        of_rater = has_raters and attribute.startswith("rater_")
        if of_rater and attribute not in mapping:
            mapping[attribute] = column.name
        elif (
            numbers
            and is_further_number(column, kind)
            and may_be_metric(column, sniffed)
            and len(mapping) < _MOST_COLUMNS
        ):
            item = mapping.get(kind.numbers_of[0])
            if len(kind.numbers_of) == 1 and item in sniffed.keys and item not in column.within:
                of_ratings.append(column.name)  # an item's rows hold several of these numbers
            else:
                mapping[column.name] = column.name
    if of_ratings:
        is_not, differ = ("is not", "it differs") if len(of_ratings) == 1 else ("are not", "they differ")
        notes.append(
            f"{listed(of_ratings)} {is_not} kept: {differ} between the {kind.rows} of an {kind.numbered}."
        )
    return notes


def _add_option_numbers(sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]]) -> None:
    """Add pairs of unused columns that hold the same quantity of both options."""
    candidates = [
        column.name
        for column in sniffed.columns
        if column.name not in mapping.values()
        and column.filled > 0
        and column.numbers >= _MOSTLY
        and -10 < column.low <= column.high < _TIME  # -1 and -9 may stand for what is missing
    ]
    for quantity, pair in pairs_of(candidates).items():
        names = f"{quantity}_a", f"{quantity}_b"
        if not {*names} & mapping.keys() and len(mapping) < _MOST_COLUMNS:
            mapping |= dict(zip(names, pair, strict=True))


def is_further_number(column: SniffedColumn, kind: Kind) -> bool:
    reserved = {canonical.name for canonical in kind.columns} | RESERVED
    return (
        column.filled > 0
        and column.numbers >= (0.8 if kind.needs_further else 1)
        and column.name.casefold() not in reserved
        and not column.name.startswith("@")
        and len(column.name) <= 60
    )
