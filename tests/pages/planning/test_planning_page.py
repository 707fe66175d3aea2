"""Planning: the chosen study in words and in the picture, from presets, typed numbers and the open ratings."""

import re
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from analysis.planning import DifferencePlan, difference_power, loads_by_busiest
from analysis.planning.difference import power_of_plan
from findings.planning.precise import AGREEMENT, CORRELATION, MOS, SHARE
from tests.pages.conftest import copied, figures, sentences

Open = Callable[..., AppTest]


def test_typed_variances_give_the_published_power_in_words_picture_and_table(open_page: Open) -> None:
    """Westfall, Kenny and Judd 2014: 20 raters and 20 items, crossed, .664."""
    typed = {"residual": ".3", "rater_slope": ".1", "item_slope": ".1"}
    app = open_page(
        "planning.py",
        plan_variances="typed numbers",
        plan_difference="0.5",
        plan_items="20",
        plan_raters="20",
        plan_ratings="20",
        plan_price="0.5",
        **{f"plan_var_{name}": value for name, value in typed.items()},
    )
    said = sentences(app)
    assert (
        "With 20 items, each rated under both systems by all 20 raters, a difference of 0.50 is found with a power of "
        "66 %"
    ) in said
    assert "For 80 % it takes 43 items with these raters, or" in said
    assert "That is 400.00\u202f€: 800 ratings, about 40 by each rater" in said.replace(" €", "\u202f€")
    assert (
        "We plan 20 items, each rated under both systems by all 20 raters (800 ratings in all)"
        in copied(app)[0]
    )
    (figure,) = figures(app)
    chosen = next(trace for trace in figure["data"] if trace["name"] == "chosen")
    assert (chosen["x"], chosen["y"]) == ([20], [pytest.approx(0.6638, abs=5e-5)])
    assert [20, 10] in next(trace for trace in figure["data"] if trace["name"] == "10 per item")["customdata"]
    (dear,) = (trace for trace in figure["data"] if trace["name"].startswith("for 400.00"))
    assert (
        dict(zip(dear["text"], dear["x"], strict=True))["40, 10 per item"] == 40
    )  # twice the items for the money
    table = app.dataframe[0].value.set_index("Ratings per item")
    assert table.at[5, "Power"] == pytest.approx(
        difference_power(20, 20, 0.5, 0.3, 0.1, 0.1, ratings_per_item=5).power
    )
    assert table.at[5, "Price"] == 100


def test_a_pilot_says_what_it_leaves_open(open_page: Open, add_rows: Callable[..., str]) -> None:
    """5 systems, 10 topics and 6 raters with effects of their own: the interval holds the power of the truth."""
    rng = np.random.default_rng(5)
    parts = {"rater": 0.4, "topic": 0.4, "slope": 0.3, "item": 0.4, "rest": 0.6}
    rater, topic = rng.normal(0, parts["rater"], 6), rng.normal(0, parts["topic"], 10)
    slope, item = rng.normal(0, parts["slope"], (6, 5)), rng.normal(0, parts["item"], (10, 5))
    rows = [
        (
            f"t{t}s{s}",
            f"r{r}",
            f"s{s}",
            f"t{t}",
            round(5 + rater[r] + topic[t] + slope[r, s] + item[t, s] + rng.normal(0, parts["rest"]), 2),
        )
        for t in range(10)
        for s in range(5)
        for r in range(6)
    ]
    key = add_rows("item,rater,system,topic,score", rows)
    app = open_page("planning.py", d=key, plan_difference="0.35")
    said = sentences(app)
    found = re.search(r"a power of (\d+) % \((\d+) to (\d+) %, as far as the pilot knows\)", said)
    assert found is not None, said
    value, low, high = (int(part) / 100 for part in found.groups())
    truth = difference_power(24, 40, 0.35, 0.36, 0.045, 0.08, ratings_per_item=8).power
    assert low < value < high
    assert low <= truth <= high
    assert "Variances of 300 ratings (50 items, 6 raters, 5 systems, 10 topics)" in said
    assert any(trace.get("fill") == "toself" for trace in figures(app)[0]["data"])
    surely = sentences(open_page("planning.py", d=key, plan_difference="2"))
    assert "a power of more than 99 % (more than 99 %, as far as the pilot knows)" in surely
    for what in ("an item's mean rating (MOS)", "a system's mean", "a correlation with a reference"):
        app = open_page("planning.py", d=key, plan="How precise?", plan_precise=what)
        assert ", as far as the pilot knows ±" in sentences(app)
        assert any(trace.get("fill") == "toself" for trace in figures(app)[0]["data"])
    app = open_page("planning.py", d=key, plan="Best use of a budget")
    assert ", as far as the pilot knows)" in sentences(app)


