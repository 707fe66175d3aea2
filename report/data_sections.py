"""Sections on the data (the import, who rated what, exclusions with their reasons) and on planning a further study."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.values.estimate import InputError
from data.kinds.definitions import KINDS
from features.assessments import polls
from features.blocks import clear, doubts_in_words
from features.distributions.section import sizes_table
from features.notices import (
    SYNTHETIC,
    WEIGHTED_FIGURES,
    controls_note,
    exclusion_in_words,
    size,
    subset_in_words,
    weights_note,
)
from features.planning.section import plan_section, usual_collection
from features.planning.specs import Address, ask_plan, questions, usual_question
from features.plotting.theme import count
from features.raters.workers import votes_table
from features.study import Scenario, Study, query, read_report
from features.words import Sentence, of_many
from report.blocks import Section, Table, build_section
from report.settings import SECTION_TITLES, ReportSettings

MAX_REASONS = 12
"""Reasons for rows set aside that are listed; the import report on the Data page has all."""


def section(study: Study, scenario: Scenario) -> Section:
    """Return the section on the data: size, rows set aside, doubts, and who rated how much."""
    import_report = read_report(study.whole) or {}
    overview = query(study.dataset, "overview")
    tables = []
    if study.dataset.kind == "ratings":
        tables.append(
            Table(
                "who-rated-what",
                ("Ratings, items and raters per measure and group.", {}),
                sizes_table(query(study.dataset, "cells"), study.raters_are_persons),
            )
        )
    elif study.dataset.kind == "choices":
        tables.append(Table("choices", ("What was chosen how often.", {}), votes_table(polls(study))))
    if aside := _set_aside_table(import_report):
        tables.append(aside)
    return Section(
        "data",
        "The data",
        findings=[clear(*size(study, overview))],
        notes=[
            *_filter_notes(study, overview),
            *_import_notes(study, import_report),
            *([weights_note(study, WEIGHTED_FIGURES)] if study.dataset.is_weighted else []),
            *([exclusion_in_words(scenario)] if scenario.excludes else []),
            *([("A rule excludes nobody: {why}.", {"why": scenario.reason})] if scenario.reason else []),
        ],
        tables=tables,
        warnings=_warnings(study, import_report),
        methods=[
            (
                "Every row of the file was kept, or set aside with its line and reason. The content hash is of the "
                "file's bytes, the roles of its columns and the importer's version.",
                {},
            )
        ],
    )


def _filter_notes(study: Study, overview: dict[str, Any]) -> list[Sentence]:
    """Return the sentence on the part of the data set that figures are based on."""
    if not study.dataset.only:
        return []
    of = query(study.dataset.as_saved, "overview")["rows"][0]
    subset = subset_in_words(study.dataset.only, overview["rows"][0], of, KINDS[study.dataset.kind].rows)
    has_controls = any(one.excludes for one in study.dataset.only)
    return [*([controls_note(study.dataset.only, "")] if has_controls else []), subset]


def _import_notes(study: Study, import_report: dict[str, Any]) -> list[Sentence]:
    if not import_report:
        return []
    rows = KINDS[study.dataset.kind].rows
    notes: list[Sentence] = [
        (
            "The file{file} has {read}; {kept} are kept and {aside} set aside{checks}.",
            {
                "file": f" {import_report['file']}" if import_report.get("file") else "",
                "read": of_many(import_report["rows_read"], rows),
                "kept": count(import_report["kept"]),
                "aside": count(import_report["set_aside"]),
                "checks": f", of which {count(import_report['check_rows'])} are check questions"
                if import_report.get("check_rows")
                else "",
            },
        )
    ]
    return notes + [("{note}", {"note": note}) for note in import_report.get("notes", ())]


def _set_aside_table(import_report: dict[str, Any]) -> Table | None:
    reasons = import_report.get("reasons") or []
    if not reasons:
        return None
    rows = pd.DataFrame(
        [{"Column": one["column"], "Reason": one["reason"], "Rows": one["rows"]} for one in reasons]
    )
    n_further = len(rows) - MAX_REASONS
    return Table(
        "set-aside",
        ("Rows that were set aside, and why.", {}),
        (rows.head(MAX_REASONS), {"Rows": count}),
        full=rows,
        notes=[("{more} further reasons are in the file of this table.", {"more": n_further})]
        if n_further > 0
        else (),
    )


def _warnings(study: Study, import_report: dict[str, Any]) -> list[Sentence]:
    warnings: list[Sentence] = [SYNTHETIC] if study.synthetic else []
    doubts = tuple(import_report.get("doubts", ()))
    if doubts:
        warnings.append(doubts_in_words(doubts))
    return warnings + [("{warning}", {"warning": warning}) for warning in import_report.get("warnings", ())]


PLANNING_TITLE = "Planning a further study"


def collection(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the section on what to collect next for the default goal, unless the page has another default."""
    if blocks := list(usual_collection(study)):
        yield build_section("collection", SECTION_TITLES["collection"], blocks)


def plan_section_of_view(study: Study, parameters: Mapping[str, Sequence[str]]) -> Section | None:
    """Return the plan that a kept view of the page Planning holds; None where its address asks for none."""
    address, usual = Address(parameters), usual_question(study, parameters)
    question = address.text("", "plan", usual)
    try:
        spec = ask_plan(study, question if question in questions(study) else usual, address)
        return build_section("planning", PLANNING_TITLE, plan_section(study, spec))
    except InputError:  # an address that somebody typed
        return None
