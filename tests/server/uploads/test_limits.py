"""Uploads are limited in size, time, number and space before they are taken."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.settings import Settings
from server import upload_limits
from server.upload_limits import FORM_OVERHEAD, UploadLimits
from tests.server.asgi import Answer, asked, scope_of

PATH = "/_stcore/upload_file/visit/file"
SIZE = 100_000


@pytest.fixture
def without_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without a note, as to a visit that had all its notes."""
    monkeypatch.setattr(upload_limits, "MAX_NOTES", 0)


class Visitors:
    def __init__(self) -> None:
        self.open = {"visit", "other", "third"}
        self.in_the_spool: dict[str, int] = {}

    def is_open(self, visit: str) -> bool:
        return visit in self.open

    def stored_bytes(self, visit: str) -> int:
        return self.in_the_spool.get(visit, 0)


class Streamlit:
    """Fake that reads uploads to the end, as Streamlit does, and counts bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self.finished = 0
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.go_on.wait()
        while True:
            message = await receive()
            self.bytes += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        self.finished += 1
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def limited(streamlit: ASGIApp, visitors: Visitors | None = None, **settings: Any) -> UploadLimits:
    given = replace(Settings(), upload_size=SIZE, **settings)
    return UploadLimits(streamlit, given, visitors or Visitors())


async def put(app: ASGIApp, body: list[bytes], length: str | None = "sum", visit: str = "visit") -> Answer:
    headers = [] if length is None else [("content-length", length)]
    if length == "sum":
        headers = [("content-length", str(sum(map(len, body))))]
    scope = scope_of(PATH.replace("visit", visit), "PUT", headers)
    return await asked(app, scope, body)


def test_an_upload_within_the_limits_arrives_whole() -> None:
    streamlit = Streamlit()
    answer = asyncio.run(put(limited(streamlit), [b"x" * (SIZE // 2)] * 2))
    assert answer.status == 204
    assert streamlit.bytes == SIZE


@pytest.mark.usefixtures("without_notes")
def test_a_file_that_says_it_is_too_large_never_reaches_streamlit_and_the_limit_is_named() -> None:
    streamlit = Streamlit()
    answer = asyncio.run(put(limited(streamlit), [b"x"], str(SIZE + FORM_OVERHEAD + 1)))
    assert answer.status == 413
    assert "100 KB" in answer.text
    assert "RATERSCOPE_UPLOAD_SIZE" in answer.text
    assert answer.values("connection") == ["close"]
    assert streamlit.bytes == 0


@pytest.mark.usefixtures("without_notes")
@pytest.mark.parametrize("length", [None, "10"])
def test_a_file_that_hides_its_size_is_stopped_while_it_arrives(length: str | None) -> None:
    streamlit = Streamlit()
    answer = asyncio.run(put(limited(streamlit), [b"x" * 10_000] * 1000, length))
    assert answer.status == 413
    assert streamlit.bytes <= SIZE + FORM_OVERHEAD
    assert streamlit.finished == 0


@pytest.mark.parametrize("length", ["-1", "1e3", "ten", "²", "1 0", "0x10"])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    assert asyncio.run(put(limited(Streamlit()), [b"x"], length)).status == 400


def test_an_upload_of_nobodys_visit_is_refused_and_costs_no_memory() -> None:
    app = limited(Streamlit())

    async def flood() -> set[int]:
        return {(await put(app, [b"x"], visit=f"guess{number}")).status for number in range(500)}

    assert asyncio.run(flood()) == {400}
    assert len(app._uploads_begun) == 0


def test_an_upload_ends_with_the_visit_that_sent_it() -> None:
    visitors, streamlit = Visitors(), Streamlit()
    app = limited(streamlit, visitors)
    answer = Answer()
    pieces = [b"x"] * 10

    async def receive() -> Message:
        pieces.pop()
        if len(pieces) == 5:
            visitors.open.clear()
        return {"type": "http.request", "body": b"x", "more_body": bool(pieces)}

    async def send(message: Message) -> None:
        answer.messages.append(message)

    asyncio.run(app(scope_of(PATH, "PUT"), receive, send))
    assert answer.status == 400
    assert streamlit.finished == 0


def test_an_upload_that_falls_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_limits, "SILENCE_TIMEOUT", 0.05)
    answer = asyncio.run(silent(limited(Streamlit())))
    assert answer.status == 408
    assert "Nothing arrived" in answer.text
    assert answer.values("connection") == ["close"]


def test_an_upload_may_take_no_longer_than_the_setting_however_steadily_it_drips() -> None:
    answer = asyncio.run(silent(limited(Streamlit(), upload_minutes=0.05 / 60), drip=True))
    assert answer.status == 408
    assert "longer than 0.000833" in answer.text


async def silent(app: ASGIApp, drip: bool = False) -> Answer:
    answer = Answer()

    async def receive() -> Message:
        if not drip:
            await asyncio.Event().wait()
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: Message) -> None:
        answer.messages.append(message)

    await asyncio.wait_for(app(scope_of(PATH, "PUT"), receive, send), 20)
    return answer


@pytest.mark.usefixtures("without_notes")
def test_only_so_many_uploads_arrive_at_once_and_the_place_is_free_again_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upload_limits, "WAIT_TIMEOUT", 0.0)

    async def scenario() -> tuple[list[int], Answer, int]:
        streamlit = Streamlit()
        streamlit.go_on.clear()
        app = limited(streamlit, uploads_at_once=2)
        waiting = [asyncio.create_task(put(app, [b"x"], visit=visit)) for visit in ("visit", "other")]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        refused = await put(app, [b"x"], visit="third")
        streamlit.go_on.set()
        arrived = [(await task).status for task in waiting]
        return arrived, refused, (await put(app, [b"x"], visit="third")).status

    arrived, refused, afterwards = asyncio.run(scenario())
    assert arrived == [204, 204]
    assert refused.status == 503
    assert refused.values("retry-after") == ["60"]
    assert "2 uploads arrive" in refused.text
    assert afterwards == 204


def test_thirty_files_chosen_together_arrive_though_fewer_may_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upload_limits, "_POLL_INTERVAL", 0.001)
    arriving = most = 0

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal arriving, most
        arriving += 1
        most = max(most, arriving)
        await asyncio.sleep(0.002)
        arriving -= 1
        await Streamlit()(scope, receive, send)

    app = limited(slow, uploads_at_once=8)

    async def scenario() -> list[Answer]:
        return await asyncio.gather(*(put(app, [b"x"]) for _ in range(30)))

    assert {answer.status for answer in asyncio.run(scenario())} == {204}
    assert most == 8


def test_a_failing_upload_gives_its_place_back() -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise ConnectionError

    app = limited(failing, uploads_at_once=1)
    for _ in range(3):
        with pytest.raises(ConnectionError):
            asyncio.run(put(app, [b"x"]))


@pytest.mark.usefixtures("without_notes")
def test_a_visit_may_upload_so_many_files_an_hour_and_no_other_visit_is_held_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(upload_limits, "monotonic", lambda: clock[0])
    app = limited(Streamlit(), uploads_per_hour=3)

    def status(visit: str = "visit") -> int:
        return asyncio.run(put(app, [b"x"], visit=visit)).status

    assert [status() for _ in range(5)] == [204, 204, 204, 429, 429]
    assert status("other") == 204
    clock[0] += 3599
    assert status() == 429
    clock[0] += 2
    assert [status() for _ in range(4)] == [204, 204, 204, 429]


def test_the_count_of_uploads_is_bounded_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_limits, "_MAX_VISITS", 10)
    visitors = Visitors()
    visitors.open = {f"visit{number}" for number in range(50)}
    app = limited(Streamlit(), visitors, uploads_per_hour=2)

    async def fill() -> None:
        for visit in sorted(visitors.open) * 2:
            await put(app, [b"x"], visit=visit)

    asyncio.run(fill())
    assert len(app._uploads_begun) <= 10


@pytest.mark.usefixtures("without_notes")
def test_what_one_visit_leaves_unsaved_is_bounded() -> None:
    visitors = Visitors()
    visitors.in_the_spool = {"visit": 2 * SIZE}
    app = limited(Streamlit(), visitors)
    answer = asyncio.run(put(app, [b"x" * (SIZE // 2)]))
    assert answer.status == 413
    assert "RATERSCOPE_UPLOAD_SIZE" in answer.text
    assert asyncio.run(put(app, [b"x" * (SIZE // 2)], visit="other")).status == 204


def test_other_requests_pass_untouched() -> None:
    async def scenario() -> list[int]:
        app = limited(Streamlit(), Visitors(), uploads_per_hour=1)
        delete = [(await asked(app, scope_of(PATH, "DELETE"))).status for _ in range(3)]
        return [*delete, (await asked(app, scope_of("/data", "GET"))).status]

    assert asyncio.run(scenario()) == [204, 204, 204, 204]


class Uploader:
    """Fake that takes files out of forms like Streamlit: name, type and text of each."""

    def __init__(self) -> None:
        self.files: list[tuple[str, str]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        declared = int(request.headers.getlist("content-length")[0])
        body = await request.body()
        assert len(body) == declared
        async with request.form() as form:
            file = form["file"]
            assert isinstance(file, UploadFile)
            self.files.append((str(file.content_type), (await file.read()).decode()))
        await PlainTextResponse("", 204)(scope, receive, send)


FORM = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
    b"Content-Type: text/csv\r\n\r\na,b\r\n--b--\r\n"
)


async def put_form(app: ASGIApp, visit: str = "visit", pieces: int = 1) -> Answer:
    headers = [
        ("content-type", "multipart/form-data; boundary=b"),
        ("content-length", str(pieces * len(FORM))),
        ("x-xsrftoken", "hers"),
    ]
    return await asked(app, scope_of(PATH.replace("visit", visit), "PUT", headers), [FORM] * pieces)


def test_a_refused_file_reaches_the_page_as_a_note_that_says_why() -> None:
    uploader = Uploader()
    app = limited(uploader, uploads_per_hour=1)
    assert [asyncio.run(put_form(app)).status for _ in range(2)] == [204, 204]
    (taken, note) = uploader.files
    assert taken == ("text/csv", "a,b")
    assert note[0] == upload_limits.NOTE
    assert "uploads of an hour, of which there are 1" in note[1]


def test_none_of_a_refused_file_reaches_the_page() -> None:
    uploader, visitors = Uploader(), Visitors()
    visitors.in_the_spool = {"visit": 2 * SIZE + 2 * FORM_OVERHEAD}
    asyncio.run(put_form(limited(uploader, visitors), pieces=3))
    assert [kind for kind, _ in uploader.files] == [upload_limits.NOTE]
    assert "a,b" not in uploader.files[0][1]


def test_a_visit_gets_only_so_many_notes_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(upload_limits, "monotonic", lambda: clock[0])
    monkeypatch.setattr(upload_limits, "MAX_NOTES", 2)
    uploader = Uploader()
    app = limited(uploader, uploads_per_hour=1)
    assert [asyncio.run(put_form(app)).status for _ in range(5)] == [204, 204, 204, 429, 429]
    assert len(uploader.files) == 3
    assert asyncio.run(put_form(app, visit="other")).status == 204
    clock[0] += 3601
    assert [asyncio.run(put_form(app)).status for _ in range(4)] == [204, 204, 204, 429]


def test_nobodys_visit_gets_no_note() -> None:
    uploader = Uploader()
    assert asyncio.run(put_form(limited(uploader), visit="guess")).status == 400
    assert uploader.files == []


def test_a_refused_file_that_never_ends_gets_no_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_limits, "DRAIN_SECONDS", 0.05)
    uploader, visitors = Uploader(), Visitors()
    visitors.in_the_spool = {"visit": 2 * SIZE + 2 * FORM_OVERHEAD}
    answer = asyncio.run(silent(limited(uploader, visitors), drip=True))
    assert answer.status == 413
    assert uploader.files == []
