"""Who goes by a rule on raters of ratings: the sidebar and the report find the same."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import ExclusionRule
from analysis.screening.observer_rejection import Divisor, above, below, lowest
from data.dataset import Dataset
from features.assessments import difference_values
from features.plotting.numbers import decimal
from features.raters import rater_results
from features.raters.rater_results import ranks_by_texts
from features.results import query
from features.study import Scenario, Study


def of_raters(study: Study, codes: NDArray[np.int64], name: str, reason: str = "") -> Scenario:
    """The scenario of these raters, or why there are none."""
    if not len(codes):
        return Scenario(reason=reason or "the rule finds nobody")
    chosen = tuple(codes.tolist())
    return Scenario(name, chosen, tuple(_names(study)[list(chosen)].tolist()))


def together(study: Study, picked: list[str], ruled: Scenario) -> Scenario:
    """Those picked by name and those that the rule finds."""
    by_name = np.flatnonzero(np.isin(_names(study), picked)).tolist() if picked else []
    codes = sorted({*by_name, *ruled.left_out_codes})
    parts = [ruled.name] if ruled.name else []
    if picked:
        parts.append("picked by hand" if not parts else f"{len(picked)} picked by hand")
    return Scenario(
        " and ".join(parts),
        tuple(codes),
        tuple(_names(study)[codes].tolist()),
        reason=ruled.reason,
        by_hand=tuple(by_name),
        rule=ruled.rule,
        judged_on=ruled.judged_on,
    )


def without_lowest(study: Study, values: NDArray[np.float64], how_many: int, by: str) -> Scenario:
    """Without the lowest by a value per rater code."""
    return of_raters(study, lowest(values, how_many), f"worst {how_many} {by}", "nobody's rank is known")


def without_those_below(study: Study, values: NDArray[np.float64], limit: float, what: str) -> Scenario:
    """Without those below a limit."""
    name = f"{what} below {decimal(limit)}"
    return of_raters(study, below(values, limit), name, f"nobody's {what} is below {decimal(limit)}")


def worst(study: Study, on: str, how_many: int) -> Scenario:
    """The least consistent on a measure: by identical texts, or with the others where there are none."""
    if ranks_by_texts(study, on):
        values, by = rater_results.alpha_values(study, on), f"by alpha on identical texts of {on}"
        return _repeatable(
            without_lowest(study, values, how_many, by), on, ExclusionRule("lowest on texts", how_many)
        )
    values, by = rater_results.others_values(study, on), f"by agreement with the others on {on}"
    return _repeatable(
        without_lowest(study, values, how_many, by), on, ExclusionRule("lowest with others", how_many)
    )


def below_alpha(study: Study, on: str, limit: float) -> Scenario:
    """Those whose alpha on identical texts is below a limit."""
    if not ranks_by_texts(study, on):
        return Scenario(reason=f"no rater judged identical texts of {on} twice, so no alpha is known")
    found = without_those_below(study, rater_results.alpha_values(study, on), limit, f"alpha of {on}")
    return _repeatable(found, on, ExclusionRule("below on texts", limit=limit))


def below_others(study: Study, on: str, limit: float) -> Scenario:
    """Those whose agreement with the others is below a limit."""
    values = rater_results.others_values(study, on)
    found = without_those_below(study, values, limit, f"agreement with the others on {on}")
    return _repeatable(found, on, ExclusionRule("below with others", limit=limit))


def lowest_units(study: Study, contributors: Dataset, how_many: int) -> Scenario:
    """Those lowest by mP - aP, the manual less the automatic Pyramid score.

    Raises
    ------
    InputError
        where a column of the contributors cannot be read.
    """
    return without_lowest(study, difference_values(study, contributors), how_many, "by mP − aP")


def bt500(study: Study, on: str, divisor: Divisor = "n - 1") -> Scenario:
    """Those whom BT.500 rejects."""
    verdicts = rater_results.bt500(study, on, divisor)
    name = f"rejected by BT.500 on {on}" + (", SD with n" if divisor == "n" else "")
    found = of_raters(study, verdicts.raters[verdicts.rejected], name, verdicts.reason)
    return _repeatable(found, on, ExclusionRule("BT.500", divisor=divisor))


def p913(study: Study, on: str) -> Scenario:
    """Those whom P.913 rejects."""
    verdicts = rater_results.p913(study, on)
    found = of_raters(study, verdicts.raters[verdicts.rejected], f"rejected by P.913 on {on}")
    return _repeatable(found, on, ExclusionRule("P.913"))


def failed_checks(study: Study, percent: int, off: float = 0.0) -> Scenario:
    """Those who failed more than this share of their check questions, each by more than `off`."""
    checks = rater_results.failed_checks(study, off)
    name = f"more than {percent}% of their checks failed" + (f", off by more than {off:g}" if off else "")
    return of_raters(study, checks.raters[above(checks.share, percent / 100)], name)


def too_fast(study: Study, on: str, percent: int) -> Scenario:
    """Those whose median rating took less than this share of the usual time."""
    speed = rater_results.speed(study, on, percent / 100)
    name = f"faster than {percent}% of the usual time on {on}"
    return of_raters(study, speed.raters[speed.too_fast], name)


def _repeatable(found: Scenario, judged_on: str, rule: ExclusionRule) -> Scenario:
    """The raters that a rule found, with the rule, so that draws can apply it anew."""
    return replace(found, rule=rule, judged_on=judged_on)


def _names(study: Study) -> NDArray[np.str_]:
    names: NDArray[np.str_] = query(study.whole, "rater_names")["name"]
    return names
