"""Planning a study: how many raters, items and ratings it needs."""

from analysis.planning.budget import BestDesign, StudyCosts, best_design, best_of_plan
from analysis.planning.difference import DifferencePlan, Power, difference_power
from analysis.planning.pilot import (
    Pilot,
    detectable_difference,
    detectable_share,
    pilot,
    power_with_pilot,
    spread_of_shares,
)
from analysis.planning.precision import (
    correlation_interval,
    difference_half_width,
    icc_half_width,
    items_for_icc_test,
    items_for_icc_width,
    mos_half_width,
    system_half_width,
    units_for_alpha,
)
from analysis.planning.simulated_difference import (
    Assignment,
    SimulatedPower,
    StudyAssignment,
    assigned_study,
    balanced_assignment,
    simulated_power,
)
from analysis.planning.votes import (
    accuracy_limit,
    accuracy_of_votes,
    icc_of_right_votes,
    least_quality_by_agreement,
    pair_reductions,
    preference_half_width,
    preference_power,
    quality_by_known_answers,
    votes_for_accuracy,
)
from analysis.planning.workloads import effective_raters, loads_by_busiest, paired_sample_size

__all__ = [
    "Assignment",
    "BestDesign",
    "DifferencePlan",
    "Pilot",
    "Power",
    "SimulatedPower",
    "StudyAssignment",
    "StudyCosts",
    "accuracy_limit",
    "accuracy_of_votes",
    "assigned_study",
    "balanced_assignment",
    "best_design",
    "best_of_plan",
    "correlation_interval",
    "detectable_difference",
    "detectable_share",
    "difference_half_width",
    "difference_power",
    "effective_raters",
    "icc_half_width",
    "icc_of_right_votes",
    "items_for_icc_test",
    "items_for_icc_width",
    "least_quality_by_agreement",
    "loads_by_busiest",
    "mos_half_width",
    "pair_reductions",
    "paired_sample_size",
    "pilot",
    "power_with_pilot",
    "preference_half_width",
    "preference_power",
    "quality_by_known_answers",
    "simulated_power",
    "spread_of_shares",
    "system_half_width",
    "units_for_alpha",
    "votes_for_accuracy",
]
