"""What pages and reports show now has the numbers that are recorded."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.golden.__main__ import main

STUDY = "sample-comprehension"
VIEWS = ("report", "overview", "comprehension")


@pytest.fixture
def plain_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of pages leave a main module that no new process can import."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.mark.usefixtures("plain_main")
def test_one_report_and_two_pages_have_their_recorded_numbers() -> None:
    views = [part for view in VIEWS for part in ("--views", view)]
    assert main(["compare", "--only", STUDY, "--workers", "1", *views]) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("plain_main")
def test_everything_has_its_recorded_numbers() -> None:
    assert main(["compare"]) == 0


@pytest.mark.parametrize(("option", "name"), [("--only", "sample-summary"), ("--views", "reports")])
def test_an_unknown_name_is_told_with_similar_ones(
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
