"""The least a Streamlit script can do for one step of a slider: draw the page's own main figure from numbers that are
ready. `benchmarks.steps.beside_bare` writes them and runs this beside the app."""

import os
import pickle
from pathlib import Path

import streamlit as st

from features.plotting.panels import PreparedFigure


@st.cache_resource
def load_figures() -> dict:
    return pickle.loads(Path(os.environ["RATERSCOPE_BENCHMARK_FIGURES"]).read_bytes())


shown = load_figures()
seed = int(st.query_params["seed"])
st.set_page_config(layout="wide")
st.title(shown["title"])
place = st.slider(shown["label"], shown["least"], shown["most"], shown["first"])
st.plotly_chart(
    PreparedFigure(shown["figures"][seed, place]), theme=None, config=shown["config"], key="figure"
)
