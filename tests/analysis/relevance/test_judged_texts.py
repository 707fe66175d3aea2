import numpy as np
import pytest

from analysis.relevance.judgments import OUTCOMES, Judgments, MetricTable, judged_texts
from analysis.values.estimate import InputError

NAN = float("nan")


def small(**changed):
    """Two raters, two events whose first documents share a name, two surrogates."""
    columns = {
        "rater": ["x", "y", "x", "y", "x", "x"],
        "event": [1, 1, 1, 1, 2, 2],
        "document": ["a", "a", "b", "b", "a", "a"],
        "surrogate": ["h", "h", "h", "t", "h", "t"],
        "judgment": [1, 0, 1, 0, 0, 1],
        "truth": [1, 1, 0, 0, NAN, 1],
        "metric": MetricTable(
            [1, 1, 1, 2, 2], ["a", "b", "b", "a", "b"], ["h", "h", "t", "h", "h"], [0.1, 0.2, 0.3, 0.4, 0.5]
        ),
    }
    columns |= changed
    truth, metric = columns.pop("truth"), columns.pop("metric")
    return judged_texts(Judgments(**columns), truth, metric)


def test_by_hand():
    found = small()
    assert found.surrogates.tolist() == ["h", "t"]
    assert found.metric.tolist() == [0.1, 0.2, 0.3]
    assert found.surrogate.tolist() == [0, 0, 1]
    assert found.event.tolist() == [0, 0, 0]
    assert found.document.tolist() == [0, 1, 1]
    assert found.documents == 3
    assert found.text.tolist() == [0, 0, 1, 2]
    assert [OUTCOMES[outcome] for outcome in found.outcome] == ["tp", "fn", "fp", "tn"]
    assert (found.without_truth, found.without_metric, found.unjudged) == (1, 1, 2)


def test_a_surrogate_left_out_takes_its_judgments_along():
    found = small().exclude_surrogate("h")
    assert found.surrogates.tolist() == ["t"]
    assert found.metric.tolist() == [0.3]
    assert (found.text.tolist(), found.surrogate.tolist(), found.document.tolist()) == ([0], [0], [1])
    everything = small()
    assert everything.exclude_surrogate("nobody") is everything
    assert everything.exclude_surrogate(None) is everything


def test_a_metric_value_that_is_not_known_is_no_value():
    table = MetricTable([1, 1, 1], ["a", "b", "a"], ["h", "h", "h"], [0.1, NAN, NAN])
    found = small(metric=table)
    assert found.metric.tolist() == [0.1]
    assert (found.without_truth, found.without_metric, found.unjudged) == (1, 3, 0)


def test_nothing_at_all_is_no_text():
    found = judged_texts(Judgments([], [], [], [], []), [], MetricTable([], [], [], []))
    assert (len(found.metric), len(found.text), found.documents) == (0, 0, 0)
    assert len(small(metric=MetricTable([], [], [], [])).metric) == 0


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"judgment": [1, 0, 1, 0, 0, NAN]}, "`judgment` must be 0 or 1, got nan"),
        ({"truth": [1, 1, 0, 0, 2, 1]}, "`truth` must be 0, 1 or NaN"),
        ({"truth": [1, 1]}, "`truth` needs one number per judgment, 6"),
        ({"event": ["1"] * 6}, "`event` and `metric.event` must hold ids of one kind"),
        ({"metric": MetricTable([1, 1], ["a", "a"], ["h", "h"], [0.1, 0.2])}, "some texts have several"),
        ({"metric": MetricTable([1], ["a"], ["h"], ["high"])}, "`metric.value` must hold numbers"),
        ({"metric": MetricTable([1], ["a"], ["h"], [np.inf])}, "`metric.value` must be finite"),
        ({"metric": MetricTable([1, 2], ["a"], ["h"], [0.1])}, "`metric.event` must be 1-d"),
        ({"event": np.array([1, "a", 1, 1, 2, 2], dtype=object)}, "`event` must hold ids of one kind"),
    ],
)
def test_wrong_arguments_are_reported(changed, told):
    with pytest.raises(InputError, match=told):
        small(**changed)
