"""Several files at once on the Data page: from the files to one study, what each stands for, and what does not fit."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from tests.pages.conftest import sentences
from tests.pages.data.test_data_page import verdict_counts
from ui.elements import store

OpenPage = Callable[..., AppTest]
pytestmark = pytest.mark.usefixtures("empty_overview")
NAMES = ("mos_crowd.csv", "mos_lab.csv")


def ratings(group: str, raters: int = 6) -> bytes:
    rows = (f"clip {n},{group}{m},{(n * (m + 2)) % 5 + 1}\n" for n in range(10) for m in range(raters))
    return ("item,rater,score\n" + "".join(rows)).encode()


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """AppTest sends no cookies, so each test gets its own workspace."""
    workspace = f"browser:{abs(hash(request.node.name)):064x}"
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: workspace)
    return workspace


def upload(open_page: OpenPage, *files: tuple[str, bytes]) -> AppTest:
    app = open_page("datasets.py")
    app.file_uploader[0].set_value([(name, content, "text/csv") for name, content in files])
    return calm(app.run())


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def save(app: AppTest) -> AppTest:
    return calm(next(button for button in app.button if button.label == "Save").click().run())


def newest(mine: str) -> Dataset:
    return store().datasets(mine)[0]


def test_two_files_are_two_groups_of_one_study(open_page: OpenPage, mine: str) -> None:
    waiting = set(store().spool.folder.iterdir())
    app = upload(open_page, *((name, ratings(name[4:-4])) for name in NAMES))
    assert verdict_counts(app) == [120, 120, 2, 6, 6, 10]
    assert {box.value for box in app.text_input if box.label.startswith("File ")} == {"crowd", "lab"}
    assert next(box for box in app.text_input if box.label == "Name").value == "mos"
    save(app)
    dataset = newest(mine)
    assert set(store().query(dataset, "cells")["group"].tolist()) == {"crowd", "lab"}
    assert set(store().spool.folder.iterdir()) == waiting
    report = store().report(dataset.id)
    assert report is not None
    assert (report["file"], report["files"]) == ("mos_crowd.csv + mos_lab.csv", list(NAMES))


def test_what_a_file_stands_for_is_typed_over(open_page: OpenPage, mine: str) -> None:
    app = upload(open_page, *((name, ratings(name[4:-4])) for name in NAMES))
    calm(next(box for box in app.text_input if box.label == "File 2").set_value("our <b>lab</b>").run())
    assert "our &lt;b&gt;lab&lt;/b&gt;" in sentences(app)
    save(app)
    assert newest(mine).mapping["@files"] == ("crowd", "our <b>lab</b>")


def test_a_file_that_does_not_fit_is_named_and_nothing_is_saved(open_page: OpenPage, mine: str) -> None:
    metrics = b"item,pesq\n" + b"".join(f"clip {n},{n * 1.37}\n".encode() for n in range(10))
    app = upload(open_page, ("ratings.csv", ratings("crowd")), ("<i>.csv", metrics))
    said = sentences(app)
    assert "&lt;i&gt;.csv&quot; holds metrics, &quot;ratings.csv&quot; holds ratings:" in said
    assert "Save" not in {button.label for button in app.button}
    assert store().datasets(mine) == []


def test_the_report_names_the_files(open_page: OpenPage, mine: str) -> None:
    save(upload(open_page, *((name, ratings(name[4:-4])) for name in NAMES)))
    app = open_page("datasets.py")
    app.session_state[f"more {newest(mine).id}"] = True
    calm(app.run())
    calm(app.button(key=f"report {newest(mine).id}").click().run())
    assert "From 2 files (mos_crowd.csv, mos_lab.csv): 120 of 120 ratings kept, 0 set aside." in sentences(
        app
    )


def test_files_of_one_rater_each_are_folded(open_page: OpenPage, mine: str) -> None:
    files = []
    for name in ("anna", "ben", "cleo", "dora", "eva"):
        rows = ratings(name, raters=1).replace(b",rater", b"").replace(f",{name}0".encode(), b"")
        files.append((f"{name}.csv", rows))
    app = upload(open_page, *files)
    assert verdict_counts(app) == [50, 50, 5, 5, 10]
    (fold,) = (each for each in app.expander if each.label == "The 5 files: each is a rater")
    assert not fold.proto.expanded
