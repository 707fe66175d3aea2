"""Encoded votes of raters on items, and the options that stand for the two lists of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Floats, InputError


@dataclass(frozen=True, eq=False)
class Votes:
    """N votes as codes from 0. Several votes of one rater on one item count separately.

    Parameters
    ----------
    item, rater, choice : (N,) codes
    items, raters, options : numbers of each, also without votes
    weight : (N,) weight of each vote in shares of a preference and on a scale, above 0; None: equal weights

    Raises
    ------
    InputError
        where lengths differ or a code is out of range.

    Notes
    -----
    Source: X_wqa of Habibi and Popescu-Belis 2012, section 5.1 (1 for the chosen option a of item q by worker w).
    """

    item: Codes
    rater: Codes
    choice: Codes
    items: int
    raters: int
    options: int
    weight: Floats | None = None

    def __post_init__(self) -> None:
        if self.weight is not None and (self.weight.shape != self.item.shape or not (self.weight > 0).all()):
            raise InputError(f"`weight` must hold {len(self)} numbers above 0, one for each vote")
        if not len(self.item) == len(self.rater) == len(self.choice):
            raise InputError(
                f"`item`, `rater` and `choice` must be equally long, got {len(self.item)}, {len(self.rater)} and "
                f"{len(self.choice)}"
            )
        for name, codes, count in (
            ("item", self.item, self.items),
            ("rater", self.rater, self.raters),
            ("choice", self.choice, self.options),
        ):
            if len(codes) and not (codes.min() >= 0 and codes.max() < count):
                raise InputError(f"codes of `{name}` must lie in 0 … {count - 1}")

    def __len__(self) -> int:
        return len(self.item)

    @property
    def weights(self) -> Floats:
        """Weight of each vote (N,), 1 by default."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def per_item(self) -> Codes:
        """Votes on each item (items,)."""
        return np.bincount(self.item, minlength=self.items)

    @property
    def per_rater(self) -> Codes:
        """Votes of each rater (raters,)."""
        return np.bincount(self.rater, minlength=self.raters)

    @property
    def per_option(self) -> Codes:
        """Votes for each option (options,)."""
        return np.bincount(self.choice, minlength=self.options)

    def select(self, mask: NDArray[np.bool_]) -> "Votes":
        """Return the masked votes, with the same codes.

        Source: leaving out workers, Habibi and Popescu-Belis 2012, section 6, Table 3.
        """
        numbers = self.items, self.raters, self.options
        weight = None if self.weight is None else self.weight[mask]
        return Votes(self.item[mask], self.rater[mask], self.choice[mask], *numbers, weight)


@dataclass(frozen=True)
class Lists:
    """Options for the first list, the second, both equally and neither; None for a missing option.

    A tie is an option `both`: it counts equally for either list.
    """

    first: int
    second: int
    both: int | None = None
    neither: int | None = None


@dataclass(frozen=True, eq=False)
class EncodedVotes:
    """Votes with the ids of their codes: item_ids (q,), rater_ids (w,), options in the given order."""

    votes: Votes
    item_ids: NDArray[Any]
    rater_ids: NDArray[Any]
    options: tuple[Any, ...]


def encode_votes(
    rater: ArrayLike, item: ArrayLike, choice: ArrayLike, options: Sequence[Any] | None = None
) -> EncodedVotes:
    """Encode votes with ids of any type."""
    item_ids, items = np.unique(np.asarray(item), return_inverse=True)
    rater_ids, raters = np.unique(np.asarray(rater), return_inverse=True)
    chosen, choices = np.unique(np.asarray(choice), return_inverse=True)
    all_options = list(chosen.tolist() if options is None else options)
    if len(set(all_options)) < len(all_options):
        raise InputError(f"`options` must name each option once, got {all_options!r}")
    unknown = [option for option in chosen.tolist() if option not in all_options]
    if unknown:
        raise InputError(f"a choice must be one of the options {all_options!r}, got {unknown[0]!r}")
    option_code = np.array([all_options.index(option) for option in chosen.tolist()], dtype=np.int64)
    votes = Votes(
        items.astype(np.int64),
        raters.astype(np.int64),
        option_code[choices] if len(option_code) else np.zeros(0, dtype=np.int64),
        len(item_ids),
        len(rater_ids),
        len(all_options),
    )
    return EncodedVotes(votes, item_ids, rater_ids, tuple(all_options))
