"""Rules, aggregations and unreliable raters: what stands in their tables and sentences."""

import numpy as np
import pandas as pd

from analysis.agreement.reliability import one_way
from analysis.repetitions import attenuation
from analysis.repetitions.stopping import stops
from analysis.values.ratings import Ratings
from findings.repetitions.aggregations import aggregation_table, how_averaged
from findings.repetitions.stopping_rules import Enough, MeasureRules, model_table, rules_table, unanswered
from findings.repetitions.unreliable_raters import largest_gain
from tests.findings.repetitions.fitted import saturating
from tests.findings.studies import said, study_of


def rules(enough: Enough) -> MeasureRules:
    """A measure whose items all have the same ratings, so that no mean gets reliable."""
    ratings = Ratings(np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4), np.tile([1, 3, 5], 4))
    fitted = saturating()
    limit, components = attenuation.fit(fitted.curves), one_way(ratings)
    return MeasureRules(fitted, limit, components, stops(limit, components, enough.spec(4.0)), None)


def test_rules_are_named_by_what_counts_as_enough() -> None:
    enough = Enough(share=0.9, gain=0.02, width=0.5)
    table, _ = rules_table([rules(enough)], enough)
    assert list(table) == [
        "Measure", "Knee", "90 % of the limit", "Gain under 0.02", "Reliability 0.80", "Interval under 50 %"
    ]  # fmt: skip
    half = rules(enough).attenuation.ratings_for_half
    assert table["90 % of the limit"][0] == np.ceil(half * 0.81 / 0.19)


def test_a_rule_without_an_answer_says_why() -> None:
    (sentence,) = unanswered([rules(Enough())])
    assert said(sentence) == ("focus: raters do not agree beyond chance, so no mean gets reliable.")


def test_models_are_told_by_measure() -> None:
    table, written = model_table([rules(Enough())])
    assert round(table["R² exponential"][0], 6) == 1
    assert written["Limit ρ∞"](0.91234) == "0.912"


def test_the_highest_aggregation_is_named_and_shorter_curves_are_undefined() -> None:
    curves = {"mean": np.array([0.5, 0.7]), "median": np.array([0.6, 0.65]), "trimmed mean": np.array([0.9])}
    table, _ = aggregation_table({"focus": curves}, 2)
    assert table["Highest"].tolist() == ["mean"]
    assert table["trimmed mean"].isna().all()
    assert aggregation_table({"focus": {"mean": np.array([np.nan])}}, 1)[0]["Highest"].tolist() == [""]
    assert said(how_averaged(study_of("focus", **{"@raters": "slots"}), 1, 51)) == (
        "Correlation after 1 rating per item, mean over 51 orders. A rater's severity, spread and reliability rest on "
        "the first ratings of the same order only. Raters are slots here, so nothing is corrected for raters."
    )


def gains(*gain: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Measure": [f"m{at}" for at in range(len(gain))],
            "Left out": 3,
            "Ratings per item": 8,
            "Everyone": 0.7,
            "Without them": [0.7 + each for each in gain],
            "Gain": gain,
        }
    )


def test_the_measure_that_gains_most_is_told() -> None:
    sentence = largest_gain(gains(0.05, 0.01))
    assert sentence is not None
    assert said(sentence) == (
        "<b>m0</b> gains most from leaving out the least reliable quarter of its raters: 0.75 instead of 0.70 after 8 "
        "ratings per item. Whether it would with other raters cannot be told from that."
    )
    alone = largest_gain(gains(0.05))
    assert alone is not None
    assert said(alone).startswith("<b>m0</b> gains from leaving out")
    for nothing in (-0.01, 0.0, 0.004):
        none = largest_gain(gains(nothing))
        assert none is not None
        assert said(none) == (
            "No measure of these ratings gains from leaving out the least reliable quarter of its raters."
        )
    assert largest_gain(gains(np.nan)) is None
