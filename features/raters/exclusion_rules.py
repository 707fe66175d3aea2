"""The rules that exclude raters: what each needs, its numbers and their controls, and the lines that ask for it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analysis.screening.observer_rejection import Divisor
from analysis.screening.rating_behavior import PASS_MARK
from analysis.values.estimate import InputError
from data.kinds.definitions import KINDS
from features.assessments import questions_of
from features.raters import excluded_raters
from features.raters.attributes_results import attributes_of
from features.raters.rater_results import ANCHOR, REFERENCE, has_control
from features.study import (
    WITH_GROUPS,
    QualificationRule,
    Scenario,
    Study,
    known_ratings,
    models_among,
)

WORST, WORST_UNITS = "the least consistent", "the lowest by mP − aP (pyramid)"
BELOW_ALPHA, BELOW_OTHERS = "alpha below a limit", "agreement with the others below a limit"
BT500, P913 = "BT.500 screening", "P.913 screening"
CHECKS, FAST = "failed check questions", "too fast"
QUALIFICATION, ATTRIBUTE = "qualification by known ratings", "an attribute of the raters"
MODELS = "models among the raters"
BELOW_GOLD, POSITION = "agreement with gold below a limit", "ranks that follow the position"
DIVISORS: dict[str, Divisor] = {"n − 1, the standard": "n - 1", "n, as in sureal": "n"}


@dataclass(frozen=True)
class RuleNumber:
    """Number that a rule asks for: its key in addresses and lines, and its control.

    Without `most` there is no upper limit, or for `HOW_MANY` the number of raters.
    """

    key: str
    label: str
    least: float
    most: float | None
    usual: float
    step: float
    help: str = ""
    is_slider: bool = True
    format: str | None = None


HOW_MANY = RuleNumber("worst", "How many", 1, None, 1, 1, is_slider=False)
LIMIT = RuleNumber("limit", "Limit", -1.0, 1.0, 0.5, 0.05)


@dataclass(frozen=True)
class Rule:
    """One rule with its numbers by key, the measure that it judges on ("" for the first), and the names it needs.

    `divisor` is that of BT.500, `whom` a rule compares raters with or the attribute that it looks at, with `values`.
    """

    name: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    on: str = ""
    divisor: Divisor = "n - 1"
    whom: str = ""
    values: tuple[str, ...] = ()

    def number(self, key: str) -> float:
        """Return a number, the usual one where none is given."""
        return self.numbers.get(key, next(one.usual for one in RULES[self.name].numbers if one.key == key))


@dataclass(frozen=True)
class RuleType:
    """Rule by which raters can be excluded.

    `line` asks for it: with numbers and names by their keys in braces, and in brackets what may be missing. `find`
    returns the raters; `kinds` are the kinds of data sets that have the rule, `column` the one that it needs.
    `by_measure` says whether it judges ratings of a measure, `is_offered` whether a study has what else it needs.
    """

    line: str
    find: Callable[[Study, Rule], Scenario]
    kinds: tuple[str, ...] = ("ratings",)
    column: str = ""
    numbers: tuple[RuleNumber, ...] = ()
    by_measure: bool = True
    is_offered: Callable[[Study], bool] = lambda study: True

    def fits(self, study: Study) -> bool:
        """Return True where the study has what the rule needs."""
        has_column = not self.column or study.whole.has(self.column)
        return study.whole.kind in self.kinds and has_column and self.is_offered(study)


CONTROLS = {REFERENCE: "hidden reference", ANCHOR: "mid-range anchor"}
"""Control that BS.1534 mixes into a listening test, by its rule."""


def _control_rule(
    rule_name: str,
    key: str,
    side: str,
    find: Callable[[Study, str, int, float], Scenario],
    help_on_items: str = "",
) -> RuleType:
    """Return the rule of BS.1534 on a control: a score on one `side` of a limit on more than a share of the items.

    `key` opens its line and the keys of its numbers; `find` takes the study, measure, percent of items and limit.
    """
    control = CONTROLS[rule_name]
    limit, share = f"{key}_limit", f"{key}_share"
    label = control.capitalize()
    help_text = (
        f"ITU-R BS.1534 excludes whoever rates the {control} {side} 90 for more than 15% of the items."
    )
    return RuleType(
        f"{key} {side} {{{limit}}} on more than {{{share}}}%",
        lambda study, rule: find(study, rule.on, int(rule.number(share)), rule.number(limit)),
        numbers=(
            RuleNumber(
                limit, f"{label} {side}", 0.0, 100.0, 90.0, 1.0, help_text + help_on_items, is_slider=False
            ),
            RuleNumber(share, "For more than this share of the items (%)", 0, 95, 15, 5),
        ),
        is_offered=lambda study: any(has_control(study, each, rule_name) for each in study.all_measures),
    )


RULES: dict[str, RuleType] = {
    WORST: RuleType(
        "worst {worst}",
        lambda study, rule: excluded_raters.worst(study, rule.on, max(int(rule.number("worst")), 1)),
        WITH_GROUPS,
        numbers=(HOW_MANY,),
    ),
    BELOW_ALPHA: RuleType(
        "alpha below {limit}",
        lambda study, rule: excluded_raters.below_alpha(study, rule.on, rule.number("limit")),
        numbers=(LIMIT,),
    ),
    BELOW_OTHERS: RuleType(
        "agreement below {limit}",
        lambda study, rule: excluded_raters.below_others(study, rule.on, rule.number("limit")),
        WITH_GROUPS,
        numbers=(LIMIT,),
    ),
    WORST_UNITS: RuleType(
        "lowest {worst} by mP - aP",
        lambda study, rule: excluded_raters.lowest_units(study, max(int(rule.number("worst")), 1)),
        column="text",
        numbers=(HOW_MANY,),
        by_measure=False,
        is_offered=lambda study: study.contributors is not None,
    ),
    BELOW_GOLD: RuleType(
        "gold below {limit}",
        lambda study, rule: excluded_raters.below_gold(study, rule.on, rule.number("limit")),
        ("label sets",),
        "gold",
        numbers=(LIMIT,),
    ),
    POSITION: RuleType(
        "position above {limit}",
        lambda study, rule: excluded_raters.by_position(study, rule.number("limit")),
        ("rankings",),
        "position",
        numbers=(LIMIT,),
        by_measure=False,
    ),
    BT500: RuleType(
        "BT.500[ with {bt500_divisor}]",
        lambda study, rule: excluded_raters.bt500(study, rule.on, rule.divisor),
    ),
    P913: RuleType("P.913", lambda study, rule: excluded_raters.p913(study, rule.on)),
    CHECKS: RuleType(
        "failed checks above {failed_share}%[ off by {check_tolerance}]",
        lambda study, rule: excluded_raters.failed_checks(
            study, int(rule.number("failed_share")), rule.number("check_tolerance")
        ),
        column="check",
        numbers=(
            RuleNumber(
                "failed_share",
                "Failed more than this share of checks (%)",
                0,
                95,
                20,
                5,
                "Trap and gold questions answered otherwise than expected.",
            ),
            RuleNumber(
                "check_tolerance",
                "An answer may be off by",
                0.0,
                None,
                0.0,
                1.0,
                "How far an answer may lie from the expected one and still pass, in score points. ITU-T P.808 allows 1 "
                "for gold questions, 0 for traps.",
                is_slider=False,
            ),
        ),
        by_measure=False,
    ),
    REFERENCE: _control_rule(REFERENCE, "reference", "below", excluded_raters.failed_references),
    ANCHOR: _control_rule(
        ANCHOR,
        "anchor",
        "above",
        excluded_raters.failed_anchors,
        " The anchor is the one at 7 kHz. An item does not count if more than 25% of the raters do so.",
    ),
    MODELS: RuleType(
        "models",
        lambda study, rule: excluded_raters.models(study),
        WITH_GROUPS,
        by_measure=False,
        is_offered=lambda study: len(models_among(study)) > 0,
    ),
    ATTRIBUTE: RuleType(
        "raters whose[ {excluded_attribute}] is {excluded_values}",
        lambda study, rule: excluded_raters.having_attribute(study, rule.whom, rule.values),
        ("ratings", "choices", "rankings"),
        by_measure=False,
        is_offered=lambda study: bool(study.whole.named("rater attribute")),
    ),
    QUALIFICATION: RuleType(
        "points below {pass_mark}[ of {scale_width}][ from {fewest_known} ratings][ with {qualified_by}]",
        lambda study, rule: excluded_raters.unqualified(study, qualification_of(rule)),
        numbers=(
            RuleNumber(
                "pass_mark",
                "Share of points to pass",
                0.0,
                1.0,
                PASS_MARK,
                0.025,
                "A rating that matches gets all points, each point of deviation costs one: on a scale from 1 to 5 "
                "these are 4 points, and 0.625 of them passed in Iskender et al. 2020.",
                is_slider=False,
                format="%.3f",
            ),
            RuleNumber(
                "fewest_known",
                "Fewest known ratings",
                1,
                1000,
                4,
                1,
                "Raters with fewer ratings of items that are known are not judged, and stay.",
                is_slider=False,
            ),
            RuleNumber(
                "scale_width",
                "Width of the scale",
                0.0,
                None,
                0.0,
                1.0,
                "Points of an equal rating. With 0, the difference between the highest and the lowest score that "
                "occur.",
                is_slider=False,
            ),
        ),
        is_offered=lambda study: bool(known_ratings(study)),
    ),
    FAST: RuleType(
        "faster than {fast_share}%",
        lambda study, rule: excluded_raters.too_fast(study, rule.on, int(rule.number("fast_share"))),
        ("ratings", "choices"),
        "seconds",
        numbers=(
            RuleNumber(
                "fast_share",
                "Faster than this share of the usual time (%)",
                5,
                95,
                50,
                5,
                "A rater's median seconds per rating against the median of all raters' medians.",
            ),
        ),
    ),
}
"""Every rule by its name, in the order in which the sidebar offers them."""
_NUMBER = r"-?\d+(?:\.\d+)?"
_NAMES = {
    "bt500_divisor": ("n", "n"),
    "qualified_by": (".+?", "GROUP"),
    "excluded_attribute": (".+?", "ATTRIBUTE"),
    "excluded_values": (".+", "VALUE | VALUE"),
}
"""Pattern and example of each name in a line."""


def _pattern(line: str) -> str:
    """Return the regular expression for a line.

    >>> _pattern("worst {worst}")
    'worst\\\\ (?P<worst>-?\\\\d+(?:\\\\.\\\\d+)?)'
    """
    pattern = ""
    for part in re.split(r"(\{\w+\}|[\[\]])", line):
        if part.startswith("{"):
            pattern += f"(?P<{part[1:-1]}>{_NAMES.get(part[1:-1], (_NUMBER,))[0]})"
        else:
            pattern += {"[": "(?:", "]": ")?"}.get(part, re.escape(part))
    return pattern.replace(r"\ \-\ ", r"\ ?[-−]\ ?").replace("%", r"\ ?%")


def _fill(line: str, values: Mapping[str, str]) -> str:
    """Return a line with these values, without the parts in brackets whose value is missing or 0."""

    def fill_optional(found: re.Match[str]) -> str:
        (key,) = re.findall(r"\{(\w+)\}", found[1])
        return found[1] if values.get(key, "") not in ("", "0") else ""

    return re.sub(r"\[(.*?)\]", fill_optional, line).format_map(dict.fromkeys(_NAMES, "") | dict(values))


_EXAMPLES = {key: example for key, (_, example) in _NAMES.items()}
LINES = tuple(
    _fill(rule.line, _EXAMPLES | {one.key: f"{one.usual or 1:g}" for one in rule.numbers})
    for rule in RULES.values()
)
"""Example of each rule's line; those that judge ratings of a measure may end with `on MEASURE`."""


