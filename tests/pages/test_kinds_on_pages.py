"""Every kind of study on every page: a finding and a picture where it is shown, a sentence where it is not."""

import re
from collections.abc import Callable

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from tests.pages.conftest import figures, sentences
from ui.visit.pages import PAGES, PageEntry

Open = Callable[..., AppTest]
STUDIES = {sample.key: sample.kind for sample in SAMPLES if KINDS[sample.kind].study}
CLOSED_TO_SOME = [page for page in PAGES if page.needs_dataset and page.script != "overview.py"]
OVERVIEWS = {
    "sample-comparisons": "Wins 69% against an average system",
    "sample-comprehension": "People&#x27;s summaries share 61% of what others found important",
    "sample-relevance": "saves 8.6 of 13.4 s",
}
OTHERS = [key for key, kind in STUDIES.items() if kind != "ratings"]


@pytest.mark.parametrize("key", OTHERS)
def test_the_overview_of_any_study_has_findings_and_pictures(open_page: Open, key: str) -> None:
    app = open_page("overview.py", d=key)
    assert OVERVIEWS[key] in sentences(app)
    assert len(figures(app)) >= 2
    for figure in figures(app):
        go.Figure(figure)


@pytest.mark.parametrize("page", CLOSED_TO_SOME, ids=lambda page: page.script)
@pytest.mark.parametrize("key", OTHERS)
def test_a_page_that_cannot_show_a_study_says_what_would_open_it(
    open_page: Open, key: str, page: PageEntry
) -> None:
    app = open_page(page.script, d=key, draws="20")
    refused = f"This data set holds {KINDS[STUDIES[key]].rows}" in sentences(app)
    assert refused == (STUDIES[key] not in page.kinds)
    assert bool(figures(app)) == (not refused and page.script != "study_report.py")


def test_a_study_of_ratings_is_refused_by_the_other_methods_pages(open_page: Open) -> None:
    for page in ("comprehension.py", "relevance.py"):
        app = open_page(page, d="sample-summaries")
        assert "This data set holds ratings" in sentences(app)
        assert not figures(app)


def test_the_overview_says_what_planning_and_replacing_raters_find(open_page: Open) -> None:
    overview = sentences(open_page("overview.py", d="sample-summaries"))
    enough = sentences(open_page("planning.py", d="sample-summaries", plan="Is it enough already?"))
    now = re.search(r"A precision of ± [\d.]+ needs \d+ ratings per item\.", overview.replace("\u00a0", " "))
    assert now is not None
    assert now[0] in enough.replace("\u00a0", " ")
    stands_in = sentences(open_page("standing_in.py", d="sample-summaries", draws="20"))
    verdict = "Not enough overlap to test whether crowd can replace a lab rater on overall quality."
    assert verdict in overview
    assert verdict in stands_in
    votes = sentences(open_page("overview.py", d="sample-comparisons"))
    assert "would detect a preference of" in votes
