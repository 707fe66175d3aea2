"""Who misses content that he marked elsewhere, where the contributors of the study's pyramid were found."""

from dataclasses import replace

from analysis.values.errors import InputError
from charts.assessors import pyramid as chart
from features.results import long_result
from features.study import Scenario, Study
from findings.assessors import pyramid as findings
from findings.assessors.contributors import differences, scores, scores_key
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given

PRINTED = ("Rater", "Left out", "mP − aP", "95 %", "Topics", "Summaries")
METHOD = (
    "mP − aP is the manual less the automatic Pyramid score: the weight of the content units that an assessor marked "
    "in a summary, less the weight of those marked in any other summary of the topic with words that occur in this "
    "one, both divided by the best total weight for the mean number of units of a model summary; a low value means "
    "that content was missed. It is averaged over the summaries of a topic, then over an assessor's topics, which "
    "intervals draw (Owczarzak, Rankel, Dang and Conroy 2012; Nenkova and Passonneau 2004)."
)


def added(section: Section, study: Study, scenario: Scenario, asked: Asked) -> Section:
    """The section on the raters with each assessor's mP - aP; as it is where there is no pyramid."""
    contributors = study.contributors
    if contributors is None or not study.whole.has("text"):
        return section
    try:
        found = given(
            long_result(
                scores_key(study, contributors),
                "Looking for contributors in the texts",
                lambda tell: scores(study, contributors, tell),
            )
        )
    except InputError as error:
        told = ("The contributors of the pyramid cannot be used: {why}.", {"why": str(error)})
        return replace(section, warnings=[*section.warnings, told])
    of_each = differences(study, contributors, found, asked.bootstrap())
    if not len(of_each.raters):
        return replace(section, warnings=[*section.warnings, *findings.remarks(found)])
    return replace(
        section,
        findings=[*section.findings, findings.finding(of_each, scenario)],
        pictures=[
            *section.pictures,
            Picture(
                "pyramid",
                (
                    "Manual less automatic Pyramid score of each assessor with its interval, the lowest at the bottom.",
                    {},
                ),
                lambda look: chart.differences(findings.by_name(of_each), look, set(scenario.names)),
            ),
        ],
        tables=[
            *section.tables,
            Table(
                "pyramid",
                ("mP − aP per assessor, the lowest first.", {}),
                findings.assessor_table(of_each, scenario),
                None if scenario.excludes else [name for name in PRINTED if name != "Left out"],
                notes=[findings.scored(found), *findings.remarks(found)],
            ),
        ],
        methods=[*section.methods, (METHOD, {})],
        cited=[*section.cited, "nenkova2004"],
    )
