"""Worth of a metric's difference: the published check values on a shared file, and findings that follow the rules."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from data.store.store import Store
from features.blocks import Finding, Status
from features.metrics.difference import DifferenceSpec, compute_difference, difference_section
from features.metrics.results import offered_metrics
from features.study import Scenario, Session, Study, open_study, use_session
from tests.findings_rules import check_findings

CHECKED = {
    "rouge_1": (0.6558, 0.683, 0.5243),
    "js_2": (0.7428, 0.763, 0.5104),
    "bert_score_recall": (0.7645, 0.773, 0.5504),
}
"""Pairwise accuracy, soft pairwise accuracy and accuracy on single items at epsilon 0 (methods, section 12)."""


@pytest.fixture(scope="module")
def study(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    with Store(tmp_path_factory.mktemp("worth") / "study.duckdb") as store, use_session(Session(store)):
        yield open_study(store.add(shared_data / "summaries_25_systems_metrics.csv"))


def spec_of(study: Study, name: str) -> DifferenceSpec:
    offered = offered_metrics(study, None)
    return DifferenceSpec(
        offered[name], study.measures[0], compared=tuple(offered[each] for each in CHECKED if each != name)
    )


def test_accuracies_are_those_of_the_methods(study: Study) -> None:
    found = compute_difference(study, Scenario(), spec_of(study, "js_2"))
    assert found is not None
    for name, (pairwise, soft, segments) in CHECKED.items():
        assert found.accuracy[name].intervals.pairwise.value == pytest.approx(pairwise, abs=5e-5)
        assert found.accuracy[name].intervals.soft.value == pytest.approx(soft, abs=5e-3)
        assert found.accuracy[name].segments.at_zero == pytest.approx(segments, abs=5e-5)
    assert found.curve.systems == 24


def test_findings_follow_the_rules_and_the_calculator_reads_the_curve(study: Study) -> None:
    spec = replace(spec_of(study, "bert_score_recall"), values=(0.2, 0.3))
    blocks = list(difference_section(study, Scenario(), spec, None))
    check_findings(blocks)
    main, asked = (block for block in blocks if isinstance(block, Finding))
    assert main.status is Status.CLEAR
    found = compute_difference(study, Scenario(), spec)
    assert found is not None
    assert asked.headline[1]["chance"] == f"{found.curve.chance_at(0.1):.0%}"
    beyond = replace(spec, values=(0.0, 5.0))
    *_, asked = (
        block for block in difference_section(study, Scenario(), beyond, None) if isinstance(block, Finding)
    )
    assert asked.status is Status.NOT_ENOUGH_DATA
