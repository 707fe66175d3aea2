"""What is said of mP − aP: whole sentences with their numbers, and the tables as shown."""

import numpy as np

from analysis.assessors.pyramid import AssessorDifferences, PyramidScores
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Status
from features.study import Scenario
from findings.assessors.pyramid import assessor_table, finding, intervals, remarks, scored, topic_table
from tests.findings.studies import said

LEFT_OUT = Scenario("picked by hand", (1,), ("Bob",))


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


def test_the_lowest_and_the_highest_are_named() -> None:
    assert said(finding(of_each(0.01, -0.04, 0.1), LEFT_OUT)) == (
        "mP − aP is lowest for <b>Bob</b>, who is left out now: <b>−0.040</b> (−0.050 to −0.030) over 4 topics; "
        "highest for Cy: 0.100 (0.090 to 0.110). Below 0, content marked in other summaries was missed more often "
        "than new content was found."
    )
    assert said(finding(of_each(0.03, 0.04), Scenario())).endswith(
        "over 4 topics; highest for Bob: 0.040 (0.030 to 0.050)."
    )


def test_what_may_be_chance_is_not_told_as_missed() -> None:
    told = said(finding(of_each(-0.005, 0.1), Scenario()))
    assert "<b>−0.005</b> (−0.015 to 0.005)" in told
    assert told.endswith(
        "Whether content was missed more often than found cannot be told: no interval lies below 0."
    )


def test_one_assessor_and_none() -> None:
    assert said(finding(of_each(0.01), Scenario())).endswith("; there is nobody to hold it against.")
    assert said(finding(of_each(), Scenario())) == (
        "No summary could be scored: see below what was set aside."
    )


def test_the_lowest_stand_first_in_both_tables() -> None:
    table, written = assessor_table(of_each(0.01, -0.04, 0.1), LEFT_OUT)
    assert table["Rater"].tolist() == ["Bob", "Ann", "Cy"]
    assert table["Left out"].tolist() == ["yes", "", ""]
    assert table["95 %"].tolist()[0] == "−0.050 to −0.030"
    assert written["mP − aP"](-0.04) == "−0.040"
    topics, _ = topic_table(scores())
    assert topics["Topic"].tolist() == ["T2", "T1"]
    assert topics["Manual"].tolist() == [0.2, 0.6]
    assert "Condition" not in topics
    assert "Condition" in topic_table(scores(conditions=np.array(["main", "main", "update"])))[0]


def test_what_the_figures_rest_on_is_told() -> None:
    assert said(scored(scores())) == "3 summaries under 2 topics (a topic under a condition counts as one)."
    assert said(intervals(BootstrapSpec(200, 7))) == "Intervals: 200 draws of an assessor's topics, seed 7."
    set_aside, no_models = (said(one) for one in remarks(scores()))
    assert set_aside == "2 set aside: its topic has no contributors."
    assert no_models.startswith("2 topics have no model summaries (column is_model)")
    assert remarks(scores(left_out=(), cells_without_models=0)) == []


def test_the_lowest_is_clear_where_its_interval_lies_below_0() -> None:
    for differences, status in (
        ((0.01, -0.04), Status.CLEAR),
        ((-0.005, 0.1), Status.UNCERTAIN),
        ((0.03, 0.04), Status.UNCERTAIN),
        ((-0.04,), Status.CLEAR),
        ((), Status.NOT_ENOUGH_DATA),
    ):
        assert finding(of_each(*differences), Scenario()).status is status
