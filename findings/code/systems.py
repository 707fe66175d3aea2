"""The program of Systems of a study of ratings: each system's score with its interval, and which are told apart."""

from analysis.assessors.exclusion import ExclusionSpec
from features.study import Scenario, Study
from findings.code.assessments import PLAIN_WITHOUT_TOPICS, assessed, left_out, rule
from findings.code.program import literal


def code(study: Study, measure: str, spec: ExclusionSpec, scenario: Scenario, lowest_first: bool) -> str:
    """The ranking without those who are left out, where that is applied."""
    needed, rule_for = rule(scenario)
    applied = bool(scenario.applied and scenario.excludes)
    return assessed(
        study,
        [
            *needed,
            "import numpy as np",
            "from dataclasses import replace",
            "from analysis.assessors.exclusion import exclusion, intervals",
            "from analysis.systems.system_ranking import system_ranking",
            "from analysis.exclusion import ExclusionSpec",
        ],
        [
            f"rated, spec = assessments({literal(measure)}), {literal(spec)}",
            *PLAIN_WITHOUT_TOPICS,
            *rule_for,
            left_out(scenario.names),
            "system, _, rater, _ = rated.ranking",
            "asked = spec_for(rated)",
            "found = exclusion(*rated.ranking, without, asked)",
            "drawn = intervals(*rated.ranking, found, asked, None, rule_for(rated))",
            f"stays = ~np.isin(rater, {'without' if applied else '[]'})",
            "ratings = np.bincount(system[stays], minlength=found.systems.max() + 1)[found.systems]",
            f"ranking = system_ranking(found, drawn, ratings, {applied}, {lowest_first})",
            'names = labels("system")',
            "order = names[ranking.systems].tolist()",
            'results = {"scores": dict(zip(order, ranking.scores)), "letters": dict(zip(order, ranking.letters))}',
            'results["ranking"] = ranking',
        ],
    )
