"""Names cut to a length."""

from analysis.values.estimate import LONGEST_SHOWN, distinct_label, shorten


def test_a_name_of_the_longest_length_stays_and_a_longer_one_says_that_it_was_cut() -> None:
    assert shorten("x" * LONGEST_SHOWN) == "x" * LONGEST_SHOWN
    cut = shorten("x" * (LONGEST_SHOWN + 1))
    assert (len(cut), cut[-2:]) == (LONGEST_SHOWN, "x…")


def test_labels_of_names_that_begin_alike_differ() -> None:
    names = ["x" * 500_000 + end for end in "ab"] + ["x" * LONGEST_SHOWN]
    labels = [distinct_label(name) for name in names]
    assert len(set(labels)) == 3
    assert max(map(len, labels)) <= LONGEST_SHOWN
    assert labels == [distinct_label(name) for name in names]


def test_half_a_character_has_a_label_too() -> None:
    assert len(distinct_label("\ud800" * 300)) <= LONGEST_SHOWN
