"""A process killed at any moment of an import leaves every saved data set intact and no half one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
def test_fifty_kills_at_random_moments_harm_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_imports.py")), str(tmp_path), "1"],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kills, acknowledged = (int(word) for word in done.stdout.split() if word.isdigit())
    assert kills == 50
    assert acknowledged > 50, "too few imports finished for the kills to mean anything"
