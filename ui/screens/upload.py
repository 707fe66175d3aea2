"""The import step of the Data page: a waiting file, how it is to be read, and the report."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from data.errors import CannotOpen, DataError, NotFound, SpoolFull, StorageUnavailable
from data.formats.multiple_files import FROM_FILES, common_name, parts_of
from data.importing.report import ImportReport
from data.importing.staging import Preview, ProgressCallback, preview
from data.kinds.definitions import KINDS
from data.kinds.kind import CanonicalColumn, Kind
from data.kinds.likely_names import groups_of
from data.kinds.studies import ENDS, GRADE_COLUMNS, LABEL_COLUMNS, OPTION_COLUMNS, PLACE_COLUMNS
from data.mapping.plan import FILES, MISSING, NAMES, SWITCHES, FileMapping, grades_of, header_switch
from data.mapping.proposal import Proposal, propose
from data.reading.rankings import place_of, without_ranks
from data.reading.votes import measure_of
from data.reading.wide_layouts import grids_of, measure_of_slot, short_names
from data.tables.sniffed import Reading, Sniffed
from features.cache import upload_queue
from features.plotting.theme import count
from features.study import long_result, result
from server.arrivals import Arrival, arrivals
from server.upload_limits import NOTE
from ui.elements import show_cells, show_error, show_user_errors, store
from ui.screens import own_datasets
from ui.visit import workspace

T = TypeVar("T")
MANY = 100
"""Columns of ratings above which the box that names them is folded: a browser takes seconds to draw it."""
AGAIN = "Read it again"
_PART = 40
"""Characters of a column's name that a control shows."""
_NAMED, _OPEN, _ACROSS = 3, 4, 4
"""Files up to which each is named, and up to which their fold stands open; boxes in a row."""
_FAILED = "failed readings"
"""Key of the readings that failed, with their errors: a rerun would read for minutes to fail anew."""
FORMS = {
    "long": "one row per {row}",
    "rater columns": "one column per rater",
    "measure columns": "one column per {measure}",
    "item columns": "one column per item",
    "surrogate columns": "one column per surrogate",
    GRADE_COLUMNS: "votes per grade",
    OPTION_COLUMNS: "one column per option",
    PLACE_COLUMNS: "one column per place",
    ENDS: "best and worst of a tuple",
    LABEL_COLUMNS: "one column per label",
}
HEADER_ROWS = ("none", "1", "2", "3")
SWITCH_LABELS = {
    "@numbers": "Numbers for the first and the second option",
    "@answers": "Numbers for R, P, I and N",
    "@rejected": "{Rows} of rejected assignments",
    "@duplicates": "Repeated {rows} {told}",
    "@scores": "Scores are",
    "@decimal": "Decimal mark",
    "@raters": "Rater ids are",
    "@separator": "Labels in a cell are separated by",
    "@empty": "Empty cells of labels are",
}
SWITCH_HELP = {
    "@numbers": "Only where choices are numbers. 0 is a tie where it is neither of the two.",
    "@answers": "Only where answers are numbers: what stands for relevant, partially relevant, irrelevant, not found.",
    "@rejected": "Rows whose status says rejected, returned or timed out.",
    "@duplicates": "More than one row with the same {key}.",
    "@scores": "'Leading number' reads 4 from '4 - good'.",
    "@decimal": "3.5 or 3,5.",
    "@raters": "Slots are mere repetition numbers: then chance over raters is unknown.",
    "@separator": 'A list is written as ["a", "b"]. Not for one column per label.',
    "@empty": "No answer, set aside, or an answer to which no label applies.",
}


@dataclass(frozen=True)
class Waiting:
    """An upload in the spool: the number in the keys of its controls, and the usual name of a data set of it.

    `way` is the reading that the controls start from, `settings` those of the switches on which the columns depend.
    """

    path: str
    name: str
    number: int
    usual: str
    way: int = 0
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def keys(self) -> str:
        """Beginning of the keys of controls that a reading sets."""
        of_settings = "".join(f" {name} {setting}" for name, setting in self.settings)
        return f"{self.number}{of_settings}{f' way {self.way + 1}' if self.way else ''}"


