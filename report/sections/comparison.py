"""Groups compared: every group against the reference, in order and in level."""

from dataclasses import replace
from functools import partial

from analysis.comparison.comparison import ComparisonSpec
from features.comparison.results import GroupsSpec
from features.comparison.section import ITEMS, all_groups_section, groups_section
from features.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Section
from report.parts.of_blocks import section_of
from report.parts.opening import of_each_group


def sections(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Return each group compared with the reference, as one section; nothing where there is no reference."""
    if not study.comparable:
        return []
    persons, bootstrap = study.raters_are_persons, asked.bootstrap()
    spec = GroupsSpec(ComparisonSpec(bootstrap=bootstrap, raters_are_persons=persons, scope=asked.generalize))
    studies = of_each_group(study, asked)
    made = partial(section_of, "groups", "Groups compared")
    parts = {each.candidate: made(groups_section(each, scenario, spec, [each.candidate])) for each in studies}
    if len(parts) < 2:
        return list(parts.values())
    whole = made(all_groups_section(study, spec, list(parts)))
    (section,) = of_all(parts, whole.findings)
    items = [one for one in section.pictures if one.name.startswith(ITEMS)]
    return [replace(section, pictures=[*whole.pictures, *items])]
