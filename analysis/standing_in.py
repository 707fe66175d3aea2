"""Replacing raters: can a crowd's mean, one rater or a model replace a reference rater?"""

from analysis.replacement.alternative_annotator import (
    AlternativeAnnotator,
    alternative_annotator_test,
    group_values,
    on_the_scale_of,
)
from analysis.replacement.corrected_scores import CorrectedScore, corrected_score, corrected_scores
from analysis.replacement.effective_number import SharedErrors, effective_number_of_raters, shared_errors
from analysis.replacement.pass_rate import (
    CorrectedShares,
    JudgeErrors,
    LabelsNeeded,
    corrected_pass_rate,
    corrected_shares,
    judge_errors,
    labels_to_halve,
    pass_rate_behind,
    pass_rate_difference,
)

__all__ = [
    "AlternativeAnnotator",
    "CorrectedScore",
    "CorrectedShares",
    "JudgeErrors",
    "LabelsNeeded",
    "SharedErrors",
    "alternative_annotator_test",
    "corrected_pass_rate",
    "corrected_score",
    "corrected_scores",
    "corrected_shares",
    "effective_number_of_raters",
    "group_values",
    "judge_errors",
    "labels_to_halve",
    "on_the_scale_of",
    "pass_rate_behind",
    "pass_rate_difference",
    "shared_errors",
]
