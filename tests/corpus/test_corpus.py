"""Each file of the corpus is read as expected, asked about, or refused with the reason."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.settings import Settings
from data.store.store import Store
from tests.corpus.expectations import Expected, differences, load, load_file

HERE = Path(__file__).parent
CASES = {path.stem: load_file(path) for path in sorted((HERE / "cases").glob("*.toml"))}
SHARED = {
    name: load(content, name)
    for name, content in tomllib.loads((HERE / "shared_cases.toml").read_text(encoding="utf-8")).items()
}
FAILING = {*(HERE / "failing.txt").read_text(encoding="utf-8").split()}
"""Cases that are not read right yet; whoever mends one takes it out."""


def parametrized(cases: dict[str, Expected], prefix: str = "") -> list[object]:
    """Return the cases, of which those listed as failing must fail."""
    failing = pytest.mark.xfail(reason="listed in failing.txt", strict=True)
    return [
        pytest.param(name, marks=[failing] if prefix + name in FAILING else [], id=prefix + name)
        for name in cases
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("corpus")
    with Store(
        settings=Settings(database=str(folder / "c.duckdb"), spool=folder / "spool", threads=1)
    ) as opened:
        yield opened


@pytest.mark.journey
@pytest.mark.parametrize("name", parametrized(CASES))
def test_a_file_is_read_as_expected(name: str, store: Store) -> None:
    assert differences(store, CASES[name], HERE / "cases") == []


@pytest.mark.parametrize("name", parametrized(SHARED, "shared/"))
def test_a_shared_case_is_read_as_its_note_says(name: str, store: Store, shared_data: Path) -> None:
    assert differences(store, SHARED[name], shared_data / "cases") == []


def test_failing_cases_exist() -> None:
    assert {*CASES, *(f"shared/{name}" for name in SHARED)} >= FAILING


def test_each_file_belongs_to_a_case() -> None:
    named = {HERE / "cases" / name for case in CASES.values() for name in case.files}
    found = {path for path in (HERE / "cases").rglob("*") if path.is_file() and path.suffix != ".toml"}
    assert named == found
