"""A second file for the open data set: what it is joined by, what matches, and a new version to save."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import streamlit as st

from data.dataset import Dataset
from data.errors import DataError, NotFound
from data.joining.matching import Joinable
from data.joining.table import Joined
from data.kinds.definitions import ADDITIONS, kind_named
from data.kinds.kind import CanonicalColumn, Kind
from data.mapping.plan import NAMES, FileMapping
from data.mapping.proposal import Proposal
from data.settings import shown
from data.tables.sniffed import Sniffed
from features.importing import joining
from features.plotting.theme import count
from ui.elements import show_error, show_note, show_sentence, show_user_errors, show_warning, store
from ui.screens import upload
from ui.screens.columns import value_controls
from ui.screens.samples import open_study
from ui.screens.upload import Waiting
from ui.visit import workspace
from ui.visit.study import key_of_own

JOINED_TO, MADE, TRIES = "file is joined to", "joined table", "joined tables made"
"""Keys of the session: the data set that the file is joined to, the path of the joined table, and the tries."""
NOT_THERE, ACROSS = "—", 4
NAMED = {"rater_group": "group", "measure": "measure"}
"""Columns that all rows need where one has them."""


def section() -> None:
    """Draw the uploader for a second file, where the open data set is one's own."""
    dataset = _open()
    if dataset is None:
        return
    with st.expander("Add a file to the open data set"):
        show_sentence("To <b>{name}</b>:", name=dataset.name)
        show_note(
            "Gold answers, metrics or texts of its items; attributes of its raters; or more rows, such as a later "
            "batch. Both together become a new version with a separate address."
        )
        files = st.file_uploader(
            "The second file, or several that are read as one",
            accept_multiple_files=True,
            key=f"file to join {st.session_state.get('uploads', 0)}",
            help=f"Up to {shown('upload_size', store().settings.upload_size)}. Nothing is saved until you have seen "
            "what matches.",
        )
        if upload.accept_files(files):
            st.session_state[JOINED_TO] = dataset.id
            st.rerun()


def joined_to(file: Waiting | None) -> Dataset | None:
    """Return the data set that the waiting file is joined to, None where it is a separate one."""
    id = st.session_state.get(JOINED_TO)
    if id is None:
        return None
    try:
        if file is not None:
            return workspace.owned(id)
    except NotFound:
        upload.forget()
        st.session_state.pop(JOINED_TO)
        show_error("The data set that the file was to be added to is gone.")
        st.stop()
    st.session_state.pop(JOINED_TO)
    return None


def show(file: Waiting, dataset: Dataset) -> None:
    """Draw what matches and the button that saves a new version, and below it how the file is read."""
    st.header("Add a file to this data set")
    with st.container(horizontal=True, vertical_alignment="center"):
        show_sentence("{file} to <b>{name}</b>, which stays as it is.", file=file.name, name=dataset.name)
        if st.button("Choose another file", type="tertiary"):
            _forget()
            st.rerun()
    judged, read_as = st.container(), st.container()
    with judged, show_user_errors():
        seen = upload.sniff(file)
        ways = None if seen is None else _ways(file, dataset, seen)
    if seen is None or ways is None:
        return
    with read_as:
        proposal = _choose_kind(file, dataset, ways)
        kind = kind_named(proposal.kind)
        mapping = _columns(file, seen, kind, proposal)
        if seen.parts and seen.parts[-1].name in mapping.values():
            upload.files_control(file, seen, kind, mapping)
        value_controls(f"{file.number} {kind.name} joined", seen, kind, mapping, ways.labels)
        lacking = upload.missing(kind, mapping)
        own, new = ({}, {}) if lacking else _names(file, dataset, kind, mapping)
        switches = {} if lacking else _switches(file, dataset, kind, mapping)
        for remark in (*proposal.notes, *seen.problems):
            show_note("{remark}", remark=remark)
    with judged:
        if lacking:
            show_sentence(
                "Choose the column for <b>{names}</b> below to go on.",
                names=" and ".join(each.title for each in lacking),
            )
            return
        with show_user_errors():
            joined = _joined(file, dataset, kind, mapping, switches, own, new)
        if joined is not None:
            _judge(file, dataset, joined, mapping, kind)


