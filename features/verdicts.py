"""Findings of each status, built from a template, its values, and the parts of the evidence line."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from analysis.screening.observer_rejection import change
from analysis.values.estimate import Estimate
from features.blocks import MAIN, Finding, NextStep, Status
from features.evidence import evidence
from features.plotting.numbers import share
from features.study import Scenario

_NONE: Mapping[str, object] = MappingProxyType({})
Values = Mapping[str, object]
EXCLUSION = "exclusion"
"""Name of the finding on what changes without the excluded raters."""


def clear(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding whose interval answers the question."""
    return Finding((template, values), evidence(*line), Status.CLEAR, name=name)


def uncertain(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding whose interval leaves the question open, although there are data."""
    return Finding((template, values), evidence(*line), Status.UNCERTAIN, name=name)


def not_enough_data(
    template: str,
    values: Values = _NONE,
    *line: str,
    name: str = MAIN,
    next_step: NextStep | None = None,
) -> Finding:
    """Return a finding that the data are too few, or too uniform, to answer the question."""
    return Finding(
        (template, values), evidence(*line), Status.NOT_ENOUGH_DATA, next_step=next_step, name=name
    )


def too_few(
    purpose: str, values: Values, there: str, least: int, *line: str, next_step: NextStep, name: str = MAIN
) -> Finding:
    """Return a finding that there is less than the least that a purpose needs; `purpose` is a template."""
    headline = f"Not enough data to {purpose}: you have {{there}}, it needs {{least}}."
    given = {**values, "there": there, "least": least}
    return not_enough_data(headline, given, *line, name=name, next_step=next_step)


def not_applicable(template: str, values: Values = _NONE, *line: str) -> Finding:
    """Return a finding that the question does not arise for these data."""
    return Finding((template, values), evidence(*line), Status.NOT_APPLICABLE)


def excludes(estimate: Estimate, null: float = 0.0) -> bool:
    """Return True where the interval is known and lies on one side of the null."""
    return estimate.low > null or estimate.high < null


def clear_if(is_clear: bool, template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a clear finding where the condition holds, else an uncertain one."""
    return (clear if is_clear else uncertain)(template, values, *line, name=name)


def prefix(finding: Finding, template: str, values: Values) -> Finding:
    """Return the finding with words before its headline, such as the group that it is about."""
    return replace(finding, headline=(template + finding.headline[0], {**finding.headline[1], **values}))


def name_excluded(scenario: Scenario, one: str = "rater") -> str:
    """Return the excluded raters as a headline has them: the name of one, the number of several.

    >>> name_excluded(Scenario(names=("07",))), name_excluded(Scenario(names=("a", "b")), "judge")
    ('rater 07', 'the 2 excluded judges')
    """
    if len(scenario.names) != 1:
        return f"the {len(scenario.names)} excluded {one}s"
    (name,) = scenario.names
    return name if name.casefold().startswith(one) else f"{one} {name}"


def largest_change(
    scenario: Scenario,
    what: str,
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
    write: Callable[[float], str] = share,
    one: str = "rater",
) -> Finding:
    """Return the figure that changes most without the excluded raters.

    Parameters
    ----------
    scenario : raters that are excluded
    what : name of the figure, such as "accuracy", and of what it is, such as "accuracy with"
    before, after : the figure with and without them, by what it is of
    write : format of the figure
    one : word for a rater
    """
    values: dict[str, object] = {"who": name_excluded(scenario, one), "what": what}
    defined = [name for name in after if after[name].defined and name in before and before[name].defined]
    scope = f"in these {'answers' if one == 'judge' else 'judgments'}"
    if not defined:
        return uncertain("Without {who}, nothing can be compared with before.", values, name=EXCLUSION)
    most = max(defined, key=lambda name: abs(change(before[name].value, after[name].value)))
    old, new = write(before[most].value), write(after[most].value)
    if old == new:
        headline = "Without {who}, {what} {name} stays {new}."
    else:
        headline = "Without {who}, {what} {name} is {new} instead of {old}."
    values |= {"name": most, "new": new, "old": old}
    largest = f"the largest of {len(defined)} changes" if len(defined) > 1 else ""
    return uncertain(headline, values, largest, scope, name=EXCLUSION)
