"""Start: what this is for in one example, and the ways in."""

import streamlit as st

from features.notices import PURPOSE
from ui.data.samples import show_samples
from ui.screens import start
from ui.words import note, say

say(*PURPOSE)
start.show_ways_in()
left, right = st.columns([3, 2], gap="large")
with left:
    start.show_picture()
with right:
    note("Or open a synthetic sample:")
    show_samples()
