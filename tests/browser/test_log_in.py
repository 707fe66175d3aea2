"""Log-in with a real provider and real browsers: to each their own data sets, and nothing by a changed cookie."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from itsdangerous import URLSafeTimedSerializer
from playwright.sync_api import Browser, expect

from tests.attacks.visit import Visit
from tests.browser.conftest import Server, Visitor, chromium_path, new_visitor, start_server
from tests.browser.oidc import (
    LogInService,
    log_in,
    log_in_button,
    log_in_service,
    log_out,
)
from tests.browser.paths import choose_file, dataset_key

LOG_IN_COOKIE = "_streamlit_user"
NewVisitor = Callable[[], Visitor]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogInService]:
    with log_in_service(tmp_path_factory.mktemp("log-in service")) as running:
        yield running


@pytest.fixture(scope="module")
def server(service: LogInService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with log-in, on a database of its own; the tests of this module share it."""
    chromium_path()
    folder = tmp_path_factory.mktemp("server")
    running = start_server(folder, STREAMLIT_SECRETS_FILES=str(service.secrets_file(folder)))
    yield running
    running.stop()
    assert exceptions(running) == []


def exceptions(server: Server) -> list[str]:
    """Lines of the log that tell of an exception; that somebody was refused is an error line without one."""
    lines = server.log.read_text().splitlines()
    return [line for line in lines if '"exception"' in line or line.startswith("Traceback")]


@pytest.fixture
def arrive(chromium: Browser, server: Server) -> Iterator[NewVisitor]:
    """Somebody with a browser of their own, as often as it is called."""
    arrived: list[Visitor] = []

    def new() -> Visitor:
        arrived.append(new_visitor(chromium, server))
        return arrived[-1]

    yield new
    for visitor in arrived:
        visitor.context.close()
        assert visitor.violations == []


@pytest.fixture
def study(tmp_path: Path) -> Callable[[str], Path]:
    def write(name: str) -> Path:
        file = tmp_path / f"{name}.csv"
        rows = [f"i{item},r{rater},{(item * rater) % 5 + 1}" for item in range(12) for rater in range(8)]
        file.write_text("item,rater,score\n" + "\n".join(rows) + "\n")
        return file

    return write


def save(visitor: Visitor, file: Path) -> str:
    """Uploads and saves a file, and returns its reader's key without waiting for its figures."""
    choose_file(visitor, file)
    before = dataset_key(visitor)
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    visitor.page.wait_for_function(
        "before => ![null, before].includes(new URL(location).searchParams.get('d'))",
        arg=before,
        timeout=120_000,
    )
    return dataset_key(visitor)


def listed(visitor: Visitor) -> str:
    """All that the Data page and the sidebar's list of data sets name to whoever has this browser's cookies."""
    cookies = {str(cookie["name"]): str(cookie["value"]) for cookie in visitor.context.cookies(visitor.base)}
    with Visit(visitor.base, "data", cookies=cookies) as visit:
        said = visit.run()
    assert "EXCEPTION" not in said
    return said


def test_two_persons_see_their_own_in_every_browser_and_a_link_opens_for_anyone(
    arrive: NewVisitor, shared_data: Path, study: Callable[[str], Path]
) -> None:
    ada, ben = arrive(), arrive()
    ada.open("/data")
    log_in(ada, "ada")
    key = save(ada, shared_data / "formats" / "wide_items_by_raters.csv")
    ben.open("/data")
    log_in(ben, "ben")
    save(ben, study("of_ben"))

    assert "wide_items_by_raters" in listed(ada)
    assert "of_ben" not in listed(ada)
    assert "of_ben" in listed(ben)
    assert "wide_items_by_raters" not in listed(ben)

    elsewhere = arrive()
    elsewhere.open("/data")
    log_in(elsewhere, "ada")
    assert "wide_items_by_raters" in listed(elsewhere)

    reader = arrive()
    page = reader.open(f"/distributions?d={key}")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(log_in_button(reader)).to_be_visible()

    log_out(ada)
    assert "wide_items_by_raters" not in listed(ada)
    assert "wide_items_by_raters" in listed(elsewhere)


def test_who_logs_in_comes_back_to_the_same_view(arrive: NewVisitor) -> None:
    visitor = arrive()
    page = visitor.open("/data?d=sample-summaries&candidate=lab&measures=focus")
    log_in(visitor, "cora")
    expect(page.get_by_role("heading", level=1, name="Data")).to_be_visible()
    query = {"d": ["sample-summaries"], "candidate": ["lab"], "measures": ["focus"]}
    assert parse_qs(urlsplit(page.url).query) == query
    chosen = page.get_by_test_id("stSidebar").get_by_test_id("stMultiSelect")
    expect(chosen.first).to_contain_text("focus")


def test_a_refused_log_in_leaves_the_visitor_logged_out_where_they_were(arrive: NewVisitor) -> None:
    visitor = arrive()
    page = visitor.open("/data")
    log_in_button(visitor).click()
    page.get_by_role("button", name="Deny").click()
    page.wait_for_url(f"{visitor.base}/**")
    expect(page.get_by_role("heading", level=1, name="Data")).to_be_visible()
    expect(log_in_button(visitor)).to_be_visible()


