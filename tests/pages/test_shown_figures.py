"""Every interval and every p value that a page shows has rows in docs/calibration.csv.

Here they are read off the pages; tests/benchmarks/test_calibration.py holds the rows.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pandas as pd
import pytest
from streamlit import dataframe_util
from streamlit.testing.v1 import AppTest

from benchmarks.calibration.headings import figures_of
from data.samples import SAMPLES
from features.words import explained
from tests.golden.recording import key_of
from tests.golden.views import SMALL, VIEWS, View
from tests.pages.conftest import sentences_of

NUMBER = r"[−-]?\d[\d.,]*"
BETWEEN = re.compile(rf"{NUMBER}(?:%)? to {NUMBER}")
OF_CHANCE = re.compile(r"\bp (?:=|<|>) ?[.\d]")
WORD = re.compile(r"[^\W\d_]{2,}")
HEAD = re.compile(r"(^|, )p\b|\bp$|\d+ ?%|\binterval\b|from – to|\b(low|high)$", re.IGNORECASE)
"""Heads of columns that carry an interval or a p value, whatever stands in their cells."""
QUESTIONS = ("section", "question", "about", "plan")
UNRECORDED = [
    *(View(about, "standing_in.py", {"about": about}) for about in ("Shared errors", "Corrected scores")),
    View("Worth of a difference", "metrics.py", {"about": "Worth of a difference"}),
]
"""Questions about ratings whose numbers tests/golden does not record."""
FURTHER = {
    kind: [
        view
        for view in (*VIEWS.get(kind, ()), *(UNRECORDED if kind == "ratings" else ()))
        if not view.parameters.keys().isdisjoint(QUESTIONS)
    ]
    for kind in {sample.kind for sample in SAMPLES}
}
ASKED = [
    *((view.script, sample.key, view.parameters) for sample in SAMPLES for view in FURTHER[sample.kind]),
    *(
        (page, "sample-assessors", {"without": "E"})
        for page in ("assessors.py", "metrics.py", "pyramid.py", "training.py", "systems.py")
    ),
]
"""Views that a page does not open with; tests/pages/test_every_page.py looks at those that it does."""
TOLD = "name its row in benchmarks/calibration/headings.py, and simulate one where there is none"
NOT_PLAIN = "explain it in features/glossary.toml, or say it in plain words"
GOLD = [
    (f"i{i}", f"w{w}", "yes" if (i * w + i) % 5 else "no", "yes" if i % 3 else "no")
    for i in range(30)
    for w in range(1, 8)
]


def headings(app: AppTest) -> Iterator[str]:
    """Yield places of intervals and p values: 'column …', 'figure …' or 'sentence …'."""
    for sentence in sentences_of(app):
        for found in (*BETWEEN.finditer(sentence), *OF_CHANCE.finditer(sentence)):
            yield f"sentence {sentence[max(0, found.start() - 120) : found.end() + 40]}"
    for table in app.dataframe:
        shown = as_shown(table)
        for column in table.value:
            cells = [cell for cell in (*table.value[column], *shown.get(column, ())) if isinstance(cell, str)]
            if HEAD.search(str(column)) or any(BETWEEN.search(cell) for cell in cells):
                yield f"column {column} ({table.proto.alt})"
    for chart in app.get("plotly_chart"):
        for trace in json.loads(chart.proto.spec)["data"]:
            if trace.get("error_x") or trace.get("error_y") or trace.get("fill") in ("toself", "tonexty"):
                yield f"figure {key_of(chart.proto.id)}"


def as_shown(table: Any) -> pd.DataFrame:
    """The cells of a table as texts, where they are written otherwise than their values are."""
    (_, data), *_ = table.proto.ListFields()
    texts = data.styler.display_values
    return dataframe_util.convert_arrow_bytes_to_pandas_df(texts) if texts else pd.DataFrame()


PLAIN = set(
    WORD.findall(
        """
    agreement best worst shown choices crowd in on
    accuracy adjusted after against alike all and answer answers apart as aside asked
    author automatic before between but by candidate change changed characters checks choice chosen class
    compared comparison comparisons condition correlation difference divided documents equal event events
    everyone excluded expected expert failed features figure first fitted for found from full gain gold group
    groups held higher highest humans it item items its judge judged judgements judges judgments kind known
    label largest learned left less levels lost lower machine majority manual mean measure median method metric
    minus model models needed no not of once only option order other options out outcome over own pairs per
    points presentations question questions range rankings rate rater raters ratings reference replaced same says
    second seconds set sets share shared significant size smallest source stories story summaries summary
    surrogate surrogates system systems task tasks tested text texts the them tied ties to told topic topics
    twice type undefined value votes what why with without won word words worker workers aw ui readability
    responsiveness pyramid focus grammaticality non redundancy referential clarity structure and coherence
    summary post usefulness informativeness overall quality
    """
    )
)
"""Words of heads that need no explanation, and the samples' own names."""


