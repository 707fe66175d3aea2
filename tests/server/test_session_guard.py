"""Session guard, called as a server calls it: origins, cookies, messages and files."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from data.settings import Settings
from server import run_queue, session_guard
from server.run_queue import RunQueue
from server.session_guard import NO_COOKIE, NO_FILE, NOT_YOURS, SessionGuard, current_download
from tests.server.asgi import Answer, scope_of
from tests.server.asgi import asked as answered

HERS, ANOTHERS = "a" * 32, "b" * 32
HOST = "ratings.example.org:8501"


@dataclass
class Streamlit:
    """Fake that numbers visits, answers with the files it was told to make, and records requests."""

    scopes: list[Scope] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    make: Callable[[], str] = lambda: "/media/file0.csv"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"of Streamlit"})
            return
        await send({"type": "websocket.accept"})
        visit = ForwardMsg()
        visit.new_session.initialize.session_id = (scope["subprotocols"][2:] or [f"visit{len(self.scopes)}"])[
            0
        ]
        await send({"type": "websocket.send", "bytes": visit.SerializeToString()})
        while (message := await receive())["type"] == "websocket.receive":
            self.messages.append(message)
            sent = BackMsg.FromString(message["bytes"])
            if sent.WhichOneof("type") == "rerun_script":
                await send({"type": "websocket.send", "bytes": visit.SerializeToString()})
            if sent.WhichOneof("type") == "backend_operation_request":
                answer = ForwardMsg()
                told = answer.backend_operation_response
                told.request_id = sent.backend_operation_request.request_id
                told.deferred_file.url = await asyncio.to_thread(self.make)
                await send({"type": "websocket.send", "bytes": answer.SerializeToString()})


def guarded(streamlit: Streamlit, **settings: Any) -> SessionGuard:
    return SessionGuard(streamlit, replace(Settings(), **settings))


def headers(
    cookie: str | None = HERS, origin: str | None = f"http://{HOST}", **more: str
) -> list[tuple[str, str]]:
    given = {"host": HOST, **{name.replace("_", "-"): value for name, value in more.items()}}
    if origin is not None:
        given["origin"] = origin
    if cookie is not None:
        given["cookie"] = f"other=1; raterscope_workspace={cookie}"
    return list(given.items())


def visit(
    app: SessionGuard, *sent: bytes | str, back_to: str = "", **of: Any
) -> tuple[list[Message], list[ForwardMsg]]:
    """A websocket that sends these and leaves; all that came back, and what of it are messages of Streamlit's."""
    protocols = ["streamlit", "token", *([back_to] if back_to else [])]
    scope = scope_of(
        "/_stcore/stream",
        headers=headers(sec_websocket_protocol=", ".join(protocols), **of),
        kind="websocket",
        subprotocols=protocols,
        extensions={"websocket.http.response": {}},
    )
    waiting: list[Message] = [
        {"type": "websocket.receive", "bytes" if isinstance(each, bytes) else "text": each} for each in sent
    ]
    back: list[Message] = []

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "websocket.disconnect", "code": 1001}

    async def send(message: Message) -> None:
        back.append(message)

    asyncio.run(app(scope, receive, send))
    return back, [ForwardMsg.FromString(each["bytes"]) for each in back if each["type"] == "websocket.send"]


def request(app: SessionGuard, path: str, method: str = "GET", **of: Any) -> Answer:
    return asyncio.run(answered(app, scope_of(path, method, headers(**of))))


def download(file: str = "deferred") -> bytes:
    message = BackMsg()
    message.backend_operation_request.request_id = "request"
    message.backend_operation_request.deferred_file.file_id = file
    return message.SerializeToString()


def test_its_own_page_connects_and_streamlit_gets_a_host_that_it_needs_not_look_up() -> None:
    streamlit = Streamlit()
    back, _ = visit(guarded(streamlit), origin=f"https://{HOST.upper()}")
    assert back[0]["type"] == "websocket.accept"
    given = dict(streamlit.scopes[0]["headers"])
    assert given[b"host"] == HOST.upper().encode(), "Streamlit compares it with the origin as it came"


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "http://ratings.example.org",
        "http://ratings.example.org:8502",
        f"http://{HOST}.evil.invalid",
        f"http://evil.invalid/{HOST}",
        f"http://user@{HOST}",
        f"ftp://{HOST}",
        f"http://{HOST}/",
    ],
)
def test_any_other_origin_is_refused_before_streamlit(origin: str | None) -> None:
    streamlit = Streamlit()
    assert visit(guarded(streamlit), origin=origin)[0] == [{"type": "websocket.close", "code": 1008}]
    assert request(guarded(streamlit), "/_stcore/upload_file/visit1/f", "PUT", origin=origin).status == 403
    assert streamlit.scopes == []


