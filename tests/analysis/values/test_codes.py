from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.values.ratings import coded, different, sums_of_pairs


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float64, np.str_])
@given(whole=st.lists(st.integers(0, 200)))
def test_codes_are_places_among_the_ascending_ids(kind: Any, whole: list[int]) -> None:
    values = np.array(whole, dtype=kind)
    ids, code = coded(values)
    expected, places = np.unique(values, return_inverse=True)
    assert ids.dtype == expected.dtype
    assert (ids.tolist(), code.tolist()) == (expected.tolist(), places.tolist())


@given(st.lists(st.one_of(st.integers(0, 20), st.integers(0, 2**62))))
def test_different_codes_are_counted_close_together_or_far_apart(whole: list[int]) -> None:
    assert different(np.array(whole, dtype=np.int64)) == len(set(whole))


@given(st.lists(st.integers(-(2**62), 2**62)))
def test_ids_below_nought_and_far_apart_are_coded_alike(whole: list[int]) -> None:
    values = np.array(whole, dtype=np.int64)
    ids, code = coded(values)
    assert ids.tolist() == sorted(set(whole))
    assert ids[code].tolist() == whole


@given(st.lists(st.sampled_from([-2.5, -1.0, 0.5, 1.5, 2.5, 3.0, 1e300, np.inf, -np.inf, np.nan])))
def test_broken_and_endless_numbers_are_coded_as_sorting_would(values: list[float]) -> None:
    found, expected = coded(np.array(values)), np.unique(np.array(values), return_inverse=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(-5, 5))))
def test_sums_of_pairs_are_those_counted_out(rows: list[tuple[int, int, int]]) -> None:
    by_pair: dict[tuple[int, int], list[int]] = defaultdict(list)
    for one, other, value in rows:
        by_pair[one, other].append(value)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    found = sums_of_pairs(columns[0], columns[1], columns[2].astype(np.float64))
    expected = [(*pair, sum(given), len(given)) for pair, given in sorted(by_pair.items())]
    assert [tuple(row) for row in zip(*(column.tolist() for column in found), strict=True)] == expected
