"""Findings of each status, built from a template, its values, and the parts of the evidence line."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from analysis.values.estimate import Estimate
from features.blocks import MAIN, Finding, NextStep, Status
from features.evidence import evidence

_NONE: Mapping[str, object] = MappingProxyType({})
Values = Mapping[str, object]


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
