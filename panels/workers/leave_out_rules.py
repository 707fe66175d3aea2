"""The rules by which raters of a study of choices can be left out."""

from features.raters import workers_results
from features.study import Scenario, Study
from findings.exclusion import votes
from findings.exclusion.lines import BELOW_OTHERS, FAST, WORST
from panels.assessors.leave_out_rules import how_many, limit, speed_limit
from ui.visit.scenario import Rules


def rules(study: Study) -> Rules:
    """Every rule that the columns of the study allow; none where raters did not choose between options."""
    if not study.holds_choices:
        return {}
    return {
        WORST: lambda: _worst(study),
        BELOW_OTHERS: lambda: _below_others(study),
        **({FAST: lambda: _too_fast(study)} if study.whole.has("seconds") else {}),
    }


def _worst(study: Study) -> Scenario:
    return votes.worst(study, how_many(workers_results.rater_codes(study)))


def _below_others(study: Study) -> Scenario:
    return votes.below_others(study, limit())


def _too_fast(study: Study) -> Scenario:
    return votes.too_fast(study, speed_limit())
