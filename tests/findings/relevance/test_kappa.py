"""How far raters agree, in a whole sentence with its numbers."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.relevance.rater_pairs import between_raters
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.relevance import kappa
from tests.findings.relevance.judged import CLOSED, SURROGATES, both, judged, told


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


def test_agreement_without_an_interval_is_uncertain_and_without_pairs_not_told() -> None:
    pairs = between_raters(judged(), CLOSED)
    assert kappa.finding_of(SURROGATES, pairs).status is Status.UNCERTAIN
    nobody = tuple(replace(one, agreement=Estimate(nan, reason="one rater")) for one in pairs.surrogates)
    untold = kappa.finding_of(SURROGATES, replace(pairs, surrogates=nobody))
    assert untold.status is Status.NOT_ENOUGH_DATA
