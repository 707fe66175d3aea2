import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.relevance.judgments import Judgments, MetricTable, judged_texts
from analysis.relevance.partitions import (
    BIN_EDGES,
    NO_TEXTS,
    NOTHING_TO_DRAW,
    PERFECT,
    SAME_METRIC,
    SAME_RATE,
    PartitionSpec,
    partition_intervals,
    partition_study,
)
from analysis.values.estimate import BootstrapSpec, InputError

FEW = PartitionSpec(draws=30)
QUICK = BootstrapSpec(draws=150)


def study(seed=0, raters=5, documents=(7, 7, 7), surrogates=2, missing=0.0, **changed):
    """Columns of judgments, right the more often the higher the metric, and the metric's values."""
    rng = np.random.default_rng(seed)
    event = np.repeat(np.arange(len(documents)), documents)
    texts = [(e, d, s) for d, e in enumerate(event.tolist()) for s in range(surrogates)]
    metric = dict(zip(texts, rng.normal(0.3, 0.1, len(texts)).round(3).tolist(), strict=True))
    rows = [
        (rater, *text, rng.random() < 0.65 + metric[text] - 0.3)
        for rater in range(raters)
        for text in texts
        if rng.random() >= missing
    ]
    rater, event, document, surrogate, right = (np.array(column) for column in zip(*rows, strict=True))
    truth = rng.integers(0, 2, len(rows)).astype(float)
    columns = {
        "rater": rater,
        "event": event,
        "document": document,
        "surrogate": surrogate,
        "judgment": np.where(right, truth, 1 - truth),
        "truth": truth,
        "metric": metric,
    }
    return columns | changed


PERSONAL = ("rater", "event", "document", "surrogate", "judgment")


def texts_of(columns):
    metric = columns["metric"]
    table = MetricTable(*np.array(list(metric)).T, list(metric.values()))
    judgments = Judgments(**{name: columns[name] for name in PERSONAL})
    return judged_texts(judgments, columns["truth"], table)


def by_hand(columns, surrogate, size, draws, seed):
    """Every draw's groups one after the other: rates and metrics of the groups, and their correlation."""
    documents = sorted(set(zip(columns["event"].tolist(), columns["document"].tolist(), strict=True)))
    own = columns["surrogate"] == surrogate
    keys = np.random.default_rng(seed).random((draws, len(documents)))
    found = []
    for draw in range(draws):
        rates, metrics = [], []
        for event in sorted(set(columns["event"].tolist())):
            here = [
                (keys[draw, place], e, d)
                for place, (e, d) in enumerate(documents)
                if e == event and (own & (columns["event"] == e) & (columns["document"] == d)).any()
            ]
            order = [(e, d) for _, e, d in sorted(here)]
            for start in range(0, len(order) - size + 1, size):
                group = order[start : start + size]
                rows = own & np.isin(columns["document"], [d for _, d in group])
                rates.append((columns["judgment"] == columns["truth"])[rows].mean())
                metrics.append(np.mean([columns["metric"][e, d, surrogate] for e, d in group]))
        found.append((rates, metrics))
    return found


@given(
    seed=some.integers(0, 10**6),
    size=some.sampled_from([1, 2, 3, 4]),
    documents=some.sampled_from([(7, 7, 7), (3, 8, 5, 8), (1, 12)]),
    missing=some.sampled_from([0.0, 0.5]),
)
@settings(max_examples=12, deadline=None)
def test_every_draw_equals_its_groups_one_after_the_other(seed, size, documents, missing):
    columns = study(seed, documents=documents, missing=missing)
    found = partition_study(texts_of(columns), PartitionSpec((size,), draws=12, seed=seed))
    for surrogate in (0, 1):
        partition = found.of(surrogate, size)
        expected = by_hand(columns, surrogate, size, 12, seed)
        rates = np.concatenate([rates for rates, _ in expected])
        assert (partition.largest_rate, partition.smallest_rate) == pytest.approx((rates.max(), rates.min()))
        assert partition.groups == len(expected[0][0])
        if partition.groups < 3:
            assert np.isnan(partition.correlations).all()
            continue
        r = [
            stats.pearsonr(rates, metrics).statistic
            if np.ptp(rates) > 1e-12 and np.ptp(metrics) > 1e-12
            else np.nan
            for rates, metrics in expected
        ]
        np.testing.assert_allclose(partition.correlations, r, atol=1e-10)
        known = np.array(r)[~np.isnan(r)]
        assert partition.mean == pytest.approx(known.mean())
        assert partition.sd == pytest.approx(known.std(ddof=1), abs=1e-10)
        assert (partition.low, partition.high) == pytest.approx(tuple(np.quantile(known, [0.05, 0.95])))
        assert partition.counts.sum() == len(known)
        assert partition.undefined == pytest.approx(np.isnan(r).mean())


