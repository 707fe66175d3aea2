"""The picture of Agreement: what one rating and the mean of an item's ratings are worth, per measure and group."""

from collections.abc import Callable, Sequence

import streamlit as st

from features.plotting.figure import Figure
from features.study import Study
from findings.agreement import by_group
from findings.agreement.pictures import alpha_figure, both_figures
from findings.agreement.summary import Agreed, anything, finding
from ui.conclusions import show_finding
from ui.pictures import draw, look

ALPHA = "Krippendorff's alpha per measure and group"


def show(study: Study, agreed: Sequence[Agreed]) -> Callable[[], Figure]:
    """Draws both figures of each measure and group, and returns what draws that of single ratings for the download."""
    alphas, means = both_figures(study, agreed, look())
    left, right = st.columns(2)
    draw(left, alphas, key="agreement_alpha", alt=ALPHA)
    draw(right, means, key="agreement_mean", alt="Reliability of an item's mean per measure and group")
    return lambda: alpha_figure(study, agreed, look())


def show_at_a_glance(study: Study) -> None:
    """The finding, and alpha per measure and group."""
    agreed = by_group.at_a_glance(study)
    if agreed is None:
        return
    show_finding(finding(study, agreed))
    if anything(agreed):
        draw(
            st,
            alpha_figure(study, agreed, look()),
            key="overview_agreement",
            alt=ALPHA,
        )
