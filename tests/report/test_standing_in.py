"""The report's section on replacing raters: verdicts and numbers of analysis, said once where measures agree."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.standing_in import alternative_annotator_test, effective_number_of_raters, group_values
from analysis.values.estimate import default_scope
from analysis.values.ratings import Ratings
from report.__main__ import main

RNG = np.random.default_rng(3)
ITEMS, RATERS = 32, 3
SCOPE = default_scope(RATERS)
TRUTH = RNG.normal(3, 1, ITEMS)
SCORES = {
    (group, measure): np.round(TRUTH[:, None] + RNG.normal(0, noise, (ITEMS, RATERS)), 1)
    for group, noise in (("lab", 0.6), ("crowd", 0.8))
    for measure in ("clarity", "<b>ease</b>")
}


def _section(tmp_path: Path, *asked: str) -> dict[str, Any]:
    rows = [
        f"i{i},{group} {r},{group},{measure},{score},{i}"
        for (group, measure), scores in SCORES.items()
        for (i, r), score in np.ndenumerate(scores)
    ]
    file = tmp_path / "study.csv"
    file.write_text("\n".join(["item_id,rater_id,rater_group,measure,score,words", *rows]), encoding="utf-8")
    out = tmp_path / f"out {len(asked)}"
    assert main([str(file), "--out", str(out), "--draws", "20", "--sections", "standing-in", *asked]) == 0
    (section,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    section["page"] = (out / "report.html").read_text(encoding="utf-8")
    return dict(section)


def test_every_measure_has_its_candidates_with_the_numbers_of_analysis(tmp_path: Path) -> None:
    section = _section(tmp_path)
    (table,) = section["tables"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [(row["Measure"], row["Candidate"]) for row in rows] == [
        (measure, name) for measure in ("clarity", "<b>ease</b>") for name in ("crowd", "words")
    ]
    item, rater = (codes.ravel() for codes in np.indices((ITEMS, RATERS)))
    for row in rows[::2]:
        lab, crowd = (SCORES[group, row["Measure"]].ravel() for group in ("lab", "crowd"))
        values = group_values(item, crowd)
        test = alternative_annotator_test(rater, item, lab, values, "negative rmse", scope=SCOPE)
        assert (row["Can replace a rater"] == "yes") == test.passes
        assert row["Advantage"] == pytest.approx(test.advantage.value, abs=1e-12)
        assert row["Advantage from"] == pytest.approx(test.advantage.low, abs=1e-12)
        worth = effective_number_of_raters(Ratings(item, rater, lab), values, scope=SCOPE)
        assert row["Worth, raters"] == pytest.approx(worth.value, abs=1e-12)
    assert rows[1]["Advantage"] is None
    assert "on another scale" in section["page"]
    assert ["on clarity" in told for told in section["findings"]] == [True, False]
    assert "Calderon, Reichart and Dror 2025" in str(section["methods"])
    assert "arXiv 2501.10970" in section["page"]
    assert "<b>ease</b>" not in section["page"].partition("<body>")[2].partition("<script>/**")[0]


def test_of_one_measure_worth_and_level_are_reported_and_groups_are_chosen(tmp_path: Path) -> None:
    section = _section(tmp_path, "--measures", "clarity")
    assert section["findings"][0] == "Crowd can replace a lab rater."
    assert section["findings"][1].startswith("A crowd mean ranks items as well as about")
    alone = _section(tmp_path, "--groups", "lab", "--reference", "lab")
    (told,) = alone["findings"]
    assert told == "The test cannot compare words with ratings."
