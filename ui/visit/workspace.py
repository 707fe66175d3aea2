"""The workspace of a visitor, a browser's or with log-in a person's, and the log-in in the sidebar.

The cookie or the log-in alone proves ownership. The catalog holds digests, so that whoever reads it can impersonate
nobody. A person is `iss` and `sub` of the log-in service: e-mail addresses change hands. A provider sends everybody
back to the root of this server, so the place that a visitor left waits in this process, under the browser's cookie.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError
from streamlit.navigation.page import StreamlitPage

from data.dataset import Dataset
from data.errors import NotFound
from server.log import log_failure
from server.workspace_cookie import cookie_name, is_workspace
from ui.elements import show_error, show_note, show_user_errors, store


def current_workspace() -> str | None:
    """Return the workspace of the person where there is a log-in, else of the browser; None without either."""
    return person() if has_login() else browsers_workspace()


def browsers_workspace() -> str | None:
    """Return the workspace of the browser, log-in or not; None where it keeps no cookies."""
    cookie = st.context.cookies.get(cookie_name(store().settings.https))
    return _workspace_of(cookie)


@lru_cache(1000)
def _workspace_of(cookie: str | None) -> str | None:
    """Return the workspace that a cookie proves; every run asks for it several times."""
    return f"browser:{_digest(cookie)}" if is_workspace(cookie) else None


def person() -> str | None:
    """Return the workspace of the person who is logged in; None where the log-in service did not name one."""
    identity = claims()
    issuer, subject = identity.get("iss"), identity.get("sub")
    named = isinstance(issuer, str) and isinstance(subject, str) and issuer and subject
    if identity.get("is_logged_in") is not True or not named:
        return None
    return "person:" + _digest(f"{issuer}\0{subject}")


def owned(id: str) -> Dataset:
    """Return the visitor's data set with this id; raise `NotFound` where there is none or it is somebody else's."""
    workspace = current_workspace()
    for dataset in store().datasets(workspace):
        if dataset.id == id:
            return dataset
    raise NotFound("there is no such data set")


def version_before(dataset: Dataset) -> Dataset | None:
    """Return the version that this data set replaced, where the visitor owns both; else None."""
    own = {each.id: each for each in store().datasets(current_workspace())}
    return own.get(dataset.replaces or "") if dataset.id in own else None


def owns(id: str) -> bool:
    """Return True where whoever is looking may change this data set."""
    try:
        owned(id)
    except NotFound:
        return False
    return True


def has_login() -> bool:
    """Return True where this server has a log-in: Streamlit's secrets have a section `auth`."""
    return bool(login_settings())


def login_settings() -> Mapping[str, Any]:
    """Return the section `auth` of Streamlit's secrets, empty without a file of secrets."""
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        return {}
    section = st.secrets["auth"]
    return section if isinstance(section, Mapping) else {}


def claims() -> Mapping[str, object]:
    """Return what the log-in service said about whoever is looking; Streamlit has checked that it did."""
    return st.user.to_dict()


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


WHY = (
    "Log in to save data sets and find them again in any browser. Samples and the links that others send you open "
    "without."
)
_SHORT = 60
"""Characters of a person's name that the sidebar shows."""


@dataclass(frozen=True)
class Place:
    """Place in the app: the page's path in the address, and the rest of its query."""

    page: str
    query: tuple[tuple[str, tuple[str, ...]], ...]

    def go_back(self, pages: Iterable[StreamlitPage]) -> None:
        """Open the place again, if there is still such a page."""
        for page in pages:
            if page.url_path == self.page:
                st.switch_page(page, query_params={name: list(values) for name, values in self.query})


class Places:
    """Places that browsers left to log in; each is returned once and soon expires."""

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


def place_before_login() -> Place | None:
    """Return the place that this visitor left for the log-in from which they return now."""
    if "d" in st.session_state or st.query_params or _page() or not has_login():
        return None
    browser = browsers_workspace()
    return None if browser is None else _places().take(browser)


def may_save() -> bool:
    """Return True where what this visitor saves could be listed for them afterwards."""
    return current_workspace() is not None


def requirement_for_saving() -> str:
    """Return what a visitor must do before saving, in a sentence."""
    if has_login():
        return (
            "Saving needs a log-in, so that your data sets are yours in any browser. Log in with the button in the "
            "sidebar before you choose a file: a log-in starts this page anew."
        )
    return "This browser keeps no cookies, so what you save could not be listed for you. Allow cookies, then save."


def show_login() -> None:
    """Show who is logged in, or the button to do so, where the server has a log-in."""
    if not has_login():
        return
    with st.sidebar:
        if person() is None:
            _log_in()
        else:
            _logged_in()


def _log_in() -> None:
    if claims().get("is_logged_in"):
        show_note(
            "The log-in service did not say who you are (its answer lacks `iss` or `sub`), so nothing can be kept for "
            "you. Tell the operator of this server."
        )
        st.button("Log out", key="log out", on_click=st.logout)
        return
    show_note(WHY)
    for provider in _providers():
        label = f"Log in with {provider}" if provider else "Log in"
        if st.button(label, key=f"log in {provider}"):
            _start_login(provider)


def _logged_in() -> None:
    show_note("Logged in as <b>{name}</b>", name=_name(claims()))
    _offer_to_move_datasets()
    st.button("Log out", key="log out", on_click=st.logout)


def _name(identity: Mapping[str, object]) -> str:
    """Return how the log-in service calls this person; only shown, never compared."""
    names = (str(identity.get(claim) or "").strip() for claim in ("name", "email", "preferred_username"))
    return next(filter(None, names), "somebody without a name")[:_SHORT]


def _providers() -> list[str | None]:
    """Return the names for `st.login`; None is the provider that stands in the section itself."""
    settings = login_settings()
    named = [name for name, value in settings.items() if isinstance(value, Mapping) and "client_id" in value]
    return [*([None] if "client_id" in settings or not named else []), *named]


def _start_login(provider: str | None) -> None:
    browser = browsers_workspace()
    if browser is not None:
        query = {name: tuple(st.query_params.get_all(name)) for name in st.query_params}
        _places().leave(browser, Place(_page(), tuple(query.items())))
    try:
        st.login() if provider is None else st.login(provider)
    except StreamlitAuthError as error:
        log_failure("log-in is not set up completely", error)
        show_error(
            "Log-in is not set up completely on this server, so nobody can log in now. Tell its operator."
        )


def _offer_to_move_datasets() -> None:
    """Offer once per visit to move the browser's data sets to the person who logged in."""
    browser, own = browsers_workspace(), current_workspace()
    if browser is None or own is None or st.session_state.get("browser's data sets") == "settled":
        return
    with show_user_errors():
        number = len(store().datasets(browser))
    if not number:
        st.session_state["browser's data sets"] = "settled"
        return
    held = "the data set" if number == 1 else f"the {number} data sets"
    show_note("Saved in this browser before this server had a log-in, and listed for nobody now:")
    if st.button(f"Take {held} saved in this browser into your account", key="take over"):
        with show_user_errors():
            store().take_over(browser, own)
        st.session_state["browser's data sets"] = "settled"
        st.rerun()
    if st.button("Leave them", key="leave in browser"):
        st.session_state["browser's data sets"] = "settled"
        st.rerun()


def _page() -> str:
    """Return the page's path in the address; empty at the root."""
    return urlsplit(st.context.url or "").path.rsplit("/", 1)[-1]
