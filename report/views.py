"""Saved views in a report: the study under the settings of a view, and its findings and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from urllib.parse import parse_qs, parse_qsl, urlencode

from analysis.systems.ranked_options import TASK_SCOPES
from analysis.values.estimate import SCOPES, distinct_label
from data.dataset import Dataset, Filter
from data.kinds.definitions import columns_to_filter
from features.assessments import SAMPLE_PYRAMIDS, without_controls
from features.blocks import not_applicable
from features.notices import filters_in_words, selectable_names
from features.program import literal, opened, program
from features.raters.exclusion_rules import WORST_UNITS, line_of
from features.study import (
    ALL_GROUPS,
    COLUMN_SUFFIX,
    NO_REFERENCE,
    SPLIT_HALVES,
    WITH_GROUPS,
    Scenario,
    Study,
    query,
    read_report,
    usual_roles,
)
from features.words import Sentence, listed
from report.blocks import Section, merge_sections
from report.settings import ReportSettings, exclude_raters, open_without_exclusions

T = TypeVar("T")
SECTION_OF_PAGE = {
    "agreement": "agreement",
    "standing-in": "standing-in",
    "crowd-vs-lab": "groups",
    "repetitions": "repetitions",
    "items": "items",
    "assessors": "raters",
    "pyramid": "raters",
    "metrics": "metrics",
    "systems": "systems",
    "workers": "workers",
    "comprehension": "comprehension",
    "relevance": "relevance",
}
"""Section with the content of a page, by the page's address."""
_APPLIED_PARAMETERS = (
    "candidate", "reference", "measures", "group", "without", "applied", "rule", "judged_on", "worst", "limit",
    "bt500_divisor", "failed_share", "check_tolerance", "fast_share", "reference_limit", "reference_share",
    "anchor_limit", "anchor_share",
    "since", "until", "repeats", "generalize", "generalize_tasks", "rank_controls",
)  # fmt: skip
_KEY_PARAMETERS = ("pyramid", "metrics", "pairs")
_NO_RULE = "no rule"
_LONGEST_NUMBER = 10


@dataclass(frozen=True)
class View:
    """Saved view in a report.

    view : address of the page with its controls (`/repetitions?shuffles=10`)
    page : title of the page
    address : full address of the view
    contributors : data set of the pyramid that its exclusion rule needs, if it was found
    """

    name: str
    note: str
    view: str
    page: str
    address: str
    contributors: Dataset | None = None

    @property
    def path(self) -> str:
        return self.view.partition("?")[0].strip("/")

    @property
    def controls(self) -> Mapping[str, Sequence[str]]:
        """Return the values of its address by parameter."""
        return parse_qs(self.view.partition("?")[2])

    @property
    def applied(self) -> bool:
        """Return True if exclusions are applied on its page."""
        return self.controls.get("applied") != ["false"]

    @property
    def rule(self) -> str:
        """Exclusion rule of its page; "" for none."""
        (name, *_) = self.controls.get("rule", [_NO_RULE])
        return "" if name == _NO_RULE else name

    @property
    def has_unrepeatable_rule(self) -> bool:
        """Return True if raters are excluded by a rule that the report cannot repeat."""
        lacking = self.lacks_contributors or line_of(self.controls) is None
        return bool(self.rule) and self.applied and lacking

    @property
    def lacks_contributors(self) -> bool:
        """Return True if its rule needs the contributors of a pyramid, which were not found."""
        return self.rule == WORST_UNITS and self.contributors is None

    @property
    def without_keys(self) -> "View":
        """Copy without readers' keys in its addresses."""
        remaining = [
            pair for pair in parse_qsl(self.view.partition("?")[2], True) if pair[0] not in _KEY_PARAMETERS
        ]
        return replace(self, view=f"/{self.path}?{urlencode(remaining)}", address="")


def open_view(
    dataset: Dataset, key: str, view: View, settings: ReportSettings
) -> tuple[Study, Scenario, ReportSettings]:
    """Return the study under the controls of a view that the data set has, excluded raters, and settings."""
    view_settings = ReportSettings(
        sections=(SECTION_OF_PAGE.get(view.path, "data"),),
        without=_excluded(dataset, view),
        draws=settings.draws,
        seed=_seed(view),
        controls="include" if view.controls.get("rank_controls") == ["true"] else "exclude",
        merge="last" if view.controls.get("repeats") == ["last"] else "mean",
        generalize=_chosen(view, "generalize", SCOPES),
        tasks=_chosen(view, "generalize_tasks", TASK_SCOPES),
    )
    if dataset.kind == "ratings":
        view_settings = view_settings.override(**_read_groups_and_measures(dataset, view.controls))
    study = replace(open_without_exclusions(dataset, key, view_settings), contributors=view.contributors)
    if dataset.kind in WITH_GROUPS and dataset.kind != "ratings":
        chosen = [name for name in view.controls.get("group", ()) if name in study.groups]
        study = replace(study, candidate=chosen[0] if chosen else ALL_GROUPS)
    filtered = dataset.keeping(_read_filters(dataset, view.controls))
    filtered = filtered if view_settings.controls == "include" else without_controls(filtered)
    study, scenario = exclude_raters(replace(study, whole=filtered, dataset=filtered), view_settings)
    if view.path == "agreement":  # whose page has every group
        view_settings = replace(view_settings, groups=())
    return study, scenario, view_settings


