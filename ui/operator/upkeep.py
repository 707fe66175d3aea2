"""What the operator can do: back up all data sets, and sweep away what nobody needs."""

from pathlib import Path

import streamlit as st

from data.errors import DataError
from data.settings import Settings, shown
from data.transfer.moving import back_up
from features.words import counted
from ui.store import store
from ui.words import fail, note, say


def show(settings: Settings) -> None:
    """The buttons, and what came of them."""
    with st.container(horizontal=True):
        backs_up = st.button(
            "Back up now", help="All data sets but the samples; what is there already is kept."
        )
        sweeps = st.button(
            "Sweep now", help="Deletes uploads that nobody saved and data sets that nobody uses."
        )
        st.button("Look again")
    if backs_up:
        _back_up(settings)
    if sweeps:
        _sweep(settings)


def back_up_folder(settings: Settings) -> Path:
    """Beside the database where that is a file, else beside the spool folder."""
    file = Path(settings.database)
    return (file if file.is_file() else settings.spool).parent / "back-up"


def _back_up(settings: Settings) -> None:
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
        saved=counted(moved.saved, "data set"),
        there=counted(moved.there, "data set"),
        folder=folder,
    )


def _sweep(settings: Settings) -> None:
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
        gone=counted(len(gone), "data set"),
    )
    if settings.unused_days is None:
        note("RATERSCOPE_UNUSED_DAYS is never: data sets are kept whether anybody opens them or not.")
