"""Finding on what changes most in a verdict without the excluded raters, above the finding of every page."""

from collections.abc import Callable, Mapping

from analysis.screening.rater_selection import change
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import share
from features.study import Scenario
from features.verdicts import uncertain
from features.words import counted

NAME = "exclusion"


def name_excluded(scenario: Scenario, one: str = "rater") -> str:
    """Return the excluded raters as a headline has them: the name of one, the number of several.

    >>> name_excluded(Scenario(names=("07",))), name_excluded(Scenario(names=("a", "b")), "judge")
    ('rater 07', '2 judges')
    """
    if len(scenario.names) != 1:
        return counted(len(scenario.names), one)
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
        return uncertain("Without {who}, nothing can be compared with before.", values, name=NAME)
    most = max(defined, key=lambda name: abs(change(before[name].value, after[name].value)))
    old, new = write(before[most].value), write(after[most].value)
    if old == new:
        headline = "Without {who}, {what} {name} stays {new}."
    else:
        headline = "Without {who}, {what} {name} is {new} instead of {old}."
    values |= {"name": most, "new": new, "old": old}
    largest = f"the largest of {len(defined)} changes" if len(defined) > 1 else ""
    return uncertain(headline, values, largest, scope, name=NAME)
