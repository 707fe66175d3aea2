"""The controls of Crowd vs lab: which picture, which tail, how many draws."""

from dataclasses import dataclass

import streamlit as st

from analysis.comparison.comparison import ComparisonSpec
from analysis.values.estimate import BootstrapSpec
from analysis.values.p_values import Alternative
from features.plotting.panels import MOST
from features.rater_agreement import fewest_raters
from features.study import Study
from ui.controls import choose_scope, measures_on_show
from ui.sampling_controls import draws_control, seed_control

SCATTER, DIFFERENCES = "Scatter", "Differences"
TAILS: dict[str, Alternative] = {
    "differs either way": "two-sided",
    "candidate lower": "less",
    "candidate higher": "greater",
}
"""The alternatives of a test by plain words."""


@dataclass(frozen=True)
class Settings:
    """What is asked for: the picture, the measures on it, and how intervals and tests are made."""

    picture: str
    measures: tuple[str, ...]
    spec: ComparisonSpec


def settings(study: Study) -> Settings:
    """Draws the controls and returns what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picture = st.segmented_control(
            "Picture",
            [SCATTER, DIFFERENCES],
            default=SCATTER,
            required=True,
            key="picture",
            bind="query-params",
            help="Scatter: do items keep their order? Differences (Bland-Altman): where on the scale do the "
            "groups part, and by how much?",
        )
        tail = st.selectbox(
            "A difference counts when the candidate",
            list(TAILS),
            key="tail",
            bind="query-params",
            width=260,
            help="The tail of the tests. Either way (two-sided) is right unless one direction was foretold.",
        )
        raters = fewest_raters(study, study.candidate, study.reference)
        scope = choose_scope(raters, study.raters_are_persons)
        shown = measures_on_show(study.measures, MOST)
        with st.popover("More"):
            draws = draws_control()
            permutations = st.number_input(
                "Exchanges of raters' labels",
                99,
                20_000,
                1999,
                100,
                key="permutations",
                bind="query-params",
                help="Where every rater rated every item. All ways to label the raters where they are fewer than this.",
            )
            margin = st.number_input(
                "Margin of equality, in scale points",
                0.0,
                None,
                0.0,
                0.05,
                key="margin",
                bind="query-params",
                help="Levels closer than this count as equal. 0: a quarter of the SD of single reference ratings.",
            )
            seed = seed_control()
    spec = ComparisonSpec(
        alternative=TAILS[tail],
        bootstrap=BootstrapSpec(draws, seed),
        permutations=int(permutations),
        raters_are_persons=study.raters_are_persons,
        margin=float(margin) or None,
        scope=scope,
    )
    return Settings(picture, tuple(shown), spec)
