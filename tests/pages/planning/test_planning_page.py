"""Planning: the chosen plan in the finding and the figure, from presets, typed numbers and the open ratings."""

import re
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from analysis.planning import DifferencePlan, difference_power, loads_by_busiest
from analysis.planning.difference import power_of_plan
from features.blocks import Status
from features.planning.precision import AGREEMENT, CORRELATION, MOS, SHARE
from features.planning.stopping import RULE
from tests.pages.conftest import LastFinding, figures, sentences, statuses

Open = Callable[..., AppTest]
POWER, PRECISION, BUDGET = "Do systems differ?", "How precise?", "Best use of a budget"


def test_typed_variances_give_the_published_power_in_finding_figure_and_table(
    open_page: Open, last_finding: LastFinding
) -> None:
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
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1] == {"chance": "a 66% chance", "difference": "0.5"}
    assert "for 80%: 43 items or" in said
    assert "400.00 €: 800 ratings" in said
    assert "20 raters (800 ratings in all)" in said
    assert "given variances as typed." in said, "it is not cut"
    (figure,) = figures(app)
    chosen = next(trace for trace in figure["data"] if trace["name"] == "chosen")
    assert (chosen["x"], chosen["y"]) == ([20], [pytest.approx(0.6638, abs=5e-5)])
    assert "<b>66%</b>" in {one["text"] for one in figure["layout"]["annotations"]}
    assert [20, 10] in next(trace for trace in figure["data"] if trace["name"] == "10 per item")["customdata"]
    (price,) = (trace for trace in figure["data"] if trace["name"].startswith("for 400.00"))
    twice = dict(zip(price["text"], price["x"], strict=True))
    assert twice["40, 10 per item"] == 40  # twice the items for the money
    table = app.dataframe[0].value.set_index("Ratings per item")
    power = difference_power(20, 20, 0.5, 0.3, 0.1, 0.1, ratings_per_item=5).power
    assert table.at[5, "Power"] == pytest.approx(power)
    assert table.at[5, "Price"] == 100


@pytest.mark.parametrize("question", [POWER, "Is one preferred?", "Are labels right?", "Are ratings enough?"])
def test_nothing_costs_euros_that_nobody_entered(open_page: Open, question: str) -> None:
    app = open_page("planning.py", plan=question)
    assert "€" not in sentences(app)
    assert not any("Price" in table.value for table in app.dataframe)
    assert not any("€" in str(trace.get("name")) for trace in figures(app)[0]["data"])


def test_an_old_address_opens_the_question_that_it_was_saved_on(open_page: Open) -> None:
    assert open_page("planning.py").segmented_control("plan").value == "What to collect next"
    for saved in ({"plan": "Which systems can be told apart?"}, {"plan_items": "80"}):
        assert open_page("planning.py", **saved).segmented_control("plan").value == POWER
    saved = {"plan": "Is it enough already?"}
    assert open_page("planning.py", **saved).segmented_control("plan").value == "Are ratings enough?"


def test_a_budget_waits_for_the_price_of_a_rating(open_page: Open) -> None:
    app = open_page("planning.py", plan=BUDGET)
    assert "Enter the price of a rating" in sentences(app)
    assert not figures(app)
    app = open_page("planning.py", plan=BUDGET, plan_price="0.1", plan_variances="summary study")
    said = sentences(app)
    assert "100.00 € buys most with" in said
    assert "10.00 € more would buy" in said
    assert "items and raters cost nothing as entered" in said
    table = app.dataframe[0].value
    assert (table["Price"] <= 100).all()
    assert table["Power"].is_monotonic_decreasing


def test_the_control_names_the_study_whose_variances_are_used(open_page: Open) -> None:
    app = open_page("planning.py", plan_ratings="30", plan_design="items and raters of one system each")
    said = sentences(app)
    assert "not enough data" in statuses(app)
    assert app.selectbox("plan_variances").value == "speech study"
    assert "these ratings" not in app.selectbox("plan_variances").options
    assert "from 1 to 5: 24 listeners" in said
    assert "12 of 24 raters" in said
    asked = open_page("planning.py", plan_variances="these ratings")
    assert asked.selectbox("plan_variances").value == "speech study"
    means = open_page("planning.py", plan=PRECISION)
    assert means.selectbox("plan_variances").value == "these ratings"
    assert "cannot supply" not in sentences(means)


