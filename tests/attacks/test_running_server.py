"""The server as people start it, by either command: headers, cookie, closed addresses, health, a log without keys."""

import http.client
import json
import re
import time
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import Server

pytestmark = pytest.mark.journey

KEY = "feedfacefeedfacefeedfacefeedface"
ONCE = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "x-frame-options",
    "permissions-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "x-robots-tag",
    "cache-control",
]


@pytest.fixture(scope="module", params=["attacked", "counted"], ids=["streamlit run", "uvicorn"])
def server(request: pytest.FixtureRequest) -> Server:
    running: Server = request.getfixturevalue(request.param)[0]
    return running


def ask(
    server: Server, path: str, method: str = "GET", **headers: str
) -> tuple[int, list[tuple[str, str]], bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    connection.putrequest(method, path)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = [(name.lower(), value) for name, value in answer.getheaders()], answer.read()
    connection.close()
    return answer.status, *found


def a_script_of(server: Server) -> str:
    found = re.search(rb'src="\./(static/js/[^"]+)"', ask(server, "/")[2])
    assert found is not None
    return "/" + found[1].decode()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        (f"/repetitions?d={KEY}", 200),
        ("a script", 200),
        ("/data/", 301),
        ("/media/nothing.csv", 404),
        ("/_stcore/metrics", 404),
        ("/_stcore/health", 200),
        ("/_stcore/host-config", 200),
        ("//evil.invalid/", 400),
        ("/%5cevil.invalid/", 400),
    ],
)
def test_every_answer_has_every_header_once(server: Server, path: str, status: int) -> None:
    answered, headers, _ = ask(server, a_script_of(server) if path == "a script" else path)
    names = [name for name, _ in headers]
    assert answered == status
    assert {name: names.count(name) for name in ONCE} == dict.fromkeys(ONCE, 1)
    assert not [name for name in names if name.startswith("access-control-")]


def test_the_first_page_gives_the_cookie_and_files_do_not(server: Server) -> None:
    cookies = [value for name, value in ask(server, "/data")[1] if name == "set-cookie"]
    assert len(cookies) == 1
    assert re.match(r"raterscope_workspace=[0-9a-f]{32}; ", cookies[0])
    assert not [name for name, _ in ask(server, a_script_of(server))[1] if name == "set-cookie"]


def test_the_font_that_a_page_names_is_served(server: Server) -> None:
    named = re.search(rb'href="\./(static/media/[^"]+)"', ask(server, "/")[2])
    assert named is not None
    assert ask(server, "/" + named[1].decode())[0] == 200


def test_health_is_reported(server: Server) -> None:
    status, _, body = ask(server, "/_stcore/health")
    assert (status, body) == (200, b"ok")


def test_a_page_is_no_place_to_post_to(server: Server) -> None:
    assert ask(server, "/data", "POST")[0] == 405


def test_an_upload_of_nobodys_visit_is_refused(server: Server) -> None:
    status, _, body = ask(server, f"/_stcore/upload_file/{KEY}/{KEY}", "PUT", **{"Content-Length": "0"})
    assert status == 403
    assert b"Reload" in body


def test_the_log_is_json_and_holds_no_key_and_nobodys_address(server: Server) -> None:
    for path in (
        f"/?d={KEY}",
        f"/{KEY}",
        f"/overview/{KEY}?d={KEY}",
        f"/media/{KEY}",
        f"/_stcore/upload_file/{KEY}/{KEY}",
    ):
        ask(
            server,
            path,
            Cookie=f"raterscope_workspace={KEY}",
            Referer=f"http://x/?d={KEY}",
            **{"User-Agent": KEY},
        )
    ask(server, "/", "GET", **{"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": KEY})
    ask(server, "/last-of-all")
    for _ in range(100):  # a line is written when its answer is out
        log = server.log.read_text()
        if "/last-of-all" in log:
            break
        time.sleep(0.1)
    assert KEY not in log
    assert "127.0.0.1:" not in log.replace("http://127.0.0.1:", "")
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    paths = [line["path"] for line in lines if line["logger"] == "raterscope.requests"]
    assert "/last-of-all" in paths
    assert "/overview/…" in paths
