"""Whose data sets a visitor may list and change: a browser's, or with log-in a person's.

The browser's cookie or the log-in alone proves ownership; nothing in an address ever does. The catalogue holds
digests, so that whoever reads it can impersonate nobody. A person is the log-in service and its name for them (`iss`
and `sub`): an e-mail address may be given to somebody else, and two services may know different people by one name.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data.dataset import Dataset
from data.errors import NotFound
from data.settings import from_environment
from features.notices import Holding
from server.workspace_cookie import cookie_name, is_workspace
from ui.store import store
from ui.visit.pages import SECTIONS, START, PageEntry


def current_workspace() -> str | None:
    """The workspace of whoever is looking: the person's where there is a log-in, the browser's elsewhere.

    None where nobody is logged in, or where the browser keeps no cookies.
    """
    return person() if log_in_offered() else browsers_workspace()


def browsers_workspace() -> str | None:
    """The workspace of the browser that is looking, log-in or not; None where it keeps no cookies."""
    cookie = st.context.cookies.get(cookie_name(from_environment().https))
    return f"browser:{_digest(cookie)}" if is_workspace(cookie) else None


def person() -> str | None:
    """The workspace of the person who is logged in; None where the log-in service did not say who that is."""
    said = claims()
    issuer, subject = said.get("iss"), said.get("sub")
    named = isinstance(issuer, str) and isinstance(subject, str) and issuer and subject
    if said.get("is_logged_in") is not True or not named:
        return None
    return "person:" + _digest(f"{issuer}\0{subject}")


def owned(id: str) -> Dataset:
    """The data set with this id, which whoever is looking may change.

    Raises
    ------
    NotFound
        where there is none, and in the same words where it is somebody else's.
    """
    workspace = current_workspace()
    for dataset in store().datasets(workspace):
        if dataset.id == id:
            return dataset
    raise NotFound("there is no such data set")


def owns(id: str) -> bool:
    """Return True where whoever is looking may change this data set."""
    try:
        owned(id)
    except NotFound:
        return False
    return True


def log_in_offered() -> bool:
    """Return True where this server has a log-in: Streamlit's secrets have a section `auth`."""
    return bool(log_in_settings())


def log_in_settings() -> Mapping[str, Any]:
    """Streamlit's section `auth` of the secrets; empty without a file of secrets, which is no error."""
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        return {}
    section = st.secrets["auth"]
    return section if isinstance(section, Mapping) else {}


def claims() -> Mapping[str, object]:
    """Return what the log-in service said about whoever is looking; Streamlit has checked that it did."""
    return st.user.to_dict()


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def page_of(entry: PageEntry, holding: Holding | None) -> StreamlitPage:
    """Return a page under its title for the open data set.

    It is visible where it can show the data set; without one, where it needs none.
    """
    listed = bool(entry.section) and (
        not entry.needs_dataset if holding is None else entry is not START and entry.is_open_to(holding)
    )
    found = _found(entry.script, entry.title_for(holding), entry.icon, entry.address, listed, entry is START)
    return copy(found)  # a run notes in its pages which one it may call


def menu_of(
    entries: Iterable[PageEntry], pages: Mapping[str, StreamlitPage]
) -> dict[str, list[StreamlitPage]]:
    """Return the pages by the section of the menu that lists them; those that are not listed have none."""
    menu: dict[str, list[StreamlitPage]] = {section: [] for section in ("", *SECTIONS)}
    for entry in entries:
        page = pages[entry.script]
        menu[entry.section if page.visibility == "visible" else ""].append(page)
    return {section: listed for section, listed in menu.items() if listed}


def link_to(*pages: StreamlitPage, key: str = "") -> None:
    """Draw links to pages, opened with the data set of a reader's key where one is given."""
    for page in dict.fromkeys(pages):
        st.page_link(page, label=f"Open the {page.title} page", query_params={"d": key} if key else None)


@lru_cache(1000)
def _found(script: str, title: str, icon: str, address: str, listed: bool, default: bool) -> StreamlitPage:
    visibility: Literal["visible", "hidden"] = "visible" if listed else "hidden"
    return st.Page(script, title=title, icon=icon, url_path=address, default=default, visibility=visibility)
