"""Polls: choices told by position become votes on systems, and several polls one."""

import numpy as np
import pytest

from analysis.values.votes import Lists
from analysis.workers.polls import (
    BOTH,
    FIRST,
    NEITHER,
    POOLED_NAME,
    SECOND,
    TIE,
    polls_from_labels,
    polls_from_pairs,
    pool_polls,
)

ITEMS = np.array(["i0", "i1", "i2"])
RATERS = np.array(["ann", "ben", "cam"])
SYSTEMS, DESIGNS = ["AW", "KW", "UI"], ["2-choice", "4-choice"]


def choices(
    *rows: tuple[int, int, int, int, int, int], expert: int = -1, gold: int = -1
) -> dict[str, np.ndarray]:
    """Rows of item, rater, first, second, design, choice."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    told = dict(zip(("item", "rater", "first", "second", "design", "choice"), columns, strict=True))
    n = len(rows)
    return told | {
        "expert": np.full(n, expert),
        "gold": np.full(n, gold),
        "seconds": np.arange(n, dtype=np.float64),
        "order": np.arange(n, dtype=np.float64),
    }


def test_a_choice_is_reported_by_system_whatever_its_position():
    shown_both_ways = choices((0, 0, 0, 2, 0, FIRST), (1, 0, 2, 0, 0, FIRST), (2, 1, 2, 0, 0, SECOND))
    (poll,) = polls_from_pairs(shown_both_ways, SYSTEMS, DESIGNS, ITEMS, RATERS)
    assert (poll.name, poll.options) == ("AW vs UI, 2-choice", ("AW", "UI"))
    assert [poll.options[choice] for choice in poll.votes.choice] == ["AW", "UI", "AW"]
    assert poll.first_shown.tolist() == [True, False, False]
    assert poll.rater_names.tolist() == ["ann", "ben"]


def test_an_answer_known_of_an_item_is_reported_by_system_too():
    (poll,) = polls_from_pairs(choices((0, 0, 2, 0, 0, FIRST), expert=FIRST), SYSTEMS, DESIGNS, ITEMS, RATERS)
    assert poll.options[poll.expert[0]] == "UI"
    assert poll.known_answers == ("expert",)


@pytest.mark.parametrize(
    ("sides", "design", "options", "lists"),
    [
        ((FIRST,), 0, ("AW", "KW"), Lists(0, 1)),
        ((FIRST,), 1, ("AW", "KW", "both", "neither"), Lists(0, 1, 2, 3)),
        ((FIRST, NEITHER), 0, ("AW", "KW", "both", "neither"), Lists(0, 1, 2, 3)),
        ((FIRST, BOTH), 0, ("AW", "KW", "both"), Lists(0, 1, 2)),
        ((FIRST, TIE), 0, ("AW", "KW", "tie"), Lists(0, 1, 2)),
        ((TIE, NEITHER), 0, ("AW", "KW", "both", "neither"), Lists(0, 1, 2, 3)),
    ],
)
def test_options_are_those_used_or_told_by_the_design(sides, design, options, lists):
    given = choices(*((at, 0, 0, 1, design, side) for at, side in enumerate(sides)))
    (poll,) = polls_from_pairs(given, SYSTEMS, DESIGNS, ITEMS, RATERS)
    assert (poll.options, poll.lists) == (options, lists)


def test_a_tie_is_the_option_both_where_there_is_neither():
    (poll,) = polls_from_pairs(
        choices((0, 0, 0, 1, 0, TIE), (1, 0, 0, 1, 0, NEITHER)), SYSTEMS, DESIGNS, ITEMS, RATERS
    )
    assert [poll.options[choice] for choice in poll.votes.choice] == ["both", "neither"]


def test_each_pair_under_each_design_is_a_poll_of_its_own():
    given = choices(
        (0, 0, 0, 1, 0, FIRST), (0, 0, 0, 1, 1, FIRST), (1, 1, 1, 2, 0, SECOND), (2, 2, 1, 2, 0, SECOND)
    )
    polls = polls_from_pairs(given, SYSTEMS, DESIGNS, ITEMS, RATERS)
    assert [poll.name for poll in polls] == ["AW vs KW, 2-choice", "AW vs KW, 4-choice", "KW vs UI, 2-choice"]
    assert [len(poll.votes) for poll in polls] == [1, 1, 2]


def test_items_of_several_polls_stay_apart_and_raters_are_the_same():
    given = choices((0, 0, 0, 1, 0, FIRST), (0, 1, 0, 1, 1, NEITHER), (0, 0, 1, 2, 0, SECOND))
    polls = polls_from_pairs(given, SYSTEMS, DESIGNS, ITEMS, RATERS)
    together, poll_of_item = pool_polls(polls, RATERS)
    assert together.name == POOLED_NAME
    assert together.votes.items == 3
    assert together.rater_names[together.votes.rater].tolist() == ["ann", "ben", "ann"]
    assert poll_of_item.tolist() == [0, 1, 2]
    assert [together.options[choice] for choice in together.votes.choice] == ["first", "neither", "second"]


def test_labels_are_one_poll_without_those_who_gave_none():
    given = choices((0, 0, -1, -1, -1, 1), (1, 0, -1, -1, -1, -1), (1, 2, -1, -1, -1, 0), gold=1)
    (poll,) = polls_from_labels(given, ["cat", "dog"], ITEMS, RATERS)
    assert (poll.name, poll.lists, poll.rater_names.tolist()) == ("all labels", None, ["ann", "cam"])
    assert [poll.options[choice] for choice in poll.votes.choice] == ["dog", "cat"]
    assert poll.gold.tolist() == [1, 1]
    assert polls_from_labels(choices(), ["cat", "dog"], ITEMS, RATERS) == ()
