"""Log of one JSON object per line on stderr, without personal data.

Addresses contain readers' keys, cookies prove ownership, and messages of exceptions quote uploads. So a line contains
only fixed texts of our own code and, for a failure, its class and the lines of our code. Loggers of other packages
(uvicorn, Streamlit) are redirected here: only the level and the source line of their records are kept, because their
messages contain user input.
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

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.static_files import redact_path, streamlit_endpoint

LOGGER_NAME = "raterscope"
_PROJECT_FOLDER = Path(__file__).resolve().parents[1]
_START_MESSAGE = "Uvicorn running on"
_logger = logging.getLogger(LOGGER_NAME)


@dataclass(frozen=True)
class LoggedError:
    """An error for the operator's page: when, which class or event, and where in the code."""

    at: datetime
    what: str
    where: str


_recent: deque[LoggedError] = deque(maxlen=50)


def recent_errors() -> list[LoggedError]:
    """Return the last 50 errors since the server started, newest first."""
    return list(reversed(_recent))


def log_failure(event: str, error: BaseException) -> str:
    """Log a failure and return its id, which a visitor can pass on; `event` is a fixed text."""
    number = secrets.token_hex(4)
    _logger.error(event, exc_info=error, extra={"fields": {"error": number}})
    return number


def set_up_logging() -> None:
    """Redirect all logging of this process to JSON lines on stderr."""
    handler = JsonLines()
    logging.raiseExceptions = False  # a line that cannot be written must not print its arguments
    logging.captureWarnings(True)
    logger_class = _exclusive_logger_class(handler)
    logging.setLoggerClass(logger_class)
    for logger in [logging.root, *logging.root.manager.loggerDict.values()]:
        if isinstance(logger, logging.Logger):
            logger.__class__ = logger_class
    logging.root.setLevel(logging.WARNING)
    _logger.setLevel(logging.INFO)
    threading.excepthook = _log_thread_failure
    sys.unraisablehook = _log_unraisable


class JsonLines(logging.Handler):
    """Handler that writes records as lines of JSON and keeps recent errors."""

    def emit(self, record: logging.LogRecord) -> None:
        if _is_logged_elsewhere(record):
            return
        line = format_record(record)
        if record.levelno >= logging.ERROR:
            error = record.exc_info[1] if record.exc_info else None
            stack = frames(error.__traceback__) if error is not None else []
            description = str(line.get("exception", line["event"]))
            location = stack[-1] if stack else f"{record.filename}:{record.lineno}"
            _recent.append(LoggedError(datetime.fromtimestamp(record.created, UTC), description, location))
        print(json.dumps(line, ensure_ascii=True), file=sys.stderr, flush=True)  # noqa: T201


def format_record(record: logging.LogRecord) -> dict[str, object]:
    """Return the parts of a record that may be written down."""
    line: dict[str, object] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
    }
    if record.name.split(".")[0] == LOGGER_NAME:
        line["event"] = record.msg
        line |= getattr(record, "fields", {})
    elif record.name == "uvicorn.error" and str(record.msg).startswith(_START_MESSAGE):
        line["event"] = record.getMessage()
    else:
        line["event"] = f"{record.levelname.lower()} at {record.filename}:{record.lineno}"
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        line["exception"] = _class_name(error)
        causes = [_class_name(cause) for cause in _causes(error)]
        if causes:
            line["causes"] = causes
        line["frames"] = frames(error.__traceback__)
    return line


def frames(trace: TracebackType | None) -> list[str]:
    """Return the frames of a traceback that are in our own code, or its last frame if there are none.

    >>> frames(None)
    []
    """
    walked = [
        (frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in traceback.walk_tb(trace)
    ]
    our_frames = [
        f"{Path(file).relative_to(_PROJECT_FOLDER)}:{line}:{function}"
        for file, line, function in walked
        if _is_ours(file)
    ]
    return our_frames or [f"{Path(file).name}:{line}:{function}" for file, line, function in walked[-1:]]


def _is_ours(file: str) -> bool:
    path = Path(file)
    return path.is_relative_to(_PROJECT_FOLDER) and "site-packages" not in path.parts


def _class_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and cause not in causes and len(causes) < 5:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes


def _is_logged_elsewhere(record: logging.LogRecord) -> bool:
    """Return True for failures of pages, which are logged with their id, and for uvicorn's line per connection."""
    if record.name == "streamlit.error_util" and record.exc_info and record.exc_info[1] is not None:
        return not isinstance(record.exc_info[1], SyntaxError)
    return (
        record.name.startswith("uvicorn")
        and record.levelno < logging.WARNING
        and not str(record.msg).startswith(_START_MESSAGE)
    )


def _exclusive_logger_class(handler: logging.Handler) -> type[logging.Logger]:
    class ExclusiveLogger(logging.Logger):
        """Logger whose records go to our handler only, even if other handlers are added later."""

        def callHandlers(self, record: logging.LogRecord) -> None:
            if record.levelno >= handler.level:
                handler.handle(record)

    return ExclusiveLogger


def _log_thread_failure(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        log_failure("a thread failed", failed.exc_value)


def _log_unraisable(failed: "sys.UnraisableHookArgs") -> None:
    if failed.exc_value is not None:
        log_failure("a failure could not be raised", failed.exc_value)


_log = logging.getLogger("raterscope.requests")
_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "WEBSOCKET"}


class RequestLog:
    """ASGI middleware: log path, status and milliseconds, never queries, cookies, visits or network addresses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        status = 0
        disconnect: OSError | None = None
        started_at = time.monotonic()

        async def send_noting(message: Message) -> None:
            nonlocal status, disconnect
            status = message.get("status", status)
            if message["type"] == "websocket.accept":
                status = 101
            try:
                await send(message)
            except OSError as error:  # ASGI: the client has disconnected
                disconnect = error
                raise

        try:
            await self.app(scope, receive, send_noting)
        except ClientDisconnect:
            pass
        except Exception as error:
            if disconnect is not None and disconnect in (error, error.__cause__, error.__context__):
                return
            number = log_failure("a request failed", error)
            if status == 0 and scope["type"] == "http":
                message = (
                    f"Something failed on our side. Tell the operator of this server the number {number}."
                )
                await PlainTextResponse(message, 500)(scope, receive, send_noting)
        finally:
            if not _is_routine(scope["path"], status):
                fields = {
                    "path": redact_path(scope["path"]),
                    "method": _method(scope),
                    "status": status,
                    "milliseconds": round((time.monotonic() - started_at) * 1000),
                }
                _log.info("request", extra={"fields": fields})


def _method(scope: Scope) -> str:
    method: str = scope.get("method", "WEBSOCKET")
    return method if method in _METHODS else "…"


def _is_routine(path: str, status: int) -> bool:
    """Return True for successful requests for static files and health checks."""
    return status < 400 and (
        path.startswith(("/static/", "/scripts/")) or streamlit_endpoint(path) in ("health", "host-config")
    )
