"""Two servers on one catalogue, as visitors meet them: what is saved at one opens at the other, and one may die."""

import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacks.visit import Visit
from tests.browser.conftest import UVICORN, Server, start_server
from tests.data.conftest import postgres
from tests.lake_servers import Postgres

__all__ = ["postgres"]
pytestmark = pytest.mark.journey

FINDING = "Crowd and lab have the same median"


@dataclass
class Replicas:
    one: Server
    two: Server
    lake: Path


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[Replicas]:
    lake = tmp_path_factory.mktemp("lake")
    shared = {"RATERSCOPE_DATABASE": postgres.new_url(), "RATERSCOPE_DATA_PATH": str(lake)}
    with ExitStack() as ending:
        servers = []
        for name in ("one", "two"):
            servers.append(start_server(tmp_path_factory.mktemp(name), UVICORN, **shared))
            ending.callback(servers[-1].stop)
        yield Replicas(*servers, lake)


def ratings(items: int) -> bytes:
    rows = "".join(
        f"item {item},{group} {rater},{group},{1 + (item * 7 + rater) % 5}\n"
        for item in range(items)
        for group in ("crowd", "lab")
        for rater in range(5)
    )
    return f"item,rater,group,score\n{rows}".encode()


def saved(server: Server, items: int) -> str:
    """Uploads and saves a study of so many items there; its key."""
    with Visit(server.url, "data") as visit:
        visit.run()
        said = visit.offer(f"study of {items}.csv", ratings(items))
        assert "Save" in visit.buttons, (said, server.log.read_text()[-3000:])
        visit.press("Save")
        return visit.query["d"]


def opened(server: Server, key: str) -> str:
    with Visit(server.url, "distributions", {"d": key}) as visit:
        return visit.run()


def health(server: Server) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def down(server: Server) -> tuple[int, str]:
    """Its health once it tells of the fault, or after the time within which it has to (asked at most every 5 s)."""
    give_up = time.monotonic() + 7
    while (told := health(server))[1] == "ok" and time.monotonic() < give_up:
        time.sleep(0.2)
    return told


@pytest.mark.slow
def test_a_visitor_reads_a_sentence_while_the_catalogue_is_away(
    replicas: Replicas, postgres: Postgres
) -> None:
    key = saved(replicas.one, 12)
    assert health(replicas.one)[0] == 200
    postgres.stop()
    try:
        said = opened(replicas.one, key)
        assert "cannot be reached at the moment" in said
        assert "Traceback" not in said
        assert "EXCEPTION" not in said
        status, told = down(replicas.one)
        assert (status, told.splitlines()[0]) == (200, "degraded")
        assert "host=" not in told
    finally:
        postgres.start()
    assert FINDING in opened(replicas.one, key)


@pytest.mark.slow
def test_what_is_saved_at_one_server_opens_at_the_other_and_outlives_it(replicas: Replicas) -> None:
    """Last in this file: one server ends here."""
    one, two = replicas.one, replicas.two
    keys = [saved(one, 12), saved(two, 20)]
    assert FINDING in opened(two, keys[0])
    assert FINDING in opened(one, keys[1])

    with Visit(one.url, "data") as visit:
        visit.run()
        visit.offer("large.csv", ratings(4000))
        before = sum(1 for _ in replicas.lake.rglob("*.parquet"))
        visit.begin(visit.click("Save"))
        give_up = time.monotonic() + 60
        while sum(1 for _ in replicas.lake.rglob("*.parquet")) == before:
            assert time.monotonic() < give_up, "the import never wrote a file"
        one.process.send_signal(signal.SIGKILL)
        one.process.wait(timeout=20)
    for key in keys:
        assert FINDING in opened(two, key)
