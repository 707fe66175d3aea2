"""Systems of a study of ratings: the ranking by each measure, for each group."""

from collections.abc import Mapping

from analysis.values.names import shorten
from features.blocks import Finding, Status
from features.study import Scenario, Study
from features.systems.scores_results import ScoresSpec, has_systems
from features.systems.scores_section import scores_section
from features.words import listed
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Section
from report.parts.of_blocks import section_of, together
from report.parts.opening import of_each_group


def of_ratings(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Return the ranking of each group's systems by every measure, where the items have systems."""
    if not study.whole.has("system"):
        return []
    parts = {}
    for each in of_each_group(study, asked):
        measures = [measure for measure in each.measures if has_systems(each, measure)]
        if measures:
            parts[each.candidate] = together(
                section_of(
                    "systems",
                    "Ranking systems",
                    scores_section(
                        each,
                        scenario,
                        ScoresSpec(measure, bootstrap=asked.bootstrap(), scope=asked.generalize),
                    ),
                    f"-{nth}",
                )
                for nth, measure in enumerate(measures, 1)
            )
    return of_all(parts, [_first_by_group(parts)])


def _first_by_group(parts: Mapping[str, Section]) -> Finding:
    """Return which system each group puts first, by the first measure."""
    first: dict[str, list[str]] = {}
    for group, part in parts.items():
        if part.tables:
            first.setdefault(str(part.tables[0].shown[0]["System"].iloc[0]), []).append(group)
    told = "; ".join(f"{shorten(system)} ({listed(groups, 9)})" for system, groups in first.items())
    return Finding(("First by the ratings of each group: {told}.", {"told": told}), status=Status.UNCERTAIN)
