"""Rules that exclude raters, and the lines that ask for them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import ExclusionRule
from analysis.screening.observer_rejection import Divisor, indices_above, indices_below, lowest_indices
from analysis.values.estimate import InputError
from data.dataset import Dataset
from data.kinds.definitions import KINDS
from features.assessments import difference_values
from features.label_sets import questions_of
from features.plotting.theme import decimal
from features.raters import answer_agreement, rater_results, workers
from features.raters.attributes_results import attributes_of, raters_with
from features.raters.rater_results import REFERENCE, ranks_by_texts
from features.study import (
    CHECK_QUESTIONS,
    QualificationRule,
    Scenario,
    Study,
    _names,
    known_ratings,
    models_among,
)
from features.words import listed


def of_raters(study: Study, codes: NDArray[np.int64], name: str, reason: str = "") -> Scenario:
    """Return the scenario of these raters, or why there are none."""
    if not len(codes):
        return Scenario(reason=reason or "the rule finds nobody")
    chosen = tuple(codes.tolist())
    return Scenario(name, chosen, tuple(_names(study)[list(chosen)].tolist()))


def without_lowest(study: Study, values: NDArray[np.float64], how_many: int, by: str) -> Scenario:
    """Return the raters who are lowest by a value per rater code."""
    return of_raters(
        study, lowest_indices(values, how_many), f"worst {how_many} {by}", "nobody's rank is known"
    )


def without_those_below(study: Study, values: NDArray[np.float64], limit: float, what: str) -> Scenario:
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


def below_gold(study: Study, on: str, limit: float) -> Scenario:
    """Return those whose mean Jaccard index with the gold sets of a question is below a limit."""
    return without_those_below(
        study, answer_agreement.labels_like_gold(study, on), limit, "Jaccard index with gold"
    )


def by_position(study: Study, limit: float) -> Scenario:
    """Return those whose ranks correlate with the positions of options by more than a limit, in either direction."""
    values, name = (
        np.abs(answer_agreement.ranks_by_position(study)),
        f"ranks follow the position, |r| above {decimal(limit)}",
    )
    return of_raters(study, indices_above(values, limit), name)


def worst(study: Study, on: str, how_many: int) -> Scenario:
    """Return the least consistent on a measure: by identical texts, or with the others where there are none."""
    if study.whole.kind == "ratings" and ranks_by_texts(study, on):
        values, by = rater_results.alpha_values(study, on), f"alpha on identical texts of {on}"
        rule = ExclusionRule("lowest on texts", how_many)
    else:
        values, by = _agreement_with_others(study, on)
        rule = ExclusionRule("lowest with others", how_many)
    return _repeatable(study, without_lowest(study, values, how_many, f"by {by}"), on, rule)


def below_alpha(study: Study, on: str, limit: float) -> Scenario:
    if not ranks_by_texts(study, on):
        return Scenario(reason=f"no rater judged identical texts of {on} twice, so no alpha is known")
    found = without_those_below(study, rater_results.alpha_values(study, on), limit, f"alpha of {on}")
    return _repeatable(study, found, on, ExclusionRule("below on texts", limit=limit))


def below_others(study: Study, on: str, limit: float) -> Scenario:
    values, called = _agreement_with_others(study, on)
    found = without_those_below(study, values, limit, called)
    return _repeatable(study, found, on, ExclusionRule("below with others", limit=limit))


def lowest_units(study: Study, contributors: Dataset, how_many: int) -> Scenario:
    """Return those lowest by mP - aP; raise `InputError` for unreadable contributors."""
    return without_lowest(study, difference_values(study, contributors), how_many, "by mP − aP")


def bt500(study: Study, on: str, divisor: Divisor = "n - 1") -> Scenario:
    verdicts = rater_results.bt500(study, on, divisor)
    name = f"rejected by BT.500 on {on}" + (", SD with n" if divisor == "n" else "")
    found = of_raters(study, verdicts.raters[verdicts.rejected], name, verdicts.reason)
    return _repeatable(study, found, on, ExclusionRule("BT.500", divisor=divisor))


def p913(study: Study, on: str) -> Scenario:
    verdicts = rater_results.p913(study, on)
    found = of_raters(study, verdicts.raters[verdicts.rejected], f"rejected by P.913 on {on}")
    return _repeatable(study, found, on, ExclusionRule("P.913"))


def failed_checks(study: Study, percent: int, off: float = 0.0) -> Scenario:
    """Return those who failed more than this share of their check questions, each by more than `off`."""
    checks = rater_results.failed_checks(study, off)
    name = f"more than {percent}% of their checks failed" + (f", off by more than {off:g}" if off else "")
    return of_raters(study, checks.raters[indices_above(checks.share, percent / 100)], name)


def failed_references(study: Study, on: str, percent: int, lowest: float) -> Scenario:
    """Return those who rated more than this share of the hidden references of a measure below a score."""
    found = rater_results.failed_references(study, on, lowest)
    name = f"hidden reference below {lowest:g} on more than {percent}% of the items"
    return of_raters(study, found.raters[indices_above(found.share, percent / 100)], name)


def having_attribute(study: Study, attribute: str, values: Sequence[str]) -> Scenario:
    """Return those with one of the values of an attribute, as `attributes_results` names both."""
    codes = raters_with(study, attribute, values)
    name = f"{attribute} {listed(values)}"
    return of_raters(study, codes, name, f"nobody has {name}" if values else "no value is chosen")


def models(study: Study) -> Scenario:
    """Return the raters that are models by their names."""
    return of_raters(study, models_among(study), "models, by their names")


def unqualified(study: Study, rule: QualificationRule) -> Scenario:
    found = rater_results.qualification(study, rule)
    if found is None:
        return Scenario(reason=f"no rating of {rule.whom} is known on the scale of {rule.on}")
    name = f"below {rule.pass_mark:g} of the points with {rule.whom}"
    name += "" if rule.whom == CHECK_QUESTIONS else f" on {rule.on}"
    nobody = f"nobody with {rule.fewest} known ratings is below {rule.pass_mark:g} of the points"
    return replace(of_raters(study, found.raters[found.failed], name, nobody), qualification=rule)


def too_fast(study: Study, on: str, percent: int) -> Scenario:
    """Return those whose median rating (or choice) took less than this share of the usual time."""
    name, factor = f"faster than {percent}% of the usual time", percent / 100
    if study.holds_choices:
        speed = workers.speed(study, factor)
    else:
        speed, name = rater_results.speed(study, on, factor), f"{name} on {on}"
    return of_raters(study, speed.raters[speed.too_fast], name)


def _repeatable(study: Study, found: Scenario, judged_on: str, rule: ExclusionRule) -> Scenario:
    """Return the raters that a rule found, of ratings with the rule, so that bootstrap samples can apply it anew."""
    return replace(found, rule=rule, judged_on=judged_on) if study.whole.kind == "ratings" else found


WORST, WORST_UNITS = "the least consistent", "the lowest by mP − aP (pyramid)"
BELOW_ALPHA, BELOW_OTHERS = "alpha below a limit", "agreement with the others below a limit"
BT500, P913 = "BT.500 screening", "P.913 screening"
CHECKS, FAST = "failed check questions", "too fast"
QUALIFICATION, ATTRIBUTE = "qualification by known ratings", "an attribute of the raters"
MODELS = "models among the raters"
BELOW_GOLD, POSITION = "agreement with gold below a limit", "ranks that follow the position"
DIVISORS: dict[str, Divisor] = {"n − 1, the standard": "n - 1", "n, as in sureal": "n"}
OF_KIND = {
    "choices": (WORST, BELOW_OTHERS, FAST, ATTRIBUTE, MODELS),
    "rankings": (WORST, BELOW_OTHERS, POSITION, ATTRIBUTE, MODELS),
    "label sets": (WORST, BELOW_OTHERS, BELOW_GOLD, MODELS),
}
"""Rules of kinds that are no ratings."""
LINES = (
    "BT.500",
    "BT.500 with n",
    "P.913",
    "worst 2",
    "alpha below 0.5",
    "agreement below 0.5",
    "gold below 0.5",
    "position above 0.5",
    "lowest 1 by mP - aP",
    "failed checks above 20%",
    "reference below 90 on more than 15%",
    "faster than 50%",
    "points below 0.625 of 4 from 4 ratings with GROUP",
    "models",
    "raters whose ATTRIBUTE is VALUE | VALUE",
)
"""Names by which each rule is asked for; those that judge ratings of a measure may end with `on MEASURE`."""
_NUMBER = r"(?P<number>-?\d+(?:\.\d+)?)"
_FORMS = {
    BT500: r"BT\.500(?P<n> with n)?",
    P913: r"P\.913",
    WORST: rf"worst {_NUMBER}",
    WORST_UNITS: rf"lowest {_NUMBER} by mP ?[-−] ?aP",
    BELOW_ALPHA: rf"alpha below {_NUMBER}",
    BELOW_OTHERS: rf"agreement below {_NUMBER}",
    BELOW_GOLD: rf"gold below {_NUMBER}",
    POSITION: rf"position above {_NUMBER}",
    CHECKS: rf"failed checks above {_NUMBER} ?%(?: off by (?P<off>\d+(?:\.\d+)?))?",
    REFERENCE: rf"reference below {_NUMBER} on more than (?P<share>\d+) ?%",
    FAST: rf"faster than {_NUMBER} ?%",
    QUALIFICATION: rf"points below {_NUMBER}(?: of (?P<span>\d+(?:\.\d+)?))?(?: from (?P<fewest>\d+) ratings)?"
    r"(?: with (?P<whom>.+?))?",
    MODELS: r"models",
    ATTRIBUTE: r"raters whose(?: (?P<whom>.+?))? is (?P<values>.+)",
}


@dataclass(frozen=True)
class Rule:
    """One rule with its number, the measure that it judges on ("" for the first), and BT.500's divisor."""

    name: str
    number: float = 0.0
    on: str = ""
    divisor: Divisor = "n - 1"
    off: float = 0.0
    share: int = 15
    fewest: int = 4
    whom: str = ""
    span: float = 0.0
    values: tuple[str, ...] = ()


