"""A planned study as a file that is filled in and read again."""

from pathlib import Path

import numpy as np

from analysis.planning import DifferencePlan
from data.export import csv_bytes
from data.formats import recognise
from data.settings import Settings
from data.store import Store
from features.planning.power_findings import template_note
from features.planning.power_results import template
from tests.features.planning.plans import VARIANCES, line_of


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


def test_the_template_tells_how_much_each_rater_rates() -> None:
    plan = DifferencePlan(20, 20, 0.5, **VARIANCES, ratings_per_item=10)
    assert line_of(template_note(plan, 0)).startswith("400 ratings to collect: 20 by each rater")
    assert np.bincount(template(plan, None, 0).groupby("rater_id").size()).nonzero()[0].tolist() == [20]
