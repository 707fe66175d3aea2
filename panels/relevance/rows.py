"""The judgments that the panels of the Relevance page look at, and what is known beside them."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.relevance import judged_texts
from analysis.relevance.full_text import own_full_text
from analysis.relevance.judged_texts import JudgedTexts, MetricTable
from analysis.relevance.judgments import Judgments
from analysis.values.estimate import BootstrapSpec
from findings.study import Study
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of, result
from panels.relevance import judgments

LDC, PREDICTION = "LDC Agreement", "Relevance Prediction"


@dataclass(frozen=True, eq=False)
class Rows:
    """The main study: judgments without order label wherever there are such; `apart` counts the others.

    `full_text` is the code of the surrogate that is the document itself, -1 where there is none. Names stand at
    their codes' places.
    """

    judged: Judgments
    full_text: int
    apart: int
    surrogates: NDArray[np.str_]
    events: NDArray[np.str_]
    raters: NDArray[np.str_]

    @property
    def has_gold(self) -> bool:
        return bool((~np.isnan(self.judged.gold)).any())

    @property
    def has_seconds(self) -> bool:
        return bool((~np.isnan(self.judged.seconds)).any())

    @property
    def has_full_text(self) -> bool:
        return bool((self.judged.surrogate == self.full_text).any())

    @property
    def sides(self) -> list[str]:
        """What judgments can be held against: the own full text first, then gold."""
        there = {PREDICTION: self.has_full_text and bool(self.summaries), LDC: self.has_gold}
        return [name for name, is_there in there.items() if is_there]

    @property
    def summaries(self) -> list[int]:
        """Codes of the surrogates that occur and are not the full text."""
        return [int(code) for code in np.unique(self.judged.surrogate) if code != self.full_text]

    @property
    def full_text_name(self) -> str:
        return str(self.surrogates[self.full_text]) if self.full_text >= 0 else "the full text"

    def truth(self, side: str) -> NDArray[np.float64]:
        """Gold, or what each judgment's rater said of the full text of the document."""
        if side == LDC:
            return self.judged.gold
        return own_full_text(self.judged, self.full_text)


def main_rows(study: Study) -> Rows:
    """The rows of the main analyses; draws the sidebar's choice of the full text, so once per run."""
    of_all = judgments.judgments(study)
    full_text = judgments.full_text(study)
    labelled = of_all.order_label >= 0
    kept = ~labelled if not labelled.all() else np.ones(len(of_all), dtype=np.bool_)
    names = (judgments.names(study, what) for what in ("surrogate", "event", "rater"))
    return Rows(
        result(key_of(study.dataset, "judgments without order label"), lambda: of_all.where(kept)),
        full_text,
        int((~kept).sum()),
        *names,
    )


def interval_controls() -> BootstrapSpec:
    """Draws and seed of the intervals, the same on every panel."""
    with st.popover("More"):
        draws = draws_control("relevance_draws")
        seed = seed_control("relevance_seed")
    return BootstrapSpec(draws, seed)


def side_control(rows: Rows) -> str:
    """Which agreement a panel looks at, where both are there; "" where none is."""
    if len(rows.sides) < 2:
        return rows.sides[0] if rows.sides else ""
    return st.segmented_control(
        "Agreement",
        rows.sides,
        default=rows.sides[0],
        required=True,
        key="agreement",
        bind="query-params",
        help="Relevance Prediction holds a judgment against what the same rater said of the full text, LDC Agreement "
        "against gold.",
    )


def nothing_to_correlate(study: Study, rows: Rows) -> str:
    """What would open the panels on metrics; "" where they are open."""
    if not judgments.metrics(study):
        return (
            "There is no metric. A numeric column of the surrogates, such as <b>ROUGE-1</b>, one value per document "
            "and surrogate, would open this panel."
        )
    if not rows.summaries:
        return "There is only the full text, whose length alone gives it a high metric, and no summary beside it."
    if not rows.sides:
        return (
            "There is nothing to hold judgments against: a column <b>gold</b>, or judgments of the <b>full text</b> "
            "by the same raters, would open this panel."
        )
    return ""


def metric_control(study: Study) -> str:
    return st.selectbox(
        "Metric", list(judgments.metrics(study)), key="metric", bind="query-params", width=200
    )


def metric_table(study: Study, metric: str) -> MetricTable:
    return result(
        key_of(study.dataset, "metric", metric),
        lambda: MetricTable(**judgments.metric_values(study, metric)),
    )


def texts(study: Study, rows: Rows, metric: str, side: str) -> JudgedTexts:
    """The texts' metric values and what raters made of them; surrogates and events by their codes.

    The full text has no part where it is what the others are held against.
    """

    def compute() -> JudgedTexts:
        of, values = rows.judged, metric_table(study, metric)
        apart = rows.full_text if side == PREDICTION else -1
        kept, known = of.surrogate != apart, np.asarray(values.surrogate) != apart
        return judged_texts.judged_texts(
            of.where(kept),
            rows.truth(side)[kept],
            MetricTable(**{name: column[known] for name, column in vars(values).items()}),
        )

    return result(key_of(study.dataset, "judged texts", rows.full_text, metric, side), compute)
