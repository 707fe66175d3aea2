"""Rules by which raters are left out, as the sidebar calls them and as a report is asked for them in one line."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from analysis.screening.observer_rejection import Divisor
from analysis.values.estimate import InputError
from features.exclusion_rules import ratings, votes
from features.study import Scenario, Study

WORST, WORST_UNITS = "the least consistent", "the lowest by mP − aP (pyramid)"
BELOW_ALPHA, BELOW_OTHERS = "alpha below a limit", "agreement with the others below a limit"
BT500, P913 = "BT.500 screening", "P.913 screening"
CHECKS, FAST = "failed check questions", "too fast"
DIVISORS: dict[str, Divisor] = {"n − 1, the standard": "n - 1", "n, as in sureal": "n"}
LINES = (
    "BT.500",
    "BT.500 with n",
    "P.913",
    "worst 2",
    "alpha below 0.5",
    "agreement below 0.5",
    "lowest 1 by mP - aP",
    "failed checks above 20%",
    "faster than 50%",
)
"""How each rule is asked for; all but checks and mP - aP may end with `on MEASURE`."""
_NUMBER = r"(?P<number>-?\d+(?:\.\d+)?)"
_FORMS = {
    BT500: r"BT\.500(?P<n> with n)?",
    P913: r"P\.913",
    WORST: rf"worst {_NUMBER}",
    WORST_UNITS: rf"lowest {_NUMBER} by mP ?[-−] ?aP",
    BELOW_ALPHA: rf"alpha below {_NUMBER}",
    BELOW_OTHERS: rf"agreement below {_NUMBER}",
    CHECKS: rf"failed checks above {_NUMBER} ?%(?: off by (?P<off>\d+(?:\.\d+)?))?",
    FAST: rf"faster than {_NUMBER} ?%",
}


@dataclass(frozen=True)
class Rule:
    """One rule with its number, the measure that it judges on ("" for the first), and BT.500's divisor."""

    name: str
    number: float = 0.0
    on: str = ""
    divisor: Divisor = "n - 1"
    off: float = 0.0


def read(line: str) -> Rule | None:
    """The rule that a line asks for; None where it is none.

    >>> read("worst 2 on clarity")
    Rule(name='the least consistent', number=2.0, on='clarity', divisor='n - 1', off=0.0)
    >>> read("rater 7") is None
    True
    """
    for name, form in _FORMS.items():
        found = re.fullmatch(rf"{form}(?: on (?P<on>.+))?", line.strip(), re.IGNORECASE)
        if found is not None:
            told = found.groupdict()
            number = float(told.get("number") or 0)
            divisor: Divisor = "n" if told.get("n") else "n - 1"
            return Rule(name, number, told["on"] or "", divisor, float(told.get("off") or 0))
    return None


def line_of(controls: Mapping[str, Sequence[str]]) -> str | None:
    """The line for the rule that the controls of an address hold; None for no rule, or one that has no line."""

    def told(name: str, usual: str) -> str:
        value = next(iter(controls.get(name, ())), usual)
        return value if re.fullmatch(r"-?\d{1,6}(\.\d{1,6})?", value) and isfinite(float(value)) else usual

    name = next(iter(controls.get("rule", ())), "")
    on = next(iter(controls.get("judged_on", ())), "")
    divided = DIVISORS.get(next(iter(controls.get("bt500_divisor", ())), ""), "n - 1")
    lines = {
        BT500: "BT.500 with n" if divided == "n" else "BT.500",
        P913: "P.913",
        WORST: f"worst {told('worst', '1')}",
        WORST_UNITS: f"lowest {told('worst', '1')} by mP - aP",
        BELOW_ALPHA: f"alpha below {told('limit', '0.5')}",
        BELOW_OTHERS: f"agreement below {told('limit', '0.5')}",
        CHECKS: f"failed checks above {told('failed_share', '20')}% off by {told('check_tolerance', '0')}",
        FAST: f"faster than {told('fast_share', '50')}%",
    }
    line = lines.get(name)
    return f"{line} on {on}" if line and on and name not in (CHECKS, WORST_UNITS) else line


def ruled(study: Study, rule: Rule) -> Scenario:
    """Whom a rule leaves out of the candidate group.

    Raises
    ------
    InputError
        where the study lacks what the rule needs.
    """
    if study.holds_choices:
        return _of_votes(study, rule)
    if study.whole.kind != "ratings":
        raise InputError("`without`: a rule needs ratings or choices")
    if rule.name == WORST_UNITS:
        return _by_units(study, max(int(rule.number), 1))
    on = rule.on or study.measures[0]
    if on not in study.all_measures:
        raise InputError(f"`without`: the data set has no measure {on!r}")
    number = rule.number
    finds: dict[str, Callable[[], Scenario]] = {
        BT500: lambda: ratings.bt500(study, on, rule.divisor),
        P913: lambda: ratings.p913(study, on),
        WORST: lambda: ratings.worst(study, on, max(int(number), 1)),
        BELOW_ALPHA: lambda: ratings.below_alpha(study, on, number),
        BELOW_OTHERS: lambda: ratings.below_others(study, on, number),
        CHECKS: lambda: ratings.failed_checks(study, int(number), rule.off),
        FAST: lambda: ratings.too_fast(study, on, int(number)),
    }
    needed = {CHECKS: "check", FAST: "seconds"}.get(rule.name)
    if needed and not study.whole.has(needed):
        raise InputError(f"`without`: the data set has no column {needed}, which the rule asks for")
    return finds[rule.name]()


def _by_units(study: Study, how_many: int) -> Scenario:
    if study.contributors is None or not study.whole.has("text"):
        raise InputError("`without`: mP - aP needs the items' texts and the contributors of a pyramid")
    return ratings.lowest_units(study, study.contributors, how_many)


def _of_votes(study: Study, rule: Rule) -> Scenario:
    if rule.name == WORST:
        return votes.worst(study, max(int(rule.number), 1))
    if rule.name == BELOW_OTHERS:
        return votes.below_others(study, rule.number)
    if rule.name == FAST and study.whole.has("seconds"):
        return votes.too_fast(study, int(rule.number))
    raise InputError(f"`without`: choices have no rule {rule.name!r}")
