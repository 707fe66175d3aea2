"""Simulations are stored block by block, continue where they stopped, and are skipped without their data."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration import real_ratings, simulation
from benchmarks.calibration.simulation import BLOCK, MAX_STUDIES, MIN_STUDIES, QUICK, Simulation, load_results


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(simulation, "RESULTS", tmp_path)
    return tmp_path


def uniform(name: str = "uniform", needs: Path | None = None) -> Simulation:
    """A test whose p is uniform, and an interval that covers in 9 of 10 studies that have one."""

    def study(rng: np.random.Generator, truth: float) -> dict[str, bool | float | None]:
        p, covers = rng.random(2)
        return {"p": float(p), "interval": None if p > 0.5 else bool(covers < truth)}

    return Simulation(
        "page", name, "design", {"p": "test", "interval": "interval"}, study, lambda rng: 0.9, needs=needs
    )


def test_counts_are_those_of_the_studies() -> None:
    assert uniform().run(400)
    mine = load_results("page")["uniform"]
    assert mine["blocks"] * BLOCK == mine["p"][1] == 400
    assert 5 <= mine["p"][0] <= 40
    assert 150 < mine["interval"][1] < 250
    assert 0.8 < mine["interval"][0] / mine["interval"][1] < 0.97


def test_a_run_continues_where_one_was_stopped(results: Path) -> None:
    uniform().run(200)
    uniform().run(400)
    in_two_runs = load_results("page")["uniform"]
    (results / "page.json").unlink()
    uniform().run(400)
    at_once = load_results("page")["uniform"]
    assert {**in_two_runs, "seconds": 0} == {**at_once, "seconds": 0}
    assert not uniform().run(400)


def test_a_quick_design_has_more_studies_than_a_long_one(results: Path) -> None:
    assert uniform().run()
    assert load_results("page")["uniform"]["blocks"] * BLOCK == MAX_STUDIES
    stored_long = load_results("page")["uniform"] | {"blocks": MIN_STUDIES // BLOCK, "seconds": 1.5 * QUICK}
    (results / "page.json").write_text(json.dumps({"uniform": stored_long}))
    assert not uniform().run()
    assert uniform().run(MIN_STUDIES + BLOCK)


def test_runs_of_other_designs_stay() -> None:
    uniform("one").run(100)
    uniform("two").run(100)
    assert set(load_results("page")) == {"one", "two"}
    assert load_results("page")["one"]["p"] != load_results("page")["two"]["p"]


def test_a_design_without_its_data_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not uniform(needs=tmp_path / "ratings.csv").run(100)
    assert "ratings.csv is missing" in capsys.readouterr().out
    assert load_results("page") == {}


@pytest.mark.parametrize("population", real_ratings.FILES)
def test_populations_have_as_many_ratings_of_each_item(population: str, shared_data: Path) -> None:
    scores = real_ratings.load_ratings(population, 3)
    assert shared_data == real_ratings.FOLDER
    assert scores.shape[1] == 3
    assert len(scores) >= 79
    assert np.isfinite(scores).all()


def test_speech_samples_have_a_mean_of_the_laboratory_and_of_the_crowd(shared_data: Path) -> None:
    lab, crowd = real_ratings.load_speech_scores()
    assert lab.shape == crowd.shape == (200,)
    assert np.corrcoef(lab, crowd)[0, 1] > 0.5
    assert shared_data.is_dir()
