"""Readings of a table on the Data page: two ways and one question, and every other reading by hand."""

import json
import tempfile
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from data.formats.readers import sniff
from data.kinds.definitions import KINDS
from data.mapping.plan import FileMapping
from data.mapping.proposal import Proposal, propose
from data.tables.sniffed import Sniffed
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
from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.noise import Written
from tests.roundtrip.outcomes import RIGHT, compare, read_back
from tests.roundtrip.studies import Study
from ui.elements import store

pytestmark = pytest.mark.usefixtures("empty_overview")
CASES = Path(__file__).parents[2] / "corpus" / "cases"
TWO_WAYS = (CASES / "neutral_grid.csv").read_bytes()
SYSTEMS = "doc,system,rater,score\n" + "".join(
    f"d{doc},{system},r{rater},{1 + (doc * 3 + rater + len(system)) % 5}\n"
    for doc in range(4)
    for system in ("base", "large")
    for rater in range(3)
)
GRID = "clip,R1_fluency,R1_focus,R2_fluency,R2_focus\nc1,1,2,3,4\nc2,2,3,4,5\nc3,5,4,3,2\n"


@pytest.fixture(autouse=True)
def workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest sends no cookies, so the fixture sets one."""
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: WORKSPACE)


def buttons(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def press(app: AppTest, label: str, place: int = 0) -> AppTest:
    return calm([button for button in app.button if button.label == label][place].click().run())


def saved_as(app: AppTest, name: str) -> Dataset:
    press(app, "Save")
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == name]
    return saved


def item_box(app: AppTest):
    return next(each for each in app.multiselect if each.label == "The item is named by")


@pytest.mark.parametrize("way", [0, 1])
def test_two_readings_are_one_question_and_nothing_is_saved_before(open_page: OpenPage, way: int) -> None:
    app = upload(open_page, TWO_WAYS, f"my grid {way}.csv")
    assert "7 raters rated 5 items" in words(app)
    assert "5 raters rated 7 items" in words(app)
    assert "Save" not in buttons(app)
    assert buttons(app).count("This is right") == 2
    press(app, "This is right", way)
    raters, items = ((7, 5), (5, 7))[way]
    assert verdict_counts(app) == [35, 35, raters, items]
    saved = saved_as(app, f"my grid {way}")
    overview = store().query(saved, "overview")
    assert (overview["raters"].tolist(), overview["items"].tolist()) == ([raters], [items])


PEOPLE = ("Anna", "Ben", "Carla", "David")
UNSURE = (
    "golfer,hole,strokes\n"
    + "".join(
        f"{person},{number},{1 + (number * 7 + place * 3) % 5}\n"
        for place, person in enumerate(PEOPLE)
        for number in range(1, 13)
    )
).encode()


def test_an_unsure_reading_is_one_question(open_page: OpenPage) -> None:
    app = upload(open_page, UNSURE, "unsure.csv")
    assert "4 raters rated 12 items" in words(app)
    assert "Save" not in buttons(app)
    press(app, "This is right")
    assert verdict_counts(app) == [48, 48, 4, 12]


def test_an_unsure_reading_can_be_refused_and_taken_after_all(open_page: OpenPage) -> None:
    app = press(upload(open_page, UNSURE, "unsure.csv"), "No, choose the columns")
    assert "Save" not in buttons(app)
    assert "hoose the column for" in words(app)
    press(app, "Use this reading")
    assert verdict_counts(app) == [48, 48, 4, 12]


def test_neither_of_two_readings_is_an_answer(open_page: OpenPage) -> None:
    app = press(upload(open_page, TWO_WAYS, "neither.csv"), "Neither, choose the columns")
    assert "Save" not in buttons(app)
    assert "hoose the column for" in words(app)
    assert buttons(app).count("Use this reading") == 2
    press(app, "Use this reading", 1)
    assert verdict_counts(app)[-2:] == [5, 7]


def test_the_choice_of_a_reading_can_be_changed(open_page: OpenPage) -> None:
    app = upload(open_page, TWO_WAYS)
    press(app, "This is right", 0)
    assert "7 raters rated 5 items." in words(app)
    press(app, "Use this reading")
    assert verdict_counts(app)[-2:] == [5, 7]
    press(app, "Use this reading")
    assert verdict_counts(app)[-2:] == [7, 5]


def test_the_item_is_made_of_several_columns_by_hand(open_page: OpenPage) -> None:
    app = upload(open_page, SYSTEMS.encode(), "my systems.csv")
    calm(item_box(app).set_value(["doc"]).run())
    assert "3 raters rated 4 items" in words(app)
    calm(item_box(app).set_value(["doc", "system"]).run())
    assert "3 raters rated 8 items" in words(app)
    assert "Each row is one item" not in [each.label for each in app.selectbox]
    assert "d0 / base" in words(app)
    saved = saved_as(app, "my systems")
    assert saved.mapping["item_id"] == ("doc", "system")
    assert saved.mapping["system"] == "system"


def test_a_head_and_the_item_box_say_the_same(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    assert item_box(app).value == ["item"]
    calm(head(app, "group").set_value("item_id").run())
    assert item_box(app).value == ["group"]
    assert head(app, "item").value == "not used"
    calm(head(app, "group").set_value("rater_group").run())
    assert item_box(app).value == []
    calm(item_box(app).set_value(["item"]).run())
    assert head(app, "item").value == "item_id"
    assert verdict_counts(app) == [160, 160, 8, 8, 10]


def test_first_ratings_and_unused_columns_follow_what_is_chosen(open_page: OpenPage) -> None:
    app = upload(open_page, b"clip,R1,R2,R3,remark\na,1,2,3,x\nb,4,5,,y\nc,2,2,1,z\n")
    assert "Not used: remark." in words(app)
    wide = next(each for each in app.multiselect if each.label == "Columns that hold ratings")
    calm(wide.set_value(["R1", "R2"]).run())
    assert "<b>6 of 8 numbers are used; column R3 is not</b>. Not used either: remark." in words(app)
    assert cells(app, "First ratings")[:3] == [["a", "R1", "1"], ["a", "R2", "2"], ["b", "R1", "4"]]


def cells(app: AppTest, label: str) -> list[list[str]]:
    """Cells of the small table with that label."""
    body = next(each.proto.body for each in app.get("html") if f'aria-label="{label}"' in each.proto.body)
    rows = body.split("<tr>")[2:]
    return [[cell.split("</td>")[0].split(">")[-1] for cell in row.split("<td")[1:]] for row in rows]


def test_parts_of_names_are_raters_and_measures_or_the_other_way_round(open_page: OpenPage) -> None:
    app = upload(open_page, GRID.encode(), "my parts.csv")
    names = box(app, "The names of these columns say")
    assert names.value == "rater R1 and measure fluency"
    assert cells(app, "First ratings")[0] == ["c1", "R1", "fluency", "1"]
    calm(names.set_value("measure R1 and rater fluency").run())
    assert cells(app, "First ratings")[0] == ["c1", "fluency", "R1", "1"]
    calm(box(app, "The names of these columns say").set_value("rater alone").run())
    assert cells(app, "First ratings")[0] == ["c1", "R1_fluency", "1"]
    assert "4 raters rated 3 items" in words(app)


def test_rows_may_be_raters_by_hand_and_the_notes_of_the_proposal_go(open_page: OpenPage) -> None:
    app = upload(open_page, b"clip,Anna,Ben,Carl\na,1,2,3\nb,4,5,1\nc,2,2,1\n")
    note = "one column per rater."
    assert note in words(app)
    layout = app.segmented_control(key="1 ratings form")
    calm(layout.set_value("one column per item").run())
    assert head(app, "clip").value == "rater_id"
    assert verdict_counts(app) == [9, 9, 3, 3]
    assert cells(app, "First ratings")[1] == ["Ben", "a", "2"]
    assert note not in words(app)
    calm(head(app, "clip").set_value("not used").run())
    assert "Choose the column for <b>rater</b>" in words(app)
    calm(box(app, "Each row is one rater").set_value("rater_id").run())
    assert cells(app, "First ratings")[0] == ["Anna", "row 1", "1"]


def test_nobody_may_be_named_by_hand(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD, "my nobody.csv")
    assert "No rater is named" not in [each.label for each in app.selectbox]
    calm(head(app, "rater").set_value("not used").run())
    calm(box(app, "No rater is named").set_value("rater_id").run())
    saved = saved_as(app, "my nobody")
    assert (saved.mapping["rater_id"], saved.raters_are_persons) == ("@slot", False)


def test_missing_codes_are_typed(open_page: OpenPage) -> None:
    app = upload(open_page, b"item,rater,score\na,r,3\nb,r,1\na,s,6\nb,s,2\n")
    assert "<b>4 of 4 ratings kept</b>" in words(app)
    missing = next(each for each in app.multiselect if each.label == "Missing answers are written as")
    calm(missing.set_value(["6"]).run())
    assert "<b>3 of 4 ratings kept</b>, 1 set aside" in words(app)


def test_two_header_rows_are_chosen(open_page: OpenPage) -> None:
    content = b"clip,fluency,fluency,focus,focus\n,R1,R2,R1,R2\na,1,2,3,4\nb,2,3,4,5\nc,3,4,5,1\n"
    app = upload(open_page, content)
    header = box(app, "Rows of column names")
    assert header.value == "2"
    calm(header.set_value("1").run())
    calm(box(app, "Rows of column names").set_value("2").run())
    assert verdict_counts(app) == [12, 12, 2, 3]


def test_hostile_names_stay_text_on_cards_and_in_first_ratings(open_page: OpenPage) -> None:
    app = upload(open_page, TWO_WAYS.replace(b"\n", b"<img src=x>\n"))
    assert "<img" not in "\n".join(element.proto.body for element in app.get("html"))


@pytest.mark.parametrize(("way", "kept"), [(0, 29), (1, 36)])
def test_a_code_may_be_a_label_or_no_answer(open_page: OpenPage, way: int, kept: int) -> None:
    """The code is in 4 cells of R1 and 3 of R3, of 36."""
    rows = [
        f"s{n},{['pos', 'neg', 'NA'][n % 3]},{['neg', 'pos'][n % 2]},{['pos', 'pos', 'neg', 'NA'][n % 4]}"
        for n in range(12)
    ]
    app = upload(open_page, "\n".join(["scan,R1,R2,R3", *rows]).encode())
    assert '"NA" means no answer' in html_text(app)
    assert '"NA" is an answer' in html_text(app)
    press(app, "This is right", way)
    assert f"<b>{kept} of {kept} choices kept</b>: 3 raters" in words(app)


def html_text(app: AppTest) -> str:
    return unescape(words(app))


def test_labels_of_readers_and_questions_are_reached_from_any_proposal(open_page: OpenPage) -> None:
    content = "scan,R1_tumor,R1_bleed,R2_tumor,R2_bleed\n" + "".join(
        f"s{n},{n % 3},{(n + 1) % 3},{(2 * n) % 3},{n % 2}\n" for n in range(8)
    )
    app = upload(open_page, content.encode(), "my labels.csv")
    calm(box(app, "Kind of table").set_value(KINDS["choices"].title).run())
    forms = [each for each in (*app.segmented_control, *app.selectbox) if each.label == "Layout of the table"]
    calm(forms[0].set_value("one column per rater").run())
    wide = next(each for each in app.multiselect if each.label == "Columns that hold choices")
    calm(wide.set_value(["R1_tumor", "R1_bleed", "R2_tumor", "R2_bleed"]).run())
    calm(item_box(app).set_value(["scan"]).run())
    calm(box(app, "The names of these columns say").set_value("rater R1 and question tumor").run())
    assert cells(app, "First choices")[1] == ["s0", "R1", "bleed", "1"]
    saved = saved_as(app, "my labels")
    assert saved.mapping["@names design"] == ("tumor", "bleed", "tumor", "bleed")
    assert store().query(saved, "rater_names")["name"].tolist() == ["R1", "R2"]


def propose_wrongly(monkeypatch: pytest.MonkeyPatch, wrong: FileMapping) -> None:
    """Have the page propose another mapping than the right one, at first sight only."""

    def proposed(seen: Sniffed, kind: str | None = None) -> Proposal:
        return replace(propose(seen, kind), mapping=wrong, other=None)

    monkeypatch.setattr("ui.screens.upload.propose", proposed)


def study_of(layout: str, seed: int) -> tuple[Study, Written, bytes]:
    study = LAYOUTS[layout].study(seed)
    written = LAYOUTS[layout].write(study)
    [content] = written.files.values()
    return study, written, content


def test_swapped_items_and_raters_are_set_right(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    study, written, content = study_of("long", 3)
    columns = propose(sniff_bytes(content)).mapping
    item, rater = columns["item_id"], columns["rater_id"]
    propose_wrongly(monkeypatch, {**columns, "item_id": rater, "rater_id": item})
    app = upload(open_page, content, "my swapped.csv")
    calm(head(app, item).set_value("item_id").run())
    calm(head(app, rater).set_value("rater_id").run())
    saved = saved_as(app, "my swapped")
    assert compare(study, written, read_back(store(), saved.id)) == (RIGHT, "")


def test_raters_and_measures_in_names_are_reached_from_one_row_per_rating(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, written, content = study_of("rater and measure columns", 1)
    right = propose(sniff_bytes(content)).mapping
    wide, item = right["score"], right["item_id"]
    propose_wrongly(monkeypatch, {"rater_id": item, "score": wide[0]})
    app = upload(open_page, content, "my columns.csv")
    calm(box(app, "Layout of the table").set_value("one column per rater").run())
    chosen = next(each for each in app.multiselect if each.label == "Columns that hold ratings")
    calm(chosen.set_value(list(wide)).run())
    calm(item_box(app).set_value([item]).run())
    names = (f"rater {right['@names rater_id'][0]}", f"measure {right['@names measure'][0]}")
    called = box(app, "The names of these columns say")
    option = next(each for each in called.options if all(name in each for name in names))
    calm(called.set_value(option).run())
    missing = next(each for each in app.multiselect if each.label == "Missing answers are written as")
    calm(missing.set_value(list(right.get("@missing", ()))).run())
    saved = saved_as(app, "my columns")
    assert compare(study, written, read_back(store(), saved.id)) == (RIGHT, "")


def sniff_bytes(content: bytes) -> Sniffed:
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        Path(file.name).write_bytes(content)
        return sniff(Path(file.name))


def test_the_rows_are_chosen_among_the_lists_of_a_json_file(open_page: OpenPage) -> None:
    marks = [{"clip": f"c{n % 8}", "rater": f"r{n // 8}", "score": 1 + n * 7 % 5} for n in range(40)]
    content = json.dumps({"of": "a campaign", "pilot": marks[:16], "study": marks})
    app = upload(open_page, content.encode(), "my marks.json")
    rows = box(app, "Rows are in")
    assert rows.options == ["study", "pilot"]
    calm(rows.set_value("pilot").run())
    assert "<b>16 of 16 ratings kept</b>" in words(app)
    saved = saved_as(app, "my marks")
    assert saved.mapping["@rows"] == "pilot"
    overview = store().query(saved, "overview")
    assert (saved.rows_kept, overview["items"].tolist()) == (16, [8])


def test_corrections_of_one_list_do_not_stay_with_another(open_page: OpenPage) -> None:
    marks = [{"who": f"r{n}", "mark": 1 + n % 5, "again": 5 - n % 5} for n in range(4)]
    content = json.dumps([{"clip": f"c{n}", "early": marks, "late": marks[:2]} for n in range(3)])
    app = upload(open_page, content.encode(), "my marks.json")
    calm(box(app, "Rows are in").set_value("early").run())
    calm(head(app, "clip").set_value("topic").run())
    calm(box(app, "Rows are in").set_value("late").run())
    assert head(app, "clip").value == "item_id"
    calm(box(app, "Rows are in").set_value("early").run())
    assert head(app, "clip").value == "topic"


@pytest.mark.parametrize("content", [GOOD, b'[{"item": "a", "score": 1}, {"item": "b", "score": 2}]'])
def test_one_list_is_not_asked_about(open_page: OpenPage, content: bytes) -> None:
    app = upload(open_page, content)
    assert "Rows are in" not in [each.label for each in app.selectbox]


def test_a_recognized_format_can_be_read_as_a_plain_table(open_page: OpenPage) -> None:
    app = upload(open_page, (CASES / "ids_hold_item_system_measure.csv").read_bytes())
    header = box(app, "Rows of column names")
    assert header.value == "recognized: ids of several parts"
    recognized = verdict_of(app)
    calm(header.set_value("1").run())
    assert verdict_of(app) != recognized
    calm(box(app, "Rows of column names").set_value("recognized: ids of several parts").run())
    assert verdict_of(app) == recognized


def verdict_of(app: AppTest) -> str:
    return next(line for line in words(app).splitlines() if "kept</b>" in line)


MARKS = "\n".join(
    ["item,rater,joy,anger,fear"]
    + [
        f"post {at},w{by},{(at + by) % 2},{(at + 2 * by) % 3 % 2},{int(at % 4 == by)}"
        for at in range(12)
        for by in range(3)
    ]
)


@pytest.mark.parametrize(("way", "kind", "kept"), [(0, "ratings", 108), (1, "label sets", 36)])
def test_marks_may_be_measures_or_labels(open_page: OpenPage, way: int, kind: str, kept: int) -> None:
    """A reading of another kind is taken with the controls of its kind."""
    app = upload(open_page, MARKS.encode(), f"marks {way}.csv")
    press(app, "This is right", way)
    assert f"<b>{kept} of {kept} {kind} kept</b>: 3 raters" in words(app)
    assert saved_as(app, f"marks {way}").kind == kind


@pytest.mark.parametrize(("way", "kept"), [(0, 24), (1, 36)])
def test_an_empty_cell_may_be_a_set_without_labels(open_page: OpenPage, way: int, kept: int) -> None:
    cells = ("joy;anger", "joy", "", "anger;fear", "fear", "")
    rows = [f"post {at},w{by},{cells[(at + by) % 6]}" for at in range(12) for by in range(3)]
    app = upload(open_page, "\n".join(["item,rater,labels", *rows]).encode(), f"empty {way}.csv")
    assert "empty cells are no answers" in html_text(app)
    press(app, "This is right", way)
    assert saved_as(app, f"empty {way}").rows_kept == kept
