"""Answers of the reference and of a candidate, one of each rater to each item, and means without each rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.resampling.carried import VarianceEstimate, add_variances, item_variance
from analysis.resampling.intervals import jackknife_covariance
from analysis.values.estimate import Codes, Floats, InputError, OnProgress, Scope
from analysis.values.ratings import Ratings, coded, ratio, sums_of_pairs


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


KNOWN = ("expert", "gold")
"""Columns of choices with one answer per item."""
_NO_SIDE = 10**6
"""Above the codes of systems: both, neither and a tie are separate answers."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """Choices (n,): codes of `item` and `rater`, of the answer, and of each `KNOWN` column's answer, -1 for none."""

    item: Codes
    rater: Codes
    answer: Codes
    known: Mapping[str, Codes]


def chosen(choices: Mapping[str, NDArray[Any]], systems: int, designs: int) -> Chosen:
    """Choices as the store has them (`analysis.workers.polls.Choices`), between so many systems (0: labels) under so
    many designs."""
    first, second = choices["first"], choices["second"]
    item = choices["item"] * (designs + 1) + choices["design"] + 1
    for side in (np.minimum(first, second), np.maximum(first, second)):
        item = item * (systems + 1) + side + 1

    def answers(column: str) -> Codes:
        codes = choices[column]
        if not systems:
            return codes
        other = np.where(codes > 1, codes + _NO_SIDE, -1)
        return np.where(codes == 0, first, np.where(codes == 1, second, other))

    return Chosen(item, choices["rater"], answers("choice"), {column: answers(column) for column in KNOWN})


def covariances(
    items: Floats,
    raters: Floats,
    ratings: Floats,
    times: Floats | None = None,
    scope: Scope = "raters like these",
) -> tuple[Floats, Floats]:
    """Over items and by raters, (s, s) each, of figures without each item (n, s), rater (w, s) and rating (N, s), of
    which each stands for `times` (N,) equal ones; by raters 0 for these raters.

    What raters carry from item to item is what leaving them out changes beyond what leaving out single ratings does.
    Source: Cameron, Gelbach and Miller 2011, section 2.2 (items + raters - their crossing); Tukey 1958.
    """
    if scope == "these raters":
        return jackknife_covariance(items), np.zeros((items.shape[1], items.shape[1]))
    carried = jackknife_covariance(raters) - jackknife_covariance(ratings, times)
    if np.isnan(carried).any():
        return jackknife_covariance(items), carried
    size, along = np.linalg.eigh(carried)
    return jackknife_covariance(items), (along * np.maximum(size, 0.0)) @ along.T


def chance_along(contrast: Floats, parts: tuple[Floats, Floats], items: int, raters: int) -> VarianceEstimate:
    """The variance of a contrast (s,) of the figures, with Satterthwaite's degrees of freedom."""
    over_items, by_raters = (float(contrast @ part @ contrast) for part in parts)
    return add_variances(
        item_variance(over_items, items), VarianceEstimate(by_raters, by_raters**2 / max(raters - 1, 1))
    )


