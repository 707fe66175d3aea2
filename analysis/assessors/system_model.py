"""Consistency of each rater, from identical texts or from others' ratings, and additive models of systems."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import interval_alpha, update_alpha
from analysis.agreement.reliability import FEWEST_ITEMS
from analysis.assessors.consistency import Consistency, OthersAgreement, build_others_agreement
from analysis.assessors.summary_scores import SummaryScores
from analysis.assessors.typical_rater import FEWEST_UNITS
from analysis.correlation.rank_rows import pearson_from_sums
from analysis.pairs.system_table import Cells
from analysis.values.estimate import BootstrapSpec, Counts, Estimate, Floats
from analysis.values.ratings import ratio

RaterFigures = Consistency | OthersAgreement
"""Consistency of each rater of one measure."""


def consistency_estimates(ranked: RaterFigures) -> list[Estimate]:
    """Return the consistency of each rater, in the order of `ranked.raters`."""
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


def rank_raters(ranked: RaterFigures) -> list[tuple[int, Estimate]]:
    """Sort raters with defined consistency from high to low, with those of few items last."""
    defined = [
        (r, e)
        for r, e in zip(ranked.raters.tolist(), consistency_estimates(ranked), strict=True)
        if e.defined
    ]
    return sorted(defined, key=lambda pair: rank_key(pair[1]))


def rank_key(estimate: Estimate) -> tuple[bool, float, float]:
    """Return the sort key of a rater, from high to low."""
    return estimate.n < FEWEST_UNITS, -estimate.value, -_lower_end(estimate)


def _lower_end(estimate: Estimate) -> float:
    return estimate.low if estimate.low == estimate.low else estimate.value


@dataclass(frozen=True, eq=False)
class RaterSums:
    """Sums of one measure's ratings by one group, a row per rater, from the query "rater_sums".

    Parameters
    ----------
    rater : (w,) ids, ascending
    ratings : (w,) number of ratings
    items : (w,) number of rated items that others rated too
    own, others, products : (w,) over these items, sums of squares around their means of the rater's mean score, of
        the mean of all other ratings, and of the products of the two
    count, total, squares, within : (w,) changes of the sums over items with two ratings or more when the rater is
        excluded: number, total and squares of their scores (minus the mean of all) and n SS / (n - 1)

    Notes
    -----
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, with the mean of the others as the item's sum minus the
    rater's own; Krippendorff 2011, section D.
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


def agreement_from_sums(
    sums: RaterSums,
    count: Counts,
    total: Floats,
    squares: Floats,
    bootstrap: BootstrapSpec | None = None,
    widening: float = 1.0,
) -> OthersAgreement:
    """Compute `analysis.assessors.consistency.agreement_with_others` from sums.

    Parameters
    ----------
    sums : of w raters
    count, total, squares : (u,) number, total and squares of each item's scores minus the mean of all
    bootstrap : of the interval of the overall alpha; its level is that of all intervals
    widening : ratio of the variance of correlations to Fisher's, estimated from single ratings

    Returns
    -------
    OthersAgreement
        arrays (w,); alpha without a rater is undefined if almost no variance remains.

    Notes
    -----
    Source: methods, section 4, last line.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    tiny = 1e-18 * float(squares.sum())
    enough = (sums.items >= FEWEST_ITEMS) & (sums.own > tiny) & (sums.others > tiny)
    changes = np.stack([sums.count, sums.total, sums.squares, sums.within], axis=1)
    alpha_without, imprecise = update_alpha(count.astype(np.float64), total, squares, changes)
    return build_others_agreement(
        sums.rater,
        pearson_from_sums(sums.own, sums.others, sums.products, enough),
        sums.items,
        sums.own <= tiny,
        interval_alpha(count, total, squares, spec),
        np.where(imprecise, nan, alpha_without),
        spec.level,
        widening,
    )


FEWEST_SYSTEMS = 3


def _divide(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def mean_by_system(rows: SummaryScores, values: Floats) -> Floats:
    """Average values (n,) or (n, c) within topics, then over topics, by system: (s,) or (s, c)."""
    systems, system = np.unique(rows.system, return_inverse=True)
    topics, topic = np.unique(rows.topic, return_inverse=True)
    cells, cell, in_cell = np.unique(system * len(topics) + topic, return_inverse=True, return_counts=True)
    topics_of = np.bincount(cells // max(len(topics), 1), minlength=len(systems))
    weight = 1 / (in_cell[cell] * topics_of[system])
    columns = values.reshape(len(rows), -1).T
    means = np.array([np.bincount(system, weight * column, minlength=len(systems)) for column in columns])
    return means.T.reshape(len(systems), *values.shape[1:])


def is_constant(values: Floats) -> bool:
    """Return True if values are equal except for rounding."""
    return bool(np.ptp(values) <= 1e-12 * max(float(np.abs(values).max()), 1e-300))


def pearson_by_row(first: Floats, second: Floats, present: NDArray[np.bool_] | None = None) -> Floats:
    """Compute Pearson's r of each row (d, s) over the systems present; NaN below three or for constant values."""
    second = np.broadcast_to(second, first.shape)
    weight = np.ones(first.shape) if present is None else present.astype(np.float64)
    n = weight.sum(axis=1)
    deviations = [
        weight * (values - (_divide((weight * values).sum(axis=1), n))[:, None]) for values in (first, second)
    ]
    spreads = [np.sqrt((d**2).sum(axis=1)) for d in deviations]
    largest = [np.abs(weight * values).max(axis=1, initial=0.0) for values in (first, second)]
    varies = [s > 1e-10 * np.maximum(m, 1e-300) for s, m in zip(spreads, largest, strict=True)]
    defined = (n >= FEWEST_SYSTEMS) & varies[0] & varies[1]
    covariance = (deviations[0] * deviations[1]).sum(axis=1)
    correlation = np.full(len(first), nan)
    np.divide(covariance, spreads[0] * spreads[1], out=correlation, where=defined)
    return np.asarray(np.clip(correlation, -1.0, 1.0), dtype=np.float64)


