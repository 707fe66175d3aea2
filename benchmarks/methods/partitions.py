"""Time of random partitions, compared with a loop over pandas that a user would write, and that both agree.

The study has the sample's size: 10 raters, 3 events of 20 documents and 2 surrogates. The loop shuffles each event's
documents, groups the judgments, and correlates the groups' rates with their mean metric; it is timed on a few draws,
each of which costs the same, and its time multiplied. For the check both use the same random numbers.
"""

import numpy as np
import pandas as pd

from analysis.relevance.judgments import JudgedTexts, Judgments, MetricTable, judged_texts
from analysis.relevance.partitions import PartitionSpec, partition_intervals, partition_study
from benchmarks.ratio import Ratio, median_seconds

RATERS, EVENTS, DOCUMENTS = 10, 3, 20
SURROGATES = ("Headline", "Human")
SIZES = (1, 2, 4)
DRAWS = 10_000
LOOPED = 5
RUNS = 5


def study(seed: int = 0) -> tuple[pd.DataFrame, JudgedTexts]:
    """Return judgments that follow the metric slightly, as a table and as texts."""
    rng = np.random.default_rng(seed)
    metric = rng.normal(0.25, 0.1, (EVENTS, DOCUMENTS, len(SURROGATES)))
    rater, event, document, surrogate = (
        axis.ravel()
        for axis in np.meshgrid(*map(np.arange, (RATERS, EVENTS, DOCUMENTS, len(SURROGATES))), indexing="ij")
    )
    value = metric[event, document, surrogate]
    truth = document % 2
    right = rng.random(len(rater)) < np.clip(0.75 + 0.8 * (value - 0.25), 0, 1)
    table = pd.DataFrame(
        {
            "rater": rater,
            "event": event,
            "document": document,
            "surrogate": np.array(SURROGATES)[surrogate],
            "judgment": np.where(right, truth, 1 - truth),
            "truth": truth,
            "metric": value,
        }
    )
    keys = ["event", "document", "surrogate"]
    texts = table.drop_duplicates(keys)
    *columns, truth = (table[name].to_numpy() for name in ("rater", *keys, "judgment", "truth"))
    metrics = MetricTable(*(texts[name].to_numpy() for name in (*keys, "metric")))
    return table, judged_texts(Judgments(*columns), truth, metrics)


def loop(table: pd.DataFrame, draws: int, seed: int) -> np.ndarray:
    """Correlations (surrogates, sizes, draws), one draw after the other."""
    table = table.assign(agrees=table["judgment"] == table["truth"])
    rng = np.random.default_rng(seed)
    correlations = np.empty((len(SURROGATES), len(SIZES), draws))
    for draw in range(draws):
        documents = table[["event", "document"]].drop_duplicates().sort_values(["event", "document"])
        documents["place"] = pd.Series(rng.random(len(documents)), documents.index)
        documents["place"] = documents.groupby("event")["place"].rank().astype(int) - 1
        shuffled = table.merge(documents, on=["event", "document"])
        for s, name in enumerate(SURROGATES):
            of_surrogate = shuffled[shuffled["surrogate"] == name]
            for g, size in enumerate(SIZES):
                groups = of_surrogate.groupby(["event", of_surrogate["place"] // size])[
                    ["agrees", "metric"]
                ].mean()
                correlations[s, g, draw] = groups["agrees"].corr(groups["metric"])
    return correlations


def rows() -> list[Ratio]:
    table, texts = study()
    few = partition_study(texts, PartitionSpec(SIZES, LOOPED)).partitions
    found = np.array([partition.correlations for partition in few])
    np.testing.assert_allclose(found, loop(table, LOOPED, 0).reshape(found.shape), atol=1e-12, rtol=0)

    study_of_sizes = partition_study(texts, PartitionSpec(SIZES, DRAWS))
    looped, our_seconds, intervals = median_seconds(
        RUNS,
        lambda: loop(table, LOOPED, 0),
        lambda: partition_study(texts, PartitionSpec(SIZES, DRAWS)),
        lambda: partition_intervals(texts, study_of_sizes),
    )
    return [
        Ratio(
            f"{DRAWS:,} partitions into groups of {', '.join(map(str, SIZES))}, {len(texts.text):,} "
            f"judgments of {len(SURROGATES)} surrogates "
            f"({1000 * our_seconds:.0f} ms; intervals by 1,000 draws {intervals:.2f} s)",
            f"a pandas loop, {LOOPED} draws timed ({1000 * looped:.0f} ms) and multiplied, equal to 1e-12",
            looped / LOOPED * DRAWS / our_seconds,
            100,
            "at least",
        )
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
