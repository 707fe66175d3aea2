"""All pairs of systems by draws: laws, and Tukey as the limit."""

from math import nan

import numpy as np
import pytest

from analysis.pairs.letters import letters
from analysis.pairs.paired_differences import MOST_COMPARED, TOO_MANY, paired_differences
from analysis.pairs.studentized_range import critical_range


def drawn(errors: list[float], shared: float = 0.0, draws: int = 4000) -> np.ndarray:
    rng = np.random.default_rng(0)
    own = rng.normal(size=(draws, len(errors))) * np.asarray(errors)
    return own + shared * rng.normal(size=(draws, 1))


@pytest.mark.parametrize("degrees", [np.inf, 12.0])
def test_independent_scores_get_tukeys_critical_value_for_the_normal(degrees: float) -> None:
    found = paired_differences([0.0, 1.0, 2.0, 3.0], drawn([1.0] * 4), degrees=degrees)
    half = (found.high - found.low)[0, 1] / 2 / np.sqrt(2)
    tukey = critical_range(0.95, 4, 1e6) / np.sqrt(2)
    assert half == pytest.approx(tukey, rel=0.04) if np.isinf(degrees) else half > 1.1 * tukey


def test_what_systems_share_does_not_widen_their_differences() -> None:
    alone = paired_differences([0.0, 1.0, 1.1], drawn([0.1] * 3))
    shared = paired_differences([0.0, 1.0, 1.1], drawn([0.1] * 3, shared=5.0))
    assert alone.letters == shared.letters == ("B", "A", "A")
    assert (shared.told_apart, shared.pairs) == (2, 3)
    assert shared.p[0, 1] < 0.01 < shared.p[1, 2]


def test_the_interval_leaves_out_0_exactly_where_a_pair_is_told_apart() -> None:
    found = paired_differences(np.linspace(0, 2, 8), drawn(list(np.linspace(0.1, 0.4, 8))))
    off = ~np.eye(8, dtype=bool)
    apart = ((found.low > 0) | (found.high < 0)) & off
    assert (apart == found.apart).all()
    np.testing.assert_array_equal(found.low[off], -found.high.T[off])


def test_a_constant_difference_has_no_interval_of_width_0() -> None:
    same = drawn([0.1])
    found = paired_differences([0.0, 1.0, 3.0], np.hstack([same, same + 1, drawn([0.2])]))
    assert np.isnan(found.low[0, 1])
    assert not found.apart[0, 1]
    assert found.pairs == 2


def test_without_draws_or_for_too_many_there_are_no_letters() -> None:
    assert paired_differences([1.0, 2.0], np.empty((0, 2))).reason
    many = paired_differences(np.zeros(MOST_COMPARED + 1), np.zeros((5, MOST_COMPARED + 1)))
    assert (many.reason, set(many.letters)) == (TOO_MANY, {""})


def test_a_system_without_a_score_has_no_letter() -> None:
    assert paired_differences([0.0, nan, 5.0], drawn([0.1, 0.1, 0.1])).letters == ("B", "", "A")


def test_pairs_told_apart_without_an_order_end_without_letters_not_without_end() -> None:
    apart = np.random.default_rng(0).random((60, 60)) < 0.4
    assert set(letters(range(60), apart | apart.T)) == {""}
