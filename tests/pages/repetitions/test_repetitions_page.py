"""The Repetitions page: ratings needed, curves, and its parts: cost, rules, models, aggregations, raters."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]


SECTIONS = {
    "Cost": "Given up",
    "Stopping rules": "Reliability 0.80",
    "More ratings": "Limit ρ∞",
    "Other aggregations": "bias-corrected mean",
    "Unreliable raters": "Without them",
}


ALL = {"all_columns": "true"}
FEW = {"draws": "20", "shuffles": "20"}


def table(app: AppTest, column: str = "Ratings needed") -> pd.DataFrame:
    """The page's table that has this column."""
    return next(element.value for element in app.dataframe if column in element.value)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_has_its_table_on_the_sample(open_page: Open, section: str) -> None:
    app = open_page("repetitions.py", section=section, **FEW)
    assert len(app.dataframe) == 2
    assert sorted(table(app, SECTIONS[section])["Measure"]) == sorted(table(app)["Measure"])
    assert len(figures(app)) == {"More ratings": 4, "Other aggregations": 3}.get(section, 2)


def test_the_ratings_needed_of_the_headline_are_in_the_figure_and_the_table(open_page: Open) -> None:
    app = open_page("repetitions.py", draws="20", **ALL)
    hardest = table(app).sort_values("Ratings needed").iloc[-1]
    number, needed = hardest["Ratings needed"], figures(app)[0]["data"][0]
    assert f"about {number:.0f} ratings per item" in sentences(app)
    assert needed["x"][0] == number
    ends = hardest["Ratings needed from"], hardest["Ratings needed to"]
    assert f"95% CI {ends[0]:.0f}–{ends[1]:.0f}" in sentences(app)
    assert needed["error_x"]["array"][0] == ends[1] - number
    other = table(open_page("repetitions.py", draws="20", reliability="0.9"))
    assert (other["Ratings needed"] > table(app)["Ratings needed"]).all()


def test_all_columns_hold_the_fitted_curve(open_page: Open) -> None:
    few, every = (table(open_page("repetitions.py", draws="20", **more)) for more in ({}, ALL))
    assert list(few) == ["Measure", "Ratings needed", "Reliability now", "Knee"]
    assert {"a", "b", "c", "R² measured", "R² shuffles, median", "R² shuffle 5"} <= set(every)


def test_the_cost_sentence_says_what_is_saved_and_given_up(open_page: Open) -> None:
    app = open_page("repetitions.py", weigh="8", price="1.2", fixed="98.4", **FEW)
    told = sentences(app)
    assert "saves 66%" in told
    assert "8 of 24 ratings per item" in told
    assert "578.40 € instead of 1,538.40 €: 62% saved" in told
    cost = table(app, "Given up")
    np.testing.assert_allclose(cost["After 24"] - cost["After 8"], cost["Given up"])
    worst = cost.loc[cost["Given up"].idxmax()]
    assert f"{worst['After 8']:.2f} instead of {worst['After 24']:.2f} on {worst['Measure']}" in told


def test_a_price_per_rating_counts_all_measures_shown(open_page: Open) -> None:
    told = sentences(open_page("repetitions.py", weigh="12", price="0.1", per="rating (one measure)", **FEW))
    assert "540.00 € instead of 1,080.00 €" in told


