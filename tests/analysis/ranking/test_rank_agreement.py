"""Kendall's W over tasks, and each rater's correlation with the others, against formulas and slow versions."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, pearsonr, spearmanr

from analysis.systems.rank_agreement import concordance, correlation_with_others, correlation_with_position
from analysis.systems.ranked_options import RankedOptions, RankingScope, ranked_options
from analysis.systems.rankings import kendalls_w

EXAMPLE = np.array([(1, 2, 3, 4, 5, 6), (2, 1, 3, 4, 6, 5), (1, 3, 2, 5, 4, 6), (3, 1, 2, 4, 5, 6)])


def of_tables(*tables: np.ndarray) -> RankedOptions:
    rows = [
        (task, rater, option, rank)
        for task, table in enumerate(tables)
        for (rater, option), rank in np.ndenumerate(table)
    ]
    return ranked_options(*np.array(rows).T)


def drawn(tasks: int, raters: int, options: int, seed: int, agree: float = 1.0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=options)
    return [
        np.argsort(np.argsort(agree * quality + rng.normal(size=(raters, options)), axis=1), axis=1) + 1
        for _ in range(tasks)
    ]


def test_one_task_has_kendalls_w_and_its_test() -> None:
    found = concordance(of_tables(EXAMPLE))
    assert found.w.value == pytest.approx(0.8571, abs=1e-4)
    assert found.p == kendalls_w(EXAMPLE).p
    assert found.by_task[0].chi_squared == pytest.approx(17.143, abs=1e-3)
    pairs = [spearmanr(EXAMPLE[i], EXAMPLE[j]).statistic for i in range(4) for j in range(i)]
    assert found.correlation.value == pytest.approx(np.mean(pairs))
    assert found.w.low < found.w.value < found.w.high


def test_chi_squared_is_friedmans() -> None:
    [table] = drawn(1, 20, 5, 1)
    assert concordance(of_tables(table)).by_task[0].chi_squared == pytest.approx(
        friedmanchisquare(*table.T).statistic
    )


def test_over_tasks_sums_are_divided() -> None:
    tables = drawn(8, 6, 4, 2)
    found = concordance(of_tables(*tables))
    assert found.w.value == pytest.approx(np.mean([kendalls_w(table).value for table in tables]))
    assert found.correlation.value == pytest.approx((6 * found.w.value - 1) / 5)
    assert found.over == "items and raters"


@pytest.mark.parametrize(
    ("scope", "by"),
    [
        (RankingScope("these raters", "tasks like these"), "task"),
        (RankingScope("raters like these", "these tasks"), "rater"),
        (RankingScope("these raters", "these tasks"), "ranking"),
    ],
)
def test_the_interval_of_a_scope_is_the_jackknife_over_its_clusters(scope: RankingScope, by: str) -> None:
    from scipy.stats import t

    ranked = of_tables(*drawn(6, 7, 4, 5))
    found, cluster = concordance(ranked, scope=scope), getattr(ranked, by)

    def without(code: int) -> float:
        keep = cluster != code
        kept = (getattr(ranked, name)[keep] for name in ("task", "rater", "option", "rank"))
        return float(np.arctanh(concordance(ranked_options(*kept)).correlation.value))

    left = np.array([without(code) for code in np.unique(cluster)])
    g, z = len(left), np.arctanh(found.correlation.value)
    reach = t.ppf(0.975, g - 1) * np.sqrt((g - 1) / g * ((left - left.mean()) ** 2).sum())
    expected = np.tanh([z - reach, z + reach])
    assert (found.correlation.low, found.correlation.high) == pytest.approx(tuple(expected))
    assert found.p == concordance(ranked).p  # the test is one, whatever the interval is of


def test_the_interval_is_the_jackknife_over_raters_of_one_task() -> None:
    from scipy.stats import t

    [table] = drawn(1, 9, 5, 3)
    found = concordance(of_tables(table))

    def z(raters: np.ndarray) -> float:
        m = len(raters)
        return float(np.arctanh((m * kendalls_w(raters).value - 1) / (m - 1)))

    left = np.array([z(np.delete(table, at, axis=0)) for at in range(9)])
    error = np.sqrt(8 / 9 * ((left - left.mean()) ** 2).sum())
    low = np.tanh(z(table) - t.ppf(0.975, 8) * error)
    assert found.correlation.low == pytest.approx(low)
    assert found.w.low == pytest.approx(max((1 + 8 * low) / 9, 0))


def test_rankings_of_other_options_are_left_out() -> None:
    rows = [(0, rater, option, option + 1) for rater in range(3) for option in range(4)]
    rows += [(0, 3, option, option) for option in range(1, 4)]
    found = concordance(ranked_options(*zip(*rows, strict=True)))
    assert (found.w.value, found.w.n, found.left_out) == (pytest.approx(1), 3, 1)


def test_undefined_figures_have_a_reason() -> None:
    alone = concordance(ranked_options([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 1, 2]))
    assert not alone.w.defined
    assert alone.w.reason
    tied = concordance(of_tables(np.ones((3, 4))))
    assert "ties all" in tied.w.reason
    two = concordance(of_tables(EXAMPLE[:2]))
    assert np.isnan(two.w.low)
    assert two.w.warning


def test_each_rater_is_compared_with_the_mean_ranks_of_the_others() -> None:
    tables = drawn(12, 5, 4, 4)
    found = correlation_with_others(of_tables(*tables))
    own, others = [], []
    for table in tables:
        scaled = (table - 1) / 3
        own.append(scaled[0] - scaled[0].mean())
        mean = np.delete(scaled, 0, axis=0).mean(axis=0)
        others.append(mean - mean.mean())
    whole = np.corrcoef(np.concatenate(own), np.concatenate(others))[0, 1]
    without = np.corrcoef(np.concatenate(own[1:]), np.concatenate(others[1:]))[0, 1]
    assert np.tanh(found.z[0]) == pytest.approx(whole)
    first = (found.rater == 0) & (found.unit == 0)
    assert found.change[first] == pytest.approx(np.arctanh(without) - np.arctanh(whole))
    assert found.units.tolist() == [12] * 5


def test_ranks_that_follow_the_position_correlate_with_it() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (task, rater, option, rank, shown)
        for task in range(10)
        for rater in range(3)
        for option, (rank, shown) in enumerate(
            zip(rng.permutation(4) + 1, rng.permutation(4) + 1, strict=True)
        )
    ]
    ranked = ranked_options(*np.array(rows, dtype=float).T)
    rank = np.where(ranked.rater == 0, ranked.position, ranked.rank)
    follower = ranked_options(ranked.task, ranked.rater, ranked.option, rank, ranked.position)
    raters, r = correlation_with_position(follower)
    assert raters.tolist() == [0, 1, 2]
    assert r[0] == pytest.approx(1)
    own = (
        follower.rater == 1
    )  # complete rankings of one length: centered alike, so that Pearson's r is of all
    assert r[1] == pytest.approx(pearsonr(follower.rank[own], follower.position[own]).statistic)
    unknown = ranked_options([0, 0], [0, 0], [0, 1], [1, 2])
    assert np.isnan(correlation_with_position(unknown)[1]).all()
