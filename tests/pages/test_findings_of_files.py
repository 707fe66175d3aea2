"""Findings of the report of every real study, and of its pages under all questions, follow the rules for findings.

What pages draw is checked by `shown_findings` of this folder's conftest.
"""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from data.errors import DataError
from data.store.store import Store
from features.study import Session, use_session
from report.build import build_report
from report.settings import ReportSettings
from tests.golden.sources import NO_SHARED, SHARED, Source, list_sources
from tests.golden.views import SMALL, views_of
from tests.report.test_headlines import faults_of_sections

ALIKE = {
    "cases/wide_constant_rater_dropped.csv": "cases/wide_NA.csv",
    "cases/long_minus99.csv": "cases/wide_NA.csv",
}
"""Files that, once saved, have the columns and about the sizes of one that stays: three raters of 24 to 30 items."""
FILES = [source for source in list_sources() if not source.is_sample and source.name not in ALIKE]
FILES = FILES or [Source("no real studies")]


@pytest.mark.journey
@pytest.mark.parametrize("source", FILES, ids=lambda source: source.name)
def test_every_finding_of_a_real_study_is_plain(open_page: Callable[..., AppTest], source: Source) -> None:
    if source.path is None:
        pytest.skip(NO_SHARED)
    assert source.path.is_relative_to(SHARED)
    with Store() as store:
        try:
            dataset = store.add(source.path, name="A study")
        except DataError as told:
            pytest.skip(f"not read without a choice: {told}")
        key = store.link(dataset.id)
        with use_session(Session(store)):
            report = build_report(dataset, key, ReportSettings(draws=20))
    assert not faults_of_sections(report.sections)
    if source.has_all_views:  # of the others a page would show, as it opens, what the report has shown
        for view in views_of(dataset.kind, source.name, every=True):
            open_page(view.script, d=key, **SMALL | view.parameters)
