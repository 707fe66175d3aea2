"""The least a Streamlit script can do for one step of the slider 'Drop the least reliable': draw the page's own
picture from numbers that are ready. `benchmarks.drop_slider` writes the figures and runs this beside the app."""

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
st.title("Workers")
dropped = st.slider("Drop the least reliable", 0, 9, 0)
st.plotly_chart(figures[seed, dropped], theme=None, config=config, key="preference")
