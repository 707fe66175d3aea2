"""The least a Streamlit script can do for one step of the group size: draw the page's own picture from numbers that
are ready. `benchmarks.partition_slider` writes the figures and runs this beside the app."""

import os
import pickle
from pathlib import Path

import streamlit as st


@st.cache_resource
def ready() -> dict:
    return pickle.loads(Path(os.environ["RATERSCOPE_BENCHMARK_FIGURES"]).read_bytes())


figures, config = ready()["figures"], ready()["config"]
seed = int(st.query_params["seed"])
st.set_page_config(layout="wide")
st.title("Relevance")
size = st.slider("Documents per group", 1, 8, 1)
st.plotly_chart(figures[seed, size], theme=None, config=config, key="partitions")
