"""A view that merges repeats answers every query as a table with one row per rater, item, measure and group does."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from analysis.agreement.alpha import krippendorff_alpha
from analysis.values.estimate import BootstrapSpec
from data.dataset import Filter, Merge
from data.store import sums
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE, is_lake

KEY = ["item", "rater", "measure", "group"]
ITEM_OF = {"item_id": "item", "rater_id": "rater", "score": "score", "check": "check", "topic": "topic"}
MAPPING = ITEM_OF | {"measure": "measure", "rater_group": "group", "order": "order"}
NONE = BootstrapSpec(draws=0)
ASKED = {"measure": "noise", "group": "crowd"}


def table(repeats: bool = True, rows: int = 300) -> pd.DataFrame:
    """Two groups and measures with repeats in no order, checks, items of one group only."""
    rng = np.random.default_rng(3)
    item = rng.integers(0, 30, rows)
    found = pd.DataFrame(
        {
            "item": np.char.add("i", item.astype(str)),
            "rater": np.char.add("r", rng.integers(0, 6, rows).astype(str)),
            "group": np.where(item < 5, "lab", rng.choice(["lab", "crowd"], rows)),
            "measure": rng.choice(["noise", "clarity"], rows),
            "score": rng.integers(1, 6, rows),
            "check": np.where(rng.random(rows) < 0.05, "trap", ""),
            "topic": np.char.add("t", (item % 4).astype(str)),
            "order": rng.permutation(rows),
        }
    )
    return found if repeats else found.drop_duplicates(KEY)


def merged_slowly(rows: pd.DataFrame, merge: Merge) -> pd.DataFrame:
    """One row per rater, item, measure and group: the last, with the mean of the scores or its own."""
    kept = []
    for _, cell in rows[rows["check"] == ""].groupby(KEY, sort=False):
        last = cell.sort_values("order", kind="stable").iloc[-1].copy()
        if merge == "mean":
            last["score"] = sum(cell["score"]) / len(cell)
        kept.append(last)
    return pd.concat([pd.DataFrame(kept), rows[rows["check"] != ""]]).sort_index()


def saved(store: Store, path: Path, rows: pd.DataFrame):
    rows.to_csv(path, index=False)
    return store.add(path, "ratings", MAPPING, path.stem)


QUERIES: list[tuple[str, dict[str, object]]] = [
    ("cells", {}),
    ("ratings", ASKED),
    ("ratings", ASKED | {"shared_with": "lab"}),
    ("ratings", ASKED | {"max_items": 7}),
    ("scores", ASKED),
    ("assessments", ASKED),
    ("cell_ratings", ASKED),
    ("crossed_ratings", ASKED),
    ("unit_sums", ASKED),
    ("unit_sums", {"measure": "noise"}),
    ("score_counts", {"measure": "noise"}),
    ("score_ranges", {"measure": "noise"}),
    ("few_scores", ASKED),
    ("group_raters", {"group": "crowd"}),
    ("item_pairs", {"measure": "noise", "candidate": "crowd", "reference": "lab"}),
    ("comparison", {"measure": "noise", "candidate": "crowd", "reference": "lab"}),
]


def in_one_order(found: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    """Columns sorted together; what is a rank of rows differs with the rows, but not its order."""
    if name in ("item_pairs", "unit_sums", "comparison", "score_counts", "cells"):
        return found
    columns = {column: values for column, values in found.items() if column != "order"}
    places = np.lexsort([columns[column].astype(str) for column in reversed(columns)])
    return {column: values[places] for column, values in columns.items()}


@EVERY_ENGINE
@pytest.mark.parametrize(("merge", "summed"), [("mean", False), ("last", True)])
def test_queries_answer_as_for_merged_rows(
    store: Store, shared_store: Store, tmp_path, monkeypatch, merge, summed
):
    """The merged rows are in a file, which answers sooner than a lake; a lake answers for a view with all parts."""
    if summed:
        monkeypatch.setattr(sums, "MIN_ROWS", 10)
        monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    every, once = table(), merged_slowly(table(), merge)
    first = saved(store, tmp_path / "every.csv", every)
    second = saved(shared_store, tmp_path / "once.csv", once)
    assert first.summed == summed
    assert store.query(first, "has_repeats")["found"][0]
    assert not shared_store.query(second, "has_repeats")["found"][0]
    view = first.merging_repeats(merge)
    views = [
        (view, second),
        (view.leaving_out(("r3",)), second.leaving_out(("r3",))),
        (view.keeping((Filter("topic", ("t1", "t2")),)), second.keeping((Filter("topic", ("t1", "t2")),))),
    ]
    for one, other in views[1:2] if is_lake(store) else views:
        for name, parameters in QUERIES:
            found = in_one_order(store.query(one, name, **parameters), name)
            expected = in_one_order(shared_store.query(other, name, **parameters), name)
            assert found.keys() == expected.keys()
            for column, values in expected.items():
                told = f"{name} {column}"
                if column in ("measure", "group"):
                    assert found[column].tolist() == values.tolist(), told
                else:
                    assert_allclose(found[column], values, rtol=1e-9, atol=1e-9, err_msg=told)


def test_a_filter_decides_before_repeats_are_merged(store: Store, tmp_path):
    rows = "item,rater,topic,score\na,r,x,1\na,r,y,5\na,s,x,2\n"
    (tmp_path / "two.csv").write_text(rows)
    dataset = store.add(tmp_path / "two.csv", "ratings", {n: v for n, v in ITEM_OF.items() if n != "check"})
    view = dataset.keeping((Filter("topic", ("x",)),)).merging_repeats()
    asked = {"measure": "score", "group": "all ratings"}
    assert store.query(view, "ratings", **asked)["score"].tolist() == [1.0, 2.0]
    assert sorted(store.query(view.as_saved.merging_repeats(), "ratings", **asked)["score"]) == [2.0, 3.0]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (["a,r,x,y,x", "a,r,y,x,y", "b,r,x,y,x"], True),  # the same systems, the other way round
        (["a,r,x,y,x", "a,r,x,z,x", "b,r,x,y,x"], False),
        (["a,r,x,y,x", "a,s,x,y,x", "b,r,x,y,y"], False),
    ],
)
def test_repeats_of_choices_are_found(store: Store, tmp_path, rows, found):
    (tmp_path / "pairs.csv").write_text("\n".join(["item,rater,first,second,choice", *rows, ""]))
    mapping = {"item_id": "item", "rater_id": "rater", "option_a": "first", "option_b": "second"}
    dataset = store.add(tmp_path / "pairs.csv", "choices", mapping | {"choice": "choice"})
    assert store.query(dataset, "has_repeats")["found"].tolist() == [found]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2, st.integers(1, 7)), min_size=2, max_size=30), st.data())
def test_copies_of_ratings_change_nothing(store: Store, tmp_path, rated, data):
    """Each rating stands once or more in the file; equal scores of a rater have that score as their mean."""
    once = {(item, rater): score / 7 for item, rater, score in rated}
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(once), max_size=len(once)))
    lines = [
        f"i{i},r{r},{score!r}"
        for ((i, r), score), many in zip(once.items(), times, strict=True)
        for _ in range(many)
    ]
    (tmp_path / "copies.csv").write_text("\n".join(["item,rater,score", *lines, ""]))
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    dataset = store.add(tmp_path / "copies.csv", "ratings", mapping)
    found = store.query(dataset.merging_repeats(), "ratings", measure="score", group="all ratings")
    names = {what: store.query(dataset, f"{what}_names")["name"] for what in ("item", "rater")}
    rows = zip(names["item"][found["item"]], names["rater"][found["rater"]], found["score"], strict=True)
    assert sorted(rows) == sorted((f"i{i}", f"r{r}", score) for (i, r), score in once.items())
    alpha = krippendorff_alpha(found["item"], found["score"], bootstrap=NONE)
    expected = krippendorff_alpha([item for item, _ in once], list(once.values()), bootstrap=NONE)
    assert (alpha.reason, alpha.n) == (expected.reason, expected.n)
    assert alpha.value == pytest.approx(expected.value, nan_ok=True)