def read(line: str) -> Rule | None:
    """Return the rule that a line asks for; None where it is none.

    >>> read("worst 2 on clarity") == Rule(WORST, 2.0, "clarity")
    True
    >>> read("rater 7") is None
    True
    """
    for name, form in _FORMS.items():
        found = re.fullmatch(rf"{form}(?: on (?P<on>.+))?", line.strip(), re.IGNORECASE)
        if found is not None:
            parts = found.groupdict()
            number = float(parts.get("number") or 0)
            divisor: Divisor = "n" if parts.get("n") else "n - 1"
            fewest, whom = int(parts.get("fewest") or 4), parts.get("whom") or ""
            values = tuple(one.strip() for one in (parts.get("values") or "").split(" | ") if one.strip())
            off, span = float(parts.get("off") or 0), float(parts.get("span") or 0)
            part = int(parts.get("share") or 15)
            return Rule(name, number, parts["on"] or "", divisor, off, part, fewest, whom, span, values)
    return None


def line_of(controls: Mapping[str, Sequence[str]]) -> str | None:
    """Return the line for the rule that the controls of an address hold; None for no rule, or an unknown one."""

    def text(name: str) -> str:
        return next(iter(controls.get(name, ())), "")

    def told(name: str, usual: str) -> str:
        return value if re.fullmatch(r"-?\d{1,6}(\.\d{1,6})?", value := text(name)) else usual

    name, on = text("rule"), text("judged_on")
    divided = DIVISORS.get(text("bt500_divisor"))
    lines = {
        BT500: "BT.500 with n" if divided == "n" else "BT.500",
        P913: "P.913",
        WORST: f"worst {told('worst', '1')}",
        WORST_UNITS: f"lowest {told('worst', '1')} by mP - aP",
        BELOW_ALPHA: f"alpha below {told('limit', '0.5')}",
        BELOW_OTHERS: f"agreement below {told('limit', '0.5')}",
        BELOW_GOLD: f"gold below {told('limit', '0.5')}",
        POSITION: f"position above {told('limit', '0.5')}",
        CHECKS: f"failed checks above {told('failed_share', '20')}% off by {told('check_tolerance', '0')}",
        MODELS: "models",
        REFERENCE: f"reference below {told('reference_limit', '90')} on more than {told('reference_share', '15')}%",
        FAST: f"faster than {told('fast_share', '50')}%",
        QUALIFICATION: f"points below {told('pass_mark', '0.625')}"
        + (f" of {span}" if (span := told("scale_width", "0")) != "0" else "")
        + f" from {told('fewest_known', '4')} ratings"
        + (f" with {whom}" if (whom := text("qualified_by")) else ""),
    }
    if values := controls.get("excluded_values", ()):
        lines[ATTRIBUTE] = " ".join(["raters whose", text("excluded_attribute"), "is", " | ".join(values)])
        lines[ATTRIBUTE] = lines[ATTRIBUTE].replace("  ", " ")
    line = lines.get(name)
    return (
        f"{line} on {on}"
        if line and on and name not in (CHECKS, WORST_UNITS, ATTRIBUTE, POSITION, MODELS)
        else line
    )


