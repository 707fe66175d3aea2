"""The list of one's own data sets, and what can be done with each.

A row is a fragment that fills its popover once it is open. Ownership is checked again whenever something is done.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from io import BufferedReader
from typing import Any, Literal

import pandas as pd
import streamlit as st

from data.dataset import Dataset
from data.errors import DataError, NotFound
from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from features.importing.joining import units_of
from features.importing.versions import (
    cells_table,
    changes_table,
    comparable_datasets,
    difference,
    interval_notes,
    most_changed,
    names_changed,
    two_versions,
)
from features.plotting.theme import count
from features.study import use_session
from features.words import counted, distinct_names
from ui.downloads import offer_download
from ui.elements import PAGE, show_error, show_note, show_sentence, show_user_errors, show_warning, store
from ui.elements import show_exception as tell_error
from ui.render import show_finding, show_table
from ui.visit import share, workspace
from ui.visit.study import Versions, base_of, key_of_own, show_dataset, versions


def search(families: Sequence[Versions], words: str) -> list[Versions]:
    """Return the families with a version whose name contains every word, ignoring case."""
    wanted = words.casefold().split()

    def fits(dataset: Dataset) -> bool:
        return all(word in dataset.name.casefold() for word in wanted)

    return [family for family in families if any(map(fits, (family.newest, *family.older)))]


def in_folders(families: Sequence[Versions]) -> dict[str, list[Versions]]:
    """Return those in no folder under "", then those of each folder of several, in the order of the newest."""
    several = Counter(map(_folder_of, families))
    folders: dict[str, list[Versions]] = {"": []}
    for family in families:
        folder = _folder_of(family)
        folders.setdefault(folder if several[folder] > 1 else "", []).append(family)
    return folders


def _folder_of(family: Versions) -> str:
    before, slash, after = family.newest.name.partition("/")
    return before.strip() if slash and after.strip() else ""


FIRST = 8
"""Rows that are shown until all are asked for."""
FEW, MOST_FOUND = 3, 30
"""Data sets up to which nobody searches, and the most that a search shows."""
TOLD, REPLACING, FAILED, ASKED = "told on the Data page", "replacing", "delete failed", "dialog of"
OPENED = "open folders"
"""Keys of the session: a sentence to say once, the data set that is replaced, an error, a dialog, open folders."""
Form = Literal["csv", "parquet"]
FORMS: dict[Form, str] = {"csv": "CSV", "parquet": "Parquet"}
MANY = 6
"""Links above which their list scrolls inside itself."""
REASONS = {"column": "Column", "reason": "Why set aside", "rows": "Rows"}
REJECTS = {
    "file": "File",
    "line": "Line",
    "column": "Column",
    "reason": "Why set aside",
    "value": "What stood there",
}


def show(own: Sequence[Dataset]) -> None:
    """List the data sets, the newest first."""
    if not own:
        return
    families = versions(own)
    st.header("Your data sets")
    show_note("Listed for you alone. Whoever has one of a data set's links can look at it.")
    if len(families) > FEW:
        words = st.text_input(
            "Search",
            key="search own",
            placeholder="Words of the name",
            help="Data sets called *project/…* lie in the folder *project*.",
        )
        if words.strip():
            _show_found(search(families, words))
            return
    folders = in_folders(families)
    for name in list(folders)[1:]:
        _folder(name, folders[name])
    apart = folders[""]
    every = len(apart) <= FIRST or st.session_state.get("every data set", False)
    for family in apart if every else apart[:FIRST]:
        _family(family)
    if not every:
        st.button(
            f"Show all {len(apart)}",
            on_click=st.session_state.__setitem__,
            args=("every data set", True),
        )


def _show_found(families: Sequence[Versions]) -> None:
    if not families:
        show_note("None of your data sets is called so.")
    for family in families[:MOST_FOUND]:
        _family(family)
    if len(families) > MOST_FOUND:
        show_note("{more} more; type another word.", more=count(len(families) - MOST_FOUND))


def _folder(name: str, families: Sequence[Versions]) -> None:
    """Show a folder, whose rows are drawn once it is open."""
    opened = st.session_state.get(OPENED, [])
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            with st.container(width="stretch"):
                show_sentence("<b>{name}/</b> {number}", name=name, number=counted(len(families), "data set"))
            st.button(
                "Close" if name in opened else "Open",
                key=f"folder {name}",
                icon=":material/folder_open:" if name in opened else ":material/folder:",
                on_click=_open_folder,
                args=(name,),
            )
        if name in opened:
            for family in families:
                _family(family)


def _open_folder(name: str) -> None:
    opened = st.session_state.get(OPENED, [])
    st.session_state[OPENED] = [one for one in opened if one != name] + [name] * (name not in opened)


def show_message() -> None:
    """Show once the message that the last run kept."""
    template, values = st.session_state.pop(TOLD, (None, {}))
    if template is not None:
        show_sentence(template, **values)


def keep_message(template: str, **values: object) -> None:
    st.session_state[TOLD] = template, values


def replaced() -> Dataset | None:
    """Return the data set of which a new version is being uploaded, None without one."""
    id = st.session_state.get(REPLACING)
    if id is None:
        return None
    try:
        return workspace.owned(id)
    except NotFound:
        stop_replacing()
        return None


def stop_replacing() -> None:
    st.session_state.pop(REPLACING, None)


@st.fragment
@use_session(PAGE)
def _family(family: Versions) -> None:
    with st.container(border=True, gap="small"):
        _row(family, family.newest)
        if family.older:
            number = len(family.older)
            fold = st.expander(
                f"{number} older version{'s' if number > 1 else ''}",
                on_change="rerun",
                key=f"older {family.newest.id}",
            )
            if fold.open:
                with fold:
                    for older in family.older:
                        _row(family, older)


def _row(family: Versions, dataset: Dataset) -> None:
    kind, name = KINDS[dataset.kind], family.label if dataset is family.newest else dataset.name
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        with st.container(gap=None):
            if family.older:
                show_sentence("<b>{name}</b> · version {number}", name=name, number=family.number(dataset))
            else:
                show_sentence("<b>{name}</b>", name=name)
            show_note(
                "{kind}: {kept} kept, {aside} set aside, saved {when}{goes}",
                kind=kind.title.split(":")[0],
                kept=count(dataset.rows_kept),
                aside=count(dataset.rows_set_aside),
                when=share.format_moment(dataset.created),
                goes=_deletion_date(dataset),
            )
        if kind.study and st.button("Open", key=f"open {dataset.id}"):
            _open(dataset.id)
        more = st.popover("More", key=f"more {dataset.id}", on_change="rerun")
    if more.open:
        with more, st.container(width=320):
            _more(dataset, newest=dataset is family.newest)
    asked = st.session_state.pop(f"{ASKED} {dataset.id}", None)
    if asked is not None:
        {"report": _report, "links": _links, "compare": _compare, "delete": _delete}[asked](dataset.id)


def _deletion_date(dataset: Dataset) -> str:
    """Return when an unused data set is deleted, where the server's settings say so."""
    days = store().settings.unused_days
    if days is None or not str(dataset.workspace).startswith("browser:"):
        return ""
    return f", goes on {dataset.used + timedelta(days=days):%Y-%m-%d} unless it is opened before"


