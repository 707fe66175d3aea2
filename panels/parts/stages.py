"""The stages in which every panel appears: the quick figures, what takes longer, and below it tables, remarks and
what can be taken away."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pandas as pd

from findings.tables import Shown
from findings.words import Sentence
from panels.parts.downloads import downloads
from panels.parts.pictures import let_it_be_drawn
from panels.parts.tables import show_table
from panels.parts.words import how_computed, note, warn

T = TypeVar("T")


def show_stages(
    picture: str, closed: T, show: Callable[[T, str], None], *later: tuple[str, Callable[[T], T | None]]
) -> T:
    """Shows the closed figures, lets the browser draw them, then shows each later stage; what was shown last.

    `show` gets a result and the name of its stage, for the keys of what it draws. A later stage gets what was shown
    before it and gives None while its computation is stopped. `picture` names what is drawn: the same is waited for
    once.
    """
    show(closed, "closed")
    let_it_be_drawn(picture)
    latest = closed
    for stage, compute in later:
        better = compute(latest)
        if better is None:
            break
        latest = better
        show(latest, stage)
    return latest


def conclude(
    name: str,
    tables: Sequence[tuple[Shown, str]],
    *,
    notes: Iterable[Sentence] = (),
    remarks: Iterable[Sentence] = (),
    download: Callable[[], pd.DataFrame] | None = None,
    figure: Callable[[], dict[str, Any]] | None = None,
    explanation: Callable[[], object] | None = None,
) -> None:
    """The foot of a panel: notes, tables with their words for who cannot see them, remarks, explanation, downloads."""
    for sentence in notes:
        note(*sentence)
    for (rows, written), alt in tables:
        show_table(rows, written, alt=alt)
    for sentence in remarks:
        warn(*sentence)
    if explanation is not None:
        how_computed(explanation)
    downloads(name, download or (lambda: tables[0][0][0]), figure)
