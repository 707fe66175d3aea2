"""Sources of variance, on the Assessors page."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from streamlit.testing.v1 import AppTest

from features.blocks import Finding, Status
from tests.pages.conftest import LastFinding, figures, sentences

QUESTION = "Where the variance comes from"
Open = Callable[..., AppTest]


def components(app: AppTest) -> pd.DataFrame:
    table: pd.DataFrame = app.dataframe[0].value
    return table


def test_shares_curve_and_tables_of_a_real_study(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "video_mos_nflx_public.csv")
    app = open_page("assessors.py", d=key, question=QUESTION, variance_raters="5")
    told = sentences(app)
    assert "quality_1_5, 75%" in told
    assert "coefficient of 0.95" in told
    assert "from 2,054 ratings" in told
    assert len(figures(app)) == 2
    for figure in figures(app):
        go.Figure(figure)
    assert components(app)["Source"].tolist() == ["Items", "Raters", "Topics", "Topics × raters", "Residual"]
    assert set(components(app)["Divided by"]) == {1, 5}


def test_systems_are_distinguished_on_request_and_the_curve_runs_along_items(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "wmt23_mqm_3raters.csv")
    app = open_page(
        "assessors.py",
        d=key,
        question=QUESTION,
        variance_object="systems",
        variance_items="50",
        variance_raters="2",
        variance_along="Items per system",
        variance_design="the same for all items",
    )
    assert "over 50 items with 2 raters each" in sentences(app)
    table = components(app).set_index("Source")
    assert table.loc["Systems", "In the mean"] == "object of measurement"
    assert table.loc["Residual", "Divided by"] == 100
    assert app.dataframe[1].value.columns[0] == "Items per system"
    assert 50 in app.dataframe[1].value["Items per system"].tolist()


def test_one_rating_per_item_leaves_no_choice_of_raters(open_page: Open) -> None:
    app = open_page("assessors.py", d="sample-assessors", question=QUESTION)
    assert "items and items × raters from residual" in sentences(app)
    assert "variance_raters" not in [each.key for each in app.number_input]


def test_equal_ratings_say_that_there_is_nothing_to_share_out(
    open_page: Open, add_rows: Callable[..., str], last_finding: LastFinding
) -> None:
    key = add_rows("item,rater,score", [(f"i{i}", f"r{r}", 3) for i in range(5) for r in range(3)])
    app = open_page("assessors.py", d=key, question=QUESTION)
    assert last_finding().status in (Status.NOT_APPLICABLE, Status.NOT_ENOUGH_DATA)
    assert not figures(app)


def test_one_rating_of_each_item_leaves_no_curve(
    open_page: Open, add_rows: Callable[..., str], shown_findings: list[Finding]
) -> None:
    rows = [(f"i{i}", f"r{i % 5}", (i * i) % 7) for i in range(40)]
    app = open_page("assessors.py", d=add_rows("item,rater,score", rows), question=QUESTION)
    assert Status.NOT_ENOUGH_DATA in [finding.status for finding in shown_findings]
    assert len(figures(app)) == 1
    assert components(app)["Source"].tolist() == ["Raters", "Residual"]


def test_names_from_a_file_are_inert(open_page: Open, add_rows: Callable[..., str]) -> None:
    rows = [(f"i{i}", f"r{r}", "<b onclick=x>", (i * 7 + r * 3) % 5) for i in range(8) for r in range(4)]
    app = open_page("assessors.py", d=add_rows("item,rater,measure,score", rows), question=QUESTION)
    assert all("<b onclick" not in element.proto.body for element in app.get("html"))


def test_more_raters_than_a_thousand_are_a_number_of_the_control(
    open_page: Open, add_study: Callable[..., str], tmp_path: Path
) -> None:
    rows = [
        f"i{item},r{rater},{1 + (item + rater * item) % 5}" for item in range(10) for rater in range(1010)
    ]
    (tmp_path / "many.csv").write_text("item,rater,score\n" + "\n".join(rows) + "\n")
    app = open_page("assessors.py", d=add_study(tmp_path / "many.csv"), question=QUESTION, draws="20")
    assert app.number_input(key="variance_raters").value == 1010
