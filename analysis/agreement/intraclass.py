"""Intraclass correlations: how much of a rating, or of a mean of k, is the item and not the rater or the rest.

Where every rater rated every item, mean squares say it all, intervals included. Where ratings are missing,
the variances of items, raters and residuals are those of restricted maximum likelihood (REML). Items are
absorbed: for a ratio t of item to residual variance, an item with n ratings enters the raters' equations by
t / (1 + t n) alone. So all items with equally many ratings are summed up once, and each step of the search
works on a matrix of raters by raters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special
from scipy.linalg import lapack

from analysis.agreement.reliability import one_way
from analysis.resampling.draws import blocks, times_picked
from analysis.resampling.intervals import by_error, percentiles
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings

Floats = NDArray[np.float64]
OnProgress = Callable[[float], object] | None
Method = Literal["analysis of variance", "REML", "moments"]
Interval = Literal["F distribution", "bootstrap over items", "jackknife over groups of items"]

FORMS = ("one_way", "one_way_k", "agreement", "agreement_k", "consistency", "consistency_k")
MOST_RATERS = 64
"""Raters up to which incomplete ratings are fitted by REML; above, moments take one pass."""
MOST_DRAWN = 5_000
"""Items up to which intervals of incomplete ratings are drawn; above, groups of items are left out in turn."""
MOST_RATERS_DRAWN = 30
"""Raters up to which they are drawn: a draw's cost grows with their number cubed."""
GROUPS = 50
"""Of items, left out in turn."""
STEPS = 17
"""Points at which the likelihood is taken in each round of closing in on its peak."""
ROUNDS = 9
DRAWN_ROUNDS = 4
"""Rounds for the estimate and for a draw, whose ICC then is within some 1e-4 of the peak's."""
GOLDEN = 0.6180339887498949
TOP = 1 - 1e-7
"""Share of the variance of an item (a rater) in that of a rating beyond which there is no looking."""
BLOCK = 2_000_000
"""Numbers in memory per block of draws."""
EXACT = 1e-10
"""A residual sum of squares up to this share of all is rounding."""

ONE_ITEM = "a single item does not show how items differ"
ONE_RATER = "a single rater cannot be compared with others"
ALL_EQUAL = "all ratings are equal, so there is nothing to agree on"
NO_DIFFERENCES = "items do not differ from each other beyond what the raters' disagreement makes up"
SATURATED = "there are too few ratings to tell raters, items and the rest apart"
NO_INTERVAL = "these ratings are too few or too alike for an interval"
NO_RESIDUAL = "items and raters explain every rating exactly, so the likelihood has no peak"


@dataclass(frozen=True)
class Intraclass:
    """The six intraclass correlations of n items and w raters, and what they rest on.

    `one_way` ICC(1,1), `agreement` ICC(A,1) and `consistency` ICC(C,1) of a single rating; with `_k` those of
    a mean of `k` ratings, ICC(1,k), ICC(A,k), ICC(C,k): k is the number of raters or, where ratings are
    missing, the harmonic mean of the ratings per item, items with a single rating included.
    `averaged`: pairs of item and rater with several ratings, whose mean counts as one. `variances` of items,
    raters and the rest, which may be negative but for REML. `method` of the estimates, `interval` of their
    intervals.
    """

    one_way: Estimate
    one_way_k: Estimate
    agreement: Estimate
    agreement_k: Estimate
    consistency: Estimate
    consistency_k: Estimate
    variances: tuple[float, float, float]
    items: int
    raters: int
    k: float
    averaged: int
    complete: bool
    method: Method
    interval: Interval


