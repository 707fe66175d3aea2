"""Descriptions of a page's filters."""

from datetime import datetime

import pytest

from data.dataset import Filter
from data.kinds.definitions import KINDS
from features.notices import COLUMNS, filters_in_words, nothing_passes, subset_in_words
from tests.features.studies import said


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (Filter("system", ("A",)), "system A"),
        (Filter("story_type", tuple("ABCDEFGH")), "story type A, B, C, D, E, F and 2 more"),
        (Filter("item_id", text="a_b*"), "item with “a_b*” in its name"),
        (Filter("rated_at", since=datetime(2024, 3, 2, 9, 5)), "from 2024-03-02 09:05"),
        (
            Filter("rated_at", since=datetime(2024, 3, 2), until=datetime(2024, 4, 1, 12)),
            "from 2024-03-02 00:00 until 2024-04-01 12:00",
        ),
    ],
)
def test_a_filter_is_reported_in_words(one: Filter, words: str) -> None:
    assert filters_in_words([one, Filter("topic", ("T1", "T2"))]) == f"{words}, topic T1 and T2"
    assert said(subset_in_words([one], 1200, 5400, "votes")) == f"Only {words}: <b>1,200</b> of 5,400 votes."
    assert said(nothing_passes([one], "votes")).startswith(f"No votes of {words} are left.")


def test_every_column_that_filters_has_a_word() -> None:
    assert {column for kind in KINDS.values() for column in kind.filters} == set(COLUMNS)
