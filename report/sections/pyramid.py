"""Manual minus automatic Pyramid score of each rater, where the contributors of the study's pyramid were found."""

from features.metrics.pyramid import pyramid_section
from features.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.model import Section
from report.parts.of_blocks import section_of


def section(study: Study, scenario: Scenario, asked: Asked) -> Section | None:
    """Return raters who miss content that they marked elsewhere; None where there is no pyramid."""
    if study.contributors is None or not study.whole.has("text"):
        return None
    return section_of(
        "pyramid", "Pyramid", pyramid_section(study, scenario, asked.bootstrap(), study.contributors)
    )
