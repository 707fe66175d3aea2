"""Views that are kept, and views that a report shows."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from data.dataset import Dataset
from data.errors import DataError
from data.store.kept import KeptView
from data.store.links import LONGEST_NAME
from features.words import told_apart
from ui.downloads import KEYS
from ui.store import store
from ui.visit import workspace
from ui.visit.address import address_of_view, base_of, view_at
from ui.words import fail, note, say, tell

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
    """Draw the choice among the views that whoever is looking may see."""
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


SEEN_BY = {"me alone": False, "whoever has a link to the data set": True}
"""Who sees a view and its note, and whether it is shared then."""
KEPT, CHANGED, FAILED = "views kept", "view that is changed", "view failed"
"""What the session remembers: how many views were kept, which one is being changed, and what went wrong."""


def show(path: str, dataset: Dataset) -> None:
    """The kept views of the data set; to its owner with a form that keeps the one on show, at `path`."""
    owned = workspace.owns(dataset.id)
    if owned:
        with st.container(border=True):
            _new(path, dataset)
    failed = st.session_state.pop(FAILED, None)
    if failed is not None:
        fail(failed)
    try:
        kept = store().views(dataset.id, shared_only=not owned)
    except DataError as error:
        tell(error)
        return
    if not kept and not owned:
        note("No view of this data set is shared with its readers.")
    for view in kept:
        with st.container(border=True, gap="small"):
            if owned and st.session_state.get(CHANGED) == view.id:
                _form(dataset.id, view)
            else:
                _one(path, dataset, view, owned)


def _new(path: str, dataset: Dataset) -> None:
    note("Keep this view: the page, and every control as it stands. In the report it is a section.")
    if any(parameter in st.query_params for parameter in KEYS[1:]):
        note("It opens the table that is joined here, too.")
    keys = f"new {st.session_state.get(KEPT, 0)}"
    _fields(keys)
    on_report = path == PATH  # which has a control for what it holds
    with st.container(horizontal=True):
        for label, reported in (("Keep this view", False), ("Add this view to the report", True)):
            if not (reported and on_report):
                args = (keys, dataset, view_at(path), reported)
                st.button(label, key=label.lower(), on_click=_keep, args=args)


def _fields(keys: str, view: KeptView | None = None) -> None:
    st.text_input("Name", view.name if view else "", max_chars=LONGEST_NAME, key=f"view name {keys}")
    st.text_area(
        "Note", view.note if view else "", max_chars=store().settings.note, key=f"view note {keys}", height=80
    )
    st.selectbox("Seen by", list(SEEN_BY), int(view.shared) if view else 0, key=f"view seen by {keys}")


def _one(path: str, dataset: Dataset, view: KeptView, owned: bool) -> None:
    address = address_of_view(base_of(path), view.view, st.session_state["d"])
    say(
        '<a href="{address}" target="_self" style="color:inherit">{name}</a>', address=address, name=view.name
    )
    for line in view.note.splitlines():
        note("{line}", line=line)
    if path != PATH:
        st.button(
            "Take out of the report" if view.id in chosen(dataset) else "Add to the report",
            key=f"report view {view.id}",
            on_click=turn,
            args=(dataset, view.id),
        )
    if not owned:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            note("Seen by {who}", who=next(who for who, shared in SEEN_BY.items() if shared == view.shared))
        st.button("Change", key=f"change view {view.id}", on_click=_ask, args=(view.id,))
        st.button("Remove", key=f"remove view {view.id}", on_click=_remove, args=(dataset.id, view.id))


def _form(id: str, view: KeptView) -> None:
    _fields(view.id, view)
    with st.container(horizontal=True):
        st.button("Save", key=f"save view {view.id}", type="primary", on_click=_change, args=(id, view.id))
        st.button("As it was", key=f"leave view {view.id}", on_click=_ask, args=(None,))


def _typed(keys: str) -> tuple[str, str, bool]:
    given = st.session_state
    return given[f"view name {keys}"], given[f"view note {keys}"], SEEN_BY[given[f"view seen by {keys}"]]


def _keep(keys: str, dataset: Dataset, view: str, reported: bool) -> None:
    name, noted, shared = _typed(keys)
    with _failing_in_words():
        workspace.owned(dataset.id)
        kept = store().keep_view(dataset.id, name, view, noted, shared)
        if reported:
            turn(dataset, kept.id)
        st.session_state[KEPT] = st.session_state.get(KEPT, 0) + 1  # so that the form is empty again


def _change(id: str, view: str) -> None:
    name, noted, shared = _typed(view)
    with _failing_in_words():
        workspace.owned(id)
        store().change_view(id, view, name, noted, shared)
        _ask(None)


def _remove(id: str, view: str) -> None:
    with _failing_in_words():
        workspace.owned(id)
        store().forget_view(id, view)


def _ask(view: str | None) -> None:
    st.session_state[CHANGED] = view


@contextmanager
def _failing_in_words() -> Iterator[None]:
    """Return what went wrong in a callback is told when the list is drawn again."""
    try:
        yield
    except DataError as error:
        st.session_state[FAILED] = error.for_visitors()