def accept_files(files: Sequence[UploadedFile]) -> bool:
    """Keep arrived files as one waiting upload and return True where there are any; show why the server refused one."""
    refused = [file for file in files if file.type == NOTE]
    for file in refused:
        name = file.name if len(files) > 1 else "This file"
        show_error(f"{name} was not taken. {file.getvalue().decode('utf-8', 'replace')}")
    if not files or refused:
        return False
    with show_user_errors():
        _keep(files)
    return True


def _keep(files: Sequence[UploadedFile]) -> None:
    """Keep uploaded files as the waiting upload, several as one, and reset the uploader."""
    arrived = [each for file in files if (each := _spooled_file(file)) is not None]
    if len(arrived) < len(files):
        raise NotFound("This upload is gone. Upload it again.")
    first, spool = arrived[0], store().spool
    paths = [spool.claim(each.path) for each in arrived]
    st.session_state.pop(_FAILED, None)
    number = st.session_state.get("uploads", 0) + 1
    st.session_state["uploads"] = number
    path, name, usual = paths[0], first.name, PurePath(first.name).name.split(".")[0]
    if len(files) > 1:
        names = [each.name for each in arrived]
        path = _combine_files(files, arrived)
        name = " + ".join(names if len(names) <= _NAMED else [names[0], f"{len(names) - 1} more files"])
        usual = common_name(names)
    st.session_state["waiting"] = Waiting(str(path), name, number, usual)


def _combine_files(files: Sequence[UploadedFile], arrived: Sequence[Arrival]) -> Path:
    """Keep several files that arrived as one, in the place of the first."""
    spool = store().spool
    together = spool.keep_as_archive([(each.name, each.path) for each in arrived])
    for each in arrived:
        spool.discard(each.path)
    context = get_script_run_ctx()
    if context is not None:
        whole = Arrival(together, arrived[0].name, together.stat().st_size)
        arrivals.add(context.session_id, files[0].file_id, whole)
        arrivals.take(context.session_id, files[0].file_id)
    return together


def _spooled_file(file: UploadedFile) -> Arrival | None:
    """Return the file in the spool, of which Streamlit holds only a reference."""
    context = get_script_run_ctx()
    return None if context is None else arrivals.take(context.session_id, file.file_id)


def has_waiting_file() -> bool:
    return "waiting" in st.session_state


def waiting() -> Waiting | None:
    """Return the waiting upload, and show once why one is gone."""
    upload: Waiting | None = st.session_state.get("waiting")
    if upload is None or Path(upload.path).exists():
        return upload
    del st.session_state["waiting"]
    why = store().spool.explain_missing(Path(upload.path))
    own_datasets.keep_message(
        "<b>{name}</b> was not saved and is gone: {why}. Upload it again.", name=upload.name, why=why
    )
    return None


def forget() -> None:
    upload = st.session_state.pop("waiting", None)
    if upload is not None:
        store().spool.discard(Path(upload.path))


def sniff(upload: Waiting, header: int | None = None) -> Sniffed | None:
    """Return the file's columns and first rows, with `header` rows that name the columns; None while stopped."""
    return read_in_queue(
        f"sniffed {upload.path} {header} {upload.settings!r}",
        "Looking at the file",
        lambda tell: store().sniff(upload.path, header, tell=tell, settings=dict(upload.settings)),
    )


def proposal(upload: Waiting, seen: Sniffed, kind: str | None = None) -> Proposal:
    """Return the proposed reading, also as a table of a given `kind`."""
    return result(
        f"proposal {upload.path} {seen.format} {seen.header_rows} {seen.settings!r} {kind}",
        lambda: propose(seen, kind),
    )


def other_proposal(upload: Waiting, seen: Sniffed, reading: Reading) -> Proposal:
    """Return the proposal of another reading, about as likely."""
    alone = replace(seen, readings=(replace(reading, evidence=1.0),))
    return result(
        f"other proposal {upload.path} {seen.format} {seen.header_rows} {seen.settings!r} {reading!r}",
        lambda: propose(alone, reading.kind),
    )


def proposal_by_columns(upload: Waiting, seen: Sniffed, kind: str) -> Proposal:
    """Return the proposal of the columns by their names alone."""
    return result(
        f"columns {upload.path} {seen.format} {seen.header_rows} {seen.settings!r} {kind}",
        lambda: propose(replace(seen, readings=()), kind),
    )


