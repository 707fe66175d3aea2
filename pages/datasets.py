"""Data: from a file to a saved data set in four steps, and the data sets there are."""

from pathlib import PurePath

import streamlit as st

from charts.parts.numbers import count
from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from data.settings import shown
from panels.data import own_datasets, upload
from panels.parts.errors import told_in_words
from panels.parts.store import store
from panels.parts.tables import show_table
from panels.parts.words import fail, note, say, warn
from panels.visit import log_in, workspace
from panels.visit.study import key_of_own, show_dataset


def open_study(key: str) -> None:
    """Shows a data set from its overview on."""
    show_dataset(key)
    st.switch_page("overview.py", query_params={"d": key})


waiting = upload.waiting()
own_datasets.told()
with told_in_words():
    replaced = own_datasets.replaced()
if replaced is not None:
    with st.container(horizontal=True, vertical_alignment="center"):
        say(
            "A new version of <b>{name}</b>: it takes its place in the list, and the old one stays as it is under its "
            "own addresses.",
            name=replaced.name,
        )
        st.button("Not a new version", on_click=own_datasets.stop_replacing)
if waiting is None:
    if replaced is None:
        say(
            "Upload a file of ratings, choices, answers or judgments and follow it to the answer in four steps, or "
            "open a sample. Nothing is saved until you say so."
        )
    if workspace.log_in_offered() and not log_in.may_save():
        note(log_in.saving_needs())
    with told_in_words():
        own = store().datasets(workspace.current_workspace())
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("1 File")
        settings = store().settings
        file = st.file_uploader(
            "A table: CSV, TSV or semicolons, any usual encoding, also .gz",
            key=f"file {st.session_state.get('uploads', 0)}",
            help=f"Up to {shown('upload_size', settings.upload_size)}, which may take "
            f"{shown('upload_minutes', settings.upload_minutes)} minutes to arrive. Nothing is saved until you have "
            "seen what becomes of every row.",
        )
        refusal = upload.refusal(file) if file is not None else None
        if refusal is not None:
            fail(f"This file was not taken. {refusal}")
        elif file is not None:
            with told_in_words():
                upload.keep(file.name, file)
            st.rerun()
        with st.expander("What a table may hold", expanded=not own):
            note(
                "One row per rating with item, rater and score is best; tables with one column per rater or per "
                "measure are recognised. Group, measure, system, time and trap questions are used where they are there."
            )
            note(
                "Choices are recognised too, one row each: which of two systems a rater preferred (A or B, tie, both, "
                "neither, the system's name), with a column for the system in either position; or any label, with the "
                "true one where it is known."
            )
            note(
                "So are answers of a cross comprehension test: story, summary's author, question's author, question, "
                "and whether the answer found is relevant (R), partially relevant (P), irrelevant (I) or not found "
                "(N); and judgments of relevance: rater, event, document, surrogate, and relevant or not, or one "
                "column per surrogate."
            )
            note(
                "The contributors of a pyramid and metrics known for each item are uploaded here too, and used "
                "together with the ratings of the same items."
            )
        own_datasets.show(own)
    with right:
        st.subheader("Samples")
        for sample in (each for each in SAMPLES if KINDS[each.kind].study):
            with st.container(border=True):
                st.text(sample.name)
                note("Synthetic: made to resemble published results, not collected.")
                if st.button("Open", key=f"open {sample.key}"):
                    open_study(sample.key)
    st.stop()

st.subheader("1 File")
with st.container(horizontal=True, vertical_alignment="center"):
    st.text(waiting.name)
    if st.button("Choose another file"):
        upload.forget()
        st.rerun()
with told_in_words():
    seen = upload.sniffed(waiting)
headed = st.toggle("The first row holds column names", value=seen.header, key=f"{waiting.number} header")
with told_in_words():
    if headed != seen.header:
        seen = upload.sniffed(waiting, headed)
    guess = upload.proposal(waiting, seen, replaced and replaced.kind)
say(
    "About <b>{rows} rows</b> and {columns} columns, {encoding}, parted by {delimiter}.",
    rows=count(seen.rows),
    columns=len(seen.columns),
    encoding=seen.encoding,
    delimiter={",": "commas", ";": "semicolons", "\t": "tabs"}.get(seen.delimiter, seen.delimiter),
)
for problem in seen.problems:
    warn("{problem}", problem=problem)

columns_step = st.expander("2 Columns: what is what", expanded=True)
with columns_step:
    kind = upload.kind_control(waiting, guess)
    if kind.name != guess.kind:
        guess = upload.proposal(waiting, seen, kind.name)
    for remark in guess.notes:
        note("{remark}", remark=remark)
    mapping = upload.mapping_controls(waiting, seen, kind, guess)
    upload.switch_controls(waiting, kind, guess, mapping)
    with st.popover("First values of every column"):
        show_table(upload.preview(seen), {}, alt="Three examples of every column of the file")

lacking = upload.missing(kind, mapping)
if lacking:
    say(
        "Choose the column for <b>{names}</b> above to go on. {help}",
        names=" and ".join(column.name for column in lacking),
        help=lacking[0].help,
    )
    st.stop()
if upload.lacks_numbers(kind, mapping):
    say("Choose at least one <b>column with numbers of the items</b> above to go on.")
    st.stop()

with told_in_words(), st.spinner("Reading every row"):
    report = upload.report(waiting, kind, mapping)
st.subheader("3 Check")
say(
    "<b>{kept}</b> of {read} {rows} will be kept, <b>{aside}</b> set aside.",
    rows=kind.rows,
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
    with st.expander("Rejected rows, line by line"):
        if report.rejects.total > len(report.rejects.line):
            note(
                "The first {shown} of {total}; the download has them all.",
                shown=count(len(report.rejects.line)),
                total=count(report.rejects.total),
            )
        show_table(upload.rejects_table(report), {}, alt="Rejected rows with line, column, reason and value")
        st.download_button(
            "Rejected rows (CSV)",
            lambda: b"".join(store().rejects_csv(waiting.path, kind.name, mapping)),
            f"{PurePath(waiting.name).stem}-rejected.csv",
            "text/csv",
            on_click="ignore",
        )
if not report.kept:
    say("Nothing is left to save. Correct the columns above, or choose another file.")
    st.stop()

st.subheader("4 Save")
usual = replaced.name if replaced else PurePath(waiting.name).name.split(".")[0]
with st.container(horizontal=True, vertical_alignment="bottom"):
    name = st.text_input(
        "Name", usual, max_chars=120, key=f"{waiting.number} name {replaced and replaced.id}"
    )
    save = st.button("Save", type="primary")
if save:
    if not log_in.may_save():
        say(log_in.saving_needs())
        st.stop()
    with told_in_words(), st.spinner("Saving"):
        dataset = store().add(
            waiting.path,
            kind.name,
            mapping,
            name.strip() or waiting.name,
            workspace.current_workspace(),
            replaces=replaced and workspace.owned(replaced.id).id,
            file=waiting.name,
        )
        key = key_of_own(dataset.id)
    upload.forget()
    own_datasets.stop_replacing()
    if kind.study:
        open_study(key)
    own_datasets.tell("<b>{name}</b> is saved. {used}", name=dataset.name, used=kind.used)
    st.rerun()
