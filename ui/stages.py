"""The stages in which every panel appears: the quick figures, what takes longer, and below it tables, remarks and
what can be taken away.

What may come and go stands in a container that is always made, here and wherever controls follow below: a row of bound
controls that moves loses its tie to the address (tests/pages/test_places.py).
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import pandas as pd
import streamlit as st

from analysis.values.estimate import BootstrapSpec
from features.plotting.figure import Figure
from features.results import OnProgress as OnProgress
from features.results import at_once as at_once
from features.results import with_intervals as with_intervals
from features.results import with_intervals_if_kept
from features.study import Study
from features.words import Sentence
from ui.conclusions import how_computed
from ui.downloads import Table, downloads
from ui.tables import show_table
from ui.words import note, warn

T = TypeVar("T")


def show_stages(
    closed: T,
    show: Callable[[T, str], None],
    *later: tuple[str, Callable[[T], T | None]],
    first: str = "closed",
) -> T:
    """Show the closed figures, then each later stage; return what was shown last.

    `show` gets a result and the name of its stage, for the keys of what it draws. A later stage gets what was shown
    before it and gives None while its computation is stopped. What is `first` shown has another name where it is all
    there is.
    """
    latest = closed
    with st.container():
        show(closed, first)
        for stage, compute in later:
            better = compute(latest)
            if better is None:
                break
            latest = better
            show(latest, stage)
    return latest


def show_intervals(
    study: Study,
    label: str,
    compute: Callable[[BootstrapSpec, OnProgress | None], T],
    bootstrap: BootstrapSpec,
    show: Callable[[T, str], None],
    *parts: object,
) -> T:
    """Shows figures at once, and with their intervals when these are drawn; what was shown last. Intervals that were
    drawn before are shown at once, so that the picture is drawn once.

    `parts` is all that the figures depend on but the data set; `label` names them in the cache and stands at the
    progress line.
    """
    known: T | None = with_intervals_if_kept(study, label, bootstrap, *parts)
    if known is not None:
        return show_stages(known, show, first="with intervals")
    return show_stages(
        at_once(study, label, compute, *parts),
        show,
        ("with intervals", lambda _: with_intervals(study, label, compute, bootstrap, *parts)),
    )


def conclude(
    name: str,
    tables: Sequence[Table],
    *,
    most: int = 20,
    first: Sequence[str] = (),
    notes: Sequence[Sentence] = (),
    below: Sequence[Sentence] = (),
    remarks: Sequence[Sentence] = (),
    shown_above: Sequence[Table] = (),
    told_above: Sequence[Sentence] = (),
    download: Callable[[], pd.DataFrame] | None = None,
    figure: Callable[[], Figure] | None = None,
    explanation: Callable[[], object] | None = None,
) -> None:
    """The foot of a panel: notes, tables with their words for who cannot see them, notes below them, remarks,
    explanation, downloads.

    Of a table `most` rows are seen at once, and the columns `first` until all are asked for. What is taken away are
    the tables `shown_above` and these, with what is `told_above` and here as their notes; `download` is the first with
    all there is to know.
    """
    told = [*told_above, *notes, *below, *remarks]
    with st.container():
        for sentence in notes:
            note(*sentence)
        for at, ((rows, written), alt) in enumerate(tables):
            full = download if at == 0 and not shown_above else None
            show_table(rows, written, alt=alt, most=most, first=first, notes=told, full=full)
        for sentence in below:
            note(*sentence)
        for sentence in remarks:
            warn(*sentence)
        if explanation is not None:
            how_computed(explanation)
        downloads(name, [*shown_above, *tables], figure, full=download, first=first, notes=told)
