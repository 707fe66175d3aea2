import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose
from scipy import stats

from analysis.relevance import anova
from analysis.relevance.anova import RepeatedMeasures, repeated_measures, repeated_measures_table
from analysis.values.estimate import InputError

# Hays, "Statistics", pp. 581-583: four treatments, ten subjects; quoted in full with R's nlme in
# stackoverflow.com/questions/48872315, where lme gives F(3, 27) = 43.4507 and standard errors 1.006
HAYS = np.array(
    [
        [11, 9, 5, 17],
        [14, 12, 10, 18],
        [15, 7, 6, 21],
        [17, 10, 13, 22],
        [15, 7, 6, 15],
        [14, 8, 13, 22],
        [9, 6, 7, 15],
        [17, 11, 10, 19],
        [10, 13, 14, 23],
        [12, 8, 11, 20],
    ]
)
# FAQ "intsg" of the MRC Cognition and Brain Sciences Unit's statistics wiki, after Boniface: residuals squared
# .45 0 .45 .45 0 .45 1.77 0 1.77 (rounded)
BONIFACE = np.array([[5, 6, 7], [4, 5, 6], [8, 7, 6]])

tables = st.tuples(st.integers(2, 7), st.integers(2, 5)).flatmap(
    lambda shape: arrays.arrays(np.float64, shape, elements=st.integers(-9, 9).map(float))
)
FIGURES = (
    "f",
    "df1",
    "df2",
    "p",
    "greenhouse_geisser",
    "p_greenhouse_geisser",
    "huynh_feldt",
    "ms_error",
)


