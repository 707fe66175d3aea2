"""Findings of each status, built from a template, its values, and the parts of the evidence line."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from types import MappingProxyType
from typing import TypeVar

from analysis.screening.observer_rejection import change
from analysis.values.estimate import Estimate, Scope
from features.blocks import MAIN, Finding, NextStep, Progress, Status, Text, Warning
from features.plotting.numbers import decimal, share
from features.study import Scenario, Study
from features.words import Sentence, listed

S = TypeVar("S")
T = TypeVar("T")
NAMED = 2
"""Doubts that a finding names; the Overview has all."""
NEVER_CHECKED: Sentence = (
    "This data was imported before imports were checked for what looks wrong, so no finding can say whether it does. "
    "Upload the file again as a new version on the Data page to have it checked.",
    {},
)
HOW_DOUBTED = """
**Doubtful** stands before whatever is concluded from data that looked wrong when it was imported: at least a third of
its rows repeat an item and a rater; more than half of its items have only one row and belong to no systems; all scores
of a measure are the same; scores lie outside the scale of at least 99% of the others, or far off it, as codes of
missing answers do; a group shares no item with another one; gold fits no answer that anybody gave; columns that could
hold ratings are not used; or the raters were guessed by the values of a column. The figures are computed as ever. Where
data are too few, or a question does not apply, nothing is concluded, and it is said without it.
"""


def add_doubts(finding: Finding, doubts: Sequence[str]) -> Finding:
    """Return the finding with the doubts about its data, where it concludes something from them."""
    return replace(finding, doubtful=tuple(doubts)) if finding.status.concludes else finding


def sentence_of(finding: Finding) -> Sentence:
    """Return the headline, with the doubts about its data before it.

    >>> sentence_of(Finding(("Crowd and lab agree.", {}), doubtful=["60% of the items have only one rating"]))
    ('<b>Doubtful</b>, since {doubt}: Crowd and lab agree.', {'doubt': '60% of the items have only one rating'})
    """
    if not finding.doubtful:
        return finding.headline
    template, values = finding.headline
    return f"<b>Doubtful</b>, since {{doubt}}: {template}", {**values, "doubt": _together(finding.doubtful)}


def looks_wrong(doubts: Sequence[str]) -> Sentence:
    """Return what the Overview says of data with doubts, and how they go away."""
    return (
        "This data looks wrong: {doubts}. Every finding says so until a new version without it is uploaded on the "
        "Data page (<b>More</b>, <b>Upload a new version</b>).",
        {"doubts": "; ".join(doubts)},
    )


def _together(doubts: Sequence[str]) -> str:
    rest = len(doubts) - NAMED
    more = f" and {rest} more {'thing looks' if rest == 1 else 'things look'} wrong" if rest > 0 else ""
    return "; ".join(doubts[:NAMED]) + more


SEPARATOR = " · "


def evidence(*parts: str) -> Text:
    """Return the line of these parts, empty ones left out; parts may hold names from data, which are escaped.

    The line begins with a capital letter unless it begins with a symbol.

    >>> evidence("95% CI 4.62–4.90", "", "58 systems")
    ('{part_0} · {part_1}', {'part_0': '95% CI 4.62–4.90', 'part_1': '58 systems'})
    >>> evidence("for raters like these", "for all")[1], evidence("p = .034")[1], evidence("ρ 0.63")[1]
    ({'part_0': 'For raters like these', 'part_1': 'for all'}, {'part_0': 'p = .034'}, {'part_0': 'ρ 0.63'})
    """
    told = [part for part in parts if part]
    if told and told[0][:2].isalpha():
        told[0] = capitalized(told[0])
    names = [f"part_{at}" for at in range(len(told))]
    return SEPARATOR.join(f"{{{name}}}" for name in names), dict(zip(names, told, strict=True))


def for_raters(*scopes: Scope) -> str:
    """Return the raters that figures of these scopes hold for, "" without a scope.

    >>> for_raters("these raters"), for_raters("raters like these", "these raters", "these raters")
    ('for these raters', 'for raters like these or for these raters, by measure')
    """
    each = list(dict.fromkeys(f"for {scope}" for scope in scopes))
    return " or ".join(each) + (", by measure" if len(each) > 1 else "")


def resampled_scope(resampled: str) -> Scope:
    """Return the scope of an interval from what its bootstrap samples are of.

    >>> resampled_scope("topics"), resampled_scope("raters and topics")
    ('these raters', 'raters like these')
    """
    return "raters like these" if "rater" in resampled else "these raters"


def confidence_interval(
    estimate: Estimate, write: Callable[[float], str] = decimal, level: float = 0.95
) -> str:
    """Return the interval of an estimate with its level, "" where it has none.

    >>> confidence_interval(Estimate(4.75, 4.62, 4.9)), confidence_interval(Estimate(0.1, -0.02, 0.2))
    ('95% CI 4.62–4.90', '95% CI −0.02 to 0.20')
    >>> confidence_interval(Estimate(0.69, 0.61, 0.75), lambda share: f"{100 * share:.0f}%", 0.99)
    '99% CI 61–75%'
    """
    if isnan(estimate.low) or isnan(estimate.high):
        return ""
    low, high = write(estimate.low), write(estimate.high)
    unit = "%" if low.endswith("%") and high.endswith("%") else ""
    between = " to " if min(estimate.low, estimate.high) < 0 else "–"
    return f"{100 * level:g}% CI {low.removesuffix(unit)}{between}{high}"


def capitalized(text: str) -> str:
    """Return the text with a capital letter first.

    >>> capitalized("readability 4.75"), capitalized("")
    ('Readability 4.75', '')
    """
    return text[:1].upper() + text[1:]


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


def not_applicable(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding that the question does not arise for these data."""
    return Finding((template, values), evidence(*line), Status.NOT_APPLICABLE, name=name)


