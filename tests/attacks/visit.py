"""A visitor who speaks Streamlit's protocol by hand, so that she can send what no browser would."""

import http.client
import re
import secrets
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

PATIENCE = 60.0
TERM = re.compile(r'<span popover.*?</span>|<button type="button" popovertarget[^>]*>|</button>')
"""What stands around a term of the glossary in a sentence."""


@dataclass
class Visit:
    """One visit to a running server, at a page with a query; a context manager."""

    server: str
    page: str = ""
    query: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    session: str = ""
    texts: list[str] = field(default_factory=list)
    uploaders: list[str] = field(default_factory=list)
    buttons: dict[str, str] = field(default_factory=dict)
    sent_to: str = ""
    """Where the page's script sent the browser to, as for a log-in."""
    _hashes: dict[str, str] = field(default_factory=dict)
    """By a page's name, what the server called it when it ran; browsers send it with every later run."""

    @property
    def host(self) -> str:
        return urlsplit(self.server).netloc

    def __enter__(self) -> Self:
        for path in (f"/{self.page}", "/_stcore/health", "/_stcore/host-config"):
            self.fetch(path)
        self._held = ExitStack()
        self._connection = self._held.enter_context(self.websocket())
        return self

    def reload(self) -> str:
        """Reopen the page with the current cookies, and run it."""
        self._held.close()
        self.__enter__()
        return self.run()

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def fetch(self, path: str) -> str:
        """Ask for an address of the server, keep the cookies it gives, and return its redirect target."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        connection.request("GET", path, headers=self._cookie_header())
        answer = connection.getresponse()
        answer.read()
        connection.close()
        for header in answer.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(header).items()}
        self.cookies = {name: value for name, value in self.cookies.items() if value}
        return answer.getheader("Location") or ""

    @contextmanager
    def websocket(self, origin: str | None = None, visit: str = "") -> Iterator[ClientConnection]:
        """The websocket of a page that stands at `origin`, its own by default, and comes back to a visit."""
        with connect(
            f"ws://{self.host}/_stcore/stream",
            origin=origin or self.server,  # type: ignore[arg-type]
            subprotocols=["streamlit", self.cookies.get("_streamlit_xsrf", "-"), *([visit] if visit else [])],  # type: ignore[list-item]
            additional_headers=self._cookie_header(),
            max_size=None,
            proxy=None,
        ) as opened:
            yield opened

    def _cookie_header(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    def send(self, message: BackMsg) -> None:
        """Send a message of the protocol that is no run of the script."""
        self._connection.send(message.SerializeToString())

    def begin(self, *states: WidgetState) -> None:
        """Ask for a run of the page's script without waiting for it."""
        message = BackMsg()
        message.rerun_script.query_string = urlencode(self.query)
        message.rerun_script.page_name = self.page
        message.rerun_script.page_script_hash = self._hashes.get(self.page, "")
        message.rerun_script.context_info.url = f"{self.server}/{self.page}"
        message.rerun_script.widget_states.widgets.extend(states)
        self._connection.send(message.SerializeToString())

    def run(self, *states: WidgetState) -> str:
        """Run the page's script; return all texts it sent, one per line."""
        self.begin(*states)
        self.sent_to = ""
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            told = ForwardMsg.FromString(self._connection.recv(timeout=PATIENCE))  # type: ignore[arg-type]
            self._take(told)
            done = told.WhichOneof("type") == "script_finished"
            if done and told.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return "\n".join(self.texts)
        raise TimeoutError(f"the page {self.page!r} did not end")

    def _take(self, told: ForwardMsg) -> None:
        kind = told.WhichOneof("type")
        if kind == "new_session":
            self.session = told.new_session.initialize.session_id or self.session
            self.texts, self.uploaders, self.buttons = [], [], {}
        if kind == "navigation":
            self._hashes[self.page] = told.navigation.page_script_hash
        if kind == "auth_redirect":
            self.sent_to = told.auth_redirect.url
        if kind == "page_info_changed":
            self.query = dict(parse_qsl(told.page_info_changed.query_string))
        if kind != "delta" or told.delta.WhichOneof("type") != "new_element":
            return
        element = told.delta.new_element
        match element.WhichOneof("type"):
            case "html":
                self.texts.append(TERM.sub("", element.html.body))
            case "text":
                self.texts.append(element.text.body)
            case "alert":
                self.texts.append(element.alert.body)
            case "heading":
                self.texts.append(element.heading.body)
            case "exception":
                self.texts.append(f"EXCEPTION {element.exception.message}")
            case "selectbox":
                self.texts.extend(element.selectbox.options)
            case "button":
                self.buttons[element.button.label] = element.button.id
            case "file_uploader":
                self.uploaders.append(element.file_uploader.id)

    def press(self, label: str) -> str:
        """Clicks the button with that label; all that the page then says."""
        return self.run(self.click(label))

    def click(self, label: str) -> WidgetState:
        return WidgetState(id=self.buttons[label], trigger_value=True)

    def put(
        self, name: str, content: bytes, file: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, str]:
        """Send a file as the uploader does; return its status and text."""
        body, kind = multipart(name, content)
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        try:
            connection.request("PUT", self.upload_path(file), body, self._put_headers(kind) | (headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (BrokenPipeError, ConnectionResetError):
            return 0, "the connection was closed"
        finally:
            connection.close()

    def delete(self, file: str) -> int:
        """Deletes what was uploaded, as the uploader does; the server's status."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        connection.request("DELETE", self.upload_path(file), headers=self._put_headers("text/plain"))
        status = connection.getresponse().status
        connection.close()
        return status

    def put_many(self, name: str, content: bytes, times: int) -> list[int]:
        """Send a small file again and again over one connection; return statuses."""
        body, kind = multipart(name, content)
        statuses = []
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        for _ in range(times):
            connection.request("PUT", self.upload_path(""), body, self._put_headers(kind))
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
        connection.close()
        return statuses

    def put_slowly(self, seconds: float) -> tuple[str, float]:
        """Send a byte of a promised megabyte each tenth of a second; return the answer and the time."""
        started = time.monotonic()
        _, kind = multipart("slow.csv", b"")
        head = "".join(f"{name}: {value}\r\n" for name, value in self._put_headers(kind).items())
        with socket.create_connection(
            (urlsplit(self.server).hostname, urlsplit(self.server).port), 5
        ) as line:
            start = f"PUT {self.upload_path('')} HTTP/1.1\r\nHost: {self.host}\r\nContent-Length: 1000000\r\n"
            line.sendall(f"{start}{head}\r\n".encode())
            line.settimeout(0.1)
            while time.monotonic() - started < seconds:
                try:
                    line.sendall(b"x")
                    answer = line.recv(4096)
                    return answer.decode("latin-1"), time.monotonic() - started
                except TimeoutError:
                    continue
                except OSError as error:
                    return f"closed: {error}", time.monotonic() - started
        return "", time.monotonic() - started

    def break_off(self, size: int, reset: bool) -> None:
        """Send half of a file as the uploader does, and leave."""
        body, kind = multipart("broken.csv", bytes(size))
        head = "".join(f"{name}: {value}\r\n" for name, value in self._put_headers(kind).items())
        place = urlsplit(self.server)
        with socket.create_connection((place.hostname, place.port), PATIENCE) as line:
            start = f"PUT {self.upload_path('')} HTTP/1.1\r\nHost: {self.host}\r\n"
            line.sendall(f"{start}Content-Length: {len(body)}\r\n{head}\r\n".encode() + body[: size // 2])
            if reset:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def upload_path(self, file: str) -> str:
        return f"/_stcore/upload_file/{self.session}/{file or secrets.token_hex(8)}"

    def _put_headers(self, kind: str) -> dict[str, str]:
        token = self.cookies.get("_streamlit_xsrf", "")
        return {"Content-Type": kind, "X-Xsrftoken": token, "Origin": self.server} | self._cookie_header()

    def offer(self, name: str, content: bytes) -> str:
        """Uploads a file and lets the page see it; all that the page then says."""
        file = secrets.token_hex(8)
        status, said = self.put(name, content, file)
        assert status == 204, (status, said)
        state = WidgetState(id=self.uploaders[0])
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.file_id, info.name, info.size = file, name, len(content)
        info.file_urls.file_id = file
        info.file_urls.upload_url = info.file_urls.delete_url = self.upload_path(file)
        return self.run(state)


def multipart(name: str, content: bytes) -> tuple[bytes, str]:
    boundary = secrets.token_hex(16)
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    )
    return (
        head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
    )
