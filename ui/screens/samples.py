"""Samples as cards, and the start page's example and ways in."""

from dataclasses import replace

import streamlit as st

from data.kinds.definitions import KINDS
from data.samples import SAMPLES, Sample
from features import study
from features.blocks import Finding
from features.notices import OF_THE_SAMPLE
from features.repetitions.ratings_section import ratings_card
from features.study import query
from features.words import of_many
from ui.elements import show_note, store
from ui.render import begin_run, render_card
from ui.visit.study import show_dataset

BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#8A8F98"
WIDTH, HEIGHT = 72, 48


Bar = tuple[float, float, float, float, str, float]
"""Left end, top, width, height, color and opacity."""


def _bars(*bars: Bar) -> str:
    return "".join(
        f'<rect x="{x}" y="{y}" width="{wide}" height="{tall}" rx="2" fill="{color}" fill-opacity="{opacity}"/>'
        for x, y, wide, tall, color, opacity in bars
    )


def _whiskers(*rows: tuple[int, int, int, str]) -> str:
    return "".join(
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{color}" stroke-width="2"/>'
        f'<circle cx="{(low + high) / 2}" cy="{y}" r="3.5" fill="{color}"/>'
        for y, low, high, color in rows
    )


def _dashes(x: int, top: int, foot: int) -> str:
    return f'<line x1="{x}" y1="{foot}" x2="{x}" y2="{top}" stroke="{GREY}" stroke-dasharray="3 3"/>'


_CURVE = f'<path d="M6 40 C14 18 22 12 66 9" fill="none" stroke="{BLUE}" stroke-width="2.5"/>'
_FOUND = [(x, y, 1.0 if x == y else 0.25 + 0.1 * ((x + 2 * y) % 4)) for y in range(3) for x in range(3)]
_PLACES = ((36, BLUE), (24, ORANGE), (24, ORANGE), (10, GREY))
_CHOSEN = ((1.0, 0.2, 1.0), (1.0, 0.2, 1.0), (0.2, 0.2, 1.0))
PICTURES = {
    "a rising curve with its knee": _CURVE + _dashes(24, 18, 44),
    "raters with intervals, one of them low": _whiskers(
        (10, 44, 62, BLUE), (20, 40, 60, BLUE), (30, 38, 58, BLUE), (40, 8, 26, ORANGE)
    ),
    "votes for two systems": _bars((6, 10, 46, 11, BLUE, 1), (6, 27, 22, 11, ORANGE, 1)),
    "shares of answers found, author by author": _bars(
        *((12 + 16 * x, 4 + 14 * y, 14, 12, BLUE, shade) for x, y, shade in _FOUND)
    ),
    "accuracy of short texts against full texts": _dashes(56, 5, 43)
    + _whiskers((14, 20, 40, ORANGE), (32, 40, 60, BLUE)),
    "places from the best to the worst, two of them equal": _bars(
        *((6 + 15 * at, 43 - tall, 13, tall, color, 1) for at, (tall, color) in enumerate(_PLACES))
    ),
    "labels that raters chose, a row each": _bars(
        *((8 + 20 * x, 5 + 14 * y, 16, 10, BLUE, _CHOSEN[y][x]) for y in range(3) for x in range(3))
    ),
    "votes per grade": _bars(
        *((8 + 12 * at, 43 - tall, 9, tall, BLUE, 1) for at, tall in enumerate((4, 10, 22, 36, 20)))
    ),
}
"""Small pictures of the samples, in their order."""


def show_samples() -> None:
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    for sample, drawn in zip((each for each in SAMPLES if each.question), PICTURES.values(), strict=True):
        picture = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawn}</svg>'
        with st.container(border=True, horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
            st.image(picture, width=WIDTH, alt="")
            with st.container(gap=None):
                if st.button(sample.question, key=f"open {sample.key}", type="tertiary"):
                    open_study(sample.key)
                show_note("{size}", size=_size_of(sample))


def open_study(key: str) -> None:
    show_dataset(key)
    st.switch_page("overview.py", query_params={"d": key})


def _size_of(sample: Sample) -> str:
    dataset = store().by_key(sample.key)
    assert dataset is not None
    kind, counts = KINDS[sample.kind], query(dataset, "overview")
    rows = of_many(counts["rows"][0], kind.rows)
    return f"{rows} by {of_many(counts['raters'][0], kind.raters)}" if dataset.raters_are_persons else rows


def show_picture() -> None:
    """Draw the finding and the ratings needed by each measure."""
    sample = SAMPLES[0]
    dataset = store().by_key(sample.key)
    assert dataset is not None
    begin_run(dataset)
    show_note(*OF_THE_SAMPLE, name=sample.name)
    blocks = ratings_card(study.open_study(dataset, key=sample.key))
    render_card(
        "start", [replace(one, next_step=None) if isinstance(one, Finding) else one for one in blocks]
    )


def show_ways_in() -> None:
    """Draw the buttons for one's own file and for what was open."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Upload a file", type="primary", icon=":material/upload:"):
            st.switch_page("datasets.py")
        if "d" in st.session_state and st.button("Continue with the last data set"):
            st.switch_page("overview.py", query_params={"d": st.session_state["d"]})
