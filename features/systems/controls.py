"""Controls of "Ranking systems": what the visitor chooses becomes a spec."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from analysis.assessors.exclusion import Method
from analysis.systems.label_accuracy import DRAWS_OF_FITTED
from analysis.systems.preference import PreferenceSpec
from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from analysis.workers.polls import usually_dropped
from features.plotting.numbers import count
from features.polls import is_pairs, polls, pooled
from features.study import Scenario, Study
from features.systems.labels_results import AGGREGATED, KnownSpec, has_enough_gold, has_methods, poll_of
from features.systems.pairs_results import FEWEST_ITEMS, PairSpec, find_designs
from features.systems.scale_figures import TITLES
from features.systems.scale_results import ScaleSpec, count_compared_systems, designs_in, scale_of
from features.systems.scores_results import ScoresSpec, count_raters
from ui.controls import choose_one, choose_scope, usually
from ui.sampling_controls import draws_control, seed_control

ALL_SYSTEMS = "All systems"
TWO_SYSTEMS = "Any two systems"
CLASSES = "Classes"
KNOWN_ANSWERS = "Against known answers"
"""Questions that a study of choices can be asked."""
LEVELS = {"95 %": 0.95, "99 %": 0.99, "90 %": 0.9}
_AXES = {title: axis for axis, title in TITLES.items()}
MOST_AT_ONCE = 12
"""Comparisons whose shares are all computed without being asked for."""
MOST_RATERS = 2000
"""Raters to choose from; of more, those with most votes."""
ORDERS = {"as its name says": None, "the highest": False, "the lowest": True}
METHODS: dict[str, Method] = {
    "the additive model where cells are missing": "automatic",
    "the additive model": "additive",
    "the plain mean over topics": "plain",
}


def choose_question(study: Study) -> str:
    """Draw the choice of the question, where a study of choices can be asked several; the first is the default."""
    questions = list_questions(study)
    if len(questions) == 1:
        return questions[0]
    return st.segmented_control(
        "Question", questions, default=questions[0], required=True, key="about", bind="query-params"
    )


def list_questions(study: Study) -> list[str]:
    """Return the questions that a study of choices can be asked."""
    if not is_pairs(study):
        return [CLASSES, KNOWN_ANSWERS]
    several = [ALL_SYSTEMS] if count_compared_systems(study) > 2 else []
    has_known = study.whole.has("gold") or study.whole.has("expert")
    return [*several, TWO_SYSTEMS, *([KNOWN_ANSWERS] if has_known else [])]


def choose_scores(study: Study, excluded: Scenario) -> ScoresSpec:
    """Draw the controls of the ranking by scores."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_measure(study)
        order = st.selectbox(
            "First comes",
            list(ORDERS),
            key="first",
            bind="query-params",
            width=170,
            help="By default the name of the measure decides: the lowest of penalties and errors comes first, the "
            "highest of all else.",
        )
        scope = choose_scope(count_raters(study, measure, excluded), study.raters_are_persons)
        with st.popover("Settings"):
            method = choose_method()
            draws = draws_control()
            seed = seed_control()
    return ScoresSpec(measure, ORDERS[order], method, BootstrapSpec(draws, seed), scope)


def choose_measure(study: Study) -> str:
    """Draw the choice of the measure that ranks, where there are several."""
    if len(study.measures) == 1:
        return study.measures[0]
    return choose_one("Ranked by", study.measures, key="ranked_by", width=320)


def choose_method() -> Method:
    """Draw the choice of how a system's score is made from its cells."""
    method = st.selectbox(
        "A system's score is",
        list(METHODS),
        key="method",
        bind="query-params",
        help="Without some raters, systems may miss different topics; a plain mean then mixes the topics' "
        "difficulty into the systems. The model (system + topic) does not.",
    )
    return METHODS[method]


def choose_scale(study: Study) -> ScaleSpec:
    """Draw the controls of the scale."""
    there, style = designs_in(study), study.whole.told_of_options
    share = "Comparisons with and without a tie on offer share one scale. With none chosen, all count."
    alike = (
        "Numbers that the data hold of both outputs, such as their length. Adjusted strengths compare outputs that are "
        "alike in them."
    )
    risk = "Of the intervals; any two equal systems are said to differ with a risk of 100 % minus the level."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        designs = _choose_some(
            "Designs", there if len(there) > 1 else (), "All designs", share, key="scale_designs"
        )
        style = _choose_some("Adjust for", style, "Nothing", alike, key="scale_style")
        axis = st.selectbox("Scale", list(_AXES), key="scale_axis", bind="query-params", width=320)
        with st.popover("Settings"):
            level = st.selectbox("Level", list(LEVELS), key="scale_level", bind="query-params", help=risk)
            draws = draws_control("scale_draws")
            seed = seed_control("scale_seed")
    return ScaleSpec(designs, style, BootstrapSpec(draws, seed, LEVELS[level]), _AXES[axis])


