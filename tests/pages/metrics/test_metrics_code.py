"""The programs of the pages on metrics run as they stand and find the pages' numbers."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.programs import not_computed, ran, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]
ASKED = {"d": "sample-assessors", "draws": "20", "seed": "3"}


def test_automatic_metrics(open_page: Open) -> None:
    app = open_page("metrics.py", **ASKED, metric_correlation="Spearman's ρ", without=["A", "B"])
    assert not not_computed(app, ran(app))


def test_pyramid(open_page: Open) -> None:
    app = open_page("pyramid.py", **ASKED)
    found = ran(app)
    for row in tables(app)[0].to_dict("records"):
        assert found["raters"][row["Rater"]].value == row["mP − aP"]
    assert not not_computed(app, found, ("mP − aP",))


def test_training_a_metric(open_page: Open) -> None:
    app = open_page("training.py", **ASKED, training_draws="20", without="A")
    assert not not_computed(app, ran(app))
