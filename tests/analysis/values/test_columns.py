"""Columns as numbers: what is none is named, with its place."""

import numpy as np
import pytest

from analysis.values.estimate import InputError
from analysis.values.ratings import finite_numbers, numbers


def test_numbers_may_be_missing_and_finite_ones_may_not() -> None:
    assert np.isnan(numbers("score", [1, None, 3])[1])
    with pytest.raises(InputError, match="`score` must be finite, got nan at position 1"):
        finite_numbers("score", [1, float("nan"), 3])


@pytest.mark.parametrize(("given", "told"), [(["a"], "must hold numbers"), ([[1.0]], "must be 1-d")])
def test_what_is_no_column_of_numbers_is_named(given: list[object], told: str) -> None:
    with pytest.raises(InputError, match=f"`score` {told}"):
        numbers("score", given)
