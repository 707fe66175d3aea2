"""Agreement of the raters of each group."""

from features.agreement.results import AgreementSpec, summarize_agreement
from features.agreement.section import agreement_section
from features.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.model import Section, given
from report.parts.of_blocks import section_of


def section(study: Study, scenario: Scenario, asked: Asked) -> Section:
    """Return alpha, reliability of a mean and split halves per measure and group, with intervals."""
    groups = (*asked.groups, *([study.reference] if study.reference else [])) if asked.groups else ()
    spec = AgreementSpec(asked.generalize, groups)
    given(summarize_agreement(study, spec))
    return section_of("agreement", "Agreement of the raters", agreement_section(study, scenario, spec))
