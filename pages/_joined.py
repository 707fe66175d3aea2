"""Data sets that say more about the open study's items: metrics, or the contributors of a pyramid.

Which one is joined stands in the address under its reader's key and is never bound to a widget: a bound widget
writes its label there, and a reader's key is what makes a copied address work elsewhere.
"""

import numpy as np
import streamlit as st

from data.dataset import Dataset
from pages._assessments import names
from pages._results import key_of, query, result, store, told_in_words
from pages._study import Study, reader_key
from pages._workspace import current_workspace


def joinable(study: Study, kind: str, parameter: str, built_in: str | None = None) -> dict[str, Dataset]:
    """Reader's key -> data set of this kind with items of the study: the address's choice first, then the
    built-in one, then this workspace's, the newest first."""
    found: dict[str, Dataset] = {}
    with told_in_words():
        for key in (st.query_params.get(parameter), built_in):
            named = store().by_key(key) if key else None
            if named is not None and named.kind == kind:
                found[str(key)] = named
    own = [dataset for dataset in store().datasets(current_workspace()) if dataset.kind == kind]
    found |= {key: dataset for dataset in own if (key := reader_key(dataset)) not in found}
    return {key: dataset for key, dataset in found.items() if _shares_items(study, dataset)}


def choose_joined(
    label: str, offered: dict[str, Dataset], parameter: str, none: str | None = None
) -> Dataset | None:
    """A choice among joinable data sets, kept in the address; with `none` also of none at all."""
    if not offered:
        return None
    named = ({"": none} if none is not None else {}) | {key: each.name for key, each in offered.items()}
    keys = list(named)
    chosen = st.query_params.get(parameter, keys[0])
    key = st.selectbox(
        label,
        keys,
        index=keys.index(chosen) if chosen in keys else 0,
        format_func=named.__getitem__,
        key=f"{parameter} of {chosen}",
        width=300,
    )
    if key != (chosen if chosen in keys else keys[0]):
        st.query_params[parameter] = key
        st.rerun()
    return offered.get(key)


def values_by_item(study: Study, dataset: Dataset, column: str) -> np.ndarray:
    """A numeric column of a joined data set by the study's item codes, NaN where it has no value."""
    rows = query(dataset, "item_numbers", column=column)
    other = query(dataset, "item_names")["name"][rows["item"]]
    value = dict(zip(other.tolist(), rows["value"].tolist(), strict=True))
    return np.array([value.get(name, np.nan) for name in names(study, "item").tolist()])


def _shares_items(study: Study, dataset: Dataset) -> bool:
    def shares() -> bool:
        return bool(np.isin(query(dataset, "item_names")["name"], names(study, "item")).any())

    return result(key_of(study.whole, "shares items", dataset.sha256), shares)