def view_section(
    number: int, view: View, study: Study, scenario: Scenario, sections: Sequence[Section]
) -> Section:
    """Return the section of a view, numbered `number`: its note, settings, address and the sections of its page."""
    name = f"view-{number}"
    further = [f"{name.replace('_', ' ')} {listed(values)}" for name, values in _further_parameters(view)]
    notes: list[Sentence] = [("This view: {address}", {"address": view.address})]
    if not sections:
        reason = ", where a rule decides who is left out" if view.has_unrepeatable_rule else ""
        reason += (
            ": it needs the contributors of a pyramid, which were not found"
            if view.lacks_contributors
            else ""
        )
        notes.append((f"Its figures are at its address{reason}.", {}))
    elif further and view.path != "planning":
        applied = "groups, measures, filters, raters and seed"
        notes.append(
            (f"The figures here take its {applied}. What else was set there does not enter them.", {})
        )
    findings = [not_applicable("{line}", {"line": line}) for line in view.note.splitlines() if line.strip()]
    description = listed([*_describe_choices(study, scenario, view), *further], 20)
    findings.append(
        not_applicable(
            "Page <b>{page}</b>: {settings}; all else as the page usually has it.",
            {"page": view.page, "settings": description},
        )
    )
    section = merge_sections([Section(name, f"View: {view.name}", findings=findings, notes=notes), *sections])
    return replace(
        section,
        pictures=[replace(one, name=f"{name}-{one.name}") for one in section.pictures],
        tables=[replace(one, name=f"{name}-{one.name}") for one in section.tables],
    )


def _describe_choices(study: Study, scenario: Scenario, view: View) -> list[str]:
    """Return descriptions of the settings of a view that its figures apply."""
    descriptions = []
    if study.whole.kind == "ratings":
        all_of_them = study.measures == study.all_measures
        descriptions += [f"candidate {study.candidate}", f"reference {study.reference_name}"]
        descriptions.append("all measures" if all_of_them else f"measures {listed(study.measures, 12)}")
    elif study.groups:
        descriptions.append(f"votes of {study.candidate}")
    if study.whole.only:
        descriptions.append(f"only {filters_in_words(study.whole.only)}")
    if scenario.names:
        by = f" ({scenario.name})" if view.rule else ""
        descriptions.append(f"without {listed(scenario.names, 12)}{by}")
    elif view.controls.get("without") or (view.rule and not view.has_unrepeatable_rule):
        descriptions.append("with everyone" + (f", as {scenario.reason}" if scenario.reason else ""))
    if view.has_unrepeatable_rule:
        descriptions.append(f"left out by the rule {view.rule}")
    scopes = _chosen(view, "generalize", SCOPES), _chosen(view, "generalize_tasks", TASK_SCOPES)
    descriptions += [f"for {scope}" for scope in scopes if scope]
    return [*descriptions, f"seed {_seed(view)}"]


def _further_parameters(view: View) -> list[tuple[str, Sequence[str]]]:
    """Return the parameters of a view that are no choice of its groups, measures, filters, raters and seed."""
    return [
        (name, values)
        for name, values in view.controls.items()
        if name not in (*_APPLIED_PARAMETERS, *_KEY_PARAMETERS, *_seed_parameters(view), "all_columns")
        and not name.startswith(("only_", "with_"))
    ]


def _seed_parameters(view: View) -> tuple[str, ...]:
    return "seed", f"{view.path}_seed"


def _seed(view: View) -> int:
    for name in _seed_parameters(view):
        (text, *_) = view.controls.get(name, [""])
        if text.isdecimal() and len(text) <= _LONGEST_NUMBER:
            return int(text)
    return 0


def _chosen(view: View, control: str, allowed: Sequence[T]) -> T | None:
    return next((one for one in allowed if [one] == view.controls.get(control)), None)


def _excluded(dataset: Dataset, view: View) -> tuple[str, ...]:
    listed_raters = view.controls.get("without", ())
    if dataset.rater_column is None or not view.applied:
        return ()
    picked = [
        name
        for name in query(dataset, "rater_names")["name"].tolist()
        if distinct_label(name) in listed_raters
    ]
    line = None if view.has_unrepeatable_rule else line_of(view.controls)
    return (*picked, *([line] if line else []))


