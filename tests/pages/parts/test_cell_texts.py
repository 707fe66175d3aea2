"""Texts of cells reach the browser as those of pandas' own Styler do."""

from io import BytesIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from streamlit.elements import arrow
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData

from panels.parts.cell_texts import with_texts

TABLES = {
    "numbers and words": pd.DataFrame(
        {"measure": ["focus", "<b>flow</b>"], "rho": [0.91, np.nan], "n": [3, 4]}
    ),
    "to tick": pd.DataFrame({"out": [True, False], "rater": ["a", "b"]}),
    "one row": pd.DataFrame({"rho": [0.5]}),
    "no row": pd.DataFrame({"rho": np.array([], dtype=float)}),
    "rows of a longer table": pd.DataFrame({"rho": np.arange(9.0)}).iloc[[7, 2, 4]],
    "named by numbers": pd.DataFrame({0: ["x"], 1: ["y"]}),
}


def marshalled(styler: object, by: object) -> ArrowData:
    proto = ArrowData()
    by(proto, styler, "an id")  # type: ignore[operator]
    return proto


def read(written: bytes) -> pa.Table:
    return pa.ipc.open_stream(BytesIO(written)).read_all()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_same_texts_arrive_as_from_pandas(table: pd.DataFrame) -> None:
    texts = {str(column): [f"{value}, told" for value in table[column]] for column in table}
    styler = table.reset_index(drop=True).style.format("{}, told", na_rep="nan, told")
    ours = marshalled(with_texts(table, texts), arrow.marshall_styler)
    pandas = marshalled(styler, marshall_styler)
    assert ours.styler.uuid == "an id"  # so that a table that is the same is the same message
    assert ours.styler.styles == pandas.styler.styles == ""
    own, theirs = read(ours.styler.display_values), read(pandas.styler.display_values)
    assert own.to_pydict() == theirs.to_pydict()
    assert own.to_pandas().index.equals(theirs.to_pandas().index)


def test_a_styler_of_others_is_left_to_streamlit() -> None:
    styler = pd.DataFrame({"rho": [0.5]}).style.format("{:.2f}").set_properties(color="red")
    ours, pandas = marshalled(styler, arrow.marshall_styler), marshalled(styler, marshall_styler)
    assert ours == pandas
    assert "red" in ours.styler.styles
