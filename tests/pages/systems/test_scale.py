"""All systems: finding, scale, tables and matrix on the sample, on real pairs and where no scale exists."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from features.blocks import Status
from tests.pages.conftest import LastFinding, figures, sentences, statuses

Open = Callable[..., AppTest]
QUESTION = "All systems"
HEADER = "item_id,rater_id,choice,option_a,option_b"


def shown(open_page: Open, key: str, **address: str) -> AppTest:
    return open_page("systems.py", d=key, about=QUESTION, scale_draws="100", all_columns="true", **address)


def tables(app: AppTest) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The systems and the pairs."""
    systems, pairs = (element.value for element in app.dataframe)
    return systems, pairs


def rows(results: dict[tuple[str, str], str], raters: int = 3) -> list[tuple[object, ...]]:
    """Choices from strings of outcomes: f the first won, s the second, t a tie; an item for each letter."""
    made: list[tuple[object, ...]] = []
    words = {"f": "first", "s": "second", "t": "tie"}
    for (first, second), outcomes in results.items():
        for at, outcome in enumerate(outcomes):
            item, rater = f"{first}{second}{at}", f"w{at % raters}"
            made.append((item, rater, words[outcome], first, second))
    return made


def test_the_sample_has_one_scale_of_its_four_systems(open_page: Open, last_finding: LastFinding) -> None:
    app = shown(open_page, "sample-comparisons")
    systems, pairs = tables(app)
    assert set(systems["System"]) == {"AW", "KW", "SS", "UI"}
    assert "Why" not in systems
    assert systems["Chance"].is_monotonic_decreasing
    assert last_finding().headline[1]["first"] == f"System {systems['System'][0]}"
    assert len(pairs) == 6  # three pairs met; the scale compares all
    assert (pairs["Comparisons"] > 0).sum() == 3
    for figure in figures(app):
        go.Figure(figure)
    assert [figure["data"][0]["type"] for figure in figures(app)] == ["scatter", "heatmap"]


def test_designs_can_be_chosen_and_those_without_ties_have_none(open_page: Open) -> None:
    app = shown(open_page, "sample-comparisons")
    (designs,) = (element for element in app.multiselect if element.label == "Designs")
    assert len(designs.options) > 1
    everything = tables(app)[0]["Comparisons"].sum()
    two = next(name for name in designs.options if name.startswith("2"))
    less = tables(shown(open_page, "sample-comparisons", scale_designs=[two]))[0]
    assert less["Comparisons"].sum() < everything
    assert less["Tied"].sum() == 0


def test_real_models_stand_in_the_order_of_their_shares(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, last_finding: LastFinding
) -> None:
    """All five met each other about equally often, so the scale orders them as their shares do."""
    file = shared_data / "pandalm_pairwise_3way.csv"
    app = shown(open_page, add_study(file, "choices"))
    systems, pairs = tables(app)
    data = pd.read_csv(file)
    points = pd.concat(
        [
            pd.DataFrame(
                {"system": data["option_a"], "points": data["choice"].map({"A": 1, "B": 0, "tie": 0.5})}
            ),
            pd.DataFrame(
                {"system": data["option_b"], "points": data["choice"].map({"A": 0, "B": 1, "tie": 0.5})}
            ),
        ]
    )
    raw = points.groupby("system")["points"].mean().sort_values(ascending=False)
    assert systems["System"].tolist() == raw.index.tolist()
    assert systems["Share won"].tolist() == pytest.approx(raw.tolist())
    assert systems["Comparisons"].sum() == 2 * len(data)
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1]["first"] == "System llama-7b"
    assert len(pairs) == 10
    pairs_shown = set(zip(data["option_a"], data["option_b"], strict=True))
    assert not any(pair[::-1] in pairs_shown for pair in pairs_shown)
    assert "No pair was shown in both orders" in sentences(app)


def test_the_scale_may_be_log_strength(open_page: Open) -> None:
    app = shown(open_page, "sample-comparisons", scale_axis="Log-strength (average system: 0)")
    assert "Log-strength" in figures(app)[0]["layout"]["xaxis"]["title"]["text"]
    assert tables(app)[0]["Strength"].sum() == pytest.approx(0, abs=1e-9)


def test_the_level_is_reported_in_the_table(open_page: Open) -> None:
    app = shown(open_page, "sample-comparisons", scale_level="90%")
    assert "90% CI" in sentences(app)


