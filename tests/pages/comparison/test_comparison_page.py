"""Groups compared on real ratings and on odd ones: order, level, systems, ceiling, spread, warnings and pairs."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from features.blocks import Status
from features.comparison.controls import choose_pair_of_groups
from features.plotting.panels import PreparedFigure
from tests.golden.views import SMALL
from tests.pages.conftest import LastFinding, figures, sentences
from tests.pages.programs import ran

Open = Callable[..., AppTest]
FEW = {"draws": "40", "permutations": "99"}
SOME = ["focus", "post usefulness", "overall quality", "grammaticality"]


def test_the_speech_study_has_its_systems_its_ceiling_and_its_spread(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, last_finding: LastFinding
) -> None:
    key, candidate = add_study(shared_data / "speech_mos_lab_vs_crowd.csv"), "crowd_mturk_es"
    app = open_page("crowd_vs_lab.py", d=key, candidate=candidate, picture="Differences", **FEW)
    said = sentences(app)
    assert 0 < float(last_finding("systems").headline[1]["rho"]) < 1
    assert "50 systems" in said
    assert float(last_finding("ceiling").headline[1]["r"]) > 0
    assert last_finding("spread").status in (Status.CLEAR, Status.UNCERTAIN)
    assert "as wide as the variance over 50 systems with all their items and raters" in said
    assert "fewer than 8" not in said
    table = app.dataframe[0].value
    assert list(table) == ["Measure", "Spearman ρ", "Mean difference", "RMSE", "Items"]


def test_all_groups_stand_in_one_figure_before_the_chosen_pair(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, last_finding: LastFinding
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    app = open_page("crowd_vs_lab.py", d=key, candidate="crowd_mturk_es", **FEW)
    assert app.title[0].value == "Groups compared"
    assert last_finding().status is Status.UNCERTAIN
    order, level, pairs, items = figures(app)
    drawn = {trace["name"]: trace["x"] for trace in order["data"]}
    assert set(drawn) == {"crowd_clickworker_de", "crowd_mturk_en", "crowd_mturk_es"}
    assert drawn["crowd_mturk_es"] == [pytest.approx(0.822, abs=5e-4)]
    assert all(trace["error_x"]["array"][0] > 0 for figure in (order, level) for trace in figure["data"])
    assert "MOS of crowd_mturk_es" in str(items["layout"]["yaxis"]["title"])
    heat, *_ = pairs["data"]
    groups = pairs["layout"]["yaxis"]["ticktext"]
    row, column = groups.index("crowd_mturk_es"), groups.index("lab")
    assert heat["z"][row][column] == heat["z"][column][row] == drawn["crowd_mturk_es"][0]
    assert re.search(r"ρ = 0\.822 \(0\.\d+ to 0\.\d+\)", heat["hovertext"][row][column])


def test_a_cell_of_the_matrix_chooses_its_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {"candidate": "b", "reference": "c"}
    monkeypatch.setattr("features.comparison.controls.st.session_state", state)
    for cell, pair in (((2, 0), ("c", "a")), ((1, 1), ("c", "a")), ((0, 2), ("a", "c"))):
        choose_pair_of_groups(("a", "b", "c"), cell)
        assert (state["candidate"], state["reference"]) == pair


HEADER_OF_TWO = "item,rater,group,measure,score"


def two_measures() -> list[tuple[object, ...]]:
    """20 items that each of two groups rated on its measure, in the same order."""
    return [
        (f"i{i}", f"{group}{r}", group, measure, scale * i + (i * r) % 3)
        for group, measure, scale in (("a", "ESA", 4), ("b", "MQM", -1))
        for i in range(20)
        for r in range(3)
    ]


def test_groups_without_a_shared_measure_can_compare_two_measures(
    open_page: Open, add_rows: Callable[..., str], last_finding: LastFinding
) -> None:
    key = add_rows(HEADER_OF_TWO, two_measures())
    app = open_page("crowd_vs_lab.py", d=key, candidate="a", reference="b", **FEW)
    assert last_finding().status is Status.NOT_ENOUGH_DATA
    assert "20 shared items" in sentences(app)
    assert not figures(app)
    (link,) = (link.proto for link in app.main if link.type == "page_link")
    asked = dict(pair.split("=") for pair in link.query_string.split("&"))
    assert (asked["candidate_measure"], asked["reference_measure"]) == ("ESA", "MQM")
    paired = open_page("crowd_vs_lab.py", candidate="a", reference="b", **asked, **FEW)
    (row,) = paired.dataframe[0].value.to_dict("records")
    means = [[scale * i + (i + 2 * i % 3) % 3 for i in range(20)] for scale in (4, -1)]
    assert row["Items"] == 20
    assert row["Spearman ρ"] < -0.9 < 0 < means[0][-1]
    assert last_finding("level").status is Status.NOT_APPLICABLE


def test_measures_can_be_paired_where_others_are_shared(open_page: Open) -> None:
    asked = {"candidate_measure": "focus", "reference_measure": "grammaticality", **FEW}
    app = open_page("crowd_vs_lab.py", **asked)
    assert app.dataframe[0].value["Measure"].tolist() == ["focus and grammaticality"]
    own = open_page("crowd_vs_lab.py", measures=["focus"], **FEW).dataframe[0].value["Spearman ρ"][0]
    assert app.dataframe[0].value["Spearman ρ"][0] < own


def test_an_exclusion_says_that_levels_differ_on_more_measures(open_page: Open) -> None:
    """The counts are those of the level findings with everyone and without the rater."""
    everyone, without = (
        sentences(open_page("crowd_vs_lab.py", measures=SOME, **FEW, **excluded))
        for excluded in ({}, {"without": "crowd 07"})
    )
    before, after = (
        int(re.search(r"rates higher than lab on (\d) of 4", said)[1])  # type: ignore[index]
        for said in (everyone, without)
    )
    assert 0 < before < after
    assert f"Without crowd 07, levels differ on {after} measures instead of {before}." in without
    assert "Without crowd 07" not in everyone


def rows(lab: int, systems: int) -> list[tuple[object, ...]]:
    """24 items rated by 6 of the crowd and some of the lab."""
    return [
        (f"i{i}", f"{group}{r}", group, f"s{i % systems}", (i + r * (i % 3)) % 5 + 1)
        for group, raters in (("crowd", 6), ("lab", lab))
        for i in range(24)
        for r in range(raters)
    ]


HEADER = "item,rater,group,system,score"


def test_few_raters_and_few_systems_are_warned_of(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = open_page("crowd_vs_lab.py", d=add_rows(HEADER, rows(3, 3)), candidate="crowd", **FEW)
    said = sentences(app)
    assert "3 raters in lab" in said
    assert "he items belong to 3 systems, fewer than 8" in said
    assert "items (3 systems held as they are, being fewer than 8)" in said


def test_a_single_reference_rater_leaves_no_interval_for_raters_like_these(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    asked = {"candidate": "crowd", "all_columns": "true", "generalize": "raters like these", **FEW}
    app = open_page("crowd_vs_lab.py", d=add_rows(HEADER, rows(1, 12)), **asked)
    said = sentences(app)
    assert "there is a single rater in lab" in said.casefold()
    assert "No interval of Mean difference: the reference has a single rater" in said
    assert "Fewer than 3 items were rated by two different people on each side" in said


def test_the_picture_of_a_column_of_numbers_is_drawn_before_the_long_work_and_has_no_mos(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []

    def ready(figure: dict[str, Any]) -> PreparedFigure:
        happened.append("drawn")
        return PreparedFigure(figure)

    monkeypatch.setattr("ui.elements.PreparedFigure", ready)
    stopped = "features.comparison.results.long_result"
    monkeypatch.setattr(stopped, lambda key, label, compute: happened.append(label))
    app = open_page("crowd_vs_lab.py", reference="summary_words (column)", measures="focus")
    assert happened.index("drawn") < happened.index("Intervals and tests of crowd")
    titles = {note["text"] for figure in figures(app) for note in figure["layout"].get("annotations", ())}
    assert {"summary_words", "MOS of crowd"} <= titles
    assert "MOS of summary_words" not in titles


@pytest.mark.usefixtures("own_folder")
def test_the_program_of_a_pair_of_measures_has_the_numbers_of_the_page(open_page: Open) -> None:
    app = open_page("crowd_vs_lab.py", candidate_measure="focus", reference_measure="grammaticality", **FEW)
    found = ran(app)["focus and grammaticality"]
    assert found.spearman.value == app.dataframe[0].value["Spearman ρ"][0]
    assert found.spec.bootstrap.draws == 40


def test_tiles_of_the_overview_name_the_group_that_they_are_of(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [
        (f"i{i}", f"{group} {r}", group, (i + r % 2) % 5)
        for i in range(20)
        for group in ("crowd", "lab")
        for r in range(4)
    ]
    said = sentences(open_page("overview.py", d=add_rows("item,rater,group,score", rows), **SMALL))
    assert "raters in crowd, α" in said
    assert "Ratings needed per item by crowd" in said
    alone = [(item, rater, score) for item, rater, group, score in rows if group == "lab"]
    assert "Agreement of raters, α" in sentences(open_page(d=add_rows("item,rater,score", alone), **SMALL))