def test_by_hand():
    # one event, six documents, two raters; right answers 2 0 2 1 1 0 of 2
    hits = [2, 0, 2, 1, 1, 0]
    metric = [0.6, 0.1, 0.5, 0.3, 0.2, 0.1]
    columns = {
        "rater": [0] * 6 + [1] * 6,
        "event": [0] * 12,
        "document": list(range(6)) * 2,
        "surrogate": np.zeros(12, dtype=int),
        "judgment": [int(h > 0) for h in hits] + [int(h > 1) for h in hits],
        "truth": np.ones(12),
        "metric": {(0, d, 0): value for d, value in enumerate(metric)},
    }
    found = partition_study(texts_of(columns), PartitionSpec((1, 2, 4), draws=200))
    alone, pairs, fours = (found.of(0, size) for size in (1, 2, 4))
    # deviations of hits: 1 -1 1 0 0 -1; of the metric: .3 -.2 .2 0 -.1 -.2
    assert alone.mean == pytest.approx(0.9 / np.sqrt(4 * 0.22))
    assert (alone.sd, alone.largest_rate, alone.smallest_rate) == (0, 1, 0)
    assert (pairs.groups, pairs.left_over, pairs.largest_rate, pairs.smallest_rate) == (3, 0, 1, 0)
    assert (fours.groups, fours.left_over, fours.documents) == (1, 2, 6)
    assert fours.reason == "a correlation needs at least 3 groups; the 6 documents of its events fill 1 of 4"
    # 15 ways to pair six documents; 4 of them give every pair one and a half judgments, or the like
    pairings = _pairings(list(range(6)))
    sums = [([hits[a] + hits[b] for a, b in p], [metric[a] + metric[b] for a, b in p]) for p in pairings]
    known = {round(stats.pearsonr(h, m).statistic, 9) for h, m in sums if len(set(h)) > 1}
    assert set(pairs.correlations[~np.isnan(pairs.correlations)].round(9)) == known
    share = np.mean([len(set(h)) == 1 for h, _ in sums])
    assert pairs.undefined == pytest.approx(share, abs=0.1)
    assert pairs.reason == (SAME_RATE if share else "")


def _pairings(left):
    if not left:
        return [[]]
    first, *others = left
    return [
        [(first, other), *rest]
        for other in others
        for rest in _pairings([each for each in others if each != other])
    ]


