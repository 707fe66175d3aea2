"""The program of a page runs as it stands, in a folder and database of its own, and finds the numbers of the page."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from features.planning.precision import WHAT
from tests.pages.conftest import sentences
from tests.pages.programs import own_file, ran, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]


def test_agreement(open_page: Open) -> None:
    app = open_page(
        "agreement.py", measures=["focus", "structure and coherence"], without=["crowd 07", "lab 03"]
    )
    found = ran(app, empty=True)
    for row in tables(app)[0].to_dict("records"):
        one = found[row["Measure"], row["Group"]]
        shown = row["Alpha"], row["Mean of ratings"], row["Items"]
        assert (one.alpha.value, one.mean.value, one.alpha.n) == pytest.approx(
            shown, rel=1e-12
        )  # threads of the database add up in whatever order they end
    assert len(found) == len(tables(app)[0]) == 4


def test_distributions(open_page: Open) -> None:
    app = open_page("distributions.py", measures="focus", reference="summary_words (column)")
    found = ran(app)
    for row in tables(app)[0].to_dict("records"):
        one = found[row["Measure"], row["Group"]]
        assert (one.items, one.ratings, one.raters) == (row["Items"], row["Ratings"], row["Raters"])
        assert (one.median, one.sd) == pytest.approx((row["Median"], row["SD"]), rel=1e-9)


def test_a_group_compared_with_a_column(open_page: Open) -> None:
    asked = {"draws": "20", "permutations": "99", "reference": "summary_words (column)"}
    app = open_page("crowd_vs_lab.py", measures="focus", **asked)
    found, (row,) = ran(app)["focus"], tables(app)[0].to_dict("records")
    assert found.spearman.value == row["Spearman ρ"]
    assert found.spearman.n == row["Items"]
    assert found.spec.bootstrap.draws == 20


def test_the_cost_of_ratings_and_of_the_laboratory(open_page: Open) -> None:
    few = {"measures": "focus", "shuffles": "20", "draws": "20"}
    pay = {"reference_pay": "15", "reference_hours": "71"}
    cost = ran(open_page("repetitions.py", weigh="12", price="1.2", per="rating", **pay, **few))["cost"]
    assert cost["ratings per item"] == 12
    assert cost["costs by ratings per item"].money[11] == pytest.approx(12 * 50 * 1.2)
    assert cost["reference"] == 15 * 71
    assert cost["cheaper up to"] == 17  # 17 of 50 items at 1.20 cost 1,020, 18 cost 1,080
    assert "reference" not in ran(open_page("repetitions.py", weigh="12", **few))["cost"]


def test_the_cost_of_ratings_without_times(open_page: Open, tmp_path: Path) -> None:
    rows = [
        f"i{item},w{rater},{(item * 3 + rater * item) % 5 + 1}" for item in range(20) for rater in range(8)
    ]
    file = tmp_path / "study.csv"
    file.write_text("\n".join(["item,rater,score", *rows]))
    found = ran(
        open_page("repetitions.py", d=own_file(file), weigh="4", price="2", draws="20", shuffles="20")
    )
    assert np.isnan(found["cost"]["costs by ratings per item"].seconds).all()


@pytest.mark.parametrize("reference", ["lab", "Split halves (no reference)"])
def test_repetitions(open_page: Open, reference: str) -> None:
    app = open_page(
        "repetitions.py",
        measures="focus",
        draws="20",
        shuffles="20",
        seed="3",
        reference=reference,
        all_columns="true",
    )
    found, (row,) = ran(app)["focus"], tables(app)[0].to_dict("records")
    assert found["knee"] == row["Knee"]
    assert (found["fit"].a, found["fit"].b, found["fit"].c) == (row["a"], row["b"], row["c"])
    needed, knee = found["ratings needed"], found["interval of the knee"].knee
    assert (needed.value, needed.low, needed.high) == tuple(
        row[f"Ratings needed{end}"] for end in ("", " from", " to")
    )
    assert (knee.low, knee.high) == (row["Knee from"], row["Knee to"])


def test_items(open_page: Open) -> None:
    app = open_page("items.py", measures="focus")
    found = ran(app)
    shown = tables(app)[0]
    for row in shown.to_dict("records"):
        mean, sd, _ = found[row["Item"]]
        assert (mean, sd) == pytest.approx((row["MOS"], row["SD of its ratings"]), rel=1e-12)
    assert len(shown) == len(found) == 50


def test_overview(open_page: Open) -> None:
    app = open_page("overview.py", d="sample-summaries")
    assert f"{ran(app)['cells']['ratings'].sum():,} ratings" in sentences(app)


@pytest.mark.parametrize(
    "asked",
    [
        {"draws": "20", "without": "A", "generalize": "these raters"},
        {"first": "the lowest", "method": "the plain mean over topics"},
    ],
)
def test_systems(open_page: Open, asked: dict[str, str]) -> None:
    app = open_page("systems.py", d="sample-assessors", seed="3", random="20", all_columns="true", **asked)
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        one = found["scores"][row["System"]]
        shown_as = row["Score"], row["Score from"], row["Score to"], row["Ratings"]
        assert (one.value, one.low, one.high, one.n) == shown_as
        assert found["letters"][row["System"]] == row.get("Letters", "")
    assert ("Letters" in shown) == (
        "method" not in asked
    )  # plain means are compared where no cell is missing
    assert list(found["scores"]) == shown["System"].tolist()


def test_standing_in(open_page: Open, tmp_path: Path) -> None:
    rows = [
        (
            f"i{i:02}",
            f"{group} {r}",
            group,
            min(1 + i % 5 + (i * r + len(group)) % 3, 5),
            1 + (i + i // 20) % 5,
            20 * (i % 5) + i,
        )
        for group in ("lab", "crowd")
        for i in range(32)
        for r in range(3)
    ]
    lines = [",".join(map(str, row)) for row in [("item", "rater", "group", "score", "judge", "bleu"), *rows]]
    file = tmp_path / "study.csv"
    file.write_text("\n".join(lines))
    key = own_file(file)
    asked = {"rescaled": "true", "stand_in_rater": "crowd 2", "epsilon": "0.3", "all_columns": "true"}
    app = open_page("standing_in.py", d=key, draws="20", **asked)
    found, shown = ran(app), tables(app)[0]
    assert list(found) == shown["Candidate"].tolist() == ["crowd", "judge", "bleu", "crowd 2"]
    for row in shown.to_dict("records"):
        one = found[row["Candidate"]]
        test = one["test"]
        assert (test.advantage.value, test.winning_rate) == (row["Advantage"], row["Winning rate"])
        assert (one["worth"].value, one["compared"].spearman.value) == (
            row["Worth, raters"],
            row["Spearman ρ"],
        )
        assert one["compared"].equivalence.margin == row["Margin"] or row["Candidate"] == "bleu"


def test_standing_in_for_who_chose(open_page: Open) -> None:
    app = open_page("standing_in.py", d="sample-comparisons", fewest_shared="10", all_columns="true")
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        test = found[row["Candidate"]]["test"]
        assert (test.advantage.value, test.advantage.n) == (row["Advantage"], row["Items"])
    assert len(found) == len(shown) > 0


@pytest.mark.parametrize(
    ("variances", "loads"),
    [
        ("speech study", "all the same"),
        ("speech study", "as in these ratings"),
        ("typed numbers", "a few do most"),
    ],
)
def test_planning(open_page: Open, variances: str, loads: str) -> None:
    app = open_page(
        "planning.py", plan_variances=variances, plan_design="each item is of one system", plan_loads=loads
    )
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        assert found[row["Ratings per item"]] == (row["Power"], row["Half-width"])
    assert len(found) == len(shown) > 2


@pytest.mark.parametrize("what", WHAT)
def test_planned_precision(open_page: Open, what: str) -> None:
    app = open_page(
        "planning.py", plan="How precise?", plan_precise=what, plan_variances="video study", plan_items="30"
    )
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        x = row.get("Items", row.get("Ratings of the item"))
        each = row.get("Ratings per item", 8)
        assert found[each, x] == pytest.approx(row["Half-width"], rel=1e-12, nan_ok=True)
    assert len(found) == len(shown) > 2


def test_planned_votes(open_page: Open) -> None:
    app = open_page("planning.py", plan="Is one preferred?", plan_quality="80", plan_comparisons="3")
    found = ran(app)
    for row in tables(app)[0].to_dict("records"):
        one = found[row["Votes per item"]]
        assert one == (row["Power"], row["Half-width"])
    app = open_page("planning.py", plan="Are labels right?", plan_options="3")
    shown = tables(app)[0]
    assert ran(app) == dict(zip(shown["Votes per item"], shown["Right"], strict=True))


def test_the_best_plan(open_page: Open) -> None:
    asked = {
        "plan_variances": "video study",
        "plan_price": "0.1",
        "plan_item_price": "1",
        "plan_loads": "a few do most",
    }
    app = open_page("planning.py", plan="Best use of a budget", **asked)
    best, first = ran(app)["best"], tables(app)[0].iloc[0]
    assert (best.power, best.cost, best.raters) == (first["Power"], first["Price"], first["Raters"])
    app = open_page("planning.py", plan="How precise?", plan_precise="a system's mean", **asked)
    found = ran(app)
    for row in tables(app)[0].to_dict("records"):
        half = found[row["Ratings per item"], row["Items"]]
        assert half == pytest.approx(row["Half-width"], rel=1e-12)


def test_what_is_known_so_far(open_page: Open) -> None:
    app = open_page("planning.py", plan="Are ratings enough?", plan_measure="grammaticality")
    found = ran(app)
    shown = tables(app)[0]
    for row in shown.to_dict("records"):
        one = found[row["Ratings per item"]]
        assert (one["±"], one["reliability"]) == (row["Half-width"], row["Reliability"])
    assert len(shown) == len(found) > 4


@pytest.mark.parametrize(
    ("sample", "goal", "column"),
    [
        ("sample-summaries", "every item's mean", "Half-width"),
        ("sample-summaries", "reliability of item means", "Reliability"),
        ("sample-comparisons", "two systems on the scale", "Half-width"),
    ],
)
def test_what_to_collect_next(open_page: Open, sample: str, goal: str, column: str) -> None:
    app = open_page("planning.py", d=sample, collect_goal=goal, collect_more="24", reliability="0.99")
    found = ran(app)
    shown = tables(app)[0].set_index("Strategy")
    for strategy, one in found.items():
        assert one.value == pytest.approx(shown.at[strategy.capitalize(), column], rel=1e-12)
    assert len(found) == 3


def test_ones_own_file_whatever_its_names_hold(open_page: Open, tmp_path: Path) -> None:
    hostile = "o'Neil\\ \"); raise SystemExit #"
    rows = [
        f'i{i},"{name}",{(i * (at + 2)) % 5 + 1},{"ab"[i % 2]}'
        for i in range(14)
        for at, name in enumerate([hostile.replace('"', '""'), "r1", "r2", "r3"])
    ]
    file = tmp_path / "it's mine.csv"
    file.write_text("item,rater,score,system\n" + "\n".join(rows) + "\n")
    key = own_file(file)
    app = open_page("agreement.py", d=key, without=hostile, only_system=["a"])
    ((_, one),) = ran(app).items()
    (row,) = tables(app)[0].to_dict("records")
    assert (one.alpha.value, one.raters, one.alpha.n) == (row["Alpha"], 3, 7)
