"""What is said of two metrics on the same scores: whole sentences with their numbers, and the table."""

from dataclasses import replace
from math import nan

from analysis.correlation.metric_comparison import MetricPair
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Status
from findings.metric_comparison import finding, notes, remarks, table
from tests.features.relevance.judged import said

PAIR = MetricPair(
    better="rouge2",
    other="bleu",
    correlations=(0.91, 0.72),
    turned=(False, True),
    difference=Estimate(0.19, 0.05, 0.41, 16),
    p=0.012,
    p_holm=0.024,
    resampled=Estimate(0.19, 0.01, 0.44, 16),
    p_permuted=0.001,
    texts=160,
)
OPEN = replace(PAIR, difference=Estimate(0.19, -0.05, 0.41, 16), p=0.2, p_holm=0.4)
FEW = replace(PAIR, difference=Estimate(0.19, 0.05, 0.41, 7))
UNDEFINED = replace(
    PAIR,
    difference=Estimate(
        nan, n=2, reason="a correlation needs at least 3 systems with both metrics; there are 2"
    ),
    p=nan,
    p_holm=nan,
)


def test_the_better_metric_is_named_with_difference_interval_p_and_n() -> None:
    assert said(finding({"focus": [PAIR]}, "r", "systems")) == (
        "On focus rouge2 goes better with the raters than bleu: r 0.91 against 0.72, difference 0.19 (0.05 to 0.41), "
        "p = .024, over 16 systems."
    )
    told = said(finding({"focus": [PAIR, OPEN, PAIR]}, "r", "systems"))
    assert told.startswith("2 of 3 pairs of metrics are told apart. On focus rouge2 goes better")


def test_where_nothing_is_told_apart_no_metric_is_called_better() -> None:
    assert said(finding({"focus": [OPEN]}, "ρ", "systems")) == (
        "No metric can be shown to go better with the raters than another. The largest difference is that of rouge2 "
        "and bleu on focus: ρ 0.91 against 0.72, difference 0.19 (−0.05 to 0.41), p = .400, over 16 systems."
    )


def test_below_eight_systems_none_is_named() -> None:
    assert said(finding({"focus": [FEW]}, "r", "items")) == (
        "Which metric goes better with the raters cannot be told over 7 items: 8 or more are needed."
    )
    first, second = (said(told) for told in remarks({"focus": [FEW]}, "items"))
    assert first == (
        "Fewer than 8 items tell metrics apart only by accident: no metric is called better there."
    )
    assert second == "Falls where scores rise, and is turned round for the comparison: bleu (focus)."


def test_the_undefined_has_its_reason() -> None:
    assert said(finding({"focus": [UNDEFINED]}, "r", "systems")) == (
        "Which metric goes better with the raters cannot be told: a correlation needs at least 3 systems with both "
        "metrics; there are 2."
    )
    assert any(
        "focus: a correlation needs at least 3" in said(told)
        for told in remarks({"focus": [UNDEFINED]}, "systems")
    )


def test_names_from_uploads_are_escaped() -> None:
    hostile = replace(PAIR, better="<img src=x>")
    sentence, values = finding({"<b>": [hostile]}, "r", "systems").headline
    assert "<img" not in sentence
    assert values["better"] == "<img src=x>"


def test_the_table_has_a_row_for_each_pair_and_the_notes_say_whom_each_p_is_for() -> None:
    rows, written = table({"focus": [PAIR], "grammar": [OPEN]})
    assert rows["Metric"].tolist() == ["rouge2", "rouge2"]
    assert rows.loc[0, "95 %"] == "0.050 to 0.410"
    assert rows.loc[0, "BOOT-BOTH, 95 %"] == "0.010 to 0.440"
    assert written["PERM-BOTH, p"](rows.loc[0, "PERM-BOTH, p"]) == ".001"
    (note,) = (said(told) for told in notes("systems", BootstrapSpec(200, 7), 3))
    assert "3 pairs of a measure" in note
    assert "PERM-BOTH is for these systems only" in note
    assert "200 draws, seed 7" in note


def test_metrics_that_are_not_told_apart_are_uncertain_and_few_systems_not_enough() -> None:
    of_each = {name: finding({"focus": [pair]}, "r", "systems").status for name, pair in (
        ("apart", PAIR), ("open", OPEN), ("few", FEW), ("undefined", UNDEFINED))}  # fmt: skip
    assert of_each == {
        "apart": Status.CLEAR,
        "open": Status.UNCERTAIN,
        "few": Status.NOT_ENOUGH_DATA,
        "undefined": Status.NOT_ENOUGH_DATA,
    }
