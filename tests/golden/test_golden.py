"""What pages and reports show now has the numbers that are recorded."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
STUDY = "sample-comprehension"
VIEWS = ("report", "overview", "comprehension")


def compare_with_recorded(*arguments: str) -> None:
    """Compare in a process of its own: other tests of pages leave a main module that no new process can import."""
    command = [sys.executable, "-m", "tests.golden", "compare", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_report_and_two_pages_have_their_recorded_numbers() -> None:
    views = [part for view in VIEWS for part in ("--views", view)]
    compare_with_recorded("--only", STUDY, "--workers", "1", *views)


@pytest.mark.slow
def test_everything_has_its_recorded_numbers() -> None:
    compare_with_recorded()


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
