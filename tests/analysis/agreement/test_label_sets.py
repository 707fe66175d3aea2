"""MASI distances of the methods' examples, and the laws of a distance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.kappas import masi_distance

SETS = st.frozensets(st.sampled_from("abcde"), max_size=5)


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("ab", "a", 2 / 3), ("ab", "ac", 8 / 9), ("ab", "cd", 1), ("", "", 0), ("", "a", 1)],
)
def test_printed_distances(a: str, b: str, distance: float) -> None:
    assert masi_distance(a, b) == pytest.approx(distance)


@given(SETS, SETS)
def test_it_is_symmetric_and_0_only_for_equal_sets(a: frozenset[str], b: frozenset[str]) -> None:
    assert masi_distance(a, b) == masi_distance(b, a)
    assert 0 <= masi_distance(a, b) <= 1
    assert (masi_distance(a, b) == 0) == (a == b)
