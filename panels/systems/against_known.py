"""Against known answers: how far the crowd's answer is gold's or an expert's, under each design, then which way of
labelling is right more often."""

import streamlit as st

from analysis.systems.crowd_labels import CrowdAgainst, crowd_against
from analysis.workers.polls import Poll
from charts.systems.classes import kappa_dots
from charts.systems.labels import confusion_map
from features.plotting.figure import Figure
from features.polls import by_design, pooled
from features.results import key_of, result
from features.study import Study
from findings.code import choices as program
from findings.systems import against_known as findings
from findings.systems import labels as findings_of_labels
from findings.systems.labels import AGGREGATED
from panels.systems import labels
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.stages import conclude

EXPLANATION = findings.EXPLANATION + findings_of_labels.EXPLANATION


def show(study: Study) -> None:
    """Finding, confusion or a kappa for each part, table; then the ways of labelling where there is gold."""
    poll, parts = pooled(study)[0], by_design(study)
    known, asked = "", None
    if poll.known_answers:
        known = poll.known_answers[0]
        if len(poll.known_answers) > 1:
            known = choose_one("Known answers", poll.known_answers, key="known_answers", width=160)
        _show_against(study, poll, parts, known)
    if not poll.known_answers or "gold" in poll.known_answers:
        st.header("Which way of labelling is right more often")
        asked = labels.show(study)
    show_code(lambda: _program(study, known, asked))


def _program(study: Study, known: str, asked: labels.Asked | None) -> str:
    if asked is None:
        return program.against_known(study, known, "", {}, 0, ())
    return program.against_known(study, known, asked.poll, asked.draws, asked.seed, AGGREGATED)


def _show_against(study: Study, poll: Poll, parts: tuple[Poll, ...], known: str) -> None:
    whole = _against(study, poll, known)
    each = [(part.name, _against(study, part, known)) for part in parts if (part.known(known) >= 0).any()]
    show_finding(findings.finding(whole, each, known))

    def figure() -> Figure:
        if len(each) > 1:
            return kappa_dots([(name, one.kappa) for name, one in each], look())
        return confusion_map(
            whole.confusion, poll.options, look(), "items", "The crowd says", rows=known.capitalize()
        )

    draw(
        st,
        figure(),
        key="crowd_against_known",
        alt="Kappa of the crowd's label with the known answer under each design"
        if len(each) > 1
        else "Of the items of each known answer, the share that gets each label by the crowd",
    )
    conclude(
        "against-known",
        [(findings.parts_table(each), "The crowd's label against the known answer")],
        notes=findings.notes(whole),
        figure=figure,
    )


def _against(study: Study, poll: Poll, known: str) -> CrowdAgainst:
    return result(
        key_of(study.dataset, "crowd against known", study.candidate, poll.name, known),
        lambda: crowd_against(poll.votes, poll.known(known)),
    )
