"""Raters ranked by their agreement, as figures and tables of all questions have them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

from analysis.correlation.two_columns import Correlation
from analysis.raters import FEWEST_UNITS
from analysis.values.estimate import Estimate
from analysis.workers.worker_agreement import known_against_r
from features.raters.naming_findings import ComparedRaters, verdicts

CHANCE = "not beyond chance"
"""Mark of a rater whose interval holds 0."""


@dataclass(frozen=True)
class RankedRater:
    """One rater: agreement with the others or itself, its verdict among all raters, and agreement with what is known.

    `p` is adjusted, NaN where the rater was not tested; `mark` is the word that a figure shows it with.
    """

    name: str
    group: str
    figure: Estimate
    verdict: str = ""
    p: float = nan
    mark: str = ""
    known: Estimate | None = None


@dataclass(frozen=True)
class KnownAnswers:
    """Known values that raters are compared with: in a sentence, on an axis, and whether agreement is a share."""

    name: str
    axis: str
    is_share: bool


@dataclass(frozen=True, eq=False)
class RaterRanking:
    """Raters in the order of `in_order`; those with fewer than `fewest` units are not drawn.

    `title` names their figure on an axis, `typical` is the typical rater's, NaN where nobody could be compared.
    """

    raters: Sequence[RankedRater]
    compared: ComparedRaters
    title: str
    fewest: int = FEWEST_UNITS
    known: KnownAnswers | None = None

    @property
    def typical(self) -> float:
        """Figure of the typical rater."""
        tests = self.compared.compared
        return nan if tests.reason else self.compared.statistic.value(tests.typical)

    @property
    def with_enough(self) -> list[RankedRater]:
        """Raters with enough units whose figure is defined."""
        return [one for one in self.raters if one.figure.defined and one.figure.n >= self.fewest]

    @property
    def drawn(self) -> list[RankedRater]:
        """The same, the lowest first; all with a figure where that leaves no two to compare."""
        enough = self.with_enough
        if len(enough) < 2:
            enough = [one for one in self.raters if one.figure.defined]
        return sorted(enough, key=lambda one: one.figure.value)

    def correlate_with_known(self) -> tuple[Correlation, Correlation]:
        """Return Pearson's and Spearman's correlation over raters of both agreements."""
        both = self.with_enough
        return known_against_r(
            [one.figure.value for one in both], [one.known.value if one.known else nan for one in both]
        )


def in_order(figures: Sequence[Estimate]) -> list[int]:
    """Return places of raters: the lowest figure first, then those with few units, then undefined ones."""
    return sorted(
        range(len(figures)),
        key=lambda at: (
            not figures[at].defined,
            figures[at].n < FEWEST_UNITS,
            figures[at].value if figures[at].defined else 0.0,
        ),
    )


def is_chance(figure: Estimate) -> bool:
    """Return True where the interval of an agreement holds 0 or lies below it."""
    return figure.low <= 0


def rank_raters(
    compared: ComparedRaters,
    groups: Sequence[str],
    known: Sequence[Estimate] | None = None,
    among: Sequence[ComparedRaters] = (),
    marks_chance: bool = False,
) -> list[RankedRater]:
    """Return the raters compared on one measure, in order.

    Parameters
    ----------
    compared : raters of the measure, with their tests
    groups : group of each, in the order of `compared`
    known : agreement of each with what is known
    among : all measures whose p values are adjusted together
    marks_chance : mark those whose agreement is not beyond chance before those named
    """
    found = verdicts(among or [compared])[compared.measure]
    raters = []
    for at in in_order(compared.figures):
        name, figure = compared.names[at], compared.figures[at]
        verdict, p = found.get(name, ("", nan))
        mark = CHANCE if marks_chance and is_chance(figure) else verdict
        raters.append(
            RankedRater(name, groups[at], figure, verdict, p, mark, None if known is None else known[at])
        )
    return raters
