"""The report once it is asked for: made section by section, told in words, and given away as files."""

from collections.abc import Sequence

import streamlit as st

from features.cache import Stopped
from features.study import Scenario, Study
from features.verdicts import sentence_of
from report.build import of_study
from report.chosen import facts_about
from report.files.html import html
from report.files.numbers import results_json
from report.files.word import word
from report.parts.as_program import as_program
from report.parts.asked import Asked
from report.parts.model import Report
from report.parts.sources import bibtex
from report.parts.views import View
from ui.conclusions import doubts, show_code
from ui.downloads import offer, readers_keys
from ui.visit.address import address_of, base_of, parts
from ui.visit.reported_views import PATH
from ui.words import note, say, warn

_ASKED = "report asked for"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def show(study: Study, scenario: Scenario, asked: Asked, views: Sequence[View] = ()) -> None:
    """The button that makes it; below it the files and what they say, as long as nothing else is chosen."""
    pyramid = study.contributors.sha256 if study.contributors else ""
    this = repr(
        (study.whole.sha256, study.dataset.only, study.candidate, scenario.names, asked, views, pyramid)
    )
    st.button("Make the report", type="primary", key="make_report", on_click=_ask, args=(this,))
    if st.session_state.get(_ASKED) != this:
        return
    report = _make(study, scenario, asked, views)
    if report is not None:
        _offer(report)
        _tell(report)


def show_program(study: Study, scenario: Scenario, asked: Asked, views: Sequence[View] = ()) -> None:
    """The lines of Python, and the command, that make the same report."""
    show_code(lambda: as_program(study, scenario, asked, views))


def _ask(this: str) -> None:
    st.session_state[_ASKED] = this


def _make(study: Study, scenario: Scenario, asked: Asked, views: Sequence[View]) -> Report | None:
    line, work = st.empty(), st.container()

    def tell(title: str, done: float) -> None:
        line.progress(done, text=title)

    try:
        with work:
            here = address_of(base_of(PATH), PATH, parts())
            report = of_study(study, scenario, asked, here, tell, views)
    except Stopped:
        note("The report was stopped. Press <b>Make the report</b> to go on.")
        return None
    finally:
        line.empty()
    return report


def _offer(report: Report) -> None:
    keys = readers_keys()
    with st.container(horizontal=True):
        offer("HTML", lambda: html(report), "report.html", "text/html", keys=keys)
        offer("Word", lambda: word(report), "report.docx", WORD, keys=keys)
        offer("Numbers (JSON)", lambda: results_json(report), "results.json", "application/json", keys=keys)
        if report.cited:
            offer("BibTeX", lambda: bibtex(report.cited), "sources.bib", "application/x-bibtex", keys=keys)
    st.caption(
        "The HTML file holds everything, opens without a network, and prints on A4 and Letter. The Word file has the "
        "words and tables."
    )


def _tell(report: Report) -> None:
    """What it says, in words."""
    for section in report.sections:
        st.header(section.title)
        for finding in section.findings:
            say(*sentence_of(finding))
        for sentence in section.warnings:
            warn(*sentence)


def say_what_it_holds(study: Study, asked: Asked, views: Sequence[View]) -> None:
    """What will stand in it."""
    say(*facts_about(study, asked, len(views)))
    if doubts():
        note("Its findings say what looks wrong about this data.")
