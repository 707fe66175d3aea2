"""README and docs: every link leads somewhere, every command runs, and the words are plain."""

import doctest
import re
import shlex
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from data.__main__ import main as data_main
from report.__main__ import main as report_main
from tests.browser.conftest import STREAMLIT
from tests.browser.picture import HEIGHT, PICTURE, WIDTH
from ui.visit.pages import MENU

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
OURS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *DOCUMENTS]
REFERENCES = ("docs/calibration.md", "docs/computation.md", "docs/security.md")
"""Documents to look something up in."""
BY_HAND = [name for name in OURS if name not in REFERENCES]
"""Documents that a reader reads from the beginning."""
MADE_BY_PEOPLE = {"data/local/", "deploy/log-in/secrets.toml"}
"""Paths that are made where Raterscope runs."""
MOST_BYTES = 8192
MOST_WORDS = 25
PRIVATE = (
    "held against", "told apart", "tell apart", "telling apart", "beside", "goes with", "go with",
    "rests on", "rest on", "hangs on", "foretold", "otherwise than", "by itself", "cannot be told",
    r"a share of(?! \d)", "each two", "leave out", "left out by", "stands in", "stand in", "of its own",
    "so to speak", "surely",
)  # fmt: skip
"""Phrases, as regular expressions, for which there is a plain one."""

MOST_WORDS_OF_METHOD = 200
METHODS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "features").glob("*/methods/*.md"))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def without_code(page: str) -> str:
    """Return a page without code blocks and with code spans as one word."""
    return re.sub(r"`[^`\n]+`", "code", re.sub(r"(?ms)^ *```.*?^ *```$", "", page))


def prose(page: str) -> str:
    """Return the running text of a page: no code, tables, headings, pictures or addresses of links."""
    lines = [line for line in without_code(page).splitlines() if not re.match(r"\s*(#|\||!\[)", line)]
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", "\n".join(lines))


def sentences(page: str) -> list[str]:
    """Return the sentences of a page; an item of a list ends one."""
    parts = re.split(
        r"\n\s*\n\s*(?:(?:[-*]|\d+\.) )?|\n\s*(?:[-*]|\d+\.) |(?<=[.?!])[*)]*\s+", f"\n{prose(page)}"
    )
    return [" ".join(part.split()) for part in parts if part.strip()]


def anchors(page: str) -> set[str]:
    """Return what a link to a heading of the page may be, as GitHub makes it."""
    heads = re.findall(r"(?m)^#+ (.+)$", re.sub(r"(?ms)^ *```.*?^ *```$", "", page))
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


def test_sentences_and_anchors_are_found() -> None:
    page = "# A b, c?\n\nOne `x y` two.\nThree:\n\n- four\n- five [six](seven.md)\n\n| no | no |\n\n```\nno\n```\n"
    assert sentences(page) == ["One code two.", "Three:", "four", "five six"]
    assert anchors(page) == {"a-b-c"}


@pytest.mark.parametrize("name", OURS)
def test_a_link_to_a_heading_leads_to_one(name: str) -> None:
    for path, anchor in re.findall(r"\[[^]]*\]\((?!https?:)([^)#]*)#([^)]+)\)", text(name)):
        page = (ROOT / name).parent / path if path else ROOT / name
        assert anchor in anchors(page.read_text(encoding="utf-8")), f"{path}#{anchor}"


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/reading.md", "docs/hosting.md"])
def test_a_path_in_a_code_span_is_there(name: str) -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    spans = re.findall(r"`((?:[\w-]+/)+[\w.-]*)`", re.sub(r"(?ms)^ *```.*?^ *```$", "", text(name)))
    paths = {span for span in spans if span.split("/")[0] in folders} - MADE_BY_PEOPLE
    assert paths
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_the_modules_of_a_feature_are_there() -> None:
    modules = re.findall(r"(?m)^\| `([\w/]+\.(?:py|md))` \|", text("CONTRIBUTING.md"))
    assert len(modules) >= 6
    for module in modules:
        assert list((ROOT / "features").glob(f"*/{module}")), module


def test_the_readme_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README))
    assert linked == set(DOCUMENTS)


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= MOST_BYTES
    first_screen = README.split("\n## What it answers\n")[0]
    assert "## Start" in first_screen
    assert len(prose(first_screen).split()) <= 75


def test_the_contributors_guide_is_short() -> None:
    assert len(text("CONTRIBUTING.md").encode()) <= MOST_BYTES


def test_the_picture_is_small_and_of_the_agreed_size() -> None:
    picture = PICTURE.read_bytes()
    assert f"]({PICTURE.relative_to(ROOT).as_posix()})" in README
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (WIDTH, HEIGHT) == (1440, 900)
    assert len(picture) <= 150_000


def test_the_changelog_has_one_line_for_each_feature() -> None:
    lines = text("CHANGELOG.md").split("\n### Added\n")[1].splitlines()
    assert [line for line in lines if not re.match(r"- |#### |$", line)] == []