def table_of(seed: int, n: int, k: int, missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.normal(0, 1, (n, k)) + rng.normal(0, 1.5, (n, 1)) + np.linspace(0, 1, k)
    table[rng.random((n, k)) < missing] = np.nan
    return table


def long(table: np.ndarray) -> pd.DataFrame:
    subject, condition = np.nonzero(~np.isnan(table))
    return pd.DataFrame({"s": subject, "c": condition, "y": table[subject, condition]})


def figures(found: RepeatedMeasures) -> list[float]:
    return [getattr(found, name) for name in FIGURES]


class TestCompleteCells:
    def test_worked_by_hand(self):
        # means 17/3, 6, 19/3; subjects 6, 5, 7; residuals -2/3 0 2/3, -2/3 0 2/3, 4/3 0 -4/3
        found = repeated_measures_table(BONIFACE)
        ss_conditions, ss_subjects, ss_error = 2 / 3, 6.0, 16 / 3
        assert_allclose([mean.value for mean in found.means], [17 / 3, 6, 19 / 3])
        assert (found.df1, found.df2, found.n, found.k, found.missing) == (2, 4, 3, 3, 0)
        assert_allclose(found.ms_error, ss_error / 4)
        assert_allclose(found.f, (ss_conditions / 2) / (ss_error / 4))
        assert_allclose(found.p, stats.f.sf(0.25, 2, 4))
        assert_allclose(found.partial_eta_squared.value, ss_conditions / (ss_conditions + ss_error))
        assert_allclose(found.generalised_eta_squared.value, ss_conditions / 12)
        assert_allclose(found.greenhouse_geisser, 0.5)  # all residuals are one contrast
        assert_allclose(found.subject_variance, (ss_subjects / 2 - ss_error / 4) / 3)
        half = stats.t.ppf(0.975, 4) * np.sqrt(ss_error / 4 / 3)
        assert_allclose([found.means[1].low, found.means[1].high], [6 - half, 6 + half])
        assert found.method == anova.ANOVA
        assert found.defined
        assert found.reason == ""

    def test_hays_example(self):
        found = repeated_measures_table(HAYS)
        assert (found.df1, found.df2) == (3, 27)
        assert found.f == pytest.approx(43.4507, abs=2e-4)  # lme's search ends a little off the peak
        assert round(float(np.sqrt(found.difference_variances[0, 1])), 3) == 1.006

    @pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 5), (9, 3), (10, 10), (40, 4)])
    def test_equals_statsmodels(self, n, k):
        table = table_of(n * k, n, k)
        from statsmodels.stats.anova import AnovaRM

        theirs = AnovaRM(long(table), "y", "s", within=["c"]).fit().anova_table.iloc[0]
        found = repeated_measures_table(table)
        assert_allclose(
            [found.f, found.df1, found.df2, found.p],
            theirs[["F Value", "Num DF", "Den DF", "Pr > F"]].to_numpy(dtype=float),
            rtol=1e-9,
        )

    @pytest.mark.filterwarnings("ignore")  # of pingouin and the packages that it imports
    @pytest.mark.parametrize(("n", "k"), [(3, 3), (4, 6), (9, 3), (30, 5)])
    def test_epsilons_and_effects_are_pingouins(self, n, k):
        import pingouin

        table = table_of(n + k, n, k)
        wide = pd.DataFrame(table)
        found = repeated_measures_table(table)
        assert_allclose(found.greenhouse_geisser, pingouin.epsilon(wide, correction="gg"), rtol=1e-9)
        assert_allclose(found.huynh_feldt, pingouin.epsilon(wide, correction="hf"), rtol=1e-9)
        table_of_theirs = pingouin.rm_anova(
            long(table), dv="y", within="c", subject="s", correction=True, effsize="ng2"
        )
        theirs = table_of_theirs.iloc[0]
        assert_allclose(found.generalised_eta_squared.value, theirs["ng2"], rtol=1e-9)
        corrected = next(name for name in theirs.index if "GG" in name.upper())
        assert_allclose(found.p_greenhouse_geisser, theirs[corrected], rtol=1e-6)

    def test_two_conditions_are_the_paired_t_test(self):
        table = table_of(4, 12, 2)
        theirs = stats.ttest_rel(table[:, 0], table[:, 1])
        found = repeated_measures_table(table)
        assert_allclose([found.f, found.p], [theirs.statistic**2, theirs.pvalue])
        assert_allclose([found.greenhouse_geisser, found.huynh_feldt], 1.0)

    def test_interval_of_partial_eta_squared_is_where_f_would_be_rare(self):
        found = repeated_measures_table(HAYS)
        eta = found.partial_eta_squared
        cells = found.df1 + found.df2 + 1
        for limit, probability in ((eta.low, 0.975), (eta.high, 0.025)):
            noncentrality = limit / (1 - limit) * cells
            assert_allclose(
                stats.ncf.cdf(found.f, found.df1, found.df2, noncentrality), probability, rtol=1e-7
            )

    def test_an_enormous_f_has_no_interval(self):
        table = np.array([[0, 1e7, 0], [1, 1e7, 0], [0, 1e7 + 1, 1]])
        eta = repeated_measures_table(table).partial_eta_squared
        assert eta.defined
        assert (np.isnan(eta.low), eta.reason) == (True, anova.HUGE)

    def test_several_values_of_a_cell_are_averaged(self):
        subject, condition = [1, 1, 1, 2, 2, 2, 3, 3], ["a", "a", "b", "a", "b", "b", "a", "b"]
        found = repeated_measures(subject, condition, [1, 3, 5, 4, 4, 8, 2, 9])
        assert figures(found) == pytest.approx(figures(repeated_measures_table([[2, 5], [4, 6], [2, 9]])))
        assert (found.averaged, found.missing) == (2, 0)

    def test_ids_are_sorted_and_table_columns_are_not(self):
        found = repeated_measures([1, 1, 2, 2], ["b", "a", "b", "a"], [1, 2, 3, 5])
        assert found.conditions.tolist() == ["a", "b"]
        assert repeated_measures_table([[1, 2], [3, 5]], ["b", "a"]).conditions.tolist() == ["b", "a"]


class TestLaws:
    @given(tables, st.integers(0, 10**6))
    def test_what_a_subject_adds_to_all_conditions_does_not_matter(self, table, seed):
        shift = np.random.default_rng(seed).integers(-50, 50, (len(table), 1))
        one, other = repeated_measures_table(table), repeated_measures_table(table + shift)
        assert one.defined == other.defined
        if one.defined:
            assert_allclose(figures(one), figures(other), rtol=1e-6, atol=1e-12)

    @given(tables, st.integers(0, 10**6))
    def test_order_and_names_of_ids_do_not_matter(self, table, seed):
        rng = np.random.default_rng(seed)
        table = np.where(rng.random(table.shape) < 0.15, np.nan, table)
        rows, columns = rng.permutation(table.shape[0]), rng.permutation(table.shape[1])
        one, other = repeated_measures_table(table), repeated_measures_table(table[rows][:, columns])
        assert one.reason == other.reason
        assert_allclose(figures(one), figures(other), rtol=1e-5, atol=1e-9)

    @given(tables, st.sampled_from([1e-3, 0.1, 7.0, 1e6]), st.booleans())
    def test_scale_only_scales(self, table, factor, holes):
        if holes:
            table[0, 0] = np.nan
        one, other = repeated_measures_table(table), repeated_measures_table(table * factor)
        assert one.reason == other.reason
        assert_allclose(figures(one)[:-1], figures(other)[:-1], rtol=1e-5, atol=1e-9)
        assert_allclose(one.ms_error * factor**2, other.ms_error, rtol=1e-5)

    @given(tables)
    def test_figures_are_in_their_ranges(self, table):
        found = repeated_measures_table(table)
        if not found.defined:
            assert np.isnan(figures(found)).all()
            return
        assert 1 / (found.k - 1) - 1e-9 <= found.greenhouse_geisser <= 1 + 1e-9
        assert found.greenhouse_geisser - 1e-9 <= found.huynh_feldt <= 1
        assert 0 <= found.p <= 1
        assert 0 <= found.p_greenhouse_geisser <= 1
        eta = found.partial_eta_squared
        assert 0 <= eta.low <= eta.value <= eta.high <= 1
        assert 0 <= found.generalised_eta_squared.value <= eta.value + 1e-12
        assert all(mean.low < mean.value < mean.high for mean in found.means)


