"""The log: one JSON object per line on stderr, without anything that belongs to a person.

Addresses hold readers' keys, cookies prove ownership, and messages of exceptions quote uploads. So a line holds only
what our own code says in fixed words, and of a failure the class and the places in our code. Other packages' loggers
(uvicorn's, Streamlit's) are taken over: of theirs only the level and the place in the source are kept, because their
words are made of whatever came in.
"""

import json
import logging
import secrets
import sys
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.static_files import for_the_log, machinery

OURS = "raterscope"
_ROOT = Path(__file__).resolve().parents[1]
_STARTED = "Uvicorn running on"
_logger = logging.getLogger(OURS)


@dataclass(frozen=True)
class ErrorSeen:
    """An error for the operator's page: when, which class or event, and where in the code."""

    at: datetime
    what: str
    where: str


_recent: deque[ErrorSeen] = deque(maxlen=50)


def recent_errors() -> list[ErrorSeen]:
    """The last 50 errors since the server started, newest first."""
    return list(reversed(_recent))


def failure(event: str, error: BaseException) -> str:
    """Logs a failure and returns its id, which the visitor can pass on; `event` is in fixed words."""
    number = secrets.token_hex(4)
    _logger.error(event, exc_info=error, extra={"fields": {"error": number}})
    return number


def set_up() -> None:
    """From here on all that this process logs are our lines on stderr."""
    handler = JsonLines()
    logging.raiseExceptions = False  # a line that cannot be written must not print its arguments
    logging.captureWarnings(True)
    taken = _takes_over(handler)
    logging.setLoggerClass(taken)
    for logger in [logging.root, *logging.root.manager.loggerDict.values()]:
        if isinstance(logger, logging.Logger):
            logger.__class__ = taken
    logging.root.setLevel(logging.WARNING)
    _logger.setLevel(logging.INFO)
    threading.excepthook = _thread_failed
    sys.unraisablehook = _could_not_raise


class JsonLines(logging.Handler):
    """Writes records as lines of JSON and keeps the errors among them."""

    def emit(self, record: logging.LogRecord) -> None:
        if _said_elsewhere(record):
            return
        line = line_of(record)
        if record.levelno >= logging.ERROR:
            error = record.exc_info[1] if record.exc_info else None
            places = frames(error.__traceback__) if error is not None else []
            what = str(line.get("exception", line["event"]))
            where = places[-1] if places else f"{record.filename}:{record.lineno}"
            _recent.append(ErrorSeen(datetime.fromtimestamp(record.created, UTC), what, where))
        print(json.dumps(line, ensure_ascii=True), file=sys.stderr, flush=True)  # noqa: T201


def line_of(record: logging.LogRecord) -> dict[str, object]:
    """Return the parts of a record that may be written down."""
    line: dict[str, object] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
    }
    if record.name.split(".")[0] == OURS:
        line["event"] = record.msg
        line |= getattr(record, "fields", {})
    elif record.name == "uvicorn.error" and str(record.msg).startswith(_STARTED):
        line["event"] = record.getMessage()
    else:
        line["event"] = f"{record.levelname.lower()} at {record.filename}:{record.lineno}"
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        line["exception"] = _class_of(error)
        causes = [_class_of(cause) for cause in _causes(error)]
        if causes:
            line["causes"] = causes
        line["frames"] = frames(error.__traceback__)
    return line


def frames(trace: TracebackType | None) -> list[str]:
    """The places in our own code that a failure went through, or, where there are none, the last place.

    >>> frames(None)
    []
    """
    walked = [
        (frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in traceback.walk_tb(trace)
    ]
    own = [
        f"{Path(file).relative_to(_ROOT)}:{line}:{function}"
        for file, line, function in walked
        if _is_ours(file)
    ]
    return own or [f"{Path(file).name}:{line}:{function}" for file, line, function in walked[-1:]]


def _is_ours(file: str) -> bool:
    path = Path(file)
    return path.is_relative_to(_ROOT) and "site-packages" not in path.parts


def _class_of(error: BaseException) -> str:
    kind = type(error)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and cause not in found and len(found) < 5:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found


def _said_elsewhere(record: logging.LogRecord) -> bool:
    """Failures of pages, which we log with their id; and uvicorn's chatter, one line per connection."""
    if record.name == "streamlit.error_util" and record.exc_info and record.exc_info[1] is not None:
        return not isinstance(record.exc_info[1], SyntaxError)
    return (
        record.name.startswith("uvicorn")
        and record.levelno < logging.WARNING
        and not str(record.msg).startswith(_STARTED)
    )


def _takes_over(handler: logging.Handler) -> type[logging.Logger]:
    class Taken(logging.Logger):
        """A logger whose records go to our handler only, whatever handlers others hang on it later."""

        def callHandlers(self, record: logging.LogRecord) -> None:
            if record.levelno >= handler.level:
                handler.handle(record)

    return Taken


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        failure("a thread failed", failed.exc_value)


def _could_not_raise(failed: "sys.UnraisableHookArgs") -> None:
    if failed.exc_value is not None:
        failure("a failure could not be raised", failed.exc_value)


_log = logging.getLogger("raterscope.requests")
_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "WEBSOCKET"}


class RequestLog:
    """ASGI middleware: logs path, status and milliseconds; never queries, cookies, visits or people's addresses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        status = 0
        began = time.monotonic()

        async def send_noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            if message["type"] == "websocket.accept":
                status = 101
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        except Exception as error:
            number = failure("a request failed", error)
            if status == 0 and scope["type"] == "http":
                told = f"Something failed on our side. Tell the operator of this server the number {number}."
                await PlainTextResponse(told, 500)(scope, receive, send_noting)
        finally:
            if not _is_everyday(scope["path"], status):
                fields = {
                    "path": for_the_log(scope["path"]),
                    "method": _method(scope),
                    "status": status,
                    "milliseconds": round((time.monotonic() - began) * 1000),
                }
                _log.info("request", extra={"fields": fields})


def _method(scope: Scope) -> str:
    method: str = scope.get("method", "WEBSOCKET")
    return method if method in _METHODS else "…"


def _is_everyday(path: str, status: int) -> bool:
    """Static files, and the questions of whoever watches the server."""
    return status < 400 and (
        path.startswith(("/static/", "/scripts/")) or machinery(path) in ("health", "host-config")
    )
