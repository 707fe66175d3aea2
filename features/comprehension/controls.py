"""Controls of "Comprehension": the question, the machines, and the pair of authors."""

import streamlit as st

from analysis.values.estimate import distinct_label
from features.comprehension.results import (
    AnswersSpec,
    AuthorsSpec,
    known_machines,
    names,
    read_answers,
    read_texts,
)
from features.study import Study
from ui.controls import choose_bootstrap, choose_one, choose_segment, choose_segment_in_row

SHARES, AUTHORS, LENGTH = "How much is shared", "Author by author", "Summary length"
JUDGES, MACHINES = "Judges", "Machine summaries"
QUESTIONS = (SHARES, AUTHORS, LENGTH, JUDGES, MACHINES)
_SHARED = {"R + P": "R+P", "R": "R", "Found (R + P + I)": "found", "Not found (N)": "N"}
ALL_STORIES = "all stories"


def choose_question() -> str:
    return choose_segment("Question", {each: each for each in QUESTIONS}, key="about")


def choose_answers(study: Study, question: str) -> AnswersSpec:
    """Draw the controls of every question but pairs of authors; machines are chosen where the file has none."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return _choose_answers(study, question)


def _choose_answers(study: Study, question: str) -> AnswersSpec:
    place, first = st.empty(), st.empty()
    with st.popover("Settings"):
        bootstrap = choose_bootstrap("comprehension_", fewest=0)
        inside = st.empty()
    machines, in_file = None, bool(known_machines(study))
    if not in_file:
        with first if question == MACHINES else inside:
            machines = _choose_machines(study)
    with_machines = False
    if question in (SHARES, AUTHORS, JUDGES) and (in_file or machines):
        with_machines = place.toggle(
            "Count machine summaries",
            key="count_machines",
            bind="query-params",
            help="The verdict is on people's summaries unless you count those of machines.",
        )
    return AnswersSpec(machines, with_machines, bootstrap)


def _choose_machines(study: Study) -> tuple[str, ...]:
    called = names(study, "author")
    chosen = st.multiselect(
        "Which authors are machines",
        [called[code] for code in read_answers(study).writers],
        format_func=distinct_label,
        key="machines",
        bind="query-params",
        placeholder="None",
        width=320,
        help="Their summaries are compared with those by people, and are not part of the level that people share. In "
        "the file: a column author_kind that says machine.",
    )
    return tuple(name for name in called if name in chosen)


def choose_authors(study: Study) -> AuthorsSpec:
    """Draw the controls of "Author by author": the share, and the pair whose questions are listed."""
    given, called = read_answers(study), names(study, "author")
    writers, askers = ([called[code] for code in codes] for codes in (given.writers, given.askers))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        share = choose_segment_in_row("Share of", _SHARED, key="pair_share")
        answers = _choose_answers(study, AUTHORS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        writer = choose_one("Read: summary of", writers, key="summary_of", width=220)
        others = [name for name in askers if name != writer]
        asker = choose_one("Questions of", askers, usual=(others or askers)[0], key="questions_of", width=220)
        spec = AuthorsSpec(answers, share, writer, asker)
        stories = list(dict.fromkeys(read_texts(study, spec)["story"].tolist()))
        story = choose_one("Story", [ALL_STORIES, *stories], key="of_story", width=220)
    return AuthorsSpec(answers, share, writer, asker, "" if story == ALL_STORIES else str(story))
