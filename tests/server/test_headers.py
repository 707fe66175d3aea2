"""Every answer carries each security header exactly once."""

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit

from data.settings import Settings
from server.static_files import INLINE_SCRIPT_HASH, PageScripts, SecurityHeaders, security_headers
from tests.server.asgi import answering, ask

ALWAYS = {
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "permissions-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "x-robots-tag",
    "cache-control",
}


def test_the_policy_names_the_inline_script_of_the_installed_streamlit_and_there_is_only_one() -> None:
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline]
    assert [f"'sha256-{found}'" for found in hashes] == [INLINE_SCRIPT_HASH]


def test_a_page_with_our_scripts_has_no_further_inline_script() -> None:
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_bytes()
    app = PageScripts(answering(headers=[("content-type", "text/html")], body=page))
    sent = ask(app, "/", headers=[("accept", "text/html")]).text
    without_address = [tag for tag in re.findall(r"<script[^>]*>", sent) if "src=" not in tag]
    policy = security_headers(Settings())["content-security-policy"]
    assert len(re.findall(r"<script[^>]*src=", sent)) > 1
    assert len(without_address) == len(re.findall(r"'sha256-", policy)) == 1


@pytest.mark.parametrize("status", [200, 301, 404, 500, 503])
def test_every_answer_has_each_header_once_whatever_stood_there_before(status: int) -> None:
    before = [
        ("X-Frame-Options", "ALLOWALL"),
        ("referrer-policy", "unsafe-url"),
        ("Referrer-Policy", "origin"),
    ]
    answer = ask(SecurityHeaders(answering(status, before), Settings()), "/")
    for name in ALWAYS | {"x-frame-options"}:
        assert len(answer.values(name)) == 1, name
    assert answer.values("referrer-policy") == ["no-referrer"]
    assert answer.values("x-frame-options") == ["DENY"]


@pytest.mark.parametrize(
    ("frames", "ancestors", "old"),
    [
        ("none", "frame-ancestors 'none'", ["DENY"]),
        ("self", "frame-ancestors 'self'", ["SAMEORIGIN"]),
        (
            "https://wiki.example.org https://b.example.org:8443",
            "frame-ancestors https://wiki.example.org https://b.example.org:8443",
            [],
        ),
    ],
)
def test_who_may_frame_the_pages_follows_the_setting(frames: str, ancestors: str, old: list[str]) -> None:
    answer = ask(SecurityHeaders(answering(), replace(Settings(), frames=frames)), "/")
    policy = answer.values("content-security-policy")[0].split("; ")
    assert [part for part in policy if part.startswith("frame-ancestors")] == [ancestors]
    assert answer.values("x-frame-options") == old


def test_the_policy_allows_no_evaluation_and_no_foreign_host() -> None:
    policy = ask(SecurityHeaders(answering(), Settings()), "/").values("content-security-policy")[0]
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    assert "*" not in policy
    assert re.search(r"script-src [^;]*unsafe-inline", policy) is None


def test_browsers_keep_to_https_only_where_the_setting_says_so() -> None:
    plain = ask(SecurityHeaders(answering(), Settings()), "/")
    kept = ask(SecurityHeaders(answering(), replace(Settings(), https=True)), "/")
    assert plain.values("strict-transport-security") == []
    assert kept.values("strict-transport-security") == ["max-age=31536000"]


def test_with_https_every_cookie_is_secure_and_only_once() -> None:
    app = answering(
        headers=[("set-cookie", "_streamlit_xsrf=1; Path=/"), ("set-cookie", "a=b; secure; Path=/")]
    )
    answer = ask(SecurityHeaders(app, replace(Settings(), https=True)), "/")
    assert answer.values("set-cookie") == ["_streamlit_xsrf=1; Path=/; Secure", "a=b; secure; Path=/"]
    assert "Secure" not in ask(SecurityHeaders(app, Settings()), "/").values("set-cookie")[0]


def test_pages_and_downloads_are_never_stored_but_hashed_files_are() -> None:
    hashed = answering(headers=[("cache-control", "public, immutable, max-age=31536000")])
    assert ask(SecurityHeaders(answering(), Settings()), "/").values("cache-control") == ["no-store"]
    assert ask(SecurityHeaders(hashed, Settings()), "/static/js/a.js").values("cache-control") == [
        "public, immutable, max-age=31536000"
    ]


def test_other_origins_are_never_permitted_to_read_an_answer() -> None:
    app = answering(
        headers=[("Access-Control-Allow-Origin", "*"), ("access-control-allow-credentials", "true")]
    )
    answer = ask(SecurityHeaders(app, Settings()), "/")
    assert not [name for name, _ in answer.headers if name.startswith("access-control")]