def ruled(study: Study, rule: Rule) -> Scenario:
    """Return the raters of the candidate group that a rule excludes; raise `InputError` where it does not apply."""
    kind = study.whole.kind
    if kind != "ratings" and kind not in OF_KIND:
        raise InputError("`without`: a rule needs ratings, choices, rankings or sets of labels")
    if rule.name not in OF_KIND.get(kind, _FORMS) or (
        kind == "ratings" and rule.name in (BELOW_GOLD, POSITION)
    ):
        raise InputError(f"`without`: {KINDS[kind].rows} have no rule {rule.name!r}")
    if rule.name == WORST_UNITS:
        if study.contributors is None or not study.whole.has("text"):
            raise InputError("`without`: mP - aP needs the items' texts and the contributors of a pyramid")
        return lowest_units(study, study.contributors, max(int(rule.number), 1))
    on, there = rule.on or next(iter(study.measures), ""), study.all_measures
    if kind == "label sets":
        there, on = questions_of(study), rule.on or questions_of(study)[0]
    if kind in ("ratings", "label sets") and on not in there:
        called = "measure" if kind == "ratings" else "question"
        raise InputError(f"`without`: the data set has no {called} {on!r}")
    if rule.name == ATTRIBUTE:
        every = [one.called for one in attributes_of(study.unfiltered)]
        attribute = rule.whom or next(iter(every), "")
        if attribute not in every:
            raise InputError(f"`without`: the data set has no attribute of raters called {attribute!r}")
        return having_attribute(study, attribute, rule.values)
    number, known = rule.number, known_ratings(study) if kind == "ratings" else []
    whom = rule.whom or next(iter(known), "")
    if rule.name == QUALIFICATION and whom not in known:
        raise InputError(f"`without`: there are no known ratings of {whom!r} to compare raters with")
    finds: dict[str, Callable[[], Scenario]] = {
        BT500: lambda: bt500(study, on, rule.divisor),
        P913: lambda: p913(study, on),
        WORST: lambda: worst(study, on, max(int(number), 1)),
        BELOW_ALPHA: lambda: below_alpha(study, on, number),
        BELOW_OTHERS: lambda: below_others(study, on, number),
        BELOW_GOLD: lambda: below_gold(study, on, number),
        POSITION: lambda: by_position(study, number),
        CHECKS: lambda: failed_checks(study, int(number), rule.off),
        MODELS: lambda: models(study),
        REFERENCE: lambda: failed_references(study, on, rule.share, number),
        FAST: lambda: too_fast(study, on, int(number)),
        QUALIFICATION: lambda: unqualified(
            study, QualificationRule(whom, on, number, rule.fewest, rule.span)
        ),
    }
    needed = {CHECKS: "check", FAST: "seconds", BELOW_GOLD: "gold", POSITION: "position"}.get(rule.name)
    if needed and not study.whole.has(needed):
        raise InputError(f"`without`: the data set has no column {needed}, which the rule asks for")
    if rule.name == REFERENCE and not rater_results.has_hidden_reference(study, on):
        raise InputError(
            "`without`: there are no ratings of a hidden reference up to 100, which the rule asks for"
        )
    return finds[rule.name]()
