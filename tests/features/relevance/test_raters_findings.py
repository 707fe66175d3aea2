"""Agreement of raters: status, the numbers of the verdict and the table."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.relevance.rater_pairs import agreement_between_raters
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.relevance import agreement_findings
from features.relevance.agreement_results import Kappas
from tests.features.relevance.judged import CLOSED, SURROGATES, both, evidence, judged, main, said
from tests.features.studies import verdict


def kappas(chance: float = 0.5) -> Kappas:
    return Kappas(main(), agreement_between_raters(judged(), CLOSED), both(), chance)


def test_the_surrogate_with_most_agreement_is_named() -> None:
    found = agreement_findings.raters_finding(kappas())
    assert verdict(found) == (Status.UNCERTAIN, "75%")
    assert "Headline" in said(found)
    assert {"Kappa 0.50", "lowest: Full Text 50%, kappa −0.33", "1 pair of raters"} <= set(evidence(found))


def test_the_chance_of_the_paper_stretches_kappa_with_gold_only() -> None:
    table = agreement_findings.kappa_table(kappas()).frame
    assert table["With gold"].tolist() == [0.25, 0.75, 0.5]
    np.testing.assert_allclose(table["With own full text"], [-0.15, 0.75, nan])
    assert "Repeated" not in table
    raised = agreement_findings.kappa_table(kappas(0.25)).frame
    np.testing.assert_allclose(raised["With gold"], [0.5, 5 / 6, 2 / 3])
    assert raised["Between raters"].tolist() == table["Between raters"].tolist()


def test_missing_gold_is_said() -> None:
    without = replace(kappas(), main=main(replace(SURROGATES, has_gold=False)))
    assert ["gold" in one.text[0] for one in agreement_findings.raters_warnings(without)] == [True]


def test_without_pairs_there_are_not_enough_data() -> None:
    found = kappas()
    nobody = tuple(
        replace(one, agreement=Estimate(nan, reason="one rater")) for one in found.pairs.surrogates
    )
    lacking = agreement_findings.raters_finding(replace(found, pairs=replace(found.pairs, surrogates=nobody)))
    assert lacking.status is Status.NOT_ENOUGH_DATA
    assert evidence(lacking) == ["One rater"]
