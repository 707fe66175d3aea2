"""What is said of trained metrics: whole sentences with their numbers, and Table 5 as shown."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.assessors.metric_training import Cell, Trained, TrainingSpec
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Status
from features.study import Scenario
from findings.assessors.metric_training import (
    Asked,
    columns,
    correlations_when_tested,
    finding,
    missing,
    models_table,
    notes,
    table5,
)
from tests.findings.studies import said

SPEC = TrainingSpec(0, 1, 2, largest_subset=2, bootstrap=BootstrapSpec(200))
ASKED = Asked("Pyramid", ("rouge1", "rouge2", "length"), ("2009", "2010", "2011"), "machine", SPEC)
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


def test_what_is_missing_is_told_with_the_next_step() -> None:
    assert missing(True, 3, 2) is None
    assert "this data set names none" in said(missing(False, 3, 2))
    assert said(missing(True, 2, 2)).endswith("on the Data page; this data set has 2.")
    assert said(missing(True, 0, 2)).endswith("this data set has no such column.")
    assert "this data set has 1. Add them" in said(missing(True, 3, 1))


def test_columns_are_named_by_kind_and_condition() -> None:
    cells = [cell(0.8), Cell(-1, False, trained(0.8), None, Estimate(nan))]
    assert [name for name, _ in columns(ASKED, cells, ["main"])] == [
        "Systems only, main",
        "With humans, no condition",
    ]
    assert columns(replace(ASKED, machine_kind=""), cells, [])[0][0] == "All systems"


def test_with_everyone_the_best_column_is_told() -> None:
    told = said(finding(NOBODY, ASKED, [("main", cell(0.8)), ("update", cell(0.9))]))
    assert told == (
        "The metric trained for Pyramid ranks the systems of 2011 best in the column update: Pearson's r <b>0.90</b> "
        "(0.80 to 0.95) with the assessors, from rouge1 and length, the best of 1\u202f234 models. Choose raters to "
        "<b>leave out</b> in the sidebar to see whether it learns better."
    )


def test_an_exclusion_tells_the_largest_difference_and_how_many_are_sure() -> None:
    both = [
        ("main", cell(0.8, 0.85, Estimate(0.05, 0.01, 0.09))),
        ("update", cell(0.9, 0.8, Estimate(-0.1, -0.25, 0.05))),
    ]
    assert said(finding(TWO, ASKED, both)) == (
        "Learning without <b>2 raters</b> (picked by hand), the metric for Pyramid does better in <b>1 of 2</b> "
        "columns. It changes most in update: Pearson's r with the assessors <b>0.800</b> instead of <b>0.900</b> "
        "(difference −0.250 to 0.050). 1 of the 2 differences is clear of 0."
    )


def test_what_cannot_be_trained_has_its_reason() -> None:
    assert (
        said(finding(NOBODY, ASKED, [("main", undefined())]))
        == f"No metric can be trained for Pyramid: {WHY}."
    )
    told = said(finding(TWO, ASKED, [("main", cell(0.8))]))
    assert told.endswith("Without the raters left out no metric can be trained: nobody.")


def test_table_5_has_the_difference_with_its_ends() -> None:
    both = [("main", cell(0.8, 0.85, Estimate(0.05, 0.01, 0.09))), ("update", cell(0.9))]
    table, written = table5(TWO, both)
    assert table["Learned from"].tolist() == [
        "everyone",
        "without C and E",
        "difference",
        "difference, low end",
        "difference, high end",
    ]
    assert table["main"].tolist() == [0.8, 0.85, 0.05, 0.01, 0.09]
    assert table["update"].fillna(-1).tolist() == [0.9, -1, -1, -1, -1]
    assert written["main"](0.8) == "0.800"
    assert len(table5(NOBODY, both)[0]) == 1
    assert [after for *_, after in correlations_when_tested(both)] == [Estimate(0.85, 0.75, 0.9, 20), None]


def test_each_model_is_written_as_a_sum() -> None:
    table, _ = models_table(TWO, ASKED, [("main", cell(0.8, 0.85))])
    assert table["Learned from"].tolist() == ["everyone", "without C and E"]
    assert table.loc[0, "Model"] == "−1.25 +0.5 × rouge1 −2 × length"
    assert table.loc[0, ["Method", "Features"]].tolist() == ["non-negative least squares", "rouge1, length"]
    nothing, _ = models_table(NOBODY, ASKED, [("main", undefined())])
    assert nothing.loc[0, ["Method", "Model", "Why undefined"]].tolist() == ["", "", WHY]


def test_notes_say_what_was_searched_and_drawn() -> None:
    known = cell(0.8)
    unknown = replace(known, everyone=trained(0.8, unknown=12))
    searched, drawn, left_out = (said(one) for one in notes(ASKED, [("main", known), ("update", unknown)]))
    assert searched == (
        "Up to 18 models per metric (3 features, at most 2 in one, 3 kinds of model), fitted on 2009, chosen on "
        "2010, tested on 2011."
    )
    assert drawn.startswith(
        "Intervals: 200 draws of systems, raters with their topics of 2011 with the predictions"
    )
    assert left_out == "Up to 12 judgements per metric are left out, as a feature or the score is not known."
    assert said(notes(ASKED, [("main", undefined())])[-1]) == (
        f"Undefined, or without an interval, in main: {WHY}."
    )


def test_a_trained_metric_is_clear_where_its_correlation_or_change_leaves_out_0() -> None:
    def status(of: Cell, scenario: Scenario = NOBODY) -> Status:
        return finding(scenario, ASKED, [("main", of)]).status

    assert status(cell(0.8)) is Status.CLEAR
    assert status(cell(0.05)) is Status.UNCERTAIN
    assert status(undefined()) is Status.NOT_ENOUGH_DATA
    assert status(cell(0.7, 0.9, Estimate(0.2, 0.1, 0.3)), TWO) is Status.CLEAR
    assert status(cell(0.7, 0.9, Estimate(0.2, -0.1, 0.3)), TWO) is Status.UNCERTAIN
