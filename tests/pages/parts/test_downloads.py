"""Downloads are checked again when they are requested, not only when their button was drawn."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from data.errors import NotFound
from data.store.store import Store
from server import session_guard
from server.session_guard import DownloadRequest
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

    def keep(label: str, data: Any, name: str, *rest: Any, **more: Any) -> Any:
        made[label] = data
        made.setdefault("names", {}).setdefault(label, name)
        return button(label, data, name, *rest, **more)

    monkeypatch.setattr(downloads.st, "download_button", keep)
    return made


@pytest.fixture
def asks() -> Iterator[DownloadRequest]:
    """A browser of a visit asks for a file."""
    now = DownloadRequest("hers")
    token = session_guard._current.set(now)
    yield now
    session_guard._current.reset(token)


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


def test_files_are_named_after_the_data_set_and_what_they_hold(key: str, offered: dict[str, Any]) -> None:
    dataset = store().by_key(key)
    assert dataset is not None
    named = "-".join(re.findall(r"[^\W_]+", dataset.name.lower()))
    assert offered["names"] == {
        "CSV": f"{named}_distributions.csv",
        "Excel": f"{named}_distributions.xlsx",
        "Markdown": f"{named}_distributions.md",
        "LaTeX": f"{named}_distributions.tex",
        "Unrounded CSV": f"{named}_distributions-unrounded.csv",
        "Parquet": f"{named}_distributions-unrounded.parquet",
        "JSON": f"{named}_distributions-unrounded.json",
        "HTML": f"{named}_histograms.html",
    }


def test_a_csv_holds_the_table_only_and_a_workbook_its_notes_too(key: str, offered: dict[str, Any]) -> None:
    rows = list(csv.reader(io.StringIO(offered["CSV"]().decode("utf-8-sig"), newline="")))
    table = offered["Unrounded CSV"]().decode("utf-8-sig").splitlines()
    assert len(rows) == len(table)
    assert {len(row) for row in rows} == {len(rows[0])}
    assert all(sum(bool(cell) for cell in row) > 1 for row in rows)
    note = "normality is tested by Anderson and Darling"
    assert note not in offered["CSV"]().decode("utf-8-sig")
    with ZipFile(io.BytesIO(offered["Excel"]())) as workbook:
        assert any(note.encode() in workbook.read(part) for part in workbook.namelist())


def test_a_file_of_a_link_that_was_revoked_since_is_refused_in_words(
    key: str, offered: dict[str, Any], asks: DownloadRequest
) -> None:
    dataset = store().by_key(key)
    assert dataset is not None
    asks.visit = offered["CSV"].args[-1]
    with Store() as owners:
        owners.revoke_link(dataset.id, key)
    assert offered["CSV"]() == b""
    assert asks.refusal == GONE


def test_a_file_of_another_visit_is_refused(key: str, offered: dict[str, Any], asks: DownloadRequest) -> None:
    assert offered["HTML"]() == b""
    assert asks.refusal == GONE


def test_a_download_that_no_page_asks_for_raises(key: str, offered: dict[str, Any]) -> None:
    dataset = store().by_key(key)
    assert dataset is not None
    store().delete(dataset.id)
    with pytest.raises(NotFound, match="was revoked"):
        offered["Markdown"]()


def test_every_download_is_made_when_it_is_asked_for_and_none_beside_this_module() -> None:
    """A file made in advance would skip the second check."""
    from pathlib import Path

    root = Path(__file__).resolve().parents[3]
    users = [
        path.name
        for folder in ("features", "panels", "pages", "ui")
        for path in (root / folder).rglob("*.py")
        if "download_button" in path.read_text()
    ]
    assert users == ["downloads.py"]
