"""A hostile page or visitor at the websocket: foreign origins, other people's visits, messages that no page sends,
floods of those that pages send, and more idle connections than the system has files for."""

import http.client
import resource
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.http11 import Response
from websockets.sync.client import ClientConnection

from tests.attacks.conftest import PAGES
from tests.attacks.visit import Visit
from tests.browser.conftest import Server, free_port

pytestmark = pytest.mark.journey

TABLE = b"item,rater,score\n" + b"".join(
    b"i%d,r%d,%d\n" % (i, r, (i + r) % 5) for i in range(8) for r in range(8)
)
FOREIGN = [
    "https://evil.invalid",
    "http://localhost",
    "http://localhost:1",
    "http://127.0.0.1:{port}",
    "https://localhost:{port}.evil.invalid",
    "http://evil.invalid:{port}",
    "null",
    "file://",
    "",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_at_any_other_address_is_refused(server: Server, origin: str) -> None:
    """The visitor's own cookies go along, as the browser sends them."""
    port = str(urlsplit(server.url).port)
    with (
        Visit(server.url) as visit,
        pytest.raises(InvalidStatus) as refused,
        visit.websocket(origin.format(port=port) or " "),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_no_request_makes_the_server_ask_anything_outside(server: Server, looked_up: Path) -> None:
    """Fifteen handshakes from elsewhere, forged hosts, and all that a page asks with the origin of another."""
    began = time.monotonic()
    with Visit(server.url) as visit:
        for number in range(15):
            with pytest.raises(InvalidStatus), visit.websocket(f"https://evil{number}.invalid"):
                pass
        for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/x", visit.upload_path("x")):
            for method in ("GET", "OPTIONS", "DELETE"):
                connection = http.client.HTTPConnection(visit.host, timeout=30)
                connection.request(
                    method, path, headers={"Origin": "https://evil.invalid", "Host": "evil.invalid"}
                )
                connection.getresponse().read()
                connection.close()
        visit.run()
    assert not looked_up.exists(), looked_up.read_text()
    assert time.monotonic() - began < 60


def visit_given(line: ClientConnection) -> str:
    """The visit that the server gives this connection, once its script runs."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    line.send(message.SerializeToString())
    while True:
        told = ForwardMsg.FromString(line.recv(timeout=60))  # type: ignore[arg-type]
        if told.WhichOneof("type") == "new_session":
            return told.new_session.initialize.session_id


def test_a_visits_id_opens_nothing_without_its_cookie(server: Server) -> None:
    with Visit(server.url, "data") as hers, Visit(server.url, "data") as thief:
        hers.run()
        thief.run()
        assert hers.session != thief.session
        with thief.websocket(visit=hers.session) as line:
            assert visit_given(line) != hers.session
        without = Visit(server.url)
        with without.websocket(visit=hers.session) as line:
            assert visit_given(line) != hers.session
        assert "EXCEPTION" not in hers.run(), "her own connection goes on"
    with thief.websocket(visit=hers.session) as line:
        assert visit_given(line) != hers.session, "nor once she has left"
    with hers.websocket(visit=hers.session) as line:
        assert visit_given(line) == hers.session, "she comes back to it"


def test_uploads_and_deletions_in_anothers_visit_are_refused(server: Server) -> None:
    """The thief has a browser with all cookies and tokens of her own, and the visit's id."""
    with Visit(server.url, "data") as hers, Visit(server.url, "data") as thief:
        hers.run()
        thief.run()
        own, thief.session = thief.session, hers.session
        assert thief.put("ratings.csv", TABLE)[0] == 403
        assert hers.put("ratings.csv", TABLE, "a-file")[0] == 204
        assert thief.delete("a-file") == 403
        thief.session = own
        assert thief.put("ratings.csv", TABLE)[0] == 204
        without = Visit(
            server.url, session=hers.session, cookies={"_streamlit_xsrf": hers.cookies["_streamlit_xsrf"]}
        )
        assert without.put("ratings.csv", TABLE)[0] == 403, "her token without her cookie"
        elsewhere = {"Origin": f"http://localhost:{free_port()}"}
        assert hers.put("ratings.csv", TABLE, headers=elsewhere)[0] == 403, "her browser on another's page"
        assert hers.delete("a-file") == 204


@pytest.mark.parametrize(
    "name", ["clear_cache", "set_run_on_save", "load_git_info", "debug_shutdown_runtime"]
)
def test_messages_that_no_page_sends_do_nothing(server: Server, name: str) -> None:
    """Streamlit would empty the caches of all visitors, and this one's state: her data set would be forgotten."""
    with Visit(server.url, "distributions", {"d": "sample-assessors"}) as visit:
        before = visit.run()
        message = BackMsg()
        setattr(message, name, True)
        visit.send(message)
        visit.query = {}
        assert visit.run() == before


def test_text_ends_only_the_senders_connection_and_is_no_failure_in_the_log(server: Server) -> None:
    before = len(server.log.read_text())
    with Visit(server.url) as visit:
        with visit.websocket() as line:
            line.send("text")
            with pytest.raises(ConnectionClosed):
                read_to_the_end(line)
        visit.run()
    assert '"level": "error"' not in server.log.read_text()[before:]


@pytest.mark.parametrize("leaves", [True, False])
def test_a_flood_of_requests_for_runs_holds_up_nobody(server: Server, leaves: bool) -> None:
    """20,000 at once, from a page that leaves or stays: another visitor's page runs, and nothing fails."""
    request = BackMsg()
    request.rerun_script.page_name = "data"
    before = len(server.log.read_text())
    with (
        Visit(server.url, "distributions", {"d": "sample-summaries"}) as other,
        Visit(server.url) as flooding,
    ):
        said = other.run()
        with flooding.websocket() as line:
            line.socket.settimeout(5)
            with suppress(OSError, WebSocketException):  # what the server does not read fills the socket
                for _ in range(20_000):
                    line.send(request.SerializeToString())
            if leaves:
                line.socket.shutdown(socket.SHUT_RDWR)
            for _ in range(3):
                assert other.run() == said
                assert ask_for_page(server) == (200, False)
            line.socket.close()
    assert '"level": "error"' not in server.log.read_text()[before:]


def test_the_server_takes_as_many_files_as_the_system_gives(server: Server) -> None:
    """It was started with 900 at most."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE) == (hard, hard)


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["files of the system", "the setting"])
def test_idle_connections_fill_the_room_for_pages_and_nothing_else(server: Server, bound: str) -> None:
    """Idle websockets until one is refused: with a sentence, while open pages, health and uploads go on."""
    process = server.process.pid
    before = resource.prlimit(process, resource.RLIMIT_NOFILE)
    if bound != "the setting":
        files = len(list(Path(f"/proc/{process}/fd").iterdir()))
        limit = 4 * (files + PAGES // 2) // 3  # three quarters of which pages may take
        resource.prlimit(process, resource.RLIMIT_NOFILE, (limit, before[1]))
    try:
        with ExitStack() as held, Visit(server.url, "data") as visit:
            visit.run()
            opened, refused = open_many(visit, held)
            assert (opened > PAGES * 3 / 4) == (bound == "the setting")
            assert refused.status_code == 503
            assert b"RATERSCOPE_PAGES" in refused.body
            assert ask_for_page(server) == (503, True)
            assert "<b>64 of 64 ratings kept</b>" in visit.offer("ratings.csv", TABLE)
        for _ in range(100):  # the server notices one after the other that they are gone
            if ask_for_page(server)[0] == 200:
                break
            time.sleep(0.1)
        assert ask_for_page(server) == (200, False)
        assert "Too many open files" not in server.log.read_text()
    finally:
        resource.prlimit(process, resource.RLIMIT_NOFILE, before)


def open_many(visit: Visit, held: ExitStack) -> tuple[int, Response]:
    """Return the number of connections accepted, and the refusal of the next."""
    for opened in range(2 * PAGES):
        try:
            held.enter_context(visit.websocket())
        except InvalidStatus as refused:
            return opened, refused.response
    raise AssertionError("none was refused")


def ask_for_page(server: Server) -> tuple[int, bool]:
    """The status of the first page, and whether it says that there is no room."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    connection.request("GET", "/", headers={"Accept": "text/html"})
    answer = connection.getresponse()
    told = answer.status, b"As many pages are open" in answer.read()
    connection.close()
    return told


def read_to_the_end(line: ClientConnection) -> None:
    while True:
        line.recv(timeout=30)
