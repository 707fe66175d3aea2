"""Agreement with the others, on the Assessors page: real ratings, another measure, and the old address."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
Add = Callable[..., str]
ASKED = "Who agrees with the others"


@pytest.mark.parametrize(
    ("file", "comparable", "told"),
    [
        ("speech_mos_lab_vs_crowd.csv", True, "on the screening list"),
        ("squality_summary_ratings.csv", False, "Not enough data to compare raters: you have 4, it needs 5."),
    ],
)
def test_ratings_are_ranked_by_the_mean_of_the_others(
    open_page: Open, add_study: Add, shared_data: Path, file: str, comparable: bool, told: str
) -> None:
    app = open_page("assessors.py", d=add_study(shared_data / file), question=ASKED)
    (ranking,) = (table.value for table in app.dataframe)
    assert ranking["Agreement with the others"][ranking["Items shared"] >= 10].is_monotonic_increasing
    assert ("r with the reference" in ranking) == comparable
    assert len(figures(app)) == (2 if comparable else 1)
    assert told in sentences(app)


def test_another_measure_ranks_raters_anew_under_the_old_address_too(open_page: Open) -> None:
    app = open_page("workers.py", d="sample-summaries", about="Who is reliable", ranked_measure="focus")
    assert app.title[0].value == "Raters"
    (control,) = (box for box in app.selectbox if box.label == "Measure")
    assert control.value == "focus"
    before = app.dataframe[0].value
    control.select(control.options[0]).run()
    assert not app.exception
    assert (
        app.dataframe[0].value["Agreement with the others"].tolist()
        != before["Agreement with the others"].tolist()
    )
