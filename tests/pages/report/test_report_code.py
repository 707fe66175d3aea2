"""The program of the Report page runs as it stands and says what the page's report says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.programs import ran

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]


def made_on_the_page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The numbers that the page gives away."""
    files: dict[str, Any] = {}
    monkeypatch.setattr(
        "ui.screens.report.offer_download", lambda label, make, name, mime, keys: files.update({label: make})
    )
    app.button(key="make_report").click().run()
    assert not app.exception
    numbers: dict[str, Any] = json.loads(files["Numbers (JSON)"]())
    return numbers


@pytest.mark.parametrize(
    "asked",
    [
        {"measures": "focus", "report_title": 'it\'s "mine"\n#', "without": ["crowd 07", "lab 03"]},
        {"d": "sample-comparisons", "report_sections": "Workers"},
        {"d": "sample-relevance"},
    ],
)
def test_a_report(open_page: Open, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]) -> None:
    app = open_page("study_report.py", report_draws="20", report_seed="3", **asked)
    shown = made_on_the_page(app, monkeypatch)
    found = ran(app)
    assert found["sections"] == shown["sections"]
    assert (found["title"], found["asked"]) == (shown["title"], shown["asked"])
    assert len(found["sections"]) > 0
