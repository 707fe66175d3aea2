"""The Data page with tables that are no ratings: proposed, corrected, saved, listed, and never opened as a study."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from data.kinds.definitions import KINDS
from data.mapping.proposal import Proposal
from tests.pages.conftest import sentences
from tests.pages.data.test_data_page import (
    GOOD,
    WORKSPACE,
    OpenPage,
    box,
    calm,
    head,
    upload,
    verdict_counts,
    words,
)
from ui.elements import store
from ui.screens.columns import UNUSED

pytestmark = pytest.mark.usefixtures("empty_overview")
CONTRIBUTORS = (
    b"topic,item,scu,contributor,weight,assessor\n"
    b"D1,s1,7,the dam broke,4,A\nD1,s1,8,it rained,2,A\nD1,s2,7,a broken dam,4,A\nD1,s2,9,people fled,1,A\n"
)
METRICS = b"item,rouge1,bleu\nclip 0,0.317,12\nclip 1,0.52,140\nclip 2,0.44,99\n"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest sends no cookies, so the fixture sets one."""
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: WORKSPACE)


def press(app: AppTest, label: str) -> AppTest:
    return calm(next(button for button in app.button if button.label == label).click().run())


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.selectbox]


def sidebar_names(app: AppTest) -> list[str]:
    return list(next(each for each in app.sidebar.selectbox if each.label == "Data set").options)


