"""The Data page's list of own data sets: what stands in it, and what the owner, and nobody else, can do."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from data.errors import NotFound
from data.formats.readers import sniff
from data.mapping.proposal import propose
from tests.pages.conftest import sentences
from ui.elements import store
from ui.visit.study import versions

OpenPage = Callable[..., AppTest]
pytestmark = pytest.mark.usefixtures("empty_overview")
OTHERS = "browser:" + "b" * 64
HEADER = "item,rater,group,score\n"
ROWS = [f"i{i},{g}{r},{g},{(i * (r + 2)) % 5 + 1}" for i in range(12) for r in range(6) for g in "ab"]


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """AppTest sends no cookies, so each test gets its own workspace."""
    mine = f"browser:{abs(hash(request.node.name)):064x}"
    become(monkeypatch, mine)
    return mine


def become(monkeypatch: pytest.MonkeyPatch, workspace: str | None) -> None:
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: workspace)


@pytest.fixture
def add(tmp_path: Path, database: Path, workspace: str) -> Callable[..., Dataset]:
    def add_(name: str, replaces: str | None = None, rows: list[str] = ROWS) -> Dataset:
        file = tmp_path / "rows.csv"
        file.write_text(HEADER + "\n".join(rows) + "\n")
        mapping = dict(propose(sniff(file), "ratings").mapping)
        return store().add(
            file, "ratings", mapping, name, workspace, replaces=replaces, file="the file of Anna.csv"
        )

    return add_


def with_more(open_page: OpenPage, dataset: Dataset, **address: str) -> AppTest:
    """The Data page with that data set's popover open."""
    app = open_page("datasets.py", **address)
    app.session_state[f"more {dataset.id}"] = True
    return calm(app.run())


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def press(app: AppTest, key: str) -> AppTest:
    return calm(app.button(key=key).click().run())


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def words(app: AppTest) -> str:
    return sentences(app) + " ".join(text.value for text in app.text)


