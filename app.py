"""The server: Streamlit as an ASGI app, with a workspace cookie and security headers around it.

An ASGI app rather than a plain script, because the entry script must lie inside `pages/` (Streamlit would
otherwise serve every file there past the frame) and because the cookie that proves ownership must be set
before the first script runs.

    streamlit run app.py        or        uvicorn app:app
"""

import logging
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages._workspace import WorkspaceCookie


def show_failure(error: Exception) -> bool:
    """In place of Streamlit's own box, which offers to send the error to search engines."""
    logging.getLogger("raterscope").error("a page failed", exc_info=error)
    st.error(
        "Something failed on our side, and nothing you saved was touched. Reload the page; if it fails again, "
        "tell the operator of this server the time and what you did."
    )
    return True


app = st.App(
    Path(__file__).resolve().parent / "pages" / "_frame.py",
    middleware=[Middleware(WorkspaceCookie)],
    on_script_error=show_failure,
)
