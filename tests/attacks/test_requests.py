"""A hostile visitor sends requests that no browser sends: forged headers, forged cookies, path traversal."""

import http.client
import re
import socket
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

from tests.attacks.conftest import SECRET
from tests.attacks.visit import Visit
from tests.browser.conftest import Server

pytestmark = pytest.mark.journey


def ask(
    server: Server, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    connection.putrequest(method, path, skip_host=bool(headers and "Host" in headers))
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    body = answer.read()
    connection.close()
    return answer.status, found, body


@pytest.mark.parametrize("start", ["", "/static", "/media", "/component", "/app/static", "/_stcore", "/data"])
@pytest.mark.parametrize(
    "climb",
    [
        "/../../../../../../etc/passwd",
        "/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/..%5c..%5c..%5cetc%5cpasswd",
        "//etc/passwd",
        "/....//....//etc/passwd",
        "/%00/etc/passwd",
        "/..%c0%af..%c0%afetc/passwd",
    ],
)
def test_no_path_leads_out_of_the_house(server: Server, start: str, climb: str) -> None:
    _, _, body = ask(server, start + climb)
    assert b"root:" not in body
    assert b"Traceback" not in body


@pytest.mark.parametrize(
    "path",
    [
        "/app.py",
        "/pages/_frame.py",
        "/data/store.py",
        "/.streamlit/config.toml",
        "/data/local/raterscope.duckdb",
    ],
)
def test_no_file_of_the_project_is_served(server: Server, path: str) -> None:
    _, headers, body = ask(server, path)
    assert headers["content-type"].startswith("text/html") or not body
    assert b"import " not in body


@pytest.mark.parametrize(
    "path",
    ["/_stcore/metrics", "/_stcore/metrics/", "//_stcore/metrics", "/_stcore/%6detrics", "/_stcore//metrics"],
)
def test_metrics_are_not_public(server: Server, path: str) -> None:
    _, _, body = ask(server, path)
    assert b"# TYPE" not in body
    assert b"streamlit_" not in body


@pytest.mark.parametrize(
    "path", ["/", "/repetitions", "/_stcore/health", "/_stcore/metrics", "/nothing.js", "/media/x"]
)
def test_every_answer_carries_the_security_headers(server: Server, path: str) -> None:
    _, headers, _ = ask(server, f"{path}?d={SECRET}")
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_page_elsewhere_cannot_open_the_visitors_websocket(server: Server) -> None:
    with (
        Visit(server.url) as visit,
        pytest.raises(InvalidStatus) as refused,
        visit.websocket("https://evil.invalid"),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_forged_proxy_and_host_headers_are_not_reflected(server: Server) -> None:
    forged = {
        "Host": "evil.invalid",
        "X-Forwarded-Host": "evil.invalid",
        "X-Forwarded-Prefix": "/evil.invalid",
        "X-Original-URL": "/_stcore/metrics",
        "Forwarded": "host=evil.invalid",
    }
    _, headers, body = ask(server, "/", forged)
    assert b"evil.invalid" not in body
    assert "evil.invalid" not in repr(headers)


def cookie_given(headers: dict[str, str]) -> str:
    found = re.search(r"raterscope_workspace=([0-9a-f]{32});", headers.get("set-cookie", ""))
    return found[1] if found else ""


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "zq!",
        "0" * 31,
        "0" * 33,
        "G" * 32,
        "A" * 32,
        "../" * 11,
        "0" * 31 + "%",
        "' OR 1=1 --",
        "é" * 32,
        "0" * 7000,
    ],
)
def test_a_cookie_that_was_never_given_out_is_replaced_by_a_new_one(server: Server, cookie: str) -> None:
    encoded = cookie.encode("utf-8").decode("latin-1")
    status, headers, body = ask(server, "/", {"Cookie": f"raterscope_workspace={encoded}"})
    assert status == 200
    assert cookie_given(headers)
    assert not cookie or cookie.encode() not in body
    flags = headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=lax" in flags


def test_every_new_browser_gets_a_workspace_of_its_own(server: Server) -> None:
    given = [cookie_given(ask(server, "/")[1]) for _ in range(50)]
    assert len(set(given)) == 50


def test_a_header_cannot_be_split(server: Server) -> None:
    _, headers, _ = ask(server, "/%0d%0aSet-Cookie:%20evil=1?d=%0d%0aX-Evil:%201")
    assert "evil" not in repr(headers).lower()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT"])
def test_no_page_answers_what_only_changes(server: Server, method: str) -> None:
    status, _, body = ask(server, "/data", method=method)
    assert status in (400, 403, 404, 405)
    assert b"Traceback" not in body


def test_a_deep_link_is_answered_before_anybody_opened_the_root(attacked: tuple[Server, str]) -> None:
    """On a fresh server the very first visitor opened a page within: the frame stands around it."""
    server, said = attacked
    assert "medians are higher" in said
    with Visit(server.url, "distributions", {"d": SECRET}) as visit:
        said = visit.run()
    assert "Not found" in said
    assert "medians are higher" not in said


def test_messages_that_are_none_end_only_the_senders_visit(server: Server) -> None:
    with Visit(server.url) as visit:
        for payload in (b"", b"\x00" * 1000, b"\xff" * 100_000):
            with visit.websocket() as line:
                line.send(payload)
    with Visit(server.url, "distributions") as other:
        assert "medians are higher" in other.run()


def test_silent_and_half_sent_requests_hold_up_nobody(server: Server) -> None:
    place = (urlsplit(server.url).hostname, urlsplit(server.url).port)
    held = [socket.create_connection(place) for _ in range(100)]
    try:
        for connection in held[::2]:
            connection.sendall(b"GET / HT")
        with Visit(server.url, "data") as visit:
            assert "Traceback" not in visit.run()
    finally:
        for connection in held:
            connection.close()
