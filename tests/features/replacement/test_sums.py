"""Sums and ratings give the same results for a group as a candidate."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from analysis.comparison import variance_components
from analysis.replacement import alternative_annotator
from analysis.replacement.effective_number import effective_number_from_sums, effective_number_of_raters
from analysis.values.ratings import Ratings
from data.settings import Settings
from data.store import sums as store_sums
from data.store.store import Store
from features.cache import CACHE_BYTES, ResultCache
from features.replacement import answers
from features.replacement import results as replacement
from features.replacement.answers import has_few_values, raters_of_others
from features.replacement.findings import replacement_notes, worth_finding
from features.replacement.specs import CandidateResult, ReplacementSpec
from features.study import Session, Study, ratings, unordered_ratings, use_session
from report.settings import ReportSettings, open_report_study

SPEC = ReplacementSpec("lab", "noise", "negative rmse", fewest=8)


def write_ratings(file: Path, design: str, scores: str) -> Path:
    """A laboratory of 9 and a crowd of 12, with items that one of them, or all but one rater, left out."""
    rng = np.random.default_rng(3)
    rows = []
    for item in range(60):
        for group, raters in (("lab", 9), ("crowd", 12)):
            some = {"complete": raters, "as many": 5}.get(design, rng.integers(1, 7))
            rated = design in ("complete", "as many") or rng.random() < 0.9
            for rater in rng.choice(raters, some if rated else 0, replace=False):
                score = np.rint(np.clip(rng.normal(2 + item / 25, 1), 1, 5))
                score += {"whole": 0, "far": 1e6, "real": rng.random()}[scores]
                rows.append((f"i{item}", f"{group}{rater}", group, "noise", score))
    if design == "repeated":
        rows.append(rows[0])
    table = pd.DataFrame(rows, columns=["item", "rater", "group", "measure", "score"])
    table.to_csv(file, index=False)
    return file


def told(study: Study, store: Store) -> tuple[CandidateResult, CandidateResult]:
    """The crowd at once and with intervals, with an empty cache."""
    with use_session(Session(store, results=ResultCache(CACHE_BYTES))):
        candidates = replacement.list_candidates(study, SPEC)
        assert has_few_values(study, "noise", "lab") == (
            len(set(ratings(study.dataset, "noise", "lab").score)) <= 10
        )
        assert len(raters_of_others(study, "noise", "lab")) == len(
            set(ratings(study.dataset, "noise", "crowd").rater.tolist())
        )
        stages = replacement.candidate_stages(study, SPEC, candidates, with_order=False)
        early, later = (stage for stage in stages if isinstance(stage, tuple))
        return early[0], later[0]


@pytest.mark.parametrize(
    ("design", "scores", "without", "most_pairs"),
    [
        ("some", "far", ("lab3", "crowd2", "crowd5"), 10),
        ("as many", "real", (), 10),
        ("complete", "real", (), alternative_annotator.MOST_PAIRS),
        ("repeated", "whole", (), 10),
    ],
)
def test_a_group_has_the_same_result_from_sums_as_from_ratings(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    design: str,
    scores: str,
    without: tuple[str, ...],
    most_pairs: int,
) -> None:
    monkeypatch.setattr(store_sums, "MIN_ROWS", 10)
    monkeypatch.setattr(store_sums, "MAX_SHARE", 10.0)
    for module in (alternative_annotator, replacement):
        monkeypatch.setattr(module, "MOST_PAIRS", most_pairs)
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        study = open_report_study(
            store.add(write_ratings(tmp_path / "r.csv", design, scores)), "", ReportSettings()
        )[0]
        study = replace(study, dataset=study.dataset.leaving_out(without))
        assert answers.suffice(study, SPEC) == (design != "repeated")
        for group in ("lab", "crowd"):
            rows = [
                sorted(zip(one.item.tolist(), one.rater.tolist(), one.score.tolist(), strict=True))
                for one in (
                    unordered_ratings(study.dataset, "noise", group),
                    ratings(study.dataset, "noise", group),
                )
            ]
            assert rows[0] == rows[1]
        found = told(study, store)
        expected = told(replace(study, dataset=replace(study.dataset, summed=False)), store)
        assert (found[0].compared is None) == (design != "repeated")
        assert worth_finding(SPEC, found[:1]) is None or design == "repeated"
        assert found[1].compared is not None
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.test is not None
            assert theirs.test is not None
            for name in ("raters", "items", "advantages", "p", "replaced"):
                assert_allclose(getattr(ours.test, name), getattr(theirs.test, name), rtol=1e-9, atol=1e-12)
            assert len(ours.test.raters) > 3
            for name in ("skipped", "without_candidate", "alone", "passes", "winning_rate", "reason"):
                assert getattr(ours.test, name) == getattr(theirs.test, name), name
            for a, b in ((ours.advantage, theirs.advantage), (ours.worth, theirs.worth)):
                assert_allclose((a.value, a.low, a.high), (b.value, b.low, b.high), rtol=1e-6)
                assert (a.n, a.reason) == (b.n, b.reason)


def test_worth_of_many_items_has_the_interval_of_all_its_ratings_but_for_raters_of_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_sums, "MIN_ROWS", 10)
    monkeypatch.setattr(store_sums, "MAX_SHARE", 10.0)
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        study = open_report_study(
            store.add(write_ratings(tmp_path / "r.csv", "some", "real")), "", ReportSettings()
        )[0]
        whole = told(study, store)[1]
        assert not whole.read_off
        assert not estimated_from([whole])
        for taken in (25, 20):
            monkeypatch.setattr(variance_components, "MOST_SAMPLED_ITEMS", taken)
            some = told(study, store)[1]
            assert some.read_off == taken < some.worth.n
            assert some.worth.value == pytest.approx(whole.worth.value, rel=1e-9)
            assert some.worth.low == pytest.approx(whole.worth.low, rel=0.2)
            assert some.worth.low < some.worth.value < some.worth.high
            assert estimated_from([some]) == [str(taken)]


def estimated_from(found: list[CandidateResult]) -> list[object]:
    """Return the numbers of items that notes give for an interval."""
    notes = replacement_notes(SPEC, tuple(found))
    return [values["some"] for _, values in notes if "some" in values]


def test_worth_by_sums_with_all_ratings_has_their_interval() -> None:
    rng = np.random.default_rng(8)
    item, rater = np.divmod(rng.choice(60 * 9, 300, replace=False), 9)
    score = rng.normal(item / 25 + rater / 9, 1)
    values = {one: float(rng.normal(one / 25, 0.4)) for one in range(60)}
    expected = effective_number_of_raters(Ratings(item, rater, score), values)
    ids = np.unique(item)
    number, total, squares = (np.bincount(item, of)[ids] for of in (np.ones(300), score, score**2))
    its = np.array([values[one] for one in ids.tolist()])
    both = Ratings(item, rater, score), values
    found = effective_number_from_sums(number, total, squares, its, 9, both)
    assert_allclose(
        (found.value, found.low, found.high), (expected.value, expected.low, expected.high), rtol=1e-9
    )
    assert found.n == expected.n


@pytest.mark.parametrize("gold", ["gold", "Gold score", "Ground_truth"])
def test_a_column_of_right_answers_is_no_candidate(tmp_path: Path, gold: str) -> None:
    rng = np.random.default_rng(2)
    rows = [
        (f"i{item}", f"{group} {rater}", group, rng.integers(1, 6), 1 + item % 5, item / 30)
        for item in range(30)
        for group in ("lab", "crowd")
        for rater in range(4)
    ]
    file = tmp_path / "with gold.csv"
    pd.DataFrame(rows, columns=["item", "rater", "group", "score", gold, "bleu"]).to_csv(file, index=False)
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        study = open_report_study(store.add(file), "", ReportSettings())[0]
        found = replacement.list_candidates(study, replacement.default_spec(study, study.measures[0]))
    assert [one.name for one in found] == ["crowd", "bleu"]
