"""Streamlit's programs come packed to whoever unpacks them; pages name files that there are."""

import gzip
import re
from pathlib import Path

import pytest
import streamlit

from server.start import elements
from server.start.before_drawing import sends_before_drawing
from server.start.elements import ABOVE, LINKS, SCRIPT, PackedPrograms, pack
from tests.server.asgi import Answer, answering, ask

STATIC = Path(streamlit.__file__).parent / "static"
NAMED = re.findall(r'href="\./([^"]+)"', LINKS)


@pytest.fixture(scope="module", autouse=True)
def packed() -> None:
    pack()


def answer(path: str, method: str = "GET", **headers: str) -> Answer:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return ask(PackedPrograms(answering(body=b"Streamlit's")), path, method, named)


def body(of: Answer) -> bytes:
    return b"".join(message.get("body", b"") for message in of.messages[1:])


@pytest.mark.parametrize("before", ["/", "/below/a/prefix/"])
@pytest.mark.parametrize("kind", ["js", "css"])
def test_a_program_that_pages_begin_with_comes_packed_and_is_streamlits(before: str, kind: str) -> None:
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    files = re.findall(rf'(?:src|href)="\./(static/{kind}/[^"]+)"', html)
    assert files
    for file in files:
        found = answer(before + file, accept_encoding="br, gzip")
        streamlits = (STATIC / file).read_text(encoding="utf-8")
        as_sent = (
            sends_before_drawing(streamlits)
            if Path(file).name.startswith("index.") and kind == "js"
            else streamlits
        )
        assert gzip.decompress(body(found)).decode() == as_sent
        assert found.values("content-encoding") == ["gzip"]
        assert found.values("vary") == ["accept-encoding"]
        assert found.values("cache-control")[0].startswith("public, immutable")
        assert found.values("content-type")[0].startswith("text/")


def test_what_pages_name_is_there_once_and_is_nothing_they_begin_with() -> None:
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    assert len(NAMED) == len(set(NAMED)) >= len(ABOVE)
    assert all((STATIC / file).is_file() and file not in html for file in NAMED)
    assert all(answer(f"/{file}", accept_encoding="gzip").values("content-encoding") for file in NAMED)


def test_the_programs_that_begin_are_those_that_streamlit_imports_by_the_same_address() -> None:
    begins = re.findall(r'"(static/js/[^"]+)"', SCRIPT)
    index = next(STATIC.glob("static/js/index.*.js")).read_text(encoding="utf-8")
    assert [Path(file).name.split(".")[0] for file in begins] == [*ABOVE]
    assert all(f"import(`./{Path(file).name}`)" in index for file in begins)
    assert set(begins) <= set(NAMED)


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        (NAMED[0], "GET", {"accept_encoding": "br"}),
        (NAMED[0], "GET", {}),
        (NAMED[0], "HEAD", {"accept_encoding": "gzip"}),
        (NAMED[0], "GET", {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("static/js/another.js", "GET", {"accept_encoding": "gzip"}),
        ("static/js/../../index.html", "GET", {"accept_encoding": "gzip"}),
        ("data", "GET", {"accept_encoding": "gzip"}),
    ],
)
def test_all_else_streamlit_answers(path: str, method: str, headers: dict[str, str]) -> None:
    assert answer(f"/{path}", method, **headers).text == "Streamlit's"


def test_before_they_are_packed_streamlit_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "_packed", {})
    assert answer(f"/{NAMED[0]}", accept_encoding="gzip").text == "Streamlit's"
