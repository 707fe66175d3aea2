"""Every kind of study on the pages that cannot show it, which say so; test_every_page.py looks at those that can."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from tests.golden.views import SMALL
from tests.pages.conftest import figures, page_links, sentences
from ui.visit.pages import PAGES, PageEntry

Open = Callable[..., AppTest]
STUDIES = {sample.key: sample.kind for sample in SAMPLES if KINDS[sample.kind].study}
CLOSED_TO_SOME = [page for page in PAGES if page.needs_dataset and page.script != "overview.py"]
ONE_OF_EACH = {kind: key for key, kind in reversed(STUDIES.items())}
REFUSED = [
    (key, page)
    for kind, key in ONE_OF_EACH.items()
    for page in CLOSED_TO_SOME
    if kind not in page.kinds and page.moved_to(kind, "") is None
]


@pytest.mark.parametrize(("key", "page"), REFUSED, ids=lambda of: getattr(of, "script", of))
def test_a_page_that_cannot_show_a_study_says_what_would_open_it(
    open_page: Open, key: str, page: PageEntry
) -> None:
    app = open_page(page.script, d=key)
    assert f"This data set holds {KINDS[STUDIES[key]].rows}" in sentences(app)
    assert not figures(app)


def test_the_overview_says_what_planning_and_replacing_raters_find(open_page: Open) -> None:
    app = open_page("overview.py", d="sample-summaries", **SMALL)
    overview = sentences(app)
    planning = sentences(open_page("planning.py", d="sample-summaries", **SMALL))
    now = re.search(r"Further targeted [^.]* ± [\d.]+\d", overview.replace("\u00a0", " "))
    assert now is not None
    assert now[0] in planning.replace("\u00a0", " ")
    replacing = sentences(open_page("standing_in.py", d="sample-summaries", **SMALL))
    verdict = "Crowd can replace a lab rater on overall quality."
    assert verdict in replacing
    assert verdict in overview
    assert "**Replacing raters**" in page_links(app)
    votes = sentences(open_page("overview.py", d="sample-comparisons", **SMALL))
    assert "bring differences on the scale to" in votes


def test_the_overview_of_one_rater_names_agreement_without_a_card(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    app = open_page(
        "overview.py", d=add_rows("item,rater,score", [(f"i{i}", "r1", i % 5) for i in range(12)])
    )
    assert [link for link in page_links(app) if "Agreement" in link] == ["Agreement"]