def test_a_pilot_leaves_the_power_open(open_page: Open, add_rows: Callable[..., str]) -> None:
    """5 systems, 10 topics and 6 raters who all have effects: the interval holds the power of the truth."""
    rng = np.random.default_rng(5)
    parts = {"rater": 0.4, "topic": 0.4, "slope": 0.3, "item": 0.4, "residual": 0.6}
    rater, topic = rng.normal(0, parts["rater"], 6), rng.normal(0, parts["topic"], 10)
    slope, item = rng.normal(0, parts["slope"], (6, 5)), rng.normal(0, parts["item"], (10, 5))
    rows = [
        (
            f"t{t}s{s}",
            f"r{r}",
            f"s{s}",
            f"t{t}",
            round(5 + rater[r] + topic[t] + slope[r, s] + item[t, s] + rng.normal(0, parts["residual"]), 2),
        )
        for t in range(10)
        for s in range(5)
        for r in range(6)
    ]
    key = add_rows("item,rater,system,topic,score", rows)
    app = open_page("planning.py", d=key, plan_difference="0.35")
    said = sentences(app)
    found = re.search(r"has an? (\d+)% chance .*?95% CI (\d+) to (\d+)%, from the pilot", said)
    assert found is not None, said
    value, low, high = (int(part) / 100 for part in found.groups())
    truth = difference_power(24, 40, 0.35, 0.36, 0.045, 0.08, ratings_per_item=8).power
    assert low < value < high
    assert low <= truth <= high
    assert app.selectbox("plan_variances").value == "these ratings"
    assert "300 ratings (50 items, 6 raters, 5 systems, 10 topics)" in said
    assert any(trace.get("fill") == "toself" for trace in figures(app)[0]["data"])
    surely = sentences(open_page("planning.py", d=key, plan_difference="2"))
    assert "a chance of more than 99%" in surely
    for what in ("an item's mean rating (MOS)", "a system's mean", "a correlation with a reference"):
        app = open_page("planning.py", d=key, plan=PRECISION, plan_precise=what)
        assert ", from the pilot" in sentences(app)
        assert any(trace.get("fill") == "toself" for trace in figures(app)[0]["data"])
    app = open_page("planning.py", d=key, plan=BUDGET, plan_price="0.1")
    assert "from the pilot's variances" in sentences(app).replace("&#x27;", "'")


def test_unequal_loads_are_in_finding_note_table_and_simulation(
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
    found = re.search(r"2 of 20 raters each \(with unequal loads worth ([\d.]+) raters\)", said)
    assert found is not None, said
    loads = loads_by_busiest(0.6)
    plan = DifferencePlan(20, 20, 0.3, 0.381, 0.05677, 0.0494, ratings_per_item=2, loads=loads)
    assert float(found[1]) == pytest.approx(plan.effective_raters, abs=0.05)
    table = app.dataframe[0].value.set_index("Ratings per item")
    assert table.at[2, "Power"] == pytest.approx(power_of_plan(plan).power)
    assert "Simulated studies agree with the formula" in said
    rows = [(f"i{item}", f"r{rater}", item % 5) for rater in range(4) for item in range(3 * (rater + 1))]
    key = add_rows("item,rater,score", rows)
    said = sentences(open_page("planning.py", d=key, plan_loads="as in these ratings", **asked))
    assert re.search(r"with unequal loads worth [\d.]+ raters", said)
    few = {"plan_loads": "a few do most", "plan_busiest": "80", "plan_raters": "40", "plan_money": "20"}
    for question, what in (
        ({"plan": POWER}, "power"),
        ({"plan": PRECISION, "plan_precise": "a system's mean"}, "width"),
        ({"plan": BUDGET, "plan_price": "0.1"}, "power"),
    ):
        app = open_page("planning.py", **{**asked, **few, **question})
        assert f"The {what} is rough here, since" in sentences(app)


@pytest.mark.parametrize("what", [MOS, CORRELATION, AGREEMENT, SHARE])
def test_a_width_that_does_not_depend_on_the_number_of_raters_is_not_rough(
    open_page: Open, what: str, last_finding: LastFinding
) -> None:
    app = open_page("planning.py", plan=PRECISION, plan_precise=what, plan_ratings="4")
    assert "is rough" not in sentences(app)
    assert float(str(last_finding().headline[1]["half"])) > 0
    for figure in figures(app):
        go.Figure(figure)


def test_the_ratings_so_far_are_compared_with_what_is_wanted(
    open_page: Open, last_finding: LastFinding
) -> None:
    asked = {"plan": "Are ratings enough?", "measures": "focus"}
    app = open_page("planning.py", plan_half="2", reliability="0.5", **asked)
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1]["half"] == "±\u00a02"
    assert RULE.text[0] in sentences(app)
    app = open_page("planning.py", plan_half="0.2", **asked)
    needed = str(last_finding().headline[1]["needed"]).removesuffix(" ratings")
    assert float(needed) in app.dataframe[0].value["Ratings per item"].tolist()


