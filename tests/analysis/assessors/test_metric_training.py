"""The search against slow loops and planted truth; what cannot be trained says why."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.assessors.automatic_metrics import MetricScores, metric_agreement
from analysis.assessors.consistency import Assessments
from analysis.assessors.metric_training import (
    METHODS,
    MOST_FITS,
    TrainingSpec,
    default_largest_subset,
    number_of_fits,
    table5,
    train,
)
from analysis.assessors.subset_regression import fit_canonical, fit_huber, fit_non_negative
from analysis.assessors.summary_scores import SummaryScores, summary_scores
from analysis.values.estimate import BootstrapSpec, InputError

SPEC = TrainingSpec(0, 1, 2, largest_subset=2, bootstrap=BootstrapSpec(draws=200))


def study(seed=0, topics=8, systems=12, features=4, carrying=2, noise=0.5, noisy=(), rubbish=6.0, raters=4):
    """One feature carries the score; topics differ; `noisy` raters write down rubbish in A and B."""
    rng = np.random.default_rng(seed)
    n = 3 * topics * systems
    split, topic = np.repeat(np.arange(3), topics * systems), np.repeat(np.arange(3 * topics), systems)
    system, rater = (
        np.tile(np.arange(systems), 3 * topics),
        np.repeat(np.arange(3 * topics), systems) % raters,
    )
    quality = rng.normal(0, 1, systems)[system] + rng.normal(0, 1, n)
    numbers = rng.normal(0, 1, (n, features))
    numbers[:, carrying] = quality
    spread = np.where(np.isin(rater, noisy) & (split < 2), rubbish, noise)
    scores = quality + rng.normal(0, 2, 3 * topics)[topic] + rng.normal(0, 1, n) * spread
    return SummaryScores(
        numbers,
        np.column_stack([scores, quality + rng.normal(0, 3, n)]),
        system,
        topic,
        split,
        rater,
        topic % 2,
        system >= 3,
    )


def system_score(rows, values):
    """Mean over topics of topic means, by loops."""
    return [
        np.mean(
            [
                values[(rows.system == s) & (rows.topic == t)].mean()
                for t in np.unique(rows.topic[rows.system == s])
            ]
        )
        for s in np.unique(rows.system)
    ]


def slow(rows, response, spec, without=()):
    """The search as the paper tells it, one model at a time."""

    def of(split, raters):
        return rows.select((rows.split == split) & ~np.isin(rows.rater, raters))

    first, second, third = of(spec.train, without), of(spec.choose, without), of(spec.test, ())

    def fitted(method, part, subset):
        places = np.array([subset])
        if method == "huber":
            return fit_huber(part.features, part.scores[:, response], places)
        if method == "nnls":
            return fit_non_negative(part.features, part.scores[:, response], places)
        return fit_canonical(part.features, part.scores, places, response)

    def judged(model, part):
        predicted = system_score(part, model.predict(part.features)[0])
        if np.ptp(predicted) < 1e-9:
            return -np.inf
        return np.corrcoef(predicted, system_score(part, part.scores[:, response]))[0, 1]

    candidates = [
        (judged(fitted(method, first, subset), second), method, subset)
        for size in range(1, spec.largest_subset + 1)
        for subset in combinations(range(rows.features.shape[1]), size)
        for method in spec.methods
    ]
    best = max(correlation for correlation, _, _ in candidates)
    chosen = [c for c in candidates if c[0] > best - 1e-9]
    return best, chosen, [judged(fitted(m, second, subset), third) for _, m, subset in chosen]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("without", [(), (1, 2)])
@pytest.mark.parametrize("response", [0, 1])
def test_the_search_is_the_slow_one(seed, without, response):
    rows = study(seed, topics=4, systems=6, noise=2.0)
    keep = np.random.default_rng(seed).random(len(rows)) < 0.8
    rows = rows.select(keep)
    found = train(rows, response, SPEC, without)
    best, chosen, tested = slow(rows, response, SPEC, without)
    assert found.correlation_choose == pytest.approx(best, abs=1e-9)
    assert (found.method, found.features) in [(method, subset) for _, method, subset in chosen]
    at = [(method, subset) for _, method, subset in chosen].index((found.method, found.features))
    assert found.correlation_test.value == pytest.approx(tested[at], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_feature_that_carries_the_score_is_chosen(method):
    rows = study(1, topics=10, systems=20, features=6, carrying=4)
    found = train(rows, 0, replace(SPEC, methods=(method,), largest_subset=1))
    assert found.features == (4,)
    assert found.coefficients[0] > 0
    assert found.correlation_test.value > 0.9
    low, high = found.correlation_test.low, found.correlation_test.high
    assert low <= found.correlation_test.value <= high


def test_leaving_out_noisy_raters_helps_the_metric():
    gains, choices = [], []
    for seed in range(12):
        rows = study(seed, topics=6, systems=15, features=6, noisy=(0, 1), rubbish=12.0)
        spec = replace(SPEC, methods=("huber",), bootstrap=BootstrapSpec(draws=0))
        everyone, without = train(rows, 0, spec), train(rows, 0, spec, (0, 1))
        gains.append(without.correlation_test.value - everyone.correlation_test.value)
        choices.append(without.correlation_choose - everyone.correlation_choose)
    assert np.mean(choices) > 0.1
    assert np.mean(gains) > 0.005


def test_the_test_split_keeps_everyone():
    rows = study(2)
    everyone, without = train(rows, 0, SPEC), train(rows, 0, SPEC, (0,))
    assert everyone.summaries[2] == without.summaries[2]
    assert without.summaries[:2] == tuple(int(((rows.split == s) & (rows.rater != 0)).sum()) for s in (0, 1))


def test_table_5_has_a_cell_for_each_condition_and_kind():
    rows = study(3, systems=14)
    cells = table5(rows, 0, SPEC, (0,))
    assert [(c.systems_only, c.condition) for c in cells] == [(True, 0), (True, 1), (False, 0), (False, 1)]
    for cell in cells:
        mask = (rows.condition == cell.condition) & (rows.machine if cell.systems_only else True)
        alone = train(rows.select(mask), 0, SPEC, (0,))
        assert cell.left_out.correlation_test == alone.correlation_test
        assert cell.difference.value == alone.correlation_test.value - cell.everyone.correlation_test.value
        assert cell.difference.low <= cell.difference.value <= cell.difference.high
    assert cells[0].everyone.systems == 11
    assert cells[2].everyone.systems == 14


def test_a_difference_between_equal_metrics_is_nothing_for_sure():
    rows = study(4)
    (cell, *_) = table5(rows, 0, SPEC, (99,))  # nobody has this code
    assert (cell.difference.value, cell.difference.low, cell.difference.high) == (0, 0, 0)


def test_without_anybody_to_leave_out_there_is_one_metric():
    (cell, *_) = table5(study(4), 0, SPEC)
    assert cell.left_out is None
    assert "nobody" in cell.difference.reason


def test_one_kind_and_no_condition_make_one_cell():
    rows = replace(study(5), condition=None, machine=None)
    assert [(c.systems_only, c.condition) for c in table5(rows, 0, SPEC)] == [(False, -1)]


@pytest.mark.slow
@pytest.mark.parametrize("raters", [1, 4])
def test_the_interval_covers_what_other_topics_would_have_shown(raters):
    """Predictions fixed, as many topics anew: the interval of one study holds their mean correlation."""
    covered = []
    for seed in range(60):
        rows = study(seed, topics=12, systems=15, features=1, carrying=0, noise=3.0, raters=raters)
        spec = replace(SPEC, methods=("huber",), largest_subset=1, bootstrap=BootstrapSpec(200, seed))
        found = train(rows, 0, spec).correlation_test
        of_system = np.random.default_rng(seed).normal(0, 1, 15)  # as `study` drew them
        rng = np.random.default_rng([seed, 1])
        quality = of_system + rng.normal(0, 1, (150, 12, 15))
        scores = quality + rng.normal(0, 3, (150, 12, 15))
        again = [
            np.corrcoef(q, s)[0, 1] for q, s in zip(quality.mean(axis=1), scores.mean(axis=1), strict=True)
        ]
        covered.append(found.low <= np.mean(again) <= found.high)
    assert np.mean(covered) >= 0.9


def crossed(rows):
    """A second assessor for each summary."""
    again = replace(rows, rater=rows.rater + 10, scores=rows.scores + 0.3)
    return SummaryScores(
        *(
            np.concatenate([getattr(rows, name), getattr(again, name)])
            for name in ("features", "scores", "system", "topic", "split", "rater", "condition", "machine")
        )
    )


@pytest.mark.parametrize("several", [False, True])
def test_a_trained_metric_has_the_interval_of_any_metric(several):
    rows = study(7, topics=8, systems=6)
    rows = crossed(rows) if several else rows
    found = train(rows, 0, SPEC)
    test = rows.select(rows.split == 2)
    predicted = found.intercept + test.features[:, list(found.features)] @ found.coefficients
    columns = predicted, np.arange(len(test)), test.system, test.topic, test.rater, test.scores[:, 0]
    held = metric_agreement(MetricScores(*columns), bootstrap=SPEC.bootstrap)
    told, expected = found.correlation_test, held.system_level.before
    assert [told.value, told.low, told.high] == pytest.approx([expected.value, expected.low, expected.high])
    assert found.resampled == (
        "systems, raters and topics" if several else "systems and raters with their topics"
    )


def test_a_metric_that_learned_the_same_without_them_does_not_differ():
    (cell, *_) = table5(study(8, topics=8, systems=12), 0, SPEC, (99,))
    assert [cell.difference.value, cell.difference.low, cell.difference.high] == pytest.approx(
        [0, 0, 0], abs=1e-6
    )


def test_the_same_seed_gives_the_same_and_progress_reaches_the_end():
    told = []
    first = table5(study(8), 0, SPEC, (1,), told.append)
    second = table5(study(8), 0, SPEC, (1,))
    assert [c.difference for c in first] == [c.difference for c in second]
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)


def test_a_stop_in_the_callback_stops():
    def stop(share):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        train(study(8), 0, SPEC, on_progress=stop)


@settings(max_examples=15, deadline=None)
@given(seed=some.integers(0, 1000), order=some.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(seed, order):
    rows = study(seed, topics=3, systems=5)
    places = list(range(len(rows)))
    order.shuffle(places)
    one, other = train(rows, 0, SPEC), train(rows.select(np.array(places)), 0, SPEC)
    assert one.correlation_choose == pytest.approx(other.correlation_choose, abs=1e-9)
    if one.features == other.features and one.method == other.method:
        assert one.correlation_test.value == pytest.approx(other.correlation_test.value, abs=1e-7)


@settings(max_examples=15, deadline=None)
@given(seed=some.integers(0, 1000), scale=some.floats(0.1, 10), shift=some.floats(-5, 5))
def test_correlations_do_not_hang_on_the_scale_of_scores_or_features(seed, scale, shift):
    rows = study(seed, topics=3, systems=6)
    other = replace(rows, scores=rows.scores * scale + shift, features=rows.features * scale - shift)
    assert train(other, 0, SPEC).correlation_choose == pytest.approx(
        train(rows, 0, SPEC).correlation_choose, abs=1e-6
    )


def test_more_to_choose_from_never_lowers_the_choice():
    for seed in range(5):
        rows = study(seed, noise=3.0)
        one = train(rows, 0, replace(SPEC, largest_subset=1))
        all_of_them = train(rows, 0, replace(SPEC, largest_subset=4))
        assert all_of_them.correlation_choose >= one.correlation_choose
        assert all_of_them.fits > one.fits


def test_unknown_features_and_scores_are_left_out_and_counted():
    rows = study(9)
    rows.features[:5, 1] = np.nan
    rows.scores[5:7, 0] = np.nan
    found = train(rows, 0, SPEC)
    assert found.unknown == 7
    assert found.summaries[0] == (rows.split == 0).sum() - 7
    assert found.correlation_test.defined


def test_canonical_correlation_is_left_out_where_no_judgment_has_all_measures():
    rows = study(10)
    rows.scores[:, 1] = np.nan
    both = train(rows, 0, SPEC)
    assert both.method in ("huber", "nnls")
    assert train(rows, 0, replace(SPEC, methods=("cca",))).reason


def test_a_redundant_feature_is_no_obstacle():
    rows = study(11)
    doubled = replace(rows, features=np.column_stack([rows.features, rows.features[:, 2] * 3 + 1]))
    assert train(doubled, 0, SPEC).correlation_choose == pytest.approx(
        train(rows, 0, SPEC).correlation_choose, abs=1e-9
    )


def constant_features(rows):
    return replace(rows, features=np.ones_like(rows.features))


def unknown_features(rows):
    return replace(rows, features=np.full_like(rows.features, np.nan))


def equal_scores(rows):
    return replace(rows, scores=np.where((rows.split == 2)[:, None], 3.0, rows.scores))


def two_systems(rows):
    return rows.select(rows.system < 2)


def few(rows):
    return rows.select((rows.split > 0) | (np.arange(len(rows)) < 2))


def constant_later(rows):
    return replace(rows, features=np.where((rows.split == 2)[:, None], 1.0, rows.features))


@pytest.mark.parametrize(
    ("change", "without", "reason"),
    [
        (lambda rows: rows.select(rows.split > 0), (), "training split has no judgment"),
        (lambda rows: rows.select(rows.split != 1), (), "choosing split has no judgment"),
        (lambda rows: rows.select(rows.split < 2), (), "test split has no judgment"),
        (lambda rows: rows, (0, 1, 2, 3), "training split has no judgment"),
        (few, (), "fewer judgments"),
        (two_systems, (), "three systems"),
        (constant_features, (), "every feature is constant"),
        (unknown_features, (), "no judgment"),
        (equal_scores, (), "same mean score"),
        (constant_later, (), "same score"),
    ],
)
def test_what_cannot_be_trained_says_why(change, without, reason):
    found = train(change(study(12)), 0, SPEC, without)
    assert np.isnan(found.correlation_test.value)
    assert reason in found.reason
    assert found.correlation_test.reason == found.reason
    (cell, *_) = table5(change(study(12)), 0, SPEC, without or (0,))
    assert np.isnan(cell.difference.value)
    assert cell.difference.reason


def test_more_features_than_summaries_limit_the_subsets():
    rows = study(13, topics=1, systems=5, features=8)
    found = train(rows, 0, replace(SPEC, largest_subset=8))
    assert 1 <= len(found.features) <= 3


def test_over_one_topic_only_systems_are_drawn():
    trained = train(study(14, topics=1), 0, SPEC)
    assert trained.resampled == "systems"
    assert trained.correlation_test.low < trained.correlation_test.value < trained.correlation_test.high


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: TrainingSpec(0, 0, 1), "three different splits"),
        (lambda: TrainingSpec(0, 1, 2, methods=()), "`methods`"),
        (lambda: TrainingSpec(0, 1, 2, methods=("ridge",)), "`methods`"),
        (lambda: TrainingSpec(0, 1, 2, largest_subset=0), "`largest_subset`"),
        (lambda: train(study(), 5, SPEC), "`response`"),
        (lambda: train(study(features=30), 0, replace(SPEC, largest_subset=6)), "`largest_subset`"),
        (lambda: replace(study(), topic=np.arange(3)), "`topic`"),
    ],
)
def test_mistakes_are_reported(call, told):
    with pytest.raises(InputError, match=told):
        call()


def test_the_number_of_fits_counts_all_subsets_and_methods():
    assert number_of_fits(5, 5) == 3 * (2**5 - 1)
    assert number_of_fits(10, 2, 1) == 55
    for features in (1, 3, 8, 11, 14, 40, 300):
        largest = default_largest_subset(features)
        assert 1 <= largest <= features
        assert number_of_fits(features, largest) <= max(2000, 3 * features)
        assert number_of_fits(features, largest) <= MOST_FITS


def assessed(measure, rows):
    """Rows of (item, rater, score, system, topic, split)."""
    item, rater, score, system, topic, split = (np.array(column) for column in zip(*rows, strict=True))
    none = np.full(len(item), -1)
    blank = np.zeros(len(item))
    return Assessments(measure, item, rater, score * 1.0, blank, blank, system, topic, none, split, none)


def test_judgments_put_all_measures_of_an_item_and_rater_into_one_row():
    first = assessed("a", [(0, 0, 1, 0, 0, 0), (0, 0, 2, 0, 0, 0), (1, 1, 5, 1, -1, 1), (2, 1, 4, -1, 0, 1)])
    second = assessed("b", [(1, 1, 3, 1, -1, 1), (1, 0, 2, 1, -1, 1)])
    found = summary_scores([first, second], np.array([[0.5], [0.7], [0.9]]), np.array([True, False]))
    assert found.features[:, 0].tolist() == [0.5, 0.7, 0.7]
    assert np.array_equal(found.scores, [[1.5, np.nan], [np.nan, 2], [5, 3]], equal_nan=True)
    assert found.rater.tolist() == [0, 0, 1]
    assert found.topic.tolist() == [0, 2, 2]  # topics end at 0; item 1 without one is a topic of its own
    assert found.machine.tolist() == [True, False, False]
    assert found.condition is None


def test_no_measure_is_reported():
    with pytest.raises(InputError, match="`measures`"):
        summary_scores([], np.empty((0, 1)))
