"""The start page: an example, the ways in, and the samples."""

from dataclasses import replace

import streamlit as st

from data.kinds.definitions import KINDS
from data.samples import SAMPLES, Sample
from features.blocks import Finding
from features.notices import OF_THE_SAMPLE
from features.repetitions.ratings_section import ratings_card
from features.results import query
from features.study import Study, usual_roles
from features.words import of_many
from ui import thumbnails
from ui.data.steps import open_study
from ui.render import remember_doubts, render_card
from ui.store import store
from ui.words import note

THUMBNAILS = (
    thumbnails.curve(),
    thumbnails.dots(),
    thumbnails.bars(),
    thumbnails.shares(),
    thumbnails.times(),
)


def show_picture() -> None:
    """Draw the finding and the ratings needed by each measure."""
    sample = SAMPLES[0]
    dataset = store().by_key(sample.key)
    assert dataset is not None
    remember_doubts(dataset)
    cells = query(dataset, "cells")
    groups = tuple(dict.fromkeys(cells["group"].tolist()))
    measures = tuple(dict.fromkeys(cells["measure"].tolist()))
    candidate, reference = usual_roles(groups)
    note(*OF_THE_SAMPLE, name=sample.name)
    study = Study(
        key=sample.key,
        whole=dataset,
        dataset=dataset,
        groups=groups,
        all_measures=measures,
        candidate=groups[candidate],
        reference=groups[reference],
        reference_column=None,
        measures=measures,
    )
    blocks = [
        replace(one, next_step=None) if isinstance(one, Finding) else one for one in ratings_card(study)
    ]
    render_card("start", blocks)


def show_ways_in() -> None:
    """Draw the buttons for one's own file and for what was open."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Upload a file", type="primary", icon=":material/upload:"):
            st.switch_page("datasets.py")
        if "d" in st.session_state and st.button("Continue with the last data set"):
            st.switch_page("overview.py", query_params={"d": st.session_state["d"]})


def show_samples() -> None:
    """Draw a card for each sample: a picture, the question that it answers, and its size."""
    note("Or open a synthetic sample:")
    for sample, picture in zip((each for each in SAMPLES if each.question), THUMBNAILS, strict=True):
        with st.container(border=True, horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
            st.image(picture, width=thumbnails.WIDTH)
            with st.container(gap=None):
                if st.button(sample.question, key=f"open {sample.key}", type="tertiary"):
                    open_study(sample.key)
                note("{size}", size=_size_of(sample))


def _size_of(sample: Sample) -> str:
    dataset = store().by_key(sample.key)
    assert dataset is not None
    kind, counts = KINDS[sample.kind], query(dataset, "overview")
    rows = of_many(counts["rows"][0], kind.rows)
    return f"{rows} by {of_many(counts['raters'][0], kind.raters)}" if dataset.raters_are_persons else rows
