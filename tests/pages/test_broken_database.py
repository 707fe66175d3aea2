"""A database that cannot be opened is told in a sentence, on every page, without a traceback."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.store.store import Store
from tests.pages.conftest import FRAME, sentences


@pytest.mark.parametrize("page", ["overview.py", "datasets.py", "repetitions.py"])
def test_a_file_that_is_no_database_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    broken = tmp_path / "raterscope.duckdb"
    broken.write_bytes(b"no database at all" * 1000)
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(broken))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    st.cache_resource.clear()
    app = AppTest.from_file(FRAME, default_timeout=60).run()
    app = app.switch_page(page).run()
    assert not app.exception
    assert str(broken) in sentences(app)
    assert "RATERSCOPE_DATABASE" in sentences(app)
    st.cache_resource.clear()


def test_a_data_set_that_goes_while_it_is_looked_at_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(tmp_path / "raterscope.duckdb"))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    st.cache_resource.clear()
    file = tmp_path / "study.csv"
    file.write_text(
        "item,rater,score\n" + "\n".join(f"i{i},r{r},{(i + r) % 5}" for i in range(9) for r in range(4))
    )
    with Store() as store:
        mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
        dataset = store.add(file, "ratings", mapping, "study")
        app = AppTest.from_file(FRAME, default_timeout=60)
        app.query_params["d"] = store.link(dataset.id)
        app.run()
        assert not app.exception
        store.delete(dataset.id)
        app.run()
    assert not app.exception
    assert "no data set under this address" in sentences(app)
    st.cache_resource.clear()
