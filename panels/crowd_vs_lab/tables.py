"""The tables of Crowd vs lab: agreement and level per measure, and verdicts that hang on the choice of test."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.crowd_vs_lab.comparison import Comparison
from findings.crowd_vs_lab.agreement import few_raters, how_tested, remarks
from findings.crowd_vs_lab.tables import (
    agreement_table,
    equality_table,
    full_table,
    level_table,
    verdict_table,
)
from findings.study import Study
from panels.parts.tables import show_table
from panels.parts.words import note, warn


def show(study: Study, compared: Sequence[Comparison]) -> pd.DataFrame:
    """Shows the tables with what they rest on, and returns every figure for the download."""
    table = full_table(compared, study.measures)
    show_table(*agreement_table(table), alt="Correlations and distance per measure")
    if (level := level_table(table)) is not None:
        show_table(*level, alt="Difference of level and tests per measure")
        for remark in few_raters(study, compared):
            warn(*remark)
    if (equality := equality_table(table)) is not None:
        show_table(*equality, alt="Equivalence and limits of agreement per measure")
    note(*how_tested(compared))
    for remark in remarks(study, compared):
        warn(*remark)
    turned = verdict_table(study, compared)
    if turned is not None:
        st.subheader("Verdicts that hang on the choice of test")
        show_table(*turned, alt="Tests and tails that would turn the verdict")
    return table
