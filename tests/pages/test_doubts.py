"""Doubts about a data set are shown on its Overview and in every finding from it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.samples import SAMPLES
from tests.pages.conftest import sentences_of
from ui.elements import store

HEADER = "item,rater,score,group"
TWICE = [
    (f"i{i}", f"{group}{r}", 1 + (i * 3 + r * r + again + (group == "lab")) % 5, group)
    for again in range(2)
    for i in range(24)
    for r in range(5)
    for group in ("crowd", "lab")
]
"""Every rater rates every item twice: half of the ratings repeat."""
CLAUSE = "Doubtful, since 50% of the ratings repeat an item and a rater: "


@pytest.fixture
def key(add_rows: Callable[..., str]) -> str:
    return add_rows(HEADER, TWICE)


@pytest.mark.parametrize("page", ["distributions.py", "agreement.py", "crowd_vs_lab.py", "repetitions.py"])
def test_a_page_of_doubtful_data_begins_with_the_doubt(
    open_page: Callable[..., AppTest], key: str, page: str
) -> None:
    said = sentences_of(open_page(page, d=key))
    assert any(sentence.startswith(CLAUSE) and len(sentence) > len(CLAUSE) for sentence in said), said


def test_the_overview_says_it_once_more_and_how_it_goes(open_page: Callable[..., AppTest], key: str) -> None:
    said = sentences_of(open_page("overview.py", d=key))
    [told] = [sentence for sentence in said if "This data looks wrong" in sentence]
    assert "50% of the ratings repeat an item and a rater. Every finding says so until" in told
    assert sum(sentence.startswith(CLAUSE) for sentence in said) == 5


@pytest.mark.parametrize(
    ("page", "about", "is_doubted"),
    [
        ("standing_in.py", "Not enough overlap to test whether crowd can replace a lab rater", False),
        ("assessors.py", "consistent than the typical rater", True),
    ],
)
def test_what_data_are_too_few_for_is_said_without_a_doubt_and_what_intervals_leave_open_with_it(
    open_page: Callable[..., AppTest], key: str, page: str, about: str, is_doubted: bool
) -> None:
    (told,) = [sentence for sentence in sentences_of(open_page(page, d=key)) if about in sentence]
    assert told.startswith(CLAUSE) is is_doubted


@pytest.mark.usefixtures("empty_overview")
@pytest.mark.parametrize("page", ["overview.py", "distributions.py"])
def test_how_it_is_computed_says_when_a_finding_is_doubtful(
    open_page: Callable[..., AppTest], key: str, page: str
) -> None:
    for dataset, told in ((key, True), ("sample-summaries", False)):
        app = open_page(page, d=dataset)
        app.session_state["how_computed"] = True
        app.run()
        assert (
            any("repeat an item and a rater; more than half" in part.value for part in app.markdown) is told
        )


def test_the_overview_draws_only_what_can_be_told(
    open_page: Callable[..., AppTest], add_rows: Callable[..., str]
) -> None:
    """One rating per item: nothing of repetitions and raters can be drawn, only how the items' scores spread."""
    key = add_rows("item,rater,score", [(f"i{i}", f"r{i % 3}", i % 5) for i in range(30)])
    app = open_page("overview.py", d=key)
    assert len(app.get("plotly_chart")) == 1
    titles = [link.proto.label for link in app.get("page_link")]
    assert "**Distributions**" in titles
    assert not {"**Repetitions**", "**Replacing raters**"} & set(titles)


def test_another_study_after_it_is_in_no_doubt(open_page: Callable[..., AppTest], key: str) -> None:
    app = open_page("distributions.py", d=key)
    app.query_params["d"] = "sample-summaries"
    app.run()
    assert not [sentence for sentence in sentences_of(app) if "Doubtful" in sentence]


def test_no_sample_is_in_doubt(database: Path) -> None:
    for sample in SAMPLES:
        dataset = store().by_key(sample.key)
        assert dataset is not None
        assert (sample.key, store().doubts(dataset.id)) == (sample.key, ())


def test_no_page_says_a_finding_without_its_doubts() -> None:
    """Findings go through the one place that adds doubts."""
    root = Path(__file__).resolve().parents[2]
    plain = re.compile(r"\bsay\(\*[\w.]*(finding|at_a_glance)\w*\(|\.headline\b")
    told = [
        path.name
        for folder in ("pages", "ui")
        for path in (root / folder).rglob("*.py")
        if path.name != "operator.py" and plain.search(path.read_text())
    ]
    assert told == []
