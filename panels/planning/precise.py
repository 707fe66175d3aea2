"""How precise: the half-width of an interval along items (or an item's ratings), and the chosen study's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

import streamlit as st

from analysis.planning.alternatives import per_item_beside
from analysis.planning.difference import LAYOUTS
from analysis.values.estimate import Estimate
from charts.planning.curves import along
from features.rater_agreement import of_group
from features.study import Study
from findings.code import planning as program
from findings.planning import precise as findings
from findings.planning.apart import ALL_ALIKE, reach
from findings.planning.loads import note as of_unequal
from findings.planning.open_ratings import severity_of_open
from findings.planning.precise import EXPLANATION, Likely, Precise, Size
from panels.planning.basis import choose_basis
from panels.planning.size import (
    choose_half,
    choose_item_sd,
    choose_items,
    choose_loads,
    choose_per_item,
    choose_raters,
    move_to,
    open_shares,
)
from ui.conclusions import show_finding
from ui.controls import usually
from ui.downloads import downloads
from ui.errors import told_in_words
from ui.pictures import look, on_click
from ui.tables import show_table
from ui.words import note, warn

__all__ = ["EXPLANATION", "show"]
UNKNOWN = Estimate(nan)


def show(study: Study) -> Callable[[], str]:
    """Finding, picture, and the numbers it rests on."""
    told = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.selectbox(
            "How precise is", findings.WHAT, key="plan_precise", bind="query-params", width=280
        )
        basis = choose_basis(study, about_systems=False) if what in (findings.MOS, findings.SYSTEM) else None
        points = 0.06 * basis.points if basis is not None else 0.05
        rest = Rest() if basis is not None else _of_what(study, what)
        if what in (findings.MOS, findings.SYSTEM, findings.OF_OTHERS):
            raters, each = choose_raters()
        else:
            raters = each = choose_per_item()
        loads = choose_loads(study) if what == findings.SYSTEM else ALL_ALIKE
        wanted = choose_half(points)
    items = choose_items()
    size = Size(items, raters, each, wanted, loads)
    with told_in_words():
        one = _precise(what, basis, rest, size)
        with told:
            for found in findings.finding(one):
                show_finding(found, basis is not None and basis.of_open_ratings)
            warnings = [] if basis is None or basis.warning is None else [basis.warning]
            for remark in (*warnings, *findings.cautions(one)):
                warn(*remark)
        per_item = per_item_beside(LAYOUTS["crossed"], raters if one.by_raters else 4 * each, each)
        drawn = findings.curves(one, per_item, reach(one.x))
    figure = along(
        drawn,
        (each, one.x),
        (one.along, "Half of the interval"),
        look(),
        wanted=size.wanted,
        as_share=False,
        named="{} per item" if one.along == "Items" else "MOS",
        highest=one.highest,
    )
    then = move_to if one.along == "Items" else _take_ratings
    on_click(st, figure, then, key=f"planning_width {what}", alt=f"Half of the interval of {one.about}")
    note("A click on a point takes the study there.")
    if (of_loads := of_unequal(loads, size.study)) is not None:
        note(*of_loads)
    table, alt = findings.table(one, drawn), f"Half of the interval of {one.about}"
    show_table(*table, alt=alt, most=8)
    if basis is not None and basis.note is not None:
        note(*basis.note)
    downloads("precision", [(table, alt)], lambda: figure)
    asked = program.Width(what, basis, rest.typed, size)
    return lambda: program.precise(asked, {per_item: x for per_item, (x, _) in drawn.items()})


def _take_ratings(point: Any) -> None:
    st.session_state["plan_ratings"] = int(point[0])


@dataclass(frozen=True)
class Rest:
    """Numbers by name as `typed`; between which ends a pilot leaves the reliability, and the raters' share."""

    typed: Mapping[str, float] = field(default_factory=dict)
    likely: Likely = None
    severity: Estimate = UNKNOWN


def _precise(what: str, basis: Any, rest: Rest, size: Size) -> Precise:
    if what == findings.MOS:
        return findings.of_mos(basis, size)
    if what == findings.SYSTEM:
        return findings.of_system(basis, size)
    typed, likely = rest.typed, rest.likely
    if what == findings.CORRELATION:
        return findings.of_correlation(typed["limit"], typed["reliability"], size, likely)
    if what == findings.AGREEMENT:
        return findings.of_agreement(typed["reliability"], size, likely)
    if what == findings.OF_OTHERS:
        return findings.of_agreement_of_others(typed["reliability"], rest.severity, size, likely)
    return findings.of_share(typed["share"], typed["item_sd"], size, likely)


def _of_what(study: Study, what: str) -> Rest:
    """What is expected, how far it is off without raters' noise, and between which ends a pilot leaves the latter."""
    if what == findings.SHARE:
        percent = st.slider(
            "Share expected", 1, 99, 60, key="plan_share", bind="query-params", format="%d %%", width=180
        )
        item_sd = choose_item_sd(open_shares(study))
        return Rest({"share": percent / 100, "item_sd": item_sd})
    usual = _reliability(study)
    start = min(max(round(usual.value, 2), 0.01), 0.99)
    reliability = st.number_input(
        "Reliability of one rating", 0.01, 0.99, usually("plan_reliability", start), 0.01,
        key="plan_reliability", bind="query-params", width=170,
        help="How far single ratings of an item agree (ICC(1,1)). Of the open ratings where there are any.",
    )  # fmt: skip
    likely = findings.within_reach(usual) if abs(reliability - usual.value) <= 0.005 else None
    if what == findings.AGREEMENT:
        return Rest({"reliability": float(reliability)}, likely)
    if what == findings.OF_OTHERS:
        severity = _severity(study)
        return Rest({"reliability": float(reliability), "severity": severity.value}, likely, severity)
    limit = st.number_input(
        "Correlation without noise", -0.99, 0.99, 0.9, 0.01, key="plan_limit", bind="query-params", width=170,
        help="What endless ratings would give: the limit on the Repetitions page.",
    )  # fmt: skip
    return Rest({"reliability": float(reliability), "limit": float(limit)}, likely)


def _severity(study: Study) -> Estimate:
    """The raters' share of what ratings of an item differ by: as in the open ratings, or typed."""
    known = severity_of_open(study)
    usual = round(100 * known.value) if known.value == known.value else 25
    percent = st.number_input(
        "Severity's share, %", 0, 100, usually("plan_severity", usual), 5,
        key="plan_severity", bind="query-params", width=170,
        help="How much of what ratings of an item differ by is that some raters are severe and others lenient. Of the "
        "open ratings where there are any.",
    )  # fmt: skip
    return known if percent == usual and known.value == known.value else Estimate(percent / 100)


def _reliability(study: Study) -> Estimate:
    """Of one rating on the open ratings' first measure, with its interval; else 0.4."""
    if study.holds_choices:
        return Estimate(0.4)
    found = of_group(study, study.measures[0], study.candidate).one
    return found if found.value == found.value else Estimate(0.4)