def by_reason(told: Iterable[tuple[str, str]]) -> Iterator[Warning]:
    """Yield each reason of pairs of a name and a reason once, with all names that it holds for."""
    where: dict[str, list[str]] = {}
    for name, reason in dict.fromkeys(told):
        where.setdefault(reason, []).append(name)
    for reason, names in where.items():
        if reason:
            yield Warning(("{where}: {reason}.", {"where": listed(names, 9), "reason": reason}))


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

    >>> [name_excluded(Scenario(names=(name,))) for name in ("07", "crowd 07")]
    ['rater 07', 'crowd 07']
    >>> name_excluded(Scenario(names=("a", "b")), "judge")
    'the 2 excluded judges'
    """
    if len(scenario.names) != 1:
        return f"the {len(scenario.names)} excluded {one}s"
    (name,) = scenario.names
    return name if " " in name or name.casefold().startswith(one) else f"{one} {name}"


def largest_change(
    scenario: Scenario,
    what: str,
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
    write: Callable[[float], str] = share,
    one: str = "rater",
) -> Finding:
    """Return the figure that changes most without the excluded raters.

    `what` names the figure and what it is of ("accuracy with"); `before` and `after` hold it by that, with and without
    them, and `one` is the word for a rater.
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


def exclusion_change(
    study: Study,
    scenario: Scenario,
    what: str,
    found: T,
    stages: Callable[[Study, S], Iterable[T | Progress]],
    spec: S,
    read: Callable[[T], Mapping[str, Estimate]],
    write: Callable[[float], str] = share,
) -> Iterator[Finding]:
    """Yield the largest change of the figures that `read` finds, where raters are excluded.

    The first of the `stages` of the study with everyone is compared with what was `found`; `what` and `write` are as
    for `largest_change`.
    """
    if study.dataset.without:
        before = next(stage for stage in stages(study.everyone, spec) if not isinstance(stage, Progress))
        one = "judge" if study.whole.kind == "comprehension" else "rater"
        yield largest_change(scenario, what, read(before), read(found), write, one)
