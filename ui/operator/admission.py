"""Who may see the operator's page.

A passphrase from the settings opens it, and not the log-in: it must work on a server that has none. Wrong
ones are counted for the whole server, because a visitor can be new as often as they like.
"""

import hmac
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache

import streamlit as st

from server import log
from ui.store import store
from ui.words import fail, say

ADMITTED = "operator"
"""In the session: this visit has given the right passphrase, which itself is kept nowhere."""
_TYPED, _REFUSED = "operator's passphrase", "operator refused"


class Tries:
    """Counts wrong passphrases; after too many within a while even the right one is refused."""

    def __init__(
        self, most: int = 5, seconds: float = 600.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._wrong: deque[float] = deque()
        self._lock = threading.Lock()

    def exhausted(self) -> bool:
        with self._lock:
            return self._count() >= self._most

    def right(self, given: str, wanted: str) -> bool:
        """Whether the passphrase is right and may still be tried; an empty one never is."""
        with self._lock:
            if self._count() >= self._most:
                return False
            if wanted and hmac.compare_digest(given.encode(), wanted.encode()):
                return True
            self._wrong.append(self._clock())
            return False

    def _count(self) -> int:
        while self._wrong and self._clock() - self._wrong[0] >= self._seconds:
            self._wrong.popleft()
        return len(self._wrong)


@cache
def tries() -> Tries:
    """The one count of this server process; not with Streamlit's caches, which are emptied by a message."""
    return Tries()


def admitted() -> bool:
    """Whether this visit has given the passphrase; where it has not, the field for it is drawn."""
    if st.session_state.get(ADMITTED) is True:
        return True
    say("For whoever runs this server. Type the passphrase that its settings have for this page.")
    with st.form("operator", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Passphrase",
            type="password",
            key=_TYPED,
            autocomplete="current-password",
            max_chars=1000,
            width=360,
        )
        st.form_submit_button("Open", on_click=_try)
    if st.session_state.pop(_REFUSED, False):
        if tries().exhausted():
            fail("That was wrong too often. Nobody can open this page now; try again in 10 minutes.")
        else:
            fail("That is not the passphrase.")
    return False


def _try() -> None:
    given = st.session_state[_TYPED]
    st.session_state[_TYPED] = ""
    if tries().right(given, store().settings.operator):
        st.session_state[ADMITTED] = True
        return
    st.session_state[_REFUSED] = True
    logging.getLogger(log.OURS).warning("a wrong passphrase for the operator's page")
