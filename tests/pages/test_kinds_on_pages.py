"""Every kind of study on every page: a finding and a picture where it is shown, a sentence where it is not."""

from collections.abc import Callable

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
STUDIES = {sample.key: sample.kind for sample in SAMPLES if KINDS[sample.kind].study}
PAGES = {
    "distributions.py": {"ratings"},
    "crowd_vs_lab.py": {"ratings"},
    "repetitions.py": {"ratings", "choices"},
    "assessors.py": {"ratings"},
    "workers.py": {"ratings", "choices"},
    "comprehension.py": {"comprehension"},
    "relevance.py": {"relevance"},
}
OTHERS = [key for key, kind in STUDIES.items() if kind != "ratings"]


@pytest.mark.parametrize("key", OTHERS)
def test_the_overview_of_any_study_has_findings_and_pictures(open_page: Open, key: str) -> None:
    app = open_page("overview.py", d=key)
    told = sentences(app)
    assert f" {KINDS[STUDIES[key]].rows} of " in told
    assert len(figures(app)) >= 2
    for figure in figures(app):
        go.Figure(figure)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("key", OTHERS)
def test_a_page_that_cannot_show_a_study_says_what_would_open_it(
    open_page: Open, key: str, page: str
) -> None:
    app = open_page(page, d=key)
    refused = f"This data set holds {KINDS[STUDIES[key]].rows}" in sentences(app)
    assert refused == (STUDIES[key] not in PAGES[page])
    assert bool(figures(app)) == (not refused)


def test_a_study_of_ratings_is_refused_by_the_other_methods_pages(open_page: Open) -> None:
    for page in ("comprehension.py", "relevance.py"):
        app = open_page(page, d="sample-summaries")
        assert "This data set holds ratings" in sentences(app)
        assert not figures(app)
