"""The programs of choices run as they stand and find the pages' numbers: systems, labels, workers, repetitions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from features.systems.controls import ALL_SYSTEMS as ALL
from features.systems.controls import CLASSES
from features.systems.controls import KNOWN_ANSWERS as GOLD
from features.systems.controls import TWO_SYSTEMS as TWO
from tests.pages.programs import not_computed, own_file, ran, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]


def labels(folder: Path, known: bool) -> str:
    """A reader's key to labels of 30 items by 6 workers, one of whom guesses; under two designs."""
    rows = ["item,worker,label,design" + (",gold" if known else "")]
    for i in range(30):
        for w in range(6):
            right = ["cat", "dog", "owl"][i % 3]
            wrong = ["cat", "dog", "owl"][(i + 1 + w % 2) % 3]
            label = wrong if (7 * i + 5 * w) % (4 if w else 2) == 0 else right
            rows.append(f"i{i},w{w},{label},{'long' if i % 2 else 'short'}" + (f",{right}" if known else ""))
    file = folder / "labels.csv"
    file.write_text("\n".join(rows))
    return own_file(file, "choices")


def test_preference(open_page: Open) -> None:
    app = open_page("systems.py", d="sample-comparisons", about=TWO, preference_draws="20")
    shown = {
        value
        for table in tables(app)
        for value in table.select_dtypes("number").to_numpy().ravel().round(12).tolist()
    }
    for method, share in ran(app).items():
        assert {round(share.value, 12), round(1 - share.value, 12)} & shown, method


def test_one_scale(open_page: Open) -> None:
    asked = {"scale_level": "90%", "without": "worker 03"}
    app = open_page(
        "systems.py", d="sample-comparisons", about=ALL, scale_draws="40", scale_seed="3", **asked
    )
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        assert found["systems"][row["System"]].value == row["Chance"]
    assert not not_computed(app, found, ("Won", "Tied", "Lost", "Share won", "Votes"))


def test_one_scale_with_style_taken_out(open_page: Open, own_folder: Path) -> None:
    rng = np.random.default_rng(0)
    lines = ["item,rater,choice,option_a,option_b,group,length_a,length_b"]
    for at in range(300):
        first, second = rng.permutation(["a", "b", "long"])[:2]
        length = [rng.lognormal(5 + (name == "long"), 0.6) for name in (first, second)]
        longer = rng.random() < 1 / (1 + np.exp(-3 * (length[0] - length[1]) / sum(length)))
        told = ",".join("" if at < 20 else f"{each:.0f}" for each in length)
        chosen, group = "first" if longer else "second", "xy"[at % 2]
        lines.append(f"q{at % 60},w{at % 10},{chosen},{first},{second},{group},{told}")
    file = own_folder / "lengths.csv"
    file.write_text("\n".join(lines))
    app = open_page(
        "systems.py",
        d=own_file(file, "choices"),
        about=ALL,
        scale_draws="40",
        scale_style="length",
        group="x",
        without="w2",
    )
    found, aside = ran(app), tables(app)[1]
    for row in aside.to_dict("records"):
        assert found["adjusted"][row["System"]].value == row["Adjusted chance"]
    assert found["scale"].style.left_out == 8
    assert not not_computed(
        app,
        found,
        ("Won", "Tied", "Lost", "Share won", "Votes", "Comparisons", "Rank", "Adjusted rank"),
    )


@pytest.mark.parametrize("d", ["labels", "sample-comparisons"])
def test_against_known_answers(open_page: Open, own_folder: Path, d: str) -> None:
    key = labels(own_folder, known=True) if d == "labels" else d
    app = open_page(
        "systems.py",
        d=key,
        about=GOLD,
        all_columns="true",
        label_draws="20",
        label_model_draws="20",
        label_seed="3",
    )
    found = ran(app)
    assert not not_computed(app, found, ("Votes",))
    if d == "labels":
        for row in tables(app)[1].to_dict("records"):
            one = found["methods"].accuracy[row["Method"]]
            assert (one.value, one.low, one.high) == (
                row["Accuracy"],
                row["Accuracy from"],
                row["Accuracy to"],
            )


def test_labels_without_gold(open_page: Open, own_folder: Path) -> None:
    app = open_page("systems.py", d=labels(own_folder, known=False), about=GOLD)
    assert not not_computed(app, ran(app), ("Votes", "Ties"))


def test_classes(open_page: Open, own_folder: Path) -> None:
    app = open_page("systems.py", d=labels(own_folder, known=True), about=CLASSES)
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        assert found["shares"][row["Class"]].value == row["Share of votes"]
    assert len(found["shares"]) == 3
    assert not not_computed(app, found, ("Votes",))


def test_workers(open_page: Open) -> None:
    app = open_page("workers.py", d="sample-comparisons", without="worker 03", all_columns="true")
    found = ran(app)
    shown = tables(app)[0]
    agreement = {one.name: one.figure.value for one in found["raters"]}
    assert "worker 03" not in agreement
    assert agreement == dict(zip(shown["Rater"], shown["Agreement with the others"], strict=True))
    assert not not_computed(app, found)


@pytest.mark.parametrize("against", ["expert's answer", "answer of all votes"])
def test_repetitions_of_choices(open_page: Open, own_folder: Path, against: str) -> None:
    d = "sample-comparisons" if against.startswith("expert") else labels(own_folder, known=True)
    app = open_page(
        "repetitions.py",
        d=d,
        answer_against=against,
        draws="20",
        shuffles="20",
        seed="3",
        answer_by="PCC-H weights",
        all_columns="true",
    )
    found, shown = ran(app), tables(app)[0]
    assert len(found) == len(shown)
    for one, row in zip(found.values(), shown.to_dict("records"), strict=True):
        assert one["knee"] == row["Knee"]
        ends = [one["interval"].knee.low, one["interval"].knee.high]
        assert ends == pytest.approx([row["Knee from"], row["Knee to"]], nan_ok=True)
        assert one["fitted"].saturation.a == pytest.approx(row["a"], rel=0, abs=0, nan_ok=True)
