"""The Repetitions page for choices: curves, tables and sentences on the sample, on real files, and in odd states."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
Add = Callable[..., str]
SAMPLE = "sample-comparisons"
QUICK = {"shuffles": "20", "draws": "20", "all_columns": "true"}


def table(app: AppTest, column: str = "After 1") -> pd.DataFrame:
    """The page's table that has this column."""
    return next(element.value for element in app.dataframe if column in element.value)


def test_the_sample_has_a_panel_and_a_row_for_every_comparison(open_page: Open) -> None:
    app = open_page("repetitions.py", d=SAMPLE, **QUICK)
    assert [title.value for title in app.title] == ["Repetitions"]
    (figure,) = figures(app)
    go.Figure(figure)
    rows = table(app)
    measured = [trace for trace in figure["data"] if trace["name"] == "Measured order"]
    assert len(measured) == len(rows)
    assert rows["Comparison"].is_unique
    assert "Votes per item" in json_texts(figure)
    assert rows["Votes per item"].between(1, 40).all()


def json_texts(figure: dict) -> list[str]:
    return [note["text"] for note in figure["layout"]["annotations"]]


@pytest.fixture
def sentiment(add_study: Add, shared_data: Path) -> str:
    return add_study(shared_data / "choice2_sentiment_timed.csv", "choices")


def test_the_finding_says_what_is_saved_and_given_up(
    open_page: Open, sentiment: str, shared_data: Path
) -> None:
    app = open_page("repetitions.py", d=sentiment, draws="20", all_columns="true")
    rows = table(app).iloc[0]
    told = sentences(app)
    assert f"Gains slow after about {rows['Knee']} votes per item" in told
    assert "saves 70%" in told
    votes = pd.read_csv(shared_data / "choice2_sentiment_timed.csv")
    assert rows["After 1"] == pytest.approx((votes.label == votes.gold).mean(), abs=0.004)
    share = votes.groupby("item").label.mean()
    gold = votes.groupby("item").gold.first()
    of_all = np.where(share == 0.5, 0.5, (share > 0.5) == (gold == 1)).mean()
    assert rows["After all"] == pytest.approx(of_all)
    for column in ("Knee", "At the knee"):
        assert rows[f"{column} from"] <= rows[column] <= rows[f"{column} to"]


