"""Do two raters who see the same surrogate decide alike: Cohen's kappa of every pair, and the share that agree."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.relevance.judgments import coded, codes, joint, numbers, yes_or_no
from analysis.relevance.relevance_draws import (
    Units,
    cohen,
    drawn_sums,
    mean_over,
    membership,
    ratio,
    units,
    with_interval,
)
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
OnProgress = Callable[[float], object] | None

MOST_DRAWN = 3_000_000_000
"""Pairs of raters and events times draws that take some half a minute."""

NO_JUDGMENT = "there is no judgment of it"
NO_PAIRS = "no two raters judged the same document from it"
NO_KAPPA = "both raters of each pair gave one and the same answer throughout"
TOO_MANY = "there are too many pairs of raters to draw an interval"


@dataclass(frozen=True)
class BetweenRaters:
    """How raters of one surrogate agree with each other.

    `kappa` Cohen's, the mean over pairs of raters (its n, of `pairs`; `undefined_pairs` gave one answer throughout);
    `agreement` the share of pairs of judgments of the same document that are equal (its n). `repeated` judgments of a
    rater on the same document and surrogate after the first, set aside.
    """

    kappa: Estimate
    agreement: Estimate
    pairs: int
    undefined_pairs: int
    repeated: int


@dataclass(frozen=True, eq=False)
class RaterAgreement:
    """Agreement between raters by surrogate (k,), and what the intervals draw."""

    surrogates: tuple[BetweenRaters, ...]
    resampled: str


def between_raters(
    rater: ArrayLike,
    event: ArrayLike,
    document: ArrayLike,
    surrogate: ArrayLike,
    judgment: ArrayLike,
    order: ArrayLike | None = None,
    surrogates: int | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> RaterAgreement:
    """Cohen's kappa over pairs of raters and the share of pairs that agree, for every surrogate.

    Parameters
    ----------
    rater, event, document : (N,) ids; a document is its own within its event
    surrogate : (N,) codes from 0
    judgment : (N,) 0 or 1
    order : (N,) numbers that say which judgment came first; as given where not told
    surrogates : k, how many there are; as many as there are codes unless told
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    RaterAgreement

    Raises
    ------
    InputError
        where lengths differ, a code is not below `surrogates`, or judgments are not 0 or 1.

    Notes
    -----
    Answers: does a surrogate tell everybody the same? Not whether what it tells is right. All pairs of raters count
    alike in kappa, all pairs of judgments in the share. Pairs are found by one matrix product of judgments with
    themselves; copies of a rater in a draw are no pair.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2; Cohen 1960; methods, section 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    who, _ = coded("rater", rater)
    what, which = (
        coded(name, each, len(who))[0] for name, each in (("event", event), ("document", document))
    )
    code, k = codes("surrogate", surrogate, len(who), surrogates)
    yes = yes_or_no("judgment", judgment, len(who))
    first = _firsts(joint(code, who, what, which)[0], order)
    of = units(who[first], what[first], which[first])
    shown, _ = joint(code[first], what[first], which[first])
    pairs = _pairs(code[first], of, shown, yes[first], k)
    repeated = np.bincount(code, minlength=k) - np.bincount(code[first], minlength=k)
    distinct = np.bincount(code[first][np.unique(shown, return_index=True)[1]], minlength=k)

    once = np.ones((len(pairs.raters), 1))
    kappa, agreed = _figures(pairs.total[:, :, None], once, pairs.groups)[:, :, 0]
    every = (pairs.groups @ once)[:, 0]
    compared = pairs.groups @ pairs.total.sum(axis=0)
    defined = pairs.groups @ (~np.isnan(cohen(*pairs.total))).astype(np.float64)
    few = pairs.sums.nnz * spec.draws <= MOST_DRAWN
    drawn = [np.empty((2, k, 0))]
    for sums, weight in drawn_sums(pairs.sums, pairs.raters, of, spec, on_progress) if few else ():
        drawn.append(_figures(sums.reshape(4, *weight.shape), weight, pairs.groups))
    draws = np.concatenate(drawn, axis=2)

    def estimate(figure: int, place: int, value: float, n: float, reason: str, independent: int) -> Estimate:
        found = Estimate(float(value), n=int(n), reason=reason if np.isnan(value) else "")
        if found.defined and not few:
            return replace(found, reason=TOO_MANY)
        return with_interval(found, draws[figure, place], of, spec, independent)

    found = []
    for place in range(k):
        nothing = "" if every[place] else NO_PAIRS if distinct[place] else NO_JUDGMENT
        found.append(
            BetweenRaters(
                estimate(0, place, kappa[place], defined[place], nothing or NO_KAPPA, 0),
                estimate(1, place, agreed[place], compared[place], nothing, int(distinct[place])),
                int(every[place]),
                int(every[place] - defined[place]),
                int(repeated[place]),
            )
        )
    return RaterAgreement(tuple(found), of.resampled)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Tables of p pairs of raters on a surrogate: `raters` (p, 2), `groups` (k, p), `total` (4, p) counts of both yes,
    both no, yes of the first alone and of the second; `sums` (4 p, u) sparse, the same by unit.
    """

    raters: Codes
    groups: Any
    total: Floats
    sums: Any


def _pairs(code: Codes, of: Units, shown: Codes, yes: Floats, k: int) -> _Pairs:
    """Judgments (N,) are rows of documents `shown`, in cells of one rater on one unit of one surrogate: the
    product of that matrix with itself counts what every two cells share."""
    cell, cells = joint(code, of.unit, of.rater)
    at = np.unique(cell, return_index=True)[1]
    by_document = (shown, cell), (int(shown.max(initial=-1)) + 1, cells)
    there, said = (
        sparse.csr_array((each, by_document[0]), shape=by_document[1]) for each in (np.ones(len(yes)), yes)
    )
    both = sparse.triu(there.T @ there, 1, format="coo")
    one, other = (each.astype(np.int64) for each in both.coords)
    of_both = both.data

    def shared(first: Any, second: Any) -> Floats:
        """The product's entries at the pairs of cells."""
        return _entries(first.T @ second, one, other, cells)

    yes_yes, yes_one, yes_other = shared(said, said), shared(said, there), shared(there, said)
    tables = np.stack(
        [yes_yes, of_both - yes_one - yes_other + yes_yes, yes_one - yes_yes, yes_other - yes_yes]
    )
    rater = of.rater[at]
    pair, p = joint(code[at][one], rater[one], rater[other])
    where = np.unique(pair, return_index=True)[1]
    rows, unit = (np.arange(4)[:, None] * p + pair).ravel(), np.tile(of.unit[at][one], 4)
    sums = sparse.coo_array((tables.ravel(), (rows, unit)), shape=(4 * p, of.units)).tocsr()
    sums.eliminate_zeros()
    return _Pairs(
        np.stack([rater[one], rater[other]], axis=1)[where],
        membership(code[at][one][where], k),
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(4, p),
        sums,
    )


def _entries(matrix: Any, row: Codes, column: Codes, width: int) -> Floats:
    """Entries (m,) of a sparse matrix, 0 where nothing is stored."""
    stored = matrix.tocoo()
    rows, columns = stored.coords
    key = rows.astype(np.int64) * width + columns
    ordered = np.argsort(key)
    key, value = np.append(key[ordered], -1), np.append(stored.data[ordered], 0.0)
    wanted = row.astype(np.int64) * width + column
    at = np.searchsorted(key[:-1], wanted)
    return np.where(key[at] == wanted, value[at], 0.0)


def _figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Mean kappa and share of equal judgments (2, k, b) from tables (4, p, b) and weights (p, b)."""
    yes_yes, no_no, _, _ = sums
    equal, all_pairs = groups @ ((yes_yes + no_no) * weight), groups @ (sums.sum(axis=0) * weight)
    return np.stack([mean_over(groups, cohen(*sums), weight), ratio(equal, all_pairs)])


def _firsts(key: Codes, order: ArrayLike | None) -> Codes:
    """The first judgment of each key."""
    place = np.arange(len(key))
    if order is not None:
        place = np.argsort(numbers("order", order, len(key)), kind="stable")
    return place[np.unique(key[place], return_index=True)[1]]
