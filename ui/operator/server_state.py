"""Whether the server is well, what it holds, and how it is set up."""

import platform
import shutil
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import streamlit as st

from data.engines import schema
from data.errors import Damaged, DataError
from data.importing import staging
from data.settings import Settings, declared, shown
from data.store.inventory import Stocked
from features.plotting.numbers import count
from features.words import Sentence, counted
from server import log, visits
from ui.store import store
from ui.tables import show_table
from ui.visit.workspace import log_in_offered
from ui.words import note, say, warn

_PACKAGES = ("streamlit", "starlette", "duckdb", "pandas", "numpy", "plotly")


def show_health(settings: Settings, stocked: list[Stocked]) -> None:
    """Whether the server is well, and the room on its disk."""
    show_damage()
    say(*finding(stocked))
    note(*disk(settings))


def take_inventory() -> list[Stocked]:
    """Return all data sets; where the catalog cannot be read, warn of that first."""
    try:
        return store().inventory()
    except Damaged:
        show_damage()
        raise


def show_damage() -> None:
    """Warn where a part of the database could not be read."""
    unreadable = store().unreadable()
    if unreadable:
        warn(*damage(unreadable, of_lake=store().settings.database.startswith("ducklake:")))


def show_datasets(stocked: list[Stocked]) -> None:
    """All data sets, without names and owners."""
    st.header("Data sets")
    show_table(
        datasets_table(stocked),
        {"Rows": count, "Size": size_of_one, "Links": count},
        alt="Every data set with its kind, rows, size, days, keeper and number of links",
    )
    note("Names and owners are left out: to run the server nobody needs them, and they can be private.")


def show_errors() -> None:
    """The last errors."""
    st.header("Last errors")
    errors = errors_table()
    if not len(errors):
        say("None.")
        return
    show_table(errors, {}, alt="The last errors with time, class and place in the code")
    note("The server's log has a line for each, with the number that the visitor was told.")


def show_set_up(settings: Settings) -> None:
    """Settings and versions, side by side."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("Settings in force")
        show_table(settings_table(settings), {}, alt="Every setting with its value", most=30)
    with right:
        st.header("Versions")
        show_table(versions_table(), {}, alt="Versions of the parts of this server", most=30)


def finding(stocked: list[Stocked]) -> Sentence:
    """Whether the server is well, in a sentence."""
    errors = log.recent_errors()
    template = (
        "<b>{datasets}</b>, {size}; <b>{visits}</b> now, at most {most} at once; "
        "<b>{errors}</b> since {since}; the store <b>{writable}</b>."
    )
    return template, {
        "datasets": counted(len(stocked), "data set"),
        "size": size(_stored(store().settings, stocked)),
        "visits": counted(visits.open_visits(), "visit"),
        "most": count(visits.most_visits()),
        "errors": counted(len(errors), "error") if errors else "no errors",
        "since": f"{visits.since():%Y-%m-%d %H:%M} UTC",
        "writable": _writable(),
    }


def damage(unreadable: list[str], of_lake: bool) -> Sentence:
    """Return which data sets are damaged, and what to do."""
    template = (
        "Files of the lake are missing or damaged: {what} cannot be read. The server's log names the files. Put them "
        "back from a copy, or restore the last back-up into a new lake (<code>python -m data restore FOLDER</code>), "
        "and start again; docs/hosting.md tells more."
        if of_lake
        else "The database is damaged: {what} cannot be read, and nothing is saved into it. Stop the server, move the "
        "file away, restore the last back-up into a new one (<code>python -m data restore FOLDER</code>), and start "
        "again; docs/hosting.md tells more."
    )
    ids = [f"{id[:8]}…" if id else "the catalog" for id in unreadable]
    more = f" and {len(ids) - 10} more" if len(ids) > 10 else ""
    return template, {"what": ", ".join(ids[:10]) + more}


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
    settings_shown = declared()
    return pd.DataFrame(
        {
            "Setting": [setting.metadata["variable"] for setting in settings_shown],
            "Value": [
                _value(settings, setting.name, setting.metadata["secret"]) for setting in settings_shown
            ],
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
    parts = own | {package: version(package) for package in _PACKAGES}
    return pd.DataFrame({"Part": list(parts), "Version": list(parts.values())})
