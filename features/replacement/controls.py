"""Controls of "Replacing raters": the question, the reference, and how candidates are tested."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from analysis.replacement.alternative_annotator import Score
from analysis.values.estimate import distinct_label, shorten
from features.plotting.theme import count
from features.replacement.answers import count_raters, has_few_values, raters_of_others, reference_of
from features.replacement.pass_rate import (
    EVERYONE_ELSE,
    PassRateSpec,
    asks_for_pass_rate,
    classes_of,
    default_pass_rate,
    is_offered,
    sources_of,
)
from features.replacement.results import default_spec, list_candidates
from features.replacement.specs import Candidate, Prices, ReplacementSpec, usual_epsilon
from features.study import Study
from ui.controls import (
    MOST_TO_CHOOSE,
    choose_bootstrap,
    choose_number,
    choose_one,
    choose_scope,
    choose_segment,
    choose_some,
    choose_value,
    control_default,
)
from ui.downloads import shows_all_columns

VERDICTS, ERRORS, CORRECTED = "Who can replace a rater", "Shared errors", "Corrected scores"
PASS_RATE = "True pass rate"
NEARNESS: dict[str, Score] = {"distance": "negative rmse", "equal answers": "accuracy"}
MOST_PRICES = 12
"""Candidates whose price can be typed."""
_number = partial(st.number_input, bind="query-params")
_names: Callable[..., Any] = partial(st.selectbox, format_func=distinct_label, bind="query-params")


def choose_question(study: Study) -> str:
    """Draw the choice of the question, where candidates have values to compare or a judge labels items."""
    has_any = any(list_candidates(study, default_spec(study, measure)) for measure in study.measures)
    questions = [VERDICTS, *([ERRORS, CORRECTED] if has_any and not study.holds_choices else [])]
    if is_offered(study):
        questions.insert(0 if asks_for_pass_rate(study) else len(questions), PASS_RATE)
    if len(questions) == 1:
        return VERDICTS
    return choose_segment("Question", {name: name for name in questions}, key="about")


def choose_spec(study: Study, tests: bool) -> tuple[ReplacementSpec, Prices]:
    """Draw the controls; `tests` says that candidates are tested, so that the tolerance and prices matter."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reference = reference_of(study)
        if study.holds_choices and len(study.groups) > 1:
            at, help = study.groups.index(reference), "The group whose raters may be replaced."
            reference = _names("Reference group", study.groups, at, key="stand_in_for", width=170, help=help)
        measure = "" if study.holds_choices else study.measures[0]
        if len(study.measures) > 1:
            measure = _names("Measure", study.measures, key="stand_in_measure", width=200)
        spec = replace(default_spec(study, measure), reference=reference)
        if not list_candidates(study, spec):
            return spec, Prices()
        epsilon = _choose_tolerance(reference) if tests else usual_epsilon(reference)
        spec = replace(
            spec,
            epsilon=epsilon,
            scope=choose_scope(count_raters(study, reference), study.raters_are_persons),
            order_of_all=shows_all_columns(),
        )
        with st.popover("Settings"):
            spec = _choose_settings(study, spec)
        prices = _choose_prices(list_candidates(study, spec)) if tests else Prices()
    return spec, prices


def _choose_tolerance(reference: str) -> float:
    return st.slider(
        "Tolerance ε",
        0.0,
        0.5,
        control_default("epsilon", usual_epsilon(reference)),
        0.05,
        key="epsilon",
        bind="query-params",
        width=190,
        help="A candidate costs less, so it may lose to a rater on this share of the items more than it wins on. "
        "Usual: 0.1 where the reference are crowd workers, 0.15 for skilled raters, 0.2 for experts.",
    )


