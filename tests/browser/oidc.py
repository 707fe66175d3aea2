"""A log-in service of our own on loopback (OpenID Connect), and how visitors log in and out with it, in a browser and
by hand."""

import http.client
import json
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import expect

from tests.attacks.visit import Visit
from tests.browser.conftest import Visitor, free_port, settle


@dataclass
class LogInService:
    """A provider that believes everybody's name: whoever types one is that person."""

    url: str

    def secrets_file(self, folder: Path, cookie_secret: str | None = None) -> Path:
        """Write Streamlit's settings for this service to a secrets file; it fills in the server's port itself."""
        file = folder / "secrets.toml"
        file.write_text(
            "[auth]\n"
            'redirect_uri = "http://localhost:{port}/oauth2callback"\n'
            f'cookie_secret = "{cookie_secret or secrets.token_hex(32)}"\n'
            'client_id = "raterscope"\n'
            'client_secret = "known to this test only"\n'
            f'server_metadata_url = "{self.url}/.well-known/openid-configuration"\n',
            encoding="utf-8",
        )
        return file

    def knows(self, subject: str, **claims: str) -> None:
        """Set this person's name, e-mail address and so on."""
        request = urllib.request.Request(
            f"{self.url}/users/{subject}",
            data=json.dumps(claims).encode(),
            headers={"Content-Type": "application/json"},
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=5):
            pass


@contextmanager
def log_in_service(folder: Path) -> Iterator[LogInService]:
    """Run the service until the block ends. It lives at 127.0.0.1 and not localhost: no cookie is shared."""
    port = free_port()
    log = folder / "log-in-service.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "oidc_provider_mock", "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, process, log)
        yield LogInService(url)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)


def log_in(visitor: Visitor, subject: str) -> None:
    """Log in from any page: the sidebar's button, the service's form, and back."""
    page = visitor.page
    log_in_button(visitor).click()
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()
    page.wait_for_url(f"{visitor.base}/**")
    settle(page)


def log_out(visitor: Visitor) -> None:
    """The button in the sidebar, the service's own question, and back at the root."""
    visitor.page.get_by_test_id("stSidebar").get_by_role("button", name="Log out").click()
    visitor.page.get_by_role("button", name="End session").click()
    expect(log_in_button(visitor)).to_be_visible(timeout=60_000)


def answer_of_service(visit: Visit, subject: str) -> str:
    """The button and the service's form by hand; the address that the service then sends this browser back to."""
    visit.press("Log in")
    form = urlsplit(visit.fetch(visit.sent_to))
    service = http.client.HTTPConnection(form.netloc, timeout=30)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    service.request("POST", f"{form.path}?{form.query}", urlencode({"sub": subject}), kind)
    answer = service.getresponse()
    answer.read()
    service.close()
    back = urlsplit(answer.getheader("Location") or "")
    return f"{back.path}?{back.query}"


def log_in_by_hand(visit: Visit, subject: str) -> str:
    """Log in from any page and return its new text."""
    visit.fetch(answer_of_service(visit, subject))
    return visit.reload()


def log_out_by_hand(visit: Visit) -> str:
    visit.press("Log out")
    visit.fetch(visit.sent_to)
    return visit.reload()


def log_in_button(visitor: Visitor):  # type: ignore[no-untyped-def]
    return visitor.page.get_by_test_id("stSidebar").get_by_role("button", name="Log in", exact=True)


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError(f"the log-in service stopped at once:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(f"{url}/.well-known/openid-configuration", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"the log-in service did not answer within 2 minutes:\n{log.read_text()}")
