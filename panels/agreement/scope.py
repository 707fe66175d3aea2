"""Control of the scope of intervals: these raters, or raters like these."""

import streamlit as st

from analysis.values.scope import SCOPES, Scope, default_scope
from features.results import query
from features.study import Study


def choose_scope(study: Study) -> Scope | None:
    """Draw the choice of whom intervals hold for; None where rater ids are slots, about whose like nothing is known."""
    if not study.raters_are_persons:
        return None
    cells = query(study.between_raters.dataset, "cells")
    here = (cells["group"] == study.candidate) & [name in study.measures for name in cells["measure"]]
    raters = int(cells["raters"][here].min()) if here.any() else 0
    return st.segmented_control(
        "Generalize to",
        list(SCOPES),
        default=default_scope(raters),
        required=True,
        key="generalize",
        bind="query-params",
        help="These raters: intervals hold for other items. Raters like these: for other items and other raters, too.",
    )