def test_seconds_that_the_import_shared_out_are_not_shared_out_again(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    """Assignments of four clips that take 20, 22 … 58 seconds: 5 to 14.5 a clip, in the middle 9.75."""
    rows = [
        (
            f"clip{at}",
            f"w{worker}",
            (at * 7 + worker * worker) % 5 + 1,
            20 + 2 * ((5 * worker + at // 4) % 20),
        )
        for worker in range(8)
        for at in range(20)
    ]
    told = sentences(open_page("repetitions.py", d=add_rows("item,rater,score,seconds", rows), weigh="2"))
    assert "At 9.8 seconds per rating" in told


def test_seconds_come_from_the_data_or_are_typed(open_page: Open) -> None:
    assert "seconds per rating, that is" in sentences(open_page("repetitions.py", **FEW))
    typed = sentences(open_page("repetitions.py", seconds="10.0", weigh="12", **FEW))
    assert "15 hours of work instead of 30." in typed


def test_rules_follow_what_counts_as_enough(open_page: Open) -> None:
    usual = table(open_page("repetitions.py", section="Stopping rules", **FEW), "Reliability 0.80")
    app = open_page("repetitions.py", section="Stopping rules", gain="0.02", width="50", **FEW)
    other = table(app, "Gain under 0.02")
    assert (other["Gain under 0.02"] < usual["Gain under 0.005"]).all()
    assert (other["Interval under 50%"] < usual["Interval under 25%"]).all()
    assert (other["Reliability 0.80"] == usual["Reliability 0.80"]).all()


def test_intervals_hold_their_knees_and_rules(open_page: Open) -> None:
    app = open_page("repetitions.py", section="Stopping rules", draws="20", **ALL)
    knees = table(app)
    assert (knees["Knee from"] <= knees["Knee"]).all()
    assert (knees["Knee"] <= knees["Knee to"]).all()
    rules = table(app, "Reliability 0.80")
    for rule in ("95% of the limit", "Gain under 0.005", "Reliability 0.80", "Interval under 25%"):
        assert (rules[f"{rule}, from"] <= rules[rule]).all()
        assert (rules[rule] <= rules[f"{rule}, to"]).all()


def test_the_number_of_shuffles_moves_no_draw(open_page: Open) -> None:
    app = open_page("repetitions.py", measures=["focus", "post usefulness"], **ALL)
    before = table(app)
    app.slider(key="shuffles").set_value(199).run()
    assert not app.exception
    assert (before["Without a knee"] - table(app)["Without a knee"]).abs().max() <= 0.1
    drawn = ["Knee from", "Knee to", "Without a knee"]
    assert table(app)[drawn].equals(before[drawn])


def test_split_halves_say_repeatability_and_draw_items(open_page: Open) -> None:
    app = open_page("repetitions.py", reference="Split halves (no reference)", weigh="20", **FEW)
    told = sentences(app)
    assert "repeatability, not validity" in told
    assert "for raters like these" in told
    assert "20 of 24 ratings per item" in told
    assert table(app, "Given up")["After 20"].notna().all()


def test_measures_in_detail_can_be_chosen(open_page: Open) -> None:
    for section, chosen in (("More ratings", "detail"), ("Other aggregations", "aggregated")):
        first = figures(open_page("repetitions.py", section=section, **FEW))
        other = figures(open_page("repetitions.py", section=section, **{chosen: "focus"}, **FEW))
        for at, (one, two) in enumerate(zip(first, other, strict=True)):
            assert (one["data"] == two["data"]) == (at < 2)


def test_slots_are_not_persons(open_page: Open, add_study: Callable[..., str], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    file = tmp_path / "slots.csv"
    rows = [
        (f"i{i}", f"slot{r}", group, int(np.clip(np.rint(3 + i % 7 / 3 - 1 + rng.normal(0, 1)), 1, 5)))
        for group in ("crowd", "lab")
        for i in range(30)
        for r in range(12)
    ]
    pd.DataFrame(rows, columns=["item", "rater", "group", "score"]).to_csv(file, index=False)
    key = add_study(file, **{"@raters": "slots"})
    app = open_page("repetitions.py", d=key, section="Other aggregations")
    assert "raters like these" not in sentences(app)
    assert "Unreliable raters" not in app.segmented_control(key="section").options
    assert "bias-corrected mean" not in table(app, "Highest")


def test_systems_are_distinguished_where_there_are_systems(open_page: Open) -> None:
    app = open_page("repetitions.py", d="sample-votes", section="Stopping rules", distance="20", **FEW)
    rules = table(app, "Reliability 0.80")
    assert rules["Systems 20% apart"].notna().all() or "items per system" in sentences(app)


def test_by_column_with_unequal_counts_is_reported_in_words(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"i{i}", f"r{r}", (i + r * r) % 5 + 1) for i in range(12) for r in range(6 + i % 2)]
    key = add_rows("item,rater,score", rows)
    app = open_page("repetitions.py", d=key, order="by column (the paper's)")
    assert "needs equally many ratings of every item" in sentences(app)


@pytest.mark.parametrize(
    ("correlation", "section"),
    [
        ("Pearson", "Cost"),
        ("Kendall", "Stopping rules"),
        *(
            pytest.param("Kendall", section, marks=pytest.mark.journey)
            for section in SECTIONS
            if section != "Stopping rules"
        ),
    ],
)
def test_other_correlations_fill_every_section(open_page: Open, correlation: str, section: str) -> None:
    few = {"shuffles": "10", "draws": "20", "measures": ["focus", "style"]}
    app = open_page("repetitions.py", correlation=correlation, section=section, **few)
    assert table(app)["Knee"].notna().any()
    assert table(app, SECTIONS[section])[SECTIONS[section]].notna().any()


STATES = {
    "all scores equal": (
        [(f"i{i}", f"r{r}", 3) for i in range(12) for r in range(8)],
        "all ratings are equal, so no correlation is defined",
    ),
    "two items": (
        [(f"i{i}", f"r{r}", (i + r) % 5 + 1) for i in range(2) for r in range(8)],
        "the halves have no positive Pearson correlation, so nothing can be said about more ratings",
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_odd_studies_get_a_reason_in_every_further_section(
    open_page: Open, add_rows: Callable[..., str], state: str
) -> None:
    rows, reason = STATES[state]
    key = add_rows("item,rater,score", rows)
    for section in [*SECTIONS][1:]:  # tests/pages/test_every_page.py opens the first
        app = open_page("repetitions.py", d=key, section=section, draws="20", shuffles="20")
        told = sentences(app)
        assert "Not enough data to say how many ratings" in told
        assert f": {reason}." in told


@pytest.mark.parametrize("rows", [[("i1", "r1", 3)], [(f"i{i}", "r1", i % 5 + 1) for i in range(12)]])
def test_one_rating_per_item_gets_one_sentence_and_a_next_step(
    open_page: Open, add_rows: Callable[..., str], rows: list[tuple[object, ...]]
) -> None:
    app = open_page("repetitions.py", d=add_rows("item,rater,score", rows))
    assert "needs at least two ratings per item" in sentences(app)
    assert len(app.get("page_link")) == 1
    assert not app.dataframe
    assert not figures(app)


def test_a_real_study_fills_the_sections_of_split_halves(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "wmt23_mqm_3raters.csv")
    for section in ("More ratings", "Other aggregations", "Unreliable raters"):
        app = open_page("repetitions.py", d=key, section=section, draws="20", shuffles="20", weigh="2")
        assert len(table(app, SECTIONS[section])), section


def test_a_measure_without_reference_leaves_the_others_alone(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [
        (f"i{i}", f"{g}r{r}", g, m, (i + r) % 5 + 1)
        for g in "ab"
        for m in ("focus", "clarity")
        for i in range(9)
        for r in range(7)
        if (g, m) != ("b", "clarity")
    ]
    key = add_rows("item,rater,group,measure,score", rows)
    for section in SECTIONS:
        app = open_page("repetitions.py", d=key, section=section, draws="20", shuffles="20", **ALL)
        assert "clarity: no item" in sentences(app), section
        known = table(app).set_index("Measure")
        assert known["Items"].to_dict() == {"focus": 9, "clarity": 0}
        assert known["R² measured"].isna()["clarity"], section
