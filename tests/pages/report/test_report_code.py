"""The program of the Report page runs as it stands and says what the page's report says."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from data.formats.readers import sniff
from data.mapping.proposal import propose
from features.raters.exclusion_rules import WORST_UNITS
from tests.pages.metrics.summaries import WORKSPACE, marked, study
from tests.pages.programs import ran
from ui.elements import store

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


def test_a_view_whose_rule_looks_at_a_pyramid(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, own_folder: Path
) -> None:
    """Its contributors are found as on the page that it was kept on, by the key in its address."""
    header, rows = study()
    mine = {}
    for kind, columns, said in (("ratings", header, rows), ("contributors", *marked(rows))):
        file = own_folder / f"{kind}.csv"
        with file.open("w", encoding="utf-8", newline="") as table:
            csv.writer(table).writerows([columns.split(","), *said])
        mapping = propose(sniff(file), kind).mapping
        mine[kind] = store().add(file, kind, mapping, file.name, WORKSPACE, file=file.name)
    pyramid = store().link(mine["contributors"].id)
    rule = urlencode({"rule": WORST_UNITS, "worst": "1", "pyramid": pyramid})
    store().keep_view(mine["ratings"].id, "without the lowest", f"/assessors?{rule}", shared=True)
    app = open_page(
        "study_report.py",
        d=store().link(mine["ratings"].id),
        report_draws="0",
        report_sections="The data",
        report_views="without the lowest",
    )
    shown = made_on_the_page(app, monkeypatch)
    view = shown["sections"][-1]
    assert "without Bob (worst 1 by mP − aP)" in view["findings"][0]
    assert "Rater Bob has the lowest mP − aP" in view["findings"][-1]
    found = ran(app)
    (code,) = [block.value for block in app.code]
    assert pyramid not in code
    view["notes"] = [note for note in view["notes"] if not note.startswith("This view:")]
    (of_code,) = [one for one in found["sections"] if one["name"] == "view-1"]
    of_code["notes"] = [note for note in of_code["notes"] if not note.startswith("This view:")]
    assert of_code == view
