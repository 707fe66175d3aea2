"""Agreement on real ratings: one finding, two pictures, the table, rater pairs, and all coefficients."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]


def test_a_study_of_one_group_has_its_agreement_and_every_coefficient_where_asked_for(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    app = open_page("agreement.py", d=add_study(shared_data / "video_mos_nflx_public.csv"))
    assert "of 325 rater pairs" in sentences(app)
    (at_a_glance,) = (table.value for table in app.dataframe)
    assert at_a_glance["Alpha"].iloc[0] < at_a_glance["Mean of ratings"].iloc[0]
    assert len(figures(app)) == 3
    app.toggle(key="coefficients").set_value(True).run()
    table = app.dataframe[-1].value.set_index("Coefficient")["Value"]
    assert set(table.index) >= {"alpha, interval", "alpha, ordinal", "ICC(A,1)", "ICC(C,k)"}
    assert set(table.index) >= {"percent agreement", "Brennan-Prediger", "Gwet's AC2", "Fleiss' kappa"}
    assert table["percent agreement"] < table["Conger's kappa"] < table["Gwet's AC2"]
    assert table["ICC(A,1)"] < table["ICC(C,1)"] < table["ICC(C,k)"]
    assert table["alpha, interval"] == pytest.approx(at_a_glance["Alpha"].iloc[0])


def test_pairs_of_whom_hardly_any_shares_items_are_not_drawn(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    """Raters 0 and 1 rate the same 12 items; 8 others share 2 items with each."""
    by = {r: range(12) if r < 2 else (2 * r, 2 * r + 1) for r in range(10)}
    rows = [(f"i{i}", f"r{r}", (i + r % 3) % 5) for r, items in by.items() for i in items]
    app = open_page("agreement.py", d=add_rows("item,rater,score", rows))
    assert "only rater pair" in sentences(app)
    assert len(figures(app)) == 2


def test_who_is_left_out_does_not_count(open_page: Open, add_rows: Callable[..., str]) -> None:
    rows = [(f"i{i}", f"r{r}", i % 5 if r < 3 else (i * 2) % 5) for i in range(20) for r in range(4)]
    key = add_rows("item,rater,score", rows)
    everyone, without = (open_page("agreement.py", d=key, without=w) for w in ([], ["r3"]))
    assert everyone.dataframe[0].value["Alpha"].iloc[0] < 1
    assert without.dataframe[0].value["Alpha"].iloc[0] == 1


def test_raters_of_either_group_can_be_excluded(open_page: Open) -> None:
    """The address keeps them, and the figures of their group change."""
    address = {"d": "sample-summaries", "measures": ["focus"]}
    everyone, without = (
        open_page("agreement.py", **address, without=w) for w in ([], ["lab 03", "crowd 07"])
    )
    assert without.multiselect(key="without").value == ["lab 03", "crowd 07"]
    assert without.query_params["without"] == ["lab 03", "crowd 07"]
    before, after = (app.dataframe[0].value.set_index("Group")["Alpha"] for app in (everyone, without))
    assert set(before.index) == {"crowd", "lab"}
    assert (before != after).all()
    assert "Without the 2 excluded raters, alpha on focus (crowd) is" in sentences(without)
