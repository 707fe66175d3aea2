"""Line breaks and control codes of terminals in all that a visitor sends: the log keeps its one line of JSON each."""

import json
import socket
from urllib.parse import quote, urlsplit

import pytest

from tests.attacks.visit import Visit
from tests.browser.conftest import Server

pytestmark = pytest.mark.journey
CODES = "\x1b[2Jforged\x1b]0;forged\x07\u2028\u202eforged\x9b31m\x7f"
LINE = '{"level": "error", "event": "forged"}'
QUOTE = '"'
TABLE = "item,rater,score\n" + "".join(
    f'"i{i}{CODES}","r{r}{CODES}\n{LINE.replace(QUOTE, 2 * QUOTE)}",{(i + r) % 5}\n'
    for i in range(8)
    for r in range(8)
)


def send(server: Server, head: bytes) -> None:
    """Send a request unchanged, whatever it holds."""
    place = urlsplit(server.url)
    with socket.create_connection((place.hostname, place.port), 30) as line:
        line.sendall(head + b"\r\nConnection: close\r\n\r\n")
        while line.recv(1 << 16):
            pass


def test_whatever_a_visitor_sends_each_line_of_the_log_is_one_object_without_it(server: Server) -> None:
    before = len(server.log.read_text())
    typed, escaped = f"{CODES}\n{LINE}".encode(), quote(f"{CODES}\r\n{LINE}")
    host = urlsplit(server.url).netloc.encode()
    raw = typed.replace(b"\n", b"")
    for head in (
        f"GET /{escaped}?d={escaped} HTTP/1.1\r\nHost: ".encode() + host,
        f"GET /media/{escaped} HTTP/1.1\r\nHost: ".encode() + host,
        b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nUser-Agent: " + raw + b"\r\nReferer: " + raw,
        b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nCookie: raterscope_workspace=" + raw,
        b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nX-Folded: a\r\n " + raw,
        b"GET /" + raw + b" HTTP/1.1\r\nHost: " + host,
        raw + b" / HTTP/1.1\r\nHost: " + host,
    ):
        send(server, head)
    with Visit(server.url, "data") as visit:
        visit.run()
        assert "64 of 64" in visit.offer(f"ratings{CODES}%0A{LINE.replace(QUOTE, '')}.csv", TABLE.encode())
        assert visit.put(f"broken{CODES}", b"\x00" * 10)[0] < 500
    with Visit(server.url, "agreement", {"d": CODES, "candidate": f"{CODES}\n{LINE}"}) as visit:
        visit.run()
        visit.page = f"agreement{CODES}\n{LINE}"
        visit.run()
    added = server.log.read_text()[before:]
    lines = added.splitlines()
    assert [type(json.loads(line)) for line in lines] == [dict] * added.count("\n")
    assert "forged" not in added
    assert all(" " <= character <= "~" for line in lines for character in line)
