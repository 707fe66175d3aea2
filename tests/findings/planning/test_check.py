"""A planned study as a file that is filled in and read again, and as simulated."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from analysis.planning import DifferencePlan, SimulatedPower, simulated_power
from data.export import csv_bytes
from data.formats import recognise
from data.settings import Settings
from data.store import Store
from findings.planning.apart import planned
from findings.planning.basis import typed
from findings.planning.check import (
    MOST_CELLS,
    side_by_side,
    simulated_beside,
    template,
    template_note,
    too_large,
)
from tests.findings.planning.test_apart import PLAN, PRICES, VARIANCES
from tests.findings.studies import said


def test_a_template_with_scores_typed_in_is_read_as_ratings(tmp_path: Path) -> None:
    for design, topics in (("crossed", 10), ("items within", 0)):
        plan = DifferencePlan(6, 10, 0.5, **VARIANCES, design=design, ratings_per_item=3)  # type: ignore[arg-type]
        rows = template(plan, None, seed=1)
        assert (rows["score"] == "").all()
        rows["score"] = [1 + row % 5 for row in range(len(rows))]
        file = tmp_path / "template.csv"
        file.write_bytes(csv_bytes(rows))
        found = recognise(file)
        assert found.kind == "ratings"
        named = {role: role for role in ("item_id", "rater_id", "score", "system", "order")}
        assert named.items() <= dict(found.mapping).items()
        settings = Settings(database=str(tmp_path / f"{design}.duckdb"), spool=tmp_path / "spool", threads=1)
        with Store(settings=settings) as store:
            dataset = store.add(file, name="planned")
            assert dataset.rows_kept == plan.ratings
            assert dataset.rows_set_aside == 0
            assert dataset.has("topic") == bool(topics)


def test_formula_and_simulation_stand_side_by_side() -> None:
    one = planned(replace(PLAN, items=10), typed(VARIANCES, 4.0), PRICES, 0.8)
    found = simulated_power(one.plan, 200, seed=1)
    table = side_by_side(one, found)[0]
    assert table["Power"].tolist() == [one.power.value, found.power]
    assert abs(found.power - one.power.value) < 0.12
    assert "the formula says the same" in said(simulated_beside(one, found, 1))
    far = SimulatedPower(one.power.value + 0.2, 0.01, 0.1, 20, 200)
    assert f"the formula says {100 * one.power.value:.1f} %" in said(simulated_beside(one, far, 1))


def test_what_is_too_large_is_not_simulated() -> None:
    large = replace(PLAN, items=MOST_CELLS // 10 + 1)
    assert too_large(PLAN) is None
    assert "too many to simulate here" in said(too_large(large) or ("", {}))
    assert "400 ratings to collect: each item has its raters, each rater 20 ratings" in said(
        template_note(PLAN, 0)
    )
    assert np.bincount(template(PLAN, None, 0).groupby("rater_id").size()).nonzero()[0].tolist() == [20]
