"""What is said of systems, ceiling and spread, and what the reader is warned of."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.comparison.clusters import Belonging, OverSystems
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.blocks import Status
from findings.crowd_vs_lab.cautions import cautions
from findings.crowd_vs_lab.without_chance import (
    ceiling_finding,
    slopes,
    spread_finding,
    spread_p,
    systems_finding,
)
from tests.findings.studies import said, study_of

SPEC = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=0)
ANALYTIC = ComparisonSpec(permutations=0, most_items_drawn=100)
ONE, TWO = study_of("focus"), study_of("focus", "grammar")


def made(lab: int = 6, shares: tuple[int, ...] = (), systems: int = 0) -> Comparison:
    """30 items; 6 crowd raters or as many as there are shares, and some lab raters, of all items."""
    rng = np.random.default_rng(1)
    quality = np.linspace(1, 5, 30)
    item, rater = np.repeat(np.arange(30), 6), np.tile(np.arange(6), 30)
    if shares:
        item, rater = np.arange(30), np.repeat(np.arange(len(shares)), shares)
    crowd = Ratings(item, rater, quality[item] + rng.normal(0, 0.5, len(item)))
    of_lab = np.repeat(np.arange(30), lab), np.tile(np.arange(100, 100 + lab), 30)
    score = quality[of_lab[0]] + rng.normal(0, 0.5, 30 * lab)
    system = np.arange(30) % systems if systems else np.full(30, -1)
    return compare(
        crowd, Ratings(*of_lab, score), SPEC, belonging=Belonging(np.arange(30), system, np.full(30, -1))
    )


def with_figures(ceiling: Estimate, corrected: Estimate, spread: Estimate, p: float) -> Comparison:
    found = made()
    true = replace(found.true_scores, ceiling=ceiling, corrected=corrected, spread=spread, spread_p=p)
    return replace(found, true_scores=true, pearson=Estimate(0.84))


HIGH = with_figures(Estimate(0.97, 0.95, 0.98), Estimate(1.02, 0.9, 1.14), Estimate(1.31, 1.1, 1.6), 0.004)
LOW = with_figures(Estimate(0.8, 0.7, 0.88), Estimate(0.5, 0.2, 0.8), Estimate(0.9, 0.6, 1.2), 0.4)


def test_the_ceiling_stands_beside_what_is_reached_and_what_is_corrected() -> None:
    sentence = ceiling_finding(ONE, [HIGH])
    assert sentence is not None
    assert said(sentence) == (
        "A candidate without error could correlate with lab up to <b>0.97 (0.95 to 0.98)</b> (Pearson), as far as its "
        "ratings repeat; crowd reaches 0.84, which corrected for both sides' unreliability is <b>1.02 (0.90 to 1.14)"
        "</b> (above 1 by chance: reliabilities are estimates)."
    )
    several = ceiling_finding(TWO, [LOW, HIGH])
    assert several is not None
    assert said(several).startswith("As far as the ratings of lab repeat, a candidate without error could")
    assert "<b>0.50 (0.20 to 0.80)</b> on focus … <b>1.02 (0.90 to 1.14)</b> on grammar" in said(several)


def test_measures_that_look_the_same_are_told_as_one() -> None:
    sentence = ceiling_finding(TWO, [HIGH, HIGH])
    assert sentence is not None
    assert "correlate with it up to about <b>0.97 (0.95 to 0.98)</b> on both measures; corrected" in said(
        sentence
    )
    assert "r is about <b>1.02 (0.90 to 1.14)</b> on both measures (above 1 by chance" in said(sentence)


def test_errors_that_both_sides_share_are_not_called_chance() -> None:
    """Twins with one habit on either side: as many items as here tell their errors from chance."""
    rng, items, raters = np.random.default_rng(3), 4_000, 5
    quality, habit = rng.normal(0, 1, items), rng.normal(0, 1, 300)
    item = np.repeat(np.arange(items), raters)
    who = np.concatenate([rng.choice(300, raters, replace=False) for _ in range(items)])
    sides = [quality[item] + habit[who] + rng.normal(0, 0.3, len(item)) for _ in range(2)]
    belonging = Belonging(np.arange(items), np.full(items, -1), np.full(items, -1))
    twins = compare(
        Ratings(item, who, sides[0]), Ratings(item, 1000 + who, sides[1]), ANALYTIC, belonging=belonging
    )
    # Both means hold the item (variance 1) and the mean habit of the same five (1 / 5).
    assert twins.true_scores.corrected.value == pytest.approx(1.2, abs=0.04)
    sentence = ceiling_finding(ONE, [twins])
    assert sentence is not None
    assert "(above 1 by more than chance: both sides' errors go together" in said(sentence)


def test_where_the_reference_does_not_repeat_there_is_no_sentence() -> None:
    against = compare(
        Ratings([0, 0, 1, 1, 2, 2], [1, 2] * 3, [1, 2, 3, 2, 5, 4]), {0: 1.0, 1: 2.5, 2: 5.0}, SPEC
    )
    assert ceiling_finding(ONE, [against]) is None
    assert spread_finding(ONE, [against]) is None


def test_the_spread_is_told_with_its_p_holm_adjusted() -> None:
    told, not_told = spread_finding(ONE, [HIGH]), spread_finding(ONE, [LOW])
    assert told is not None
    assert not_told is not None
    assert said(told) == (
        "Without chance, crowd spreads the items <b>1.31 (1.10 to 1.60)</b> times as wide as lab (p = .004)."
    )
    assert "that one spreads them wider is <b>not shown</b> (p = .400)" in said(not_told)
    assert spread_p([HIGH, LOW]) == pytest.approx([0.008, 0.4])
    several, none = spread_finding(TWO, [HIGH, LOW]), spread_finding(TWO, [LOW, LOW])
    assert several is not None
    assert none is not None
    assert "on <b>1 of 2</b> measures (ratio of SDs, Holm-adjusted): focus 1.31" in said(several)
    assert "on <b>none of 2</b> measures" in said(none)


def test_the_slope_is_called_a_description() -> None:
    sentence = slopes(TWO, [replace(HIGH, slope=-0.13), replace(LOW, slope=0.02)])
    assert sentence is not None
    assert said(sentence).startswith(
        "Raw slope of the differences on the means: focus −0.13, grammar 0.02. It is a description"
    )


def test_systems_are_told_with_their_number() -> None:
    over = OverSystems(Estimate(0.69, 0.25, 0.9, 14), Estimate(0.7, 0.3, 0.9, 14), 14)
    sentence = systems_finding(ONE, [replace(HIGH, systems=over)])
    assert sentence is not None
    assert said(sentence) == "Over the means of 14 systems, ρ is <b>0.69 (0.25 to 0.90)</b>."
    of_two = systems_finding(TWO, [replace(HIGH, systems=over)] * 2)
    assert of_two is not None
    assert (
        said(of_two)
        == "Over the means of 14 systems, ρ is about <b>0.69 (0.25 to 0.90)</b> on both measures."
    )
    weaker = replace(over, spearman=Estimate(0.2, -0.4, 0.7, 14))
    several = systems_finding(TWO, [replace(HIGH, systems=over), replace(LOW, systems=weaker)])
    assert several is not None
    assert "ρ is <b>0.20 (−0.40 to 0.70)</b> on grammar … <b>0.69 (0.25 to 0.90)</b> on focus" in said(
        several
    )
    assert systems_finding(ONE, [HIGH]) is None


def test_nothing_is_warned_of_in_an_even_study() -> None:
    assert cautions(ONE, [made()]) == []
    assert cautions(ONE, [made(systems=10)]) == []


def test_few_raters_unequal_work_and_few_systems_are_warned_of() -> None:
    few = [said(sentence) for sentence in cautions(ONE, [made(lab=3)])]
    assert few == [
        "lab has 3 raters, fewer than 5: what others would have said can hardly be told from so few."
    ]
    (single,) = (said(sentence) for sentence in cautions(ONE, [made(lab=1)]))
    assert single.startswith(
        "lab has a single rater: correlations, their intervals and RMSE hold for this rater"
    )
    # 30 items by six raters, of whom one took 25: 30² / (25² + 5) = 1.4 raters.
    (unequal,) = (said(sentence) for sentence in cautions(ONE, [made(shares=(25, 1, 1, 1, 1, 1))]))
    assert unequal.startswith(
        "the work of crowd is shared unequally: its 6 raters weigh as much as 1 with equal"
    )
    (systems,) = (said(sentence) for sentence in cautions(ONE, [made(systems=3)]))
    assert systems.startswith("the items belong to 3 systems, fewer than 8")


def test_a_warning_of_some_measures_names_them() -> None:
    (told,) = (said(sentence) for sentence in cautions(TWO, [made(), made(lab=3)]))
    assert told.startswith("grammar: lab has 3 raters")


def test_spread_and_ceiling_are_clear_where_test_and_intervals_say_so() -> None:
    nothing = with_figures(Estimate(0.4, 0.0, 0.9), Estimate(0.5, -0.2, 1.2), Estimate(1.0, 0.5, 2.0), 0.9)
    found = [
        spread_finding(ONE, [HIGH]),
        spread_finding(ONE, [LOW]),
        spread_finding(TWO, [HIGH, LOW]),
        spread_finding(TWO, [LOW, LOW]),
        ceiling_finding(ONE, [HIGH]),
        ceiling_finding(ONE, [nothing]),
    ]
    assert [told and told.status for told in found] == [Status.CLEAR, Status.UNCERTAIN] * 3
