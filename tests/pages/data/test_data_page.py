"""The Data page through AppTest: from a file to a saved data set, and what stands in the way in words."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.errors import OverLimit, SpoolFull
from data.formats.readers import sniff
from data.kinds.definitions import KINDS
from data.mapping.proposal import propose
from data.samples import SAMPLES
from server.upload_limits import NOTE
from tests.golden.content import numbers_in
from tests.reference.counted import LONG_BY_HAND, counted
from ui.elements import store
from ui.screens.columns import UNUSED
from ui.screens.upload import AGAIN

CASES = Path(__file__).parents[2] / "corpus" / "cases"

OpenPage = Callable[..., AppTest]
pytestmark = pytest.mark.usefixtures("empty_overview")
WORKSPACE = "0123456789abcdef" * 2
GOOD = b"item,rater,score,group\n" + b"".join(
    f"clip {n % 10},{group} {n // 10},{1 + (n * 7) % 5},{group}\n".encode()
    for group in ("lab", "crowd")
    for n in range(80)
)


@pytest.fixture(autouse=True)
def workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest sends no cookies, so the fixture sets one."""
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: WORKSPACE)


def upload(open_page: OpenPage, content: bytes, name: str = "ratings.csv") -> AppTest:
    app = open_page("datasets.py")
    app.file_uploader[0].upload(name, content)
    return calm(app.run())


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def words(app: AppTest) -> str:
    """All that the page says in sentences."""
    html = "\n".join(element.proto.body for element in app.get("html"))
    return "\n".join([html, *(element.value for element in app.text)])


def verdict_counts(app: AppTest) -> list[float]:
    """Numbers of the verdict: ratings kept, ratings read, raters (by group), items."""
    (verdict,) = (body for body in words(app).splitlines() if "kept</b>" in body)
    return numbers_in(verdict)


def box(app: AppTest, label: str):
    return next(each for each in app.selectbox if each.label == label)


def head(app: AppTest, column: str):
    """The box above a column's first values; its label holds the words of the column's name."""
    words = " ".join(re.findall(r"[^\W_]+", column))
    return next(
        each
        for each in app.selectbox
        if each.label.startswith("Column ") and each.label.endswith(f": {words}")
    )


def test_an_empty_page_offers_upload_and_samples(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    assert len(app.file_uploader) == 1
    offered = {sample.question for sample in SAMPLES if sample.question}
    assert offered <= {button.label for button in app.button}
    assert "Synthetic" in words(app)


def test_a_good_file_is_proposed_checked_and_saved(open_page: OpenPage) -> None:
    waiting = set(store().spool.folder.iterdir())
    app = upload(open_page, GOOD, "my study.csv")
    assert {name: head(app, name).value for name in ("item", "rater", "score", "group")} == {
        "item": "item_id",
        "rater": "rater_id",
        "score": "score",
        "group": "rater_group",
    }
    assert verdict_counts(app) == [160, 160, 8, 8, 10]
    assert app.text_input[0].value == "my study"
    calm(next(button for button in app.button if button.label == "Save").click().run())
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my study"]
    assert (saved.rows_kept, saved.rows_set_aside) == (160, 0)
    assert set(store().spool.folder.iterdir()) == waiting


def test_rejected_rows_are_reported_with_line_and_reason(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD + b"clip 1,lab 1,good,lab\n,lab 2,3,lab\n")
    assert "<b>160 of 162 ratings kept</b>, 2 set aside" in words(app)
    shown = [frame.value.to_string() for frame in app.dataframe]
    assert any("the score is not a number" in table and "162" in table for table in shown)
    assert any("the item is empty" in table and "163" in table for table in shown)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "This file is empty."),
        (b"item,rater,score\n", "This file has a header but no rows"),
        (b"item\na\n", "There is only one column in this file"),
        (b"PK\x03\x04\x00", "This Excel file or ZIP archive is damaged"),
        (b'[{"item": 1}]', "There is only one column in this file"),
        (b"\x00\x01\x02" * 100, "This is a binary file"),
    ],
)
def test_files_that_hold_no_table_are_reported_in_words(
    open_page: OpenPage, content: bytes, said: str
) -> None:
    app = upload(open_page, content)
    assert said in words(app)
    calm(next(button for button in app.button if button.label == "Choose another file").click().run())
    assert len(app.file_uploader) == 1


def test_a_missing_column_is_asked_for(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD.replace(b"score", b"xyz"))
    assert "Choose the column for <b>score</b> below to go on." in words(app)
    calm(head(app, "xyz").set_value("score").run())
    assert "<b>160 of 160 ratings kept</b>" in words(app)


