"""Machines beside people against an example by hand, loops over materialised stories, laws, and bad input."""

from collections import defaultdict
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.comprehension.answer_levels import FIGURES, ONE_STORY, resample_stories
from analysis.comprehension.answers import encode_answers
from analysis.comprehension.author_differences import NO_HUMAN_LEVEL, NO_QUESTIONS, machine_levels
from analysis.values.estimate import BootstrapSpec, InputError
from tests.analysis.comprehension.spread_of_draws import ends

FEW = BootstrapSpec(60, 1)


def answers_of(rows):
    story, wrote, asked, question, judge, answer = zip(*rows, strict=True)
    return encode_answers(story, wrote, asked, answer, judge, question)


def level(rows, machine="M", machines="M", bootstrap=FEW):
    answers, named = answers_of(rows)
    names = named.authors.tolist()
    codes = [names.index(name) for name in machines if name in names]
    return machine_levels(answers, codes, bootstrap)[names.index(machine)]


# Table 4 of the paper: D's questions, R R N for B's summary and R N N for the machine's. The machine answers 1/3, B
# 2/3: a half. D's fourth question was put to the machine only. In story t, A and B answer C's question P and N: a half;
# the machine R. Together machine (1 + 0 + 0 + 1) / 4, people (1 + 1 + 0 + 1/2) / 4: 1/2 of 5/8 = 4/5.
BY_HAND = [
    *[("nato", "B", "D", q, "j", a) for q, a in enumerate("RRN")],
    *[("nato", "M", "D", q, "j", a) for q, a in enumerate("RNNR")],
    ("t", "A", "C", 0, "j", "P"),
    ("t", "B", "C", 0, "j", "N"),
    ("t", "M", "C", 0, "j", "R"),
    ("t", "A", "B", 0, "j", "R"),
]


def test_the_papers_own_sample():
    found = level(BY_HAND[:6])
    assert found.machine["R"].value == pytest.approx(1 / 3)
    assert found.people["R"].value == pytest.approx(2 / 3)
    assert found.ratio.value == pytest.approx(0.5)
    assert found.ratio.reason == ONE_STORY


def test_by_hand():
    found = level(BY_HAND)
    assert (found.machine["R+P"].value, found.people["R+P"].value) == (0.5, 0.625)
    assert found.people["P"].value == 0.125
    assert found.ratio.value == pytest.approx(0.8)
    assert found.difference.value == pytest.approx(-0.125)
    assert (found.ratio.n, found.stories, found.judges, found.left_out) == (4, 2, 1, 1)


# --- loops -----------------------------------------------------------------------------------------------


def slow_sides(rows, machine, machines):
    """Shares of machine and people, or None."""
    own, people = defaultdict(list), defaultdict(list)
    for story, wrote, asked, question, judge, answer in rows:
        if wrote == asked:
            continue
        key = judge, story, asked, question
        if wrote == machine:
            own[key].append(answer)
        elif wrote not in machines:
            people[key].append(answer)
    both = [key for key in own if key in people]
    if not both:
        return None
    judges = sorted({key[0] for key in both})
    found = []
    for side in (own, people):
        shares = [
            np.mean(
                [
                    np.mean([[a == f for f in "RPIN"] for a in side[key]], axis=0)
                    for key in both
                    if key[0] == judge
                ],
                axis=0,
            )
            for judge in judges
        ]
        r, p, i, n = np.mean(shares, axis=0)
        found.append([r, p, i, n, r + p, r + p + i])
    return np.array(found), {key[1:] for key in both}


row = some.tuples(
    some.sampled_from("stu"),
    some.sampled_from("ABMK"),
    some.sampled_from("ABM"),
    some.integers(0, 1),
    some.sampled_from("xy"),
    some.sampled_from("RPIN"),
)
tables = some.lists(row, min_size=8, max_size=40)


