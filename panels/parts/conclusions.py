"""How a page says what follows from a data set: with what looks wrong about it in the same sentence."""

from collections.abc import Mapping

import streamlit as st

from data.dataset import Dataset
from findings.doubts import doubted
from panels.parts.shelf import key_of, result
from panels.parts.store import store
from panels.parts.words import say

_DOUBTS = "doubts about the open data set"


def remember_doubts(dataset: Dataset) -> None:
    """Has all findings of this run carry what looked wrong with the data set when it was imported."""
    st.session_state[_DOUBTS] = result(key_of(dataset, "doubts"), lambda: store().doubts(dataset.id))


def doubts() -> tuple[str, ...]:
    """What looks wrong with the open data set."""
    remembered: tuple[str, ...] = st.session_state.get(_DOUBTS, ())
    return remembered


def conclude_that(template: str, values: Mapping[str, object]) -> None:
    """Says a finding."""
    say(*doubted((template, values), doubts()))
