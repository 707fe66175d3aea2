"""Candidates for the place of a reference rater, on each measure."""

from dataclasses import replace

from analysis.comparison.comparison import ComparisonSpec
from features.blocks import last_of
from features.replacement.results import candidate_stages, default_spec
from features.replacement.section import candidates_of, measures_section
from features.study import Study
from report.parts.asked import Asked
from report.parts.model import Section, given
from report.parts.of_blocks import section_of


def section(study: Study, asked: Asked) -> Section | None:
    """Return the verdict, advantage and worth of each candidate per measure; None where there is no candidate."""
    study = study.between_raters
    specs = []
    for measure in study.measures or ("",):
        spec = default_spec(study, measure, asked.generalize)
        spec = replace(
            spec,
            comparison=ComparisonSpec(
                bootstrap=asked.bootstrap(), raters_are_persons=study.raters_are_persons, scope=spec.scope
            ),
        )
        if candidates := candidates_of(study, spec, asked.groups):
            stages = list(candidate_stages(study, spec, candidates, with_order=len(study.measures) < 2))
            specs.append((spec, last_of(given(stages or None))))
    if not specs:
        return None
    return section_of("standing-in", "Replacing raters", measures_section(study, specs))
