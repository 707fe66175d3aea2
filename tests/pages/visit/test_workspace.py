"""Access to data sets: by the browser's cookie or, with log-in, by the person's identity, and by nothing else."""

import tomllib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from data.engines.schema import _UPGRADES
from data.errors import NotFound
from data.settings import from_environment
from data.store.store import Store
from ui.visit import workspace
from ui.visit.workspace import Place, Places

pytestmark = pytest.mark.usefixtures("database")
COOKIE = "0123456789abcdef" * 2
ADA = {"is_logged_in": True, "iss": "https://one.example", "sub": "ada", "email": "ada@one.example"}
SECRETS = """
[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "0123456789abcdef0123456789abcdef"
"""
PROVIDER = 'client_id = "x"\nclient_secret = "y"\nserver_metadata_url = "http://127.0.0.1:9/none"\n'


class Browser:
    """Stands in for the browser that is looking: its cookies, and what the log-in service said."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}
        self.said: dict[str, object] = {}


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    here = Browser()
    monkeypatch.setattr(type(st.context), "cookies", property(lambda self: here.cookies))
    monkeypatch.setattr(workspace, "claims", lambda: here.said)
    return here


@pytest.fixture
def secrets(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Give Streamlit a file of secrets with this text."""
    before = config.get_option("secrets.files")

    def write(text: str) -> None:
        file = tmp_path / "secrets.toml"
        file.write_text(text, encoding="utf-8")
        config.set_option("secrets.files", [str(file)])
        st.secrets._reset()

    yield write
    config.set_option("secrets.files", before)
    st.secrets._reset()


@pytest.fixture
def log_in_set_up(secrets: Callable[[str], None]) -> None:
    secrets(SECRETS + PROVIDER)


def test_without_log_in_the_browser_is_the_workspace_and_the_cookie_itself_is_kept_nowhere(
    browser: Browser,
) -> None:
    browser.cookies = {"raterscope_workspace": COOKIE}
    mine = workspace.current_workspace()
    assert mine == "browser:" + sha256(COOKIE.encode()).hexdigest()
    assert COOKIE not in mine
    assert mine == workspace.browsers_workspace()


