"""All candidates: the finding, the picture and a row of each, first without intervals and then with them."""

from collections.abc import Mapping
from math import nan

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.values.names import distinct_label
from charts.standing_in.advantage import Drawn, advantage_dots, against_price
from features.plotting.figure import Figure
from features.results import query
from features.study import Study
from findings.standing_in import candidates as findings
from findings.standing_in import tables
from findings.standing_in.candidates import SLOTS, Asked, Standing
from findings.standing_in.standings import Candidate, at_once, with_intervals, with_order_and_level
from ui.conclusions import show_finding
from ui.downloads import ALL_COLUMNS
from ui.pictures import draw, look
from ui.stages import show_stages
from ui.tables import show_table
from ui.words import note, warn

Standings = tuple[Standing, ...]


def show(
    study: Study,
    asked: Asked,
    candidates: tuple[Candidate, ...],
    priced: tuple[Mapping[str, float], str],
    finding: DeltaGenerator,
) -> Standings | None:
    """Says, draws and lists what is known of the candidates; None while that is stopped."""
    note(*findings.meaning_of(asked.epsilon))
    picture, by_price, below = st.empty(), st.empty(), st.empty()
    costs, currency = priced
    of_all = st.query_params.get(ALL_COLUMNS) == "true"
    closed = at_once(study, asked, candidates)
    if closed is None:
        return None

    def show_standings(standings: Standings, stage: str) -> None:
        with finding.container():
            show_finding(findings.finding(asked, standings))
            if (worth := findings.worth_finding(asked, standings)) is not None:
                show_finding(worth)
        if any(one.advantage.defined for one in standings):
            draw(
                picture,
                figure_of(study, standings),
                key=f"advantages {stage}",
                alt="Advantage of each candidate over a rater",
            )
        drawn = [Drawn(one.name, one.advantage, one.passes, costs.get(one.name, nan)) for one in standings]
        if any(one.advantage.defined and one.price == one.price for one in drawn):
            draw(
                by_price,
                against_price(drawn, study.groups, currency, look()),
                key=f"advantages by price {stage}",
                alt="Advantage of each candidate against the price of one rating",
            )
        with below.container():
            if any(one.advantage.defined for one in standings):
                note(findings.HOLLOW)
            show_table(*tables.table(standings), alt=tables.CANDIDATES, first=tables.FIRST)

    return show_stages(
        closed,
        show_standings,
        ("with intervals", lambda _: with_intervals(study, asked, candidates)),
        (
            "with order and level",
            lambda known: with_order_and_level(study, asked, candidates, known, of_all),
        ),
    )


def show_remarks(study: Study, asked: Asked, standings: Standings) -> None:
    """What to know before anybody is replaced, who was not tested, and why figures are dashes."""
    if not study.raters_are_persons:
        warn(*SLOTS)
    for sentence in findings.cautions(asked, standings):
        warn(*sentence)
    names = query(study.dataset, "rater_names")["name"]
    if (who := findings.skipped(asked, standings, names)) is not None:
        note(*who)
    for sentence in findings.undefined(standings):
        note(*sentence)


def show_each_rater(study: Study, standings: Standings) -> None:
    """One candidate against each reference rater, folded."""
    tested = {one.name: one for one in standings if one.test is not None}
    if not tested:
        return
    fold = st.expander("Against each reference rater", on_change="rerun", key="each_reference_rater")
    if not fold.open:
        return
    with fold:
        name = next(iter(tested))
        if len(tested) > 1:
            name = st.selectbox(
                "Candidate",
                list(tested),
                format_func=distinct_label,
                key="against_raters",
                bind="query-params",
                width=260,
            )
        shown = tables.by_rater(tested[name], query(study.dataset, "rater_names")["name"])
        if shown is not None:
            show_table(*shown, alt=f"{name} against each reference rater", most=12)


def figure_of(study: Study, standings: Standings) -> Figure:
    """Advantage of each candidate that was tested."""
    drawn = [Drawn(one.name, one.advantage, one.passes) for one in standings if one.advantage.defined]
    return advantage_dots(drawn, study.groups, look())
