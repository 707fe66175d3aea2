"""Two servers on one catalogue, as visitors meet them: what is saved at one opens at the other, and one may die."""

import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Server, chromium_path, new_visitor, start_server
from tests.browser.paths import choose_file, upload
from tests.data.conftest import postgres
from tests.lake_servers import Postgres

__all__ = ["postgres"]
FINDING = "median item MOS"


@pytest.fixture
def catalogue(tmp_path: Path, postgres: Postgres) -> dict[str, str]:
    """The settings that both servers share."""
    return {"RATERSCOPE_DATABASE": postgres.new_url(), "RATERSCOPE_DATA_PATH": str(tmp_path / "lake")}


@pytest.fixture
def replicas(tmp_path: Path, catalogue: dict[str, str]) -> Iterator[list[Server]]:
    chromium_path()
    running = []
    try:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            running.append(start_server(tmp_path / name, **catalogue))
        yield running
    finally:
        for server in running:
            server.stop()


def ratings(folder: Path, items: int = 12) -> Path:
    file = folder / f"study of {items}.csv"
    rows = [
        f"item {item},{group} {rater},{group},{1 + (item * 7 + rater) % 5}\n"
        for item in range(items)
        for group in ("crowd", "lab")
        for rater in range(5)
    ]
    file.write_text("item,rater,group,score\n" + "".join(rows), encoding="utf-8")
    return file


def health(server: Server) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def down(server: Server) -> tuple[int, str]:
    """Its health once it tells of the fault, or after the time within which it has to (asked at most every 5 s)."""
    give_up = time.monotonic() + 7
    while (told := health(server))[0] == 200 and time.monotonic() < give_up:
        time.sleep(0.2)
    return told


def test_what_is_saved_at_one_server_opens_at_the_other_and_outlives_it(
    chromium: Browser, replicas: list[Server], tmp_path: Path
) -> None:
    one, two = replicas
    at_one, at_two = new_visitor(chromium, one), new_visitor(chromium, two)
    try:
        key = upload(at_one, ratings(tmp_path))
        page = at_two.open(f"/distributions?d={key}")
        expect(page.get_by_text(FINDING)).to_be_visible()
        other = upload(at_two, ratings(tmp_path, 20))
        expect(at_one.open(f"/distributions?d={other}").get_by_text(FINDING)).to_be_visible()

        choose_file(at_one, ratings(tmp_path, 9000))
        at_one.page.get_by_role("button", name="Save").click(no_wait_after=True)
        one.process.send_signal(signal.SIGKILL)
        one.process.wait(timeout=20)
        for saved in (key, other):
            page = at_two.open(f"/distributions?d={saved}")
            expect(page.get_by_text(FINDING)).to_be_visible()
        assert at_two.violations == []
    finally:
        at_one.context.close()
        at_two.context.close()


def test_a_visitor_reads_a_sentence_while_the_catalogue_is_away(
    chromium: Browser, replicas: list[Server], tmp_path: Path, postgres: Postgres
) -> None:
    server = replicas[0]
    visitor = new_visitor(chromium, server)
    try:
        key = upload(visitor, ratings(tmp_path))
        assert health(server)[0] == 200
        postgres.stop()
        try:
            page = visitor.open(f"/distributions?d={key}")
            expect(page.get_by_role("alert").first).to_contain_text("cannot be reached at the moment")
            expect(page.get_by_text("Traceback")).to_have_count(0)
            status, said = down(server)
            assert status == 503
            assert "host=" not in said
        finally:
            postgres.start()
        page = visitor.open(f"/distributions?d={key}")
        expect(page.get_by_text(FINDING)).to_be_visible()
    finally:
        visitor.context.close()
