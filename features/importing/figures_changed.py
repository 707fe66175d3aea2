"""The figures of a study that holds no ratings, beside those of another version of it, or of itself without some
raters, and how far each change would lie with other items."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import NamedTuple

import pandas as pd

from analysis.resampling.carried import changed
from analysis.screening.observer_rejection import change
from analysis.values.estimate import Estimate
from data.dataset import Dataset
from features.blocks import Finding
from features.importing.pulls import Figure, Figures, numbers_in, shares_in, units_of
from features.notices.leaving_out import left_out_words
from features.plotting.numbers import UNDEFINED, decimal, interval, share
from features.results import merge_of
from features.study import ALL_GROUPS, Scenario, Study
from features.tables import Shown
from features.verdicts import clear_if, excludes, uncertain
from features.words import Sentence

NOT_THERE = Estimate(float("nan"), reason="it is not there")


class Changed(NamedTuple):
    """What a figure is of, before, after, and the difference with its interval over items."""

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate


def figures_changed(before: Study, after: Study) -> tuple[Changed, ...]:
    """The shares of both, those of the first one first; ratings have theirs by measure and group."""
    return _held_against(shares_in(before), shares_in(after))


def numbers_changed(before: Study, after: Study) -> tuple[Changed, ...]:
    """The means of contributors or metrics of both."""
    return _held_against(numbers_in(before), numbers_in(after))


def _held_against(old: Figures, new: Figures) -> tuple[Changed, ...]:
    nothing = Figure(NOT_THERE)
    return tuple(_changed(name, old.get(name, nothing), new.get(name, nothing)) for name in {**old, **new})


def _changed(name: str, before: Figure, after: Figure) -> Changed:
    plain = Estimate(change(before.estimate.value, after.estimate.value), reason=before.why or after.why)
    if before.pulls is None or after.pulls is None or not plain.defined:
        return Changed(name, before.estimate, after.estimate, plain)
    return Changed(name, before.estimate, after.estimate, changed(before.pulls, after.pulls))


def most_changed_without(changes: Sequence[Changed], scenario: Scenario) -> list[Finding]:
    """The same of a study without some of its raters."""
    told = []
    for one in most_changed(changes):
        template, values = one.headline
        without = f"Without <b>{{k}} rater{{s}}</b> ({{who}}): {template[0].lower()}{template[1:]}"
        told.append(
            replace(one, headline=(without, {**left_out_words(scenario), "who": scenario.name, **values}))
        )
    return told


def most_changed(changes: Sequence[Changed]) -> list[Finding]:
    """The share that changed most, where any did."""
    known = [each for each in changes if each.before.defined and each.after.defined]
    if not known:
        return []
    most = max(known, key=lambda each: abs(change(each.before.value, each.after.value)))
    if most.before.value == most.after.value:
        return [uncertain("All shares are as they were.")]
    return [
        clear_if(
            excludes(most.difference),
            "Of the shares, that of {name} changed most: <b>{after}</b> instead of {before}.",
            {"name": most.name, "after": share(most.after.value, 1), "before": share(most.before.value, 1)},
        )
    ]


def what_intervals_are(changes: Sequence[Changed], kind: str) -> list[Sentence]:
    """What the intervals of differences say, where there are some."""
    return said_of_intervals([each.difference for each in changes], units_of(kind))


def said_of_intervals(changes: Sequence[Estimate], units: str) -> list[Sentence]:
    """What intervals of changes over these units say, where there are some."""
    if all(isnan(one.low) for one in changes):
        return []
    return [
        (
            "The change in these rows is known exactly. Its 95% interval says how far it would lie with other "
            "{units} like these and the same raters: {units} in both versions are compared with themselves, so that "
            "only what changed of them counts, and those of one version add all of theirs.",
            {"units": units},
        )
    ]


def figures_table(changes: Sequence[Changed], heads: tuple[str, str] = ("Before", "After")) -> Shown:
    """One row per share: before, after, and the difference in points with its interval."""
    rows = [
        {
            "Share": each.name,
            heads[0]: each.before.value,
            heads[1]: each.after.value,
            "Difference in points": 100 * change(each.before.value, each.after.value),
            "95%": interval(_in_points(each.difference), 1),
            "Why": _why(each),
        }
        for each in changes
    ]
    shares = dict.fromkeys(heads, partial(share, digits=1))
    return pd.DataFrame(rows), shares | {"Difference in points": partial(_signed, digits=1)}


def numbers_table(changes: Sequence[Changed]) -> Shown:
    """One row per mean: before, after, and the difference with its interval."""
    rows = [
        {
            "Figure": each.name,
            "Before": each.before.value,
            "After": each.after.value,
            "Difference": change(each.before.value, each.after.value),
            "95%": interval(each.difference, 3),
            "Why": _why(each),
        }
        for each in changes
    ]
    means = dict.fromkeys(("Before", "After"), partial(decimal, digits=3))
    return pd.DataFrame(rows), means | {"Difference": partial(_signed, digits=3)}


def _in_points(difference: Estimate) -> Estimate:
    return Estimate(100 * difference.value, 100 * difference.low, 100 * difference.high)


def _why(each: Changed) -> str:
    """Why a side or the interval of the difference is not there."""
    sides = dict.fromkeys(e.reason for e in (each.before, each.after) if not e.defined)
    return "; ".join(sides or [each.difference.reason])


def _signed(difference: float, digits: int) -> str:
    told = decimal(difference, digits)
    return f"+{told}" if difference > 0 and told != UNDEFINED else told


def study_of(dataset: Dataset) -> Study:
    """All of a data set that holds no ratings."""
    return Study("", dataset, dataset, (), (), ALL_GROUPS, None, None, (), merge=merge_of(dataset, "mean"))