def test_a_system_that_wins_everything_is_named_with_its_reason(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    results = {("a", "b"): "ffsfst", ("b", "c"): "fsfsft", ("best", "a"): "ffff", ("best", "c"): "fff"}
    app = shown(open_page, add_rows(HEADER, rows(results), "choices"))
    systems, pairs = tables(app)
    assert systems["System"][0] == "best"
    assert systems["Cluster"][0] == "above the scale"
    assert "– best: it won every comparison" in sentences(app)
    assert systems["Strength"].isna().tolist() == [True, False, False, False]
    assert "Apart from unbeaten best, " in sentences(app)
    assert "No strength for best" in sentences(app)
    assert pairs["Difference"].isna().sum() == 2


def test_two_groups_that_never_met_cannot_be_compared(open_page: Open, add_rows: Callable[..., str]) -> None:
    results = {("a", "b"): "ffsfstff", ("c", "d"): "fsfsft"}
    app = shown(open_page, add_rows(HEADER, rows(results), "choices"))
    systems, pairs = tables(app)
    assert systems["Cluster"].tolist()[2:] == ["not connected"] * 2
    assert "no chain of comparisons joins it to a and b" in sentences(app)
    assert len(pairs) == 2


def test_no_scale_at_all_is_said(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = shown(open_page, add_rows(HEADER, rows({("a", "b"): "fff", ("b", "c"): "fff"}), "choices"))
    assert "not enough data" in statuses(app)
    assert "Plan more comparisons" in [link.proto.label for link in app.get("page_link")]
    assert not figures(app)
    assert not app.dataframe


def test_a_tie_of_everything_is_reported(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = shown(open_page, add_rows(HEADER, rows({("a", "b"): "tttt", ("b", "c"): "tttt"}), "choices"))
    assert "4 comparisons · it needs 10" in sentences(app)
    assert tables(app)[0]["Chance"].tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Which system wins", "is preferred over"),
        ("More than two systems", "against an average system"),
    ],
)
def test_addresses_of_the_page_that_showed_it_before_lead_here(
    open_page: Open, asked: str, answered: str
) -> None:
    app = open_page("workers.py", d="sample-comparisons", about=asked, preference_draws="20", min_votes="4")
    assert [title.value for title in app.title] == ["Ranking systems"]
    assert answered in sentences(app)
    assert app.query_params["min_votes"] == "4"


def test_names_from_a_file_stay_text(open_page: Open, add_rows: Callable[..., str]) -> None:
    bad = "<img src=x>"
    results = {(bad, "b"): "ffsfst", ("b", "c"): "fsfsft", ("best", bad): "ffff"}
    app = shown(open_page, add_rows(HEADER, rows(results), "choices"))
    assert not any("<img" in element.proto.body for element in app.get("html"))


def with_lengths(add_rows: Callable[..., str], missing: int = 0) -> str:
    """Two systems alike but that one writes longer, and a third; longer outputs are chosen more often."""
    rng = np.random.default_rng(0)
    made = []
    for at in range(400):
        first, second = rng.permutation(["a", "b", "long"])[:2]
        length = [rng.lognormal(5 + (name == "long"), 0.6) for name in (first, second)]
        longer = rng.random() < 1 / (1 + np.exp(-3 * (length[0] - length[1]) / sum(length)))
        told = ["", ""] if at < missing else [f"{each:.0f}" for each in length]
        made.append((f"q{at % 80}", f"w{at % 10}", "first" if longer else "second", first, second, *told))
    return add_rows(f"{HEADER},length_a,length_b", made, "choices")


def test_the_scale_can_be_adjusted_for_length(open_page: Open, add_rows: Callable[..., str]) -> None:
    key = with_lengths(add_rows, missing=25)
    app = shown(open_page, key)
    assert "Adjust for" in [element.label for element in app.multiselect]
    before = len(app.dataframe)
    app = shown(open_page, key, scale_style="length")
    assert len(app.dataframe) == before + 2
    systems, style, effects, _ = (element.value for element in app.dataframe)
    assert systems["System"][0] == "long"
    assert set(style["System"]) == {"a", "b", "long"}
    gap = style.set_index("System")
    assert abs(gap["Adjusted strength"]["long"]) < 0.5 * systems.set_index("System")["Strength"]["long"]
    assert effects["Style"].tolist() == ["length"]
    assert "when adjusted for length." in sentences(app)
    assert "With twice the length, an output wins" in sentences(app)
    assert "25 of 400 comparisons" in sentences(app)
    assert [figure["data"][0]["type"] for figure in figures(app)] == ["scatter", "scatter", "heatmap"]


def test_choices_without_numbers_of_outputs_have_nothing_to_adjust_for(open_page: Open) -> None:
    app = shown(open_page, "sample-comparisons")
    assert "Adjust for" not in [element.label for element in app.multiselect]
    assert "Adjusted for style" not in [header.value for header in app.header]


@pytest.mark.parametrize(
    ("results", "lengths", "told"),
    [
        (
            {("a", "b"): "ffsfst", ("b", "c"): "fsfsft"},
            "-1,{n}",
            "No comparison has a number of both outputs",
        ),
        ({("a", "b"): "ffsfst", ("b", "c"): "fsfsft"}, "30,30", "cannot be separated"),
        ({("a", "b"): "ffff", ("b", "c"): "ffff"}, "{n},30", "Not enough data to place the systems"),
        ({("a", "b"): "tttt", ("b", "c"): "tttt"}, "{n},30", "all that could tie did"),
    ],
)
def test_what_cannot_be_adjusted_for_says_why(
    open_page: Open,
    add_rows: Callable[..., str],
    results: dict[tuple[str, str], str],
    lengths: str,
    told: str,
) -> None:
    made = [(*row, lengths.format(n=20 + 7 * at % 50)) for at, row in enumerate(rows(results))]
    key = add_rows(f"{HEADER},length_a,length_b", made, "choices")
    app = shown(open_page, key, scale_style="length")
    assert told in sentences(app)
    for figure in figures(app):
        go.Figure(figure)
