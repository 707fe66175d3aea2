"""The Share popover: everyone gets this view's address, and only the owner sees, makes, revokes and renews links."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from data.formats.readers import sniff
from data.mapping.proposal import propose
from tests.pages.conftest import sentences
from ui.elements import store

OpenPage = Callable[..., AppTest]
MINE, OTHERS = "browser:" + "a" * 64, "browser:" + "b" * 64


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


def add(file: Path, name: str = "mine", replaces: str | None = None) -> Dataset:
    rows = [f"i{i},{g}{r},{g},{(i * (r + 2)) % 5 + 1}" for i in range(12) for r in range(6) for g in "ab"]
    file.write_text("item,rater,group,score\n" + "\n".join(rows) + "\n")
    mapping = dict(propose(sniff(file), "ratings").mapping)
    return store().add(file, "ratings", mapping, name, MINE, replaces=replaces, file=file.name)


def opened(open_page: OpenPage, page: str = "distributions.py", **address: str | list[str]) -> AppTest:
    """The page with its Share popover open."""
    app = open_page(page, **address)
    app.session_state["share this view"] = True
    return calm(app.run())


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    return calm(next(button for button in app.button if button.label == label).click().run())


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def asked(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


def test_a_closed_popover_holds_nothing(
    open_page: OpenPage, study: Dataset, workspace: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = store().link(study.id)
    monkeypatch.setattr(type(store()), "links", lambda *_: pytest.fail("links were asked for"))
    assert not open_page("distributions.py", d=key).code


def test_the_address_holds_the_data_set_and_every_control(
    open_page: OpenPage, study: Dataset, workspace: object
) -> None:
    key = store().link(study.id)
    app = opened(open_page, d=key, show="Single ratings", without=["a1", "a2"])
    address = app.code[0].value
    assert urlsplit(address).path == "/distributions"
    assert asked(address) == {"d": [key], "show": ["Single ratings"], "without": ["a1", "a2"]}


def test_the_owner_makes_a_named_link_to_this_view(
    open_page: OpenPage, study: Dataset, workspace: object
) -> None:
    app = opened(open_page, d=store().link(study.id), show="Single ratings")
    next(box for box in app.text_input if box.label == "Name").set_value("[Anna](https://evil.invalid)")
    next(box for box in app.selectbox if box.label == "Ends").set_value("in 7 days")
    press(app, "Make a link")
    own, link = store().links(study.id)
    assert (own.name, link.name) == ("", "[Anna](https://evil.invalid)")
    assert link.view == "/distributions?show=Single+ratings"
    assert link.expires is not None
    assert abs(link.expires - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=5)
    assert link.name in [text.value for text in app.text]
    shown = [code.value for code in app.code if asked(code.value)["d"] == [link.key]]
    assert [asked(address)["show"] for address in shown] == [["Single ratings"]]
    assert next(box for box in app.text_input if box.label == "Name").value == ""


def test_a_link_without_a_name_is_refused_in_words(
    open_page: OpenPage, study: Dataset, workspace: object
) -> None:
    app = press(opened(open_page, d=store().link(study.id)), "Make a link")
    assert "needs a name" in sentences(app)
    assert len(store().links(study.id)) == 1


def test_revoking_asks_once_and_the_reader_finds_nothing_then(
    open_page: OpenPage, study: Dataset, workspace: Callable[[str | None], None]
) -> None:
    link = store().add_link(study.id, "Ben")
    app = opened(open_page, d=store().link(study.id))
    app.button(key=f"revoke share {link.key}").click().run()
    assert "finds nothing there any more" in sentences(app)
    assert store().by_key(link.key) is not None
    press(app, "Keep")
    assert "Revoke it" not in labels(app)
    app.button(key=f"revoke share {link.key}").click().run()
    press(app, "Revoke it")
    assert store().by_key(link.key) is None
    assert [each.name for each in store().links(study.id)] == [""]
    workspace(OTHERS)
    revoked, never = open_page("distributions.py", d=link.key), open_page("distributions.py", d="f" * 32)
    assert revoked.title[0].value == never.title[0].value == "Not found"
    assert sentences(revoked) == sentences(never)
    assert "mine" not in sentences(revoked)


def test_revoking_the_address_in_the_bar_goes_on_under_a_new_one(
    open_page: OpenPage, study: Dataset, workspace: object
) -> None:
    key = store().link(study.id)
    app = opened(open_page, d=key, show="Single ratings", candidate="b")
    app.button(key=f"revoke share {key}").click().run()
    press(app, "Revoke it")
    calm(app.run())
    new = app.query_params["d"]
    assert new != key
    assert store().by_key(key) is None
    assert store().by_key(new) == study
    assert app.title[0].value == "Distributions"
    assert next(box for box in app.selectbox if box.label == "Candidate group").value == "b"


def test_renewing_gives_a_new_address_under_the_same_name(
    open_page: OpenPage, study: Dataset, workspace: object
) -> None:
    link = store().add_link(study.id, "Ben", "/workers")
    app = opened(open_page, d=link.key)
    calm(app.button(key=f"renew share {link.key}").click().run())
    new = next(each for each in store().links(study.id) if each.name == "Ben")
    assert new.key != link.key
    assert new.view == "/workers"
    assert store().by_key(link.key) is None
    assert app.query_params["d"] == new.key


@pytest.mark.parametrize("reader", [OTHERS, None])
def test_a_reader_gets_the_address_and_hears_of_no_other_link(
    open_page: OpenPage,
    study: Dataset,
    workspace: Callable[[str | None], None],
    reader: str | None,
) -> None:
    store().add_link(study.id, "for Anna")
    link = store().add_link(study.id, "for Ben")
    workspace(reader)
    app = opened(open_page, d=link.key)
    assert [asked(code.value)["d"] for code in app.code] == [[link.key]]
    everything = sentences(app) + " ".join(text.value for text in app.text)
    assert "for Anna" not in everything
    assert "for Ben" not in everything
    assert not {"Make a link", "Revoke", "Renew"} & set(labels(app))


def test_a_sample_has_its_address_only(open_page: OpenPage, workspace: object) -> None:
    app = opened(open_page, d="sample-summaries")
    assert [asked(code.value) for code in app.code] == [{"d": ["sample-summaries"]}]
    assert "Make a link" not in labels(app)


@pytest.mark.usefixtures("empty_overview")
def test_an_expired_link_looks_like_one_that_never_was(
    open_page: OpenPage,
    study: Dataset,
    workspace: Callable[[str | None], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = store().add_link(study.id, "soon over", expires=datetime.now(UTC) + timedelta(hours=1))
    assert open_page("overview.py", d=link.key).title[0].value == "Overview"
    later = datetime.now(UTC).replace(tzinfo=None) + timedelta(hours=2)
    monkeypatch.setattr("data.store.catalogue.now", lambda: later)
    workspace(OTHERS)
    expired, never = open_page("overview.py", d=link.key), open_page("overview.py", d="0" * 32)
    assert expired.title[0].value == "Not found"
    assert sentences(expired) == sentences(never)


def test_a_stale_tab_of_someone_else_cannot_act(
    open_page: OpenPage, study: Dataset, workspace: Callable[[str | None], None]
) -> None:
    link = store().add_link(study.id, "Ben")
    app = opened(open_page, d=store().link(study.id))
    button = app.button(key=f"renew share {link.key}")
    workspace(OTHERS)
    calm(button.click().run())
    assert store().by_key(link.key) is not None
    assert [each.name for each in store().links(study.id)] == ["", "Ben"]
