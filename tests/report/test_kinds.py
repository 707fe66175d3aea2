"""The report of every kind of study."""

import json
from pathlib import Path
from typing import Any

import pytest

from data.samples import SAMPLES
from report.__main__ import main

SECTIONS = {
    "sample-summaries": "data agreement variance groups standing-in repetitions raters items metrics "
    "collection heds",
    "sample-assessors": "data agreement variance groups standing-in raters pyramid items metrics systems "
    "collection heds",
    "sample-comparisons": "data systems pairs-of-systems labels workers standing-in repetitions "
    "collection heds",
    "sample-comprehension": "data comprehension summary-length heds",
    "sample-relevance": "data relevance kappa metrics heds",
    "sample-rankings": "data systems workers heds",
    "sample-label-sets": "data agreement labels workers heds",
    "sample-votes": "data agreement repetitions items systems collection heds",
}
QUICK = ("sample-comprehension", "sample-relevance", "sample-rankings", "sample-label-sets")


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def test_every_sample_study_is_reported() -> None:
    assert set(SECTIONS) == {sample.key for sample in SAMPLES if sample.kind != "contributors"}


@pytest.mark.parametrize(
    "key", [key if key in QUICK else pytest.param(key, marks=pytest.mark.slow) for key in SECTIONS]
)
def test_a_study_of_each_kind_has_its_sections(key: str, tmp_path: Path) -> None:
    assert main([key, "--out", str(tmp_path), "--draws", "20"]) == 0
    results: dict[str, Any] = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    sections = {section["name"]: section for section in results["sections"]}
    assert list(sections) == SECTIONS[key].split()
    for name, section in sections.items():
        assert section["findings"], name
        assert section["methods"], name
    names = [table["name"] for section in sections.values() for table in section["tables"]]
    assert len(set(names)) == len(names)
    figures = {path.stem for path in (tmp_path / "figures").glob("*.html")}
    assert len(figures) > 1
    assert (tmp_path / "report.html").stat().st_size < 6_000_000


def test_a_study_of_choices_says_who_wins(tmp_path: Path) -> None:
    rows = [
        f"item {item},worker {worker},{'new' if (item + worker) % 6 else 'old'},old,new"
        for item in range(12)
        for worker in range(5)
    ]
    file = tmp_path / "choices.csv"
    file.write_text("\n".join(["item_id,rater_id,choice,option_a,option_b", *rows]), encoding="utf-8")
    out = tmp_path / "out"
    assert (
        main([str(file), "--out", str(out), "--draws", "20", "--sections", "systems", "--sections", "data"])
        == 0
    )
    data, pair = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    assert "60 choices of 12 items by 5 raters" in data["findings"][0]
    assert "new is preferred over old" in pair["findings"][0]


def test_choices_whose_lengths_are_known_are_adjusted_for_them(tmp_path: Path) -> None:
    """Among three equal systems, the longer output wins 2 of 3 times."""
    systems = ["old", "new", "third"]
    rows = []
    for at in range(120):
        first, second = (systems[(at + shift * (1 + at % 2)) % 3] for shift in (0, 1))
        length = (300 if at % 5 else 100, 200)
        longer = "first" if length[0] > length[1] else "second"
        other = {"first": "second", "second": "first"}[longer]
        won = longer if at % 3 else other
        rows.append(f"item {at % 30},worker {at % 4},{won},{first},{second},{length[0]},{length[1]}")
    file, out = tmp_path / "choices.csv", tmp_path / "out"
    head = "item_id,rater_id,choice,option_a,option_b,words_a,words_b"
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    assert main([str(file), "--out", str(out), "--draws", "50", "--sections", "systems"]) == 0
    sections = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    scale = next(section for section in sections if section["name"] == "systems")
    assert any("when adjusted for words." in finding for finding in scale["findings"])
    tables = {table["name"]: table for table in scale["tables"]}
    systems_table, effects = tables["style"], tables["style-effects"]
    assert {row["System"] for row in rows_of(systems_table)} == set(systems)
    assert [row["Style"] for row in rows_of(effects)] == ["words"]
    assert rows_of(effects)[0]["Wins with twice as much"] > 0.5
    assert (out / "figures" / "style.html").exists()


def test_metrics_of_surrogates_are_correlated_with_how_well_people_judge(tmp_path: Path) -> None:
    """The higher an event's and surrogate's metric, the more of its documents are judged as gold has it."""
    right = {(event, surrogate): (event + 2 * surrogate) % 5 for event in range(4) for surrogate in range(3)}
    rows = [
        f"r{rater},e{event},d{document},s{surrogate},{int(document < score)},1,{0.1 * score:.1f},{-score}"
        for (event, surrogate), score in right.items()
        for document in range(5)
        for rater in range(2)
    ]
    head = "rater_id,event_id,document_id,surrogate,judgment,gold,rouge,length"
    file, out = tmp_path / "relevance.csv", tmp_path / "out"
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    assert main([str(file), "--out", str(out), "--sections", "metrics", "--draws", "20"]) == 0
    [section] = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    of = [
        row["Surrogates × events"]
        for table in section["tables"]
        for row in rows_of(table)
        if (row["Measure"], row["Correlation"]) == ("Accuracy", "Pearson")
    ]
    assert of == pytest.approx([1, -1])
    assert len(section["findings"]) == 2
