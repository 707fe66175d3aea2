"""Controls of "Ranking systems": what the visitor chooses becomes a spec."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from analysis.systems.label_accuracy import FITTED_DRAWS
from analysis.systems.preference import PreferenceSpec
from analysis.systems.ranked_options import FEWEST_TASKS, TASK_SCOPES, TaskScope
from analysis.systems.set_accuracy import Method
from analysis.values.estimate import BootstrapSpec
from analysis.workers.polls import default_dropped_raters
from features.assessments import count_compared_systems, is_pairs, polls, pooled, ranked
from features.plotting.theme import count
from features.study import Scenario, Study
from features.systems.crowd_sets import CrowdSetsSpec
from features.systems.labels_results import AGGREGATED, KnownSpec, has_enough_gold, has_methods, poll_of
from features.systems.pairs_results import FEWEST_ITEMS, PairSpec, find_designs
from features.systems.rankings import RankingSpec
from features.systems.scale_results import ScaleSpec, designs_in, scale_of
from features.systems.scale_section import TITLES
from features.systems.scores_results import ScoresSpec, count_raters
from ui.controls import (
    MOST_TO_CHOOSE,
    choose_bootstrap,
    choose_label_question,
    choose_measure,
    choose_method,
    choose_number,
    choose_one,
    choose_scope,
    choose_segment,
    choose_some,
    choose_value,
    control_default,
)

ALL_SYSTEMS = "All systems"
TWO_SYSTEMS = "Any two systems"
CLASSES = "Classes"
KNOWN_ANSWERS = "Against known answers"
SETS, RANKINGS = "Sets of labels", "Rankings"
"""Questions; those of sets and of rankings are the only ones of their studies."""
CROWDS: dict[str, Method] = {"majority": "majority", "Dawid-Skene": "Dawid-Skene"}
LEVELS = {"95%": 0.95, "99%": 0.99, "90%": 0.9}
_AXES = {title: axis for axis, title in TITLES.items()}
_TASKS: dict[str, TaskScope] = {scope: scope for scope in reversed(TASK_SCOPES)}
MOST_AT_ONCE = 12
"""Comparisons whose shares are all computed without being asked for."""
ORDERS = {"automatic": None, "the highest": False, "the lowest": True}


def choose_question(study: Study) -> str:
    """Draw the choice of the question, where a study can be asked several; the first is the default."""
    questions = list_questions(study)
    if len(questions) == 1:
        return questions[0]
    return choose_segment("Question", {question: question for question in questions}, key="about")


def list_questions(study: Study) -> list[str]:
    if not study.holds_choices:
        return [SETS if study.holds_label_sets else RANKINGS]
    if not is_pairs(study):
        return [CLASSES, KNOWN_ANSWERS]
    several = [ALL_SYSTEMS] if count_compared_systems(study) > 2 else []
    has_known = study.whole.has("gold") or study.whole.has("expert")
    return [*several, TWO_SYSTEMS, *([KNOWN_ANSWERS] if has_known else [])]


def choose_scores(study: Study, excluded: Scenario) -> ScoresSpec:
    help = (
        "By default the name of the measure decides: the lowest of penalties and errors comes first, the highest of "
        "all else."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_measure(study, key="ranked_by", label="Ranked by")
        lowest_first = choose_value("Ranks first", ORDERS, key="first", width=170, help=help)
        scope = choose_scope(count_raters(study, measure, excluded), study.raters_are_persons)
        with st.popover("Settings"):
            method = choose_method()
            bootstrap = choose_bootstrap()
    return ScoresSpec(measure, lowest_first, method, bootstrap, scope)


def choose_scale(study: Study) -> ScaleSpec:
    designs = designs_in(study)
    share = "Comparisons with and without a tie on offer share one scale. With none chosen, all count."
    alike = (
        "Numbers that the data hold of both outputs, such as their length. Adjusted strengths compare outputs that are "
        "alike in them."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        several = designs if len(designs) > 1 else ()
        used = choose_some("Designs", several, "All designs", key="scale_designs", width=320, help=share)
        numbers = study.whole.option_numbers
        style = choose_some("Adjust for", numbers, "Nothing", key="scale_style", width=320, help=alike)
        axis = choose_value("Scale", _AXES, key="scale_axis", width=320)
        return ScaleSpec(used, style, _choose_intervals(), axis)


def _choose_intervals() -> BootstrapSpec:
    risk = "Of the intervals; any two equal systems are said to differ with a risk of 100% minus the level."
    with st.popover("Settings"):
        level = choose_value("Level", LEVELS, key="scale_level", help=risk)
        return replace(choose_bootstrap("scale_"), level=level)


def choose_rankings(study: Study) -> RankingSpec:
    there = ranked(study)
    alike = "Tasks like these: other tasks, too, which needs at least 5. These tasks: only those that were ranked."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        axis = choose_value("Scale", _AXES, key="scale_axis", width=320)
        scope, tasks = choose_scope(there.raters, study.raters_are_persons), None
        if there.tasks >= FEWEST_TASKS:
            tasks = choose_value("And to", _TASKS, key="generalize_tasks", width=180, help=alike)
        return RankingSpec(_choose_intervals(), axis, scope, tasks)


def choose_crowd_sets(study: Study) -> CrowdSetsSpec:
    """Draw the controls of the crowd's sets of labels: the question, and how the sets are made."""
    help = (
        "Majority: more than half of the raters of the item. Dawid-Skene: each label alone, raters weighted."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = choose_label_question(study)
        method = choose_value("The crowd's sets by", CROWDS, key="crowd_sets", width=220, help=help)
    return CrowdSetsSpec(question, method)


def open_pair(study: Study, spec: ScaleSpec, places: Sequence[int]) -> None:
    """Go on with a pair, given by the places of its systems on the scale; stay where it was never compared."""
    pair = {str(scale_of(study, spec).systems[place]) for place in places}
    for poll in polls(study):
        if {poll.first, poll.second} == pair:
            st.session_state["about"], st.session_state["compared"] = TWO_SYSTEMS, poll.name
            return


def choose_pair(study: Study) -> PairSpec:
    names = [poll.name for poll in polls(study)]
    all_pairs, shares = 1 < len(names) <= MOST_AT_ONCE, PreferenceSpec()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_one("Comparison", names, key="compared", width=320) if len(names) > 1 else names[0]
        poll, designs = find_designs(study, name)
        if poll.votes.items >= FEWEST_ITEMS:
            shares = _choose_shares(
                min(each.votes.raters for each in designs) - 1, default_dropped_raters(designs)
            )
        if len(names) > MOST_AT_ONCE:
            label, slow = f"List all {count(len(names))} comparisons", "Their intervals take long."
            all_pairs = st.toggle(label, key="all_pairs", bind="query-params", help=slow)
    return PairSpec(name, shares, all_pairs)


def _choose_shares(most: int, usual: int) -> PreferenceSpec:
    dropped = 0
    if most > 0:
        help = (
            "Number of raters with the lowest r_w that the method of that name drops (Table 3 of the paper). The other "
            "methods keep everyone."
        )
        label, at = "Drop the least reliable", control_default("dropped", usual)
        dropped = st.slider(label, 0, most, at, key="dropped", bind="query-params", help=help, width=260)
    with st.popover("Settings"):
        help = "PCC-H gives items with fewer votes no weight: one or two votes agree by accident."
        min_votes = choose_number("Fewest votes per item", 1, 20, 3, key="min_votes", help=help)
        bootstrap = choose_bootstrap("preference_")
    return PreferenceSpec(int(dropped), min_votes, bootstrap.draws, bootstrap.seed)


def choose_known(study: Study) -> KnownSpec:
    """Draw the controls of labels compared with known answers: with which, of what, and whose confusions are drawn."""
    spec, known, there = KnownSpec(), pooled(study)[0].known_answers, [poll.name for poll in polls(study)]
    slow = "Fewer where there are so many votes that this would need much longer than ten seconds."
    fitted = "Dawid-Skene and GLAD are fitted again in each of them, which is slow."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(known) > 1:
            spec = replace(spec, known=choose_one("Known answers", known, key="known_answers", width=160))
        if has_methods(study) and len(there) > 1:
            spec = replace(spec, comparison=choose_one("Comparison", there, key="compared", width=320))
        if has_methods(study) and has_enough_gold(study, spec):
            method = choose_one("Labels by", AGGREGATED, key="label_method", width=220)
            spec = replace(spec, method=method, rater=_choose_rater(study, spec))
            scope = choose_scope(poll_of(study, spec).votes.raters, study.raters_are_persons)
            spec = replace(spec, scope=scope)
            with st.popover("Settings"):
                bootstrap = choose_bootstrap("label_", fewest=0, help=slow)
                label = "Bootstrap samples of fitted models"
                again = choose_number(label, 0, 5000, FITTED_DRAWS, 50, key="label_model_draws", help=fitted)
            spec = replace(spec, bootstrap=bootstrap, draws_of_fitted=again)
    return spec


def _choose_rater(study: Study, spec: KnownSpec) -> str:
    poll = poll_of(study, spec)
    most = np.argsort(-poll.votes.per_rater, kind="stable")[:MOST_TO_CHOOSE]
    label = "Rater" if len(most) == poll.votes.raters else f"Rater (the {count(len(most))} with most votes)"
    return choose_one(label, [str(poll.rater_names[code]) for code in np.sort(most)], key="worker", width=220)
