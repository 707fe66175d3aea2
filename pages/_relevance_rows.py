"""The judgments that the panels of the Relevance page look at, and what is known beside them."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.estimate import BootstrapSpec
from pages import _judgments
from pages._judgments import Judgments
from pages._results import key_of, result
from pages._study import Study


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
    def summaries(self) -> list[int]:
        """Codes of the surrogates that occur and are not the full text."""
        return [int(code) for code in np.unique(self.judged.surrogate) if code != self.full_text]

    @property
    def full_text_name(self) -> str:
        return str(self.surrogates[self.full_text]) if self.full_text >= 0 else "the full text"

    @property
    def columns(self) -> dict[str, Any]:
        """The arguments that functions of `analysis.relevance` share."""
        of = self.judged
        return {
            "rater": of.rater,
            "event": of.event,
            "document": of.document,
            "surrogate": of.surrogate,
            "judgment": of.judgment,
            "order": of.order,
            "surrogates": len(self.surrogates),
        }

    @property
    def held_against(self) -> dict[str, Any]:
        """What judgments are held against, and times, for the same functions; None for what nobody knows."""
        return {
            "full_text": self.full_text,
            "gold": self.judged.gold if self.has_gold else None,
            "seconds": self.judged.seconds if self.has_seconds else None,
            "session": self.judged.session if (self.judged.session >= 0).any() else None,
        }


def main_rows(study: Study) -> Rows:
    """The rows of the main analyses; draws the sidebar's choice of the full text, so once per run."""
    of_all = _judgments.judgments(study)
    full_text = _judgments.full_text(study)
    labelled = of_all.order_label >= 0
    kept = ~labelled if not labelled.all() else np.ones(len(of_all), dtype=np.bool_)
    names = (_judgments.names(study, what) for what in ("surrogate", "event", "rater"))
    return Rows(
        result(key_of(study.dataset, "judgments without order label"), lambda: _where(of_all, kept)),
        full_text,
        int((~kept).sum()),
        *names,
    )


def _where(of: Judgments, kept: NDArray[np.bool_]) -> Judgments:
    return Judgments(**{field.name: getattr(of, field.name)[kept] for field in fields(of)})


def interval_controls() -> BootstrapSpec:
    """Draws and seed of the intervals, the same on every panel."""
    with st.popover("More"):
        draws = st.number_input(
            "Draws per interval", 100, 20_000, 1000, 100, key="relevance_draws", bind="query-params"
        )
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key="relevance_seed", bind="query-params")
    return BootstrapSpec(int(draws), int(seed))