def unexplained(app: AppTest) -> set[str]:
    """Heads of tables that are neither in plain words, nor names from data, nor explained by the glossary."""
    measures = {str(value) for table in app.dataframe for value in table.value.iloc[:, 0]}
    heads = {str(column) for table in app.dataframe for column in table.value} - measures
    return {head for head in heads if not (explained(head) or set(WORD.findall(head.lower())) <= PLAIN)}


def views(open_page: Callable[..., AppTest], page: str, **address: str) -> Iterator[AppTest]:
    """A page under each of the questions that it can be asked, or as it is."""
    first = open_page(page, **SMALL, **address)
    yield first
    for question in questions(first)[1:]:
        yield open_page(page, **SMALL, **address, **question)


def questions(app: AppTest) -> list[dict[str, str]]:
    """The addresses of what the page can be asked."""
    return [
        {group.key: option.content}
        for group in app.get("button_group")
        if group.key in QUESTIONS
        for option in group.proto.options
    ]


def without_a_view(app: AppTest, page: str, kind: str) -> list[dict[str, str]]:
    """Return the page's views, other than its default, that `ASKED` lacks."""
    looked_at = [view.parameters.items() for view in FURTHER[kind] if view.script == page]
    return [
        question
        for question in questions(app)[1:]
        if not any(question.items() <= asked for asked in looked_at)
    ]


def without_a_row(page: str, every: Iterable[AppTest]) -> list[str]:
    """Return headings that have no row."""
    return [heading for app in every for heading in headings(app) if figures_of(page, heading) is None]


@pytest.mark.journey
@pytest.mark.parametrize(("page", "key", "asked"), ASKED)
def test_whatever_a_page_shows_has_a_row(
    open_page: Callable[..., AppTest], page: str, key: str, asked: dict[str, str]
) -> None:
    app = open_page(page, d=key, **SMALL | asked)
    assert not without_a_row(page, [app]), TOLD
    assert not unexplained(app), NOT_PLAIN


def test_labels_held_against_gold_have_rows(
    open_page: Callable[..., AppTest], add_rows: Callable[..., str]
) -> None:
    key = add_rows("item,rater,choice,gold", GOLD, "choices")
    for page in ("workers.py", "systems.py", "repetitions.py", "overview.py"):
        assert not without_a_row(page, views(open_page, page, d=key)), TOLD


def test_what_looks_like_an_interval_is_seen() -> None:
    assert BETWEEN.search("0.82 (−0.12 to 0.94)")
    assert BETWEEN.search("61% (57 to 65%)")
    assert not BETWEEN.search("Here to stay")
    assert all(
        HEAD.search(head) for head in ("p", "p (Holm)", "Slope, p", "Knee, 95%", "from – to", "RMSE low")
    )
    assert not any(HEAD.search(head) for head in ("Ratings per item", "Group", "Lowest", "Spread"))
    assert all(OF_CHANCE.search(told) for told in ("p = .034", "p < .001"))
