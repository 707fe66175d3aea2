"""What a ranking is made from: the measure, how scores are made, and how chance is drawn."""

import streamlit as st

from analysis.assessors.exclusion import ExclusionSpec
from features.study import Scenario, Study
from features.systems.scores_results import count_raters
from ui.controls import choose_scope
from ui.ranking_controls import choose_method
from ui.sampling_controls import draws_control, seed_control


def choose_spec(study: Study, measure: str, scenario: Scenario) -> ExclusionSpec:
    """Draw the scope, and under More how scores are made and chance is drawn."""
    scope = choose_scope(count_raters(study, measure, scenario), study.raters_are_persons)
    with st.popover("More"):
        method = choose_method()
        draws = draws_control()
        random = st.number_input(
            "Random exclusions", 20, 5000, 200, 20, key="random", bind="query-params",
            help="How often equally many raters are left out at random, to hold this exclusion against.",
        )  # fmt: skip
        seed = seed_control()
    return ExclusionSpec(method, int(random), draws, seed, scope=scope)
