"""Kept views in a report: each is a section with its words, and with figures under its own settings."""

import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

import docx
import numpy as np
import pytest

from analysis.agreement import krippendorff_alpha
from analysis.estimate import BootstrapSpec
from analysis.planning import difference_power, loads_by_busiest
from analysis.planning.difference import PRESETS
from data.settings import Settings
from data.store.store import Store
from features.planning.variances import CALLED
from features.plotting.theme import chance
from features.study import Session, use_session
from report.blocks import Report
from report.build import build_from_study
from report.files import html, results_json, word
from report.settings import ReportSettings, open_report_study
from report.views import View
from tests.report.studies import ITEMS, MEASURES, RATERS, score, write_study

HOSTILE = "<img src=x onerror=alert(1)> {0} {name} %s"
VIEWS = (
    View(
        HOSTILE,
        f"{HOSTILE}\nsecond line",
        "/agreement?candidate=lab&reference=crowd&measures=clarity&without=lab+%3Ci%3E1%3C%2Fi%3E&seed=7"
        "&agreement_weights=linear&candidate=nobody",
        "Agreement",
        "https://ratings.example.org/agreement?d=key&measures=clarity",
    ),
    View(
        "by a rule",
        "",
        "/agreement?rule=the+least+consistent&worst=2&judged_on=clarity",
        "Agreement",
        "/agreement?d=key",
    ),
    View(
        "one item", "", "/crowd-vs-lab?only_item=item+3&reference=of+nobody", "Crowd vs lab", "/crowd-vs-lab"
    ),
    View(
        "a plan",
        "",
        "/planning?plan_variances=video+study&plan_raters=12&plan_items=60&plan_ratings=6&plan_difference=0.4"
        "&plan_loads=a+few+do+most&plan_busiest=60",
        "Planning",
        "/planning",
    ),
    View(
        "a typed plan",
        "",
        "/planning?plan_variances=typed+numbers&plan_raters=1e99&plan_var_rater=0.3"
        "&plan_items=20&plan_ratings=4&plan_difference=0.2&plan_var_item=x",
        "Planning",
        "/planning",
    ),
    View(
        "pyramid",
        "",
        "/agreement?rule=the+lowest+by+mP+%E2%88%92+aP+%28pyramid%29",
        "Agreement",
        "/agreement",
    ),
    View(
        "a rough plan",
        "",
        "/planning?plan_variances=video+study&plan_raters=40&plan_items=40&plan_ratings=6"
        "&plan_loads=a+few+do+most&plan_busiest=60",
        "Planning",
        "/planning",
    ),
    View(
        "what to collect",
        "",
        "/planning?collect_goal=reliability+of+item+means&reliability=0.97&collect_more=20&collect_how=evenly",
        "Planning",
        "/planning",
    ),
    View(
        "a rough width",
        "",
        "/planning?plan=How+precise%3F&plan_precise=a+system%27s+mean&plan_variances=video+study&plan_raters=40"
        "&plan_items=40&plan_ratings=6&plan_loads=a+few+do+most&plan_busiest=60",
        "Planning",
        "/planning",
    ),
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = tmp_path_factory.mktemp("views")
    settings = Settings(database=str(folder / "views.duckdb"), spool=folder / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        dataset = store.add(write_study(folder / "study.csv"))
        asked = ReportSettings(sections=("data",), draws=20)
        yield build_from_study(*open_report_study(dataset, "key", asked), asked, views=VIEWS)


@pytest.fixture(scope="module")
def sections(report: Report) -> Mapping[str, Any]:
    return {one["name"]: one for one in json.loads(results_json(report))["sections"]}


def test_a_view_is_a_section_with_its_words(sections: Mapping[str, Any]) -> None:
    assert list(sections) == ["data", *(f"view-{at}" for at in range(1, 10))]
    told = sections["view-1"]
    assert told["title"] == f"View: {HOSTILE}"
    assert told["findings"][:3] == [
        HOSTILE,
        "second line",
        "Page Agreement: candidate lab, reference crowd, measures clarity, without lab <i>1</i>, seed 7 and "
        "agreement weights linear; all else as the page usually has it.",
    ]
    assert told["notes"][0] == "This view: https://ratings.example.org/agreement?d=key&measures=clarity"
    assert told["notes"][1].endswith("What else was set there does not enter them.")


def test_its_figures_are_those_under_its_settings(sections: Mapping[str, Any]) -> None:
    table, changed = sections["view-1"]["tables"]
    assert (table["name"], changed["name"]) == ("view-1-agreement", "view-1-agreement-without")
    rows_told = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [(row["Measure"], row["Group"]) for row in rows_told] == [("clarity", "crowd"), ("clarity", "lab")]
    rows = [(i, score("lab", r, i, MEASURES.index("clarity"))) for r in (0, 2, 3) for i in range(ITEMS)]
    assert RATERS == 4, "all but rater 1"
    item, given = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    alpha = krippendorff_alpha(item, given, bootstrap=BootstrapSpec(0)).value
    assert rows_told[1]["Alpha"] == pytest.approx(alpha, abs=1e-12)


def test_a_rule_decides_who_is_left_out_of_its_figures(sections: Mapping[str, Any]) -> None:
    has_unrepeatable_rule = sections["view-2"]
    others = {
        rater: np.corrcoef(
            [score("crowd", rater, i, 0) for i in range(ITEMS)],
            [np.mean([score("crowd", r, i, 0) for r in range(RATERS) if r != rater]) for i in range(ITEMS)],
        )[0, 1]
        for rater in range(RATERS)
    }
    worst = sorted(sorted(others, key=others.__getitem__)[:2])
    names = " and ".join(f"crowd <i>{rater}</i>" for rater in worst)
    assert (
        f"without {names} (worst 2 by agreement with the others on clarity)"
        in has_unrepeatable_rule["findings"][0]
    )
    tables = {table["name"]: table for table in has_unrepeatable_rule["tables"]}
    changed = [
        dict(zip(tables["view-2-agreement-without"]["columns"], row, strict=True))
        for row in tables["view-2-agreement-without"]["rows"]
    ]
    row = next(row for row in changed if (row["Measure"], row["Group"]) == ("clarity", "crowd"))
    for column, left in (("everyone", range(RATERS)), ("without", set(range(RATERS)) - set(worst))):
        rated = [(i, score("crowd", r, i, 0)) for r in left for i in range(ITEMS)]
        item, told = (np.array(one, dtype=float) for one in zip(*rated, strict=True))
        alpha = krippendorff_alpha(item, told, bootstrap=BootstrapSpec(0)).value
        assert row[f"Alpha, {column}"] == pytest.approx(alpha, abs=1e-12)
    assert any(" instead of " in told for told in has_unrepeatable_rule["findings"])


def test_what_cannot_be_repeated_is_said(sections: Mapping[str, Any]) -> None:
    pyramid = sections["view-6"]
    assert not pyramid["tables"]
    assert "left out by the rule the lowest by mP − aP (pyramid)" in pyramid["findings"][0]
    assert pyramid["notes"] == [
        "This view: /agreement",
        "Its figures are at its address, where a rule decides who is left out: it needs the contributors of a "
        "pyramid, which were not found.",
    ]
    (first, *_) = sections["view-3"]["findings"]
    assert first.startswith(
        "Page Crowd vs lab: candidate crowd, reference lab, all measures, only item item 3"
    )


def test_a_plan_keeps_its_settings(sections: Mapping[str, Any]) -> None:
    told = sections["view-4"]
    variances = PRESETS["video"].variances
    loads = loads_by_busiest(0.6)
    power = difference_power(12, 60, 0.4, **variances, ratings_per_item=6, loads=loads).power
    assert f"{chance(power)} chance to detect" in told["findings"][1]
    assert any("by 6 of 12 raters (with unequal loads worth" in note for note in told["notes"])
    assert "plan raters 12" in told["findings"][0]
    assert not any("does not enter" in note for note in told["notes"])
    typed = sections["view-5"]
    [table] = [one for one in typed["tables"] if one["name"].endswith("variances")]
    usual = PRESETS["speech"].variances
    assert dict(table["rows"]) == {
        CALLED[name]: pytest.approx({**usual, "rater": 0.3}[name]) for name in usual
    }
    power = difference_power(1000, 20, 0.2, **{**usual, "rater": 0.3}, ratings_per_item=4).power
    assert f"{chance(power)} chance to detect" in typed["findings"][1]
    assert not any("does not enter" in note for note in typed["notes"])


def test_what_to_collect_is_that_of_its_address(sections: Mapping[str, Any]) -> None:
    told = sections["view-8"]
    assert any("bring the reliability of item means to" in one for one in told["findings"])
    names = {table["name"]: table for table in told["tables"]}
    strategies = names["view-8-strategies"]
    evenly = dict(zip(strategies["columns"], strategies["rows"][1], strict=True))
    assert (evenly["Strategy"], evenly["Further ratings"]) == ("Evenly", 20)
    assert 0 < evenly["Reliability"] < 1
    assert "collect how evenly" in told["findings"][0]
    assert not any("does not enter" in note or "do not enter" in note for note in told["notes"])


@pytest.mark.parametrize(("view", "what"), [("view-7", "The power"), ("view-9", "The width")])
def test_a_rough_plan_says_so(sections: Mapping[str, Any], view: str, what: str) -> None:
    """240 ratings by 40 raters are 6 each."""
    told = f"{what} is rough here, since raters rate fewer than 8 items each"
    assert sum(one.startswith(told) for one in sections[view]["warnings"]) == 1
    assert not sections["view-4"]["warnings"]


def test_its_words_are_text_in_every_file(report: Report) -> None:
    page = html(report).partition("<body>")[2].partition("<script>/**")[0]
    assert "<img" not in page
    assert "View: &lt;img src=x onerror=alert(1)&gt; {0} {name} %s" in page
    paragraphs = [one.text for one in docx.Document(BytesIO(word(report))).paragraphs]
    assert f"View: {HOSTILE}" in paragraphs
    assert HOSTILE in paragraphs
