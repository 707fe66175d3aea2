"""Columns whose cells hold several labels: by a separator whose parts repeat in other cells, or as lists."""

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
class SetFormat:
    """Format of the sets of labels in a column; `is_certain` where its cells can be nothing else."""

    separator: str
    is_certain: bool


def sets_in(column: Column) -> SetFormat | None:
    """Return the format of the sets of labels in a column; None where it holds none."""
    if column.holds not in ("labels", "texts"):
        return None
    return detect_set_format(column.cells)


def detect_set_format(cells: Iterable[str]) -> SetFormat | None:
    """Return the format of the sets of labels in cells; None where they hold none.

    >>> detect_set_format(["joy", "anger;joy", "anger", "fear; joy", "fear"] * 2)
    SetFormat(separator=';', is_certain=True)
    >>> detect_set_format(["yes, I think", "no, never", "maybe"] * 2) is None
    True
    """
    counts = Counter(cell for cell in cells if cell and not is_missing(cell))
    if any(len(cell) > _LONGEST_CELL for cell in counts):
        return None
    for separator in SEPARATORS:
        share = _share_returning(counts, separator)
        if share >= _LIKELY:
            return SetFormat(separator, share >= _SURE)
    return None


def _share_returning(counts: Counter[str], separator: str) -> float:
    """Return the share of the labels in cells of several that stand in other cells too, 0 where cells hold no sets."""
    with_separator = (
        (cell[0] == "[" for cell in counts) if separator == LIST else (separator in cell for cell in counts)
    )
    if not (all(with_separator) if separator == LIST else any(with_separator)):
        return 0.0
    labels_of_cells = {cell: split_labels(cell, separator) for cell in counts}
    sets = {cell: labels for cell, labels in labels_of_cells.items() if labels is not None}
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
    values_by_position = [{*values} for values in zip(*sets, strict=True)]
    return sum(map(len, values_by_position)) == len(set[str]().union(*values_by_position))


def set_columns(columns: Sequence[Column]) -> tuple[tuple[Column, ...], SetFormat] | None:
    """Return columns that hold sets of the same labels side by side, two or more; None where there are none."""
    candidates = [
        column for column in columns if column.holds in ("labels", "texts") and not column.is_constant
    ]
    for separator in SEPARATORS:
        with_sets = [
            column
            for column in candidates
            if any(separator in cell for cell in column.filled) or separator == LIST
        ]
        vocabularies = {column.at: _labels_of(column, separator) for column in candidates}
        best: list[Column] = []
        for first in with_sets:
            vocabulary = vocabularies[first.at]
            matching = [
                column
                for column in candidates
                if vocabulary and _overlap(vocabularies[column.at], vocabulary)
            ]
            best = matching if len(matching) > len(best) else best
        set_format = (
            detect_set_format(cell for column in best for cell in column.cells) if len(best) > 1 else None
        )
        if set_format is not None and set_format.separator == separator:
            return tuple(best), set_format
    return None


def _labels_of(column: Column, separator: str) -> frozenset[str]:
    label_lists = [
        split_labels(cell, separator) for cell in column.values if not is_missing(cell) and cell != NO_LABELS
    ]
    if any(labels is None for labels in label_lists):
        return frozenset()
    return frozenset(label for labels in label_lists if labels is not None for label in labels)


def _overlap(first: frozenset[str], second: frozenset[str]) -> bool:
    return bool(first) and 2 * len(first & second) >= min(len(first), len(second))


_MARKS = ({"0", "1"}, {"0.0", "1.0"}, {"true", "false"})


def are_marks(column: Column) -> bool:
    """Return True where a column is full of 1 and 0, or of true and false, or some cells hold the same mark."""
    marks = {cell.casefold() for cell in column.values}
    by_pair = column.is_full and bool(marks) and any(marks <= pair for pair in _MARKS)
    return by_pair or (not column.is_full and len(marks) == 1 and marks <= {*CHOSEN})
