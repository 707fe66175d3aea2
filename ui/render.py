"""Draw the blocks of a section with Streamlit: findings, figures, tables and notes, then the folds of the page."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.dataset import Dataset
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    Method,
    Note,
    Progress,
    Table,
    Warning,
    block_key,
)
from features.program import RUNS
from features.results import key_of, result
from features.verdicts import HOW_DOUBTED, add_doubts, sentence_of
from features.words import plain
from ui.downloads import downloads
from ui.pictures import clicked, draw, look, on_click
from ui.store import store
from ui.tables import show_table
from ui.words import note, say_headline, warn

DETAILS = "Details are in docs/computation.md, coverage in simulated studies in docs/calibration.md."
_DOUBTS = "doubts about the open data set"
LONGEST_PROGRAM = 100_000
"""Characters of the program that a page shows; usual ones have a few thousand."""


def remember_doubts(dataset: Dataset) -> None:
    """Has all findings of this run carry what looked wrong with the data set when it was imported."""
    st.session_state[_DOUBTS] = result(key_of(dataset, "doubts"), lambda: (store().doubts(dataset.id),))[0]


def doubts() -> tuple[str, ...]:
    """Return what looks wrong with the open data set."""
    remembered: tuple[str, ...] | None = st.session_state.get(_DOUBTS)
    return remembered or ()


def was_checked() -> bool:
    """Return True where the import of the open data set looked for what might be wrong."""
    return st.session_state.get(_DOUBTS) is not None


def show_finding(finding: Finding, of_open_data: bool = True) -> None:
    """Show a finding, with the doubts about the open data set where it concludes something from it."""
    finding = add_doubts(finding, doubts()) if of_open_data and finding.is_of_data else finding
    with st.container():  # one element for a place that holds one
        say_headline(sentence_of(finding), finding.status.grade, finding.is_main)
        if finding.evidence[0]:
            note(*finding.evidence)
        for warning in finding.warnings:
            warn(*warning)
        if finding.next_step is not None:
            step = finding.next_step
            parameters = {"d": st.session_state["d"], **step.parameters}
            st.page_link(
                step.page, label=step.label, icon=":material/arrow_forward:", query_params=parameters
            )


def how_computed(write: Callable[[], object]) -> None:
    """The fold at the foot of a page with formula, source and caveats; `write` is ours, never data."""
    fold = st.expander("How this is computed", on_change="rerun", key="how_computed")
    if fold.open:
        with fold:
            write()
            st.caption(DETAILS)
            if doubts():
                st.markdown(HOW_DOUBTED)


def show_code(write: Callable[[], str]) -> None:
    """The fold with the lines of Python that compute this view's numbers."""
    fold = st.expander("Show code", on_change="rerun", key="show_code")
    if fold.open:
        with fold:
            program = write()
            if len(program) > LONGEST_PROGRAM:
                note(
                    "The names in this program are too long for a page. The report of this data set has its numbers."
                )
                return
            note(RUNS)
            st.code(program, language="python", wrap_lines=True)


ROWS_AT_FIRST_SIGHT = 12
Clicked = Mapping[str, Callable[[Any], None]]
"""By a figure's name, what is called with the `customdata` of a point that was clicked."""
Chosen = Mapping[str, Callable[[Any], None]]
"""By a figure's or table's name, what draws below it for a chosen point, by `customdata`, or row, by its place."""
Ticked = Mapping[str, Callable[[pd.DataFrame], None]]
"""By a table's name, what draws below it for the rows that are ticked, all at once."""
_Key = tuple[type, str]
_Actions = tuple[Clicked, Chosen, Ticked]
_Where = tuple[DeltaGenerator | None, Mapping[str, DeltaGenerator]]


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
    conclude(
        page, draw_section(page, blocks, finding=finding, clicked=clicked, chosen=chosen, ticked=ticked), code
    )


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
    return _draw_stages(page, blocks, (finding, places or {}), (clicked or {}, chosen or {}, ticked or {}))


