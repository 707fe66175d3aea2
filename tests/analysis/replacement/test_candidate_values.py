"""Candidate values of each item, against slow loops; and quick forms of what has an interval."""

from typing import Any

import numpy as np
import pytest

from analysis.replacement.alternative_annotator import group_values, on_the_scale_of
from analysis.replacement.corrected_scores import corrected_score
from analysis.standing_in import (
    alternative_annotator_test,
    effective_number_of_raters,
    shared_errors,
)
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings
from tests.analysis.replacement.studies import by_item, rated


def test_a_group_speaks_with_its_mean_or_its_commonest_answer() -> None:
    item, score = ["b", "a", "a", "a", "b"], [4, 1, 2, 2, 5]
    assert group_values(item, score) == {"a": pytest.approx(5 / 3), "b": 4.5}
    assert group_values(item, score, "accuracy") == {"a": 2, "b": 4}
    with pytest.raises(InputError, match="commonest"):
        group_values(item, list("xyzzy"))
    with pytest.raises(InputError, match="equally long"):
        group_values(item, [1])


def test_each_item_is_predicted_by_the_line_of_the_others() -> None:
    rng = np.random.default_rng(3)
    truth, reference = rated(rng, 20, 6, 3)
    metric = by_item(truth / 4 + 0.5 + rng.normal(0, 0.1, 20)) | {99: 0.7, 98: float("nan")}
    mos = reference.mos()
    told = on_the_scale_of(reference, metric)
    assert set(told) == {*range(20), 99}
    x = np.array([metric[one] for one in range(20)])
    for one in range(20):
        others = np.arange(20) != one
        slope, start = np.polyfit(x[others], mos.means[others], 1)
        assert told[one] == pytest.approx(start + slope * x[one])
    slope, start = np.polyfit(x, mos.means, 1)
    assert told[99] == pytest.approx(start + slope * 0.7)


def test_no_line_is_drawn_through_too_little() -> None:
    reference = Ratings(np.repeat(np.arange(12), 2), [0, 1] * 12, np.arange(24) % 5)
    assert on_the_scale_of(reference, dict.fromkeys(range(12), 3.0)) == {}
    assert on_the_scale_of(reference, {one: float(one) for one in range(9)}) == {}
    with pytest.raises(InputError, match="finite"):
        on_the_scale_of(reference, {0: float("inf")})


def test_without_an_interval_figures_are_the_same() -> None:
    rng = np.random.default_rng(5)
    truth, reference = rated(rng, 40, 6, 3)
    candidate = by_item(truth + rng.normal(0, 0.5, 40))
    asked: dict[str, Any] = {"score": "negative rmse", "fewest": 5}
    columns = reference.rater, reference.item, reference.score
    whole = alternative_annotator_test(*columns, candidate, **asked)
    quick = alternative_annotator_test(*columns, candidate, level=None, **asked)
    assert quick.advantage.value == whole.advantage.value
    assert quick.p.tolist() == whole.p.tolist()
    assert np.isnan(quick.advantage.low)
    assert whole.advantage.low < whole.advantage.value
    worth = effective_number_of_raters(reference, candidate)
    assert effective_number_of_raters(reference, candidate, level=None).value == worth.value
    assert worth.low < worth.value


def test_progress_is_reported_and_can_stop() -> None:
    rng = np.random.default_rng(7)
    truth, reference = rated(rng, 40, 6, 3)
    both = [by_item(truth + rng.normal(0, 0.5, 40)) for _ in range(2)]
    columns = reference.rater, reference.item, reference.score
    for work in (
        lambda tell: alternative_annotator_test(
            *columns, both[0], "negative rmse", fewest=5, on_progress=tell
        ),
        lambda tell: effective_number_of_raters(reference, both[0], on_progress=tell),
        lambda tell: shared_errors(reference, both, on_progress=tell),
    ):
        done: list[float] = []
        work(done.append)
        assert done
        assert done == sorted(done)
        assert 0 <= done[0] <= done[-1] <= 1

        def stop(_: float) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            work(stop)


def test_a_weight_may_be_given() -> None:
    f, y = [1.0, 2, 3, 4, 5, 6], [1.5, 2.0, 3.5, 4.0, np.nan, np.nan]
    assert corrected_score(f, y, weight=1.0).tuned == corrected_score(f, y).plain
    assert corrected_score(f, y, weight=0.0).tuned.value == corrected_score(f, y).reference.value
    assert corrected_score(f, y, weight=0.5).weight == 0.5