def read(line: str) -> Rule | None:
    """Return the rule that a line asks for; None where it is none.

    >>> read("worst 2 on clarity") == Rule(WORST, {"worst": 2.0}, "clarity")
    True
    >>> read("rater 7") is None
    True
    """
    for name, rule in RULES.items():
        found = re.fullmatch(rf"{_pattern(rule.line)}(?: on (?P<on>.+))?", line.strip(), re.IGNORECASE)
        if found is not None:
            parts = {key: part for key, part in found.groupdict().items() if part}
            numbers = {one.key: float(parts[one.key]) for one in rule.numbers if one.key in parts}
            whom = parts.get("qualified_by") or parts.get("excluded_attribute", "")
            values = tuple(
                one.strip() for one in parts.get("excluded_values", "").split(" | ") if one.strip()
            )
            divisor: Divisor = "n" if "bt500_divisor" in parts else "n - 1"
            return Rule(name, numbers, parts.get("on", ""), divisor, whom, values)
    return None


def line_of(controls: Mapping[str, Sequence[str]]) -> str | None:
    """Return the line for the rule that the controls of an address hold; None for no rule, or an unknown one."""

    def text(name: str) -> str:
        return next(iter(controls.get(name, ())), "")

    rule, on = RULES.get(text("rule")), text("judged_on")
    if rule is None or ("{excluded_values}" in rule.line and not controls.get("excluded_values")):
        return None
    values = {name: text(name) for name in ("qualified_by", "excluded_attribute")}
    values["excluded_values"] = " | ".join(controls.get("excluded_values", ()))
    values["bt500_divisor"] = "n" if DIVISORS.get(text("bt500_divisor")) == "n" else ""
    for one in rule.numbers:
        given = text(one.key)
        values[one.key] = given if re.fullmatch(r"-?\d{1,6}(\.\d{1,6})?", given) else f"{one.usual:g}"
    line = _fill(rule.line, values)
    return f"{line} on {on}" if on and rule.by_measure else line


