"""Formats of numbers: the digits they deserve, the same in sentences, tables and figures."""

from math import floor, isinf, isnan

from analysis.values.estimate import Estimate
from analysis.values.names import thousands

EN_SPACE = "\u2002"
MINUS = "\u2212"
UNDEFINED = "undefined"


def decimal(value: float, digits: int = 2) -> str:
    """Write a number with fixed digits and a real minus sign.

    >>> decimal(-0.1234), decimal(float("nan")), decimal(-0.0001), decimal(float("inf"))
    ('−0.12', 'undefined', '0.00', '∞')
    """
    if isnan(value):
        return UNDEFINED
    if isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def p_value(p: float) -> str:
    """Write a p value as the field prints it.

    >>> p_value(0.0341), p_value(0.00001), p_value(1.0)
    ('.034', '< .001', '1.000')
    """
    if isnan(p):
        return UNDEFINED
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def p_phrase(p: float) -> str:
    """Write a p value for a sentence.

    >>> p_phrase(0.0341), p_phrase(0.00001)
    ('p = .034', 'p < .001')
    """
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def count(number: float) -> str:
    """Return a count with commas between thousands.

    >>> count(21600)
    '21,600'
    """
    return UNDEFINED if isnan(number) else thousands(round(number))


def share(value: float, digits: int = 0) -> str:
    """Write a share as percent.

    >>> share(0.66), share(0.3333, 1)
    ('66%', '33.3%')
    """
    return UNDEFINED if isnan(value) else f"{decimal(100 * value, digits)}%"


def share_saved(value: float) -> str:
    """Write a share saved as whole percent, rounded down: 16 of 24 ratings are 66%, as in the paper.

    >>> share_saved(2 / 3), share_saved(0.29)
    ('66%', '29%')
    """
    return UNDEFINED if isnan(value) else f"{floor(100 * value + 1e-9)}%"


def money(amount: float, currency: str) -> str:
    """Write an amount with the currency that the user typed.

    >>> money(1538.4, "€")
    '1,538.40 €'
    """
    return UNDEFINED if isnan(amount) else f"{amount:,.2f}" + f" {currency}".rstrip()


def interval(estimate: Estimate, digits: int = 2) -> str:
    """Write the interval of an estimate, or a dash where it has none.

    >>> interval(Estimate(0.9, 0.84, 0.95)), interval(Estimate(0.9))
    ('0.84 to 0.95', '–')
    """
    if isnan(estimate.low) or isnan(estimate.high):
        return "–"
    return f"{decimal(estimate.low, digits)} to {decimal(estimate.high, digits)}"


def counts(estimate: Estimate) -> str:
    """Write the interval of a count, which may have no upper end, or a dash without one.

    >>> counts(Estimate(19.0, 10.0, 43.0)), counts(Estimate(19.0, 10.0, float("inf"))), counts(Estimate(19.0))
    ('10 to 43', '10 or more', '–')
    """
    if isnan(estimate.low) or isnan(estimate.high) or isinf(estimate.low):
        return "–"
    return f"{count(estimate.low)} " + ("or more" if isinf(estimate.high) else f"to {count(estimate.high)}")


def percent(estimate: Estimate, digits: int = 0) -> str:
    """Write the interval of a share as percent, or a dash where it has none.

    >>> percent(Estimate(0.85, 0.743, 0.928)), percent(Estimate(0.85))
    ('74 to 93%', '–')
    """
    ends = Estimate(0.0, 100 * estimate.low, 100 * estimate.high)
    return interval(ends, digits) + ("" if isnan(estimate.low) or isnan(estimate.high) else "%")


def chance(value: float) -> str:
    """Write a chance as percent, never as certain.

    >>> chance(0.66), chance(0.9999), chance(0.001)
    ('66%', 'more than 99%', 'less than 1%')
    """
    if isnan(value):
        return UNDEFINED
    return "more than 99%" if value >= 0.995 else "less than 1%" if value < 0.005 else share(value)


def chance_between(estimate: Estimate) -> str:
    """Write the interval of a chance as percent, or a dash where it has none.

    >>> chance_between(Estimate(0.85, 0.743, 0.928)), chance_between(Estimate(0.99, 0.9, 0.999))
    ('74 to 93%', '90 to more than 99%')
    >>> chance_between(Estimate(0.999, 0.995, 1.0)), chance_between(Estimate(0.85))
    ('more than 99%', '–')
    """
    if isnan(estimate.low) or isnan(estimate.high):
        return "–"
    low, high = chance(estimate.low), chance(estimate.high)
    return low if low == high else f"{low.removesuffix('%')} to {high}"


def points(estimate: Estimate) -> str:
    """Write a difference of shares in percentage points, with its interval where it has one.

    >>> points(Estimate(-0.034, -0.12, 0.05)), points(Estimate(0.034))
    ('−3 points (−12 to 5)', '3 points')
    """
    between = interval(Estimate(0.0, 100 * estimate.low, 100 * estimate.high), 0)
    return f"{decimal(100 * estimate.value, 0)} points" + ("" if between == "–" else f" ({between})")


def share_with_interval(estimate: Estimate, digits: int = 0) -> str:
    """Write a share with its interval, where it has one.

    >>> share_with_interval(Estimate(0.61, 0.571, 0.652)), share_with_interval(Estimate(0.61))
    ('61% (57 to 65%)', '61%')
    """
    between = percent(estimate, digits)
    return share(estimate.value, digits) + ("" if between == "–" else f" ({between})")


def decimal_with_interval(estimate: Estimate, digits: int = 2) -> str:
    """Write a number with its interval, where it has one.

    >>> decimal_with_interval(Estimate(0.9, 0.84, 0.95)), decimal_with_interval(Estimate(0.9))
    ('0.90 (0.84 to 0.95)', '0.90')
    """
    between = interval(estimate, digits)
    return decimal(estimate.value, digits) + ("" if between == "–" else f" ({between})")
