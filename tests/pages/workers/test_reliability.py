"""Reliability on the Workers page: samples, real votes and ratings, and the states that real studies lack."""

from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from features.blocks import Status
from features.raters.ranking import HIGHEST, LOWEST
from tests.pages.conftest import LastFinding, figures, sentences

Open = Callable[..., AppTest]
Add = Callable[..., str]
SAMPLE = "sample-comparisons"
BAD = "<img src=x onerror=alert(1)> [a](http://b) $x$"
HEADER = "item_id,rater_id,choice,gold"


def opened(open_page: Open, key: str, **address: str) -> AppTest:
    app = open_page("workers.py", d=key, about="Who is reliable", all_columns="true", **address)
    for figure in figures(app):
        go.Figure(figure)
    return app


def tables(app: AppTest) -> list:
    return [table.value for table in app.dataframe]


def votes_of(workers: dict[str, str], gold: str = "") -> list[tuple[object, ...]]:
    """Rows from one string of choices per worker, one letter per item, "." for none."""
    return [
        (f"q{item:02}", worker, choice, gold[item] if gold else "")
        for worker, choices in workers.items()
        for item, choice in enumerate(choices)
        if choice != "."
    ]


def test_the_sample_has_a_finding_pictures_and_all_figures(open_page: Open) -> None:
    app = opened(open_page, SAMPLE)
    assert "2 of 10 raters" in sentences(app)
    assert "closer to the expert also agree more with the others" in sentences(app)
    assert len(figures(app)) == 2
    ranking, methods = tables(app)
    assert len(ranking) == 10
    assert {
        "Agreement with the others",
        "Agreement with the others from",
        "Agreement with the others to",
        "With the majority",
        "GLAD ability",
        "Agreement with the expert",
    } <= set(ranking)
    assert ranking["Agreement with the others"].is_monotonic_increasing
    assert methods["Method"].tolist() == list(methods.columns[1:])
    assert (
        methods["Agreement with the others"].str.contains("n = 10)", regex=False)
        | (methods["Agreement with the others"] == "")
    ).all()


def test_one_comparison_has_figures_of_its_own(open_page: Open) -> None:
    app = opened(open_page, SAMPLE)
    (control,) = (box for box in app.selectbox if box.label == "Comparison")
    together = tables(app)[0]
    assert control.value == "all together"
    assert len(control.options) > 2
    control.select(control.options[1]).run()
    assert not app.exception
    assert (tables(app)[0]["Items"] < together["Items"].max()).all()


def test_real_votes_are_ranked_with_gold(open_page: Open, add_study: Add, shared_data: Path) -> None:
    app = opened(open_page, add_study(shared_data / "choice2_sentiment_timed.csv", "choices"))
    ranking = tables(app)[0]
    assert len(ranking) == 143
    assert {"Agreement with the gold answers", "Seconds"} <= set(ranking)
    assert "closer to the gold answers also agree more with the others" in sentences(app)
    assert "Fewer than 10 items" in sentences(app)
    assert "undefined, " in sentences(app)
    drawn = sum(len(trace["x"]) for trace in figures(app)[0]["data"])
    assert drawn == LOWEST + HIGHEST


def test_fewest_items_decides_who_is_drawn_and_not_who_is_in_the_table(
    open_page: Open, add_rows: Add
) -> None:
    few = {"a": "xyxyxyxyxyxy", "b": "xyxyxyxyxyxx", "c": "xyyxxyxyxyxy", "d": "xy.........."}
    app = opened(open_page, add_rows(HEADER, votes_of(few), "choices"))
    assert len(tables(app)[0]) == 4
    assert figures(app)[0]["layout"]["yaxis"]["ticktext"] == ["c", "b", "a"]
    assert "1 rater of 4" in sentences(app)
    app.number_input(key="fewest_items").set_value(2).run()
    assert len(figures(app)[0]["layout"]["yaxis"]["ticktext"]) == 4


def test_a_worker_who_always_chooses_the_same_is_undefined_and_said_so(
    open_page: Open, add_rows: Add
) -> None:
    rows = votes_of({"a": "xyxyxxyy", "b": "xyxyxxyx", "same": "xxxxxxxx"}, gold="xyxyxxyy")
    app = opened(open_page, add_rows(HEADER, rows, "choices"))
    assert "same: undefined" in sentences(app)
    ranking = tables(app)[0].set_index("Rater")
    assert ranking["Agreement with the others"].isna().tolist() == [False, False, True]
    assert ranking.loc["same", "Agreement with the gold answers"] == 0.5


@pytest.mark.parametrize(
    "workers", [{"alone": "xyxyx"}, {"a": "xyxy...", "b": "...yxyx"}, {"a": "xxxx", "b": "yyyy"}]
)
def test_where_nobody_can_be_ranked_the_page_says_why(
    open_page: Open, add_rows: Add, workers: dict[str, str], last_finding: LastFinding
) -> None:
    app = opened(open_page, add_rows(HEADER, votes_of(workers), "choices"))
    assert last_finding().status is Status.NOT_ENOUGH_DATA
    assert len(tables(app)[0]) == len(workers)


def test_two_workers_agree_with_each_other_alike(open_page: Open, add_rows: Add) -> None:
    rows = votes_of({"a": "xyxyxyxx", "b": "xyxyxyyy"}, gold="xyxyxyxy")
    app = opened(open_page, add_rows(HEADER, rows, "choices"))
    assert tables(app)[0]["Agreement with the others"].nunique() == 1
    assert "fewer than 3 raters have both figures" in sentences(app).casefold()


def test_names_from_an_upload_are_inert(open_page: Open, add_rows: Add) -> None:
    workers = {f'"{BAD}"': "xyxyxyxyxyxy", "b": "xyxyxyxyxyxx", "c": "xyyxxyxyxyxy"}
    app = opened(open_page, add_rows(HEADER, votes_of(workers, gold="xyxyxyxyxyxy"), "choices"))
    assert not any("<img" in element.proto.body for element in app.get("html"))
    assert not any("<img" in str(figure) for figure in figures(app))


def test_who_is_left_out_is_not_ranked(open_page: Open) -> None:
    everyone = tables(opened(open_page, SAMPLE))[0]["Rater"].tolist()
    app = opened(open_page, SAMPLE, without=everyone[-1])
    assert f"Without {everyone[-1]}, the number of raters not beyond chance stays" in sentences(app)
    assert tables(app)[0]["Rater"].tolist() != everyone
    assert everyone[-1] not in tables(app)[0]["Rater"].tolist()
