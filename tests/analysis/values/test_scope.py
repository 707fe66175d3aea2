"""Scopes: asked for, by default, and where rater ids are slots."""

import pytest

from analysis.values.estimate import SCOPES, InputError, chosen_scope


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_that_is_asked_for_is_taken_of_persons_only(scope):
    assert chosen_scope(scope, 2) == chosen_scope(scope, 60) == scope
    assert chosen_scope(scope, 60, raters_are_persons=False) == "these raters"


def test_another_word_is_refused():
    with pytest.raises(InputError, match="scope"):
        chosen_scope("all raters", 8)
