"""The title row of every page: the title, the views kept of the data set, and the popover that gives this view's
address and, to whoever owns the data set, its named links.

The row is a fragment, and a popover is filled only once it is open: opening it neither runs the page again nor
interrupts what the page computes, and a closed one costs next to nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta

import streamlit as st

from data.dataset import Dataset
from data.errors import DataError
from data.store.links import Link
from features.results import use_session
from ui.downloads import KEYS
from ui.progress import PAGE
from ui.store import store
from ui.visit import views as views_module
from ui.visit import workspace
from ui.visit.address import address_of, address_of_view, base_of, parts, view_at
from ui.visit.study import show_dataset
from ui.words import fail, note, say, tell, told_in_words, warn

ON_A_DATE = "on a date"
EXPIRIES = {"never": None, "in 1 day": 1, "in 7 days": 7, "in 30 days": 30, "in 90 days": 90, ON_A_DATE: None}
"""Days until a link ends, by what the control offers."""
WIDTH = 440
OWN_ADDRESS = "The address in your browser"
JOINED = KEYS[1:]
"""Parameters that hold the key of a table joined to the open data set."""
MADE, ASKED, FAILED = "links made", "revoke this link", "link failed"
"""What the session remembers: how many links were made, which one is asked about, and what went wrong."""


def share(title: str, path: str, dataset: Dataset | None) -> None:
    """Draw the title row of the page at `path` ("" for the first page); without a data set, the title alone."""
    if dataset is None:
        st.title(title)
    else:
        _title_and_popover(title, path, dataset)


def links(where: str, id: str, base: str, view: str = "") -> None:
    """The live links of one's own data set, and a form to make another one that opens `view`.

    `where` keeps the controls of this list apart from those of another one on the same page.
    """
    with st.container(border=True):
        _new_link(where, id, view)
    failed = st.session_state.pop(FAILED, None)
    if failed is not None:
        fail(failed)
    try:
        live = store().links(id)
    except DataError as error:
        tell(error)
        return
    for link in live:
        with st.container(border=True, gap="small"):
            _one(where, id, link, base)


def called(link: Link) -> str:
    """Return what a link is called where it is listed."""
    return link.name or OWN_ADDRESS


def when(moment: datetime) -> str:
    """A moment as pages write it."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


@st.fragment
@use_session(PAGE)
def _title_and_popover(title: str, path: str, dataset: Dataset) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.title(title, width="stretch", anchor=False)
        views = st.popover("Views", key="kept views", on_change="rerun") if dataset.workspace else None
        popover = st.popover("Share", key="share this view", on_change="rerun")
    if views is not None and views.open:
        _still_there(dataset)
        with views, st.container(width=WIDTH):
            views_module.show(path, dataset)
    if popover.open:
        _still_there(dataset)
        with popover, st.container(width=WIDTH):
            _contents(path, dataset)


def _still_there(dataset: Dataset) -> None:
    """Has the whole page run where the address has been revoked since it ran: the popover runs by itself."""
    with told_in_words():
        opened = store().by_key(st.session_state["d"])
    if opened is None or opened.id != dataset.id:
        st.rerun()


def _contents(path: str, dataset: Dataset) -> None:
    base = base_of(path)
    note("This view: the page, and every control as it stands.")
    st.code(address_of(base, path, parts()), language=None, wrap_lines=True)
    note("Whoever has this address can look and move every control, but change, list or delete nothing.")
    if any(parameter in st.query_params for parameter in JOINED):
        note("It opens the table that is joined here, too.")
    if workspace.owns(dataset.id):
        say("<b>Named links</b>")
        note("One for each reader or group, so that each can end or be revoked without the others.")
        links("share", dataset.id, base, view_at(path))


def _new_link(where: str, id: str, view: str) -> None:
    made = st.session_state.get(MADE, 0)
    keys = f"{where} {made}"
    st.text_input("Name", max_chars=120, placeholder="for whom it is", key=f"name {keys}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ends = st.selectbox("Ends", list(EXPIRIES), key=f"ends {keys}", width=140)
        if ends == ON_A_DATE:
            today = datetime.now(UTC).date()
            st.date_input("Last day (UTC)", today, min_value=today, key=f"day {keys}", width=150)
        st.button("Make a link", key=f"make {where}", on_click=_make, args=(keys, id, view))


def _make(keys: str, id: str, view: str) -> None:
    chosen = st.session_state
    ends = chosen[f"ends {keys}"]
    expires: datetime | None
    if ends == ON_A_DATE:
        expires = datetime.combine(chosen[f"day {keys}"], time(23, 59, 59), UTC)
    else:
        days = EXPIRIES[ends]
        expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    with _failing_in_words():
        workspace.owned(id)
        store().add_link(id, chosen[f"name {keys}"].strip(), view, expires)
        chosen[MADE] = chosen.get(MADE, 0) + 1  # so that the form is empty again


def _one(where: str, id: str, link: Link, base: str) -> None:
    keys = f"{where} {link.key}"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            st.text(called(link))
            ends = f"ends {when(link.expires)}" if link.expires else "never ends"
            note("Made {made}, {ends}", made=when(link.created), ends=ends)
        st.button("Revoke", key=f"revoke {keys}", on_click=_ask, args=(link.key,))
        st.button(
            "Renew",
            key=f"renew {keys}",
            help="A new address under the same name; the old one leads nowhere from then on.",
            on_click=_renew,
            args=(id, link.key),
        )
    if st.session_state.get(ASKED) == link.key:
        warn("Whoever has this address finds nothing there any more. This cannot be undone.")
        with st.container(horizontal=True):
            st.button(
                "Revoke it", key=f"revoke it {keys}", type="primary", on_click=_revoke, args=(id, link.key)
            )
            st.button("Keep", key=f"keep {keys}", on_click=_ask, args=(None,))
    st.code(address_of_view(base, link.view, link.key), language=None, wrap_lines=True)


def _ask(key: str | None) -> None:
    st.session_state[ASKED] = key


def _revoke(id: str, key: str) -> None:
    with _failing_in_words():
        workspace.owned(id)
        store().revoke_link(id, key)
        _ask(None)
        if st.query_params.get("d") == key:
            show_dataset(store().link(id))


def _renew(id: str, key: str) -> None:
    with _failing_in_words():
        workspace.owned(id)
        new = store().renew_link(id, key).key
        if st.query_params.get("d") == key:
            show_dataset(new)


@contextmanager
def _failing_in_words() -> Iterator[None]:
    """Return what went wrong in a callback is told when the list is drawn again."""
    try:
        yield
    except DataError as error:
        st.session_state[FAILED] = error.for_visitors()
