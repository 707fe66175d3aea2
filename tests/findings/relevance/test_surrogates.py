"""What judgments of surrogates can be held against."""

from dataclasses import replace

from findings.relevance.surrogates import LDC, PREDICTION
from tests.findings.relevance.judged import SURROGATES


def test_what_judgments_can_be_held_against() -> None:
    assert SURROGATES.sides == [PREDICTION, LDC]
    assert SURROGATES.there == (0, 1, 2)
    assert replace(SURROGATES, has_gold=False, summaries=()).sides == []
    without = replace(SURROGATES, full_text=-1, has_full_text=False)
    assert (without.full_text_name, without.there) == ("the full text", (0, 1))
