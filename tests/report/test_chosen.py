"""Sections that a study can have, and messages on chosen ones that it cannot."""

import json
from pathlib import Path

import pytest

from report.__main__ import main
from report.settings import SECTION_TITLES
from tests.report.studies import write_study


@pytest.mark.parametrize(
    ("reference", "missing"),
    [
        ("crowd", {"groups": "crowd is its own reference."}),
        ("none", {"groups": "no reference is chosen to hold crowd against."}),
        (
            "lab",
            {
                "systems": "it needs a column system.",
                "metrics": "no further numbers of the items are known.",
                "labels": "it is about choices and label sets.",
            },
        ),
    ],
)
def test_a_chosen_section_that_cannot_be_made_is_reported(
    tmp_path: Path, reference: str, missing: dict[str, str]
) -> None:
    file, out = write_study(tmp_path / "study.csv"), tmp_path / "out"
    asked = ["--groups", "crowd", "--reference", reference, "--sections", "data"]
    asked += [part for name in missing for part in ("--sections", name)]
    assert main([str(file), "--out", str(out), "--draws", "0", *asked]) == 0
    data, lacking = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    assert data["name"] == "data"
    assert set(lacking["findings"]) == {
        f"'{SECTION_TITLES[name]}' is missing: {why}" for name, why in missing.items()
    }


def test_the_section_of_the_raters_has_either_name(tmp_path: Path) -> None:
    file, out = write_study(tmp_path / "study.csv"), tmp_path / "out"
    assert main([str(file), "--out", str(out), "--draws", "0", "--sections", "workers"]) == 0
    [raters] = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    assert raters["name"] == "raters"


def test_a_report_asks_for_no_number_to_weigh(tmp_path: Path) -> None:
    rows = [f"e{item},r{rater},{(3 * item + rater * item) % 11}" for item in range(8) for rater in range(3)]
    file, out = tmp_path / "few.csv", tmp_path / "out"
    file.write_text("\n".join(["item,rater,score", *rows]), encoding="utf-8")
    assert main([str(file), "--out", str(out), "--draws", "0", "--sections", "repetitions"]) == 0
    [section] = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    assert not [finding for finding in section["findings"] if "knee" in finding]
