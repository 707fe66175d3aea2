"""Where the variance comes from: shares by source, and the D-study of other numbers of raters and items."""

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import Components
from analysis.variance.generalisability import (
    Along,
    Averaged,
    Object,
    curve,
    d_study,
    generalisability,
    objects,
    rated_twice,
    usual,
)
from charts.assessors.variance import d_study_curve, variance_shares
from features.plotting.figure import Figure
from features.raters.variance_results import drawn, laid_out, without_intervals
from features.study import Scenario, Study
from findings.assessors import variance as findings
from findings.assessors.variance import EXPLANATION
from findings.code import assessors as program
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one, usually
from ui.pictures import draw, look
from ui.sampling_controls import bootstrap_controls
from ui.stages import conclude, show_stages
from ui.words import warn

__all__ = ["EXPLANATION", "show"]

SAME, OWN = "the same for all items", "others for each item"


def show(study: Study, scenario: Scenario) -> None:
    """Finding, shares beside the D-study's curve, the components, and the coefficients by number."""
    finding = st.empty()
    measure, bootstrap = _measure_and_draws(study)
    made = laid_out(study, measure)
    closed = without_intervals(study, measure, made)
    if closed is None:
        return
    if closed.reason:
        with finding.container():
            show_finding(findings.components_finding(closed, measure))
        return
    tells_apart = bool(objects(closed))
    averaged, along = _averaged(closed) if tells_apart else (Averaged(), "raters")
    left, right = (column.empty() for column in st.columns(2))

    def show_both(found: Components, stage: str) -> None:
        with finding.container():
            show_finding(findings.components_finding(found, measure))
            if tells_apart:
                show_finding(findings.coefficient_finding(found, generalisability(found, averaged)))
        draw(
            left,
            _shares(found),
            key=f"variance_shares {stage}",
            alt="Shares of the variance of a rating by source",
        )
        if tells_apart:
            draw(
                right,
                _curve(found, averaged, along),
                key=f"d_study {stage}",
                alt="Generalizability coefficient and index of dependability against the number of raters or items",
            )

    found = show_stages(
        closed,
        show_both,
        ("with intervals", lambda _: drawn(study, measure, closed, bootstrap, made)),
    )
    of_means = generalisability(found, averaged)
    for sentence in findings.remarks(found):
        warn(*sentence)
    conclude(
        "variance",
        [(findings.components_table(found, of_means), "Variance by source")],
        below=findings.notes(found, of_means),
        figure=lambda: _shares(found),
    )
    if tells_apart:
        _show_numbers(found, averaged, along)
    of_means_asked = averaged if tells_apart else None
    show_code(lambda: program.variance(study, measure, bootstrap, of_means_asked, along, found.sample))


def _show_numbers(found: Components, averaged: Averaged, along: Along) -> None:
    st.header("Other numbers of raters and items")
    conclude(
        "d-study",
        [(findings.d_study_table(along, d_study(found, curve(averaged, along))), "Coefficients by number")],
        most=10,
        figure=lambda: _curve(found, averaged, along),
    )


def _measure_and_draws(study: Study) -> tuple[str, BootstrapSpec]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = study.measures[0]
        if len(study.measures) > 1:
            measure = choose_one("Measure", study.measures, key="variance_measure", width=320)
        with st.popover("More"):
            return measure, bootstrap_controls()


def _averaged(found: Components) -> tuple[Averaged, Along]:
    """The means that coefficients are asked of, and what the curve runs along."""
    possible = findings.object_names(objects(found))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of: Object = next(iter(possible.values()), "item")
        if len(possible) > 1:
            chosen = choose_one(
                "Told apart are", list(possible), key="variance_object", width=160,
                help="The object of measurement: what means are to tell apart. Everything else that varies is error.",
            )  # fmt: skip
            of = possible[chosen]
        here = usual(found, of)
        raters, items = 1, 1
        along: Along = "raters"
        if rated_twice(found):
            raters = st.number_input(
                findings.ALONG["raters"], 1, 1000, usually("variance_raters", here.raters),
                key="variance_raters", bind="query-params", width=150,
            )  # fmt: skip
        if of == "system":
            items = st.number_input(
                findings.ALONG["items"], 1, 100000, usually("variance_items", here.items),
                key="variance_items", bind="query-params", width=150,
            )  # fmt: skip
            runs = {
                words: each for each, words in findings.ALONG.items() if each == "items" or rated_twice(found)
            }
            along = runs[choose_one("Curve along", list(runs), key="variance_along", width=180)]
        designs = [SAME, OWN] if here.same_raters else [OWN, SAME]
        who = choose_one(
            "Raters are", designs, key="variance_design", width=220,
            help="Where the same raters rate everything, a severe one lowers all means alike, comparisons stay fair. "
            "Where each item has other raters, their severity is an error of comparisons too.",
        )  # fmt: skip
    return Averaged(of, int(raters), int(items), who == SAME), along


def _shares(found: Components) -> Figure:
    return variance_shares({findings.called(name): e for name, e in found.shares().items()}, look())


def _curve(found: Components, averaged: Averaged, along: Along) -> Figure:
    designs = curve(averaged, along)
    numbers = [getattr(each, along) for each in designs]
    chosen = getattr(averaged, along)
    return d_study_curve(
        findings.ALONG[along], numbers, findings.curves(d_study(found, designs)), chosen, look()
    )
