"""Findings on trained metrics: status, the numbers that are named, and Table 5."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.assessors.metric_training import Cell, Trained, TrainingSpec
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Status
from features.metrics.training import (
    MetricTrainingSpec,
    TrainedMetrics,
    exclusion_finding,
    missing_columns,
    models_table,
    training_finding,
    training_warnings,
)
from features.study import Scenario
from tests.findings_rules import check_findings

SPEC = TrainingSpec(0, 1, 2, largest_subset=2, bootstrap=BootstrapSpec(200))
ASKED = MetricTrainingSpec(
    "Pyramid", ("rouge1", "rouge2", "length"), ("2009", "2010", "2011"), "machine", SPEC
)
NOBODY, TWO = Scenario(), Scenario("picked by hand", (2, 4), ("C", "E"))
UNCHANGED = Estimate(nan, reason="nobody")
WHY = "a correlation over systems needs three systems; the test split has 2"


def trained(r: float, **more: object) -> Trained:
    made = Trained(
        method="nnls",
        features=(0, 2),
        coefficients=np.array([0.5, -2.0]),
        intercept=-1.25,
        correlation_choose=r + 0.05,
        correlation_test=Estimate(r, r - 0.1, r + 0.05, 20),
        predicted=np.empty(0),
        fits=1234,
        systems=20,
        topics=10,
        summaries=(300, 400, 500),
        unknown=0,
        resampled="systems, raters with their topics",
    )
    return replace(made, **more)


def cell(before: float, after: float | None = None, difference: Estimate = UNCHANGED) -> Cell:
    return Cell(0, True, trained(before), None if after is None else trained(after), difference)


def undefined() -> Cell:
    nothing = trained(nan, method=None, features=(), reason=WHY, correlation_test=Estimate(nan, reason=WHY))
    return Cell(0, True, nothing, None, Estimate(nan, reason=WHY))


def metrics(*columns: tuple[str, Cell]) -> TrainedMetrics:
    return TrainedMetrics(ASKED, columns)


BOTH = metrics(
    ("main", cell(0.8, 0.85, Estimate(0.05, 0.01, 0.09))),
    ("update", cell(0.9, 0.8, Estimate(-0.1, -0.25, 0.05))),
)


def test_what_is_missing_is_reported_with_a_next_step() -> None:
    assert missing_columns(True, 3, 2) is None
    lacks_systems = missing_columns(False, 3, 2)
    assert lacks_systems is not None
    assert lacks_systems.next_step is not None
    for given, there, least in (((True, 2, 2), "2 splits", 3), ((True, 3, 1), "1 numeric column", 2)):
        found = missing_columns(*given)
        assert found is not None
        assert (found.headline[1]["there"], found.headline[1]["least"]) == (there, least)


def test_with_everyone_the_best_column_is_reported() -> None:
    found = training_finding(metrics(("main", cell(0.8)), ("update", cell(0.9))))
    assert (found.status, found.headline[1]["r"]) == (Status.CLEAR, "0.90")
    told = {"95% CI 0.80–0.95", "tested on 20 systems of 2011", "update", "from rouge1 and length"}
    assert told <= set(found.evidence[1].values())


def test_an_exclusion_tells_the_largest_difference_and_how_many_are_clear() -> None:
    found = exclusion_finding(BOTH, TWO)
    assert found.status is Status.UNCERTAIN
    assert found.headline[1] == {"who": "C and E", "better": 1, "columns": 2}
    told = {"Largest change: update, r 0.800 instead of 0.900", "95% CI −0.250 to 0.050"}
    assert {*told, "1 of 2 differences clear"} <= set(found.evidence[1].values())
    clear = exclusion_finding(metrics(("main", cell(0.7, 0.9, Estimate(0.2, 0.1, 0.3)))), TWO)
    assert clear.status is Status.CLEAR
    check_findings([found, clear, training_finding(BOTH)])


def test_what_cannot_be_trained_has_its_reason() -> None:
    found = training_finding(metrics(("main", undefined())))
    assert (found.status, set(found.evidence[1].values())) == (Status.NOT_ENOUGH_DATA, {WHY})
    found = exclusion_finding(metrics(("main", cell(0.8))), TWO)
    assert (found.status, set(found.evidence[1].values())) == (Status.NOT_ENOUGH_DATA, {"Nobody"})


def test_a_correlation_is_clear_where_its_interval_excludes_0() -> None:
    assert training_finding(metrics(("main", cell(0.05)))).status is Status.UNCERTAIN


def test_the_table_has_the_correlations_of_table_5_and_their_difference() -> None:
    trained = metrics(("main", cell(0.8, 0.85, Estimate(0.05, 0.01, 0.09))), ("update", cell(0.9)))
    table = models_table(trained, TWO)
    assert table.frame["Learned from"].tolist() == ["everyone", "without C and E", "everyone"]
    assert table.frame["r when tested"].tolist() == [0.8, 0.85, 0.9]
    assert table.frame["Difference"].fillna(-1).tolist() == [-1, 0.05, -1]
    assert table.formats["Difference"][1] == "0.050 (0.010 to 0.090)"
    assert "Difference" not in models_table(trained, NOBODY).frame


def test_each_model_is_written_as_a_sum() -> None:
    table = models_table(metrics(("main", cell(0.8, 0.85))), TWO).frame
    assert table["Learned from"].tolist() == ["everyone", "without C and E"]
    assert table.loc[0, "Model"] == "−1.25 +0.5 × rouge1 −2 × length"
    assert table.loc[0, ["Method", "Features"]].tolist() == ["non-negative least squares", "rouge1, length"]
    nothing = models_table(metrics(("main", undefined())), NOBODY).frame
    assert nothing.loc[0, ["Method", "Model", "Why undefined"]].tolist() == ["", "", WHY]


def test_warnings_say_what_is_not_used_or_undefined() -> None:
    known = cell(0.8)
    unknown = replace(known, everyone=trained(0.8, unknown=12))
    (unused,) = training_warnings(metrics(("main", known), ("update", unknown)))
    assert unused.text[1] == {"n": "12"}
    (last,) = training_warnings(metrics(("main", undefined())))
    assert last.text[1]["where"] == "main"
    assert WHY in str(last.text[1]["reason"])
