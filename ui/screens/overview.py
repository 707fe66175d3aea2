"""Tiles and cards of the overview, each drawn when it is ready."""

from collections.abc import Callable, Iterable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from features.overview.section import Card, Tile
from ui.elements import current_look, show_sentence
from ui.render import render_card

RESERVED = 450
"""Pixels of a card's finding and figure until they are computed."""


def show_tiles(tiles: Sequence[Tile], more: bool) -> DeltaGenerator:
    """Show three tiles, on a phone two in a row, and return the place of a fourth, a frame if there will be `more`."""
    if current_look().narrow:
        rows = [st.container(horizontal=True, wrap=False) for _ in range(2)]
        places = [row.container(height="stretch") for row in rows for _ in range(2)]
    else:
        places = list(st.columns(4))
    for tile, place in zip(tiles, places, strict=False):
        show_tile(tile, place)
    last = places[-1].empty()
    if more:
        last.container(border=True, height="stretch")
    return last


def show_tile(tile: Tile, place: DeltaGenerator) -> None:
    """Show a figure with its interval and its measure."""
    with place.container(border=True, height="stretch"):
        show_sentence(*tile.told)


def render_cards(cards: Iterable[Card], key: str) -> tuple[list[Card], Callable[[], None]]:
    """Draw each card of the overview when it is ready, two in a row, with the place of each slow one.

    Returns the cards that cannot answer, and what draws the slow ones; `key` opens the data set on their pages.
    """
    grid, columns, missing, slow = st.container(), list[DeltaGenerator](), list[Card](), []
    for card in cards:
        if not card.can_answer:
            missing.append(card)
            continue
        columns = columns or list(grid.columns(2, gap="medium"))
        place = columns.pop(0).container(border=True, height="stretch")
        place.page_link(card.page, label=f"**{card.title}**", query_params={"d": key})
        if card.is_slow:
            slow.append((card, place.empty()))
            slow[-1][1].container(height=RESERVED, border=False)
        else:
            with place:
                render_card(f"overview {card.name}", card.blocks())

    def finish() -> None:
        for card, place in slow:
            with place.container():
                render_card(f"overview {card.name}", card.blocks())

    return missing, finish
