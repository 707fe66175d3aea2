"""Number of ratings or votes that are enough, and what fewer would save."""

from collections.abc import Mapping
from itertools import chain

from analysis.values.names import shorten
from features.blocks import Finding
from features.repetitions.details_findings import Weighed
from features.repetitions.details_results import Enough
from features.repetitions.ratings_findings import fits_table
from features.repetitions.ratings_results import default_spec, fitted_curves
from features.repetitions.ratings_section import (
    can_simulate,
    cost_section,
    ratings_section,
    rules_section,
)
from features.repetitions.votes_results import default_votes_spec
from features.repetitions.votes_section import votes_cost_section, votes_section
from features.study import Study
from features.verdicts import uncertain
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Section
from report.parts.of_blocks import section_of
from report.parts.opening import of_each_group

DRAWS = 100
"""Bootstrap samples of a knee's interval, as on the page: each repeats the whole simulation."""


def of_ratings(study: Study, asked: Asked) -> list[Section]:
    """Return ratings needed, curves, stopping rules and savings of each group."""
    studies = [each for each in of_each_group(study, asked) if each.reference != each.candidate]
    parts = {each.candidate: _of_group(each, asked) for each in studies}
    return of_all(parts, [_knees_by_group(parts)])


def _of_group(study: Study, asked: Asked) -> Section:
    spec = default_spec(study, asked.bootstrap(DRAWS), asked.generalize)
    blocks = ratings_section(study, spec)
    if can_simulate(study):
        fits = fits_table(fitted_curves(study, spec.curves, spec.sensitivity))
        more = rules_section(study, spec, Enough()), cost_section(study, spec, Weighed())
        blocks = chain(blocks, [fits], *more)
    return section_of("repetitions", "How many ratings are enough", blocks)


def _knees_by_group(parts: Mapping[str, Section]) -> Finding:
    """Return the knees of each group."""
    told = []
    for group, part in parts.items():
        table = next((one.numbers for one in part.tables if one.name == "needed"), None)
        knees = [] if table is None else sorted({int(knee) for knee in table["Knee"].dropna()})
        at = f"{knees[0]} to {knees[-1]}" if len(knees) > 1 else f"{knees[0]}" if knees else "none"
        most = 0 if table is None else int(table["Ratings per item"].max())
        told.append(f"{shorten(group)} {at}" + (f" of {most}" if most else ""))
    headline = "Knees of the curves, in ratings per item: <b>{told}</b>."
    return uncertain(headline, {"told": "; ".join(told)})


def of_votes(study: Study, asked: Asked) -> Section:
    """Return the curves of votes, and what fewer would save."""
    spec = default_votes_spec(study, asked.bootstrap(DRAWS))
    blocks = chain(votes_section(study, spec), votes_cost_section(study, spec, Weighed()))
    return section_of("repetitions", "How many votes are enough", blocks)
