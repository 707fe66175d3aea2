"""A hostile owner types into every text field: names of data sets and of links are text, whatever they say."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.store.store import Store
from tests.attacks.test_addresses import HOSTILE, SQL
from tests.pages.conftest import sentences

pytestmark = pytest.mark.journey

TYPED = [text for text in HOSTILE if len(text) <= 120 and "\x00" not in text]


@pytest.fixture
def mine(add_study: Callable[..., str], tmp_path: Path) -> str:
    """The key of a data set."""
    file = tmp_path / "mine.csv"
    rows = [
        f"i{item},r{rater},{group},{1 + (item + rater) % 5}"
        for item in range(6)
        for rater in range(4)
        for group in "ab"
    ]
    file.write_text("\n".join(["item,rater,group,score", *rows]) + "\n", encoding="utf-8")
    return add_study(file)


@pytest.mark.parametrize("text", TYPED)
def test_a_name_is_kept_as_it_was_typed_and_harms_nothing(mine: str, text: str) -> None:
    with Store() as store:
        dataset = store.by_key(mine)
        assert dataset is not None
        assert store.rename(dataset.id, text).name == text
        link = store.add_link(dataset.id, text, view="/repetitions?candidate=" + text.replace("d=", ""))
        assert [each.name for each in store.links(dataset.id) if each.key == link.key] == [text]
        again = store.by_key(link.key)
        assert again is not None
        assert (again.id, again.name) == (dataset.id, text)


def test_the_name_of_the_open_data_set_is_text_in_the_sidebar(
    open_page: Callable[..., AppTest], mine: str
) -> None:
    with Store() as store:
        dataset = store.by_key(mine)
        assert dataset is not None
        store.rename(dataset.id, f"<img src=x onerror=alert(1)> {SQL}")
    app = open_page("distributions.py", d=mine)
    assert any("<img" in option for option in app.sidebar.selectbox[0].options)
    assert "<img" not in sentences(app)