def test_the_kind_is_proposed_and_all_are_offered(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    assert box(app, "Kind of table").value == KINDS["ratings"].title
    assert box(app, "Kind of table").options == [kind.title for kind in KINDS.values()]


def test_contributors_are_saved_listed_and_not_opened(open_page: OpenPage) -> None:
    waiting = set(store().spool.folder.iterdir())
    app = upload(open_page, CONTRIBUTORS, "my pyramid.csv")
    assert box(app, "Kind of table").value == KINDS["contributors"].title
    assert head(app, "scu").value == "scu_id"
    assert head(app, "contributor").value == "contributor_text"
    assert head(app, "assessor").value == "rater_id"
    assert {"Layout of the table", "Scores are", "Rater ids are"}.isdisjoint(labels(app))
    assert not [each for each in app.multiselect if "columns" in each.label.lower()]
    assert "<b>4 of 4 contributors kept</b>" in words(app)
    press(app, "Save")
    assert app.title[0].value == "Data"
    assert "my pyramid is saved. Open the ratings of the same summaries" in sentences(app)
    assert "on the Pyramid page" in sentences(app)
    assert "Contributors: 4 kept, 0 set aside, saved" in sentences(app)
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my pyramid"]
    assert not [button for button in app.button if button.key == f"open {saved.id}"]
    assert set(store().spool.folder.iterdir()) == waiting
    again = open_page("datasets.py", d="sample-summaries")
    assert "my pyramid" not in sidebar_names(again)
    assert "is saved." not in sentences(again)


def test_metrics_are_saved_and_say_where_they_are_used(open_page: OpenPage) -> None:
    app = upload(open_page, METRICS, "my metrics.csv")
    assert box(app, "Kind of table").value == KINDS["metrics"].title
    assert [head(app, name).value for name in ("rouge1", "bleu")] == ["item number"] * 2
    assert "<b>3 of 3 rows kept</b>" in words(app)
    for name in ("rouge1", "bleu"):
        calm(head(app, name).set_value(UNUSED).run())
    assert not [button for button in app.button if button.label == "Save"]
    calm(head(app, "bleu").set_value("item number").run())
    press(app, "Save")
    assert "on the page Automatic metrics" in sentences(app)
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my metrics"]
    assert saved.named("item number") == ("bleu",)


def test_the_proposed_kind_can_be_overruled_and_taken_back(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    calm(box(app, "Kind of table").set_value(KINDS["contributors"].title).run())
    assert "topic, content unit, contributor&#x27;s text and weight" in sentences(app)
    calm(box(app, "Kind of table").set_value(KINDS["metrics"].title).run())
    assert "has a row already" in " ".join(frame.value.to_string() for frame in app.dataframe)
    calm(box(app, "Kind of table").set_value(KINDS["ratings"].title).run())
    assert verdict_counts(app)[:2] == [160, 160]


def test_rejected_contributors_are_reported_with_line_and_reason(open_page: OpenPage) -> None:
    app = upload(open_page, CONTRIBUTORS + b"D1,s2,9,they left,NaN,A\nD1,s2,9,,2,A\nD1,s2\n")
    assert verdict_counts(app)[:3] == [4, 7, 3]
    shown = " ".join(frame.value.to_string() for frame in app.dataframe)
    for reason in (
        "the weight is not a finite number",
        "the contributor's text is empty",
        "the row has 2 cells where the header has 6",
    ):
        assert reason in shown


TWO = (
    b"item,rater,choice,system_a,system_b,age\nq1,r1,A,gpt,llama,31\nq1,r2,B,llama,gpt,40\n"
    b"q2,r1,first,llama,gpt,31\nq2,r2,gpt,gpt,llama,40\n"
)
THREE = b"item,rater,winner,model_a,model_b\nq1,r1,model_a,s,t\nq1,r2,tie,t,s\nq2,r1,tie (bothbad),t,s\nq2,r2,x,t,s\n"
WORDS = b"image,worker,label,gold\np1,w1,cat,cat\np1,w2,dog,cat\np2,w1,cat,cat\np2,w2,cat,dog\n"


def test_the_page_says_that_choices_can_be_uploaded(open_page: OpenPage) -> None:
    said = sentences(open_page("datasets.py"))
    assert "Upload a file of ratings, choices, answers or judgments" in said
    assert "which of two systems a rater preferred" in said


def test_two_options_are_proposed_checked_and_saved(open_page: OpenPage) -> None:
    app = upload(open_page, TWO, "my pairs.csv")
    assert box(app, "Kind of table").value == KINDS["choices"].title
    assert head(app, "choice").value == "choice"
    assert (head(app, "system_a").value, head(app, "system_b").value) == ("option_a", "option_b")
    assert {"Numbers for the first and the second option", "Rater ids are"} <= set(labels(app))
    assert box(app, "Layout of the table").options == [
        "one row per choice",
        "one column per rater",
        "one column per question",
        "one column per item",
    ]
    assert "Scores are" not in labels(app)
    assert "Repeated choices of an item by the same rater" in labels(app)
    assert head(app, "age").value == "rater attribute"
    assert "<b>4 of 4 choices kept</b>" in words(app)
    next(button for button in app.button if button.label == "Save").click().run()
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my pairs"]
    assert (saved.kind, saved.named("rater attribute")) == ("choices", ("rater_age",))
    assert store().query(saved, "choices")["choice"].tolist() == [0, 1, 0, 0]


def test_a_choice_that_is_no_option_is_listed_with_its_reason(open_page: OpenPage) -> None:
    app = upload(open_page, THREE)
    assert head(app, "answer").value == "choice", "the file is one of battles of an arena"
    assert "q1q1q2q2" in sentences(app), "its first values stand below"
    assert verdict_counts(app)[:3] == [3, 4, 1]
    shown = " ".join(frame.value.to_string() for frame in app.dataframe)
    assert "none of the two options" in shown
    assert "tie is read as both" in sentences(app)


def test_one_option_alone_is_refused_in_words(open_page: OpenPage) -> None:
    app = upload(open_page, THREE)
    calm(head(app, "option_b").set_value(UNUSED).run())
    assert "belong together" in sentences(app)


def test_labels_need_no_options(open_page: OpenPage) -> None:
    app = upload(open_page, WORDS)
    assert box(app, "Kind of table").value == KINDS["choices"].title
    assert (head(app, "label").value, head(app, "gold").value) == ("choice", "gold")
    assert "Numbers for the first and the second option" not in labels(app)
    assert "<b>4 of 4 choices kept</b>" in words(app)
    assert "1 item has more than one" in sentences(app)


def saved_as(app: AppTest, name: str) -> Dataset:
    next(button for button in app.button if button.label == "Save").click().run()
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == name]
    return saved


READERS = b"scan,r1,r2,r3\nscan1,pos,neg,pos\nscan2,pos,,neg\nscan3,neg,neg,pos\n"


def test_a_column_of_labels_per_rater_is_chosen_by_hand(open_page: OpenPage) -> None:
    app = upload(open_page, READERS, "my readers.csv")
    layout = app.segmented_control(key="1 choices form")
    assert layout.value == "one column per rater"
    calm(layout.set_value("one row per choice").run())
    assert "kept</b>" not in words(app)
    calm(app.segmented_control(key="1 choices form").set_value("one column per rater").run())
    wide = next(each for each in app.multiselect if each.label == "Columns that hold choices")
    calm(wide.set_value(["r1", "r2", "r3"]).run())
    assert "<b>8 of 8 choices kept</b>: 3 raters" in words(app)
    saved = saved_as(app, "my readers")
    assert (saved.kind, saved.mapping["choice"]) == ("choices", ("r1", "r2", "r3"))


def test_names_of_columns_parts_of_items_and_missing_codes_are_kept(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapping = {
        "@form": "rater columns",
        "item_id": ("doc", "system"),
        "system": "system",
        "score": ("a1", "a2", "b1"),
        "@names rater_id": ("ann", "ann", "bob"),
        "@names measure": ("fluency", "focus", "fluency"),
        "@missing": ("-9",),
    }
    monkeypatch.setattr("ui.screens.upload.propose", lambda seen, kind: Proposal("ratings", mapping))
    app = upload(open_page, b"doc,system,a1,a2,b1\nd1,x,1,2,-9\nd2,x,4,4,5\nd1,y,3,,2\n", "my grid.csv")
    assert "<b>7 of 7 ratings kept</b>: 2 raters" in words(app)
    [item] = [each for each in app.multiselect if each.label == "The item is named by"]
    assert item.value == ["doc", "system"]
    assert head(app, "system").value == "system"
    saved = saved_as(app, "my grid")
    assert {name: saved.mapping[name] for name in mapping} == mapping


def test_the_columns_that_name_the_items_of_slots_are_kept(open_page: OpenPage) -> None:
    rows = b"ann,x,4,y,5\nbob,y,1,z,2\ncarl,z,3,x,4\n"
    app = upload(open_page, b"rater,clip1,score1,clip2,score2\n" + rows, "my slots.csv")
    assert box(app, "2 columns from 2: clip1").value == "item_id"
    saved = saved_as(app, "my slots")
    assert saved.mapping["item_id"] == ("clip1", "clip2")
    assert sorted(store().query(saved, "item_names")["name"].tolist()) == ["x", "y", "z"]


def test_raters_that_nobody_names_are_kept_as_slots(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapping = {"item_id": "clip", "rater_id": "@slot", "score": "score"}
    monkeypatch.setattr("ui.screens.upload.propose", lambda seen, kind: Proposal("ratings", mapping))
    app = upload(open_page, b"clip,score\na,1\na,2\nb,3\nb,5\n", "my clips.csv")
    assert box(app, "No rater is named").value == "rater_id"
    saved = saved_as(app, "my clips")
    assert (saved.mapping["rater_id"], saved.raters_are_persons) == ("@slot", False)


@pytest.mark.parametrize(
    "content", [TWO.replace(b"llama", HOSTILE.encode()), WORDS.replace(b"cat", HOSTILE.encode())]
)
def test_text_from_choices_stays_text(open_page: OpenPage, content: bytes) -> None:
    app = upload(open_page, content.replace(b"item", HOSTILE.encode()), f"{HOSTILE}.csv")
    html = "\n".join(element.proto.body for element in app.get("html"))
    assert "<img" not in html


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
        assert "There is no data set under this address" in sentences(app)
    assert app.query_params["d"] in (key, [key])
    assert open_page("datasets.py", d=key).title[0].value == "Data"


ANSWERS = (
    b"story,summary author,question author,question,answer,judge\ns1,A,B,q1,R,j1\ns1,A,B,q1,partially relevant,j2\n"
    b"s1,B,A,q1,Not found,j1\ns2,B,B,q1,R,j1\ns2,A,B,q2,whatever,j1\n"
)
GRADES = b"story,summary_author,question_author,question,answer\ns1,A,B,q1,1\ns1,B,A,q1,4\ns2,A,B,q1,2\n"
JUDGMENTS = (
    b"rater,event,document,surrogate,judgment,gold,rouge1\nr1,e1,d1,Headline,yes,1,.2\nr1,e1,d1,Full Text,no,1,.8\n"
    b"r2,e1,d1,Headline,no,1,.2\nr2,e1,d1,Full Text,perhaps,1,.8\n"
)
BESIDE = b"rater,event,document,Headline,Human,Full Text,gold\nr1,e1,d1,1,0,1,1\nr1,e2,d1,,0,0,0\nr2,e1,d1,0,1,1,1\n"


def test_the_page_says_that_answers_and_judgments_can_be_uploaded(open_page: OpenPage) -> None:
    said = sentences(open_page("datasets.py"))
    assert "relevant (R), partially relevant (P), irrelevant (I) or not found (N)" in said
    assert "or one column per surrogate" in said


def test_answers_are_proposed_checked_and_saved(open_page: OpenPage) -> None:
    app = upload(open_page, ANSWERS, "my answers.csv")
    assert box(app, "Kind of table").value == KINDS["comprehension"].title
    assert head(app, "summary author").value == "summary_author"
    assert head(app, "judge").value == "judge_id"
    assert {"Numbers for R, P, I and N", "Repeated answers to a question by the same judge"} <= set(
        labels(app)
    )
    assert {"Layout of the table", "Scores are", "Rater ids are"}.isdisjoint(labels(app))
    assert not [each for each in app.multiselect if "columns" in each.label.lower()]
    assert verdict_counts(app)[:3] == [4, 5, 1]
    shown = " ".join(frame.value.to_string() for frame in app.dataframe)
    assert "the answer is none of R, P, I, N" in shown
    assert "whatever" in shown
    assert "own author; it is kept but enters no figure." in sentences(app)
    next(button for button in app.button if button.label == "Save").click().run()
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my answers"]
    assert store().query(saved, "comprehension")["answer"].tolist() == [0, 1, 3, 0]


def test_what_numbers_of_answers_mean_can_be_corrected(open_page: OpenPage) -> None:
    app = upload(open_page, GRADES, "my grades.csv")
    assert box(app, "Numbers for R, P, I and N").value == "1 2 3 4"
    assert "1 2 3 4 are taken for" in sentences(app)
    calm(box(app, "Numbers for R, P, I and N").set_value("4 3 2 1").run())
    next(button for button in app.button if button.label == "Save").click().run()
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my grades"]
    assert store().query(saved, "comprehension")["answer"].tolist() == [3, 0, 2]


def test_judgments_are_proposed_checked_and_saved(open_page: OpenPage) -> None:
    app = upload(open_page, JUDGMENTS, "my judgments.csv")
    assert box(app, "Kind of table").value == KINDS["relevance"].title
    assert box(app, "Layout of the table").value == "one row per judgment"
    assert box(app, "Layout of the table").options == ["one row per judgment", "one column per surrogate"]
    assert head(app, "gold").value == "gold"
    assert "Repeated judgments of a document by the same rater" in labels(app)
    assert head(app, "rouge1").value == "item number"
    assert verdict_counts(app)[:3] == [3, 4, 1]
    shown = " ".join(frame.value.to_string() for frame in app.dataframe)
    assert "neither relevant (1)" in shown
    assert "1 rater of 2 has no judgment" in sentences(app)
    next(button for button in app.button if button.label == "Save").click().run()
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my judgments"]
    assert saved.named("item number") == ("rouge1",)
    assert store().query(saved, "judgments")["judgment"].tolist() == [1, 0, 0]


def test_a_column_for_each_surrogate_is_proposed_and_saved(open_page: OpenPage) -> None:
    app = upload(open_page, BESIDE, "my surrogates.csv")
    assert box(app, "Layout of the table").value == "one column per surrogate"
    [columns] = [each for each in app.multiselect if each.label == "Columns that hold judgments"]
    assert columns.value == ["Headline", "Human", "Full Text"]
    assert {"surrogate", "judgment"}.isdisjoint(head(app, "gold").options)
    assert "need the layout with one row per judgment" in sentences(app)
    assert "<b>8 of 8 judgments kept</b>" in words(app)
    calm(columns.set_value(["Human", "Full Text"]).run())
    assert "<b>6 of 6 judgments kept</b>" in words(app)
    next(button for button in app.button if button.label == "Save").click().run()
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my surrogates"]
    assert store().query(saved, "judgment_names", column="surrogate")["name"].tolist() == [
        "Full Text",
        "Human",
    ]


@pytest.mark.parametrize(
    "content",
    [
        ANSWERS.replace(b"s1", HOSTILE.encode()).replace(b"whatever", HOSTILE.encode()),
        JUDGMENTS.replace(b"r2", HOSTILE.encode()).replace(b"perhaps", HOSTILE.encode()),
        BESIDE.replace(b"Headline", HOSTILE.encode()),
    ],
)
def test_text_from_answers_and_judgments_stays_text(open_page: OpenPage, content: bytes) -> None:
    app = upload(open_page, content, f"{HOSTILE}.csv")
    html = "\n".join(element.proto.body for element in app.get("html"))
    assert "<img" not in html
    assert " kept</b>" in html
