"""Data sets that say more about the open study's items: metrics, or the contributors of a pyramid.

Which one is joined stands in the address under its reader's key and is never bound to a widget: a bound widget
writes its label there, and a reader's key is what makes a copied address work elsewhere.
"""

import numpy as np
import streamlit as st

from data.dataset import Dataset
from features.assessments import names
from features.results import query
from features.study import Study
from features.words import told_apart
from findings.assessors.contributors import shares_items
from ui.errors import told_in_words
from ui.store import store
from ui.visit import workspace
from ui.visit.study import key_of_own


def joinable(study: Study, kind: str, named: str | None, built_in: str | None = None) -> dict[str, Dataset]:
    """Data sets of this kind with items of the study: the one that an address names first, then the built-in one, both
    by their reader's key, then this workspace's by their ids, the newest first."""
    by_key: dict[str, Dataset] = {}
    with told_in_words():
        for key in (named, built_in):
            dataset = store().by_key(key) if key else None
            if dataset is not None and dataset.kind == kind:
                by_key[str(key)] = dataset
        own = store().datasets(workspace.current_workspace())
    there = {dataset.id for dataset in by_key.values()}
    offered = by_key | {each.id: each for each in own if each.kind == kind and each.id not in there}
    return {key: dataset for key, dataset in offered.items() if shares_items(study, dataset)}


def choose_joined(
    label: str, offered: dict[str, Dataset], parameter: str, none: str | None = None
) -> Dataset | None:
    """A choice among joinable data sets, kept in the address; with `none` also of none at all."""
    if not offered:
        return None
    named = ({"": none} if none is not None else {}) | {key: each.name for key, each in offered.items()}
    keys, labels = list(named), told_apart(named)
    chosen = st.query_params.get(parameter, keys[0])
    key = st.selectbox(
        label,
        keys,
        index=keys.index(chosen) if chosen in keys else 0,
        format_func=labels.__getitem__,
        key=f"{parameter} of {chosen}",
        width=300,
    )
    if keep_in_address(offered, key, parameter):
        st.rerun()
    if key != (chosen if chosen in keys else keys[0]):
        st.query_params[parameter] = key
        st.rerun()
    return offered.get(key)


def keep_in_address(offered: dict[str, Dataset], key: str, parameter: str) -> bool:
    """Puts a table of one's own that is joined under its id into the address, under a reader's key: the same view
    elsewhere needs it. False where it is not one's own and stands there already."""
    if key not in offered or offered[key].id != key:
        return False
    with told_in_words():
        st.query_params[parameter] = key_of_own(key)
    return True


def values_by_item(study: Study, dataset: Dataset, column: str) -> np.ndarray:
    """A numeric column of a joined data set by the study's item codes, NaN where it has no value."""
    rows = query(dataset, "item_numbers", column=column)
    other = query(dataset, "item_names")["name"][rows["item"]]
    value = dict(zip(other.tolist(), rows["value"].tolist(), strict=True))
    return np.array([value.get(name, np.nan) for name in names(study, "item").tolist()])