MOST_MODELLED = 3_000
"""Largest number of systems of the additive model, whose equations grow with its square."""
MOST_CELLS = 20_000_000
"""Largest number of systems x topics of the additive model."""
NOT_CONNECTED = "the systems fall into groups that share no topic, so the additive model cannot compare them"
TOO_LARGE = f"the additive model holds at most {MOST_MODELLED} systems and {MOST_CELLS} cells"
MOST_WORK = 3e11
"""Largest number of multiplications for fitting it to many tables: about half a minute."""
TOO_MUCH_WORK = "fitting the additive model that often would take too long"
_BLOCK = 200_000
"""Cells of a block of tables that are fitted together."""


def cell_means(table: Cells, keep: NDArray[np.bool_]) -> Floats:
    """Compute the cells' means over the included raters (Owczarzak et al. 2012, section 3 (exclusion))."""
    weight = keep[table.rater].astype(np.float64)
    c = len(table.system)
    return ratio(
        np.bincount(table.cell, table.sums * weight, c), np.bincount(table.cell, table.counts * weight, c)
    )


def plain_means(table: Cells, means: Floats, weights: Floats | None = None) -> Floats:
    """Compute each system's mean over its topics (Owczarzak et al. 2012, section 3)."""
    if len(table.system) == 0:
        return np.full((len(means), 0), nan)
    is_defined = ~np.isnan(means)
    weight = is_defined.astype(np.float64) if weights is None else np.where(is_defined, weights, 0.0)
    total = np.add.reduceat(weight * np.where(is_defined, means, 0.0), table.starts, axis=1)
    return ratio(total, np.add.reduceat(weight, table.starts, axis=1))


def too_large_reason(table: Cells, versions: int = 1) -> str:
    """Return the reason why the table is too large for `additive_means`, "" if it is not."""
    s, t = len(table.systems), len(table.topics)
    if s > MOST_MODELLED or s * t > MOST_CELLS:
        return TOO_LARGE
    return TOO_MUCH_WORK if float(versions) * s * s * max(s, t) > MOST_WORK else ""


def is_complete(table: Cells, means: Floats) -> bool:
    """Return True if each remaining system has a cell in each remaining topic (Searle 1971, 7.1)."""
    is_defined = ~np.isnan(means)
    present = np.bincount(table.system[is_defined]) > 0, np.bincount(table.topic[is_defined]) > 0
    return int(is_defined.sum()) == int(present[0].sum()) * int(present[1].sum())


