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


def file_of(server: Server, what: str) -> str:
    """Return the address of a file that the page names."""
    pattern = {"a script": rb'src="\./(static/js/[^"]+)"', "a font": rb'href="\./(static/media/[^"]+)"'}[what]
    found = re.search(pattern, ask(server, "/")[2])
    assert found is not None
    return "/" + found[1].decode()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        (f"/repetitions?d={KEY}", 200),
        ("a script", 200),
        ("a font", 200),
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
    is_file = path.startswith("a ")
    answered, headers, _ = ask(server, file_of(server, path) if is_file else path)
    names = [name for name, _ in headers]
    assert answered == status
    assert {name: names.count(name) for name in ONCE} == dict.fromkeys(ONCE, 1)
    assert not [name for name in names if name.startswith("access-control-")]
    cookies = [value for name, value in headers if name == "set-cookie"]
    if path == "/":
        assert len(cookies) == 1
        assert re.match(r"raterscope_workspace=[0-9a-f]{32}; ", cookies[0])
    assert not (is_file and cookies)


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
