"""The rules by which raters of a study of choices can be left out."""

from features import exclusion_rules
from features.exclusion_rules import BELOW_OTHERS, FAST, WORST
from features.raters import workers
from features.study import Scenario, Study
from ui.visit.rules_for_ratings import how_many, limit, speed_limit
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
    return exclusion_rules.worst_by_choices(study, how_many(workers.rater_codes(study)))


def _below_others(study: Study) -> Scenario:
    return exclusion_rules.below_others_by_choices(study, limit())


def _too_fast(study: Study) -> Scenario:
    return exclusion_rules.too_fast_by_choices(study, speed_limit())
