"""The steps of the Data page: upload, choose a reading, correct the columns, look at the verdict, and save."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.dataset import Dataset
from data.importing.report import ImportReport
from data.importing.warning_signs.wording import Unused, find_unused
from data.kinds.definitions import KINDS, TEMPLATES, VOTES_TEMPLATE, kind_named
from data.kinds.kind import Kind
from data.mapping.proposal import Proposal
from data.settings import shown
from data.store.catalogue import report_as_dict
from data.tables.sniffed import Reading, Sniffed
from features.importing.reading import reading_sentence, reading_sentences, unused_columns, verdict
from features.plotting.theme import count
from features.words import Sentence, listed
from ui.downloads import offer_download
from ui.elements import show_note, show_sentence, show_small_table, show_user_errors, show_warning, store
from ui.render import show_table
from ui.screens import columns, own_datasets, upload
from ui.screens.columns import value_controls
from ui.screens.samples import open_study, show_samples
from ui.screens.upload import Waiting
from ui.visit import workspace
from ui.visit.study import key_of_own

WHAT_A_TABLE_MAY_HOLD = (
    "One row per rating with item, rater and score is best; tables with one column per rater or per measure are "
    "recognized. Group, measure, system, time and trap questions are used where they are there.",
    "Choices are recognized too, one row each: which of two systems a rater preferred, or any label, with the true one "
    "where it is known.",
    "So are rankings, sets of labels, answers of a cross comprehension test: relevant (R), partially relevant (P), "
    "irrelevant (I) or not found (N); and judgments of relevance, one row each or one column per surrogate.",
    "Several files chosen together, or the sheets of a workbook, are one study: groups where they hold other raters, "
    "measures where the same raters rated the same items, raters where each holds one who is named nowhere. What they "
    "are called comes from the files' names.",
    "The contributors of a pyramid and metrics of the items are used together with the ratings of the same items.",
)


def show(replaced: Dataset | None, add_a_file: Callable[[], None]) -> None:
    """Show what can be opened or uploaded; `add_a_file` draws the section for a second file."""
    if replaced is None:
        show_sentence(
            "Upload a file of ratings, choices, answers or judgments and see what becomes of every row, or open a "
            "sample. Nothing is saved until you say so."
        )
    if workspace.has_login() and not workspace.may_save():
        show_note(workspace.requirement_for_saving())
    with show_user_errors():
        own = store().datasets(workspace.current_workspace())
    left, right = st.columns([3, 2], gap="large")
    with left:
        _uploader()
        add_a_file()
        own_datasets.show(own)
    with right:
        st.header("Samples")
        show_note("Synthetic: most resemble published results.")
        show_samples()


def _uploader() -> None:
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
    if upload.accept_files(files):
        st.rerun()
    with st.expander("What a table may hold", expanded=False):
        for paragraph in WHAT_A_TABLE_MAY_HOLD:
            show_note(paragraph)
        _templates()


_VOTES = "Ratings, as votes per grade: how many unnamed raters gave each grade"


def _templates() -> None:
    titles = {kind.title: name for name, kind in KINDS.items()}
    title = st.selectbox("A template", [*titles, _VOTES], key="template")
    if title == _VOTES:
        show_table(pd.DataFrame(VOTES_TEMPLATE), {}, alt="Template of votes per grade")
        return
    chosen = titles[title]
    show_table(pd.DataFrame(TEMPLATES[chosen]), {}, alt=f"Template of {chosen}")
    further = [column.name for column in KINDS[chosen].columns if column.name not in TEMPLATES[chosen]]
    if further:
        show_note("More columns that are known: {names}.", names=", ".join(further))


SHOWN = 3
"""Ratings on a card."""


def ask(
    waiting: Waiting, seen: Sniffed, guess: Proposal, readings: Sequence[Reading]
) -> tuple[Waiting, Proposal] | None:
    """Ask whether the only reading is right, or which of two; return it, or the columns without a reading where none
    is, or None before the answer."""
    first = guess if guess.reading else upload.other_proposal(waiting, seen, readings[0])
    of_readings = [first, *(upload.other_proposal(waiting, seen, reading) for reading in readings[1:])]
    ways = (*of_readings, upload.proposal_by_columns(waiting, seen, guess.kind))
    single = len(readings) == 1
    sentences = [reading_sentence(readings[0])] if single else reading_sentences(readings[0], readings[1])
    place = f"{waiting.keys} {guess.kind} {seen.header_rows} way"
    chosen: int | None = st.session_state.get(place)
    if chosen is not None:
        for at, sentence in enumerate(sentences):
            if at != chosen:
                _show_other_reading(waiting, place, sentence, at, ways[at].kind)
        return replace(waiting, way=chosen), ways[chosen]
    show_sentence(
        "<b>This may be how to read the table. Is it right?</b>"
        if single
        else "<b>This table can be read in two ways. Which one is right?</b>"
    )
    for at, column in enumerate(st.columns(len(sentences), gap="medium")):
        with column, st.container(border=True, height="stretch"):
            notes = readings[0].notes if single else ()
            _card(waiting, seen, ways[at], sentences[at], place, at, notes)
    if seen.rows > seen.looked_at:
        show_note("Counted in the first {rows} rows.", rows=count(seen.looked_at))
    st.button(
        "No, choose the columns" if single else "Neither, choose the columns",
        on_click=_apply_reading,
        args=(waiting, place, len(readings), guess.kind),
    )
    return None


def _card(
    waiting: Waiting,
    seen: Sniffed,
    way: Proposal,
    sentence: Sentence,
    place: str,
    at: int,
    notes: Sequence[str] = (),
) -> None:
    """Draw a way to read the table: who rated what, its first ratings, and the button that takes it."""
    kind = kind_named(way.kind)
    show_sentence(f"<b>{sentence[0]}</b>", sentence[1])
    first = upload.first_ratings(waiting, seen, kind, way.mapping)
    if first is not None:
        label = f"First {kind.rows} of way {at + 1}"
        show_small_table([kind.title_of(name) for name in first.columns], first.rows[:SHOWN], label)
    _show_notes(notes)
    st.button(
        "This is right", key=f"{place} {at}", on_click=_apply_reading, args=(waiting, place, at, way.kind)
    )


def _apply_reading(waiting: Waiting, place: str, at: int, kind: str) -> None:
    """Apply a reading; one of another kind through the choice of the kind."""
    key = upload.key_of_kind(waiting)
    if st.session_state.get(key) == KINDS[kind].title:
        st.session_state[place] = at
    else:
        st.session_state[key] = KINDS[kind].title


def _show_other_reading(waiting: Waiting, place: str, sentence: Sentence, at: int, kind: str) -> None:
    """Describe another reading, with the button that applies it."""
    template, values = sentence
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            show_note(f"Another reading: {template}", values)
        st.button(
            "Use this reading",
            key=f"{place} other {at}",
            type="tertiary",
            on_click=_apply_reading,
            args=(waiting, place, at, kind),
        )


SEEN = 4
"""Warnings that stand open; more are folded."""


class Table(NamedTuple):
    """Kind and mapping of the file, with what was assumed and what is not used."""

    kind: Kind
    mapping: dict[str, Any]
    notes: tuple[str, ...]
    unused: Unused


def show_replaced() -> Dataset | None:
    """Return the data set that is replaced, and draw a way out of it."""
    with show_user_errors():
        replaced = own_datasets.replaced()
    if replaced is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            show_sentence(
                "A new version of <b>{name}</b>. The old one keeps its addresses.",
                name=replaced.name,
            )
            st.button("Not a new version", on_click=own_datasets.stop_replacing)
    return replaced


def read(waiting: Waiting, replaced: Dataset | None) -> None:
    """Draw the file that waits: its verdict with the button that saves it, questions, its columns, then options."""
    file, judged, asked, heads, further = (st.container() for _ in range(5))
    with file, st.container(horizontal=True, vertical_alignment="center"):
        st.text(waiting.name)
        if st.button("Choose another file", type="tertiary"):
            upload.forget()
            st.rerun()
    with judged, show_user_errors():
        seen = upload.sniff(waiting)
    if seen is None:
        return
    table = _table(waiting, seen, replaced, judged, asked, heads, further)
    if table is None:
        return
    with judged:
        with show_user_errors():
            report = upload.report(waiting, table.kind, table.mapping)
        if report is None:
            return
        _judge(waiting, table, report, replaced)
    with further:
        _show_set_aside(waiting, table, report)
        _show_notes(dict.fromkeys([*table.notes, *report.notes]))


def _table(
    waiting: Waiting,
    seen: Sniffed,
    replaced: Dataset | None,
    judged: DeltaGenerator,
    asked: DeltaGenerator,
    heads: DeltaGenerator,
    further: DeltaGenerator,
) -> Table | None:
    """Return what the file is read as, from the controls; None while something required is missing."""
    with further, st.expander("Options: the kind of table, its header and layout, how values are read"):
        kinds, layouts = st.container(), st.container()
    with kinds if seen.format else asked:
        waiting = upload.reshaping_controls(waiting, seen)
    with kinds:
        with show_user_errors():
            other = upload.sniff(waiting)
            if other is None:
                return None
            header = upload.header_control(waiting, other)
            if header is not None:
                other = upload.sniff(waiting, header)
            if other is None:
                return None
            seen = other
            guess = upload.proposal(waiting, seen, replaced.kind if replaced else None)
        kind = upload.kind_control(waiting, guess)
        if kind.name != guess.kind:
            guess = upload.proposal(waiting, seen, kind.name)
    way: tuple[Waiting, Proposal] | None = waiting, guess
    with asked:
        if guess.reading is not None and guess.other is not None:
            way = ask(waiting, seen, guess, (guess.reading, guess.other))
        elif guess.unsure is not None:
            way = ask(waiting, seen, guess, (guess.unsure,))
    if way is None:
        with further:
            _show_notes(seen.problems)
        return None
    waiting, guess = way
    with layouts:
        form, wide = upload.layout_controls(waiting, seen, kind, guess.mapping, asked)
        names = upload.names_control(waiting, kind, form, wide, guess.mapping)
        ends = upload.ends_control(waiting, seen, kind, form, wide, guess.mapping)
        names |= ends
        missing = upload.missing_control(waiting, kind, guess.mapping)
        named = upload.named_by_columns(kind, form, names)
        of_file = columns.propose_heads(
            waiting.keys, seen, kind, guess.mapping, form, wide, named, ends.get(kind.cells, ())
        )
        mapping = upload.mapping_of(seen, kind, form, wide, names, missing, of_file.mapping())
        upload.switch_controls(waiting, seen, kind, guess, mapping, asked)
    with heads:
        upload.files_control(waiting, seen, kind, mapping)
        columns.show_heads(of_file)
        value_controls(f"{waiting.keys} {kind.name}", seen, kind, mapping)
    lacking = upload.missing(kind, mapping)
    notes, against = seen.problems, ""
    if upload.shape_of(mapping) == upload.shape_of(guess.mapping):
        notes = (*notes, *guess.notes[bool(guess.addition or guess.doubt) :])
        against = guess.notes[0] if guess.doubt else ""
    titles = listed([column.title for column in lacking])
    with judged:
        if lacking and guess.addition:
            show_sentence("<b>{told}</b>", told=guess.notes[0])
        elif lacking and against and guess.has_reason:
            _show_warnings([against])
            against = ""
            show_sentence("To read it otherwise, choose the column for <b>{names}</b> below.", names=titles)
        elif lacking:
            show_sentence("Choose the column for <b>{names}</b> below to go on.", names=titles)
        elif upload.lacks_numbers(kind, mapping):
            show_sentence("Choose at least one <b>column with numbers of the items</b> below to go on.")
        else:
            with heads:
                _show_first(waiting, seen, kind, mapping)
            return Table(kind, mapping, notes, find_unused(seen, kind, mapping))
        _show_warnings(filter(None, [against, seen.broken]))
    with further:
        _show_notes(notes)
    return None


def _judge(waiting: Waiting, table: Table, report: ImportReport, replaced: Dataset | None) -> None:
    """Draw what becomes of the file, next to the button that saves it, and what looks wrong in it."""
    verdict_place, saved = st.columns([3, 2], vertical_alignment="bottom", gap="medium")
    with verdict_place:
        show_sentence(*verdict(table.kind, report))
        (show_warning if table.unused.ratings else show_note)(*unused_columns(table.unused))
        if not report.kept:
            show_sentence("Nothing is left to save. Correct the columns below, or choose another file.")
    if report.kept:
        with saved:
            _save(waiting, table, replaced)
    _show_warnings(report.warnings[:SEEN])
    if len(report.warnings) > SEEN:
        with st.expander(f"{len(report.warnings) - SEEN} more to look at"):
            _show_warnings(report.warnings[SEEN:])


def _save(waiting: Waiting, table: Table, replaced: Dataset | None) -> None:
    """Draw the name and the button that saves; a study is opened at once."""
    usual = replaced.name if replaced else waiting.usual
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name", usual, max_chars=120, key=f"{waiting.number} name {replaced and replaced.id}"
        )
        if not st.button("Save", type="primary"):
            return
    if not workspace.may_save():
        show_sentence(workspace.requirement_for_saving())
        return
    with show_user_errors(), st.spinner("Saving"):
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
    own_datasets.keep_message("<b>{name}</b> is saved. {used}", name=dataset.name, used=table.kind.used)
    st.rerun()


def _show_first(waiting: Waiting, seen: Sniffed, kind: Kind, mapping: dict[str, Any]) -> None:
    first = upload.first_ratings(waiting, seen, kind, mapping)
    if first is None:
        return
    label = f"First {kind.rows}"
    with st.container(gap="xsmall"):
        show_sentence("<b>{label}</b>", label=label)
        if first.rows:
            show_small_table([kind.title_of(name) for name in first.columns], first.rows, label)
        else:
            show_note("The first rows of the file give none.")


def _show_warnings(warnings: Iterable[str]) -> None:
    with st.container(gap="xsmall"):
        for warning in warnings:
            show_warning("{warning}", warning=warning)


def _show_notes(notes: Iterable[str]) -> None:
    with st.container(gap="xsmall"):
        for remark in notes:
            show_note("{remark}", remark=remark)


def _show_set_aside(waiting: Waiting, table: Table, report: ImportReport) -> None:
    if not report.set_aside:
        return
    with st.expander(f"What was set aside and why ({count(report.set_aside)})"):
        own_datasets.show_set_aside(report_as_dict(waiting.name, report))
        if report.rejects.total:
            offer_download(
                "All rejected rows (CSV)",
                lambda: b"".join(store().rejects_csv(waiting.path, table.kind.name, table.mapping)),
                f"{PurePath(waiting.name).stem}-rejected.csv",
                "text/csv",
            )
