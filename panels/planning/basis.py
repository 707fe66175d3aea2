"""Where a plan's variances come from: the open ratings, a study of some kind, or what is typed."""

from collections.abc import Callable

import streamlit as st

from analysis.planning.presets import PRESETS
from features.study import Study
from findings.planning.basis import KINDS, OPEN, TYPED, Basis, of_preset, typed
from findings.planning.open_ratings import USUAL, at_once
from ui.controls import choose_one


def choose_basis(study: Study, about_systems: bool = True) -> Basis:
    """Asks where variances come from; where the open ratings do not tell how far systems' differences vary, and that
    is asked (`about_systems`), a preset stands in.
    """
    basis, surer = choose_basis_at_once(study, about_systems)
    return basis if surer is None else surer()


def choose_basis_at_once(
    study: Study, about_systems: bool = True
) -> tuple[Basis, Callable[[], Basis] | None]:
    """The same without what the open ratings leave open where that takes long, and what draws it then."""
    own = [] if study.holds_choices else [OPEN]
    chosen = choose_one(
        "Variances of", [*own, *KINDS, TYPED], key="plan_variances", width=200,
        help="How far ratings differ, by raters, items and the rest, decides how many it takes. Ratings at hand (a "
        "pilot) say it best; else take a study of the same kind.",
    )  # fmt: skip
    if chosen == OPEN:
        return at_once(study, _measure(study), about_systems)
    return (_typed() if chosen == TYPED else of_preset(KINDS[chosen])), None


def _measure(study: Study) -> str:
    if len(study.measures) == 1:
        return study.measures[0]
    return choose_one("Measure", study.measures, key="plan_measure", width=220)


def _typed() -> Basis:
    usual = PRESETS[KINDS[USUAL]].variances
    with st.popover("The numbers"):
        points = st.number_input(
            "Points from end to end of the scale", 0.1, None, 4.0, key="plan_points", bind="query-params"
        )

        def variance(name: str, label: str, help: str) -> float:
            return float(
                st.number_input(
                    label, 0.0, None, usual[name], 0.01, "%.4f",
                    key=f"plan_var_{name}", bind="query-params", help=help,
                )
            )  # fmt: skip

        given = {
            "residual": variance("residual", "Residual", "What is left of a rating, without raters by items."),
            "rater_slope": variance(
                "rater_slope", "Raters by system, half", "How far raters differ about the systems' difference."
            ),
            "item_slope": variance(
                "item_slope", "Items by system, half", "How far the systems' difference differs with items."
            ),
            "rater": variance("rater", "Raters", "How severe or lenient raters are."),
            "item": variance("item", "Items", "How far items differ."),
            "rater_item": variance("rater_item", "Raters by items", "What a rater has for an item, whatever system."),
        }  # fmt: skip
    return typed(given, float(points))
