"""Start: what this is for in three sentences and a picture, and the ways in."""

import streamlit as st

from features.notices import PURPOSE
from ui.start import picture, ways_in
from ui.words import say

left, right = st.columns([2, 3], gap="large")
with left:
    for sentence in PURPOSE:
        say(*sentence)
    ways_in.show()
with right:
    picture.show()
