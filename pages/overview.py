"""Overview: the open data set at a glance, and each page's finding with a small picture."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from features.blocks import NEVER_CHECKED, looks_wrong
from features.notices import NOBODY_LEFT, comparison_title, holding_of, size, who_is_left_out
from features.overview.section import (
    Tile,
    answering_cards,
    cards_of,
    correlation_tile,
    counts_table,
    overview_program,
    rating_tiles,
)
from features.relevance.controls import choose_full_text
from features.results import query
from ui.elements import look, note, say, warn
from ui.render import doubts, how_computed, render_card, show_code, show_table, was_checked
from ui.visit.filters import scenario
from ui.visit.study import study

RESERVED = 450
"""Pixels of a card whose finding and figure are not computed yet."""
NOT_ENOUGH = "Not enough data yet: "
"""Before the titles of pages whose answer needs more data."""


def places_of_tiles() -> list[DeltaGenerator]:
    """Return places of four tiles, on a phone two in a row."""
    if not look().narrow:
        return list(st.columns(4))
    rows = [st.container(horizontal=True, wrap=False) for _ in range(2)]
    return [row.container() for row in rows for _ in range(2)]


def show_tile(tile: Tile, place: DeltaGenerator) -> None:
    """Show a figure with its interval and its measure."""
    with place.container(border=True, height="stretch"):
        say(*tile.told)


opened = study()
say(*size(opened, query(opened.dataset, "overview")))
if scenario().excludes and scenario().applied:
    warn(*who_is_left_out(scenario()))
if doubts():
    warn(*looks_wrong(doubts()))
if not (was_checked() or opened.synthetic):
    note(*NEVER_CHECKED)
full_text = choose_full_text(opened) if opened.dataset.kind == "relevance" else ""
tiles = rating_tiles(opened)
tile_places = places_of_tiles() if tiles else []
for tile, place in zip(tiles, tile_places, strict=False):
    show_tile(tile, place)
comparison = comparison_title(holding_of(opened.whole))
grid = st.container()
number, slow, missing = 0, [], []
for card in answering_cards(cards_of(opened, scenario(), comparison, full_text)):
    if not card.can_answer:
        missing.append(card)
        continue
    if number % 2 == 0:
        columns = grid.columns(2, gap="medium")
    place = columns[number % 2].container(border=True, height="stretch")
    place.page_link(card.page, label=f"**{card.title}**", query_params={"d": opened.key})
    number += 1
    if card.is_slow:
        slow.append((card, place.empty()))
        slow[-1][1].container(height=RESERVED, border=False)
    else:
        with place:
            render_card(f"overview {card.name}", card.blocks())
if not number:
    say(*NOBODY_LEFT)
if missing:
    with st.container(horizontal=True, gap="small"):
        for card in missing:
            label = f"{NOT_ENOUGH}{card.title}"
            st.page_link(card.page, label=label, query_params={"d": opened.key}, width="content")
if number and (counts := counts_table(opened)) is not None:
    heading, alt, table = counts
    st.header(heading)
    show_table(*table, alt=alt, most=11)
for card, place in slow:
    with place.container():
        render_card(f"overview {card.name}", card.blocks())
if tiles and (correlation := correlation_tile(opened)) is not None:
    show_tile(correlation, tile_places[3])
if doubts():
    how_computed(lambda: None)
show_code(partial(overview_program, opened))
