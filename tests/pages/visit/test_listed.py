"""Pages as Streamlit lists them."""

from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ui.visit import pages


def test_a_page_is_looked_for_once_and_can_be_opened_every_time(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    page = st.Page

    def counted(script: str, **given: object) -> object:
        made.append(script)
        return page(script, **given)  # type: ignore[arg-type]

    pages._make_page.cache_clear()
    monkeypatch.setattr(pages.st, "Page", counted)
    app = open_page("distributions.py", d="sample-summaries")
    before = len(made)
    assert before
    for _ in range(2):
        app.run()
        assert not app.exception
        assert app.title[0].value == "Distributions"
    assert len(made) == before