def test_workspaces_from_before_are_found_under_the_same_digest(browser: Browser) -> None:
    """The catalogue's upgrade makes the digest in SQL, the pages in Python."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE datasets (workspace VARCHAR)")
        connection.execute("INSERT INTO datasets VALUES (?)", [COOKIE])
        (statement,) = (each for each in _UPGRADES[1] if "browser:" in each)
        connection.execute(statement)
        upgraded = connection.execute("SELECT workspace FROM datasets").fetchone()
    browser.cookies = {"raterscope_workspace": COOKIE}
    assert upgraded == (workspace.current_workspace(),)


@pytest.mark.parametrize("value", ["", "x", COOKIE.upper(), COOKIE + "0", f"{COOKIE}\n", "../" + COOKIE[3:]])
def test_a_senseless_cookie_is_nobody(browser: Browser, value: str) -> None:
    browser.cookies = {"raterscope_workspace": value}
    assert workspace.current_workspace() is None


def test_with_https_only_the_cookie_that_no_neighbour_can_plant_counts(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    https_only = from_environment({"RATERSCOPE_HTTPS": "yes"})
    monkeypatch.setattr(workspace, "store", lambda: SimpleNamespace(settings=https_only))
    browser.cookies = {"raterscope_workspace": COOKIE}
    assert workspace.current_workspace() is None
    browser.cookies = {"__Host-raterscope_workspace": COOKIE}
    assert workspace.current_workspace() == "browser:" + sha256(COOKIE.encode()).hexdigest()


def test_what_a_log_in_service_says_counts_only_where_one_is_set_up(browser: Browser) -> None:
    browser.said = ADA
    assert workspace.current_workspace() is None


@pytest.mark.usefixtures("log_in_set_up")
class TestWithLogIn:
    def test_the_browsers_cookie_is_no_workspace_any_more(self, browser: Browser) -> None:
        browser.cookies = {"raterscope_workspace": COOKIE}
        assert workspace.current_workspace() is None
        assert workspace.browsers_workspace() is not None

    def test_a_person_is_the_service_and_its_name_for_them(self, browser: Browser) -> None:
        browser.said = ADA
        ada = workspace.current_workspace()
        assert ada is not None
        assert ada.startswith("person:")
        assert "ada" not in ada
        browser.said = ADA | {"email": "married@two.example", "name": "Ada B", "aud": "another"}
        assert workspace.current_workspace() == ada

    @pytest.mark.parametrize(
        "other",
        [
            {"sub": "ben"},
            {"iss": "https://two.example"},
            {"iss": "https://one.exampleada", "sub": ""},
            {"iss": "https://one.examplea", "sub": "da"},
            {"iss": "https://one.example", "sub": "ADA"},
        ],
    )
    def test_another_service_or_name_is_another_person(self, browser: Browser, other: dict[str, str]) -> None:
        browser.said = ADA
        ada = workspace.current_workspace()
        browser.said = ADA | other
        assert workspace.current_workspace() != ada

    @pytest.mark.parametrize(
        "said",
        [
            {},
            {"is_logged_in": False},
            {key: value for key, value in ADA.items() if key != "sub"},
            {key: value for key, value in ADA.items() if key != "iss"},
            ADA | {"sub": ""},
            ADA | {"sub": None},
            ADA | {"sub": 7},
            ADA | {"is_logged_in": False},
            ADA | {"is_logged_in": "yes"},
        ],
    )
    def test_without_a_full_answer_nobody_is_logged_in(
        self, browser: Browser, said: dict[str, object]
    ) -> None:
        browser.said = said
        assert workspace.current_workspace() is None
        assert not workspace.may_save()
        assert "log-in" in workspace.requirement_for_saving()


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (SECRETS + PROVIDER, True),
        ("", False),
        ("[other]\na = 1\n", False),
        ("auth = 'a text'\n", False),
        ("[auth\n", False),
    ],
    ids=["with the section", "empty", "another section", "no section", "not readable"],
)
def test_there_is_a_log_in_where_the_secrets_have_its_section(
    secrets: Callable[[str], None], text: str, offered: bool
) -> None:
    secrets(text)
    assert workspace.has_login() is offered


def test_without_a_file_of_secrets_there_is_no_log_in(tmp_path: Path) -> None:
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "none.toml")])
    st.secrets._reset()
    assert not workspace.has_login()
    config.set_option("secrets.files", before)
    st.secrets._reset()


def test_several_services_have_a_button_each(secrets: Callable[[str], None]) -> None:
    secrets(SECRETS + PROVIDER)
    assert workspace._providers() == [None]
    secrets(f"{SECRETS}[auth.one]\n{PROVIDER}[auth.two]\n{PROVIDER}")
    assert workspace._providers() == ["one", "two"]
    secrets(SECRETS)
    assert workspace._providers() == [None]
    assert "client_id" not in tomllib.loads(SECRETS)["auth"]


def test_only_what_is_ones_own_may_be_changed(
    browser: Browser, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("item,rater,score\n" + "".join(f"i{i},r{i % 3},{i % 5}\n" for i in range(30)))
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    with Store(settings=None) as kept:
        monkeypatch.setattr(workspace, "store", lambda: kept)
        browser.cookies = {"raterscope_workspace": COOKIE}
        own = kept.add(file, "ratings", mapping, "mine", workspace.current_workspace())
        nobodys = kept.add(file, "ratings", mapping, "nobody's")
        assert workspace.owned(own.id) == own
        for others in (nobodys.id, "0" * 32, "", "../x"):
            with pytest.raises(NotFound, match=r"^there is no such data set$"):
                workspace.owned(others)
        for cookie in ({}, {"raterscope_workspace": COOKIE[::-1]}):
            browser.cookies = cookie
            for id in (own.id, nobodys.id):
                with pytest.raises(NotFound, match=r"^there is no such data set$"):
                    workspace.owned(id)


def test_a_place_is_given_back_once_to_its_browser_and_soon_forgotten() -> None:
    place = Place("repetitions", (("shuffles", ("10",)),))
    places = Places(seconds=600, most=2)
    places.leave("one", place)
    assert places.take("two") is None
    assert places.take("one") == place
    assert places.take("one") is None
    for browser in ("one", "two", "three"):
        places.leave(browser, place)
    assert places.take("one") is None, "the oldest goes when there are too many"
    assert places.take("three") == place
    late = Places(seconds=0)
    late.leave("one", place)
    assert late.take("one") is None


def log_in_page() -> None:
    from ui.visit import workspace

    workspace.show_login()


def drawn(said: dict[str, object]) -> AppTest:
    app = AppTest.from_function(log_in_page, default_timeout=60)
    app.user = said
    app.run()
    assert not app.exception
    return app


def test_the_sidebar_has_nothing_without_a_log_in() -> None:
    app = drawn({})
    assert not app.sidebar.button
    assert not app.sidebar.get("html")


@pytest.mark.usefixtures("log_in_set_up", "database")
def test_the_sidebar_says_who_is_logged_in_as_text() -> None:
    app = drawn(ADA | {"name": "**Ada** [x](http://y) <i>"})
    (sentence,) = app.sidebar.get("html")
    assert "<b>**Ada** [x](http://y) &lt;i&gt;</b>" in sentence.proto.body
    assert [button.label for button in app.sidebar.button] == ["Log out"]


@pytest.mark.usefixtures("log_in_set_up", "database")
def test_an_answer_without_a_subject_is_reported_and_logs_nobody_in() -> None:
    app = drawn({"is_logged_in": True, "iss": "https://one.example", "email": "ada@one.example"})
    (sentence,) = app.sidebar.get("html")
    assert "did not say who you are" in sentence.proto.body
    assert [button.label for button in app.sidebar.button] == ["Log out"]


@pytest.mark.usefixtures("database")
def test_a_log_in_that_is_not_set_up_completely_ends_in_a_sentence(secrets: Callable[[str], None]) -> None:
    secrets(SECRETS)
    app = drawn({})
    app.sidebar.button[0].click().run()
    assert not app.exception
    assert "not set up completely" in " ".join(each.proto.body for each in app.sidebar.get("html"))
