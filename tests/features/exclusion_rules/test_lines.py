"""Rules by which raters are left out, asked for in a line or by an address: both find whom the analysis finds."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analysis.values.estimate import InputError
from data.settings import Settings
from data.store.store import Store
from features.assessments import assessments
from features.raters import rater_results
from features.raters.exclusion_rules import (
    ATTRIBUTE,
    BELOW_OTHERS,
    BT500,
    CHECKS,
    LINES,
    P913,
    QUALIFICATION,
    RULES,
    WORST,
    WORST_UNITS,
    Rule,
    line_of,
    of_raters,
    read,
    ruled,
)
from features.raters.workers import others_values
from features.study import (
    QualificationRule,
    Scenario,
    Session,
    Study,
    combine_exclusions,
    ratings,
    use_session,
)
from report.settings import ReportSettings, open_report_study
from tests.report.studies import write_study


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


@pytest.fixture
def study(store: Store, tmp_path: Path) -> Study:
    return open_report_study(store.add(write_study(tmp_path / "study.csv")), "", ReportSettings())[0]


def test_every_line_that_help_shows_is_a_rule() -> None:
    rules = [read(line) for line in LINES]
    assert None not in rules
    assert all(read(f"{line} on a measure") is not None for line in LINES)
    assert [read(line) for line in ("BT.501", "worst", "worst two", "alpha < 0.5", "")] == [None] * 5


@pytest.mark.parametrize(
    ("controls", "line"),
    [
        ({"rule": [WORST], "worst": ["3"], "judged_on": ["clarity"]}, "worst 3 on clarity"),
        ({"rule": [BT500], "bt500_divisor": ["n, as in sureal"]}, "BT.500 with n"),
        ({"rule": [P913]}, "P.913"),
        ({"rule": [BELOW_OTHERS], "limit": ["-0.25"]}, "agreement below -0.25"),
        (
            {"rule": [CHECKS], "failed_share": ["nan"], "judged_on": ["x"]},
            "failed checks above 20%",
        ),
        (
            {"rule": [QUALIFICATION], "pass_mark": ["0.7"], "qualified_by": ["lab"], "judged_on": ["x"]},
            "points below 0.7 from 4 ratings with lab on x",
        ),
        ({"rule": [QUALIFICATION], "scale_width": ["4.0"]}, "points below 0.625 of 4.0 from 4 ratings"),
        (
            {
                "rule": [ATTRIBUTE],
                "excluded_attribute": ["age"],
                "excluded_values": ["20 to 25", "not known"],
            },
            "raters whose age is 20 to 25 | not known",
        ),
        ({"rule": [ATTRIBUTE], "excluded_values": ["m"], "judged_on": ["x"]}, "raters whose is m"),
        ({"rule": [WORST_UNITS], "worst": ["2"], "judged_on": ["x"]}, "lowest 2 by mP - aP"),
        ({"rule": ["no rule"]}, None),
        ({}, None),
    ],
)
def test_an_address_holds_a_line(controls: dict[str, list[str]], line: str | None) -> None:
    assert line_of(controls) == line
    assert line is None or read(line) is not None


@pytest.mark.parametrize("name", [name for name in RULES if name != ATTRIBUTE])
def test_numbers_of_controls_come_back_from_the_line(name: str) -> None:
    chosen = {one.key: one.usual + one.step for one in RULES[name].numbers}
    line = line_of({"rule": [name], **{key: [str(number)] for key, number in chosen.items()}})
    assert line is not None
    rule = read(line)
    assert rule is not None
    assert rule.name == name
    assert rule.numbers == chosen


def test_a_rule_finds_whom_the_analysis_finds(study: Study) -> None:
    rule = read("worst 2 on clarity")
    assert rule is not None
    found = ruled(study, rule)
    values = rater_results.others_values(study, "clarity")
    assert set(found.left_out_codes) == set(values.argsort()[:2].tolist())
    assert found.rule is not None, "so that draws can apply it anew"
    rejected = rater_results.bt500(study, "clarity")
    by_bt500 = ruled(study, read("bt.500 on clarity") or rule)
    assert set(by_bt500.left_out_codes) == set(rejected.raters[rejected.rejected].tolist())
    both = combine_exclusions(study, ["lab <i>1</i>"], found)
    assert len(both.names) == 3
    assert both.name == "worst 2 by agreement with the others on clarity and 1 picked by hand"
    assert of_raters(study, values.argsort()[:0], "none").reason == "the rule finds nobody"


def test_a_qualification_finds_whom_its_points_fail(study: Study) -> None:
    rule = read("points below 0.9 from 2 ratings with lab on clarity")
    assert rule is not None
    found = ruled(study, rule)
    crowd = assessments(study, "clarity").ratings()
    means = ratings(study.whole, "clarity", "lab").mos()
    expert = dict(zip(means.items.tolist(), means.means.tolist(), strict=True))
    points: dict[int, list[float]] = {}
    wide = np.ptp([*crowd.score, *expert.values()])
    for item, rater, score in zip(
        crowd.item.tolist(), crowd.rater.tolist(), crowd.score.tolist(), strict=True
    ):
        if item in expert:
            points.setdefault(rater, []).append(1 - abs(score - expert[item]) / wide)
    failed = {rater for rater, of in points.items() if len(of) >= 2 and np.mean(of) < 0.9}
    assert failed
    assert set(found.left_out_codes) == failed
    assert found.qualification == QualificationRule("lab", "clarity", 0.9, 2)
    wider = ruled(study, read("points below 0.9 of 40 from 2 ratings with lab on clarity") or rule)
    by_hand = {
        at
        for at, of in points.items()
        if len(of) >= 2 and 1 - np.mean([1 - one for one in of]) * wide / 40 < 0.9
    }
    assert set(wider.left_out_codes) == by_hand
    assert by_hand < failed
    with pytest.raises(InputError, match="no known ratings of 'nobody'"):
        ruled(study, read("points below 0.9 with nobody") or rule)


@pytest.mark.parametrize("line", ["failed checks above 20%", "faster than 50%", "worst 1 on taste"])
def test_what_the_data_set_lacks_is_said(study: Study, line: str) -> None:
    rule = read(line)
    assert rule is not None
    with pytest.raises(InputError, match="`without`: the data set has no"):
        ruled(study, rule)


def test_a_report_without_the_worst_of_each_group(store: Store, tmp_path: Path) -> None:
    dataset = store.add(write_study(tmp_path / "study.csv"))
    _, chosen = open_report_study(dataset, "", ReportSettings(without=("worst 1", "lab <i>2</i>")))
    assert chosen.applied
    assert len(chosen.names) == 2
    assert "lab <i>2</i>" in chosen.names
    _, of_both = open_report_study(
        dataset, "", ReportSettings(("crowd", "lab"), "none", without=("worst 1 on clarity",))
    )
    assert of_both.name.endswith("on clarity in lab")
    assert len(of_both.names) == 2
    with pytest.raises(InputError, match=r"neither a rater .* nor a rule: worst 1, "):
        open_report_study(dataset, "", ReportSettings(without=("nobody",)))


def test_choices_have_rules_of_their_own(store: Store, tmp_path: Path) -> None:
    rows = [
        f"item {item},worker {worker},{'new' if (item + worker * item) % 6 else 'old'},old,new"
        for item in range(12)
        for worker in range(5)
    ]
    path = tmp_path / "choices.csv"
    path.write_text("\n".join(["item_id,rater_id,choice,option_a,option_b", *rows]), encoding="utf-8")
    study, chosen = open_report_study(store.add(path), "", ReportSettings(without=("worst 2",)))
    assert set(chosen.left_out_codes) == set(others_values(study).argsort()[:2].tolist())
    assert set(chosen.names) == set(RULES[WORST].find(study, Rule(WORST, {"worst": 2})).names)
    with pytest.raises(InputError, match="choices have no rule"):
        open_report_study(study.whole, "", ReportSettings(without=("BT.500",)))
    assert isinstance(chosen, Scenario)


@pytest.mark.parametrize(("scale", "found"), [(1.0, ("b",)), (0.2, ())])
def test_a_column_on_another_scale_qualifies_nobody(
    store: Store, tmp_path: Path, scale: float, found: tuple[str, ...]
) -> None:
    rows = [
        f"{item},{rater},{1 + (item + off) % 5},{scale * (1.05 + 0.95 * (item % 5)):.3f}"
        for item in range(20)
        for rater, off in (("a", 0), ("b", 2), ("c", 0))
    ]
    (tmp_path / "metric.csv").write_text("\n".join(["item,rater,score,ssim", *rows]))
    dataset = store.add(tmp_path / "metric.csv")
    study = open_report_study(dataset, "", ReportSettings(reference="ssim"))[0]
    assert RULES[QUALIFICATION].find(study, Rule(QUALIFICATION, on="score", whom="ssim")).names == found