def _open(id: str) -> None:
    try:
        key = key_of_own(id)
    except DataError as error:
        tell_error(error)
        return
    show_dataset(key)
    st.switch_page("overview.py", query_params={"d": key})


def _more(dataset: Dataset, newest: bool) -> None:
    id = dataset.id
    if not KINDS[dataset.kind].study:
        show_note("{used}", used=KINDS[dataset.kind].used)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", dataset.name, max_chars=120, key=f"name of {id} {dataset.name}")
        if st.button("Rename", key=f"rename {id}"):
            _rename(id, name)
    if newest and st.button("Upload a new version", key=f"replace {id}", width="stretch"):
        st.session_state[REPLACING] = id
        st.rerun()
    with st.container(horizontal=True):
        for form, written in FORMS.items():
            offer_download(
                f"Download {written}",
                _download(dataset, form),
                f"{dataset.name}-{form}.zip",
                "application/zip",
                key=f"download {form} {id}",
                help="All rows and the import report, packed once you ask for them.",
            )
    for label, asked in (
        ("Import report", "report"),
        (f"Links ({_count_links(id)})", "links"),
        ("What changed", "compare"),
        ("Delete", "delete"),
    ):
        st.button(label, key=f"{asked} {id}", width="stretch", on_click=_ask, args=(id, asked))


def _ask(id: str, asked: str) -> None:
    """Close the popover, which would cover the dialog, and open the dialog from the row."""
    st.session_state[f"more {id}"] = False
    st.session_state[f"{ASKED} {id}"] = asked


def _count_links(id: str) -> int:
    try:
        return len(store().links(id))
    except DataError:
        return 0


def _rename(id: str, name: str) -> None:
    try:
        workspace.owned(id)
        renamed = store().rename(id, name)
    except DataError as error:
        tell_error(error)
        return
    keep_message("It is called <b>{name}</b> now.", name=renamed.name)
    st.rerun()


def _download(dataset: Dataset, form: Form) -> Callable[[], BufferedReader]:
    """Return the function that makes the file later, outside of any run."""
    mine, kept = workspace.current_workspace(), store()

    def file() -> BufferedReader:
        if mine is None or kept.get(dataset.id).workspace != mine:
            raise NotFound("there is no such data set")
        archive = kept.files(dataset.id, form)
        opened = archive.open("rb")
        kept.spool.discard(archive)  # what is open can be read to its end
        return opened

    return file


