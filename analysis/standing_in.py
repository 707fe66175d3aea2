"""Standing in: may a crowd's mean, one worker or a model take the place of a reference rater?"""

from analysis.replacing_raters.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from analysis.replacing_raters.candidates import group_values, on_the_scale_of
from analysis.replacing_raters.corrected_pass_rate import corrected_pass_rate
from analysis.replacing_raters.corrected_scores import CorrectedScore, corrected_score, corrected_scores
from analysis.replacing_raters.effective_number import effective_number_of_raters
from analysis.replacing_raters.shared_errors import SharedErrors, shared_errors

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
