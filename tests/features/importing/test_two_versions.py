"""Changes between two data sets: counted by hand on small files, and in words."""

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from analysis.resampling.influence import UNCHANGED as ALIKE
from data.dataset import Dataset
from data.settings import Settings
from data.store.store import Store
from features.importing.joining import shares_in
from features.importing.versions import (
    Names,
    TwoVersions,
    cells_table,
    changes_table,
    comparable_datasets,
    difference,
    most_changed,
    names_changed,
    two_versions,
)
from features.plotting.theme import decimal
from features.study import Session, open_study, use_session
from features.words import cells
from tests.features.studies import said
from tests.golden.content import numbers_in

MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "rater_group": "group",
    "measure": "measure",
    "score": "score",
}
OLD = [(f"i{i}", f"r{r}", "lab", "quality", (i + r) % 5 + 1) for i in range(5) for r in range(3)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "raterscope.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def add(
    store: Store, folder: Path, name: str, rows: list[tuple[object, ...]], replaces: str | None = None
) -> Dataset:
    file = folder / f"{name}.csv"
    file.write_text(
        "item,rater,group,measure,score\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    )
    return store.add(file, "ratings", MAPPING, name, "w1", replaces=replaces)


def test_rows_items_raters_and_figures_of_two_versions(store: Store, tmp_path: Path) -> None:
    corrected = [(*OLD[0][:4], 5), *OLD[1:12], *[("i9", f"r{r}", "lab", "quality", 4) for r in range(3)]]
    newer = [*corrected, *[(f"i{i}", "n1", "crowd", "quality", i % 5 + 1) for i in range(4)]]
    before = add(store, tmp_path, "old", OLD)
    after = add(store, tmp_path, "new", newer, before.id)
    found = two_versions(before, after)
    assert found.names == {"item": Names(4, 1, 1), "rater": Names(3, 0, 1)}
    lab, crowd = found.cells
    assert (lab.measure, lab.group, lab.shared) == ("quality", "lab", 4)
    assert (lab.rows.same, lab.rows.changed, lab.rows.gone, lab.rows.added) == (11, 1, 3, 3)
    mos = [sum(row[4] for row in OLD if row[0] == f"i{i}") / 3 for i in range(5)]  # type: ignore[misc]
    assert lab.mean[0] == pytest.approx(sum(mos) / 5)
    assert lab.alpha[1] != lab.alpha[0]
    assert -1 <= lab.rho < 1
    assert (crowd.rows.added, crowd.shared) == (4, 0)
    assert isnan(crowd.mean[0])
    assert isnan(crowd.mean_change.value)
    assert lab.mean_change.low < lab.mean[1] - lab.mean[0] < lab.mean_change.high
    assert lab.alpha_change.value == pytest.approx(lab.alpha[1] - lab.alpha[0])
    assert lab.alpha_change.low < lab.alpha_change.value < lab.alpha_change.high
    assert isnan(crowd.rho)
    assert crowd.mean[1] == 2.5
    assert numbers_in(said(difference(found, "old", "new"))) == [7, 3, 1, 11]
    assert [numbers_in(said(one)) for one in names_changed(found)] == [[4, 1, 1], [3, 1, 0]]
    shown = cells_table(found.cells)
    rows, written = shown.frame, shown.formats
    assert rows["Added"].tolist() == [3, 4]
    assert [text.split(" → ")[0] for text in written["Mean"]] == [f"{lab.mean[0]:.2f}", "–"]  # type: ignore[union-attr]


def test_the_same_rows_in_another_order_are_the_same_ratings(store: Store, tmp_path: Path) -> None:
    before, after = add(store, tmp_path, "a", OLD), add(store, tmp_path, "b", OLD[::-1])
    found = two_versions(before, after)
    assert numbers_in(said(difference(found, "a", "b"))) == [15]
    assert found.cells[0].rho == pytest.approx(1)
    assert found.cells[0].alpha[0] == pytest.approx(found.cells[0].alpha[1])


def test_a_data_set_is_held_against_its_own_kind_the_version_before_first(
    store: Store, tmp_path: Path
) -> None:
    first, other = (add(store, tmp_path, name, OLD) for name in ("first", "other"))
    newer = add(store, tmp_path, "newer", OLD, first.id)
    assert comparable_datasets(newer, [newer, other, first]) == [first, other]
    assert comparable_datasets(newer, [newer, replace(other, kind="choices")]) == []


def add_kind(store: Store, folder: Path, name: str, rows: list[str], kind: str, head: str) -> Dataset:
    file = folder / f"{name}.csv"
    file.write_text("\n".join([head, *rows]) + "\n")
    return store.add(file, kind, {column: column for column in head.split(",")}, name, "w1")


def shares_of(found: TwoVersions) -> dict[str, tuple[float, float]]:
    return {one.name: (one.before.value, one.after.value) for one in found.shares}


def test_of_choices_the_workers_and_each_pairs_shares(store: Store, tmp_path: Path) -> None:
    head = "item_id,rater_id,choice,option_a,option_b"
    old = [f"i{i},r{r},{'A' if i < 2 else 'B'},A,B" for i in range(4) for r in range(3)]
    newer = [
        f"i{i},{'n' if r == 2 else 'r'}{r},{'A' if i < 3 else 'B'},A,B" for i in range(4) for r in range(3)
    ]
    before, after = (add_kind(store, tmp_path, *each, "choices", head) for each in (("a", old), ("b", newer)))
    found = two_versions(before, after)
    assert found.names == {"item": Names(4, 0, 0), "rater": Names(2, 1, 1)}
    [majority] = [values for name, values in shares_of(found).items() if name.endswith("item-wise majority")]
    assert majority == (0.5, 0.75)
    table, written = changes_table(found.shares)
    assert "+25.0" in cells(table["Difference in points"], written["Difference in points"])
    assert "75.0%</b> instead of 50.0%" in said(most_changed(found.shares)[0])


def test_of_several_systems_the_chance_of_each_on_one_scale(store: Store, tmp_path: Path) -> None:
    head = "item_id,rater_id,choice,option_a,option_b"
    wins = [
        ("A", "B", "A"),
        ("A", "B", "B"),
        ("B", "C", "B"),
        ("B", "C", "C"),
        ("A", "C", "A"),
        ("A", "C", "C"),
    ]
    rows = [f"i{k}-{a}{b},r{r},{c},{a},{b}" for k in range(2) for r in range(2) for a, b, c in wins]
    before, after = (add_kind(store, tmp_path, name, rows, "choices", head) for name in "ab")
    found = two_versions(before, after)
    on_scale = {name: values for name, values in shares_of(found).items() if "one scale" in name}
    assert len(on_scale) == 3
    for values in on_scale.values():
        assert values == pytest.approx((0.5, 0.5))
    assert most_changed(found.shares)[0].headline[1] == {}


def test_of_labels_the_classes_and_how_many_are_right(store: Store, tmp_path: Path) -> None:
    head = "item_id,rater_id,choice,gold"
    old = [f"i{i},r{r},{'yes' if i < 2 else 'no'},yes" for i in range(4) for r in range(3)]
    newer = [f"i{i},r{r},{'yes' if i < 3 else 'no'},yes" for i in range(4) for r in range(3)]
    before, after = (add_kind(store, tmp_path, *each, "choices", head) for each in (("a", old), ("b", newer)))
    shares = shares_of(two_versions(before, after))
    assert shares["yes: of an item's votes"] == (0.5, 0.75)
    assert shares["majority vote: items labelled right"] == (0.5, 0.75)


def test_of_comprehension_the_shares_of_answers(store: Store, tmp_path: Path) -> None:
    head = "story_id,summary_author,question_author,question_id,answer,judge_id"
    asked = [(s, w, a, q) for s in "xy" for w in "mn" for a in "mn" for q in "12" if w != a]
    old = [f"{s},{w},{a},{q},{'R' if q == '1' else 'N'},j1" for s, w, a, q in asked]
    newer = [f"{s},{w},{a},{q},R,j2" for s, w, a, q in asked if s == "x"]
    before, after = (
        add_kind(store, tmp_path, *each, "comprehension", head) for each in (("a", old), ("b", newer))
    )
    found = two_versions(before, after)
    assert found.names == {"story": Names(1, 1, 0), "author": Names(2, 0, 0), "judge": Names(0, 1, 1)}
    shares = shares_of(found)
    assert (shares["answers R"], shares["answers N"]) == ((0.5, 1.0), (0.5, 0.0))
    assert numbers_in(said(names_changed(found)[0])) == [1, 0, 1]


def test_of_relevance_the_accuracy_of_each_surrogate(store: Store, tmp_path: Path) -> None:
    head = "rater_id,event_id,document_id,surrogate,judgment,gold"
    rows = [f"r{r},e1,d{d},Headline,{int(d < 2)},1" for r in range(2) for d in range(4)]
    newer = [*rows, *[f"r0,e1,d{d},Summary,1,1" for d in range(4)]]
    before, after = (
        add_kind(store, tmp_path, *each, "relevance", head) for each in (("a", rows), ("b", newer))
    )
    found = two_versions(before, after)
    assert found.names["surrogate"] == Names(1, 0, 1)
    assert shares_of(found)["Headline: accuracy, LDC Agreement"] == (0.5, 0.5)
    new = shares_of(found)["Summary: accuracy, LDC Agreement"]
    assert isnan(new[0])
    assert new[1] == 1.0


def test_of_contributors_the_summaries_and_who_marked_them(store: Store, tmp_path: Path) -> None:
    head = "topic,item_id,scu_id,contributor_text,weight,rater_id"
    old = [f"t,s{s},u{s},words {s},1,r{s % 2}" for s in range(4)]
    before, after = (
        add_kind(store, tmp_path, *each, "contributors", head) for each in (("a", old), ("b", old[1:]))
    )
    found = two_versions(before, after)
    assert found.rows == (4, 3)
    assert found.names == {"item": Names(3, 1, 0), "content unit": Names(3, 1, 0), "rater": Names(2, 0, 0)}
    assert not found.shares


def test_intervals_of_changed_shares_are_over_what_both_hold(store: Store, tmp_path: Path) -> None:
    head = "item_id,rater_id,choice,option_a,option_b"
    old = [f"i{i},r{r},{'A' if i < 4 else 'B'},A,B" for i in range(8) for r in range(3)]
    newer = [f"i{i},r{r},{'A' if i < 6 else 'B'},A,B" for i in range(8) for r in range(3)]
    before, after = (add_kind(store, tmp_path, *each, "choices", head) for each in (("a", old), ("b", newer)))
    [majority] = [one for one in two_versions(before, after).shares if "majority" in one.name]
    won = np.array([[i < 4, i < 6] for i in range(8)], dtype=float)
    if majority.name.startswith("B"):
        won = 1 - won
    expected = stats.ttest_rel(won[:, 1], won[:, 0]).confidence_interval()
    found = majority.difference
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    table, _ = changes_table([majority])
    assert table["95%"][0] == f"{decimal(100 * expected.low, 1)} to {decimal(100 * expected.high, 1)}"
    assert two_versions(before, before).shares[0].difference.reason == ALIKE


def test_pulls_are_of_the_figures_that_are_shown(store: Store, tmp_path: Path) -> None:
    """Influences of units belong to the number on the page: several judges, labels, surrogates."""
    rng = np.random.default_rng(4)
    asked = [(s, w, a, q) for s in "xyz" for w in "mno" for a in "mno" for q in "12" if w != a]
    answers = [
        f"{s},{w},{a},{q},{rng.choice(list('RPIN'))},j{judge}"
        for s, w, a, q in asked
        for judge in range(2)
        if rng.random() < 0.8
    ]
    judged = [
        f"r{r},e{e},d{d},{s},{rng.integers(2)},{rng.integers(2)}"
        for r in range(3)
        for e in range(3)
        for d in range(3)
        for s in ("Headline", "Full Text")
    ]
    votes = [f"i{i},r{r},{rng.choice(['yes', 'no'])},yes" for i in range(6) for r in range(3)]
    kinds = (
        ("comprehension", "story_id,summary_author,question_author,question_id,answer,judge_id", answers),
        ("relevance", "rater_id,event_id,document_id,surrogate,judgment,gold", judged),
        ("choices", "item_id,rater_id,choice,gold", votes),
    )
    for kind, head, rows in kinds:
        figures = shares_in(open_study(add_kind(store, tmp_path, kind, rows, kind, head)))
        told = [one for one in figures.values() if one.pulls is not None and one.estimate.defined]
        assert len(told) > 2
        for one in told:
            assert one.pulls is not None
            assert one.pulls.value == pytest.approx(one.estimate.value, abs=1e-12)
            assert one.pulls.influence.sum() == pytest.approx(0, abs=1e-12)