def icc(
    ratings: Ratings, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> Intraclass:
    """Intraclass correlations of a single rating and of a mean of k, in all six forms.

    Parameters
    ----------
    ratings : N ratings (N,) of n items by w raters, each rating any of the items
    bootstrap : of the intervals; 0 draws give none where they would have to be drawn
    on_progress : called with the share done

    Returns
    -------
    Intraclass
        n = items in each estimate. Undefined with its reason for one item, one rater, equal ratings.

    Notes
    -----
    Answers: with other raters of the same kind, would a rating (a mean of k) be the same? One-way: raters differ
    from item to item and their severities are noise; agreement: severities count; consistency: they do not, only
    what remains after them. Not for ordered categories (alpha, ordinal), and not comparable between samples of
    items that differ unequally. Several ratings of an item by one rater are averaged first.
    Complete ratings: mean squares with intervals from F. Incomplete ones: REML of crossed random items and raters
    up to 64 raters, above that Henderson's first method, whose variances may be negative; the one-way forms come
    from the unbalanced analysis of variance. Their intervals resample items (widened percentiles), for *these* raters;
    above 5,000 items or 30 raters they leave out each of 50 random groups of items in turn (Student's t).
    Source: McGraw & Wong 1996, Tables 4 and 7; Shrout & Fleiss 1979; Searle, Casella & McCulloch 1992, sections
    5.3 (Henderson I) and 6.6 (REML); k: Ebel 1951.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    cells = _cells(ratings)
    n, w = len(cells.counts), cells.raters
    complete = len(cells.score) == n * w
    method: Method = "analysis of variance" if complete else "REML" if w <= MOST_RATERS else "moments"
    drawn = n <= MOST_DRAWN and (w <= MOST_RATERS_DRAWN or method == "moments")
    interval: Interval = (
        "F distribution"
        if complete
        else "bootstrap over items"
        if drawn
        else "jackknife over groups of items"
    )
    why = _why_undefined(cells)
    if why:
        estimates, variances = tuple(Estimate(nan, n=n, reason=why) for _ in FORMS), (nan, nan, nan)
    elif complete:
        estimates, variances = _complete(cells, spec.level)
    else:
        estimates, variances = _incomplete(cells, method, drawn, spec, on_progress)
    k = float(n / (1 / cells.counts).sum()) if n else nan
    forms = dict(zip(FORMS, estimates, strict=True))
    return Intraclass(
        **forms,
        variances=variances,
        items=n,
        raters=w,
        k=k,
        averaged=cells.averaged,
        complete=complete,
        method=method,
        interval=interval,
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """One score per item and rater: `item`, `rater` codes (N,), `score` less the mean; `counts` (n,) per item."""

    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    score: Floats
    counts: Floats
    raters: int
    averaged: int


def _cells(ratings: Ratings) -> _Cells:
    items, item = np.unique(ratings.item, return_inverse=True)
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    cell, place, times = np.unique(
        item * max(len(raters), 1) + rater, return_inverse=True, return_counts=True
    )
    equal = len(ratings) == 0 or np.ptp(ratings.score) == 0
    centred = np.zeros(len(ratings)) if equal else ratings.score - ratings.score.mean()
    score = np.bincount(place, weights=centred, minlength=len(cell)) / times
    item, rater = np.divmod(cell, max(len(raters), 1))
    counts = np.bincount(item, minlength=len(items)).astype(np.float64)
    return _Cells(item, rater, score, counts, len(raters), int((times > 1).sum()))


def _why_undefined(cells: _Cells) -> str:
    if len(cells.counts) < 2:
        return ONE_ITEM
    if cells.raters < 2:
        return ONE_RATER
    if not np.abs(cells.score).max() > 0:
        return ALL_EQUAL
    return ""


def _complete(cells: _Cells, level: float) -> tuple[tuple[Estimate, ...], tuple[float, float, float]]:
    n, k = len(cells.counts), cells.raters
    scores = cells.score.reshape(n, k)
    by_item, by_rater, grand = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
    residual = scores - by_item[:, None] - by_rater + grand
    smallest = EXACT**2 * float((scores**2).sum())
    squares = [
        k * float(((by_item - grand) ** 2).sum()),
        n * float(((by_rater - grand) ** 2).sum()),
        float((residual**2).sum()),
        float(((scores - by_item[:, None]) ** 2).sum()),
    ]
    freedom = [n - 1, k - 1, (n - 1) * (k - 1), n * (k - 1)]
    msr, msc, mse, msw = (ss / df if ss > smallest else 0.0 for ss, df in zip(squares, freedom, strict=True))

    def simple(noise: float, df: int) -> Estimate:
        below, above = _quantiles(n - 1, df, level)
        value, low, high = (_ratio(msr - f * noise, msr + (k - 1) * f * noise) for f in (1, below, 1 / above))
        return _estimate(value, low, high, n)

    def agreement() -> Estimate:
        rho = _ratio(msr - mse, msr + (k - 1) * mse + k / n * (msc - mse))
        if msc == mse == 0:
            return _estimate(rho, rho, rho, n)
        a, b = k * rho, n * (1 - rho) + k * rho * (n - 1)
        v = _ratio((a * msc + b * mse) ** 2, (a * msc) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1)))
        below, above = _quantiles(n - 1, v, level)
        rest = k * msc + (k * n - k - n) * mse
        low = _ratio(n * (msr - below * mse), below * rest + n * msr)
        high = _ratio(n * (above * msr - mse), rest + n * above * msr)
        return _estimate(rho, low, high, n)

    single = simple(msw, n * (k - 1)), agreement(), simple(mse, (n - 1) * (k - 1))
    spread = msr, msr + (msc - mse) / n, msr
    estimates = []
    for one, left in zip(single, spread, strict=True):
        estimates += [one, _stepped_up(one, k) if left > 0 else Estimate(nan, n=n, reason=NO_DIFFERENCES)]
    return tuple(estimates), ((msr - mse) / k, (msc - mse) / n, mse)


def _quantiles(one: float, other: float, level: float) -> tuple[float, float]:
    """Of F with these degrees of freedom, and with them the other way round."""
    tail = (1 + level) / 2
    return float(special.fdtri(one, other, tail)), float(special.fdtri(other, one, tail))


def _stepped_up(one: Estimate, k: float) -> Estimate:
    if not one.defined:
        return one
    value, low, high = (_ratio(k * r, 1 + (k - 1) * r) for r in (one.value, one.low, one.high))
    return _estimate(value, low, high, one.n)


def _estimate(value: float, low: float, high: float, n: int) -> Estimate:
    if not np.isfinite(value):
        return Estimate(nan, n=n, reason=NO_DIFFERENCES)
    if not np.isfinite(low + high):
        return Estimate(value, n=n, reason=NO_INTERVAL)
    return Estimate(value, min(low, value), max(high, value), n)


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else nan


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over items for b sets of weights of the items; c counts of ratings that an item may have.

    `per_item` (b, 6): items, ratings, totals, totals² / counts, counts², 1 / counts; `squares` (b,);
    `rated`, `totals` (b, w) per rater. For REML, by count (c,) of an item's ratings: `met` (b, c, w, w) how often two
    raters rated the same item, `pulls` (b, c, w) sum of those items' totals, `of_count` (b, c, 3): items, totals,
    totals².
    """

    per_item: Floats
    squares: Floats
    rated: Floats
    totals: Floats
    count: Floats
    met: Floats
    pulls: Floats
    of_count: Floats

    def of(self, rows: slice) -> "_Sums":
        return _Sums(
            self.per_item[rows],
            self.squares[rows],
            self.rated[rows],
            self.totals[rows],
            self.count,
            self.met[rows],
            self.pulls[rows],
            self.of_count[rows],
        )


def _sums(cells: _Cells, weights: Any, reml: bool) -> _Sums:
    """Of weights (b, n), plain or sparse."""
    n, w, b = len(cells.counts), cells.raters, weights.shape[0]
    totals = np.bincount(cells.item, weights=cells.score, minlength=n)
    squares = np.bincount(cells.item, weights=cells.score**2, minlength=n)
    counts = cells.counts
    each = np.stack([np.ones(n), counts, totals, totals**2 / counts, counts**2, 1 / counts], axis=1)
    place = cells.item, cells.rater
    rated = sparse.csr_array((np.ones(len(cells.item)), place), shape=(n, w))
    scores = sparse.csr_array((cells.score, place), shape=(n, w))
    count = np.unique(counts) if reml else np.empty(0)
    met, pulls, of_count = (np.zeros((b, len(count), *shape)) for shape in ((w, w), (w,), (3,)))
    for c, size in enumerate(count):
        here = np.flatnonzero(counts == size)
        mine = weights[:, here]
        met[:, c] = _met(mine, rated[here])
        pulls[:, c] = _plain(mine @ (rated[here] * totals[here, None]))
        of_count[:, c] = _plain(
            mine @ np.stack([np.ones(len(here)), totals[here], totals[here] ** 2], axis=1)
        )
    return _Sums(
        _plain(weights @ each),
        _plain(weights @ squares),
        _plain(weights @ rated),
        _plain(weights @ scores),
        count,
        met,
        pulls,
        of_count,
    )


def _met(weights: Any, rated: Any) -> Floats:
    """How often two raters rated the same item (b, w, w), by weights (b, n) and who rated what (n, w), sparse."""
    n, w = rated.shape
    if sparse.issparse(weights) or weights.shape[0] == 1:
        products = []
        taken = sparse.csr_array(weights)
        for start, end in pairwise(taken.indptr):
            mine = rated[taken.indices[start:end]]
            products.append(_plain(mine.T @ (sparse.diags_array(taken.data[start:end]) @ mine)))
        return np.stack(products)
    raters = rated.indices.reshape(n, -1)
    pairs = (raters[:, :, None] * w + raters[:, None, :]).reshape(n, -1)
    rows = np.repeat(np.arange(n), pairs.shape[1])
    each = sparse.csr_array((np.ones(pairs.size), (rows, pairs.ravel())), shape=(n, w * w))
    return np.asarray(weights @ each, dtype=np.float64).reshape(-1, w, w)


def _plain(product: Any) -> Floats:
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray(), dtype=np.float64)


