"""A planned study, handed out, answered by simulated raters, uploaded and analysed, finds the planned width."""

from collections.abc import Callable
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.planning import DifferencePlan, difference_half_width
from data.export import csv_bytes
from features.planning.power_results import template

PLAN = DifferencePlan(16, 24, 0.5, 0.36, 0.08, 0.08)
STUDIES = 100
"""Half-widths differ by 15% from study to study, so that their mean is known to 1.5%."""


def answered(seed: int) -> pd.DataFrame:
    """The plan's template with the scores of raters and items who have the plan's variances."""
    rows = template(PLAN, None, seed)
    rng = np.random.default_rng(seed)
    rater, topic = (rows[name].str[-2:].astype(int).to_numpy() - 1 for name in ("rater_id", "topic"))
    sign = np.where(rows["system"] == "B", 1, -1)
    slopes = np.sqrt(0.08) * (rng.standard_normal(16)[rater] + rng.standard_normal(24)[topic])
    shared = 0.4 * rng.standard_normal(16)[rater] + 0.5 * rng.standard_normal(24)[topic]
    rows["score"] = (3 + shared + sign * (0.25 + slopes) + 0.6 * rng.standard_normal(len(rows))).round(3)
    return rows


def analysed(rows: pd.DataFrame) -> tuple[float, float]:
    """The ends of the interval of the systems' difference, by what the page Systems calls."""
    columns = [rows[name].to_numpy() for name in ("system", "topic", "rater_id", "score")]
    spec = ExclusionSpec(draws=400, random=0)
    pairs = intervals(*columns, exclusion(*columns, spec=spec), spec=spec).pairs_before
    a, b = 0, 1
    first, second = (b, a) if pairs.differences[b, a] > 0 else (a, b)
    return float(pairs.low[first, second]), float(pairs.high[first, second])


def test_systems_are_distinguished_as_closely_as_planned() -> None:
    """Within 10%, over 100 studies; their intervals hold the difference."""
    ends = np.array([analysed(answered(seed)) for seed in range(STUDIES)])
    halves = (ends[:, 1] - ends[:, 0]) / 2
    assert halves.std(ddof=1) / halves.mean() / sqrt(STUDIES) < 0.016
    assert halves.mean() == pytest.approx(difference_half_width(PLAN), rel=0.1)
    assert 0.9 <= ((ends[:, 0] < 0.5) & (ends[:, 1] > 0.5)).mean() <= 0.98


def test_the_page_of_the_uploaded_study_finds_what_its_analysis_finds(
    open_page: Callable[..., AppTest], add_study: Callable[..., str], tmp_path: Path
) -> None:
    rows, file = answered(0), tmp_path / "planned.csv"
    file.write_bytes(csv_bytes(rows))
    app = open_page("systems.py", d=add_study(file), draws="400", all_columns="true")
    app.session_state["systems fold of pairs"] = True
    app.run()
    (pairs,) = (table for table in app.dataframe if "Difference" in table.value)
    ends = pairs.value[["Difference from", "Difference to"]].iloc[0].tolist()
    assert ends == pytest.approx(analysed(rows), abs=0.006)