def conclude(page: str, drawn: Sequence[Block], code: Callable[[], str] | None = None) -> None:
    """Draw the folds of a page, whose sections hold these blocks."""
    tables = [
        ((block.frame, block.formats), plain(block.caption)) for block in drawn if isinstance(block, Table)
    ]
    figures = {block.name: block for block in drawn if isinstance(block, Figure)}
    methods = [block for block in drawn if isinstance(block, Method)]
    if methods:
        how_computed(lambda: [st.markdown(block.details or plain(block.text)) for block in methods])
    if tables or figures:
        downloads(
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
    """Draw the blocks of a card of the overview, without folds."""
    last = {block_key(block): block for block in blocks}
    for block in last.values():
        _draw(block, st.empty(), f"{page} card", ({}, {}, {}))


def _draw_stages(page: str, blocks: Iterable[Block], where: _Where, actions: _Actions) -> list[Block]:
    """Draw what comes before long work, then the rest; return what was drawn last."""
    places: dict[_Key, DeltaGenerator] = {}
    last: dict[_Key, Block] = {}
    for number, (stage, is_last) in enumerate(_stages(blocks)):
        for key, block in stage.items():
            if key not in places:
                places[key] = _place_of(key, places, where).empty()
            _draw(block, places[key], page if is_last else f"{page} draft {number}", actions)
        last |= stage
    return list(last.values())


def _place_of(key: _Key, places: Collection[_Key], where: _Where) -> DeltaGenerator:
    """Return the container of a block that is drawn for the first time."""
    (kind, name), (finding, named) = key, where
    if name in named and kind in (Finding, Figure, Table):
        return named[name]
    comes_first = kind is Finding and all(before is Finding for before, _ in places)
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


def _draw(block: Block, place: DeltaGenerator, page: str, actions: _Actions) -> None:
    match block:
        case Finding():
            with place.container():
                show_finding(block)
        case Heading():
            place.header(block.text)
        case Figure():
            _draw_figure(block, place, page, actions)
        case Table():
            with place.container():
                _draw_table(block, page, actions)
        case Note():
            with place.container():
                note(*block.text)
        case Warning():
            with place.container():
                warn(*block.text)


def _draw_figure(block: Figure, place: DeltaGenerator, page: str, actions: _Actions) -> None:
    on_clicks, chosen, _ = actions
    figure = block.draw(look())
    if figure is None:
        return
    key, alt = f"{page} {block.name}", block.alt or plain(block.caption)
    if block.name in on_clicks or (block.name in chosen and block.hint):
        with place.container():
            if block.name in on_clicks:
                on_click(st, figure, on_clicks[block.name], key=key, alt=alt)
                points = []
            else:
                points = clicked(st, figure, key=key, alt=alt)
            if block.hint:
                note(block.hint)
            for point in points:
                chosen[block.name](point)
    else:
        draw(place, figure, key=key, alt=alt)


def _draw_table(block: Table, page: str, actions: _Actions) -> None:
    choose, tick = actions[1].get(block.name), actions[2].get(block.name)
    fold: AbstractContextManager[object] = nullcontext()
    if block.fold:
        expander = st.expander(block.fold, on_change="rerun", key=f"{page} fold of {block.name}")
        if not expander.open:
            return
        fold = expander
    with fold:
        rows = show_table(
            block.frame,
            block.formats,
            alt=plain(block.caption),
            most=ROWS_AT_FIRST_SIGHT,
            key=None if choose is None and tick is None else f"{page} {block.name}",
            first=block.columns_at_first_sight,
        )
        if choose is not None:
            for row in rows:
                choose(row)
        if tick is not None and rows:
            tick(block.frame.iloc[rows])


def _drawing(figure: Figure) -> Callable[[], dict[str, Any]]:
    return lambda: figure.draw(look()) or {}


def _columns_at_first_sight(blocks: Iterable[Block]) -> list[str]:
    tables = [block for block in blocks if isinstance(block, Table)]
    return list(dict.fromkeys(column for table in tables for column in table.columns_at_first_sight))