def qualification_of(rule: Rule) -> QualificationRule:
    """Return the qualification that a rule asks for."""
    numbers = rule.number("pass_mark"), int(rule.number("fewest_known")), rule.number("scale_width")
    return QualificationRule(rule.whom, rule.on, *numbers)


def ruled(study: Study, rule: Rule) -> Scenario:
    """Return the raters of the candidate group that a rule excludes; raise `InputError` where it does not apply."""
    kind, needed = study.whole.kind, RULES[rule.name]
    if kind not in WITH_GROUPS:
        raise InputError("`without`: a rule needs ratings, choices, rankings or sets of labels")
    if kind not in needed.kinds:
        raise InputError(f"`without`: {KINDS[kind].rows} have no rule {rule.name!r}")
    if rule.name == WORST_UNITS and (study.contributors is None or not study.whole.has("text")):
        raise InputError("`without`: mP - aP needs the items' texts and the contributors of a pyramid")
    on, available = rule.on or next(iter(study.measures), ""), study.all_measures
    if kind == "label sets":
        available, on = questions_of(study), rule.on or questions_of(study)[0]
    if kind in ("ratings", "label sets") and on not in available:
        noun = "measure" if kind == "ratings" else "question"
        raise InputError(f"`without`: the data set has no {noun} {on!r}")
    if needed.column and not study.whole.has(needed.column):
        raise InputError(f"`without`: the data set has no column {needed.column}, which the rule asks for")
    whom = rule.whom
    if rule.name == ATTRIBUTE:
        attribute_names = [one.called for one in attributes_of(study.unfiltered)]
        whom = whom or next(iter(attribute_names), "")
        if whom not in attribute_names:
            raise InputError(f"`without`: the data set has no attribute of raters called {whom!r}")
    if rule.name == QUALIFICATION:
        known = known_ratings(study)
        whom = whom or next(iter(known), "")
        if whom not in known:
            raise InputError(f"`without`: there are no known ratings of {whom!r} to compare raters with")
    control = CONTROLS.get(rule.name)
    if control is not None and not has_control(study, on, rule.name):
        raise InputError(f"`without`: there are no ratings of a {control} up to 100, which the rule asks for")
    return needed.find(study, replace(rule, on=on, whom=whom))