def test_without_log_in_nothing_is_saved_and_the_page_says_why(
    arrive: NewVisitor, study: Callable[[str], Path]
) -> None:
    visitor = arrive()
    main = visitor.open("/data").get_by_test_id("stMain")
    expect(main).to_contain_text("Saving needs a log-in")
    choose_file(visitor, study("of_nobody"))
    expect(main).not_to_contain_text("Saving needs a log-in")
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    expect(main).to_contain_text("Saving needs a log-in")
    assert "of_nobody" not in listed(visitor)


def test_a_name_from_the_service_is_shown_as_text_and_the_person_stays_when_the_address_changes(
    arrive: NewVisitor, service: LogInService, study: Callable[[str], Path]
) -> None:
    service.knows("dora", name="**Dora** [x](http://example.org) <b>D</b>", email="dora@one.example")
    first = arrive()
    first.open("/data")
    log_in(first, "dora")
    sidebar = first.page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("**Dora** [x](http://example.org) <b>D</b>")
    save(first, study("of_dora"))
    service.knows("dora", email="dora@two.example")
    service.knows("someone-else", email="dora@one.example")
    later, other = arrive(), arrive()
    later.open("/data")
    log_in(later, "dora")
    expect(later.page.get_by_test_id("stSidebar")).to_contain_text("dora@two.example")
    assert "of_dora" in listed(later)
    other.open("/data")
    log_in(other, "someone-else")
    assert "of_dora" not in listed(other)


def test_data_sets_of_the_browser_are_taken_over_once_and_only_on_demand(
    chromium: Browser, service: LogInService, tmp_path: Path, study: Callable[[str], Path]
) -> None:
    before = start_server(tmp_path)
    try:
        visitor = new_visitor(chromium, before)
        save(visitor, study("before_log_in"))
        cookies = visitor.context.cookies()
        visitor.context.close()
    finally:
        before.stop()

    running = start_server(tmp_path, STREAMLIT_SECRETS_FILES=str(service.secrets_file(tmp_path)))
    try:
        visitor, elsewhere = new_visitor(chromium, running), new_visitor(chromium, running)
        visitor.context.add_cookies(cookies)
        visitor.open("/data")
        assert "before_log_in" not in listed(visitor)
        log_in(visitor, "eve")
        assert "before_log_in" not in listed(visitor)
        visitor.open("/data")
        visitor.page.get_by_role("button", name="Take the data set saved in this browser").click()
        expect(visitor.page.get_by_role("button", name="Take the data set")).to_have_count(0)
        assert "before_log_in" in listed(visitor)
        elsewhere.open("/data")
        log_in(elsewhere, "eve")
        assert "before_log_in" in listed(elsewhere)
        log_out(visitor)
        log_in(visitor, "fay")
        expect(visitor.page.get_by_test_id("stSidebar")).not_to_contain_text("saved in this browser")
        assert "before_log_in" not in listed(visitor)
        visitor.context.close()
        elsewhere.context.close()
    finally:
        running.stop()
    assert exceptions(running) == []


@pytest.fixture(scope="module")
def owners_cookie(chromium: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The log-in cookie of somebody who has a data set, signed by the server."""
    file = tmp_path_factory.mktemp("owner") / "of_gina.csv"
    file.write_text("item,rater,score\n" + "".join(f"i{i % 12},r{i // 12},{i % 5}\n" for i in range(96)))
    owner = new_visitor(chromium, server)
    owner.open("/data")
    log_in(owner, "gina")
    save(owner, file)
    cookies = {str(cookie["name"]): str(cookie["value"]) for cookie in owner.context.cookies()}
    owner.context.close()
    return cookies[LOG_IN_COOKIE]


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


def test_a_workspace_planted_before_log_in_opens_nothing_of_the_person(
    arrive: NewVisitor, server: Server, study: Callable[[str], Path]
) -> None:
    planted = {"name": "raterscope_workspace", "value": "0123456789abcdef" * 2, "url": server.url}
    attacker, victim = arrive(), arrive()
    for each in (attacker, victim):
        each.context.add_cookies([planted])  # type: ignore[list-item]
    victim.open("/data")
    log_in(victim, "ivy")
    save(victim, study("of_ivy"))
    assert "of_ivy" in listed(victim)
    assert "of_ivy" not in listed(attacker)
    attacker.open("/data")
    log_in(attacker, "jack")
    assert "of_ivy" not in listed(attacker)


def test_an_answer_of_the_service_that_this_browser_never_asked_for_logs_nobody_in(
    arrive: NewVisitor, service: LogInService
) -> None:
    attacker, victim = arrive(), arrive()
    attacker.open("/data")
    attacker.page.route("**/oauth2callback*", lambda route: route.abort())
    log_in_button(attacker).click()
    attacker.page.get_by_placeholder("sub").fill("mallory")
    with attacker.page.expect_request("**/oauth2callback*") as asked:
        attacker.page.get_by_role("button", name="Authorize").click()
    answer = asked.value.url
    assert set(parse_qs(urlsplit(answer).query)) >= {"code", "state"}

    victim.page.goto(answer)
    expect(log_in_button(victim)).to_be_visible()
    victim.open("/data")
    log_in(victim, "kim")
    expect(victim.page.get_by_test_id("stSidebar")).to_contain_text("kim")
