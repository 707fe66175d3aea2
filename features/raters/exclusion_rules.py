"""The rules that exclude raters: what each needs, its numbers and their controls, and the lines that ask for it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import ExclusionRule
from analysis.screening.observer_rejection import Divisor, indices_above, indices_below, lowest_indices
from analysis.screening.rating_behavior import PASS_MARK
from analysis.values.estimate import InputError
from data.kinds.definitions import KINDS
from features.assessments import difference_values, questions_of
from features.plotting.theme import decimal
from features.raters import answer_agreement, rater_results, workers
from features.raters.attributes_results import attributes_of, raters_with
from features.raters.rater_results import ANCHOR, REFERENCE, has_control, ranks_by_texts
from features.study import (
    CHECK_QUESTIONS,
    WITH_GROUPS,
    QualificationRule,
    Scenario,
    Study,
    _names,
    known_ratings,
    models_among,
)
from features.words import listed

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

    @property
    def how_many(self) -> int:
        return max(int(self.number("worst")), 1)


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


def of_raters(study: Study, codes: NDArray[np.int64], name: str, reason: str = "") -> Scenario:
    """Return the scenario of these raters, or why there are none."""
    if not len(codes):
        return Scenario(reason=reason or "the rule finds nobody")
    chosen = tuple(codes.tolist())
    return Scenario(name, chosen, tuple(_names(study)[list(chosen)].tolist()))


def _without_lowest(study: Study, values: NDArray[np.float64], how_many: int, by: str) -> Scenario:
    """Return the raters who are lowest by a value per rater code."""
    return of_raters(
        study, lowest_indices(values, how_many), f"worst {how_many} {by}", "nobody's rank is known"
    )


def _without_those_below(study: Study, values: NDArray[np.float64], limit: float, what: str) -> Scenario:
    name = f"{what} below {decimal(limit)}"
    return of_raters(study, indices_below(values, limit), name, f"nobody's {what} is below {decimal(limit)}")


def _agreement_with_others(study: Study, on: str) -> tuple[NDArray[np.float64], str]:
    """Return the agreement with the others by rater code, and its name."""
    match study.whole.kind:
        case "choices":
            return workers.others_values(study), "agreement with the others (r_w)"
        case "rankings":
            return answer_agreement.ranks_like_others(study), "agreement with the others (r)"
        case "label sets":
            return answer_agreement.labels_like_others(study, on), "agreement with the others (alpha)"
    return rater_results.others_values(study, on), f"agreement with the others on {on}"


def _below_gold(study: Study, rule: Rule) -> Scenario:
    """Return those whose mean Jaccard index with the gold sets of a question is below a limit."""
    values = answer_agreement.labels_like_gold(study, rule.on)
    return _without_those_below(study, values, rule.number("limit"), "Jaccard index with gold")


def _by_position(study: Study, rule: Rule) -> Scenario:
    """Return those whose ranks correlate with the positions of options by more than a limit, in either direction."""
    values, limit = np.abs(answer_agreement.ranks_by_position(study)), rule.number("limit")
    name = f"ranks follow the position, |r| above {decimal(limit)}"
    return of_raters(study, indices_above(values, limit), name)


def _worst(study: Study, rule: Rule) -> Scenario:
    """Return the least consistent on a measure: by identical texts, or with the others where there are none."""
    on, how_many = rule.on, rule.how_many
    if study.whole.kind == "ratings" and ranks_by_texts(study, on):
        values, by = rater_results.alpha_values(study, on), f"alpha on identical texts of {on}"
        again = ExclusionRule("lowest on texts", how_many)
    else:
        values, by = _agreement_with_others(study, on)
        again = ExclusionRule("lowest with others", how_many)
    return _repeatable(study, _without_lowest(study, values, how_many, f"by {by}"), on, again)


def _below_alpha(study: Study, rule: Rule) -> Scenario:
    on, limit = rule.on, rule.number("limit")
    if not ranks_by_texts(study, on):
        return Scenario(reason=f"no rater judged identical texts of {on} twice, so no alpha is known")
    found = _without_those_below(study, rater_results.alpha_values(study, on), limit, f"alpha of {on}")
    return _repeatable(study, found, on, ExclusionRule("below on texts", limit=limit))


def _below_others(study: Study, rule: Rule) -> Scenario:
    on, limit = rule.on, rule.number("limit")
    values, term = _agreement_with_others(study, on)
    found = _without_those_below(study, values, limit, term)
    return _repeatable(study, found, on, ExclusionRule("below with others", limit=limit))


def _lowest_units(study: Study, rule: Rule) -> Scenario:
    """Return those lowest by mP - aP; raise `InputError` for unreadable contributors."""
    contributors = study.contributors
    assert contributors is not None
    return _without_lowest(study, difference_values(study, contributors), rule.how_many, "by mP − aP")


def _bt500(study: Study, rule: Rule) -> Scenario:
    on, divisor = rule.on, rule.divisor
    verdicts = rater_results.bt500(study, on, divisor)
    name = f"rejected by BT.500 on {on}" + (", SD with n" if divisor == "n" else "")
    found = of_raters(study, verdicts.raters[verdicts.rejected], name, verdicts.reason)
    return _repeatable(study, found, on, ExclusionRule("BT.500", divisor=divisor))


def _p913(study: Study, rule: Rule) -> Scenario:
    verdicts, on = rater_results.p913(study, rule.on), rule.on
    found = of_raters(study, verdicts.raters[verdicts.rejected], f"rejected by P.913 on {on}")
    return _repeatable(study, found, on, ExclusionRule("P.913"))


def _failed_checks(study: Study, rule: Rule) -> Scenario:
    """Return those who failed more than a share of their check questions, each by more than a tolerance."""
    percent, off = int(rule.number("failed_share")), rule.number("check_tolerance")
    checks = rater_results.failed_checks(study, off)
    name = f"more than {percent}% of their checks failed" + (f", off by more than {off:g}" if off else "")
    return of_raters(study, checks.raters[indices_above(checks.share, percent / 100)], name)


def _failed_references(study: Study, on: str, percent: int, lowest: float) -> Scenario:
    """Return those who rated more than this share of the hidden references of a measure below a score."""
    found = rater_results.failed_references(study, on, lowest)
    name = f"hidden reference below {lowest:g} on more than {percent}% of the items"
    return of_raters(study, found.raters[indices_above(found.share, percent / 100)], name)


def _failed_anchors(study: Study, on: str, percent: int, highest: float) -> Scenario:
    """Return those who rated more than this share of the mid-range anchors of a measure above a score."""
    found = rater_results.high_anchors(study, on, highest)
    name = f"mid-range anchor above {highest:g} on more than {percent}% of the items"
    every = f"more than 25% of the raters rate the mid-range anchor above {highest:g} on every item"
    reason = every if found.set_aside.all() else ""
    above = indices_above(found.by_rater.share, percent / 100)
    return of_raters(study, found.by_rater.raters[above], name, reason)


def _having_attribute(study: Study, rule: Rule) -> Scenario:
    """Return those with one of the values of an attribute, as `attributes_results` names both."""
    codes = raters_with(study, rule.whom, rule.values)
    name = f"{rule.whom} {listed(rule.values)}"
    return of_raters(study, codes, name, f"nobody has {name}" if rule.values else "no value is chosen")


def _models(study: Study, rule: Rule) -> Scenario:
    """Return the raters that are models by their names."""
    return of_raters(study, models_among(study), "models, by their names")


def _unqualified(study: Study, asked: Rule) -> Scenario:
    numbers = asked.number("pass_mark"), int(asked.number("fewest_known")), asked.number("scale_width")
    rule = QualificationRule(asked.whom, asked.on, *numbers)
    found = rater_results.qualification(study, rule)
    if found is None:
        return Scenario(reason=f"no rating of {rule.whom} is known on the scale of {rule.on}")
    name = f"below {rule.pass_mark:g} of the points with {rule.whom}"
    name += "" if rule.whom == CHECK_QUESTIONS else f" on {rule.on}"
    nobody = f"nobody with {rule.fewest} known ratings is below {rule.pass_mark:g} of the points"
    return replace(of_raters(study, found.raters[found.failed], name, nobody), qualification=rule)


def _too_fast(study: Study, rule: Rule) -> Scenario:
    """Return those whose median rating (or choice) took less than this share of the usual time."""
    percent, on = int(rule.number("fast_share")), rule.on
    name, factor = f"faster than {percent}% of the usual time", percent / 100
    if study.holds_choices:
        speed = workers.speed(study, factor)
    else:
        speed, name = rater_results.speed(study, on, factor), f"{name} on {on}"
    return of_raters(study, speed.raters[speed.too_fast], name)


def _repeatable(study: Study, found: Scenario, judged_on: str, rule: ExclusionRule) -> Scenario:
    """Return the raters that a rule found, of ratings with the rule, so that bootstrap samples can apply it anew."""
    return replace(found, rule=rule, judged_on=judged_on) if study.whole.kind == "ratings" else found


RULES: dict[str, RuleType] = {
    WORST: RuleType(
        "worst {worst}",
        _worst,
        WITH_GROUPS,
        numbers=(HOW_MANY,),
    ),
    BELOW_ALPHA: RuleType(
        "alpha below {limit}",
        _below_alpha,
        numbers=(LIMIT,),
    ),
    BELOW_OTHERS: RuleType(
        "agreement below {limit}",
        _below_others,
        WITH_GROUPS,
        numbers=(LIMIT,),
    ),
    WORST_UNITS: RuleType(
        "lowest {worst} by mP - aP",
        _lowest_units,
        column="text",
        numbers=(HOW_MANY,),
        by_measure=False,
        is_offered=lambda study: study.contributors is not None,
    ),
    BELOW_GOLD: RuleType(
        "gold below {limit}",
        _below_gold,
        ("label sets",),
        "gold",
        numbers=(LIMIT,),
    ),
    POSITION: RuleType(
        "position above {limit}",
        _by_position,
        ("rankings",),
        "position",
        numbers=(LIMIT,),
        by_measure=False,
    ),
    BT500: RuleType(
        "BT.500[ with {bt500_divisor}]",
        _bt500,
    ),
    P913: RuleType("P.913", _p913),
    CHECKS: RuleType(
        "failed checks above {failed_share}%[ off by {check_tolerance}]",
        _failed_checks,
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
    REFERENCE: _control_rule(REFERENCE, "reference", "below", _failed_references),
    ANCHOR: _control_rule(
        ANCHOR,
        "anchor",
        "above",
        _failed_anchors,
        " The anchor is the one at 7 kHz. An item does not count if more than 25% of the raters do so.",
    ),
    MODELS: RuleType(
        "models",
        _models,
        WITH_GROUPS,
        by_measure=False,
        is_offered=lambda study: len(models_among(study)) > 0,
    ),
    ATTRIBUTE: RuleType(
        "raters whose[ {excluded_attribute}] is {excluded_values}",
        _having_attribute,
        ("ratings", "choices", "rankings"),
        by_measure=False,
        is_offered=lambda study: bool(study.whole.named("rater attribute")),
    ),
    QUALIFICATION: RuleType(
        "points below {pass_mark}[ of {scale_width}][ from {fewest_known} ratings][ with {qualified_by}]",
        _unqualified,
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
        _too_fast,
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
