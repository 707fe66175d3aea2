"""Log-in with a real provider: in a real browser, and by hand with many browsers' cookies. To each their own data sets,
and nothing by a changed cookie."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

import pytest
from itsdangerous import URLSafeTimedSerializer
from playwright.sync_api import BrowserContext, expect

from data.settings import Settings
from data.store.store import Store
from tests.attacks.visit import Visit
from tests.browser.conftest import Server, Visitor, chromium_path, start_server
from tests.browser.oidc import (
    LogInService,
    answer_of_service,
    log_in,
    log_in_button,
    log_in_by_hand,
    log_in_service,
    log_out,
    log_out_by_hand,
)

LOG_IN_COOKIE = "_streamlit_user"
WORKSPACE_COOKIE = "raterscope_workspace"
OF_BEFORE = "fedcba9876543210" * 2
"""The workspace cookie of a browser that saved a data set before the server had a log-in."""
TABLE = "item,rater,score\n" + "".join(
    f"i{item},r{rater},{(item * rater) % 5 + 1}\n" for item in range(12) for rater in range(8)
)
Arrive = Callable[..., Visit]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogInService]:
    with log_in_service(tmp_path_factory.mktemp("log-in service")) as running:
        yield running


@pytest.fixture(scope="module")
def server(service: LogInService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with log-in, on a database in which a browser had saved something before there was one."""
    chromium_path()
    folder = tmp_path_factory.mktemp("server")
    file = folder / "file.csv"
    file.write_text(TABLE)
    settings = Settings(database=str(folder / "raterscope.duckdb"), spool=folder / "spool")
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    with Store(settings=settings) as store:
        owner = f"browser:{sha256(OF_BEFORE.encode()).hexdigest()}"
        store.add(file, "ratings", mapping, "before_log_in", owner)
    running = start_server(folder, STREAMLIT_SECRETS_FILES=str(service.secrets_file(folder)))
    yield running
    running.stop()
    assert exceptions(running) == []


def exceptions(server: Server) -> list[str]:
    """Lines of the log that tell of an exception; that somebody was refused is an error line without one."""
    lines = server.log.read_text().splitlines()
    return [line for line in lines if '"exception"' in line or line.startswith("Traceback")]


@pytest.fixture
def visitor(browsers: list[BrowserContext], server: Server) -> Iterator[Visitor]:
    """Visitor whose browser also visits the log-in service on another host."""
    someone = Visitor(browsers[0], browsers[0].new_page(), server.url)
    yield someone
    someone.forget()
    assert someone.violations == []


@pytest.fixture
def arrive(server: Server) -> Iterator[Arrive]:
    """Visit of the Data page with separate cookies, logged in if a name is given."""
    with ExitStack() as leaving:

        def new(subject: str = "", **cookies: str) -> Visit:
            visit = leaving.enter_context(Visit(server.url, "data", cookies=dict(cookies)))
            visit.run()
            if subject:
                log_in_by_hand(visit, subject)
            return visit

        yield new


def save(visit: Visit, name: str) -> str:
    """Uploads and saves a file under that name, and returns its reader's key."""
    visit.offer(f"{name}.csv", TABLE.encode())
    visit.press("Save")
    return visit.query["d"]


def listed(visit: Visit) -> str:
    """All that the Data page and the sidebar's list of data sets name to whoever has these cookies."""
    with Visit(visit.server, "data", cookies=visit.cookies) as another:
        said = another.run()
    assert "EXCEPTION" not in said
    return said


def test_who_logs_in_comes_back_to_the_same_view_under_a_name_that_is_text(
    visitor: Visitor, service: LogInService
) -> None:
    service.knows("cora", name="**Cora** [x](http://example.org) <b>C</b>")
    page = visitor.open("/agreement?d=sample-summaries&candidate=lab&measures=focus")
    log_in(visitor, "cora")
    expect(page.get_by_role("heading", level=1, name="Agreement")).to_be_visible()
    query = {"d": ["sample-summaries"], "candidate": ["lab"], "measures": ["focus"]}
    assert parse_qs(urlsplit(page.url).query) == query
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_test_id("stMultiSelect").first).to_contain_text("focus")
    expect(sidebar).to_contain_text("**Cora** [x](http://example.org) <b>C</b>")
    log_out(visitor)


@pytest.mark.slow
def test_a_refused_log_in_leaves_the_visitor_logged_out_where_they_were(visitor: Visitor) -> None:
    page = visitor.open("/data")
    log_in_button(visitor).click()
    page.get_by_role("button", name="Deny").click()
    page.wait_for_url(f"{visitor.base}/**")
    expect(page.get_by_role("heading", level=1, name="Data")).to_be_visible()
    expect(log_in_button(visitor)).to_be_visible()


@pytest.mark.slow
def test_two_persons_see_their_own_in_every_browser_and_a_link_opens_for_anyone(
    arrive: Arrive, server: Server
) -> None:
    ada, ben = arrive("ada"), arrive("ben")
    key = save(ada, "of_ada")
    save(ben, "of_ben")
    assert "of_ada" in listed(ada)
    assert "of_ben" not in listed(ada)
    assert "of_ben" in listed(ben)
    assert "of_ada" not in listed(ben)

    elsewhere = arrive("ada")
    assert "of_ada" in listed(elsewhere)
    with Visit(server.url, "distributions", {"d": key}) as reader:
        assert "of_ada" in reader.run()
        assert "Log in" in reader.buttons

    log_out_by_hand(ada)
    assert "of_ada" not in listed(ada)
    assert "of_ada" in listed(elsewhere)


