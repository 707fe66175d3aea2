"""Agreement of a large study by sums is that by ratings; groups, split halves and the order of raters."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.agreement.agreement_summary import agreement_summary
from analysis.agreement.kappas import rater_pairs
from analysis.assessors.consistency import chance_corrected_agreement
from analysis.values.estimate import SCOPES
from analysis.values.ratings import Ratings
from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features.agreement.results import (
    AgreementSpec,
    agreement_stages,
    compute_coefficients,
    pair_raters,
    sort_pairs,
    summarize_agreement,
)
from features.assessments import clusters_of_items
from features.blocks import last_stage
from features.study import Session, Study, query, ratings, use_session
from report.settings import ReportSettings, open_report_study


@pytest.mark.parametrize("constant", [False, True])
def test_crossed_raters_of_a_large_study_have_the_figures_of_their_ratings(
    constant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    rows = [
        f"i{item},{group}{rater},{group},{0.1 if constant and group == 'a' else (item * 7 + rater * rater) % 5}"
        for group in "ab"
        for item in range(20)
        for rater in range(4)
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["item,rater,group,score", *rows]), encoding="utf-8")
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        study = open_report_study(store.add(file), "", ReportSettings())[0]
        assert study.dataset.has_sums
        for scope in SCOPES:
            whole = summarize_agreement(study, AgreementSpec(scope))
            assert whole is not None
            for one in whole:
                rated = ratings(study.dataset, one.measure, one.group)
                known = clusters_of_items(study)
                expected = agreement_summary(rated, scope, True, *known)
                for name in ("alpha", "one", "mean"):
                    a, b = getattr(one.summary, name), getattr(expected, name)
                    assert (a.value, a.low, a.high) == pytest.approx(
                        (b.value, b.low, b.high), abs=1e-8, nan_ok=True
                    )
                assert (one.summary.form, one.summary.scope) == (expected.form, scope)


def opened_study(store: Store, folder: Path, score: np.ndarray) -> Study:
    """A study in which group a has the ratings, and group b those of its first two raters."""
    rows = [
        f"i{i},{r},{group},{score[i, r]:g}"
        for i, r in np.ndindex(score.shape)
        for group in "ab"[: 2 - (r > 1)]
    ]
    rows = [
        row.replace(f",{row.split(',')[1]},", f",{row.split(',')[2]}{row.split(',')[1]},") for row in rows
    ]
    file = folder / "rows.csv"
    file.write_text("\n".join(["item,rater,group,score", *rows]), encoding="utf-8")
    return open_report_study(store.add(file), "", ReportSettings())[0]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def test_halves_of_two_ratings_correlate_as_the_two_raters_do(store: Store, tmp_path: Path) -> None:
    score = np.random.default_rng(0).permutation(np.arange(40.0))[:, None] + np.array([0.0, 0.5])
    study = opened_study(store, tmp_path, score)
    found = last_stage(agreement_stages(study, AgreementSpec()))
    assert {(each.group, each.half) for each in found} == {("a", 1), ("b", 1)}
    assert [each.halves.value for each in found if each.halves] == pytest.approx([1.0, 1.0])


def test_only_the_groups_asked_for_are_looked_at(store: Store, tmp_path: Path) -> None:
    study = opened_study(store, tmp_path, np.random.default_rng(1).normal(3, 1, (20, 3)))
    for groups, expected in (((), ["a", "b"]), (("b",), ["b"])):
        found = summarize_agreement(study, AgreementSpec(groups=groups)) or ()
        assert [each.group for each in found] == expected


def test_raters_are_sorted_by_their_mean_correlation_with_the_others() -> None:
    item, rater = (part.ravel() for part in np.indices((12, 4)))
    score = np.choose(rater, [5.0 - item, item, item + (item % 2), np.zeros(len(item))])
    found = sort_pairs(rater_pairs(Ratings(item, rater, score)))
    means = [np.nanmean(row) for row in found.correlation[:3]]
    assert means == sorted(means, reverse=True)
    assert found.raters.tolist()[2:] == [0, 3]  # the last one does not vary, and has no correlation
    np.testing.assert_allclose(found.correlation, found.correlation.T)


def test_pairs_of_a_study_are_those_of_its_ratings(store: Store, tmp_path: Path) -> None:
    score = np.random.default_rng(2).normal(3, 1, (30, 3))
    study = opened_study(store, tmp_path, score)
    pairs = pair_raters(study, study.measures[0])
    names = query(study.dataset, "rater_names")["name"][pairs.raters]
    at = [int(name[1:]) for name in names]
    expected = np.corrcoef(score.T)[np.ix_(at, at)]
    np.testing.assert_allclose(
        pairs.correlation[np.triu_indices(len(at), 1)],
        expected[np.triu_indices(len(at), 1)],
        atol=1e-5,  # the file has six digits
    )


@pytest.mark.parametrize("summed", [False, True])
def test_agreement_beyond_chance_is_on_the_scale_of_all_groups(
    summed: bool, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only group b gives the highest grade, and it counts for group a."""
    if summed:
        monkeypatch.setattr(sums, "MIN_ROWS", 10)
        monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    rows = [
        f"i{item},{group}{rater},{group},{1 + (item * 7 + rater * rater) % (4 if group == 'a' else 5)}"
        for group in "ab"
        for item in range(20)
        for rater in range(4)
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["item,rater,group,score", *rows]), encoding="utf-8")
    study = replace(open_report_study(store.add(file), "", ReportSettings())[0], candidate="a")
    found = compute_coefficients(study, AgreementSpec())
    rated = ratings(study.dataset, study.measures[0], "a")
    expected = chance_corrected_agreement(rated, scores=[5])
    without = chance_corrected_agreement(rated)
    assert found is not None
    assert expected is not None
    assert without is not None
    assert rated.score.max() == 4
    values = [each["Gwet's AC2"].fixed.value for each in (found.figures, expected.figures, without.figures)]
    assert values[0] == pytest.approx(values[1])
    assert values[0] != pytest.approx(values[2])
