"""README, CONTRIBUTING and docs agree with the code; the version is one number."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from data.settings import as_markdown

ROOT = Path(__file__).resolve().parents[1]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(title: str, page: str = "README.md") -> str:
    return text(page).split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_settings_are_the_declared_ones() -> None:
    assert as_markdown().strip() in section("Settings", "docs/hosting.md"), (
        f"the table should be:\n{as_markdown()}"
    )


def test_every_dependency_has_its_reason() -> None:
    """The page lists what is required, what hosting needs and what is optional, in the order of the files."""
    told = re.findall(r"(?m)^\| `([\w-]+)` \| (\S.*\S) \|$", text("docs/dependencies.md"))
    files = ("requirements.txt", "requirements-hosting.txt", "requirements-optional.txt")
    assert [name for name, _ in told] == [name for file in files for name in named_in(file)]
    for file in files:
        assert f"`pip install -r {file}`" in text("docs/dependencies.md")


def named_in(file: str) -> list[str]:
    """Return the packages that a file of requirements names."""
    names: list[str] = re.findall(r"(?m)^([\w-]+)==", text(file))
    assert names
    return names


def test_continuous_integration_runs_the_commands_of_the_contributors_guide() -> None:
    assert "\npip install -r requirements-dev.txt\n" in section("Set up and run", "CONTRIBUTING.md")
    assert "| `pytest` |" in section("Test", "CONTRIBUTING.md")
    tiers = [line for line in text(".ci/run").splitlines() if line.startswith("pytest")]
    assert tiers == [
        "pytest",
        'pytest -m "(journey or storage) and not slow"',
    ]
    assert re.search(r"(?m)^ *pip install .*-r requirements-dev.txt$", text(".ci/run"))


def test_every_test_belongs_to_a_tier() -> None:
    """Tests that `pytest` skips run in the second tier or, by hand, in the third."""
    options = tomllib.loads(text("pyproject.toml"))["tool"]["pytest"]["ini_options"]["addopts"]
    assert options[options.index("-m") + 1] == "not journey and not storage and not slow"
    for command in ('`pytest -m "(journey or storage) and not slow"`', "`pytest -m slow`"):
        assert command in section("Test", "CONTRIBUTING.md")


PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "data/samples/README.md",
    "deploy/certificates/README.md",
]
PAGES += sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_linked_are_there(page: str) -> None:
    folder = (ROOT / page).parent
    for path in re.findall(r"\[[^]]*\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text(page)):
        assert (folder / path).exists(), path


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")), ids=lambda path: path.stem
)
def test_an_issue_template_has_a_name_and_says_what_it_is_about(path: Path) -> None:
    head = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
    assert head["name"]
    assert head["about"]


def test_folders_of_the_layout_are_there() -> None:
    for path in re.findall(r"(?m)^([\w./]+/|\w+\.py) ", section("Where things are", "CONTRIBUTING.md")):
        assert (ROOT / path).exists(), path


def test_the_version_is_one() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    assert re.search(r"(?m)^## (\S+)", text("CHANGELOG.md"))[1] == version
