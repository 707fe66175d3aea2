"""How predictions of scores go with scores over systems."""

from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.summary_scores import SummaryScores
from analysis.values.types import Floats

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
    """Whether values differ by no more than rounding errors."""
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
