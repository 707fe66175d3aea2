"""Every control of a page does what it says, on the sample."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures

Open = Callable[..., AppTest]
FEW = {"draws": "20"}
FEWER = FEW | {"permutations": "99"}


def drawn(app: AppTest) -> list[Any]:
    return [[(trace.get("name"), trace.get("y")) for trace in figure["data"]] for figure in figures(app)]


@pytest.fixture(scope="module")
def usual() -> dict[str, list[Any]]:
    """Return each page before a control is moved."""
    return {}


@pytest.mark.parametrize(
    ("page", "control", "value"),
    [
        ("distributions.py", "show", "Single ratings"),
        ("crowd_vs_lab.py", "picture", "Differences"),
        ("repetitions.py", "shuffles", "20"),
        ("repetitions.py", "repetitions", "12"),
        ("repetitions.py", "correlation", "Pearson"),
        ("repetitions.py", "aggregation", "median"),
        pytest.param("repetitions.py", "aggregation", "trimmed mean", marks=pytest.mark.journey),
        pytest.param("repetitions.py", "order", "raters, for all items at once", marks=pytest.mark.journey),
        ("repetitions.py", "order", "by column (the paper's)"),
        ("repetitions.py", "seed", "7"),
        ("repetitions.py", "reference", "summary_words (column)"),
        ("repetitions.py", "candidate", "lab"),
        ("crowd_vs_lab.py", "reference", "summary_words (column)"),
    ],
)
def test_a_control_in_the_address_changes_the_picture(
    open_page: Open, usual: dict[str, list[Any]], page: str, control: str, value: str
) -> None:
    other = {"reference": "crowd"} if control == "candidate" else {}
    few = {"measures": "focus"} | {"repetitions.py": FEW, "crowd_vs_lab.py": FEWER}.get(page, {})
    if page not in usual:
        usual[page] = drawn(open_page(page, **few))
    assert drawn(open_page(page, **{control: value}, **other, **few)) != usual[page]


def test_the_tail_changes_p_values_and_nothing_else(open_page: Open) -> None:
    asked = {"measures": "focus", "all_columns": "true", **FEWER}
    both = open_page("crowd_vs_lab.py", **asked).dataframe
    greater = open_page("crowd_vs_lab.py", tail="candidate higher", **asked).dataframe
    order, level = 0, 1
    same = ["Measure", "Spearman ρ", "Pearson r", "RMSE", "Concordance"]
    assert both[order].value[same].equals(greater[order].value[same])
    assert (greater[level].value["p (U)"] < both[level].value["p (U)"]).all()


def test_all_columns_stand_behind_a_click(open_page: Open) -> None:
    app = open_page("crowd_vs_lab.py", measures="focus", **FEWER)
    few = len(app.dataframe)
    assert "Concordance" not in app.dataframe[0].value
    app.button(key="all_columns 3").click().run()
    assert len(app.dataframe) == few
    assert "Concordance" in app.dataframe[0].value


def test_a_higher_sensitivity_takes_knees_away(open_page: Open) -> None:
    few = {"draws": "20", "shuffles": "20", "measures": "focus"}
    assert open_page("repetitions.py", **few).dataframe[0].value["Knee"].notna().all()
    assert open_page("repetitions.py", sensitivity="15.0", **few).dataframe[0].value["Knee"].isna().any()


def test_few_shuffles_are_drawn_one_by_one(open_page: Open) -> None:
    panels = figures(open_page("repetitions.py", shuffles="5", **FEW))[1]["data"]
    assert sum(trace["name"] == "Shuffles" for trace in panels) == 5 * 9


def test_chosen_measures_are_the_only_ones_shown(open_page: Open) -> None:
    app = open_page("crowd_vs_lab.py", measures="focus", **FEWER)
    assert app.dataframe[0].value["Measure"].tolist() == ["focus"]


def test_rater_attributes_split_the_figures(open_page: Open) -> None:
    app = open_page("crowd_vs_lab.py", attribute="rater_knowledge", measures="focus", **FEWER)
    assert [next(iter(frame.value)) for frame in app.dataframe].count("rater_knowledge") == 1


def test_wrong_values_in_an_address_fall_back_to_the_defaults(open_page: Open) -> None:
    few = {"draws": "20", "measures": "focus"}
    wrong = {
        "shuffles": "many",
        "correlation": "<b>",
        "candidate": "' OR 1=1",
        "repetitions": "-5",
        "seed": "x",
    }
    assert drawn(open_page("repetitions.py", **wrong, **few)) == drawn(open_page("repetitions.py", **few))
