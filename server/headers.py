"""Headers on every answer, errors and files included: what a browser must not do with our pages.

The policy names Streamlit's one inline script by its hash, so it belongs to the installed version; a test computes it.
Our own scripts are files. `frame-ancestors` and `X-Frame-Options` follow `RATERSCOPE_FRAMES`. No address is ever sent
on to another site, because addresses hold readers' keys. Streamlit's permission for other origins to read answers is
taken away: the pages need none.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.settings import Settings

SCRIPT = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"
"""Streamlit 1.67's one inline script."""
_YEAR = 365 * 24 * 3600
_STARTS = {"http.response.start", "websocket.http.response.start"}


def security_headers(settings: Settings) -> dict[str, str]:
    """The headers that do not depend on the answer."""
    frame_ancestors = f"'{settings.frames}'" if settings.frames in ("none", "self") else settings.frames
    headers = {
        "content-security-policy": "; ".join(
            [
                "default-src 'self'",
                f"script-src 'self' {SCRIPT}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "connect-src 'self' data:",
                "worker-src 'self' blob:",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                f"frame-ancestors {frame_ancestors}",
            ]
        ),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-robots-tag": "noindex, nofollow",
    }
    if settings.frames in ("none", "self"):
        headers["x-frame-options"] = "DENY" if settings.frames == "none" else "SAMEORIGIN"
    if settings.https:
        headers["strict-transport-security"] = f"max-age={_YEAR}"
    return headers


class SecurityHeaders:
    """ASGI middleware: each header exactly once, whatever stood there before; cookies are Secure with https."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._headers = security_headers(settings)
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in _STARTS:
                self._secure(message)
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _secure(self, message: Message) -> None:
        kept = [(name.lower(), value) for name, value in message.get("headers", [])]
        headers = MutableHeaders(
            raw=[
                (name, self._secure_cookie(value) if name == b"set-cookie" else value)
                for name, value in kept
                if name != b"server" and not name.startswith(b"access-control-")
            ]
        )
        for name, value in self._headers.items():
            headers[name] = value
        if not headers.get("cache-control", "").startswith("public, immutable"):
            headers["cache-control"] = "no-store"  # all but the hashed files of Streamlit's own
        message["headers"] = headers.raw

    def _secure_cookie(self, cookie: bytes) -> bytes:
        attributes = {part.strip().lower() for part in cookie.split(b";")[1:]}
        return cookie + b"; Secure" if self._https and b"secure" not in attributes else cookie
