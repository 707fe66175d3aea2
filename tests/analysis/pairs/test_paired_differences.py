"""All pairs of systems by the jackknife: against refits, slow code for reference, laws and refusals."""

import importlib.util
from math import nan
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.pairs import cluster_jackknife
from analysis.pairs.cluster_jackknife import added_variances, cluster_changes
from analysis.pairs.least_squares import Design, fit_design
from analysis.pairs.paired_differences import MOST_COMPARED, PairedDifferences, paired_differences
from analysis.pairs.system_table import letters
from analysis.values.estimate import SCOPES, InputError

Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
REFERENCE = Path(__file__).resolve().parents[4] / "shared" / "reference-code" / "pairs.py"


def study(seed: int, systems: int, topics: int, raters: int, per_cell: int, again: float = 0.2) -> Columns:
    """Systems, topics and raters that vary, some ratings given twice."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((systems, topics, raters)), axis=2)[:, :, :per_cell]
    system, topic, _ = np.indices(who.shape)
    columns = [each.ravel() for each in (system, topic, who)]
    often = 1 + (rng.random(who.size) < again)
    system, topic, rater = (np.repeat(each, often) for each in columns)
    score = rng.normal(0, 0.5, raters)[rater] + rng.normal(0, 0.4, (systems, topics))[system, topic]
    score += rng.normal(0, 0.3, (systems, raters))[system, rater] + rng.normal(size=len(system))
    return system, topic, rater, score + 0.3 * system


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    if not REFERENCE.exists():
        pytest.skip("no slow code for reference: the folder ../shared does not stand beside this checkout")
    spec = importlib.util.spec_from_file_location("reference_pairs", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    "size",
    [(4, 8, 3, 3), (5, 10, 8, 2), (6, 20, 30, 2), (3, 12, 30, 1), (2, 7, 5, 3), (8, 6, 40, 3)],
    ids=str,
)
def test_errors_and_degrees_are_those_of_slow_code(
    reference: ModuleType, scope: str, size: tuple[int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "critical", lambda k, df, level: np.ones_like(df))
    columns = study(sum(size), *size)
    found = paired_differences(*columns, scope)  # type: ignore[arg-type]
    slow = reference.all_pairs(*columns, raters_random=scope == "raters like these")
    off = ~np.eye(size[0], dtype=bool)
    np.testing.assert_allclose(found.scores, slow.score, atol=1e-8)
    np.testing.assert_allclose(found.error[off], slow.error[off], rtol=1e-8)
    np.testing.assert_allclose(found.df[off], slow.df[off], rtol=1e-8)


def design(*columns: np.ndarray, count: np.ndarray | float = 1.0) -> Design:
    """The design of ratings of which each is a separate combination, or stands for so many."""
    system, topic, rater, score = columns
    cells, cell = np.unique(system * 1000 + topic, return_inverse=True)
    counts = np.broadcast_to(np.float64(count) if np.isscalar(count) else count, score.shape)
    return Design(cells // 1000, cells % 1000, cell, rater, counts, score * counts)


def scores(columns: Columns) -> np.ndarray:
    """The systems' scores by least squares on all dummies."""
    system, topic, rater, score = columns
    weight = 1 / np.array([((system == s) & (topic == t)).sum() for s, t in zip(system, topic, strict=True)])
    dummies = np.hstack([np.eye(int(each.max()) + 1)[each] for each in (system, topic, rater)])
    root = np.sqrt(weight)
    effect = np.linalg.pinv(dummies * root[:, None]) @ (score * root)
    return np.asarray(effect[: system.max() + 1] - effect[: system.max() + 1].mean())


@pytest.mark.parametrize(("topics", "raters"), [(7, 5), (6, 12)], ids=["more topics", "more raters"])
@pytest.mark.parametrize("equations", [0, 2_500], ids=["without a term for raters", "with"])
@pytest.mark.parametrize("few_rows", [0, 100], ids=["from the equations", "from the hat matrix"])
def test_the_change_without_a_cluster_is_that_of_a_new_fit(
    topics: int, raters: int, equations: int, few_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_jackknife, "FEW_ROWS", few_rows)
    columns = study(3, 3, topics, raters, 3, again=0.0)
    if equations == 0:
        columns = (*columns[:2], np.zeros_like(columns[2]), columns[3])
    system, topic, rater, score = columns
    weight = np.full(len(score), 1 / 3)
    made = fit_design(design(system, topic, rater, score))
    np.testing.assert_allclose(made.score, scores(columns), atol=1e-10)
    cells = topic * raters + rater
    for cluster in (topic, rater, np.unique(cells, return_inverse=True)[1]) if equations else (topic,):
        found = cluster_changes(made, cluster)
        levels = int(cluster.max()) + 1
        for one in range(levels):
            left = tuple(
                each[cluster != one] if at == 3 else np.unique(each[cluster != one], return_inverse=True)[1]
                for at, each in enumerate(columns)
            )
            again = _with_weights(left, weight[cluster != one])  # type: ignore[arg-type]
            by_hand = (made.score - again) * np.sqrt((levels - 1) / levels)
            np.testing.assert_allclose(found[one], by_hand, atol=1e-9)


