"""Systems, question 'Against known answers': its states, from two real gold sets to no gold at all."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from analysis.systems.label_accuracy import METHODS
from tests.pages.conftest import LastFinding, figures, sentences, sentences_of

Open = Callable[..., AppTest]
QUESTION = "Against known answers"
QUICK = {"about": QUESTION, "label_draws": "50", "label_model_draws": "4", "all_columns": "true"}
HEADER = "item,worker,label,gold"
BAD = "<img src=x onerror=alert(1)> [l](http://x) $x^2$"


ITEMS = "labels fold of item-labels"


def tables(app: AppTest) -> list[pd.DataFrame]:
    return [each.value for each in app.dataframe if "known answer" not in each.proto.alt]


def items_of(app: AppTest) -> pd.DataFrame:
    """The table of items, unfolded."""
    app.session_state[ITEMS] = True
    app.run()
    assert not app.exception
    return tables(app)[-1]


def rows(items: int = 12, workers: int = 4, gold: bool = True) -> list[tuple[object, ...]]:
    """Everyone is right but the last worker, who always says b."""
    return [
        (f"i{q}", f"w{w}", "b" if w == workers - 1 else "ab"[q % 2], "ab"[q % 2] if gold else "")
        for q in range(items)
        for w in range(workers)
    ]


def test_a_real_gold_set_has_finding_pictures_and_tables(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    file = shared_data / "choice4_website_gold.csv"
    app = open_page("systems.py", d=add_study(file, "choices"), **QUICK)
    told = sentences(app)
    table = pd.read_csv(file, dtype=str)
    assert f"{table['item'].nunique()} items with gold" in told
    assert "one rater alone" in told
    methods, classes = tables(app)
    assert set(methods["Method"]) == set(METHODS)
    assert methods["Accuracy"].is_monotonic_decreasing
    assert (methods["Accuracy from"] < methods["Accuracy"]).all()
    assert (methods["Accuracy"] < methods["Accuracy to"]).all()
    assert classes["Class"].tolist() == sorted(table["gold"].unique())
    pictures = figures(app)
    assert len(pictures) == 5
    for picture in pictures:
        go.Figure(picture)
    items = items_of(app)
    assert items["Item"].nunique() == len(items) == table["item"].nunique()
    differ = items[list(METHODS[:-1])].nunique(axis=1) > 1
    assert differ.is_monotonic_decreasing
    assert [fold.label for fold in app.expander if fold.label.startswith("Each item")] == [
        f"Each item: methods differ on {differ.sum()} of {len(items)} items"
    ]


def test_classes_come_first_and_labels_of_two_designs_are_held_against_gold_apart(
    open_page: Open, add_rows: Callable[..., str], last_finding: LastFinding
) -> None:
    made = [
        (*row, design)
        for design in ("quick", "slow")
        for row in rows(20, workers=5 if design == "slow" else 3)
    ]
    key = add_rows(f"{HEADER},design", made, "choices")
    open_page("systems.py", d=key)
    assert last_finding().headline[1]["first"] == "b"
    app = open_page("systems.py", d=key, **QUICK)
    against = next(each.value for each in app.dataframe if "known answer" in each.proto.alt)
    assert against["Comparison"].tolist() == ["all comparisons", "quick", "slow"]
    assert against["Items"].tolist()[1:] == [20, 20]
    assert against["Same answer"].tolist() == [1.0, 1.0, 1.0]


def test_a_worker_is_chosen_by_the_address(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = open_page("systems.py", d=add_rows(HEADER, rows(), "choices"), worker="w3", **QUICK)
    counted, estimated = figures(app)[-2:]
    assert counted["data"][0]["z"] == [[0, 1], [0, 1]]
    assert estimated["data"][0]["z"][0][1] > 0.9
    assert "6 of 6 votes" in counted["data"][0]["hovertext"][0][1]


def test_majority_that_nobody_beats_says_so(open_page: Open, add_rows: Callable[..., str]) -> None:
    told = sentences_of(open_page("systems.py", d=add_rows(HEADER, rows(), "choices"), **QUICK))
    assert any(one.startswith("Majority vote ") and "100%" in one for one in told)


def test_without_draws_there_are_no_intervals_and_the_page_says_so(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    key = add_rows(HEADER, rows(), "choices")
    app = open_page("systems.py", **QUICK | {"d": key, "label_draws": "0", "label_model_draws": "0"})
    assert tables(app)[0]["Accuracy from"].isna().all()


@pytest.mark.parametrize("draws", [("50", "0"), ("0", "4")])
def test_either_kind_of_draws_can_be_left_out(
    open_page: Open, add_rows: Callable[..., str], draws: tuple[str, str]
) -> None:
    key = add_rows(HEADER, rows(), "choices")
    app = open_page(
        "systems.py", **QUICK | {"d": key, "label_draws": draws[0], "label_model_draws": draws[1]}
    )
    has_interval = tables(app)[0].set_index("Method")["Accuracy from"].notna()
    assert has_interval[["majority vote", "one rater alone"]].tolist() == [draws[0] != "0"] * 2
    assert has_interval[["Dawid-Skene", "GLAD"]].tolist() == [draws[1] != "0"] * 2


def test_partly_known_gold_unseen_gold_and_ties_are_reported(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    made = rows()
    made += [("unknown", f"w{w}", "a", "") for w in range(3)]
    made += [("unseen", f"w{w}", "a", "emu") for w in range(3)]
    made += [("tie", "w0", "a", "a"), ("tie", "w1", "b", "a")]
    app = open_page("systems.py", d=add_rows(HEADER, made, "choices"), **QUICK)
    told = sentences(app)
    assert "Without gold: 1 item." in told
    assert "Nobody chose emu, the gold of 1 item:" in told
    assert tables(app)[0].set_index("Method")["Ties"]["majority vote"] == 1


def test_labels_without_gold_show_how_far_methods_agree(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    app = open_page("systems.py", d=add_rows(HEADER, rows(gold=False), "choices"), **QUICK)
    told = sentences(app)
    assert "no item has gold" in told
    (table,) = tables(app)
    assert len(table) == 6
    assert table["Same label"].tolist() == pytest.approx([1.0] * 6)
    assert not [one for one in app.number_input if one.key.startswith("label_")], "nothing to resample"
    assert len(items_of(app)) == 12


def test_with_little_gold_the_page_says_how_much_is_needed(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    app = open_page("systems.py", d=add_rows(HEADER, rows(items=4), "choices"), **QUICK)
    assert "you have 4 items with gold, it needs 10" in sentences(app)
    assert figures(app) == []


def test_names_from_an_upload_stay_text(open_page: Open, add_rows: Callable[..., str]) -> None:
    made = [(f"i{q}", f"w{BAD}{w}", f"{BAD}{q % 2}", f"{BAD}{q % 2}") for q in range(12) for w in range(3)]
    made += [("unseen", "w1", f"{BAD}0", f"{BAD}9")]
    app = open_page("systems.py", d=add_rows(HEADER, made, "choices"), **QUICK)
    written = json.dumps(figures(app))
    bodies = " ".join(element.proto.body for element in app.get("html"))
    for text in (written, bodies):
        assert "<img" not in text
    assert "$x" not in written
    assert "Nobody chose" in bodies


def test_a_rater_without_gold_items_has_only_the_estimate(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    made = [*rows(), *((f"other{q}", w, "a", "") for q in range(5) for w in ("new", "w0"))]
    app = open_page("systems.py", d=add_rows(HEADER, made, "choices"), worker="new", **QUICK)
    assert len(figures(app)) == 4, "none of votes on items with gold"


def test_pairs_with_gold_are_labels_too(open_page: Open, add_rows: Callable[..., str]) -> None:
    made = [
        (f"i{q}", f"w{w}", "first" if (q + w) % 4 else "second", "AW", "UI", "first")
        for q in range(12)
        for w in range(4)
    ]
    key = add_rows("item,worker,choice,option_a,option_b,gold", made, "choices")
    app = open_page("systems.py", d=key, **QUICK)
    assert "12 items with gold" in sentences(app)
    assert tables(app)[1]["Class"].tolist() == ["AW", "UI"]
