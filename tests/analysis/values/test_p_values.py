import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from analysis.values.estimate import ALTERNATIVES, InputError, benjamini_hochberg, holm, student_p


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_student_p_is_scipys(alternative):
    sample = np.array([0.3, 1.2, -0.4, 2.2, 0.8])
    found = stats.ttest_1samp(sample, 0, alternative=alternative)
    assert student_p(found.statistic, 4, alternative) == pytest.approx(found.pvalue, rel=1e-12)


def test_holm_on_a_published_example_and_around_nan():
    # Holm's procedure as in R's p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"): .05 .08 .09 .09 .09
    assert_allclose(holm([0.01, 0.02, 0.03, 0.04, 0.05]), [0.05, 0.08, 0.09, 0.09, 0.09])
    assert_allclose(holm([0.04, np.nan, 0.01]), [0.04, np.nan, 0.02])
    assert holm([]).size == 0
    assert np.isnan(holm([np.nan])).all()
    with pytest.raises(InputError, match="between 0 and 1"):
        holm([1.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_and_keeps_order(p):
    adjusted = holm(p)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@given(st.lists(st.floats(0, 1), max_size=8))
def test_benjamini_hochberg_is_scipys_and_around_nan(p):
    expected = stats.false_discovery_control(p) if p else []
    assert_allclose(benjamini_hochberg([np.nan, *p])[1:], expected, rtol=1e-12)
    assert np.isnan(benjamini_hochberg([np.nan, *p])[0])
