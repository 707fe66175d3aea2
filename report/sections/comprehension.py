"""Cross comprehension: how much of what one author found important another's summary holds, and length."""

from collections.abc import Iterator
from dataclasses import replace

from features.comprehension.results import AnswersSpec, lengths_are_known
from features.comprehension.section import length_section, shares_section
from features.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.model import Section
from report.parts.of_blocks import section_of
from report.parts.without import what_changes


def sections(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    """Yield the shares of answers, then the summaries' length where it is known."""
    spec = AnswersSpec(bootstrap=asked.bootstrap())
    found = section_of("comprehension", "How much is shared", shares_section(study, scenario, spec))
    yield replace(found, tables=[*found.tables, *what_changes(study, scenario)[1]])
    if lengths_are_known(study):
        yield section_of("summary-length", "Summary length", length_section(study, scenario, spec))
