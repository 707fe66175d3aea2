"""Health: always 200 while the server lives; its text says `degraded` where data sets cannot be saved or read."""

import asyncio
import logging
import threading

import pytest

from data.errors import Damaged, DataError
from server import health
from server.health import DAMAGED, NO_ANSWER, NOT_WRITABLE, Health
from tests.server.asgi import Answer, answering, ask, asked, scope_of

HEALTH = scope_of("/_stcore/health")
READY = answering(body=b"ok")


class Fake:
    """A store that counts how often it is asked, and can be full or hang."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = None
        self.hanging = threading.Event()
        self.hanging.set()

    def __call__(self) -> "Fake":
        return self

    def check_writable(self) -> None:
        self.asked += 1
        self.hanging.wait(20)
        if self.error is not None:
            raise self.error


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    clock = [1000.0]
    monkeypatch.setattr(health, "monotonic", lambda: clock[0])
    return clock


def test_a_store_that_takes_writes_leaves_the_answer_to_streamlit() -> None:
    assert ask(Health(READY, Fake()), "/_stcore/health").text == "ok"
    not_ready = Health(answering(503, body=b"starting"), Fake())
    answer = ask(not_ready, "/_stcore/health")
    assert (answer.status, answer.text) == (503, "starting")


def test_a_store_that_cannot_be_written_is_reported_without_paths_and_the_log_says_why(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Fake()
    store.error = DataError(
        "/srv/secret/raterscope.duckdb cannot be written: postgres:password=hunter2 host=db"
    )
    with caplog.at_level(logging.INFO):
        answer = ask(Health(READY, store), "/_stcore/health")
    assert (answer.status, answer.text) == (200, f"degraded\n{NOT_WRITABLE}\n")
    reasons = [record.fields["reason"] for record in caplog.records if hasattr(record, "fields")]
    assert len(reasons) == 1
    assert "/srv/secret/raterscope.duckdb cannot be written" in reasons[0]
    assert "hunter2" not in reasons[0]


@pytest.mark.parametrize(
    "said",
    [
        "password='hunter 2' x",
        "PASSWORD = hunter2",
        "postgres://me:hunter2@db/x",
        "s3_secret=hunter2",
        "s3_key=hunter2",
    ],
)
def test_no_password_stands_in_the_reason(said: str, caplog: pytest.LogCaptureFixture) -> None:
    store = Fake()
    store.error = DataError(said)
    ask(Health(READY, store), "/_stcore/health")
    assert "hunter" not in str([getattr(record, "fields", {}) for record in caplog.records])


def test_a_store_that_cannot_even_be_opened_is_no_traceback() -> None:
    def broken() -> Fake:
        raise RuntimeError("no")

    answer = ask(Health(READY, broken), "/_stcore/health")
    assert (answer.status, answer.text.splitlines()[0]) == (200, "degraded")


def test_damage_is_reported_without_paths_and_once_in_the_log(
    caplog: pytest.LogCaptureFixture, now: list[float]
) -> None:
    store = Fake()
    store.error = Damaged("/srv/secret/raterscope.duckdb is damaged")
    app = Health(READY, store)
    for _ in range(3):
        answer = ask(app, "/_stcore/health")
        now[0] += 60
        assert (answer.status, answer.text) == (200, f"degraded\n{DAMAGED}\n")
    assert len(caplog.records) == 1


def test_a_server_that_is_not_ready_says_so_whatever_the_store_does() -> None:
    store = Fake()
    store.error = DataError("full")
    answer = ask(Health(answering(503, body=b"starting"), store), "/_stcore/health")
    assert (answer.status, answer.text) == (503, "starting")


@pytest.mark.parametrize("problem", [NOT_WRITABLE, DAMAGED, NO_ANSWER])
def test_no_problem_holds_the_word_that_says_that_all_is_well(problem: str) -> None:
    assert "ok" not in problem


def test_it_is_asked_once_however_many_ask_and_again_after_five_seconds(now: list[float]) -> None:
    store = Fake()
    app = Health(READY, store)

    async def many() -> list[Answer]:
        return await asyncio.gather(*[asked(app, HEALTH) for _ in range(50)])

    assert {answer.text for answer in asyncio.run(many())} == {"ok"}
    assert store.asked == 1
    store.error = DataError("full")
    now[0] += 4.9
    assert asyncio.run(asked(app, HEALTH)).text == "ok"
    now[0] += 0.2
    assert asyncio.run(asked(app, HEALTH)).text != "ok"
    assert store.asked == 2


def test_a_store_that_hangs_is_reported_is_not_asked_again_and_blocks_nobody(
    monkeypatch: pytest.MonkeyPatch, now: list[float]
) -> None:
    monkeypatch.setattr(health, "TIMEOUT", 0.05)
    store = Fake()
    store.hanging.clear()
    app = Health(READY, store)

    async def meanwhile() -> tuple[Answer, Answer, Answer]:
        waiting = asyncio.create_task(asked(app, HEALTH))
        other = await asked(app, scope_of("/"))
        first = await waiting
        now[0] += 60
        return other, first, await asked(app, HEALTH)

    other, first, second = asyncio.run(meanwhile())
    store.hanging.set()
    assert other.text == "ok"
    assert (first.status, first.text) == (200, f"degraded\n{NO_ANSWER}\n")
    assert second.text == first.text
    assert store.asked == 1


def test_while_the_store_takes_its_time_the_last_known_answer_is_reported(
    monkeypatch: pytest.MonkeyPatch, now: list[float]
) -> None:
    monkeypatch.setattr(health, "SHORT_TIMEOUT", 0.01)
    store = Fake()
    app = Health(READY, store)

    async def scene() -> list[str]:
        told = [(await asked(app, HEALTH)).text]
        store.hanging.clear()
        now[0] += health.CHECK_INTERVAL
        told.append((await asked(app, HEALTH)).text)
        now[0] += health.TIMEOUT
        told.append((await asked(app, HEALTH)).text)
        return told

    told = asyncio.run(scene())
    store.hanging.set()
    assert told == ["ok", "ok", f"degraded\n{NO_ANSWER}\n"]
    assert store.asked == 2


PAGE = [("accept", "application/json, text/plain, */*"), ("accept-language", "de"), ("cookie", "a=b")]


@pytest.mark.parametrize("headers", [PAGE, PAGE[:2], [("cookie", "a=b")], [("sec-fetch-mode", "cors")]])
def test_pages_may_connect_although_nothing_can_be_saved(headers: list[tuple[str, str]]) -> None:
    store = Fake()
    store.error = DataError("full")
    assert ask(Health(READY, store), "/_stcore/health", headers=headers).text == "ok"


@pytest.mark.parametrize(
    "headers", [[], [("accept", "*/*"), ("user-agent", "curl/8")], [*PAGE, ("accept", "text/html")]]
)
def test_whoever_watches_the_server_gets_details(headers: list[tuple[str, str]]) -> None:
    store = Fake()
    store.error = DataError("full")
    told = [header for header in headers if header != PAGE[0]]
    assert ask(Health(READY, store), "/_stcore/health", headers=told).text.startswith("degraded\n")
