"""A table that can be read in two ways: one question, and a card for each way."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from data.kinds.definitions import kind_named
from data.mapping.proposal import Proposal
from data.tables.sniffed import Sniffed
from features.importing.reading import reading_sentences
from features.plotting.numbers import count
from features.words import Sentence
from ui.data import upload
from ui.data.upload import Waiting
from ui.words import note, say, small_table

SHOWN = 3
"""Ratings that a card shows."""


def choose(waiting: Waiting, seen: Sniffed, guess: Proposal) -> tuple[Waiting, Proposal] | None:
    """Ask which reading is right; return the one chosen, with controls of its own, or None before that."""
    assert guess.reading is not None
    assert guess.other is not None
    ways = (guess, upload.other_proposal(waiting, seen, guess.other))
    sentences = reading_sentences(guess.reading, guess.other)
    place = f"{waiting.keys} {guess.kind} {seen.header_rows} way"
    chosen: int | None = st.session_state.get(place)
    if chosen is not None:
        _tell(place, sentences, chosen)
        return replace(waiting, way=chosen), ways[chosen]
    say("<b>This table can be read in two ways. Which one is right?</b>")
    for at, column in enumerate(st.columns(2, gap="medium")):
        with column, st.container(border=True, height="stretch"):
            _card(waiting, seen, ways[at], sentences[at], place, at)
    if seen.rows > seen.looked_at:
        note("Counted in the first {rows} rows.", rows=count(seen.looked_at))
    return None


def _card(waiting: Waiting, seen: Sniffed, way: Proposal, sentence: Sentence, place: str, at: int) -> None:
    """A way to read the table: who rated what, its first ratings, and the button that takes it."""
    kind = kind_named(way.kind)
    say(f"<b>{sentence[0]}</b>", sentence[1])
    first = upload.first_ratings(waiting, seen, kind, way.mapping)
    if first is not None:
        label = f"First {kind.rows} of way {at + 1}"
        small_table([kind.title_of(name) for name in first.columns], first.rows[:SHOWN], label)
    st.button(
        "This is right",
        key=f"{place} {at}",
        on_click=st.session_state.__setitem__,
        args=(place, at),
    )


def _tell(place: str, sentences: Sequence[Sentence], chosen: int) -> None:
    """Say what the reading that was not chosen is, with the button that takes it instead."""
    template, values = sentences[1 - chosen]
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            note(f"The other reading: {template}", values)
        st.button(
            "Use the other reading",
            type="tertiary",
            on_click=st.session_state.__setitem__,
            args=(place, 1 - chosen),
        )
