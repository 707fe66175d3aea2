"""The program of every question about assessors runs as it stands and finds the page's numbers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from features import cache
from features.cache import CACHE_BYTES, ResultCache
from features.raters import variance_results
from tests.pages.programs import not_computed, own_file, ran, said, tables

Open = Callable[..., AppTest]
pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("own_folder")]
ASKED = {"d": "sample-assessors", "draws": "20", "seed": "3", "random": "20"}
RULED = {"rule": "the least consistent", "worst": "2"}


def test_who_is_consistent(open_page: Open) -> None:
    app = open_page("assessors.py", **ASKED, measures="Pyramid", without="A", all_columns="true")
    found = ran(app)
    alpha = {one.name: one.figure.value for one in found["raters"]}
    for row in tables(app)[0].to_dict("records"):
        assert alpha[row["Rater"]] == row["Alpha"]
    assert not not_computed(app, found)


@pytest.mark.parametrize("reference", ["lab", "Split halves (no reference)"])
def test_who_agrees_with_the_others(open_page: Open, reference: str) -> None:
    app = open_page(
        "assessors.py",
        question="Who agrees with the others",
        reference=reference,
        without=["crowd 07", "lab 03"],
        ranked_measure="grammaticality",
        all_columns="true",
    )
    found, shown = ran(app), tables(app)[0]
    assert shown["Rater"].tolist() == [one.name for one in found["raters"]]
    assert not not_computed(app, found)


@pytest.mark.parametrize("asked", [{}, RULED])
def test_what_if_they_go(open_page: Open, asked: dict[str, str]) -> None:
    app = open_page("assessors.py", **ASKED, **asked, question="What if they go", ranked_by="Pyramid")
    found = ran(app)
    (systems,) = [table for table in tables(app) if "System" in table] or [None]
    if systems is not None:
        here = found["points"]["Pyramid"]
        after = dict(zip(found["ranked"][here.systems].tolist(), here.after.tolist(), strict=True))
        assert after == dict(zip(systems["System"], systems["After"], strict=True))
    assert bool(asked) == (systems is not None)
    assert not not_computed(app, found, ("Shift",))


def test_where_the_variance_comes_from(open_page: Open) -> None:
    app = open_page("assessors.py", **ASKED, question="Where the variance comes from", variance_along="Items")
    found = ran(app)
    assert not not_computed(app, found)


def test_where_the_variance_of_very_many_ratings_comes_from(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "CACHE", ResultCache(CACHE_BYTES))  # which knows nothing of these limits
    monkeypatch.setattr(variance_results, "MOST_RATINGS", 500)
    monkeypatch.setattr(variance_results, "FEWEST_ITEMS", 20)
    app = open_page(
        "assessors.py", **ASKED | {"d": "sample-summaries"}, question="Where the variance comes from"
    )
    assert "</b>, drawn from" in said(app)
    found = ran(app)
    assert not not_computed(app, found)


def test_who_the_raters_are(open_page: Open, own_folder: Path) -> None:
    file = own_folder / "study.csv"
    rows = [
        f"i{item},r{rater:02d},{1 + (item + 2 * (rater % 2) + rater * item) % 5},{'fm'[rater % 2]},{20 + rater}"
        for item in range(12)
        for rater in range(12)
    ]
    file.write_text("\n".join(["item_id,rater_id,score,rater_gender,rater_age", *rows]), encoding="utf-8")
    app = open_page("assessors.py", d=own_file(file), question="Who the raters are", all_columns="true")
    found, shown = ran(app), tables(app)
    assert {row["Attribute"] for row in shown[-2].to_dict("records")} == {"gender", "age"}
    for row in shown[-2].to_dict("records"):
        assert found[row["Attribute"]][row["Group"], row["Value"]] == (row["Raters"], row["Ratings"])
    assert found["values"] == shown[0]["Value"].tolist()
    assert [mean.value for mean in found["Mean score"].means] == shown[0]["Mean score"].tolist()
    assert not not_computed(app, found, ("Percent of raters", "Percent of ratings", "Not known"))
