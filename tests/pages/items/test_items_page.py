"""Items: what stands out, one item's ratings and one rater's, from the address and by choice."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from features.blocks import Status
from tests.pages.conftest import LastFinding, figures, sentences

Open = Callable[..., AppTest]
NASTY = "[x](https://evil.invalid) <b>i0</b>"
ROWS = [
    (
        NASTY if i == 0 else f"i{i}",
        f"r{r:02}",
        "crowd" if r < 10 else "lab",
        "AB"[i % 2],
        f"<i>text {i}</i>",
        s,
    )
    for i in range(14)
    for r in range(16)
    if (s := (1 + 4 * (r % 2) if i == 3 else 3 + (i + r) % 2)) or True
]
HEADER = "item,rater,group,system,text,score"


@pytest.fixture
def key(add_rows: Callable[..., str]) -> str:
    return add_rows(HEADER, ROWS)


def test_the_list_names_whom_raters_disagree_on_and_has_every_item(
    open_page: Open, key: str, last_finding: LastFinding
) -> None:
    app = open_page("items.py", d=key)
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1] == {"measure": "score", "out": 1, "items": "14"}
    assert "Most clearly i3: SD 2.11" in sentences(app)
    shown = app.dataframe[0].value
    assert shown["Item"].iloc[0] == "i3"
    assert len(shown) == 14
    places = [place for trace in figures(app)[0]["data"] for place in trace["customdata"]]
    assert sorted(places) == list(range(14))
    app.number_input(key="mos_from").set_value(3.5).run()
    assert "13 of 14 items have the MOS asked for and are shown" in sentences(app)
    assert "i3" not in app.dataframe[0].value["Item"].tolist()  # rated 1 and 5 in turns
    assert sum(len(trace["x"]) for trace in figures(app)[0]["data"]) == 13


def test_an_item_shows_its_ratings_its_text_and_what_groups_say(
    open_page: Open, key: str, last_finding: LastFinding
) -> None:
    app = open_page("items.py", d=key, item=NASTY)
    values = last_finding().headline[1]
    assert (values["item"], values["mos"], values["group"]) == (f"Item {NASTY}", "3.50", "crowd")
    assert "system A" in sentences(app)
    assert "<i>text 0</i>" in [text.value for text in app.text]
    means, every = (table.value for table in app.dataframe)
    assert means["MOS"].tolist() == [3.5, 3.5]
    assert every["Rater"].tolist() == [f"r{r:02}" for r in range(16)]
    assert every["Score"].tolist() == [row[5] for row in ROWS if row[0] == NASTY]


def test_a_rater_is_seen_against_the_others_and_leaving_out_empties_the_view(
    open_page: Open, key: str, last_finding: LastFinding
) -> None:
    app = open_page("items.py", d=key, rater="r02")
    assert last_finding().headline[1] == {"rater": "Rater r02", "ratings": "14 ratings"}
    every = app.dataframe[0].value
    others = [row[5] for row in ROWS if row[0] == "i1" and row[2] == "crowd" and row[1] != "r02"]
    assert every.set_index("Item").at["i1", "Mean of the others"] == pytest.approx(sum(others) / 9)
    gone = open_page("items.py", d=key, rater="r02", without=["r02"])
    assert last_finding().status is Status.NOT_ENOUGH_DATA
    assert not gone.dataframe
    other = open_page("items.py", d=key, item="of nobody")
    assert "disagreement on score" in sentences(other)


def test_excluded_raters_are_stated_above_the_finding(open_page: Open, key: str) -> None:
    told = sentences(open_page("items.py", d=key, without=["r00", "r02"]))
    assert told.index("Without the 2 excluded raters, ") < told.index("disagreement on score")
    alone = sentences(open_page("items.py", d=key, item="i1", without=["r00"]))
    assert alone.index("Ratings by r00 are excluded.") < alone.index("Item i1 has a MOS")


def test_a_saved_address_with_the_former_name_of_the_order_still_works(open_page: Open, key: str) -> None:
    app = open_page("items.py", d=key, items_by="May be broken")
    assert app.segmented_control(key="items_by").value == "Possibly faulty"


def test_an_exclusion_changes_nothing_where_items_have_too_few_ratings(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    key = add_rows(
        "item,rater,score", [(f"i{i}", f"r{(i + r) % 4}", 1 + i * r % 5) for i in range(12) for r in range(3)]
    )
    told = sentences(open_page("items.py", d=key, without=["r0"]))
    assert "Ratings by r0 are excluded." in told
    assert "stands out" not in told
