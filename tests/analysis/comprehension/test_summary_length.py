"""Length against what summaries answer: the paper's figures, other packages, loops, laws, and bad input."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.comprehension.answer_levels import resample_stories
from analysis.comprehension.answers import Answers
from analysis.comprehension.summary_length import (
    count_questions,
    length_correlation_over_authors,
    length_correlation_within_stories,
    length_table,
)
from analysis.values.estimate import BootstrapSpec, InputError

FEW = BootstrapSpec(80, 2)

# --- over authors ----------------------------------------------------------------------------------------

FOUND = [71, 61, 54, 73]
CHARACTERS = [113, 99, 81, 131]
"""Kolluru and Gotoh 2005, section 5.1: per cent found and mean characters of subjects A, B, C and D."""


def test_the_golden_case():
    r = length_correlation_over_authors(FOUND, CHARACTERS)
    assert (round(r.value, 3), round(r.low, 2), round(r.high, 3), r.n) == (0.965, 0.05, 0.999, 4)
    assert r.reason == ""


def test_shares_and_per_cent_are_the_same():
    shares = length_correlation_over_authors(np.array(FOUND) / 100, CHARACTERS)
    assert shares.value == pytest.approx(length_correlation_over_authors(FOUND, CHARACTERS).value, abs=1e-12)


@given(some.lists(some.tuples(some.integers(0, 100), some.integers(50, 200)), min_size=5, max_size=9))
def test_it_is_scipys_correlation_and_interval(pairs):
    found, characters = zip(*pairs, strict=True)
    if len(set(found)) < 3 or len(set(characters)) < 3:
        return
    r, expected = length_correlation_over_authors(found, characters, 0.9), stats.pearsonr(found, characters)
    if abs(expected.statistic) > 1 - 1e-9:
        return
    assert r.value == pytest.approx(expected.statistic, abs=1e-9)
    assert [r.low, r.high] == pytest.approx(list(expected.confidence_interval(0.9)), abs=1e-9)


def test_three_authors_have_a_correlation_and_no_interval():
    r = length_correlation_over_authors(FOUND[:3], CHARACTERS[:3])
    assert r.value == pytest.approx(stats.pearsonr(FOUND[:3], CHARACTERS[:3]).statistic)
    assert isnan(r.low)
    assert r.reason == "an interval needs at least 4 authors; there are 3"


@pytest.mark.parametrize(
    ("found", "characters", "told"),
    [
        ([], [], "needs at least 3 authors; there are 0"),
        ([1, 2], [1, 2], "needs at least 3 authors; there are 2"),
        ([1, nan, 2], [1, 2, 3], "needs at least 3 authors; there are 2"),
        ([1, 1, 1], [1, 2, 3], "all authors have the same share of questions answered"),
        ([1, 2, 3], [9, 9, 9], "all authors have the same mean length"),
    ],
)
def test_no_correlation_says_why(found, characters, told):
    r = length_correlation_over_authors(found, characters)
    assert isnan(r.value)
    assert told in r.reason


def test_authors_with_either_missing_are_left_out():
    assert length_correlation_over_authors(
        [*FOUND, nan, 5], [*CHARACTERS, 3, nan]
    ) == length_correlation_over_authors(FOUND, CHARACTERS)


# --- within stories --------------------------------------------------------------------------------------

# s: lengths 10, 20 (mean 15), found 0, 1 (mean 1/2); t: 30, 40, 50 (40), found 1, 0, 1 (2/3); u has one summary.
# x: -5 5 | -10 0 10; y: -1/2 1/2 | 1/3 -2/3 1/3. Sxy = 5 + 0 = 5; Sxx = 250; Syy = 1/2 + 6/9 = 7/6.
BY_HAND = ["s", "s", "t", "t", "t", "u"], [0, 1, 1, 0, 1, 1], [10, 20, 30, 40, 50, 99]


def test_within_stories_by_hand():
    r = length_correlation_within_stories(*BY_HAND, FEW)
    assert r.value == pytest.approx(5 / np.sqrt(250 * 7 / 6))
    assert r.n == 5


def slow_within(rows):
    """r of what is left of found and length less the story's means, None where either is constant."""
    x, y = [], []
    for story in {place for place, *_ in rows}:
        own = [r for r in rows if r[0] == story]
        if len(own) > 1:
            x += [r[2] - np.mean([s[2] for s in own]) for r in own]
            y += [r[1] - np.mean([s[1] for s in own]) for r in own]
    if not x or max(np.abs(x)) < 1e-9 or max(np.abs(y)) < 1e-9:
        return None
    return np.dot(x, y) / np.sqrt(np.dot(x, x) * np.dot(y, y))


summaries = some.lists(
    some.tuples(some.integers(0, 4), some.sampled_from([0, 0.25, 0.5, 1]), some.integers(80, 90)),
    min_size=1,
    max_size=16,
)


