"""Consistency of raters: agreement of each with itself or the others, and results of screening rules."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from analysis.assessors.rater_estimates import Ranked
from analysis.values.estimate import BootstrapSpec
from charts.assessors.consistency import consistency_dots
from features.assessments import names
from features.plotting.figure import Figure
from features.plotting.numbers import count
from features.plotting.panels import MOST
from features.raters.naming_findings import ComparedRaters, leading_measure, scatter_finding
from features.results import long_result
from features.study import Scenario, Study
from features.tables import Shown
from findings.assessors import consistency as findings
from findings.assessors import rater_figures
from findings.assessors.consistency import EXPLANATION, ScreeningFigures
from findings.assessors.rater_figures import CLOSED
from findings.code import assessors as program
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one, measures_on_show
from ui.downloads import downloads
from ui.item_links import offer
from ui.pictures import draw, look
from ui.stages import conclude, show_stages
from ui.tables import show_table
from ui.visit.scenario import MOST_BY_HAND, leave_out_by_hand
from ui.words import note, warn

__all__ = ["EXPLANATION", "show"]

ByMeasure = Mapping[str, Ranked]

MOST_SCREENED = 10_000_000
"""Ratings of a measure by a group up to which raters are screened without being asked to: each rule looks at all."""
SCREENING = "Consistency and screening figures per rater, by ascending consistency"


def show(study: Study, scenario: Scenario) -> None:
    """Finding, one panel per measure with the raters ranked, then the screening table of one measure."""
    finding, fell_back, picture = st.empty(), st.empty(), st.empty()
    closed = _by_measure(study, CLOSED)
    with finding.container():
        show_finding(findings.finding(_compared(study, closed), study.raters_are_persons))
    if not findings.by_texts(closed):
        with fell_back:
            note(findings.FELL_BACK)
    shown = measures_on_show(study.measures, MOST)
    spec = BootstrapSpec()

    def draw_dots(ranked: ByMeasure, stage: str) -> None:
        draw(
            picture,
            _figure(study, scenario, ranked, shown),
            key=f"consistency {stage}",
            alt="Consistency of each rater, one panel per measure",
        )

    def with_intervals(_: ByMeasure) -> ByMeasure | None:
        return long_result(
            rater_figures.key(study.between_raters, "consistency of all", study.measures, spec),
            "Intervals of all raters",
            lambda on_progress: _by_measure(study, spec, on_progress),
        )

    ranked = show_stages(
        closed,
        draw_dots,
        ("with intervals", with_intervals),
    )
    compared = _compared(study, ranked)
    with finding.container():
        show_finding(findings.finding(compared, study.raters_are_persons))
    conclude(
        "ranking",
        [
            (
                findings.ranking_table(ranked, names(study, "rater")),
                "Raters ranked by consistency, per measure",
            )
        ],
        most=9,
        figure=lambda: _figure(study, scenario, ranked, shown),
    )
    st.header("Screening")
    screened = _show_screening(study, scenario, ranked, compared)
    by_texts = {measure: rater_figures.ranks_by_texts(study, measure) for measure in study.measures}
    show_code(lambda: program.consistency(study, by_texts, screened))


def _show_screening(
    study: Study, scenario: Scenario, ranked: ByMeasure, compared: Sequence[ComparedRaters]
) -> str:
    """The table of one measure; which one."""
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = choose_one("Measure", study.measures, key="screened", width=320)
    if not _asked_to_screen(study, measure):
        return measure
    raters, of_measure = names(study, "rater"), ranked[measure]
    figures = ScreeningFigures(
        rater_figures.bias(study, measure),
        rater_figures.runs(study, measure),
        rater_figures.bt500(study, measure),
        rater_figures.p913(study, measure),
        rater_figures.model(study, measure),
        rater_figures.speed(study, measure) if study.whole.has("seconds") else None,
        rater_figures.failed_checks(study) if study.whole.has("check") else None,
        rater_figures.on_repeats(study, measure, BootstrapSpec()),
    )
    if (
        study.raters_are_persons
        and (more := scatter_finding(rater_figures.scattered(study, measure))) is not None
    ):
        show_finding(more)
    table = findings.screening_table(
        of_measure, compared, measure, figures, raters, names(study, "split"), scenario
    )
    _show_table_to_tick(table, tickable=len(raters) <= MOST_BY_HAND)
    for sentence in [*findings.alpha_with_everyone(of_measure), *findings.repeats_note(figures.repeats)]:
        note(*sentence)
    remarks = findings.remarks(of_measure, figures, raters)
    for sentence in remarks:
        warn(*sentence)
    downloads("screening", [(table, SCREENING)], notes=remarks)
    return measure


def _asked_to_screen(study: Study, measure: str) -> bool:
    """Whether to screen: of very many ratings only where somebody wants it."""
    ratings = int(rater_figures.numbers(study, measure).sum()) if study.whole.has_sums else 0
    if ratings <= MOST_SCREENED:
        return True
    note(
        "Screening looks at each of {ratings} ratings several times, which takes minutes and gigabytes.",
        ratings=count(ratings),
    )
    return st.toggle("Screen the raters", key="screen", bind="query-params")


def show_at_a_glance(study: Study, scenario: Scenario, measures: Sequence[str]) -> None:
    """Show who is clearly less or more consistent than the typical rater, on the measure where raters differ most."""
    ranked = {measure: rater_figures.ranked(study, measure) for measure in measures}
    compared = _compared(study, ranked)
    measure = leading_measure(compared)
    show_finding(findings.finding(compared, study.raters_are_persons))
    if measure is not None:
        draw(
            st,
            _figure(study, scenario, ranked, [measure]),
            key="overview_consistency",
            alt="Consistency of each rater",
        )


def _compared(study: Study, ranked: ByMeasure) -> list[ComparedRaters]:
    return [rater_figures.compared(study, measure, one) for measure, one in ranked.items()]


def _by_measure(
    study: Study, spec: BootstrapSpec, on_progress: Callable[[float], object] | None = None
) -> ByMeasure:
    ranked: dict[str, Ranked] = {}
    for at, measure in enumerate(study.measures):
        ranked[measure] = rater_figures.ranked(study, measure, spec)
        if on_progress is not None:
            on_progress((at + 1) / len(study.measures))
    return ranked


def _figure(study: Study, scenario: Scenario, by_measure: ByMeasure, shown: Sequence[str]) -> Figure:
    """Draw raters by their consistency, one panel per measure shown."""
    texts = findings.by_texts(by_measure)
    title = "Alpha on identical texts" if texts else "Correlation with the mean of the others"
    return consistency_dots(_compared(study, by_measure), title, look(), set(scenario.names), shown)


def _show_table_to_tick(shown: Shown, tickable: bool) -> None:
    """The table with rows to tick, and a button that leaves the ticked raters out."""
    table, written = shown
    ticked = show_table(
        table,
        written,
        alt=SCREENING,
        most=12,
        key="assessors" if tickable else None,
    )
    if ticked:
        chosen = table["Rater"].iloc[ticked].tolist()
        st.button(
            f"Leave out the {len(chosen)} ticked",
            on_click=leave_out_by_hand,
            args=(chosen,),
            type="primary",
        )
        if len(chosen) == 1:
            offer("rater", chosen[0])
