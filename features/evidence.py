"""Evidence lines of findings: the estimate, its interval, n and scope, in this order."""

from collections.abc import Callable
from math import isnan

from analysis.values.estimate import Estimate, Scope
from features.blocks import Text
from features.plotting.numbers import decimal

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
