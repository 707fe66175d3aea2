"""Log-in and log-out in the sidebar, and the way back to what was looked at before.

A provider sends everybody back to the root of this server in a new visit. So where a visitor was when they went to
log in waits here, in this process, for as long as a log-in takes, under what the browser's own cookie proves. Nothing
of it travels through addresses, where somebody else could plant it.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError
from streamlit.navigation.page import StreamlitPage

from server.log import failure
from ui.store import store
from ui.visit import workspace
from ui.words import fail, note, told_in_words

WHY = (
    "Log in to save data sets and find them again in any browser. Samples and the links that others send you open "
    "without."
)
_SHORT = 60
"""Characters of a person's name that the sidebar shows."""


@dataclass(frozen=True)
class Place:
    """Where somebody was: the page's path in the address, and the rest of its query."""

    page: str
    query: tuple[tuple[str, tuple[str, ...]], ...]

    def go_back(self, pages: Iterable[StreamlitPage]) -> None:
        """Open the place again, if there is still such a page; does not return then."""
        for page in pages:
            if page.url_path == self.page:
                st.switch_page(page, query_params={name: list(values) for name, values in self.query})


class Places:
    """Where browsers were when they went to log in; each is given back once, and soon forgotten."""

    def __init__(self, seconds: float = 600.0, most: int = 1000) -> None:
        self._seconds, self._most = seconds, most
        self._left: OrderedDict[str, tuple[float, Place]] = OrderedDict()
        self._lock = threading.Lock()

    def leave(self, browser: str, place: Place) -> None:
        with self._lock:
            self._left.pop(browser, None)
            self._left[browser] = time.monotonic(), place
            while len(self._left) > self._most:
                self._left.popitem(last=False)

    def take(self, browser: str) -> Place | None:
        with self._lock:
            left, place = self._left.pop(browser, (0.0, None))
        return place if place is not None and time.monotonic() - left < self._seconds else None


@st.cache_resource(show_spinner=False)
def _places() -> Places:
    return Places()


def place_left() -> Place | None:
    """Return where this visitor was before a log-in from which they come back now; asked before anything else runs."""
    browser = workspace.browsers_workspace()
    arriving = "d" not in st.session_state and not st.query_params and not _page()
    return (
        _places().take(browser) if arriving and browser is not None and workspace.log_in_offered() else None
    )


def may_save() -> bool:
    """Return True where what this visitor saves could be listed for them afterwards."""
    return workspace.current_workspace() is not None


def saving_needs() -> str:
    """Return what a visitor who may not save has to do first, in a sentence."""
    if workspace.log_in_offered():
        return (
            "Saving needs a log-in, so that your data sets are yours in any browser. Log in with the button in the "
            "sidebar before you choose a file: a log-in starts this page anew."
        )
    return "This browser keeps no cookies, so what you save could not be listed for you. Allow cookies, then save."


def in_sidebar() -> None:
    """Who is logged in, or the button to do so; nothing where the server has no log-in."""
    if not workspace.log_in_offered():
        return
    with st.sidebar:
        if workspace.person() is None:
            _log_in()
        else:
            _logged_in()


def _log_in() -> None:
    if workspace.claims().get("is_logged_in"):
        note(
            "The log-in service did not say who you are (its answer lacks `iss` or `sub`), so nothing can be kept for "
            "you. Tell the operator of this server."
        )
        st.button("Log out", key="log out", on_click=st.logout)
        return
    note(WHY)
    for provider in _providers():
        label = f"Log in with {provider}" if provider else "Log in"
        if st.button(label, key=f"log in {provider}"):
            _go_to(provider)


def _logged_in() -> None:
    note("Logged in as <b>{name}</b>", name=_name(workspace.claims()))
    _offer_what_the_browser_holds()
    st.button("Log out", key="log out", on_click=st.logout)


def _name(said: Mapping[str, object]) -> str:
    """Return how the log-in service calls this person; only shown, never compared."""
    names = (str(said.get(claim) or "").strip() for claim in ("name", "email", "preferred_username"))
    return next(filter(None, names), "somebody without a name")[:_SHORT]


def _providers() -> list[str | None]:
    """The names for `st.login`; None is the provider that stands in the section itself."""
    settings = workspace.log_in_settings()
    named = [name for name, value in settings.items() if isinstance(value, Mapping) and "client_id" in value]
    return [*([None] if "client_id" in settings or not named else []), *named]


def _go_to(provider: str | None) -> None:
    browser = workspace.browsers_workspace()
    if browser is not None:
        query = {name: tuple(st.query_params.get_all(name)) for name in st.query_params}
        _places().leave(browser, Place(_page(), tuple(query.items())))
    try:
        st.login() if provider is None else st.login(provider)
    except StreamlitAuthError as error:
        failure("log-in is not set up completely", error)
        fail("Log-in is not set up completely on this server, so nobody can log in now. Tell its operator.")


def _offer_what_the_browser_holds() -> None:
    """Once a visit: data sets from before there was a log-in belong to the browser, and can become the person's."""
    browser, own = workspace.browsers_workspace(), workspace.current_workspace()
    if browser is None or own is None or st.session_state.get("browser's data sets") == "settled":
        return
    with told_in_words():
        number = len(store().datasets(browser))
    if not number:
        st.session_state["browser's data sets"] = "settled"
        return
    held = "the data set" if number == 1 else f"the {number} data sets"
    note("Saved in this browser before this server had a log-in, and listed for nobody now:")
    if st.button(f"Take {held} saved in this browser into your account", key="take over"):
        with told_in_words():
            store().take_over(browser, own)
        st.session_state["browser's data sets"] = "settled"
        st.rerun()
    if st.button("Leave them", key="leave in browser"):
        st.session_state["browser's data sets"] = "settled"
        st.rerun()


def _page() -> str:
    """The page's path in the address; empty at the root."""
    return urlsplit(st.context.url or "").path.rsplit("/", 1)[-1]
