"""Static files come compressed to whoever takes them so, and pages name files that exist."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import streamlit

from server.static_files import PRELOADED, PRELOADS, SCRIPTS, TAGS, StaticFiles, precompress
from tests.server.asgi import Answer, answering, ask

STREAMLIT = Path(streamlit.__file__).parent / "static"
OURS = Path(__file__).resolve().parents[2] / "server" / "static"
PRELOADED_FILES = re.findall(r'href="\./([^"]+)"', PRELOADS)
SCRIPT_FILES = re.findall(r'src="\./([^"]+)"', TAGS)
PLOTLY = "scripts/" + re.findall(r'data-plotly="([^"]+)"', TAGS)[0]


def answer(path: str, method: str = "GET", **headers: str) -> Answer:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return ask(StaticFiles(answering(body=b"Streamlit's")), path, method, named)


def body(of: Answer) -> bytes:
    return b"".join(message.get("body", b"") for message in of.messages[1:])


@pytest.mark.parametrize("before", ["/", "/below/a/prefix/"])
@pytest.mark.parametrize("kind", ["js", "css"])
def test_a_program_that_pages_begin_with_comes_compressed_and_is_streamlits(before: str, kind: str) -> None:
    precompress()
    html = (STREAMLIT / "index.html").read_text(encoding="utf-8")
    files = re.findall(rf'(?:src|href)="\./(static/{kind}/[^"]+)"', html)
    assert files
    for file in files:
        found = answer(before + file, accept_encoding="br, gzip")
        assert gzip.decompress(body(found)) == (STREAMLIT / file).read_bytes()
        assert found.values("content-encoding") == ["gzip"]
        assert found.values("vary") == ["accept-encoding"]
        assert found.values("cache-control")[0].startswith("public, immutable")
        assert found.values("content-type")[0].startswith("text/")


def test_preloaded_files_exist_once_and_streamlits_page_does_not_load_them_itself() -> None:
    html = (STREAMLIT / "index.html").read_text(encoding="utf-8")
    assert len(PRELOADED_FILES) == len(set(PRELOADED_FILES)) >= len(PRELOADED)
    assert all((STREAMLIT / file).is_file() and file not in html for file in PRELOADED_FILES)


def test_the_program_of_each_preloaded_element_is_the_one_that_streamlit_imports() -> None:
    index = next(STREAMLIT.glob("static/js/index.*.js")).read_text(encoding="utf-8")
    imported = {file for file in PRELOADED_FILES if f"import(`./{Path(file).name}`)" in index}
    assert {Path(file).name.split(".")[0] for file in imported} == set(PRELOADED)


def test_pages_load_every_script_of_ours() -> None:
    assert {path.stem for path in OURS.glob("*.js")} == set(SCRIPTS)
    assert [re.sub(r"-[0-9a-f]{16}\.js$", "", Path(file).name) for file in SCRIPT_FILES] == [*SCRIPTS]


@pytest.mark.parametrize("before", ["/", "/below/a/prefix/"])
@pytest.mark.parametrize("file", SCRIPT_FILES)
def test_a_script_of_ours_comes_compressed_or_plain_and_may_be_kept(before: str, file: str) -> None:
    written = (OURS / f"{Path(file).name.rpartition('-')[0]}.js").read_bytes()
    plain, packed = answer(before + file), answer(before + file, accept_encoding="gzip")
    assert body(plain) == gzip.decompress(body(packed)) == written
    assert plain.values("content-encoding") == []
    for found in (plain, packed):
        assert found.values("content-type")[0].startswith("text/javascript")
        assert found.values("cache-control")[0].startswith("public, immutable")


def test_plotly_comes_compressed() -> None:
    packed = answer(f"/{PLOTLY}", accept_encoding="br, gzip")
    assert packed.values("content-length") == [str(len(body(packed)))]
    assert len(body(packed)) < 2_000_000
    assert b"window.Plotly" in gzip.decompress(body(packed))


@pytest.mark.parametrize(
    "path", ["/scripts/plotly-0.0.0.js", "/scripts/figures-0.js", "/scripts/figures.js", "/scripts/app.py"]
)
def test_another_version_is_not_found(path: str) -> None:
    assert answer(path).status == 404


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        (PRELOADED_FILES[0], "GET", {"accept_encoding": "br"}),
        (PRELOADED_FILES[0], "GET", {}),
        (PRELOADED_FILES[0], "HEAD", {"accept_encoding": "gzip"}),
        (PRELOADED_FILES[0], "GET", {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("static/js/another.js", "GET", {"accept_encoding": "gzip"}),
        ("static/js/../../index.html", "GET", {"accept_encoding": "gzip"}),
        ("scripts", "GET", {}),
        ("scripts/../app.py", "GET", {}),
        ("scripts/a/b-1.js", "GET", {}),
        ("data", "GET", {"accept_encoding": "gzip"}),
    ],
)
def test_streamlit_answers_everything_else(path: str, method: str, headers: dict[str, str]) -> None:
    assert answer(f"/{path}", method, **headers).text == "Streamlit's"


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js on this machine")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_ours_is_valid_javascript(name: str) -> None:
    checked = subprocess.run(
        ["node", "--check", str(OURS / f"{name}.js")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
