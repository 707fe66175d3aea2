"""The content policy keeps nothing from the pages, refused uploads leave them working, and frames stand where they may.
Every visitor's fixture also fails where the policy kept something back."""

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import UVICORN, Server, Visitor, chromium_path, settle, start_server

MEGABYTE = 10**6


@dataclass
class Site:
    """Another site on this machine, with a page of ours in a frame."""

    address: str
    target: str = ""


@contextmanager
def framing() -> Iterator[Site]:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            frame = f'<iframe src="{site.target}{self.path}" width="1200" height="800"></iframe>'
            self.wfile.write(frame.encode())

        def log_message(self, *_: object) -> None:
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    site = Site(f"http://localhost:{running.server_port}")
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        running.shutdown()
        running.server_close()


@pytest.fixture(scope="module")
def friend() -> Iterator[Site]:
    """The site that may frame the pages."""
    with framing() as site:
        yield site


@pytest.fixture(scope="module")
def server(friend: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Server with low upload limits and pages that one site may frame."""
    chromium_path()
    running = start_server(
        tmp_path_factory.mktemp("narrow"),
        UVICORN,
        RATERSCOPE_UPLOAD_SIZE="1 MB",
        RATERSCOPE_LIMITS='{"uploads_per_hour": 2}',
        RATERSCOPE_FRAMES=friend.address,
    )
    yield running
    running.stop()
    assert running.errors() == []


@pytest.fixture
def framed(browsers: list[BrowserContext], server: Server) -> Iterator[Visitor]:
    """Visitor of other sites, too."""
    someone = Visitor(browsers[0], browsers[0].new_page(), server.url)
    yield someone
    someone.forget()
    assert someone.violations == []


def table(folder: Path, name: str, size: int) -> Path:
    lines = ["item,rater,group,score"]
    lines += [f"i{i},r{r},{g},{(i + r) % 5}" for i in range(9) for r in range(4) for g in ("crowd", "lab")]
    text = "\n".join(lines) + "\n"
    file = folder / name
    file.write_text(text + "i1,r1,crowd,3\n" * ((size - len(text)) // 14))
    return file


def upload(page: Page, file: Path) -> None:
    page.locator("input[type=file]").first.set_input_files(str(file))


def test_the_policy_lets_figures_formulas_files_and_themes_through(visitor: Visitor) -> None:
    page = visitor.open("/repetitions?d=sample-summaries&measures=focus&shuffles=10")
    chart = page.get_by_test_id("stPlotlyChart").first
    chart.hover()
    with page.expect_download() as picture:
        chart.locator("[data-title='Download plot']").click()
    assert Path(picture.value.path()).stat().st_size > 1000
    page.locator("summary").filter(has_text="How this is computed").first.click()
    expect(page.locator(".katex").first).to_be_visible()
    page.locator("summary").filter(has_text="Download").first.click()
    with page.expect_download() as table_:
        page.get_by_test_id("stDownloadButton").get_by_role("button").first.click()
    assert Path(table_.value.path()).stat().st_size > 0
    page.emulate_media(color_scheme="dark")
    page.reload()
    settle(page)
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    page.emulate_media(color_scheme="light")


def test_a_policy_that_is_broken_is_noticed(framed: Visitor) -> None:
    page = framed.open("/data")
    page.evaluate(
        "() => { const made = document.createElement('img'); made.src = 'https://evil.invalid/x.png';"
        " document.body.append(made); }"
    )
    page.evaluate(
        "() => { const made = document.createElement('script'); made.textContent = 'window.evil = 1';"
        " document.body.append(made); }"
    )
    page.wait_for_timeout(500)
    assert page.evaluate("window.evil") is None
    assert len(framed.violations) >= 2
    framed.violations.clear()


@pytest.mark.slow
def test_uploads_one_after_another_find_room_and_a_refused_one_is_reported_with_its_limit(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.open("/data")
    expect(page.get_by_test_id("stFileUploaderDropzone")).to_contain_text("1MB per file")
    upload(page, table(tmp_path, "large.csv", MEGABYTE + 100_000))
    expect(page.get_by_test_id("stFileUploader")).to_contain_text("File must be 1.0MB or smaller")
    for number in range(2):
        upload(page, table(tmp_path, f"study{number}.csv", 900_000))
        expect(page.get_by_text("ratings kept").first).to_be_visible()
        settle(page)
        page.get_by_role("button", name="Choose another file").click()
        expect(page.get_by_test_id("stFileUploader")).to_be_visible()
        settle(page)
    upload(page, table(tmp_path, "one-too-many.csv", 1000))
    told = page.get_by_role("alert").filter(has_text="This file was not taken.")
    expect(told).to_contain_text("uploads of an hour")
    expect(page.get_by_test_id("stMain")).not_to_contain_text("AxiosError")
    page.get_by_test_id("stSidebarNavItems").get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.get_by_role("button", name="Upload a file")).to_be_visible()


def test_a_page_may_be_framed_only_by_whom_the_setting_names(
    friend: Site, server: Server, framed: Visitor
) -> None:
    page = framed.page
    heading = page.frame_locator("iframe").get_by_role("heading", level=1, name="Data")
    with framing() as stranger:
        friend.target = stranger.target = server.url
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            page.goto(f"{stranger.address}/data")
        expect(heading).to_have_count(0)
        framed.violations.clear()
        page.goto(f"{friend.address}/data")
        expect(heading).to_be_visible(timeout=60_000)


def test_in_a_frame_on_another_site_a_download_is_refused_with_a_sentence(
    friend: Site, server: Server, framed: Visitor
) -> None:
    """The site calls this machine by another name, so no cookie comes: pages can be read, files cannot be had."""
    friend.target = server.url.replace("localhost", "127.0.0.1")
    framed.page.goto(f"{friend.address}/distributions?d=sample-summaries&measures=focus")
    frame = framed.page.frame_locator("iframe")
    frame.locator("summary").filter(has_text="Download").click()
    frame.get_by_role("button", name="CSV", exact=True).click()
    expect(frame.get_by_test_id("stDownloadButtonError")).to_contain_text(re.compile("cookie"))
