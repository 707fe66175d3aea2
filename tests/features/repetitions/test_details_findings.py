"""Rules, models, aggregations and unreliable raters: numbers and verdicts."""

from dataclasses import replace

import numpy as np

from analysis.agreement.agreement_summary import agreement_summary
from analysis.agreement.intraclass import one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.repetitions import attenuation
from analysis.repetitions.attenuation import Sensitivity
from analysis.repetitions.saturation import Curves
from analysis.repetitions.stopping import apply_stopping_rules
from analysis.values.ratings import Ratings
from features.repetitions.ratings_results import Enough, MeasureRules
from features.repetitions.ratings_section import (
    aggregations_table,
    models_table,
    rules_table,
    sensitivity_table,
)
from features.words import by_reason
from tests.features.repetitions.fitted import saturating
from tests.features.studies import said


def rules(enough: Enough) -> MeasureRules:
    """A measure whose items all have the same ratings, so that no mean gets reliable."""
    ratings = Ratings(np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4), np.tile([1, 3, 5], 4))
    fitted = saturating()
    limit, components = attenuation.fit(fitted.curves), one_way(ratings)
    answers = apply_stopping_rules(limit, components, enough.spec(4.0))
    return MeasureRules(
        fitted, limit, components, answers, None, one_way_intervals(ratings), agreement_summary(ratings), 4.0
    )


def test_rules_are_named_by_their_thresholds() -> None:
    enough = Enough(share=0.9, gain=0.02, width=0.5)
    table = rules_table([rules(enough)], enough)
    assert list(table.columns_at_first_sight) == [
        "Measure", "Knee", "90% of the limit", "Gain under 0.02", "Reliability 0.80", "Interval under 50%"
    ]  # fmt: skip
    half = rules(enough).attenuation.ratings_for_half
    assert table.frame["90% of the limit"][0] == np.ceil(half * 0.81 / 0.19)
    assert table.frame["Reliability 0.80"].isna().all()


def test_a_rule_that_one_measure_lacks_has_a_dash_there() -> None:
    whole, flat = rules(Enough()), rules(Enough())
    flat = replace(flat, stops=flat.stops[:3])
    table = rules_table([flat, whole], Enough())
    assert table.frame["Interval under 25%"].isna().tolist() == [True, False]


def test_a_rule_without_an_answer_has_its_reason() -> None:
    one = rules(Enough())
    (warning,) = by_reason((one.fitted.measure, stop.reason) for stop in one.stops if stop.ratings is None)
    assert said(warning.text) == "focus: raters do not agree beyond chance, so no mean gets reliable."


def test_models_are_listed_by_measure() -> None:
    table = models_table([rules(Enough())])
    assert round(table.frame["R² exponential"][0], 6) == 1
    assert table.frame["Limit ρ∞"][0] == rules(Enough()).attenuation.rho_inf


def test_the_highest_aggregation_is_named_and_shorter_curves_are_undefined() -> None:
    curves = {"mean": np.array([0.5, 0.7]), "median": np.array([0.6, 0.65]), "trimmed mean": np.array([0.9])}
    table = aggregations_table({"focus": curves}, 2, 51).frame
    assert table["Highest"].tolist() == ["mean"]
    assert table["trimmed mean"].isna().all()
    unknown = aggregations_table({"focus": {"mean": np.array([np.nan])}}, 1, 51).frame
    assert unknown["Highest"].tolist() == [""]


def gains(*gain: float) -> list[Sensitivity]:
    eight = Curves(np.zeros(8), np.zeros((0, 8)), np.full(8, 50))
    return [Sensitivity(eight, eight, 12, 3, 0.7, 0.7 + each, each) for each in gain]


def test_the_table_of_gains_is_sorted_with_undefined_ones_last() -> None:
    table = sensitivity_table(["a", "b", "c"], gains(0.01, np.nan, 0.05)).frame
    assert table["Measure"].tolist() == ["c", "a", "b"]
