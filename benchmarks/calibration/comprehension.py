"""Comprehension: shares of answers and their correlation with length, judges, machine summaries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.comprehension.answer_shares import shares_by_code, shares_by_pair, shares_by_story_type
from analysis.comprehension.answers import Answers
from analysis.comprehension.author_differences import author_differences, machine_levels
from analysis.comprehension.judge_agreement import VERDICTS, judge_agreement
from analysis.comprehension.summary_length import (
    length_correlation_over_authors,
    length_correlation_within_stories,
)
from analysis.values.estimate import BootstrapSpec, Estimate
from benchmarks.calibration.simulation import Kind, Simulation

Outcomes = Mapping[str, bool | float | None]
SAME_DESIGN = 300
"""Studies of the same design whose mean is the truth."""
QUICK, NONE = BootstrapSpec(200), BootstrapSpec(0)


@dataclass(frozen=True)
class Design:
    """Authors who ask each other's summaries questions on stories; the last author is a machine."""

    stories: int
    authors: int = 4
    questions: int = 5
    judges: int = 1
    easy: float = 0.0

    @property
    def words(self) -> str:
        judges = f", {self.judges} judges" if self.judges > 1 else ""
        difficulty = ", most is found" if self.easy > 1 else ""
        return f"{self.stories} stories, {self.authors} authors, {self.questions} questions each{judges}{difficulty}"

    def draw(self, rng: np.random.Generator) -> Answers:
        """Draw stories, summaries and questions of the same authors, with the same judges."""
        s, a, q, j = self.stories, self.authors, self.questions, self.judges
        story, summary_author, question_author, question, judge = (
            axis.ravel() for axis in np.meshgrid(*(np.arange(n) for n in (s, a, a, q, j)), indexing="ij")
        )
        latent = (
            self.easy + np.linspace(0.4, -0.4, a)[summary_author] + np.linspace(-0.3, 0.3, a)[question_author]
        )
        latent = latent + rng.normal(0, 0.5, s)[story] + rng.normal(0, 0.4, (s, a))[story, summary_author]
        latent = latent + rng.normal(0, 0.7, (s, a, q))[story, question_author, question]
        latent = latent + rng.normal(0, 0.8, (s, a, a, q))[story, summary_author, question_author, question]
        latent = latent + rng.normal(0, 0.5, len(latent)) + np.linspace(-0.2, 0.2, j)[judge]
        answer = 3 - np.searchsorted([-0.5, -0.2, 0.3], latent)
        is_kept = summary_author != question_author
        return Answers(
            *(column[is_kept] for column in (story, summary_author, question_author, question, judge, answer))
        )


def _covers(estimate: Estimate, truth: float) -> bool | None:
    """Return True if the interval covers the truth, None if it is undefined or has a warning."""
    if estimate.warning or estimate.low != estimate.low:
        return None
    return bool(estimate.low <= truth <= estimate.high)


def compute_figures(test: Design, answers: Answers, spec: BootstrapSpec) -> dict[str, Estimate]:
    """Compute every figure of a study."""
    shares = shares_by_code(answers, spec)
    types = shares_by_story_type(answers, np.arange(test.stories) % 2, spec)
    machine = machine_levels(answers, [test.authors - 1], spec)[test.authors - 1]
    figures = {
        "share of answers": shares.overall.estimate(0, "R+P"),
        "share of not found": shares.overall.estimate(0, "N"),
        "share of a summary author": shares.by_summary_author.estimate(0, "found"),
        "share of a question author": shares.by_question_author.estimate(0, "R"),
        "share of a pair of authors": shares_by_pair(answers, spec).levels.estimate(1, "found"),
        "share of a type of stories": types.levels.estimate(0, "R+P"),
        "difference of shares between stories": types.differences[0, 1]["R+P"],
        "level of a machine": machine.machine["R+P"],
        "level of people next to it": machine.people["R+P"],
        "share of the human level": machine.ratio,
        "a machine's minus people's share": machine.difference,
    }
    if test.judges > 1:
        agreement = judge_agreement(answers, spec)
        figures |= {f"alpha of judges, {name}": agreement.alpha[name] for name in VERDICTS}
        pair = agreement.pairs[0]
        figures |= {
            "equal answers of judges": pair.same,
            "Cohen's kappa of judges": pair.kappa,
            "share of a judge": agreement.by_judge.estimate(0, "R+P"),
        }
    return figures


def comprehension(test: Design) -> Simulation:
    """Simulate new stories for these authors and judges; the truth is the mean of many studies of the same design."""

    def truth(rng: np.random.Generator) -> dict[str, float]:
        each = [compute_figures(test, test.draw(rng), NONE) for _ in range(SAME_DESIGN)]
        return {name: float(np.mean([one[name].value for one in each])) for name in each[0]}

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        found = compute_figures(test, test.draw(rng), QUICK)
        return {name: _covers(found[name], true[name]) for name in true}

    names = compute_figures(test, test.draw(np.random.default_rng(0)), NONE)
    return Simulation(
        "comprehension",
        f"answers: {test.words}",
        test.words,
        dict.fromkeys(names, "interval"),
        study,
        truth,
    )


@dataclass(frozen=True)
class Lengths:
    """Authors whose mean lengths and shares of found answers are correlated."""

    authors: int
    correlation: float
    skewed: bool = False

    @property
    def words(self) -> str:
        how = "lengths skewed" if self.skewed else "both normal"
        return f"{self.authors} authors, correlation {self.correlation}, {how}"

    def draw(self, rng: np.random.Generator, authors: int) -> tuple[np.ndarray, np.ndarray]:
        length, other = rng.normal(size=(2, authors))
        found = self.correlation * length + (1 - self.correlation**2) ** 0.5 * other
        return found, np.exp(length) if self.skewed else length


