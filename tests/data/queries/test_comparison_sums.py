"""The store's reductions are what the statistics were specified on: the same figures as from the raw ratings."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from analysis.comparison import variance_components
from analysis.comparison.comparison import ComparisonSpec, compare, compare_sums
from analysis.comparison.variance_components import ItemPairs, RaterInfluence, summarize_pairs
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from data.dataset import Dataset
from data.store.store import Store

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


def sums(store: Store, dataset: Dataset) -> tuple[ItemPairs, RaterInfluence]:
    """Query the sums of crowd and lab, with names of items and raters."""
    asked = {"measure": "score", "candidate": "crowd", "reference": "lab"}
    rows = store.query(dataset, "comparison", **asked)
    alone = store.query(dataset, "item_pairs", **asked)
    for name, column in alone.items():
        assert column.tolist() == rows[name].tolist()
    rows["item"] = store.query(dataset, "item_names")["name"][rows["item"]]
    rows["taken"] = store.query(dataset, "item_names")["name"][rows["taken"]]
    rows["rater"] = store.query(dataset, "rater_names")["name"][rows["rater"]]
    pairs, pulls = (
        {name: rows[name] for name in table.__dataclass_fields__} for table in (ItemPairs, RaterInfluence)
    )
    return ItemPairs(**pairs), RaterInfluence(**pulls)


def array_sums(table: pd.DataFrame, taken: NDArray[Any]) -> tuple[ItemPairs, RaterInfluence]:
    """Sums from arrays: of all items, and of the raters over the items that were taken."""
    some = table[table["item"].isin(taken)]
    pairs, _ = summarize_pairs(of_group(table, "crowd"), of_group(table, "lab"))
    _, pulls = summarize_pairs(of_group(some, "crowd"), of_group(some, "lab"))
    return pairs, replace(pulls, taken=taken)


SCORES = st.sampled_from([1.0, 2.0, 3.5, -4.0, 1e6, 1e-6])
VOTES = st.tuples(
    st.sampled_from(["a", "b", "c", "d", "e", "f", "g"]),
    st.sampled_from(["ann", "ben", "cem", "dot"]),
    st.sampled_from(["crowd", "lab", "third"]),
    SCORES,
    st.sampled_from(["", "", "", "trap"]),
)
BOTH_GROUPS = [("a", "ann", "crowd", 1.0, ""), ("b", "ben", "lab", 2.0, "")]


@pytest.mark.parametrize("taken", [20_000, 2])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(votes=st.lists(VOTES, max_size=30))
def test_added_up_by_the_database_is_added_up_from_arrays(store, tmp_path, monkeypatch, taken, votes):
    """Sums per item and per rater are the same for any design."""
    monkeypatch.setattr(variance_components, "MOST_SAMPLED_ITEMS", taken)
    table = pd.DataFrame([*BOTH_GROUPS, *votes], columns=["item", "rater", "group", "score", "check"])
    table.to_csv(tmp_path / "ratings.csv", index=False)
    saved = store.add(tmp_path / "ratings.csv", "ratings", MAPPING, "sums")
    pairs, pulls = sums(store, saved)
    store.delete(saved.id)
    assert pulls.taken is not None
    expected_pairs, expected_pulls = array_sums(table, pulls.taken)
    assert pairs.item.tolist() == expected_pairs.item.tolist()
    assert list(zip(pulls.candidate, pulls.rater, strict=True)) == list(
        zip(expected_pulls.candidate, expected_pulls.rater, strict=True)
    )
    rounding = max(
        1e-6, 1e-15 * float(np.square(table["score"]).sum())
    )  # what sums of squares leave of each other
    for ours, expected in ((pairs, expected_pairs), (pulls, expected_pulls)):
        for column in (set(vars(ours))) - {"item", "rater", "taken"}:
            assert_allclose(getattr(ours, column), getattr(expected, column), rtol=1e-9, atol=rounding)
    shared = expected_pairs.shared().item
    assert set(pulls.taken) <= set(shared)
    assert len(pulls.taken) == (len(shared) if len(shared) < 2 * taken else taken)
    assert pulls.taken.tolist() == pairs.taken(pulls).item.tolist()


@pytest.mark.parametrize(("seed", "taken"), [(1, 20_000), (2, 20_000), (3, 20)])
def test_store_and_raw_ratings_agree(store, tmp_path, monkeypatch, seed, taken):
    monkeypatch.setattr(variance_components, "MOST_SAMPLED_ITEMS", taken)
    table = study(seed)
    table.to_csv(tmp_path / "ratings.csv", index=False)
    raw = compare(
        of_group(table, "crowd"),
        of_group(table, "lab"),
        ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0),
    )
    pairs, pulls = sums(store, store.add(tmp_path / "ratings.csv", "ratings", MAPPING, "sums"))
    assert pulls.taken is not None
    expected_pairs, expected_pulls = array_sums(table, pulls.taken)
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
