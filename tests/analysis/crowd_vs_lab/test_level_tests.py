"""Tests of level against the p values that the paper prints."""

from analysis.crowd_vs_lab.level_tests import mann_whitney_p


def test_the_nine_one_sided_p_of_the_paper():
    # Iskender et al. 2020, Table 1: U and p of OQ GR NR RC FO SC SU PU SI, 50 + 50 items
    u = (985.0, 1014.5, 941.0, 1046.5, 1082.0, 994.0, 1162.0, 1231.5, 876.5)
    printed = (0.034, 0.053, 0.017, 0.081, 0.124, 0.039, 0.273, 0.451, 0.005)
    found = [mann_whitney_p(each, 50, 50) for each in u]
    assert [round(tails.less, 3) for tails in found] == list(printed)
    assert round(mann_whitney_p(985.5, 50, 50).less, 3) == 0.034
    # Two-sided, OQ and SC are no longer significant at .05, the other verdicts stay.
    flips = [(tails.less < 0.05) != (tails.two_sided < 0.05) for tails in found]
    assert flips == [True, False, False, False, False, True, False, False, False]
