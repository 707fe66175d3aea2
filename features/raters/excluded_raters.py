"""Raters that each rule excludes, as scenarios."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import ExclusionRule
from analysis.screening.observer_rejection import Divisor, indices_above, indices_below, lowest_indices
from features.assessments import difference_values
from features.plotting.theme import decimal
from features.raters import answer_agreement, rater_results, workers
from features.raters.attributes_results import raters_with
from features.raters.rater_results import ranks_by_texts
from features.study import CHECK_QUESTIONS, QualificationRule, Scenario, Study, _names, models_among
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
    values, term = _agreement_with_others(study, on)
    found = without_those_below(study, values, limit, term)
    return _repeatable(study, found, on, ExclusionRule("below with others", limit=limit))


def lowest_units(study: Study, how_many: int) -> Scenario:
    """Return those lowest by mP - aP; raise `InputError` for unreadable contributors."""
    contributors = study.contributors
    assert contributors is not None
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


def failed_anchors(study: Study, on: str, percent: int, highest: float) -> Scenario:
    """Return those who rated more than this share of the mid-range anchors of a measure above a score."""
    found = rater_results.high_anchors(study, on, highest)
    name = f"mid-range anchor above {highest:g} on more than {percent}% of the items"
    every = f"more than 25% of the raters rate the mid-range anchor above {highest:g} on every item"
    reason = every if found.set_aside.all() else ""
    above = indices_above(found.by_rater.share, percent / 100)
    return of_raters(study, found.by_rater.raters[above], name, reason)


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
