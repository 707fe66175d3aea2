"""Addresses and methods that nobody needs lead nowhere."""

import asyncio

import pytest
from starlette.types import ASGIApp

from server.static_files import ClosedPaths, redact_path
from tests.server.asgi import answering, ask, asked, scope_of


@pytest.fixture
def app() -> ASGIApp:
    return ClosedPaths(answering())


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/metrics/",
        "/_stcore//metrics",
        "//_stcore/metrics",
        "/_STCORE/Metrics",
        "/_stcore/./metrics",
        "/data/../_stcore/metrics",
        "/%5fstcore/metrics",
        "/%255fstcore%252fmetrics",
        "/_stcore%2fmetrics",
        "\\_stcore\\metrics",
        "/below/a/prefix/_stcore/metrics",
        "/_stcore",
        "/_stcore/agent/interact",
        "/_stcore/agent/mcp",
        "/_stcore/agent/openapi.json",
        "/_stcore/script-health-check",
        "/_stcore/bidi-components/x/y.js",
        "/component/x/index.html",
        "/_stcore/health/",
        "/_stcore//health",
        "/_stcore/upload_file/visit",
        "/_stcore/upload_file/visit/file/more",
        "/_stcore/health\n",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_a_closed_address_is_not_found_however_it_is_spelt(app: ASGIApp, path: str, method: str) -> None:
    assert ask(app, path, method).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/crowd-vs-lab",
        "/static/js/index.js",
        "/media/a.csv",
        "/_stcore/health",
        "/_stcore/host-config",
        "/below/a/prefix/_stcore/health",
        "/oauth2callback",
        "/auth/login",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_what_the_pages_need_is_open(app: ASGIApp, path: str, method: str) -> None:
    assert ask(app, path, method).status == 200


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "OPTIONS", "get", "X"]
)
def test_pages_are_only_read(app: ASGIApp, method: str) -> None:
    answer = ask(app, "/data", method)
    assert answer.status == 405
    assert answer.values("allow") == ["GET, HEAD"]


@pytest.mark.parametrize(
    ("method", "status"), [("PUT", 200), ("DELETE", 200), ("OPTIONS", 200), ("GET", 405), ("POST", 405)]
)
def test_uploads_are_put_and_deleted(app: ASGIApp, method: str, status: int) -> None:
    assert ask(app, "/_stcore/upload_file/visit/file", method).status == status


@pytest.mark.parametrize(
    ("path", "passed"), [("/_stcore/stream", True), ("/", False), ("/_stcore/health", False)]
)
def test_websockets_reach_the_pages_stream_only(app: ASGIApp, path: str, passed: bool) -> None:
    answer = asyncio.run(asked(app, scope_of(path, kind="websocket")))
    assert (answer.messages[0]["type"] != "websocket.close") == passed


@pytest.mark.parametrize(
    "path",
    [
        "/0123456789abcdef0123456789abcdef",
        "/repetitions/0123456789abcdef0123456789abcdef",
        "/_stcore/upload_file/secretvisit/secretfile",
        "/media/anna.schmidt@example.org",
        "/anna%20schmidt",
        "/" + "a" * 200,
        "/a\nb",
    ],
)
def test_a_log_line_shows_only_plain_words_of_an_address(path: str) -> None:
    shown = redact_path(path)
    assert "…" in shown
    for part in path.split("/"):
        if part not in ("", "repetitions", "_stcore", "upload_file", "media"):
            assert part not in shown