def _choose_some(label: str, names: tuple[str, ...], none: str, help: str, key: str) -> tuple[str, ...]:
    if not names:
        return ()
    chosen = st.multiselect(
        label,
        names,
        format_func=distinct_label,
        key=key,
        bind="query-params",
        placeholder=none,
        width=320,
        help=help,
    )
    return tuple(name for name in names if name in chosen)


def open_pair(study: Study, spec: ScaleSpec, places: Sequence[int]) -> None:
    """Go on with a pair, given by the places of its systems on the scale; stay where it was never compared."""
    pair = {str(scale_of(study, spec).systems[place]) for place in places}
    for poll in polls(study):
        if {poll.first, poll.second} == pair:
            st.session_state["about"], st.session_state["compared"] = TWO_SYSTEMS, poll.name
            return


def choose_pair(study: Study) -> PairSpec:
    """Draw the controls of a comparison of two systems."""
    names = [poll.name for poll in polls(study)]
    all_pairs, shares = 1 < len(names) <= MOST_AT_ONCE, PreferenceSpec()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_one("Comparison", names, key="compared", width=320) if len(names) > 1 else names[0]
        poll, designs = find_designs(study, name)
        if poll.votes.items >= FEWEST_ITEMS:
            shares = _choose_shares(min(each.votes.raters for each in designs) - 1, usually_dropped(designs))
        if len(names) > MOST_AT_ONCE:
            all_pairs = st.toggle(
                f"List all {count(len(names))} comparisons",
                key="all_pairs",
                bind="query-params",
                help="Their intervals take long.",
            )
    return PairSpec(name, shares, all_pairs)


def _choose_shares(most: int, usual: int) -> PreferenceSpec:
    dropped = 0
    if most > 0:
        dropped = st.slider(
            "Drop the least reliable",
            0,
            most,
            usually("dropped", usual),
            key="dropped",
            bind="query-params",
            help="Number of raters with the lowest r_w that the method of that name drops (Table 3 of the paper). The "
            "other methods keep everyone.",
            width=260,
        )
    with st.popover("Settings"):
        min_votes = st.number_input(
            "Fewest votes per item",
            1,
            20,
            3,
            key="min_votes",
            bind="query-params",
            help="PCC-H gives items with fewer votes no weight: one or two votes agree by accident.",
        )
        draws = draws_control("preference_draws")
        seed = seed_control("preference_seed")
    return PreferenceSpec(int(dropped), int(min_votes), draws, seed)


def choose_known(study: Study) -> KnownSpec:
    """Draw the controls of labels compared with known answers: with which, of what, and whose confusions are drawn."""
    spec, known, there = KnownSpec(), pooled(study)[0].known_answers, [poll.name for poll in polls(study)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(known) > 1:
            spec = replace(spec, known=choose_one("Known answers", known, key="known_answers", width=160))
        if has_methods(study) and len(there) > 1:
            spec = replace(spec, comparison=choose_one("Comparison", there, key="compared", width=320))
        if has_methods(study) and has_enough_gold(study, spec):
            method = st.selectbox("Labels by", AGGREGATED, key="label_method", bind="query-params", width=220)
            spec = replace(spec, method=method, rater=_choose_rater(study, spec))
            with st.popover("Settings"):
                spec = _choose_samples(spec)
    return spec


def _choose_samples(spec: KnownSpec) -> KnownSpec:
    slow = "Fewer where there are so many votes that this would need much longer than ten seconds."
    draws = draws_control("label_draws", fewest=0, help=slow)
    again = st.number_input(
        "Bootstrap samples of fitted models",
        0,
        5000,
        DRAWS_OF_FITTED,
        50,
        key="label_model_draws",
        bind="query-params",
        help="Dawid-Skene and GLAD are fitted again in each of them, which is slow.",
    )
    bootstrap = BootstrapSpec(draws, seed_control("label_seed"))
    return replace(spec, bootstrap=bootstrap, draws_of_fitted=int(again))


def _choose_rater(study: Study, spec: KnownSpec) -> str:
    poll = poll_of(study, spec)
    most = np.argsort(-poll.votes.per_rater, kind="stable")[:MOST_RATERS]
    label = "Rater" if len(most) == poll.votes.raters else f"Rater (the {count(MOST_RATERS)} with most votes)"
    return choose_one(label, [str(poll.rater_names[code]) for code in np.sort(most)], key="worker", width=220)
