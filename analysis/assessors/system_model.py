"""One figure per rater, whether raters were ranked by identical texts or by their agreement with the others."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import interval_alpha, update_alpha
from analysis.agreement.reliability import FEWEST_ITEMS
from analysis.assessors.consistency import Consistency, OthersAgreement, told_of_each
from analysis.assessors.naming import FEWEST_UNITS
from analysis.assessors.summary_scores import SummaryScores
from analysis.correlation.rank_rows import pearson_of_sums
from analysis.pairs.system_table import Cells
from analysis.values.estimate import BootstrapSpec, Counts, Estimate, Floats
from analysis.values.ratings import ratio

Ranked = Consistency | OthersAgreement
"""Consistency of each rater of one measure."""


def estimates(ranked: Ranked) -> list[Estimate]:
    """Return how consistent each rater is, in the order of `ranked.raters`."""
    if isinstance(ranked, Consistency):
        return list(ranked.alpha)
    return [
        Estimate(*figures)
        for figures in zip(
            *(array.tolist() for array in (ranked.correlation, ranked.low, ranked.high, ranked.items)),
            ranked.reasons,
            strict=True,
        )
    ]


def best_first(ranked: Ranked) -> list[tuple[int, Estimate]]:
    """Raters whose consistency is defined, the highest first; last those with few items, who may agree by luck."""
    known = [(r, e) for r, e in zip(ranked.raters.tolist(), estimates(ranked), strict=True) if e.defined]
    return sorted(known, key=lambda pair: place(pair[1]))


def place(estimate: Estimate) -> tuple[bool, float, float]:
    """Sort key of a rater, for an order from high to low."""
    return estimate.n < FEWEST_UNITS, -estimate.value, -_low(estimate)


def _low(estimate: Estimate) -> float:
    return estimate.low if estimate.low == estimate.low else estimate.value


@dataclass(frozen=True, eq=False)
class RaterSums:
    """Sums of one measure's ratings by one group, a row per rater; what the query "rater_sums" returns.

    Parameters
    ----------
    rater : (w,) ids, ascending
    ratings : (w,) how many each gave
    items : (w,) those of them that others rated too
    own, others, products : (w,) over these items, sums of squares around their means of the rater's mean score, of
        the mean of all other ratings, and of the products of the two
    count, total, squares, within : (w,) what the rater's leaving changes in the items' sums, those with two ratings or
        more: number, total and squares of their scores (less the mean of all) and n SS / (n - 1)

    Notes
    -----
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, with the mean of the others as the item's sum less one's
    own; Krippendorff 2011, section D.
    """

    rater: NDArray[Any]
    ratings: Counts
    items: Counts
    own: Floats
    others: Floats
    products: Floats
    count: Floats
    total: Floats
    squares: Floats
    within: Floats


def agreement_of_sums(
    sums: RaterSums,
    count: Counts,
    total: Floats,
    squares: Floats,
    bootstrap: BootstrapSpec | None = None,
    widening: float = 1.0,
) -> OthersAgreement:
    """Return what `analysis.assessors.consistency.agreement_with_others` says, from sums.

    Parameters
    ----------
    sums : of w raters
    count, total, squares : (u,) of each item, number, total and squares of its scores less the mean of all
    bootstrap : of the interval of everyone's alpha, and its level of all
    widening : how many times as large as Fisher's the variance of correlations is, as single ratings show

    Returns
    -------
    OthersAgreement
        arrays (w,); alpha without a rater is undefined where hardly any spread is left then.

    Notes
    -----
    As `agreement_with_others` in all else.
    Source: methods, section 4, last line.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    tiny = 1e-18 * float(squares.sum())
    enough = (sums.items >= FEWEST_ITEMS) & (sums.own > tiny) & (sums.others > tiny)
    changes = np.stack([sums.count, sums.total, sums.squares, sums.within], axis=1)
    alpha_without, lost = update_alpha(count.astype(np.float64), total, squares, changes)
    return told_of_each(
        sums.rater,
        pearson_of_sums(sums.own, sums.others, sums.products, enough),
        sums.items,
        sums.own <= tiny,
        interval_alpha(count, total, squares, spec),
        np.where(lost, nan, alpha_without),
        spec.level,
        widening,
    )


FEWEST_SYSTEMS = 3


