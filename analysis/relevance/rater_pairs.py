"""Do two raters who see the same surrogate decide alike: Cohen's kappa of every pair, and the share that agree."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from analysis.relevance.agreements import NO_JUDGMENT
from analysis.relevance.judgments import Judgments, joint
from analysis.relevance.kappa import cohen
from analysis.relevance.relevance_draws import (
    Units,
    drawn_sums,
    mean_over,
    membership,
    units,
    with_interval,
)
from analysis.resampling.intervals import ANGLE, IDENTITY, SHARE
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats, OnProgress

AGREEMENT = 1
"""Place of the share that agree among the figures; kappa is 0."""
MOST_DRAWN = 3_000_000_000
"""Pairs of raters and events times draws that take some half a minute."""

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
    judgments: Judgments, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> RaterAgreement:
    """Cohen's kappa over pairs of raters and the share of pairs that agree, for every surrogate.

    Parameters
    ----------
    judgments : (N,) of k surrogates; of several by a rater on a document and surrogate, the first counts
    bootstrap : of the intervals, over raters and events, or documents where there is only one
    on_progress : called between blocks of draws with the share done

    Notes
    -----
    Not whether what it tells is right. All pairs of raters count alike in kappa, all pairs of judgments in the share.
    Pairs are found by one matrix product of judgments with themselves; copies of a rater in a draw are no pair.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2; Cohen 1960; methods, section 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    k, every_code = len(judgments.surrogates), judgments.codes.surrogate
    key, _ = joint(every_code, judgments.codes.rater, judgments.codes.document)
    firsts = judgments.where(judgments.first_of_each(key))
    of, code = units(firsts), firsts.codes.surrogate
    shown, _ = joint(code, firsts.codes.document)
    pairs = _pairs(code, of, shown, firsts.judgment, k)
    repeated = np.bincount(every_code, minlength=k) - np.bincount(code, minlength=k)
    distinct = np.bincount(code[np.unique(shown, return_index=True)[1]], minlength=k)

    once = np.ones((len(pairs.raters), 1))
    kappa, agreed = _figures(pairs.total[:, :, None], once, pairs.groups)[:, :, 0]
    every = (pairs.groups @ once)[:, 0]
    compared = pairs.groups @ pairs.total.sum(axis=0)
    defined = pairs.groups @ (~np.isnan(cohen(*pairs.total))).astype(np.float64)
    few = pairs.sums.nnz * spec.draws * of.kinds <= MOST_DRAWN
    drawn = [np.empty((2, k, 0))]
    for sums, weight in drawn_sums(pairs.sums, pairs.raters, of, spec, on_progress) if few else ():
        drawn.append(_figures(sums.reshape(4, *weight.shape), weight, pairs.groups))
    draws = np.concatenate(drawn, axis=2)

    def estimate(figure: int, place: int, value: float, n: float, reason: str, independent: int) -> Estimate:
        observed = Estimate(float(value), n=int(n), reason=reason if np.isnan(value) else "")
        if observed.defined and not few:
            return replace(observed, reason=TOO_MANY)
        scale, within = (ANGLE, SHARE) if figure == AGREEMENT else (IDENTITY, (-1.0, 1.0))
        return with_interval(observed, draws[figure, place], of, spec, independent, scale, within)

    by_surrogate = []
    for place in range(k):
        nothing = "" if every[place] else NO_PAIRS if distinct[place] else NO_JUDGMENT
        by_surrogate.append(
            BetweenRaters(
                estimate(0, place, kappa[place], defined[place], nothing or NO_KAPPA, 0),
                estimate(1, place, agreed[place], compared[place], nothing, int(distinct[place])),
                int(every[place]),
                int(every[place] - defined[place]),
                int(repeated[place]),
            )
        )
    return RaterAgreement(tuple(by_surrogate), of.resampled)


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
