"""The first screen: what this is for, and ways in that lead where they say."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from tests.pages.conftest import figures, sentences_of

STUDIES = [sample for sample in SAMPLES if KINDS[sample.kind].study]


def test_its_example_is_what_the_samples_overview_says(open_page: Callable[..., AppTest]) -> None:
    app = open_page("start.py")
    overview = open_page("overview.py", d=STUDIES[0].key)
    shared = [sentence for sentence in sentences_of(app) if sentence in sentences_of(overview)]
    assert shared, "the finding"
    (shown,) = figures(app)
    assert shown["data"] in [figure["data"] for figure in figures(overview)]
    assert "d" not in app.query_params, "the first screen is of no data set"


@pytest.mark.usefixtures("empty_overview")
def test_each_sample_opens_from_it(open_page: Callable[..., AppTest]) -> None:
    for sample in STUDIES:
        app = open_page("start.py")
        app.button(key=f"open {sample.key}").click().run()
        assert app.title[0].value == "Overview"
        assert app.query_params["d"] == sample.key
