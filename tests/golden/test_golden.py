"""Pages and reports have the numbers that are recorded."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.golden.__main__ import RECORDED, compare_folders, main
from tests.golden.recording import record_to
from tests.golden.sources import list_sources
from tests.pages.conftest import forget_everything
from tests.sample_database import sample_database

STUDY = "sample-comprehension"
VIEWS = ("report", "overview", "comprehension")


@pytest.fixture
def plain_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of pages leave a main module that no new process can import."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.fixture
def own_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database with the samples, and nothing computed before."""
    for name in [name for name in os.environ if name.startswith("RATERSCOPE_")]:
        monkeypatch.delenv(name)
    (tmp_path / "raterscope.duckdb").write_bytes(sample_database())
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(tmp_path / "raterscope.duckdb"))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setenv("RATERSCOPE_THREADS", "1")
    forget_everything()
    yield
    forget_everything()


@pytest.mark.usefixtures("own_samples")
def test_one_report_and_two_pages_have_their_recorded_numbers(tmp_path: Path) -> None:
    """In this process; `python -m tests.golden compare` starts others."""
    (study,) = (source for source in list_sources() if source.name == STUDY)
    record_to(tmp_path / "now", study, VIEWS)
    found = list(compare_folders(RECORDED, tmp_path / "now", [STUDY], VIEWS))
    assert not [line for is_different, line in found if is_different]


@pytest.mark.slow
@pytest.mark.usefixtures("plain_main")
def test_everything_has_its_recorded_numbers() -> None:
    assert main(["compare"]) == 0


@pytest.mark.parametrize(("option", "name"), [("--only", "sample-summary"), ("--views", "reports")])
def test_an_unknown_name_is_reported_with_similar_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, name: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["compare", str(tmp_path), str(tmp_path), option, name])
    assert stopped.value.code == 2
    told = capsys.readouterr().err
    assert name in told
    assert {"--only": "sample-summaries", "--views": "report"}[option] in told


def test_a_missing_recording_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path), str(tmp_path), "--only", STUDY]) == 1
    assert STUDY in capsys.readouterr().out