def _divided(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def system_means(rows: SummaryScores, values: Floats) -> Floats:
    """Mean over topics of the topic's mean, per system (s,) or (s, c), of values (n,) or (n, c)."""
    systems, system = np.unique(rows.system, return_inverse=True)
    topics, topic = np.unique(rows.topic, return_inverse=True)
    cells, cell, in_cell = np.unique(system * len(topics) + topic, return_inverse=True, return_counts=True)
    topics_of = np.bincount(cells // max(len(topics), 1), minlength=len(systems))
    weight = 1 / (in_cell[cell] * topics_of[system])
    columns = values.reshape(len(rows), -1).T
    means = np.array([np.bincount(system, weight * column, minlength=len(systems)) for column in columns])
    return means.T.reshape(len(systems), *values.shape[1:])


def is_flat(values: Floats) -> bool:
    """Return True where values differ by no more than rounding errors."""
    return bool(np.ptp(values) <= 1e-12 * max(float(np.abs(values).max()), 1e-300))


def pearson_of_rows(first: Floats, second: Floats, present: NDArray[np.bool_] | None = None) -> Floats:
    """Row by row of (d, s), over the systems present; NaN for fewer than three or no spread."""
    second = np.broadcast_to(second, first.shape)
    here = np.ones(first.shape) if present is None else present.astype(np.float64)
    n = here.sum(axis=1)
    deviations = [
        here * (values - (_divided((here * values).sum(axis=1), n))[:, None]) for values in (first, second)
    ]
    spreads = [np.sqrt((d**2).sum(axis=1)) for d in deviations]
    largest = [np.abs(here * values).max(axis=1, initial=0.0) for values in (first, second)]
    vary = [s > 1e-10 * np.maximum(m, 1e-300) for s, m in zip(spreads, largest, strict=True)]
    defined = (n >= FEWEST_SYSTEMS) & vary[0] & vary[1]
    covariance = (deviations[0] * deviations[1]).sum(axis=1)
    out = np.full(len(first), nan)
    np.divide(covariance, spreads[0] * spreads[1], out=out, where=defined)
    return np.asarray(np.clip(out, -1.0, 1.0), dtype=np.float64)


MOST_MODELLED = 3_000
"""Systems that the additive model can hold: its equations grow with the square of their number."""
MOST_CELLS = 20_000_000
"""Systems x topics that the additive model can hold."""
NOT_CONNECTED = "the systems fall into groups that share no topic, so the additive model cannot compare them"
TOO_LARGE = f"the additive model holds at most {MOST_MODELLED} systems and {MOST_CELLS} cells"
MOST_WORK = 3e11
"""Multiplications that fitting it to many tables may take: about half a minute."""
TOO_MUCH_WORK = "fitting the additive model that often would take too long"
_BLOCK = 2_000_000
"""Cells of a block of tables that are fitted together."""


def kept_means(table: Cells, keep: NDArray[np.bool_]) -> Floats:
    """Means of the cells when only some raters count (Owczarzak et al. 2012, section 3 (exclusion))."""
    weight = keep[table.rater].astype(np.float64)
    c = len(table.system)
    return ratio(
        np.bincount(table.cell, table.sums * weight, c), np.bincount(table.cell, table.counts * weight, c)
    )


def plain_means(table: Cells, means: Floats, weights: Floats | None = None) -> Floats:
    """Each system's mean over its topics (Owczarzak et al. 2012, section 3)."""
    if len(table.system) == 0:
        return np.full((len(means), 0), nan)
    known = ~np.isnan(means)
    weight = known.astype(np.float64) if weights is None else np.where(known, weights, 0.0)
    total = np.add.reduceat(weight * np.where(known, means, 0.0), table.starts, axis=1)
    return ratio(total, np.add.reduceat(weight, table.starts, axis=1))


def cannot_model(table: Cells, versions: int = 1) -> str:
    """Return why the table is too large for `additive_means`; empty where it is not."""
    s, t = len(table.systems), len(table.topics)
    if s > MOST_MODELLED or s * t > MOST_CELLS:
        return TOO_LARGE
    return TOO_MUCH_WORK if float(versions) * s * s * max(s, t) > MOST_WORK else ""


def is_complete(table: Cells, means: Floats) -> bool:
    """Return True where every system that is left has a cell in every topic that is left (Searle 1971, 7.1)."""
    known = ~np.isnan(means)
    here = np.bincount(table.system[known]) > 0, np.bincount(table.topic[known]) > 0
    return int(known.sum()) == int(here[0].sum()) * int(here[1].sum())


def additive_means(table: Cells, means: Floats, weights: Floats | None = None) -> Floats:
    """Return each system's mean over the topics left by the model system + topic (Searle 1971, Linear Models, 7.1)."""
    # How good would each system be had all met the same topics? Not where systems suit some topics
    # better than others and miss them for that reason. With all cells there it is the plain mean. Topics
    # are eliminated from the normal equations (D - M diag(1 / m) M') system = M y - M diag(1 / m) (M' y), M
    # the weights (s, t), m their sums per topic.
    s, t = len(table.systems), len(table.topics)
    if len(table.system) == 0:
        return np.full((len(means), 0), nan)
    size = max(_BLOCK // (s * t), 1)
    return np.concatenate(
        [
            _fitted(table, means[at : at + size], None if weights is None else weights[at : at + size])
            for at in range(0, len(means), size)
        ]
        or [np.zeros((0, s))]
    )


def _fitted(table: Cells, means: Floats, weights: Floats | None) -> Floats:
    k, s, t = len(means), len(table.systems), len(table.topics)
    known = ~np.isnan(means)
    given = known.astype(np.float64) if weights is None else np.where(known, weights, 0.0)
    weight, total = np.zeros((k, s, t)), np.zeros((k, s, t))
    weight[:, table.system, table.topic] = given
    total[:, table.system, table.topic] = given * np.where(known, means, 0.0)
    of_topic, of_system = weight.sum(axis=1), weight.sum(axis=2)
    share = np.divide(1.0, of_topic, out=np.zeros_like(of_topic), where=of_topic > 0)
    there = of_system > 0

    equations = -(weight * share[:, None, :]) @ weight.transpose(0, 2, 1)
    together = _connected(equations < 0, there)
    diagonal = np.arange(s)
    equations[:, diagonal, diagonal] += of_system
    typical = (of_system.sum(axis=1) / np.maximum(there.sum(axis=1), 1))[:, None, None]
    equations += typical / s * (there[:, :, None] & there[:, None, :])
    equations[:, diagonal, diagonal] += ~there
    equations[~together] = np.eye(s)
    right = total.sum(axis=2) - _times(weight, share * total.sum(axis=1))
    system = np.linalg.solve(equations, right[:, :, None])[:, :, 0]

    topic = share * (total.sum(axis=1) - _times(weight.transpose(0, 2, 1), system))
    topic_weight = of_topic / np.maximum((weight > 0).sum(axis=1), 1)
    level = ratio((topic_weight * topic).sum(axis=1), topic_weight.sum(axis=1))
    return np.where(there & together[:, None], system + level[:, None], nan)


def _times(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _connected(linked: NDArray[np.bool_], there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether all systems that are there (k, s) are linked (k, s, s), by way of others too: (k,)."""
    reached = np.zeros_like(there)
    reached[np.arange(len(there)), there.argmax(axis=1)] = there.any(axis=1)
    links = linked.astype(np.float32)
    while True:
        further = reached | (_times(links, reached.astype(np.float32)) > 0)  # type: ignore[arg-type]
        if (further == reached).all():
            return np.asarray((reached == there).all(axis=1), dtype=np.bool_)
        reached = further


def additive_means_with_raters(table: Cells, keep: NDArray[np.bool_]) -> tuple[Floats, str]:
    """Return each system's mean by the additive model system + topic + rater (Searle 1971, Linear Models, 7.1)."""
    # How good would each system be had all met the same topics and the same raters? Needs raters
    # that judged systems in several topics, or several raters within a topic; where each topic has one
    # rater, it is the model without raters. The least squares run over the means of (system, topic, rater);
    # a score is the mean over topics of the mean over that topic's raters of the fitted values, so that
    # nothing is asked of raters and topics that never met.
    s, w = len(table.systems), len(table.raters)
    scores = np.full(s, nan)
    at = np.flatnonzero(keep[table.rater])
    if len(at) == 0:
        return scores, ""
    if s + w > MOST_MODELLED:
        return scores, f"the additive model holds at most {MOST_MODELLED} systems and raters"
    system, topic, rater = table.system[table.cell[at]], table.topic[table.cell[at]], s + table.rater[at]
    mean = table.sums[at] / table.counts[at]
    topics, topic = np.unique(topic, return_inverse=True)
    t, width = len(topics), s + w
    met = np.zeros((t, width))
    np.add.at(met, (topic, system), 1.0)
    np.add.at(met, (topic, rater), 1.0)
    per_topic, of_topic = np.bincount(topic).astype(np.float64), np.bincount(topic, mean)
    equations = -met.T @ (met / per_topic[:, None])
    np.add.at(equations, (system, rater), 1.0)
    np.add.at(equations, (rater, system), 1.0)
    equations[np.arange(width), np.arange(width)] += met.sum(axis=0)
    of_effect = np.bincount(system, mean, width) + np.bincount(rater, mean, width)
    right = of_effect - met.T @ (of_topic / per_topic)

    there = np.bincount(system, minlength=s) > 0
    values, vectors = np.linalg.eigh(equations)
    free = values <= 1e-10 * max(float(values[-1]), 1.0)
    if (np.ptp(vectors[:s][there][:, free], axis=0) > 1e-7).any():
        return (
            scores,
            "the systems share too few topics and raters, so the additive model cannot compare them",
        )
    vectors, values = vectors[:, ~free], values[~free]
    effect = vectors @ ((vectors.T @ right) / values)
    of_rater = (met[:, s:] > 0).astype(np.float64)
    level = (of_topic - met @ effect) / per_topic + (of_rater @ effect[s:]) / of_rater.sum(axis=1)
    scores[there] = effect[:s][there] + level.mean()
    return scores, ""
