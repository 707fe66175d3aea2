"""The cookie that proves ownership: given once, never taken from an attacker, never repeated to anybody."""

import asyncio
import re

import pytest
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from server.workspace_cookie import WorkspaceCookie, cookie_name
from tests.server.asgi import answering, ask, asked, scope_of

MINE = "0123456789abcdef0123456789abcdef"
EVIL = "ffffffffffffffffffffffffffffffff"
PLAIN = cookie_name(https=False)
HOST = cookie_name(https=True)


def given(cookies: list[str], https: bool = False) -> list[str]:
    app = WorkspaceCookie(answering(), https=https)
    return ask(app, "/", headers=[("cookie", cookie) for cookie in cookies]).values("set-cookie")


def seen_by_pages(cookies: list[str], https: bool = False, kind: str = "websocket") -> str | None:
    found: list[str | None] = []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(HTTPConnection(scope).cookies.get(cookie_name(https)))

    scope = scope_of("/_stcore/stream", headers=[("cookie", cookie) for cookie in cookies], kind=kind)
    asyncio.run(asked(WorkspaceCookie(page, https=https), scope))
    return found[0]


def test_a_new_browser_gets_a_random_cookie_that_scripts_cannot_read() -> None:
    first, second = given([]), given([])
    assert len(first) == 1
    form = rf"{PLAIN}=([0-9a-f]{{32}}); Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
    assert re.fullmatch(form, first[0])
    assert first != second


def test_with_https_the_cookie_is_bound_to_this_host() -> None:
    cookie = given([], https=True)[0]
    assert cookie.startswith("__Host-raterscope_workspace=")
    assert "; Secure" in cookie
    assert "Path=/;" in cookie
    assert "Domain" not in cookie


def test_a_browser_with_a_workspace_keeps_it() -> None:
    assert given([f"other=1; {PLAIN}={MINE}"]) == []
    assert seen_by_pages([f"other=1; {PLAIN}={MINE}"]) == MINE


@pytest.mark.parametrize(
    "value",
    [
        "",
        "zzz",
        MINE.upper(),
        MINE[:-1],
        MINE + "0",
        f'"{MINE}"',
        f"{MINE}\x00",
        f"{MINE} x",
        "é" * 32,
        "0" * 60_000,
        "%0d%0aSet-Cookie: a=b",
        "' OR 1=1 --",
    ],
)
def test_a_malformed_cookie_is_replaced_hidden_and_never_repeated(value: str) -> None:
    cookies = given([f"{PLAIN}={value}"])
    assert len(cookies) == 1
    assert re.match(rf"{PLAIN}=[0-9a-f]{{32}};", cookies[0])
    assert not value or value not in cookies[0]
    assert seen_by_pages([f"{PLAIN}={value}"]) is None


@pytest.mark.parametrize(
    "cookies",
    [
        [f"{PLAIN}={EVIL}; {PLAIN}={MINE}"],
        [f"{PLAIN}={MINE}; a=b; {PLAIN}={EVIL}"],
        [f"{PLAIN}={MINE}", f"{PLAIN}={EVIL}"],
        [f'{PLAIN}={MINE}; {PLAIN}="{EVIL}"'],
        [f"{PLAIN}={MINE};  {PLAIN} ={EVIL}"],
    ],
)
def test_of_two_different_cookies_the_pages_see_neither_and_none_is_added(cookies: list[str]) -> None:
    assert seen_by_pages(cookies) is None
    assert given(cookies) == []


def test_the_other_cookies_stay_when_ours_is_hidden() -> None:
    found: list[dict[str, str]] = []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(HTTPConnection(scope).cookies)

    scope = scope_of("/", headers=[("cookie", f"_streamlit_xsrf=2|a|b; {PLAIN}=x; a=b")])
    asyncio.run(asked(WorkspaceCookie(page, https=False), scope))
    assert found == [{"_streamlit_xsrf": "2|a|b", "a": "b"}]


def test_the_same_cookie_twice_is_no_doubt() -> None:
    assert seen_by_pages([f"{PLAIN}={MINE}; {PLAIN}={MINE}"]) == MINE


def test_with_https_a_plain_cookie_planted_by_a_neighbouring_domain_counts_for_nothing() -> None:
    assert seen_by_pages([f"{PLAIN}={EVIL}"], https=True) is None
    assert given([f"{PLAIN}={EVIL}"], https=True)[0].startswith(f"{HOST}=")
    assert EVIL not in given([f"{PLAIN}={EVIL}"], https=True)[0]
    assert seen_by_pages([f"{PLAIN}={EVIL}; {HOST}={MINE}"], https=True) == MINE


def test_only_pages_set_the_cookie_not_files_or_answers_in_plain_text() -> None:
    app: ASGIApp = WorkspaceCookie(answering(headers=[("content-type", "text/plain")]), https=False)
    assert ask(app, "/_stcore/health").values("set-cookie") == []
