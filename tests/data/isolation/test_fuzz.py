"""Reading any bytes of an upload ends in time, in little memory, and in a table or a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("seconds", "first_round"),
    [
        # not of storage, but of processes: what the second tier is for
        pytest.param(5, 1, marks=pytest.mark.storage),
        *(pytest.param(60, process * 1000, marks=pytest.mark.slow) for process in range(1, 11)),
    ],
)
def test_any_bytes_are_read_in_time_and_in_little_memory(
    tmp_path: Path, seconds: int, first_round: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.data.isolation.fuzz", str(seconds), str(tmp_path), str(first_round)],
        cwd=ROOT,
        env=dict(os.environ) | {"RATERSCOPE_SPOOL": str(tmp_path / "spool")},
        capture_output=True,
        text=True,
        check=False,
    )
    last = tmp_path / "input"
    content = last.read_bytes() if last.exists() else b""
    assert done.returncode == 0, (
        f"{done.returncode} at {len(content)} bytes {content[:500]!r}\n{done.stderr[-4000:]}"
    )
    inputs, tables = (int(word) for word in done.stdout.split() if word.isdecimal())
    assert 0 < tables <= inputs