def _with_weights(columns: Columns, weight: np.ndarray) -> np.ndarray:
    system, topic, rater, score = columns
    dummies = np.hstack([np.eye(int(each.max()) + 1)[each] for each in (system, topic, rater)])
    root = np.sqrt(weight)
    effect = np.linalg.pinv(dummies * root[:, None]) @ (score * root)
    systems = int(system.max()) + 1
    return np.asarray(effect[:systems] - effect[:systems].mean())


def test_a_cell_without_which_a_rater_is_unknown_changes_nothing() -> None:
    """Rater 4 meets the others in one cell only, whose score this rater's severity therefore explains."""
    columns = study(1, 3, 8, 4, 4, again=0.0)
    more = [
        np.append(each, two) for each, two in zip(columns, ([0, 0], [0, 8], [4, 4], [9.0, 2.0]), strict=True)
    ]
    system, topic, rater, score = more[0].astype(int), more[1].astype(int), more[2].astype(int), more[3]
    _, cell = np.unique(topic * 5 + rater, return_inverse=True)
    found = cluster_changes(fit_design(design(system, topic, rater, score)), cell)
    np.testing.assert_allclose(found[cell[-2:]], 0.0, atol=1e-9)
    assert (np.abs(found).max(axis=1) > 1e-6).sum() == 8 * 4


@pytest.mark.parametrize("raters", [5, 12])
def test_effects_add_the_variance_of_the_scores_that_they_move(raters: int) -> None:
    system, topic, rater, score = study(4, 3, 7, raters, 3, again=0.0)
    n = len(score)
    count = np.random.default_rng(4).integers(1, 4, (3, 7))[system, topic].astype(float)
    made = fit_design(design(system, topic, rater, score, count=count))
    moved = np.stack([scores((system, topic, rater, one)) for one in np.eye(n)])
    for cluster in (topic, rater, np.unique(topic * raters + rater, return_inverse=True)[1]):
        together, errors = added_variances(made, cluster)
        levels = int(cluster.max()) + 1
        for one in range(levels):
            inside = cluster == one
            by_system = [moved[inside & (system == of)].sum(axis=0) for of in range(3)]
            assert together[one] == pytest.approx(sum(float((each**2).sum()) for each in by_system))
            assert errors[one] == pytest.approx(float((moved[inside] ** 2 / count[inside, None]).sum()))


def test_two_systems_of_two_way_data_get_the_paired_t_interval() -> None:
    """Both systems, all topics, one rater: the differences of topics are a sample of normal numbers."""
    rng = np.random.default_rng(1)
    system, topic = (each.ravel() for each in np.indices((2, 12)))
    score = rng.normal(size=24) + system
    found = paired_differences(system, topic, np.zeros(24), score, "these raters")
    d = score[12:] - score[:12]
    low, high = stats.t.interval(0.95, 11, d.mean(), stats.sem(d))
    assert (found.low[1, 0], found.high[1, 0]) == pytest.approx((low, high), rel=1e-6)
    assert found.p[0, 1] == pytest.approx(stats.ttest_rel(score[12:], score[:12]).pvalue, rel=1e-6)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(SCOPES))
def test_severity_of_raters_changes_nothing(seed: int, scope: str) -> None:
    system, topic, rater, score = study(seed, 3, 7, 5, 5)
    severity = np.random.default_rng(seed).normal(0, 3, 5)
    one, other = (
        paired_differences(system, topic, rater, each, scope)  # type: ignore[arg-type]
        for each in (score, score + severity[rater])
    )
    np.testing.assert_allclose(one.low, other.low, atol=1e-8)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(SCOPES), st.floats(0.01, 100))
def test_names_order_and_unit_change_nothing_else(seed: int, scope: str, unit: float) -> None:
    columns = study(seed, 3, 7, 5, 2)
    found = paired_differences(*columns, scope)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(columns[3]))
    names = [rng.permutation(int(each.max()) + 1) for each in columns[:3]]
    again = paired_differences(
        *(names[at][columns[at]][order] for at in range(3)),
        unit * columns[3][order] + 7,
        scope,  # type: ignore[arg-type]
    )
    np.testing.assert_allclose(again.select(names[0]).low, unit * found.low, rtol=1e-6, atol=1e-9 * unit)


