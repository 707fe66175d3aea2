"""`/_stcore/health` tells whether the server lives and, in its text, whether data sets can be read and saved.

The status is Streamlit's own: a server whose disk is full still shows what was saved, so nothing may take it out of
service. The text is `ok`, or `degraded` and a sentence on the next line. The store is asked in its own thread,
never more than one, at most every five seconds and not longer than three: whoever watches the server cannot slow it
down, and a store that hangs is told as one that does not answer. Where the store takes longer than `SOON`, as on a busy
server, the answer is the last known one. The answer is public, so it says nothing of paths or
engines; the log does.

Pages ask the same address before they connect. They get Streamlit's own answer.
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
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.errors import Damaged, DataError
from server.static_files import machinery

EVERY = 5.0
SOON, PATIENCE = 0.2, 3.0
NOT_WRITABLE = "Data sets cannot be saved at the moment; the log of this server says why."
DAMAGED = "A part of the saved data cannot be read, and nothing is saved; the log of this server says more."
NO_ANSWER = "The store of data sets does not answer at the moment; the log of this server says more."
_UNCACHED = {"cache-control": "no-cache"}
_BROWSERS = {"accept-language", "cookie", "sec-fetch-mode"}
_log = logging.getLogger("raterscope.health")
_PASSWORD = re.compile(r"(password|secret|key)\s*=\s*('[^']*'|\S+)|(?<=//)[^/\s@]+@", re.IGNORECASE)


class Writable(Protocol):
    """The part of a store that health needs."""

    def writable(self) -> None: ...


class Health:
    """ASGI middleware: "degraded" in place of Streamlit's "ok" where the store cannot be written or read."""

    def __init__(self, app: ASGIApp, store: Callable[[], Writable]) -> None:
        self.app = app
        self._store = store
        self._asked: Future[str | None] | None = None
        self._at = 0.0
        self._told: str | None = None
        self._is_known = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and machinery(scope["path"]) == "health" and not _is_a_page(scope):
            problem = await self._problem()
            if problem is not None:
                await self._answer(problem, scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _answer(self, problem: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell the problem, unless Streamlit is not ready either: then its own answer counts."""
        told: list[Message] = []

        async def keep(message: Message) -> None:
            told.append(message)

        await self.app(scope, receive, keep)
        if told and told[0].get("status") == 200:
            await PlainTextResponse(f"degraded\n{problem}\n", headers=_UNCACHED)(scope, receive, send)
            return
        for message in told:
            await send(message)

    async def _problem(self) -> str | None:
        if self._asked is None or (self._asked.done() and monotonic() - self._at >= EVERY):
            self._asked, self._at = Future(), monotonic()
            threading.Thread(target=self._ask, args=(self._asked,), name="health", daemon=True).start()
        patience = SOON if self._is_known else PATIENCE
        try:
            problem = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._asked)), patience)
        except TimeoutError:
            if self._is_known and monotonic() - self._at < PATIENCE:
                return self._told
            problem = NO_ANSWER
        self._is_known = True
        if problem == NO_ANSWER and self._told != NO_ANSWER:
            _log.error("the store does not answer")
        if problem is None and self._told is not None:
            _log.info("the store is writable again")
        self._told = problem
        return problem

    def _ask(self, answer: "Future[str | None]") -> None:
        try:
            self._store().writable()
        except Damaged as error:
            if self._told != DAMAGED:
                _log.error("the store is damaged", extra={"fields": {"reason": str(error)}})
            answer.set_result(DAMAGED)
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
    """Return whether a script in a browser asks; a person who opens the address is told what a watcher is told."""
    headers = Headers(scope=scope)
    return bool(_BROWSERS.intersection(headers)) and "text/html" not in headers.get("accept", "")
