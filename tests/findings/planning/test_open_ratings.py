"""From a file of ratings to the variances that a plan rests on."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analysis.planning.pilot import NO_SYSTEMS, pilot
from analysis.planning.presets import PRESETS
from analysis.variance.components import estimated
from analysis.variance.sources import design
from data.settings import Settings
from data.store.store import Store
from features import results
from features.study import Study
from features.variance_components import sources
from findings.planning.open_ratings import at_once, of_open
from report.parts.asked import Asked
from report.parts.opening import opened

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
    with Store(settings=settings) as store, results.use_session(results.Session(store)):
        yield store


def study_of(store: Store, path: Path, header: str, rows: list[str]) -> Study:
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return opened(store.add(path), "", Asked())[0]


def test_the_variances_are_those_of_the_ratings(own_store: Store, tmp_path: Path) -> None:
    score = scores()
    cells = [tuple(map(int, cell)) for cell in np.ndindex(score.shape)]
    study = study_of(
        own_store,
        tmp_path / "study.csv",
        "item_id,rater_id,system,topic,measure,score",
        [f"s{s} t{t},r{r},s{s},t{t},quality,{float(score[s, t, r])}" for s, t, r in cells],
    )
    basis = of_open(study, "quality")
    system, topic, rater = np.array(cells).T
    alone = pilot(estimated(design(system * TOPICS + topic, rater, score.ravel(), system, topic)))
    assert basis.pilot.estimated == pytest.approx(alone.estimated)
    assert basis.pilot.estimated["rater_slope"] > 0
    assert len(basis.pilot.drawn["residual"]) > 0
    assert basis.points == pytest.approx(float(np.ptp(score)))
    assert basis.of_open_ratings
    of_a_mos = of_open(study, "quality", about_systems=False)
    assert of_a_mos.pilot.estimated == basis.pilot.estimated
    assert (of_a_mos.pilot.drawn["residual"] == basis.pilot.drawn["residual"]).all()


def test_ratings_without_systems_say_so_and_a_preset_stands_in(own_store: Store, tmp_path: Path) -> None:
    study = study_of(
        own_store,
        tmp_path / "study.csv",
        "item_id,rater_id,measure,score",
        [f"i{i},r{r},quality,{1 + (3 * i + 2 * r + i * r) % 5}" for i in range(8) for r in range(4)],
    )
    assert "system" not in sources(study, "quality")
    basis = of_open(study, "quality")
    assert basis.pilot.estimated == PRESETS["speech"].variances
    assert basis.warning is not None
    reason = str(basis.warning[1]["reason"])
    assert reason.startswith(f"{NO_SYSTEMS}. It takes a column that names each item's system")
    assert "and one that names what is the same under every system" in reason
    assert of_open(study, "quality", about_systems=False).of_open_ratings


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
    basis, surer = at_once(study, "quality")
    assert surer is not None
    assert not any(len(values) for values in basis.pilot.drawn.values())
    whole = surer()
    assert whole.pilot.estimated == basis.pilot.estimated
    assert all(len(values) for values in whole.pilot.drawn.values())
    again, later = at_once(study, "quality")
    assert later is None
    assert again.pilot.drawn.keys() == of_open(study, "quality").pilot.drawn.keys()
    assert len(again.pilot.drawn["rater"]) == len(whole.pilot.drawn["rater"])
