"""A waiting file on the Data page: the verdict and the button that saves it, the columns, and what is rarely needed."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.dataset import Dataset
from data.importing.report import ImportReport
from data.importing.warning_signs.unused import Unused, find_unused
from data.kinds.kind import Kind
from data.tables.sniffed import Sniffed
from features.importing.reading import unused_columns, verdict
from features.plotting.numbers import count
from ui.data import columns, own_datasets, two_readings, upload
from ui.data.start import open_study
from ui.data.upload import Waiting
from ui.data.value_mapping import value_controls
from ui.downloads import offer
from ui.errors import told_in_words
from ui.store import store
from ui.tables import show_table
from ui.visit import log_in, workspace
from ui.visit.study import key_of_own
from ui.words import note, say, small_table, warn

SEEN = 4
"""Warnings that stand open; more are folded."""


class Table(NamedTuple):
    """What the file is read as."""

    kind: Kind
    mapping: dict[str, Any]
    notes: tuple[str, ...]
    unused: Unused


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


def read(waiting: Waiting, replaced: Dataset | None) -> None:
    """The file that waits: what becomes of it and the button that saves it, what only the user knows, then its columns,
    then what is rare."""
    file, judged, asked, heads, further = (st.container() for _ in range(5))
    with file, st.container(horizontal=True, vertical_alignment="center"):
        st.text(waiting.name)
        if st.button("Choose another file", type="tertiary"):
            upload.forget()
            st.rerun()
    with judged, told_in_words():
        seen = upload.sniffed(waiting)
    if seen is None:
        return
    table = _table(waiting, seen, replaced, judged, asked, heads, further)
    if table is None:
        return
    with judged:
        with told_in_words():
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
    """What the file is read as, from the controls; None while something required is missing."""
    with further, st.expander("Options: the kind of table, its header and layout, how values are read"):
        kinds, layouts = st.container(), st.container()
    with kinds if seen.format else asked:
        waiting = upload.reshaping_controls(waiting, seen)
    with kinds:
        with told_in_words():
            other = upload.sniffed(waiting)
            if other is None:
                return None
            header = upload.header_control(waiting, other)
            if header is not None:
                other = upload.sniffed(waiting, header)
            if other is None:
                return None
            seen = other
            guess = upload.proposal(waiting, seen, replaced.kind if replaced else None)
        kind = upload.kind_control(waiting, guess)
        if kind.name != guess.kind:
            guess = upload.proposal(waiting, seen, kind.name)
    if guess.reading is not None and guess.other is not None:
        with asked:
            way = two_readings.choose(waiting, seen, guess)
        if way is None:
            with further:
                _show_notes(seen.problems)
            return None
        waiting, guess = way
    with layouts:
        form, wide = upload.layout_controls(waiting, seen, kind, guess.mapping, asked)
        names = upload.names_control(waiting, kind, form, wide, guess.mapping)
        missing = upload.missing_control(waiting, kind, guess.mapping)
        named = upload.named_by_columns(kind, form, names)
        of_file = columns.heads(waiting.keys, seen, kind, guess.mapping, form, wide, named)
        mapping = upload.mapping_of(seen, kind, form, wide, names, missing, of_file.mapping())
        upload.switch_controls(waiting, seen, kind, guess, mapping, asked)
    with heads:
        upload.files_control(waiting, seen, kind, mapping)
        columns.show_heads(of_file)
        value_controls(f"{waiting.keys} {kind.name}", seen, kind, mapping)
    lacking = upload.missing(kind, mapping)
    notes = seen.problems
    if upload.is_as_proposed(mapping, guess.mapping):
        notes = (*notes, *guess.notes[bool(guess.addition) :])
    with judged:
        if lacking and guess.addition:
            say("<b>{told}</b>", told=guess.notes[0])
        elif lacking:
            say(
                "Choose the column for <b>{names}</b> below to go on. {help}",
                names=" and ".join(column.title for column in lacking),
                help=lacking[0].help,
            )
        elif upload.lacks_numbers(kind, mapping):
            say("Choose at least one <b>column with numbers of the items</b> below to go on.")
        else:
            with heads:
                _show_first(waiting, seen, kind, mapping)
            return Table(kind, mapping, notes, find_unused(seen, kind, mapping))
        _show_warnings(filter(None, [seen.broken]))
    with further:
        _show_notes(notes)
    return None


def _judge(waiting: Waiting, table: Table, report: ImportReport, replaced: Dataset | None) -> None:
    """What becomes of the file, with the button that saves it beside, and what looks wrong in it."""
    told, saved = st.columns([3, 2], vertical_alignment="bottom", gap="medium")
    with told:
        say(*verdict(table.kind, report))
        (warn if table.unused.ratings else note)(*unused_columns(table.unused))
        if not report.kept:
            say("Nothing is left to save. Correct the columns below, or choose another file.")
    if report.kept:
        with saved:
            _save(waiting, table, replaced)
    _show_warnings(report.warnings[:SEEN])
    if len(report.warnings) > SEEN:
        with st.expander(f"{len(report.warnings) - SEEN} more to look at"):
            _show_warnings(report.warnings[SEEN:])


def _save(waiting: Waiting, table: Table, replaced: Dataset | None) -> None:
    """A name, and saving; a study is opened at once."""
    usual = replaced.name if replaced else waiting.usual
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


def _show_first(waiting: Waiting, seen: Sniffed, kind: Kind, mapping: dict[str, Any]) -> None:
    """The first ratings that the columns give as they are chosen now."""
    first = upload.first_ratings(waiting, seen, kind, mapping)
    if first is None:
        return
    label = f"First {kind.rows}"
    with st.container(gap="xsmall"):
        say("<b>{label}</b>", label=label)
        if first.rows:
            small_table([kind.title_of(name) for name in first.columns], first.rows, label)
        else:
            note("The first rows of the file give none.")


def _show_warnings(warnings: Iterable[str]) -> None:
    with st.container(gap="xsmall"):
        for warning in warnings:
            warn("{warning}", warning=warning)


def _show_notes(notes: Iterable[str]) -> None:
    """What was assumed while reading."""
    with st.container(gap="xsmall"):
        for remark in notes:
            note("{remark}", remark=remark)


def _show_set_aside(waiting: Waiting, table: Table, report: ImportReport) -> None:
    if not report.set_aside:
        return
    with st.expander(f"What was set aside and why ({count(report.set_aside)})"):
        show_table(upload.reasons_table(report), {"Rows": count}, alt="Why rows are set aside, and how many")
        if report.rejects.total:
            _show_rejects(waiting, table, report)


def _show_rejects(waiting: Waiting, table: Table, report: ImportReport) -> None:
    shown, total = len(report.rejects.line), report.rejects.total
    if total > shown:
        note(
            "The first {shown} of {total}; the download has them all.", shown=count(shown), total=count(total)
        )
    show_table(upload.rejects_table(report), {}, alt="Rejected rows with line, column, reason and value")
    offer(
        "All rejected rows (CSV)",
        lambda: b"".join(store().rejects_csv(waiting.path, table.kind.name, table.mapping)),
        f"{PurePath(waiting.name).stem}-rejected.csv",
        "text/csv",
    )
