"""A process killed at any moment of an import leaves every saved data set intact and no half one."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lake_servers import Postgres

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")


def acknowledged(folder: Path, kills: int, *lake: str) -> int:
    """Return the number of imports acknowledged during these kills; fail where one did harm."""
    done = subprocess.run(
        [
            sys.executable,
            Path(__file__).with_name("kill_imports.py"),
            folder,
            str(kills),
            str(secrets.randbelow(10**6)),
            *lake,
        ],
        capture_output=True,
        text=True,
        timeout=1800,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, (done.args, done.stderr)
    found, saved = (int(word) for word in done.stdout.split() if word.isdigit())
    assert found == kills
    return saved


@pytest.mark.storage
def test_kills_in_every_phase_of_an_import_harm_nothing(tmp_path: Path) -> None:
    assert acknowledged(tmp_path, 12) >= 6, "too few imports finished for the kills to mean anything"


@pytest.mark.slow
def test_a_hundred_kills_harm_nothing(tmp_path: Path) -> None:
    assert acknowledged(tmp_path, 100) >= 50, "too few imports finished for the kills to mean anything"


@pytest.mark.slow
def test_thirty_kills_of_one_of_two_writers_on_a_lake_harm_nothing(
    tmp_path: Path, postgres: Postgres
) -> None:
    saved = acknowledged(tmp_path, 30, postgres.new_url())
    assert saved >= 15, "too few imports finished for the kills to mean anything"
