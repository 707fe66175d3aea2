"""Two metrics compared on the same scores: status, the numbers that are named, and the table."""

from dataclasses import replace
from math import nan

from analysis.correlation.metric_comparison import MetricPair
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from tests.findings_rules import check_findings

PAIR = MetricPair(
    better="rouge2",
    other="bleu",
    correlations=(0.91, 0.72),
    sign_reversed=(False, True),
    difference=Estimate(0.19, 0.05, 0.41, 16),
    p=0.012,
    p_holm=0.024,
    resampled=Estimate(0.19, 0.01, 0.44, 16),
    p_permuted=0.001,
    texts=160,
)
OPEN = replace(PAIR, difference=Estimate(0.19, -0.05, 0.41, 16), p=0.2, p_holm=0.4)
FEW = replace(PAIR, difference=Estimate(0.19, 0.05, 0.41, 7))
WHY = "a correlation needs at least 3 systems with both metrics; there are 2"
UNDEFINED = replace(PAIR, difference=Estimate(nan, n=2, reason=WHY), p=nan, p_holm=nan)
EVIDENCE = {"r 0.91 and 0.72", "difference 0.19", "95% CI 0.05–0.41", "adjusted p = .024", "16 systems"}


def test_the_better_metric_is_named_with_difference_interval_p_and_n() -> None:
    found = pair_finding({"focus": [PAIR]}, "r", "systems")
    assert found.status is Status.CLEAR
    assert (found.headline[1]["better"], found.headline[1]["other"]) == ("Metric rouge2", "bleu")
    assert set(found.evidence[1].values()) >= EVIDENCE


def test_of_several_pairs_those_that_differ_are_counted() -> None:
    found = pair_finding({"focus": [PAIR, OPEN, PAIR]}, "r", "systems")
    assert (found.headline[1]["apart"], found.headline[1]["pairs"]) == ("2", "3")
    assert set(found.evidence[1].values()) >= {"Most clearly: rouge2 and bleu on focus", *EVIDENCE}
    check_findings([found, pair_finding({"focus": [PAIR]}, "r", "systems")])


def test_where_no_pair_differs_the_largest_difference_stands_in_the_evidence() -> None:
    found = pair_finding({"focus": [OPEN]}, "ρ", "systems")
    assert (found.status, found.headline[1]) == (Status.UNCERTAIN, {})
    assert "95% CI −0.05 to 0.41" in found.evidence[1].values()


def test_below_eight_systems_none_is_named() -> None:
    found = pair_finding({"focus": [FEW]}, "r", "items")
    assert found.status is Status.NOT_ENOUGH_DATA
    assert (found.headline[1]["there"], found.headline[1]["least"]) == ("7 items", 8)
    assert found.next_step is not None
    few, reversed_ = pair_warnings({"focus": [FEW]}, "items")
    assert few.text[1] == {"fewest": 8, "what": "items"}
    assert reversed_.text[1] == {"names": "bleu"}


def test_the_undefined_has_its_reason() -> None:
    found = pair_finding({"focus": [UNDEFINED]}, "r", "systems")
    assert found.status is Status.NOT_ENOUGH_DATA
    assert WHY in found.evidence[1].values()
    *_, last = pair_warnings({"focus": [UNDEFINED]}, "systems")
    assert last.text[1] == {"where": "focus", "reason": WHY}


def test_names_from_uploads_are_values() -> None:
    hostile = replace(PAIR, better="<img src=x>")
    for pairs in ([hostile], [hostile, OPEN]):
        found = pair_finding({"<b>": pairs}, "r", "systems")
        assert "<img" not in found.headline[0] + found.evidence[0]


def test_the_table_has_a_row_for_each_pair_and_the_note_their_number() -> None:
    table = pairs_table({"focus": [PAIR], "grammar": [OPEN]})
    assert table.frame["Metric"].tolist() == ["rouge2", "rouge2"]
    assert table.formats["Difference"][0] == "0.190 (0.050 to 0.410)"
    assert table.frame.loc[0, ["BOOT-BOTH from", "BOOT-BOTH to"]].tolist() == [0.01, 0.44]
    assert "PERM-BOTH, p" not in table.columns_at_first_sight
    assert "Measure" in table.columns_at_first_sight
    assert "Measure" not in pairs_table({"focus": [PAIR, OPEN]}).columns_at_first_sight
    assert pair_note("systems", 3).text[1] == {"pairs": "3 pairs", "what": "systems"}
