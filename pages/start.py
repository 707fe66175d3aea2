"""Start: what this is for in three sentences and a picture, and the ways in."""

import streamlit as st

from features.notices import PURPOSE
from ui.screens import start
from ui.words import say

left, right = st.columns([2, 3], gap="large")
with left:
    for sentence in PURPOSE:
        say(*sentence)
    start.show_ways_in()
with right:
    start.show_picture()