def test_both_ways_to_an_answer_have_their_curves(open_page: Open, add_rows: Add) -> None:
    rows = [(f"i{i}", f"r{r}", "yn"[(i * r + r // 3) % 3 == 0]) for i in range(20) for r in range(8)]
    key = add_rows("item,rater,label", rows, "choices")
    by_heads = open_page("repetitions.py", d=key, **QUICK)
    weighted = open_page("repetitions.py", d=key, answer_by="PCC-H weights", **QUICK)
    assert figures(by_heads)[0]["data"] != figures(weighted)[0]["data"]


def test_held_against_all_votes_the_page_says_that_the_end_is_by_construction(
    open_page: Open, sentiment: str
) -> None:
    app = open_page("repetitions.py", d=sentiment, answer_against="answer of all votes", **QUICK)
    assert "by construction" in sentences(app)
    assert table(app)["After all"][0] > 0.99
    assert "Share of items with the answer of all votes" in json_texts(figures(app)[0])


def test_the_cost_of_votes_is_weighed_without_asking_for_measures(open_page: Open, sentiment: str) -> None:
    app = open_page("repetitions.py", d=sentiment, weigh="10", price="0.1", **QUICK)
    told = sentences(app)
    assert "saves 50%" in told
    assert "500.00 € instead of 1,000.00 €" in told
    assert "seconds per vote, that is" in told
    assert "per" not in {select.key for select in app.selectbox}


def test_more_votes_than_every_item_has_let_items_leave(
    open_page: Open, add_study: Add, shared_data: Path
) -> None:
    key = add_study(shared_data / "choice4_website_gold.csv", "choices")
    app = open_page("repetitions.py", d=key, **QUICK)
    assert "333 at the first, 305 at" in sentences(app)
    app = open_page("repetitions.py", d=key, repetitions="10", **QUICK)
    assert "333 at the first, 270 at" in sentences(app)
    assert table(app)["Votes per item"].tolist() == [10]


def test_more_comparisons_than_panels_turn_the_page(open_page: Open, add_rows: Add) -> None:
    rows = [
        (f"i{i}", f"w{w}", "AB"[(i + w) % 2], f"s{first}", f"s{second}")
        for first in range(5)
        for second in range(first + 1, 5)
        for i in range(4)
        for w in range(3)
    ]
    key = add_rows("item,rater,choice,option_a,option_b", rows, "choices")
    open_page("overview.py", d=key)  # which works out the first nine
    app = open_page("repetitions.py", d=key)
    assert len(table(app)) == 10
    assert len([t for t in figures(app)[0]["data"] if t["name"] == "Measured order"]) == 9


STATES = {
    "one item": [("i1", f"r{r}", "yn"[r % 3 == 0], "y") for r in range(9)],
    "always the same": [(f"i{i}", f"r{r}", "y", "y") for i in range(6) for r in range(8)],
    "gold for one": [
        (f"i{i}", f"r{r}", "yn"[r % 3 == 0], "y" * (i == 0)) for i in range(6) for r in range(8)
    ],
}
SINGLE = {
    "one vote": [("i1", "r1", "yes", "yes")],
    "one vote per item": [(f"i{i}", f"r{i % 3}", "yn"[i % 2], "y") for i in range(12)],
    "one rater": [(f"i{i}", "r1", "yn"[i % 2], "y") for i in range(9)],
}


@pytest.mark.parametrize(
    ("state", "answer_by"), [*((state, "majority") for state in STATES), ("gold for one", "PCC-H weights")]
)
def test_odd_studies_get_sentences_and_a_table(
    open_page: Open, add_rows: Add, state: str, answer_by: str
) -> None:
    key = add_rows("item,rater,label,gold", STATES[state], "choices")
    app = open_page("repetitions.py", d=key, answer_by=answer_by, **QUICK)
    assert "Not enough data to" in sentences(app)
    assert ("5 items without a gold" in sentences(app)) == (state == "gold for one")
    assert len(table(app)) == 1
    go.Figure(figures(app)[0])


@pytest.mark.parametrize("state", SINGLE)
def test_one_vote_per_item_gets_one_sentence(open_page: Open, add_rows: Add, state: str) -> None:
    app = open_page("repetitions.py", d=add_rows("item,rater,label,gold", SINGLE[state], "choices"), **QUICK)
    assert "needs at least two votes per item" in sentences(app) or "it needs 10" in sentences(app)
    assert "95% CI" not in sentences(app)  # of no number that is told
    assert not app.dataframe
    assert not figures(app)


def test_without_gold_there_is_nothing_to_choose(open_page: Open, add_rows: Add) -> None:
    rows = [(f"i{i}", f"r{r}", "yn"[(i + r) % 3 == 0]) for i in range(12) for r in range(3)]
    app = open_page("repetitions.py", d=add_rows("item,rater,label", rows, "choices"), **QUICK)
    assert "too few votes" in sentences(app)
    assert app.selectbox(key="answer_against").options == ["answer of all votes"]


def test_names_from_uploads_stay_text(open_page: Open, add_rows: Add) -> None:
    rows = [
        (f"i{i}", f"r{r}", "AB"[(i + r) % 2], "<b>x</b>", "[y](http://z)") for i in range(6) for r in range(7)
    ]
    key = add_rows("item,rater,choice,option_a,option_b", rows, "choices")
    app = open_page("repetitions.py", d=key, **QUICK)
    assert not [element for element in app.get("html") if "<b>x</b>" in element.proto.body]
    assert all("<b>x" not in text for text in json_texts(figures(app)[0]))


def test_the_scenario_says_what_leaving_workers_out_changes(open_page: Open, sentiment: str) -> None:
    app = open_page("repetitions.py", d=sentiment, without=["w_001", "w_002"], **QUICK)
    after_all = table(app)["After all"][0]
    assert f"is {100 * after_all:.1f}% instead of" in sentences(app)
    assert table(app)["Votes per item"][0] < 20


def test_slots_are_not_persons(open_page: Open, add_study: Add, tmp_path: Path) -> None:
    file = tmp_path / "slots.csv"
    rows = [(f"i{i}", f"slot{r}", "yn"[(i + r) % 3 == 0]) for i in range(20) for r in range(8)]
    pd.DataFrame(rows, columns=["item", "rater", "label"]).to_csv(file, index=False)
    app = open_page("repetitions.py", d=add_study(file, "choices", **{"@raters": "slots"}), **QUICK)
    assert "for these raters" in sentences(app)
    assert "raters like these" not in sentences(app)


def test_a_step_of_the_shuffles_draws_no_interval_again(open_page: Open, sentiment: str) -> None:
    app = open_page("repetitions.py", d=sentiment, **QUICK)
    before = table(app)["Knee from"][0]
    app.slider(key="shuffles").set_value(21).run()
    assert not app.exception
    assert table(app)["Knee from"][0] == before
    assert {"95% CI"} <= {trace["name"] for trace in figures(app)[0]["data"]}


def test_a_group_keeps_its_colour_and_a_chosen_one_alone_counts(open_page: Open, add_rows: Add) -> None:
    rows = [
        (f"i{i}", f"{group}{r}", "yn"[(i + r) % 3 == 0], group)
        for group in "ab"
        for i in range(6)
        for r in range(8)
    ]
    key = add_rows("item,rater,label,group", rows, "choices")
    everyone = open_page("repetitions.py", d=key, **QUICK)
    second = open_page("repetitions.py", d=key, group="b", **QUICK)
    assert table(everyone)["Votes per item"].tolist() == [16]
    assert table(second)["Votes per item"].tolist() == [8]
    colours = [
        next(t for t in figures(app)[0]["data"] if t["name"] == "Measured order")["line"]["color"]
        for app in (everyone, second)
    ]
    assert colours == ["#0072B2", "#C18600"]


def test_with_everyone_left_out_the_page_says_so(open_page: Open, add_rows: Add) -> None:
    key = add_rows("item,rater,label", [("i1", "r1", "y"), ("i2", "r1", "n")], "choices")
    assert "All raters are excluded" in sentences(open_page("repetitions.py", d=key, without="r1"))
