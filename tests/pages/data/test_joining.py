"""A second file on the Data page: from the open data set to a new version, and what does not match in words."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from tests.pages.conftest import sentences, statuses
from ui.elements import store
from ui.screens import joining

OpenPage = Callable[..., AppTest]
pytestmark = pytest.mark.usefixtures("empty_overview")
ROWS = "".join(
    f"i{item},w{rater},{(item * (rater + 2)) % 5 + 1}\n" for item in range(8) for rater in range(5)
)
GOLD = "clip,pesq\ni0,1.5\ni1,2.25\nI2,3.5\n<b>else</b>,4.75\n"
PEOPLE = (
    "Submission id,Participant id,Status,Age\n"
    "s0,w0,APPROVED,30\ns1,w1,RETURNED,31\ns2,w2,TIMED-OUT,30\ns3,w3,REJECTED,33\ns4,w4,APPROVED,30\n"
)


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """AppTest sends no cookies, so each test gets its own workspace."""
    workspace = f"browser:{abs(hash(request.node.name)):064x}"
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: workspace)
    return workspace


@pytest.fixture
def study(database: Path, tmp_path: Path, mine: str) -> Dataset:
    file = tmp_path / "ratings.csv"
    file.write_text("item,rater,score\n" + ROWS)
    return store().add(file, name="my study", workspace=mine)


def with_second(open_page: OpenPage, study: Dataset, content: str, name: str = "second.csv") -> AppTest:
    app = open_page("datasets.py", d=store().link(study.id))
    app.file_uploader[1].upload(name, content.encode())
    return calm(app.run())


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def save(app: AppTest) -> AppTest:
    return calm(
        next(button for button in app.button if button.label == "Save as a new version").click().run()
    )


def newest(mine: str) -> Dataset:
    return store().datasets(mine)[0]


def test_numbers_of_items_become_a_new_version(open_page: OpenPage, study: Dataset, mine: str) -> None:
    app = with_second(open_page, study, GOLD)
    told = sentences(app)
    assert "pesq for 2 of 8 items." in told
    assert ": &lt;b&gt;else&lt;/b&gt;, I2." in told
    assert ": i2, i3, i4 and 3 more." in told
    assert ": &#x27;I2&#x27; and &#x27;i2&#x27;." in told
    save(app)
    new = newest(mine)
    assert (new.replaces, new.name, new.has("pesq")) == (study.id, "my study", True)
    assert store().get(study.id) == study
    report = store().report(new.id)
    assert report is not None
    assert report["file"] == "my study + second.csv"


def test_a_models_column_that_is_joined_may_stand_in(open_page: OpenPage, study: Dataset, mine: str) -> None:
    closed = open_page("standing_in.py", d=store().link(study.id))
    assert "No candidate can replace these raters" in sentences(closed)
    judged = "".join(f"i{item},{(item * 4) % 5 + 1.25}\n" for item in range(8))
    save(with_second(open_page, study, f"clip,model_judge\n{judged}", "model judge.csv"))
    opened = open_page("standing_in.py", d=store().link(newest(mine).id), fewest_shared="5")
    assert opened.dataframe[0].value["Candidate"].tolist() == ["model_judge"]
    assert statuses(opened)[0] == "uncertain"


def test_participants_who_returned_are_set_aside_by_a_switch(
    open_page: OpenPage, study: Dataset, mine: str
) -> None:
    app = with_second(open_page, study, PEOPLE, "prolific_export.csv")
    assert "status and rater_age for 5 of 5 raters." in sentences(app)
    made = app.session_state[joining.MADE]
    calm(app.toggle[0].set_value(True).run())
    assert "rows 16 count and 24 are" in sentences(app)
    assert not Path(made).exists()
    calm(app.toggle[0].set_value(False).run())  # made anew: what was made before is gone
    calm(app.toggle[0].set_value(True).run())
    save(app)
    assert (newest(mine).rows_kept, newest(mine).rows_set_aside) == (16, 24)
    assert joining.MADE not in app.session_state


def test_another_group_is_named_on_both_sides(open_page: OpenPage, study: Dataset, mine: str) -> None:
    rows = "item,rater,score\n" + "".join(f"i{at},lab{at % 2},{at % 5 + 1}\n" for at in range(12))
    app = with_second(open_page, study, rows, "lab.csv")
    assert "new version has 52 that" in sentences(app)
    assert "new: i10, i11, i8 and 1 more." in sentences(app)
    for side, name in (("there are", "crowd"), ("new", "lab")):
        calm(next(each for each in app.text_input if side in each.label).set_value(name).run())
    save(app)
    groups = store().query(newest(mine), "cells")["group"].tolist()
    assert set(groups) == {"crowd", "lab"}


def test_gold_in_other_words_and_two_files_becomes_labels(
    open_page: OpenPage, tmp_path: Path, mine: str
) -> None:
    file = tmp_path / "labels.csv"
    rows = [f"t{task},w{rater},{('no', 'yes')[task % 2]}" for task in range(8) for rater in range(3)]
    file.write_text("\n".join(["task,worker,label", *rows]))
    study = store().add(file, workspace=mine)
    app = open_page("datasets.py", d=store().link(study.id))
    halves = [
        (
            f"gold {half}.csv",
            "".join(["task,gold\n", *(f"t{task},{task % 2}\n" for task in range(half, half + 4))]),
        )
        for half in (0, 4)
    ]
    app.file_uploader[1].set_value([(name, content.encode(), "text/csv") for name, content in halves])
    calm(app.run())
    assert "gold for 8 of 8 items." in sentences(app)
    assert "&quot;0&quot; is read as no, &quot;1&quot; is read as yes" in sentences(app)
    save(app)
    labels = store().query(newest(mine), "choices")
    assert labels["gold"].tolist() == labels["choice"].tolist()


def test_a_file_of_other_names_is_refused_in_words(open_page: OpenPage, study: Dataset, mine: str) -> None:
    app = with_second(open_page, study, "item,pesq\nx1,1.5\nx2,2.5\nx3,2.25\n")
    assert "No item of the file is in the data set" in sentences(app)
    assert "Save as a new version" not in {button.label for button in app.button}
    assert len(store().datasets(mine)) == 1


def test_only_who_manages_a_data_set_may_add_to_it(
    open_page: OpenPage, study: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = with_second(open_page, study, GOLD)
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: "browser:" + "e" * 64)
    save_button = next(button for button in app.button if button.label == "Save as a new version")
    calm(save_button.click().run())
    assert "is gone" in sentences(app)
    others = open_page("datasets.py", d=store().link(study.id))
    assert len(others.file_uploader) == 1
