"""Repeats of a rater count once where raters are compared, and only there."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.agreement.alpha import krippendorff_alpha
from analysis.comparison import compare
from analysis.values.ratings import Ratings
from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features.agreement.results import AgreementSpec, compute_coefficients, pair_raters
from features.assessments import of_group, polls
from features.comparison.findings import level_finding
from features.comparison.results import QUICK, GroupsCompared, GroupsSpec, comparison, group_stages
from features.items.results import spread_of_items
from features.raters import rater_results
from features.replacement.findings import worth_finding
from features.replacement.results import compute_candidates, default_spec
from features.study import Session, Study, open_study, use_session
from features.words import plain
from tests.analysis.assessors.test_consistency import alpha_by_hand

Opened = Callable[..., Study]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Open a table as a study; in its own store and session."""
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):

        def open_table(table: pd.DataFrame, kind: str = "ratings", **asked: object) -> Study:
            file = tmp_path / "table.csv"
            table.to_csv(file, index=False)
            names = {"item": "item_id", "rater": "rater_id", "group": "rater_group"}
            mapping = {names.get(column, column): column for column in table.columns}
            slots = {"@raters": "slots"} if asked.pop("slots", False) else {}
            return open_study(store.add(file, kind, mapping | slots), **asked)  # type: ignore[arg-type]

        yield open_table


def twice(items: int = 25, raters: int = 5, seed: int = 0) -> pd.DataFrame:
    """Every rater rates every item twice."""
    rng = np.random.default_rng(seed)
    item, rater, _ = (axis.ravel() for axis in np.indices((items, raters, 2)))
    quality, severity = rng.normal(3, 1, items), rng.normal(0, 0.5, raters)
    score = np.rint(quality[item] + severity[rater] + rng.normal(0, 1, len(item)))
    return pd.DataFrame({"item": item, "rater": rater, "score": score}).sample(frac=1, random_state=seed)


def means(table: pd.DataFrame) -> pd.DataFrame:
    return table.groupby(["item", "rater"], as_index=False)["score"].mean()


def alpha_of(study: Study):
    return of_group(study, "score", study.candidate).alpha


def test_alpha_is_that_of_each_raters_means(opened: Opened) -> None:
    table = twice()
    found = alpha_of(opened(table))
    units = means(table).groupby("item")["score"].apply(list).tolist()
    assert found.value == pytest.approx(alpha_by_hand(units), abs=1e-12)
    expected = krippendorff_alpha(means(table)["item"], means(table)["score"])
    assert (found.low, found.high) == pytest.approx(
        (expected.low, expected.high), abs=0.005
    )  # order of items
    assert found.n == expected.n
    assert found.value != pytest.approx(krippendorff_alpha(table["item"], table["score"]).value, abs=0.01)


def test_the_last_rating_stands_for_all_where_it_is_asked_for(opened: Opened) -> None:
    table = twice()
    last = table.groupby(["item", "rater"], as_index=False).last()
    expected = krippendorff_alpha(last["item"], last["score"])
    assert alpha_of(opened(table, merge="last")).value == pytest.approx(expected.value, abs=1e-12)


