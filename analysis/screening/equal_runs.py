"""Equal scores in a row, as a rater gives who does not look."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.screening.rating_columns import equally_long
from analysis.values.codes import coded
from analysis.values.types import Counts, Floats


@dataclass(frozen=True, eq=False)
class Runs:
    """Equal answers in a row.

    `raters` (w,), `ratings` (w,) counts, `longest` (w,) run, `repeated` (w,) share of answers that equal the
    one before (NaN for one answer), `chance` (w,) that the same answers in random order give a run at least
    as long: at most this.
    """

    raters: NDArray[Any]
    ratings: Counts
    longest: Counts
    repeated: Floats
    chance: Floats


def runs(rater: ArrayLike, score: ArrayLike, order: ArrayLike) -> Runs:
    """How long each rater kept giving the same answer.

    Parameters
    ----------
    rater : (N,) ids
    score : (N,) numbers
    order : (N,) place in time; ties as they stand, unknown (NaN) last

    Returns
    -------
    Runs
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not where the items come sorted by quality. `chance` is the expected number of runs of `longest` or more answers,
    at most 1: with c of n answers equal to v, (n - c + 1) c (c - 1) … / (n (n - 1) …) with `longest` factors, summed
    over v. It is close to the true probability where that is small. One who gave a single answer throughout has
    chance 1: no order would differ; look at the longest run.
    Source: Mood 1940, "The distribution theory of runs", section 3 (expected numbers); Boole's inequality.

    >>> equal = runs(["a"] * 6, [3, 3, 3, 3, 1, 2], range(6))
    >>> equal.longest, equal.repeated, equal.chance
    (array([4]), array([0.6]), array([0.2]))
    """
    ids, values, places = equally_long(rater=rater, score=score, order=order)
    raters, code = coded(ids)
    w, total = len(raters), len(code)
    count = np.bincount(code, minlength=w)
    by_time = _by_rater_and_time(code, places.astype(np.float64))
    who, said = code[by_time], values[by_time]
    same = (who[1:] == who[:-1]) & (said[1:] == said[:-1])
    start = np.flatnonzero(np.concatenate([np.ones(min(total, 1), dtype=np.bool_), ~same]))
    longest = np.zeros(w, dtype=np.int64)
    np.maximum.at(longest, who[start], np.diff(start, append=total))
    repeats = np.bincount(who[1:][same], minlength=w)
    repeated = np.divide(repeats, count - 1, out=np.full(w, nan), where=count > 1)
    distinct, said_code = coded(said)
    answer, of_answer = coded(who * max(len(distinct), 1) + said_code)
    equal = np.bincount(of_answer)
    owner = answer // max(len(distinct), 1)
    often = equal >= longest[owner]
    owner, c = owner[often], equal[often]
    n, length = count[owner], longest[owner]
    log = special.gammaln(c + 1) - special.gammaln(c - length + 1)
    log -= special.gammaln(n + 1) - special.gammaln(n - length + 1)
    expected = np.bincount(owner, weights=(n - c + 1) * np.exp(log), minlength=w)
    return Runs(raters, count, longest, repeated, np.minimum(expected, 1.0))


def _by_rater_and_time(code: Counts, places: Floats) -> NDArray[np.intp]:
    """The order of the answers by rater and, within one, in time; unknown times last."""
    earlier, later = places[:-1], places[1:]
    if not (later >= earlier).all():
        return np.lexsort((places, code))
    few = code.max(initial=0) < 1 << 16
    return np.argsort(code.astype(np.uint16) if few else code, kind="stable")  # few codes need no comparing
