"""The title row of every page: the title, the views kept of the data set, this view's address, and named links.

The row is a fragment, and a popover is filled only once it is open: opening it does not run the page again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import streamlit as st

from data.dataset import Dataset
from data.errors import DataError
from data.store.catalogue import MAX_NAME_LENGTH, Link
from data.store.kept_views import KeptView
from features.study import use_session
from features.words import distinct_names
from ui.downloads import KEYS
from ui.elements import (
    PAGE,
    show_error,
    show_exception,
    show_note,
    show_sentence,
    show_user_errors,
    show_warning,
    store,
)
from ui.visit import workspace
from ui.visit.study import address_of, address_of_view, base_of, show_dataset, values_in_address, view_at

T = TypeVar("T")
PATH = "report"
_CHOSEN = "report_views"


def choose_views(dataset: Dataset) -> list[KeptView]:
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
    """Return the views by their labels, which are the same for readers, who see the shared ones only."""
    if dataset.workspace is None:
        return {}
    kept = store().views(dataset.id, shared_only=not workspace.owns(dataset.id))
    labels = distinct_names({view.id: view.name for view in sorted(kept, key=lambda view: not view.shared)})
    return {labels[view.id]: view for view in kept}


SEEN_BY = {"me alone": False, "whoever has a link to the data set": True}
"""Choices of who sees a view and its note, and whether it is shared then."""
VIEWS_KEPT, VIEW_CHANGED, VIEW_FAILED = "views kept", "view that is changed", "view failed"
"""Keys of the session: the number of views kept, which empties the form, the one being changed, and an error."""


def show_views(path: str, dataset: Dataset) -> None:
    """Show the kept views of the data set, to its owner with a form that keeps the one at `path`."""
    owned = workspace.owns(dataset.id)
    if owned:
        with st.container(border=True):
            _new(path, dataset)
    kept = _listed(VIEW_FAILED, lambda: store().views(dataset.id, shared_only=not owned))
    if kept == [] and not owned:
        show_note("No view of this data set is shared with its readers.")
    for view in kept or ():
        with st.container(border=True, gap="small"):
            if owned and st.session_state.get(VIEW_CHANGED) == view.id:
                _form(dataset.id, view)
            else:
                _show_view(path, dataset, view, owned)


def _new(path: str, dataset: Dataset) -> None:
    show_note("Keep this view: the page, and every control as it stands. In the report it is a section.")
    _note_joined()
    keys = f"new {st.session_state.get(VIEWS_KEPT, 0)}"
    _fields(keys)
    on_report = path == PATH  # which has a control for what it holds
    with st.container(horizontal=True):
        for label, reported in (("Keep this view", False), ("Add this view to the report", True)):
            if not (reported and on_report):
                args = (keys, dataset, view_at(path), reported)
                st.button(label, key=label.lower(), on_click=_keep, args=args)


def _fields(keys: str, view: KeptView | None = None) -> None:
    st.text_input("Name", view.name if view else "", max_chars=MAX_NAME_LENGTH, key=f"view name {keys}")
    st.text_area(
        "Note", view.note if view else "", max_chars=store().settings.note, key=f"view note {keys}", height=80
    )
    st.selectbox("Seen by", list(SEEN_BY), int(view.shared) if view else 0, key=f"view seen by {keys}")


def _show_view(path: str, dataset: Dataset, view: KeptView, owned: bool) -> None:
    address = address_of_view(base_of(path), view.view, st.session_state["d"])
    show_sentence(
        '<a href="{address}" target="_self" style="color:inherit">{name}</a>', address=address, name=view.name
    )
    for line in view.note.splitlines():
        show_note("{line}", line=line)
    if not owned:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            show_note(
                "Seen by {who}", who=next(who for who, shared in SEEN_BY.items() if shared == view.shared)
            )
        st.button("Change", key=f"change view {view.id}", on_click=_ask, args=(VIEW_CHANGED, view.id))
        st.button("Remove", key=f"remove view {view.id}", on_click=_remove, args=(dataset.id, view.id))


def _form(id: str, view: KeptView) -> None:
    _fields(view.id, view)
    with st.container(horizontal=True):
        st.button("Save", key=f"save view {view.id}", type="primary", on_click=_change, args=(id, view.id))
        st.button("As it was", key=f"leave view {view.id}", on_click=_ask, args=(VIEW_CHANGED, None))


def _typed(keys: str) -> tuple[str, str, bool]:
    given = st.session_state
    return given[f"view name {keys}"], given[f"view note {keys}"], SEEN_BY[given[f"view seen by {keys}"]]


def _keep(keys: str, dataset: Dataset, view: str, reported: bool) -> None:
    name, noted, shared = _typed(keys)
    with _keep_failure(VIEW_FAILED):
        workspace.owned(dataset.id)
        kept = store().keep_view(dataset.id, name, view, noted, shared)
        if reported:
            label = next(label for label, view in _offered(dataset).items() if view.id == kept.id)
            st.session_state[_CHOSEN] = [*st.session_state.get(_CHOSEN, []), label]
        st.session_state[VIEWS_KEPT] = st.session_state.get(VIEWS_KEPT, 0) + 1


def _change(id: str, view: str) -> None:
    name, noted, shared = _typed(view)
    with _keep_failure(VIEW_FAILED):
        workspace.owned(id)
        store().change_view(id, view, name, noted, shared)
        _ask(VIEW_CHANGED, None)


def _remove(id: str, view: str) -> None:
    with _keep_failure(VIEW_FAILED):
        workspace.owned(id)
        store().forget_view(id, view)


EXPIRIES = {"never": None, "in 1 day": 1, "in 7 days": 7, "in 30 days": 30, "in 90 days": 90}
"""Days until a link ends, by what the control offers."""
WIDTH = 440
OWN_ADDRESS = "The address in your browser"
MADE, ASKED, FAILED = "links made", "revoke this link", "link failed"
"""Keys of the session: the number of links made, which empties the form, the one asked about, and an error."""


def share(title: str, path: str, dataset: Dataset | None) -> None:
    """Draw the title row of the page at `path` ("" for the first page); without a data set, the title alone."""
    if dataset is None:
        st.title(title)
    else:
        _title_and_popover(title, path, dataset)


def links(where: str, id: str, base: str, view: str = "") -> None:
    """List the links of one's own data set, with a form for another one that opens `view`; `where` begins the keys."""
    with st.container(border=True):
        _new_link(where, id, view)
    for link in _listed(FAILED, lambda: store().links(id)) or ():
        with st.container(border=True, gap="small"):
            _show_link(where, id, link, base)