def test_a_reason_that_columns_may_not_settle_comes_first(open_page: OpenPage) -> None:
    """The numbers of each row add up to 6: they are no ratings, whatever the columns are called."""
    app = upload(open_page, (CASES / "numbers_of_raters_per_category.csv").read_bytes())
    told = words(app)
    assert "Choose the column for" not in told
    assert 0 <= told.index("add up to 6") < told.index("choose the column for <b>")


def test_broken_rows_are_reported_before_the_columns_are_chosen(open_page: OpenPage) -> None:
    lines = GOOD.replace(b"score", b"xyz").splitlines()
    lines[2] += b',"open'
    lines[5] += b",more,cells"
    lines[7] += b"\x00"
    app = upload(open_page, b"\n".join(lines))
    assert "Choose the column for <b>score</b> below to go on." in words(app)
    said = "3 rows are broken among the first 160, the first in line 3: a quotation mark opens a cell"
    assert said in words(app)
    calm(head(app, "xyz").set_value("score").run())
    assert "<b>157 of 160 ratings kept</b>" in words(app)
    assert said not in words(app)


def test_gold_answers_alone_are_sent_to_the_study_that_they_belong_to(open_page: OpenPage) -> None:
    content = "task,true_label\n" + "".join(f"t{n},{n % 2}\n" for n in range(12))
    app = upload(open_page, content.encode())
    assert "This is a table of gold answers of 12 items" in words(app)
    assert "Choose the column" not in words(app)
    assert not [button for button in app.button if button.label == "Save"]


def test_nothing_left_to_save_is_said(open_page: OpenPage) -> None:
    app = upload(open_page, b"item,rater,score\na,r,good\nb,r,bad\n")
    calm(box(app, "Kind of table").set_value(KINDS["ratings"].title).run())
    calm(head(app, "score").set_value("score").run())
    assert "Nothing is left to save." in words(app)
    assert not [button for button in app.button if button.label == "Save"]


def test_the_guess_about_the_header_can_be_overruled(open_page: OpenPage) -> None:
    content = b"1,2,30\n5,4,3\n2,4,4\n3,3,3\n1,1,2\n"
    app = upload(open_page, content)
    header = box(app, "Rows of column names")
    assert header.value == "none"
    calm(header.set_value("1").run())
    calm(next(button for button in app.button if button.label == "This is right").click().run())
    question = app.segmented_control(key="1 ratings form")
    assert (question.label, question.value) == ("Layout of the table", "one column per rater")
    calm(question.set_value("one row per rating").run())
    for role, column in (("item_id", "1"), ("rater_id", "2"), ("score", "30")):
        calm(head(app, column).set_value(role).run())
    assert "<b>4 of 4 ratings kept</b>" in words(app)


def test_the_decimal_mark_can_be_overruled(open_page: OpenPage) -> None:
    app = upload(open_page, b"item;rater;score\na;r;3,5\nb;r;4\n")
    assert "<b>2 of 2 ratings kept</b>" in words(app)
    calm(box(app, "Decimal mark").set_value(".").run())
    assert "<b>1 of 2 ratings kept</b>" in words(app)


def test_switches_change_the_report(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD + b"clip 0,lab 0,1,lab\n")
    assert "1 rating repeats what the same rater had already rated" in words(app)
    calm(box(app, "Repeated ratings of an item by the same rater").set_value("set aside").run())
    assert "<b>160 of 161 ratings kept</b>, 1 set aside" in words(app)


def test_text_from_the_file_stays_text(open_page: OpenPage) -> None:
    hostile = '<img src=x onerror="alert(1)">'
    app = upload(open_page, GOOD.replace(b"group", hostile.replace('"', "").encode()))
    assert "<img src" not in words(app).replace(f"{hostile}.csv", "")


def test_the_speech_study(open_page: OpenPage, shared_data: Path) -> None:
    app = upload(open_page, (shared_data / "speech_mos_lab_vs_crowd.csv").read_bytes())
    assert "<b>20,622 of 22,786 ratings kept</b>, 2,164 set aside" in words(app)


def test_a_wide_table_needs_no_correction(open_page: OpenPage, shared_data: Path) -> None:
    name = "wide_items_by_raters.csv"
    app = upload(open_page, (shared_data / "formats" / name).read_bytes(), name)
    assert "ratings kept</b>" in words(app)
    assert [button for button in app.button if button.label == "Save"]


