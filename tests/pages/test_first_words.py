"""The start page and the overview of each sample are short."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from data.samples import SAMPLES
from tests.pages.conftest import sentences_of

MOST_WORDS = 75
EVIDENCE = " · "
"""Between the parts of the line below a headline, which are figures rather than prose."""


def prose(app: AppTest) -> list[str]:
    """Return the words of a page's sentences and captions, without figures, grades, labels and links."""
    said = [*sentences_of(app), *(caption.value for caption in app.main.caption)]
    told = [re.sub(r"\W*\b(clear|uncertain)\s*$", ".", one) for one in said if EVIDENCE not in one]
    return " ".join(one for one in told if one.strip().endswith((".", "?", "!", ":"))).split()


def test_the_start_page_is_short(open_page: Callable[..., AppTest]) -> None:
    words = prose(open_page("start.py"))
    assert 5 < len(words) <= MOST_WORDS, " ".join(words)


@pytest.mark.parametrize("key", [one.key for one in SAMPLES if one.kind != "contributors"])
def test_the_overview_of_a_sample_is_short(open_page: Callable[..., AppTest], key: str) -> None:
    words = prose(open_page("overview.py", d=key))
    assert 5 < len(words) <= MOST_WORDS, " ".join(words)
