"""Whose data sets a browser may list: a random cookie set on the first HTML answer, read by the pages.

The cookie alone proves ownership; nothing in an address ever does.
"""

import re
import secrets

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "raterscope_workspace"
_WELL_FORMED = re.compile(r"[0-9a-f]{32}")
_YEAR = 365 * 24 * 3600


class WorkspaceCookie:
    """ASGI middleware: gives a browser without a workspace a new one (HttpOnly, SameSite=Lax)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_workspace(HTTPConnection(scope).cookies.get(COOKIE)):
            await self.app(scope, receive, send)
            return
        secure = "; Secure" if scope["scheme"] == "https" else ""
        cookie = f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax{secure}"

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_with_cookie)


def current_workspace() -> str | None:
    """The workspace of the browser that is looking, or None where it keeps no cookies."""
    cookie = st.context.cookies.get(COOKIE)
    return cookie if _is_workspace(cookie) else None


def _is_workspace(cookie: object) -> bool:
    return isinstance(cookie, str) and _WELL_FORMED.fullmatch(cookie) is not None
