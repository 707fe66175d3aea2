"""Findings on mP − aP: status, the raters that are named, and the tables."""

import numpy as np
import pytest

from analysis.assessors.pyramid import AssessorDifferences, PyramidScores
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.metrics.pyramid import (
    pyramid_finding,
    pyramid_warnings,
    raters_table,
    topics_table,
)
from features.study import Scenario
from tests.findings_rules import check_findings

BOB = Scenario("picked by hand", (1,), ("Bob",))


def of_each(*differences: float) -> AssessorDifferences:
    n = len(differences)
    estimates = tuple(Estimate(value, value - 0.01, value + 0.01, 4) for value in differences)
    return AssessorDifferences(np.array(["Ann", "Bob", "Cy"][:n]), estimates, np.full(n, 4), np.full(n, 24))


def scores(**more: object) -> PyramidScores:
    given = {
        "items": np.array(["i1", "i2", "i3"]),
        "topics": np.array(["T1", "T1", "T2"]),
        "conditions": np.array(["", "", ""]),
        "raters": np.array(["Ann", "Ann", "Bob"]),
        "is_model": np.zeros(3, dtype=bool),
        "manual": np.array([0.5, 0.7, 0.2]),
        "automatic": np.array([0.4, 0.5, 0.6]),
        "left_out": (("its topic has no contributors", 2),),
        "cells": 2,
        "cells_without_models": 2,
    }
    return PyramidScores(**(given | more))


def test_the_lowest_rater_is_named_and_the_highest_stands_in_the_evidence() -> None:
    found = pyramid_finding(of_each(0.01, -0.04, 0.1), BOB)
    assert (found.headline[1]["lowest"], found.headline[1]["low"]) == ("Rater Bob", "0.040")
    expected = {
        "Manual minus automatic −0.040",
        "95% CI −0.050 to −0.030",
        "4 topics",
        "3 raters",
        "highest: Cy 0.100 (0.090–0.110)",
    }
    assert {*expected, "excluded now"} <= set(found.evidence[1].values())


@pytest.mark.parametrize(
    ("differences", "status"),
    [
        ((0.01, -0.04), Status.CLEAR),
        ((-0.005, 0.1), Status.UNCERTAIN),
        ((0.03, 0.04), Status.UNCERTAIN),
        ((-0.04,), Status.CLEAR),
        ((), Status.NOT_ENOUGH_DATA),
    ],
)
def test_the_lowest_is_clear_where_its_interval_lies_below_0(
    differences: tuple[float, ...], status: Status
) -> None:
    found = pyramid_finding(of_each(*differences), Scenario())
    assert found.status is status
    check_findings([found])


def test_the_lowest_stand_first_in_both_tables() -> None:
    table = raters_table(of_each(0.01, -0.04, 0.1), BOB)
    assert table.frame["Rater"].tolist() == ["Bob", "Ann", "Cy"]
    assert table.frame["Excluded"].tolist() == ["yes", "", ""]
    assert table.formats["mP − aP"][0] == "−0.040 (−0.050 to −0.030)"
    topics = topics_table(scores()).frame
    assert topics["Topic"].tolist() == ["T2", "T1"]
    assert topics["Manual"].tolist() == [0.2, 0.6]
    assert "Condition" not in topics
    assert "Condition" in topics_table(scores(conditions=np.array(["main", "main", "update"]))).frame


def test_sizes_and_what_was_set_aside_are_reported() -> None:
    assert topics_table(scores()).caption[1] == {"summaries": "3", "cells": "2"}
    set_aside, no_models = (one.text[1] for one in pyramid_warnings(scores()))
    assert set_aside == {"number": "2", "reason": "its topic has no contributors"}
    assert no_models == {"cells": "2"}
    assert list(pyramid_warnings(scores(left_out=(), cells_without_models=0))) == []
