"""Overview: the open data set at a glance, and each page's finding with a small picture."""

from functools import partial

import streamlit as st

from features.notices import NOBODY_LEFT, SYNTHETIC, comparison_title, holding_of, size
from features.overview.section import cards_of, counts_table, overview_program
from features.relevance.controls import choose_full_text
from features.results import query
from features.verdicts import NEVER_CHECKED, looks_wrong
from ui.render import doubts, how_computed, render_card, show_code, was_checked
from ui.tables import show_table
from ui.visit.scenario import scenario
from ui.visit.study import study
from ui.words import note, say, warn

opened = study()
say(*size(opened, query(opened.dataset, "overview")))
if doubts():
    warn(*looks_wrong(doubts()))
if not (was_checked() or opened.synthetic):
    note(*NEVER_CHECKED)
if opened.synthetic:
    note(*SYNTHETIC)
full_text = choose_full_text(opened) if opened.dataset.kind == "relevance" else ""
cards = cards_of(opened, scenario(), comparison_title(holding_of(opened.whole)), full_text)
if not cards:
    say(*NOBODY_LEFT)
places = []
for at in range(0, len(cards), 2):
    for card, column in zip(cards[at : at + 2], st.columns(2, gap="large"), strict=False):
        column.header(card.title)
        places.append((card, column))
if cards and (counts := counts_table(opened)) is not None:
    heading, alt, shown = counts
    st.header(heading)
    show_table(*shown, alt=alt, most=11)
for card, place in sorted(places, key=lambda one: one[0].is_slow):
    with place:
        render_card(f"overview {card.name}", card.blocks())
if doubts():
    how_computed(lambda: None)
show_code(partial(overview_program, opened))
