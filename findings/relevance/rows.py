"""The judgments that the panels of the Relevance page look at, and a metric's values beside them."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.relevance.full_text import own_full_text
from analysis.relevance.judged_texts import JudgedTexts, MetricTable, judged_texts
from analysis.relevance.judgments import Judgments
from analysis.relevance.metric_correlations import CorrelationSpec, MetricCorrelations, correlations
from features.results import key_of, long_result, result
from features.study import Study
from findings.relevance import judgments
from findings.relevance.surrogates import LDC, PREDICTION, Surrogates


@dataclass(frozen=True, eq=False)
class Rows:
    """The main study: judgments without order label wherever there are such; `apart` counts the others."""

    judged: Judgments
    apart: int
    surrogates: Surrogates
    events: tuple[str, ...]

    @property
    def full_text(self) -> int:
        """The code of the surrogate that is the document itself, -1 where there is none."""
        return self.surrogates.full_text

    def truth(self, side: str) -> NDArray[np.float64]:
        """Gold, or what each judgment's rater said of the full text of the document."""
        return self.judged.gold if side == LDC else own_full_text(self.judged, self.full_text)


def main_rows(study: Study, full_text: int) -> Rows:
    """The rows of the main analyses, where the surrogate of that code is the document itself."""
    of_all = judgments.judgments(study)
    labelled = of_all.order_label >= 0
    kept = ~labelled if not labelled.all() else np.ones(len(of_all), dtype=np.bool_)
    judged = result(key_of(study.dataset, "judgments without order label"), lambda: of_all.where(kept))
    codes = np.unique(judged.surrogate).tolist()
    surrogates = Surrogates(
        tuple(judgments.names(study, "surrogate").tolist()),
        full_text,
        tuple(code for code in codes if code != full_text),
        has_full_text=full_text in codes,
        has_gold=bool((~np.isnan(judged.gold)).any()),
        has_seconds=bool((~np.isnan(judged.seconds)).any()),
    )
    events = tuple(judgments.names(study, "event").tolist())
    return Rows(judged, len(of_all) - len(judged), surrogates, events)


def metric_table(study: Study, metric: str) -> MetricTable:
    return result(
        key_of(study.dataset, "metric", metric),
        lambda: MetricTable(**judgments.metric_values(study, metric)),
    )


def correlated(
    study: Study, rows: Rows, metric: str, side: str, spec: CorrelationSpec
) -> MetricCorrelations | None:
    """How a metric goes with how well people judge, at one level; None while stopped."""
    return long_result(
        key_of(study.dataset, "metric correlations", rows.full_text, metric, side, spec),
        "Permutations",
        partial(correlations, texts(study, rows, metric, side), spec),
    )


def texts(study: Study, rows: Rows, metric: str, side: str) -> JudgedTexts:
    """The texts' metric values and what raters made of them; surrogates and events by their codes.

    The full text has no part where it is what the others are held against.
    """

    def compute() -> JudgedTexts:
        apart = rows.full_text if side == PREDICTION else -1
        kept = rows.judged.surrogate != apart
        return judged_texts(
            rows.judged.where(kept), rows.truth(side)[kept], metric_table(study, metric).without(apart)
        )

    return result(key_of(study.dataset, "judged texts", rows.full_text, metric, side), compute)
