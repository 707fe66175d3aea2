"""A real server and a real Chromium. Where no Chromium is found these tests skip, unless
RATERSCOPE_REQUIRE_BROWSER is set: then a missing browser is a failure."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    TimeoutError,
    expect,
    sync_playwright,
)

from tests.sample_database import sample_database

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # a page opened beside another of the site finds its programs compiled
    # without a window nobody types an address, but each new one would prepare two pages for it
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
]

expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.journey)


def chromium_path() -> str:
    """The one without windows where it is installed: it draws for less."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        reason = "no Chromium on this machine (Debian: apt-get install chromium-headless-shell)"
        if os.environ.get("RATERSCOPE_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@dataclass
class Server:
    """A running Raterscope with a database of its own."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=20)

    def errors(self) -> list[str]:
        """Lines of the log that tell of an error, and whatever is a traceback."""
        lines = self.log.read_text().splitlines()
        return [line for line in lines if '"level": "error"' in line or line.startswith("Traceback")]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


STREAMLIT = ("streamlit", "run", "app.py", "--server.port")
UVICORN = ("uvicorn", "app:app", "--port")


def start_server(
    folder: Path, command: tuple[str, ...] = STREAMLIT, root: Path = ROOT, **environment: str
) -> Server:
    """Starts the dashboard as the README says, with its database in `folder`, and waits until it answers.

    The built-in studies are there already. An answer may say that the store cannot be written: the pages have to tell
    that in words.
    """
    if not ("RATERSCOPE_DATABASE" in environment or (folder / "raterscope.duckdb").exists()):
        (folder / "raterscope.duckdb").write_bytes(sample_database())
    port = free_port()
    log = folder / "server.log"
    own = {
        "RATERSCOPE_DATABASE": str(folder / "raterscope.duckdb"),
        "RATERSCOPE_SPOOL": str(folder / "spool"),
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, str(port)],
            cwd=root,
            env=os.environ | own | environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    running = Server(f"http://localhost:{port}", process, log)
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped at once:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(f"{running.url}/_stcore/health", timeout=10):
                return running
        except urllib.error.HTTPError:
            return running
        except OSError:
            time.sleep(0.1)
    running.stop()
    raise RuntimeError(f"the server did not answer within 2 minutes:\n{log.read_text()}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    chromium_path()
    running = start_server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()
    assert running.errors() == []


_open = ExitStack()


@cache
def _chromium() -> Browser:
    path = chromium_path()
    playwright = _open.enter_context(sync_playwright())
    browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
    _open.callback(browser.close)
    return browser


@cache
def _two_persons() -> list[BrowserContext]:
    return [new_context(_chromium()), new_context(_chromium())]


def _close() -> None:
    _open.close()
    _chromium.cache_clear()
    _two_persons.cache_clear()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Ends the browser before tests of other folders: beside it no loop of asyncio can run and no Python be parsed."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _close()


def pytest_sessionfinish() -> None:
    _close()


@pytest.fixture
def chromium() -> Browser:
    """Open from file to file: a new one would load and compile the pages' programs anew, which takes it longer than
    most tests."""
    return _chromium()


@dataclass
class Visitor:
    """One browser of one person: its own cookies, every request it made, and what our policy kept it from."""

    context: BrowserContext
    page: Page
    base: str
    requests: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.on("request", self._remember)
        self.context.on("console", self._watch)

    def _remember(self, request: Request) -> None:
        self.requests.append(request.url)

    def _watch(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            self.violations.append(message.text)

    def forget(self) -> None:
        """Leave the browser as one that was never here, but for the programs of the pages: to load and compile them
        anew takes longer than most of what the tests do. The last page stays open for that, on an answer without
        programs."""
        *others, last = self.context.pages
        for page in others:
            page.close()
        if last.url.startswith(self.base):
            last.evaluate("localStorage.clear(), sessionStorage.clear()")
        last.unroute_all()
        last.goto(f"{self.base}/_stcore/health")
        self.context.clear_cookies()
        self.context.unroute_all()
        self.context.remove_listener("request", self._remember)
        self.context.remove_listener("console", self._watch)

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.base + path if path.startswith("/") else path)
        settle(self.page)
        return self.page

    def go_to(self, title: str) -> Page:
        """Follows the link of that page in the sidebar."""
        link = self.page.get_by_test_id("stSidebarNavItems").get_by_role("link", name=title, exact=True)
        link.click()
        expect(self.page.get_by_role("heading", level=1, name=title)).to_be_visible()
        settle(self.page)
        return self.page


WATCH_RUNS = """
window.__asked = 0;
window.__running = true;
window.WebSocket = class extends window.WebSocket {
    constructor(...place) {
        super(...place);
        this.addEventListener('message', ({data}) => {
            if (data instanceof ArrayBuffer && FINISHED.includes(field(new Uint8Array(data), 6)))
                window.__running = false;
        });
    }
    send(data) {
        if (field(new Uint8Array(data), 11) !== undefined) {
            window.__asked += 1;
            window.__running = true;
        }
        super.send(data);
    }
};
const FINISHED = [0, 1, 3];  // all but a run that ends because another is asked for
function field(message, wanted) {  // a number, or the place of a longer field; undefined where there is none
    let at = 0;
    const number = () => {
        let value = 0;
        for (let factor = 1; ; factor *= 128) {
            const byte = message[at++];
            value += (byte % 128) * factor;
            if (!(byte >= 128)) return value;
        }
    };
    while (at < message.length) {
        const tag = number(), kind = tag % 8;
        const value = kind === 0 || kind === 2 ? number() : at;
        if (Math.floor(tag / 8) === wanted) return value;
        at += {0: 0, 1: 8, 2: value, 5: 4}[kind] ?? message.length;
    }
}
"""
"""Streamlit's messages, as far as they say that a run of the script is asked for (11, a BackMsg's rerun_script) and
has ended (6, a ForwardMsg's script_finished): what the page shows of it comes late, and not at all for short runs."""


@contextmanager
def acting(page: Page) -> Iterator[None]:
    """For a click or key that makes the script run: waits until it was asked to, and then has settled."""
    before = page.evaluate("window.__asked")
    yield
    page.wait_for_function("before => window.__asked > before", arg=before, timeout=60_000)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the script has run and the browser has drawn the result."""
    expect(page.get_by_test_id("stApp")).to_be_visible()
    try:
        page.wait_for_function(
            """() => {
                const app = document.querySelector('[data-testid="stApp"]');
                const loading = document.querySelector('[data-testid="stSkeleton"]');
                const state = app && app.getAttribute('data-test-script-state');
                const idle = state === 'notRunning' && !loading && !window.__running;
                window.__seen = {state, loading: Boolean(loading), running: window.__running};
                window.__idleFrames = idle ? (window.__idleFrames || 0) + 1 : 0;
                return window.__idleFrames > 6;
            }""",
            timeout=120_000,
            polling="raf",
        )
    except TimeoutError as error:
        raise AssertionError(f"the page never stood still: {page.evaluate('window.__seen')}") from error


def new_context(browser: Browser, **options: object) -> BrowserContext:
    """One person's browser, with cookies of its own."""
    # who asks for less motion is spared what moves while a page waits, which costs a fifth of drawing it
    usual = {"viewport": {"width": 1366, "height": 900}, "reduced_motion": "reduce"}
    opened = browser.new_context(**{**usual, **options})  # type: ignore[arg-type]
    opened.set_default_timeout(30_000)
    opened.add_init_script(WATCH_RUNS)
    return opened


def new_visitor(browser: Browser, server: Server, **options: object) -> Visitor:
    opened = new_context(browser, **options)
    return Visitor(opened, opened.new_page(), server.url)


def leaves(visitor: Visitor) -> None:
    """Our policy kept nothing from the visitor's pages, and they asked nothing of other hosts."""
    visitor.forget()
    assert visitor.violations == []
    own = urlsplit(visitor.base).netloc
    local = ("data", "blob")
    places = {(urlsplit(url).scheme, urlsplit(url).netloc) for url in visitor.requests}
    assert {netloc for scheme, netloc in places if scheme not in local} <= {own}


@pytest.fixture
def browsers() -> list[BrowserContext]:
    """Browsers of two persons, reused by tests."""
    return _two_persons()


@pytest.fixture
def visitor(browsers: list[BrowserContext], server: Server) -> Iterator[Visitor]:
    someone = Visitor(browsers[0], browsers[0].new_page(), server.url)
    yield someone
    leaves(someone)


@pytest.fixture
def second_visitor(browsers: list[BrowserContext], server: Server) -> Iterator[Visitor]:
    someone = Visitor(browsers[1], browsers[1].new_page(), server.url)
    yield someone
    leaves(someone)
