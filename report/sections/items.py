"""Items of a study of ratings: those that stand out by each measure, for each group."""

from features.items.section import standing_out_section
from features.study import Study
from features.verdicts import clear
from features.words import listed
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Section
from report.parts.of_blocks import section_of
from report.parts.opening import of_each_group

TITLE = "Items"
STANDING_OUT = "items"


def section(study: Study, asked: Asked) -> Section | None:
    """Return the items that stand out by the ratings of each group; None where no item has a rating."""
    parts = {}
    for each in of_each_group(study, asked):
        part = section_of("items", TITLE, standing_out_section(each))
        if part.tables:
            parts[each.candidate] = part
    groups = [group for group, part in parts.items() if any(one.name == STANDING_OUT for one in part.tables)]
    told = clear("Items stand out by the ratings of {groups}.", {"groups": listed(groups or ["no group"])})
    return next(iter(of_all(parts, [told])), None)
