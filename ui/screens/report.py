"""The report's page: settings, views and the report that is made."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from data.store.kept_views import KeptView
from features.assessments import without_controls
from features.blocks import sentence_of
from features.cache import Stopped
from features.notices import Holding, holding_of
from features.study import NO_REFERENCE, Scenario, Study
from report.blocks import Report, Section, bibtex
from report.build import FORMER_TITLES, available_sections, build_from_study, describe_report
from report.files import html, results_json, word
from report.settings import SECTION_TITLES, ReportSettings
from report.views import View, as_program
from ui.controls import choose_bootstrap_samples, choose_seed, migrate_values
from ui.downloads import file_name, offer_download, reader_keys_in_address
from ui.elements import show_note, show_sentence, show_warning
from ui.render import doubts, show_code
from ui.visit import share, workspace
from ui.visit.pages import PAGES
from ui.visit.share import PATH
from ui.visit.study import (
    PAIRS,
    PYRAMID,
    address_of,
    address_of_view,
    base_of,
    contributors_of,
    joinable_comparisons,
    values_in_address,
)

_ASKED = "report asked for"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def show(study: Study, scenario: Scenario, asked: ReportSettings, views: Sequence[View] = ()) -> None:
    """Draw the button that makes the report, its files and findings, and the program that makes it."""
    joined = [one.sha256 for one in (study.contributors, study.comparisons) if one]
    this = repr(
        (study.whole.sha256, study.dataset.only, study.candidate, scenario.names, asked, views, joined)
    )
    st.button(
        "Make the report",
        type="primary",
        key="make_report",
        on_click=st.session_state.__setitem__,
        args=(_ASKED, this),
    )
    report = _make(study, scenario, asked, views) if st.session_state.get(_ASKED) == this else None
    if report is not None:
        _offer(report)
        for section in report.sections:
            _show_findings(section)
    show_code(lambda: as_program(study, scenario, asked, views))


def _make(study: Study, scenario: Scenario, asked: ReportSettings, views: Sequence[View]) -> Report | None:
    line, work = st.empty(), st.container()
    here = address_of(base_of(PATH), PATH, values_in_address())
    try:
        with work:
            return build_from_study(
                study, scenario, asked, here, lambda title, done: line.progress(done, text=title), views
            )
    except Stopped:
        show_note("The report was stopped. Press <b>Make the report</b> to go on.")
        return None
    finally:
        line.empty()


def _offer(report: Report) -> None:
    keys, named = reader_keys_in_address(), file_name("report")
    with st.container(horizontal=True):
        offer_download("HTML", lambda: html(report), f"{named}.html", "text/html", keys=keys)
        offer_download("Word", lambda: word(report), f"{named}.docx", WORD, keys=keys)
        offer_download(
            "Numbers (JSON)", lambda: results_json(report), f"{named}.json", "application/json", keys=keys
        )
        if report.cited:
            offer_download(
                "BibTeX",
                lambda: bibtex(report.cited),
                f"{named}-sources.bib",
                "application/x-bibtex",
                keys=keys,
            )
    st.caption(
        "The HTML file holds everything, opens without a network, and prints on A4 and Letter. The Word file has the "
        "words and tables."
    )


def _show_findings(section: Section) -> None:
    st.header(section.title)
    for finding in section.findings:
        show_sentence(*sentence_of(finding))
    for sentence in section.warnings:
        show_warning(*sentence)


def show_contents(study: Study, asked: ReportSettings, views: Sequence[View]) -> None:
    show_sentence(*describe_report(study, asked, len(views)))
    if doubts():
        show_note("Its findings say what looks wrong about this data.")


LONGEST_NOTES = 2000
SECTIONS_WIDTH = 560
"""Pixels of the chosen sections: on a phone they have a line for themselves, so that their titles are not cut."""


def settings(study: Study) -> ReportSettings:
    """Draw the controls, and return the settings with those of the sidebar."""
    # whatever the reference is now: what is not offered is no longer chosen, but stays in the address
    offered = {SECTION_TITLES[name]: name for name in available_sections(study, with_any_reference=True)}
    migrate_values("report_sections", FORMER_TITLES)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input(
            "Title", key="report_title", bind="query-params", placeholder=study.whole.name, max_chars=200
        )
        chosen = st.multiselect(
            "Sections",
            list(offered),
            key="report_sections",
            bind="query-params",
            placeholder="All sections",
            width=SECTIONS_WIDTH,
        )
        with st.popover("Settings"):
            draws = choose_bootstrap_samples(
                "report_draws", help="At most so many; intervals of knees are based on at most 100."
            )
            seed = choose_seed("report_seed")
    notes = st.text_area(
        "Notes below the title",
        key="report_notes",
        bind="query-params",
        max_chars=LONGEST_NOTES,
        height=80,
        placeholder="None",
    )
    return ReportSettings(
        reference=study.reference or study.reference_column or NO_REFERENCE if study.groups else None,
        measures=study.measures if study.measures != study.all_measures else (),
        sections=tuple(name for title, name in offered.items() if title in chosen),
        without=study.dataset.without,
        title=title or "",
        notes=notes or "",
        draws=None if draws == BootstrapSpec().draws else draws,
        seed=seed,
        controls="exclude" if without_controls(study.whole) == study.whole else "include",
        merge=study.merge or "mean",
    )


def with_joined(study: Study) -> Study:
    """Return the study with the tables of its pyramid and its systems that the visitor may see."""
    if study.whole.kind != "ratings":
        return study
    comparisons = joinable_comparisons(study).get(st.query_params.get(PAIRS, ""))
    return replace(study, contributors=contributors_of(study), comparisons=comparisons)


def views(study: Study) -> tuple[View, ...]:
    """Draw the choice among the kept views of the data set, and return the chosen ones."""
    dataset = study.whole.as_saved
    chosen = share.choose_views(dataset)
    if not chosen and workspace.owns(dataset.id):
        show_note("To add a page with its present settings to the report, choose <b>Views</b> at its top.")
    holding = holding_of(dataset)
    return tuple(_reported(view, study, holding) for view in chosen)


def _reported(view: KeptView, study: Study, holding: Holding) -> View:
    path = view.view.partition("?")[0].strip("/")
    titles = {entry.address: entry.title_for(holding) for entry in PAGES}
    address = address_of_view(base_of(share.PATH), view.view, study.key)
    reported = View(view.name, view.note, view.view, titles.get(path, "Overview"), address)
    if not reported.lacks_contributors:
        return reported
    (named, *_) = reported.controls.get(PYRAMID, [""])
    return replace(reported, contributors=contributors_of(study.unfiltered, named))
