"""Replacements of values: words for the points of a scale numbers, spellings of yes and no one label, gold the labels.

One entry of a mapping for each canonical column, such as `@values score`: the values as found, each followed by what
it becomes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from data.kinds.answer_words import (
    ENDS_SAID,
    FEWEST,
    is_understood,
    number_in,
    places_of,
    plain_word,
    points_of,
    points_without_middle,
    truth_of,
)
from data.kinds.kind import Kind
from data.kinds.names import FOREIGN, plain_name
from data.mapping.plan import MISSING
from data.tables.sniffed import MISSING as MISSING_CODES
from data.tables.sniffed import Sniffed, SniffedColumn, is_any_number, is_number, named_by

_LABELS, _TRUE = "choice", "gold"
SAID = ("score", "rating", "ratings", "vote", "votes", "mos", *FOREIGN["score"])
"""Names that say that a column holds ratings, whatever its values look like."""
_SHOWN = 7
_MOST_UNKNOWN = 0.02
"""Share of answers in words that are no points of the scale of the others."""
_Mapping = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Becomes:
    """A value as found, how many of the rows looked at hold it, and what it becomes; empty where nobody knows yet."""

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
    """For each canonical column whose values need it, what they seem to mean. `middle`: a scale without a word for
    neither had one, which nobody chose. `labels`: those of the data set to which the file is added, and how often they
    were chosen."""
    sniffed = _without_missing(sniffed, kind, mapping)
    if kind.name == "ratings" and mapping.get("@scores") != "leading number":
        scores = _words(sniffed, mapping.get("score"), middle)
        if not scores:
            return {}
        points = {row.found: row.becomes for row in scores}
        expected = _counted(sniffed, mapping.get("expected"))
        same = tuple(
            Becomes(found, times, points[found]) for found, times in expected.items() if found in points
        )
        return {"score": scores} | ({"expected": same} if same else {})
    if kind.name == "choices" and "option_a" not in mapping:
        return _labels(sniffed, mapping, list(labels or ()))
    if kind.name == "rankings":
        return _ranks(_counted(sniffed, mapping.get("rank")))
    if _is_judged(kind):
        return _graded(sniffed, mapping)
    return _gold(_counted(sniffed, mapping.get(_TRUE)), list(labels)) if labels and kind.column(_TRUE) else {}


def lacks_middle(sniffed: Sniffed, kind: Kind, mapping: _Mapping) -> bool:
    """Return True where the ratings are words of a scale of which only the one for neither is not there."""
    sniffed = _without_missing(sniffed, kind, mapping)
    words = _counted(sniffed, mapping.get("score")) if kind.name == "ratings" else {}
    return bool(points_without_middle(words))


def as_entry(values: Sequence[Becomes]) -> tuple[str, ...]:
    """The entry of a mapping: what is mapped, without what nobody knows yet."""
    return tuple(text for value in values if value.becomes for text in (value.found, value.becomes))


def describe_values(kind: Kind, values: Mapping[str, tuple[Becomes, ...]]) -> tuple[str, ...]:
    """Sentences about what values are taken for, and what stays open."""
    return tuple(note for name, rows in values.items() for note in _describe_rows(kind, name, rows))


def _ranks(rank_of: Mapping[str, int]) -> Mapping[str, tuple[Becomes, ...]]:
    """Return the ranks of options that are called the best, the worst and others; nothing for ranks."""
    ends = {found: ENDS_SAID.get(found.casefold(), 0) for found in rank_of}
    if {*ends.values()} != {1, 2, 3}:
        return {}
    return {"rank": tuple(Becomes(found, times, str(ends[found])) for found, times in rank_of.items())}


def _describe_rows(kind: Kind, name: str, rows: Sequence[Becomes]) -> list[str]:
    called = {
        "score": "The ratings are words",
        "expected": "So are the expected ones",
        "rank": "The ranks say best and worst",
        _LABELS: "Labels are spelt in more than one way",
    }
    said = [
        f'"{row.found}" is read as {row.becomes}' for row in rows if row.becomes and row.becomes != row.found
    ]
    open_ = [f'"{row.found}"' for row in rows if not row.becomes]
    notes = []
    if said:
        shown = ", ".join(said[:_SHOWN]) + (" …" if len(said) > _SHOWN else "")
        notes.append(
            f"{called.get(name, 'Gold answers are called by other names')}: {shown}. Change it in the table of values."
        )
    if name == "score" and points_without_middle(row.found for row in rows):
        notes.append(
            "Nobody gave the answer in the middle, such as neutral: this is taken for a scale without one. If it had "
            "one, say so at the table of values; the points above it are then one more."
        )
    open_values, say = ", ".join(open_[:_SHOWN]), "say in the table of values"
    if open_ and name == _TRUE and _is_judged(kind):
        notes.append(
            f"Gold is {open_values}: {say} whether that is relevant (1) or not (0), or it is left empty."
        )
    elif open_ and name == "score":
        what = "is on no scale that is known here"
        notes.append(f"{open_values} {what}: {say} what it becomes, or its rows are set aside.")
    elif open_ and name == _LABELS:
        labels = " or ".join(open_[:_SHOWN])
        notes.append(
            f"The data set has no label {labels}: {say} which of its labels that is, or it stays a separate label."
        )
    elif open_:
        notes.append(f"Gold is {open_values}, which nobody chose: {say} which label each is.")
    return notes


def scaled(sniffed: Sniffed) -> Sniffed:
    """The table with words for points of a scale as the numbers that they become, for whoever looks for numbers."""
    return replace(sniffed, columns=tuple(map(_scaled, sniffed.columns)))


def _scaled(column: SniffedColumn) -> SniffedColumn:
    if column.numbers + column.leading_numbers >= 0.95:
        return column
    points = points_of(found for found, _ in column.values)
    others = [
        (found, times)
        for found, times in column.values
        if found not in points and not is_any_number(found) and found.casefold() not in MISSING_CODES
    ]
    unknown = [times for _, times in others if times > 1]
    if points and sum(unknown) > _MOST_UNKNOWN * column.filled:
        return column  # words of another scale, or labels
    if not points and plain_name(column.name) in SAID:
        number_of = {found: number_in(found) for found, _ in column.values}
        points = {found: number for found, number in number_of.items() if number}
        points = points if len(set(points.values())) == len(points) >= FEWEST else {}
    known = sum(times for found, times in column.values if found in points)
    if not points or known < 0.5 * column.filled:
        return column
    numbers = [float(point) for point in points.values()]
    return replace(column, numbers=1.0, leading_numbers=0.0, low=min(numbers), high=max(numbers))


def _without_missing(sniffed: Sniffed, kind: Kind, mapping: _Mapping) -> Sniffed:
    """The table without the missing codes among its answers."""
    codes = {code.casefold() for code in mapping.get(MISSING, ())}
    answers = named_by(mapping.get(kind.cells_of(mapping.get("@form")), ()))

    def less(column: SniffedColumn) -> SniffedColumn:
        if not (codes and column.values and column.name in answers):
            return column
        values = tuple((found, times) for found, times in column.values if found.casefold() not in codes)
        return replace(column, values=values, filled=sum(times for _, times in values))

    return replace(sniffed, columns=tuple(map(less, sniffed.columns)))


def _counted(sniffed: Sniffed, source: str | Sequence[str] | None) -> dict[str, int]:
    """Return how often the rows looked at hold each value of these columns; nothing where there are too many values."""
    sources = named_by(source or ())
    columns = [column for column in sniffed.columns if column.name in sources]
    if any(column.filled and not column.values for column in columns):
        return {}
    counted: dict[str, int] = {}
    for column in columns:
        for found, times in column.values:
            counted[found] = counted.get(found, 0) + times
    return counted


def _words(sniffed: Sniffed, source: str | Sequence[str] | None, middle: bool) -> tuple[Becomes, ...]:
    """The values of a rating that are no numbers, by the points they seem to be; points of the same number in words
    and figures are one."""
    counted = _counted(sniffed, source)
    comma = "," if sniffed.decimal == "," else "."
    words = {found: times for found, times in counted.items() if not is_number(found.replace(comma, "."))}
    if not words:
        return ()
    points = (not middle and points_without_middle(counted)) or points_of(words)
    if not points:
        number_of = {word: number_in(word) for word in words}
        points = number_of if len(set(number_of.values()) - {""}) > 1 else {}
    return tuple(Becomes(found, times, points.get(found, "")) for found, times in words.items())


def _is_judged(kind: Kind) -> bool:
    """Return True where its gold answers are judgments of relevance."""
    gold = kind.column(_TRUE)
    return gold is not None and gold.type == "judgment"


def _labels(sniffed: Sniffed, mapping: _Mapping, own: Sequence[str]) -> Mapping[str, tuple[Becomes, ...]]:
    """Labels and gold in one spelling: where a data set has its `own` labels and none of them is here, in these."""
    labels = _counted(sniffed, mapping.get(_LABELS))
    gold = _counted(sniffed, mapping.get(_TRUE))
    if own and labels and _share_nothing(own, labels):
        one = _same_as(labels, own)
        label_of = {label: one.get(label, "") for label in labels}
        return {
            _LABELS: tuple(Becomes(label, times, label_of[label]) for label, times in labels.items())
        } | _gold(gold, own)
    one = _one_spelling(labels)
    found = {}
    if any(label != becomes for label, becomes in one.items()):
        found[_LABELS] = tuple(
            Becomes(label, times, one[label]) for label, times in labels.items() if label in one
        )
    spoken = list(dict.fromkeys(one.get(label, label) for label in labels))
    return found | _gold(gold, spoken, respelt=bool(found))


def _gold(
    gold: Mapping[str, int], spoken: Sequence[str], respelt: bool = False
) -> dict[str, tuple[Becomes, ...]]:
    """Gold answers as labels, where they share none with these, or where these are `respelt`."""
    if not gold or not spoken or not (respelt or _share_nothing(spoken, gold)):
        return {}
    same = _same_as(gold, spoken)
    if not (respelt or len(gold) > 1 or same):
        return {}
    return {
        _TRUE: tuple(
            Becomes(answer, times, same.get(answer, answer if answer in spoken else ""))
            for answer, times in gold.items()
            if answer not in spoken or respelt
        )
    }


def _graded(sniffed: Sniffed, mapping: _Mapping) -> Mapping[str, tuple[Becomes, ...]]:
    """Gold judgments in other words than yes and no; of grades, as TREC has them, all above 0 are relevant."""
    gold = _counted(sniffed, mapping.get(_TRUE))
    if all(is_understood("judgment", found) for found in gold):
        return {}

    def grade(found: str) -> str:
        if is_understood("judgment", found):
            return found
        return ("1" if float(found) > 0 else "0") if is_number(found) else ""

    return {_TRUE: tuple(Becomes(found, times, grade(found)) for found, times in gold.items())}


def _share_nothing(labels: Sequence[str], gold: Mapping[str, int]) -> bool:
    """Return True where no gold answer is one of the labels."""
    return not set(labels) & set(gold)


def _one_spelling(labels: Mapping[str, int]) -> Mapping[str, str]:
    """The most frequent word for yes and for no, where all labels say one of these and some say it differently."""
    truths = {label: truth_of(label) for label in labels}
    if not labels or None in truths.values():
        return {}
    most = {
        truth: max((label for label in labels if truths[label] is truth), key=lambda label: labels[label])
        for truth in set(truths.values())
    }
    return {label: most[truth] for label, truth in truths.items()}


def _same_as(gold: Mapping[str, int], labels: Sequence[str]) -> Mapping[str, str]:
    """The label that each gold answer seems to be: the same word, else the same place in an order; nothing where that
    does not tell all of them."""
    plain = {plain_word(label): label for label in labels}
    same = {answer: plain.get(plain_word(answer), "") for answer in gold}
    if all(same.values()) and len(plain) == len(labels):
        return same
    places, by_place = places_of(gold), {place: label for label, place in places_of(labels).items()}
    if places and len(by_place) == len(labels) and set(places.values()) <= set(by_place):
        return {answer: by_place[place] for answer, place in places.items()}
    return {}
