"""Start: what this is for in one example, and the ways in."""

import streamlit as st

from features.notices import PURPOSE
from ui.elements import show_note, show_sentence
from ui.screens import samples
from ui.screens.samples import show_samples

show_sentence(*PURPOSE)
samples.show_ways_in()
left, right = st.columns([3, 2], gap="large")
with left:
    samples.show_picture()
with right:
    show_note("Or open a synthetic sample:")
    show_samples()
