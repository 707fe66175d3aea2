"""The program of every question about comprehension runs as it stands and finds the page's numbers."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from features.plotting.theme import decimal
from tests.pages.programs import not_computed, ran, said, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]
ASKED = {
    "d": "sample-comprehension",
    "comprehension_draws": "20",
    "comprehension_seed": "3",
    "all_columns": "true",
}


def test_how_much_is_shared(open_page: Open) -> None:
    app = open_page("comprehension.py", **ASKED, count_machines="true")
    found = ran(app)
    overall, authors, types = tables(app)[:3]
    assert [found["all"][letter].value for letter in "RPIN"] == overall["Share"].tolist()[:4]
    for row in authors.to_dict("records"):
        one = found[f"{'summaries' if 'summary' in row['As'] else 'questions'} of {row['Author']}"]
        assert (one["R"].value, one["R+P"].low) == (row["R"], row["R + P from"])
    for row in types.to_dict("records"):
        assert found[f"stories of type {row['Type']}"]["R"].value == row["R"]
    assert not not_computed(app, found, ("Answers", "Stories"))


def test_author_by_author(open_page: Open) -> None:
    app = open_page("comprehension.py", **ASKED, about="Author by author")
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        one = found[row["Summary of"], row["Questions of"]]["R+P"]
        assert (one.value, one.n, one.low) == (row["R + P"], row["Questions"], row["R + P from"])
    assert len(found) == len(shown) > 2


def test_summary_length(open_page: Open) -> None:
    app = open_page("comprehension.py", **ASKED, about="Summary length")
    found, shown = ran(app), tables(app)[0]
    for row in shown.to_dict("records"):
        one = found[row["Author"]]
        assert (one["words"], one["found"].low) == (row["Words"], row["Found from"])
    for what in ("across authors", "within stories"):
        assert decimal(found[what].value) in said(app)
    assert not not_computed(app, found)


def test_judges(open_page: Open) -> None:
    app = open_page("comprehension.py", **ASKED, about="Judges")
    found = ran(app)
    alphas, by_judge, pairs = tables(app)
    for row in by_judge.to_dict("records"):
        assert found[row["Judge"]]["R+P"].value == row["R + P"]
    assert {one.value for one in found["alpha"].values()} == set(alphas["Krippendorff's alpha"])
    for row in pairs.to_dict("records"):
        pair = found[row["Judge"], row["and"]]
        assert (pair.kappa.value, pair.same.low) == (row["Cohen's kappa"], row["Equal answers from"])


def test_machines(open_page: Open) -> None:
    app = open_page("comprehension.py", **ASKED, about="Machine summaries")
    found, shown = ran(app), tables(app)[0]
    assert list(found) == shown["Machine"].tolist()
    for row in shown.to_dict("records"):
        assert found[row["Machine"]].ratio.low == row["Share of the human level from"]
    assert not not_computed(app, found)
