"""What each assessor said of each summary, all measures side by side, with the summary's features."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.assessments import Assessments
from analysis.values.errors import InputError
from analysis.values.types import Codes, Floats


@dataclass(frozen=True, eq=False)
class SummaryScores:
    """One row per summary and assessor who judged it.

    Parameters
    ----------
    features : (n, f) numbers of the summary, NaN where unknown
    scores : (n, h) one column per human measure, NaN where unknown
    system, topic, split, rater : (n,) codes
    condition : (n,) codes, or None where there is one condition only
    machine : (n,) whether a system made the summary, not a person; None where that is not known
    """

    features: Floats
    scores: Floats
    system: Codes
    topic: Codes
    split: Codes
    rater: Codes
    condition: Codes | None = None
    machine: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        for name in ("scores", "system", "topic", "split", "rater", "condition", "machine"):
            array = getattr(self, name)
            if array is not None and len(array) != len(self.features):
                raise InputError(
                    f"`{name}` must have one row per judgment, {len(self.features)}, got {len(array)}"
                )

    def __len__(self) -> int:
        return len(self.features)

    def only(self, rows: NDArray[np.bool_] | Codes) -> "SummaryScores":
        """Some of the rows."""
        return SummaryScores(
            self.features[rows],
            self.scores[rows],
            self.system[rows],
            self.topic[rows],
            self.split[rows],
            self.rater[rows],
            None if self.condition is None else self.condition[rows],
            None if self.machine is None else self.machine[rows],
        )


def summary_scores(
    measures: Sequence[Assessments], features: Floats, is_machine: NDArray[np.bool_] | None = None
) -> SummaryScores:
    """What each assessor said of each summary, all measures side by side."""
    if not measures:
        raise InputError("`measures` must name at least one measure, got none")
    stacked = {
        name: np.concatenate([getattr(one, name) for one in measures])
        for name in ("item", "rater", "score", "system", "topic", "condition", "split")
    }
    column = np.repeat(np.arange(len(measures)), [len(one) for one in measures])
    used = (stacked["system"] >= 0) & np.isfinite(stacked["score"])
    stacked, column = {name: values[used] for name, values in stacked.items()}, column[used]
    raters = int(stacked["rater"].max(initial=0)) + 1
    pairs, first, row = np.unique(
        stacked["item"] * raters + stacked["rater"], return_index=True, return_inverse=True
    )
    flat, size = row * len(measures) + column, len(pairs) * len(measures)
    counts = np.bincount(flat, minlength=size)
    scores = np.full(size, nan)
    np.divide(np.bincount(flat, stacked["score"], size), counts, out=scores, where=counts > 0)
    of = {name: values[first] for name, values in stacked.items()}
    topics = int(stacked["topic"].max(initial=-1)) + 1
    return SummaryScores(
        features[of["item"]],
        scores.reshape(len(pairs), len(measures)),
        of["system"],
        np.where(of["topic"] >= 0, of["topic"], topics + of["item"]),
        of["split"],
        of["rater"],
        of["condition"] if (of["condition"] >= 0).any() else None,
        None if is_machine is None else is_machine[of["system"]],
    )
