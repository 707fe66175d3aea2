"""Sections on variance, items, metrics and labels: their figures are those of the analysis."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.items.disagreement import disagreement
from analysis.ratings import Ratings
from analysis.systems.label_accuracy import label_accuracy
from analysis.values.estimate import BootstrapSpec
from analysis.values.votes import Votes
from analysis.variance.components import estimate_components
from analysis.variance.sources import design
from report.__main__ import main
from report.blocks import stack_tables

ITEMS, RATERS, SYSTEMS = 24, 6, 4


def report_of(folder: Path, header: str, rows: list[str], *sections: str) -> dict[str, Any]:
    file, out = folder / "study.csv", folder / "out"
    file.write_text("\n".join([header, *rows]), encoding="utf-8")
    wanted = [part for name in sections for part in ("--sections", name)]
    assert main([str(file), "--out", str(out), "--draws", "20", *wanted]) == 0
    told = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    return {section["name"]: section for section in told}


def rows_of(section: dict[str, Any], at: int = 0) -> list[dict[str, Any]]:
    table = section["tables"][at]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def scores() -> np.ndarray:
    """(items, raters), the raters of one item far apart."""
    rng = np.random.default_rng(2)
    given = 50 + 8 * rng.standard_normal((ITEMS, 1)) + 3 * rng.standard_normal((ITEMS, RATERS))
    given[5] += np.array([-40, 40, -40, 40, -40, 40])
    return given


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    given = scores()
    rows = [
        f"i{item:02},r{rater},s{item % SYSTEMS},quality,{given[item, rater]!r},{given[item].mean() + item % 3!r}"
        for item in range(ITEMS)
        for rater in range(RATERS)
    ]
    rows = [row.replace("np.float64(", "").replace(")", "") for row in rows]
    return report_of(
        tmp_path_factory.mktemp("ratings"),
        "item_id,rater_id,system,measure,score,bleu",
        rows,
        "variance",
        "items",
        "metrics",
    )


def test_shares_of_variance(told: dict[str, Any]) -> None:
    item, rater = (each.ravel() for each in np.indices((ITEMS, RATERS)))
    none = np.full(len(item), -1)
    shares = estimate_components(design(item, rater, scores().ravel(), item % SYSTEMS, none)).shares()
    rows = {row["Source"]: row for row in rows_of(told["variance"])}
    assert len(rows) == len(shares)
    assert rows["raters"]["Share"] == pytest.approx(shares["rater"].value, abs=1e-6)
    assert sum(row["Share"] for row in rows.values()) == pytest.approx(1)
    assert "largest source of variance" in told["variance"]["findings"][0]


def test_items_that_stand_out(told: dict[str, Any]) -> None:
    item, rater = (each.ravel() for each in np.indices((ITEMS, RATERS)))
    expected = disagreement(Ratings(item, rater, scores().ravel()))
    (row,) = rows_of(told["items"])
    assert (row["Item"], row["SD of its ratings"]) == ("i05", pytest.approx(expected.sd[5]))
    assert told["items"]["findings"][0].startswith("1 of 24 items stands out")


def test_metrics_are_held_against_the_scores(told: dict[str, Any]) -> None:
    given = scores()
    item = np.arange(ITEMS)
    metric = given.mean(axis=1) + item % 3
    over = np.corrcoef(
        [given[item % SYSTEMS == s].mean() for s in range(SYSTEMS)],
        [metric[item % SYSTEMS == s].mean() for s in range(SYSTEMS)],
    )[0, 1]
    single = np.mean([np.corrcoef(given[:, rater], metric)[0, 1] for rater in range(RATERS)])
    rows = {row["Over"]: row for row in rows_of(told["metrics"])}
    assert rows["systems"]["Correlation"] == pytest.approx(over)
    assert rows["single items of a rater"]["Correlation"] == pytest.approx(single)
    assert rows["systems"]["Metric"] == "bleu"
    assert "only " not in told["metrics"]["findings"][0]


def test_labels_with_known_answers(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    gold = rng.integers(0, 3, 30)
    cells = [(i, r) for i in range(30) for r in range(5)]
    chosen = [int(gold[i]) if rng.random() < 0.5 + 0.1 * r else int(rng.integers(0, 3)) for i, r in cells]
    rows = [
        f"i{i:02},w{r},{'abc'[choice]},{'abc'[gold[i]]}" for (i, r), choice in zip(cells, chosen, strict=True)
    ]
    told = report_of(tmp_path, "item_id,rater_id,choice,gold", rows, "labels", "planning")
    assert list(told) == ["labels", "collection"], "which has a former name, too"
    item, rater = np.array(cells).T
    votes = Votes(item, rater, np.array(chosen), 30, 5, 3)
    expected = label_accuracy(votes, gold, BootstrapSpec(0))
    tables = {table["name"]: table for table in told["labels"]["tables"]}
    assert list(tables) == ["classes", "known-answers", "labels", "precision"]
    assert len(told["labels"]["findings"]) == 4
    by_method = {row[0]: row[1] for row in tables["labels"]["rows"]}
    for method, accuracy in expected.accuracy.items():
        assert by_method[method] == pytest.approx(accuracy.value)


def test_labels_without_known_answers_have_classes_and_equal_labels(tmp_path: Path) -> None:
    rows = [f"i{i:02},w{r},{'ab'[(i * r + i) % 2]}" for i in range(20) for r in range(4)]
    told = report_of(tmp_path, "item_id,rater_id,choice", rows, "labels")
    assert [table["name"] for table in told["labels"]["tables"]] == ["classes", "same-labels"]
    assert told["labels"]["finding_statuses"][-1] == "not_enough_data"


def test_pairs_with_gold_have_the_labels_of_each_comparison(tmp_path: Path) -> None:
    rows = [
        f"{pair}{i},w{r},{'first' if (i + r) % 3 else 'second'},{pair[0]},{pair[1]},{'first' if i % 2 else 'second'}"
        for pair in ("xy", "xz")
        for i in range(12)
        for r in range(4)
    ]
    told = report_of(tmp_path, "item_id,rater_id,choice,option_a,option_b,gold", rows, "labels")
    assert [table["name"] for table in told["labels"]["tables"]] == [
        "known-answers",
        *(f"{name}-{nth}" for nth in (1, 2) for name in ("labels", "precision")),
    ]
    assert [one.split(":")[0] for one in told["labels"]["findings"][1:]] == ["x vs y", "x vs z"]


def test_tables_below_each_other_keep_their_texts() -> None:
    one = pd.DataFrame({"x": [1.0]}), {"x": ["one"]}
    other = pd.DataFrame({"x": [2.0], "y": [3.0]}), {"x": lambda value: f"{value:g}!", "y": ["three"]}
    rows, written = stack_tables({"A": one, "B": other}, "Group")
    assert rows["Group"].tolist() == ["A", "B"]
    assert written == {"Group": ["A", "B"], "x": ["one", "2!"], "y": ["", "three"]}


def test_three_groups_are_covered_in_one_section_of_each_kind(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    truth = 50 + 10 * rng.standard_normal(ITEMS)
    rows = [
        f"i{item},{group}{rater},s{item % SYSTEMS},{group},quality,{truth[item] + rng.normal(shift, 4):.6f}"
        for group, shift in (("lab", 0), ("crowd a", 0), ("crowd b", 30))
        for rater in range(RATERS)
        for item in range(ITEMS)
    ]
    told = report_of(
        tmp_path,
        "item_id,rater_id,system,rater_group,measure,score",
        rows,
        *("groups", "repetitions", "raters", "systems"),
    )
    assert list(told) == ["groups", "repetitions", "raters", "systems"]
    assert len(told["groups"]["findings"]) == 2
    level = told["groups"]["finding_evidence"][1]
    differences = {row["Group"]: row["Mean difference"] for row in rows_of(told["groups"])}
    assert differences["crowd b"] > 20
    assert f"crowd b +{differences['crowd b']:.1f}" in level
    for name in ("groups", "repetitions", "raters", "systems"):
        details, findings = (
            [{group for group in ("crowd a", "crowd b") if group in one.casefold()} for one in told[name][of]]
            for of in ("details", "findings")
        )
        assert all(len(groups) == 1 for groups in details), name
        assert set().union(*details) in ({"crowd a", "crowd b"}, set()), name
        assert name == "groups" or findings == [{"crowd a"}, {"crowd b"}], name
        assert len(findings) == 2
    knees = rows_of(told["repetitions"])
    assert [row["Group"] for row in knees] == ["crowd a", "crowd b"]
    raters = rows_of(told["raters"])
    assert len(raters) == 2 * RATERS
    systems = rows_of(told["systems"])
    first = {group: next(row["System"] for row in systems if row["Group"] == group) for group in differences}
    assert first.keys() == differences.keys()
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("<h3>Group by group</h3>") == sum(bool(told[name]["details"]) for name in told)


def test_systems_are_placed_by_comparisons_too_where_these_are_given(tmp_path: Path) -> None:
    systems, out = "abcde", tmp_path / "out"
    rated = [
        f"{system}{topic},{system},{topic},r{rater},{5 - at + (topic * 7 + rater * 3) % 4}"
        for at, system in enumerate(systems)
        for topic in range(6)
        for rater in range(4)
    ]
    compared = [
        f"{first}{second}{item},w{rater},{first if (item + rater) % 4 else second},{first},{second}"
        for at, first in enumerate(systems)
        for second in systems[at + 1 :]
        for item in range(6)
        for rater in range(3)
    ]
    for name, header, rows in (
        ("rated.csv", "item_id,system,topic,rater_id,score", rated),
        ("compared.csv", "item_id,rater_id,choice,option_a,option_b", compared),
    ):
        (tmp_path / name).write_text("\n".join([header, *rows]), encoding="utf-8")
    given = [str(tmp_path / "rated.csv"), "--comparisons", str(tmp_path / "compared.csv"), "--out", str(out)]
    assert main([*given, "--sections", "systems", "--draws", "20"]) == 0
    (section,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["sections"]
    both = next(table for table in section["tables"] if table["name"].startswith("both"))
    assert [row[0] for row in both["rows"]] == [*systems]
    assert "comparisons" in (out / "report.toml").read_text(encoding="utf-8")
