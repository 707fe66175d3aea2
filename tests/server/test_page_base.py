"""Pages load our scripts first and preload programs; nothing else is changed."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from server.static_files import PRELOADS, TAGS, PageScripts
from tests.server.asgi import answering, ask, asked, scope_of

HTML = b"<html><head><title>x</title></head></html>"
BROWSER = [("accept", "text/html,*/*"), ("accept-encoding", "gzip")]


def test_a_page_begins_with_our_scripts_and_its_length_is_right() -> None:
    answer = ask(
        PageScripts(answering(headers=[("content-type", "text/html"), ("content-length", "42")], body=HTML)),
        "/repetitions",
        headers=BROWSER,
    )
    assert answer.text.startswith(f"<html><head>{TAGS}<title>")
    assert answer.text.endswith(f"</title>{PRELOADS}</head></html>")
    assert answer.values("content-length") == [str(len(answer.text))]


def test_a_page_in_pieces_is_changed_as_a_whole_and_asked_for_unpacked() -> None:
    seen: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]}
        )
        for at in range(0, len(HTML), 5):
            piece: Message = {
                "type": "http.response.body",
                "body": HTML[at : at + 5],
                "more_body": at + 5 < len(HTML),
            }
            await send(piece)

    answer = asyncio.run(asked(PageScripts(app), scope_of("/data", headers=BROWSER)))
    assert TAGS in answer.text
    assert b"accept-encoding" not in dict(seen[0]["headers"])


@pytest.mark.parametrize(
    ("path", "accept", "type"),
    [
        ("/static/js/index.js", "*/*", "text/html"),
        ("/_stcore/health", "text/html", "text/html"),
        ("/media/a.csv", "text/html", "text/csv"),
    ],
)
def test_all_else_stays_as_it_is(path: str, accept: str, type: str) -> None:
    app = PageScripts(answering(headers=[("content-type", type)], body=HTML))
    assert ask(app, path, headers=[("accept", accept)]).text == HTML.decode()


def test_what_is_packed_stays_packed() -> None:
    app = PageScripts(
        answering(headers=[("content-type", "text/html"), ("content-encoding", "br")], body=HTML)
    )
    assert ask(app, "/", headers=BROWSER).text == HTML.decode()
