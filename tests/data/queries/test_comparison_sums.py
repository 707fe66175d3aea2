"""The store's reductions are what the statistics were specified on: the same figures as from the raw ratings."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from analysis.crowd_vs_lab import variance_components
from analysis.crowd_vs_lab.comparison import ComparisonSpec, compare, compare_sums
from analysis.crowd_vs_lab.variance_components import ItemPairs, RaterPulls, pair_up
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from data.store.datasets import Store

MAPPING = {"item_id": "item", "rater_id": "rater", "rater_group": "group", "score": "score", "check": "check"}


def study(seed: int) -> pd.DataFrame:
    """Three groups, raters in two of them, items of one group only, items rated once, repeated votes, checks."""
    rng = np.random.default_rng(seed)
    n = 1500
    item = rng.integers(0, 90, n)
    group = rng.choice(["crowd", "lab", "third"], n)
    item[(group == "lab") & (item > 80)] = 3
    rater = np.where(rng.random(n) < 0.1, "both", np.char.add(group, rng.integers(0, 12, n).astype(str)))
    score = np.clip(np.rint(2 + item / 40 + rng.normal(0, 1, n)), 1, 5)
    return pd.DataFrame(
        {
            "item": np.char.add("clip", item.astype(str)),
            "rater": rater,
            "group": group,
            "score": score,
            "check": np.where(rng.random(n) < 0.05, "trap", ""),
        }
    )


def of_group(table: pd.DataFrame, group: str) -> Ratings:
    rows = table[(table["group"] == group) & (table["check"] == "")]
    return Ratings(rows["item"].to_numpy(str), rows["rater"].to_numpy(str), rows["score"])


@pytest.mark.parametrize(("seed", "taken"), [(1, 20_000), (2, 20_000), (3, 20)])
def test_store_and_raw_ratings_agree(tmp_path, monkeypatch, seed, taken):
    monkeypatch.setattr(variance_components, "ITEMS_TAKEN", taken)
    table = study(seed)
    table.to_csv(tmp_path / "ratings.csv", index=False)
    raw = compare(
        of_group(table, "crowd"),
        of_group(table, "lab"),
        ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0),
    )
    with Store(tmp_path / "store.duckdb") as store:
        dataset = store.add(tmp_path / "ratings.csv", "ratings", MAPPING, "sums")
        asked = {"measure": "score", "candidate": "crowd", "reference": "lab"}
        pairs = ItemPairs(**store.query(dataset, "item_pairs", **asked))
        pulls = RaterPulls(**store.query(dataset, "rater_pulls", **asked))
        together = store.query(dataset, "comparison", **asked)
    for name in ("n_candidate", "sum_reference", "squares_candidate"):
        assert_allclose(together[name], getattr(pairs, name))
    assert_allclose(together["pull"], pulls.pull)
    expected_pairs, expected_pulls = pair_up(of_group(table, "crowd"), of_group(table, "lab"))
    for found, expected in ((pairs, expected_pairs), (pulls, expected_pulls)):
        for column in (set(vars(found))) - {"item", "rater"}:
            assert_allclose(np.sort(getattr(found, column)), np.sort(getattr(expected, column)), atol=1e-9)
    from_sums, from_raw = compare_sums(pairs, pulls), compare_sums(expected_pairs, expected_pulls)
    for figure in ("spearman", "pearson", "kendall", "rmse", "mean_difference"):
        a, b = getattr(from_sums, figure), getattr(from_raw, figure)
        assert_allclose((a.value, a.low, a.high), (b.value, b.low, b.high), rtol=1e-9)
        assert a.value == pytest.approx(getattr(raw, figure).value, rel=1e-9)
    assert from_sums.u == raw.u
    assert from_sums.wilcoxon_p == pytest.approx(raw.wilcoxon_p, rel=1e-9)
    assert (from_sums.left_out_candidate, from_sums.left_out_reference) == (
        raw.left_out_candidate,
        raw.left_out_reference,
    )
    assert from_sums.candidate.raters == raw.candidate.raters or taken == 20