def test_unequal_loads_are_in_words_sentence_table_and_simulation(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    """Raters of 3, 6, 9 and 12 ratings are worth 30² / 270 = 3.33."""
    asked = {
        "plan_variances": "speech study",
        "plan_items": "20",
        "plan_raters": "20",
        "plan_ratings": "2",
        "plan_check": "true",
    }
    app = open_page("planning.py", plan_loads="a few do most", plan_busiest="60", **asked)
    said = sentences(app)
    found = re.search(
        r"each rated under both systems by 2 of 20 raters \(with unequal loads worth ([\d.]+) raters\), a",
        said,
    )
    assert found is not None, said
    loads = loads_by_busiest(0.6)
    plan = DifferencePlan(20, 20, 0.3, 0.381, 0.05677, 0.0494, ratings_per_item=2, loads=loads)
    assert float(found[1]) == pytest.approx(plan.effective_raters, abs=0.05)
    assert "raters (with unequal loads worth" in copied(app)[0]
    table = app.dataframe[0].value.set_index("Ratings per item")
    assert table.at[2, "Power"] == pytest.approx(power_of_plan(plan).power)
    assert "the formula says the same" in said
    rows = [(f"i{item}", f"r{rater}", item % 5) for rater in range(4) for item in range(3 * (rater + 1))]
    key = add_rows("item,rater,score", rows)
    said = sentences(open_page("planning.py", d=key, plan_loads="as in these ratings", **asked))
    assert "The 4 raters of these ratings did 3 to 12 ratings each: as much as 3.3 with equal loads." in said
    for question in (
        {"plan": "How precise?", "plan_precise": "a system's mean"},
        {"plan": "Best use of a budget"},
    ):
        app = open_page("planning.py", d=key, plan_loads="as in these ratings", **asked, **question)
        assert "(with unequal loads worth" in sentences(app)
    assert "is rough" not in sentences(app)
    few = {"plan_loads": "a few do most", "plan_busiest": "80", "plan_raters": "40", "plan_money": "20"}
    for question, what in (
        ({"plan": "Which systems can be told apart?"}, "power"),
        ({"plan": "How precise?", "plan_precise": "a system's mean"}, "width"),
        ({"plan": "Best use of a budget"}, "power"),
    ):
        app = open_page("planning.py", **{**asked, **few, **question})
        assert f"The {what} is rough here, since" in sentences(app)


@pytest.mark.parametrize("what", [MOS, CORRELATION, AGREEMENT, SHARE])
def test_a_width_that_no_number_of_raters_is_behind_is_not_called_rough(open_page: Open, what: str) -> None:
    said = sentences(open_page("planning.py", plan="How precise?", plan_precise=what, plan_ratings="4"))
    assert "is rough" not in said


def test_ratings_that_cannot_say_it_leave_it_to_a_study_of_the_same_kind(open_page: Open) -> None:
    app = open_page("planning.py", plan_ratings="30", plan_design="items and raters of one system each")
    said = sentences(app)
    assert "The open ratings cannot say it: systems did not meet the same topics" in said
    assert "It takes a column that names each item's system" in said.replace("&#x27;", "'")
    assert "Variances of speech quality from 1 to 5: 24 listeners in a laboratory" in said
    assert "An item cannot have 30 of 24 raters in this design; the figures are for 12." in said
    assert "With 40 items and 24 raters, half of them for each system, and 12 raters per item" in said


def test_every_question_answers_in_words_with_figures_that_plotly_accepts(open_page: Open) -> None:
    app = open_page(
        "planning.py", plan="How precise?", plan_precise="a system's mean", plan_variances="speech study"
    )
    assert "With 40 items, each rated by 8 of 24 raters, a system's mean is known to about ±" in sentences(
        app
    )
    app = open_page("planning.py", plan="How precise?", plan_ratings="24", plan_variances="typed numbers")
    assert "With 24 ratings of an item, an item's MOS is known to about ±" in sentences(app)
    app = open_page("planning.py", plan="Best use of a budget", plan_variances="summary study")
    said = sentences(app)
    assert "100.00 € are best spent on" in said
    assert "10.00 € more would make that" in said
    table = app.dataframe[0].value
    assert (table["Price"] <= 100).all()
    assert table["Power"].is_monotonic_decreasing
    for figure in figures(app):
        go.Figure(figure)
    app = open_page(
        "planning.py", plan="Is it enough already?", plan_half="2", reliability="0.5", measures="focus"
    )
    assert "So far about 24 ratings per item (50 items): a MOS of focus is known to about ±" in sentences(app)
    assert "That is enough" in sentences(app)


def test_choices_are_asked_for_preferences_and_labels(open_page: Open) -> None:
    """One vote right in 70 %: 9 are needed for 90 % (Condorcet's sum by hand: 3 give .784)."""
    app = open_page(
        "planning.py",
        d="sample-comparisons",
        plan="Are labels right?",
        plan_accuracy="70",
        plan_icc="0",
        plan_options="2",
    )
    assert "9 votes per item make the majority right in 90 % of the items" in sentences(app)
    assert app.dataframe[0].value["Right"].iloc[2] == pytest.approx(0.784)
    assert "of 1\u202f320 votes with a known answer are right" in sentences(app)
    app = open_page(
        "planning.py",
        d="sample-comparisons",
        plan_items="100",
        plan_votes="2",
        plan_quality="100",
        plan_item_sd="0",
    )
    assert (
        "With 100 items of 2 votes each, a preference of 60 % is told from a draw with a power of 82 %"
        in sentences(app)
    )
    assert "We plan 100 items with 2 votes each." in copied(app)[0]


def test_items_differ_as_in_the_open_choices_unless_typed(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    """Of 12 items half have 3 of 4 votes for a, half 1 of 4: the variance of the shares less (3/16) / 3."""
    rows = [
        (f"i{item}", f"w{vote}", "a", "b", "a" if (vote < 3) == (item % 2 == 0) else "b")
        for item in range(12)
        for vote in range(4)
    ]
    key = add_rows("item_id,rater_id,option_a,option_b,choice", rows, "choices")
    sd = float(np.sqrt(np.tile([0.75, 0.25], 6).var(ddof=1) - 3 / 16 / 3))
    app = open_page("planning.py", d=key)
    assert f"12 items) the items' own shares differ by an SD of {sd:.2f}" in sentences(app).replace(
        "&#x27;", "'"
    )
    assert f"items differing by an SD of {sd:.2f}" in copied(app)[0]
    app = open_page("planning.py", d=key, plan_item_sd="0.2")
    assert "items differing by an SD of 0.20" in copied(app)[0]


def test_guesses_are_as_many_as_known_answers_say(open_page: Open, add_rows: Callable[..., str]) -> None:
    """Of 48 votes on 12 items 42 are for the known side: 2 · .875 - 1 = 75 % are no guesses."""
    rows = [
        (f"i{item}", f"w{vote}", "a", "b", "b" if vote == 0 and item < 6 else "a", "a")
        for item in range(12)
        for vote in range(4)
    ]
    key = add_rows("item_id,rater_id,option_a,option_b,choice,gold", rows, "choices")
    app = open_page("planning.py", d=key)
    assert "Of the 48 votes in the open choices whose answer is known, 75 % " in sentences(app)
    assert "75 % of the votes no guesses" in copied(app)[0]
    assert "90 % of the votes no guesses" in copied(open_page("planning.py", d=key, plan_quality="90"))[0]


def test_who_prefers_otherwise_than_an_expert_does_not_guess_for_it(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [
        (f"i{item}", f"w{vote}", "a", "b", "ab"[vote % 2], "a") for item in range(12) for vote in range(4)
    ]
    key = add_rows("item_id,rater_id,option_a,option_b,choice,expert", rows, "choices")
    app = open_page("planning.py", d=key)
    assert "the open choices do not tell without known answers" in sentences(app)
    assert "90 % of the votes no guesses" in copied(app)[0]


def test_without_known_answers_only_the_least_is_told(open_page: Open, add_rows: Callable[..., str]) -> None:
    """All 4 votes of an item agree, so that nobody need have guessed, but in one of 12 they are 2 to 2."""
    rows = [
        (f"i{item}", f"w{vote}", "a", "b", "a" if item or vote < 2 else "b")
        for item in range(12)
        for vote in range(4)
    ]
    key = add_rows("item_id,rater_id,option_a,option_b,choice", rows, "choices")
    app = open_page(
        "planning.py", d=key
    )  # 11 items agree always, one in 1 of 3 pairs: sqrt(2 (11 + 1/3) / 12 - 1)
    assert "do not tell without known answers" in sentences(app)
    assert "it is at least about 94 %" in sentences(app)
    assert "94 % of the votes no guesses" in copied(app)[0]


def test_labels_are_asked_whether_they_are_right(open_page: Open, add_rows: Callable[..., str]) -> None:
    """Three classes of which none is a system: no one is preferred."""
    rows = [
        (f"i{item}", f"w{vote}", "abc"[(item + vote // 3) % 3]) for item in range(12) for vote in range(4)
    ]
    app = open_page("planning.py", d=add_rows("item_id,rater_id,choice", rows, "choices"))
    assert "votes per item make the majority right" in sentences(app)


def test_a_plan_is_simulated_and_handed_out_on_request(open_page: Open) -> None:
    app = open_page(
        "planning.py",
        plan_variances="speech study",
        plan_items="12",
        plan_raters="6",
        plan_ratings="4",
        plan_check="true",
        plan_template="true",
        plan_most_ratings="16",
    )
    said = sentences(app)
    assert re.search(
        r"Of 1\u202f000 studies simulated \(seed 0\) [\d.]+ % find the difference, .*says the same", said
    )
    assert "96 ratings to collect: each item has its raters, each rater 16 ratings" in said
    check = next(table.value for table in app.dataframe if "By" in table.value)
    assert abs(check["Power"].diff().iloc[1]) < 0.06
    full = open_page("planning.py", plan_template="true", plan_most_ratings="3")
    assert "`most_per_rater` must be at least" in sentences(full)