def test_with_https_a_page_without_it_is_another() -> None:
    cookie = {"cookie": None}
    assert visit(guarded(Streamlit(), https=True), **cookie)[0][0]["type"] == "websocket.close"
    own = visit(guarded(Streamlit(), https=True), origin=f"https://{HOST}", **cookie)
    assert own[0][0]["type"] == "websocket.accept"


def test_where_an_address_is_set_it_alone_counts_whatever_host_is_asked() -> None:
    streamlit = Streamlit()
    app = guarded(streamlit, address="https://public.example.org")
    assert visit(app, origin="https://public.example.org")[0][0]["type"] == "websocket.accept"
    assert visit(app)[0] == [{"type": "websocket.close", "code": 1008}]
    assert dict(streamlit.scopes[0]["headers"])[b"host"] == b"public.example.org"


def test_streamlit_learns_of_no_origin_but_the_websockets() -> None:
    """It would compare another one with addresses that it looks up."""
    streamlit = Streamlit()
    assert request(guarded(streamlit), "/_stcore/health", origin="https://evil.invalid").status == 200
    assert b"origin" not in dict(streamlit.scopes[0]["headers"])


@pytest.mark.parametrize(
    ("cookie", "given"), [(HERS, "visit1"), (ANOTHERS, "visit2"), (None, "visit2"), ("x" * 32, "visit2")]
)
def test_only_its_own_browser_comes_back_to_a_visit(cookie: str | None, given: str) -> None:
    app = guarded(Streamlit())
    visit(app)
    _, told = visit(app, back_to="visit1", cookie=cookie)
    assert told[0].new_session.initialize.session_id == given


def test_a_visit_without_a_cookie_is_nobodys() -> None:
    app = guarded(Streamlit())
    visit(app, cookie=None)
    _, told = visit(app, back_to="visit1", cookie=None)
    assert told[0].new_session.initialize.session_id == "visit2"
    assert request(app, "/_stcore/upload_file/visit1/f", "PUT", cookie=None).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_only_its_own_browser_changes_a_visits_uploads(method: str) -> None:
    app = guarded(Streamlit())
    visit(app)
    path = "/_stcore/upload_file/visit1/file"
    assert request(app, path, method).text == "of Streamlit"
    for cookie in (ANOTHERS, None, "x" * 32):
        refused = request(app, path, method, cookie=cookie)
        assert (refused.status, refused.text) == (403, NOT_YOURS)
    assert request(app, path.replace("visit1", "visit7"), method).status == 403


def backs() -> dict[str, bytes]:
    messages = {name: BackMsg() for name in BackMsg.DESCRIPTOR.fields_by_name}
    for name, message in messages.items():
        chosen = getattr(message, name)
        if isinstance(chosen, bool):
            setattr(message, name, True)
        else:
            chosen.SetInParent()
    for operation in ("install_skills", "dismiss_skills_nudge", "dataframe_chunk"):
        message = messages[operation] = BackMsg()
        getattr(message.backend_operation_request, operation).SetInParent()
    return {name: message.SerializeToString() for name, message in messages.items()} | {"nothing": b""}


@pytest.mark.parametrize("name", backs())
def test_only_messages_that_pages_send_pass(name: str) -> None:
    streamlit = Streamlit()
    visit(guarded(streamlit), backs()[name])
    needed = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat"}
    assert len(streamlit.messages) == (name in needed)


def page(app: SessionGuard, sent: list[bytes], cookie: str = HERS, **scope: Any) -> Awaitable[None]:
    """An open page that sends all of these and stays."""
    waiting = list(sent)

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "bytes": waiting.pop(0)}

    async def send(message: Message) -> None:
        pass

    stream = scope_of("/_stcore/stream", headers=headers(cookie), kind="websocket", subprotocols=[], **scope)
    return app(stream, receive, send)


async def until(done: Callable[[], bool], *pages: Awaitable[None]) -> None:
    """Let pages be open until this is so."""
    tasks = [asyncio.ensure_future(each) for each in pages]
    while not done():
        ended, _ = await asyncio.wait(tasks, timeout=0)
        for task in ended:
            task.result()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_no_message_of_an_open_page_is_dropped_however_many_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "RATE", 1e6)
    monkeypatch.setattr(run_queue, "ADDRESS_RATE", 1e6)
    sent = [backs()["rerun_script"], backs()["file_urls_request"]] * (2 * run_queue.MOST_WAITING)
    streamlit = Streamlit()
    asyncio.run(until(lambda: len(streamlit.messages) == len(sent), page(guarded(streamlit), sent)))
    assert [message["bytes"] for message in streamlit.messages] == sent


def test_messages_of_one_browser_wait_together_and_those_of_others_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    sleep = asyncio.sleep

    def noted(delay: float) -> Awaitable[None]:
        waits.append(delay)
        return sleep(0)

    monkeypatch.setattr(asyncio, "sleep", noted)
    streamlit = Streamlit()
    app = guarded(streamlit)

    def longest_wait(cookie: str) -> float:
        waits.clear()
        streamlit.messages.clear()
        sent = [backs()["app_heartbeat"]] * run_queue.BURST
        asyncio.run(until(lambda: len(streamlit.messages) == len(sent), page(app, sent, cookie)))
        return max(waits)

    assert longest_wait(HERS) == 0
    assert longest_wait(HERS) > 0.5, "another page of the same browser"
    assert longest_wait(ANOTHERS) == 0


