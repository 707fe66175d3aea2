"""Visitors without a browser: clients of Streamlit's websocket that measure times.

Twenty Chromiums on two processors would measure Chromium. A visitor here opens a page's HTML (for its cookies),
then the websocket; it sends what the browser would send (address, values of all controls, hashes of the messages
it still has), takes in every message until the script has ended, and remembers controls and figures from them.
What a browser does besides (fetching the bundle of scripts once, drawing) costs the server no computing and is
left out.
"""

import asyncio
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from tests.nginx import UNVERIFIED

TIMEOUT = 60.0
"""Seconds after which a step counts as failed."""
CACHED_RUNS = 2
"""Runs of the script for which a browser caches a message that later messages refer to by hash."""


class VisitFailed(Exception):
    """Answer of the server that a visitor would see as a failure."""


@dataclass(frozen=True)
class Step:
    """Times of one movement of a control, in seconds from sending; `figure` is NaN if none changed."""

    end: float
    figure: float
    longest_silence: float
    """Seconds without any message while the script ran."""


@dataclass
class Control:
    """A control of the page: what holds its value, and which value it has now."""

    name: str
    kind: str
    widget: Any
    fragment: str
    value: Any = None
    """Message that the browser would send; None while it stands at what the server gave."""


_VALUE_FIELDS = {
    "slider": "double_array_value",
    "selectbox": "string_value",
    "multiselect": "string_array_value",
    "button_group": "string_array_value",
    "number_input": "double_value",
    "checkbox": "bool_value",
    "radio": "string_value",
    "text_input": "string_value",
}


def _server_value(kind: str, widget: Any) -> Any:
    """Return the value that the server gave a control, in the form in which it is sent back."""
    changed = widget.set_value
    match kind:
        case "slider":
            return list(widget.value if changed else widget.default)
        case "selectbox" | "radio":
            if changed:
                return widget.raw_value if widget.HasField("raw_value") else None
            return widget.options[widget.default] if widget.HasField("default") and widget.options else None
        case "multiselect":
            return list(widget.raw_values) if changed else [widget.options[at] for at in widget.default]
        case "button_group":
            return (
                list(widget.raw_values) if changed else [widget.options[at].content for at in widget.default]
            )
        case "number_input" | "text_input":
            if changed:
                return widget.value if widget.HasField("value") else None
            return widget.default if widget.HasField("default") else None
    return widget.value if changed else widget.default


def _address_value(kind: str, value: Any) -> list[str]:
    """Return a value as it is in the address."""
    if isinstance(value, bool):
        return [str(value).lower()]
    values = value if isinstance(value, list) else [value]
    return [f"{one:g}" if isinstance(one, float) else str(one) for one in values]