def _open() -> Dataset | None:
    """Return the open data set where it is one's own."""
    key = st.query_params.get("d") or st.session_state.get("d") or ""
    try:
        dataset = store().by_key(key)
        return None if dataset is None else workspace.owned(dataset.id)
    except DataError:
        return None


def _forget() -> None:
    upload.forget()
    st.session_state.pop(JOINED_TO, None)
    _discard(st.session_state.pop(MADE, None))


def _discard(made: str | None) -> None:
    if made is not None:
        store().spool.discard(Path(made))


def _ways(file: Waiting, dataset: Dataset, seen: Sniffed) -> Joinable | None:
    return upload.read_in_queue(
        f"joinable {file.path} {dataset.id}",
        "Looking for names of the data set",
        lambda tell: store().joinable(dataset, file.path, seen, tell),
    )


def _choose_kind(file: Waiting, dataset: Dataset, ways: Joinable) -> Proposal:
    titles = {_title(kind_named(proposal.kind), dataset): proposal for proposal in ways.proposals}
    chosen = st.selectbox("What the file holds", list(titles), key=f"{file.number} what is joined")
    return titles[chosen]


def _title(kind: Kind, dataset: Dataset) -> str:
    return f"More {kind.rows} for this data set" if kind.name == dataset.kind else kind.title


def _columns(
    file: Waiting, seen: Sniffed, kind: Kind, proposal: Proposal
) -> dict[str, str | tuple[str, ...]]:
    """Draw a box for each column that the file may have, those that are not proposed in a fold; return the mapping."""
    mapping = dict(proposal.mapping)
    keys = f"{file.number} {kind.name} joined"
    boxes = [
        column
        for column in kind.columns
        if column.required or column.name in mapping or kind.name in ADDITIONS
        if isinstance(mapping.get(column.name, ""), str)
        if mapping.get(column.name, "") in ("", *seen.names)
        if column.name != kind.forms.get(str(mapping.get("@form", "long")))
    ]
    needed = [column for column in boxes if column.required or column.name in mapping]
    others = [column for column in boxes if column not in needed]
    chosen = _boxes(keys, seen, kind, needed, mapping)
    if others:
        with st.expander(f"What else the file may tell: {', '.join(column.title for column in others)}"):
            chosen |= _boxes(keys, seen, kind, others, mapping)
    for name, source in chosen.items():
        mapping.pop(name, None)
        if source != NOT_THERE:
            mapping[name] = source
    if not kind.further or kind.name not in ADDITIONS:
        return mapping
    further = {
        str(source): name for name, source in mapping.items() if name[0] != "@" and not kind.column(name)
    }
    used = {source for name, source in mapping.items() if kind.column(name)}
    free = [name for name in seen.names if name not in used]
    chosen_further = st.multiselect(
        "Attributes of the raters to add"
        if "rater attribute" in kind.further
        else "Numbers of the items to add",
        free,
        default=[name for name in further if name in free],
        key=f"{keys} further",
    )
    mapping = {name: source for name, source in mapping.items() if name not in further.values()}
    prefix = "rater_" if "rater attribute" in kind.further else ""
    return mapping | {further.get(source, f"{prefix}{source}"): source for source in chosen_further}


def _boxes(
    keys: str,
    seen: Sniffed,
    kind: Kind,
    columns: Sequence[CanonicalColumn],
    mapping: FileMapping,
) -> dict[str, str]:
    """Draw the boxes of these columns, and return the file's columns that were chosen."""
    options = [NOT_THERE, *seen.names]
    chosen = {}
    for start in range(0, len(columns), ACROSS):
        for place, column in zip(st.columns(ACROSS), columns[start : start + ACROSS], strict=False):
            with place:
                chosen[column.name] = st.selectbox(
                    f"{column.title}{' (joined by)' if column.required and kind.name in ADDITIONS else ''}",
                    options,
                    index=options.index(str(mapping.get(column.name, NOT_THERE))),
                    key=f"{keys} {column.name}",
                    help=column.help,
                )
    return chosen