def _read_groups_and_measures(dataset: Dataset, controls: Mapping[str, Sequence[str]]) -> dict[str, object]:
    cells = query(dataset, "cells")
    groups = tuple(dict.fromkeys(cells["group"].tolist()))
    columns = [column.name for column in dataset.columns if column.role == "item number"]
    references = {distinct_label(name): name for name in groups}
    references |= {distinct_label(name + COLUMN_SUFFIX): name for name in columns} | {
        SPLIT_HALVES: NO_REFERENCE
    }
    candidates = [name for name in groups if distinct_label(name) in controls.get("candidate", ())]
    reference = next((references[name] for name in controls.get("reference", ()) if name in references), None)
    measures = {distinct_label(name): name for name in cells["measure"].tolist()}
    return {
        "groups": (candidates[0] if candidates else groups[usual_roles(groups)[0]],),
        "reference": reference,
        "measures": tuple(measures[name] for name in controls.get("measures", ()) if name in measures),
    }


def _read_filters(dataset: Dataset, controls: Mapping[str, Sequence[str]]) -> tuple[Filter, ...]:
    filters = []
    for column in columns_to_filter(dataset):
        key, names = column.removesuffix("_id"), selectable_names(dataset, column)
        text = controls.get(f"with_{key}", [""])[0]
        chosen = tuple(
            name for name in names or () if distinct_label(name) in controls.get(f"only_{key}", ())
        )
        if chosen:
            filters.append(Filter(column, chosen))
        elif names is None and text:
            filters.append(Filter(column, text=text))
    since, until = _parse_time(controls, "since"), _parse_time(controls, "until")
    if dataset.has("rated_at") and (since or until):
        filters.append(Filter("rated_at", since=since, until=until))
    return tuple(filters)


def _parse_time(controls: Mapping[str, Sequence[str]], end: str) -> datetime | None:
    try:
        return datetime.fromisoformat(controls.get(end, [""])[0]).replace(tzinfo=None)
    except ValueError:
        return None


def as_program(study: Study, scenario: Scenario, settings: ReportSettings, views: Sequence[View] = ()) -> str:
    """Return the program that builds the report, without readers' keys."""
    key = study.key if study.synthetic else ""
    named = [replace(view.without_keys, contributors=None) for view in views]
    linked = {"contributors": study.contributors, "comparisons": study.comparisons}
    arguments = "".join(f", {name}={name}" for name, dataset in linked.items() if dataset is not None)
    linked |= {f"contributors_{number}": view.contributors for number, view in enumerate(views)}
    imports = [
        "import json",
        "from dataclasses import replace",
        "from features.study import Session, use_session",
        "from report.build import build_from_study",
        "from report.files import html",
        "from report.files import results_json",
        "from report.settings import ReportSettings",
        "from report.settings import open_report_study",
        "from features.study import Scenario",
    ]
    if scenario.rule is not None:
        imports.append("from analysis.assessors.exclusion import ExclusionRule")
    if views:
        imports.append("from report.views import View")
    opening = list[str]()
    for name, dataset in linked.items():
        if dataset is not None:
            sample = SAMPLE_PYRAMIDS.get(study.key, "") if name == "contributors" else ""
            needed, lines = opened(sample, dataset, name)
            imports += needed
            opening += lines
    opening += [
        f"views[{number}] = replace(views[{number}], contributors=contributors_{number})"
        for number, view in enumerate(views)
        if view.contributors is not None
    ]
    excluded = study.dataset.without
    exclusion = f"    study = replace(study, dataset=dataset.leaving_out({literal(excluded)}))"
    return program(
        study,
        imports,
        [
            f"settings = {literal(settings)}",
            f"scenario = {literal(scenario)}  # who is left out, and by which rule",
            f"views = {literal(named)}",
            *opening,
            "with use_session(Session(store)):",
            f"    study, _ = open_report_study(dataset, {literal(key)}, replace(settings, without=()){arguments})",
            f"    study = replace(study, candidate={literal(study.candidate)})",
            *([exclusion] if excluded else []),
            "    made = build_from_study(study, scenario, settings, views=views)",
            "results = json.loads(results_json(made))",
            '(place / "report.html").write_text(html(made), encoding="utf-8")',
            'print("The report is", place / "report.html")',
        ],
        everyone=True,
    )


def file_name(dataset: Dataset, otherwise: str) -> str:
    """Return the file name of a data set, `otherwise` if it is unknown."""
    return str((read_report(dataset) or {}).get("file") or otherwise)


def extra_files(study: Study) -> dict[str, str]:
    """Return the files linked to a study, by their options."""
    besides = {"contributors": study.contributors, "comparisons": study.comparisons}
    there = {name: one for name, one in besides.items() if one is not None and not study.synthetic}
    return {name: file_name(one, one.name) for name, one in there.items()}
