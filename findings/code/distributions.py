"""The program of Distributions: sizes and the distribution of the items' MOS, per measure and group."""

from features.program import PRINTED, RATINGS, literal, program
from features.study import Study
from findings.distributions.descriptions import Described


def code(study: Study, described: Described) -> str:
    asked = [(measure, group) for measure, group, _ in described]
    return program(
        study,
        ["from analysis.distributions.distribution import describe", "from analysis.ratings import Ratings"],
        [
            *RATINGS,
            f"asked = {literal(asked)}",
            "results = {(measure, group): describe(ratings(measure, group)) for measure, group in asked}",
            *PRINTED,
        ],
    )
