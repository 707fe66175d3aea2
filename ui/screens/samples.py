"""Samples as cards, and the start page's example and ways in."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from data.kinds.definitions import KINDS
from data.samples import SAMPLES, Sample
from features.blocks import Finding
from features.notices import OF_THE_SAMPLE
from features.repetitions.ratings_section import ratings_card
from features.study import Study, query, usual_roles
from features.words import of_many
from ui.elements import show_note, store
from ui.render import begin_run, render_card
from ui.visit.study import show_dataset

BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#8A8F98"
WIDTH, HEIGHT = 72, 48


def curve() -> str:
    """Return a rising curve with its knee."""
    drawn = f'<path d="M6 40 C14 18 22 12 66 9" fill="none" stroke="{BLUE}" stroke-width="2.5"/>'
    return _picture(drawn + f'<line x1="24" y1="44" x2="24" y2="18" stroke="{GREY}" stroke-dasharray="3 3"/>')


def dots() -> str:
    """Return raters as dots with intervals, one of them low."""
    rows = ((10, 44, 62, BLUE), (20, 40, 60, BLUE), (30, 38, 58, BLUE), (40, 8, 26, ORANGE))
    return _picture(_whiskers(rows))


def bars() -> str:
    """Return the votes for two systems."""
    drawn = f'<rect x="6" y="10" width="46" height="11" rx="2" fill="{BLUE}"/>'
    return _picture(drawn + f'<rect x="6" y="27" width="22" height="11" rx="2" fill="{ORANGE}"/>')


def shares() -> str:
    """Return shares of answers found, author by author."""
    cells = (
        f'<rect x="{12 + 16 * across}" y="{4 + 14 * down}" width="14" height="12" fill="{BLUE}" '
        f'fill-opacity="{1 if across == down else 0.25 + 0.1 * ((across + 2 * down) % 4)}"/>'
        for down in range(3)
        for across in range(3)
    )
    return _picture("".join(cells))


def times() -> str:
    """Return the accuracy of short texts against a line for full texts."""
    line = f'<line x1="56" y1="5" x2="56" y2="43" stroke="{GREY}" stroke-dasharray="3 3"/>'
    return _picture(line + _whiskers(((14, 20, 40, ORANGE), (32, 40, 60, BLUE))))


def steps() -> str:
    """Return places from the best to the worst, two of them equal."""
    heights = ((6, 36, BLUE), (21, 24, ORANGE), (36, 24, ORANGE), (51, 10, GREY))
    return _picture(
        "".join(
            f'<rect x="{x}" y="{43 - tall}" width="13" height="{tall}" rx="2" fill="{color}"/>'
            for x, tall, color in heights
        )
    )


def sets() -> str:
    """Return labels that raters chose, a row each."""
    chosen = ((0, 2), (0, 2), (2,))
    return _picture(
        "".join(
            f'<rect x="{8 + 20 * across}" y="{5 + 14 * down}" width="16" height="10" rx="5" fill="{BLUE}" '
            f'fill-opacity="{1 if across in row else 0.2}"/>'
            for down, row in enumerate(chosen)
            for across in range(3)
        )
    )


def votes() -> str:
    """Return how many votes each grade has."""
    return _picture(
        "".join(
            f'<rect x="{8 + 12 * at}" y="{43 - tall}" width="9" height="{tall}" fill="{BLUE}"/>'
            for at, tall in enumerate((4, 10, 22, 36, 20))
        )
    )


def _whiskers(rows: Iterable[tuple[int, int, int, str]]) -> str:
    return "".join(
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{color}" stroke-width="2"/>'
        f'<circle cx="{(low + high) / 2}" cy="{y}" r="3.5" fill="{color}"/>'
        for y, low, high, color in rows
    )


def _picture(drawn: str) -> str:
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawn}</svg>'


THUMBNAILS = (
    curve(),
    dots(),
    bars(),
    shares(),
    times(),
    steps(),
    sets(),
    votes(),
)


def show_samples() -> None:
    """Draw a card for each sample that is a study."""
    for sample, picture in zip((each for each in SAMPLES if each.question), THUMBNAILS, strict=True):
        with st.container(border=True, horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
            st.image(picture, width=WIDTH, alt="")
            with st.container(gap=None):
                if st.button(sample.question, key=f"open {sample.key}", type="tertiary"):
                    open_study(sample.key)
                show_note("{size}", size=_size_of(sample))


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


def show_picture() -> None:
    """Draw the finding and the ratings needed by each measure."""
    sample = SAMPLES[0]
    dataset = store().by_key(sample.key)
    assert dataset is not None
    begin_run(dataset)
    cells = query(dataset, "cells")
    groups = tuple(dict.fromkeys(cells["group"].tolist()))
    measures = tuple(dict.fromkeys(cells["measure"].tolist()))
    candidate, reference = usual_roles(groups)
    show_note(*OF_THE_SAMPLE, name=sample.name)
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
