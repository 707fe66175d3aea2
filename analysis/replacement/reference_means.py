"""Answers of the reference with those of a candidate, and sums without each item, rater and rating."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.resampling.influence import VarianceEstimate, add_variances, item_variance
from analysis.resampling.intervals import jackknife_covariance
from analysis.values.estimate import Codes, Floats, InputError, OnProgress, Scope
from analysis.values.ratings import Ratings, coded, ratio, sum_by_code, sums_of_pairs


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers (N,) by item, for items with a candidate's answer and two or more reference raters.

    `item` codes ascending, `rater` codes of `raters` (w,), which includes all raters; `value` and the `candidate`'s
    answer to the same item are numbers, or codes of labels. `without_candidate` and `single_rater` count the
    excluded items.
    """

    item: Codes
    rater: Codes
    value: Floats
    candidate: Floats
    items: int
    raters: NDArray[Any]
    without_candidate: int
    single_rater: int

    @property
    def size(self) -> Codes:
        """Number of answers to each item (n,)."""
        return np.bincount(self.item, minlength=self.items)


def pair_with_candidate(
    rater: ArrayLike, item: ArrayLike, value: ArrayLike, candidate: Mapping[Any, Any], numeric: bool
) -> Answers:
    """Pair a reference's answers, as numbers or label codes, with a candidate's; repeated answers are averaged, or
    the most common one is taken."""
    columns = {
        name: np.asarray(column) for name, column in (("rater", rater), ("item", item), ("value", value))
    }
    shapes = {name: column.shape for name, column in columns.items()}
    if len(set(shapes.values())) > 1 or columns["item"].ndim != 1:
        raise InputError(f"`rater`, `item` and `value` must be 1-d and equally long, got shapes {shapes}")
    raters, of_rater = np.unique(columns["rater"], return_inverse=True)
    items, of_item = np.unique(columns["item"], return_inverse=True)
    answered = {
        item_id: answer for item_id, answer in candidate.items() if answer is not None and answer == answer
    }
    is_answered = np.array([item_id in answered for item_id in items.tolist()], dtype=bool)
    candidate_values = [answered.get(item_id) for item_id in items.tolist()]
    values, candidate_answers = (_numbers_of_answers if numeric else _codes_of_labels)(
        columns["value"], candidate_values, is_answered
    )
    has_candidate = is_answered[of_item]
    cell, of_cell = np.unique(
        of_item[has_candidate] * len(raters) + of_rater[has_candidate], return_inverse=True
    )
    answer = (
        _mean(values[has_candidate], of_cell, len(cell))
        if numeric
        else most_common(values[has_candidate], of_cell, len(cell))
    )
    item_of_cell, rater_of_cell = np.divmod(cell, max(len(raters), 1))
    size = np.bincount(item_of_cell, minlength=len(items))
    has_several_raters = size >= 2
    is_kept = has_several_raters[item_of_cell]
    _, code = np.unique(item_of_cell[is_kept], return_inverse=True)
    return Answers(
        code.astype(np.int64),
        rater_of_cell[is_kept],
        answer[is_kept],
        candidate_answers[item_of_cell[is_kept]],
        int(has_several_raters.sum()),
        raters,
        int((~is_answered).sum()),
        int((size == 1).sum()),
    )


