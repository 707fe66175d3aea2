"""Changes between two versions of ratings, against counting by hand."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from analysis.values.ratings import Ratings, RatingsComparison, compare_ratings

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(1, 3)), max_size=12)
Row = tuple[str, str, int]


def of(rows: list[Row]) -> Ratings:
    item, rater, score = ([row[at] for row in rows] for at in range(3))
    return Ratings(item, rater, score)


@given(ROWS, ROWS)
def test_every_rating_of_both_versions_is_accounted_for(before: list[Row], after: list[Row]) -> None:
    same = Counter(before) & Counter(after)
    cells = [Counter(row[:2] for row in (Counter(rows) - same).elements()) for rows in (before, after)]
    changed = (cells[0] & cells[1]).total()
    found = compare_ratings(of(before), of(after))
    assert found == RatingsComparison(
        same.total(), changed, len(before) - same.total() - changed, len(after) - same.total() - changed
    )


def test_the_same_ratings_in_another_order_are_the_same() -> None:
    rows = [("a", "x", 1), ("b", "x", 2), ("a", "y", 3), ("a", "x", 2)]
    assert compare_ratings(of(rows), of(rows[::-1])) == RatingsComparison(4, 0, 0, 0)
