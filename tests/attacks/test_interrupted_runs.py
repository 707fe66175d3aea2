"""A server with one visitor: the files that a page holds, and a flood of runs that interrupt each other."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.attacks.visit import Visit
from tests.browser.conftest import Server

pytestmark = pytest.mark.journey
STUDY = "sample-summaries"


@pytest.fixture
def at_once(counted: tuple[Server, Path]) -> Path:
    """The file with a line for each run: how many of its visit were under way at its start."""
    return counted[1]


@pytest.fixture
def server(counted: tuple[Server, Path]) -> Server:
    return counted[0]


def test_an_open_page_holds_four_files(server: Server) -> None:
    """docs/hosting.md derives the server's `nofile` from it."""
    files = Path(f"/proc/{server.process.pid}/fd")
    with ExitStack() as opened:
        first = opened.enter_context(Visit(server.url, "data"))
        first.run()
        before = len(list(files.iterdir()))
        for _ in range(20):
            opened.enter_context(first.websocket())
        assert round((len(list(files.iterdir())) - before) / 20) == 4


def test_a_flood_of_runs_never_has_two_of_one_visit_at_once(server: Server, at_once: Path) -> None:
    """Streamlit keeps a visit's state without a lock that two of its runs would share."""
    at_once.unlink()
    with Visit(server.url, "repetitions", {"d": STUDY}) as visit:
        visit.run()
        for number in range(150):
            visit.page = ("repetitions", "agreement")[number // 5 % 2]
            visit.query = {"d": STUDY, "shuffles": str(1 + number % 9), "rule": "x", "order": "x"}
            visit.begin()
        visit.page, visit.query = "agreement", {"d": STUDY}
        visit.begin()
        while "Agreement" not in visit.run():
            pass
    assert set(at_once.read_text().split()) == {"1"}