@pytest.mark.parametrize("name", BY_HAND)
def test_no_sentence_is_long(name: str) -> None:
    long = [sentence for sentence in sentences(text(name)) if len(sentence.split()) > MOST_WORDS]
    assert long == []


@pytest.mark.parametrize("name", OURS)
def test_no_private_vocabulary(name: str) -> None:
    said = " ".join(without_code(text(name)).split()).casefold()
    assert [phrase for phrase in PRIVATE if re.search(rf"\b{phrase}\b", said)] == []


def test_the_page_of_pages_has_those_of_the_menu() -> None:
    """The comparison of two groups has their names; the document has those of the default sample."""
    listed = {
        section: {page.title.replace("Groups compared", "Crowd vs lab") for page in pages} - {"Start"}
        for section, pages in MENU.items()
    }
    parts = re.split(r"(?m)^## ", text("docs/pages.md"))[1:]
    named = {part.splitlines()[0]: set(re.findall(r"(?m)^\| ([A-Z][\w ]+) \|", part)) for part in parts}
    assert {section: names for section, names in named.items() if names} == listed


# Commands


def commands(page: str) -> list[str]:
    """Return the lines of a page's code blocks that name no language."""
    blocks = re.findall(r"(?ms)^```\n(.*?)^```$", page)
    return [line for block in blocks for line in block.splitlines()]


INSTALL = "pip install -r requirements.txt"
START = "streamlit run app.py"
REPORT = "python -m report sample-summaries --out my-report"


def test_every_command_of_the_readme_is_run_here() -> None:
    assert commands(README) == [INSTALL, START, REPORT]


def test_the_command_that_installs_is_satisfied_by_what_runs_these_tests() -> None:
    program, *arguments = shlex.split(INSTALL)
    done = subprocess.run(
        [sys.executable, "-m", program, *arguments, "--no-index", "--dry-run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_the_command_that_starts_is_that_of_servers_under_test() -> None:
    """tests/attacks/test_running_server.py and most tests in a browser start theirs with it."""
    assert (*shlex.split(START), "--server.port") == STREAMLIT


@pytest.mark.journey
def test_the_command_that_reports_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python, *arguments = shlex.split(REPORT)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert python == "python"
    subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True, timeout=600)
    listed = re.findall(r"(?m)^\| `([\w.]+)/?`(?:, `([\w.]+)/?`)? \|", text("docs/report.md"))
    written = {name for names in listed for name in names if name}
    assert {path.name for path in (tmp_path / "my-report").iterdir()} == written


def test_the_page_on_reports_has_the_readmes_command() -> None:
    assert commands(text("docs/report.md")) == [REPORT]


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z]+)", text("docs/report.md")))))
def test_an_option_of_the_report_is_there(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    if option != "--help":
        with pytest.raises(SystemExit):
            report_main(["--help"])
        assert f"[{option} " in capsys.readouterr().out


ON_DATA = sorted(
    {
        (command, option)
        for name in OURS
        for command, rest in re.findall(r"python -m data ([a-z][a-z-]*)([^#`\n]*)", text(name))
        for option in re.findall(r"--[a-z]+", rest) or [""]
    }
)


@pytest.mark.parametrize(("command", "option"), ON_DATA)
def test_a_command_on_data_is_there(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        data_main([command, "--help"])
    assert ended.value.code == 0
    assert option in capsys.readouterr().out


def test_the_notebook_gives_what_it_shows_and_other_pages_go_on_from_there() -> None:
    """Programs of the other pages use the data set that the notebook opens."""
    opened: dict[str, object] = {}
    examples = doctest.DocTestParser().get_doctest(text("docs/notebook.md"), opened, "notebook", None, None)
    assert examples.examples
    told: list[str] = []
    outcome = doctest.DocTestRunner().run(examples, out=told.append, clear_globs=False)
    assert outcome.failed == 0, "".join(told)
    for name in DOCUMENTS:
        for program in re.findall(r"(?ms)^```python\n(.*?)^```$", text(name)):
            if ">>>" not in program:
                exec(compile(program, name, "exec"), examples.globs)


@pytest.mark.parametrize("name", METHODS)
def test_how_this_is_computed_is_short_and_names_limits_and_sources(name: str) -> None:
    summary, details = text(name).split(
        "\n\n", 1
    )  # the report prints the summary, the fold of a page the details
    assert summary
    assert len(details.split()) <= MOST_WORDS_OF_METHOD
    leads = re.findall(r"(?m)^\*{0,2}(Question|When not to use it|Source)s?[.:]", details)
    assert leads == ["Question", "When not to use it", "Source"]


MOST_WORDS_AT_FIRST_SIGHT = 75


def test_the_first_screen_of_the_readme_is_short() -> None:
    above, found, _ = README.partition("## What it answers")
    assert found
    assert 20 < len(prose(above).split()) <= MOST_WORDS_AT_FIRST_SIGHT