FEWEST_ITEMS = 5
MOST_SCORES = 4
"""Scores for each rating of an item up to which some of its ratings are looked for that are equal."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over items, each (…,): `n` of them, `ratings`, their squares per item and the sum of 1 / ratings; `within`
    squares of ratings around their item's mean and its `degrees`; `means` and `weighted` (by ratings) means, and the
    squares of both; candidates (…, k): `values`, `crossed` with the means, and (…, k, k) with each other.
    """

    n: Floats
    ratings: Floats
    ratings_squared: Floats
    over_ratings: Floats
    within: Floats
    degrees: Floats
    means: Floats
    squares: Floats
    weighted: Floats
    weighted_squares: Floats
    values: Floats
    crossed: Floats
    together: Floats

    @property
    def noise(self) -> Floats:
        """(…,) the variance of one rating around its item."""
        return ratio(self.within, self.degrees)

    @property
    def reliability(self) -> Floats:
        """(…,) of one rating: ICC(C,1) of complete ratings, else ICC(1,1)."""
        of_means = (self.weighted_squares - self.weighted**2 / self.ratings) / (self.n - 1)
        typical = (self.ratings - self.ratings_squared / self.ratings) / (self.n - 1)
        between = (of_means - self.noise) / typical
        return between / (between + self.noise)

    @property
    def reliability_of_means(self) -> Floats:
        """(…,) of the mean of as many ratings as items have, by their harmonic mean."""
        k, one = self.n / self.over_ratings, self.reliability
        return k * one / (1 + (k - 1) * one)

    @property
    def noise_of_means(self) -> Floats:
        """(…,) the mean variance of an item's mean around what all raters would say."""
        return self.noise * self.over_ratings / self.n

    def covariance_with_means(self) -> Floats:
        """(…, k) of each candidate with the means."""
        return (self.crossed - self.values * (self.means / self.n)[..., None]) / (self.n - 1)[..., None]

    def variance_of_means(self) -> Floats:
        """(…,) of the items' means."""
        return (self.squares - self.means**2 / self.n) / (self.n - 1)

    def covariance_of_values(self) -> Floats:
        """(…, k, k) of the candidates."""
        outer = self.values[..., :, None] * self.values[..., None, :] / self.n[..., None, None]
        return (self.together - outer) / (self.n - 1)[..., None, None]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The sums of all (), and without each item (n,), each rater (w,) and each rating, once for all that are equal
    (c,) and `times` (c,) as many."""

    every: Sums
    items: Sums
    raters: Sums
    ratings: Sums
    times: Floats


def left_out(
    reference: Ratings,
    candidates: Sequence[Mapping[Any, float]],
    parts: bool = True,
    on_progress: OnProgress = None,
) -> LeftOut:
    """The sums over items that the reference and all candidates rated; several ratings of a rater count as their mean.

    Where every rater rated every item, raters' own means are taken off first. Without `parts` nothing is left out.
    """
    tell = on_progress or (lambda _: None)
    ids, of_item = coded(reference.item)
    told = np.array(
        [[each.get(one, np.nan) for each in candidates] for one in ids.tolist()], dtype=np.float64
    )
    told = told.reshape(len(ids), len(candidates))
    if np.isinf(told).any():
        raise InputError("a candidate's values must be finite; leave out what is missing")
    shared = np.asarray(np.isfinite(told).all(axis=1))
    of_rater = coded(reference.rater)[1]
    kept = shared[of_item]
    item, rater, total_given, times = sums_of_pairs(of_item[kept], of_rater[kept], reference.score[kept])
    score = total_given / times
    item, rater = coded(item)[1], coded(rater)[1]
    values = told[shared]
    n, w = len(values), int(rater.max(initial=-1)) + 1
    complete = len(item) == n * w
    given, one = _alike(item, np.arange(len(item)) if complete else coded(score)[1])
    score = score - (score.mean() if len(score) else 0.0)
    if complete and w:
        score = score - (np.bincount(rater, score, w) / n)[rater]
    values = values - values.mean(axis=0) if n else values
    tell(0.2)
    number = np.bincount(item, minlength=n).astype(np.float64)
    total, squares = summed(item, score, n), summed(item, score**2, n)
    own = _terms(number, total, squares, values)
    whole = own.sum(axis=0)
    lost, k = (float(w - 1) if complete else 0.0), values.shape[1]
    if not parts:
        every, none = _named(whole, k, lost), _named(np.zeros((0, len(whole))), k, lost)
        return LeftOut(every, none, _named(np.zeros((w, len(whole))), k, lost), none, np.zeros(0))
    tell(0.4)
    its, less = item[one], score[one]
    change = _terms(number[its] - 1, total[its] - less, squares[its] - less**2, values[its])
    tell(0.6)
    change -= own[its]
    tell(0.7)
    by_rater = sparse.csr_array((np.ones(len(given)), (rater, given)), shape=(w, len(one))) @ change
    change += whole
    tell(0.8)
    return LeftOut(
        _named(whole, k, lost),
        _named(whole - own, k, lost),
        _named(whole + by_rater, k, max(lost - 1, 0.0)),
        _named(change, k, lost),
        np.bincount(given, minlength=len(one)).astype(np.float64),
    )


def _alike(item: Codes, score: Codes) -> tuple[Codes, Codes]:
    """Each rating's place (N,) among the different ratings of items, and one of each of these (c,).

    Of so many scores that few ratings are equal each is different.
    """
    each, scores = np.arange(len(item)), int(score.max(initial=-1)) + 1
    if scores * (int(item.max(initial=-1)) + 1) > MOST_SCORES * len(item):
        return each, each
    ids, place = coded(item * scores + score)
    one = np.empty(len(ids), dtype=np.int64)
    one[place] = each
    return place, one


def of_all(number: Floats, total: Floats, squares: Floats, values: Floats) -> tuple[Sums, Sums]:
    """The sums, with nothing left out and without each item (n,), from the number of an item's ratings (n,), their
    total and squares about any one value, and one candidate's values (n,); only where not every rater rated every
    item."""
    at = total.sum() / max(number.sum(), 1.0)
    about, squared = total - number * at, squares - 2 * at * total + number * at**2
    around = (values - values.mean() if len(values) else values)[:, None]
    own = _terms(number.astype(np.float64), about, squared, around)
    whole = own.sum(axis=0)
    return _named(whole, 1, 0.0), _named(whole - own, 1, 0.0)


def _terms(number: Floats, total: Floats, squares: Floats, values: Floats) -> Floats:
    """(rows, terms) what an item adds to each sum; nothing without a rating."""
    there = number > 0
    safe = np.where(there, number, 1.0)
    mean = total / safe
    within = np.maximum(squares - total * mean, 0.0)
    columns = [there, number, number**2, 1 / safe, within, number - 1, mean, mean**2, total, total * mean]
    both = values[:, :, None] * values[:, None, :]
    rows = np.column_stack(
        [*columns, values, values * mean[:, None], both.reshape(len(values), values.shape[1] ** 2)]
    ).astype(np.float64, copy=False)
    rows[~there] = 0.0
    return rows


def _named(sums: Floats, k: int, lost: float) -> Sums:
    """The sums (…, terms) by name; `lost` degrees went to raters' means."""
    single = np.moveaxis(sums[..., :10], -1, 0)
    values, crossed, together = (
        sums[..., 10 : 10 + k],
        sums[..., 10 + k : 10 + 2 * k],
        sums[..., 10 + 2 * k :],
    )
    n, ratings, squared, over, within, degrees, means, squares, weighted, weighted_squares = single
    return Sums(
        n,
        ratings,
        squared,
        over,
        within,
        degrees - lost,
        means,
        squares,
        weighted,
        weighted_squares,
        values,
        crossed,
        together.reshape(*sums.shape[:-1], k, k),
    )
