"""The reference's answers beside a candidate's, an answer of each rater to each item."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError
from analysis.values.types import Codes, Floats


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers (N,) by item, of items with a candidate's answer and two reference raters or more.

    `item` codes ascending, `rater` codes of `raters` (w,), which holds everyone; `value` and the `candidate`'s of the
    same item are numbers, or codes of labels. `without_candidate` and `alone` count the items left out.
    """

    item: Codes
    rater: Codes
    value: Floats
    candidate: Floats
    items: int
    raters: NDArray[Any]
    without_candidate: int
    alone: int

    @property
    def size(self) -> Codes:
        """Answers of each item (n,)."""
        return np.bincount(self.item, minlength=self.items)


def beside(
    rater: ArrayLike, item: ArrayLike, value: ArrayLike, candidate: Mapping[Any, Any], numeric: bool
) -> Answers:
    """Answers in numbers, or labels as codes; several of a rater to an item count as their mean, or the commonest."""
    columns = {
        name: np.asarray(given) for name, given in (("rater", rater), ("item", item), ("value", value))
    }
    shapes = {name: column.shape for name, column in columns.items()}
    if len(set(shapes.values())) > 1 or columns["item"].ndim != 1:
        raise InputError(f"`rater`, `item` and `value` must be 1-d and equally long, got shapes {shapes}")
    raters, of_rater = np.unique(columns["rater"], return_inverse=True)
    items, of_item = np.unique(columns["item"], return_inverse=True)
    named = {one: answer for one, answer in candidate.items() if answer is not None and answer == answer}
    known = np.array([one in named for one in items.tolist()], dtype=bool)
    told = [named.get(one) for one in items.tolist()]
    values, others = (_numbers if numeric else _labels)(columns["value"], told, known)
    kept = known[of_item]
    cell, of_cell = np.unique(of_item[kept] * len(raters) + of_rater[kept], return_inverse=True)
    answer = (
        _mean(values[kept], of_cell, len(cell)) if numeric else commonest(values[kept], of_cell, len(cell))
    )
    place, who = np.divmod(cell, max(len(raters), 1))
    size = np.bincount(place, minlength=len(items))
    several = size >= 2
    shared = several[place]
    _, code = np.unique(place[shared], return_inverse=True)
    return Answers(
        code.astype(np.int64),
        who[shared],
        answer[shared],
        others[place[shared]],
        int(several.sum()),
        raters,
        int((~known).sum()),
        int((size == 1).sum()),
    )


def _numbers(value: NDArray[Any], told: list[Any], known: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    def read(name: str, given: Any) -> Floats:
        try:
            array = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"`{name}` must hold numbers for this score: {error}") from error
        if not np.isfinite(array).all():
            raise InputError(f"`{name}` must hold finite numbers; leave out what is missing")
        return array

    others = np.full(len(told), np.nan)
    others[known] = read("candidate", [one for one, there in zip(told, known, strict=True) if there])
    return read("value", value), others


def _labels(value: NDArray[Any], told: list[Any], known: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Codes of labels; numbers are the same label where they are equal, anything else where it reads the same."""
    there = [one for one, is_known in zip(told, known, strict=True) if is_known]
    both = [*value.tolist(), *there]
    numeric = all(isinstance(one, int | float | np.number) for one in both)
    labels = np.array(both, dtype=np.float64) if numeric else np.array([str(one) for one in both], dtype=str)
    _, code = np.unique(labels, return_inverse=True)
    others = np.full(len(told), np.nan)
    others[known] = code[len(value) :]
    return code[: len(value)].astype(np.float64), others


def summed(code: Codes, weight: NDArray[Any], groups: int) -> Floats:
    """(groups,) the sum of the weights of each."""
    return np.asarray(np.bincount(code, weight, groups), dtype=np.float64)


def _mean(values: Floats, cell: Codes, cells: int) -> Floats:
    return summed(cell, values, cells) / np.maximum(np.bincount(cell, minlength=cells), 1)


def commonest(values: Floats, cell: Codes, cells: int) -> Floats:
    """Each cell's commonest label; of equally common ones the first in order."""
    labels = int(values.max(initial=-1)) + 1
    pair, number = np.unique(cell * labels + values.astype(np.int64), return_counts=True)
    of, label = np.divmod(pair, max(labels, 1))
    order = np.lexsort((label, -number, of))
    _, first = np.unique(of[order], return_index=True)
    return np.asarray(label[order][first], dtype=np.float64)