@given(summaries)
def test_within_stories_equals_a_loop_over_materialised_stories(rows):
    rows = sorted(rows)
    r = length_correlation_within_stories(*zip(*rows, strict=True), FEW)
    several = sorted({s for s, *_ in rows if sum(t == s for t, *_ in rows) > 1})
    expected = slow_within(rows)
    if len(several) < 2 or expected is None:
        assert isnan(r.value)
        assert r.reason
        return
    assert r.value == pytest.approx(expected, abs=1e-9)
    drawn = []
    for weights in np.hstack([w for _, w in resample_stories(len(several), FEW)]).T:
        copies = [
            ((story, copy), *rest)
            for story, times in zip(several, weights.astype(int), strict=True)
            for copy in range(times)
            for place, *rest in rows
            if place == story
        ]
        drawn.append(slow_within(copies))
    drawn = [value for value in drawn if value is not None]
    if len(drawn) < FEW.draws / 2 or np.ptp(drawn) < 1e-9:
        assert isnan(r.low)
        assert r.reason
        return
    on_z = np.arctanh(np.clip([*drawn, expected], -(1 - 1e-9), 1 - 1e-9))
    n = len(several)
    half = stats.t.ppf(0.975, n - 1) * on_z[:-1].std(ddof=1) * np.sqrt(n / (n - 1))
    low, high = np.tanh(on_z[-1] - half), np.tanh(on_z[-1] + half)
    assert (r.low, r.high) == pytest.approx((min(low, expected), max(high, expected)), abs=1e-7)
    assert -1 <= r.low <= r.value <= r.high <= 1


@settings(max_examples=20, deadline=None)
@given(summaries, some.integers(-50, 50))
def test_how_rich_or_long_a_story_is_does_not_matter(rows, more):
    changed = [(s, found, length + more * s) for s, found, length in rows]
    first, second = (
        length_correlation_within_stories(*zip(*given_, strict=True), FEW) for given_ in (rows, changed)
    )
    assert first.value == pytest.approx(second.value, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (([], [], []), "no story has two summaries or more"),
        (([0, 1], [0, 1], [1, 2]), "no story has two summaries or more"),
        (([0, 0], [0, 1], [1, 2]), "only one story has two summaries or more"),
        (([0, 0, 1, 1], [0, 1, 1, 0], [7, 7, 8, 8]), "all have the same length"),
        (([0, 0, 1, 1], [0, 0, 1, 1], [7, 8, 7, 8]), "all have the same share"),
        (([0, 0, 1, 1], [0, 1, 0, nan], [7, 8, 7, 8]), "only one story"),
    ],
)
def test_no_correlation_within_stories_says_why(rows, told):
    r = length_correlation_within_stories(*rows, FEW)
    assert isnan(r.value)
    assert told in r.reason


def test_progress_ends_at_one():
    told = []
    length_correlation_within_stories(*BY_HAND, FEW, told.append)
    assert told[-1] == 1


# --- the table -------------------------------------------------------------------------------------------


def test_the_table_by_hand():
    # author 0: words 10, 14: mean 12, SD sqrt(8); characters 60, 70; per word 6, 5; questions 2, 4.
    # author 2: one summary without words counted; author 1: none.
    table = length_table([0, 0, 2], [10, 14, nan], [60, 70, 81], [2, 4, nan])
    assert table.words.mean.tolist() == pytest.approx([12, nan, nan], nan_ok=True)
    assert table.words.sd.tolist() == pytest.approx([np.sqrt(8), nan, nan], nan_ok=True)
    assert table.words.n.tolist() == [2, 0, 0]
    assert table.characters.mean.tolist() == pytest.approx([65, nan, 81], nan_ok=True)
    assert table.characters.n.tolist() == [2, 0, 1]
    assert table.characters_per_word.mean[0] == 5.5
    assert table.questions.mean.tolist() == pytest.approx([3, nan, nan], nan_ok=True)
    assert isnan(table.characters.sd[2])


def test_a_summary_of_no_words_has_no_characters_per_word():
    assert length_table([0, 0], [0, 4], [3, 20], [1, 1]).characters_per_word.mean.tolist() == [5]


def test_authors_without_summaries_stand_in_the_table():
    assert length_table([0], [1], [2], [3], authors=3).words.n.tolist() == [1, 0, 0]
    assert length_table([], [], [], []).words.n.tolist() == []


def test_questions_are_counted_once_however_often_they_were_asked():
    answers = Answers(
        story=np.array([0, 0, 0, 0, 1, 1]),
        summary_author=np.array([1, 2, 1, 0, 1, 1]),
        question_author=np.array([0, 0, 0, 0, 0, 2]),
        question=np.array([0, 0, 1, 2, 0, 0]),
        judge=np.zeros(6, dtype=np.int64),
        answer=np.zeros(6, dtype=np.int64),
    )
    found = count_questions(answers, [0, 1, 1, 0, 5], [0, 0, 2, 1, 0])
    assert found.tolist() == pytest.approx([3, 1, 1, nan, nan], nan_ok=True)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: length_correlation_over_authors([1, 2, 3], [1, 2]), "`characters` needs one entry"),
        (
            lambda: length_correlation_over_authors([1, 2, np.inf], [1, 2, 3]),
            "`found` must be 1-d and without infinite",
        ),
        (lambda: length_correlation_within_stories([0], [1, 2], [1, 2]), "`found` needs one entry"),
        (lambda: length_table([0], [1], [1, 2], [1]), "`characters` needs one entry"),
    ],
)
def test_bad_input_is_reported(call, told):
    with pytest.raises(InputError, match=told):
        call()
