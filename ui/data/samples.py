"""Cards of the samples: a picture, the question that each answers, and its size."""

import streamlit as st

from data.kinds.definitions import KINDS
from data.samples import SAMPLES, Sample
from features.results import query
from features.words import of_many
from ui import thumbnails
from ui.store import store
from ui.visit.study import show_dataset
from ui.words import note

THUMBNAILS = (
    thumbnails.curve(),
    thumbnails.dots(),
    thumbnails.bars(),
    thumbnails.shares(),
    thumbnails.times(),
)


def show_samples() -> None:
    """Draw a card for each sample that is a study."""
    for sample, picture in zip((each for each in SAMPLES if each.question), THUMBNAILS, strict=True):
        with st.container(border=True, horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
            st.image(picture, width=thumbnails.WIDTH, alt="")
            with st.container(gap=None):
                if st.button(sample.question, key=f"open {sample.key}", type="tertiary"):
                    open_study(sample.key)
                note("{size}", size=_size_of(sample))


def open_study(key: str) -> None:
    """Show a data set from its overview on."""
    show_dataset(key)
    st.switch_page("overview.py", query_params={"d": key})


def _size_of(sample: Sample) -> str:
    dataset = store().by_key(sample.key)
    assert dataset is not None
    kind, counts = KINDS[sample.kind], query(dataset, "overview")
    rows = of_many(counts["rows"][0], kind.rows)
    return f"{rows} by {of_many(counts['raters'][0], kind.raters)}" if dataset.raters_are_persons else rows
