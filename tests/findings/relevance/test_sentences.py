"""What is said of relevance, in whole sentences with their numbers."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.relevance import tukey
from analysis.relevance.anova import of_table
from analysis.relevance.judged_texts import MetricTable, judged_texts
from analysis.relevance.judgments import Judgments
from analysis.relevance.metric_correlations import LEVELS, CorrelationSpec, correlations
from analysis.relevance.metric_means import metric_means, outcome_means
from analysis.relevance.order_study import OrderStudy, SameJudgments
from analysis.relevance.partitions import Partition, PartitionSpec, PartitionStudy
from analysis.relevance.rater_pairs import between_raters
from analysis.relevance.side_by_side import SideBySide, each_event, side_by_side
from analysis.values.estimate import BootstrapSpec, Estimate
from findings.relevance import agreement, anova, kappa, metrics, order, partitions
from findings.relevance.surrogates import LDC, PREDICTION, Surrogates
from findings.words import Sentence

CLOSED = BootstrapSpec(draws=0)
SURROGATES = Surrogates(("Headline", "Summary", "Full Text"), 2, (0, 1), True, True, True)
GOLD = [1, 0, 1, 0]
SAID = {
    ("r", 0): [1, 1, 0, 0],
    ("r", 1): [1, 0, 1, 1],
    ("r", 2): [1, 0, 1, 1],
    ("q", 0): [1, 0, 0, 0],
    ("q", 1): [1, 0, 1, 0],
    ("q", 2): [1, 1, 1, 0],
}
SECONDS = (2.0, 5.0, 10.0)


def judged(surrogates: tuple[int, ...] = (0, 1, 2)) -> Judgments:
    """Two raters on four documents of two events, from a headline, a summary and the full text."""
    rows = [
        (rater, "ef"[at // 2], "abcd"[at], surrogate, said[at], GOLD[at], SECONDS[surrogate] + (rater == "q"))
        for (rater, surrogate), said in SAID.items()
        if surrogate in surrogates
        for at in range(4)
    ]
    return Judgments(*zip(*rows, strict=True), surrogates=[0, 1, 2])


def both(surrogates: tuple[int, ...] = (0, 1, 2)) -> SideBySide:
    return side_by_side(judged(surrogates), 2, CLOSED)


def told(sentence: Sentence) -> str:
    template, values = sentence
    return template.replace("<b>", "").replace("</b>", "").format_map(values)


def test_what_judgments_can_be_held_against() -> None:
    assert SURROGATES.sides == [PREDICTION, LDC]
    assert SURROGATES.there == (0, 1, 2)
    assert replace(SURROGATES, has_gold=False, summaries=()).sides == []
    without = replace(SURROGATES, full_text=-1, has_full_text=False)
    assert (without.full_text_name, without.there) == ("the full text", (0, 1))


def test_which_summaries_suffice() -> None:
    assert told(agreement.finding_of(SURROGATES, both())) == (
        "Summary keeps 88 % of the raters' judgments on the full text and saves 5.0 s of 10.5 s a judgment; "
        "Headline 38 %. Agreement with gold is not distinguishable from that, 88 % (p = 1.000)."
    )
    no_full_text = replace(SURROGATES, full_text=-1, has_full_text=False)
    assert told(agreement.finding_of(no_full_text, both((0, 1)))) == (
        "With Summary raters judge 88 % of the documents as gold does; Headline 62 %."
    )
    nothing = replace(SURROGATES, summaries=())
    assert told(agreement.finding_of(nothing, both((2,)))).startswith("There is only the full text")


def test_what_intervals_of_agreement_rest_on() -> None:
    assert list(map(told, agreement.notes(both(), 1200))) == [
        "Intervals draw raters and events: 2 raters, 2 events, 4 documents.",
        "1\u2009200 judgments with an order label are left to the panel Order of presentation.",
    ]
    assert list(map(told, agreement.remarks(SURROGATES, both()))) == [
        "There are only 2 events: an interval over them is wide and rough."
    ]
    assert list(map(told, agreement.without_test(SURROGATES, both()))) == [
        "No test for Headline: all raters differ by the same amount, so that there is no spread to test against."
    ]


def test_what_lacks_and_would_open_the_rest() -> None:
    no_full_text = replace(SURROGATES, full_text=-1, has_full_text=False)
    assert told(agreement.remarks(no_full_text, both((0, 1)))[0]) == (
        "Judgments of the full text (chosen in the sidebar) would open Relevance Prediction; without them only LDC "
        "Agreement is shown."
    )
    assert told(agreement.no_speed(no_full_text)) == (
        "Speed against agreement: judgments of the full text would open this picture."
    )
    no_seconds = replace(SURROGATES, has_seconds=False)
    assert told(agreement.no_speed(no_seconds)) == (
        "Speed against agreement: a column seconds would open this picture."
    )


def test_both_agreements_as_tables() -> None:
    table, _ = agreement.agreement_table(SURROGATES, both())
    assert table["Surrogate"].tolist() == ["Headline"] * 2 + ["Summary"] * 2 + ["Full Text"]
    assert table["Accuracy"].tolist() == [0.625, 0.375, 0.875, 0.875, 0.75]
    assert table[["TP", "TN", "FP", "FN"]].loc[1].tolist() == [2, 1, 1, 4]
    assert table["Seconds"].tolist() == [2.5, 2.5, 5.5, 5.5, 10.5]
    untimed, _ = agreement.agreement_table(replace(SURROGATES, has_seconds=False), both())
    assert "Seconds" not in untimed
    difference, _ = agreement.difference_table(SURROGATES, both())
    assert difference["RP less LDC"].tolist() == [-0.25, 0]
    by_event = dict(zip((0, 1), each_event(judged(), 2, CLOSED).values(), strict=True))
    events, _ = agreement.events_table(SURROGATES, ["e", "f"], by_event)
    assert events["Event"].tolist() == ["e"] * 5 + ["f"] * 5
    assert events["Judgments"].tolist() == [4] * 10


def test_how_far_raters_agree() -> None:
    kappas = kappa.Kappas(between_raters(judged(), CLOSED), both())
    assert told(kappa.finding_of(SURROGATES, kappas.pairs)) == (
        "Two raters decide alike on 75 % of the documents with Headline, kappa 0.50, on 50 % with Full Text, kappa "
        "−0.33."
    )
    table, _ = kappa.kappa_table(SURROGATES, kappas, chance=0.5)
    assert table["With gold"].tolist() == [0.25, 0.75, 0.5]
    np.testing.assert_allclose(table["With own full text"], [-0.15, 0.75, nan])
    assert "Repeated" not in table
    raised, _ = kappa.kappa_table(SURROGATES, kappas, chance=0.25)
    np.testing.assert_allclose(raised["With gold"], [0.5, 5 / 6, 2 / 3])
    assert list(map(told, kappa.remarks(replace(SURROGATES, has_gold=False), kappas))) == [
        "A column gold would open the paper's kappa, agreement with gold beyond chance."
    ]


MEANS = np.array([[0.5, 0.9, 0.7], [0.4, 0.8, 0.75], [0.45, 0.95, 0.6], [0.5, 0.85, 0.7]])
EQUAL = 0.5 + 0.1 * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def compared(table: NDArray[np.float64], measure: str) -> anova.Compared:
    test = of_table(table, np.arange(table.shape[1]))
    pairs = tukey.after(test, lower_is_better=measure == anova.SECONDS)
    return anova.Compared(measure, "raters", test, pairs, dict(enumerate(SURROGATES.names)), "Full Text")


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (
            compared(MEANS, "Accuracy (LDC)"),
            "Surrogates differ in accuracy (LDC) (F(2, 6) = 37.80, p = .004); 3 of 3 pairs: Summary above Headline, "
            "Full Text above Headline and Summary above Full Text.",
        ),
        (
            compared(MEANS[:, :2], "Accuracy (RP)"),
            "Surrogates differ in accuracy (RP) (F(1, 3) = 171.95, p < .001); Summary above Headline.",
        ),
        (
            compared(EQUAL, "F (LDC)"),
            "Surrogates do not differ significantly in F (LDC) (F(2, 4) = 0.00, p = 1.000).",
        ),
    ],
)
def test_which_surrogates_differ(of: anova.Compared, said: str) -> None:
    assert told(anova.finding_of(of)) == said


def test_means_stand_best_first_and_the_full_text_has_no_prediction() -> None:
    of_accuracy, of_seconds = compared(MEANS, "Accuracy (LDC)"), compared(10 * MEANS, anova.SECONDS)
    assert anova.means_table(of_accuracy)[0]["Surrogate"].tolist() == ["Summary", "Full Text", "Headline"]
    assert anova.means_table(of_seconds)[0]["Surrogate"].tolist() == ["Headline", "Full Text", "Summary"]
    assert of_accuracy.written(0.4625) == "46.2 %"
    assert of_seconds.written(4.625) == "4.62"
    assert told(anova.notes(compared(MEANS[:, :2], "Accuracy (RP)"))[-1]) == (
        "Full Text is what the others are held against, and has no part in the test."
    )
    assert list(map(told, anova.remarks(of_accuracy))) == [
        "There are only 4 raters: the test can find large differences only."
    ]
    pairs, _ = anova.pairs_table(of_accuracy)
    np.testing.assert_allclose(pairs["Difference"], [0.4125, 0.225, 0.1875])


def test_missing_cells_are_counted() -> None:
    table = MEANS.copy()
    table[0, 2] = nan
    (missing, *_) = map(told, anova.remarks(compared(table, "Accuracy (LDC)")))
    assert missing.startswith("1 of 12 cells are missing: mixed model")


def test_measures_are_those_that_something_is_known_of() -> None:
    assert len(anova.measures(SURROGATES)) == 9
    assert anova.measures(replace(SURROGATES, has_gold=False, has_full_text=False)) == ["Seconds"]


def by_level() -> tuple[metrics.ByLevel, MetricTable]:
    of = judged()
    first = np.arange(len(of)) % 12 == np.arange(len(of))
    table = MetricTable(
        of.event[first], of.document[first], of.surrogate[first], np.linspace(0.1, 0.9, int(first.sum()))
    )
    texts = judged_texts(of, of.gold, table)
    return {level: correlations(texts, CorrelationSpec(level, full_text=2)) for level in LEVELS}, table


def test_whether_a_metric_goes_with_judging() -> None:
    of_levels, table = by_level()
    said = told(metrics.finding_of(of_levels, "ROUGE-1", LDC, "accuracy"))
    pooled = of_levels["system x event"].cell("accuracy", "pearson")
    assert said.startswith("ROUGE-1 cannot be shown to go with accuracy (LDC Agreement): r = ")
    assert f"r = {pooled.estimate.value:.2f}".replace("-", "−") in said
    assert "over 4 surrogates × events" in said
    rows, _ = metrics.correlation_table(of_levels)
    assert rows["Surrogates"].tolist() == ["undefined"] * 8
    assert len(metrics.table_in_full(of_levels)) == 24
    of = judged()
    undefined, *_ = map(told, metrics.remarks(of_levels, judged_texts(of, of.gold, table)))
    assert undefined == (
        "Surrogates: correlations with Accuracy, Precision, Recall and F are undefined: a correlation needs at least "
        "3 surrogates with accuracy; there are 2."
    )


def test_means_of_a_metric_by_surrogate_and_by_outcome() -> None:
    _, table = by_level()
    of = judged()
    outcomes = {
        (mean.surrogate, mean.outcome): mean
        for mean in outcome_means(judged_texts(of, of.gold, table), CLOSED)
    }
    assert metrics.with_outcomes(SURROGATES, outcomes) == [0, 1]
    rows, _ = metrics.outcomes_table(SURROGATES, outcomes)
    assert rows["Outcome"].tolist() == ["TP", "TN", "FP", "FN"] * 2
    assert rows["Judgments"].tolist() == [2, 3, 1, 2, 4, 3, 1, 0]
    test = of_table(MEANS, np.arange(3))
    assert told(metrics.means_finding("ROUGE-1", test)) == (
        "ROUGE-1 differs between surrogates: F(2, 6) = 37.80, p = .004."
    )
    means, _ = metrics.means_table(SURROGATES, metric_means(table), test, tukey.after(test), "events")
    assert means["Surrogate"].tolist() == ["Summary", "Full Text", "Headline"]
    assert means["Texts"].tolist() == [4, 4, 4]


def test_without_a_metric_or_a_truth_the_next_step_is_told() -> None:
    assert metrics.nothing_to_correlate(SURROGATES, ["ROUGE-1"]) is None
    assert metrics.nothing_to_correlate(SURROGATES, []) == metrics.NO_METRIC
    alone, untold = (
        replace(SURROGATES, summaries=()),
        replace(SURROGATES, has_gold=False, has_full_text=False),
    )
    assert metrics.nothing_to_correlate(alone, ["ROUGE-1"]) == metrics.NO_SUMMARY
    assert metrics.nothing_to_correlate(untold, ["ROUGE-1"]) == metrics.NO_TRUTH


def partition(surrogate: int, mean: float, **known: object) -> Partition:
    of = Partition(
        surrogate,
        4,
        15,
        62,
        2,
        np.empty(0),
        mean,
        0.1,
        mean - 0.2,
        mean + 0.2,
        np.zeros(80, np.int64),
        0.9,
        0.1,
        0,
        "",
    )
    return replace(of, **known)


def drawn(*of: Partition, intervals: tuple[Estimate, ...] | None = None) -> partitions.Drawn:
    return partitions.Drawn(PartitionStudy(PartitionSpec((4,), 10_000), of), intervals)


def test_correlations_over_random_partitions() -> None:
    two = partition(0, 0.1), partition(1, 0.42)
    assert told(partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*two))) == (
        "In groups of 4 documents ROUGE-1 and agreement (LDC Agreement) correlate at 0.42 for Summary, 0.10 for "
        "Headline."
    )
    both_open = (Estimate(0.1, -0.3, 0.4), Estimate(0.42, -0.05, 0.7))
    assert told(partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*two, intervals=both_open))) == (
        "In groups of 4 documents ROUGE-1 and agreement (LDC Agreement) correlate at 0.42 (−0.05 to 0.70) for Summary, "
        "0.10 (−0.30 to 0.40) for Headline: not distinguishable from none."
    )
    one_apart = (Estimate(0.1, -0.3, 0.4), Estimate(0.42, 0.05, 0.7))
    assert "distinguishable" not in told(
        partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*two, intervals=one_apart))
    )
    undefined = drawn(partition(0, nan, reason="all groups agree"))
    assert told(partitions.finding_of(SURROGATES, "ROUGE-1", LDC, undefined)) == (
        "No correlation over groups of 4: all groups agree."
    )


def test_what_fills_no_group_or_has_no_correlation() -> None:
    of = drawn(partition(0, nan, reason="all agree"), partition(1, 0.4, undefined=0.02, reason="some agree"))
    assert list(map(told, partitions.remarks(SURROGATES, of.study))) == [
        "Headline: undefined, since all agree.",
        "Summary: 2.0 % of the partitions have no correlation, since some agree.",
        "Summary: 2 of 62 documents fill no group, other ones in each partition.",
    ]
    assert told(partitions.notes(of)[0]).startswith(
        "The outline shows 10\u2009000 random partitions; its width"
    )
    intervals = (Estimate(nan), Estimate(0.4, 0.1, 0.6))
    table, _ = partitions.partition_table(SURROGATES, [replace(of, intervals=intervals)])
    assert table["95 % interval"].tolist() == ["–", "0.100 to 0.600"]
    assert table["5th to 95th of draws"].tolist() == ["–", "0.200 to 0.600"]


def same(value: float, low: float, high: float, n: int, raters: int = 8) -> SameJudgments:
    return SameJudgments(Estimate(value, low, high, n), round(value * n), 1, raters, "raters drawn")


def test_how_many_judgments_stayed_the_same() -> None:
    study = OrderStudy(
        {
            ("D1S2D2", "D1", "D2"): same(0.8, 0.7, 0.9, 20),
            ("D1S2D2", "S2", "D2"): same(0.95, nan, nan, 20),
        },
        repeated=2,
        unlabelled=0,
    )
    assert told(order.finding_of(study)) == (
        "Of the documents that were judged twice, from 80 % (D1S2D2: D1 and D2, 70 to 90 %) to 95 % (D1S2D2: S2 and "
        "D2) got the same judgment."
    )
    assert list(map(told, order.remarks(study))) == ["2 repeated judgments were set aside; the first counts."]
    table, _ = order.order_table(study)
    assert table["Changed"].tolist() == [4, 1]
    few = OrderStudy({("S1D1", "S1", "D1"): same(0.5, nan, nan, 4, raters=1)}, 0, 0)
    assert told(order.finding_of(few)) == (
        "50 % of the documents got the same judgment twice (S1D1: S1 and D1)."
    )
    assert list(map(told, order.remarks(few))) == [
        "Only 1 rater took part: what holds for them need not hold for others."
    ]


def test_the_columns_that_tell_the_order() -> None:
    assert "the columns order_label and presentation (such" in told(
        order.no_order(["order_label", "presentation"])
    )
    assert "rows with both order_label and presentation (such" in told(order.no_order([]))
