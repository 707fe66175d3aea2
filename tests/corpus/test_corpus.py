"""Each file of the corpus is read as expected, asked about, or refused with the reason."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus.expectations import Expected, differences, load, load_file
from tests.corpus.mutations import read_hurt
from tests.roundtrip.outcomes import Read, reading_in_memory, saving_in_store

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
def in_memory() -> Iterator[Read]:
    with reading_in_memory() as read:
        yield read


@pytest.fixture(scope="module")
def in_store() -> Iterator[Read]:
    """Saves and deletes each study, which takes longer and gives the same, as tests of the round trip show."""
    with saving_in_store() as read:
        yield read


@pytest.mark.journey
@pytest.mark.parametrize("name", parametrized(CASES))
def test_a_file_is_read_as_expected(name: str, in_memory: Read) -> None:
    assert differences(in_memory, CASES[name], HERE / "cases") == []


@pytest.mark.parametrize("name", parametrized(SHARED, "shared/"))
def test_a_shared_case_is_read_as_its_note_says(name: str, in_store: Read, shared_data: Path) -> None:
    assert differences(in_store, SHARED[name], shared_data / "cases") == []


@pytest.mark.journey
@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_a_hurt_table_is_read_or_refused_in_a_sentence(seed: int, in_memory: Read, tmp_path: Path) -> None:
    still_read = [read_hurt(in_memory, tmp_path, each) for each in range(seed, seed + 50)]
    assert {*still_read} == {True, False}


def test_failing_cases_exist() -> None:
    assert {*CASES, *(f"shared/{name}" for name in SHARED)} >= FAILING


def test_each_file_belongs_to_a_case() -> None:
    named = {HERE / "cases" / name for case in CASES.values() for name in case.files}
    found = {path for path in (HERE / "cases").rglob("*") if path.is_file() and path.suffix != ".toml"}
    assert named == found
