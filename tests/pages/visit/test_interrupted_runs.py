"""Runs of a page that end between two lines of the script, as a further click ends them."""

from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import sentences


@pytest.mark.parametrize(
    ("interrupted", "not_drawn"),
    [
        ("ui.visit.study.st.multiselect", ("measures", "only_topic", "without")),
        ("ui.visit.filters._has_filters", ("only_topic", "without")),
        ("ui.visit.filters.rater_names", ("without",)),
    ],
    ids=["sidebar", "filters", "exclusion"],
)
def test_a_data_set_opened_by_an_interrupted_run_starts_from_its_defaults(
    open_page: Callable[..., AppTest],
    add_rows: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    interrupted: str,
    not_drawn: tuple[str, ...],
) -> None:
    """The browser still holds the previous data set's choices for controls that the run did not reach."""
    keys = [
        add_rows(
            "item,rater,score,group,measure,topic",
            [
                (f"item {i}", f"{who}{r}", 1 + (i * r + shift) % 5, group, measure, f"topic {i % 3}")
                for i in range(6)
                for r in range(4)
                for who, group in (("c", "crowd"), ("l", "lab"))
                for measure in ("fluency", "meaning")
            ],
        )
        for shift in (0, 1)
    ]
    plain = open_page("agreement.py", d=keys[1])
    app = open_page(
        "agreement.py", d=keys[0], without="l0", only_topic="topic 1", measures="meaning", candidate="lab"
    )
    chosen = app._tree
    assert app.multiselect(key="without").value == ["l0"]
    for key in not_drawn:
        app.multiselect(key=key).set_value(app.multiselect(key=key).value)  # what the browser goes on sending
    app.query_params.clear()
    app.query_params["d"] = keys[1]
    with monkeypatch.context() as patch:
        patch.setattr(interrupted, lambda *_, **__: st.stop())
        app.run()
    app._tree = chosen
    app.run()
    assert not app.exception
    for key in ("without", "measures"):
        assert app.multiselect(key=key).value == [], key
    assert "only_topic" not in [box.key for box in app.multiselect]  # nothing is filtered
    assert app.selectbox(key="candidate").value == plain.selectbox(key="candidate").value
    assert sentences(app) == sentences(plain)