class TestMissingCells:
    @pytest.mark.parametrize(("n", "k"), [(5, 3), (12, 4), (40, 3)])
    def test_with_nothing_missing_the_mixed_model_is_the_analysis_of_variance(self, n, k):
        table = table_of(n + k, n, k)
        whole = anova._fit_complete_table(table)
        mixed = anova._fit_mixed_model(table, np.ones(table.shape, dtype=bool))
        assert whole.subject_variance > 0
        for name in ("means", "f", "df2", "ms_error", "subject_variance", "difference_variances"):
            assert_allclose(getattr(mixed, name), getattr(whole, name), rtol=1e-6, err_msg=name)

    @pytest.mark.parametrize(("seed", "n", "k"), [(1, 15, 3), (2, 20, 4), (3, 60, 6)])
    def test_estimates_are_statsmodels(self, seed, n, k):
        table = table_of(seed, n, k, missing=0.2)
        found = repeated_measures_table(table)
        data = long(table)
        design = (data["c"].to_numpy()[:, None] == np.arange(k)).astype(float)
        from statsmodels.regression.mixed_linear_model import MixedLM

        theirs = MixedLM(data["y"], design, groups=data["s"]).fit(reml=True)
        assert found.missing == np.isnan(table).sum() > 0
        assert found.method == anova.MIXED
        assert_allclose([mean.value for mean in found.means], theirs.fe_params, atol=1e-4)
        assert_allclose(found.ms_error, theirs.scale, rtol=1e-4)
        assert_allclose(found.subject_variance, float(theirs.cov_re.iloc[0, 0]), rtol=1e-3)

    @pytest.mark.parametrize("seed", range(4))
    def test_equals_generalised_least_squares_with_whole_matrices(self, seed):
        table = table_of(seed + 50, 8, 4, missing=0.25)
        found = repeated_measures_table(table)
        data = long(table)
        design = (data["c"].to_numpy()[:, None] == np.arange(4)).astype(float)
        together = np.equal.outer(data["s"].to_numpy(), data["s"].to_numpy())
        y = data["y"].to_numpy()

        def fit(error: float, of_subjects: float) -> tuple[np.ndarray, np.ndarray, float]:
            inverse = np.linalg.inv(error * np.eye(len(y)) + of_subjects * together)
            covariance = np.linalg.inv(design.T @ inverse @ design)
            means = covariance @ design.T @ inverse @ y
            rest = y - design @ means
            log_likelihood = (
                np.linalg.slogdet(inverse)[1] + np.linalg.slogdet(covariance)[1] - rest @ inverse @ rest
            )
            return means, covariance, log_likelihood / 2

        means, covariance, best = fit(found.ms_error, found.subject_variance)
        contrast = np.eye(4)[1:] - np.eye(4)[0]
        of_contrasts = contrast @ means
        wald = of_contrasts @ np.linalg.solve(contrast @ covariance @ contrast.T, of_contrasts) / 3
        assert_allclose([mean.value for mean in found.means], means)
        assert_allclose(found.f, wald, rtol=1e-8)
        spread = np.diag(covariance)
        assert_allclose(found.difference_variances, spread[:, None] + spread - 2 * covariance, atol=1e-12)
        assert found.df2 == len(y) - 8 - 4 + 1
        for error in (0.97, 1.0, 1.03):
            for shift in (-0.03, 0.0, 0.03):
                other = max(found.subject_variance + shift, 0.0)
                assert fit(found.ms_error * error, other)[2] <= best + 1e-9

    def test_subjects_that_do_not_differ_have_variance_zero(self):
        table = np.array([[1.0, 5, np.nan], [5, 1, 3], [2, 4, 3], [4, 2, 3], [1, np.nan, 5]])
        found = repeated_measures_table(table)
        assert found.defined
        assert found.subject_variance == 0.0

    def test_subjects_far_apart_change_nothing(self):
        table = table_of(8, 12, 3, missing=0.2)
        table = table[(~np.isnan(table)).sum(axis=1) > 1]
        near, far = (
            repeated_measures_table(table + size * np.arange(len(table))[:, None]) for size in (1e2, 1e4)
        )
        assert_allclose(near.f, far.f, rtol=1e-3)

    def test_a_subject_without_any_value_is_not_counted(self):
        table = table_of(3, 6, 3)
        assert repeated_measures_table(np.vstack([table, [np.nan] * 3])).n == 6

    def test_a_subject_with_one_condition_counts_in_that_conditions_mean(self):
        table = table_of(5, 6, 3)
        more = repeated_measures_table(np.vstack([table, [np.nan, np.nan, 1.0]]))
        assert (more.n, more.missing, more.df2) == (7, 2, repeated_measures_table(table).df2)
        assert [mean.n for mean in more.means] == [6, 6, 7]

    def test_a_condition_without_any_value_is_left_out_and_named(self):
        table = table_of(2, 6, 3)
        found = repeated_measures_table(np.insert(table, 1, np.nan, axis=1), ["a", "empty", "b", "c"])
        assert found.empty.tolist() == ["empty"]
        assert found.conditions.tolist() == ["a", "b", "c"]
        assert figures(found) == pytest.approx(figures(repeated_measures_table(table)))
        assert found.missing == 0


