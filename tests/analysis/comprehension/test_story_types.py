"""Types of stories: the largest stay, ties in the order of their names, unknown types never."""

import numpy as np

from analysis.comprehension.answer_shares import largest_types


def test_the_types_with_most_stories_stay():
    types = largest_types(np.array(["b", "a", "b", "", "c", "c", "a", ""]), 2)
    assert types.names.tolist() == ["a", "b"]
    assert types.of_story.tolist() == [1, 0, 1, -1, -1, -1, 0, -1]
    assert types.there == 3


def test_no_story_has_a_type():
    types = largest_types(np.array(["", ""]), 2)
    assert (types.names.tolist(), types.of_story.tolist(), types.there) == ([], [-1, -1], 0)
