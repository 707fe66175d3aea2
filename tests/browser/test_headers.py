"""The content policy keeps nothing from the pages, refused uploads leave them working, and a store that cannot be
opened is a sentence. Every visitor's fixture also fails where the policy kept something back."""

import http.server
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import STREAMLIT, UVICORN, Server, Visitor, new_visitor, settle, start_server

Someone = Callable[[Server], Visitor]
MEGABYTE = 10**6


@pytest.fixture
def someone(chromium: Browser) -> Iterator[Someone]:
    opened: list[Visitor] = []

    def visit(server: Server) -> Visitor:
        opened.append(new_visitor(chromium, server))
        return opened[-1]

    yield visit
    for visitor in opened:
        visitor.context.close()
        assert visitor.violations == []


@pytest.fixture(scope="module", params=[STREAMLIT, UVICORN], ids=["streamlit run", "uvicorn"])
def narrow(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with small limits on uploads."""
    running = start_server(
        tmp_path_factory.mktemp("narrow"),
        request.param,
        RATERSCOPE_UPLOAD_SIZE="1 MB",
        RATERSCOPE_UPLOADS_PER_HOUR="2",
    )
    yield running
    running.stop()
    assert running.errors() == []


def table(folder: Path, name: str, size: int) -> Path:
    lines = ["item,rater,group,score"]
    lines += [f"i{i},r{r},{g},{(i + r) % 5}" for i in range(9) for r in range(4) for g in ("crowd", "lab")]
    text = "\n".join(lines) + "\n"
    file = folder / name
    file.write_text(text + "i1,r1,crowd,3\n" * ((size - len(text)) // 14))
    return file


def upload(page: Page, file: Path) -> None:
    page.locator("input[type=file]").first.set_input_files(str(file))


def test_the_policy_lets_figures_files_and_themes_through(visitor: Visitor) -> None:
    page = visitor.open("/crowd-vs-lab")
    chart = page.get_by_test_id("stPlotlyChart").first
    chart.hover()
    with page.expect_download() as picture:
        chart.locator("[data-title='Download plot']").click()
    assert Path(picture.value.path()).stat().st_size > 1000
    page.locator("summary").filter(has_text="How this is computed").click()
    page.locator("summary").filter(has_text="Download").click()
    with page.expect_download() as table_:
        page.get_by_test_id("stDownloadButton").get_by_role("button").first.click()
    assert Path(table_.value.path()).stat().st_size > 0
    page.emulate_media(color_scheme="dark")
    page.reload()
    settle(page)
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()


def test_the_policy_lets_formulas_through(visitor: Visitor) -> None:
    page = visitor.open("/repetitions")
    page.locator("summary").filter(has_text="How this is computed").click()
    expect(page.locator(".katex").first).to_be_visible()


def test_a_policy_that_is_broken_is_noticed(chromium: Browser, server: Server) -> None:
    visitor = new_visitor(chromium, server)
    page = visitor.open("/data")
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
    visitor.context.close()
    assert len(visitor.violations) >= 2


def test_uploads_one_after_another_find_room_and_a_refused_one_is_told_with_its_limit(
    narrow: Server, someone: Someone, tmp_path: Path
) -> None:
    page = someone(narrow).open("/data")
    expect(page.get_by_test_id("stFileUploaderDropzone")).to_contain_text("1MB per file")
    upload(page, table(tmp_path, "large.csv", MEGABYTE + 100_000))
    expect(page.get_by_test_id("stFileUploader")).to_contain_text("File must be 1.0MB or smaller")
    for number in range(2):
        upload(page, table(tmp_path, f"study{number}.csv", 900_000))
        expect(page.get_by_text("will be kept").first).to_be_visible()
        settle(page)
        page.get_by_role("button", name="Choose another file").click()
        expect(page.get_by_test_id("stFileUploader")).to_be_visible()
        settle(page)
    upload(page, table(tmp_path, "one-too-many.csv", 1000))
    told = page.get_by_role("alert").filter(has_text="This file was not taken.")
    expect(told).to_contain_text("RATERSCOPE_UPLOADS_PER_HOUR")
    expect(page.get_by_test_id("stMain")).not_to_contain_text("AxiosError")
    page.get_by_test_id("stSidebarNavItems").get_by_role("link", name="Distributions").click()
    expect(page.get_by_role("heading", level=1, name="Distributions")).to_be_visible()


def test_a_store_that_cannot_be_opened_is_a_sentence_beside_the_samples_and_in_its_health(
    someone: Someone, tmp_path: Path
) -> None:
    server = start_server(tmp_path, RATERSCOPE_DATABASE="/proc/raterscope/raterscope.duckdb")
    try:
        visitor = someone(server)
        page = visitor.open("/")
        expect(page.get_by_text("cannot be opened on this server")).to_be_visible(timeout=60_000)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        assert "/proc" not in page.content()
        with pytest.raises(urllib.error.HTTPError) as told:
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=20)
        assert told.value.code == 503
        assert b"/proc" not in told.value.read()
    finally:
        server.stop()


@contextmanager
def framing(target: list[str]) -> Iterator[str]:
    """Another site on this machine, with the target in a frame."""

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            page = self.path if self.path != "/" else "/data"
            self.wfile.write(f'<iframe src="{target[0]}{page}" width="1200" height="800"></iframe>'.encode())

        def log_message(self, *_: object) -> None:
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{site.server_port}"
    finally:
        site.shutdown()
        site.server_close()


def test_a_page_may_be_framed_only_by_whom_the_setting_names(
    server: Server, someone: Someone, tmp_path: Path
) -> None:
    target = [server.url]
    with framing(target) as site:
        open_to_it = start_server(tmp_path, RATERSCOPE_FRAMES=site)
        try:
            visitor = someone(server)
            page = visitor.page
            with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
                page.goto(site)
            heading = page.frame_locator("iframe").get_by_role("heading", level=1, name="Data")
            expect(heading).to_have_count(0)
            visitor.violations.clear()
            target[0] = open_to_it.url
            page.goto(f"{site}/data?again=yes")
            expect(heading).to_be_visible(timeout=60_000)
        finally:
            open_to_it.stop()


def test_in_a_frame_on_another_site_a_download_is_refused_with_a_sentence(
    someone: Someone, tmp_path: Path
) -> None:
    """The site calls this machine by another name, so no cookie comes: pages can be read, files cannot be had."""
    target = [""]
    with framing(target) as site:
        server = start_server(tmp_path, RATERSCOPE_FRAMES=site)
        try:
            target[0] = server.url.replace("localhost", "127.0.0.1")
            page = someone(server).page
            page.goto(f"{site}/distributions")
            frame = page.frame_locator("iframe")
            frame.locator("summary").filter(has_text="Download").click()
            frame.get_by_role("button", name="Table (CSV)").click()
            expect(frame.get_by_test_id("stDownloadButtonError")).to_contain_text("window of its own")
        finally:
            server.stop()
