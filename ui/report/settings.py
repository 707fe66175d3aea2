"""What a report is to hold: its title, what stands below it, and which sections."""

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from features.results import NO_REFERENCE
from features.study import Study
from report.chosen import NAMED, offered
from report.parts.asked import Asked
from ui.sampling_controls import draws_control, seed_control

LONGEST_NOTES = 2000


def settings(study: Study) -> Asked:
    """Draws the controls and returns what they say; groups, reference, measures and raters are those of the sidebar."""
    # whatever the reference is now: what is not offered is no longer chosen, but stays in the address
    titles = [NAMED[name] for name in offered(study, with_any_reference=True)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input(
            "Title", key="report_title", bind="query-params", placeholder=study.whole.name, max_chars=200
        )
        chosen = st.multiselect(
            "Sections", titles, key="report_sections", bind="query-params", placeholder="All sections"
        )
        with st.popover("More"):
            draws = draws_control(
                "report_draws", help="At most so many; intervals of knees rest on 100 at the most."
            )
            seed = seed_control("report_seed")
    notes = st.text_area(
        "Notes below the title",
        key="report_notes",
        bind="query-params",
        max_chars=LONGEST_NOTES,
        height=80,
        placeholder="None",
    )
    return Asked(
        reference=study.reference or study.reference_column or NO_REFERENCE if study.groups else None,
        measures=study.measures if study.measures != study.all_measures else (),
        sections=tuple(name for name in offered(study, with_any_reference=True) if NAMED[name] in chosen),
        without=study.dataset.without,
        title=title or "",
        notes=notes or "",
        draws=None if draws == BootstrapSpec().draws else draws,
        seed=seed,
        merge=study.merge or "mean",
    )
