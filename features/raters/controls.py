"""Controls of "Raters": what the visitor chooses becomes a spec."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from analysis.assessors.exclusion import ExclusionSpec
from analysis.assessors.typical_rater import FEWEST_UNITS
from analysis.variance.components import Components
from analysis.variance.generalisability import (
    Along,
    Averaged,
    Object,
    has_repeated_items,
    observed_design,
    separable_objects,
)
from analysis.workers.polls import POOLED_NAME
from features.assessments import polls
from features.raters.attributes_results import AttributesSpec, attributes_of
from features.raters.consistency_results import (
    AgreementSpec,
    ConsistencySpec,
    compare_without_intervals,
    has_many_ratings,
)
from features.raters.rater_results import RankingSpec
from features.raters.variance_results import VarianceSpec, without_intervals
from features.raters.variance_section import ALONG, called
from features.raters.workers import WorkersSpec, poll_of
from features.study import Scenario, Study
from features.systems.scores_results import count_raters
from ui.controls import (
    choose_bootstrap,
    choose_bootstrap_samples,
    choose_measure,
    choose_method,
    choose_number,
    choose_one,
    choose_scope,
    choose_seed,
    control_default,
)

SAME, SEPARATE = "the same for all items", "others for each item"


_row = partial(st.container, horizontal=True, vertical_alignment="bottom")


def choose_consistency(study: Study) -> ConsistencySpec:
    """Draw the choice of the measure whose raters are shown, by default the one on which they differ most."""
    measure, screens = study.measures[0], False
    with _row():
        if len(study.measures) > 1:
            usual = compare_without_intervals(study).measure
            measure = choose_one("Measure", study.measures, key="screened", usual=usual, width=320)
        if has_many_ratings(study, measure):
            screens = st.toggle("Screen the raters", key="screen", bind="query-params")
    return ConsistencySpec(measure, screens_many=screens)


def choose_agreement(study: Study) -> AgreementSpec:
    """Draw the choice of the measure, and of the items that a rater must share with others to be drawn."""
    with _row():
        return AgreementSpec(choose_measure(study, key="ranked_measure"), choose_fewest())


def choose_ranking(study: Study, scenario: Scenario) -> RankingSpec:
    """Draw the choice of the measure that ranks and of scores, with an exclusion also of intervals and their scope."""
    help = "Number of random exclusions of as many raters, with which this exclusion is compared."
    with _row():
        measure = choose_measure(study, key="ranked_by", label="Ranked by")
        scope = ExclusionSpec().scope
        if scenario.excludes:
            scope = choose_scope(count_raters(study, measure, scenario), study.raters_are_persons)
        with st.popover("Settings"):
            method = choose_method()
            if not scenario.excludes:
                return RankingSpec(measure, ExclusionSpec(method))
            draws = choose_bootstrap_samples()
            random = choose_number("Random exclusions", 20, 5000, 200, 20, key="random", help=help)
            seed = choose_seed()
        return RankingSpec(measure, ExclusionSpec(method, random, draws, seed, scope=scope))


def choose_attributes(study: Study) -> AttributesSpec:
    """Draw the choice of the attribute and the measure on which its values are compared."""
    named = {one.called: one.name for one in attributes_of(study)}
    with _row():
        attribute = named[choose_one("Attribute", list(named), key="rater_attribute", width=260)]
        return AttributesSpec(attribute, choose_measure(study, key="attribute_measure"))


def choose_variance(study: Study) -> VarianceSpec | None:
    """Draw the choice of the measure and of the means; None while stopped."""
    with _row():
        measure = choose_measure(study, key="variance_measure")
        with st.popover("Settings"):
            bootstrap = choose_bootstrap()
    found = without_intervals(study, measure)
    if found is None:
        return None
    spec = VarianceSpec(measure, bootstrap=bootstrap)
    if found.reason or not separable_objects(found):
        return spec
    return _choose_means(found, spec)


def _choose_means(found: Components, spec: VarianceSpec) -> VarianceSpec:
    """Draw the choice of the means that coefficients are about, and along which number these are drawn."""
    possible = {called(of): of for of in separable_objects(found)}
    with _row():
        of: Object = next(iter(possible.values()), "item")
        if len(possible) > 1:
            help = "The object of measurement: the means that are compared. Everything else that varies is error."
            of = possible[choose_one("Means of", list(possible), key="variance_object", width=160, help=help)]
        here = observed_design(found, of)
        raters, items = 1, 1
        along: Along = "raters"
        if has_repeated_items(found):
            at = control_default("variance_raters", here.raters)
            raters = choose_number(ALONG["raters"], 1, 100_000, at, key="variance_raters", width=150)
        if of == "system":
            at = control_default("variance_items", here.items)
            items = choose_number(ALONG["items"], 1, 100_000, at, key="variance_items", width=150)
            runs = {
                words: each for each, words in ALONG.items() if each == "items" or has_repeated_items(found)
            }
            along = runs[choose_one("Curve along", list(runs), key="variance_along", width=180)]
        designs = [SAME, SEPARATE] if here.same_raters else [SEPARATE, SAME]
        help = "Where each item has other raters, their severity is an error of comparisons too."
        who = choose_one("Raters are", designs, key="variance_design", width=220, help=help)
    return replace(spec, averaged=Averaged(of, raters, items, who == SAME), along=along)


def choose_workers(study: Study) -> WorkersSpec:
    """Draw the choice of the comparison, of known answers where there are several, and of the fewest items."""
    several = [poll.name for poll in polls(study)]
    help = "All together: r_w is computed within each comparison and averaged by the rater's items there."
    comparison, known = POOLED_NAME, None
    with _row():
        if len(several) > 1:
            options = [POOLED_NAME, *several]
            comparison = choose_one("Comparison", options, key="ranked_comparison", width=320, help=help)
        chosen = "" if comparison == POOLED_NAME else comparison
        answers = poll_of(study, chosen)[0].known_answers
        if len(answers) > 1:
            known = choose_one("Known answers", answers, key="known_answers", width=160)
        return WorkersSpec(chosen, known, choose_fewest())


def choose_fewest(units: str = "items") -> int:
    """Draw the choice of the items that a rater must share with others to be drawn."""
    help = f"Raters who share fewer {units} with others are not drawn. Verdicts need 10 {units}."
    with st.popover("Settings"):
        return choose_number(f"Fewest {units}", 1, 10_000, FEWEST_UNITS, key="fewest_items", help=help)


def offer_exclusion(offer: Callable[[str], object] | None, ticked: pd.DataFrame) -> None:
    """Draw the button that excludes the raters of the ticked rows, and `offer` to look at a single one."""
    chosen: list[str] = ticked["Rater"].tolist()
    everyone = list(dict.fromkeys([*st.session_state.get("without", []), *chosen]))
    label = "Exclude this rater" if len(chosen) == 1 else f"Exclude these {len(chosen)} raters"
    st.button(label, on_click=_exclude, args=(everyone,), type="primary", key="exclude ticked")
    if offer is not None and len(chosen) == 1:
        offer(chosen[0])


def _exclude(raters: list[str]) -> None:
    """Pick raters by name in the sidebar, before it is drawn again."""
    st.session_state["without"] = raters
