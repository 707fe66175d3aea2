"""Agreement of a large study by sums is that by ratings."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.agreement.agreement_summary import agreement_summary
from analysis.assessors.agreement_of_everyone import beyond_chance
from analysis.values.scope import SCOPES
from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features import results
from features.rater_agreement import clusters_of_items
from findings.agreement.by_group import at_a_glance, beyond
from report.parts.asked import Asked
from report.parts.opening import opened


@pytest.mark.parametrize("constant", [False, True])
def test_crossed_raters_of_a_large_study_have_the_figures_of_their_ratings(
    constant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "SUMMED_FROM", 10)
    monkeypatch.setattr(sums, "MOST", 10.0)
    rows = [
        f"i{item},{group}{rater},{group},{0.1 if constant and group == 'a' else (item * 7 + rater * rater) % 5}"
        for group in "ab"
        for item in range(20)
        for rater in range(4)
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["item,rater,group,score", *rows]), encoding="utf-8")
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, results.use_session(results.Session(store)):
        study = opened(store.add(file), "", Asked())[0]
        assert study.dataset.has_sums
        for scope in SCOPES:
            whole = at_a_glance(study, scope)
            assert whole is not None
            for one in whole:
                rated = results.ratings(study.dataset, one.measure, one.group)
                known = clusters_of_items(study)
                expected = agreement_summary(rated, scope, True, *known)
                for name in ("alpha", "one", "mean"):
                    a, b = getattr(one.figures, name), getattr(expected, name)
                    assert (a.value, a.low, a.high) == pytest.approx(
                        (b.value, b.low, b.high), abs=1e-8, nan_ok=True
                    )
                assert (one.figures.form, one.figures.scope) == (expected.form, scope)


@pytest.mark.parametrize("summed", [False, True])
def test_agreement_beyond_chance_is_on_the_scale_of_all_groups(
    summed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only group b gives the highest grade, and it counts for group a."""
    if summed:
        monkeypatch.setattr(sums, "SUMMED_FROM", 10)
        monkeypatch.setattr(sums, "MOST", 10.0)
    rows = [
        f"i{item},{group}{rater},{group},{1 + (item * 7 + rater * rater) % (4 if group == 'a' else 5)}"
        for group in "ab"
        for item in range(20)
        for rater in range(4)
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["item,rater,group,score", *rows]), encoding="utf-8")
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, results.use_session(results.Session(store)):
        study = replace(opened(store.add(file), "", Asked())[0], candidate="a")
        found = beyond(study, study.measures[0], "quadratic")
        rated = results.ratings(study.dataset, study.measures[0], "a")
        expected = beyond_chance(rated, scores=[5])
        assert found is not None
        assert expected is not None
        assert rated.score.max() == 4
        value = found.figures["Gwet's AC2"].fixed.value
        assert value == pytest.approx(expected.figures["Gwet's AC2"].fixed.value)
        assert value != pytest.approx(beyond_chance(rated).figures["Gwet's AC2"].fixed.value)