def format_moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


@st.fragment
@use_session(PAGE)
def _title_and_popover(title: str, path: str, dataset: Dataset) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.title(title, width="stretch", anchor=False)
        views = st.popover("Views", key="kept views", on_change="rerun") if dataset.workspace else None
        popover = st.popover("Share", key="share this view", on_change="rerun")
    if views is not None and views.open:
        _rerun_if_revoked(dataset)
        with views, st.container(width=WIDTH):
            show_views(path, dataset)
    if popover.open:
        _rerun_if_revoked(dataset)
        with popover, st.container(width=WIDTH):
            _contents(path, dataset)


def _rerun_if_revoked(dataset: Dataset) -> None:
    """Run the page again if its address was revoked meanwhile."""
    with show_user_errors():
        opened = store().by_key(st.session_state["d"])
    if opened is None or opened.id != dataset.id:
        st.rerun()


def _contents(path: str, dataset: Dataset) -> None:
    base = base_of(path)
    show_note("This view: the page, and every control as it stands.")
    st.code(address_of(base, path, values_in_address()), language=None, wrap_lines=True)
    show_note(
        "Whoever has this address can look and move every control, but cannot change, list or delete anything."
    )
    _note_joined()
    if workspace.owns(dataset.id):
        show_sentence("<b>Named links</b>")
        show_note("One for each reader or group, so that each can end or be revoked without the others.")
        links("share", dataset.id, base, view_at(path))


def _note_joined() -> None:
    """Say that the view holds a joined table, whose key is in the address."""
    if any(parameter in st.query_params for parameter in KEYS[1:]):
        show_note("It opens the table that is joined here, too.")


def _new_link(where: str, id: str, view: str) -> None:
    keys = f"{where} {st.session_state.get(MADE, 0)}"
    st.text_input("Name", max_chars=120, placeholder="for whom it is", key=f"name {keys}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Ends", list(EXPIRIES), key=f"ends {keys}", width=140)
        st.button("Make a link", key=f"make {where}", on_click=_make, args=(keys, id, view))


def _make(keys: str, id: str, view: str) -> None:
    chosen = st.session_state
    days = EXPIRIES[chosen[f"ends {keys}"]]
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    with _keep_failure(FAILED):
        workspace.owned(id)
        store().add_link(id, chosen[f"name {keys}"].strip(), view, expires)
        chosen[MADE] = chosen.get(MADE, 0) + 1


def _show_link(where: str, id: str, link: Link, base: str) -> None:
    keys = f"{where} {link.key}"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            st.text(link.name or OWN_ADDRESS)
            ends = f"ends {format_moment(link.expires)}" if link.expires else "never ends"
            show_note("Made {made}, {ends}", made=format_moment(link.created), ends=ends)
        st.button("Revoke", key=f"revoke {keys}", on_click=_ask, args=(ASKED, link.key))
        st.button(
            "Renew",
            key=f"renew {keys}",
            help="A new address under the same name; the old one leads nowhere from then on.",
            on_click=_renew,
            args=(id, link.key),
        )
    if st.session_state.get(ASKED) == link.key:
        show_warning("Whoever has this address finds nothing there any more. This cannot be undone.")
        with st.container(horizontal=True):
            st.button(
                "Revoke it", key=f"revoke it {keys}", type="primary", on_click=_revoke, args=(id, link.key)
            )
            st.button("Keep", key=f"keep {keys}", on_click=_ask, args=(ASKED, None))
    st.code(address_of_view(base, link.view, link.key), language=None, wrap_lines=True)


def _ask(place: str, id: str | None) -> None:
    st.session_state[place] = id


def _revoke(id: str, key: str) -> None:
    with _keep_failure(FAILED):
        workspace.owned(id)
        store().revoke_link(id, key)
        _ask(ASKED, None)
        if st.query_params.get("d") == key:
            show_dataset(store().link(id))


def _renew(id: str, key: str) -> None:
    with _keep_failure(FAILED):
        workspace.owned(id)
        new = store().renew_link(id, key).key
        if st.query_params.get("d") == key:
            show_dataset(new)


def _listed(failed: str, read: Callable[[], list[T]]) -> list[T] | None:
    """Show what went wrong in a callback, and return a list of the store; None, with the reason, without one."""
    why = st.session_state.pop(failed, None)
    if why is not None:
        show_error(why)
    try:
        return read()
    except DataError as error:
        show_exception(error)
        return None


@contextmanager
def _keep_failure(key: str) -> Iterator[None]:
    """Keep the error of a callback until the list is drawn again."""
    try:
        yield
    except DataError as error:
        st.session_state[key] = error.visitor_message()