def _choose_settings(study: Study, spec: ReplacementSpec) -> ReplacementSpec:
    spec = replace(spec, rater=_choose_rater(study, spec.measure, spec.reference))
    if not study.holds_choices and has_few_values(study, spec.measure, spec.reference):
        help = (
            "Nearer to the other raters by the distance of the scores (root mean square), or by how many of them "
            "gave just that score. By equal answers a group counts with its commonest."
        )
        spec = replace(spec, score=choose_value("Nearness by", NEARNESS, key="nearness", help=help))
    help = "A reference rater is tested who shares so many items with another rater and the candidate."
    fewest = choose_number("Fewest items", 2, 1000, 30, key="fewest_shared", help=help)
    help = "At most this share of the raters named as replaced are so by chance (false discovery rate)."
    q = _number(
        "Wrong replacements, share",
        0.001,
        0.5,
        0.05,
        0.01,
        format="%.3f",
        key="false_replacements",
        help=help,
    )
    spec = replace(spec, fewest=fewest, q=float(q))
    if study.holds_choices:
        return spec
    rescaled = st.toggle(
        "Put numbers on another scale on that of the ratings",
        key="rescaled",
        bind="query-params",
        help="By a straight line, fitted for each item without that item. Otherwise such numbers are not "
        "tested, but their order and worth are given.",
    )
    comparison = replace(spec.comparison, bootstrap=choose_bootstrap(), scope=spec.scope)
    return replace(spec, rescaled=rescaled, comparison=comparison)


def _choose_rater(study: Study, measure: str, reference: str) -> str | None:
    """Draw the choice of one rater of another group as a candidate; None where nobody is chosen."""
    names = list(raters_of_others(study, measure, reference))
    label = "One rater as a candidate"
    if len(names) > MOST_TO_CHOOSE:
        typed = st.text_input(
            label, None, key="stand_in_rater", bind="query-params", placeholder="A whole name"
        )
        return typed if typed in names else None
    if not names:
        return None
    help = "A single rater of another group, besides the groups' means and the numbers of the items."
    empty = f"None of {count(len(names))}"
    chosen: str | None = _names(label, names, None, key="stand_in_rater", placeholder=empty, help=help)
    return chosen


def _choose_prices(candidates: tuple[Candidate, ...]) -> Prices:
    typed = {}
    with st.popover("Prices"):
        currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
        for at, one in enumerate(candidates[:MOST_PRICES], 1):
            st.text(shorten(one.name))
            price = _number(
                f"Price of one rating by candidate {at}",
                0.0,
                None,
                None,
                0.01,
                format="%.4f",
                key=f"price_of_{at}",
                placeholder="price of one rating",
                label_visibility="collapsed",
            )
            if price is not None:
                typed[one.name] = float(price)
    return Prices(typed, currency)


def choose_candidates(candidates: tuple[Candidate, ...]) -> tuple[str, ...]:
    """Draw the choice of the candidates whose errors are compared; all but single raters by default."""
    usual = "All but single raters"
    names = [one.name for one in candidates]
    chosen = choose_some("Candidates", names, usual, key="errors_of", width=320)
    return chosen or tuple(one.name for one in candidates if one.kind != "rater")


def choose_correction(candidates: tuple[Candidate, ...]) -> tuple[str, float | None]:
    names = [one.name for one in candidates]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = names[0]
        if len(names) > 1:
            name = _names("With the help of", names, key="corrected_by", width=260)
        weight = _number(
            "Weight λ of the candidate",
            0.0,
            None,
            None,
            0.1,
            key="candidate_weight",
            placeholder="tuned to the data",
            width=220,
            help="Left empty: as the candidate correlates with the reference on the items that both have. 1: the "
            "plain form; 0: the reference alone.",
        )
    return name, None if weight is None else float(weight)


def choose_pass_rate(study: Study) -> PassRateSpec:
    """Draw the choice of the judge, the people, and the answer that counts as a pass."""
    usual = default_pass_rate(study)
    classes, sources = classes_of(study, usual.measure), list(sources_of(study, usual.measure))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help = "Who labeled all items, often a language model."
        judge = choose_one("Judge", sources, key="judge", usual=usual.judge, width=220, help=help)
        others = [EVERYONE_ELSE, *(name for name in sources if name != judge)]
        people = usual.people if usual.people in others else EVERYONE_ELSE
        help = "Whose labels are taken for right."
        people = choose_one("People", others, key="people", usual=people, width=220, help=help)
        passing = usual.passing
        if len(classes) == 2:
            help = "The answer whose share is asked."
            passing = choose_one(
                "Counts as a pass", classes, key="passing", usual=passing, width=170, help=help
            )
    return replace(usual, judge=judge, people=people, passing=passing)
