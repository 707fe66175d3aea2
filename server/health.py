"""Health check at `/_stcore/health`: the server is alive and, in the text, data sets can be read and saved.

The status is Streamlit's own: a server whose disk is full still shows what was saved, so nothing may take it out of
service. The text is `ok`, or `degraded` and a sentence on the next line. The store is asked in its own thread,
never more than one, at most every five seconds and for three at most: frequent requests cannot slow the server down,
and a store that hangs is reported as one that does not answer. If the store takes longer than `SHORT_TIMEOUT`, as on a
busy server, the answer is the last known one. The answer is public, so it does not mention paths or engines; the log
does.

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
from server.static_files import streamlit_endpoint

CHECK_INTERVAL = 5.0
SHORT_TIMEOUT, TIMEOUT = 0.2, 3.0
NOT_WRITABLE = "Data sets cannot be saved at the moment; the log of this server says why."
DAMAGED = "A part of the saved data cannot be read, and nothing is saved; the log of this server says more."
NO_ANSWER = "The store of data sets does not answer at the moment; the log of this server says more."
_UNCACHED = {"cache-control": "no-cache"}
_BROWSER_HEADERS = {"accept-language", "cookie", "sec-fetch-mode"}
_log = logging.getLogger("raterscope.health")
_SECRET = re.compile(r"(password|secret|key)\s*=\s*('[^']*'|\S+)|(?<=//)[^/\s@]+@", re.IGNORECASE)


class Writable(Protocol):
    """The part of a store that health needs."""

    def check_writable(self) -> None: ...


class Health:
    """ASGI middleware: answer "degraded" instead of Streamlit's "ok" if the store cannot be read or written."""

    def __init__(self, app: ASGIApp, store: Callable[[], Writable]) -> None:
        self.app = app
        self._store = store
        self._pending: Future[str | None] | None = None
        self._checked_at = 0.0
        self._last_problem: str | None = None
        self._has_result = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and streamlit_endpoint(scope["path"]) == "health"
            and not _is_script_request(scope)
        ):
            problem = await self._problem()
            if problem is not None:
                await self._answer(problem, scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _answer(self, problem: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the problem, or Streamlit's own answer if Streamlit is not ready either."""
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self.app(scope, receive, keep)
        if messages and messages[0].get("status") == 200:
            await PlainTextResponse(f"degraded\n{problem}\n", headers=_UNCACHED)(scope, receive, send)
            return
        for message in messages:
            await send(message)

    async def _problem(self) -> str | None:
        if self._pending is None or (
            self._pending.done() and monotonic() - self._checked_at >= CHECK_INTERVAL
        ):
            self._pending, self._checked_at = Future(), monotonic()
            threading.Thread(
                target=self._check_store, args=(self._pending,), name="health", daemon=True
            ).start()
        patience = SHORT_TIMEOUT if self._has_result else TIMEOUT
        try:
            problem = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._pending)), patience)
        except TimeoutError:
            if self._has_result and monotonic() - self._checked_at < TIMEOUT:
                return self._last_problem
            problem = NO_ANSWER
        self._has_result = True
        if problem == NO_ANSWER and self._last_problem != NO_ANSWER:
            _log.error("the store does not answer")
        if problem is None and self._last_problem is not None:
            _log.info("the store is writable again")
        self._last_problem = problem
        return problem

    def _check_store(self, answer: "Future[str | None]") -> None:
        try:
            self._store().check_writable()
        except Damaged as error:
            if self._last_problem != DAMAGED:
                _log.error("the store is damaged", extra={"fields": {"reason": str(error)}})
            answer.set_result(DAMAGED)
        except DataError as error:
            reason = _SECRET.sub("…", str(error))
            if self._last_problem != NOT_WRITABLE:
                _log.error("the store cannot be written", extra={"fields": {"reason": reason}})
            answer.set_result(NOT_WRITABLE)
        except Exception as error:
            if self._last_problem != NOT_WRITABLE:
                _log.error("the store cannot be asked", exc_info=error)
            answer.set_result(NOT_WRITABLE)
        else:
            answer.set_result(None)


def _is_script_request(scope: Scope) -> bool:
    """Return True for a request by a script in a browser; a person who opens the address gets what a monitor gets."""
    headers = Headers(scope=scope)
    return bool(_BROWSER_HEADERS.intersection(headers)) and "text/html" not in headers.get("accept", "")