def _incomplete(
    cells: _Cells, method: Method, drawn: bool, spec: BootstrapSpec, on_progress: OnProgress
) -> tuple[tuple[Estimate, ...], tuple[float, float, float]]:
    n = len(cells.counts)
    reml = method == "REML"
    point, variances = _forms(_sums(cells, np.ones((1, n)), reml), reml, ROUNDS)
    value = point[:, 0]
    single = one_way(Ratings(cells.item, cells.rater, cells.score))
    value[0] = single.icc
    why = [single.reason or NO_DIFFERENCES] * 2 + [_why_no_variances(cells)] * 4
    low, high = np.full(len(FORMS), nan), np.full(len(FORMS), nan)
    if spec.draws and np.isfinite(value).any():
        rng = np.random.default_rng(spec.seed)
        if drawn:
            draws = _drawn(cells, reml, rng, spec.draws, on_progress)
            low, high = percentiles(value, draws.T, spec.level, n)
        else:
            error = _jackknifed(cells, reml, rng, on_progress)
            low, high = by_error(value, error, spec.level, min(GROUPS, n) - 1, (-inf, 1.0))
    found_forms = tuple(
        Estimate(nan, n=n, reason=reason)
        if not np.isfinite(r)
        else _estimate(float(r), float(a), float(b), n)
        if spec.draws
        else Estimate(float(r), n=n)
        for r, a, b, reason in zip(value, low, high, why, strict=True)
    )
    return found_forms, (float(variances[0, 0]), float(variances[1, 0]), float(variances[2, 0]))


