"""Two servers behind the proxy of deploy/nginx.conf: https, websockets, uploads, and a visit stays in one server.

The proxy's configuration is the one that is shipped; only ports, paths and the list of servers are put in. Skipped
where nginx or openssl is missing, unless RATERSCOPE_REQUIRE_NGINX is set.
"""

import json
import os
import secrets
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import UVICORN, Server, new_visitor, settle, start_server
from tests.nginx import HTTPS_SERVER, UNVERIFIED, nginx, program

COOKIE = "__Host-raterscope_workspace"


@dataclass
class Proxy:
    url: str
    plain: str
    log: Path
    servers: list[Server]

    def seen(self, count: int = 1) -> list[dict[str, Any]]:
        """The log's lines, once there are so many of them."""
        for _ in range(100):
            lines = self.log.read_text().splitlines()
            if len(lines) >= count:
                return [json.loads(line) for line in lines]
            time.sleep(0.1)
        raise AssertionError(f"the proxy logged {len(lines)} of {count} requests within 10 s")

    def get(self, path: str, **headers: str) -> tuple[int, Message]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, headers=named)
        try:
            with urllib.request.urlopen(request, timeout=20, context=UNVERIFIED) as answer:
                return answer.status, answer.headers
        except HTTPError as error:
            return error.code, error.headers


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    try:
        program("nginx"), program("openssl")
    except FileNotFoundError as error:
        if os.environ.get("RATERSCOPE_REQUIRE_NGINX"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("proxy")
    with ExitStack() as ending:
        servers = []
        for number in ("1", "2"):
            (folder / number).mkdir()
            servers.append(start_server(folder / number, UVICORN, **HTTPS_SERVER))
            ending.callback(servers[-1].stop)
        running = ending.enter_context(nginx(folder, servers))
        yield Proxy(running.url, running.plain, running.access_log, servers)
        assert running.error_log.read_text() == ""


def test_a_visitor_works_through_the_proxy_and_stays_in_one_server(proxy: Proxy, chromium: Browser) -> None:
    someone = new_visitor(chromium, proxy.servers[0], ignore_https_errors=True)
    page = someone.page
    page.goto(f"{proxy.url}/?d=no-such-key-0123456789")
    settle(page)
    expect(page.get_by_role("heading", level=1, name="Not found")).to_be_visible()
    page.goto(f"{proxy.url}/data")
    settle(page)
    expect(page.get_by_role("heading", level=1, name="Data")).to_be_visible()
    [cookie] = [cookie for cookie in someone.context.cookies() if cookie["name"] == COOKIE]
    assert cookie["secure"]
    someone.context.close()
    assert someone.violations == []

    streams: list[dict[str, Any]] = []
    for _ in range(100):  # a websocket's line is written when it has ended
        lines = [line for line in proxy.seen() if line["visitor"] == cookie["value"]]
        streams = [line for line in lines if line["path"] == "/_stcore/stream"]
        if len(streams) >= 2:
            break
        time.sleep(0.1)
    assert [line["status"] for line in streams[:2]] == [101, 101]
    assert len({line["upstream"] for line in lines}) == 1
    assert "no-such-key" not in proxy.log.read_text()


def test_visitors_are_spread_over_the_servers_each_always_to_the_same(proxy: Proxy) -> None:
    before = len(proxy.seen(0))
    for _ in range(2):
        for visitor in range(40):
            value = f"{visitor:032x}"
            assert proxy.get("/_stcore/health", Cookie=f"other=1; {COOKIE}={value}")[0] == 200
    lines = proxy.seen(before + 80)[before:]
    by_visitor: dict[str, set[str]] = {}
    for line in lines:
        by_visitor.setdefault(line["visitor"], set()).add(line["upstream"])
    assert len(by_visitor) == 40
    assert all(len(upstreams) == 1 for upstreams in by_visitor.values())
    assert len(set.union(*by_visitor.values())) == 2


def test_without_https_there_is_only_the_way_to_it(proxy: Proxy) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    with pytest.raises(HTTPError) as told:
        urllib.request.build_opener(Stay).open(
            f"{proxy.plain}/repetitions?d={secrets.token_hex(16)}", timeout=10
        )
    told.value.close()
    assert told.value.code == 301
    assert told.value.headers["Location"].startswith("https://")


def test_a_page_has_the_security_headers_once(proxy: Proxy) -> None:
    status, headers = proxy.get("/")
    assert status == 200
    [policy] = headers.get_all("content-security-policy", [])
    assert "frame-ancestors 'none'" in policy
    assert headers.get_all("referrer-policy") == ["no-referrer"]
    assert len(headers.get_all("strict-transport-security", [])) == 1
    assert headers.get_all("server") == ["nginx"]


def test_an_upload_beyond_the_limit_is_refused_before_it_arrives(proxy: Proxy) -> None:
    assert proxy.get("/_stcore/upload_file/x/y", Content_Length=str(600 * 2**20))[0] == 413


def test_a_server_that_is_gone_is_passed_over(proxy: Proxy) -> None:
    """Last in this file: one server ends here."""
    proxy.servers[0].stop()
    for visitor in range(20):
        assert proxy.get("/", Cookie=f"{COOKIE}={visitor:032x}")[0] == 200
