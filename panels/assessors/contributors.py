"""The pyramid that belongs to the open study, as a visitor finds it.

Contributors are a data set of their own: the sample's beside the sample, else one of this workspace (or the one
that the address names under `pyramid`, by its reader's key) that speaks of the same items.
"""

import streamlit as st

from analysis.assessors.pyramid import PyramidScores
from data.dataset import Dataset
from features.results import long_result
from features.study import Study
from findings.assessors.contributors import SAMPLE_PYRAMIDS, scores_key
from findings.assessors.contributors import scores as both_scores
from panels.assessors.joined_datasets import joinable, keep_in_address
from ui.errors import told_in_words

PARAMETER = "pyramid"


def offered(study: Study, named: str | None = None) -> dict[str, Dataset]:
    """Data sets of contributors that speak of the study's items (see `joinable`); first the one whose key is `named`,
    or that the address of this page names."""
    key = st.query_params.get(PARAMETER) if named is None else named
    return joinable(study, "contributors", key, SAMPLE_PYRAMIDS.get(study.key))


def contributors_of(study: Study, named: str | None = None) -> Dataset | None:
    """The contributors in use; None where there are none, or no texts to look for them in."""
    if not study.whole.has("text"):
        return None
    return next(iter(offered(study, named).values()), None)


def keep_contributors_in_address(study: Study) -> None:
    """Puts the contributors in use into the address: the same view elsewhere needs them."""
    joined = offered(study)
    keep_in_address(joined, next(iter(joined)), PARAMETER)


def scores(study: Study, contributors: Dataset) -> PyramidScores | None:
    """Both scores of every summary; None while stopped."""
    with told_in_words():
        return long_result(
            scores_key(study, contributors),
            "Looking for contributors in the texts",
            lambda on_progress: both_scores(study, contributors, on_progress),
        )
