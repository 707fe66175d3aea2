"""Any two systems, on the Systems page: the sample's two designs, real votes with ties, and undefined states."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from analysis.systems.preference import DROPPED, METHODS
from features.blocks import Status
from features.systems import pairs_results
from tests.pages.conftest import LastFinding, figures, sentences

Open = Callable[..., AppTest]
Add = Callable[..., str]
SAMPLE = "sample-comparisons"
BAD = "<img src=x onerror=alert(1)> [a](http://b) $x$"
HEADER = "item_id,rater_id,choice,option_a,option_b,design"


def opened(open_page: Open, key: str = SAMPLE, **address: str) -> AppTest:
    app = open_page("systems.py", d=key, about="Any two systems", all_columns="true", **address)
    for figure in figures(app):
        go.Figure(figure)
    return app


def tables(app: AppTest) -> list:
    return [table.value for table in app.dataframe]


def rows(
    answers: dict[str, str], design: str = "one way", a: str = "AW", b: str = "UI"
) -> list[tuple[object, ...]]:
    """One string of choices per worker: 1 the first, 2 the second, = both, 0 neither; every other item swapped."""
    words = {"1": "first", "2": "second", "=": "both", "0": "neither"}
    other = {"1": "2", "2": "1"}
    return [
        (f"q{item}", worker, words[other.get(choice, choice) if item % 2 else choice], *pair, design)
        for worker, choices in answers.items()
        for item, choice in enumerate(choices)
        for pair in [(b, a) if item % 2 else (a, b)]
    ]


def open_items(app: AppTest) -> pd.DataFrame:
    """The items by difficulty, from their fold."""
    app.session_state["preference fold of difficulty"] = True
    app.run()
    assert not app.exception
    return tables(app)[-1]


def test_the_sample_has_a_finding_a_panel_per_design_and_the_papers_tables(open_page: Open) -> None:
    app = opened(open_page)
    told = sentences(app)
    assert "UI is preferred over AW" in told
    assert "all 6 methods agree" in told
    assert "(2-choice); worker" in told
    assert "went to the one in first position" in told
    (figure,) = figures(app)
    of_methods, of_pairs = tables(app)
    assert of_methods["Method"].tolist() == [
        "least reliable 4 dropped" if "dropped" in method else method for method in METHODS
    ]
    share, other = of_methods["Share of UI, 2-choice"], of_methods["Share of UI, 4-choice"]
    assert (share > 0.5).all()
    assert (other > 0.5).all()
    assert [sorted(trace["x"]) for trace in figure["data"]] == [sorted(share), sorted(other)]
    np.testing.assert_allclose(of_methods["2-choice minus 4-choice"], share - other, atol=1e-12)
    assert (of_methods["Share of UI, 2-choice from"] < share).all()
    assert len(of_pairs) == 5
    of_items = open_items(app)
    assert len(of_items) == 24
    assert of_items["Entropy"].is_monotonic_decreasing
    assert set(of_items["Expert"]) <= {"AW", "UI"}


def test_the_slider_changes_only_its_method(open_page: Open) -> None:
    app = opened(open_page)
    before = tables(app)[0]
    app.slider(key="dropped").set_value(0).run()
    assert not app.exception
    after = tables(app)[0]
    changed = before["Share of UI, 2-choice"] != after["Share of UI, 2-choice"]
    assert changed.tolist() == [False, True, False, False, False, False]
    assert (
        after["Share of UI, 2-choice"][0] == after["Share of UI, 2-choice"][1]
    )  # dropping nobody is equal weights
    assert len(figures(app)) == 1


def test_other_comparisons_and_other_draws_can_be_asked_for(open_page: Open) -> None:
    app = opened(open_page)
    app.selectbox(key="compared").select("KW vs SS, 4-choice").run()
    assert not app.exception
    told = sentences(app)
    assert "SS is preferred over KW" in told
    assert "all 5 methods agree" in told
    of_methods, _ = tables(app)
    assert "Share of SS" in of_methods
    assert "– GLAD: " in told
    one = of_methods["Share of SS from"].tolist()
    app.number_input(key="preference_seed").set_value(7).run()
    assert not app.exception
    assert tables(app)[0]["Share of SS from"].tolist() != one
    of_items = open_items(app)
    assert len(of_items) == 36
    assert {"KW: votes", "SS: votes", "both: votes", "neither: votes"} <= set(of_items)


def test_many_votes_have_glad_without_interval(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("features.systems.pairs_results.QUICK_VOTES", 300)
    app = opened(open_page, compared="KW vs SS, 4-choice")
    assert "GLAD has no interval above 300 votes" in sentences(app)
    assert tables(app)[0]["Share of SS from"].isna().tolist()[-1]


def test_ties_of_a_real_study(open_page: Open, add_study: Add, shared_data: Path) -> None:
    app = opened(open_page, add_study(shared_data / "pandalm_pairwise_3way.csv", "choices"))
    _, of_pairs = tables(app)
    assert len(of_pairs) > 3
    assert ((of_pairs["Share by PCC-H"] >= 0.5) | of_pairs["Share by PCC-H"].isna()).all()
    assert "tie: votes" in open_items(app)


def test_nothing_is_drawn_where_everybody_says_neither(open_page: Open, add_rows: Add) -> None:
    app = opened(open_page, add_rows(HEADER, rows(dict.fromkeys("abc", "0000" * 3), "4-choice"), "choices"))
    assert "no preference between AW and UI: most judgments say neither" in sentences(app)
    assert not figures(app)
    assert not tables(app)


@pytest.mark.parametrize("answers", [{"a": "1212"}, {"a": "1", "b": "2", "c": "1"}, {"a": "1"}])
def test_too_few_items_have_a_next_step_and_no_control_without_effect(
    open_page: Open, add_rows: Add, answers: dict[str, str], last_finding: LastFinding
) -> None:
    app = opened(open_page, add_rows(HEADER, rows(answers), "choices"))
    assert last_finding().status is Status.NOT_ENOUGH_DATA
    assert app.get("page_link")
    assert not figures(app)
    assert not app.slider
    assert not tables(app)


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"a": "121211211212"}, "cover other items only, since there is one rater"),
        ({"a": "1122" * 3, "b": "1122" * 3}, "12 items with fewer than 3 votes"),
    ],
)
def test_few_raters_are_warned_of(open_page: Open, add_rows: Add, answers: dict[str, str], told: str) -> None:
    app = opened(open_page, add_rows(HEADER, rows(answers), "choices"))
    assert told in sentences(app)
    assert len(figures(app)) == 1


def test_a_tie_and_a_close_race_are_not_clear(
    open_page: Open, add_rows: Add, last_finding: LastFinding
) -> None:
    even = dict.fromkeys("abc", "112212" * 2)
    close = {"a": "111212" * 2, "b": "112212" * 2, "c": "121212" * 2}
    for answers in (even, close):
        opened(open_page, add_rows(HEADER, rows(answers), "choices"))
        assert last_finding().status is Status.UNCERTAIN


def test_systems_that_never_changed_places_tell_nothing_of_a_position(open_page: Open, add_rows: Add) -> None:
    fixed = [
        (f"q{i}", w, "first" if i else "second", "AW", "UI", "one way") for i in range(12) for w in "abc"
    ]
    assert "never swapped positions" in sentences(opened(open_page, add_rows(HEADER, fixed, "choices")))


def test_names_from_uploads_are_inert(open_page: Open, add_rows: Add) -> None:
    bad = BAD.replace(",", "")
    app = opened(
        open_page,
        add_rows(
            HEADER, rows({"a": "1121" * 3, "b": "1122" * 3, "c": "1112" * 3}, bad, bad, "UI"), "choices"
        ),
    )
    for element in app.get("html"):
        assert "<img src=x" not in element.proto.body
    for element in app.get("plotly_chart"):
        assert "<img src=x" not in element.proto.spec
    for element in app.markdown:
        assert "onerror" not in element.value


def test_what_is_sent_is_small(open_page: Open) -> None:
    app = opened(open_page)
    assert sum(len(element.proto.spec) for element in app.get("plotly_chart")) < 15_000


def test_one_more_dropped_is_worked_out_before_anyone_asks(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(open_page)
    asked = app.slider(key="dropped").value
    computed: list[int] = []
    own = pairs_results._Parts.compute

    def counted(parts: Any, methods: Sequence[str], *more: Any) -> Any:
        if DROPPED in methods:
            computed.append(parts.spec.dropped)
        return own(parts, methods, *more)

    monkeypatch.setattr(pairs_results._Parts, "compute", counted)
    app.slider(key="dropped").set_value(asked + 1).run()
    assert not app.exception
    assert set(computed) == {asked + 2}
