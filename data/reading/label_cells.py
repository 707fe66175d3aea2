"""Columns whose cells hold several labels: by a separator whose parts come again in other cells, or as lists."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.kinds.label_sets import CHOSEN, LIST, NO_LABELS, SEPARATORS, split_labels
from data.reading.columns import LONGEST_LABEL, Column, is_missing
from data.tables.sniffed import is_any_number

_LONGEST_CELL = 1_000
"""Characters of a cell."""
_LONGEST_WORDS = 4
"""Words of a label; what is longer is a sentence."""
_SURE, _LIKELY = 0.9, 0.5
"""Share of the labels of longer cells that stand in other cells too, from which these are or may be sets."""


@dataclass(frozen=True)
class HeldSets:
    """Form in which a column holds sets of labels; `sure` where its cells can be nothing else."""

    separator: str
    sure: bool


def sets_in(one: Column) -> HeldSets | None:
    """Return how a column holds sets of labels; None where it does not."""
    if one.holds not in ("labels", "texts"):
        return None
    return detect_set_format(one.cells)


def detect_set_format(cells: Iterable[str]) -> HeldSets | None:
    """Return how cells hold sets of labels; None where they do not.

    >>> detect_set_format(["joy", "anger;joy", "anger", "fear; joy", "fear"] * 2)
    HeldSets(separator=';', sure=True)
    >>> detect_set_format(["yes, I think", "no, never", "maybe"] * 2) is None
    True
    """
    counts = Counter(cell for cell in cells if cell and not is_missing(cell))
    if any(len(cell) > _LONGEST_CELL for cell in counts):
        return None
    for separator in SEPARATORS:
        share = _share_returning(counts, separator)
        if share >= _LIKELY:
            return HeldSets(separator, share >= _SURE)
    return None


def _share_returning(counts: Counter[str], separator: str) -> float:
    """Return the share of the labels in cells of several that stand in other cells too, 0 where cells hold no sets."""
    fits = (
        (cell[0] == "[" for cell in counts) if separator == LIST else (separator in cell for cell in counts)
    )
    if not (all(fits) if separator == LIST else any(fits)):
        return 0.0
    found = {cell: split_labels(cell, separator) for cell in counts}
    sets = {cell: labels for cell, labels in found.items() if labels is not None}
    if len(sets) < len(counts) or not any(len(labels) > 1 for labels in sets.values()):
        return 0.0
    tokens = Counter[str]()
    for cell, labels in sets.items():
        tokens.update(dict.fromkeys(labels, counts[cell]))
    if any(len({*labels}) < len(labels) for labels in sets.values()) or not _are_labels(tokens, separator):
        return 0.0
    if separator == LIST:
        return 1.0
    if _are_ids([*sets.values()]):
        return 0.0
    cells = Counter(label for labels in sets.values() for label in {*labels})
    joined = {label for labels in sets.values() if len(labels) > 1 for label in labels}
    if separator == "," and len(tokens) < 3:
        return 0.0
    return sum(cells[label] > 1 for label in joined) / len(joined)


def _are_labels(tokens: Counter[str], separator: str) -> bool:
    """Return True where these may be the labels of cells, with how often each occurs."""
    short = all(
        len(label) <= LONGEST_LABEL and len(label.split()) <= _LONGEST_WORDS and label[0] not in "{["
        for label in tokens
    )
    numbers = sum(map(is_any_number, tokens))
    return short and len(tokens) <= max(tokens.total() / 2, 2) and 2 * numbers <= len(tokens)


def _are_ids(sets: Sequence[tuple[str, ...]]) -> bool:
    """Return True where all cells have as many parts, each place its own: document and system, day and hour."""
    if len({len(labels) for labels in sets}) > 1:
        return False
    places = [{*place} for place in zip(*sets, strict=True)]
    return sum(map(len, places)) == len(set[str]().union(*places))


def set_columns(columns: Sequence[Column]) -> tuple[tuple[Column, ...], HeldSets] | None:
    """Return columns that hold sets of the same labels side by side, two or more; None where there are none."""
    able = [one for one in columns if one.holds in ("labels", "texts") and not one.is_constant]
    for separator in SEPARATORS:
        with_sets = [
            one for one in able if any(separator in cell for cell in one.filled) or separator == LIST
        ]
        vocabularies = {one.at: _labels_of(one, separator) for one in able}
        best: list[Column] = []
        for first in with_sets:
            own = vocabularies[first.at]
            alike = [one for one in able if own and _overlap(vocabularies[one.at], own)]
            best = alike if len(alike) > len(best) else best
        held = detect_set_format(cell for one in best for cell in one.cells) if len(best) > 1 else None
        if held is not None and held.separator == separator:
            return tuple(best), held
    return None


def _labels_of(one: Column, separator: str) -> frozenset[str]:
    found = [
        split_labels(cell, separator) for cell in one.values if not is_missing(cell) and cell != NO_LABELS
    ]
    if any(labels is None for labels in found):
        return frozenset()
    return frozenset(label for each in found if each is not None for label in each)


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and 2 * len(one & other) >= min(len(one), len(other))


_MARKS = ({"0", "1"}, {"0.0", "1.0"}, {"true", "false"})


def are_marks(one: Column) -> bool:
    """Return True where a column is full of 1 and 0, or of true and false, or some cells hold the same mark."""
    marks = {cell.casefold() for cell in one.values}
    by_pair = one.is_full and bool(marks) and any(marks <= pair for pair in _MARKS)
    return by_pair or (not one.is_full and len(marks) == 1 and marks <= {*CHOSEN})
