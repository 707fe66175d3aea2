"""The log holds nothing that belongs to a person, whatever is thrown at it."""

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.log import JsonLines, LoggedError, RequestLog, format_record, log_failure, recent_errors
from tests.server.asgi import answering, ask, asked, scope_of

KEY = "0123456789abcdef0123456789abcdef"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def handler() -> JsonLines:
    return JsonLines()


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_a_failure_is_its_class_and_our_places_never_its_message() -> None:
    try:
        json.loads(f"{{'name': '{KEY}'")
    except ValueError as error:
        record = logging.LogRecord("raterscope", logging.ERROR, __file__, 1, "a page failed", (), None)
        record.exc_info = (type(error), error, error.__traceback__)
    line = format_record(record)
    assert line["event"] == "a page failed"
    assert line["exception"] == "json.decoder.JSONDecodeError"
    assert line["frames"] == [
        f"tests/server/test_log.py:{number}:test_a_failure_is_its_class_and_our_places_never_its_message"
        for number in [record.exc_info[2].tb_lineno]  # type: ignore[union-attr]
    ]
    assert KEY not in json.dumps(line)


def test_causes_are_reported_by_class() -> None:
    try:
        try:
            raise KeyError(KEY)
        except KeyError as cause:
            raise ValueError(KEY) from cause
    except ValueError as error:
        record = logging.LogRecord("raterscope", logging.ERROR, __file__, 1, "failed", (), None)
        record.exc_info = (type(error), error, error.__traceback__)
    assert format_record(record)["causes"] == ["KeyError"]
    assert KEY not in json.dumps(format_record(record))


@pytest.mark.parametrize("name", ["uvicorn.error", "streamlit.runtime", "asyncio", "py.warnings", "root"])
def test_of_others_records_only_level_and_place_are_kept(name: str) -> None:
    record = logging.LogRecord(name, logging.WARNING, "/x/y.py", 7, f"value {KEY} %s", (KEY,), None)
    line = format_record(record)
    assert line["event"] == "warning at y.py:7"
    assert KEY not in json.dumps(line)


def test_every_line_is_one_line_of_json(handler: JsonLines, capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.LogRecord("raterscope", logging.INFO, "", 1, "two\nlines\u2028and a \ud800", (), None)
    handler.emit(record)
    written = capsys.readouterr().err
    assert written.count("\n") == 1
    assert json.loads(written)["level"] == "info"
    assert json.loads(written)["time"].endswith("+00:00")


def test_the_last_fifty_errors_are_kept_for_the_operator(handler: JsonLines) -> None:
    for number in range(60):
        handler.emit(logging.LogRecord("raterscope", logging.ERROR, "/x/y.py", number, "it broke", (), None))
    handler.emit(logging.LogRecord("raterscope", logging.INFO, "/x/y.py", 99, "all is well", (), None))
    seen = recent_errors()
    assert len(seen) == 50
    assert isinstance(seen[0], LoggedError)
    assert (seen[0].what, seen[0].where) == ("it broke", "y.py:59")
    assert seen[-1].where == "y.py:10"


def test_a_failure_has_a_number_that_the_visitor_gets_and_the_log_line_carries(
    caplog: pytest.LogCaptureFixture,
) -> None:
    number = log_failure("a page failed", raised(ValueError(KEY)))
    assert number != log_failure("a page failed", raised(ValueError(KEY)))
    assert next(record.fields["error"] for record in caplog.records) == number  # type: ignore[attr-defined]


def test_a_request_is_logged_without_query_visit_or_cookie(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "raterscope.requests"):
        scope = scope_of(f"/_stcore/upload_file/{KEY}/{KEY}", "PUT", [("cookie", KEY), ("user-agent", KEY)])
        scope |= {"query_string": f"d={KEY}".encode(), "client": ("203.0.113.9", 1)}
        asyncio.run(asked(RequestLog(answering(204)), scope))
    line = json.dumps(format_record(caplog.records[0]))
    assert KEY not in line
    assert "203.0.113.9" not in line
    assert json.loads(line)["status"] == 204
    assert json.loads(line)["method"] == "PUT"


def test_a_method_that_is_somebodys_words_is_not_written_down(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "raterscope.requests"):
        ask(RequestLog(answering(405)), "/", KEY.upper())
    assert KEY.upper() not in json.dumps(format_record(caplog.records[0]))


def test_a_request_that_fails_gets_a_sentence_with_the_number_of_its_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError(KEY)

    answer = ask(RequestLog(broken), "/")
    number = next(record.fields["error"] for record in caplog.records if hasattr(record, "fields"))
    assert answer.status == 500
    assert number in answer.text
    assert KEY not in answer.text
    assert "Traceback" not in answer.text


async def stops_reading(scope: Scope, receive: Receive, send: Send) -> None:
    raise ClientDisconnect


async def sends(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.parametrize("app", [stops_reading, sends])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_client_that_disconnects_is_not_an_error(
    app: ASGIApp, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def receive() -> Message:
        return {"type": f"{kind}.disconnect"}

    async def send(message: Message) -> None:
        raise OSError("the client has disconnected")

    asyncio.run(RequestLog(app)(scope_of("/", kind=kind), receive, send))
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_an_os_error_of_our_own_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise OSError(KEY)

    assert ask(RequestLog(broken), "/").status == 500
    assert any(record.levelno >= logging.ERROR for record in caplog.records)


LOUD = f"""
import logging, sys, threading, warnings, asyncio
other = logging.getLogger("streamlit.early")
other.addHandler(logging.StreamHandler())
other.propagate = False
from server.log import set_up_logging
set_up_logging()
late = logging.getLogger("streamlit.late")
late.propagate = False
for logger in (other, late, logging.getLogger("uvicorn.error"), logging.getLogger("uvicorn.access"), logging.root):
    logger.addHandler(logging.StreamHandler())
    logger.setLevel(logging.DEBUG)
    logger.info("GET /?d={KEY}")
    logger.error("upload %s", "{KEY}")
    logger.error("two %s", "{KEY}", "{KEY}")
    try:
        raise ValueError("{KEY}")
    except ValueError:
        logger.exception("{KEY}")
warnings.warn("{KEY}")
def fail():
    raise ValueError("{KEY}")
thread = threading.Thread(target=fail)
thread.start(); thread.join()
class Odd:
    def __del__(self):
        raise ValueError("{KEY}")
Odd()
async def task():
    asyncio.create_task(asyncio.to_thread(fail))
    await asyncio.sleep(0.2)
asyncio.run(task())
logging.getLogger("raterscope").info("the end")
"""


def test_nothing_that_any_part_of_the_process_says_brings_a_key_into_the_log() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOUD], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert KEY not in ran.stderr + ran.stdout
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert lines[-1]["event"] == "the end"
    assert {line["logger"] for line in lines} >= {
        "streamlit.early",
        "streamlit.late",
        "uvicorn.error",
        "root",
        "py.warnings",
        "asyncio",
        "raterscope",
    }
    assert "ValueError" in {line.get("exception") for line in lines}
