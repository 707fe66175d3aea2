"""What unequal loads are said to come to."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.planning import DifferencePlan, effective_raters
from findings.planning.loads import POWER, POWER_HERE, WIDTH, Loads, by_busiest, cautions, note, worth
from tests.findings.studies import said

PLAN = DifferencePlan(20, 40, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2)


def test_the_busiest_fifth_does_what_was_typed() -> None:
    loads = by_busiest(0.6).each
    assert loads is not None
    assert sum(sorted(loads)[-10:]) / sum(loads) == pytest.approx(0.6)
    assert np.ptp(by_busiest(0.2).each) == pytest.approx(0)


def test_raters_are_said_to_be_worth_fewer_only_where_they_are() -> None:
    unequal = DifferencePlan(20, 40, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2, loads=by_busiest(0.5).each)
    assert worth(PLAN) == ""
    assert worth(unequal) == f" (with unequal loads worth {unequal.effective_raters:.1f} raters)"
    assert 8 < unequal.effective_raters < 12
    full = DifferencePlan(20, 40, 0.5, 0.3, 0.1, 0.1, loads=by_busiest(0.5).each)
    assert worth(full) == ""
    assert note(Loads(), PLAN) is None
    told = note(by_busiest(0.5), full)
    assert told is not None
    assert "all rate as much" in said(told)
    assert effective_raters(np.ones(20)) == 20


def test_power_and_width_are_called_rough_where_one_rater_does_most() -> None:
    most = DifferencePlan(40, 60, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2, loads=(24.0, *[1.0] * 39))
    for words in (POWER, POWER_HERE, WIDTH):
        (told,) = cautions(most, words)
        assert "is rough here, since one rater does more than 20 % of the ratings: it can be off by" in said(
            told
        )
        assert cautions(replace(PLAN, ratings_per_item=4), words) == []
