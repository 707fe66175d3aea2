"""The operator's page: admission, state of the server and upkeep."""

import hmac
import logging
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import streamlit as st

from data.errors import Damaged, DataError
from data.settings import Settings, shown
from data.store.inventory import StoredDataset
from data.transfer.moving import back_up
from features.plotting.theme import count
from features.words import Sentence, counted
from server import log, run_queue
from ui.elements import show_error, show_note, show_sentence, show_warning, store
from ui.render import show_table

ADMITTED = "operator"
"""Key of the session: this visit has given the right passphrase, which is kept nowhere."""
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
        """Return True where the passphrase is right and may still be tried; an empty one never is."""
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
    """Return the one count of this server process; a message can empty Streamlit's caches."""
    return Tries()


def is_admitted() -> bool:
    """Return True where this visit has given the passphrase, else draw the field for it."""
    if st.session_state.get(ADMITTED) is True:
        return True
    show_sentence("For whoever runs this server. Type the passphrase that its settings have for this page.")
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
            show_error("That was wrong too often. Nobody can open this page now; try again in 10 minutes.")
        else:
            show_error("That is not the passphrase.")
    return False


def _try() -> None:
    given = st.session_state[_TYPED]
    st.session_state[_TYPED] = ""
    if tries().right(given, store().settings.operator):
        st.session_state[ADMITTED] = True
        return
    st.session_state[_REFUSED] = True
    logging.getLogger(log.LOGGER_NAME).warning("a wrong passphrase for the operator's page")


def show_health(settings: Settings, stocked: list[StoredDataset]) -> None:
    """Show what is damaged, how the server does, and the room on its disk."""
    show_damage()
    show_sentence(*finding(stocked))
    free = shutil.disk_usage(settings.spool)
    show_note(
        "Free on the disk of the spool folder: {free} of {total}.",
        free=size(free.free),
        total=size(free.total),
    )


def list_all_datasets() -> list[StoredDataset]:
    """Return all data sets, or warn that the catalog cannot be read."""
    try:
        return store().inventory()
    except Damaged:
        show_damage()
        raise


def show_damage() -> None:
    unreadable = store().unreadable()
    if unreadable:
        show_warning(*damage(unreadable, of_lake=store().settings.database.startswith("ducklake:")))


def show_datasets(stocked: list[StoredDataset]) -> None:
    """Show all data sets, without names and owners."""
    st.header("Data sets")
    show_table(
        datasets_table(stocked),
        {"Rows": count, "Size": lambda held: size(held) if held else "waits in the log", "Links": count},
        alt="Every data set with its kind, rows, size, days, keeper and number of links",
    )
    show_note(
        "Names and owners are not shown: they can be private, and running the server does not need them."
    )


def show_errors() -> None:
    st.header("Last errors")
    errors = errors_table()
    if not len(errors):
        show_sentence("None.")
        return
    show_table(errors, {}, alt="The last errors with time, class and place in the code")
    show_note("The server's log has a line for each, with the number that the visitor was told.")


def finding(stocked: list[StoredDataset]) -> Sentence:
    """Return the sentence on data sets, visits, errors and the store."""
    errors = log.recent_errors()
    template = (
        "<b>{datasets}</b>, {size}; <b>{visits}</b> now, at most {most} at once; "
        "<b>{errors}</b> since {since}; the store <b>{writable}</b>."
    )
    return template, {
        "datasets": counted(len(stocked), "data set"),
        "size": size(_stored(store().settings, stocked)),
        "visits": counted(run_queue.open_visits(), "visit"),
        "most": count(run_queue.peak_visits()),
        "errors": counted(len(errors), "error") if errors else "no errors",
        "since": f"{run_queue.start_time():%Y-%m-%d %H:%M} UTC",
        "writable": _writable(),
    }


def damage(unreadable: list[str], of_lake: bool) -> Sentence:
    """Return which data sets are damaged, and what to do."""
    template = (
        "Files of the lake are missing or damaged: {what} cannot be read. The server's log names the files. Put them "
        "back from a copy, or restore the last back-up into a new lake"
        if of_lake
        else "The database is damaged: {what} cannot be read, and nothing is saved into it. Stop the server, move the "
        "file away, and restore the last back-up into a new one"
    )
    template += " (<code>python -m data restore FOLDER</code>), and start again; see docs/hosting.md."
    ids = [f"{id[:8]}…" if id else "the catalog" for id in unreadable]
    more = f" and {len(ids) - 10} more" if len(ids) > 10 else ""
    return template, {"what": ", ".join(ids[:10]) + more}


def _writable() -> str:
    try:
        store().check_writable()
    except DataError as error:
        return f"cannot be written: {error}"
    return "can be written"


def _stored(settings: Settings, stocked: list[StoredDataset]) -> int:
    """Return the bytes of the database's file and its log, or of what a lake holds."""
    file = Path(settings.database)
    if not file.is_file():
        return sum(each.bytes for each in stocked)
    return sum(part.stat().st_size for part in (file, Path(f"{file}.wal")) if part.is_file())


def size(number: float) -> str:
    """Return a number of bytes as the settings write sizes."""
    return shown("upload_size", round(number))


def datasets_table(stocked: list[StoredDataset]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Data set": [f"{each.id[:8]}…" for each in stocked],
            "Kind": [each.kind for each in stocked],
            "Rows": [each.rows for each in stocked],
            "Size": [each.bytes for each in stocked],
            "Readable": ["yes" if each.readable else "no, damaged" for each in stocked],
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
    """Return the class or event of the last errors, and the place in the code; never a message or an address."""
    errors = log.recent_errors()
    return pd.DataFrame(
        {
            "When (UTC)": [f"{error.at:%Y-%m-%d %H:%M:%S}" for error in errors],
            "What": [error.what for error in errors],
            "Where": [error.where for error in errors],
        }
    )


def show_back_up(settings: Settings) -> None:
    """Draw the button that backs up, and say what came of it."""
    if st.button("Back up now", help="All data sets but the samples; what is there already is kept."):
        _back_up(settings)


def back_up_folder(settings: Settings) -> Path:
    """Return the folder next to the database's file, else next to the spool folder."""
    file = Path(settings.database)
    return (file if file.is_file() else settings.spool).parent / "back-up"


def _back_up(settings: Settings) -> None:
    """Write the back-up while a line shows its progress."""
    folder, line = back_up_folder(settings), st.empty()

    def tell(done: str) -> None:
        line.text(done)

    try:
        moved = back_up(store(), folder, tell)
    except DataError as error:
        show_error(str(error))
        return
    finally:
        line.empty()
    show_sentence(
        "The back-up is complete: {saved} written now, {there} written before, in <b>{folder}</b>. Copy that folder "
        "to another machine, as this disk may fail.",
        saved=counted(moved.saved, "data set"),
        there=counted(moved.existing, "data set"),
        folder=folder,
    )
