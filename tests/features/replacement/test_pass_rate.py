"""True pass rates behind a judge: who is the judge, which answer passes, and what is said where nothing can be."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from analysis.replacement.pass_rate import judge_errors, pass_rate_behind
from data.store.store import Store
from features.blocks import Finding, Status, Table
from features.replacement.pass_rate import (
    ALL_ITEMS,
    compute_pass_rates,
    default_pass_rate,
    is_offered,
    pass_rate_section,
)
from features.study import Session, Study, open_study, use_session
from tests.features.studies import said
from tests.findings_rules import check_findings

Opened = Callable[[str], Study]


@pytest.fixture
def opened(tmp_path: Path) -> "object":
    with Store(tmp_path / "study.duckdb") as store, use_session(Session(store)):

        def open_text(text: str) -> Study:
            (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
            return open_study(store.add(tmp_path / "labels.csv"))

        yield open_text


def table(words: tuple[str, str], guesses: bool = False) -> tuple[str, np.ndarray, np.ndarray]:
    """Return a table of a judge on 400 items of two systems and a person on 150 of them, with both answers."""
    rng = np.random.default_rng(7)
    truth = rng.random(400) < np.where(np.arange(400) % 2 == 0, 0.8, 0.4)
    judge = (
        rng.random(400) < 0.5 if guesses else np.where(truth, rng.random(400) < 0.9, rng.random(400) < 0.1)
    )
    rows = [
        f"item {at},{'AB'[at % 2]},{words[int(judge[at])]},{words[int(truth[at])] if at < 150 else ''}"
        for at in range(400)
    ]
    return "\n".join(["item,system,llm_judge,human", *rows]), judge, truth


@pytest.mark.parametrize("words", [("fail", "pass"), ("0", "1")])
def test_a_judge_beside_a_person_is_corrected(words: tuple[str, str], opened: Opened) -> None:
    text, judge, truth = table(words)
    study = opened(text)
    assert is_offered(study)
    spec = default_pass_rate(study)
    assert (spec.judge, spec.passing) == ("llm_judge", words[1])
    found = compute_pass_rates(study, spec)
    wanted = pass_rate_behind(float(judge.mean()), 400, judge_errors(judge[:150], truth[:150]))
    assert found.rates[ALL_ITEMS].true == wanted
    assert found.labeled == 150
    even = np.arange(400) % 2 == 0
    alone = pass_rate_behind(float(judge[even].mean()), 200, judge_errors(judge[:150], truth[:150]))
    assert found.rates["A"].true == alone
    (difference,) = found.differences.values()
    assert difference.low > 0


@pytest.mark.parametrize(("words", "named"), [(("fail", "pass"), True), (("0", "1"), False)])
def test_the_rate_names_its_class_or_leaves_a_number_to_the_evidence(
    words: tuple[str, str], named: bool, opened: Opened
) -> None:
    study = opened(table(words)[0])
    first, *_ = pass_rate_section(study, default_pass_rate(study))
    assert isinstance(first, Finding)
    assert (f"“{words[1]}”" in said(first)) is named
    assert f"“{words[1]}” counts as a pass" in first.evidence[1].values()
    check_findings([first])


def test_the_section_states_the_rate_of_its_table(opened: Opened) -> None:
    study = opened(table(("0", "1"))[0])
    blocks = list(pass_rate_section(study, default_pass_rate(study)))
    findings = [block for block in blocks if isinstance(block, Finding)]
    assert [finding.status for finding in findings] == [Status.CLEAR, Status.CLEAR]
    check_findings(blocks)
    (shown,) = (block for block in blocks if isinstance(block, Table))
    assert findings[0].headline[1]["rate"] == f"{shown.frame['True rate'][0]:.0%}"


def test_a_judge_that_guesses_is_not_corrected(opened: Opened) -> None:
    study = opened(table(("fail", "pass"), guesses=True)[0])
    finding = next(iter(pass_rate_section(study, default_pass_rate(study))))
    assert isinstance(finding, Finding)
    assert finding.status is Status.NOT_ENOUGH_DATA


def test_where_people_labeled_everything_nothing_is_corrected(opened: Opened) -> None:
    rows = [f"item {at},{'pass' if at % 3 else 'fail'},{'pass' if at % 4 else 'fail'}" for at in range(40)]
    study = opened("\n".join(["item,llm_judge,human", *rows]))
    finding = next(iter(pass_rate_section(study, default_pass_rate(study))))
    assert isinstance(finding, Finding)
    assert finding.status is Status.NOT_APPLICABLE


def test_a_group_called_model_is_the_judge(opened: Opened) -> None:
    rows = [
        f"item {at},{who},{group},{'yes' if (at + k) % 3 else 'no'},{'yes' if at < 20 else ''}"
        for at in range(60)
        for k, (who, group) in enumerate((("h1", "human"), ("h2", "human"), ("j1", "model")))
    ]
    study = opened("\n".join(["item,rater,group,label,gold", *rows]))
    assert default_pass_rate(study).judge == "model"


def test_three_classes_have_their_shares(opened: Opened) -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, 600)
    judge = np.where(rng.random(600) < 0.85, truth, rng.integers(0, 3, 600))
    names = ("bad", "mixed", "fine")
    rows = [f"item {at},{names[judge[at]]},{names[truth[at]] if at < 200 else ''}" for at in range(600)]
    study = opened("\n".join(["item,llm_judge,human", *rows]))
    found = compute_pass_rates(study, default_pass_rate(study))
    assert found.of_classes
    for name, rate in found.rates.items():
        assert rate.true.low <= np.mean(truth == names.index(name)) <= rate.true.high