def correlation_over_authors(lengths: Lengths) -> Simulation:
    """Simulate the correlation over authors with Fisher's z."""
    figure = "length and share, over authors"

    def truth(rng: np.random.Generator) -> float:
        return float(np.corrcoef(*lengths.draw(rng, 1_000_000))[0, 1])

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        return {figure: _covers(length_correlation_over_authors(*lengths.draw(rng, lengths.authors)), true)}

    return Simulation(
        "comprehension",
        f"length: {lengths.words}",
        lengths.words,
        {figure: "interval"},
        study,
        truth,
    )


def correlation_within_stories(stories: int, authors: int) -> Simulation:
    """Simulate the correlation of length and found answers within stories."""
    figure, correlation = "length and share, within stories", 0.5
    story = np.repeat(np.arange(stories), authors)

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        length, other = rng.normal(size=(2, len(story)))
        share = correlation * length + (1 - correlation**2) ** 0.5 * other + rng.normal(size=stories)[story]
        length = length + rng.normal(size=stories)[story]
        return {figure: _covers(length_correlation_within_stories(story, share, length, QUICK), correlation)}

    words = f"{stories} stories, {authors} authors, correlation {correlation} within stories"
    return Simulation("comprehension", f"within: {words}", words, {figure: "interval"}, study)


@dataclass(frozen=True)
class EqualAuthors:
    """Authors whose summaries answer the same questions equally well at equal length; questions differ in difficulty.

    `longer` authors' summaries are longer and so answer more; `easy` questions are mostly answered; of `missing`
    summaries nothing is known.
    """

    stories: int
    authors: int = 4
    easy: float = 0.0
    missing: float = 0.0
    longer: bool = False

    @property
    def words(self) -> str:
        parts = [f"{self.stories} stories, {self.authors} authors"]
        parts += ["most is found"] if self.easy else []
        parts += [f"{self.missing:.0%} of the summaries missing"] if self.missing else []
        parts += ["some write longer ones"] if self.longer else []
        return ", ".join(parts)

    def draw(self, rng: np.random.Generator) -> tuple[Answers, np.ndarray]:
        """Draw new stories and summaries, with each answer's length; skewed lengths, 3 questions per author."""
        s, a, q = self.stories, self.authors, 3
        story, summary_author, question_author, question = (axis.ravel() for axis in np.indices((s, a, a, q)))
        length = rng.lognormal(4.5, 0.4, (s, a)) * (1 + self.longer * np.linspace(-0.2, 0.2, a))
        latent = self.easy + np.linspace(-0.8, 0.8, a)[question_author] + rng.normal(0, 0.6, s)[story]
        latent = (
            latent
            + rng.normal(0, 0.5, (s, a))[story, summary_author]
            + rng.normal(0, 0.7, (s, a, q))[story, question_author, question]
        )
        share = np.clip(0.5 + 0.15 * latent + 0.002 * (length[story, summary_author] - 95), 0.02, 0.98)
        answer = np.where(rng.random(len(share)) < share, 0, 3)
        is_kept = (summary_author != question_author) & (rng.random((s, a)) >= self.missing)[
            story, summary_author
        ]
        columns = (
            story,
            summary_author,
            question_author,
            question,
            np.zeros(len(story), dtype=np.int64),
            answer,
        )
        return Answers(*(column[is_kept] for column in columns)), length[story, summary_author][is_kept]


def equal_authors(test: EqualAuthors) -> Simulation:
    """Simulate tests of equal authors, unadjusted (unless some write more) and adjusted for length."""
    adjusted, pairs, slope = (
        "p of summary authors at equal length",
        "adjusted interval of summary authors",
        "change of the share with length",
    )
    unadjusted = "p of summary authors"

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        answers, length = test.draw(rng)
        result = author_differences(answers, length)
        any_excludes_0 = any(not one.low <= 0 <= one.high for one in result.pairs.values())
        outcomes: dict[str, bool | float | None] = {adjusted: result.p, pairs: 0.0 if any_excludes_0 else 1.0}
        if not test.easy:
            outcomes[slope] = _covers(result.slope, 0.02)
        return outcomes if test.longer else outcomes | {unadjusted: author_differences(answers).p}

    kinds: dict[str, Kind] = {adjusted: "test", pairs: "familywise test"}
    if not test.easy:
        kinds[slope] = "interval"
    if not test.longer:
        kinds[unadjusted] = "test"
    return Simulation("comprehension", f"authors: {test.words}", f"alike, {test.words}", kinds, study)


SIMULATIONS = (
    *(
        equal_authors(test)
        for test in (
            EqualAuthors(12),
            EqualAuthors(12, longer=True),
            EqualAuthors(51, longer=True),
            EqualAuthors(51, easy=1.8),
            EqualAuthors(30, authors=6, missing=0.3),
        )
    ),
    *(
        comprehension(test)
        for test in (
            Design(6),
            Design(12),
            Design(12, judges=3),
            Design(51, judges=2),
            Design(51, authors=6, questions=2),
            Design(12, easy=1.5),
            Design(5, judges=2),
        )
    ),
    *(
        correlation_over_authors(lengths)
        for lengths in (
            Lengths(4, 0.0),
            Lengths(4, 0.9),
            Lengths(4, 0.9, skewed=True),
            Lengths(10, 0.6),
            Lengths(10, 0.6, skewed=True),
        )
    ),
    *(correlation_within_stories(*design) for design in ((6, 4), (12, 4), (51, 4), (51, 2))),
)