def _why_no_variances(cells: _Cells) -> str:
    if len(cells.score) <= len(cells.counts) + cells.raters - 1:
        return SATURATED
    return NO_RESIDUAL


def _drawn(
    cells: _Cells, reml: bool, rng: np.random.Generator, draws: int, on_progress: OnProgress
) -> Floats:
    n, w = len(cells.counts), cells.raters
    width = n + (len(np.unique(cells.counts)) * w * w if reml else 0) + w * STEPS
    parts = []
    for block in blocks(draws, BLOCK // width, on_progress):
        weights = times_picked(rng, n, block.stop - block.start)
        parts.append(_forms(_sums(cells, weights, reml), reml, DRAWN_ROUNDS)[0])
    return np.concatenate(parts, axis=1)


def _jackknifed(cells: _Cells, reml: bool, rng: np.random.Generator, on_progress: OnProgress) -> Floats:
    """Standard errors (6,) from leaving out each of 50 groups of items."""
    n = len(cells.counts)
    groups = min(GROUPS, n)
    group = rng.permutation(n) % groups
    of_groups = sparse.csr_array((np.ones(n), (group, np.arange(n))), shape=(groups, n))
    each = _sums(cells, of_groups, reml)
    names = ("per_item", "squares", "rated", "totals", "met", "pulls", "of_count")
    left = {name: getattr(each, name).sum(axis=0) - getattr(each, name) for name in names}
    without = _Sums(**left, count=each.count)
    parts = []
    for place in range(groups):
        parts.append(_forms(without.of(slice(place, place + 1)), reml, DRAWN_ROUNDS + 2)[0])
        if on_progress is not None:
            on_progress((place + 1) / groups)
    without_each = np.concatenate(parts, axis=1)
    spread: Floats = (groups - 1) * np.var(without_each, axis=1)
    return np.sqrt(spread)


def _forms(sums: _Sums, reml: bool, rounds: int) -> tuple[Floats, Floats]:
    """The six ICCs (6, b) and the variances of items, raters and the rest (3, b)."""
    items, total, score, by_item, counts_squared, inverse = sums.per_item.T
    k = items / inverse
    within = np.maximum(sums.squares - by_item, 0.0) / np.maximum(total - items, 1)
    between_square = (by_item - score**2 / total) / np.maximum(items - 1, 1)
    typical = (total - counts_squared / total) / np.maximum(items - 1, 1)
    between = (between_square - within) / np.where(typical > 0, typical, 1)
    known = (total > items) & (items > 1)
    one = _share(between, between + within, known)
    one_k = _share(between, between + within / k, known)
    raters = (sums.rated > 0).sum(axis=1)
    spread = sums.squares - score**2 / total
    known = (total > items + raters - 1) & (raters > 1) & (spread > 0)
    agreed = known & (sums.squares - by_item <= EXACT * spread)
    item, rater, rest = _reml(sums, rounds) if reml else _moments(sums)
    item, rater, rest = (np.where(known, v, nan) for v in (item, rater, rest))
    item[agreed], rater[agreed], rest[agreed] = (spread / (total - 1))[agreed], 0.0, 0.0
    known &= np.isfinite(item + rater + rest)
    crossed = [
        _share(item, item + rater + rest, known),
        _share(item, item + (rater + rest) / k, known),
        _share(item, item + rest, known),
        _share(item, item + rest / k, known),
    ]
    return np.stack([one, one_k, *crossed]), np.stack([item, rater, rest])


def _share(part: Floats, whole: Floats, known: NDArray[np.bool_]) -> Floats:
    known = known & (np.nan_to_num(whole) > 0)
    return np.where(known, part / np.where(known, whole, 1), nan)


def _moments(sums: _Sums) -> tuple[Floats, Floats, Floats]:
    """Henderson's first method: what the sums of squares are expected to be, solved for the variances."""
    items, total, score, by_item, counts_squared, _ = sums.per_item.T
    safe = np.maximum(sums.rated, 1)
    by_rater = (sums.totals**2 / safe).sum(axis=1)
    raters = (sums.rated > 0).sum(axis=1)
    mean = score**2 / total
    per_item, per_rater = counts_squared / total, (sums.rated**2).sum(axis=1) / total
    expected = np.stack(
        [
            np.stack([total - per_item, total - per_rater, total - 1], axis=1),
            np.stack([total - per_item, items - per_rater, items - 1], axis=1),
            np.stack([raters - per_item, total - per_rater, raters - 1], axis=1),
        ],
        axis=1,
    )
    observed = np.stack([sums.squares - mean, by_item - mean, by_rater - mean], axis=1)
    solvable = np.abs(np.linalg.det(expected / total[:, None, None])) > 1e-12
    expected = np.where(solvable[:, None, None], expected, np.eye(3))
    item, rater, rest = np.where(
        solvable[:, None], np.linalg.solve(expected, observed[:, :, None])[:, :, 0], nan
    ).T
    return item, rater, rest


def _reml(sums: _Sums, rounds: int) -> tuple[Floats, Floats, Floats]:
    """Variances at the peak of the restricted likelihood; the ratios to the residual's run over t / (1 + t)."""
    b = len(sums.squares)

    def deviance(share: Floats) -> Floats:
        return _raters_profile(sums, share, rounds)[0]

    grid = np.minimum(np.linspace(0, 1, STEPS), TOP)
    on_grid = np.stack([deviance(np.full(b, share)) for share in grid])
    best = on_grid.argmin(axis=0)
    low, high = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, STEPS - 1)]
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = deviance(left), deviance(right)
    for _ in range(4 * rounds):
        lower = at_left < at_right
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        tried = np.where(lower, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        deviances = deviance(tried)
        left, right = np.where(lower, tried, right), np.where(lower, left, tried)
        at_left, at_right = np.where(lower, deviances, at_right), np.where(lower, at_left, deviances)
    peak = np.where(at_left < at_right, left, right)
    peak = np.where(np.minimum(at_left, at_right) < on_grid.min(axis=0), peak, grid[best])
    _, rater_share, rest = _raters_profile(sums, peak, rounds)
    rest = np.where(peak > 1 - 1e-6, nan, rest)
    return _odds(peak) * rest, _odds(rater_share) * rest, rest


def _odds(share: Floats) -> Floats:
    return share / (1 - share)


def _raters_profile(sums: _Sums, item_share: Floats, rounds: int) -> tuple[Floats, Floats, Floats]:
    """For item ratios (b,): the least deviance over rater ratios, that ratio's share and the residual variance."""
    ratio = _odds(item_share)[:, None]
    absorbed = ratio / (1 + ratio * sums.count)
    weighted = absorbed * sums.count
    diagonal = np.diagonal(sums.met, axis1=2, axis2=3)
    crossed = -np.einsum("bc,bcij->bij", absorbed, sums.met)
    w = crossed.shape[1]
    crossed[:, np.arange(w), np.arange(w)] += sums.rated
    ones = sums.rated - np.einsum("bc,bcw->bw", weighted, diagonal)
    scores = sums.totals - np.einsum("bc,bcw->bw", absorbed, sums.pulls)
    units, totals, squares = np.moveaxis(sums.of_count, 2, 0)
    n = sums.per_item[:, 1]
    one_one = n - (weighted * sums.count * units).sum(axis=1)
    one_score = sums.per_item[:, 2] - (weighted * totals).sum(axis=1)
    score_score = sums.squares - (absorbed * squares).sum(axis=1)
    determinant = (np.log1p(ratio * sums.count) * units).sum(axis=1)
    values, vectors = _eigen(crossed)
    ones, scores = (np.einsum("bij,bi->bj", vectors, x) for x in (ones, scores))

    low, high = np.zeros(len(n)), np.ones(len(n))
    for _ in range(rounds + 1):
        share = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, STEPS)
        share = np.minimum(share, TOP)
        theta = _odds(share)[:, :, None]
        grown = 1 + theta * values[:, None, :]
        shrink = theta / grown
        a11, a1y, ayy = (
            x[:, None] - (shrink * y[:, None, :]).sum(axis=2)
            for x, y in ((one_one, ones**2), (one_score, ones * scores), (score_score, scores**2))
        )
        a11 = np.maximum(a11, 1e-300)
        rest = np.maximum(ayy - a1y**2 / a11, 1e-300) / (n - 1)[:, None]
        deviance = (
            (n - 1)[:, None] * np.log(rest) + determinant[:, None] + np.log(grown).sum(axis=2) + np.log(a11)
        )
        best = deviance.argmin(axis=1)
        peak = np.take_along_axis(share, best[:, None], axis=1)[:, 0]
        width = (high - low) / (STEPS - 1)
        low, high = np.maximum(peak - width, 0.0), np.minimum(peak + width, 1.0)
    taken = np.arange(len(n)), best
    return deviance[taken], peak, rest[taken]


def _eigen(matrices: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (b, w), not below 0, and vectors (b, w, w).

    From 26 rows on `eigh` divides and conquers with several threads, which takes 100 times as long where
    another process wants the processors; the plain method does not.
    """
    if matrices.shape[1] <= 25:
        values, vectors = np.linalg.eigh(matrices)
    else:
        decomposed = [lapack.dsyev(matrix) for matrix in matrices]
        values, vectors = (np.stack([one[part] for one in decomposed]) for part in range(2))
    return np.maximum(values, 0.0), np.asarray(vectors, dtype=np.float64)
