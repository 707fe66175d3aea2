import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose
from scipy import stats

from analysis.correlation.two_columns import STRENGTHS, kendall, pearson, spearman, strength
from analysis.values.estimate import ALTERNATIVES, InputError

OF_SCIPY = ((pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau))
whole_numbers = arrays.arrays(np.float64, st.integers(3, 25), elements=st.integers(1, 5).map(float))


def tied_pairs(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 8, n) / 2
    return x, np.rint(x + rng.normal(0, 1.5, n))


@pytest.mark.parametrize(("ours", "scipys"), OF_SCIPY)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [4, 9, 30, 400])
def test_value_and_p_are_scipys(ours, scipys, alternative, n):
    x, y = tied_pairs(n, n)
    mine, theirs = ours(x, y, alternative=alternative), scipys(x, y, alternative=alternative)
    assert_allclose(mine.estimate.value, theirs.statistic, atol=1e-12)
    if (ours, n) == (spearman, 4):  # scipy has Student's t here, where all 24 orders can be tried
        return
    assert_allclose(mine.p, theirs.pvalue, rtol=1e-9, atol=1e-300)


@settings(max_examples=4)
@given(arrays.arrays(np.float64, 6, elements=st.integers(1, 4).map(float)), st.permutations(range(6)))
def test_p_of_rho_is_counted_out_for_few_pairs(x, order):
    y = np.array(order, dtype=float)
    mine = spearman(x, y, alternative="greater")
    if not mine.estimate.defined:
        return
    exact = stats.permutation_test(
        (x,),
        lambda a: stats.spearmanr(a, y).statistic,
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert_allclose(mine.p, exact.pvalue)


def test_a_perfect_order_of_four_is_no_proof():
    assert spearman([1, 2, 3, 4], [1, 4, 9, 16]).p == pytest.approx(2 / 24)
    assert spearman(range(12), range(12)).p == pytest.approx(2 / 479001600)


def test_kendall_equals_the_count_of_all_pairs():
    x, y = tied_pairs(5, 60)
    agree = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(y, y))
    untied_x = np.abs(np.sign(np.subtract.outer(x, x))).sum()
    untied_y = np.abs(np.sign(np.subtract.outer(y, y))).sum()
    assert kendall(x, y).estimate.value == pytest.approx(
        agree.sum() / np.sqrt(untied_x * untied_y), abs=1e-14
    )


def test_published_example_of_kollurus_lengths():
    # Kolluru & Gotoh 2005: 71, 61, 54, 73% against 113, 99, 81, 131 characters: r = .965, 95% .05 to .999
    found = pearson([113, 99, 81, 131], [71, 61, 54, 73]).estimate
    assert (round(found.value, 3), round(found.low, 2), round(found.high, 3)) == (0.965, 0.05, 0.999)


def test_pearson_interval_is_scipys_and_spearmans_is_bonett_and_wrights():
    x, y = tied_pairs(1, 40)
    ours = pearson(x, y, level=0.9).estimate
    theirs = stats.pearsonr(x, y).confidence_interval(0.9)
    assert_allclose((ours.low, ours.high), theirs, atol=1e-12)
    found = spearman(x, y).estimate
    half = stats.norm.ppf(0.975) * np.sqrt((1 + found.value**2 / 2) / 37)
    assert_allclose(np.arctanh(found.high) - np.arctanh(found.low), 2 * half, atol=1e-12)


@pytest.mark.parametrize("measure", [pearson, spearman, kendall])
class TestEveryCorrelation:
    def test_undefined_with_a_reason(self, measure):
        for x, y, told in (
            ([], [], "at least 3"),
            ([1], [2], "at least 3"),
            ([1, 2], [2, 1], "at least 3"),
            ([1, 1, 1], [1, 2, 3], "first side is constant"),
            ([1, 2, 3], [4, 4, 4], "second side is constant"),
            ([2, 2, 2], [4, 4, 4], "both sides are constant"),
        ):
            found = measure(x, y)
            assert np.isnan(found.estimate.value)
            assert np.isnan(found.p)
            assert told in found.estimate.reason

    def test_perfect_agreement_is_one_without_an_interval(self, measure):
        found = measure([1, 2, 3, 5, 9], [1, 2, 3, 5, 9]).estimate
        assert found.value == pytest.approx(1, abs=1e-12)
        assert np.isnan(found.low)
        assert "perfect" in found.reason

    def test_three_items_have_a_value_but_no_interval(self, measure):
        found = measure([1, 2, 3], [1, 3, 2]).estimate
        assert found.defined
        assert np.isnan(found.low)
        assert found.reason

    def test_wrong_arguments_are_reported(self, measure):
        with pytest.raises(InputError, match="equally long"):
            measure([1, 2], [1, 2, 3])
        with pytest.raises(InputError, match="finite"):
            measure([1, 2, np.nan], [1, 2, 3])


@given(st.data(), whole_numbers)
def test_laws(data, x):
    y = data.draw(arrays.arrays(np.float64, len(x), elements=st.integers(1, 5).map(float)))
    order = data.draw(st.permutations(range(len(x))))
    for measure in (pearson, spearman, kendall):
        found = measure(x, y).estimate
        if not found.defined:
            continue
        assert measure(y, x).estimate.value == pytest.approx(found.value, abs=1e-12)
        assert measure(x[order], y[order]).estimate.value == pytest.approx(found.value, abs=1e-12)
        assert measure(x + 100, y).estimate.value == pytest.approx(found.value, abs=1e-9)
        assert measure(-x, y).estimate.value == pytest.approx(-found.value, abs=1e-12)
        if not np.isnan(found.low):
            assert found.low < found.value < found.high


@pytest.mark.parametrize(
    # Iskender et al. 2020, Table 1 and its wording: "ranging from moderate to very strong"
    ("rho", "word"),
    [(0.925, "very strong"), (0.873, "strong"), (0.637, "moderate"), (0.39, "weak"), (0.09, "negligible")],
)
def test_words_of_schober(rho, word):
    assert strength(rho) == word


def test_words_at_the_cuts_and_beyond():
    assert [strength(cut) for cut, _ in STRENGTHS] == [word for _, word in STRENGTHS]
    assert strength(-0.95) == "very strong negative"
    assert strength(float("nan")) == "undefined"
    with pytest.raises(InputError, match="between -1 and 1"):
        strength(1.2)