def test_the_interval_excludes_0_exactly_where_a_pair_differs() -> None:
    found = paired_differences(*study(2, 8, 20, 6, 6), "raters like these")
    off = ~np.eye(8, dtype=bool)
    assert (((found.low > 0) | (found.high < 0)) & off == found.is_different).all()
    assert ((found.p < 0.05)[off] == found.is_different[off]).all()
    assert 0 < found.number_different < found.pairs == 28
    np.testing.assert_array_equal(found.low[off], -found.high.T[off])


def refused(*columns: object, scope: str = "these raters", **more: object) -> str:
    found: PairedDifferences = paired_differences(*columns, scope, **more)  # type: ignore[arg-type]
    assert np.isnan(found.low).all()
    assert set(found.letters) <= {""}
    return found.reason


@pytest.mark.parametrize("scope", SCOPES)
def test_a_preference_of_all_raters_who_share_each_cell_is_found(scope: str) -> None:
    """Sixteen systems, three raters in every cell, all of whom prefer M22 to M11 by 1 to 3 points."""
    rng = np.random.default_rng(22)
    system, topic, rater = (each.ravel() for each in np.indices((16, 30, 3)))
    score = 3 + rng.normal(0, 0.3, 30)[topic] + rng.normal(0, 0.3, 3)[rater] + rng.normal(0, 0.3, len(system))
    score = score + np.where(system == 15, np.array([2.0, 2.2, 1.8])[rater], 0.0)  # M22 is the last one
    means = score.reshape(16, 30, 3).mean(axis=1)
    assert ((means[15] - means[:15] > 1) & (means[15] - means[:15] < 3)).all()
    found = paired_differences(system, topic, rater, score, scope)
    assert found.is_different[15, :15].all()
    assert (found.low[15, :15] > 0).all()
    among_equals = found.is_different[:15, :15]
    assert among_equals.sum() <= 2 * 5


def test_too_few_topics_or_raters_are_refused() -> None:
    assert "6 topics" in refused(*study(0, 3, 5, 4, 4))
    assert "3 raters" in refused(*study(0, 3, 8, 2, 2), scope="raters like these")
    assert not paired_differences(*study(0, 3, 8, 2, 2), "these raters").reason
    assert str(MOST_COMPARED) in refused(*study(0, MOST_COMPARED + 1, 6, 2, 1))


def test_systems_that_nothing_connects_are_refused() -> None:
    system, topic, rater, score = study(0, 4, 12, 4, 2)
    assert "different raters" in refused(system, topic, system, score)
    halves = system // 2
    assert "share no topic" in refused(system, topic + 100 * halves, rater, score)


def test_differences_that_do_not_vary_are_refused() -> None:
    system, topic, rater, _ = study(0, 3, 8, 4, 4)
    assert "do not vary" in refused(system, topic, rater, 2.0 * system + topic + 3 * rater)
    assert "do not vary" in refused(system, topic, rater, np.ones(len(system)))


def test_a_system_of_one_topic_is_compared_with_none() -> None:
    columns = study(4, 3, 8, 4, 4)
    more = [np.append(each, one) for each, one in zip(columns, (3, 0, 0, 9.0), strict=True)]
    found, without = paired_differences(*more), paired_differences(*columns)
    assert np.isnan(found.low[3]).all()
    assert (found.letters[3], np.isnan(found.scores[3])) == ("", True)
    np.testing.assert_allclose(found.low[:3, :3], without.low)


def test_items_of_one_system_each_are_compared_like_independent_groups() -> None:
    """Every rater rates all items; with two systems of equal size it is Student's test, a little cautious."""
    rng = np.random.default_rng(3)
    item, rater = (each.ravel() for each in np.indices((40, 3)))
    score = rng.normal(0, 1, 40)[item] + rng.normal(0, 1, 3)[rater]
    system = item % 2
    found = paired_differences(system, item, rater, score, "these raters", has_topics=False)
    means = score.reshape(40, 3).mean(axis=1)
    low, high = stats.ttest_ind(means[1::2], means[::2]).confidence_interval()
    assert high - low <= found.high[1, 0] - found.low[1, 0] <= 1.06 * (high - low)
    assert found.differences[1, 0] == pytest.approx(means[1::2].mean() - means[::2].mean())


def test_lengths_must_agree() -> None:
    with pytest.raises(InputError, match="equally long"):
        paired_differences([1, 2], [1, 2], [1], [1.0, 2.0])
    with pytest.raises(InputError):
        paired_differences([1], [1], [1], [nan])


def test_pairs_told_apart_without_an_order_end_without_letters_not_without_end() -> None:
    apart = np.random.default_rng(0).random((60, 60)) < 0.4
    assert set(letters(range(60), apart | apart.T)) == {""}
