"""Majority voting: each item's share of votes, and the label most of them give."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.types import Codes, Floats
from analysis.values.votes import Votes, coded

ALIKE = 1e-9
"""Shares or probabilities no further apart than this are a tie: rounding must not choose the label."""


@dataclass(frozen=True, eq=False)
class Majority:
    """By item: the label with most votes, the share of each option, and whether several have most.

    `posterior` by item holds an array (k,) in the order of `options`; of tied options, the first is the label.
    """

    options: tuple[Any, ...]
    label: dict[Any, Any]
    posterior: dict[Any, Floats]
    tied: dict[Any, bool]


def fit(rater: ArrayLike, item: ArrayLike, label: ArrayLike) -> Majority:
    """The label that most raters give to each item.

    Parameters
    ----------
    rater, item, label : (N,) any ids

    Returns
    -------
    Majority
        of all items that occur; options are the labels that occur, sorted.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not when raters differ much in care: see `glad`, `dawid_skene` and `pcch`.
    Source: Habibi and Popescu-Belis 2012, section 6 (majority voting).
    """
    of = coded(rater, item, label)
    share = shares(of.votes)
    code, tied = most_probable(share)
    items = of.item_ids.tolist()
    return Majority(
        of.options,
        {name: of.options[place] for name, place in zip(items, code.tolist(), strict=True)},
        dict(zip(items, share, strict=True)),
        dict(zip(items, tied.tolist(), strict=True)),
    )


def shares(votes: Votes) -> Floats:
    """Share (q, k) of each item's votes that each option has (RV with equal weights, Habibi and Popescu-Belis 2012,
    section 5.2, Eq. 2)."""
    cell = votes.item * votes.options + votes.choice
    counts = np.bincount(cell, minlength=votes.items * votes.options).reshape(votes.items, votes.options)
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), np.nan)


def most_probable(posterior: Floats) -> tuple[Codes, NDArray[np.bool_]]:
    """The option with the highest share or probability, and whether others have as much (departs from drawing
    lots among ties, so that the same votes always give the same label)."""
    if posterior.shape[-1] == 0:
        return np.full(posterior.shape[:-1], -1), np.zeros(posterior.shape[:-1], dtype=np.bool_)
    highest = posterior >= posterior.max(axis=-1, keepdims=True) - ALIKE
    known = highest.any(axis=-1)
    return np.where(known, highest.argmax(axis=-1), -1), highest.sum(axis=-1) > 1
