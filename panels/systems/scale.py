"""All systems: one scale from all pairs, who cannot be told apart, and who beat whom."""

import streamlit as st

from analysis.systems.paired_votes import design_of
from analysis.systems.scale_intervals import ScaleIntervals
from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from charts.systems.scale import TITLES, Axis, scale_dots, win_matrix
from features.plotting.numbers import share
from features.polls import polls
from features.study import Study
from findings.code import choices as program
from findings.systems import scale as findings
from findings.systems.one_scale import fit_of, intervals_of, paired_of, position_effect_of, scale_of
from panels.systems import style
from ui.conclusions import show_code, show_finding
from ui.downloads import downloads
from ui.pictures import choosing, draw, look
from ui.sampling_controls import draws_control, seed_control
from ui.stages import conclude, show_stages
from ui.tables import show_table
from ui.words import note

TWO = "Any two systems"
"""The question that looks at one pair."""
LEVELS = {"95 %": 0.95, "99 %": 0.99, "90 %": 0.9}
AXES: dict[str, Axis] = {TITLES["chance"]: "chance", TITLES["strength"]: "strength"}
EXPLANATION = findings.EXPLANATION


def show(study: Study) -> None:
    """Finding, the scale, its table, the pairs, the matrix of wins and what to know of them."""
    finding = st.empty()
    designs, on, spec = _controls(study)
    paired = paired_of(study, designs)
    scale = scale_of(study, designs, paired)
    fit = fit_of(study, designs, paired, scale)
    picture = st.empty()

    def say_and_draw(drawn: ScaleIntervals | None, stage: str) -> None:
        with finding:
            show_finding(findings.finding(scale, drawn, spec))
        draw(
            picture,
            scale_dots(scale, look(), drawn, on),
            key=f"scale {stage}",
            alt="All systems on one scale, the strongest on top, with intervals; lines part clusters",
        )

    drawn = show_stages(
        f"scale {study.key} {study.candidate} {designs} {on}",
        None,
        say_and_draw,
        ("with intervals", lambda _: intervals_of(study, designs, paired, spec)),
    )
    effect = position_effect_of(study, designs, paired, spec)
    conclude(
        "scale",
        [
            (
                findings.systems_table(scale, drawn, spec, effect),
                "All systems from the strongest to the weakest",
            )
        ],
        most=12,
        first=("System", "Chance", f"Chance, {share(spec.level)}", "Rank", "Comparisons"),
        below=[*findings.notes(paired, scale, drawn, fit), findings.of_position(scale, effect)],
        remarks=findings.remarks(paired, scale, drawn),
        figure=lambda: scale_dots(scale, look(), drawn, on),
    )
    told = style.show(study, designs, paired, spec, on)
    st.header("Who beats whom")
    note("A click on a cell leads to its pair.")
    names = scale.systems.tolist()
    choosing(
        st,
        win_matrix(scale, look(), fit),
        lambda cell: look_at_pair(study, {names[place] for place in cell}),
        key="win matrix",
        alt="Share of comparisons that the row's system won against the column's, ties counting half",
    )
    pairs, what = findings.pairs_table(scale, drawn, fit, spec), "All pairs of systems that were compared"
    first = "First", "Second", "Comparisons", "Share of the first", "Told apart"
    ticked = show_table(*pairs, alt=what, most=10, key="scale_pairs", first=first)
    if ticked:
        _offer_pair(study, set(pairs[0].iloc[ticked[0]][["First", "Second"]]))
    downloads("pairs", [(pairs, what)], lambda: win_matrix(scale, look(), fit), first=first)
    show_code(lambda: program.scale(study, designs, spec, told))


def show_at_a_glance(study: Study) -> None:
    """Finding and scale, with the intervals, which take moments."""
    designs, spec = tuple(dict.fromkeys(design_of(poll) for poll in polls(study))), BootstrapSpec()
    paired = paired_of(study, designs)
    scale = scale_of(study, designs, paired)
    drawn = intervals_of(study, designs, paired, spec)
    show_finding(findings.finding(scale, drawn, spec))
    draw(
        st,
        scale_dots(scale, look(), drawn),
        key="overview_scale",
        alt="All systems on one scale, the strongest on top, with intervals",
    )


def _offer_pair(study: Study, pair: set[str]) -> None:
    """A button that leads to the ticked pair, where it was compared."""
    met = [poll.name for poll in polls(study) if {poll.first, poll.second} == pair]
    if not met:
        note("These two were never compared with each other.")
        return
    st.button("Look at the ticked pair", on_click=_look_at, args=(met[0],), type="primary")


def look_at_pair(study: Study, pair: set[str]) -> None:
    """Goes on with the first poll of a pair; stays where it was never compared."""
    for poll in polls(study):
        if {poll.first, poll.second} == pair:
            _look_at(poll.name)
            return


def _look_at(name: str) -> None:
    st.session_state["about"], st.session_state["compared"] = TWO, name


def _controls(study: Study) -> tuple[tuple[str, ...], Axis, BootstrapSpec]:
    """The designs to use, the axis, and how intervals are drawn."""
    there = list(dict.fromkeys(design_of(poll) for poll in polls(study)))
    chosen: list[str] = []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(there) > 1:
            chosen = st.multiselect(
                "Designs",
                there,
                format_func=distinct_label,
                key="scale_designs",
                bind="query-params",
                placeholder="All designs",
                width=320,
                help="Comparisons with and without a tie on offer share one scale. With none chosen, all count.",
            )
        on = st.selectbox("Scale", list(AXES), key="scale_axis", bind="query-params", width=320)
        with st.popover("More"):
            level = st.selectbox(
                "Level",
                list(LEVELS),
                key="scale_level",
                bind="query-params",
                help="Of the intervals, and of telling systems apart: the risk of parting any two that are alike is "
                "what it leaves over.",
            )
            draws = draws_control("scale_draws")
            seed = seed_control("scale_seed")
    designs = tuple(design for design in there if design in (chosen or there))
    return designs, AXES[on], BootstrapSpec(draws, seed, LEVELS[level])
