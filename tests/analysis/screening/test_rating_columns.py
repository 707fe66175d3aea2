"""Columns of ratings: means of each code, and lengths that differ told by name."""

import numpy as np
import pytest

from analysis.screening.subject_model import check_equal_length, means_by_code
from analysis.values.estimate import InputError


def test_means_of_each_code():
    assert means_by_code(np.array([0, 2, 0]), np.array([1.0, 5.0, 2.0])).tolist() == [1.5, 0, 5]


def test_columns_of_other_lengths_are_reported_by_name():
    assert [column.tolist() for column in check_equal_length(rater=[1, 2], score=[3, 4])] == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match=r"`score` has shape \(1,\)"):
        check_equal_length(rater=[1, 2], score=[3])
    with pytest.raises(InputError, match="1-d"):
        check_equal_length(rater=[[1, 2]], score=[[3, 4]])