def additive_means(table: Cells, means: Floats, weights: Floats | None = None) -> Floats:
    """Return each system's mean over all topics by the model system + topic (Searle 1971, Linear Models, 7.1)."""
    # The means that the systems would have on the same topics. Not for cells that are missing because of the
    # system's quality on the topic. Equals the plain mean if no cell is missing. Topics are eliminated from the
    # normal equations (D - M diag(1 / m) M') system = M y - M diag(1 / m) (M' y), M the weights (s, t), m their
    # sums per topic.
    s, t = len(table.systems), len(table.topics)
    if len(table.system) == 0:
        return np.full((len(means), 0), nan)
    size = max(_BLOCK // (s * t), 1)
    return np.concatenate(
        [
            _fit_additive(table, means[at : at + size], None if weights is None else weights[at : at + size])
            for at in range(0, len(means), size)
        ]
        or [np.zeros((0, s))]
    )


def _fit_additive(table: Cells, means: Floats, weights: Floats | None) -> Floats:
    k, s, t = len(means), len(table.systems), len(table.topics)
    is_defined = ~np.isnan(means)
    cell_weights = is_defined.astype(np.float64) if weights is None else np.where(is_defined, weights, 0.0)
    weight, total = np.zeros((k, s, t)), np.zeros((k, s, t))
    weight[:, table.system, table.topic] = cell_weights
    total[:, table.system, table.topic] = cell_weights * np.where(is_defined, means, 0.0)
    topic_weights, system_weights = weight.sum(axis=1), weight.sum(axis=2)
    share = np.divide(1.0, topic_weights, out=np.zeros_like(topic_weights), where=topic_weights > 0)
    has_ratings = system_weights > 0

    equations = -(weight * share[:, None, :]) @ weight.transpose(0, 2, 1)
    is_connected = _is_connected(equations < 0, has_ratings)
    diagonal = np.arange(s)
    equations[:, diagonal, diagonal] += system_weights
    typical = (system_weights.sum(axis=1) / np.maximum(has_ratings.sum(axis=1), 1))[:, None, None]
    equations += typical / s * (has_ratings[:, :, None] & has_ratings[:, None, :])
    equations[:, diagonal, diagonal] += ~has_ratings
    equations[~is_connected] = np.eye(s)
    right_side = total.sum(axis=2) - _multiply(weight, share * total.sum(axis=1))
    system = np.linalg.solve(equations, right_side[:, :, None])[:, :, 0]

    topic = share * (total.sum(axis=1) - _multiply(weight.transpose(0, 2, 1), system))
    topic_weight = topic_weights / np.maximum((weight > 0).sum(axis=1), 1)
    level = ratio((topic_weight * topic).sum(axis=1), topic_weight.sum(axis=1))
    return np.where(has_ratings & is_connected[:, None], system + level[:, None], nan)


def _multiply(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _is_connected(linked: NDArray[np.bool_], present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return True (k,) if all present systems (k, s) are connected by links (k, s, s)."""
    is_reached = np.zeros_like(present)
    is_reached[np.arange(len(present)), present.argmax(axis=1)] = present.any(axis=1)
    links = linked.astype(np.float32)
    while True:
        extended = is_reached | (_multiply(links, is_reached.astype(np.float32)) > 0)  # type: ignore[arg-type]
        if (extended == is_reached).all():
            return np.asarray((is_reached == present).all(axis=1), dtype=np.bool_)
        is_reached = extended


def additive_means_with_raters(table: Cells, keep: NDArray[np.bool_]) -> tuple[Floats, str]:
    """Return each system's mean by the additive model system + topic + rater (Searle 1971, Linear Models, 7.1)."""
    # The means that the systems would have with the same topics and raters. Needs raters that judged systems in
    # several topics, or several raters within a topic; with one rater per topic it equals the model without
    # raters. Least squares over the means of (system, topic, rater); a score is the mean over topics of the mean
    # over that topic's raters of the fitted values, so that pairs of rater and topic without ratings do not
    # matter.
    s, w = len(table.systems), len(table.raters)
    scores = np.full(s, nan)
    entries = np.flatnonzero(keep[table.rater])
    if len(entries) == 0:
        return scores, ""
    if s + w > MOST_MODELLED:
        return scores, f"the additive model holds at most {MOST_MODELLED} systems and raters"
    system, topic, rater = (
        table.system[table.cell[entries]],
        table.topic[table.cell[entries]],
        s + table.rater[entries],
    )
    mean = table.sums[entries] / table.counts[entries]
    topics, topic = np.unique(topic, return_inverse=True)
    t, width = len(topics), s + w
    incidence = np.zeros((t, width))
    np.add.at(incidence, (topic, system), 1.0)
    np.add.at(incidence, (topic, rater), 1.0)
    per_topic, topic_sums = np.bincount(topic).astype(np.float64), np.bincount(topic, mean)
    equations = -incidence.T @ (incidence / per_topic[:, None])
    np.add.at(equations, (system, rater), 1.0)
    np.add.at(equations, (rater, system), 1.0)
    equations[np.arange(width), np.arange(width)] += incidence.sum(axis=0)
    effect_sums = np.bincount(system, mean, width) + np.bincount(rater, mean, width)
    right_side = effect_sums - incidence.T @ (topic_sums / per_topic)

    has_ratings = np.bincount(system, minlength=s) > 0
    values, vectors = np.linalg.eigh(equations)
    is_null = values <= 1e-10 * max(float(values[-1]), 1.0)
    if (np.ptp(vectors[:s][has_ratings][:, is_null], axis=0) > 1e-7).any():
        return (
            scores,
            "the systems share too few topics and raters, so the additive model cannot compare them",
        )
    vectors, values = vectors[:, ~is_null], values[~is_null]
    effect = vectors @ ((vectors.T @ right_side) / values)
    of_rater = (incidence[:, s:] > 0).astype(np.float64)
    level = (topic_sums - incidence @ effect) / per_topic + (of_rater @ effect[s:]) / of_rater.sum(axis=1)
    scores[has_ratings] = effect[:s][has_ratings] + level.mean()
    return scores, ""
