"""Scores of systems from the cells of a system by topic table: the plain mean and the additive model.

The plain mean averages a system's cells, so a system that lost its cells in the hard topics rises. The
additive model, cell = system + topic, fits both by least squares and asks what each system would have scored
over *all* topics. It is solved by eliminating the topics: one small system of equations between the systems,
many tables at a time.
"""

from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.pairs.system_table import Cells
from analysis.values.quotients import ratio
from analysis.values.types import Floats

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
    """Why the table is too large for `additive_means`; empty where it is not."""
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
    """Whether all systems that are there (k, s) are linked (k, s, s), by way of others too: (k,)."""
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
