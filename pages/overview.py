"""Overview: the open data set at a glance, and each page's finding with a small picture."""

from functools import partial

import streamlit as st

from features.blocks import doubts_in_words
from features.notices import NOBODY_LEFT, comparison_title, holding_of, size
from features.overview.section import (
    answering_cards,
    cards_of,
    correlation_tile,
    overview_program,
    rating_tiles,
)
from features.relevance.controls import choose_full_text
from features.study import query
from ui.elements import show_sentence, show_warning
from ui.render import doubts, show_code, show_method
from ui.screens.overview import render_cards, show_tile, show_tiles
from ui.visit.filters import scenario
from ui.visit.study import study

opened = study()
show_sentence(*size(opened, query(opened.dataset, "overview")))
if doubts():
    show_warning(*doubts_in_words(doubts()))
full_text = choose_full_text(opened) if opened.dataset.kind == "relevance" else ""
tiles = rating_tiles(opened)
last_tile = show_tiles(tiles, opened.comparable) if tiles else None
cards = cards_of(opened, scenario(), comparison_title(holding_of(opened.whole)), full_text)
if not cards:
    show_sentence(*NOBODY_LEFT)
missing, finish = render_cards(answering_cards(cards), opened.key)
if missing:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown("Not enough data yet for", width="content")
        for card in missing:
            st.page_link(card.page, label=card.title, query_params={"d": opened.key}, width="content")
finish()
if last_tile is not None and (correlation := correlation_tile(opened)) is not None:
    show_tile(correlation, last_tile)
if doubts():
    show_method(lambda: None)
show_code(partial(overview_program, opened))