@given(tables)
def test_levels_ratio_and_intervals_equal_loops_over_materialised_stories(rows):
    rows = [*rows, ("s", "M", "A", 0, "x", "R")]
    found = level(rows, "M", "MK")
    slow = slow_sides(rows, "M", "MK")
    if slow is None:
        assert found.ratio.reason == NO_QUESTIONS
        assert isnan(found.machine["R"].value)
        return
    sides, questions = slow
    assert [found.machine[f].value for f in FIGURES] == pytest.approx(sides[0], abs=1e-12)
    assert [found.people[f].value for f in FIGURES] == pytest.approx(sides[1], abs=1e-12)
    assert found.ratio.n == len(questions)
    crossing = [r for r in rows if r[1] != r[2]]
    stories = sorted({r[0] for r in crossing})
    drawn = []
    for weights in np.hstack([w for _, w in resample_stories(len(stories), FEW)]).T:
        copies = [
            ((story, copy), *r[1:])
            for story, times in zip(stories, weights.astype(int), strict=True)
            for copy in range(times)
            for r in crossing
            if r[0] == story
        ]
        of_draw = slow_sides(copies, "M", "MK")
        if of_draw is not None:
            drawn.append(of_draw[0])
    used = len({story for story, *_ in questions})
    drawn = np.array(drawn)
    shared = FIGURES.index("R+P")
    drawn = drawn.reshape(-1, 2, 6)
    own, people = drawn[:, 0, shared], drawn[:, 1, shared]
    compare(found.difference, sides[0, shared] - sides[1, shared], own - people, used, (-1.0, 1.0))
    if sides[1, shared] == 0:
        assert found.ratio.reason == NO_HUMAN_LEVEL
    else:
        defined = people > 0
        ratios = own[defined] / people[defined]
        compare(found.ratio, sides[0, shared] / sides[1, shared], ratios, used, (0.0, np.inf))


def compare(estimate, value, drawn, used, within):
    assert estimate.value == pytest.approx(value, abs=1e-12)
    if used < 2 or len(drawn) < FEW.draws / 2 or np.ptp(drawn) < 1e-12:
        assert isnan(estimate.low)
        assert estimate.reason
        return
    assert (estimate.low, estimate.high) == pytest.approx(ends(value, drawn, used, *within), abs=1e-9)


# --- laws and bad input ----------------------------------------------------------------------------------


def test_a_machine_that_copies_the_only_person_has_all_of_the_human_level():
    rows = [
        (s, wrote, "B", q, "x", "RPIN"[(s * 3 + q) % 4]) for s in range(8) for wrote in "AM" for q in range(3)
    ]
    found = level(rows)
    assert found.machine == found.people
    assert (found.ratio.value, found.difference.value) == (1, 0)


def test_other_machines_do_not_count_as_people():
    rows = [*BY_HAND, *[("nato", "K", "D", q, "j", "N") for q in range(4)]]
    assert repr(level(rows, "M", "MK")) == repr(level(BY_HAND))


def test_a_judge_doubled_changes_only_their_number():
    rows = [*BY_HAND, *[(*r[:4], "k", r[5]) for r in BY_HAND]]
    once, twice = level(BY_HAND), level(rows)
    assert twice.judges == 2
    assert repr(once).replace("judges=1", "judges=2") == repr(twice)


def test_judges_who_met_only_one_side_cannot_be_paired():
    rows = [("s", "A", "B", 0, "u", "R"), ("s", "M", "B", 0, "v", "R")]
    found = level(rows)
    assert found.ratio.reason == NO_QUESTIONS
    assert (found.ratio.n, found.left_out) == (0, 1)


def test_a_question_asked_of_the_machine_only_is_left_out():
    found = level([("s", "M", "B", 0, "u", "R"), ("t", "A", "B", 0, "u", "R")])
    assert found.people["R"].reason == NO_QUESTIONS
    assert found.left_out == 1


def test_people_who_answer_nothing_leave_no_ratio():
    rows = [(s, wrote, "B", 0, "u", "R" if wrote == "M" else "N") for s in "st" for wrote in "AM"]
    found = level(rows)
    assert found.ratio.reason == NO_HUMAN_LEVEL
    assert found.difference.value == 1


def test_no_machines_and_no_answers():
    assert machine_levels(answers_of(BY_HAND)[0], []) == {}
    assert machine_levels(encode_answers([], [], [], [])[0], []) == {}


def test_without_draws_there_is_no_interval():
    found = level(BY_HAND, bootstrap=BootstrapSpec(0))
    assert found.ratio.value == pytest.approx(0.8)
    assert isnan(found.ratio.low)


def test_an_unknown_machine_is_reported():
    with pytest.raises(InputError, match="`machines` must be codes of authors, 0 to 4, got 7"):
        machine_levels(answers_of(BY_HAND)[0], [7])


def test_progress_ends_at_one():
    told = []
    machine_levels(answers_of(BY_HAND)[0], [4], FEW, told.append)
    assert told[-1] == 1
