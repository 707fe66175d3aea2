"""Crowd vs lab on real ratings and on odd ones: systems, ceiling, spread and warnings beside order and level."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit import dataframe_util
from streamlit.testing.v1 import AppTest

from features.plotting.ready import Ready
from panels.crowd_vs_lab.all_groups import choose_pair
from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
FEW = {"draws": "40", "permutations": "99"}


@pytest.mark.parametrize("candidate", ["crowd_clickworker_de", "crowd_mturk_es"])
def test_the_speech_study_has_its_systems_its_ceiling_and_its_spread(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, candidate: str
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    app = open_page("crowd_vs_lab.py", d=key, candidate=candidate, picture="Differences", **FEW)
    said = sentences(app)
    assert "Over the means of 50 systems, ρ is 0." in said
    assert "A candidate without error could correlate with lab up to 0.99 (" in said
    assert f"Without chance, {candidate} spreads the items " in said
    assert "Raw slope of the differences on the means: overall_quality" in said
    assert "as wide as the variance over 50 systems with all their items and raters" in said
    assert "fewer than 8" not in said
    table = app.dataframe[1].value
    assert list(table) == ["Measure", "Spearman ρ", "Mean difference", "RMSE", "Items"]


def test_all_groups_stand_in_one_picture_before_the_chosen_pair(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    app = open_page("crowd_vs_lab.py", d=key, candidate="crowd_mturk_es", **FEW)
    assert app.title[0].value == "Groups compared"
    assert (
        "orders the items most like lab cannot be told: Spearman's ρ runs from 0.82 (crowd_mturk_es"
        in sentences(app)
    )
    order, level, pair = figures(app)
    assert [trace["name"] for trace in order["data"]] == [
        "crowd_clickworker_de",
        "crowd_mturk_en",
        "crowd_mturk_es",
    ]
    assert order["data"][2]["x"] == [pytest.approx(0.822, abs=5e-4)]
    assert all(trace["error_x"]["array"][0] > 0 for figure in (order, level) for trace in figure["data"])
    assert "MOS of crowd_mturk_es" in str(pair["layout"]["annotations"])
    matrix = app.dataframe[0].value
    assert matrix.loc["crowd_mturk_es", "lab"] == order["data"][2]["x"][0]
    (_, data), *_ = app.dataframe[0].proto.ListFields()
    written = dataframe_util.convert_arrow_bytes_to_pandas_df(data.styler.display_values)
    assert re.fullmatch(r"0\.82 \(0\.\d\d to 0\.\d\d\)", written.loc["crowd_mturk_es", "lab"])
    assert written.loc["lab", "crowd_mturk_es"] == written.loc["crowd_mturk_es", "lab"]


def test_a_cell_of_the_matrix_chooses_its_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {"candidate": "b", "reference": "c"}
    monkeypatch.setattr("panels.crowd_vs_lab.all_groups.st.session_state", state)
    for row, column, pair in ((2, "a", ("c", "a")), (1, "b", ("c", "a")), (0, "c", ("a", "c"))):
        state["pairs"] = {"selection": {"cells": [(row, column)]}}
        choose_pair(("a", "b", "c"), "pairs")
        assert (state["candidate"], state["reference"]) == pair


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
    assert "lab has 3 raters, fewer than 5" in said
    assert "the items belong to 3 systems, fewer than 8" in said
    assert "items (3 systems held as they are, being fewer than 8)" in said


def test_a_single_reference_rater_leaves_no_interval_for_raters_like_these(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    asked = {"candidate": "crowd", "all_columns": "true", "generalize": "raters like these", **FEW}
    app = open_page("crowd_vs_lab.py", d=add_rows(HEADER, rows(1, 12)), **asked)
    said = sentences(app)
    assert "lab has a single rater" in said
    assert "No interval of Mean difference (score): the reference has a single rater" in said
    assert "No Ceiling (score): fewer than 3 items were rated by two different people on each side." in said


def test_the_picture_of_a_column_of_numbers_is_drawn_before_the_long_work_and_has_no_mos(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []

    def ready(figure: dict[str, Any]) -> Ready:
        happened.append("drawn")
        return Ready(figure)

    monkeypatch.setattr("ui.pictures.Ready", ready)
    stopped = "findings.crowd_vs_lab.comparisons.long_result"
    monkeypatch.setattr(stopped, lambda key, label, compute: happened.append(label))
    app = open_page("crowd_vs_lab.py", reference="summary_words (column)", measures="focus")
    assert happened.index("drawn") < happened.index("Intervals and tests")
    titles = {note["text"] for figure in figures(app) for note in figure["layout"].get("annotations", ())}
    assert {"summary_words", "MOS of crowd"} <= titles
    assert "MOS of summary_words" not in titles
