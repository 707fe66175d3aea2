"""Raters compared from sums of a large data set, or from a sample of its items, as from all of its ratings."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.assessors.typical_rater import (
    compare_with_typical,
    correlation_changes,
    pooled_variance,
    scatter_changes,
)
from analysis.values.ratings import Ratings
from data.settings import Settings
from data.store import sums as store_sums
from data.store.store import Store
from features.cache import CACHE_BYTES, ResultCache
from features.raters import rater_results
from features.raters.typical_rater_findings import ComparedRaters
from features.study import Session, Study, use_session
from report.settings import ReportSettings, open_report_study

RATERS, ITEMS = 8, 60


def table() -> pd.DataFrame:
    """Eight raters of some of the items, of whom the first scatters most."""
    rng = np.random.default_rng(2)
    item, rater = np.divmod(np.flatnonzero(rng.random(ITEMS * RATERS) < 0.7), RATERS)
    noise = np.where(rater == 0, 2.0, 0.6) * rng.normal(0, 1, len(item))
    score = np.round(rng.normal(3, 1, ITEMS)[item] + noise, 3)
    names = [f"i{at:02}" for at in item], [f"r{at}" for at in rater]
    return pd.DataFrame({"item": names[0], "rater": names[1], "score": score})


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    """A study whose data set has sums."""
    monkeypatch.setattr(store_sums, "MIN_ROWS", 10)
    monkeypatch.setattr(store_sums, "MAX_SHARE", 10.0)
    table().to_csv(tmp_path / "r.csv", index=False)
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store, results=ResultCache(CACHE_BYTES))):
        yield open_report_study(store.add(tmp_path / "r.csv"), "", ReportSettings())[0]


def compared(study: Study) -> ComparedRaters:
    (measure,) = study.measures
    return rater_results.compared(study, measure, rater_results.ranked(study, measure))


def test_raters_are_compared_from_sums_as_from_their_ratings(study: Study) -> None:
    assert study.whole.has_sums
    rows = table()
    ratings = Ratings(rows["item"], rows["rater"], rows["score"])
    views = study, replace(study, whole=replace(study.whole, summed=False))
    for found, changes_of in ((compared, correlation_changes), (_scattered, scatter_changes)):
        changes = changes_of(ratings)
        expected = compare_with_typical(changes.z, changes.units, pooled_variance(changes))
        for view in views:
            _equal(found(view), expected.p, expected.p_differ)


def test_of_very_many_ratings_a_sample_of_the_items_gives_the_variance(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rater_results, "MOST_READ", 200)
    rows = table()
    changes = correlation_changes(Ratings(rows["item"], rows["rater"], rows["score"]))
    whole = compare_with_typical(changes.z, changes.units, pooled_variance(changes))
    found = compared(study).compared
    assert found.typical == pytest.approx(whole.typical)
    assert found.degrees < whole.degrees
    variance = (found.error / whole.error) ** 2
    assert variance != 1
    assert 0.5 < variance < 2
    np.testing.assert_allclose(found.t * np.sqrt(variance), whole.t, rtol=1e-8)


def _scattered(study: Study) -> ComparedRaters:
    return rater_results.scattered(study, study.measures[0])


def _equal(found: ComparedRaters, p: np.ndarray, p_differ: float) -> None:
    assert found.names == [f"r{at}" for at in range(RATERS)]
    np.testing.assert_allclose(found.compared.p, p, atol=1e-8)
    assert found.compared.p_differ == pytest.approx(p_differ, abs=1e-8)
