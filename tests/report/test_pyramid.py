"""The rule by mP - aP in a report: a kept view that has it, the command, and what is said without contributors."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.assessors.exclusion import additive_scores
from analysis.exclusion import compare_rankings
from data.samples import SAMPLES, assessors
from data.settings import Settings
from data.store.store import Store
from features.assessments import SAMPLE_PYRAMIDS
from features.study import Session, use_session
from report.__main__ import main
from report.build import build_from_study
from report.files import results_json
from report.settings import ReportSettings, open_report_study, read
from report.views import View
from tests.pages.metrics.summaries import marked, study

RULE = "rule=the+lowest+by+mP+%E2%88%92+aP+%28pyramid%29"
STUDY = "sample-assessors"
MISSES_MOST = "C"
"""Who of the sample's assessors was made to miss most units."""


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Any]]:
    folder = tmp_path_factory.mktemp("pyramid")
    settings = Settings(database=str(folder / "views.duckdb"), spool=folder / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        both = (STUDY, SAMPLE_PYRAMIDS[STUDY])
        kept = store.ensure_samples(tuple(sample for sample in SAMPLES if sample.key in both))
        dataset, pyramid = (kept[name] for name in both)
        measure = str(store.query(dataset, "cells")["measure"][0])
        view = View("lowest", "", f"/assessors?{RULE}&worst=1&measures={measure}", "Raters", "/assessors")
        found = replace(view, contributors=pyramid)
        asked = ReportSettings(sections=("data",), draws=0)
        report = build_from_study(*open_report_study(dataset, STUDY, asked), asked, views=(found, view))
        yield {one["name"]: one for one in json.loads(results_json(report))["sections"]}


def test_a_view_is_computed_without_whom_its_rule_finds(sections: Mapping[str, Any]) -> None:
    told = sections["view-1"]
    assert f"without {MISSES_MOST} (worst 1 by mP − aP)" in told["findings"][0]
    assert not any("at its address" in note for note in told["notes"])
    tables = {table["name"].removeprefix("view-1-"): table for table in told["tables"]}
    (ranked,) = _rows(tables["ranking-without"])
    judged = assessors.generate()
    here = judged["measure"] == ranked["Measure"]
    columns = [judged[name][here] for name in ("system", "topic", "rater_id", "score")]
    columns[-1] = columns[-1].astype(float)
    expected = compare_rankings(additive_scores(*columns), additive_scores(*columns, without=(MISSES_MOST,)))
    assert ranked["Pearson r"] == pytest.approx(expected.pearson.value, abs=1e-12)
    assert ranked["Spearman ρ"] == pytest.approx(expected.spearman.value, abs=1e-12)
    assert _rows(tables["pyramid"])[0]["Rater"] == MISSES_MOST
    assert f"Rater {MISSES_MOST} has the lowest mP − aP" in told["findings"][-1]


def test_without_contributors_a_view_says_so(sections: Mapping[str, Any]) -> None:
    told = sections["view-2"]
    assert not told["tables"]
    assert told["notes"][-1] == (
        "Its figures are at its address, where a rule decides who is left out: it needs the contributors of a "
        "pyramid, which were not found."
    )


def _rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def write(path: Path, header: str, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A study in which Bob misses what he marked elsewhere, and what was marked."""
    folder = tmp_path_factory.mktemp("files")
    header, rows = study()
    return write(folder / "study.csv", header, rows), write(folder / "marks.csv", *marked(rows))


def test_the_command_takes_contributors(files: tuple[Path, Path], tmp_path: Path) -> None:
    ratings, marks = map(str, files)
    out = tmp_path / "out"
    asked = ["--without", "lowest 1 by mP - aP", "--contributors", marks, "--sections", "data"]
    assert main([ratings, "--out", str(out), *asked]) == 0
    told = json.loads((out / "results.json").read_text())
    assert "Bob" in str(told["sections"][0]["notes"])
    assert "Ann" not in str(told["sections"][0]["notes"])
    assert "--contributors=marks.csv" in told["made"]["Repeated by"]
    assert read(out / "report.toml")[1]["contributors"] == marks
    assert main(["--config", str(out / "report.toml"), "--out", str(tmp_path / "again")]) == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text())
    assert again["sections"] == told["sections"]


def test_a_rule_without_its_contributors_is_refused(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings, _ = map(str, files)
    out = ["--out", str(tmp_path / "out")]
    assert main([ratings, *out, "--without", "lowest 1 by mP - aP"]) == 1
    assert "mP - aP needs the items' texts and the contributors of a pyramid" in capsys.readouterr().err
    _, rows = study()
    others = [(topic, f"other {item}", *rest) for topic, item, *rest in marked(rows)[1]]
    strange = write(tmp_path / "strange.csv", marked(rows)[0], others)
    assert main([ratings, *out, "--contributors", str(strange)]) == 1
    assert "they speak of none of the items" in capsys.readouterr().err
