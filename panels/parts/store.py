"""The one store of this server process, and what pages read from it, shelved by content."""

from typing import Any

import streamlit as st

from analysis.values.ratings import Ratings
from data.dataset import Dataset
from data.store import Store
from panels.parts.shelf import key_of, result

LARGEST_BOOTSTRAP = 5000
"""Items above which intervals are analytic and curves rest on a sample of items (methods: section 0)."""


@st.cache_resource(show_spinner="Opening the database")
def store() -> Store:
    """The one store of this server process, with the built-in studies in it."""
    opened = Store()
    opened.ensure_samples()
    return opened


def query(dataset: Dataset, name: str, **params: Any) -> dict[str, Any]:
    """One of the store's named queries, shelved by content."""
    return result(
        key_of(dataset, f"query {name}", sorted(params.items())),
        lambda: store().query(dataset, name, **params),
    )


def ratings(dataset: Dataset, measure: str, group: str, **selection: Any) -> Ratings:
    """One group's ratings of one measure, in order; `selection` as for the query of that name."""

    def read() -> Ratings:
        rows = store().query(dataset, "ratings", measure=measure, group=group, **selection)
        return Ratings(rows["item"], rows["rater"], rows["score"], rows["order"])

    return result(key_of(dataset, "ratings", measure, group, sorted(selection.items())), read)
