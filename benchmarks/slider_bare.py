"""The least a Streamlit script can do for one step of the shuffles slider: draw the page's own main figure
from numbers that are ready. `benchmarks.slider` writes the figures and runs this beside the app."""

import os
import pickle
from pathlib import Path

import streamlit as st


@st.cache_resource
def ready() -> dict:
    return pickle.loads(Path(os.environ["RATERSCOPE_BENCHMARK_FIGURES"]).read_bytes())


figures, config = ready()["figures"], ready()["config"]
st.set_page_config(layout="wide")
st.title("Repetitions")
shuffles = st.slider("Shuffles", 1, 1000, min(figures))
st.plotly_chart(figures[shuffles], theme=None, config=config, key="curves")
