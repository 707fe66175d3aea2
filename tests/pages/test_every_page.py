"""Every page on every real study and in its empty and undefined states: figures or a sentence, never a crash."""

from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

PAGES = ["overview.py", "distributions.py", "crowd_vs_lab.py", "repetitions.py"]
STUDIES = [
    "speech_mos_lab_vs_crowd.csv",
    "squality_summary_ratings.csv",
    "wmt23_mqm_3raters.csv",
    "video_mos_nflx_public.csv",
]
Open = Callable[..., AppTest]


@pytest.mark.parametrize("page", PAGES)
def test_the_sample_has_a_finding_a_picture_and_a_table(open_page: Open, page: str) -> None:
    app = open_page(page)
    assert sentences(app)
    assert figures(app)
    assert app.dataframe
    for figure in figures(app):
        go.Figure(figure)  # figures go to the page unchecked, so what Plotly refuses must show here


@pytest.mark.parametrize("study", STUDIES)
def test_real_studies_open_on_every_page(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, study: str
) -> None:
    key = add_study(shared_data / study)
    for page in PAGES:
        app = open_page(page, d=key)
        assert sentences(app), page
        assert figures(app) or "Choose another group" in sentences(app), page


def test_the_speech_study_shows_the_known_correlations(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    for group, rho, items in (
        ("crowd_clickworker_de", 0.897, 200),
        ("crowd_mturk_en", 0.896, 199),
        ("crowd_mturk_es", 0.822, 200),
    ):
        app = open_page("crowd_vs_lab.py", d=key, candidate=group)
        table = app.dataframe[0].value
        assert round(float(table["Spearman ρ"].iloc[0]), 3) == rho
        assert int(table["Items"].iloc[0]) == items


def test_an_unknown_data_set_is_not_found(open_page: Open) -> None:
    app = open_page("overview.py", d="ffffffffffffffffffffffffffffffff")
    assert app.title[0].value == "Not found"
    assert not figures(app)
    assert "no data set under this address" in sentences(app)


STATES = {
    "one rating": [("i1", "r1", 3)],
    "one item": [("i1", f"r{r}", r % 5 + 1) for r in range(6)],
    "one rater": [(f"i{i}", "r1", i % 5 + 1) for i in range(12)],
    "all scores equal": [(f"i{i}", f"r{r}", 3) for i in range(12) for r in range(8)],
    "two items": [(f"i{i}", f"r{r}", (i + r) % 5 + 1) for i in range(2) for r in range(8)],
}


@pytest.mark.parametrize("state", STATES)
def test_odd_studies_of_one_group_get_sentences(
    open_page: Open, add_rows: Callable[..., str], state: str
) -> None:
    key = add_rows("item,rater,score", STATES[state])
    for page in PAGES:
        assert sentences(open_page(page, d=key)), page


GROUPS = {
    "no shared item": [
        (f"{g}{i}", f"{g}r{r}", g, (i + r) % 5 + 1) for g in "ab" for i in range(9) for r in range(7)
    ],
    "a constant candidate": [
        (f"i{i}", f"{g}r{r}", g, 3 if g == "a" else (i + r) % 5 + 1)
        for g in "ab"
        for i in range(9)
        for r in range(7)
    ],
    "the same raters in both": [
        (f"i{i}", f"r{r}", g, (i * r + ord(g)) % 5 + 1) for g in "ab" for i in range(9) for r in range(7)
    ],
    "one shared item": [("i0", f"{g}r{r}", g, r % 5 + 1) for g in "ab" for r in range(7)],
}


@pytest.mark.parametrize("state", GROUPS)
def test_odd_studies_of_two_groups_get_sentences(
    open_page: Open, add_rows: Callable[..., str], state: str
) -> None:
    key = add_rows("item,rater,group,score", GROUPS[state])
    for page in PAGES:
        assert sentences(open_page(page, d=key)), page


def test_a_measure_that_one_group_did_not_rate_is_undefined_not_an_error(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [
        (f"i{i}", f"{g}r{r}", g, m, (i + r) % 5 + 1)
        for g in "ab"
        for m in ("focus", "clarity")
        for i in range(9)
        for r in range(7)
        if (g, m) != ("b", "clarity")
    ]
    key = add_rows("item,rater,group,measure,score", rows)
    for page in PAGES:
        assert sentences(open_page(page, d=key)), page


def test_candidate_against_itself_asks_for_another_reference(open_page: Open) -> None:
    for page in ("crowd_vs_lab.py", "repetitions.py"):
        app = open_page(page, candidate="lab", reference="lab")
        assert "Choose another reference" in sentences(app)
        assert not figures(app)
