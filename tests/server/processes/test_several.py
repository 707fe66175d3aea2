"""Several processes behind one address, as `python -m server` starts them: each visitor's is always the same one, one
that ends is started again, and all go with the one above."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server.processes.handed import Handed, hand
from server.processes.whose import owner
from tests.attacks.visit import Visit
from tests.browser.conftest import ROOT, SEVERAL, Server, start_server

RATINGS = b"item,rater,score,group\n" + b"".join(
    f"i{item},{group}{rater},{(item + rater) % 5 + 1},{group}\n".encode()
    for item in range(6)
    for group in ("crowd", "lab")
    for rater in range(4)
)


def test_a_connection_is_handed_over_whole() -> None:
    ours, theirs = socket.socketpair()
    here, there = socket.socketpair()
    with ours, here, there, Handed(fileno=theirs.detach()) as handed:
        there.sendall(b"what came first")
        hand(ours, here)
        taken, _ = handed.accept()
        with taken:
            assert taken.recv(100) == b"what came first"
            taken.sendall(b"an answer")
        assert there.recv(100) == b"an answer"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--processes", "0"], "--processes must be 1 or more; got 0"), (["--port", "1.5"], "--port")],
)
def test_senseless_numbers_are_refused_in_words(arguments: list[str], told: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "server", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert told in ended.stderr


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start_server(tmp_path_factory.mktemp("server"), SEVERAL)
    yield running
    running.stop()


@pytest.mark.journey
def test_a_taken_port_is_told_in_words(server: Server) -> None:
    port = str(urlsplit(server.url).port)
    ended = subprocess.run(
        [sys.executable, "-m", "server", "--port", port],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Raterscope does not start: ")
    assert "Traceback" not in ended.stderr


@pytest.mark.journey
def test_visit_and_upload_of_everybody_meet_and_a_saved_study_opens_for_others(server: Server) -> None:
    """Whoever comes: uploads are taken by the process that holds the visit alone."""
    used, keys = set(), []
    for number in range(4):
        with Visit(server.url, "data") as visitor:
            used.add(owner(visitor.cookies["raterscope_workspace"], 2))
            visitor.run()
            said = visitor.offer(f"study {number}.csv", RATINGS)
            assert "<b>48 of 48 ratings kept</b>" in said
            visitor.press("Save")
            keys.append(visitor.query["d"])
    assert used == {0, 1}
    for key in keys * 2:
        with Visit(server.url, "distributions", {"d": key}) as other:
            assert "Not found" not in other.run()
    assert server.errors() == []


@pytest.mark.journey
def test_a_proxys_connection_brings_one_request(server: Server) -> None:
    place = urlsplit(server.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    for headers, last in (({}, None), ({"X-Forwarded-Proto": "http"}, "close")):
        connection.request("GET", "/_stcore/health", headers=headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.getheader("connection") == last
    connection.close()


@pytest.mark.journey
def test_who_says_nothing_holds_up_nobody(server: Server) -> None:
    place = (urlsplit(server.url).hostname, urlsplit(server.url).port)
    silent = [socket.create_connection(place) for _ in range(50)]
    slow = [socket.create_connection(place) for _ in range(50)]
    try:
        for each in slow:
            each.sendall(b"GET / HT")
        with Visit(server.url, "data") as visitor:
            assert visitor.run()
    finally:
        for each in [*silent, *slow]:
            each.close()


@pytest.mark.journey
def test_a_process_that_ends_is_started_again_and_all_go_with_the_one_above(tmp_path: Path) -> None:
    server = start_server(tmp_path, SEVERAL)
    try:
        first = _below(server)
        assert len(first) == 2
        time.sleep(max(0.0, 11 - _age(first[0])))  # who ends at once is not started again
        os.kill(first[0], signal.SIGKILL)
        _until(lambda: len(_below(server)) == 2 and first[0] not in _below(server))
        for _ in range(4):
            with Visit(server.url, "data") as visitor:
                assert visitor.run()
        below = _below(server)
        server.process.kill()
        server.process.wait()
        _until(lambda: not any(Path(f"/proc/{each}/cmdline").exists() for each in below))
    finally:
        server.stop()


def _below(server: Server) -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return sorted(
        int(number)
        for each in children
        for number in each.read_text().split()
        if b"server.processes.one" in Path(f"/proc/{number}/cmdline").read_bytes()
    )


def _age(process: int) -> float:
    started = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK")


def _until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.1)
