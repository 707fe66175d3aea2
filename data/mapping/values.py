"""Replacements of values: words for the points of a scale numbers, spellings of yes and no one label, gold the labels.

One entry of a mapping for each canonical column, such as `@values score`: the values as found, each followed by what
it becomes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from data.kinds.answer_words import (
    END_RANKS,
    FEWEST,
    is_understood,
    number_in,
    plain_word,
    points_of,
    points_without_middle,
    positions_of,
    truth_of,
)
from data.kinds.kind import Kind
from data.kinds.names import FOREIGN, plain_name
from data.mapping.plan import MISSING
from data.tables.sniffed import MISSING as MISSING_CODES
from data.tables.sniffed import Sniffed, SniffedColumn, is_any_number, is_number, named_by

_LABELS, _TRUE = "choice", "gold"
RATING_NAMES = ("score", "rating", "ratings", "vote", "votes", "mos", *FOREIGN["score"])
"""Names of columns that hold ratings, whatever their values look like."""
_SHOWN = 7
_NO_OPINION = re.compile(
    r"no (?:idea|opinion|answer)|(?:i )?(?:don['’]?t|do not) know|(?:i )?can(?:['’]?t|not) (?:say|tell|judge)|not sure|"
    r"unsure|wei(?:ß|ss) nicht|keine (?:ahnung|angabe|meinung)|(?:je )?ne sais pas|sans avis|no s[eé]|non so|"
    r"n[aã]o sei|dk",
    re.IGNORECASE,
)
"""Answers of raters who have none, beside words of a scale."""
_MOST_UNKNOWN = 0.02
"""Share of answers in words that are no points of the scale of the others."""
_Mapping = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Becomes:
    """A value as found, the number of rows with it, and its replacement; "" where that is unknown."""

    found: str
    times: int
    becomes: str


def values_to_map(
    sniffed: Sniffed,
    kind: Kind,
    mapping: _Mapping,
    middle: bool = False,
    labels: Mapping[str, int] | None = None,
) -> Mapping[str, tuple[Becomes, ...]]:
    """Return the values to be replaced of each canonical column that needs it, with their meanings. `middle`: a scale
    without a word for neither had one, which nobody chose. `labels`: those of the data set to which the file is added,
    and how often they were chosen."""
    sniffed = _without_missing(sniffed, kind, mapping)
    if kind.name == "ratings" and mapping.get("@scores") != "leading number":
        scores = _words(sniffed, mapping.get("score"), middle)
        if not scores:
            return {}
        points = {row.found: row.becomes for row in scores}
        expected = _count_values(sniffed, mapping.get("expected"))
        expected_values = tuple(
            Becomes(value, times, points[value]) for value, times in expected.items() if value in points
        )
        return {"score": scores} | ({"expected": expected_values} if expected_values else {})
    if kind.name == "choices" and "option_a" not in mapping:
        return _labels(sniffed, mapping, list(labels or ()))
    if kind.name == "rankings":
        return _ranks(_count_values(sniffed, mapping.get("rank")))
    if _is_judged(kind):
        return _grade_judgments(sniffed, mapping)
    return (
        _gold_labels(_count_values(sniffed, mapping.get(_TRUE)), list(labels))
        if labels and kind.column(_TRUE)
        else {}
    )


def lacks_middle(sniffed: Sniffed, kind: Kind, mapping: _Mapping) -> bool:
    """Return True where the ratings are words of a scale of which only the one for neither is not there."""
    sniffed = _without_missing(sniffed, kind, mapping)
    words = _count_values(sniffed, mapping.get("score")) if kind.name == "ratings" else {}
    return bool(points_without_middle(words))


def as_entry(values: Sequence[Becomes]) -> tuple[str, ...]:
    """Return the entry of a mapping: the values with a replacement, each followed by that."""
    return tuple(text for value in values if value.becomes for text in (value.found, value.becomes))


def describe_values(kind: Kind, values: Mapping[str, tuple[Becomes, ...]]) -> tuple[str, ...]:
    """Return sentences about the replacements of values, and about values without one."""
    return tuple(note for name, rows in values.items() for note in _describe_rows(kind, name, rows))


def _ranks(rank_of: Mapping[str, int]) -> Mapping[str, tuple[Becomes, ...]]:
    """Return the ranks of options that are marked as the best, the worst and others; {} for ranks."""
    rank_by_word = {word: END_RANKS.get(word.casefold(), 0) for word in rank_of}
    if {*rank_by_word.values()} != {1, 2, 3}:
        return {}
    return {"rank": tuple(Becomes(word, times, str(rank_by_word[word])) for word, times in rank_of.items())}


def _describe_rows(kind: Kind, name: str, rows: Sequence[Becomes]) -> list[str]:
    beginnings = {
        "score": "The ratings are words",
        "expected": "So are the expected ones",
        "rank": "The ranks say best and worst",
        _LABELS: "Labels are spelt in more than one way",
    }
    replacements = [
        f'"{row.found}" is read as {row.becomes}' for row in rows if row.becomes and row.becomes != row.found
    ]
    open_texts = [f'"{row.found}"' for row in rows if not row.becomes]
    notes = []
    if replacements:
        examples = ", ".join(replacements[:_SHOWN]) + (" …" if len(replacements) > _SHOWN else "")
        notes.append(
            f"{beginnings.get(name, 'Gold answers are called by other names')}: {examples}. Change it in the table "
            "of values."
        )
    if name == "score" and points_without_middle(row.found for row in rows):
        notes.append(
            "Nobody gave the answer in the middle, such as neutral: this is taken for a scale without one. If it had "
            "one, say so at the table of values; the points above it are then one more."
        )
    open_values, request = ", ".join(open_texts[:_SHOWN]), "say in the table of values"
    if open_texts and name == _TRUE and _is_judged(kind):
        notes.append(
            f"Gold is {open_values}: {request} whether that is relevant (1) or not (0), or it is left empty."
        )
    elif open_texts and name == "score":
        reason = "is on no scale that is known here" if replacements else "is no number"
        notes.append(f"{open_values} {reason}: {request} what it becomes, or its rows are set aside.")
    elif open_texts and name == _LABELS:
        labels = " or ".join(open_texts[:_SHOWN])
        notes.append(
            f"The data set has no label {labels}: {request} which of its labels that is, or it stays a separate label."
        )
    elif open_texts:
        notes.append(f"Gold is {open_values}, which nobody chose: {request} which label each is.")
    return notes


def scaled(sniffed: Sniffed) -> Sniffed:
    """Return the table with words for points of a scale as the numbers that they become."""
    return replace(sniffed, columns=tuple(map(_scale_words, sniffed.columns)))


def _scale_words(column: SniffedColumn) -> SniffedColumn:
    if column.numbers + column.leading_numbers >= 0.95:
        return column
    points = points_of(value for value, _ in column.values)
    others = [
        (value, times)
        for value, times in column.values
        if value not in points and not is_any_number(value) and value.casefold() not in MISSING_CODES
        if not _NO_OPINION.fullmatch(value.strip(" .!"))
    ]
    unknown = [times for _, times in others if times > 1]
    if points and sum(unknown) > _MOST_UNKNOWN * column.filled:
        return column  # words of another scale, or labels
    if not points and plain_name(column.name) in RATING_NAMES:
        number_of = {value: number_in(value) for value, _ in column.values}
        points = {value: number for value, number in number_of.items() if number}
        points = points if len(set(points.values())) == len(points) >= FEWEST else {}
    times_of_points = sum(times for value, times in column.values if value in points)
    if not points or times_of_points < 0.5 * column.filled:
        return column
    numbers = [float(point) for point in points.values()]
    return replace(column, numbers=1.0, leading_numbers=0.0, low=min(numbers), high=max(numbers))


def _without_missing(sniffed: Sniffed, kind: Kind, mapping: _Mapping) -> Sniffed:
    """Return the table without the missing codes among its answers."""
    codes = {code.casefold() for code in mapping.get(MISSING, ())}
    answers = named_by(mapping.get(kind.cells_of(mapping.get("@form")), ()))

    def drop_codes(column: SniffedColumn) -> SniffedColumn:
        if not (codes and column.values and column.name in answers):
            return column
        values = tuple((value, times) for value, times in column.values if value.casefold() not in codes)
        return replace(column, values=values, filled=sum(times for _, times in values))

    return replace(sniffed, columns=tuple(map(drop_codes, sniffed.columns)))


def _count_values(sniffed: Sniffed, source: str | Sequence[str] | None) -> dict[str, int]:
    """Return the counts of the values of these columns in the first rows; {} where there are too many values."""
    sources = named_by(source or ())
    columns = [column for column in sniffed.columns if column.name in sources]
    if any(column.filled and not column.values for column in columns):
        return {}
    counts: dict[str, int] = {}
    for column in columns:
        for value, times in column.values:
            counts[value] = counts.get(value, 0) + times
    return counts


def _words(sniffed: Sniffed, source: str | Sequence[str] | None, middle: bool) -> tuple[Becomes, ...]:
    """Return the values of a rating that are no numbers, by the points they seem to be; points of the same number in
    words and figures are one."""
    counts = _count_values(sniffed, source)
    comma = "," if sniffed.decimal == "," else "."
    words = {word: times for word, times in counts.items() if not is_number(word.replace(comma, "."))}
    if not words:
        return ()
    points = (not middle and points_without_middle(counts)) or points_of(words)
    if not points:
        number_of = {word: number_in(word) for word in words}
        points = number_of if len(set(number_of.values()) - {""}) > 1 else {}
    return tuple(Becomes(word, times, points.get(word, "")) for word, times in words.items())


def _is_judged(kind: Kind) -> bool:
    """Return True where its gold answers are judgments of relevance."""
    gold = kind.column(_TRUE)
    return gold is not None and gold.type == "judgment"


def _labels(
    sniffed: Sniffed, mapping: _Mapping, dataset_labels: Sequence[str]
) -> Mapping[str, tuple[Becomes, ...]]:
    """Return labels and gold in one spelling: where a data set has `dataset_labels` and none of them is here, in
    these."""
    labels = _count_values(sniffed, mapping.get(_LABELS))
    gold = _count_values(sniffed, mapping.get(_TRUE))
    if dataset_labels and labels and _are_disjoint(dataset_labels, labels):
        spelling_of = _match_labels(labels, dataset_labels)
        label_of = {label: spelling_of.get(label, "") for label in labels}
        return {
            _LABELS: tuple(Becomes(label, times, label_of[label]) for label, times in labels.items())
        } | _gold_labels(gold, dataset_labels)
    spelling_of = _common_spelling(labels)
    entries = {}
    if any(label != becomes for label, becomes in spelling_of.items()):
        entries[_LABELS] = tuple(
            Becomes(label, times, spelling_of[label])
            for label, times in labels.items()
            if label in spelling_of
        )
    used_labels = list(dict.fromkeys(spelling_of.get(label, label) for label in labels))
    return entries | _gold_labels(gold, used_labels, respelt=bool(entries))


def _gold_labels(
    gold: Mapping[str, int], labels: Sequence[str], respelt: bool = False
) -> dict[str, tuple[Becomes, ...]]:
    """Return gold answers as labels, where they share none with these, or where these are `respelt`."""
    if not gold or not labels or not (respelt or _are_disjoint(labels, gold)):
        return {}
    label_of_answer = _match_labels(gold, labels)
    if not (respelt or len(gold) > 1 or label_of_answer):
        return {}
    return {
        _TRUE: tuple(
            Becomes(answer, times, label_of_answer.get(answer, answer if answer in labels else ""))
            for answer, times in gold.items()
            if answer not in labels or respelt
        )
    }


def _grade_judgments(sniffed: Sniffed, mapping: _Mapping) -> Mapping[str, tuple[Becomes, ...]]:
    """Return gold judgments in other words than yes and no; of grades, as TREC has them, all above 0 are relevant."""
    gold = _count_values(sniffed, mapping.get(_TRUE))
    if all(is_understood("judgment", answer) for answer in gold):
        return {}

    def grade(answer: str) -> str:
        if is_understood("judgment", answer):
            return answer
        return ("1" if float(answer) > 0 else "0") if is_number(answer) else ""

    return {_TRUE: tuple(Becomes(answer, times, grade(answer)) for answer, times in gold.items())}


def _are_disjoint(labels: Sequence[str], gold: Mapping[str, int]) -> bool:
    """Return True where no gold answer is one of the labels."""
    return not set(labels) & set(gold)


def _common_spelling(labels: Mapping[str, int]) -> Mapping[str, str]:
    """Return the most frequent word for yes and for no, where all labels say one of these and some say it
    differently."""
    truths = {label: truth_of(label) for label in labels}
    if not labels or None in truths.values():
        return {}
    most_frequent = {
        truth: max((label for label in labels if truths[label] is truth), key=lambda label: labels[label])
        for truth in set(truths.values())
    }
    return {label: most_frequent[truth] for label, truth in truths.items()}


def _match_labels(gold: Mapping[str, int], labels: Sequence[str]) -> Mapping[str, str]:
    """Return the label that each gold answer seems to be: the same word, else the same position in an order; nothing
    where that does not assign all of them."""
    label_by_word = {plain_word(label): label for label in labels}
    label_of_answer = {answer: label_by_word.get(plain_word(answer), "") for answer in gold}
    if all(label_of_answer.values()) and len(label_by_word) == len(labels):
        return label_of_answer
    position_of_answer = positions_of(gold)
    label_by_position = {position: label for label, position in positions_of(labels).items()}
    if (
        position_of_answer
        and len(label_by_position) == len(labels)
        and set(position_of_answer.values()) <= set(label_by_position)
    ):
        return {answer: label_by_position[position] for answer, position in position_of_answer.items()}
    return {}