def test_choices_are_asked_for_preferences_and_labels(open_page: Open, last_finding: LastFinding) -> None:
    """One vote right in 70%: 9 are needed for 90% (Condorcet's sum by hand: 3 give .784)."""
    key, typed = "sample-comparisons", {"plan_accuracy": "70", "plan_icc": "0", "plan_options": "2"}
    app = open_page("planning.py", d=key, plan="Are labels right?", **typed)
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1] == {"votes": "9 votes", "wanted": "90%"}
    assert app.dataframe[0].value["Right"].iloc[2] == pytest.approx(0.784)
    app = open_page("planning.py", d=key, plan="Are labels right?")
    assert "1,320 votes with known answers" in sentences(app)
    app = open_page(
        "planning.py", d=key, plan_items="100", plan_votes="2", plan_quality="100", plan_item_sd="0"
    )
    assert last_finding().headline[1] == {"chance": "an 82% chance", "share": "60%"}
    assert "100 items with 2 votes" in sentences(app)


@pytest.mark.parametrize(
    ("head", "row", "address", "expected"),
    [
        # half of 12 items have 3 of 4 votes for a, half 1 of 4: the variance of the shares minus (3/16) / 3
        (
            "item_id,rater_id,option_a,option_b,choice",
            lambda item, vote: "a" if (vote < 3) == (item % 2 == 0) else "b",
            {},
            f"an SD of {float(np.sqrt(np.tile([0.75, 0.25], 6).var(ddof=1) - 3 / 16 / 3)):.2f}",
        ),
        (
            "item_id,rater_id,option_a,option_b,choice",
            lambda item, vote: "a" if (vote < 3) == (item % 2 == 0) else "b",
            {"plan_item_sd": "0.2"},
            "an SD of 0.20",
        ),
        # of 48 votes 42 are for the known side: 2 · .875 - 1 = 75% are not guesses
        (
            "item_id,rater_id,option_a,option_b,choice,gold",
            lambda item, vote: "b,a" if vote == 0 and item < 6 else "a,a",
            {},
            "75% of the votes",
        ),
        (
            "item_id,rater_id,option_a,option_b,choice,gold",
            lambda item, vote: "b,a" if vote == 0 and item < 6 else "a,a",
            {"plan_quality": "90"},
            "90% of the votes",
        ),
        # an expert's preference is no answer that others guess
        (
            "item_id,rater_id,option_a,option_b,choice,expert",
            lambda item, vote: f"{'ab'[vote % 2]},a",
            {},
            "90% of the votes",
        ),
        # 11 of 12 items agree always, one in 1 of 3 pairs: sqrt(2 (11 + 1/3) / 12 - 1)
        (
            "item_id,rater_id,option_a,option_b,choice",
            lambda item, vote: "a" if item or vote < 2 else "b",
            {},
            "94% of the votes",
        ),
    ],
)
def test_the_open_choices_tell_how_items_differ_and_how_many_votes_are_guesses(
    open_page: Open,
    add_rows: Callable[..., str],
    head: str,
    row: Callable[[int, int], str],
    address: dict[str, str],
    expected: str,
) -> None:
    rows = [
        (f"i{item}", f"w{vote}", "a", "b", *row(item, vote).split(","))
        for item in range(12)
        for vote in range(4)
    ]
    asked = {"plan": "Is one preferred?", "d": add_rows(head, rows, "choices"), **address}
    assert expected in sentences(open_page("planning.py", **asked))


