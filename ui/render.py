"""Draw the blocks of a section with Streamlit: findings, figures, tables and notes, then the folds of the page."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count as count_from
from itertools import cycle
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitDuplicateElementKey

from analysis.values.estimate import LONGEST_SHOWN, distinct_label, shorten
from data.dataset import Dataset
from features.blocks import (
    HOW_DOUBTED,
    Block,
    Figure,
    Finding,
    Heading,
    Method,
    Note,
    Progress,
    Table,
    Warning,
    add_doubts,
    block_key,
    sentence_of,
)
from features.plotting.panels import revision
from features.plotting.theme import UNDEFINED, count
from features.program import RUNS, section_program
from features.study import Scenario, Study, key_of, result, use_session
from features.words import DASH, WHY, Shown, Written, cells, explained, in_head, plain, why_dashes
from server.run_queue import open_visits
from ui.downloads import (
    ALL_COLUMNS,
    place_for_files,
    show_downloads,
    show_table_files,
    shows_all_columns,
    visible_columns,
)
from ui.elements import (
    LONGEST_ALT,
    PAGE,
    clicked_data,
    current_look,
    show_figure,
    show_headline,
    show_note,
    show_terms,
    show_warning,
    store,
    use_look,
)

_ROW = 33
_LETTER, _EDGES = 7, 24
"""Pixels that a letter takes in a cell, and what stands beside them."""
_MEASURED_ROWS, _SPARE = 10, 2
"""Rows by which a browser measures a column, and letters more for which there is room."""
MOST_ROWS = 2000
"""Rows that a page shows; a browser is slow with more, and nobody reads them. Downloads have all."""
LONGEST_KEPT = 10_000
"""Characters of a cell that a visit keeps for the table's files: it lasts minutes longer than its page."""
MOST_CELLS = 250_000
"""Cells that a page shows: pandas formats up to 262,144 of a table (`styler.render.max_elements`)."""


