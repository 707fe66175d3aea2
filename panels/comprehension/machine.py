"""Machine summaries: how much of what people ask they answer, as a share of what people's summaries answer."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from analysis.comprehension.machine_summaries import MachineLevel, machine_levels
from charts.comprehension.answer_bars import Part, Row, answer_bars
from charts.comprehension.estimate_dots import estimate_dots
from features.plotting.figure import Figure
from features.study import Study
from findings.code import comprehension as program
from findings.comprehension import answers
from findings.comprehension.machine import (
    NO_MACHINE,
    NOBODY_ELSE,
    NOTE,
    finding_of,
    machines_table,
    remarks,
)
from panels.comprehension.settings import settings
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude, show_intervals
from ui.words import say


def show(study: Study) -> None:
    """Finding, each machine beside people, table; without a machine, how to say who is one."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = settings(study, machines_in_front=True)
    names = answers.names(study, "author").tolist()
    given = answers.answers(study)
    if not chosen.machines or len(chosen.machines) == len(given.writers):
        with finding:
            say(*(NOBODY_ELSE if chosen.machines else NO_MACHINE))
        return
    ratios, bars = st.empty(), st.empty()

    def draw_levels(levels: Mapping[int, MachineLevel], stage: str) -> None:
        with finding:
            show_finding(finding_of(levels, names))
        if sum(level.ratio.defined for level in levels.values()) > 1:
            draw(
                ratios,
                _ratio_dots(levels, names),
                key=f"comprehension machine ratios {stage}",
                alt="Each machine's R + P as a share of the human level, with intervals",
            )
        draw(
            bars,
            _bars(levels, names),
            key=f"comprehension machines {stage}",
            alt="Shares of the four answers of each machine and of people on the same questions",
        )

    levels = show_intervals(
        study,
        "Intervals of the machines",
        partial(machine_levels, given, chosen.machines),
        chosen.bootstrap,
        draw_levels,
        chosen.machines,
    )
    conclude(
        "machine_summaries",
        [(machines_table(levels, names), "Machines beside people")],
        notes=[NOTE],
        remarks=remarks(levels, names),
        figure=lambda: _bars(levels, names),
    )
    show_code(lambda: program.machine(study, chosen.bootstrap, chosen.machines))


def _bars(levels: Mapping[int, MachineLevel], names: Sequence[str]) -> Figure:
    several = len(levels) > 1
    parts = [
        Part(
            names[code] if several else "",
            [Row("machine" if several else names[code], level.machine), Row("people", level.people)],
        )
        for code, level in levels.items()
    ]
    return answer_bars(parts, look())


def _ratio_dots(levels: Mapping[int, MachineLevel], names: Sequence[str]) -> Figure:
    rows = [(names[code], level.ratio) for code, level in levels.items()]
    rows = sorted(rows, key=lambda row: -row[1].value if row[1].defined else 0)
    return estimate_dots(
        rows, "R + P, share of the human level", look(), (1.0, "the human level"), shares=True
    )


EXPLANATION = r"""
People's summaries of a story share some 61 % of what each finds important (in the paper), so a machine is not to be
measured against 100 % but against that: its **share of the human level** is its R + P divided by that of people's
summaries on the same questions.

A question counts where one judge judged it both for the machine's summary and for one or more by people; several
people's answers to it are averaged, so that each question counts once on both sides. Both levels are means over the
judges.

**Intervals** rest on draws of stories, machine and people together, so that what makes a story hard cancels, with
Student's t. A ratio of 100 % or
more within the interval means that the machine cannot be told from people by this test: it asks for content only, not
for grammar or style.

Source: Kolluru and Gotoh 2005, section 6.
"""
