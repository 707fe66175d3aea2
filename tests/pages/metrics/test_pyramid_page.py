"""The page Pyramid: joined contributors, the rater who misses content, and what is missing."""

import html

import pytest

from data.store.store import Store
from tests.pages.conftest import figures, sentences, statuses
from tests.pages.metrics.summaries import WORKSPACE, calm, leave_out, marked, opened, study

pytestmark = pytest.mark.usefixtures("workspace")
PYRAMID = "pyramid.py"


@pytest.mark.parametrize("column", [True, False])
def test_a_pyramid_names_the_rater_who_misses_content_marked_elsewhere(
    open_page, add_table, column, last_finding
):
    header, rows = study()
    d = add_table("ratings", header, rows, "six systems")
    key = add_table("contributors", *marked(rows, column), "marks", WORKSPACE)
    app = opened(open_page, PYRAMID, d, pyramid=key)
    (table,) = (frame.value for frame in app.dataframe)
    values = last_finding().headline[1]
    assert values["lowest"] == "Rater Bob"
    assert float(values["low"].replace("−", "-")) < 0
    assert table["Rater"].tolist() == ["Bob", "Ann"]
    assert table["Topics"].tolist() == [2, 2]
    assert table["mP − aP"][0] < 0
    assert "no model summaries" in sentences(app)
    (figure,) = figures(app)
    assert figure["layout"]["yaxis"]["ticktext"] == ["Bob", "Ann"]
    hollow = leave_out(app, "Bob")
    assert "excluded now" in sentences(hollow)
    assert figures(hollow)[0]["data"][0]["marker"]["symbol"] == ["circle-open", "circle"]


def test_without_contributors_or_texts_the_next_step_is_reported(open_page, add_table):
    other = study()
    rows = [(f"other {row[0]}", *row[1:]) for row in other[1]]
    app = opened(open_page, PYRAMID, add_table("ratings", other[0], rows, "no marks"))
    assert statuses(app) == ["not enough data"]
    bare = opened(open_page, PYRAMID, add_table("ratings", *study(text=False), "no texts"))
    assert statuses(bare) == ["not enough data"]


def test_the_lowest_by_pyramid_can_be_left_out(open_page, add_table):
    header, rows = study()
    d = add_table("ratings", header, rows, "six systems")
    add_table("contributors", *marked(rows), "marks", WORKSPACE)
    app = opened(open_page, PYRAMID, d)
    with Store() as store:
        assert (
            store.by_key(app.query_params["pyramid"]).name == "marks"
        )  # a copied address shows it elsewhere
    calm(app.selectbox(key="rule").set_value("the lowest by mP − aP (pyramid)").run())
    assert "Excluded: Bob" in sentences(app)


def test_an_unreadable_column_is_reported_in_words(open_page, add_table):
    header, rows = study()
    d = add_table("ratings", header, rows, "six systems")
    named, said = marked(rows)
    key = add_table(
        "contributors", f"{named},is_model", [(*row, "perhaps") for row in said], "odd", WORKSPACE
    )
    app = opened(open_page, PYRAMID, d, pyramid=key)
    assert "is_model` must say yes or no for each summary, got 'perhaps'" in html.unescape(sentences(app))
    calm(app.selectbox(key="rule").set_value("the lowest by mP − aP (pyramid)").run())
    assert "got 'perhaps'" in html.unescape(sentences(app))


def test_a_study_without_texts_says_what_to_do(open_page, add_study, shared_data):
    app = opened(open_page, PYRAMID, add_study(shared_data / "squality_summary_ratings.csv"))
    assert statuses(app) == ["not enough data"]
