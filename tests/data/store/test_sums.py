"""Sums added up at the import answer every query as the rows do, and are deleted with them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from analysis.agreement import kappas
from analysis.agreement.agreement_summary import agreement_summary, summary_for_these_raters
from analysis.assessors.consistency import Assessments, agreement_with_others
from analysis.assessors.system_model import RaterSums, agreement_from_sums
from analysis.assessors.typical_rater import correlation_changes, variance_ratio
from analysis.comparison.true_scores import SharedSums, SideSums, true_scores, true_scores_from_sums
from analysis.comparison.variance_components import summarize_pairs
from analysis.items.disagreement import disagreement, disagreement_from_sums
from analysis.pairs.system_table import build_cells, cells_from_codes
from analysis.values.ratings import Ratings
from analysis.workers.worker_agreement import agreement_with_reference, agreement_with_reference_from_sums
from data.dataset import Dataset, Filter
from data.engines.schema import SUMS, sums_of, table_of
from data.errors import UnknownName
from data.importing import staging
from data.queries import summed
from data.settings import Settings
from data.store import catalogue, sums
from data.store.store import Store
from data.transfer import moving
from tests.data.conftest import EVERY_ENGINE, is_lake

MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "score": "score",
    "check": "check",
    "system": "system",
    "topic": "topic",
    "condition": "condition",
}
BOTH = {"measure": "measure", "rater_group": "group"}
METRIC = "bleu; DROP"
SCORES_AND_WITHOUT = [
    ("whole", ()),
    ("far", ("crowd3", "lab7", "lab8")),
    ("real", ("crowd3", "lab7", "lab8")),
]


@pytest.fixture(autouse=True)
def sums_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    sum_few(monkeypatch)


def sum_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    monkeypatch.setattr(summed, "MIN_ROWS_FOR_OTHERS", 10)


@dataclass(frozen=True)
class SharedStore:
    """A store for tests that only read; a study is imported when the first test asks for it."""

    store: Store
    folder: Path
    saved: dict[tuple[str, int, bool], Dataset] = field(default_factory=dict)

    def study(self, scores: str = "whole", rows: int = 900, once: bool = False) -> Dataset:
        """Return a study, `once` without the repeated votes."""
        key = scores, rows, once
        if key not in self.saved:
            file = ratings(self.folder / "ratings.csv", scores, rows)
            if once:
                table = pd.read_csv(file, keep_default_na=False)
                table.drop_duplicates(["item", "rater", "group", "measure"]).to_csv(file, index=False)
            self.saved[key] = self.store.add(file, "ratings", MAPPING | BOTH, "sums")
        return self.saved[key]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedStore]:
    folder = tmp_path_factory.mktemp("sums")
    settings = Settings(database=str(folder / "s.duckdb"), spool=folder / "spool", threads=1)
    with pytest.MonkeyPatch.context() as patch, Store(settings=settings) as store:
        sum_few(patch)
        yield SharedStore(store, folder)


def ratings(path: Path, scores: str = "whole", rows: int = 900) -> Path:
    """Two groups and measures, items of one group only, items without a system, checks, repeated votes."""
    rng = np.random.default_rng(5)
    item = rng.integers(0, 70, rows)
    given = np.rint(3 + item / 40 + rng.normal(0, 1, rows)) + {"whole": 0, "far": 1e6, "real": 0}[scores]
    if scores == "real":
        given = given + rng.random(rows)
    group = rng.choice(["lab", "crowd"], rows)
    item[(group == "lab") & (item > 60)] = 3
    pd.DataFrame(
        {
            "item": np.char.add("it'em ", item.astype(str)),
            "rater": np.char.add(group, rng.integers(0, 20, rows).astype(str)),
            "group": group,
            "measure": rng.choice(["noise", "clarity"], rows),
            "score": given,
            "check": np.where(rng.random(rows) < 0.05, "trap", ""),
            "system": np.where(item % 9 == 0, "", np.char.add("s", (item % 4).astype(str))),
            "topic": np.char.add("t", (item % 7).astype(str)),
            "condition": rng.choice(["a", "b"], rows),
            METRIC: np.where(item % 5 == 0, "", (item / 7).astype(str)),
        }
    ).to_csv(path, index=False)
    return path


def asked(names: bool) -> list[tuple[str, dict[str, object]]]:
    """Every query that sums may answer, and those whose codes come from them."""
    measure, group, other = ("noise", "crowd", "lab") if names else ("score", "all ratings", None)
    both: dict[str, object] = {"measure": measure, "candidate": group} | (
        {"reference": other} if other else {}
    )
    return [
        ("overview", {}),
        ("cells", {}),
        ("item_pairs", both),
        *([("comparison", both)] if other else []),
        ("item_pairs", {"measure": measure, "candidate": group}),
        ("unit_sums", {"measure": measure}),
        ("unit_sums", {"measure": measure, "group": group}),
        ("score_counts", {"measure": measure}),
        ("few_scores", {"measure": measure, "group": group}),
        ("item_names", {}),
        ("rater_names", {}),
        ("item_numbers", {"column": METRIC}),
        ("systems", {}),
        ("belonging", {}),
        ("group_raters", {"group": group}),
        ("labels", {"column": "system"}),
        ("labels", {"column": "condition"}),
        ("names_to_filter", {"column": "item_id"}),
        ("names_to_filter", {"column": "topic"}),
        ("ratings", {"measure": measure, "group": group, "max_items": 9}),
        *([("ratings", {"measure": measure, "group": group, "shared_with": other})] if other else []),
        ("assessments", {"measure": measure, "group": group}),
        ("score_ranges", {"measure": measure}),
    ]


def views(dataset: Dataset) -> list[Dataset]:
    left_out = dataset.leaving_out(("crowd3", "lab7"))
    return [
        dataset,
        dataset.leaving_out(("lab7",)),
        left_out,
        left_out.keeping((Filter("topic", ("t1", "t2")),)),
    ]


@EVERY_ENGINE
@pytest.mark.parametrize(("scores", "names"), [("real", True), ("far", False)])
def test_every_query_answers_from_sums_as_from_rows(store: Store, tmp_path, scores, names):
    file = ratings(tmp_path / "ratings.csv", scores)
    saved = store.add(file, "ratings", MAPPING | (BOTH if names else {}) | {METRIC: METRIC}, "sums")
    assert saved.summed
    assert store.get(saved.id).summed
    assert METRIC in saved.named("item number")
    for view in views(saved)[2:] if is_lake(store) else views(saved):
        assert view.has_sums == (not view.only)
        for name, parameters in asked(names):
            if name != "overview" and not names and view.without:
                continue
            found = store.query(view, name, **parameters)
            expected = store.query(replace(view, summed=False), name, **parameters)
            assert list(found) == list(expected), name
            for column, values in expected.items():
                told = f"{name} {parameters}: {column}"
                assert found[column].dtype.kind == values.dtype.kind, told
                if values.dtype.kind == "f":
                    scale = np.abs(values[np.isfinite(values)]).max(initial=1.0)
                    assert_allclose(found[column], values, rtol=1e-9, atol=1e-9 * scale, err_msg=told)
                else:
                    assert found[column].tolist() == values.tolist(), told


@EVERY_ENGINE
@pytest.mark.parametrize(
    ("scores", "at_once", "kept_from", "names"),
    [
        ("far", 250, 10, True),
        ("real", 10**6, 10**6, True),
        ("whole", 10**6, 10, False),
    ],
)
def test_raters_agree_with_the_others_by_sums_as_by_ratings(
    store: Store, tmp_path, monkeypatch, scores, at_once, kept_from, names
):
    """Some rated an item twice; one group rated nothing that the other did not."""
    monkeypatch.setattr(sums, "ROWS_PER_PASS", at_once)
    monkeypatch.setattr(summed, "MIN_ROWS_FOR_OTHERS", kept_from)
    mapping = MAPPING | (BOTH if names else {})
    saved = store.add(ratings(tmp_path / "ratings.csv", scores), "ratings", mapping, "sums")
    for group in ("lab", "crowd") if names else ("all ratings",):
        asked = {"measure": "noise" if names else "score", "group": group}
        rows = store.query(saved, "ratings", **asked)
        cells = list(zip(rows["item"], rows["rater"], strict=True))
        assert 0 < len(cells) - len(set(cells)) < len(cells) / 2
        given = Ratings(rows["item"], rows["rater"], rows["score"])
        expected = agreement_with_others(given)
        items = store.query(saved, "unit_sums", **asked)
        found = agreement_from_sums(
            RaterSums(**store.query(saved, "rater_sums", **asked)),
            *(items[name] for name in ("count", "total", "squares")),
            widening=variance_ratio(correlation_changes(given)),
        )
        assert found.reasons == expected.reasons
        for name in ("raters", "items", "correlation", "low", "high", "alpha_without"):
            assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-9, err_msg=name)
        for name in ("value", "low", "high"):
            assert_allclose(
                getattr(found.alpha_all, name), getattr(expected.alpha_all, name), rtol=1e-9, atol=1e-9
            )


def test_items_are_added_up_alike_with_and_without_what_raters_pull(shared: SharedStore):
    store = shared.store
    for view in views(shared.study("real")):
        asked = {"measure": "noise", "candidate": "crowd", "reference": "lab"}
        both = store.query(view, "comparison", **asked)
        for column, values in store.query(view, "item_pairs", **asked).items():
            assert values.tolist() == both[column].tolist(), column


@EVERY_ENGINE
def test_ratings_in_any_order_know_their_order_and_what_they_may_vary_with(store: Store, tmp_path):
    saved = store.add(ratings(tmp_path / "ratings.csv", "real"), "ratings", MAPPING | BOTH, "crossed")
    for view in views(saved):
        asked = {"measure": "noise", "group": "crowd"}
        expected = store.query(view, "assessments", **asked)
        found = store.query(view, "crossed_ratings", **asked)
        order = np.argsort(found.pop("order"))
        assert list(found) == ["item", "rater", "score", "system", "topic"]
        for name, column in found.items():
            assert column[order].tolist() == expected[name].tolist(), name


@EVERY_ENGINE
def test_a_sample_of_items_is_the_same_whatever_is_asked_of_its_ratings(store: Store, tmp_path):
    saved = store.add(ratings(tmp_path / "ratings.csv", "real"), "ratings", MAPPING | BOTH, "crossed")
    for view in (*views(saved)[: 1 if is_lake(store) else None], replace(saved, summed=False)):
        asked = {"measure": "noise", "group": "crowd"}
        every = store.query(view, "crossed_ratings", **asked)
        found = store.query(view, "crossed_ratings", **asked, max_items=9)
        expected = store.query(view, "ratings", **asked, max_items=9)
        items = set(expected["item"].tolist())
        assert len(items) == 9 < len(set(every["item"].tolist()))
        of_sample = np.isin(every["item"], list(items))
        for name, column in found.items():
            wanted = every[name][of_sample][np.argsort(every["order"][of_sample])]
            assert column[np.argsort(found["order"])].tolist() == wanted.tolist(), name


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_ratings_kept_apart_are_those_that_a_draw_finds(store: Store, tmp_path, monkeypatch, share):
    """With 35 or 3 of 70 items kept, 9 or 30 are found among them or searched for in all."""
    monkeypatch.setattr(sums, "MAX_SAMPLED_SHARE", share)
    saved = store.add(ratings(tmp_path / "ratings.csv", "real"), "ratings", MAPPING | BOTH, "kept")
    for view in views(saved)[:2]:
        for name, more in (("ratings", {}), ("ratings", {"shared_with": "lab"}), ("crossed_ratings", {})):
            for most in (9, 30):
                asked = {"measure": "noise", "group": "crowd", "max_items": most} | more
                found = store.query(view, name, **asked)
                expected = store.query(replace(view, summed=False), name, **asked)
                assert len(set(found["item"].tolist())) == most
                order = np.argsort(found["order"]), np.argsort(expected["order"])
                for column, values in expected.items():
                    assert_allclose(found[column][order[0]], values[order[1]], err_msg=column)


def test_what_rests_on_some_items_reads_no_other_ratings(store: Store, tmp_path, monkeypatch):
    monkeypatch.setattr(sums, "MAX_SAMPLED_SHARE", 0.5)
    saved = store.add(ratings(tmp_path / "ratings.csv", "real"), "ratings", MAPPING | BOTH, "kept")
    asked = {"measure": "noise", "group": "crowd", "max_items": 9}
    expected = store.query(saved, "ratings", **asked)
    store._database.change(lambda cursor: cursor.execute(f"DELETE FROM {table_of(saved.id)}"))
    assert store.query(saved, "ratings", **asked)["score"].tolist() == expected["score"].tolist()
    assert not len(store.query(saved, "ratings", **asked | {"max_items": 60})["score"])


def test_a_group_that_there_is_not_is_reported_where_sums_stand_for_rows(shared: SharedStore):
    with pytest.raises(UnknownName, match=r"`group` must be one of .*crowd.*; got 'nobody'"):
        shared.store.query(shared.study(), "unit_sums", measure="noise", group="nobody")


@EVERY_ENGINE
@pytest.mark.parametrize("columns", [("system", "topic", "condition"), ("system", "topic"), ("topic",), ()])
def test_a_ranking_is_the_same_from_ratings_in_any_order(store: Store, tmp_path, columns):
    """Items without a system, conditions within topics, and a view without some raters and one with some topics."""
    mapping = {name: of for name, of in MAPPING.items() if name not in ("system", "topic", "condition")}
    mapping |= BOTH | {name: name for name in columns}
    saved = store.add(ratings(tmp_path / "ratings.csv", "real"), "ratings", mapping, "ranking")
    for view in views(saved)[: 3 if "topic" in columns else 2]:
        asked = {"measure": "noise", "group": "crowd"}
        many = [
            len(store.query(view, "labels", column=name)["name"]) if name in columns else 0
            for name in ("topic", "condition")
        ]
        many.append(len(store.query(view, "rater_names")["name"]))
        rows = store.query(view, "cell_ratings", **asked)
        in_lists = store.query(view, "cell_ratings", **asked, labels=200)
        for name in ("place", "score"):
            assert_allclose(np.sort(in_lists[name]), np.sort(rows[name]))
        found = cells_from_codes(in_lists["place"], in_lists["score"], *many)
        of = Assessments("noise", **store.query(view, "assessments", **asked))
        assert (found.has_systems, found.has_topics) == (of.has_systems, of.has_topics)
        assert found.has_systems == ("system" in columns)
        if not found.has_topics:
            continue
        expected = build_cells(*of.ranking)
        for name, values in vars(expected).items():
            assert_allclose(getattr(found.table, name), values, rtol=1e-12, err_msg=name)


@EVERY_ENGINE
@pytest.mark.parametrize("columns", [("system", "topic"), ("topic",), ()])
def test_sums_of_cells_are_those_of_their_ratings_and_tell_which_items_are_mixed(
    store: Store, tmp_path, columns
):
    file = ratings(tmp_path / "ratings.csv", "real")
    table = pd.read_csv(file, keep_default_na=False)
    [at, *_] = table.index[
        (table["item"] == "it'em 10") & (table["group"] == "crowd") & (table["check"] == "")
    ]
    table.loc[at, "topic"] = "t6"
    table.to_csv(file, index=False)
    mapping = {name: of for name, of in MAPPING.items() if name not in ("system", "topic")}
    saved = store.add(file, "ratings", mapping | BOTH | {name: name for name in columns}, "cells")
    rows = table[
        (table["check"] == "") & (table["group"] == "crowd") & (table["measure"] == table.loc[at, "measure"])
    ]
    for view in views(saved)[:3]:
        found = store.query(view, "cell_sums", measure=table.loc[at, "measure"], group="crowd")
        left = rows[~rows["rater"].isin(view.without)]
        cells = pd.DataFrame({"score": left["score"], "item": left["item"]})
        for name in ("system", "topic"):
            if name in columns:  # an item counts as of the first of its systems and topics
                names = store.query(view, "labels", column=name)["name"].tolist()
                real = table[(table["check"] == "") & (table[name] != "")]
                cells[name] = (
                    left["item"].map(real.groupby("item")[name].min()).map(names.index, "ignore").fillna(-1)
                )
            else:
                cells[name] = -1
        expected = cells.groupby(["system", "topic"], as_index=False)["score"].agg(["count", "sum"])
        for name, column in (("system", "system"), ("topic", "topic"), ("count", "count"), ("total", "sum")):
            assert_allclose(found[name], expected[column], rtol=1e-12)
        assert found["mixed"].sum() == ("topic" in columns)


@pytest.mark.parametrize(("scores", "without"), SCORES_AND_WITHOUT)
def test_agreement_by_sums_is_agreement_by_ratings(shared: SharedStore, scores, without):
    store, saved = shared.store, shared.study(scores, once=True).leaving_out(without)
    for group in ("lab", "crowd"):
        asked = {"measure": "noise", "group": group}
        rows = store.query(saved, "ratings", **asked)
        rated = Ratings(rows["item"], rows["rater"], rows["score"])
        assert len(np.unique(rated.item * 1000 + rated.rater)) == len(rated)
        items = store.query(saved, "unit_sums", **asked)
        sums = items["count"], items["total"], items["squares"]
        found = summary_for_these_raters(*sums, len(np.unique(rated.rater)))
        expected = agreement_summary(rated, "these raters")
        assert (found.k, found.raters) == (pytest.approx(expected.k, rel=1e-12), expected.raters)
        for figure in ("alpha", "one", "mean"):
            a, b = getattr(found, figure), getattr(expected, figure)
            assert_allclose((a.value, a.low, a.high), (b.value, b.low, b.high), rtol=1e-7, err_msg=figure)
            assert (a.n, a.reason) == (b.n, b.reason)


def test_crossed_raters_have_sums_less_their_own_mean(store: Store, tmp_path):
    rng = np.random.default_rng(0)
    score = np.rint(rng.normal(3, 1, 30)[:, None] + rng.normal(0, 1, 4) + rng.normal(0, 0.7, (30, 4)))
    rows = [f"i{i},r{r},{score[i, r]:g}" for i in range(30) for r in range(4)]
    (tmp_path / "crossed.csv").write_text("\n".join(["item,rater,score", *rows]), encoding="utf-8")
    saved = store.add(tmp_path / "crossed.csv")
    sums = store.query(saved, "centered_sums", measure="score", group="all ratings")
    centered = score - score.mean(axis=0)
    names = store.query(saved, "item_names")["name"][sums["item"]].tolist()
    order = [int(name[1:]) for name in names]
    assert_allclose(sums["total"], centered.sum(axis=1)[order], atol=1e-9)
    assert_allclose(sums["squares"], (centered**2).sum(axis=1)[order], atol=1e-9)
    assert (sums["count"] == 4).all()


@pytest.mark.parametrize("without", [(), ("crowd3", "lab7", "lab8")])
def test_pairs_of_the_busiest_raters_are_those_of_all_ratings(shared: SharedStore, monkeypatch, without):
    monkeypatch.setattr(kappas, "MOST_RATERS", 6)
    monkeypatch.setattr(summed, "MOST_RATERS", 6)
    store, saved = shared.store, shared.study("real", 2000).leaving_out(without)
    asked = {"measure": "noise", "group": "lab"}
    found, expected = (
        kappas.rater_pairs(Ratings(*(rows[name] for name in ("item", "rater", "score"))))
        for rows in (store.query(saved, name, **asked) for name in ("busiest", "ratings"))
    )
    assert found.raters.tolist() == expected.raters.tolist()
    assert found.items.tolist() == expected.items.tolist()
    assert (~np.isnan(expected.correlation)).any()
    assert_allclose(found.correlation, expected.correlation, rtol=1e-9)


@pytest.mark.parametrize("kept_from", [10, 10**6])
@pytest.mark.parametrize("without", [(), ("crowd3", "lab7", "lab8")])
def test_true_scores_by_sums_are_those_by_ratings(shared: SharedStore, monkeypatch, kept_from, without):
    """Nobody rated an item twice; some items were rated once, and some by one group alone."""
    store, saved = shared.store, shared.study("real", 3000, once=True).leaving_out(without)
    monkeypatch.setattr(summed, "MIN_ROWS_FOR_OTHERS", kept_from)
    rows = [store.query(saved, "ratings", measure="noise", group=group) for group in ("crowd", "lab")]
    both = tuple(Ratings(each["item"], each["rater"], each["score"]) for each in rows)
    pairs, _ = summarize_pairs(*both)
    shared = pairs.shared()
    assert len(shared.item) < len(pairs.item)
    expected = true_scores(*both, shared.item)
    of_raters = [
        store.query(saved, "rater_shares", measure="noise", group=group, shared_with=other)
        for group, other in (("crowd", "lab"), ("lab", "crowd"))
    ]
    of_sides = [
        SideSums(*shared.side(candidate), of["pull"], of["reach"])
        for candidate, of in zip((True, False), of_raters, strict=True)
    ]
    found = true_scores_from_sums(
        SharedSums(tuple(of_sides), tuple(of["rater"] for of in of_raters), both, shared.item)
    )
    for name in ("spread", "reliability_candidate", "reliability_reference", "ceiling", "corrected"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert ours.value == pytest.approx(theirs.value, rel=1e-9), name
        assert (ours.n, ours.reason) == (theirs.n, theirs.reason)
        assert ours.high - ours.low == pytest.approx(theirs.high - theirs.low, rel=0.02), name
    if not without:
        alone = store.query(saved, "rater_shares", measure="noise", group="lab")
        for name, values in of_raters[1].items():  # the lab rated nothing that the crowd did not
            assert_allclose(alone[name], values, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("kept_from", "without", "group"),
    [(10, (), "lab"), (10**6, ("crowd3",), "crowd"), (10, ("crowd3", "lab7", "lab8"), "lab")],
)
def test_what_raters_carry_of_items_means_is_that_of_the_ratings_left(
    shared: SharedStore, tmp_path, monkeypatch, kept_from, without, group
):
    """Some items were rated once, and some by those left out alone."""
    store, saved = shared.store, shared.study("real", once=True)
    monkeypatch.setattr(summed, "MIN_ROWS_FOR_OTHERS", kept_from)
    table = pd.read_csv(ratings(tmp_path / "ratings.csv", "real"), keep_default_na=False)
    table = table.drop_duplicates(["item", "rater", "group", "measure"])
    mine = table[(table["measure"] == "noise") & (table["group"] == group) & (table["check"] == "")]
    mine = mine[~mine["rater"].isin(without)]
    counts = mine.groupby("item")["score"].transform("size")
    share = (1 / counts).where(counts > 1, 0)
    assert (counts == 1).any()
    expected = pd.DataFrame(
        {"rater": mine["rater"], "pull": (mine["score"] - mine["score"].mean()) * share, "reach": share}
    )
    expected = expected.groupby("rater").sum()
    found = store.query(saved.leaving_out(without), "rater_shares", measure="noise", group=group)
    assert store.query(saved, "rater_names")["name"][found["rater"]].tolist() == sorted(expected.index)
    assert_allclose(found["pull"], expected["pull"].sort_index(), rtol=1e-9, atol=1e-9)
    assert_allclose(found["reach"], expected["reach"].sort_index(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("scores", "without"), SCORES_AND_WITHOUT)
def test_raters_agree_with_a_reference_by_sums_as_by_ratings(store: Store, tmp_path, scores, without):
    """One rater rated two items, one gave always the same."""
    table = pd.read_csv(ratings(tmp_path / "ratings.csv", scores))
    table.loc[table["rater"] == "lab4", "score"] = table["score"][0]
    table = pd.concat([table[table["rater"] != "lab5"], table[table["rater"] == "lab5"].head(2)])
    table.to_csv(tmp_path / "few.csv", index=False)
    saved = store.add(tmp_path / "few.csv", "ratings", MAPPING | BOTH, "sums").leaving_out(without)
    told = set()
    for group, reference in (("lab", "crowd"), ("crowd", "lab")):
        rows = store.query(saved, "ratings", measure="noise", group=group)
        means = store.query(saved, "cell_means", measure="noise", group=reference)
        expected = agreement_with_reference(
            Ratings(rows["item"], rows["rater"], rows["score"]),
            dict(zip(means["item"].tolist(), means["mean"].tolist(), strict=True)),
        )
        asked = {"measure": "noise", "group": group, "reference": reference}
        found = agreement_with_reference_from_sums(**store.query(saved, "with_reference", **asked))
        assert [(one.n, one.reason) for one in found] == [(one.n, one.reason) for one in expected]
        told |= {one.reason for one in found}
        for name in ("value", "low", "high"):
            assert_allclose(
                [getattr(one, name) for one in found],
                [getattr(one, name) for one in expected],
                rtol=1e-7,
                atol=1e-9,
            )
        raters, numbers = np.unique(rows["rater"], return_counts=True)
        of_cell = store.query(saved, "cell_raters", measure="noise", group=group)
        assert of_cell["rater"].tolist() == raters.tolist()
        assert of_cell["ratings"].tolist() == numbers.tolist()
    assert len(told) == 3


@pytest.mark.parametrize(("scores", "without"), SCORES_AND_WITHOUT)
def test_items_disagree_by_sums_as_by_ratings(shared: SharedStore, scores, without):
    store, saved = shared.store, shared.study(scores, 2000).leaving_out(without)
    for group in ("lab", "crowd"):
        asked = {"measure": "noise", "group": group}
        rows = store.query(saved, "ratings", **asked)
        expected = disagreement(Ratings(rows["item"], rows["rater"], rows["score"]))
        items = store.query(saved, "cell_means", **asked)
        found = disagreement_from_sums(
            *(items[name] for name in ("item", "count", "mean", "squares")),
            store.query(saved, "fourth_powers", **asked)["fourth"][0],
        )
        assert (~np.isnan(found.p)).sum() > 10
        for name in ("items", "ratings", "mean", "sd", "low", "high", "others", "p"):
            assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-7, atol=1e-9, err_msg=name)
        unordered = store.query(saved, "scores", **asked)
        given = [
            sorted(zip(*(each[name].tolist() for name in ("item", "rater", "score")), strict=True))
            for each in (rows, unordered)
        ]
        assert given[0] == given[1]


@EVERY_ENGINE
def test_where_nobody_rated_an_item_twice_the_sums_are_those_that_look_for_it(
    store: Store, tmp_path, monkeypatch
):
    monkeypatch.setattr(staging, "MIN_PACKED_ROWS", 10)
    table = pd.read_csv(ratings(tmp_path / "ratings.csv"), keep_default_na=False)
    table.drop_duplicates(["item", "rater", "group", "measure"]).to_csv(tmp_path / "once.csv", index=False)

    def by_item(cursor: duckdb.DuckDBPyConnection, id: str) -> list[tuple[object, ...]]:
        found = cursor.execute(f"SELECT * FROM {sums_of(id, 'by_item')} ORDER BY ALL")
        return found.fetchall()

    saved = store.add(tmp_path / "once.csv", "ratings", MAPPING | BOTH, "sums")
    assert (store.report(saved.id) or {})["kept"] == saved.rows_kept
    told = store._database.read(lambda cursor: by_item(cursor, saved.id))

    def anew(cursor: duckdb.DuckDBPyConnection) -> None:
        sums.drop(cursor, saved.id)
        sums.add(cursor, replace(saved, summed=False))

    store._database.change(anew)
    assert told == store._database.read(lambda cursor: by_item(cursor, saved.id))
    assert not any(row[-1] for row in told)


@EVERY_ENGINE
@pytest.mark.parametrize(("packed", "in_turn"), [(10, True), (10, False), (10**6, False)])
def test_a_file_is_added_up_as_its_saved_rows_are(store: Store, tmp_path, monkeypatch, packed, in_turn):
    monkeypatch.setattr(staging, "MIN_PACKED_ROWS", packed)
    rows = pd.read_csv(ratings(tmp_path / "ratings.csv"), keep_default_na=False)
    if in_turn:
        rows.sort_values("item").to_csv(tmp_path / "ratings.csv", index=False)
    saved = store.add(tmp_path / "ratings.csv", "ratings", MAPPING | BOTH, "sums")

    def told(cursor: duckdb.DuckDBPyConnection) -> dict[str, pd.DataFrame]:
        return {
            table: cursor.execute(f"SELECT * FROM {sums_of(saved.id, table)} ORDER BY ALL").df()
            for table in SUMS
        }

    of_the_file = store._database.read(told)
    store._database.change(lambda cursor: sums.add(cursor, replace(saved, summed=False)))
    for table, of_rows in store._database.read(told).items():
        assert len(of_rows) > 5
        pd.testing.assert_frame_equal(of_the_file[table], of_rows, rtol=1e-12, atol=1e-9)


def test_where_everybody_gave_the_same_score_that_is_said(store: Store, tmp_path):
    table = pd.read_csv(ratings(tmp_path / "ratings.csv", "far"))
    table.assign(score=1e6 + 0.1).to_csv(tmp_path / "equal.csv", index=False)
    saved = store.add(tmp_path / "equal.csv", "ratings", MAPPING, "sums")
    asked = {"measure": "score", "group": "all ratings"}
    rows = store.query(saved, "ratings", **asked)
    found = agreement_summary(Ratings(rows["item"], rows["rater"], rows["score"]))
    assert "same value" in found.one.reason
    assert not found.alpha.defined


SUMMED_QUERIES: list[tuple[str, dict[str, str]]] = [
    ("rater_sums", {"group": "lab"}),
    ("rater_shares", {"group": "lab"}),
    ("rater_shares", {"group": "lab", "shared_with": "crowd"}),
    ("with_reference", {"group": "crowd", "reference": "lab"}),
    ("held_against", {"reference": "lab", "candidate": "crowd"}),
    ("cell_raters", {"group": "crowd"}),
    ("cell_means", {"group": "crowd"}),
    ("unit_sums", {"group": "crowd"}),
    ("unit_sums", {}),
    ("score_ranges", {}),
    ("fourth_powers", {"group": "lab"}),
    ("repeats", {"group": "lab"}),
]


@pytest.mark.parametrize("scores", ["whole", "real"])
@pytest.mark.parametrize(("name", "parameters"), SUMMED_QUERIES)
def test_sums_that_are_not_stored_are_computed(
    shared: SharedStore, name: str, parameters: dict[str, str], scores: str
):
    store, saved = shared.store, shared.study(scores, once=name in ("held_against", "rater_shares"))
    for without in [()] if name == "rater_sums" else [(), ("crowd3", "lab7")]:
        stored, computed = (
            store.query(view.leaving_out(without), name, measure="noise", **parameters)
            for view in (saved, replace(saved, summed=False))
        )
        assert len(next(iter(stored.values()))) > 0
        for column, values in stored.items():
            if column == "group":
                assert computed[column].tolist() == values.tolist()
            else:
                assert_allclose(computed[column], values, rtol=1e-9, atol=1e-9, err_msg=column)


def test_sums_of_a_filtered_view_are_those_of_its_rows(shared: SharedStore):
    store, saved = shared.store, shared.study()
    filtered = saved.keeping((Filter("topic", ("t1", "t2")),))
    rows = store.query(filtered, "ratings", measure="noise", group="lab")
    expected = agreement_with_others(Ratings(rows["item"], rows["rater"], rows["score"]))
    found = store.query(filtered, "rater_sums", measure="noise", group="lab")
    assert found["rater"].tolist() == expected.raters.tolist()
    assert found["items"].tolist() == expected.items.tolist()
    known = ~np.isnan(expected.correlation)
    correlation = found["products"][known] / np.sqrt(found["own"] * found["others"])[known]
    assert_allclose(correlation, expected.correlation[known], rtol=1e-9)


def test_with_some_left_out_nobody_is_held_against_the_others(shared: SharedStore):
    store, saved = shared.store, shared.study()
    with pytest.raises(UnknownName, match="nobody left out"):
        store.query(saved.leaving_out(("lab7",)), "rater_sums", measure="noise", group="lab")


@pytest.mark.parametrize(("scores", "most"), [("whole", 10**6), ("real", 1)])
def test_views_with_alternating_exclusions_stay_separate(shared: SharedStore, monkeypatch, scores, most):
    """Exclusions of a view are kept for its own next query only, however little is kept."""
    monkeypatch.setattr(catalogue, "MAX_CACHED_ROWS", most)
    store, saved = shared.store, shared.study(scores)
    everyone = tuple(store.query(saved, "rater_names")["name"].tolist())
    for without in [
        ("crowd3",),
        ("lab7", "nobody"),
        ("crowd3",),
        everyone[:-1],
        ("crowd3", "lab7"),
        everyone,
    ]:
        view = saved.leaving_out(without)
        for name, parameters in (
            ("overview", {}),
            ("score_counts", {"measure": "noise"}),
            ("few_scores", {"measure": "noise", "group": "crowd"}),
            ("unit_sums", {"measure": "clarity", "group": "lab"}),
        ):
            found = store.query(view, name, **parameters)
            expected = store.query(replace(view, summed=False), name, **parameters)
            for column, values in expected.items():
                if values.dtype.kind == "f":
                    assert_allclose(found[column], values, rtol=1e-9, atol=1e-9, err_msg=column)
                else:
                    assert found[column].tolist() == values.tolist(), (name, column)


def test_items_that_only_raters_left_out_rated_are_in_no_sum(store: Store, tmp_path):
    rows = [(item, rater, 1 + (item * 3 + rater) % 5) for item in range(8) for rater in range(3)]
    alone = [(8, 7, 4), (9, 7, 2)]
    table = pd.DataFrame([*rows, *alone], columns=["item", "rater", "score"])
    table.to_csv(tmp_path / "alone.csv", index=False)
    only = {name: name.removesuffix("_id") for name in ("item_id", "rater_id", "score")}
    saved = store.add(tmp_path / "alone.csv", "ratings", only, "sums")
    assert saved.summed
    left = store.query(saved.leaving_out(("7",)), "overview")
    assert [int(left[name][0]) for name in ("rows", "items", "raters")] == [24, 8, 3]
    nobody = saved.leaving_out(("0", "1", "2", "7"))
    assert store.query(nobody, "overview")["rows"].tolist() == [0]
    assert len(store.query(nobody, "unit_sums", measure="score")["item"]) == 0


def tables(store: Store) -> list[str]:
    def work(cursor: duckdb.DuckDBPyConnection) -> list[str]:
        rows = cursor.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name LIKE 'sums%'"
        )
        return sorted(str(name) for (name,) in rows.fetchall())

    return store._database.read(work)


@EVERY_ENGINE
def test_sums_go_with_their_data_set(store: Store, tmp_path):
    saved = store.add(ratings(tmp_path / "ratings.csv"), "ratings", MAPPING, "sums")
    assert tables(store) == sorted(sums_of(saved.id, table) for table in SUMS)
    store.delete(saved.id)
    assert tables(store) == []


def test_sums_that_would_be_as_large_as_the_rows_are_not_kept(store: Store, tmp_path, monkeypatch):
    monkeypatch.setattr(sums, "MAX_SHARE", 0.01)
    saved = store.add(ratings(tmp_path / "ratings.csv"), "ratings", MAPPING, "sums")
    assert not saved.summed
    assert tables(store) == []
    assert store._database.read(sums.list_missing) == []  # looked at, and never again


def test_few_ratings_and_other_kinds_have_none(settings: Settings, tmp_path, monkeypatch):
    monkeypatch.setattr(sums, "MIN_ROWS", 901)
    with Store(settings=settings) as store:
        assert not store.add(ratings(tmp_path / "ratings.csv"), "ratings", MAPPING, "few").summed
        assert tables(store) == []


def test_what_an_earlier_version_saved_is_added_up_when_the_store_is_opened(
    settings: Settings, tmp_path, monkeypatch
):
    file = ratings(tmp_path / "ratings.csv")
    with Store(settings=settings) as store:
        monkeypatch.setattr(sums, "MIN_ROWS", 10**9)
        saved = [store.add(file, "ratings", MAPPING | BOTH, str(number)) for number in range(2)]

        def forget(cursor: duckdb.DuckDBPyConnection) -> None:
            cursor.execute("ALTER TABLE datasets DROP COLUMN summed")
            cursor.execute("UPDATE schema_version SET version = 3")

        store._database.change(forget)
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    with Store(settings=settings) as store:
        assert len(tables(store)) == 2 * len(SUMS)
        for dataset in saved:
            opened = store.get(dataset.id)
            assert opened.summed
            assert (
                store.query(opened, "cells")["ratings"].tolist()
                == store.query(dataset, "cells")["ratings"].tolist()
            )


def test_one_that_cannot_be_added_up_leaves_the_others_their_sums(settings: Settings, tmp_path):
    """An earlier version kept scores that have no squares."""
    file = ratings(tmp_path / "ratings.csv")
    with Store(settings=settings) as store:
        saved = [store.add(file, "ratings", MAPPING | BOTH, str(number)) for number in range(3)]
        store._database.change(lambda cursor: cursor.execute("UPDATE datasets SET summed = NULL"))
        store._database.change(
            lambda cursor: cursor.execute(f"UPDATE {table_of(saved[1].id)} SET score = score * 1e200")
        )
    with Store(settings=settings) as store:
        opened = [store.get(dataset.id) for dataset in saved]
        assert [dataset.summed for dataset in opened] == [True, False, True]
        assert [store.query(dataset, "overview")["rows"].tolist() for dataset in opened] == [
            store.query(opened[0], "overview")["rows"].tolist()
        ] * 3


def test_sums_as_an_earlier_version_made_them_are_made_anew(settings: Settings, tmp_path):
    with Store(settings=settings) as store:
        saved = store.add(ratings(tmp_path / "ratings.csv"), "ratings", MAPPING | BOTH, "sums")
        expected = store.query(saved, "rater_sums", measure="noise", group="lab")

        def as_before(cursor: duckdb.DuckDBPyConnection) -> None:
            cursor.execute(f"DROP TABLE {sums_of(saved.id, 'with_others')}")
            cursor.execute(f"ALTER TABLE {sums_of(saved.id, 'scores')} DROP COLUMN binned")
            cursor.execute("UPDATE schema_version SET version = 4")

        store._database.change(as_before)
    with Store(settings=settings) as store:
        assert tables(store) == sorted(sums_of(saved.id, table) for table in SUMS)
        opened = store.get(saved.id)
        assert opened.summed
        found = store.query(opened, "rater_sums", measure="noise", group="lab")
        for column, values in expected.items():
            assert_allclose(found[column], values, rtol=1e-12, err_msg=column)
        assert store.query(opened.leaving_out(("lab7",)), "score_counts", measure="noise")["count"].sum() > 0


def test_a_restored_data_set_has_its_sums(settings: Settings, tmp_path):
    with Store(settings=settings) as store:
        saved = store.add(ratings(tmp_path / "ratings.csv"), "ratings", MAPPING | BOTH, "sums", "w")
        moving.back_up(store, tmp_path / "back-up")
        store.delete(saved.id)
        moving.restore(tmp_path / "back-up", store)
        again = store.get(saved.id)
        assert again.summed
        assert (
            store.query(again, "cells")["raters"].tolist()
            == store.query(replace(again, summed=False), "cells")["raters"].tolist()
        )
