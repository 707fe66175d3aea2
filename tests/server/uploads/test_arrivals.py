"""Uploads lie in the spool, whatever they are; what Streamlit gets and holds is an empty note for each."""

import asyncio
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as laws
from hypothesis import strategies as st
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.importing.spool import Spool
from data.settings import Settings
from server import arrivals
from server.arrivals import ARRIVED, Arrivals, UploadSpooler
from server.upload_limits import NOTE, UploadLimits
from tests.server.asgi import Answer, asked, scope_of

BOUNDARY = "----WebKitFormBoundary0123456789abcdef"
FORM = [("content-type", f"multipart/form-data; boundary={BOUNDARY}")]


def form(content: bytes, name: str = "ratings.csv", kind: str = "text/csv", extra: bytes = b"") -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    end = f"\r\n--{BOUNDARY}--\r\n"
    return extra + f"{head}Content-Type: {kind}\r\n\r\n".encode() + content + end.encode()


class Streamlit:
    """Fake that takes files out of forms as Streamlit does, and drops deleted ones."""

    def __init__(self, status: int = 204) -> None:
        self.files: list[tuple[str, bytes]] = []
        self.status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "PUT":
            async with Request(scope, receive).form() as fields:
                file = fields["file"]
                assert isinstance(file, UploadFile)
                self.files.append((str(file.content_type), await file.read()))
        await PlainTextResponse("", self.status)(scope, receive, send)


class Visitors:
    def __init__(self) -> None:
        self.open = {"visit", "other"}

    def is_open(self, visit: str) -> bool:
        return visit in self.open

    def stored_bytes(self, visit: str) -> int:
        return arrivals.arrivals.stored_bytes(visit)


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> Arrivals:
    fresh = Arrivals()
    monkeypatch.setattr(arrivals, "arrivals", fresh)
    return fresh


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return replace(Settings(), spool=tmp_path / "spool", upload_size=3_000_000)


def server(settings: Settings, streamlit: ASGIApp, visitors: Visitors | None = None) -> ASGIApp:
    return UploadLimits(UploadSpooler(streamlit, settings), settings, visitors or Visitors())


def put(
    app: ASGIApp, body: bytes, file: str = "file", visit: str = "visit", size: int = 65_536, kind: str = ""
) -> Answer:
    headers = [("content-type", kind)] if kind else FORM
    scope = scope_of(f"/_stcore/upload_file/{visit}/{file}", "PUT", headers)
    return asyncio.run(asked(app, scope, [body[at : at + size] for at in range(0, len(body), size)]))


def delete(app: ASGIApp, visit: str = "visit", file: str = "file") -> int:
    return asyncio.run(asked(app, scope_of(f"/_stcore/upload_file/{visit}/{file}", "DELETE"))).status


def lying(settings: Settings) -> list[Path]:
    return [path for path in settings.spool.rglob("*") if path.is_file()] if settings.spool.is_dir() else []


@laws(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=300),
        st.lists(
            st.sampled_from(
                [b"\r", b"\n", b"--", b"\r\n--" + BOUNDARY.encode()[:-1], BOUNDARY.encode(), b"a,b\r\n"]
            ),
            max_size=40,
        )
        .map(b"".join)
        .filter(lambda made: b"\r\n--" + BOUNDARY.encode() not in b"\r\n" + made),
    ),
    size=st.integers(1, 400),
)
def test_every_byte_lies_in_the_spool_however_it_is_cut(
    settings: Settings, content: bytes, size: int
) -> None:
    streamlit = Streamlit()
    assert put(server(settings, streamlit), form(content), size=size).status == 204
    arrival = arrivals.arrivals.take("visit", "file")
    assert arrival is not None
    assert arrival.path.read_bytes() == content
    assert (arrival.size, arrival.name) == (len(content), "ratings.csv")
    assert streamlit.files == [(ARRIVED, b"")]
    Spool(settings).discard(arrival.path)


@pytest.mark.parametrize("kind", [NOTE, ARRIVED, "text/csv"])
def test_a_note_that_a_visitor_forged_is_a_file_like_any_other(settings: Settings, kind: str) -> None:
    """A file says of itself that it is one of our notes and names a place; the page gets neither."""
    streamlit = Streamlit()
    assert put(server(settings, streamlit), form(b"/etc/passwd", kind=kind)).status == 204
    assert streamlit.files == [(ARRIVED, b"")]
    [path] = lying(settings)
    assert path.read_bytes() == b"/etc/passwd"


def test_only_its_own_visit_learns_where_an_upload_lies(settings: Settings, there: Arrivals) -> None:
    put(server(settings, Streamlit()), form(b"hers"))
    assert there.take("other", "file") is None
    assert there.take("visit", "another") is None
    assert there.take("visit", "file") is not None


def test_an_upload_never_stands_in_memory(settings: Settings) -> None:
    """60 MB as the same piece again and again: of a file that was held, no less than 60 MB would be there."""
    app = server(replace(settings, upload_size=70 * 10**6), Streamlit())
    piece = b"item,rater,4\r\n" * 4096
    head, end = form(b"").split(b"\r\n\r\n\r\n")
    number = 60 * 10**6 // len(piece)
    answer = Answer()
    at = 0

    async def receive() -> Message:
        nonlocal at
        at += 1
        body = head + b"\r\n\r\n" if at == 1 else b"\r\n" + end if at == number + 2 else piece
        return {"type": "http.request", "body": body, "more_body": at < number + 2}

    async def send(message: Message) -> None:
        answer.messages.append(message)

    tracemalloc.start()
    try:
        asyncio.run(app(scope_of("/_stcore/upload_file/visit/file", "PUT", FORM), receive, send))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status == 204
    [path] = lying(settings)
    assert path.stat().st_size == number * len(piece)
    assert peak < 10 * 10**6


