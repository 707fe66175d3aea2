"""Costs of fewer ratings: what is saved, what is given up, and the price of the study."""

from math import nan

from analysis.repetitions.attenuation import CostSpec
from features.blocks import Block, Finding, Note, Status, Table
from features.repetitions.ratings_section import RATINGS, Weighed, cost_blocks
from features.repetitions.votes import cost_wording
from tests.features.repetitions.fitted import of_points, saturating
from tests.features.studies import said, study_of, verdict

BOTH = [saturating(), saturating("grammar", b=0.4)]
LAB_AND_CROWD = study_of("focus")
PRICES = CostSpec(price=1.0, fixed=100, seconds=36)


def of_kind(blocks: list[Block], kind: type) -> list:
    return [block for block in blocks if isinstance(block, kind)]


def test_the_finding_names_the_saving_and_the_largest_loss() -> None:
    (found,) = of_kind(list(cost_blocks(BOTH, Weighed(4))), Finding)
    assert verdict(found) == (Status.UNCERTAIN, "66%")
    assert said(found.evidence) == (
        "4 of 12 ratings per item · largest loss: correlation 0.78 instead of 0.90 on grammar · 50 items · in these "
        "ratings"
    )


def test_by_default_the_median_knee_is_weighed() -> None:
    (found,) = of_kind(list(cost_blocks(BOTH, Weighed())), Finding)
    assert "median knee" in said(found)
    assert said(found.evidence).startswith("5 of 12")


def test_prices_and_hours_are_given_where_they_are_known() -> None:
    money, hours = of_kind(list(cost_blocks(BOTH, Weighed(4, PRICES))), Note)
    assert {"300.00 €", "700.00 €", "57%"} <= set(money.text[1].values())
    assert [said(hours.text).count(part) for part in ("36.0 s", "4 hours", " 12.")] == [1, 1, 1]
    assert not of_kind(list(cost_blocks(BOTH, Weighed(4, CostSpec(seconds=nan)))), Note)


def test_the_papers_laboratory_costs_less_than_17_ratings_per_summary() -> None:
    # Iskender et al. 2020, sections 3.2 and 3.3: 1.2 euros per summary and qualification; 71 hours of 15 euros
    measures, paper = [saturating(m=24)], CostSpec(1.2, "assignment", 82 * 1.2)
    blocks = list(cost_blocks(measures, Weighed(8, paper, "€", 15, 71), study=LAB_AND_CROWD))
    whole, note = of_kind(blocks, Note)
    assert "instead of 1,538.40 €" in said(whole.text)
    for part in ("lab", "1,065.00 €", "up to 16 ratings"):
        assert part in said(note.text)
    cheap = list(cost_blocks(measures, Weighed(8, paper, "€", 1, 1), study=LAB_AND_CROWD))
    assert "as much or more at any number" in said(of_kind(cheap, Note)[1].text)
    assert len(of_kind(list(cost_blocks(measures, Weighed(8, paper), study=LAB_AND_CROWD)), Note)) == 1


def test_the_table_has_what_each_measure_gives_up() -> None:
    (table,) = of_kind(list(cost_blocks(BOTH, Weighed(4))), Table)
    assert table.frame["Given up"].round(4).tolist() == [0.0540, 0.1162]


def test_of_votes_shares_are_given_up() -> None:
    found, table, *_ = cost_blocks(
        [saturating("A vs B", reference="gold")], Weighed(4), cost_wording("gold answer")
    )
    assert "share of items with the gold answer 84.6% instead of 90.0%" in said(found.evidence)
    assert table.frame["Comparison"].tolist() == ["A vs B"]


def test_without_a_knee_a_number_is_asked_for() -> None:
    (found,) = cost_blocks([of_points(BOTH[0].curves.measured[:4])], Weighed(), RATINGS)
    assert found.status is Status.NOT_ENOUGH_DATA
