"""The human evaluation datasheet: numbers of the form, what the data answer, the rest as questions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.pairs.paired_differences import paired_differences
from report.__main__ import main
from tests.report.studies import ITEMS, MEASURES, RATERS, write_study

NUMBERS = """1.1.1 1.1.2 1.2 1.3.1.1–1.3.1.3 1.3.2.1–1.3.2.3 2.1 2.2 2.3 2.4 2.5 3.1.1 3.1.2 3.1.3.1 3.1.3.2 3.1.3.3
3.2.1 3.2.2.1 3.2.2.2 3.2.2.3 3.2.2.4 3.2.3 3.2.4 3.2.5 3.3.1 3.3.2 3.3.3.1 3.3.3.2 3.3.4.1 3.3.4.2 3.3.5 3.3.6 3.3.7
3.3.8 4.1.1 4.1.2 4.1.3 4.2.1 4.2.2 4.2.3 4.3.1.1 4.3.1.2 4.3.2 4.3.3 4.3.4 4.3.5 4.3.6 4.3.7 4.3.8 4.3.9 4.3.10
4.3.11.1 4.3.11.2 4.3.12.1–4.3.12.2 5.1 5.2 5.3 5.4"""
"""All questions of the form of HEDS 3.0 (nlp-heds.github.io)."""


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("heds")
    file, out = write_study(folder / "study.csv"), folder / "out"
    wanted = [part for name in ("agreement", "heds") for part in ("--sections", name)]
    assert main([str(file), "--out", str(out), "--draws", "20", "--without", "lab <i>1</i>", *wanted]) == 0
    told = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    return {section["name"]: section for section in told}


def test_every_question_of_the_form_is_asked_once(sections: dict[str, Any]) -> None:
    rows = sections["heds"]["tables"][0]["rows"]
    assert [number for number, *_ in rows] == NUMBERS.split()


def test_what_the_data_say_is_answered(sections: dict[str, Any]) -> None:
    answers = {number: answer for number, _, answer in sections["heds"]["tables"][0]["rows"]}
    assert answers["3.1.1"].startswith(f"{ITEMS} items in all. Please answer: how many of each system")
    assert answers["3.2.1"] == str(2 * RATERS - 1), "who was left out does not count"
    assert "lab <i>1</i>" in answers["3.3.3.2"]
    assert answers["4.3.3"].startswith("Values in the data: 5. ")
    assert "from 1 to 5" in answers["4.3.4"]
    assert all(measure in answers["4.3.1.1"] for measure in MEASURES)
    alphas = [row["Alpha"] for row in _rows(sections["agreement"]["tables"][0])]
    assert all(f"{alpha:.3f}" in answers["4.3.11.2"] for alpha in alphas)


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ({"a": 3, "b": 3}, "3 (6 items in all)."),
        ({"a": 1, "b": 2, "c": 4}, "1 to 4, 2 in the middle (7 items in all). Please answer: why"),
    ],
)
def test_outputs_are_counted_per_system(tmp_path: Path, outputs: dict[str, int], told: str) -> None:
    rows = ["item_id,rater_id,system,score"]
    for system, of_it in outputs.items():
        rows += [f"{system}{at},{rater},{system},{at + 1}" for at in range(of_it) for rater in "xy"]
    (tmp_path / "study.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    assert main([str(tmp_path / "study.csv"), "--out", str(out), "--sections", "heds"]) == 0
    (heds,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    answers = {number: answer for number, _, answer in heds["tables"][0]["rows"]}
    assert answers["3.1.1"].startswith(told)


def test_no_agreement_is_claimed_where_no_alpha_is_known(tmp_path: Path) -> None:
    """Each item has one rating; somebody is left out, so that the section has something to say of alpha."""
    rows = [f"{item},{'xyz'[item % 3]},{item % 4}" for item in range(12)]
    (tmp_path / "study.csv").write_text("item_id,rater_id,score\n" + "\n".join(rows), encoding="utf-8")
    asked = ["--without", "x", "--sections", "agreement", "--sections", "heds", "--draws", "0"]
    assert main([str(tmp_path / "study.csv"), "--out", str(tmp_path / "out"), *asked]) == 0
    told = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["sections"]
    agreement, heds = told
    assert agreement["tables"] == []
    answers = {number: answer for number, _, answer in heds["tables"][0]["rows"]}
    assert answers["4.3.11.1–4.3.11.2"].startswith("Please answer: ")


def test_power_is_that_of_all_pairs_of_systems(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    system, topic, rater = (each.ravel() for each in np.meshgrid(range(3), range(8), range(7)))
    score = system + rng.integers(0, 4, len(system))
    cells = zip(system, topic, rater, score, strict=True)
    rows = [f"s{s}t{t},r{r},s{s},t{t},{found}" for s, t, r, found in cells]
    study, out = tmp_path / "study.csv", tmp_path / "out"
    study.write_text("\n".join(["item_id,rater_id,system,topic,score", *rows]) + "\n", encoding="utf-8")
    assert main([str(study), "--out", str(out), "--sections", "heds"]) == 0
    (heds,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    answers = {number: answer for number, _, answer in heds["tables"][0]["rows"]}
    expected = paired_differences(system, topic, rater, score).detectable
    assert f"{expected:.2f} on score" in answers["3.1.3.2"]


def _rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
