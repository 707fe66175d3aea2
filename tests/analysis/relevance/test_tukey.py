from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from analysis.pairs.system_table import letters
from analysis.relevance import anova, tukey
from analysis.relevance.anova import repeated_measures_table
from analysis.relevance.tukey import critical_range, hsd, range_p, tukey_after_anova
from analysis.values.estimate import InputError

# Conditions in blocks (subjects): R's aov and Tukey's test as recorded by the R package biometryassist,
# tests/testthat/_snaps/all-w2.md: error mean square and its degrees of freedom, blocks, means from the lowest,
# HSD and letters. "example 3" (varieties in 5 blocks), "exercise 3" (varieties in 5 replicates), "exercise 5"
# (a Latin square, so fewer degrees of freedom)
RECORDED = [
    (1.9678, 12, 5, [1.68, 2.68, 4.72, 4.85], 2.634022, "a ab b b"),
    (0.8855, 24, 5, [2.84, 2.86, 3.08, 4.70, 4.78, 4.96, 8.88], 1.911107, "a a ab ab b b c"),
    (9.771, 18, 5, [31.61, 35.98, 38.95, 43.52, 48.12], 5.978043, "a ab bc cd d"),
]
HAYS_MEANS = [13.4, 9.1, 9.5, 19.2]


def table_of(seed: int, n: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (n, k)) + rng.normal(0, 2, (n, 1)) + np.linspace(0, 3, k)


class TestTheDifference:
    @pytest.mark.parametrize(("ms_error", "df", "n", "means", "difference", "written"), RECORDED)
    def test_recorded_examples_of_conditions_in_blocks(self, ms_error, df, n, means, difference, written):
        found = hsd(means, ms_error, n, df, lower_is_better=True)
        assert found.hsd == pytest.approx(difference, rel=2e-4)  # the mean square is rounded there
        assert found.letters == tuple(written.upper().split())

    def test_letters_begin_with_the_best(self):
        ms_error, df, n, means, _, _ = RECORDED[2]
        assert hsd(means, ms_error, n, df).letters == ("D", "CD", "BC", "AB", "A")

    @pytest.mark.parametrize(("k", "n"), [(2, 3), (3, 9), (10, 10), (6, 40)])
    def test_is_the_papers_formula_with_scipys_studentized_range(self, k, n):
        table = table_of(k * n, n, k)
        found, test = repeated_measures_table(table), tukey_after_anova(repeated_measures_table(table))
        assert found.df2 == (k - 1) * (n - 1)
        q = stats.studentized_range.ppf(0.95, k, found.df2)
        assert_allclose(test.hsd, q * np.sqrt(found.ms_error / n), rtol=1e-8)
        first, second = 0, k - 1
        difference = found.means[first].value - found.means[second].value
        assert_allclose(test.differences[first, second], difference)
        assert_allclose(
            (test.low[first, second], test.high[first, second]),
            (difference - test.hsd, difference + test.hsd),
        )
        p = stats.studentized_range.sf(abs(difference) / np.sqrt(found.ms_error / n), k, found.df2)
        assert_allclose(test.p[first, second], p, rtol=1e-6, atol=1e-12)

    def test_two_conditions_are_the_paired_t_test(self):
        table = table_of(3, 8, 2)
        theirs = stats.ttest_rel(table[:, 0], table[:, 1])
        test = tukey_after_anova(repeated_measures_table(table))
        interval = theirs.confidence_interval()
        assert_allclose(test.p[0, 1], theirs.pvalue, rtol=1e-8)
        assert_allclose((test.low[0, 1], test.high[0, 1]), interval, rtol=1e-8)

    @given(st.integers(2, 8), st.integers(2, 12), st.integers(0, 10**6), st.sampled_from([0.8, 0.95, 0.99]))
    def test_interval_p_and_difference_say_the_same(self, k, n, seed, level):
        test = tukey_after_anova(repeated_measures_table(table_of(seed, n, k)), level)
        off = ~np.eye(k, dtype=bool)
        assert (test.significant == ((test.low > 0) | (test.high < 0)))[off].all()
        clear = off & (np.abs(test.p - (1 - level)) > 1e-8)
        assert (test.significant == (test.p < 1 - level))[clear].all()
        assert_allclose(test.differences, -test.differences.T)
        assert_allclose(test.p, test.p.T)
        assert not test.significant.diagonal().any()

    def test_variances_of_equal_pairs_are_the_same_test(self):
        one = hsd(HAYS_MEANS, 5.0, 10, 27)
        other = hsd(HAYS_MEANS, 5.0, 10, 27, variances=np.full((4, 4), 2 * 5.0 / 10))
        assert_allclose(one.p, other.p)
        assert_allclose(one.low, other.low)
        assert one.letters == other.letters
        assert (one.method, other.method) == (tukey.HSD, tukey.KRAMER)
        assert np.isnan(other.hsd)

    def test_missing_cells_give_each_pair_its_own_difference(self):
        table = table_of(5, 12, 4)
        table[:5, 3] = np.nan
        found = repeated_measures_table(table)
        test = tukey_after_anova(found)
        q = stats.studentized_range.ppf(0.95, 4, found.df2)
        assert_allclose(test.least, q * np.sqrt(found.difference_variances / 2), rtol=1e-8)
        assert test.least[0, 3] > test.least[0, 1]
        assert test.method == tukey.KRAMER


