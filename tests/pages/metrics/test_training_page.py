"""The page Training a metric: Table 5 on the sample, and what is missing elsewhere."""

from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences, statuses

SAMPLE = "sample-assessors"


def opened(open_page: Callable[..., AppTest], d: str = SAMPLE, **address: str) -> AppTest:
    app = open_page("training.py", d=d, **address)
    assert not app.exception, app.exception
    return app


def tables(app):
    return [frame.value for frame in app.dataframe]


def test_the_sample_shows_the_best_metric_and_its_model(open_page):
    app = opened(open_page)
    assert statuses(app)[0] == "clear"
    (models,) = tables(app)
    assert "Learned from" not in models
    assert models["Metric"].nunique() == 4  # systems only and with humans, main and update
    assert models["Features"].str.len().min() > 0
    assert len(figures(app)[0]["data"]) == 1


def test_an_exclusion_gives_the_table_with_differences(open_page):
    app = opened(open_page)
    app.multiselect(key="without").set_value(["E", "C"]).run()
    assert not app.exception, app.exception
    told = sentences(app)
    assert told.index("Without C and E, the trained metric does better in") < told.index(
        "The metric trained for"
    )
    (models,) = tables(app)
    assert list(models["Learned from"]) == ["everyone", "without C and E"] * 4
    before, after = models[::2].reset_index(), models[1::2].reset_index()
    assert np.allclose(after["r when tested"] - before["r when tested"], after["Difference"])
    ends = opened(open_page, without=["E", "C"], all_columns="true").dataframe[0].value[1::2]
    assert (ends["Difference from"] <= ends["Difference"]).all()
    assert (ends["Difference"] <= ends["Difference to"]).all()


def test_the_controls_are_heard(open_page):
    app = opened(open_page)
    app.multiselect(key="training_features").set_value(["rouge1", "rouge2"]).run()
    app.number_input(key="training_largest").set_value(1).run()
    assert not app.exception, app.exception
    assert set(tables(app)[0]["Features"]) <= {"rouge1", "rouge2"}
    app.selectbox(key="training_choose").set_value("A").run()
    assert "three different splits" in sentences(app)
    assert not tables(app)


HEADER = "item_id,rater_id,score,system,split,rouge,overlap"


def rows(splits=("A", "B", "C"), systems=5):
    rng = np.random.default_rng(0)
    return [
        (f"{split}{t}{s}", r, int(rng.integers(1, 6)), f"s{s}", split, round(rng.random(), 3), round(rng.random(), 3))
        for split in splits
        for t in range(4)
        for s in range(systems)
        for r in "ab"
    ]  # fmt: skip


def per_item(made):
    """Numbers of an item are the same in all its rows."""
    first = {}
    return [(*row[:5], *first.setdefault(row[0], row[5:])) for row in made]


def test_what_is_missing_is_said_with_the_next_step(open_page, add_rows):
    two_splits = add_rows(HEADER, per_item(rows(("A", "B"))))
    assert "you have 2 splits, it needs 3" in sentences(opened(open_page, two_splits))
    no_split = [(*row[:4], *row[5:]) for row in per_item(rows())]
    key = add_rows(HEADER.replace(",split", ""), no_split)
    assert "you have 0 splits, it needs 3" in sentences(opened(open_page, key))
    one_number = [row[:6] for row in per_item(rows())]
    assert "you have 1 numeric column, it needs 2" in sentences(
        opened(open_page, add_rows(HEADER.removesuffix(",overlap"), one_number))
    )
    no_system = [(*row[:3], *row[4:]) for row in per_item(rows())]
    assert "no item has a system" in sentences(
        opened(open_page, add_rows(HEADER.replace(",system", ""), no_system))
    )


def test_too_few_systems_are_said(open_page, add_rows):
    app = opened(open_page, add_rows(HEADER, per_item(rows(systems=2))))
    assert "needs three systems" in sentences(app)


def test_a_study_without_topics_kinds_and_conditions_is_trained(open_page, add_rows):
    app = opened(open_page, add_rows(HEADER, per_item(rows())))
    (models,) = tables(app)
    assert models["Metric"].tolist() == ["All systems"]
