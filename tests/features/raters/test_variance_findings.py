"""Findings, tables and notes on sources of variance."""

import numpy as np
import pytest

from analysis.values.estimate import BootstrapSpec
from analysis.variance import components as components_module
from analysis.variance.components import Components, components
from analysis.variance.generalisability import Averaged, curve_designs, d_study, generalisability
from features.blocks import Finding, Note, Status, Warning
from features.raters.variance_section import (
    COEFFICIENT,
    coefficient_finding,
    components_finding,
    components_table,
    curves,
    d_study_table,
    variance_notes,
    variance_warnings,
)
from features.words import plain

DRAWS = BootstrapSpec(200)


def filled(told: Finding | Note | Warning) -> str:
    return plain(told.headline if isinstance(told, Finding) else told.text)


def crossed(
    items: int, raters: int, own: float = 1.0, seed: int = 0, draws: BootstrapSpec = DRAWS
) -> Components:
    item, rater = (codes.ravel() for codes in np.indices((items, raters)))
    rng = np.random.default_rng(seed)
    score = (
        own * rng.normal(size=items)[item]
        + 0.4 * rng.normal(size=raters)[rater]
        + 0.6 * rng.normal(size=len(item))
    )
    return components(item, rater, score, bootstrap=draws)


def of_both(found: Components, raters: int = 5) -> tuple[Finding, Finding]:
    of_means = generalisability(found, Averaged("item", raters))
    return components_finding(found, "focus"), coefficient_finding(found, of_means)


def line(told: Finding) -> str:
    template, values = told.evidence
    return template.format_map(values)


def test_the_largest_share_and_the_coefficient_have_their_intervals() -> None:
    found = crossed(80, 12)
    shares, coefficient = of_both(found)
    largest = found.shares()["item"]
    assert f"{100 * largest.value:.0f}" in filled(shares)
    assert f"95% CI {100 * largest.low:.0f}–{100 * largest.high:.0f}%" in line(shares)
    of_means = generalisability(found, Averaged("item", 5))
    assert f"{of_means.coefficient.value:.2f}" in filled(coefficient)
    assert f"{of_means.dependability.value:.2f}" in line(coefficient)
    assert "80 items" in line(shares)
    assert "12 raters" in line(coefficient)


@pytest.mark.parametrize(("own", "expected"), [(3.0, Status.CLEAR), (0.5, Status.UNCERTAIN)])
def test_the_largest_source_is_clear_where_its_interval_is_above_the_others(
    own: float, expected: Status
) -> None:
    assert of_both(crossed(200, 12, own=own))[0].status is expected


def test_an_unclear_source_is_named_with_its_share_and_interval() -> None:
    found = crossed(12, 4, own=0.3)
    told = of_both(found)[0]
    assert told.status is Status.UNCERTAIN
    first, largest = max(found.shares().items(), key=lambda one: one[1].value)
    assert first == "rest"
    assert line(told).startswith(f"Residual {100 * largest.value:.0f}% · 95% CI {100 * largest.low:.0f}")


def test_without_raters_among_the_sources_nothing_is_for_raters_like_these() -> None:
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(60), 2)
    score = rng.normal(0, 2, 60)[item] + rng.normal(0, 1, 120)
    alone = components(item, np.zeros(120, int), score, bootstrap=DRAWS)
    assert "these raters" in line(components_finding(alone, "focus"))
    assert "like these" not in line(components_finding(alone, "focus"))


def test_a_coefficient_is_clear_where_its_interval_excludes_0() -> None:
    assert of_both(crossed(80, 12))[1].status is Status.CLEAR
    assert of_both(crossed(12, 4, own=0.1))[1].status is Status.UNCERTAIN


@pytest.mark.parametrize(("items", "raters"), [(4, 3), (80, 2)])
def test_few_raters_or_items_are_not_enough_data(items: int, raters: int) -> None:
    for told in of_both(crossed(items, raters)):
        assert told.status is Status.NOT_ENOUGH_DATA
        assert "at least" in line(told)


def test_without_draws_nothing_is_clear() -> None:
    for told in of_both(crossed(80, 12, draws=BootstrapSpec(0))):
        assert told.status is Status.UNCERTAIN
        assert "CI" not in line(told)


