"""The four steps from a waiting file to a saved data set."""

from pathlib import PurePath
from typing import Any, NamedTuple

import streamlit as st

from charts.parts.numbers import count
from data.dataset import Dataset
from data.importing.report import ImportReport
from data.kinds.kind import Kind
from panels.data import own_datasets, upload
from panels.data.start import open_study
from panels.data.upload import Waiting
from panels.parts.downloads import offer
from panels.parts.errors import told_in_words
from panels.parts.store import store
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.visit import log_in, workspace
from panels.visit.study import key_of_own

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}


class Table(NamedTuple):
    """What the file is read as."""

    kind: Kind
    mapping: dict[str, Any]


def being_replaced() -> Dataset | None:
    """The data set of which a new version is uploaded, with a way out of it."""
    with told_in_words():
        replaced = own_datasets.replaced()
    if replaced is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            say(
                "A new version of <b>{name}</b>: it takes its place in the list, and the old one stays as it is under "
                "its own addresses.",
                name=replaced.name,
            )
            st.button("Not a new version", on_click=own_datasets.stop_replacing)
    return replaced


def choose_columns(waiting: Waiting, replaced: Dataset | None) -> Table | None:
    """Steps 1 and 2: what the file is, and what is what in it; None while something required is missing."""
    st.subheader("1 File")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(waiting.name)
        if st.button("Choose another file"):
            upload.forget()
            st.rerun()
    with told_in_words():
        seen = upload.sniffed(waiting)
    if seen is None:
        return None
    headed = st.toggle("The first row holds column names", value=seen.header, key=f"{waiting.number} header")
    with told_in_words():
        if headed != seen.header:
            seen = upload.sniffed(waiting, headed)
        if seen is None:
            return None
        guess = upload.proposal(waiting, seen, replaced.kind if replaced else None)
    say(
        "About <b>{rows} rows</b> and {columns} columns, {encoding}, parted by {delimiter}.",
        rows=count(seen.rows),
        columns=len(seen.columns),
        encoding=seen.encoding,
        delimiter=DELIMITERS.get(seen.delimiter, seen.delimiter),
    )
    for problem in seen.problems:
        warn("{problem}", problem=problem)
    with st.expander("2 Columns: what is what", expanded=True):
        kind = upload.kind_control(waiting, guess)
        if kind.name != guess.kind:
            guess = upload.proposal(waiting, seen, kind.name)
        for remark in guess.notes:
            note("{remark}", remark=remark)
        mapping = upload.mapping_controls(waiting, seen, kind, guess)
        upload.switch_controls(waiting, seen, kind, guess, mapping)
        with st.popover("First values of every column"):
            show_table(upload.preview(seen), {}, alt="Three examples of every column of the file")
    lacking = upload.missing(kind, mapping)
    if lacking:
        say(
            "Choose the column for <b>{names}</b> above to go on. {help}",
            names=" and ".join(column.name for column in lacking),
            help=lacking[0].help,
        )
        return None
    if upload.lacks_numbers(kind, mapping):
        say("Choose at least one <b>column with numbers of the items</b> above to go on.")
        return None
    return Table(kind, mapping)


def check(waiting: Waiting, table: Table) -> bool:
    """Step 3: what becomes of every row; whether anything is left to save."""
    with told_in_words():
        report = upload.report(waiting, table.kind, table.mapping)
    if report is None:
        return False
    st.subheader("3 Check")
    say(
        "<b>{kept}</b> of {read} {rows} will be kept, <b>{aside}</b> set aside.",
        rows=table.kind.rows,
        kept=count(report.kept),
        read=count(report.rows_read),
        aside=count(report.set_aside),
    )
    if report.set_aside:
        show_table(upload.reasons_table(report), {"Rows": count}, alt="Why rows are set aside, and how many")
    for remark in report.notes:
        note("{remark}", remark=remark)
    for warning in report.warnings:
        warn("{warning}", warning=warning)
    if report.rejects.total:
        _show_rejects(waiting, table, report)
    if not report.kept:
        say("Nothing is left to save. Correct the columns above, or choose another file.")
    return bool(report.kept)


def save(waiting: Waiting, table: Table, replaced: Dataset | None) -> None:
    """Step 4: a name, and saving; a study is opened at once."""
    st.subheader("4 Save")
    usual = replaced.name if replaced else PurePath(waiting.name).name.split(".")[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name", usual, max_chars=120, key=f"{waiting.number} name {replaced and replaced.id}"
        )
        if not st.button("Save", type="primary"):
            return
    if not log_in.may_save():
        say(log_in.saving_needs())
        return
    with told_in_words(), st.spinner("Saving"):
        dataset = store().add(
            waiting.path,
            table.kind.name,
            table.mapping,
            name.strip() or waiting.name,
            workspace.current_workspace(),
            replaces=workspace.owned(replaced.id).id if replaced else None,
            file=waiting.name,
        )
        key = key_of_own(dataset.id)
    upload.forget()
    own_datasets.stop_replacing()
    if table.kind.study:
        open_study(key)
    own_datasets.tell("<b>{name}</b> is saved. {used}", name=dataset.name, used=table.kind.used)
    st.rerun()


def _show_rejects(waiting: Waiting, table: Table, report: ImportReport) -> None:
    with st.expander("Rejected rows, line by line"):
        if report.rejects.total > len(report.rejects.line):
            note(
                "The first {shown} of {total}; the download has them all.",
                shown=count(len(report.rejects.line)),
                total=count(report.rejects.total),
            )
        show_table(upload.rejects_table(report), {}, alt="Rejected rows with line, column, reason and value")
        offer(
            "Rejected rows (CSV)",
            lambda: b"".join(store().rejects_csv(waiting.path, table.kind.name, table.mapping)),
            f"{PurePath(waiting.name).stem}-rejected.csv",
            "text/csv",
        )
