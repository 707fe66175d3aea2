"""Excluded raters and the effect, in words."""

from features.notices import exclusion_in_words
from features.study import Scenario
from tests.features.studies import said

TWO = Scenario("worst 2 by alpha", (2, 4), ("C", "E"))


def test_who_is_left_out_is_named_up_to_six() -> None:
    assert said(exclusion_in_words(TWO)) == "Excluded: C, E (worst 2 by alpha)."
    assert said(exclusion_in_words(TWO, only_elsewhere=True)).startswith("Excluded on other pages: C, E")
    eight = Scenario("too fast", tuple(range(8)), tuple("ABCDEFGH"))
    assert said(exclusion_in_words(eight)) == "Excluded: A, B, C, D, E, F and 2 more (too fast)."
