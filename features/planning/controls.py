"""Controls of "Planning": what the visitor chooses becomes a spec, and a click on a figure moves the plan."""

from functools import partial
from typing import Any

import streamlit as st

from analysis.planning.difference import PRESETS, Design
from data.export import csv_bytes
from features.assessments import fewest_raters
from features.planning.labels import LabelsSpec, open_votes
from features.planning.power_findings import DESIGNS, template_note
from features.planning.power_results import BudgetSpec, PowerSpec, Prices, bare_plan, template
from features.planning.precision import (
    AGREEMENT,
    CORRELATION,
    MOS,
    OF_OTHERS,
    SHARE,
    SYSTEM,
    WHAT,
    PrecisionSpec,
    reliability_of,
    severity_of,
)
from features.planning.preference import (
    PreferenceSpec,
    open_quality,
    usual_item_sd,
    usual_quality,
)
from features.planning.section import questions
from features.planning.stopping import RELIABLE, StoppingSpec, usual_half
from features.planning.variances import (
    ALIKE,
    AS_OPEN,
    BUSIEST,
    KINDS,
    OPEN,
    TYPED,
    USUAL,
    LoadsSpec,
    VariancesSpec,
    scale_points,
    supplied_measures,
    usual_difference,
)
from features.results import key_of, result
from features.study import Study
from ui.controls import choose_number, choose_one, choose_scope, choose_value, seed_control, usually
from ui.downloads import offer
from ui.elements import note

_TINY = 1e-9
"""Points of a scale on which all ratings are equal."""
_TYPED = {
    "residual": ("Residual", "What is left of a rating, without raters by items."),
    "rater_slope": ("Raters by system, half", "How far raters differ about the systems' difference."),
    "item_slope": ("Items by system, half", "How far the systems' difference differs with items."),
    "rater": ("Raters", "How severe or lenient raters are."),
    "item": ("Items", "How far items differ."),
    "rater_item": ("Raters by items", "How far a rater's view of an item differs, whatever the system."),
}
_row = partial(st.container, horizontal=True, vertical_alignment="bottom")


def choose_question(study: Study) -> str:
    """Draw the choice of the question, the one that fits the open data set first."""
    every = questions(study)
    return st.segmented_control(
        "Question",
        every,
        default=usually("plan", every[0]),
        required=True,
        key="plan",
        bind="query-params",
        label_visibility="collapsed",
    )


def choose_power(study: Study) -> tuple[PowerSpec, int | None]:
    """Draw the controls of a planned comparison of systems, and return the seed of a simulation that is asked for."""
    with _row():
        variances = _choose_variances(study)
        difference = _choose_difference(study, variances)
        raters, per_item = _choose_raters()
        items = _choose_items()
        with st.popover("Settings"):
            design, loads, test = _choose_design(), _choose_loads(study, variances), _choose_test()
            prices = _choose_prices()
            spec = PowerSpec(variances, difference, items, raters, per_item, design, loads, *test, prices)
            return spec, _choose_checks(study, spec)


def choose_precision(study: Study) -> PrecisionSpec:
    """Draw the controls of the precision of a figure."""
    help = "Half of the width of the 95% interval."
    given: dict[str, Any] = {}
    with _row():
        what = given["what"] = st.selectbox(
            "How precise is", WHAT, key="plan_precise", bind="query-params", width=280
        )
        points = 0.05
        if PrecisionSpec(what).is_of_means:
            given["variances"] = _choose_variances(study, about_systems=False)
            points = 0.06 * scale_points(study, given["variances"])
        else:
            given |= _choose_figures(study, what)
        usual = max(points, _TINY)
        half, least = float(f"{usual:.2g}"), min(0.001, usual / 10)
        given["wanted"] = _number("Wanted: ±", "plan_half", half, least, None, 0.01, "%.3g", help=help)
        if what == MOS:
            given["per_item"] = _choose_per_item()
        elif what in (SYSTEM, OF_OTHERS):
            given["raters"], given["per_item"] = _choose_raters()
        else:
            given["per_item"] = given["raters"] = _choose_per_item()
        if what != MOS:
            given["items"] = _choose_items()
        if what in (MOS, SYSTEM):
            with st.popover("Settings"):
                if what == MOS:
                    given["raters"], given["items"] = _choose_number_of_raters(), _choose_items()
                else:
                    given["loads"] = _choose_loads(study, given["variances"])
    return PrecisionSpec(**given)


