"""Who goes by a rule on raters of choices: the sidebar and the report find the same."""

from features.exclusion_rules.ratings import of_raters, without_lowest, without_those_below
from features.raters import workers_results
from features.study import Scenario, Study


def worst(study: Study, how_many: int) -> Scenario:
    """Those who agree least with the others."""
    by = "by agreement with the others (r_w)"
    return without_lowest(study, workers_results.others_values(study), how_many, by)


def below_others(study: Study, limit: float) -> Scenario:
    """Those whose agreement with the others is below a limit."""
    values = workers_results.others_values(study)
    return without_those_below(study, values, limit, "agreement with the others (r_w)")


def too_fast(study: Study, percent: int) -> Scenario:
    """Those whose median choice took less than this share of the usual time."""
    speed = workers_results.speed(study, percent / 100)
    return of_raters(study, speed.raters[speed.too_fast], f"faster than {percent}% of the usual time")
