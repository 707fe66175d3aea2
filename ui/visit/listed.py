"""Pages as Streamlit lists them: each is looked for in the folder once, and not by every run of the script."""

from copy import copy
from functools import lru_cache
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from features.notices import Holding
from ui.visit.pages import START, PageEntry


def page_of(entry: PageEntry, holding: Holding | None) -> StreamlitPage:
    """A page under its title for the open data set; listed where it can show it."""
    listed = entry.listed and (holding is None or entry.is_open_to(holding))
    found = _found(entry.script, entry.title_for(holding), entry.icon, entry.address, listed, entry is START)
    return copy(found)  # a run notes in its pages which one it may call


@lru_cache(1000)
def _found(script: str, title: str, icon: str, address: str, listed: bool, default: bool) -> StreamlitPage:
    visibility: Literal["visible", "hidden"] = "visible" if listed else "hidden"
    return st.Page(script, title=title, icon=icon, url_path=address, default=default, visibility=visibility)
