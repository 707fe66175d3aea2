"""Replacing raters: can a crowd's mean, one rater or a model replace a reference rater?"""

from analysis.replacement.alternative_annotator import (
    AlternativeAnnotator,
    alternative_annotator_test,
    group_values,
    on_the_scale_of,
)
from analysis.replacement.corrected_scores import (
    CorrectedScore,
    corrected_pass_rate,
    corrected_score,
    corrected_scores,
)
from analysis.replacement.effective_number import SharedErrors, effective_number_of_raters, shared_errors

__all__ = [
    "AlternativeAnnotator",
    "CorrectedScore",
    "SharedErrors",
    "alternative_annotator_test",
    "corrected_pass_rate",
    "corrected_score",
    "corrected_scores",
    "effective_number_of_raters",
    "group_values",
    "on_the_scale_of",
    "shared_errors",
]
