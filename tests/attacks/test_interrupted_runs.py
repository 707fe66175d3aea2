"""A flood of runs of a page, each of which interrupts the one before."""

from pathlib import Path

import pytest

from tests.attacks.conftest import COUNTED
from tests.attacks.visit import Visit
from tests.browser.conftest import start_server

pytestmark = pytest.mark.journey
STUDY = "sample-summaries"


def test_a_flood_of_runs_never_has_two_of_one_visit_at_once(tmp_path: Path) -> None:
    """Streamlit keeps a visit's state without a lock that two of its runs would share."""
    (tmp_path / "sitecustomize.py").write_text(COUNTED)
    at_once = tmp_path / "at once"
    running = start_server(tmp_path, PYTHONPATH=str(tmp_path), RUNS_AT_ONCE=str(at_once))
    try:
        with Visit(running.url, "repetitions", {"d": STUDY}) as visit:
            visit.run()
            for number in range(150):
                visit.page = ("repetitions", "agreement")[number // 5 % 2]
                visit.query = {"d": STUDY, "shuffles": str(1 + number % 9), "rule": "x", "order": "x"}
                visit.begin()
            visit.page, visit.query = "agreement", {"d": STUDY}
            visit.begin()
            while "Agreement" not in visit.run():
                pass
        assert set(at_once.read_text().split()) == {"1"}
        assert running.errors() == []
    finally:
        running.stop()
