"""Streamlit's own programs, as a first visit needs them: packed once, and asked for before a message names them.

Streamlit sends them unpacked, and its pages ask for the program of an element when the first one arrives: for Plotly
(`server.start.plotly` cuts it; `server.start.before_drawing` changes the page's own) when the server has computed the
picture. Each page's HTML has those fetched that draw what stands above main pictures, after all that the page begins
with, and they begin while the server computes.
"""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.start.before_drawing import sends_before_drawing
from server.start.plotly import cut

ABOVE = ("PlotlyChart", "Html", "Multiselect", "Selectbox", "Slider", "ButtonGroup", "NumberInput")
BELOW = ("ReadOnlyGrid", "Button", "PageLink", "Progress", "DownloadButton")
"""Elements that pages hold above their main picture, and others, whose programs are packed, too."""
_STATIC = Path(streamlit.__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_ADDRESS = re.compile(r"(?:/[\w.~-]+)*/(static/(?:js|css)/[\w.~-]+)")


@cache
def _manifest() -> dict[str, dict[str, Any]]:
    """What Streamlit's builder wrote of its files: where each lies and what it imports."""
    read: dict[str, dict[str, Any]] = json.loads((_STATIC / "manifest.json").read_text(encoding="utf-8"))
    return read


def _element(name: str) -> str:
    return next(entry for entry in _manifest() if Path(entry).stem == name)


def _with_imports(entries: list[str]) -> list[str]:
    """These and what they import, each once, in the order of their being needed."""
    found = dict.fromkeys(entries)
    for entry in entries:
        found |= dict.fromkeys(_with_imports_of(entry))
    return [*found]


@cache
def _with_imports_of(entry: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    left = [entry]
    while left:
        if (next_ := left.pop()) not in found:
            found[next_] = None
            left += _manifest()[next_].get("imports", [])
    return tuple(found)


def _file(entry: str) -> str:
    file: str = _manifest()[entry]["file"]
    return file


_FIRST = _with_imports_of("index.html")
_AHEAD = [_file(entry) for entry in _with_imports([*map(_element, ABOVE)]) if entry not in _FIRST]
LINKS = "".join(
    f'<link rel="preload" as="script" crossorigin fetchpriority="low" href="./{file}">' for file in _AHEAD
)
"""What a page's HTML holds for them; pages lie one level deep. Links that have them compiled, too (`modulepreload`),
would hold up the page's own beginning."""
SCRIPT = f"""
window.WebSocket=class extends WebSocket{{
constructor(...place){{
super(...place);
for(const file of {json.dumps([_file(_element(name)) for name in ABOVE])})import("./"+file).catch(()=>{{}})
}}
}}
""".replace("\n", "")
"""They begin when the page has begun and asks the server what to show."""
_packed: dict[str, bytes] = {}


def pack() -> None:
    """Packs what pages ask for, once; until then Streamlit answers."""
    for entry in _with_imports(["index.html", *map(_element, ABOVE + BELOW)]):
        for file in (_file(entry), *_manifest()[entry].get("css", [])):
            if Path(file).suffix in _TYPES and file not in _packed:
                _packed[file] = gzip.compress(_program(file), 6, mtime=0)


def _program(file: str) -> bytes:
    program = (_STATIC / file).read_bytes()
    change = {_file(_element("PlotlyChart")): cut, _file("index.html"): sends_before_drawing}.get(file)
    return change(program.decode()).encode() if change else program


class PackedPrograms:
    """ASGI middleware: answers the addresses of what is packed, to whoever unpacks it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        packed = _asked_for(scope)
        if packed is None:
            await self.app(scope, receive, send)
            return
        file, body = packed
        headers = {
            "cache-control": "public, immutable, max-age=31536000",
            "content-encoding": "gzip",
            "vary": "accept-encoding",
        }
        await Response(body, 200, headers, _TYPES[Path(file).suffix])(scope, receive, send)


def _asked_for(scope: Scope) -> tuple[str, bytes] | None:
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    found = _ADDRESS.fullmatch(scope["path"])
    if found is None or found[1] not in _packed:
        return None
    asked = Headers(scope=scope)
    if "gzip" not in asked.get("accept-encoding", "") or "range" in asked:
        return None
    return found[1], _packed[found[1]]
