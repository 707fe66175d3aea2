"""What a study as large as this one finds: its own variances and sizes, no setting."""

from collections.abc import Iterator
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from analysis.planning import mos_half_width, pilot, preference_power
from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import estimate_components
from analysis.variance.sources import design
from data.settings import Settings
from data.store.store import Store
from features.assessments import polls
from features.planning import replication
from features.study import Scenario, Session, Study, use_session
from features.systems.scores_results import ScoresSpec, rank_systems
from report.settings import ReportSettings, open_report_study
from tests.features.planning.plans import line_of
from tests.features.studies import said

SYSTEMS, TOPICS, RATERS = 3, 8, 5


def scores(seed: int = 8) -> np.ndarray:
    """(systems, topics, raters) with all effects that a plan asks for."""
    rng = np.random.default_rng(seed)
    return (
        50
        + 5 * rng.standard_normal((SYSTEMS, TOPICS, 1))
        + 4 * rng.standard_normal((1, 1, RATERS))
        + 3 * rng.standard_normal((SYSTEMS, 1, RATERS))
        + 2 * rng.standard_normal((SYSTEMS, TOPICS, RATERS))
    )


CELLS = [tuple(map(int, cell)) for cell in np.ndindex(SYSTEMS, TOPICS, RATERS)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def study_of(store: Store, folder: Path, header: str, rows: list[str]) -> Study:
    path = folder / "study.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return open_report_study(store.add(path), "", ReportSettings())[0]


def test_systems_on_the_same_topics_are_planned_on_topics(store: Store, tmp_path: Path) -> None:
    score = scores()
    study = study_of(
        store,
        tmp_path,
        "item_id,rater_id,system,topic,measure,score",
        [f"s{s} t{t},r{r},s{s},t{t},quality,{score[s, t, r]}" for s, t, r in CELLS],
    )
    one = replication.replicate(study, "quality")
    assert one is not None
    assert (one.topics, one.raters, one.each, one.systems) == (TOPICS, RATERS, RATERS, SYSTEMS)
    ranked = rank_systems(study, Scenario(), ScoresSpec("quality", bootstrap=BootstrapSpec(20)))
    assert ranked is not None
    assert ranked.ranking.pairs is not None
    assert one.found.value == ranked.ranking.pairs.detectable > 0
    assert one.scope == ranked.scope == "these raters"
    s, t, r = np.array(CELLS).T
    variances = pilot(estimate_components(design(s * TOPICS + t, r, score.ravel(), s, t))).estimated
    rater, residual = (
        variances[name] + variances[other]
        for name, other in (("rater", "rater_slope"), ("residual", "rater_item"))
    )
    left = SYSTEMS * TOPICS * (RATERS - 1) - RATERS + 1
    degrees = (rater + residual) ** 2 / (rater**2 / (RATERS - 1) + residual**2 / left)
    assert one.half_mos == pytest.approx(
        float(mos_half_width(RATERS, (rater + residual) ** 0.5, degrees=degrees))
    )
    told = replication.replication_finding([one])
    assert f"{one.found.value:.2f}" in said(told)
    assert f"{TOPICS} topics, {RATERS} raters, {RATERS} ratings of each system on a topic" in line_of(
        told.evidence
    )


def test_systems_with_items_of_their_own_are_planned_on_items(store: Store, tmp_path: Path) -> None:
    score = scores()
    study = study_of(
        store,
        tmp_path,
        "item_id,rater_id,system,measure,score",
        [f"s{s} i{t},r{r},s{s},quality,{score[s, t, r]}" for s, t, r in CELLS],
    )
    one = replication.replicate(study, "quality")
    assert one is not None
    assert one.topics == 0
    assert one.found.value > 0
    assert "8 items of each system" in one.size


def test_one_rating_per_item_still_plans_for_one_and_says_nothing_of_a_mos(
    store: Store, tmp_path: Path
) -> None:
    score = scores()
    rows = [
        f"s{s} t{t},r{(s + t) % RATERS},s{s},t{t},quality,{score[s, t, (s + t) % RATERS]}"
        for s in range(SYSTEMS)
        for t in range(TOPICS)
    ]
    one = replication.replicate(
        study_of(store, tmp_path, "item_id,rater_id,system,topic,measure,score", rows), "quality"
    )
    assert one is not None
    assert isnan(one.half_mos)
    assert one.found.defined


def test_without_systems_only_means_are_told(store: Store, tmp_path: Path) -> None:
    rows = [f"i{i},r{r},quality,{1 + (3 * i + 2 * r + i * r) % 5}" for i in range(8) for r in range(4)]
    one = replication.replicate(study_of(store, tmp_path, "item_id,rater_id,measure,score", rows), "quality")
    assert one is not None
    assert one.found.reason == replication.NO_SYSTEMS
    told = replication.replication_finding([one])
    assert f"±\u00a0{one.half_mos:.2f}" in said(told)
    assert replication.FOUND not in replication.replication_table([one]).columns_at_first_sight


def test_votes_tell_a_preference_at_the_edge(store: Store, tmp_path: Path) -> None:
    rows = [
        f"item {item},worker {worker},{'new' if (item * 7 + worker * 3) % 5 else 'old'},old,new"
        for item in range(12)
        for worker in range(5)
    ]
    study = study_of(store, tmp_path, "item_id,rater_id,choice,option_a,option_b", rows)
    (one,) = replication.replicate_votes(polls(study))
    assert (one.items, one.votes) == (12, 5.0)
    assert preference_power(one.found, 12, 5, one.item_sd).power == pytest.approx(0.8, abs=1e-6)
    assert one.of_all == one.found
