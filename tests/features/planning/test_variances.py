"""Variances for a plan, from a file of ratings."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.planning.difference import PRESETS
from analysis.planning.pilot import NO_ITEMS, NO_SYSTEMS, pilot
from analysis.variance.components import estimate_components
from analysis.variance.sources import design
from data.settings import Settings
from data.store.store import Store
from features.blocks import Progress, Status, last_stage
from features.planning.power_results import PowerSpec
from features.planning.section import power_section
from features.planning.variances import (
    OPEN,
    USUAL,
    Variances,
    VariancesSpec,
    scale_points,
    supplied_measures,
    usual_difference,
    usual_variances,
    variance_stages,
)
from features.raters.variance_results import sources
from features.study import Session, Study, use_session
from report.settings import ReportSettings, open_report_study

SYSTEMS, TOPICS, RATERS = 3, 6, 4


def scores() -> np.ndarray:
    """(systems, topics, raters) of all effects that a plan asks for."""
    rng = np.random.default_rng(8)
    return (
        50
        + 5 * rng.standard_normal((SYSTEMS, TOPICS, 1))
        + 4 * rng.standard_normal((1, 1, RATERS))
        + 3 * rng.standard_normal((SYSTEMS, 1, RATERS))
        + 2 * rng.standard_normal((SYSTEMS, TOPICS, RATERS))
    )


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def study_of(store: Store, path: Path, header: str, rows: list[str]) -> Study:
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return open_report_study(store.add(path), "", ReportSettings())[0]


def test_the_variances_are_those_of_the_ratings(own_store: Store, tmp_path: Path) -> None:
    score = scores()
    cells = [tuple(map(int, cell)) for cell in np.ndindex(score.shape)]
    study = study_of(
        own_store,
        tmp_path / "study.csv",
        "item_id,rater_id,system,topic,measure,score",
        [f"s{s} t{t},r{r},s{s},t{t},quality,{float(score[s, t, r])}" for s, t, r in cells],
    )
    spec = usual_variances(study)
    assert spec == VariancesSpec(OPEN, "quality")
    basis = last_stage(variance_stages(study, spec))
    system, topic, rater = np.array(cells).T
    alone = pilot(estimate_components(design(system * TOPICS + topic, rater, score.ravel(), system, topic)))
    assert basis.pilot.estimated == pytest.approx(alone.estimated)
    assert basis.pilot.estimated["rater_slope"] > 0
    assert len(basis.pilot.drawn["residual"]) > 0
    assert scale_points(study, spec) == pytest.approx(float(np.ptp(score)))
    assert basis.is_of_data
    of_a_mos = last_stage(variance_stages(study, spec, about_systems=False))
    assert of_a_mos.pilot.estimated == basis.pilot.estimated
    assert (of_a_mos.pilot.drawn["residual"] == basis.pilot.drawn["residual"]).all()


def test_excluded_raters_supply_no_variances(own_store: Store, tmp_path: Path) -> None:
    rows = [(f"i{i}", f"r{r}", 1 + (3 * i + 2 * r + i * r) % 5) for i in range(12) for r in range(5)]
    header, spec = "item_id,rater_id,score", VariancesSpec(OPEN, "score")
    lines = {
        r: [f"{i},{r},{s}" for i, rater, s in rows if rater == r] for r in ("r0", "r1", "r2", "r3", "r4")
    }
    first = [line for r, of in lines.items() if r != "r4" for line in of]
    every = study_of(own_store, tmp_path / "five.csv", header, first + lines["r4"])
    four = study_of(own_store, tmp_path / "four.csv", header, first)
    without = replace(every, dataset=every.whole.leaving_out(("r4",)))
    found = [last_stage(variance_stages(each, spec, about_systems=False)) for each in (every, without, four)]
    residual = [each.pilot.estimated["residual"] for each in found]
    assert residual[1] == pytest.approx(residual[2])
    assert residual[0] != pytest.approx(residual[2])
    assert found[1].note == found[2].note


def test_ratings_without_systems_are_offered_for_means_only(own_store: Store, tmp_path: Path) -> None:
    study = study_of(
        own_store,
        tmp_path / "study.csv",
        "item_id,rater_id,measure,score",
        [f"i{i},r{r},quality,{1 + (3 * i + 2 * r + i * r) % 5}" for i in range(8) for r in range(4)],
    )
    assert "system" not in sources(study, "quality")
    assert supplied_measures(study, about_systems=True) == ()
    usual = usual_variances(study)
    assert usual == VariancesSpec(USUAL)
    assert last_stage(variance_stages(study, usual)).pilot.estimated == PRESETS["speech"].variances
    assert usual_variances(study, about_systems=False) == VariancesSpec(OPEN, "quality")
    asked = VariancesSpec(OPEN, "quality")
    assert last_stage(variance_stages(study, asked)).reason == NO_SYSTEMS
    (told,) = power_section(study, PowerSpec(asked))
    assert told.status is Status.NOT_ENOUGH_DATA  # type: ignore[union-attr]
    assert told.next_step.parameters["plan_variances"] == USUAL  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "difference"), [("speech study", 0.3), ("summary study", 7.5)])
def test_a_preset_names_its_source_and_asks_for_a_difference_of_its_scale(
    own_store: Store, tmp_path: Path, kind: str, difference: float
) -> None:
    study = study_of(own_store, tmp_path / "study.csv", "item_id,rater_id,score", ["a,b,1", "a,c,2"])
    spec = VariancesSpec(kind)
    assert usual_difference(scale_points(study, spec)) == difference
    found = last_stage(variance_stages(study, spec))
    assert found.note is not None
    assert not found.is_of_data


def test_at_once_there_are_variances_without_a_band_and_then_what_the_ratings_leave_open(
    own_store: Store, tmp_path: Path
) -> None:
    score = scores()
    study = study_of(
        own_store,
        tmp_path / "study.csv",
        "item_id,rater_id,system,topic,measure,score",
        [f"s{s} t{t},r{r},s{s},t{t},quality,{float(score[s, t, r])}" for s, t, r in np.ndindex(score.shape)],
    )
    spec = VariancesSpec(OPEN, "quality")
    basis, progress, whole = variance_stages(study, spec)
    assert isinstance(basis, Variances)
    assert isinstance(progress, Progress)
    assert isinstance(whole, Variances)
    assert not any(len(values) for values in basis.pilot.drawn.values())
    assert whole.pilot.estimated == basis.pilot.estimated
    assert all(len(values) for values in whole.pilot.drawn.values())
    (again,) = variance_stages(study, spec)
    assert isinstance(again, Variances)
    assert len(again.pilot.drawn["rater"]) == len(whole.pilot.drawn["rater"])


def test_single_ratings_of_items_do_not_tell_how_ratings_of_an_item_vary(
    own_store: Store, tmp_path: Path
) -> None:
    rows = [f"i{at},r{at % 3},{1 + at * 7 % 5}" for at in range(30)]
    study = study_of(own_store, tmp_path / "single.csv", "item_id,rater_id,score", rows)
    assert usual_variances(study, about_systems=False) == VariancesSpec(USUAL)
    own = last_stage(variance_stages(study, VariancesSpec(OPEN, study.measures[0]), about_systems=False))
    assert own.reason == NO_ITEMS
