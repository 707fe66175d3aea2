"""What the operator's page needs: who may see it, what it shows, and where a back-up goes.

A passphrase from the settings opens it, and not the log-in: it must work on a server that has none. Wrong
ones are counted for the whole server, because a visitor can be new as often as they like.
"""

import hmac
import logging
import platform
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import streamlit as st

from charts.parts.numbers import count
from data.engines import schema
from data.errors import DataError
from data.importing import staging
from data.settings import Settings, shown
from data.store.inventory import Stocked
from data.transfer.moving import back_up
from findings.words import Sentence
from panels.parts.store import store
from panels.parts.words import fail, note, say
from panels.visit.workspace import log_in_offered
from server import log, visits

ADMITTED = "operator"
"""In the session: this visit has given the right passphrase, which itself is kept nowhere."""
_TYPED, _REFUSED = "operator's passphrase", "operator refused"
_PACKAGES = ("streamlit", "starlette", "duckdb", "pandas", "numpy", "plotly")


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


@st.cache_resource(show_spinner=False)
def tries() -> Tries:
    """The one count of this server process."""
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


def finding(stocked: list[Stocked]) -> Sentence:
    """Whether the server is well, in a sentence."""
    errors = log.recent_errors()
    template = (
        "<b>{datasets}</b>, {size}; <b>{visits}</b> now, at most {most} at once; "
        "<b>{errors}</b> since {since}; the store <b>{writable}</b>."
    )
    return template, {
        "datasets": _number(len(stocked), "data set"),
        "size": size(_stored(store().settings, stocked)),
        "visits": _number(visits.open_visits(), "visit"),
        "most": count(visits.most_visits()),
        "errors": _number(len(errors), "error") if errors else "no errors",
        "since": f"{visits.since():%Y-%m-%d %H:%M} UTC",
        "writable": _writable(),
    }


def _number(number: int, what: str) -> str:
    return f"{count(number)} {what}{'' if number == 1 else 's'}"


def _writable() -> str:
    try:
        store().writable()
    except DataError as error:
        return f"cannot be written: {error}"
    return "can be written"


def _stored(settings: Settings, stocked: list[Stocked]) -> int:
    """Bytes of the database's file and its log, or of what a lake holds."""
    file = Path(settings.database)
    if not file.is_file():
        return sum(each.bytes for each in stocked)
    return sum(part.stat().st_size for part in (file, Path(f"{file}.wal")) if part.is_file())


def disk(settings: Settings) -> Sentence:
    """How much room there is where uploads wait and imports work."""
    free = shutil.disk_usage(settings.spool)
    template = "Free on the disk of the spool folder: {free} of {total}."
    return template, {"free": size(free.free), "total": size(free.total)}


def size(number: float) -> str:
    """A number of bytes, written as sizes are in the settings."""
    return shown("upload_size", round(number))


def size_of_one(number: float) -> str:
    """The size of one data set; what was saved last still waits in the database's log, and counts nothing yet."""
    return size(number) if number else "waits in the log"


def datasets_table(stocked: list[Stocked]) -> pd.DataFrame:
    """All data sets without their names, which can be private, and without whose they are."""
    return pd.DataFrame(
        {
            "Data set": [f"{each.id[:8]}…" for each in stocked],
            "Kind": [each.kind for each in stocked],
            "Rows": [each.rows for each in stocked],
            "Size": [each.bytes for each in stocked],
            "Created": [f"{each.created:%Y-%m-%d %H:%M}" for each in stocked],
            "Last opened": [f"{each.used:%Y-%m-%d}" for each in stocked],
            "Kept by": [
                {"browser": "a browser", "person": "a person", "none": "the server"}[each.workspace]
                for each in stocked
            ],
            "Links": [each.links for each in stocked],
        }
    )


def errors_table() -> pd.DataFrame:
    """The last errors: a class or event of ours, and a place in the code; never a message or an address."""
    errors = log.recent_errors()
    return pd.DataFrame(
        {
            "When (UTC)": [f"{error.at:%Y-%m-%d %H:%M:%S}" for error in errors],
            "What": [error.what for error in errors],
            "Where": [error.where for error in errors],
        }
    )


def settings_table(settings: Settings) -> pd.DataFrame:
    """All settings in force; of secret ones only whether they are set."""
    declared = fields(Settings)
    return pd.DataFrame(
        {
            "Setting": [setting.metadata["variable"] for setting in declared],
            "Value": [_value(settings, setting.name, setting.metadata["secret"]) for setting in declared],
        }
    )


def _value(settings: Settings, name: str, secret: bool) -> str:
    value = getattr(settings, name)
    if secret:
        return "set" if value != getattr(Settings(), name) else "not set"
    return shown(name, value)


def versions_table() -> pd.DataFrame:
    """What runs here, for a report of a fault."""
    own = {
        "importer": str(staging.IMPORTER_VERSION),
        "catalogue": str(schema.VERSION),
        "log-in": "set up" if log_in_offered() else "none",
        "Python": platform.python_version(),
    }
    found = own | {package: version(package) for package in _PACKAGES}
    return pd.DataFrame({"Part": list(found), "Version": list(found.values())})


def back_up_folder(settings: Settings) -> Path:
    """Beside the database where that is a file, else beside the spool folder."""
    file = Path(settings.database)
    return (file if file.is_file() else settings.spool).parent / "back-up"


def back_up_now(settings: Settings) -> None:
    """Writes the back-up while a line tells how far it is."""
    folder, line = back_up_folder(settings), st.empty()

    def tell(done: str) -> None:
        line.text(done)

    try:
        moved = back_up(store(), folder, tell)
    except DataError as error:
        line.empty()
        fail(str(error))
        return
    line.empty()
    say(
        "The back-up is complete: {saved} written now, {there} there before, in <b>{folder}</b>. Copy that folder to "
        "another machine: beside the database it is lost with the disk.",
        saved=_number(moved.saved, "data set"),
        there=_number(moved.there, "data set"),
        folder=folder,
    )


def sweep_now(settings: Settings) -> None:
    """Does what the server does every few hours by itself."""
    try:
        store().spool.sweep()
        gone = store().sweep_unused()
    except DataError as error:
        fail(str(error))
        return
    say(
        "Swept: uploads that nobody saved within {hours} hours are gone, and so are {gone} that nobody opened.",
        hours=shown("spool_hours", settings.spool_hours),
        gone=_number(len(gone), "data set"),
    )
    if settings.unused_days is None:
        note("RATERSCOPE_UNUSED_DAYS is never: data sets are kept whether anybody opens them or not.")
