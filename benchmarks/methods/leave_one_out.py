"""Time of leaving out each rater in turn, compared with the pandas lines a user would write, and that both agree.

1,000,000 ratings by 1,000 raters of 40 systems on 500 topics. The pandas lines (drop the rater's rows, group by
system and topic, average twice, correlate) cost the same for every rater, so only a few raters are timed, in turns
with `leave_one_out` of all; the ratio is their time per rater times 1,000 against the whole of `leave_one_out`.
"""

import numpy as np
import pandas as pd

from analysis.assessors.leave_one_out import LeaveOneOut, leave_one_out
from benchmarks.ratio import Ratio, median_seconds

RATINGS, RATERS, SYSTEMS, TOPICS = 1_000_000, 1_000, 40, 500
LOOPED = 5
RUNS = 5


def study() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    system, topic = rng.integers(0, SYSTEMS, RATINGS), rng.integers(0, TOPICS, RATINGS)
    rater = rng.integers(0, RATERS, RATINGS)
    severity = rng.normal(0, 0.5, RATERS)[rater]
    score = np.clip(np.rint(3 + 0.01 * system + severity + rng.normal(0, 1, RATINGS)), 1, 5)
    return pd.DataFrame({"system": system, "topic": topic, "rater": rater, "score": score})


def scores(ratings: pd.DataFrame) -> pd.Series:
    return ratings.groupby(["system", "topic"])["score"].mean().groupby("system").mean()


def loop(ratings: pd.DataFrame, raters: range) -> list[tuple[float, float]]:
    all_scores = scores(ratings)
    correlations = []
    for rater in raters:
        without = scores(ratings[ratings["rater"] != rater])
        correlations.append((all_scores.corr(without), all_scores.corr(without, method="spearman")))
    return correlations


def rows() -> list[Ratio]:
    ratings = study()
    columns = [ratings[name].to_numpy() for name in ("system", "topic", "rater", "score")]

    def ours() -> LeaveOneOut:
        return leave_one_out(*columns)

    result, looped_raters = ours(), range(LOOPED)
    expected = np.array(loop(ratings, looped_raters))
    np.testing.assert_allclose(result.pearson[:LOOPED], expected[:, 0], atol=1e-9, rtol=0)
    np.testing.assert_allclose(result.spearman[:LOOPED], expected[:, 1], atol=1e-9, rtol=0)

    single_seconds, looped, our_seconds = median_seconds(
        RUNS, lambda: scores(ratings), lambda: loop(ratings, looped_raters), ours
    )
    per_rater = (looped - single_seconds) / LOOPED
    return [
        Ratio(
            f"`leave_one_out`, {RATERS:,} raters x {RATINGS:,} ratings, {SYSTEMS} systems x {TOPICS} topics",
            f"a pandas `groupby` per rater, timed for {LOOPED} and multiplied, equal to 1e-9",
            (single_seconds + per_rater * RATERS) / our_seconds,
            50,
            "at least",
        )
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