def choose_budget(study: Study) -> BudgetSpec:
    """Draw the controls of the best study for a budget."""
    with _row():
        budget = _number("Budget", "plan_money", 100.0, 1.0, None, 10.0)
        rating, item = _choose_price("rating"), _choose_price("item")
        variances = _choose_variances(study)
        difference = _choose_difference(study, variances)
        with st.popover("Settings"):
            most = choose_number("Raters at most", 4, 200, 60, key="plan_most_raters")
            design, loads, test = _choose_design(), _choose_loads(study, variances), _choose_test()
            prices = _choose_prices(rating, item or 0.0)
    planned = PowerSpec(variances, difference, 4, 4, 1, design, loads, *test, prices)
    return BudgetSpec(planned, budget, most)


def choose_preference(study: Study) -> PreferenceSpec:
    """Draw the controls of a planned comparison by votes."""
    guesses = "The other votes are random. As in the open choices where answers are known."
    with _row():
        percent = _percent("Preference to find", "plan_preference", 60, 51)
        votes = choose_number("Votes per item", 1, 100, 5, key="plan_votes", width=130)
        items = _choose_items()
        with st.popover("Settings"):
            sd = _choose_item_sd(study)
            usual = usually("plan_quality", usual_quality(open_quality(study)))
            judged = _percent("Votes that are no guesses", "plan_quality", usual, 10, 100, help=guesses)
            test, prices = _choose_test(), _choose_prices()
    return PreferenceSpec(percent, items, votes, sd, judged, *test, prices)


def choose_labels(study: Study) -> LabelsSpec:
    """Draw the controls of the votes that make labels right."""
    known = open_votes(study)
    usual = LabelsSpec() if known is None else known.usual
    help = "0: all items are equally hard; near 1: each is easy or hard for everybody."
    with _row():
        at = usually("plan_accuracy", round(100 * usual.accuracy))
        accuracy = _percent("One vote is right in", "plan_accuracy", at, 5)
        wanted = _percent("Wanted", "plan_wanted", 90, 50)
        with st.popover("Settings"):
            icc = _number("ICC of right votes", "plan_icc", usual.icc, 0.0, 0.95, 0.05, "%.2f", help=help)
            at = usually("plan_options", usual.options)
            options = choose_number("Options", 2, 20, at, key="plan_options")
            items, prices = _choose_items(), _choose_prices(with_budget=False)
    return LabelsSpec(accuracy, icc, options, wanted, items, prices)


def choose_stopping(study: Study) -> StoppingSpec:
    """Draw the controls of whether the ratings so far are enough."""
    help = "Half of the width of the 95% interval of an item's mean."
    with _row():
        measure = study.measures[0]
        if len(study.measures) > 1:
            measure = choose_one("Measure", study.measures, key="plan_measure", width=220)
        usual = max(usual_half(study, measure), _TINY)
        least, at = min(0.001, usual / 10), float(f"{usual:.2g}")
        half = _number("Wanted: ±", "plan_half", at, least, None, 0.01, "%.3g", help=help)
        label = "Reliability of an item's mean"
        reliability = st.slider(
            label, 0.5, 0.99, RELIABLE, 0.01, key="reliability", bind="query-params", width=220
        )
        scope = choose_scope(fewest_raters(study, study.candidate), study.raters_are_persons)
        with st.popover("Settings"):
            prices = _choose_prices(with_budget=False)
    return StoppingSpec(measure, half, reliability, scope, prices)


def move_plan(point: Any, parameter: str = "plan_ratings", along: str = "Items") -> None:
    """Take the plan to a point of the figure: [items, ratings (or votes) per item], or [ratings of the item, _]."""
    x, per_item = map(int, point)
    st.session_state[parameter] = per_item if along == "Items" else x
    if along == "Items":
        st.session_state["plan_items"] = x