def test_a_row_says_what_it_is_and_opens(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset = add("speech <b>2026</b>", rows=[*ROWS, "i1,a1,a,good"])
    app = open_page("datasets.py")
    told = words(app)
    assert "speech &lt;b&gt;2026&lt;/b&gt;" in told
    assert "144 kept, 1 set aside" in told
    assert f"{dataset.created:%Y-%m-%d %H:%M} UTC" in told
    assert "goes on" not in told
    app = press(app, f"open {dataset.id}")
    assert app.title[0].value == "Overview"
    assert app.query_params["d"] == store().link(dataset.id)


def test_a_data_set_is_renamed(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset = add("old name")
    app = with_more(open_page, dataset)
    app.text_input(key=f"name of {dataset.id} old name").set_value("new <i>name</i>")
    app = press(app, f"rename {dataset.id}")
    assert store().get(dataset.id).name == "new <i>name</i>"
    assert "It is called new &lt;i&gt;name&lt;/i&gt; now." in words(app)


def test_a_blank_name_is_refused_in_words(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset = add("keeps it")
    app = with_more(open_page, dataset)
    app.text_input(key=f"name of {dataset.id} keeps it").set_value("  ")
    app = press(app, f"rename {dataset.id}")
    assert "needs a name" in words(app)
    assert store().get(dataset.id).name == "keeps it"


def test_a_new_version_takes_the_kind_and_name_and_the_old_one_stays(
    open_page: OpenPage, add: Callable[..., Dataset], workspace: str
) -> None:
    old = add("speech")
    key = store().link(old.id)
    app = press(with_more(open_page, old), f"replace {old.id}")
    assert "A new version of speech" in words(app)
    app.file_uploader[0].upload("corrected.csv", (HEADER + "\n".join(ROWS[:60])).encode())
    calm(app.run())
    assert "A new version of speech" in words(app)
    assert next(box for box in app.text_input if box.label == "Name").value == "speech"
    calm(next(button for button in app.button if button.label == "Save").click().run())
    new, kept = store().datasets(workspace)
    assert (new.replaces, new.name, new.rows_kept) == (old.id, "speech", 60)
    assert kept == old
    assert store().by_key(key) == old
    assert store().link(new.id) != key
    app = open_page("datasets.py")
    assert "speech · version 2" in words(app)
    app.session_state[f"older {new.id}"] = True
    app = calm(app.run())
    assert "speech · version 1" in words(app)
    app = press(app, f"open {old.id}")
    assert app.query_params["d"] == key


def test_a_new_version_can_be_given_up(
    open_page: OpenPage, add: Callable[..., Dataset], workspace: str
) -> None:
    old = add("speech")
    app = press(with_more(open_page, old), f"replace {old.id}")
    app.file_uploader[0].upload("another.csv", (HEADER + "\n".join(ROWS)).encode())
    calm(app.run())
    calm(next(button for button in app.button if button.label == "Not a new version").click().run())
    assert "A new version of" not in words(app)
    assert next(box for box in app.text_input if box.label == "Name").value == "another"
    calm(next(button for button in app.button if button.label == "Save").click().run())
    assert [each.replaces for each in store().datasets(workspace)] == [None, None]


def test_the_dialog_names_every_link_that_dies(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset, other = add("speech"), add("other")
    key = store().link(dataset.id)
    named = store().add_link(dataset.id, "for *Anna*")
    store().revoke_link(dataset.id, store().add_link(dataset.id, "revoked before").key)
    store().add_link(other.id, "of another data set")
    app = press(with_more(open_page, dataset), f"delete {dataset.id}")
    assert "• for *Anna*" in [text.value for text in app.text]
    assert "• The address in your browser" in [text.value for text in app.text]
    assert "revoked before" not in words(app)
    assert "of another data set" not in words(app)
    assert store().get(dataset.id) == dataset
    app = press(app, f"delete it {dataset.id}")
    assert "speech is gone" in words(app)
    with pytest.raises(NotFound):
        store().get(dataset.id)
    assert store().by_key(key) is store().by_key(named.key) is None
    assert store().get(other.id) == other


def test_keep_keeps(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset = add("speech")
    app = press(with_more(open_page, dataset), f"delete {dataset.id}")
    press(app, f"keep it {dataset.id}")
    assert store().get(dataset.id) == dataset


def test_deleting_the_open_data_set_opens_the_sample(
    open_page: OpenPage, add: Callable[..., Dataset]
) -> None:
    dataset = add("speech")
    app = with_more(open_page, dataset, d=store().link(dataset.id))
    app = press(press(app, f"delete {dataset.id}"), f"delete it {dataset.id}")
    assert app.title[0].value == "Data"
    assert "speech is gone" in words(app)
    assert app.query_params["d"] == "sample-summaries"


def test_the_import_report_is_there_later(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset = add("speech", rows=[*ROWS, "i1,a1,a,good"])
    app = press(with_more(open_page, dataset), f"report {dataset.id}")
    told = words(app)
    assert "the file of Anna.csv" in told
    assert "144 of 145 ratings kept, 1 set aside" in told
    tables = [frame.value.to_string() for frame in app.dataframe]
    assert any("the score is not a number" in table and "good" in table for table in tables)


def test_a_version_is_held_against_the_one_before(
    open_page: OpenPage, add: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    add("another")
    old = add("<i>speech</i>")
    new = add("speech", replaces=old.id, rows=[*ROWS, "i1,a1,a,5"])
    app = press(with_more(open_page, new), f"compare {new.id}")
    [box] = [box for box in app.selectbox if box.label == "Compared with"]
    assert box.value == old.id
    said = "Ratings from &lt;i&gt;speech&lt;/i&gt; to speech: 1 added, 0 gone, 0 with another score, 144 as they were."
    assert said in words(app)
    assert app.dataframe[-1].value["Added"].sum() == 1
    become(monkeypatch, None)
    app.session_state[f"dialog of {new.id}"] = "compare"
    assert "with another score" not in words(calm(app.run()))


def test_links_are_listed_and_made_on_the_data_page(open_page: OpenPage, add: Callable[..., Dataset]) -> None:
    dataset = add("speech")
    store().add_link(dataset.id, "for Anna")
    app = with_more(open_page, dataset)
    assert "Links (2)" in [button.label for button in app.button]
    app = press(app, f"links {dataset.id}")
    assert "for Anna" in [text.value for text in app.text]
    assert len(app.code) == 2


def test_nobody_can_act_on_a_data_set_of_others(
    open_page: OpenPage, add: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = add("speech")
    app = with_more(open_page, dataset)
    app.text_input(key=f"name of {dataset.id} speech").set_value("taken over")
    asked = press(with_more(open_page, dataset), f"delete {dataset.id}")
    become(monkeypatch, OTHERS)
    for act in (f"rename {dataset.id}", f"replace {dataset.id}", f"delete {dataset.id}"):
        app.button(key=act).click()
    calm(app.run())
    calm(asked.button(key=f"delete it {dataset.id}").click().run())
    assert store().get(dataset.id) == dataset
    forged = open_page("datasets.py")
    forged.session_state["replacing"] = dataset.id
    calm(forged.run())
    assert "A new version of" not in words(forged)


@pytest.mark.parametrize("reader", [OTHERS, None])
def test_readers_get_no_list(
    open_page: OpenPage,
    add: Callable[..., Dataset],
    monkeypatch: pytest.MonkeyPatch,
    reader: str | None,
) -> None:
    dataset = add("speech of mine")
    become(monkeypatch, reader)
    app = open_page("datasets.py", d=store().link(dataset.id))
    assert "Your data sets" not in [heading.value for heading in app.header]
    assert "speech of mine" not in words(app)
    assert not {key for key in keys(app) if dataset.id in key}
    [box] = [box for box in app.selectbox if box.label == "Data set"]
    assert box.options[-1] == "speech of mine"


def test_many_are_shown_once_asked_for(
    open_page: OpenPage, add: Callable[..., Dataset], workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = add("study 0")
    many = [replace(one, id=f"{n:032x}", name=f"study {n}") for n in range(40)]
    monkeypatch.setattr(type(store()), "datasets", lambda _, of: many if of == workspace else [])
    app = open_page("datasets.py")
    assert words(app).count("study ") == 8
    calm(next(button for button in app.button if button.label == "Show all 40").click().run())
    assert words(app).count("study ") == 40


def test_a_browsers_data_set_says_when_it_goes(
    open_page: OpenPage, add: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = add("speech")
    monkeypatch.setattr(store(), "settings", replace(store().settings, unused_days=30.0))
    goes = dataset.used + timedelta(days=30)
    assert f"goes on {goes:%Y-%m-%d} unless it is opened before" in words(open_page("datasets.py"))


def test_the_sidebar_asks_for_no_key_before_a_choice(
    open_page: OpenPage, add: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = [add("same name"), add("same name"), add("another")]
    asked: list[str] = []
    link = type(store()).link
    monkeypatch.setattr(type(store()), "link", lambda self, id: asked.append(id) or link(self, id))
    app = open_page("distributions.py")
    assert asked == []
    [box] = [box for box in app.selectbox if box.label == "Data set"]
    assert box.options[-3:] == ["another", "same name (2)", "same name"]
    calm(box.set_value(datasets[0].id).run())
    assert asked == [datasets[0].id]
    assert app.query_params["d"] == link(store(), datasets[0].id)


def test_data_sets_of_one_name_have_numbers_in_every_list(
    open_page: OpenPage, add: Callable[..., Dataset]
) -> None:
    """The oldest keeps its name, so that a new upload renames none; what is stored keeps its name in any case."""
    first, second = add("speech"), add("speech")
    assert [family.label for family in versions([second, first])] == ["speech (2)", "speech"]
    assert words(open_page("datasets.py")).count("speech (2)") == 1
    app = press(open_page("datasets.py"), f"open {second.id}")
    chosen = next(box for box in app.sidebar.selectbox if box.label == "Data set")
    assert chosen.value == second.id
    assert {"speech", "speech (2)"} <= set(chosen.options)
    assert {store().get(each.id).name for each in (first, second)} == {"speech"}


def test_versions_are_distinguished_from_equal_names(add: Callable[..., Dataset]) -> None:
    first = add("speech")
    second = add("speech", replaces=first.id)
    third = add("speech", replaces=second.id)
    other = add("speech")
    found = versions([other, third, second, first])
    assert [(family.newest, family.older) for family in found] == [(other, ()), (third, (second, first))]
    assert [found[1].number(each) for each in (first, second, third)] == [1, 2, 3]


def test_versions_stay_together_when_the_first_one_is_deleted(add: Callable[..., Dataset]) -> None:
    first = add("speech")
    second = add("speech", replaces=first.id)
    third = add("speech", replaces=second.id)
    [family] = versions([third, second])
    assert (family.newest, family.older) == (third, (second,))


def test_what_changed_between_two_versions_of_choices(
    open_page: OpenPage, tmp_path: Path, database: Path, workspace: str
) -> None:
    file, saved = tmp_path / "choices.csv", list[Dataset]()
    for won in (2, 3):
        rows = [f"i{i},r{r},{'A' if i < won else 'B'},A,B" for i in range(4) for r in range(3)]
        file.write_text("\n".join(["item_id,rater_id,choice,option_a,option_b", *rows]) + "\n")
        saved.append(store().add(file, name=f"won {won}", workspace=workspace))
    app = with_more(open_page, saved[1])
    app = calm(app.button(f"compare {saved[1].id}").click().run())
    said = sentences(app)
    assert "4 items in both, 0 new, 0 gone." in said
    assert "instead of" in said
    [table] = [one.value for one in app.dataframe if "Share" in one.value]
    assert {"Before", "After", "Difference in points"} <= set(table)
