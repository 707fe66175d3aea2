"""What is taken away is looked at again when it is asked for, not only when its button was drawn."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from data.errors import NotFound
from data.store.store import Store
from server import session_guard
from server.session_guard import Asked
from ui import downloads
from ui.downloads import GONE
from ui.elements import store

OpenPage = Callable[..., AppTest]
ROWS: list[tuple[object, ...]] = [(f"i{i}", f"r{r}", (i + r) % 5) for i in range(9) for r in range(4)]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The files that the buttons of the page would have made, by their labels."""
    made: dict[str, Any] = {}
    button = downloads.st.download_button

    def keep(label: str, data: Any, *rest: Any, **more: Any) -> Any:
        made[label] = data
        return button(label, data, *rest, **more)

    monkeypatch.setattr(downloads.st, "download_button", keep)
    return made


@pytest.fixture
def asks() -> Iterator[Asked]:
    """A browser of a visit asks for a file."""
    now = Asked("hers")
    token = session_guard._asked.set(now)
    yield now
    session_guard._asked.reset(token)


@pytest.fixture
def key(open_page: OpenPage, offered: dict[str, Any], add_rows: Callable[..., str]) -> str:
    """The key with which a page was opened whose fold of downloads is open."""
    key = add_rows("item,rater,score", ROWS)
    app = open_page("distributions.py", d=key)
    app.session_state["download_distributions"] = True
    app.run()
    assert not app.exception, app.exception
    assert "CSV" in offered
    return key


def test_a_file_is_made_while_the_link_leads_somewhere(key: str, offered: dict[str, Any]) -> None:
    assert b"," in offered["CSV"]()
    assert offered["Excel"]().startswith(b"PK")
    assert "\\caption{Size, center, spread and shape" in offered["LaTeX"]()
    assert "normality is tested by Anderson and Darling" in offered["LaTeX"]()
    assert "Plotly.newPlot" in offered["HTML"]()


def test_a_file_of_a_link_that_was_revoked_since_is_refused_in_words(
    key: str, offered: dict[str, Any], asks: Asked
) -> None:
    dataset = store().by_key(key)
    assert dataset is not None
    asks.visit = offered["CSV"].args[-1]
    with Store() as owners:
        owners.revoke_link(dataset.id, key)
    assert offered["CSV"]() == b""
    assert asks.refused == GONE


def test_a_file_of_another_visit_is_refused(key: str, offered: dict[str, Any], asks: Asked) -> None:
    assert offered["HTML"]() == b""
    assert asks.refused == GONE


def test_where_nobody_is_told_it_fails(key: str, offered: dict[str, Any]) -> None:
    dataset = store().by_key(key)
    assert dataset is not None
    store().delete(dataset.id)
    with pytest.raises(NotFound, match="was revoked"):
        offered["Markdown"]()


def test_every_download_is_made_when_it_is_asked_for_and_none_beside_this_module() -> None:
    """What stood ready would be had without asking again."""
    from pathlib import Path

    root = Path(__file__).resolve().parents[3]
    users = [
        path.name
        for folder in ("features", "panels", "pages", "ui")
        for path in (root / folder).rglob("*.py")
        if "download_button" in path.read_text()
    ]
    assert users == ["downloads.py"]
