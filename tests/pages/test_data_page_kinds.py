"""The Data page with tables that are no ratings: proposed, corrected, saved, listed, and never opened as a study."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.kinds import KINDS
from pages._results import store
from tests.pages.conftest import sentences
from tests.pages.test_data_page import GOOD, WORKSPACE, OpenPage, box, calm, upload, words

CONTRIBUTORS = (
    b"topic,item,scu,contributor,weight,assessor\n"
    b"D1,s1,7,the dam broke,4,A\nD1,s1,8,it rained,2,A\nD1,s2,7,a broken dam,4,A\nD1,s2,9,people fled,1,A\n"
)
METRICS = b"item,rouge1,bleu\nclip 0,0.317,12\nclip 1,0.52,140\nclip 2,0.44,99\n"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest sends no cookies, so the page and the sidebar are told of one."""
    for module in ("_workspace", "_study"):
        monkeypatch.setattr(f"pages.{module}.current_workspace", lambda: WORKSPACE)


def press(app: AppTest, label: str) -> AppTest:
    return calm(next(button for button in app.button if button.label == label).click().run())


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.selectbox]


def sidebar_names(app: AppTest) -> list[str]:
    return list(next(each for each in app.sidebar.selectbox if each.label == "Data set").options)


def test_the_kind_is_proposed_and_only_what_can_be_imported_is_offered(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    assert box(app, "Kind of table").value == KINDS["ratings"].title
    assert box(app, "Kind of table").options == [
        KINDS[kind].title for kind in ("ratings", "contributors", "metrics")
    ]


def test_contributors_are_saved_listed_and_not_opened(open_page: OpenPage) -> None:
    waiting = set(store().spool.folder.iterdir())
    app = upload(open_page, CONTRIBUTORS, "my pyramid.csv")
    assert box(app, "Kind of table").value == KINDS["contributors"].title
    assert box(app, "scu_id (required)").value == "scu"
    assert box(app, "contributor_text (required)").value == "contributor"
    assert box(app, "rater_id").value == "assessor"
    assert {"Layout of the table", "Scores are", "Rater ids are"}.isdisjoint(labels(app))
    assert not [each for each in app.multiselect if "columns" in each.label.lower()]
    assert "<b>4</b> of 4 contributors will be kept, <b>0</b> set aside." in words(app)
    press(app, "Save")
    assert app.title[0].value == "Data"
    assert "my pyramid is saved. Open the ratings of the same summaries" in sentences(app)
    assert "under Pyramid" in sentences(app)
    assert "Contributors: 4 kept, 0 set aside, saved" in sentences(app)
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my pyramid"]
    assert not [button for button in app.button if button.key == f"open {saved.id}"]
    assert set(store().spool.folder.iterdir()) == waiting
    again = open_page("datasets.py")
    assert "my pyramid" not in sidebar_names(again)
    assert "is saved." not in sentences(again)


def test_metrics_are_saved_and_say_where_they_are_used(open_page: OpenPage) -> None:
    app = upload(open_page, METRICS, "my metrics.csv")
    assert box(app, "Kind of table").value == KINDS["metrics"].title
    [chosen] = [each for each in app.multiselect if each.label.startswith("Columns with numbers")]
    assert chosen.value == ["rouge1", "bleu"]
    assert "<b>3</b> of 3 rows will be kept" in words(app)
    calm(chosen.set_value([]).run())
    assert "Choose at least one column with numbers of the items above to go on." in sentences(app)
    assert not [button for button in app.button if button.label == "Save"]
    [chosen] = [each for each in app.multiselect if each.label.startswith("Columns with numbers")]
    calm(chosen.set_value(["bleu"]).run())
    press(app, "Save")
    assert "under Automatic metrics" in sentences(app)
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my metrics"]
    assert saved.named("item number") == ("bleu",)


def test_the_proposed_kind_can_be_overruled_and_taken_back(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    calm(box(app, "Kind of table").set_value(KINDS["contributors"].title).run())
    assert "Choose the column for topic and scu_id and contributor_text and weight above" in sentences(app)
    calm(box(app, "Kind of table").set_value(KINDS["metrics"].title).run())
    assert "the item has a row already, with the same numbers" in " ".join(
        frame.value.to_string() for frame in app.dataframe
    )
    calm(box(app, "Kind of table").set_value(KINDS["ratings"].title).run())
    assert "<b>160</b> of 160 ratings will be kept, <b>0</b> set aside." in words(app)


def test_rejected_contributors_are_told_with_line_and_reason(open_page: OpenPage) -> None:
    app = upload(open_page, CONTRIBUTORS + b"D1,s2,9,they left,NaN,A\nD1,s2,9,,2,A\nD1,s2\n")
    assert "<b>4</b> of 7 contributors will be kept, <b>3</b> set aside." in words(app)
    shown = " ".join(frame.value.to_string() for frame in app.dataframe)
    for reason in (
        "the weight is not a finite number",
        "the contributor's text is empty",
        "the row has 2 cells where the header has 6",
    ):
        assert reason in shown


def test_a_table_of_choices_can_still_be_mapped_as_ratings(open_page: OpenPage, shared_data: Path) -> None:
    app = upload(open_page, (shared_data / "choice2_sentiment_timed.csv").read_bytes())
    assert "This looks like a table of choices, which cannot be imported yet" in sentences(app)
    assert box(app, "Kind of table").value == KINDS["ratings"].title


@pytest.mark.parametrize("content", [CONTRIBUTORS, METRICS])
def test_text_from_these_files_stays_text(open_page: OpenPage, content: bytes) -> None:
    hostile = HOSTILE.encode()
    app = upload(
        open_page,
        content.replace(b"s1", hostile).replace(b"clip 1", hostile).replace(b"bleu", b"bleu " + hostile),
        f"{HOSTILE}.csv",
    )
    press(app, "Save")
    html = "\n".join(element.proto.body for element in app.get("html"))
    assert "is saved." in html
    assert "<img" not in html


@pytest.mark.parametrize(("content", "kind"), [(CONTRIBUTORS, "contributors"), (METRICS, "metrics")])
def test_the_address_of_what_is_no_study_is_not_found(
    open_page: OpenPage, tmp_path: Path, content: bytes, kind: str
) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(content)
    mapping = {name: name for name in ("topic", "weight")} | {
        "item_id": "item",
        "scu_id": "scu",
        "contributor_text": "contributor",
    }
    if kind == "metrics":
        mapping = {"item_id": "item", "bleu": "bleu"}
    key = store().link(store().add(file, kind, mapping, "not a study").id)
    for page in ("overview.py", "crowd_vs_lab.py"):
        app = open_page(page, d=key)
        assert app.title[0].value == "Not found"
        assert "There is no data set under this address." in sentences(app)
    assert app.query_params["d"] in (key, [key])
    assert open_page("datasets.py", d=key).title[0].value == "Data"
