"""How far the raters of each group agree."""

from collections.abc import Sequence
from math import nan

import pandas as pd

from analysis.values.estimate import Estimate
from features.study import Scenario, Study
from findings.agreement import by_group
from findings.agreement.pictures import both_figures
from findings.agreement.summary import FIRST, Agreed, agreement_table, anything, finding, full_table, remarks
from findings.leaving_out import Changed, change_columns, most_changed, written
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given


def section(study: Study, scenario: Scenario, asked: Asked) -> Section:
    """Alpha, reliability of a mean and split halves per measure and group, with intervals."""
    closed = tuple(
        one for one in given(by_group.at_a_glance(study, asked.generalize)) if _asked_for(one, asked)
    )
    agreed = given(by_group.with_halves(study, closed, asked.generalize)) if anything(closed) else closed
    pictures, tables = [], []
    if anything(agreed):
        pictures = [
            Picture(
                "alpha",
                (
                    "What a single rating is worth: Krippendorff's alpha per measure and group, with its interval.",
                    {},
                ),
                lambda look: both_figures(study, agreed, look)[0],
            ),
            Picture(
                "reliability-of-means",
                (
                    "What the mean of an item's ratings is worth: ICC per measure and group, with its interval.",
                    {},
                ),
                lambda look: both_figures(study, agreed, look)[1],
            ),
        ]
        tables = [
            Table(
                "agreement",
                ("Agreement of raters per measure and group, each figure with its 95 % interval.", {}),
                agreement_table(study, agreed),
                FIRST,
                full_table(study, agreed),
                remarks(study, agreed),
            )
        ]
    findings = [finding(study, agreed)]
    if study.dataset.without:
        changes, table = _changed(study, asked, agreed)
        findings.append(most_changed(scenario, changes, "Krippendorff's alpha"))
        if any(before.defined or after.defined for _, before, after in changes):
            tables.append(table)
    return Section(
        "agreement",
        "Agreement of the raters",
        findings=findings,
        pictures=pictures,
        tables=tables,
        methods=[
            (
                "Agreement of single ratings is Krippendorff's alpha with the interval metric (Krippendorff 2011); the "
                "reliability of an item's mean is an intraclass correlation of means (McGraw and Wong 1996), of "
                "consistency where the same raters rated all items, else one-way; split "
                "halves are the mean correlation of the means of two random halves of each item's ratings (Spearman "
                "1910). Items with one rating do not count for alpha.",
                {},
            )
        ],
        cited=["krippendorff2011", "mcgraw1996", "spearman1910"],
    )


def _changed(study: Study, asked: Asked, agreed: Sequence[Agreed]) -> tuple[list[Changed], Table]:
    """Each alpha with everyone and without those left out."""
    everyone = given(by_group.at_a_glance(study.everyone, asked.generalize))
    before = {(one.measure, one.group): one.figures.alpha for one in everyone if _asked_for(one, asked)}
    after = {(one.measure, one.group): one.figures.alpha for one in agreed}
    several = len({group for _, group in before}) > 1
    pairs = [
        (measure, group, alpha, after.get((measure, group), Estimate(nan, reason="nobody is left")))
        for (measure, group), alpha in before.items()
    ]
    rows = pd.DataFrame(
        [
            {
                "Measure": measure,
                **({"Group": group} if several else {}),
                **change_columns("Alpha", one.value, other.value),
            }
            for measure, group, one, other in pairs
        ]
    )
    changes = [
        (f"{measure}, {group}" if several else measure, one, other) for measure, group, one, other in pairs
    ]
    caption = "Krippendorff's alpha with everyone, without the raters left out, and the difference."
    return changes, Table("agreement-without", (caption, {}), (rows, written(rows)))


def _asked_for(one: Agreed, asked: Asked) -> bool:
    return not asked.groups or one.group in asked.groups or one.group == asked.reference