@st.dialog("Import report", width="large")
def _report(id: str) -> None:
    with show_user_errors():
        dataset = workspace.owned(id)
        report = store().report(id)
    if report is None:
        show_note("Saved by an earlier version of Raterscope, which kept no report.")
        return
    st.text(dataset.name)
    files = report.get("files", ())
    show_sentence(
        "From {file}: <b>{kept}</b> of {read} {rows} kept, <b>{aside}</b> set aside.",
        file=f"{len(files)} files ({', '.join(files)})" if files else f"the file {report['file']}",
        kept=count(report["kept"]),
        read=count(report["rows_read"]),
        rows=KINDS[dataset.kind].rows,
        aside=count(report["set_aside"]),
    )
    for part in report.get("made_from", ()):
        show_note(
            "Made from {name} (SHA-256 {sha256}), read as {mapping}.",
            name=part.get("name") or part.get("file"),
            sha256=part["sha256"],
            mapping=", ".join(f"{column} = {source}" for column, source in part["mapping"].items()),
        )
    show_set_aside(report)
    for remark in report["notes"]:
        show_note("{remark}", remark=remark)
    for warning in report["warnings"]:
        show_warning("{warning}", warning=warning)


def show_set_aside(report: Mapping[str, Any]) -> None:
    """Show why rows were set aside, and the rejected ones, of an import report in the form in which it is stored."""
    reasons = [*report["reasons"]]
    if report["check_rows"]:
        why = "trap or gold question: stored, but enters no figure"
        reasons.insert(0, {"column": "check", "reason": why, "rows": report["check_rows"]})
    if reasons:
        table = pd.DataFrame(reasons).rename(columns=REASONS)
        show_table(table, {"Rows": count}, alt="Why rows were set aside, and how many")
    if report["rejects"]:
        rejects = pd.DataFrame(report["rejects"]).rename(columns=REJECTS)
        if len(rejects) < report["rejected"]:
            show_note(
                "The first {shown} of {total}.", shown=count(len(rejects)), total=count(report["rejected"])
            )
        show_table(rejects, {}, alt="Rejected rows with line, column, reason and value")


@st.dialog("Links", width="medium")
def _links(id: str) -> None:
    with show_user_errors():
        dataset = workspace.owned(id)
    st.text(dataset.name)
    if KINDS[dataset.kind].study:
        show_note(
            "They open its overview. To share another view go there, and make the link under <b>Share</b>."
        )
    share.links("data", id, base_of("data"))


@st.dialog("What changed", width="large")
def _compare(id: str) -> None:
    with show_user_errors():
        after = workspace.owned(id)
        others = comparable_datasets(after, store().datasets(workspace.current_workspace()))
        if not others:
            show_note("There is no other data set of this kind to compare it with.")
            return
        called = distinct_names({each.id: each.name for each in others})
        chosen = st.selectbox(
            "Compared with", [each.id for each in others], format_func=called.__getitem__, key=f"before {id}"
        )
        before = workspace.owned(chosen)
        found = two_versions(before, after)
    show_sentence(*difference(found, called[chosen], after.name))
    for sentence in names_changed(found):
        show_note(*sentence)
    if found.cells:
        table = cells_table(found.cells)
        show_table(table.frame, table.formats, alt=table.caption[0], first=table.columns_at_first_sight)
        both = [one for cell in found.cells for one in (cell.mean_change, cell.alpha_change)]
        for sentence in interval_notes(both, "items"):
            show_note(*sentence)
    if found.shares:
        for change in most_changed(found.shares):
            show_finding(change, of_open_data=False)
        show_table(*changes_table(found.shares), alt="What changed, per share")
    for sentence in interval_notes([one.difference for one in found.shares], units_of(after.kind)):
        show_note(*sentence)


@st.dialog("Delete this data set?")
def _delete(id: str) -> None:
    if TOLD in st.session_state:  # it is done
        st.rerun()
    with show_user_errors():
        dataset = workspace.owned(id)
        live = store().links(id)
    show_sentence(
        "<b>{name}</b>, its {rows} {what} and its import report go for good.",
        name=dataset.name,
        rows=count(dataset.rows_kept + dataset.rows_set_aside),
        what=KINDS[dataset.kind].rows,
    )
    if live:
        show_note("Whoever has one of these addresses finds nothing there any more:")
        with st.container(gap=None, height=220 if len(live) > MANY else "content"):
            for link in live:
                st.text(f"• {link.name or share.OWN_ADDRESS}")
    failed = st.session_state.pop(FAILED, None)
    if failed is not None:
        show_error(failed)
    with st.container(horizontal=True):
        st.button("Delete", key=f"delete it {id}", type="primary", on_click=_delete_it, args=(id,))
        if st.button("Keep", key=f"keep it {id}"):
            st.rerun()


def _delete_it(id: str) -> None:
    try:
        dataset = workspace.owned(id)
        store().delete(id)
        if store().by_key(st.query_params.get("d", "")) is None:  # it was the open one
            show_dataset(SAMPLES[0].key)
    except DataError as error:
        st.session_state[FAILED] = error.visitor_message()
        return
    keep_message("<b>{name}</b> is gone, and so are its links.", name=dataset.name)
