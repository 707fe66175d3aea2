"""Questions that machine summaries answer, compared with summaries by people on the same questions."""

from collections.abc import Collection
from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.comprehension.answer_levels import FIGURES, SUMMED, interval, place_of, story_draws
from analysis.comprehension.answers import Answers, joined
from analysis.values.estimate import BootstrapSpec, Estimate, InputError
from analysis.values.types import Codes, Floats, OnProgress

SHARED = "R+P"
"""The figure of the ratio: the level that summaries share."""
NO_QUESTIONS = "no question was put to both its summary and a person's by the same judge"
NO_HUMAN_LEVEL = "summaries by people answer none of these questions"


@dataclass(frozen=True)
class MachineLevel:
    """A machine's shares and those of people's summaries on the same questions, answer -> Estimate.

    `ratio` of the machine's R + P to people's and `difference` (machine less people), paired by stories. n of all =
    questions; `stories` and `judges` they come from; `left_out` questions put to the machine's summaries that could
    not be paired.
    """

    machine: dict[str, Estimate]
    people: dict[str, Estimate]
    ratio: Estimate
    difference: Estimate
    stories: int
    judges: int
    left_out: int


def machine_levels(
    answers: Answers,
    machines: Collection[int],
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[int, MachineLevel]:
    """Each machine beside the human level, on the same questions.

    Parameters
    ----------
    answers : N answers by code, (N,) each; own questions are set aside
    machines : codes of the authors that are machines; all others are people
    bootstrap : of the intervals, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    {machine: MachineLevel}
        undefined with the reason where no question was put to a person's summary as well.

    Raises
    ------
    InputError
        where codes are out of range, or a machine is not an author.

    Notes
    -----
    Not to 100%: people themselves agree on some 61%. A question counts where one judge judged it for the machine's
    summary and for one or more by people; several people's answers to it are averaged, so that each question counts
    once on both sides. Both levels are means over the judges. Intervals rest on the spread of draws of stories, machine
    and people together, with Student's t; the ratio's is no better than its human level is far from 0.
    Source: Kolluru and Gotoh 2005, section 6; methods, section 5.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    kept = answers.to_others
    unknown = [machine for machine in machines if not 0 <= machine < kept.authors]
    if unknown:
        raise InputError(f"`machines` must be codes of authors, 0 to {kept.authors - 1}, got {unknown[0]}")
    listed = sorted(set(machines))
    asked = joined(kept.asked, kept.judged_by)
    person = ~np.isin(kept.summary_author, listed)
    n_asked = int(asked.max(initial=-1)) + 1
    people = _shares_by(asked[person], kept.answer[person], n_asked)
    story_of, judge_of, question_of = (np.zeros(n_asked, dtype=np.int64) for _ in range(3))
    story_of[asked], judge_of[asked], question_of[asked] = kept.story_place, kept.judged_by, kept.asked

    pairs = []
    for machine in listed:
        own = kept.summary_author == machine
        its = _shares_by(asked[own], kept.answer[own], n_asked)
        both = np.flatnonzero(~np.isnan(its[:, 0]) & ~np.isnan(people[:, 0]))
        in_all = len(np.unique(kept.asked[own]))
        pairs.append(
            _Paired(
                its[both],
                people[both],
                story_of[both],
                judge_of[both],
                question_of[both],
                in_all,
                kept.stories,
            )
        )
    drawn = _drawn(pairs, kept.stories, spec, on_progress)
    return {
        machine: _level(pair, of_draws, spec)
        for machine, pair, of_draws in zip(listed, pairs, drawn, strict=True)
    }


@dataclass(frozen=True, eq=False)
class _Paired:
    """k questions by one judge each: the answers' shares (k, 4) of the machine and of people, story, judge (k,)."""

    machine: Floats
    people: Floats
    story: Codes
    judge: Codes
    question: Codes
    in_all: int
    stories: int

    def sums(self) -> Floats:
        """(s, j, 9): per story and judge the number of questions, and both sides' sums of shares."""
        judges, at = np.unique(self.judge, return_inverse=True)
        columns = np.column_stack([np.ones(len(at)), self.machine, self.people])
        j = len(judges)
        summed = [
            np.bincount(self.story * j + at, weights=column, minlength=self.stories * j)
            for column in columns.T
        ]
        return np.stack(summed, axis=1).reshape(self.stories, j, 9).astype(np.float64)


def _shares_by(asked: Codes, answer: Codes, n: int) -> Floats:
    """(n, 4) shares of the answers to each question by one judge, NaN without."""
    counts = np.bincount(asked * 4 + answer, minlength=n * 4).reshape(n, 4)
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), nan)


def _both_levels(sums: Floats) -> Floats:
    """(b, 2, 6) shares of machine and people from sums (b, j, 9): the mean over judges with a question."""
    n = sums[:, :, :1]
    shares = sums[:, :, 1:] / np.where(n > 0, n, 1.0)
    judges = (n > 0).sum(axis=1)
    mean = np.where(judges > 0, shares.sum(axis=1) / np.maximum(judges, 1), nan)
    return np.asarray(mean.reshape(-1, 2, 4) @ SUMMED.T)


def _drawn(pairs: list[_Paired], stories: int, spec: BootstrapSpec, on_progress: OnProgress) -> list[Floats]:
    """(draws, 2, 6) for each machine."""
    tables = [pair.sums() for pair in pairs]
    drawn = [np.empty((spec.draws, 2, len(FIGURES))) for _ in pairs]
    width = sum(table[:1].size for table in tables)
    for block, weights in story_draws(stories, spec, width, on_progress) if stories else ():
        for table, levels in zip(tables, drawn, strict=True):
            summed = weights.T @ table.reshape(stories, -1)
            levels[block] = _both_levels(summed.reshape(weights.shape[1], -1, 9))
    return drawn


def _level(pair: _Paired, drawn: Floats, spec: BootstrapSpec) -> MachineLevel:
    n, stories = len(np.unique(pair.question)), len(np.unique(pair.story))
    left_out = pair.in_all - n
    if n == 0:
        none = Estimate(nan, reason=NO_QUESTIONS)
        shares = dict.fromkeys(FIGURES, none)
        return MachineLevel(shares, shares, none, none, 0, 0, left_out)

    def estimate(value: float, of_draws: Floats, lowest: float, highest: float) -> Estimate:
        if spec.draws == 0:
            return Estimate(value, n=n)
        return interval(value, of_draws, stories, spec.level, n, lowest, highest)

    value = _both_levels(pair.sums().sum(axis=0, keepdims=True))[0]
    machine, people = (
        {
            figure: estimate(float(value[side, at]), drawn[:, side, at], 0.0, 1.0)
            for at, figure in enumerate(FIGURES)
        }
        for side in range(2)
    )
    shared = place_of(SHARED)
    own, human = value[:, shared].tolist()
    drawn_own, drawn_human = drawn[:, 0, shared], drawn[:, 1, shared]
    ratio = Estimate(nan, n=n, reason=NO_HUMAN_LEVEL)
    if human > 0:
        some = drawn_human > 0
        ratio = estimate(
            own / human, np.where(some, drawn_own / np.where(some, drawn_human, 1.0), nan), 0.0, np.inf
        )
    difference = estimate(own - human, drawn_own - drawn_human, -1.0, 1.0)
    judges = len(np.unique(pair.judge))
    return MachineLevel(machine, people, ratio, difference, stories, judges, left_out)
