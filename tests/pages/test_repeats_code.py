"""The program of each page that compares raters finds the page's numbers where raters repeat themselves."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.programs import not_computed, own_file, ran, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def key(own_folder: Path) -> str:
    """A reader's key to ratings of 35 items by two groups of four, who rate every third item twice."""
    rng = np.random.default_rng(0)
    rows = ["item,rater,group,score"]
    for group in ("crowd", "lab"):
        for item in range(35):
            for rater in range(4):
                for _ in range(2 if (item + rater) % 3 == 0 else 1):
                    score = np.clip(round(1 + item / 9 + rater / 3 + rng.normal()), 1, 5)
                    rows.append(f"i{item},{group} {rater},{group},{score}")
    file = own_folder / "repeats.csv"
    file.write_text("\n".join(rows))
    return own_file(file)


def test_agreement(open_page: Open, key: str) -> None:
    app = open_page("agreement.py", d=key, repeats="last")
    found = ran(app)
    for row in tables(app)[0].to_dict("records"):
        one = found["score", row["Group"]]
        assert (one.alpha.value, one.mean.value) == pytest.approx((row["Alpha"], row["Mean of ratings"]))


def test_items(open_page: Open, key: str) -> None:
    app = open_page("items.py", d=key)
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        mean, sd, _ = found[row["Item"]]
        assert (mean, sd) == pytest.approx((row["MOS"], row["SD of its ratings"]), rel=1e-12)
    assert len(shown) == len(found) == 35


def test_groups_compared(open_page: Open, key: str) -> None:
    app = open_page("crowd_vs_lab.py", d=key, draws="20", permutations="99")
    found, (row,) = ran(app)["score"], tables(app)[0].to_dict("records")
    assert found.spearman.value == row["Spearman ρ"]
    assert not not_computed(app, {"score": found})


@pytest.mark.parametrize("question", ["Who is consistent", "Who agrees with the others"])
def test_raters(open_page: Open, key: str, question: str) -> None:
    app = open_page("assessors.py", d=key, draws="20", question=question)
    found = ran(app)
    assert not not_computed(app, found, ("Bias, 95%", "Inconsistency, 95%", "Ratings"))


def test_a_rater_with_itself(open_page: Open, key: str) -> None:
    app = open_page("assessors.py", d=key, question="Who is consistent", all_columns="true")
    repeats = ran(app)["screening"].repeats["score"]
    app.session_state["consistency fold of repeats"] = True
    (shown,) = [table for table in tables(app.run()) if "Items repeated" in table]
    assert sorted(shown["Alpha"]) == pytest.approx(sorted(one.value for one in repeats.alpha))
    assert sorted(shown["Items repeated"]) == sorted(repeats.sets)
    assert len(shown) == 4


def test_standing_in(open_page: Open, key: str) -> None:
    app = open_page("standing_in.py", d=key, draws="20", all_columns="true", epsilon="0.3")
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        one = found[row["Candidate"]]
        assert one["test"].advantage.value == row["Advantage"]
        assert one["worth"].value == row["Worth, raters"]
        assert one["compared"].spearman.value == row["Spearman ρ"]


def test_workers(open_page: Open, own_folder: Path) -> None:
    rng = np.random.default_rng(1)
    rows = ["item,rater,choice"]
    for item in range(30):
        for rater in range(6):
            for _ in range(1 + (item + rater) % 3):
                right = rng.random() < 0.9 - rater / 10
                rows.append(f"i{item},w{rater},{'ab'[item % 2 == right]}")
    file = own_folder / "labels.csv"
    file.write_text("\n".join(rows))
    app = open_page("workers.py", d=own_file(file, "choices"), repeats="last")
    found, shown = ran(app), tables(app)[0]
    agreement = {one.name: one.figure.value for one in found["raters"]}
    for row in shown.to_dict("records"):
        assert agreement[row["Rater"]] == pytest.approx(row["Agreement with the others"])
        assert row["Items"] == 30
