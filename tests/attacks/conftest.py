"""A hostile visitor's tools: the whole app on a database of its own, as tests of pages have it, and one server that
all attack."""

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.visit import Visit
from tests.browser.conftest import UVICORN, Server, start_server
from tests.pages.conftest import (
    add_study,
    database,
    fewer_draws,
    known_pages,
    open_page,
    saved_studies,
    shown_findings,
)

__all__ = [
    "add_study",
    "database",
    "fewer_draws",
    "known_pages",
    "open_page",
    "saved_studies",
    "shown_findings",
]
SECRET = "f00dfeedf00dfeedf00dfeedf00dfeed"
"""A key that leads nowhere and must not be written down."""
UPLOADS_PER_HOUR = 60
PAGES = 40
SETTINGS = {
    "RATERSCOPE_UPLOAD_SIZE": "2 MB",
    "RATERSCOPE_PAGES": str(PAGES),
    "RATERSCOPE_LIMITS": json.dumps(
        {
            "unpacked_size": "20 MB",
            "upload_minutes": 0.05,
            "uploads_per_hour": UPLOADS_PER_HOUR,
            "uploads_at_once": 4,
        }
    ),
}
WATCHED = """
import os, socket

def watched(name, whole):
    def ask(*given):
        place = given[1] if name == "connect" else given[0]
        host = str(place[0] if isinstance(place, tuple) else place)
        if host not in ("localhost", "127.0.0.1", "0.0.0.0", "::1", "None"):
            with open(os.environ["LOOKED_UP"], "a") as told:
                told.write(f"{name} {host}\\n")
            raise OSError("this machine has no network")
        return whole(*given)
    return ask

class Watched(socket.socket):
    connect = watched("connect", socket.socket.connect)

socket.socket = Watched
for name in ("getaddrinfo", "gethostbyname"):
    whole = getattr(socket, name)
    setattr(socket, name, (lambda n, w: lambda *a, **k: watched(n, lambda *b: w(*b, **k))(*a))(name, whole))
"""
"""Runs before anything else in the server: whatever it asks beyond this machine is written down, and fails."""


@pytest.fixture(scope="session")
def looked_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("looked up") / "asked.txt"


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory, looked_up: Path) -> Iterator[tuple[Server, str]]:
    """A server that was started with fewer files than the system gives, and what its first visitor read: she opened a
    page within."""
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "sitecustomize.py").write_text(WATCHED)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(900, hard), hard))
    try:
        running = start_server(folder, PYTHONPATH=str(folder), LOOKED_UP=str(looked_up), **SETTINGS)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        with Visit(running.url, "distributions", {"d": "sample-summaries"}) as first:
            said = first.run()
        yield running, said
    finally:
        running.stop()
    log = running.log.read_text()
    assert "Traceback" not in log
    assert SECRET not in log, "a key stands in the log"


@pytest.fixture(scope="session")
def server(attacked: tuple[Server, str]) -> Server:
    return attacked[0]


COUNTED = """
import os, threading
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

running, lock, whole = [], threading.Lock(), ScriptRunner._run_script

def counted(self, *given):
    visit = self._session_id
    with lock:
        running.append(visit)
        with open(os.environ["RUNS_AT_ONCE"], "a") as log:
            log.write(f"{running.count(visit)}\\n")
    try:
        whole(self, *given)
    finally:
        with lock:
            running.remove(visit)

ScriptRunner._run_script = counted
"""
"""Runs before anything else in the server: each run writes down how many of its visit are under way at its start."""


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server that nobody attacks, and the file with a line for each run of a page."""
    folder = tmp_path_factory.mktemp("counted")
    (folder / "sitecustomize.py").write_text(COUNTED)
    at_once = folder / "at once"
    running = start_server(folder, UVICORN, PYTHONPATH=str(folder), RUNS_AT_ONCE=str(at_once))
    yield running, at_once
    running.stop()
    assert running.errors() == []
