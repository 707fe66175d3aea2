"""What the reader should know before trusting a comparison: few raters, unequal shares of the work, few systems."""

from collections.abc import Sequence

from analysis.comparison.clusters import FEWEST
from analysis.comparison.comparison import Comparison
from features.plotting.numbers import count, decimal
from features.study import Study
from features.words import Sentence, listed

FEWEST_RATERS = 5
EVEN = 2 / 3
"""Raters weigh unequally where they are worth less than this share of as many with equal shares."""


def cautions(study: Study, compared: Sequence[Comparison]) -> list[Sentence]:
    """Warnings, each once with the measures that it is about."""
    told: dict[str, list[str]] = {}
    for measure, c in zip(study.measures, compared, strict=True):
        for caution in _of(study, c):
            told.setdefault(caution, []).append(measure)
    every = len(study.measures)
    return [
        ("{caution}.", {"caution": caution})
        if len(where) == every
        else ("{where}: {caution}.", {"where": listed(where), "caution": caution})
        for caution, where in told.items()
    ]


def _of(study: Study, c: Comparison) -> list[str]:
    told = []
    sides = (study.candidate, c.candidate.raters), (study.reference_name, c.reference.raters)
    for (name, raters), worth in zip(sides, c.raters_worth, strict=True):
        if not study.raters_are_persons or not raters:
            continue
        if raters == 1:
            told.append(
                f"{name} has a single rater: correlations, their intervals and RMSE hold for this rater only"
                + (
                    ", and the mean difference has no interval, as that rater's severity is part of it"
                    if c.scope == "raters like these"
                    else ""
                )
            )
        elif raters < FEWEST_RATERS:
            told.append(
                f"{name} has {raters} raters, fewer than {FEWEST_RATERS}: what others would have said can hardly be "
                "told from so few"
            )
        if worth < EVEN * raters:
            told.append(
                f"the work of {name} is shared unequally: its {count(raters)} raters weigh as much as "
                f"{decimal(worth, 0)} with equal shares; intervals and the test over raters take that into account"
            )
    if 1 < c.systems.systems < FEWEST:
        told.append(
            f"the items belong to {c.systems.systems} systems, fewer than {FEWEST}: a correlation over so few says "
            "little, and intervals hold these systems as they are"
        )
    return told