def _number(label: str, key: str, usual: float, *limits: Any, help: str | None = None) -> float:
    """Draw a number that is usually as the data have it; `limits` are least, most, step and format."""
    at: Any = usually(key, usual)
    least, most, step, written = (*limits, None, None)[:4]
    drawn: dict[str, Any] = {"key": key, "bind": "query-params", "width": 140, "help": help}
    return float(st.number_input(label, least, most, at, step, written, **drawn))


def _percent(label: str, key: str, usual: int, least: int, most: int = 99, help: str | None = None) -> float:
    """Draw a share in percent, and return it."""
    at = st.slider(
        label, least, most, usual, key=key, bind="query-params", format="%d %%", width=190, help=help
    )
    return at / 100


def _choose_variances(study: Study, about_systems: bool = True) -> VariancesSpec:
    """Draw the source of the variances; the open ratings only where they supply them."""
    measures = supplied_measures(study, about_systems)
    own = [OPEN] if measures else []
    help = "How far ratings differ, by raters, items and residual: of a pilot or a study of the same kind."
    source = choose_one("Variances of", [*own, *KINDS, TYPED], key="plan_variances", width=170, help=help)
    if source == OPEN and len(measures) > 1:
        return VariancesSpec(OPEN, choose_one("Measure", measures, key="plan_measure", width=200))
    if source != TYPED:
        return VariancesSpec(source, measures[0] if source == OPEN else "")
    usual = PRESETS[KINDS[USUAL]].variances
    with st.popover("Variances"):
        points = _number("Points from end to end of the scale", "plan_points", 4.0, 0.1, None)
        typed = tuple(
            (name, _number(label, f"plan_var_{name}", usual[name], 0.0, None, 0.01, "%.4f", help=help))
            for name, (label, help) in _TYPED.items()
        )
    return VariancesSpec(TYPED, "", typed, points)


def _choose_checks(study: Study, spec: PowerSpec) -> int | None:
    """Draw the switches of simulation and template, offer the template, and return the seed of the simulation."""
    simulates = st.toggle("Check by simulation", key="plan_check", bind="query-params")
    with_template = st.toggle("Upload template", key="plan_template", bind="query-params")
    if not (simulates or with_template):
        return None
    seed = seed_control()
    if with_template:
        _offer_template(study, spec, seed)
    return seed if simulates else None


def _offer_template(study: Study, spec: PowerSpec, seed: int) -> None:
    """Offer who rates what in the plan as a table to be filled in."""
    label, none = "Ratings per rater at most", "no limit"
    most = st.number_input(
        label, 1, None, None, 1, key="plan_most_ratings", bind="query-params", placeholder=none
    )
    plan = bare_plan(study, spec)
    key = key_of(study.whole.as_saved, "template", plan, seed, most)
    rows = result(key, lambda: template(plan, None if most is None else int(most), seed))
    note(*template_note(plan, seed))
    offer("Template (CSV)", partial(csv_bytes, rows), "template.csv", "text/csv")


def _choose_difference(study: Study, variances: VariancesSpec) -> float:
    usual = usual_difference(scale_points(study, variances))
    help = "The smallest difference of two systems' means, in points of the scale, that matters to you."
    return _number("Difference to find", "plan_difference", usual, 0.0, None, usual / 3, help=help)


def _choose_items() -> int:
    return int(st.slider("Items", 4, 500, 40, key="plan_items", bind="query-params", width=220))


def _choose_raters() -> tuple[int, int]:
    """Draw the number of raters, and how many of them rate an item."""
    return _choose_number_of_raters(), _choose_per_item("Raters per item")


def _choose_number_of_raters() -> int:
    return choose_number("Raters", 2, 1000, 24, key="plan_raters", width=120)


def _choose_per_item(label: str = "Ratings per item") -> int:
    return choose_number(label, 1, 200, 8, key="plan_ratings", width=130)


def _choose_design() -> Design:
    help = "Where every rater rates every item under both systems, fewest ratings are needed."
    return choose_value("Design", DESIGNS, key="plan_design", help=help)


