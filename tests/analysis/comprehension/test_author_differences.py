"""Differences of summary authors: Hotelling's test as an oracle, whose questions were asked, length, and edges."""

import numpy as np
import pytest
from scipy import stats

from analysis.comprehension import author_differences as module
from analysis.comprehension.answers import Answers
from analysis.comprehension.author_differences import author_differences
from analysis.values.estimate import InputError

ASKER = 3


def study(
    seed: int = 0, stories: int = 20, authors: int = ASKER, questions: int = 4, shift: float = 0.0
) -> Answers:
    """All authors' summaries are asked the same questions, by somebody who wrote none; the first answers more."""
    rng = np.random.default_rng(seed)
    story, author, question = (axis.ravel() for axis in np.indices((stories, authors, questions)))
    share = 0.45 + shift * (np.arange(authors) == 0) + rng.normal(0, 0.1, (stories, authors))
    right = rng.random(len(story)) < share[story, author]
    nobody = np.zeros(len(story), dtype=np.int64)
    return Answers(story, author, nobody + ASKER, question, nobody, np.where(right, 0, 3))


@pytest.mark.parametrize("seed", range(3))
def test_of_the_same_questions_it_is_hotellings_test_over_stories(seed):
    answers = study(seed, shift=0.2)
    found = author_differences(answers)
    share = (answers.answer == 0).reshape(20, 3, 4).mean(axis=2)
    apart = share[:, :2] - share[:, 2:]
    mean, spread = apart.mean(axis=0), np.cov(apart.T)
    squared = 20 * mean @ np.linalg.solve(spread, mean)
    f = squared * 18 / (2 * 19)
    assert (found.f, found.df1, found.df2) == pytest.approx((f, 2, 18))
    assert found.p == pytest.approx(stats.f.sf(f, 2, 18))
    pair = found.pairs[0, 1]
    of_pair = stats.ttest_1samp(share[:, 0] - share[:, 1], 0).confidence_interval(1 - 0.05 / 3)
    assert (pair.low, pair.high) == pytest.approx((of_pair.low, of_pair.high))
    assert pair.value == pytest.approx(share[:, 0].mean() - share[:, 1].mean())
    assert found.effects == pytest.approx(share.mean(axis=0) - share.mean())
    order = np.argsort(-share.mean(axis=0))
    assert found.largest == (order[0], order[-1])


def test_whose_questions_a_summary_was_asked_does_not_count():
    # everybody's summary answers all questions of C and none of A and B: plain shares differ, authors do not
    rng = np.random.default_rng(1)
    story, author, asker = (axis.ravel() for axis in np.indices((15, 3, 3)))
    kept = author != asker
    answer = np.where((asker == 2) ^ (rng.random((15, 3))[story, asker] < 0.1), 0, 3)
    nobody = np.zeros(kept.sum(), dtype=np.int64)
    answers = Answers(story[kept], author[kept], asker[kept], nobody, nobody, answer[kept])
    assert author_differences(answers).reason == module.NO_SPREAD
    moved = answers.answer.copy()
    moved[::17] = 3 - moved[::17]
    found = author_differences(Answers(story[kept], author[kept], asker[kept], nobody, nobody, moved))
    assert np.abs(found.effects).max() < 0.1


def test_length_explains_what_it_explains():
    rng = np.random.default_rng(3)
    answers = study(stories=60, questions=30)
    length = rng.normal(100, 15, (60, 3)) + np.array([30, 0, -30])
    share = 0.5 + 0.004 * (length - 100)
    right = rng.random(len(answers)) < share[answers.story, answers.summary_author]
    longer = Answers(
        answers.story, answers.summary_author, answers.question_author, answers.question, answers.judge,
        np.where(right, 0, 3),
    )  # fmt: skip
    of_each = length[answers.story, answers.summary_author]
    assert author_differences(longer).p < 1e-6
    adjusted = author_differences(longer, of_each)
    assert adjusted.p > 0.05
    assert adjusted.slope.low < 0.04 < adjusted.slope.high  # 10 characters
    shorter = author_differences(longer, np.where(of_each < 60, np.nan, of_each))
    assert shorter.stories <= 60


def test_what_cannot_be_compared_says_why():
    assert author_differences(study(stories=9)).reason == module.FEW_STORIES
    assert author_differences(study(authors=1)).reason == module.FEW_AUTHORS
    answers = study()
    assert author_differences(answers, 50.0 + answers.summary_author).reason == module.LENGTH_IS_AUTHOR
    apart = np.arange(len(answers)) % 2 == answers.summary_author % 2
    alone = Answers(
        2 * answers.story + answers.summary_author, answers.summary_author, answers.question_author,
        answers.question, answers.judge, answers.answer,
    )  # fmt: skip
    assert author_differences(alone.select(apart)).reason == module.NOT_COMPARABLE
    with pytest.raises(InputError, match="one length per answer"):
        author_differences(answers, [1.0])
    with pytest.raises(InputError, match="figure"):
        author_differences(answers, figure="X")
