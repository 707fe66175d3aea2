"""The least a Streamlit script can do when one assessor is toggled: draw the page's own slope chart from numbers
that are ready. `benchmarks.steps.toggle` writes the figures and runs this beside the app."""

import os
import pickle
from pathlib import Path

import streamlit as st

from features.plotting.panels import PreparedFigure


@st.cache_resource
def load_figures() -> dict:
    return pickle.loads(Path(os.environ["RATERSCOPE_BENCHMARK_FIGURES"]).read_bytes())


figures, config, assessors = (load_figures()[name] for name in ("figures", "config", "assessors"))
st.set_page_config(layout="wide")
with st.sidebar:
    chosen = st.multiselect("Exclude raters", assessors)
st.title("Assessors")
if chosen:
    st.plotly_chart(PreparedFigure(figures[tuple(sorted(chosen))]), theme=None, config=config, key="slopes")