def test_alpha_of_a_large_study_is_the_same(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    small = alpha_of(opened(twice()))
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    study = opened(twice().assign(system="a"))
    assert study.dataset.summed
    assert alpha_of(study).value == pytest.approx(small.value, abs=1e-12)


def test_a_raters_repeats_alone_are_no_agreement(opened: Opened) -> None:
    table = twice(raters=1)
    table["rater"] = table["item"] % 4  # no item has two raters
    found = alpha_of(opened(table))
    assert not found.defined
    assert found.reason == "no item has two ratings"


def test_copies_of_all_ratings_leave_every_figure_between_raters_as_it_is(opened: Opened) -> None:
    once = means(twice())
    one, other = opened(once), opened(pd.concat([once] * 3))
    assert (one.merge, other.merge) == (None, "mean")
    assert one.between_raters is one
    assert alpha_of(other) == alpha_of(one)
    pairs = [pair_raters(study, "score") for study in (one, other)]
    np.testing.assert_allclose(pairs[1].correlation, pairs[0].correlation, atol=1e-12)
    coefficients = [compute_coefficients(study, AgreementSpec()) for study in (one, other)]
    assert coefficients[0] is not None
    assert coefficients[1] is not None
    assert coefficients[1].figures == coefficients[0].figures
    consistent = [rater_results.compute_agreement_with_others(study, "score") for study in (one, other)]
    np.testing.assert_allclose(consistent[1].correlation, consistent[0].correlation, atol=1e-12)
    np.testing.assert_allclose(consistent[1].alpha_without, consistent[0].alpha_without, atol=1e-12)
    for figure in (rater_results.bias, rater_results.bt500, rater_results.p913):
        a, b = (figure(study, "score") for study in (one, other))
        assert a.raters.tolist() == b.raters.tolist()
    np.testing.assert_allclose(rater_results.bias(other, "score").low, rater_results.bias(one, "score").low)
    np.testing.assert_allclose(spread_of_items(other, "score").p, spread_of_items(one, "score").p, atol=1e-12)


def test_means_of_items_keep_every_rating_and_true_scores_do_not(opened: Opened) -> None:
    rng = np.random.default_rng(1)
    table = pd.concat([twice(seed=1).assign(group="crowd"), twice(seed=2).assign(group="lab")])
    table["rater"] = table["group"] + table["rater"].astype(str)
    table = table[rng.random(len(table)) < 0.8]
    study = opened(table, candidate="crowd", reference="lab")
    found = comparison(study, "score", QUICK)
    of = {group: table[table["group"] == group] for group in ("crowd", "lab")}
    mos = [rows.groupby("item")["score"].mean() for rows in of.values()]
    assert found.mean_difference.value == pytest.approx((mos[0] - mos[1]).mean())
    merged = [means(rows) for rows in of.values()]
    alone = compare(*(Ratings(rows["item"], rows["rater"], rows["score"]) for rows in merged), QUICK)
    for name in ("reliability_candidate", "reliability_reference", "corrected"):
        expected = getattr(alone.true_scores, name).value
        assert getattr(found.true_scores, name).value == pytest.approx(expected, abs=1e-9)


def test_pages_say_which_means_their_level_difference_compares(opened: Opened) -> None:
    """One of three crowd raters gave its high scores four times: 2 of all ratings, but 1 of the raters' means."""
    items = np.arange(12)
    crowd = [(f"c{rater}", 3 * (rater == 2)) for rater in (0, 1, 2, 2, 2, 2)]
    rows = [
        (item, name, group, item % 4 + above + 0.1 * (item % 3) * int(name[1]))
        for group, raters in (("crowd", crowd), ("lab", [(f"l{rater}", 0) for rater in range(3)]))
        for name, above in raters
        for item in items
    ]
    table = pd.DataFrame(rows, columns=["item", "rater", "group", "score"])
    for part, worded in ((table, True), (table.drop_duplicates(["item", "rater"]), False)):
        study = opened(part, candidate="crowd", reference="lab")
        *_, groups = (
            one for one in group_stages(study, GroupsSpec(QUICK)) if isinstance(one, GroupsCompared)
        )
        spec = default_spec(study, "score")
        worth = worth_finding(spec, compute_candidates(study, spec))
        of_all = level_finding(groups.by_group["crowd"])
        assert worth is not None
        assert of_all is not None
        told, once = plain(of_all.evidence), plain(worth.evidence)
        assert f"Difference +{2 if worded else 1}" in told
        assert "level difference 1." in once
        assert ("repeats included" in told, "repeats count once" in once) == (worded, worded)


def test_a_rater_is_compared_with_itself_by_every_repeat(opened: Opened) -> None:
    table = twice()
    found = rater_results.alpha_on_repeats(opened(table), "score")
    assert found is not None
    for rater, alpha in zip(range(5), found.alpha, strict=True):
        own = table[table["rater"] == rater].groupby("item")["score"].apply(list)
        assert alpha.value == pytest.approx(alpha_by_hand(own.tolist()), abs=1e-12)
    assert rater_results.alpha_on_repeats(opened(means(table)), "score") is None


def test_slots_have_no_repeats(opened: Opened) -> None:
    study = opened(twice(), slots=True)
    assert study.merge is None
    table = twice()
    assert alpha_of(study).value == pytest.approx(
        alpha_by_hand(table.groupby("item")["score"].apply(list).tolist())
    )


def test_one_vote_of_a_rater_stands_for_its_votes(opened: Opened) -> None:
    rows = [
        ("a", "r", "x"),
        ("a", "r", "y"),
        ("a", "r", "y"),
        ("a", "s", "x"),
        ("b", "s", "x"),
        ("b", "s", "y"),
    ]
    study = opened(pd.DataFrame(rows, columns=["item", "rater", "choice"]), "choices")
    (every,), (once,) = polls(study), polls(study.between_raters)
    assert len(every.votes) == 6
    told = zip(once.votes.item, once.votes.rater, np.array(once.options)[once.votes.choice], strict=True)
    assert sorted(told) == [(0, 0, "y"), (0, 1, "x"), (1, 1, "y")]
