"""Controls of "Planning": what the visitor chooses becomes a spec, and a click on a figure moves the plan."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import isfinite
from typing import Any

import streamlit as st

from analysis.values.estimate import Scope
from data.export import csv_bytes
from features.planning.collection_findings import assignments_note
from features.planning.collection_results import CollectionSpec, collection_template, plan_collection
from features.planning.power_findings import template_note
from features.planning.power_results import PowerSpec, bare_plan, template
from features.planning.precision import PrecisionSpec
from features.planning.section import CURVES
from features.planning.specs import RENAMED, Address, Spec, ask_plan, questions, usual_question
from features.planning.votes import PreferenceSpec
from features.study import Study, key_of, result
from ui.controls import choose_one, choose_scope, choose_seed, control_default, migrate_value
from ui.downloads import offer_download
from ui.elements import show_note

_NAMED = "planning has a question named"
_ARROW, _LETTER = 52, 6
"""Pixels of a control around its option, and of a letter."""


class Controls(Address):
    """Controls that tell the parameters of a plan; `settings` is the last popover."""

    def __init__(self) -> None:
        super().__init__({})
        self.settings: AbstractContextManager[Any] = st.container()

    def row(self) -> AbstractContextManager[Any]:
        return st.container(horizontal=True, vertical_alignment="bottom")

    def placeholder(self) -> AbstractContextManager[Any]:
        return st.container(horizontal=True, vertical_alignment="bottom", width="content")

    def popover(self, label: str) -> AbstractContextManager[Any]:
        self.settings = st.popover(label)
        return self.settings

    def text(self, label: str, key: str, usual: str) -> str:
        return st.text_input(label, usual, key=key, bind="query-params", max_chars=8)

    def number(
        self, label: str, key: str, usual: float, least: float, most: float, step: float, help: str = ""
    ) -> float:
        at, end, drawn = control_default(key, usual), most if isfinite(most) else None, self._drawn(key, help)
        return float(st.number_input(label, least, end, at, step, "%.4g", **drawn))

    def whole(
        self, label: str, key: str, usual: int, least: int, most: int, step: int = 1, help: str = ""
    ) -> int:
        return int(
            st.number_input(label, least, most, control_default(key, usual), step, **self._drawn(key, help))
        )

    def slide(self, label: str, key: str, usual: int, least: int, most: int) -> int:
        return int(st.slider(label, least, most, control_default(key, usual), **self._drawn(key)))

    def percent(self, label: str, key: str, usual: int, least: int, most: int = 99, help: str = "") -> float:
        at = st.slider(label, least, most, control_default(key, usual), 1, "%d%%", **self._drawn(key, help))
        return at / 100

    def amount(self, label: str, key: str, least: float, step: float, none: str) -> float | None:
        entered = st.number_input(label, least, None, None, step, placeholder=none, **self._drawn(key))
        return None if entered is None else float(entered)

    def option(self, label: str, key: str, options: Sequence[str], help: str = "") -> str:
        migrate_value(key, RENAMED)
        width = min(max(_ARROW + _LETTER * max(map(len, options)), 100), 240)
        return choose_one(label, options, key=key, width=width, help=help or None)

    def seed(self, key: str = "seed") -> int:
        return choose_seed()

    def scope(self, raters: int, raters_are_persons: bool) -> Scope:
        return choose_scope(raters, raters_are_persons)

    def _drawn(self, key: str, help: str = "") -> dict[str, Any]:
        return {"key": key, "bind": "query-params", "width": 120, "help": help or None}


def choose_question(study: Study) -> str:
    """Draw the choice of the question, the one that fits the open data set first.

    The usual one is decided once, or an address that names the question would lose its name on the way.
    """
    every = questions(study)
    migrate_value("plan", RENAMED)
    named = "plan" in st.query_params or st.session_state.get(_NAMED, False)
    st.session_state[_NAMED] = named
    return st.segmented_control(
        "Question",
        every,
        default=control_default("plan", every[0] if named else usual_question(study, list(st.query_params))),
        required=True,
        key="plan",
        bind="query-params",
    )


def choose_plan(study: Study, question: str) -> tuple[Spec, int | None]:
    """Draw the controls of a plan, and return its spec and the seed of a simulation that is asked for."""
    controls = Controls()
    spec = ask_plan(study, question, controls)
    with controls.settings:
        return spec, _choose_checks(study, spec) if isinstance(spec, PowerSpec) else None


def clicks(spec: Spec) -> dict[str, Any]:
    """Return what a click on the figure of a plan does."""
    match spec:
        case PowerSpec():
            return {CURVES: _move_plan}
        case PrecisionSpec():
            return {CURVES: partial(_move_plan, along=spec.along)}
        case PreferenceSpec():
            return {CURVES: partial(_move_plan, parameter="plan_votes")}
    return {}


def _move_plan(point: Any, parameter: str = "plan_ratings", along: str = "Items") -> None:
    """Take the plan to a point of the figure: [items, ratings (or votes) per item], or [ratings of the item, _]."""
    x, per_item = map(int, point)
    st.session_state[parameter] = per_item if along == "Items" else x
    if along == "Items":
        st.session_state["plan_items"] = x


def _choose_checks(study: Study, spec: PowerSpec) -> int | None:
    """Draw the switches of simulation and template, offer the template, and return the seed of the simulation."""
    simulates = st.toggle("Check by simulation", key="plan_check", bind="query-params")
    with_template = st.toggle("Upload template", key="plan_template", bind="query-params")
    if not (simulates or with_template):
        return None
    seed = choose_seed()
    if with_template:
        _offer_template(study, spec, seed)
    return seed if simulates else None


def offer_collection(study: Study, spec: CollectionSpec) -> None:
    """Offer the assignments as a table to be filled in, where there are any."""
    found = plan_collection(study, spec)
    if found.is_reached or not found.plans or not len(found.plan):
        return
    rows = collection_template(study, spec, found)
    with st.container(horizontal=True, vertical_alignment="center"):
        offer_download("Assignments (CSV)", partial(csv_bytes, rows), "assignments.csv", "text/csv")
        with st.container(width="content"):
            show_note(*assignments_note(found, rows))


def _offer_template(study: Study, spec: PowerSpec, seed: int) -> None:
    """Offer who rates what in the plan as a table to be filled in."""
    label, none = "Ratings per rater at most", "no limit"
    most = st.number_input(
        label, 1, None, None, 1, key="plan_most_ratings", bind="query-params", placeholder=none
    )
    plan = bare_plan(study, spec)
    key = key_of(study.whole.as_saved, "template", plan, seed, most)
    rows = result(key, lambda: template(plan, None if most is None else int(most), seed))
    show_note(*template_note(plan, seed))
    offer_download("Template (CSV)", partial(csv_bytes, rows), "template.csv", "text/csv")
