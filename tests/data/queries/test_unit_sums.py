"""Alpha from the store's sums per item is alpha of the raw ratings."""

import numpy as np
import pandas as pd
import pytest

from analysis.agreement.alpha import interval_alpha, krippendorff_alpha
from data.errors import UnknownName
from data.store.store import Store

MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "rater_group": "group",
    "measure": "measure",
    "score": "score",
    "check": "check",
}


@pytest.fixture
def table() -> pd.DataFrame:
    """Two groups and measures far from zero, items rated once, checks."""
    rng = np.random.default_rng(0)
    n = 900
    item = rng.integers(0, 150, n)
    return pd.DataFrame(
        {
            "item": np.char.add("clip", item.astype(str)),
            "rater": np.char.add("r", np.arange(n).astype(str)),
            "group": rng.choice(["crowd", "lab"], n),
            "measure": rng.choice(["clarity", "noise"], n),
            "score": np.rint(1e6 + item / 10 + rng.normal(0, 2, n)),
            "check": np.where(rng.random(n) < 0.05, "trap", ""),
        }
    )


@pytest.mark.parametrize("group", [None, "lab"])
def test_alpha_of_sums_is_alpha_of_ratings(store: Store, tmp_path, table, group):
    table.to_csv(tmp_path / "ratings.csv", index=False)
    dataset = store.add(tmp_path / "ratings.csv", "ratings", MAPPING, "sums")
    asked = {"measure": "noise"} | ({} if group is None else {"group": group})
    sums = store.query(dataset, "unit_sums", **asked)
    real = table[(table["check"] == "") & (table["measure"] == "noise")]
    if group is not None:
        real = real[real["group"] == group]
    per_item = real.groupby("item")["score"]
    names = store.query(dataset, "item_names")["name"][sums["item"]]
    assert names.tolist() == sorted(per_item.groups)
    np.testing.assert_array_equal(sums["count"], per_item.count()[names])
    centred = real["score"] - real["score"].mean()
    np.testing.assert_allclose(sums["total"], centred.groupby(real["item"]).sum()[names], atol=1e-6)
    np.testing.assert_allclose(sums["squares"], (centred**2).groupby(real["item"]).sum()[names], rtol=1e-8)
    found = interval_alpha(sums["count"], sums["total"], sums["squares"])
    expected = krippendorff_alpha(real["item"], real["score"])
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high), abs=1e-9
    )
    assert found.n == expected.n


def test_equal_scores_are_equal_after_centring(store: Store, tmp_path, table):
    table["score"] = 0.1
    table.to_csv(tmp_path / "ratings.csv", index=False)
    dataset = store.add(tmp_path / "ratings.csv", "ratings", MAPPING, "sums")
    sums = store.query(dataset, "unit_sums", measure="noise")
    found = interval_alpha(sums["count"], sums["total"], sums["squares"])
    assert "everyone gave the same value" in found.reason


def test_an_unknown_measure_is_reported(store: Store, tmp_path, table):
    table.to_csv(tmp_path / "ratings.csv", index=False)
    dataset = store.add(tmp_path / "ratings.csv", "ratings", MAPPING, "sums")
    with pytest.raises(UnknownName, match="clarity"):
        store.query(dataset, "unit_sums", measure="colour")