def first_ratings(upload: Waiting, seen: Sniffed, kind: Kind, mapping: FileMapping) -> Preview | None:
    """Return the first ratings that the mapping gives, None where it does not fit."""
    try:
        return result(
            f"preview {upload.path} {seen.header_rows} {kind.name} {sorted(mapping.items())!r}",
            lambda: preview(seen, kind.name, mapping),
        )
    except DataError:
        return None


def reshaping_controls(upload: Waiting, seen: Sniffed) -> Waiting:
    """Draw the switches on which the columns depend; return the upload with their settings."""
    settings = []
    for switch in seen.switches:
        if switch.reshapes:
            key = f"{upload.number} {switch.name}"
            chosen = st.selectbox(switch.label, switch.allowed, key=key, help=switch.help, width=420)
            settings += [(switch.name, chosen)] if chosen != switch.allowed[0] else []
    return replace(upload, settings=tuple(settings))


def header_control(upload: Waiting, seen: Sniffed) -> int | None:
    """Draw the choice of how many rows name the columns; return None where it is as proposed."""
    recognized = [f"recognized: {seen.format}"] if seen.format else []
    options = [*recognized, *HEADER_ROWS]
    proposed = recognized[0] if recognized else HEADER_ROWS[seen.header_rows]
    chosen = st.selectbox(
        "Rows of column names",
        options,
        index=options.index(proposed),
        key=f"{upload.keys} header",
        help="Two or three rows name columns together, such as a measure above each rater. With a number "
        "chosen, a file of a recognized format is read as a plain table.",
    )
    return None if chosen == proposed else HEADER_ROWS.index(chosen)


def key_of_kind(upload: Waiting) -> str:
    return f"{upload.number} kind"


def kind_control(upload: Waiting, guess: Proposal) -> Kind:
    kinds_by_title = {kind.title: kind for kind in KINDS.values()}
    chosen = st.selectbox(
        "Kind of table",
        list(kinds_by_title),
        index=list(kinds_by_title).index(KINDS[guess.kind].title),
        key=key_of_kind(upload),
        help="Contributors and metrics are used together with ratings of the same items; all other kinds are looked "
        "at for themselves.",
    )
    return kinds_by_title[chosen]


def layout_controls(
    upload: Waiting, seen: Sniffed, kind: Kind, proposed: FileMapping, asked: DeltaGenerator
) -> tuple[str, tuple[str, ...]]:
    """Draw the choice of the layout, at `asked` where columns stand side by side, and of the columns of ratings."""
    form = _form(upload, kind, proposed, asked) if kind.forms else "long"
    if form == "long":
        return form, ()
    cells = kind.cells_of(form)
    before, rows = proposed.get(cells), kind.rows if cells == kind.cells else f"{kind.title_of(cells)}s"
    rows = "labels" if form == LABEL_COLUMNS else rows
    standing = [name for name in before if name in seen.names] if isinstance(before, tuple) else []
    label = f"{count(len(standing))} columns hold {rows}"
    with st.popover(label) if len(standing) > MANY else nullcontext():
        chosen = st.multiselect(
            f"Columns that hold {rows}",
            seen.names,
            default=standing,
            key=f"{upload.keys} {kind.name} {cells} wide",
        )
    return form, tuple(chosen)


def ends_control(
    upload: Waiting, seen: Sniffed, kind: Kind, form: str, wide: tuple[str, ...], proposed: FileMapping
) -> dict[str, tuple[str, ...]]:
    """Draw the choice of the columns that name the best and the worst of a tuple; nothing in other layouts."""
    if form != ENDS:
        return {}
    left = [name for name in seen.names if name not in wide]
    before = proposed.get(kind.cells, ())
    chosen = list[str]()
    with st.container(horizontal=True):
        for at, end in enumerate(("best", "worst")):
            column = before[at] if isinstance(before, tuple) and at < len(before) else None
            place = left.index(column) if column in left else None
            key = f"{upload.keys} {kind.name} {end}"
            name = st.selectbox(f"The {end} is named by", left, index=place, key=key, width=200)
            chosen += [name] if name else []
    return {kind.cells: tuple(chosen)} if len(chosen) == 2 else {}