NONE = np.nan


class TestUndefined:
    @pytest.mark.parametrize(
        ("table", "reason"),
        [
            (np.empty((0, 0)), anova.NO_VALUES),
            ([[NONE, NONE], [NONE, NONE]], anova.NO_VALUES),
            ([[1], [2], [3]], anova.ONE_CONDITION),
            ([[1, NONE], [2, NONE]], anova.ONE_CONDITION),
            ([[1, 2, 3]], anova.ONE_SUBJECT),
            ([[4, 4], [4, 4], [4, 4]], anova.ALL_EQUAL),
            ([[0.1, 0.3], [0.5, 0.7], [0.2, 0.4]], anova.NO_ERROR),
            ([[1, 2, 3], [2, 3, 4], [5, 6, NONE]], anova.NO_ERROR),
            ([[1, NONE], [2, NONE], [NONE, 3], [NONE, 4]], anova.UNCONNECTED),
            ([[1, 2, NONE, NONE], [2, 1, NONE, NONE], [NONE, NONE, 4, 1]], anova.UNCONNECTED),
            ([[1, 2, NONE], [NONE, 5, 3]], anova.SATURATED),
        ],
    )
    def test_is_undefined_with_its_reason(self, table, reason):
        found = repeated_measures_table(table)
        assert (found.reason, found.defined) == (reason, False)
        assert np.isnan(figures(found)).all()
        for estimate in (found.partial_eta_squared, found.generalised_eta_squared):
            assert (estimate.defined, estimate.reason) == (False, reason)
        assert all(mean.defined and np.isnan(mean.low) and mean.reason == reason for mean in found.means)

    def test_nothing_at_all(self):
        assert repeated_measures([], [], []).reason == anova.NO_VALUES

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (([1, 2], ["a"], [1, 2]), "`condition` needs one id per value, 2"),
            (([1], ["a", "b"], [1, 2]), "`subject` needs one id per value, 2"),
            (([1, 2], ["a", "b"], [1, np.inf]), "at most 1e"),
            (([1, 2], ["a", "b"], [[1, 2]]), "`value` must be 1-d"),
            (([1, 2], np.array(["a", 3], dtype=object), [1, 2]), "`condition` must hold ids of one kind"),
        ],
    )
    def test_bad_input_is_reported(self, arguments, told):
        with pytest.raises(InputError, match=told):
            repeated_measures(*arguments)

    def test_bad_tables_and_levels_are_reported(self):
        with pytest.raises(InputError, match="`table` must be 2-d"):
            repeated_measures_table([1, 2])
        with pytest.raises(InputError, match="one id per column, 2"):
            repeated_measures_table([[1, 2]], ["a"])
        with pytest.raises(InputError, match="`level` must be between 0 and 1"):
            repeated_measures_table([[1, 2], [2, 1]], level=1)
