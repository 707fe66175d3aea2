"""Workspace of a browser: a random cookie, set with the first page and passed to the pages if it is unambiguous.

The cookie alone proves ownership; nothing in an address ever does. With https its name begins with `__Host-`, which
browsers accept only from this very host: no neighbouring domain can plant one. Two different cookies of that name are
a planted one and a true one, and nobody can tell which: then the pages see neither.
"""

import re
import secrets
from collections import OrderedDict
from functools import cache
from time import monotonic
from typing import TypeGuard

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_WELL_FORMED = re.compile(r"[0-9a-f]{32}")
_YEAR = 365 * 24 * 3600


@cache
def cookie_name(https: bool) -> str:
    """Return the cookie's name; with https the name without a prefix is not accepted.

    >>> cookie_name(https=True), cookie_name(https=False)
    ('__Host-raterscope_workspace', 'raterscope_workspace')
    """
    return "__Host-raterscope_workspace" if https else "raterscope_workspace"


def is_workspace(value: object) -> TypeGuard[str]:
    """Return True for a well-formed value of the cookie.

    >>> is_workspace("0" * 32), is_workspace("A" * 32), is_workspace(None)
    (True, False, False)
    """
    return isinstance(value, str) and _WELL_FORMED.fullmatch(value) is not None


class WorkspaceCookie:
    """ASGI middleware: set the cookie of a browser without a workspace, and remove ambiguous cookies."""

    def __init__(self, app: ASGIApp, https: bool) -> None:
        self.app = app
        self._name = cookie_name(https)
        self._attributes = f"Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax" + ("; Secure" if https else "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        pairs, other_cookies = self._cookies(scope)
        values = set(pairs)
        if len(values) == 1 and is_workspace(pairs[0]):
            await self.app(scope, receive, send)
            return
        if pairs:
            headers = [header for header in scope["headers"] if header[0].lower() != b"cookie"]
            scope = {**scope, "headers": [*headers, (b"cookie", other_cookies)]}

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and len(values) < 2:
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", f"{self._name}={secrets.token_hex(16)}; {self._attributes}")
            await send(message)

        await self.app(scope, receive, send_with_cookie)

    def _cookies(self, scope: Scope) -> tuple[list[str], bytes]:
        """Return the values of our cookie, and all other cookies as one header."""
        own_values, other_cookies = [], []
        for name, header in scope["headers"]:
            if name.lower() == b"cookie":
                for part in header.split(b";"):
                    key, _, value = part.partition(b"=")
                    if key.strip().decode("latin-1") == self._name:
                        own_values.append(value.strip().decode("latin-1"))
                    else:
                        other_cookies.append(part.strip())
        return own_values, b"; ".join(other_cookies)


_KEEP_SECONDS = 600.0
"""Seconds for which an ended visit is remembered: Streamlit keeps it for two minutes for a reconnect."""
_MAX_FILES = 10_000


class Owners:
    """Workspaces of visits and of their generated files, in this process's memory only."""

    def __init__(self) -> None:
        self._visits: dict[str, str] = {}
        self._open: dict[str, int] = {}
        self._ended: OrderedDict[str, float] = OrderedDict()
        self._files: OrderedDict[str, set[str]] = OrderedDict()

    def add_connection(self, visit: str, workspace: str | None) -> None:
        """Record a connection of a page to a visit."""
        self._ended.pop(visit, None)
        self._open[visit] = self._open.get(visit, 0) + 1
        if workspace is not None:
            self._visits[visit] = workspace

    def remove_connection(self, visit: str) -> None:
        """Record the end of a connection; the page may reconnect."""
        self._open[visit] -= 1
        if not self._open[visit]:
            del self._open[visit]
            self._ended[visit] = monotonic()
        while self._ended and next(iter(self._ended.values())) < monotonic() - _KEEP_SECONDS:
            self._visits.pop(self._ended.popitem(last=False)[0], None)

    def owns(self, workspace: str | None, visit: str) -> bool:
        return workspace is not None and self._visits.get(visit) == workspace

    def add_file(self, file: str, workspace: str) -> None:
        """Record a file of a workspace; identical files of several workspaces have the same address."""
        self._files.setdefault(file, set()).add(workspace)
        self._files.move_to_end(file)
        while len(self._files) > _MAX_FILES:
            self._files.popitem(last=False)

    def owns_file(self, workspace: str | None, file: str) -> bool:
        return workspace is not None and workspace in self._files.get(file, ())