def _names(
    file: Waiting, dataset: Dataset, kind: Kind, mapping: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of the rows of either side, where it lacks a column that the other has."""
    own: dict[str, str] = {}
    new: dict[str, str] = {}
    if kind.name != dataset.kind:
        return own, new
    for column, called in NAMED.items():
        has, gets = (
            dataset.has(column),
            bool({column, NAMES + column} & {*mapping, kind.forms.get(mapping.get("@form", ""))}),
        )
        if kind.column(column) is None or (has and gets) or (column == "measure" and not has and not gets):
            continue
        left, right = st.columns(2)
        stem = PurePath(file.name).name.split(".")[0]
        if not has:
            own[column] = left.text_input(
                f"What is the {called} of the {kind.rows} there are?", key=f"{file.number} own {column}"
            ).strip()
        if not gets:
            new[column] = right.text_input(
                f"What is the {called} of the new {kind.rows}?",
                stem if has else "",
                key=f"{file.number} new {column}",
            ).strip()
        if not has and not gets and not (own[column] and new[column]):
            show_note("Left empty, both stay without {called}s.", called=called)
            del own[column], new[column]
    return _typed_names(own), _typed_names(new)


def _typed_names(named: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in named.items() if value}


def _switches(file: Waiting, dataset: Dataset, kind: Kind, mapping: Mapping[str, Any]) -> dict[str, str]:
    """Draw the switches of the joined table whose setting changes figures."""
    rows = kind_named(dataset.kind).rows
    if kind.name in ADDITIONS:
        offered, switch, key = "status" in mapping, "@rejected", "rejected"
        label = f"Set aside the {rows} of raters whose status says rejected, returned or timed out"
    else:
        offered, switch, key = "@duplicates" in kind.switches, "@duplicates", "repeated"
        label = f"Set aside {rows} that repeat an earlier one of the same rater"
    if offered and st.toggle(label, key=f"{file.number} {key} are set aside"):
        return {switch: "set aside"}
    return {}


def _joined(
    file: Waiting,
    dataset: Dataset,
    kind: Kind,
    mapping: Mapping[str, Any],
    switches: Mapping[str, str],
    own: Mapping[str, str],
    new: Mapping[str, str],
) -> Joined | None:
    """Return the joined table, and discard the one made for other choices."""
    how = sorted(mapping.items()), sorted(switches.items()), sorted(own.items()), sorted(new.items())
    tries = st.session_state.get(TRIES, 0)
    joined = upload.read_in_queue(
        f"joined {file.path} {dataset.id} {kind.name} {how!r} {tries}",
        "Joining",
        lambda tell: store().join(
            dataset, file.path, kind.name, mapping, switches, own, new, file.name, tell
        ),
    )
    if joined is None:
        return None
    if not joined.path.exists():
        st.session_state[TRIES] = tries + 1
        st.rerun()
    before = st.session_state.get(MADE)
    if before != str(joined.path):
        _discard(before)
        st.session_state[MADE] = str(joined.path)
    return joined


def _judge(file: Waiting, dataset: Dataset, joined: Joined, mapping: Mapping[str, Any], kind: Kind) -> None:
    """Draw what matches, the button that saves it, and what becomes of the rows of the new version."""
    verdict_place, saved = st.columns([3, 2], vertical_alignment="bottom", gap="medium")
    with verdict_place:
        show_sentence(
            *joining.verdict(
                joined, [name for name in mapping if name[0] != "@" and name not in kind.required]
            )
        )
    if joined.report.kept:
        with saved:
            _save(file, dataset, joined)
    for remark in joining.remarks(joined):
        show_warning(*remark)
    if joined.report.set_aside:
        show_note(
            "Of the new version's rows {kept} count and {aside} are set aside.",
            kept=count(joined.report.kept),
            aside=count(joined.report.set_aside),
        )
    said_before = (store().report(dataset.id) or {}).get("warnings", ())
    for warning in joined.report.warnings:
        if warning not in said_before:
            show_warning("{warning}", warning=warning)


def _save(file: Waiting, dataset: Dataset, joined: Joined) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", dataset.name, max_chars=120, key=f"{file.number} name of joined")
        if not st.button("Save as a new version", type="primary"):
            return
    if not workspace.may_save():
        show_sentence(workspace.requirement_for_saving())
        return
    with show_user_errors(), st.spinner("Saving"):
        saved = store().add(
            joined.path,
            joined.kind,
            joined.mapping,
            name.strip() or dataset.name,
            workspace.current_workspace(),
            replaces=workspace.owned(dataset.id).id,
            file=f"{dataset.name} + {file.name}",
            made_from=joined.made_from,
        )
        key = key_of_own(saved.id)
    _forget()
    open_study(key)
