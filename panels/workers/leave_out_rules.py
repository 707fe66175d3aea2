"""The rules by which raters of a study of choices can be left out."""

from findings.study import Scenario, Study
from panels.assessors.leave_out_rules import BELOW_OTHERS, FAST, WORST, speed_limit
from panels.visit.scenario import Rules, of_raters, without_lowest, without_those_below
from panels.workers import vote_screening


def rules(study: Study) -> Rules:
    """Every rule that the columns of the study allow; none where raters did not choose between options."""
    raters = vote_screening.raters(study)
    if not study.holds_choices:
        return Rules(raters)
    return Rules(
        raters,
        {
            WORST: lambda: _worst(study),
            BELOW_OTHERS: lambda: _below_others(study),
            **({FAST: lambda: _too_fast(study)} if study.whole.has("seconds") else {}),
        },
    )


def _worst(study: Study) -> Scenario:
    by = "by agreement with the others (r_w)"
    return without_lowest(study, vote_screening.raters(study), vote_screening.others_values(study), by)


def _below_others(study: Study) -> Scenario:
    return without_those_below(study, vote_screening.others_values(study), "agreement with the others (r_w)")


def _too_fast(study: Study) -> Scenario:
    limit = speed_limit()
    speed = vote_screening.speed(study, limit / 100)
    return of_raters(study, speed.raters[speed.too_fast], f"faster than {limit} % of the usual time")
