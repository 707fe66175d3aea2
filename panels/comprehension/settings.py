"""The controls that all panels on comprehension share: which authors are machines, and how intervals are drawn."""

from dataclasses import dataclass

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from features.study import Study
from findings.comprehension import answers
from ui.sampling_controls import draws_control, seed_control


@dataclass(frozen=True)
class Settings:
    """Codes of the authors that are machines, and how intervals are drawn."""

    machines: tuple[int, ...]
    bootstrap: BootstrapSpec


def settings(study: Study, machines_in_front: bool = False) -> Settings:
    """The rarely used controls; which authors are machines is asked where the file does not say it."""
    in_the_file = answers.machines(study)
    if machines_in_front and not in_the_file:
        chosen = _machines(study)
    with st.popover("More"):
        draws = draws_control("comprehension_draws", fewest=0)
        seed = seed_control("comprehension_seed")
        if not in_the_file and not machines_in_front:
            chosen = _machines(study)
    return Settings(in_the_file or chosen, BootstrapSpec(draws, seed))


def _machines(study: Study) -> tuple[int, ...]:
    """The authors of summaries that the visitor says are machines."""
    names = answers.names(study, "author").tolist()
    chosen = st.multiselect(
        "Which authors are machines",
        [names[code] for code in answers.answers(study).writers],
        format_func=distinct_label,
        key="machines",
        bind="query-params",
        placeholder="None",
        width=320,
        help="Their summaries are held against those by people, and stay out of the level that people share. In the "
        "file: a column author_kind that says machine.",
    )
    return tuple(at for at, name in enumerate(names) if name in chosen)