def test_a_connection_that_falls_behind_for_long_is_closed_as_a_violation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_queue, "CATCH_UP_SECONDS", 0.0)
    monkeypatch.setattr(session_guard, "CLOSE_INTERVAL", 0.0)
    back, _ = visit(guarded(Streamlit()), *[backs()["app_heartbeat"]] * (2 * run_queue.MOST_WAITING))
    assert back[-1] == {"type": "websocket.close", "code": 1008}


def test_a_run_has_its_turn_until_streamlit_says_that_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one slot, a second visit's request is not read before the first one's run has ended."""
    monkeypatch.setattr(session_guard, "RunQueue", lambda: RunQueue(slots=1, lease=3600))
    runs: dict[str, Send] = {}

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "websocket.receive":
            runs[scope["name"]] = send

    async def say(state: "ForwardMsg.ScriptFinishedStatus.ValueType") -> None:
        finished = ForwardMsg(script_finished=state).SerializeToString()
        await runs["first"]({"type": "websocket.send", "bytes": finished})
        for _ in range(50):
            await asyncio.sleep(0)

    async def scene() -> None:
        app = SessionGuard(streamlit, Settings())
        run = [backs()["rerun_script"]]
        tasks = [asyncio.ensure_future(page(app, run, name=name)) for name in ("first", "second")]
        await until(lambda: bool(runs), asyncio.sleep(0))
        await say(ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        assert list(runs) == ["first"], "another run of the same visit follows"
        await say(ForwardMsg.FINISHED_SUCCESSFULLY)
        assert list(runs) == ["first", "second"]
        for task in tasks:
            task.cancel()

    asyncio.run(scene())


def test_text_ends_the_connection() -> None:
    streamlit = Streamlit()
    back, _ = visit(guarded(streamlit), "text", backs()["rerun_script"])
    assert back[-1] == {"type": "websocket.close", "code": 1003}
    assert streamlit.messages == []


def test_a_file_goes_to_the_browser_for_whose_visit_it_was_made() -> None:
    app = guarded(Streamlit())
    visit(app, download())
    for path in ("/media/file0.csv", "/media/file0"):
        assert request(app, path).text == "of Streamlit"
        for cookie in (ANOTHERS, None):
            refused = request(app, path, cookie=cookie)
            assert (refused.status, refused.text) == (404, NO_FILE)
    visit(app, download(), cookie=ANOTHERS)
    assert request(app, "/media/file0.csv", cookie=ANOTHERS).text == "of Streamlit", (
        "it had the same one made"
    )
    assert request(app, "/media/other.csv").status == 404


def test_the_fonts_of_the_pages_are_nobodys() -> None:
    assert request(guarded(Streamlit()), "/static/media/font.woff2", cookie=None).text == "of Streamlit"


def test_where_no_cookie_comes_a_download_is_refused_with_a_sentence() -> None:
    streamlit = Streamlit()
    _, told = visit(guarded(streamlit), download(), cookie=None)
    assert told[-1].backend_operation_response.request_id == "request"
    assert told[-1].backend_operation_response.error_msg == NO_COOKIE
    assert streamlit.messages == []


def test_whoever_makes_a_file_knows_the_visit_and_can_say_why_not() -> None:
    seen: list[str] = []

    def make() -> str:
        now = current_download()
        assert now is not None
        seen.append(now.visit)
        now.refusal = "The link was revoked."
        return "/media/empty.csv"

    app = guarded(Streamlit(make=make))
    _, told = visit(app, download())
    assert seen == ["visit1"]
    assert told[-1].backend_operation_response.error_msg == "The link was revoked."
    assert request(app, "/media/empty.csv").status == 404
    assert current_download() is None


def test_where_the_room_is_full_new_pages_and_connections_get_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = guarded(Streamlit(), pages=7)
    monkeypatch.setattr(run_queue, "is_full", lambda most: most == 7)
    refused = request(app, "/data", accept="text/html,*/*")
    assert refused.status == 503
    assert "at most 7, RATERSCOPE_PAGES" in refused.text
    back, _ = visit(app)
    assert back[0]["status"] == 503
    assert back[1]["body"].decode() == refused.text
    assert request(app, "/static/js/index.js", accept="*/*").status == 200
    assert request(app, "/_stcore/health", accept="text/html").status == 200


def test_the_largest_message_is_the_one_of_the_configuration() -> None:
    from tests.server.test_config import ROOT

    assert (
        f"maxWidgetStateSize = {session_guard.MAX_MESSAGE_BYTES // 10**6} "
        in (ROOT / ".streamlit" / "config.toml").read_text()
    )