def _numbers_of_answers(
    value: NDArray[Any], candidate: list[Any], is_answered: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    def read(name: str, answers: Any) -> Floats:
        try:
            array = np.asarray(answers, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"`{name}` must hold numbers for this score: {error}") from error
        if not np.isfinite(array).all():
            raise InputError(f"`{name}` must hold finite numbers; leave out what is missing")
        return array

    candidate_numbers = np.full(len(candidate), np.nan)
    candidate_numbers[is_answered] = read(
        "candidate", [one for one, there in zip(candidate, is_answered, strict=True) if there]
    )
    return read("value", value), candidate_numbers


def _codes_of_labels(
    value: NDArray[Any], candidate: list[Any], is_answered: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return codes of labels; numbers are compared as numbers, all else as text."""
    answered = [label for label, has_answer in zip(candidate, is_answered, strict=True) if has_answer]
    all_labels = [*value.tolist(), *answered]
    numeric = all(isinstance(label, int | float | np.number) for label in all_labels)
    labels = (
        np.array(all_labels, dtype=np.float64)
        if numeric
        else np.array([str(label) for label in all_labels], dtype=str)
    )
    _, code = np.unique(labels, return_inverse=True)
    candidate_codes = np.full(len(candidate), np.nan)
    candidate_codes[is_answered] = code[len(value) :]
    return code[: len(value)].astype(np.float64), candidate_codes


def _mean(values: Floats, cell: Codes, cells: int) -> Floats:
    return sum_by_code(cell, values, cells) / np.maximum(np.bincount(cell, minlength=cells), 1)


def most_common(values: Floats, cell: Codes, cells: int) -> Floats:
    """Return each cell's most common label, the first in order among tied ones."""
    labels = int(values.max(initial=-1)) + 1
    pair, number = np.unique(cell * labels + values.astype(np.int64), return_counts=True)
    cell_code, label = np.divmod(pair, max(labels, 1))
    order = np.lexsort((label, -number, cell_code))
    _, first = np.unique(cell_code[order], return_index=True)
    return np.asarray(label[order][first], dtype=np.float64)


KNOWN = ("expert", "gold")
"""Columns of choices with one answer per item."""
_NO_SIDE = 10**6
"""Offset above the codes of systems: both, neither and a tie are separate answers."""


@dataclass(frozen=True, eq=False)
class EncodedChoices:
    """Choices (n,): codes of `item`, `rater` and answer, and of each `KNOWN` column's answer, -1 for none."""

    item: Codes
    rater: Codes
    answer: Codes
    known: Mapping[str, Codes]


def encode_choices(choices: Mapping[str, NDArray[Any]], systems: int, designs: int) -> EncodedChoices:
    """Encode stored choices (`analysis.workers.polls.Choices`) between this many systems (0: labels) under this many
    designs."""
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

    return EncodedChoices(
        item, choices["rater"], answers("choice"), {column: answers(column) for column in KNOWN}
    )


def two_way_covariances(
    items: Floats,
    raters: Floats,
    ratings: Floats,
    times: Floats | None = None,
    scope: Scope = "raters like these",
) -> tuple[Floats, Floats]:
    """Return jackknife covariances over items and over raters, (s, s) each, from figures without each item (n, s),
    rater (w, s) and rating (N, s), with multiplicities `times` (N,) of equal ratings; over raters 0 for these raters.

    The covariance over raters is that of leaving out raters minus that of leaving out single ratings.
    Source: Cameron, Gelbach and Miller 2011, section 2.2 (items + raters - their crossing); Tukey 1958.
    """
    if scope == "these raters":
        return jackknife_covariance(items), np.zeros((items.shape[1], items.shape[1]))
    rater_covariance = jackknife_covariance(raters) - jackknife_covariance(ratings, times)
    if np.isnan(rater_covariance).any():
        return jackknife_covariance(items), rater_covariance
    eigenvalues, eigenvectors = np.linalg.eigh(rater_covariance)
    return jackknife_covariance(items), (eigenvectors * np.maximum(eigenvalues, 0.0)) @ eigenvectors.T


def contrast_variance(
    contrast: Floats, parts: tuple[Floats, Floats], items: int, raters: int
) -> VarianceEstimate:
    """Return the variance of a contrast (s,) of the figures, with Satterthwaite's degrees of freedom."""
    by_items, by_raters = (float(contrast @ part @ contrast) for part in parts)
    return add_variances(
        item_variance(by_items, items), VarianceEstimate(by_raters, by_raters**2 / max(raters - 1, 1))
    )


FEWEST_ITEMS = 5
MOST_SCORES = 4
"""Distinct scores per rating up to which equal ratings of an item are grouped."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over items, each (…,): their number `n`, `ratings`, squared ratings per item and the sum of 1 / ratings;
    `within` sum of squares around the items' means and its `degrees`; `means` and `weighted` (by ratings) means, and
    the squares of both; of candidates (…, k): `values`, `products_with_means`, and (…, k, k) `cross_products`."""

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
    products_with_means: Floats
    cross_products: Floats

    @property
    def error_variance(self) -> Floats:
        """Variance of one rating around its item (…,)."""
        return ratio(self.within, self.degrees)

    @property
    def reliability(self) -> Floats:
        """Reliability of one rating (…,): ICC(C,1) of complete ratings, else ICC(1,1)."""
        of_means = (self.weighted_squares - self.weighted**2 / self.ratings) / (self.n - 1)
        typical = (self.ratings - self.ratings_squared / self.ratings) / (self.n - 1)
        between = (of_means - self.error_variance) / typical
        return between / (between + self.error_variance)

    @property
    def reliability_of_means(self) -> Floats:
        """Reliability of the mean of the harmonic mean number of ratings (…,)."""
        k, one = self.n / self.over_ratings, self.reliability
        return k * one / (1 + (k - 1) * one)

    @property
    def error_variance_of_means(self) -> Floats:
        """Mean error variance of an item's mean (…,)."""
        return self.error_variance * self.over_ratings / self.n

    def covariance_with_means(self) -> Floats:
        """Return the covariance of each candidate with the means (…, k)."""
        return (self.products_with_means - self.values * (self.means / self.n)[..., None]) / (self.n - 1)[
            ..., None
        ]

    def variance_of_means(self) -> Floats:
        """Return the variance of the items' means (…,)."""
        return (self.squares - self.means**2 / self.n) / (self.n - 1)

    def covariance_of_values(self) -> Floats:
        """Return the covariances of the candidates (…, k, k)."""
        outer = self.values[..., :, None] * self.values[..., None, :] / self.n[..., None, None]
        return (self.cross_products - outer) / (self.n - 1)[..., None, None]


@dataclass(frozen=True, eq=False)
class LeaveOneOutSums:
    """Sums of all (), and without each item (n,), each rater (w,) and each rating, once for equal ones (c,) with
    their number `times` (c,)."""

    total: Sums
    items: Sums
    raters: Sums
    ratings: Sums
    times: Floats


def leave_one_out_sums(
    reference: Ratings,
    candidates: Sequence[Mapping[Any, float]],
    parts: bool = True,
    on_progress: OnProgress = None,
) -> LeaveOneOutSums:
    """Return sums over items that the reference and all candidates rated; repeated ratings are averaged.

    In complete designs, raters' means are subtracted first. Without `parts`, only the total is computed.
    """
    report_progress = on_progress or (lambda _: None)
    ids, of_item = coded(reference.item)
    candidate_values = np.array(
        [[each.get(example, np.nan) for each in candidates] for example in ids.tolist()], dtype=np.float64
    )
    candidate_values = candidate_values.reshape(len(ids), len(candidates))
    if np.isinf(candidate_values).any():
        raise InputError("a candidate's values must be finite; leave out what is missing")
    shared = np.asarray(np.isfinite(candidate_values).all(axis=1))
    of_rater = coded(reference.rater)[1]
    is_shared_rating = shared[of_item]
    item, rater, total_given, times = sums_of_pairs(
        of_item[is_shared_rating], of_rater[is_shared_rating], reference.score[is_shared_rating]
    )
    score = total_given / times
    item, rater = coded(item)[1], coded(rater)[1]
    values = candidate_values[shared]
    n, w = len(values), int(rater.max(initial=-1)) + 1
    complete = len(item) == n * w
    rating_group, example = _group_equal_ratings(item, np.arange(len(item)) if complete else coded(score)[1])
    score = score - (score.mean() if len(score) else 0.0)
    if complete and w:
        score = score - (np.bincount(rater, score, w) / n)[rater]
    values = values - values.mean(axis=0) if n else values
    report_progress(0.2)
    number = np.bincount(item, minlength=n).astype(np.float64)
    total, squares = sum_by_code(item, score, n), sum_by_code(item, score**2, n)
    item_terms = _item_terms(number, total, squares, values)
    totals = item_terms.sum(axis=0)
    rater_degrees, k = (float(w - 1) if complete else 0.0), values.shape[1]
    if not parts:
        all_sums, empty_sums = (
            _sums_from_rows(totals, k, rater_degrees),
            _sums_from_rows(np.zeros((0, len(totals))), k, rater_degrees),
        )
        return LeaveOneOutSums(
            all_sums,
            empty_sums,
            _sums_from_rows(np.zeros((w, len(totals))), k, rater_degrees),
            empty_sums,
            np.zeros(0),
        )
    report_progress(0.4)
    item_of_rating, removed_score = item[example], score[example]
    changes = _item_terms(
        number[item_of_rating] - 1,
        total[item_of_rating] - removed_score,
        squares[item_of_rating] - removed_score**2,
        values[item_of_rating],
    )
    report_progress(0.6)
    changes -= item_terms[item_of_rating]
    report_progress(0.7)
    by_rater = (
        sparse.csr_array((np.ones(len(rating_group)), (rater, rating_group)), shape=(w, len(example)))
        @ changes
    )
    changes += totals
    report_progress(0.8)
    return LeaveOneOutSums(
        _sums_from_rows(totals, k, rater_degrees),
        _sums_from_rows(totals - item_terms, k, rater_degrees),
        _sums_from_rows(totals + by_rater, k, max(rater_degrees - 1, 0.0)),
        _sums_from_rows(changes, k, rater_degrees),
        np.bincount(rating_group, minlength=len(example)).astype(np.float64),
    )


def _group_equal_ratings(item: Codes, score: Codes) -> tuple[Codes, Codes]:
    """Return each rating's index (N,) among the distinct ratings of items, and one rating of each (c,).

    With so many scores that few ratings are equal, all count as distinct.
    """
    index, scores = np.arange(len(item)), int(score.max(initial=-1)) + 1
    if scores * (int(item.max(initial=-1)) + 1) > MOST_SCORES * len(item):
        return index, index
    ids, group = coded(item * scores + score)
    representative = np.empty(len(ids), dtype=np.int64)
    representative[group] = index
    return group, representative


def sums_from_totals(number: Floats, total: Floats, squares: Floats, values: Floats) -> tuple[Sums, Sums]:
    """Return the sums in total and without each item (n,), from the items' number of ratings (n,), their total and
    squares around any value, and one candidate's values (n,); only for incomplete designs."""
    center = total.sum() / max(number.sum(), 1.0)
    centered_total, centered_squares = (
        total - number * center,
        squares - 2 * center * total + number * center**2,
    )
    centered_values = (values - values.mean() if len(values) else values)[:, None]
    item_terms = _item_terms(number.astype(np.float64), centered_total, centered_squares, centered_values)
    terms = item_terms.sum(axis=0)
    return _sums_from_rows(terms, 1, 0.0), _sums_from_rows(terms - item_terms, 1, 0.0)


def _item_terms(number: Floats, total: Floats, squares: Floats, values: Floats) -> Floats:
    """Return an item's contribution to each sum (rows, terms), 0 without ratings."""
    has_ratings = number > 0
    n = np.where(has_ratings, number, 1.0)
    mean = total / n
    within = np.maximum(squares - total * mean, 0.0)
    columns = [has_ratings, number, number**2, 1 / n, within, number - 1, mean, mean**2, total, total * mean]
    products = values[:, :, None] * values[:, None, :]
    rows = np.column_stack(
        [*columns, values, values * mean[:, None], products.reshape(len(values), values.shape[1] ** 2)]
    ).astype(np.float64, copy=False)
    rows[~has_ratings] = 0.0
    return rows


def _sums_from_rows(sums: Floats, k: int, lost_degrees: float) -> Sums:
    """Return the sums (…, terms) by name; `lost_degrees` of freedom are those of raters' means."""
    single = np.moveaxis(sums[..., :10], -1, 0)
    values, crossed, products = (
        sums[..., 10 : 10 + k],
        sums[..., 10 + k : 10 + 2 * k],
        sums[..., 10 + 2 * k :],
    )
    n, ratings, squared, inverse, within, degrees, means, squares, weighted, weighted_squares = single
    return Sums(
        n,
        ratings,
        squared,
        inverse,
        within,
        degrees - lost_degrees,
        means,
        squares,
        weighted,
        weighted_squares,
        values,
        crossed,
        products.reshape(*sums.shape[:-1], k, k),
    )
