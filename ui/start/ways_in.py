"""The ways in from the first screen: one's own file, what was open before, and a sample of each kind of study."""

import streamlit as st

from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from ui.data.start import open_study


def show() -> None:
    """Upload first, then what was open, then the samples."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Upload a file", type="primary", icon=":material/upload:"):
            st.switch_page("datasets.py")
        if "d" in st.session_state and st.button("Go on with what was open"):
            st.switch_page("overview.py", query_params={"d": st.session_state["d"]})
    st.header("Or open a synthetic sample")
    with st.container(gap=None):
        for sample in (each for each in SAMPLES if KINDS[each.kind].study):
            if st.button(
                sample.name.removesuffix(" (synthetic)"),  # two lines would stand centred
                key=f"open {sample.key}",
                type="tertiary",
                icon=":material/arrow_forward:",
            ):
                open_study(sample.key)
