"""Controls of "Agreement": whom intervals generalize to, the measure of the rater pairs, and all coefficients."""

from dataclasses import replace

import streamlit as st

from features.agreement.findings import WEIGHTS
from features.agreement.results import AgreementSpec, comparable_studies, measure_of
from features.agreement.sets import SetsSpec
from features.assessments import fewest_raters, labeled
from features.study import Study
from ui.controls import choose_label_question, choose_one, choose_scope, choose_value

NOTHING = "nothing"


def choose_sets(study: Study) -> SetsSpec:
    """Draw the controls of sets of labels: whom intervals generalize to, and the question where there are several."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = choose_label_question(study)
        raters = labeled(study, question).sets.paired.raters
        return SetsSpec(question, choose_scope(raters, study.raters_are_persons))


def choose_spec(study: Study) -> AgreementSpec:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scope = choose_scope(fewest_raters(study, study.candidate), study.raters_are_persons)
        spec = AgreementSpec(scope)
        if len(study.measures) > 1:
            help = "Measure of the rater pairs and of all coefficients below."
            measure = choose_one(
                "Rater pairs on", study.measures, key="agreement_measure", width=240, help=help
            )
            spec = replace(spec, measure=measure)
        help = "Alpha for each level of measurement, the ICCs, kappas and AC2."
        if st.toggle("All coefficients", key="coefficients", bind="query-params", help=help):
            spec = _choose_coefficients(study, spec)
    return spec


def _choose_coefficients(study: Study, spec: AgreementSpec) -> AgreementSpec:
    others, compared = [*comparable_studies(study, measure_of(study, spec))], ""
    with st.popover("Settings"):
        help = (
            "Credit for two ratings that lie close together: much, less, or none. It holds for Brennan-Prediger, AC "
            "and the kappas."
        )
        weights = choose_value("Weights of near misses", WEIGHTS, key="agreement_weights", help=help)
        if others:
            help = (
                "Each coefficient minus that of another measure or group, paired over the items and raters that both "
                "have."
            )
            compared = choose_one("Compare with", [NOTHING, *others], key="agreement_with", help=help)
    return replace(spec, coefficients=True, weights=weights, compared=compared if compared in others else "")