def test_without_log_in_nothing_is_saved_and_the_page_says_why(arrive: Arrive) -> None:
    visit = arrive()
    assert "Saving needs a log-in" in visit.reload()
    assert "Saving needs a log-in" not in visit.offer("of_nobody.csv", TABLE.encode())
    assert "Saving needs a log-in" in visit.press("Save")
    assert "of_nobody" not in listed(visit)


@pytest.mark.slow
def test_a_person_stays_when_the_address_changes(arrive: Arrive, service: LogInService) -> None:
    service.knows("dora", email="dora@one.example")
    save(arrive("dora"), "of_dora")
    service.knows("dora", email="dora@two.example")
    service.knows("someone-else", email="dora@one.example")
    later = listed(arrive("dora"))
    assert "dora@two.example" in later
    assert "of_dora" in later
    other = listed(arrive("someone-else"))
    assert "dora@one.example" in other
    assert "of_dora" not in other


@pytest.mark.slow
def test_data_sets_of_the_browser_are_taken_over_once_and_only_on_demand(arrive: Arrive) -> None:
    visit = arrive(**{WORKSPACE_COOKIE: OF_BEFORE})
    assert "before_log_in" not in listed(visit)
    log_in_by_hand(visit, "eve")
    assert "before_log_in" not in listed(visit)
    visit.press("Take the data set saved in this browser into your account")
    assert not [label for label in visit.buttons if label.startswith("Take")]
    assert "before_log_in" in listed(visit)
    assert "before_log_in" in listed(arrive("eve"))
    log_out_by_hand(visit)
    assert "Saved in this browser" not in log_in_by_hand(visit, "fay")
    assert "before_log_in" not in listed(visit)


@pytest.fixture(scope="module")
def owners_cookie(server: Server) -> str:
    """The log-in cookie of somebody who has a data set, signed by the server."""
    with Visit(server.url, "data") as owner:
        owner.run()
        log_in_by_hand(owner, "gina")
        save(owner, "of_gina")
        return owner.cookies[LOG_IN_COOKIE]


def _payload(cookie: str) -> dict[str, object]:
    claims: dict[str, object] = json.loads(URLSafeTimedSerializer("any").loads_unsafe(cookie)[1])
    return claims


def _other_byte(cookie: str) -> str:
    return cookie[:8] + ("A" if cookie[8] != "A" else "B") + cookie[9:]


def _signed_by_another(cookie: str) -> str:
    signed = URLSafeTimedSerializer("0" * 64, salt=LOG_IN_COOKIE).dumps(json.dumps(_payload(cookie)))
    return signed if isinstance(signed, str) else signed.decode()


def _unsigned_token(cookie: str) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(_payload(cookie))}."


def _signature_of_another(cookie: str) -> str:
    return cookie.rsplit(".", 1)[0] + "." + _signed_by_another(cookie).rsplit(".", 1)[1]


@pytest.mark.parametrize(
    "tamper",
    [
        _other_byte,
        lambda cookie: cookie[: len(cookie) // 2],
        lambda cookie: cookie.rsplit(".", 1)[0] + ".",
        _signed_by_another,
        _signature_of_another,
        _unsigned_token,
        lambda cookie: json.dumps(_payload(cookie)).replace('"', "%22").replace(" ", "").replace(",", "%2C"),
        lambda cookie: "chunks-1000000",
        lambda cookie: "",
    ],
    ids=[
        "a changed byte",
        "cut in half",
        "no signature",
        "signed with another secret",
        "another's signature",
        "alg none",
        "the bare claims",
        "a count of chunks",
        "empty",
    ],
)
def test_a_tampered_log_in_cookie_is_logged_out(
    owners_cookie: str, server: Server, tamper: Callable[[str], str]
) -> None:
    with Visit(server.url, "data", cookies={LOG_IN_COOKIE: tamper(owners_cookie)}) as attacker:
        said = attacker.run()
    assert "of_gina" not in said
    assert "Saving needs a log-in" in said
    assert "EXCEPTION" not in said


def test_the_untouched_cookie_does_log_in(owners_cookie: str, server: Server) -> None:
    """Without this the test above could pass because no planted cookie ever works."""
    with Visit(server.url, "data", cookies={LOG_IN_COOKIE: owners_cookie}) as visit:
        said = visit.run()
    assert "of_gina" in said
    assert "Saving needs a log-in" not in said


@pytest.mark.slow
def test_a_workspace_planted_before_log_in_opens_nothing_of_the_person(arrive: Arrive) -> None:
    planted = {WORKSPACE_COOKIE: "0123456789abcdef" * 2}
    attacker, victim = arrive(**planted), arrive("ivy", **planted)
    save(victim, "of_ivy")
    assert "of_ivy" in listed(victim)
    assert "of_ivy" not in listed(attacker)
    log_in_by_hand(attacker, "jack")
    assert "of_ivy" not in listed(attacker)


@pytest.mark.slow
def test_an_answer_of_the_service_that_this_browser_never_asked_for_logs_nobody_in(arrive: Arrive) -> None:
    attacker, victim = arrive(), arrive()
    answer = answer_of_service(attacker, "mallory")
    assert set(parse_qs(urlsplit(answer).query)) >= {"code", "state"}
    victim.fetch(answer)
    assert LOG_IN_COOKIE not in victim.cookies
    assert "mallory" not in victim.reload()
    assert "Logged in as <b>kim</b>" in log_in_by_hand(victim, "kim")
    attacker.fetch(answer)
    assert "Logged in as <b>mallory</b>" in attacker.reload(), "the answer was good for whoever asked"