def test_undefined_variances_say_why() -> None:
    equal = components([0, 0, 1, 1], [0, 1, 0, 1], [3.0] * 4)
    told = components_finding(equal, "focus")
    assert told.status is Status.NOT_ENOUGH_DATA
    assert components_module.ALL_EQUAL in line(told).lower()
    single = components(np.arange(30), np.arange(30) % 5, np.arange(30.0) ** 2 % 7, bootstrap=DRAWS)
    assert {told.status for told in of_both(single)} == {Status.NOT_ENOUGH_DATA}


def test_few_topics_are_warned_of_and_leave_nothing_clear() -> None:
    rng = np.random.default_rng(0)
    item, rater = (codes.ravel() for codes in np.indices((60, 8)))
    score = 3 * rng.normal(size=60)[item] + rng.normal(size=480)
    found = components(item, rater, score + rng.normal(size=6)[item % 6], topic=item % 6, bootstrap=DRAWS)
    assert found.counts["topic"] == 6
    assert {told.status for told in of_both(found)} == {Status.UNCERTAIN}
    assert "6 topics" in filled(variance_warnings(found)[0])


def test_few_systems_are_warned_of_where_intervals_are_not_over_them() -> None:
    def told(systems: int, topics: int) -> str:
        rng = np.random.default_rng(0)
        system, topic, rater = (codes.ravel() for codes in np.indices((systems, topics, 8)))
        item = system * topics + topic
        score = rng.normal(size=systems)[system] + rng.normal(size=topics)[topic] + rng.normal(size=len(item))
        score = score + rng.normal(size=item.max() + 1)[item] + rng.normal(size=8)[rater]
        found = components(item, rater, score, system, topic, DRAWS)
        return " ".join(filled(remark) for remark in variance_warnings(found))

    assert "5 systems are needed" in told(4, 12)
    assert "5 topics are needed" in told(8, 4)
    assert "are needed" not in told(5, 5)


def test_the_table_names_each_sources_part_in_the_mean() -> None:
    found = crossed(20, 6)
    shown = components_table(found, generalisability(found, Averaged("item", 4)))
    table = shown.frame
    assert table["Source"].tolist() == ["Items", "Raters", "Residual"]
    assert table["In the mean"].tolist() == [
        "object of measurement",
        "error of levels",
        "error of comparisons and levels",
    ]
    assert table["Divided by"].tolist() == [1, 4, 4]
    assert table["Share"].sum() == pytest.approx(1)
    assert shown.formats["Share from"](0.5) == "50.0%"


def test_the_table_of_numbers_is_the_curve() -> None:
    found = crossed(20, 6)
    found_of_each = d_study(found, curve_designs(Averaged("item", 4), "raters"))
    table = d_study_table("raters", found_of_each).frame
    assert table["Raters per item"].tolist() == list(range(1, 21))
    assert table[COEFFICIENT].tolist() == [e.value for e in curves(found_of_each)[COEFFICIENT]]


def test_notes_name_the_method_and_what_is_not_separated() -> None:
    told = " ".join(filled(note) for note in variance_notes(crossed(20, 6)))
    assert "restricted maximum likelihood (REML) from 120 ratings" in told
    assert "Not separated in this design: items × raters from residual." in told


def test_estimates_below_zero_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components_module, "MOST_LEVELS", 0)
    item, rater = (codes.ravel() for codes in np.indices((6, 4)))
    score = rater + np.where(item % 2 == 0, 0.1, -0.1) * np.where(rater % 2 == 0, 1, -1)
    told = " ".join(filled(note) for note in variance_notes(components(item, rater, score, bootstrap=DRAWS)))
    assert "moments (sums of squares)" in told
    assert "Estimated below 0, counted as 0: items (−0.00" in told


def test_fewer_than_12_raters_may_miss_the_noisiest() -> None:
    (told,) = variance_warnings(crossed(20, 6))
    assert "6 raters" in filled(told)
    assert "noise" in filled(told)


def test_few_raters_and_ratings_left_out_are_warned_of() -> None:
    assert "With only 3 raters" in filled(variance_warnings(crossed(20, 3))[0])
    assert variance_warnings(crossed(20, 12)) == []
    item, rater = (codes.ravel() for codes in np.indices((20, 6)))
    system = np.where(item < 2, -1, item % 7)
    found = components(item, rater, np.random.default_rng(0).normal(size=120), system, bootstrap=DRAWS)
    assert "12 ratings without a system or a topic are not used." in [
        filled(told) for told in variance_warnings(found)
    ]