def test_an_upload_goes_when_it_is_taken_back_but_not_once_the_page_has_it(
    settings: Settings, there: Arrivals
) -> None:
    app = server(settings, Streamlit())
    put(app, form(b"x"), "taken back")
    put(app, form(b"y"), "kept")
    taken = there.take("visit", "kept")
    assert taken is not None
    assert delete(app, file="taken back") == delete(app, file="kept") == 204
    assert delete(app, visit="other", file="kept") == 204
    assert lying(settings) == [taken.path]


def test_an_upload_under_the_same_number_takes_the_place_of_the_one_before(
    settings: Settings, there: Arrivals
) -> None:
    app = server(settings, Streamlit())
    for content in (b"one", b"two"):
        put(app, form(content))
    assert [path.read_bytes() for path in lying(settings)] == [b"two"]


def test_uploads_go_a_while_after_their_visit(
    settings: Settings, there: Arrivals, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(arrivals, "monotonic", lambda: clock[0])
    visitors = Visitors()
    app = server(settings, Streamlit(), visitors)
    for visit in ("visit", "other"):
        put(app, form(b"x"), visit=visit)
    assert there.remove_ended(visitors.is_open) == []
    visitors.open = {"other"}
    clock[0] += 140
    assert there.remove_ended(visitors.is_open) == [], "Streamlit still keeps the visit"
    clock[0] += 20
    [gone] = there.remove_ended(visitors.is_open)
    assert gone.path.exists()
    assert there.take("visit", "file") is None
    assert there.take("other", "file") is not None


def test_what_a_visit_has_in_the_spool_counts_until_it_is_discarded(
    settings: Settings, there: Arrivals
) -> None:
    app = server(settings, Streamlit())
    for name in ("one", "two"):
        put(app, form(bytes(2_900_000)), name)
    taken = there.take("visit", "one")
    assert taken is not None
    assert there.stored_bytes("visit") == 5_800_000
    streamlit = Streamlit()
    put(server(settings, streamlit), form(bytes(300_000)), "three")
    assert streamlit.files[0][0] == NOTE
    Spool(settings).discard(taken.path)
    streamlit = Streamlit()
    put(server(settings, streamlit), form(bytes(300_000)), "three")
    assert streamlit.files[0][0] == ARRIVED


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (form(b"x"), "text/csv"),
        (form(b"x"), "multipart/form-data"),
        (form(b"x" * 2_000_000)[:1_500_000], ""),
        (form(b"x") + form(b"y"), "multipart/form-data; boundary=another"),
        (form(b"x").removesuffix(b"--\r\n") + b"\r\n" + form(b"y"), ""),
        (form(b"x").replace(b"; filename", b"; name of the file"), ""),
        (form(b"x", name="a" * 100_000), ""),
        (b"", ""),
    ],
    ids=[
        "no form",
        "no boundary",
        "cut off",
        "another boundary",
        "two files",
        "no file",
        "endless name",
        "nothing",
    ],
)
def test_what_is_no_form_with_one_file_is_refused_and_leaves_nothing(
    settings: Settings, there: Arrivals, body: bytes, kind: str
) -> None:
    streamlit = Streamlit()
    assert put(server(settings, streamlit), body, kind=kind).status == 400
    assert streamlit.files == []
    assert lying(settings) == []
    assert there.take("visit", "file") is None


def test_a_sender_who_leaves_or_sends_too_much_leaves_nothing(settings: Settings) -> None:
    streamlit = Streamlit()
    app = server(settings, streamlit)
    body = form(bytes(2_500_000))
    sent: list[Message] = [
        {"type": "http.request", "body": body[:2_000_000], "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return sent.pop(0)

    async def send(message: Message) -> None:
        raise AssertionError("nobody is there to read it")

    asyncio.run(app(scope_of("/_stcore/upload_file/visit/file", "PUT", FORM), receive, send))
    assert lying(settings) == []
    put(app, form(bytes(20_000_000)))
    assert [kind for kind, _ in streamlit.files] == [NOTE]
    assert lying(settings) == []


def test_an_upload_that_streamlit_refuses_is_not_kept(settings: Settings, there: Arrivals) -> None:
    assert put(server(settings, Streamlit(status=403)), form(b"x")).status == 403
    assert lying(settings) == []
    assert there.stored_bytes("visit") == 0


def test_a_full_spool_is_reported_in_a_note_and_uploads_that_arrive_are_not_pushed_out(
    settings: Settings,
) -> None:
    tight = replace(settings, spool_size=2_000_000)
    spool, streamlit = Spool(tight), Streamlit()
    other = spool.begin_upload("other.csv")
    other.write(bytes(1_500_000))
    put(server(tight, streamlit), form(bytes(1_000_000)))
    [(kind, told)] = streamlit.files
    assert kind == NOTE
    assert b"RATERSCOPE_SPOOL_SIZE" in told
    assert other.finish().stat().st_size == 1_500_000


def test_a_spool_that_cannot_be_written_is_reported_without_its_path(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere = tmp_path / "a file"
    nowhere.write_text("no folder")
    streamlit = Streamlit()
    put(server(replace(settings, spool=nowhere), streamlit), form(b"x"))
    [(kind, told)] = streamlit.files
    assert kind == NOTE
    assert b"disk cannot be written" in told
    assert str(tmp_path).encode() not in told


def test_what_cannot_be_an_upload_passes_untouched(settings: Settings) -> None:
    app = UploadSpooler(Streamlit(), settings)
    for method, path in (("GET", "/data"), ("OPTIONS", "/_stcore/upload_file/visit/file")):
        assert asyncio.run(asked(app, scope_of(path, method))).status == 204