class TestStudentizedRange:
    @pytest.mark.parametrize(
        ("k", "df"), [(2, 1), (2, 7), (3, 1), (3, 2.5), (4, 12), (10, 81), (20, 5), (50, 2000)]
    )
    def test_probabilities_are_scipys(self, k, df):
        q = np.array([0.0, 1e-3, 0.3, 1, 2.5, 4, 7, 20])
        assert_allclose(range_p(q, k, df), stats.studentized_range.sf(q, k, df), atol=2e-9)

    def test_published_critical_values(self):
        # tables of the studentized range, upper 5% points: q(3; 10), q(4; 20), q(10; 60); upper 1%: q(3; 10)
        for k, df, level, q in (
            (3, 10, 0.95, 3.88),
            (4, 20, 0.95, 3.96),
            (10, 60, 0.95, 4.65),
            (3, 10, 0.99, 5.27),
        ):
            assert round(critical_range(level, k, df), 2) == q

    def test_many_degrees_of_freedom_come_close_to_none(self):
        limit = stats.studentized_range.sf([2.0, 4.0], 5, np.inf)
        assert_allclose(range_p([2.0, 4.0], 5, 1e9), limit, rtol=1e-7)

    def test_two_means_are_students_t(self):
        t = np.array([0.1, 1.0, 2.2, 5.0])
        assert_allclose(range_p(t * np.sqrt(2), 2, 9), 2 * stats.t.sf(t, 9), rtol=1e-9)


def differences_of(seed: int, k: int, share: float) -> np.ndarray:
    differ = np.triu(np.random.default_rng(seed).random((k, k)) < share, 1)
    return differ | differ.T


class TestLetters:
    @given(st.integers(1, 9), st.integers(0, 10**6), st.floats(0, 1))
    def test_two_share_a_letter_exactly_when_they_do_not_differ(self, k, seed, share):
        differ = differences_of(seed, k, share)
        written = letters(np.random.default_rng(seed).permutation(k), differ)
        for one, other in combinations(range(k), 2):
            assert bool(set(written[one]) & set(written[other])) != differ[one, other]
        assert all(written)

    @given(st.integers(1, 7), st.integers(0, 10**6), st.floats(0, 1))
    def test_letters_are_all_largest_sets_that_do_not_differ(self, k, seed, share):
        differ = differences_of(seed, k, share)
        alike = [
            set(some)
            for size in range(1, k + 1)
            for some in combinations(range(k), size)
            if not differ[np.ix_(some, some)].any()
        ]
        largest = {frozenset(some) for some in alike if not any(some < other for other in alike)}
        written = letters(np.arange(k), differ)
        found = {frozenset(i for i in range(k) if letter in written[i]) for letter in set("".join(written))}
        assert found == largest

    @given(st.integers(2, 9), st.integers(0, 10**6))
    def test_letters_of_a_test_follow_the_means(self, k, seed):
        found = repeated_measures_table(table_of(seed, 5, k))
        test = tukey_after_anova(found)
        means = [mean.value for mean in found.means]
        ranked = [test.letters[place] for place in np.argsort(means)[::-1]]
        assert "A" in ranked[0]
        assert ranked == sorted(ranked)
        for one, other in combinations(range(k), 2):
            assert bool(set(test.letters[one]) & set(test.letters[other])) != test.significant[one, other]

    def test_order_of_systems_does_not_matter(self):
        means = np.array([3.0, 9.0, 5.0, 1.0, 8.0])
        order = np.array([4, 2, 0, 1, 3])
        one, other = (hsd(m, 2.0, 4, 12).letters for m in (means, means[order]))
        assert other == tuple(one[place] for place in order)

    def test_more_systems_than_letters(self):
        differ = ~np.eye(54, dtype=bool)
        written = letters(np.arange(54), differ)
        assert (written[0], written[51], written[52], written[53]) == ("A", "z", "(53)", "(54)")

    def test_no_systems(self):
        assert letters([], np.empty((0, 0))) == ()


class TestUndefined:
    def test_an_undefined_analysis_gives_its_reason(self):
        test = tukey_after_anova(repeated_measures_table([[1, 1], [1, 1]]))
        assert (test.reason, test.defined, test.letters) == (anova.ALL_EQUAL, False, ("", ""))
        assert np.isnan([test.hsd, *test.p.ravel()]).all()
        assert not test.significant.any()

    def test_one_mean_has_nothing_to_differ_from(self):
        test = hsd([3.0], 1.0, 5, 4)
        assert (test.reason, test.letters) == (tukey.ONE_MEAN, ("",))

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"means": [1.0, np.nan]}, "`means` must be 1-d and finite"),
            ({"ms_error": 0.0}, "`ms_error` must be above 0"),
            ({"n": 0}, "`n` must be at least 1"),
            ({"df_error": 0.0}, "`df_error` must be at least 1"),
            ({"level": 1.0}, "`level` must be between 0 and 1"),
            ({"variances": np.ones((3, 3))}, "must be 2 by 2"),
            ({"variances": np.zeros((2, 2))}, "symmetric, finite and above 0"),
            ({"variances": np.array([[0.0, 1.0], [2.0, 0.0]])}, "symmetric, finite and above 0"),
        ],
    )
    def test_bad_input_is_reported(self, change, told):
        arguments = {"means": [1.0, 2.0], "ms_error": 1.0, "n": 5, "df_error": 4.0, **change}
        with pytest.raises(InputError, match=told):
            hsd(**arguments)
