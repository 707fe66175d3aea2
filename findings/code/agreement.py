"""The program of Agreement: how far raters agree, per measure and group."""

from collections.abc import Sequence

from features.program import PRINTED, RATINGS, literal, program
from features.study import Study
from findings.agreement.how_far import Agreed


def code(study: Study, agreed: Sequence[Agreed]) -> str:
    asked = [(one.measure, one.group) for one in agreed]
    return program(
        study.between_raters,
        ["from analysis.agreement.how_far import how_far", "from analysis.ratings import Ratings"],
        [
            *RATINGS,
            f"asked = {literal(asked)}",
            "results = {",
            f"    (measure, group): how_far(ratings(measure, group), {study.raters_are_persons})",
            "    for measure, group in asked",
            "}",
            *PRINTED,
        ],
    )
