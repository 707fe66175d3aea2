"""Studies of choices on every page: what a page shows of them, and what it says where it shows ratings only."""

from collections.abc import Callable

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.golden.views import SMALL
from tests.pages.conftest import figures, page_links, sentences
from tests.pages.test_shown_figures import GOLD

Open = Callable[..., AppTest]
SAMPLE = "sample-comparisons"
HEADER = "item,rater,choice,option_a,option_b"
ODD = {
    "one choice": [("i1", "w1", "A", "x", "y")],
    "one worker": [(f"i{i}", "w1", "AB"[i % 2], "x", "y") for i in range(9)],
    "always the same": [(f"i{i}", f"w{w}", "A", "x", "y") for i in range(6) for w in range(4)],
    "all say neither": [(f"i{i}", f"w{w}", "neither", "x", "y") for i in range(6) for w in range(4)],
}


def test_the_overview_of_choices_has_each_pages_finding(open_page: Open) -> None:
    app = open_page("overview.py", d=SAMPLE, **SMALL)
    told = sentences(app)
    for finding in (
        "1,320 choices",
        "against an average system",
        "2 of 10 raters do not agree with the others beyond chance.",
        "per item",
    ):
        assert finding in told
    assert len(figures(app)) == 5
    for figure in figures(app):
        go.Figure(figure)


def test_the_overview_of_labels_compares_methods(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = open_page("overview.py", d=add_rows("item,rater,choice,gold", GOLD, "choices"), **SMALL)
    assert "30 items with gold" in sentences(app)
    assert len(figures(app)) > 2


@pytest.mark.parametrize("page", ["distributions.py", "crowd_vs_lab.py", "assessors.py"])
def test_pages_about_ratings_say_what_would_open_them(open_page: Open, page: str) -> None:
    app = open_page(page, d=SAMPLE)
    assert "This data set holds choices, and this page needs ratings" in sentences(app)
    assert "item_id, rater_id and score" in sentences(app)
    assert not figures(app)


def test_a_page_about_choices_opens_for_ratings_where_it_can(open_page: Open) -> None:
    app = open_page("workers.py", d="sample-summaries")
    assert "consistent than the typical rater" in sentences(app)
    assert len(app.get("button_group")) == 1


def test_leaving_out_a_worker_changes_the_figures(open_page: Open) -> None:
    wins = {"d": SAMPLE, "about": "Any two systems", "preference_draws": "20"}
    everyone = open_page("systems.py", **wins)
    without = open_page("systems.py", **wins, without=["worker 08", "worker 03"])
    assert "Excluded: worker 03, worker 08" in sentences(without)
    assert everyone.dataframe[0].value.iloc[0, 1] != without.dataframe[0].value.iloc[0, 1]


@pytest.mark.parametrize(
    ("rule", "left_out"),
    [
        ("the least consistent", 1),
        ("agreement with the others below a limit", 8),
        ("too fast", 2),
    ],
)
def test_rules_find_workers(open_page: Open, rule: str, left_out: int) -> None:
    app = open_page("workers.py", d=SAMPLE, rule=rule)
    assert "Excluded: " in sentences(app)
    assert len(app.dataframe[0].value) == 10 - left_out


SAID = {
    "one choice": (
        "Not enough data to compare x and y: you have 1 item, it needs 10.",
        "Not enough data to compare x and y: you have 1 item, it needs 10.",
        "Not enough data to compare raters: you have 0 shared items per rater",
        "Not enough data to find where gains slow: you have 1 item, it needs 10.",
    ),
    "one worker": (
        "Not enough data to compare x and y: you have 9 items, it needs 10.",
        "x 56% by PCC-H · 95% CI ",
        "Not enough data to compare raters: you have 0 shared items per rater",
        "Not enough data to find where gains slow: you have 9 items, it needs 10.",
    ),
    "always the same": (
        "Not enough data to compare x and y: you have 6 items, it needs 10.",
        "x 100% by PCC-H · 95% CI 61–100%",
        "Not enough data to compare raters: you have 6 shared items per rater",
        "Not enough data to find where gains slow: you have 6 items, it needs 10.",
    ),
    "all say neither": (
        "PCC-H gives no preference between x and y: most judgments say neither.",
        "PCC-H gives no preference between x and y: most judgments say neither.",
        "Not enough data to compare raters: you have 6 shared items per rater",
        "Not enough data to find where gains slow: you have 6 items, it needs 10.",
    ),
}


@pytest.mark.parametrize("state", ODD)
def test_odd_studies_are_reported_for_what_they_are_on_every_page(
    open_page: Open, add_rows: Callable[..., str], state: str
) -> None:
    key = add_rows(HEADER, ODD[state], "choices")
    wins, with_interval, reliable, enough = SAID[state]
    app = open_page("overview.py", d=key)
    overview, left_out = sentences(app), page_links(app)  # titles of cards are bold
    for title, told in (("Ranking systems", wins), ("Raters", reliable), ("Repetitions", enough)):
        assert (told in overview) != (title in left_out)
    assert enough in sentences(open_page("repetitions.py", d=key))
    assert reliable in sentences(open_page("workers.py", d=key))
    systems = open_page("systems.py", d=key)
    assert with_interval in sentences(systems)
    assert not systems.get("button_group")  # two systems have no scale to ask for


def test_everyone_left_out_is_a_sentence(open_page: Open, add_rows: Callable[..., str]) -> None:
    key = add_rows(HEADER, ODD["one worker"], "choices")
    for page in ("overview.py", "workers.py", "systems.py", "repetitions.py"):
        assert "All raters are excluded" in sentences(open_page(page, d=key, without=["w1"])), page
