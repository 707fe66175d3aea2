"""Automatic metrics: how far each number known of the items goes with the raters' scores."""

import pandas as pd

from features.assessments import item_numbers
from features.blocks import Finding
from features.exclusion import kind_of_ranked
from features.plotting.numbers import decimal, decimal_with_interval
from features.study import Scenario, Study
from features.verdicts import prefix
from findings.assessors import automatic_metrics as findings
from findings.assessors.metric_rows import EVERY_KIND, ByMeasure, agreements_of
from report.parts.asked import Asked
from report.parts.model import Section, Table, given
from report.parts.opening import of_each_group

TITLE = "Automatic metrics"
TERM = "Pearson's r"


def section(study: Study, scenario: Scenario, asked: Asked) -> Section | None:
    """Each metric's correlation with the scores over systems and single items; None without metrics."""
    columns = study.whole.named("item number")
    if not columns:
        return None
    told: list[Finding] = []
    rows, full = [], []
    studies = of_each_group(study, asked)
    for each in studies:
        what = kind_of_ranked(each, each.measures[0])
        for column in columns:
            values = item_numbers(each, column)
            found = given(
                agreements_of(
                    each, scenario, f"column {column}", values, EVERY_KIND, "pearson", asked.bootstrap()
                )
            )
            one = findings.finding(found, column, TERM, what, scenario, on_page=False)
            told.append(
                prefix(one, "<b>{this_group}</b>: ", {"this_group": each.candidate})
                if len(studies) > 1
                else one
            )
            rows += _rows(each, column, found, len(studies) > 1)
            table = findings.agreement_table(found, what, scenario, drawn=True)[0]
            full.append(table.assign(Metric=column, Group=each.candidate))
    shown = pd.DataFrame([numbers for numbers, _ in rows])
    written: dict[str, list[str]] = {OVER: [], ITEMS: []}
    for _, texts in rows:
        for name, text in texts.items():
            written[name].append(text)
    return Section(
        "metrics",
        TITLE,
        findings=told,
        tables=[
            Table(
                "metrics",
                ("Correlation ({term}) of each metric with the scores, with 95 % intervals.", {"term": TERM}),
                (shown, {**written, "n": lambda value: decimal(value, 0)}),
                full=pd.concat(full, ignore_index=True),
            )
        ],
        methods=[
            (
                "Over systems: the mean over topics of the metric against that of the scores, over exactly the same "
                "ratings; on single items the mean over raters of each rater's correlation (Owczarzak, Rankel, Dang "
                "and Conroy 2012). Intervals: {draws} draws (seed {seed}).",
                {"draws": asked.bootstrap().draws, "seed": asked.seed},
            )
        ],
        cited=["owczarzak2012"],
    )


OVER, ITEMS = "Over systems", "On single items"


def _rows(
    study: Study, column: str, found: ByMeasure, several: bool
) -> list[tuple[dict[str, object], dict[str, str]]]:
    """Numbers and texts of a row per measure, of those who stay."""
    made = []
    for measure, agreement in found.items():
        over, single = (
            level.after if level.after.defined else level.before
            for level in (agreement.system_level, agreement.summary_level)
        )
        made.append(
            (
                {
                    **({"Group": study.candidate} if several else {}),
                    "Metric": column,
                    "Measure": measure,
                    OVER: over.value,
                    ITEMS: single.value,
                    "n": over.n,
                },
                {OVER: decimal_with_interval(over, 3), ITEMS: decimal_with_interval(single, 3)},
            )
        )
    return made