def _choose_loads(study: Study, variances: VariancesSpec) -> LoadsSpec:
    own = [] if study.holds_choices else [AS_OPEN]
    help = "On platforms a few raters do most of the ratings, and count for fewer than they are."
    kinds = [ALIKE, *own, BUSIEST]
    kind = st.selectbox("Raters' loads", kinds, key="plan_loads", bind="query-params", help=help)
    if kind == AS_OPEN:
        return LoadsSpec(kind, variances.measure or study.measures[0])
    if kind != BUSIEST:
        return LoadsSpec()
    help = "Percent of all ratings by the busiest fifth of the raters; 20 where all do as much."
    percent = choose_number("By the busiest fifth, %", 20, 95, 50, 5, key="plan_busiest", help=help)
    return LoadsSpec(kind, "", percent / 100)


def _choose_figures(study: Study, what: str) -> dict[str, float]:
    """Draw the numbers that a correlation, an agreement or a share of votes depends on."""
    if what == SHARE:
        sd = _choose_item_sd(study)
        return {"share": _percent("Share expected", "plan_share", 60, 1), "item_sd": sd}
    usual = min(max(round(reliability_of(study).value, 2), 0.01), 0.99)
    help = "How far single ratings of an item agree, ICC(1,1)."
    reliability = _number("Reliability of one rating", "plan_reliability", usual, 0.01, 0.99, 0.01, help=help)
    if what == AGREEMENT:
        return {"reliability": reliability}
    if what == CORRELATION:
        help = "Correlation that endless ratings would give: the limit on the Repetitions page."
        limit = _number("Correlation without noise", "plan_limit", 0.9, -0.99, 0.99, 0.01, help=help)
        return {"reliability": reliability, "limit": limit}
    known = severity_of(study).value
    usual = usually("plan_severity", round(100 * known) if known == known else 25)
    help = "Percent of the variance of an item's ratings that is due to severe and lenient raters."
    label = "Severity's share, %"
    percent = choose_number(label, 0, 100, usual, 5, key="plan_severity", width=170, help=help)
    return {"reliability": reliability, "severity": percent / 100}


def _choose_item_sd(study: Study) -> float:
    help = "How far the items' own shares differ: 0.1 where most lie within 0.2 of the mean."
    return _number("Items differ by (SD)", "plan_item_sd", usual_item_sd(study), 0.0, 0.5, 0.01, help=help)


def _choose_test() -> tuple[float, int, float]:
    """Draw the level of the test, over how many comparisons, and the power that is wanted."""
    level = _number("Level (alpha)", "plan_alpha", 0.05, 0.001, 0.5, 0.01, "%.3f")
    help = "Tests by which the level of each is divided. 5 systems have 10 pairs."
    comparisons = choose_number("Comparisons", 1, 100000, 1, key="plan_comparisons", help=help)
    return level, comparisons, _percent("Power wanted", "power", 80, 50)


def _choose_price(of: str) -> float | None:
    """Draw the price of a rating, an item or a rater; None where nobody entered one."""
    key = "plan_price" if of == "rating" else f"plan_{of}_price"
    drawn: dict[str, Any] = {"placeholder": "none", "width": 140}
    price = st.number_input(f"Price per {of}", 0.0, None, None, 0.1, key=key, bind="query-params", **drawn)
    return None if price is None else float(price)


def _choose_prices(
    rating: float | None = None, item: float | None = None, with_budget: bool = True
) -> Prices:
    """Draw prices, except those that are chosen elsewhere, the budget, and the time of a rating."""
    is_chosen = item is not None
    if not is_chosen:
        rating, item = _choose_price("rating"), _choose_price("item")
    rater = _choose_price("rater") or 0.0
    fixed = _number("Fixed cost", "fixed", 0.0, 0.0, None, 0.1)
    currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
    seconds = _number("Seconds per rating", "plan_seconds", 15.0, 0.0, None, 0.1)
    budget = None
    if with_budget and not is_chosen:
        label, none = "Budget", "as much as the chosen plan costs"
        budget = st.number_input(
            label, 1.0, None, None, 10.0, key="plan_budget", bind="query-params", placeholder=none
        )
    return Prices(rating, item or 0.0, rater, fixed, currency, seconds, budget)