def names_control(
    upload: Waiting, kind: Kind, form: str, wide: tuple[str, ...], proposed: FileMapping
) -> dict[str, tuple[str, ...]]:
    """Draw the choice of what the names of the columns stand for, where there are several."""
    options = name_options(kind, form, wide, proposed)
    standing = dict(_names_of(kind, form, wide, proposed))
    if len(options) < 2:
        return standing or next(iter(options.values()), {})
    chosen = st.selectbox(
        "The names of these columns say",
        list(options),
        index=list(options.values()).index(standing) if standing in options.values() else 0,
        key=f"{upload.keys} {kind.name} {form} names",
    )
    return options[chosen]


def name_options(
    kind: Kind, form: str, wide: tuple[str, ...], proposed: FileMapping
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return what the names of the columns can stand for: one thing, a part of it, or two."""
    standing = dict(_names_of(kind, form, wide, proposed))
    second = "measure" if kind.column("measure") else "design"
    one = kind.forms.get(form)
    if not one or one == second:
        return {}
    if one == "rank":
        places = [place_of(name) for name in wide]
        counted = places if all(places) and len({*places}) == len(places) else range(1, len(wide) + 1)
        return {"the place": standing or {NAMES + one: tuple(map(str, counted))}}
    if one == "score":
        grades, measures = tuple(grades_of(wide)), tuple(map(measure_of, wide))
        graded = {"grade": {NAMES + one: grades}}
        if len({*zip(measures, grades, strict=True)}) == len(wide) > len({*grades}) and all(measures):
            graded = {"measure and grade": {NAMES + one: grades, NAMES + "measure": measures}} | graded
        is_new = standing and standing not in graded.values()
        return {"as proposed": standing} | graded if is_new else graded
    called = {one: kind.title_of(one), second: "measure" if second == "measure" else "question"}
    options: dict[str, dict[str, tuple[str, ...]]] = {f"{called[one]} alone": {}}
    short = (without_ranks(wide) if one == "option" else short_names(wide)) if wide else ()
    alone = {NAMES + one: short} if short != wide else {}
    if alone:
        options[f"{called[one]} {short[0][:_PART]}"] = alone
    if one == "rater_id" and (groups := groups_of(short)):
        group = kind.title_of("rater_group")
        options[f"{called[one]} {short[0][:_PART]} and {group} {groups[0][:_PART]}"] = {
            **alone,
            NAMES + "rater_group": groups,
        }
    measures = tuple(map(measure_of_slot, wide))
    if one == "item_id" and kind.column(second) and all(measures) and len({*measures}) > 1:
        options[f"{called[second]} {measures[0][:_PART]}"] = {NAMES + second: measures}
    for grid in (*grids_of(wide), *grids_of(short)) if kind.column(second) else ():
        for order in ((0, 1), (1, 0)):
            names = {
                NAMES + name: tuple(pair[at] for pair in grid.pairs)
                for name, at in zip((one, second), order, strict=True)
            }
            shown = " and ".join(
                f"{called[entry.removeprefix(NAMES)]} {names_of_entry[0][:_PART]}"
                for entry, names_of_entry in sorted(
                    names.items(), key=lambda each: order[each[0] != NAMES + one]
                )
            )
            options.setdefault(shown, names)
    if standing and standing not in options.values():
        options["as proposed"] = standing
    return options


def missing_control(upload: Waiting, kind: Kind, proposed: FileMapping) -> tuple[str, ...]:
    """Draw the choice of the texts that stand for a missing answer."""
    if not kind.cells:
        return ()
    standing = list(proposed.get(MISSING, ()))
    chosen = st.multiselect(
        "Missing answers are written as",
        standing,
        default=standing,
        accept_new_options=True,
        key=f"{upload.keys} {kind.name} missing",
        placeholder="Type a code, such as NA or -99",
        help="Empty cells are missing in any case.",
    )
    return tuple(text for code in chosen if (text := str(code).strip()))


def mapping_of(
    seen: Sniffed,
    kind: Kind,
    form: str,
    wide: tuple[str, ...],
    names: Mapping[str, tuple[str, ...]],
    missing: tuple[str, ...],
    columns: Mapping[str, str | tuple[str, ...]],
) -> dict[str, str | tuple[str, ...]]:
    mapping: dict[str, str | tuple[str, ...]] = {} if form == "long" else {"@form": form}
    mapping["@header"] = header_switch(seen.header_rows)
    if missing:
        mapping[MISSING] = missing
    mapping |= {
        entry: names_of_entry
        for entry, names_of_entry in names.items()
        if entry.removeprefix(NAMES) not in columns
    }
    if seen.format:
        mapping["@format"] = seen.format
    mapping |= dict(seen.settings)
    if form != "long":
        mapping[kind.cells_of(form)] = wide
    if form == ENDS and "item_id" not in columns:
        mapping["item_id"] = wide  # a tuple without a name is called by its options
    return mapping | dict(columns)


def named_by_columns(kind: Kind, form: str, names: Iterable[str]) -> frozenset[str]:
    """Return the canonical columns that the columns side by side stand for."""
    named = {entry.removeprefix(NAMES) for entry in names}
    if form != "long":
        named |= {kind.forms[form], kind.cells, kind.cells_of(form)} - {""}
    return frozenset(named)


def shape_of(mapping: FileMapping) -> dict[str, tuple[str, ...]]:
    """Return the layout and the columns of a mapping, without its settings."""
    return {
        name: (source,) if isinstance(source, str) else tuple(source)
        for name, source in mapping.items()
        if not name.startswith("@") or name == "@form" or name.startswith(NAMES)
    }


def _names_of(
    kind: Kind, form: str, wide: tuple[str, ...], proposed: FileMapping
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the proposed names of the columns side by side, where the form is the proposed one."""
    columns = proposed.get(kind.cells_of(form))
    if form == "long" or form != proposed.get("@form") or not {*wide} <= {*(columns or ())}:
        return
    for entry, names in proposed.items():
        if entry.startswith(NAMES) and columns is not None:
            of = dict(zip(columns, names, strict=True))
            yield entry, tuple(of[column] for column in wide)


def files_control(
    upload: Waiting, seen: Sniffed, kind: Kind, mapping: dict[str, str | tuple[str, ...]]
) -> None:
    """Draw what each of several files stands for, proposed from their names."""
    if not seen.files:
        return
    roles = [name for name, source in mapping.items() if source in FROM_FILES and kind.column(name)]
    called = " and a ".join(map(kind.title_of, roles))
    proposed = parts_of(seen.files)
    columns_of_names = []
    with st.expander(
        f"The {len(proposed)} files" + (f": each is a {called}" if called else ""),
        expanded=bool(called) and len(proposed) <= _OPEN,
    ):
        for start in range(0, len(proposed), _ACROSS):
            for at, place in enumerate(st.columns(_ACROSS), start=start):
                if at < len(proposed):
                    with place, st.container(gap="xsmall"):
                        show_cells([seen.files[at]])
                        key = f"{upload.keys} file {at}"
                        box = st.text_input(
                            f"File {at + 1}",
                            proposed[at],
                            max_chars=60,
                            key=key,
                            label_visibility="collapsed",
                        )
                        columns_of_names.append(box.strip() or proposed[at])
    if tuple(columns_of_names) != proposed:
        mapping[FILES] = tuple(columns_of_names)


def switch_controls(
    upload: Waiting,
    seen: Sniffed,
    kind: Kind,
    guess: Proposal,
    mapping: dict[str, str | tuple[str, ...]],
    asked: DeltaGenerator,
) -> None:
    """Draw the switches whose setting changes figures; at `asked` what only the user can answer."""
    for of_format in (switch for switch in seen.switches if not switch.reshapes):
        key = f"{upload.keys} {of_format.name}"
        if of_format.asked:
            mapping[of_format.name] = _question(
                asked, of_format.label, of_format.allowed, 0, key, of_format.help
            )
        else:
            mapping[of_format.name] = st.selectbox(
                of_format.label, of_format.allowed, key=key, help=of_format.help
            )
    offered = [switch for switch in SWITCH_LABELS if switch in kind.switches]
    needs = {"@rejected": "status", "@numbers": "option_a"}
    shown = [switch for switch in offered if switch not in needs or needs[switch] in mapping]
    form = mapping.get("@form", "long")
    idle = {"@empty"} if form not in ("long", LABEL_COLUMNS) else set[str]()
    idle |= {"@separator"} if form == LABEL_COLUMNS else set()
    shown = [switch for switch in shown if switch not in idle]
    for place, switch in zip(st.columns(min(3, len(shown))) * 2, shown, strict=False):
        allowed = SWITCHES[switch]
        proposed = guess.mapping.get(switch, allowed[0])
        with place:
            chosen = st.selectbox(
                SWITCH_LABELS[switch].format(
                    Rows=kind.rows.capitalize(),
                    rows=kind.rows,
                    told=kind.repeats.told if kind.repeats else "",
                ),
                allowed,
                index=allowed.index(str(proposed)),
                key=f"{upload.keys} {kind.name} {switch}",
                help=SWITCH_HELP[switch].format(
                    key=", ".join(map(kind.title_of, kind.repeats.key)) if kind.repeats else ""
                ),
            )
        if chosen != allowed[0] or switch in guess.mapping:
            mapping[switch] = chosen


def missing(kind: Kind, mapping: FileMapping) -> list[CanonicalColumn]:
    """Return the required columns that the mapping does not name yet."""
    given = {name.removeprefix(NAMES) for name, source in mapping.items() if source}
    given.add(kind.forms.get(str(mapping.get("@form", "long")), ""))
    return [column for column in kind.columns if column.required and column.name not in given]


def lacks_numbers(kind: Kind, mapping: FileMapping) -> bool:
    """Return True where none of the further columns that the kind needs is chosen yet."""
    return kind.needs_further and all(name.startswith("@") or kind.column(name) for name in mapping)


def report(upload: Waiting, kind: Kind, mapping: FileMapping) -> ImportReport | None:
    """Return what would become of every row; None while reading is stopped."""
    return read_in_queue(
        f"report {upload.path} {kind.name} {sorted(mapping.items())!r}",
        "Reading every row",
        lambda tell: store().check(upload.path, kind.name, mapping, tell),
    )


def read_in_queue(key: str, label: str, read: Callable[[ProgressCallback], T]) -> T | None:
    """Return what reading gives, in the queue of uploads; a failure stays until it is asked for again."""
    failed: dict[str, DataError] = st.session_state.setdefault(_FAILED, {})
    again = f"again {label}"
    if key in failed and not st.session_state.get(again):
        st.button(AGAIN, key=again)
        raise failed[key]
    failed.pop(key, None)

    def reading(tell: Callable[..., None]) -> T:
        return read(lambda done, doing: tell(done, f"{label}: {doing}" if doing else label))

    try:
        return long_result(key, label, reading, upload_queue, owner=workspace.current_workspace() or "")
    except DataError as error:
        if not isinstance(error, (CannotOpen, StorageUnavailable, SpoolFull)):
            failed[key] = error
            st.button(AGAIN, key=again)
        raise


def form_options(kind: Kind) -> dict[str, str]:
    """Return the layouts that a table of a kind can have, by their labels."""
    measure = "measure" if kind.column("measure") else "question"
    return {FORMS[form].format(row=kind.row, measure=measure): form for form in ("long", *kind.forms)}


def _form(upload: Waiting, kind: Kind, proposed: FileMapping, asked: DeltaGenerator) -> str:
    """Draw the choice of the layout, as a question where columns stand side by side."""
    forms = form_options(kind)
    standing = list(forms.values()).index(str(proposed.get("@form", "long")))
    key = f"{upload.keys} {kind.name} form"
    label = "Layout of the table"
    if standing and len(kind.forms) > 1:
        return forms[_question(asked, label, list(forms), standing, key)]
    return forms[st.selectbox(label, list(forms), index=standing, key=key)]


def _question(
    asked: DeltaGenerator,
    label: str,
    options: Sequence[str],
    proposed: int,
    key: str,
    help: str | None = None,
) -> str:
    with asked:
        return st.segmented_control(
            label, list(options), default=options[proposed], required=True, key=key, help=help
        )
