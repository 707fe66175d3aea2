"""Variances of very many ratings are estimated from some items, and the reader sees that."""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

import numpy as np
import pytest

from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import (
    Components,
    ItemSample,
    add_intervals,
    components,
    estimate_components,
)
from analysis.variance.generalisability import observed_design
from analysis.variance.sources import design
from data.settings import Settings
from data.store import sums
from data.store.store import Store
from features.blocks import last_stage
from features.planning.variances import OPEN, VariancesSpec, variance_stages
from features.raters import variance_results
from features.raters.variance_results import draw_intervals, lay_out, sources, without_intervals
from features.raters.variance_section import variance_notes
from features.study import Scenario, Session, Study, use_session
from features.words import plain
from report import raters_sections as raters_module
from report.settings import ReportSettings, open_report_study

SYSTEMS, TOPICS, RATERS, EACH = 4, 15, 40, 8
ITEMS = SYSTEMS * TOPICS
DRAWS = BootstrapSpec(200)


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(variance_results, "MOST_RATINGS", 200)
    monkeypatch.setattr(variance_results, "FEWEST_ITEMS", 20)
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def study_of(store: Store, path: Path, raters: int = RATERS) -> Study:
    """Each item of one system and topic, rated by as many of the raters as `EACH`."""
    rng = np.random.default_rng(5)
    item, system, topic, severity = (rng.normal(size=size) for size in (ITEMS, SYSTEMS, TOPICS, raters))
    rows = ["item_id,rater_id,system,topic,measure,score"]
    for place in range(ITEMS):
        s, t = place % SYSTEMS, place // SYSTEMS
        for rater in rng.choice(raters, EACH, replace=False).tolist():
            score = item[place] + system[s] + topic[t] + severity[rater] + rng.normal()
            rows.append(f"i{place:03d},r{rater:03d},s{s},t{t:02d},quality,{score}")
    path.write_text("\n".join(rows), encoding="utf-8")
    return open_report_study(store.add(path), "", ReportSettings())[0]


def variances(study: Study) -> Components:
    closed = without_intervals(study, "quality")
    assert closed is not None
    found = draw_intervals(study, "quality", closed, DRAWS)
    assert found is not None
    return found


@pytest.mark.parametrize(("summed_from", "fewest"), [(10, 20), (10**6, 40)])
def test_variances_and_their_draws_are_those_of_the_items_drawn(
    own_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, summed_from: int, fewest: int
) -> None:
    monkeypatch.setattr(sums, "MIN_ROWS", summed_from)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
    monkeypatch.setattr(variance_results, "FEWEST_ITEMS", fewest)
    study = study_of(own_store, tmp_path / "study.csv")
    assert study.whole.summed == (summed_from == 10)
    found = variances(study)
    items = max(ceil(ITEMS * 200 / (ITEMS * EACH)), fewest)
    assert found.sample == ItemSample(items, ITEMS, 0)
    asked = {"measure": "quality", "group": study.candidate}
    some = set(own_store.query(study.whole, "ratings", **asked, max_items=items)["item"].tolist())
    assert len(some) == items
    every = own_store.query(study.whole, "assessments", **asked)
    taken = np.isin(every["item"], list(some))
    of = [every[name][taken] for name in ("item", "rater", "score", "system", "topic")]
    expected = add_intervals(estimate_components(design(*of)), design(*of), DRAWS)
    assert found.ratings == expected.ratings == items * EACH
    assert found.sources == expected.sources
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-9)
    np.testing.assert_allclose(found.drawn, expected.drawn, rtol=1e-6)


def test_ratings_that_are_not_very_many_are_all_taken(
    own_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, fewest in ((ITEMS * EACH, 1), (200, ITEMS)):
        monkeypatch.setattr(variance_results, "MOST_RATINGS", most)
        monkeypatch.setattr(variance_results, "FEWEST_ITEMS", fewest)
        found = lay_out(study_of(own_store, tmp_path / f"study{fewest}.csv"), "quality")
        assert found.sample is None
        assert found.design.ratings == ITEMS * EACH


def test_a_sample_in_which_hardly_a_rater_meets_a_topic_twice_gives_way_to_all(
    own_store: Store, tmp_path: Path
) -> None:
    study = study_of(own_store, tmp_path / "study.csv", raters=70)
    some = variance_results.crossed(study, "quality", ItemSample(25, ITEMS, 0))
    assert "topic × rater" in {one.name for one in some.unseparated}
    made = lay_out(study, "quality")
    assert made.sample is None
    assert made.design.ratings == ITEMS * EACH
    assert "topic × rater" in sources(study, "quality")


def test_the_number_of_items_of_the_ratings_is_shown(own_store: Store, tmp_path: Path) -> None:
    study = study_of(own_store, tmp_path / "study.csv")
    found = variances(study)
    assert observed_design(found, "system").items == ITEMS / SYSTEMS
    told = [plain(note.text) for note in variance_notes(found)]
    assert any("all ratings of 25 items, drawn from 60 (seed 0)" in one for one in told)
    note = last_stage(variance_stages(study, VariancesSpec(OPEN, "quality"))).note
    assert note is not None
    assert "of items drawn from 60 (seed 0)" in note[0].format_map(note[1])
    (made,) = raters_module.variance(study, Scenario(), ReportSettings())
    assert any("quality: These are all ratings of 25 items" in plain(note) for note in made.notes)


def test_all_ratings_are_shown_without_a_note_on_a_sample() -> None:
    item, rater = (codes.ravel() for codes in np.indices((12, 6)))
    found = components(item, rater, np.random.default_rng(1).normal(size=72), bootstrap=DRAWS)
    told = [plain(note.text) for note in variance_notes(found)]
    assert not any("drawn from" in one for one in told)
