"""The program of every question about relevance runs as it stands and finds the page's numbers."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.programs import not_computed, ran, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]
ASKED = {"d": "sample-relevance", "relevance_draws": "20", "relevance_seed": "3", "all_columns": "true"}


def test_which_summaries_suffice(open_page: Open) -> None:
    app = open_page("relevance.py", **ASKED)
    found = ran(app)
    for row in tables(app)[0].to_dict("records"):
        side = "LDC Agreement" if "LDC" in row["Compared with"] else "Relevance Prediction"
        assert found[row["Surrogate"]][side].accuracy.value == row["Accuracy"]
    assert not not_computed(app, found)


def test_do_raters_agree(open_page: Open) -> None:
    app = open_page("relevance.py", **ASKED, about="Do raters agree", chance="0.4")
    found, shown = ran(app), tables(app)[0]
    assert set(shown["Surrogate"]) <= set(found)
    assert not not_computed(app, found)


@pytest.mark.parametrize(
    ("measure", "subjects"), [("Recall (RP)", "raters"), ("Precision (LDC)", "events"), ("Seconds", "raters")]
)
def test_significant_differences(open_page: Open, measure: str, subjects: str) -> None:
    app = open_page(
        "relevance.py",
        **ASKED,
        about="Significant differences",
        compared_measure=measure,
        subjects=subjects,
    )
    found, means = ran(app), tables(app)[0]
    for row in means.to_dict("records"):
        assert found["means"][row["Surrogate"]].value == row["Mean"]
    assert not not_computed(app, found)


@pytest.mark.parametrize(
    "asked",
    [
        {"agreement": "Relevance Prediction", "keep_full_text": "true"},
        {"agreement": "LDC Agreement", "tail": "one-tailed (as in the paper)"},
        {"full_text": "none of them", "metric": "ROUGE-2"},
    ],
)
def test_automatic_metrics(open_page: Open, asked: dict[str, str]) -> None:
    app = open_page("relevance.py", **ASKED, about="Automatic metrics", **asked)
    assert not not_computed(app, ran(app))


def test_partitions(open_page: Open) -> None:
    asked = {"agreement": "Relevance Prediction", "partition_draws": "100", "group_size": "3"}
    app = open_page("relevance.py", **ASKED, about="Partitions", **asked)
    found = ran(app)
    assert {size for size, _ in found} == {1, 2, 3, 4}
    assert not not_computed(app, found)


def test_order_of_presentation(open_page: Open) -> None:
    app = open_page("relevance.py", **ASKED, about="Order of presentation")
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        one, other = row["Presentations"].split(" and ")
        same = found[row["Order"], one, other]
        assert (same.share.value, same.same) == (row["Equal"], row["Same"])
    assert len(found) == len(shown)