def test_a_file_that_the_server_refused_is_reported_and_the_page_stays(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    app.file_uploader[0].upload("refused", b"Try <b>again</b> later.", NOTE)
    app = calm(app.run())
    assert "This file was not taken. Try &lt;b&gt;again&lt;/b&gt; later." in words(app)
    assert len(app.file_uploader) == 1
    assert any(button.label == "Open" for button in app.button)


def _verdict(kept: int, read: int) -> str:
    told = f"<b>{kept:_} of {read:_} ratings kept</b>" + (
        f", {read - kept:_} set aside" if read > kept else ""
    )
    return told.replace("_", ",")


@pytest.mark.parametrize("name", ["choice4_website_gold.csv", "formats/item_by_subject_matrix_no_header.csv"])
def test_the_report_counts_what_is_in_a_real_table(open_page: OpenPage, shared_data: Path, name: str) -> None:
    file = shared_data / name
    mapping = dict(propose(sniff(file), kind="ratings").mapping)
    app = upload(open_page, file.read_bytes(), file.name)
    if box(app, "Kind of table").value != KINDS["ratings"].title:
        calm(box(app, "Kind of table").select(KINDS["ratings"].title).run())
    by_hand = {} if "@format" in mapping else LONG_BY_HAND.get(name, {})
    for column, source in by_hand.items():
        if mapping.get(column) != source:
            calm(head(app, source).select(column).run())
    kept, checks, rejected = counted(file, by_hand or mapping)
    assert _verdict(kept, kept + checks + rejected) in words(app)
    assert ("Nothing is left to save" in words(app)) == (kept == 0)


@pytest.mark.parametrize("pushed_out", [True, False])
def test_who_lost_an_upload_learns_why(open_page: OpenPage, pushed_out: bool) -> None:
    app = upload(open_page, GOOD, "my <b>study</b>.csv")
    waiting = Path(app.session_state["waiting"].path)
    spool = store().spool
    spool.discard(waiting)
    if pushed_out:
        spool._evicted.append(waiting.parent)
    calm(app.run())
    told = "newer uploads needed its room" if pushed_out else "an upload waits 24 hours"
    assert f"<b>my &lt;b&gt;study&lt;/b&gt;.csv</b> was not saved and is gone: {told}" in words(app)
    assert len(app.file_uploader) == 1
    assert "is gone" not in words(calm(app.run()))


def test_a_reading_that_failed_is_not_run_again_until_the_visitor_wants_it(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def check(path: object, kind: object, mapping: object, tell: object) -> None:
        asked.append(mapping)
        raise OverLimit("reading this file takes more time than it may")

    monkeypatch.setattr(store(), "check", check)
    app = upload(open_page, GOOD)
    assert "takes more time than it may" in words(app)
    for _ in range(3):
        calm(app.run())
    assert "takes more time than it may" in words(app)
    assert len(asked) == 1
    calm(head(app, "group").select(UNUSED).run())
    assert len(asked) == 2, "other columns are another reading"
    monkeypatch.undo()
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: WORKSPACE)
    calm(next(button for button in app.button if button.label == AGAIN).click().run())
    assert "<b>160 of 160 ratings kept</b>" in words(app)


def test_a_full_spool_is_asked_again_at_once(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def sniffed(path: object, *given: object, **named: object) -> None:
        asked.append(path)
        raise SpoolFull("the folder where uploads wait and are read is full")

    monkeypatch.setattr(store(), "sniff", sniffed)
    app = upload(open_page, GOOD)
    calm(app.run())
    assert "is full" in words(app)
    assert len(asked) == 2


def test_hundreds_of_columns_of_raters_are_folded_and_all_kept(open_page: OpenPage) -> None:
    names = [f"r{number}" for number in range(150)]
    rows = [f"item {at}," + ",".join(str(1 + (at + rater) % 5) for rater in range(150)) for at in range(6)]
    app = upload(open_page, "\n".join(["item," + ",".join(names), *rows]).encode())
    [box_of_columns] = [each for each in app.multiselect if each.label == "Columns that hold ratings"]
    assert box_of_columns.value == names
    assert any("150 columns hold ratings" in str(fold.proto) for fold in app.get("popover"))
    assert "<b>900 of 900 ratings kept</b>" in words(app)


def test_words_for_a_scale_are_shown_with_what_they_become(open_page: OpenPage) -> None:
    scale = ("Bad", "Poor", "Fair", "Good", "Excellent", "no idea")
    rows = b"".join(f"clip {n % 10},r{n // 10},{scale[n % 6]}\n".encode() for n in range(60))
    app = upload(open_page, b"item,rater,score\n" + rows)
    calm(box(app, "Kind of table").set_value(KINDS["ratings"].title).run())
    [table] = [frame.value for frame in app.dataframe if "Becomes" in frame.value]
    assert dict(zip(table["Value as found"], table["Becomes"], strict=True)) == {
        **{word: str(at) for at, word in enumerate(scale[:5], start=1)},
        "no idea": "",
    }
    assert set(table["How often"]) == {10}
    assert "<b>50 of 60 ratings kept</b>, 10 set aside" in words(app)


def test_one_click_gives_a_scale_of_four_its_middle(open_page: OpenPage) -> None:
    scale = ("strongly disagree", "disagree", "agree", "strongly agree")
    rows = b"".join(f"clip {n % 10},r{n // 10},{scale[n % 4]}\n".encode() for n in range(60))
    app = upload(open_page, b"item,rater,score\n" + rows)

    def becomes() -> list[str]:
        [table] = [frame.value for frame in app.dataframe if "Becomes" in frame.value]
        return [*table["Becomes"]]

    assert becomes() == ["1", "2", "3", "4"]
    middle = next(each for each in app.toggle if each.label == "The scale had a middle that nobody chose")
    calm(middle.set_value(True).run())
    assert becomes() == ["1", "2", "4", "5"]


def test_no_table_of_values_where_there_is_nothing_to_map(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    assert not [frame for frame in app.dataframe if "Becomes" in frame.value]


def test_what_seconds_are_of_is_asked_and_saved(open_page: OpenPage) -> None:
    rows = b"".join(
        f"clip{at},w{worker},{(at + worker) % 5 + 1},{20 + 2 * ((5 * worker + at // 4) % 20)}\n".encode()
        for worker in range(8)
        for at in range(20)
    )
    app = upload(open_page, b"item,rater,score,seconds\n" + rows, "my times.csv")
    assert box(app, "Seconds are of one").value == "assignment"
    assert "about 4.0 ratings in a row of a rater share one" in words(app)
    calm(box(app, "Seconds are of one").set_value("rating").run())
    calm(next(button for button in app.button if button.label == "Save").click().run())
    [saved] = [each for each in store().datasets(WORKSPACE) if each.name == "my times"]
    assert saved.mapping["@seconds"] == "rating"


def test_gold_that_nobody_can_match_is_asked_for(open_page: OpenPage) -> None:
    rows = b"".join(
        f"i{n % 10},r{n // 10},{['cat', 'dog', 'bird'][n % 3]},{n % 3}\n".encode() for n in range(60)
    )
    app = upload(open_page, b"item,rater,label,gold\n" + rows)
    assert "share no value" in words(app)
    assert "@" not in words(app)
    [table] = [frame.value for frame in app.dataframe if "Becomes" in frame.value]
    assert set(table["Value as found"]) == {"0", "1", "2"}
    assert not [button for button in app.button if button.label == "Save"]


def test_the_sidebar_shows_no_other_study_while_a_file_is_read(open_page: OpenPage) -> None:
    app = open_page("datasets.py", d="sample-summaries")
    app.file_uploader[0].upload("ratings.csv", GOOD)
    calm(app.run())
    assert not app.sidebar.selectbox
    calm(next(button for button in app.button if button.label == "Choose another file").click().run())
    assert app.sidebar.selectbox[0].label == "Data set"


def test_a_column_takes_over_what_another_was(open_page: OpenPage) -> None:
    app = upload(open_page, GOOD)
    calm(head(app, "group").set_value("rater_id").run())
    assert (head(app, "group").value, head(app, "rater").value) == ("rater_id", UNUSED)
    assert verdict_counts(app)[-2:] == [2, 10]
    calm(head(app, "rater").set_value("rater_id").run())
    assert head(app, "group").value == UNUSED
    assert verdict_counts(app)[-2:] == [16, 10]


def test_many_columns_are_paged_and_what_was_chosen_on_a_page_stays(open_page: OpenPage) -> None:
    names = [f"extra{n}" for n in range(20)]
    rows = GOOD.decode().splitlines()
    wide = [rows[0] + "," + ",".join(names), *(f"{row},{','.join(['words'] * 20)}" for row in rows[1:])]
    app = upload(open_page, "\n".join(wide).encode())
    assert "1 to 12 of 24, those in use first" in words(app)
    assert head(app, "item").value == "item_id"
    calm(head(app, "group").set_value(UNUSED).run())
    calm(next(button for button in app.button if button.label == "Columns after").click().run())
    calm(head(app, "extra19").set_value("rater_group").run())
    assert verdict_counts(app) == [160, 160, 16, 10]
    calm(next(button for button in app.button if button.label == "Columns before").click().run())
    assert head(app, "group").value == UNUSED
