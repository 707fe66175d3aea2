"""A hostile visitor uploads: bombs, endless and oversized files, slow ones, very many, and misleading names."""

import gzip
import io
import re
import threading
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.upload_limits import MAX_NOTES
from tests.attacks.conftest import UPLOADS_PER_HOUR
from tests.attacks.visit import Visit
from tests.browser.conftest import Server

pytestmark = pytest.mark.journey

TABLE = b"item,rater,group,score\n" + b"".join(
    f"item {item},{group} {rater},{group},{1 + (item + rater) % 5}\n".encode()
    for item in range(8)
    for group in ("crowd", "lab")
    for rater in range(4)
)


@pytest.fixture
def visit(server: Server) -> Iterator[Visit]:
    with Visit(server.url, "data") as someone:
        someone.run()
        yield someone


def memory(server: Server) -> int:
    """Bytes that the server's process holds."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) * 1024


def serves_others(server: Server) -> bool:
    with Visit(server.url, "distributions") as other:
        return "medians are higher" in other.run()


def test_an_honest_upload_is_proposed(visit: Visit) -> None:
    """Baseline for the attacks below: a valid upload works."""
    assert "<b>64 of 64 ratings kept</b>" in visit.offer("ratings.csv", TABLE)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: gzip.compress(TABLE + bytes(200 * 10**6)), "unpacks to more than the 20 MB"),
        (lambda: gzip.compress(TABLE) + gzip.compress(b"") * 80_000, "very many tiny packed pieces"),
        (lambda: gzip.compress(TABLE)[:-12], "ends too early"),
        (lambda: gzip.compress(gzip.compress(TABLE)), "packed with gzip twice"),
    ],
    ids=["a bomb", "endless members", "cut off", "twice packed"],
)
def test_a_hostile_gzip_gets_a_sentence(
    server: Server, visit: Visit, content: Callable[[], bytes], said: str
) -> None:
    before = memory(server)
    assert said in visit.offer("ratings.csv.gz", content())
    assert memory(server) - before < 60 * 10**6
    assert serves_others(server)


def test_a_zip_bomb_is_not_unpacked(server: Server, visit: Visit) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("../../ratings.csv", bytes(200 * 10**6))
    before = memory(server)
    assert "unpacks to more than the 20 MB" in visit.offer("ratings.zip", packed.getvalue())
    assert memory(server) - before < 60 * 10**6


def test_an_oversized_upload_is_refused_while_it_arrives(server: Server, visit: Visit) -> None:
    before = memory(server)
    said = visit.offer("large.csv", bytes(50 * 10**6))
    assert "This file was not taken" in said
    assert "RATERSCOPE_UPLOAD_SIZE" in said
    assert memory(server) - before < 25 * 10**6
    assert "<b>64 of 64 ratings kept</b>" in visit.offer("ratings.csv", TABLE)


def test_a_slow_upload_is_ended(server: Server, visit: Visit) -> None:
    answer, seconds = visit.put_slowly(20)
    assert answer, "the server still waited"
    assert "204" not in answer.split("\r\n")[0]
    assert seconds < 15


@pytest.mark.slow
def test_slow_uploads_of_many_leave_room_for_others(server: Server, visit: Visit) -> None:
    with Visit(server.url, "data") as hostile:
        hostile.run()
        threads = [threading.Thread(target=hostile.put_slowly, args=(8,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        assert serves_others(server)
        for thread in threads:
            thread.join()
    assert "<b>64 of 64 ratings kept</b>" in visit.offer("ratings.csv", TABLE)


@pytest.mark.slow
def test_thousands_of_tiny_uploads_fill_nothing(server: Server) -> None:
    with Visit(server.url, "data") as hostile:
        hostile.run()
        before = memory(server)
        answers = hostile.put_many("tiny.csv", b"a,b\n1,2\n", 2_000)
        assert memory(server) - before < 12 * 10**6
        assert answers.count(204) == UPLOADS_PER_HOUR + MAX_NOTES
        assert answers.count(429) == 2_000 - UPLOADS_PER_HOUR - MAX_NOTES
        assert serves_others(server)


def waiting(server: Server) -> set[str]:
    spool = server.log.parent / "spool"
    return {folder.name for folder in spool.iterdir()} if spool.is_dir() else set()


def test_twenty_uploads_that_are_cancelled_in_the_middle_leave_nothing(server: Server) -> None:
    """By closing the connection, by resetting it, and by taking back what has arrived."""
    before = waiting(server)
    with Visit(server.url, "data") as visit:
        visit.run()
        assert "<b>64 of 64 ratings kept</b>" in visit.offer("first.csv", TABLE)
        held, kept = memory(server), waiting(server)
        for number in range(20):
            if number % 3 == 2:
                assert visit.put("cancelled.csv", TABLE + bytes(10**6), f"file{number}")[0] == 204
                assert visit.delete(f"file{number}") < 300
            else:
                visit.break_off(10**6, reset=number % 3 == 1)
        for _ in range(100):  # the server notices one after the other that they are gone
            if waiting(server) == kept:
                break
            time.sleep(0.1)
        assert waiting(server) == kept
        assert memory(server) - held < 30 * 10**6
        statuses = [visit.put(f"{number}.csv", TABLE, f"next{number}")[0] for number in range(4)]
        assert statuses == [204] * 4, "a place is still taken"
        for number in range(4):
            visit.delete(f"next{number}")
    assert len(waiting(server) - before) <= 1
    assert server.errors() == []


@pytest.mark.parametrize(
    "name",
    [
        "../../../../tmp/evil.csv",
        "/etc/cron.d/evil.csv",
        "..\\..\\evil.csv",
        "a" * 1000 + ".csv",
        "%2e%2e%2fevil.csv",
    ],
)
def test_a_file_name_that_points_elsewhere_is_only_a_name(server: Server, visit: Visit, name: str) -> None:
    assert "<b>64 of 64 ratings kept</b>" in visit.offer(name, TABLE)
    spool = server.log.parent / "spool"
    kept = [path for path in spool.rglob("*") if path.is_file()]
    assert kept
    ours = re.compile(r"file(\.csv(\.gz)?|\.zip)?|staged-[0-9a-f]{64}\.(parquet|json)")
    assert [path.name for path in kept if not ours.fullmatch(path.name)] == []
    assert not Path("/tmp/evil.csv").exists()


def test_an_endless_file_name_is_refused(visit: Visit) -> None:
    assert visit.put("a" * 100_000 + ".csv", TABLE)[0] == 400


def test_uploads_without_a_visit_of_ones_own_are_refused(server: Server, visit: Visit) -> None:
    """Another's session id would let a stranger put files into her visit: it needs her cookies' token too."""
    stranger = Visit(server.url, session="0" * 36)
    assert stranger.put("ratings.csv", TABLE)[0] in (400, 403, 404)
    thief = Visit(server.url, session=visit.session)
    assert thief.put("ratings.csv", TABLE)[0] == 403


def test_health_is_well_after_all_that(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=10) as answer:
        assert answer.status == 200