def test_labels_without_known_answers_promise_nothing(open_page: Open, add_rows: Callable[..., str]) -> None:
    """Three classes of which none is a system: no one is preferred, and agreement may hide shared errors."""
    rows = [
        (f"i{item}", f"w{vote}", "abc"[(item + vote // 3) % 3]) for item in range(12) for vote in range(4)
    ]
    key = add_rows("item_id,rater_id,choice", rows, "choices")
    app = open_page("planning.py", d=key, plan="Are labels right?")
    assert "share no errors" in sentences(app)


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
    assert "Simulated studies agree with the formula" in said
    assert "96 ratings to collect: 16" in said
    found = re.search(r"formula: ([\d.]+)% find the difference.*?formula ([\d.]+)%", said)
    assert found is not None, said
    assert abs(float(found[1]) - float(found[2])) < 6
    full = open_page("planning.py", plan_template="true", plan_most_ratings="3")
    assert "`most_per_rater` must be at least" in sentences(full)


def test_the_first_question_is_what_to_collect_unless_the_address_holds_a_plan(
    open_page: Open, last_finding: LastFinding
) -> None:
    first = open_page("planning.py", d="sample-summaries")
    assert "further ratings" in sentences(first)
    open_page("planning.py", d="sample-summaries", plan_items="60")
    assert last_finding().headline[1]["difference"] == "0.3", "3 of 40 of the scale from 1 to 5"
    asked = open_page("planning.py", d="sample-summaries", plan_items="60", plan="What to collect next")
    assert "further ratings" in sentences(asked)


def test_a_goal_its_settings_and_its_assignments_are_in_the_address(open_page: Open) -> None:
    app = open_page(
        "planning.py",
        d="sample-summaries",
        measures="focus",
        collect_goal="reliability of item means",
        reliability="0.95",
        collect_more="55",
        collect_how="evenly",
        collect_by="new raters",
        collect_cap="5",
        collect_new="8",
        all_columns="true",
    )
    said = sentences(app)
    assert "reliability of item means" in said
    assert "40 ratings by 8 new raters." in said
    strategies, assigned = (table.value for table in app.dataframe[:2])
    assert strategies["Further ratings"].tolist()[:3] == [40, 40, 40]
    assert assigned["Further"].sum() == assigned["By new raters"].sum() == 40
    (figure,) = figures(app)
    names = {one["text"].split("</span> ")[-1] for one in figure["layout"]["annotations"]}
    assert {"as before", "evenly", "targeted", "goal 0.95"} <= names


def test_an_old_address_keeps_how_judgments_are_chosen(open_page: Open) -> None:
    now, before = (
        sentences(open_page("planning.py", d="sample-summaries", measures="focus", collect_how=how))
        for how in ("as before", "as so far")
    )
    assert "Further ratings as before" in now
    assert before == now


@pytest.mark.parametrize(("wanted", "asked"), [("4", False), ("0.2", True)])
def test_what_is_collected_is_asked_only_while_the_goal_is_not_reached(
    open_page: Open, wanted: str, asked: bool
) -> None:
    for goal in (
        {},
        {"collect_goal": "reliability of item means", "reliability": "0.5" if not asked else "0.99"},
    ):
        app = open_page("planning.py", d="sample-summaries", measures="focus", plan_half=wanted, **goal)
        assert ("is reached" in sentences(app)) is not asked
        drawn = {each.key for each in (*app.number_input, *app.selectbox)}
        further = {"collect_more", "collect_how", "collect_by", "collect_cap", "collect_new"}
        assert drawn & further == (further if asked else set())


def test_a_rater_may_give_more_than_five_thousand_ratings(open_page: Open) -> None:
    app = open_page("planning.py", d="sample-summaries", measures="focus", collect_cap="5010")
    assert app.number_input(key="collect_cap").value == 5010
