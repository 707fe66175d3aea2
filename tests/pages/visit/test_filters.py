"""Looking at some of the ratings only: from the address, said on the page with a way back, with whom is left out."""

from collections.abc import Callable
from statistics import mean

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences
from ui.visit.pages import PAGES

Open = Callable[..., AppTest]
ROWS = [
    (
        f"i{i}",
        f"{g}{r}",
        g,
        f"<b>s{i % 3}</b>",
        f"2024-05-0{1 + i % 4} 10:30:00",
        (i * (r + 2) + ord(g)) % 5 + 1,
    )
    for i in range(12)
    for r in range(6)
    for g in "ab"
]
HEADER = "item,rater,group,system,rated_at,score"


def test_figures_rest_on_what_passes_and_the_way_back_leads_to_all(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    address = {
        "d": add_rows(HEADER, ROWS),
        "only_system": ["<b>s1</b>", "<b>s2</b>", "of nobody"],
        "since": "2024-05-02T00:00",
        "without": ["a0"],
    }
    app = open_page("distributions.py", **address)
    told = "Only system &lt;b&gt;s1&lt;/b&gt; and &lt;b&gt;s2&lt;/b&gt;, from 2024-05-02 00:00: 72 of 144 ratings"
    assert told in sentences(app)
    kept = [row for row in ROWS if row[3] != "<b>s0</b>" and row[4] >= "2024-05-02" and row[1] != "a0"]
    shown = app.dataframe[0].value.set_index("Group")
    assert shown["Ratings"].sum() == len(kept)
    of_items = [
        [row[5] for row in kept if row[0] == item and row[2] == "a"] for item in {row[0] for row in kept}
    ]
    assert shown.at["a", "Mean"] == pytest.approx(mean(map(mean, of_items)))
    app.button(key="no filters").click().run()
    assert "Only system" not in sentences(app)
    assert app.dataframe[0].value["Ratings"].sum() == 132
    assert app.multiselect(key="without").value == ["a0"]


def test_where_nothing_passes_every_page_says_what_to_do(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    key = add_rows(HEADER, ROWS)
    for page in PAGES:
        if page.needs_dataset and "ratings" in page.kinds:
            app = open_page(
                page.script, d=key, only_item=["i1"], until="2024-05-01T10:31", rule="BT.500 screening"
            )
            assert "No ratings of item i1, until 2024-05-01 10:31 are left." in sentences(app)
            assert not figures(app)
            assert app.button(key="no filters").label == "All ratings"


def test_of_many_names_a_part_is_looked_for_and_another_data_set_starts_with_all(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"item {i}", f"r{r}", (i + r) % 5) for i in range(120) for r in range(2)]
    app = open_page("overview.py", d=add_rows("item,rater,score", rows), with_item="M 11")
    assert "Only item with “M 11” in its name: 22 of 240 ratings." in sentences(app)
    app.selectbox[0].set_value("sample-comparisons").run()
    assert "Only" not in sentences(app)
    assert app.multiselect(key="only_item").value == []


def test_filters_are_drawn_once_they_are_wanted(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = open_page("distributions.py", d=add_rows(HEADER, ROWS))
    assert "only_system" not in [box.key for box in app.multiselect]
    app.session_state["filters fold"] = True
    app.run()
    app.multiselect(key="only_system").set_value(["<b>s1</b>"]).run()
    app.session_state["filters fold"] = False
    app.run()
    assert app.multiselect(key="only_system").value == ["<b>s1</b>"]
    app.button(key="no filters").click().run()
    app.run()
    assert "only_system" not in [box.key for box in app.multiselect]
