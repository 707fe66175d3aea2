"""The scale with style taken out: who comes first among outputs of equal length."""

from collections.abc import Sequence

import streamlit as st

from analysis.systems.paired_votes import PairedVotes
from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from charts.systems.scale import Axis, scale_dots
from features.study import Study
from findings.systems import style as findings
from findings.systems.one_scale import plain_intervals_of, style_of
from ui.conclusions import show_finding
from ui.pictures import draw, look
from ui.stages import conclude
from ui.words import note


def show(
    study: Study, designs: Sequence[str], paired: PairedVotes, spec: BootstrapSpec, on: Axis
) -> tuple[str, ...]:
    """What is to be taken out, of what is told of both outputs: the finding, the scale without it, its table and the
    effects. Returns what was chosen."""
    there = study.whole.told_of_options
    with st.container():
        if not there:
            return ()
        st.header("Style taken out")
        chosen = st.multiselect(
            "Take out the effect of",
            there,
            format_func=distinct_label,
            key="scale_style",
            bind="query-params",
            placeholder="Nothing",
            width=320,
            help="Numbers that the data hold of both outputs. Strengths are then those of outputs alike in them.",
        )
        told = tuple(name for name in there if name in chosen)
        if told:
            _show_without(study, designs, paired, told, spec, on)
        else:
            note(*findings.NONE_CHOSEN)
    return told


def _show_without(
    study: Study,
    designs: Sequence[str],
    paired: PairedVotes,
    told: tuple[str, ...],
    spec: BootstrapSpec,
    on: Axis,
) -> None:
    style = style_of(study, designs, paired, told, spec)
    show_finding(findings.finding(style))
    if style.reason:
        return
    draw(
        st,
        scale_dots(style.adjusted, look(), style.intervals, on),
        key="scale without style",
        alt="All systems on one scale with style taken out, the strongest on top, with intervals",
    )
    plain = plain_intervals_of(study, designs, paired, style, spec)
    conclude(
        "style",
        [
            (findings.systems_table(style, plain, spec), "All systems as they are and with style taken out"),
            (findings.effects_table(style, spec), "What each thing told of both outputs adds"),
        ],
        most=12,
        first=findings.seen_first(spec),
        below=findings.notes(style),
        remarks=findings.remarks(style),
        figure=lambda: scale_dots(style.adjusted, look(), style.intervals, on),
    )
