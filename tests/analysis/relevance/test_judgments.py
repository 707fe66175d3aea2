"""Ids as codes: as numpy's sort gives them, of any kind, near together or far apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.relevance.judgments import Judgments, check_binary, encode_combinations, encode_ids
from analysis.relevance.judgments import check_numbers_or_nan as numbers
from analysis.values.estimate import InputError

IDS = some.one_of(
    some.lists(some.integers(-5, 5)),
    some.lists(some.integers(-(2**60), 2**60)),
    some.lists(some.text("abc", max_size=2)),
)


@given(IDS)
def test_codes_are_places_among_the_sorted_ids(ids):
    code, many = encode_ids("rater", ids)
    assert code.tolist() == [sorted(set(ids)).index(each) for each in ids]
    assert many == len(set(ids))


@given(some.lists(some.tuples(some.integers(0, 4), some.integers(0, 1000), some.integers(0, 2))))
def test_joint_codes_are_places_among_the_sorted_combinations(rows):
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in range(3)]
    code, many = encode_combinations(*columns)
    assert code.tolist() == [sorted(set(rows)).index(row) for row in rows]
    assert many == len(set(rows))


def test_unsigned_codes_do_not_wrap():
    assert encode_ids("rater", np.array([200, 3], dtype=np.uint8))[0].tolist() == [1, 0]


def test_bad_columns_are_reported():
    with pytest.raises(InputError, match="`rater` must hold ids of one kind"):
        encode_ids("rater", np.array([1, "a"], dtype=object))
    with pytest.raises(InputError, match="`surrogate` must be one of 0, 1, got 2"):
        Judgments([1, 1], [1, 1], [1, 2], [0, 2], [0, 1], surrogates=[0, 1])
    with pytest.raises(InputError, match="`document` must have one id per judgment, 1"):
        Judgments([1], [1], [1, 2], [0], [1])
    with pytest.raises(InputError, match="`order` must hold numbers"):
        Judgments([1], [1], [1], [0], [1], order=["x"])
    with pytest.raises(InputError, match="`seconds` must hold numbers"):
        numbers("seconds", ["fast"], 1)
    with pytest.raises(InputError, match="`judgment` must be 0 or 1, got nan at position 1"):
        check_binary("judgment", [0, np.nan], 2)
    with pytest.raises(InputError, match="`gold` must be 0, 1 or NaN for not known, got 2 at position 0"):
        check_binary("gold", [2, np.nan], 2, may_lack=True)


def test_a_table_keeps_ids_and_codes_documents_within_their_events():
    of = Judgments(
        [9, 4, 9], ["b", "a", "a"], [1, 1, 2], ["t", "h", "h"], [1, 0, 1], surrogates=["t", "x", "h"]
    )
    assert of.codes.rater.tolist() == [1, 0, 1]
    assert of.codes.document.tolist() == [2, 0, 1]
    assert of.codes.surrogate.tolist() == [0, 2, 2]
    assert (of.surrogate_code("h"), of.surrogate_code("nobody")) == (2, -1)
    some_of = of.where(np.array([True, False, True]))
    assert some_of.rater.tolist() == [9, 9]
    assert some_of.codes.rater.tolist() == [0, 0]
    assert (some_of.codes.documents, some_of.surrogates.tolist()) == (2, ["t", "x", "h"])
    assert of.first_of_each(np.array([0, 0, 1])).tolist() == [0, 2]