@dataclass
class Visitor:
    """One visit: a page at `address` (path and query), its controls, and what it took.

    An async context manager; within it `open()` loads the page and `move(name, value)` moves a control.
    """

    server: str
    address: str
    patience: float = TIMEOUT
    controls: dict[str, Control] = field(default_factory=dict)
    figures: int = 0
    bytes: int = 0

    async def __aenter__(self) -> "Visitor":
        cookies = await asyncio.to_thread(self._cookies)
        self._connection: ClientConnection = await connect(
            f"{self.server.replace('http', 'ws', 1)}/_stcore/stream",
            ssl=UNVERIFIED if self.server.startswith("https:") else None,
            origin=self.server,  # type: ignore[arg-type]
            subprotocols=["streamlit", cookies.get("_streamlit_xsrf", "-")],  # type: ignore[list-item]
            additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
            max_size=None,
            open_timeout=TIMEOUT,
            ping_interval=None,
            proxy=None,
        )
        where = urlsplit(self.address)
        self._page, self._query = where.path.strip("/"), _parse_query(where.query)
        self._page_hash = ""
        self._cached: dict[str, tuple[ForwardMsg, int]] = {}
        self._runs = 0
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connection.close()

    def _cookies(self) -> dict[str, str]:
        """Return the cookies that the page's HTML and the first requests of its script set."""
        cookies: dict[str, str] = {}
        for path in (self.address, "/_stcore/health", "/_stcore/host-config"):
            with urllib.request.urlopen(self.server + path, timeout=TIMEOUT, context=UNVERIFIED) as answer:
                answer.read()
                for header in answer.headers.get_all("Set-Cookie") or []:
                    cookies |= {name: morsel.value for name, morsel in SimpleCookie(header).items()}
        return cookies

    async def open(self) -> Step:
        """Run the page's script for the first time."""
        return await self._run("")

    async def move(self, name: str, choose: Callable[[Control], Any]) -> Step:
        """Move the control of that name in the address, and wait for the end of the script."""
        control = next((one for one in self.controls.values() if one.name == name), None)
        if control is None:
            raise VisitFailed(
                f"{self.address}: no control {name!r} among {[c.name for c in self.controls.values()]}"
            )
        control.value = choose(control)
        self._query[name] = _address_value(control.kind, control.value)
        return await self._run(control.fragment)

    async def ping(self) -> float:
        """Return the seconds until the server answers a health check, which needs no script."""
        sent = time.perf_counter()
        await (await self._connection.ping())
        return time.perf_counter() - sent

    async def _run(self, fragment: str) -> Step:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = urlencode(self._query, doseq=True)
        state.page_script_hash = self._page_hash
        state.page_name = "" if self._page_hash else self._page
        state.fragment_id = fragment
        state.cached_message_hashes.extend(self._cached)
        state.context_info.timezone = "UTC"
        state.context_info.locale = "en"
        state.context_info.url = self.server + self.address
        for id_, control in self.controls.items():
            state.widget_states.widgets.append(_widget_state(id_, control))
        start = time.perf_counter()
        await self._connection.send(message.SerializeToString())
        figure, last, silence = float("nan"), start, 0.0
        async with asyncio.timeout(self.patience):
            while True:
                payload = await self._connection.recv()
                now = time.perf_counter()
                silence, last = max(silence, now - last), now
                received = ForwardMsg.FromString(payload)
                self.bytes += len(payload)
                if self._handle(received) and figure != figure:
                    figure = now - start
                if received.WhichOneof("type") == "script_finished":
                    if received.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                        raise VisitFailed(f"{self.address}: the script did not compile")
                    if received.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        break
        self._runs += 1
        self._cached = {
            name: kept for name, kept in self._cached.items() if self._runs - kept[1] < CACHED_RUNS
        }
        return Step(now - start, figure, silence)

    def _handle(self, message: ForwardMsg) -> bool:
        """Process a message; return True if it contained a figure."""
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            if message.ref_hash not in self._cached:
                raise VisitFailed(f"{self.address}: the server spoke of a message that was not kept")
            message = self._cached[message.ref_hash][0]
            kind = message.WhichOneof("type")
        if message.metadata.cacheable and message.hash:
            self._cached[message.hash] = message, self._runs
        if kind == "new_session":
            self._page_hash = message.new_session.page_script_hash
        elif kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = _parse_query(message.page_info_changed.query_string)
        elif kind == "page_not_found":
            raise VisitFailed(f"{self.address}: page not found")
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            return self._handle_element(message.delta.new_element, message.delta.fragment_id)
        return False

    def _handle_element(self, element: Element, fragment: str) -> bool:
        kind = element.WhichOneof("type") or ""
        if kind == "exception" or (kind == "alert" and "failed on our side" in element.alert.body):
            raise VisitFailed(f"{self.address}: {element.exception.message or element.alert.body}")
        if kind in _VALUE_FIELDS:
            widget = getattr(element, kind)
            before = self.controls.get(widget.id)
            if before is None or widget.set_value:
                self.controls[widget.id] = Control(
                    widget.query_param_key, kind, widget, fragment, _server_value(kind, widget)
                )
            else:
                before.widget, before.fragment = widget, fragment
        if kind == "plotly_chart":
            self.figures += 1
        return kind == "plotly_chart"


def _parse_query(query: str) -> dict[str, list[str]]:
    values_by_name: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        values_by_name.setdefault(name, []).append(value)
    return values_by_name


def _widget_state(id_: str, control: Control) -> WidgetState:
    state = WidgetState(id=id_)
    value = control.value
    if value is None:
        return state
    match _VALUE_FIELDS[control.kind]:
        case "double_array_value":
            state.double_array_value.data.extend(value)
        case "string_array_value":
            state.string_array_value.data.extend(value)
        case name:
            setattr(state, name, value)
    return state


def next_option(control: Control) -> Any:
    """Choose the next option, the first one after the last."""
    options = [one if isinstance(one, str) else one.content for one in control.widget.options]
    value = control.value[0] if isinstance(control.value, list) and control.value else control.value
    following = options[(options.index(value) + 1) % len(options)] if value in options else options[0]
    return following if control.kind in ("selectbox", "radio") else [following]


def unique_numbers(start: int, step: int, low: int, high: int) -> Callable[[Control], Any]:
    """Choose numbers that no visitor with another start chooses, so that nothing is cached."""
    numbers: Iterator[int] = iter(range(start, 10**9, step))

    def choose(control: Control) -> Any:
        value = float(low + next(numbers) % (high - low))
        return [value] if control.kind == "slider" else value

    return choose
