"""Tables as a browser gets them: sortable numbers, written as their column or their cell says."""

import csv
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit import dataframe_util
from streamlit.testing.v1 import AppTest

from features.plotting.theme import decimal
from tests.pages.conftest import bodies, copied
from ui.render import MOST_CELLS


def table_of(script: Callable[[], None]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The values of the one table of a page, and its cells as they are written."""
    app = AppTest.from_function(script).run()
    assert not app.exception
    (table,) = app.dataframe
    (_, data), *_ = table.proto.ListFields()
    return table.value, dataframe_util.convert_arrow_bytes_to_pandas_df(data.styler.display_values)


def opened(script: Callable[[], None], *files: str) -> AppTest:
    """A page whose buttons 'Columns and files' have been pressed, of these tables."""
    app = AppTest.from_function(script)
    for named in files:
        app.session_state[f"open files of {named}"] = True
    app.run()
    assert not app.exception
    return app


def table_with_a_long_name_below(short: int) -> None:
    import pandas as pd

    from ui.render import show_table

    over = ["items"] * short + ["single items of a rater"]
    show_table(pd.DataFrame({"Over": over, "Measure": ["focus"] * len(over), "n": range(len(over))}), {}, "t")


@pytest.mark.parametrize("short", [9, 12])
def test_a_column_has_room_for_names_that_a_browser_does_not_measure(short: int) -> None:
    app = AppTest.from_function(table_with_a_long_name_below, args=(short,)).run()
    assert not app.exception
    widths = {name: of.get("width") for name, of in json.loads(app.dataframe[0].proto.columns).items()}
    assert widths["Over"] >= 7 * len("single items of a rater")
    assert widths.get("Measure") is None
    assert widths.get("n") is None


def page() -> None:
    import pandas as pd

    from features.plotting.theme import decimal
    from ui.render import show_table

    rows = pd.DataFrame({"name": ["a", "b"], "r": [0.5, float("nan")], "d": [float("nan"), -1.25]})
    rows["told"] = ["0.3", decimal(float("nan"))]
    show_table(rows, {"r": ["0.50 (0.1 to 0.9)", "never"], "d": decimal}, alt="figures")


def test_a_figure_and_its_interval_are_one_cell_and_the_number_stays() -> None:
    values, written = table_of(page)
    assert values["r"][0] == 0.5
    assert written["r"][0] == "0.50 (0.1 to 0.9)"
    assert written["d"][1] == decimal(-1.25)


def test_a_number_that_is_not_known_is_a_dash() -> None:
    values, written = table_of(page)
    assert written["r"][1] == written["d"][0] == values["told"][1] == "–"


def with_reasons() -> None:
    import pandas as pd

    from ui.render import show_table

    rows = pd.DataFrame({"name": ["<b>a</b>", "b", "c"], "r": [float("nan"), 0.5, float("nan")]})
    rows["Why"] = ["two <items>", "said of no dash", "two <items>"]
    show_table(rows, {}, alt="figures")


def test_the_reason_of_a_dash_stands_below_the_table_and_no_column_holds_it() -> None:
    app = AppTest.from_function(with_reasons).run()
    assert not app.exception
    assert list(app.dataframe[0].value) == ["name", "r"]
    (told,) = (body for body in bodies(app) if body.startswith("<p") and "–" in body)
    assert "– &lt;b&gt;a&lt;/b&gt; and c: two &lt;items&gt;." in told
    assert "said of no dash" not in told


def twice() -> None:
    import pandas as pd

    from ui.render import show_table

    for _ in range(2):
        show_table(pd.DataFrame({"name": ["=1+1"] * 2500}), {}, alt="Raters, by name")


def test_every_table_gives_its_rows_in_full_and_without_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    makes: list[tuple[str, Callable[[], bytes]]] = []
    button = st.download_button

    def keep(label: str, data: Callable[[], bytes], name: str, *rest: str, **more: Any) -> bool:
        makes.append((name, data))
        return button(label, data, name, *rest, **more)

    monkeypatch.setattr(st, "download_button", keep)
    app = opened(twice, "raters-by-name 1", "raters-by-name 2")
    assert [len(table.value) for table in app.dataframe] == [2000, 2000]
    made = [(name, make()) for name, make in makes]
    as_shown = {f"raters-by-name.{ending}" for ending in ("csv", "xlsx", "md", "tex")}
    unrounded = {f"raters-by-name-unrounded.{ending}" for ending in ("csv", "parquet", "json")}
    assert {name for name, _ in made} == as_shown | unrounded
    rows = [file for name, file in made if name.endswith(".csv")]
    assert all(each.count(b"\n") == 2501 and b"'=1+1" in each and b"\n=" not in each for each in rows)
    assert len(app.get("download_button")) == 2 * 7


def test_what_nobody_has_opened_is_not_made() -> None:
    app = opened(twice, "raters-by-name 2")
    assert len(copied(app)) == 1
    assert len(app.get("download_button")) == 7
    assert {button.key for button in app.get("download_button")} == {
        f"{label} of files of raters-by-name 2"
        for label in ("CSV", "Excel", "Markdown", "LaTeX", "Unrounded CSV", "Parquet", "JSON")
    }


def test_a_table_is_copied_as_tab_separated_text_without_formulas() -> None:
    app = opened(twice, "raters-by-name 1", "raters-by-name 2")
    first, second = copied(app)
    assert first == second
    assert first.splitlines()[:2] == ["name", "'=1+1"]
    assert len(first.splitlines()) == 501


def hostile() -> None:
    import pandas as pd

    from ui.render import show_table

    show_table(pd.DataFrame({"a": ['"><b data-copies="x', " "], "b": ["&#9;", ""]}), {}, alt='"><i>')


def test_cells_stay_text_on_the_button_that_copies_them() -> None:
    app = opened(hostile, "i 1")
    [body] = [body for body in bodies(app) if "<button" in body]
    assert re.findall(r"<(/?\w+)", body) == ["button", "/button"]
    [text] = copied(app)
    assert list(csv.reader(text.splitlines(), delimiter="\t")) == [
        ["a", "b"],
        ['"><b data-copies="x', "&#9;"],
        ["", ""],
    ]


def test_a_table_without_rows_is_not_shown() -> None:
    app = AppTest.from_function(empty).run()
    assert not app.exception
    assert not app.dataframe
    assert not app.get("download_button")


def empty() -> None:
    import pandas as pd

    from ui.render import show_table

    show_table(pd.DataFrame({"name": []}), {}, alt="nobody")


def few_first() -> None:
    import pandas as pd

    from ui.render import show_table

    for measure in ("focus", "clarity"):
        rows = pd.DataFrame({"Measure": [measure], "Knee": [7], "<b>x</b>": [1], "c": [0.1]})
        show_table(rows, {}, alt="Knees", first=["Measure", "Knee", "not there"])


def test_few_columns_come_first_and_all_on_a_click_that_the_address_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: dict[str, bytes] = {}
    button = st.download_button

    def keep(label: str, data: Callable[[], bytes], *rest: str, **more: Any) -> bool:
        made[label] = data()
        return button(label, data, *rest, **more)

    monkeypatch.setattr(st, "download_button", keep)
    app = opened(few_first, "knees 1", "knees 2")
    assert made["CSV"].decode("utf-8-sig").splitlines() == ["Measure,Knee", "clarity,7"]
    assert made["Unrounded CSV"].decode().splitlines() == ["Measure,Knee,<b>x</b>,c", "clarity,7,1,0.1"]
    assert [list(table.value) for table in app.dataframe] == [["Measure", "Knee"]] * 2
    app.button(key="all_columns 2").click().run()
    assert not app.exception
    assert [len(table.value.columns) for table in app.dataframe] == [4, 4]
    assert app.query_params["all_columns"] == "true"
    assert made["CSV"].decode("utf-8-sig").splitlines() == ["Measure,Knee,<b>x</b>,c", "clarity,7,1,0.100"]
    app.button(key="all_columns 1").click().run()
    assert [len(table.value.columns) for table in app.dataframe] == [2, 2]
    assert "all_columns" not in app.query_params


def test_terms_are_explained_at_the_heads_and_behind_the_button() -> None:
    app = opened(few_first, "knees 1", "knees 2")
    (table, _), (terms, _) = app.dataframe, [body for body in bodies(app) if body.startswith("<dl")]
    assert "Where the curve bends (the knee): " in table.proto.columns
    assert "Where the curve bends (the knee)</b></dt>" in terms
    assert "<b>x</b>" not in terms


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"measure": ["focus", "<b>flow</b>"], "rho": [0.91, np.nan], "n": [3, 4]}),
        pd.DataFrame({"out": [True, False], "rater": ["a", "b"]}),
        pd.DataFrame({"rho": [0.5]}),
        pd.DataFrame({"rho": np.array([], dtype=float)}),
        pd.DataFrame({"rho": np.arange(9.0)}).iloc[[7, 2, 4]],
        pd.DataFrame({0: ["x"], 1: ["y"]}),
        pd.DataFrame({"same": [0.5] * 300}),
    ],
)
def test_each_cell_has_its_own_text_also_where_values_are_equal(table: pd.DataFrame) -> None:
    texts = {
        str(column): [f"{place}: {value}" for place, value in enumerate(table[column])] for column in table
    }
    sent, again = (AppTest.from_function(sends, args=(table, texts)).run() for _ in range(2))
    assert not sent.exception
    (_, data), *_ = sent.dataframe[0].proto.ListFields()
    shown = dataframe_util.convert_arrow_bytes_to_pandas_df(data.styler.display_values)
    assert {str(column): list(shown[column]) for column in shown} == texts
    assert sent.dataframe[0].proto == again.dataframe[0].proto


def wide() -> None:
    import pandas as pd

    from ui.render import show_table

    show_table(pd.DataFrame({str(column): [0.5] * 200 for column in range(50)}), {}, alt="wide")


def test_of_a_table_with_more_cells_than_pandas_formats_the_first_rows_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert pd.get_option("styler.render.max_elements") >= MOST_CELLS
    monkeypatch.setattr("ui.render.MOST_CELLS", 2500)
    with pd.option_context("styler.render.max_elements", 2500):
        app = AppTest.from_function(wide, default_timeout=60).run()
    assert not app.exception
    assert app.dataframe[0].value.shape == (50, 50)
    assert [caption.value for caption in app.caption] != []


def sends(table, texts) -> None:  # type: ignore[no-untyped-def]  # read alone, without this module's imports
    import streamlit as st

    from ui.render import styled

    st.dataframe(styled(table, texts))
