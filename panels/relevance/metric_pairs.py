"""Metrics against each other on the accuracy of the same judgments, as on Assessors."""

import streamlit as st

from analysis.relevance.metric_pairs import compare_metrics_of_texts
from analysis.values.estimate import BootstrapSpec
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.results import key_of, long_result
from features.study import Study
from findings.relevance import judgments
from findings.relevance.rows import Rows, texts
from ui.conclusions import show_finding
from ui.metrics_compared import metrics_compared
from ui.stages import conclude

ACCURACY, SURROGATES = "Accuracy", "surrogates"


def show(study: Study, rows: Rows, side: str, keep_full_text: bool) -> list[str]:
    """Which metrics, the finding, a row per pair, and what the columns do not say; the metrics, as far as compared."""
    offered = judgments.metrics(study)
    st.header("Which metric goes better with accuracy")
    names = metrics_compared("relevance_metrics_compared", offered, "texts for which both are known")
    if not names:
        return []
    spec = BootstrapSpec()
    apart = None if keep_full_text else rows.full_text
    pairs = long_result(
        key_of(
            study.dataset, "metrics of texts compared", rows.full_text, tuple(names), side, keep_full_text
        ),
        "Comparison of metrics",
        lambda on_progress: compare_metrics_of_texts(
            {name: texts(study, rows, name, side).of_others(apart) for name in names},
            bootstrap=spec,
            on_progress=on_progress,
        ),
    )
    if pairs is None:
        return []
    by_measure = {ACCURACY: pairs}
    show_finding(pair_finding(by_measure, "Pearson's r", SURROGATES))
    table = pairs_table(by_measure)
    conclude(
        "relevance_metric_pairs",
        [((table.frame, table.formats), "Pairs of metrics: difference of their correlations with accuracy")],
        first=table.columns_at_first_sight,
        notes=[pair_note(SURROGATES, spec, len(pairs)).text],
        remarks=[one.text for one in pair_warnings(by_measure, SURROGATES)],
    )
    return names
