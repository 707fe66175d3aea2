"""Which kept views go into the report: chosen beside the views on any page, and on the Report page.

The session holds what the Report page's control does, also while another page is on show: it comes back with the
control, and into the address.
"""

import streamlit as st

from data.dataset import Dataset
from data.store.kept import KeptView
from features.words import told_apart
from ui.store import store
from ui.visit import workspace

PATH = "report"
_CHOSEN = "report_views"


def chosen(dataset: Dataset) -> set[str]:
    """The ids of the views that go into the report."""
    before = st.session_state.get(_CHOSEN, ())
    return {view.id for label, view in _offered(dataset).items() if label in before}


def turn(dataset: Dataset, id: str) -> None:
    """Puts a kept view into the report, or takes it out; for a button's callback."""
    before = st.session_state.get(_CHOSEN, [])
    (label,) = [label for label, view in _offered(dataset).items() if view.id == id]
    st.session_state[_CHOSEN] = (
        [one for one in before if one != label] if label in before else [*before, label]
    )


def choose(dataset: Dataset) -> list[KeptView]:
    """Draws the choice among the views that whoever is looking may see."""
    offered = _offered(dataset)
    if not offered:
        return []
    before = st.session_state.get(_CHOSEN, [])
    if not set(before) <= set(offered):  # removed since, or of another data set
        st.session_state[_CHOSEN] = [label for label in before if label in offered]
    labels = st.multiselect(
        "Views",
        list(offered),
        key="report_views",
        bind="query-params",
        placeholder="None",
        help="Each becomes a section: its name and note, its settings, and what its page finds under them.",
    )
    return [offered[label] for label in labels]


def _offered(dataset: Dataset) -> dict[str, KeptView]:
    """The views by what the control calls them: a reader, who sees the shared ones only, finds the same names."""
    if dataset.workspace is None:
        return {}
    kept = store().views(dataset.id, shared_only=not workspace.owns(dataset.id))
    labels = told_apart({view.id: view.name for view in sorted(kept, key=lambda view: not view.shared)})
    return {labels[view.id]: view for view in kept}
