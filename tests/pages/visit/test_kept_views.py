"""Kept views: their owner names, notes, shares, changes and removes them; a reader opens what is shared."""

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from tests.pages.visit.test_share import MINE, OTHERS, add, calm, labels, press
from ui.elements import store

OpenPage = Callable[..., AppTest]
HOSTILE = '<img src=x onerror="alert(1)"> [Anna](https://evil.invalid)'


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """AppTest sends no cookies, so the fixture sets the workspace: at first mine."""

    def become(workspace: str | None) -> None:
        monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: workspace)

    become(MINE)
    return become


@pytest.fixture
def study(tmp_path: Path, database: Path) -> Dataset:
    """A data set of mine."""
    return add(tmp_path / "mine.csv")


def opened(open_page: OpenPage, **address: str) -> AppTest:
    """The page with its popover of views open."""
    app = open_page("distributions.py", **address)
    app.session_state["kept views"] = True
    return calm(app.run())


def listed(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html"))


def typed(app: AppTest, label: str, value: str) -> None:
    kinds = (*app.text_input, *app.text_area, *app.selectbox)
    next(box for box in kinds if box.label == label).set_value(value)


def test_the_owner_keeps_changes_and_removes_a_view(
    open_page: OpenPage, study: Dataset, workspace: object
) -> None:
    key = store().link(study.id)
    app = opened(open_page, d=key, show="Single ratings")
    app = press(app, "Keep this view")
    assert "A view needs a name" in listed(app)
    typed(app, "Name", HOSTILE)
    typed(app, "Note", f"{HOSTILE}\nsecond line")
    app = press(app, "Keep this view")
    (view,) = store().views(study.id)
    assert (view.name, view.view, view.shared) == (HOSTILE, "/distributions?show=Single+ratings", False)
    shown = listed(app)
    assert HOSTILE not in shown
    assert f">{escape(HOSTILE)}</a>" in shown
    assert "second line" in shown
    assert "Seen by me alone" in shown
    address = shown.split('<a href="')[1].split('"')[0].replace("&amp;", "&")
    assert urlsplit(address).path == "/distributions"
    assert parse_qs(urlsplit(address).query) == {"d": [key], "show": ["Single ratings"]}
    assert next(box for box in app.text_input if box.label == "Name").value == ""
    app = press(app, "Change")
    app.text_input(key=f"view name {view.id}").set_value("The scale's ends")
    app.selectbox(key=f"view seen by {view.id}").set_value("whoever has a link to the data set")
    app = press(app, "Save")
    (changed,) = store().views(study.id, shared_only=True)
    assert (changed.name, changed.note) == ("The scale's ends", f"{HOSTILE}\nsecond line")
    press(app, "Remove")
    assert store().views(study.id) == []


@pytest.mark.parametrize("reader", [OTHERS, None])
def test_a_reader_opens_what_is_shared_and_changes_nothing(
    open_page: OpenPage, study: Dataset, workspace: Callable[[str | None], None], reader: str | None
) -> None:
    store().keep_view(study.id, "for my eyes", "/overview", "a doubt")
    shared = store().keep_view(study.id, "for all", "/overview", HOSTILE, shared=True)
    link = store().add_link(study.id, "Ben")
    app = opened(open_page, d=link.key)
    button = app.button(key=f"remove view {shared.id}")
    workspace(reader)
    calm(button.click().run())
    assert store().views(study.id, shared_only=True) == [shared], "a stale tab of someone else cannot act"
    app = opened(open_page, d=link.key)
    shown = listed(app)
    assert "for all" in shown
    assert escape(HOSTILE) in shown
    assert f"d={link.key}" in shown
    assert "for my eyes" not in shown
    assert "a doubt" not in shown
    assert not {"Keep this view", "Change", "Remove"} & set(labels(app))


def test_a_view_is_added_to_the_report_which_a_reader_makes_of_shared_ones(
    open_page: OpenPage,
    study: Dataset,
    workspace: Callable[[str | None], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files: dict[str, Callable[[], str]] = {}
    monkeypatch.setattr(
        "ui.screens.report.offer_download", lambda label, make, name, mime, keys: files.update({label: make})
    )
    store().keep_view(study.id, "x", "/agreement?candidate=b", HOSTILE, shared=True)
    key = store().link(study.id)
    app = opened(open_page, d=key, show="Single ratings")
    typed(app, "Name", "x")
    app = press(app, "Add this view to the report")
    app = calm(app.switch_page("study_report.py").run())
    assert app.multiselect(key="report_views").value == ["x (2)"]
    app = calm(app.multiselect(key="report_views").select("x").run())
    workspace(OTHERS)
    app = open_page("study_report.py", d=key, report_views=["x (2)", "x"], report_sections="The data")
    assert app.multiselect(key="report_views").options == ["x"]
    app = press(app, "Make the report")
    report = json.loads(files["Numbers (JSON)"]())
    assert [section["title"] for section in report["sections"]] == ["The data", "View: x"]
    (address,) = [note for note in report["sections"][1]["notes"] if note.startswith("This view: ")]
    assert parse_qs(urlsplit(address).query) == {"d": [key], "candidate": ["b"]}
    assert HOSTILE not in " ".join([listed(app), files["HTML"]()])
    assert escape(HOSTILE) in listed(app)


def test_a_sample_belongs_to_nobody_and_keeps_no_views(open_page: OpenPage, workspace: object) -> None:
    assert "Keep this view" not in labels(opened(open_page, d="sample-summaries"))
