"""The queries about assessors, and views that leave raters out, against the same figures from the file's rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.dataset import Dataset, Filter
from data.errors import UnknownName
from data.queries import ratings
from data.store.store import Store

WriteCsv = Callable[..., Path]
COLUMNS = [
    "item_id",
    "rater_id",
    "measure",
    "score",
    "system",
    "system_kind",
    "topic",
    "condition",
    "split",
    "text",
    "check",
    "expected",
]


def _rows() -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    rows = []
    for at in range(400):
        item = int(rng.integers(0, 40))
        trap = at % 11 == 0
        rows.append(
            {
                "item_id": f"item {item:02d}",
                "rater_id": f"rater {int(rng.integers(0, 6))}" if at else "traps only",
                "measure": str(rng.choice(["ease", "zeal"])),
                "score": int(rng.integers(1, 6)),
                "system": f"s{item % 7}" if item % 5 else "",
                "system_kind": "human" if item % 7 == 0 else "machine",
                "topic": f"t{item % 4}",
                "condition": "main" if item % 3 else "update",
                "split": "ABC"[item % 3],
                "text": f"words {item % 6}" if item % 4 else "",
                "check": "trap" if trap else "",
                "expected": (3 if at % 2 else "high") if trap else "",
            }
        )
    return rows


ROWS = _rows()
REAL = [row for row in ROWS if not row["check"]]
RATERS = sorted({row["rater_id"] for row in REAL})
ITEMS = sorted({row["item_id"] for row in REAL})


@pytest.fixture
def study(store: Store, write_csv: WriteCsv) -> Dataset:
    return _saved(store, write_csv, ROWS)


def _saved(store: Store, write_csv: WriteCsv, rows: list[dict[str, Any]]) -> Dataset:
    file = write_csv(COLUMNS, [[row[name] for name in COLUMNS] for row in rows])
    return store.add(file, "ratings", {name: name for name in COLUMNS}, "assessors")


def test_assessments_are_the_file_s_rows_in_its_order(store: Store, study: Dataset) -> None:
    found = store.query(study, "assessments", measure="zeal", group="all ratings")
    rows = [row for row in REAL if row["measure"] == "zeal"]
    assert found["score"].tolist() == [row["score"] for row in rows]
    assert [ITEMS[code] for code in found["item"]] == [row["item_id"] for row in rows]
    assert [RATERS[code] for code in found["rater"]] == [row["rater_id"] for row in rows]
    for column in ("system", "topic", "condition", "split"):
        labels = store.query(study, "labels", column=column)["name"]
        named = ["" if code < 0 else labels[code] for code in found[column]]
        assert named == [row[column] for row in rows]


def test_identical_texts_share_a_code_within_topic_and_condition(store: Store, study: Dataset) -> None:
    found = store.query(study, "assessments", measure="ease", group="all ratings")
    rows = [row for row in REAL if row["measure"] == "ease"]
    keys = [(row["topic"], row["condition"], row["text"]) for row in rows]
    for code, key, row in zip(found["text"].tolist(), keys, rows, strict=True):
        assert (code < 0) == (row["text"] == "")
        if code >= 0:
            assert {other for other, c in zip(keys, found["text"].tolist(), strict=True) if c == code} == {
                key
            }
    assert len(set(found["text"][found["text"] >= 0].tolist())) == len({key for key in keys if key[2]})


def test_without_columns_there_are_no_codes(store: Store, write_csv: WriteCsv) -> None:
    file = write_csv(("item", "rater", "score"), [("a", "x", 1), ("b", "y", 2)])
    plain = store.add(file, "ratings", {"item_id": "item", "rater_id": "rater", "score": "score"}, "plain")
    found = store.query(plain, "assessments", measure="score", group="all ratings")
    for column in ("system", "topic", "condition", "split", "text"):
        assert found[column].tolist() == [-1, -1]
    assert np.isnan(found["seconds"]).all()
    assert store.query(plain, "item_texts")["text"].tolist() == ["", ""]
    with pytest.raises(UnknownName, match="there are no labels of 'topic'; there are none"):
        store.query(plain, "labels", column="topic")
    with pytest.raises(UnknownName, match="no column `check`"):
        store.query(plain, "checks", group="all ratings")


def test_the_raters_of_a_group_with_their_ratings(store: Store, study: Dataset) -> None:
    found = store.query(study, "group_raters", group="all ratings")
    assert [RATERS[code] for code in found["rater"]] == RATERS
    assert found["ratings"].tolist() == [sum(row["rater_id"] == rater for row in REAL) for rater in RATERS]


def test_kinds_texts_and_checks(store: Store, study: Dataset) -> None:
    kinds = store.query(study, "system_kinds")
    expected = sorted({(row["system"], row["system_kind"]) for row in REAL if row["system"]})
    assert list(zip(kinds["system"].tolist(), kinds["kind"].tolist(), strict=True)) == expected
    texts = {row["item_id"]: row["text"] for row in REAL}
    assert store.query(study, "item_texts")["text"].tolist() == [texts[item] for item in ITEMS]
    found = store.query(study, "checks", group="all ratings")
    traps = [row for row in ROWS if row["check"] and row["rater_id"] in RATERS]
    assert [RATERS[code] for code in found["rater"]] == [row["rater_id"] for row in traps]
    assert found["score"].tolist() == [row["score"] for row in traps]
    wanted = [row["expected"] if row["expected"] == 3 else None for row in traps]
    assert [None if value != value else value for value in found["expected"].tolist()] == wanted


GONE = ("rater 1", "rater 4", "'; DROP TABLE x --")
SYSTEMS = ("s1", "s2", "s4", "s5", "' OR 1=1 --")
VIEWS: dict[str, tuple[Callable[[Dataset], Dataset], Callable[[dict[str, Any]], bool]]] = {
    "without raters": (lambda study: study.leaving_out(GONE), lambda row: row["rater_id"] not in GONE),
    "some systems": (
        lambda study: study.keeping((Filter("system", SYSTEMS),)),
        lambda row: row["system"] in SYSTEMS,
    ),
    "some of two without raters": (
        lambda study: study.keeping(
            (Filter("topic", ("t0", "t1", "t3")), Filter("item_id", text="M 1"))
        ).leaving_out(GONE),
        lambda row: (
            row["topic"] != "t2" and row["item_id"].startswith("item 1") and row["rater_id"] not in GONE
        ),
    ),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_the_data_set_of_its_rows(
    store: Store, study: Dataset, write_csv: WriteCsv, view: str
) -> None:
    of, passes = VIEWS[view]
    viewed = of(study)
    left = _saved(store, write_csv, [row for row in ROWS if passes(row)])
    asked: dict[str, dict[str, object]] = {
        "overview": {},
        "cells": {},
        "score_counts": {"measure": "zeal"},
        "ratings": {"measure": "ease", "group": "all ratings", "max_items": 9},
        "item_pairs": {"measure": "ease", "candidate": "all ratings"},
        "assessments": {"measure": "ease", "group": "all ratings"},
        "systems": {},
    }
    for name, parameters in asked.items():
        ours, theirs = (store.query(each, name, **parameters) for each in (viewed, left))
        for column in ours:
            if column == "order":  # ranks of rows: gaps do not matter
                continue
            if column in CODED:
                ours[column] = _named(store, viewed, column, ours[column])
                theirs[column] = _named(store, left, column, theirs[column])
            np.testing.assert_array_equal(ours[column], theirs[column], err_msg=f"{name}: {column}")


CODED = ("item", "rater", *ratings.LABELS)


def _names(store: Store, dataset: Dataset, column: str) -> list[str]:
    if column in ratings.LABELS:
        return store.query(dataset, "labels", column=column)["name"].tolist()
    return store.query(dataset, f"{column}_names")["name"].tolist()


def _named(store: Store, dataset: Dataset, column: str, codes: np.ndarray) -> list[str]:
    if codes.dtype.kind == "U":  # `systems` says names
        return codes.tolist()
    names = [*_names(store, dataset, column), "none"]
    return [names[code] for code in codes]


def test_codes_mean_the_same_whoever_is_left_out(store: Store, write_csv: WriteCsv) -> None:
    """Also beside an item, a system and a topic that come first and that only a rater left out has seen."""
    seen_by_one = {
        "item_id": "a",
        "system": "a",
        "topic": "a",
        "split": "",
        "rater_id": "rater 1",
        "check": "",
    }
    whole = _saved(store, write_csv, [*ROWS, *({**row, **seen_by_one} for row in ROWS[1:3])])
    view = whole.leaving_out(("rater 1", "rater 4"))
    for column in CODED:
        assert _names(store, view, column) == _names(store, whole, column)
    for measure in ("zeal", "ease"):
        asked = {"measure": measure, "group": "all ratings"}
        everyones, rest = (store.query(each, "assessments", **asked) for each in (whole, view))
        kept = np.isin(everyones["rater"], rest["rater"])
        assert 0 < kept.sum() < len(kept)
        for column in CODED:
            assert rest[column].tolist() == everyones[column][kept].tolist()
        rated = sorted(set(rest["item"].tolist()))
        assert sorted(set(store.query(view, "ratings", **asked)["item"].tolist())) == rated
        for name in ("item_pairs", "unit_sums"):
            of = {"candidate": "all ratings"} if name == "item_pairs" else {"group": "all ratings"}
            assert store.query(view, name, measure=measure, **of)["item"].tolist() == rated
    everyones, rest = (store.query(each, "systems") for each in (whole, view))
    systems = dict(zip(everyones["item"].tolist(), everyones["system"].tolist(), strict=True))
    assert [systems[item] for item in rest["item"].tolist()] == rest["system"].tolist()
    assert len(rest["item"]) < len(systems)
    assert len(store.query(view, "item_texts")["text"]) == len(ITEMS) + 1
    assert len(store.query(view, "system_kinds")["kind"]) == len(_names(store, whole, "system"))


def test_a_view_without_anybody_is_empty_but_knows_the_measures(store: Store, study: Dataset) -> None:
    nobody = study.leaving_out((*RATERS, "traps only"))
    assert store.query(nobody, "overview")["rows"].tolist() == [0]
    assert len(store.query(nobody, "ratings", measure="zeal", group="all ratings")["score"]) == 0
    with pytest.raises(UnknownName, match="'ease', 'zeal'"):
        store.query(nobody, "ratings", measure="joy", group="all ratings")


def test_judges_of_a_comprehension_test_can_be_excluded(store: Store, write_csv: WriteCsv) -> None:
    columns = ["story_id", "summary_author", "question_author", "question_id", "answer", "judge_id"]
    rows = [["s", "A", "B", "q1", answer, judge] for answer, judge in (("R", "Ann"), ("N", "Ben"), ("P", ""))]
    whole = store.add(write_csv(columns, rows), "comprehension", {name: name for name in columns}, "answers")
    assert store.query(whole, "rater_names")["name"].tolist() == ["Ann", "Ben"]
    assert store.query(whole, "comprehension")["answer"].tolist() == [0, 3, 1]
    view = store.query(whole.leaving_out(("Ann",)), "comprehension")
    assert (view["answer"].tolist(), view["judge"].tolist()) == (
        [3, 1],
        [1, -1],
    )  # codes stay, unnamed answers too
    unnamed = [row[:-1] for row in rows[:1]]
    without = store.add(
        write_csv(columns[:-1], unnamed), "comprehension", {name: name for name in columns[:-1]}, "no judges"
    )
    assert without.rater_column is None
    assert store.query(without, "rater_names")["name"].tolist() == []
