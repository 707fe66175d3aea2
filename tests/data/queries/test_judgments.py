"""The queries about relevance: codes, what is not known, documents of their event, metrics of surrogates, views."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from data.dataset import Dataset, Filter
from data.errors import UnknownName
from data.samples import SAMPLES
from data.samples import relevance as sample
from data.store.store import Store

HEADER = (
    "rater_id,event_id,document_id,surrogate,judgment,gold,seconds,session,presentation,order_label,ROUGE-1\n"
)
ROWS = (
    "r2,e2,d1,Human,yes,1,4.5,,,,0.3\n"
    "r2,e2,d1,Full Text,no,1,,,,,\n"
    "r1,e1,d1,Human,relevant,,3,1,S1,S1D1D2,0.25\n"
    "r1,e1,d2,Human,0,0,3,2,S2,D1S2D2,0.5\n"
)
NEEDED = ("rater_id", "event_id", "document_id", "surrogate", "judgment")


@pytest.fixture
def add(store: Store, tmp_path: Path) -> Callable[..., Dataset]:
    def add_(text: str, *columns: str) -> Dataset:
        file = tmp_path / "judgments.csv"
        file.write_text(text, encoding="utf-8")
        chosen = columns or tuple(text.partition("\n")[0].split(","))
        return store.add(file, "relevance", {name: name for name in chosen}, "judgments")

    return add_


@pytest.fixture
def full(add: Callable[..., Dataset]) -> Dataset:
    return add(HEADER + ROWS)


def names(store: Store, dataset: Dataset, column: str) -> list[str]:
    return store.query(dataset, "judgment_names", column=column)["name"].tolist()


def test_judgments_come_as_codes_in_the_files_order(store: Store, full: Dataset) -> None:
    found = store.query(full, "judgments")
    codes = ("rater", "event", "document", "surrogate", "session", "presentation", "order_label")
    assert {name: found[name].tolist() for name in codes} == {
        "rater": [1, 1, 0, 0],
        "event": [1, 1, 0, 0],
        "document": [2, 2, 0, 1],
        "surrogate": [1, 0, 1, 1],
        "session": [-1, -1, 0, 1],
        "presentation": [-1, -1, 0, 1],
        "order_label": [-1, -1, 1, 0],
    }
    np.testing.assert_array_equal(found["judgment"], [1, 0, 1, 0])
    np.testing.assert_array_equal(found["gold"], [1, 1, np.nan, 0])
    np.testing.assert_array_equal(found["seconds"], [4.5, np.nan, 3, 3])
    np.testing.assert_array_equal(found["order"], [1, 2, 3, 4])


def test_documents_of_different_events_are_different_ones(store: Store, full: Dataset) -> None:
    assert names(store, full, "document") == ["d1", "d2", "d1"]
    assert names(store, full, "surrogate") == ["Full Text", "Human"]
    assert names(store, full, "order_label") == ["D1S2D2", "S1D1D2"]
    with pytest.raises(UnknownName, match="`column` must be one of 'rater', 'event'"):
        store.query(full, "judgment_names", column="gold")


def test_metrics_are_reported_where_they_are_known(store: Store, full: Dataset) -> None:
    assert full.named("item number") == ("ROUGE-1",)
    found = store.query(full, "surrogate_numbers", column="ROUGE-1")
    assert list(zip(*(column.tolist() for column in found.values()), strict=True)) == [
        ("e1", "d1", "Human", 0.25),
        ("e1", "d2", "Human", 0.5),
        ("e2", "d1", "Human", 0.3),
    ]
    with pytest.raises(UnknownName, match="there is no numeric column 'gold'; there are 'ROUGE-1'"):
        store.query(full, "surrogate_numbers", column="gold")


def test_the_least_columns_are_enough(store: Store, add: Callable[..., Dataset]) -> None:
    dataset = add(HEADER + ROWS, *NEEDED)
    found = store.query(dataset, "judgments")
    for column in ("session", "presentation", "order_label"):
        assert found[column].tolist() == [-1] * 4
        assert names(store, dataset, column) == []
    assert np.isnan(found["gold"]).all()
    assert np.isnan(found["seconds"]).all()
    assert dataset.named("item number") == ()


def test_what_a_view_leaves_out_enters_nothing(store: Store, full: Dataset) -> None:
    of_e1 = full.keeping((Filter("surrogate", ("Human",)), Filter("event_id", ("e1", "e3"))))
    assert store.query(of_e1, "judgments")["document"].tolist() == [0, 1]
    view = full.leaving_out(("r1",))
    found = store.query(view, "judgments")
    assert found["order"].tolist() == [1, 2]
    assert np.array(names(store, view, "document"))[found["document"]].tolist() == ["d1", "d1"]
    assert store.query(view, "surrogate_numbers", column="ROUGE-1")["event"].tolist() == ["e2"]


def test_the_sample_says_what_was_generated(store: Store, tmp_path: Path) -> None:
    [written] = [each for each in SAMPLES if each.kind == "relevance"]
    file = tmp_path / "sample.csv"
    written.write(file)
    dataset = store.add(file, "relevance", written.mapping, "sample")
    table, found = sample.generate(), store.query(dataset, "judgments")
    for what, column in (("rater", "rater_id"), ("event", "event_id"), ("surrogate", "surrogate")):
        assert np.array(names(store, dataset, what))[found[what]].tolist() == table[column].tolist()
    for what in ("session", "presentation", "order_label"):
        told = np.array([*names(store, dataset, what), ""])[found[what]]
        assert told.tolist() == table[what].tolist()
    for what in ("judgment", "gold", "seconds"):
        np.testing.assert_array_equal(found[what], table[what])
    assert len(names(store, dataset, "document")) == 4 * 20
    rouge = store.query(dataset, "surrogate_numbers", column="rouge1")
    assert len(rouge["value"]) == 3 * 20 * 3