@given(some.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_one_document_per_group_is_the_correlation_over_documents(seed):
    columns = study(seed)
    partition = partition_study(texts_of(columns), FEW).of(1, 1)
    own = columns["surrogate"] == 1
    right = columns["judgment"] == columns["truth"]
    documents = sorted(set(columns["document"].tolist()))
    rates = [right[own & (columns["document"] == d)].mean() for d in documents]
    metric = {d: value for (_, d, s), value in columns["metric"].items() if s == 1}
    expected = stats.pearsonr(rates, [metric[d] for d in documents]).statistic
    assert partition.mean == pytest.approx(expected)
    assert (partition.correlations == partition.mean).all()
    assert (partition.sd, partition.low, partition.undefined) == (0, partition.mean, 0)


@pytest.mark.parametrize(("factor", "expected"), [(1, 1), (-2, -1)])
def test_a_metric_that_is_the_rate_correlates_perfectly(factor, expected):
    columns = study(4, surrogates=1)
    right = columns["judgment"] == columns["truth"]
    metric = {text: factor * right[columns["document"] == text[1]].mean() for text in columns["metric"]}
    texts = texts_of(columns | {"metric": metric})
    found = partition_study(texts, FEW)
    for partition in found.partitions:
        np.testing.assert_allclose(partition.correlations, expected, atol=1e-9)
    assert {estimate.reason for estimate in partition_intervals(texts, found, QUICK)} == {PERFECT}


@given(some.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_order_of_rows_names_and_scales_change_nothing(seed):
    columns = study(seed, documents=(5, 8), missing=0.2)
    found = partition_study(texts_of(columns), FEW)
    order = np.random.default_rng(seed).permutation(len(columns["rater"]))
    renamed = {name: np.asarray(column)[order] for name, column in columns.items() if name != "metric"}
    renamed |= {
        "rater": -renamed["rater"],
        "document": 3 * renamed["document"] + 2,
        "surrogate": 1 - renamed["surrogate"],
        "metric": {(e, 3 * d + 2, 1 - s): 10 - 2 * value for (e, d, s), value in columns["metric"].items()},
    }
    again = partition_study(texts_of(renamed), FEW)
    for partition in found.partitions:
        other = again.of(1 - partition.surrogate, partition.group_size)
        np.testing.assert_allclose(other.correlations, -partition.correlations, atol=1e-9)
        assert other.largest_rate == partition.largest_rate
    # documents in another order get other random numbers, so only chance differs
    backwards = renamed | {
        "document": -renamed["document"],
        "metric": {(e, -d, s): value for (e, d, s), value in renamed["metric"].items()},
    }
    one, two = (partition_study(texts_of(side), PartitionSpec((2,), 2000)) for side in (renamed, backwards))
    assert one.of(0, 2).mean == pytest.approx(two.of(0, 2).mean, abs=0.05)


def test_draws_are_seeded_and_do_not_depend_on_the_other_group_sizes_or_blocks(monkeypatch):
    texts = texts_of(study(1))
    found, again = partition_study(texts, FEW), partition_study(texts, PartitionSpec((4,), 30))
    np.testing.assert_array_equal(found.of(0, 4).correlations, again.of(0, 4).correlations)
    told = []
    monkeypatch.setattr("analysis.relevance.partitions.BLOCK", 100)
    in_blocks = partition_study(texts, FEW, told.append)
    np.testing.assert_array_equal(found.of(0, 2).correlations, in_blocks.of(0, 2).correlations)
    assert len(told) == 8
    assert told[-1] == 1.0
    other = partition_study(texts, PartitionSpec(draws=30, seed=1))
    assert (other.of(0, 2).correlations != found.of(0, 2).correlations).any()
    assert (other.of(0, 1).correlations == found.of(0, 1).correlations).all()


def test_full_text_is_left_out_unless_kept():
    texts = texts_of(study(2))
    assert [p.surrogate for p in partition_study(texts, PartitionSpec((2,), 5, full_text=1)).partitions] == [
        0
    ]
    kept = partition_study(texts, PartitionSpec((2,), 5, full_text=1, keep_full_text=True))
    assert [p.surrogate for p in kept.partitions] == [0, 1]
    left_out = partition_study(texts, PartitionSpec((2,), 30, full_text=1))
    assert len(partition_intervals(texts, left_out, QUICK)) == 1


def test_documents_that_fill_no_group_are_reported():
    columns = study(3, documents=(3, 10))
    found = partition_study(texts_of(columns), PartitionSpec((1, 2, 4, 20), 10))
    assert [(p.groups, p.left_over) for p in found.partitions[:4]] == [(13, 0), (6, 1), (2, 5), (0, 13)]
    nothing = found.of(0, 20)
    assert (
        nothing.reason == "a correlation needs at least 3 groups; the 13 documents of its events fill 0 of 20"
    )
    assert np.isnan([nothing.mean, nothing.sd, nothing.largest_rate, nothing.low]).all()
    assert (nothing.undefined, nothing.counts.sum(), len(nothing.counts)) == (1, 0, len(BIN_EDGES) - 1)


def test_documents_without_a_metric_value_are_left_out():
    columns = study(5)
    known = {text: value for text, value in columns["metric"].items() if text[1] % 3 or text[2]}
    texts = texts_of(columns | {"metric": known})
    found = partition_study(texts, FEW)
    assert (found.of(0, 1).documents, found.of(1, 1).documents) == (14, 21)
    assert texts.without_metric == 5 * 7
    np.testing.assert_array_equal(
        found.of(1, 2).correlations, partition_study(texts_of(columns), FEW).of(1, 2).correlations
    )


def test_undefined_is_nan_with_a_reason():
    columns = study(6)
    right = texts_of(columns | {"judgment": columns["truth"]})
    found = partition_study(right, FEW)
    for partition, estimate in zip(found.partitions, partition_intervals(right, found, QUICK), strict=True):
        assert (partition.undefined, partition.reason) == (1, SAME_RATE)
        assert (partition.largest_rate, partition.smallest_rate) == (1, 1)
        assert np.isnan(partition.mean)
        assert np.isnan(estimate.value)
        assert estimate.reason == SAME_RATE
    constant = partition_study(texts_of(columns | {"metric": dict.fromkeys(columns["metric"], 0.1)}), FEW)
    assert all(p.undefined == 1 and SAME_METRIC in p.reason for p in constant.partitions)
    assert constant.of(0, 1).reason == SAME_METRIC
    none = partition_study(texts_of(columns | {"truth": np.full(len(columns["truth"]), np.nan)}), FEW)
    assert {(p.documents, p.reason) for p in none.partitions} == {(0, NO_TEXTS)}
    no_rows = judged_texts(Judgments([], [], [], [], []), [], MetricTable([], [], [], []))
    assert partition_study(no_rows, FEW).partitions == ()


def test_one_event_one_surrogate_and_one_rater_are_enough():
    texts = texts_of(study(7, raters=1, documents=(24,), surrogates=1))
    found = partition_study(texts, FEW)
    assert [p.groups for p in found.partitions] == [24, 12, 6]
    for partition, estimate in zip(found.partitions, partition_intervals(texts, found, QUICK), strict=True):
        assert partition.mean == estimate.value
        assert estimate.low <= estimate.value <= estimate.high


@given(some.integers(0, 10**6), some.sampled_from([0.0, 0.6]))
@settings(max_examples=8, deadline=None)
def test_intervals_hold_their_mean_and_are_seeded(seed, missing):
    texts = texts_of(study(seed, missing=missing))
    found = partition_study(texts, FEW)
    told = []
    once, again = (
        partition_intervals(texts, found, QUICK, 5, told.append),
        partition_intervals(texts, found, QUICK, 5),
    )
    assert once == again
    assert told[-1] == 1.0
    for partition, estimate in zip(found.partitions, once, strict=True):
        np.testing.assert_equal(estimate.value, partition.mean)
        assert estimate.n == partition.documents
        assert estimate.low <= estimate.value <= estimate.high or estimate.reason


def test_intervals_need_documents_to_draw_and_draws():
    texts = texts_of(study(8, documents=(1,) * 9))
    assert partition_intervals(texts, partition_study(texts, FEW), QUICK)[0].reason == NOTHING_TO_DRAW
    texts = texts_of(study(8))
    found = partition_study(texts, FEW)
    assert np.isnan(
        [estimate.low for estimate in partition_intervals(texts, found, BootstrapSpec(draws=0))]
    ).all()


def test_intervals_cover_what_other_raters_and_documents_give():
    """Some raters follow the metric more than others; the truth is the mean over many such studies."""

    def drawn(seed):
        rng = np.random.default_rng(seed)
        rater, event, document = (
            axis.ravel() for axis in np.meshgrid(range(8), range(3), range(20), indexing="ij")
        )
        metric = rng.normal(0, 0.12, (3, 20))
        follows = rng.normal(0.8, 1.0, 8)
        hard = rng.normal(0.75, 0.1, (3, 20))
        chance = np.clip(hard[event, document] + follows[rater] * metric[event, document], 0.02, 0.98)
        table = {(e, d, 0): metric[e, d] for e in range(3) for d in range(20)}
        texts = texts_of(
            {
                "rater": rater,
                "event": event,
                "document": document,
                "surrogate": np.zeros(len(rater), dtype=int),
                "judgment": rng.random(len(rater)) < chance,
                "truth": np.ones(len(rater)),
                "metric": table,
            }
        )
        return texts, partition_study(texts, PartitionSpec((1, 4), 50))

    many = [drawn(seed) for seed in range(100)]
    estimates = [partition_intervals(*each, BootstrapSpec(draws=100), partitions=10) for each in many]
    for size, place in ((1, 0), (4, 1)):
        truth = np.tanh(np.mean([np.arctanh(found.of(0, size).mean) for _, found in many]))
        assert np.mean([one[place].low <= truth <= one[place].high for one in estimates]) >= 0.87


def test_wrong_arguments_are_reported():
    with pytest.raises(InputError, match="`group_sizes` must be one or more sizes from 1"):
        PartitionSpec(())
    with pytest.raises(InputError, match="`group_sizes` must be"):
        PartitionSpec((0, 2))
    with pytest.raises(InputError, match="`draws` must be 1 or more, got 0"):
        PartitionSpec(draws=0)
    texts = texts_of(study())
    found = partition_study(texts, FEW)
    with pytest.raises(InputError, match="no partitions into groups of 3"):
        found.of(0, 3)
    with pytest.raises(InputError, match="`partitions` must be 1 or more, got 0"):
        partition_intervals(texts, found, QUICK, 0)
    with pytest.raises(InputError, match="`study` must be the result of"):
        partition_intervals(texts.exclude_surrogate(0), found, QUICK)