def show_table(
    table: pd.DataFrame,
    written: Mapping[str, Written],
    alt: str,
    most: int = 20,
    key: str | None = None,
    first: Sequence[str] = (),
) -> list[int]:
    """Show a table whose columns named in `written` are written so, and return the places of ticked rows.

    `most` rows are seen at once, the rest scrolls. With a `key` rows can be ticked. Where `first` names columns, the
    others appear on a click. A button below gives the table as shown, and unrounded.
    """
    if not len(table):
        return []
    table, written, first = _with_short_heads(_cut(table, LONGEST_KEPT), written, first)
    table = table.replace(UNDEFINED, DASH)
    with st.container(gap="xsmall"):
        columns = visible_columns((table, written), first)
        seen = table if columns is None else table[columns]
        most_rows = min(MOST_ROWS, MOST_CELLS // max(len(seen.columns), 1))
        if len(table) > most_rows:
            st.caption(f"The first {count(most_rows)} of {count(len(table))} rows; the download has all.")
        ticked = _shown(seen.head(most_rows), written, alt, most, key)
        with ExitStack() as row:
            if 0 < sum(column in table for column in first) < len(table.columns.drop(WHY, errors="ignore")):
                row.enter_context(st.container(horizontal=True, gap="small", vertical_alignment="center"))
                show_columns_button(len(table.columns))
            files, named = place_for_files(alt, "content")
            with files:
                _columns_and_files(named, (table, written), seen.columns, alt, first)
        for sentence in why_dashes((table, written), [str(column) for column in seen]):
            show_note(*sentence)
        return ticked


def _with_short_heads(
    table: pd.DataFrame, written: Mapping[str, Written], first: Sequence[str]
) -> tuple[pd.DataFrame, Mapping[str, Written], Sequence[str]]:
    """Shorten the names of columns, which may be those of raters or labels."""
    if all(len(str(column)) <= LONGEST_SHOWN for column in table):
        return table, written, first
    return (
        table.rename(columns=distinct_label),
        {distinct_label(name): write for name, write in written.items()},
        [distinct_label(name) for name in first],
    )


@st.fragment
@use_session(PAGE)
def _columns_and_files(
    named: str, shown: Shown, seen: Iterable[object], alt: str, first: Sequence[str]
) -> None:
    """Draw a popover with terms and files, which is filled once it is open."""
    popover = st.popover("Columns and files", type="tertiary", key=f"open {named}", on_change="rerun")
    if popover.open:
        with popover:
            with st.container(gap="xsmall"):
                show_table_files(shown, alt, named, first)
            show_terms(list(dict.fromkeys(term for column in seen for term in in_head(str(column)))))


def show_columns_button(of: int | None = None) -> bool:
    """Draw a button that shows all columns of the page's tables, or the few again; return True where all are shown."""
    whole = shows_all_columns()
    label = "Fewer columns" if whole else "All columns" if of is None else f"All {of} columns"
    for number in count_from(1):  # a page may have several such tables, or the same in each of its stages
        with suppress(StreamlitDuplicateElementKey):
            st.button(label, type="tertiary", key=f"{ALL_COLUMNS} {number}", on_click=_toggle_all_columns)
            break
    return whole


def _toggle_all_columns() -> None:
    if ALL_COLUMNS in st.query_params:
        del st.query_params[ALL_COLUMNS]
    else:
        st.query_params[ALL_COLUMNS] = "true"


def _shown(
    table: pd.DataFrame, written: Mapping[str, Written], alt: str, most: int, key: str | None
) -> list[int]:
    texts = {str(column): _texts(table[column], written.get(str(column))) for column in table}
    widths = {column: _width(written.get(column), column, shown) for column, shown in texts.items()}
    show = partial(
        st.dataframe,
        styled(_cut(table), texts),
        hide_index=True,
        row_height=_ROW,
        height=min(len(table) + 1, most) * _ROW + 2,
        width="stretch",
        column_config={
            str(column): st.column_config.Column(
                help=explained(str(column)) or None,
                width=widths[str(column)],
            )
            for column in table
            if explained(str(column)) or widths[str(column)]
        },
        placeholder=DASH,
        alt=shorten(alt, LONGEST_ALT),
    )
    if key is None:
        show()
        return []
    ticked: Any = show(key=key, on_select="rerun", selection_mode="multi-row")
    return list(ticked["selection"]["rows"])


def _cut(table: pd.DataFrame, width: int = LONGEST_SHOWN) -> pd.DataFrame:
    names = {
        str(column): [shorten(value, width) if isinstance(value, str) else value for value in values]
        for column, values in table.select_dtypes(["object", "string"]).items()
        if any(isinstance(value, str) and len(value) > width for value in values)
    }
    return table.assign(**names) if names else table


def styled(table: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> Styler:
    """Return the table with the text of each of its cells, by which `st.dataframe` shows but does not sort it.

    pandas formats the cells of a column in order, once each. A random `uuid` would have an equal table drawn again.
    """
    styler = Styler(table.reset_index(drop=True), uuid="raterscope")
    in_order = {column: cycle(texts[str(column)]) for column in table}
    return styler.format({column: _next_of(cells_left) for column, cells_left in in_order.items()})


def _next_of(texts: Iterator[str]) -> Callable[[object], str]:
    return lambda _: next(texts)


def _texts(column: "pd.Series[Any]", write: Written | None) -> list[str]:
    """Return the texts of the cells, also of booleans, which a browser would show as tick boxes."""
    return [str(value) for value in column] if column.dtype == bool else cells(column, write)


def _width(written: Written | None, head: str, texts: Sequence[str]) -> int | None:
    """Return the width of a column in pixels from its texts, since a browser would measure its numbers.

    It measures texts, too, but those of the first rows only, and none that is much longer than the others.
    """
    lengths = [len(text) for text in texts]
    longest = max(lengths, default=0)
    if written is None or callable(written):
        first = lengths[:_MEASURED_ROWS]
        usual = [length for length in first if length * len(first) < 2 * sum(first)]
        measured = max([len(head), *usual])
        return _EDGES + _LETTER * longest if longest > measured + _SPARE else None
    return _EDGES + _LETTER * max(longest, len(head))


DETAILS = "Details are in docs/computation.md, coverage in simulated studies in docs/calibration.md."
_DOUBTS = "doubts about the open data set"
LONGEST_PROGRAM = 100_000
"""Characters of the program that a page shows; usual ones have a few thousand."""


def begin_run(dataset: Dataset) -> None:
    """Load the import's doubts about the data set, which all findings of this run carry, and allow its pause."""
    st.session_state[_MAY_PAUSE] = True
    st.session_state[_DOUBTS] = result(key_of(dataset, "doubts"), lambda: (store().doubts(dataset.id),))[0]


def doubts() -> tuple[str, ...]:
    remembered: tuple[str, ...] | None = st.session_state.get(_DOUBTS)
    return remembered or ()


def show_finding(finding: Finding, of_open_data: bool = True) -> None:
    """Show a finding, with the doubts about the open data set where it concludes something from it."""
    finding = add_doubts(finding, doubts()) if of_open_data and finding.is_of_data else finding
    with st.container():  # one element for a place that holds one
        show_headline(sentence_of(finding), finding.status.grade, finding.is_main)
        if finding.evidence[0]:
            show_note(*finding.evidence)
        for warning in finding.warnings:
            show_warning(*warning)
        if finding.next_step is not None:
            step = finding.next_step
            parameters = {"d": st.session_state["d"], **step.parameters}
            st.page_link(
                step.page, label=step.label, icon=":material/arrow_forward:", query_params=parameters
            )


def show_method(write: Callable[[], object]) -> None:
    """Draw the fold with formula, source and caveats; `write` writes our own text, never data."""
    fold = st.expander("How this is computed", on_change="rerun", key="how_computed")
    if fold.open:
        with fold:
            write()
            st.caption(DETAILS)
            if doubts():
                st.markdown(HOW_DOUBTED)


def show_code(write: Callable[[], str]) -> None:
    fold = st.expander("Show code", on_change="rerun", key="show_code")
    if fold.open:
        with fold:
            program = write()
            if len(program) > LONGEST_PROGRAM:
                show_note(
                    "The names in this program are too long for a page. The report of this data set has its numbers."
                )
                return
            show_note(RUNS)
            st.code(program, language="python", wrap_lines=True)


ROWS_AT_FIRST_SIGHT = 12
PAUSE = 0.2
"""Seconds for which a run stops sending after a figure that has changed: the browser draws it before it reads more."""
MOST_VISITS_WITH_PAUSE = 5
"""Open pages up to which runs pause, since a run that pauses keeps others waiting."""
_MAY_PAUSE, _SHOWN = "this run may pause", "figures that were shown"
HEIGHT_ON_CARD = 330
"""Pixels of a figure on a card of the overview, at most."""
Clicked = Mapping[str, Callable[[Any], None]]
"""By a figure's name, what is called with the `customdata` of a point that was clicked."""
Chosen = Mapping[str, Callable[[Any], None]]
"""By a figure's or table's name, what draws below it for a chosen point, by `customdata`, or row, by its place."""
Ticked = Mapping[str, Callable[[pd.DataFrame], None]]
"""By a table's name, what draws below it for the rows that are ticked, all at once."""
_Key = tuple[type, str]


@dataclass
class _Drawing:
    """A section that is being drawn: its page, its actions, and the keys of each figure, the last of which stands.

    `draft` tells apart what a visitor can act on and is drawn again by a later stage.
    """

    page: str
    clicked: Clicked = field(default_factory=dict)
    chosen: Chosen = field(default_factory=dict)
    ticked: Ticked = field(default_factory=dict)
    figures: dict[str, list[str]] = field(default_factory=dict)
    draft: str = ""

    @property
    def stage(self) -> str:
        """Beginning of the keys of what is drawn in this stage."""
        return self.page + self.draft


def render(
    page: str,
    blocks: Iterable[Block],
    *,
    finding: DeltaGenerator | None = None,
    clicked: Clicked | None = None,
    chosen: Chosen | None = None,
    ticked: Ticked | None = None,
    code: Callable[[], str] | None = None,
) -> None:
    """Draw a section of a page, and below it its folds: how it is computed, downloads, code.

    Parameters
    ----------
    page : name of the section, for the keys of its elements and the names of its files
    blocks : the section; a block of the same name replaces one that was drawn before it
    finding : place of the findings that come first, above the controls
    clicked : what a click on a figure calls before the page runs again, by the figure's name
    chosen : what is drawn below a figure or table in which something was chosen, by its name
    ticked : what is drawn below a table for its ticked rows, by its name
    code : writes the program of "Show code"
    """
    show_folds(
        page, draw_section(page, blocks, finding=finding, clicked=clicked, chosen=chosen, ticked=ticked), code
    )


def render_section(
    page: str,
    section: Callable[..., Iterable[Block]],
    study: Study,
    spec: object,
    *,
    scenario: Scenario | None = None,
    in_program: bool = False,
    has_code: bool = True,
    **drawn: Any,
) -> None:
    """Render what a section yields for a study and a spec, with the program that computes it.

    Sections that speak of excluded raters get the `scenario`; so does what computes their results, if `in_program`.
    `drawn` are further arguments of `render`.
    """
    blocks = section(study, spec) if scenario is None else section(study, scenario, spec)
    code = partial(section_program, section, study, spec, scenario if in_program else None)
    render(page, blocks, code=code if has_code else None, **drawn)


def draw_section(
    page: str,
    blocks: Iterable[Block],
    *,
    finding: DeltaGenerator | None = None,
    places: Mapping[str, DeltaGenerator] | None = None,
    clicked: Clicked | None = None,
    chosen: Chosen | None = None,
    ticked: Ticked | None = None,
) -> list[Block]:
    """Draw one of a page's sections without folds, and return its blocks for `conclude`.

    `places` are where blocks of a name are drawn, such as above controls that stand between them; others as `render`.
    """
    drawn: dict[_Key, DeltaGenerator] = {}
    last: dict[_Key, Block] = {}
    drawing = _Drawing(page, clicked or {}, chosen or {}, ticked or {})
    for number, (stage, is_last) in enumerate(_stages(blocks)):
        drawing.draft = "" if is_last else f" draft {number}"
        for key, block in stage.items():
            if key not in drawn:
                drawn[key] = _place_of(key, drawn, finding, places or {}).empty()
            _draw(block, drawn[key], drawing)
        last |= stage
    return list(last.values())


def show_folds(page: str, drawn: Sequence[Block], code: Callable[[], str] | None = None) -> None:
    """Draw the folds of a page, whose sections hold these blocks."""
    tables = [
        ((block.frame, block.formats), plain(block.caption)) for block in drawn if isinstance(block, Table)
    ]
    figures = {block.name: block for block in drawn if isinstance(block, Figure)}
    methods = [block for block in drawn if isinstance(block, Method)]
    if methods:
        show_method(lambda: [st.markdown(block.details or plain(block.text)) for block in methods])
    if tables or figures:
        show_downloads(
            page,
            tables,
            {name: _drawing(figure) for name, figure in figures.items()},
            first=_columns_at_first_sight(drawn),
            notes=[block.text for block in drawn if isinstance(block, Note | Warning)],
            methods=[plain(method.text) for method in methods],
        )
    if code is not None:
        show_code(code)


def render_card(page: str, blocks: Iterable[Block]) -> None:
    """Draw the blocks of a card of the overview, without folds, its figures small."""
    with use_look(replace(current_look(), on_card=True)):
        last = {block_key(block): block for block in blocks}
        for block in last.values():
            _draw(block, st.empty(), _Drawing(f"{page} card"))


def _place_of(
    key: _Key,
    drawn: Collection[_Key],
    finding: DeltaGenerator | None,
    places: Mapping[str, DeltaGenerator],
) -> DeltaGenerator:
    """Return the container of a block that is drawn for the first time."""
    kind, name = key
    if name in places and kind in (Finding, Figure, Table):
        return places[name]
    comes_first = kind is Finding and all(before is Finding for before, _ in drawn)
    return finding if finding is not None and comes_first else st  # type: ignore[return-value]  # draws alike


def _stages(blocks: Iterable[Block]) -> Iterator[tuple[dict[_Key, Block], bool]]:
    """Yield the blocks before each piece of long work, by kind and name, and whether no work follows."""
    stage: dict[_Key, Block] = {}
    for block in blocks:
        if isinstance(block, Progress):
            yield stage, False
            stage = {}
        else:
            stage[block_key(block)] = block
    yield stage, True


def _draw(block: Block, place: DeltaGenerator, drawing: _Drawing) -> None:
    match block:
        case Finding():
            with place:
                show_finding(block)
        case Heading():
            place.header(block.text)
        case Figure():
            _draw_figure(block, place, drawing)
        case Table():
            with place.container():
                _draw_table(block, drawing)
        case Note():
            with place:
                show_note(*block.text)
        case Warning():
            with place:
                show_warning(*block.text)


def _draw_figure(block: Figure, place: DeltaGenerator, drawing: _Drawing) -> None:
    """Draw a figure where another one or none stands: a browser takes a tenth of a second to draw the same again.

    What it shows is part of its key, by which a browser knows it again in the next run, too.
    """
    on_clicks, chosen = drawing.clicked, drawing.chosen
    figure = block.draw(current_look())
    if figure is None:
        return
    if current_look().on_card:
        figure["layout"]["height"] = min(figure["layout"].get("height", HEIGHT_ON_CARD), HEIGHT_ON_CARD)
    alt = plain(block.caption)
    name, now = f"{drawing.page} {block.name}", f"{revision((figure, alt)):08x}"
    if block.name in on_clicks or (block.name in chosen and block.hint):
        key = f"{drawing.stage} {block.name}"
        on_click = on_clicks.get(block.name)
        with place.container():
            then = "rerun" if on_click is None else partial(_call_with_clicked, on_click, key)
            event = show_figure(st, figure, key=key, alt=alt, on_select=then, selection_mode="points")
            if block.hint:
                show_note(block.hint)
            _pause_if_changed(name, now)
            for point in clicked_data(event) if on_click is None else ():
                chosen[block.name](point)
        return
    key = f"{name} {now}"
    keys = drawing.figures.setdefault(block.name, [])
    if keys[-1:] != [key]:
        show_figure(place, figure, key=f"{key} {len(keys)}" if key in keys else key, alt=alt)
        keys.append(key)
        _pause_if_changed(name, now)


def _pause_if_changed(name: str, now: str) -> None:
    """Pause once a run after a figure that has changed since the last run, so that the browser draws it at once."""
    shown = st.session_state.setdefault(_SHOWN, {})
    has_changed, shown[name] = shown.get(name, now) != now, now
    if has_changed and st.session_state.get(_MAY_PAUSE) and 1 <= open_visits() <= MOST_VISITS_WITH_PAUSE:
        st.session_state[_MAY_PAUSE] = False
        time.sleep(PAUSE)


def _call_with_clicked(on_click: Callable[[Any], None], key: str) -> None:
    """Call with the `customdata` of the point that was clicked, before the page runs again."""
    for point in clicked_data(st.session_state[key])[:1]:
        on_click(point)


def _draw_table(block: Table, drawing: _Drawing) -> None:
    choose, tick = drawing.chosen.get(block.name), drawing.ticked.get(block.name)
    fold: AbstractContextManager[object] = nullcontext()
    if block.fold:
        expander = st.expander(block.fold, on_change="rerun", key=f"{drawing.stage} fold of {block.name}")
        if not expander.open:
            return
        fold = expander
    with fold:
        rows = show_table(
            block.frame,
            block.formats,
            alt=plain(block.caption),
            most=ROWS_AT_FIRST_SIGHT,
            key=None if choose is None and tick is None else f"{drawing.stage} {block.name}",
            first=block.columns_at_first_sight,
        )
        if choose is not None:
            for row in rows:
                choose(row)
        if tick is not None and rows:
            tick(block.frame.iloc[rows])


def _drawing(figure: Figure) -> Callable[[], dict[str, Any]]:
    return lambda: figure.draw(current_look()) or {}


def _columns_at_first_sight(blocks: Iterable[Block]) -> list[str]:
    tables = [block for block in blocks if isinstance(block, Table)]
    return list(dict.fromkeys(column for table in tables for column in table.columns_at_first_sight))
