"""The Data page before a file waits: the uploader, one's own data sets, and the samples."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from data.dataset import Dataset
from data.kinds.definitions import KINDS, TEMPLATES
from data.samples import SAMPLES
from data.settings import shown
from ui.data import own_datasets, upload
from ui.errors import told_in_words
from ui.pictures import look
from ui.store import store
from ui.tables import show_table
from ui.visit import log_in, workspace
from ui.visit.study import show_dataset
from ui.words import note, say

WHAT_A_TABLE_MAY_HOLD = (
    "One row per rating with item, rater and score is best; tables with one column per rater or per measure are "
    "recognised. Group, measure, system, time and trap questions are used where they are there.",
    "Choices are recognised too, one row each: which of two systems a rater preferred (A or B, tie, both, neither, the "
    "system's name), with a column for the system in either position; or any label, with the true one where it is "
    "known.",
    "So are answers of a cross comprehension test: story, summary's author, question's author, question, and whether "
    "the answer found is relevant (R), partially relevant (P), irrelevant (I) or not found (N); and judgments of "
    "relevance: rater, event, document, surrogate, and relevant or not, or one column per surrogate.",
    "Several files chosen together, or the sheets of a workbook, are one study: groups where they hold other raters, "
    "measures where the same raters rated the same items, raters where each holds one who is named nowhere. What they "
    "are called comes from the files' names.",
    "The contributors of a pyramid and metrics known for each item are uploaded here too, and used together with the "
    "ratings of the same items.",
)


def show(replaced: Dataset | None, add_a_file: Callable[[], None]) -> None:
    """What can be opened or uploaded; `replaced` is the data set of which a new version is awaited, and `add_a_file`
    draws the section for a second file."""
    if replaced is None:
        say(
            "Upload a file of ratings, choices, answers or judgments and see what becomes of every row, or open a "
            "sample. Nothing is saved until you say so."
        )
    if workspace.log_in_offered() and not log_in.may_save():
        note(log_in.saving_needs())
    with told_in_words():
        own = store().datasets(workspace.current_workspace())
    left, right = st.columns([3, 2], gap="large")
    with left:
        _uploader(own)
        add_a_file()
        own_datasets.show(own)
    with right:
        _samples()


def open_study(key: str) -> None:
    """Shows a data set from its overview on."""
    show_dataset(key)
    st.switch_page("overview.py", query_params={"d": key})


def _uploader(own: Sequence[Dataset]) -> None:
    st.header("File")
    settings = store().settings
    files = st.file_uploader(
        "CSV, TSV, JSON, Excel, Parquet, Arrow, SPSS, .gz, .zip: one file, or all of one study",
        accept_multiple_files=True,
        key=f"file {st.session_state.get('uploads', 0)}",
        help=f"Up to {shown('upload_size', settings.upload_size)}, which may take "
        f"{shown('upload_minutes', settings.upload_minutes)} minutes to arrive. Files of one study, one for "
        "each group, measure or rater, are read as one table if you choose them together. Nothing is saved until you "
        "have seen what becomes of every row.",
    )
    if upload.taken(files):
        st.rerun()
    with st.expander("What a table may hold", expanded=not (own or look().narrow)):
        for paragraph in WHAT_A_TABLE_MAY_HOLD:
            note(paragraph)
        _templates()


def _templates() -> None:
    """A table of each kind to begin with, to copy and to download."""
    titles = {kind.title: name for name, kind in KINDS.items()}
    chosen = titles[st.selectbox("A template", list(titles), key="template")]
    show_table(pd.DataFrame(TEMPLATES[chosen]), {}, alt=f"Template of {chosen}")
    further = [column.name for column in KINDS[chosen].columns if column.name not in TEMPLATES[chosen]]
    if further:
        note("More columns that are known: {names}.", names=", ".join(further))


def _samples() -> None:
    st.header("Samples")
    for sample in (each for each in SAMPLES if KINDS[each.kind].study):
        with st.container(border=True):
            st.text(sample.name)
            note("Synthetic: made to resemble published results, not collected.")
            if st.button("Open", key=f"open {sample.key}"):
                open_study(sample.key)
