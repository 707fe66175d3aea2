"""`/_stcore/health` tells whether people can work: Streamlit must be ready and the store must take writes.

Streamlit alone would say "ok" over a full disk. The store is asked in a thread of its own, never more than one, at
most every five seconds and not longer than three: whoever watches the server cannot slow it down, and a store that
hangs is told as one that does not answer. The answer is public, so it says nothing of paths or engines; the log does.

Pages ask the same address before they connect, and stay blank unless it is well. They get Streamlit's own answer:
who only looks at data sets must not be locked out of them because the disk is full.
"""

import asyncio
import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import monotonic
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from data.errors import DataError
from server.paths import machinery

EVERY = 5.0
PATIENCE = 3.0
NOT_WRITABLE = "Data sets cannot be saved at the moment; the log of this server says why."
NO_ANSWER = "The store of data sets does not answer at the moment; the log of this server says more."
_BROWSERS = {"accept-language", "cookie", "sec-fetch-mode"}
_log = logging.getLogger("raterscope.health")
_PASSWORD = re.compile(r"(password|secret|key)\s*=\s*('[^']*'|\S+)|(?<=//)[^/\s@]+@", re.IGNORECASE)


class Writable(Protocol):
    """What health needs of a store."""

    def writable(self) -> None: ...


class Health:
    """ASGI middleware: 503 with a sentence where the store cannot be written, else Streamlit's own answer."""

    def __init__(self, app: ASGIApp, store: Callable[[], Writable]) -> None:
        self.app = app
        self._store = store
        self._asked: Future[str | None] | None = None
        self._at = 0.0
        self._told: str | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and machinery(scope["path"]) == "health" and not _is_a_page(scope):
            problem = await self._problem()
            if problem is not None:
                await PlainTextResponse(problem, 503)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _problem(self) -> str | None:
        if self._asked is None or (self._asked.done() and monotonic() - self._at >= EVERY):
            self._asked, self._at = Future(), monotonic()
            threading.Thread(target=self._ask, args=(self._asked,), name="health", daemon=True).start()
        try:
            problem = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._asked)), PATIENCE)
        except TimeoutError:
            problem = NO_ANSWER
        if problem == NO_ANSWER and self._told != NO_ANSWER:
            _log.error("the store does not answer")
        if problem is None and self._told is not None:
            _log.info("the store is writable again")
        self._told = problem
        return problem

    def _ask(self, answer: "Future[str | None]") -> None:
        try:
            self._store().writable()
        except DataError as error:
            told = _PASSWORD.sub("…", str(error))
            if self._told != NOT_WRITABLE:
                _log.error("the store cannot be written", extra={"fields": {"reason": told}})
            answer.set_result(NOT_WRITABLE)
        except Exception as error:
            if self._told != NOT_WRITABLE:
                _log.error("the store cannot be asked", exc_info=error)
            answer.set_result(NOT_WRITABLE)
        else:
            answer.set_result(None)


def _is_a_page(scope: Scope) -> bool:
    """Whether a script in a browser asks; a person who opens the address is told what a watcher is told."""
    headers = Headers(scope=scope)
    return bool(_BROWSERS.intersection(headers)) and "text/html" not in headers.get("accept", "")
