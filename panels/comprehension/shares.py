"""How much is shared: what of one author's questions others' summaries answer, by author and by type of story."""

from dataclasses import replace
from functools import partial

import streamlit as st

from analysis.comprehension.answer_shares import Types, by_story_type
from analysis.comprehension.story_types import largest_types
from charts.comprehension.answer_bars import Part, Row, answer_bars
from features.study import Study
from findings.code import comprehension as program
from findings.comprehension import answers, story_types
from findings.comprehension.shared import LABEL, bars, shares_of
from findings.comprehension.shares import Shared, authors_table, finding_of, notes, overall_table, remarks
from panels.comprehension.settings import Settings, settings
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude, show_intervals
from ui.tables import show_table
from ui.words import note, warn

ALT = "Shares of relevant, partially relevant, irrelevant and not found, by summary and question author"
MOST_TYPES = 12
"""Types of stories that are compared; of more, those with most stories."""


def show(study: Study) -> None:
    """Finding, bars by both authors, tables, what was set aside, types of stories."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        toggle = st.empty()
        chosen = settings(study)
        with_machines = bool(chosen.machines) and toggle.toggle(
            "Count machine summaries",
            key="count_machines",
            bind="query-params",
            help="The level that people share leaves machines' summaries out unless you count them.",
        )
    picture = st.empty()

    def draw_shares(shared: Shared, stage: str) -> None:
        shared = replace(shared, with_machines=with_machines)
        with finding:
            show_finding(finding_of(shared))
        draw(picture, bars(shared, look()), key=f"comprehension shares {stage}", alt=ALT)

    shared = show_intervals(
        study,
        LABEL,
        partial(shares_of, study, chosen.machines),
        chosen.bootstrap,
        draw_shares,
        chosen.machines,
    )
    shared = replace(shared, with_machines=with_machines)
    for sentence in notes(shared):
        note(*sentence)
    for sentence in remarks(shared):
        warn(*sentence)
    st.header("Overall")
    show_table(*overall_table(shared.shown.overall), alt="Overall shares")
    st.header("By author")
    conclude(
        "comprehension",
        [(authors_table(shared), "Shares by summary author and by question author, with intervals")],
        figure=lambda: bars(shared, look()),
    )
    typed = _show_types(study, chosen, with_machines)
    left_out = () if with_machines else chosen.machines
    show_code(lambda: program.shares(study, chosen.bootstrap, left_out, MOST_TYPES, typed))


def _show_types(study: Study, chosen: Settings, with_machines: bool) -> bool:
    """The level by type of story; whether the file has several."""
    given = answers.answers(study)
    if not with_machines:
        given = given.among_people(chosen.machines)
    of_stories = largest_types(answers.story_types(study), MOST_TYPES)
    if of_stories.there < 2 or not len(given):
        return False
    types = of_stories.names.tolist()
    st.header("By type of story")
    finding, picture = st.empty(), st.empty()

    def draw_types(by_type: Types, stage: str) -> None:
        with finding:
            show_finding(story_types.finding_of(by_type, types))
        rows = [Row(name, by_type.levels.of(at)) for at, name in enumerate(types)]
        draw(
            picture,
            answer_bars([Part("", rows)], look()),
            key=f"comprehension types {stage}",
            alt="Shares of the four answers by type of story",
        )

    by_type = show_intervals(
        study,
        "Intervals by type of story",
        partial(by_story_type, given, of_stories.of_story),
        chosen.bootstrap,
        draw_types,
        chosen.machines,
        with_machines,
    )
    for sentence in story_types.notes(by_type, types, of_stories.there):
        note(*sentence)
    show_table(*story_types.types_table(by_type, types), alt="Shares by type of story, with intervals")
    differences = story_types.differences_table(by_type, types)
    conclude("comprehension_types", [(differences, "Differences between types of stories, with intervals")])
    return True


EXPLANATION = r"""
Each summary is asked the questions that *other* authors set on the same story. A judge says whether the answer found
in it is relevant (**R**: it means what the question's author expected), partially relevant (**P**), irrelevant (**I**:
an answer, but another one), or not found (**N**).

**Level.** R, and R + P, are what summaries share; N is what one author found important and the others left out: the
paper's measure of how subjective the choice is (47 %, 61 % and 35 % there). With several judges a share is the mean of
the judges' shares.

**By summary author** (Figure 2a): how much each author's summaries answer. **By question author** (Figure 2b): how
much of each author's questions is answered; a high share may come from general questions (*What is being discussed?*).

**Intervals** rest on how much the shares vary when stories are drawn with replacement, 1,000 times, with Student's t
for so many stories, on angles (the arcsine of the root): the questions of a story are not independent, so there is no
binomial interval. They hold for these authors and judges. Above 5,000 stories they come from the delta method.

**Own questions** are set aside and counted. **Machines** have no own part in the level that people share unless you
count them.

**Types of story**: the difference has Welch's degrees of freedom; types are different stories, so other
things may differ.

Source: Kolluru and Gotoh 2005, sections 4 and 5, Figures 2a and 2b; Anscombe 1948 (angles).
"""
