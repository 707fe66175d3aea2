"""Build the report of a data set in the current session, and explain missing sections."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import chain

from data.dataset import Dataset
from data.kinds.definitions import KINDS
from features.assessments import is_pairs
from features.blocks import add_doubts, not_applicable
from features.notices import filters_in_words, holding_of, no_candidates
from features.study import Scenario, Study, query, read_report
from features.words import Sentence, counted, listed
from report import choices_sections, data_sections, heds_sections, raters_sections, ratings_sections
from report.blocks import Report, Section
from report.settings import SAME_SECTION, SECTION_TITLES, ReportSettings, as_command, open_report_study
from report.views import SECTION_OF_PAGE, View, extra_files, file_name, open_view, view_section

Make = Callable[[Study, Scenario, ReportSettings], Iterable[Section]]
_SECTIONS: Mapping[str, Mapping[str, Make]] = {
    "ratings": {
        "agreement": ratings_sections.agreement,
        "variance": raters_sections.variance,
        "groups": ratings_sections.comparisons,
        "standing-in": raters_sections.standing_in,
        "repetitions": ratings_sections.repetitions,
        "raters": raters_sections.raters,
        "items": ratings_sections.items,
        "metrics": ratings_sections.metrics,
        "systems": ratings_sections.systems,
        "collection": data_sections.collection,
    },
    "choices": {
        "systems": choices_sections.systems,
        "labels": ratings_sections.labels,
        "workers": choices_sections.workers,
        "standing-in": raters_sections.standing_in,
        "repetitions": ratings_sections.vote_repetitions,
        "collection": data_sections.collection,
    },
    "label sets": {
        "agreement": choices_sections.set_agreement,
        "labels": choices_sections.crowd_sets,
        "workers": choices_sections.labelers,
    },
    "rankings": {"systems": choices_sections.rankings, "workers": choices_sections.rankers},
    "comprehension": {"comprehension": choices_sections.comprehension},
    "relevance": {"relevance": choices_sections.relevance, "metrics": choices_sections.surrogate_metrics},
}
"""Functions of the sections of each kind of study, in the order of a report; the data and the datasheet are in all."""
FORMER_TITLES = {
    "The workers": "The raters",
    data_sections.PLANNING_TITLE: SECTION_TITLES["collection"],
    "Human evaluation datasheet": SECTION_TITLES["heds"],
}
"""Former titles of sections in old addresses, and their present ones."""
_PARENT_SECTION = {"pairs-of-systems": "systems"}
"""Sections that belong to another section, by which they are selected."""
RATER_SECTIONS = ("variance", "raters", "workers", "standing-in")
"""Sections that compare raters; they need named raters."""
_REQUIRED_COLUMN = {"variance": "rater_id", "raters": "rater_id", "systems": "system"}
"""Columns that sections on ratings need."""


def available_sections(study: Study, with_any_reference: bool = False) -> list[str]:
    """Return the sections that are possible for a study, optionally with another reference."""
    possible = [
        name for name in _SECTIONS[study.whole.kind] if not _obstacle(study, name, with_any_reference)
    ]
    return ["data", *possible, "heds"]


def describe_report(study: Study, settings: ReportSettings, views: int = 0) -> Sentence:
    available = available_sections(study)
    wanted = sum(map(settings.wants, available))
    lacking = [explain_missing(study, name) for name in _unavailable(settings, available)]
    return (
        "The report of <b>{name}</b> has {sections}{views}.{lacking} It is one file with the findings, figures, tables "
        "and methods of the pages; making it can take a minute.",
        {
            "name": study.whole.name,
            "sections": counted(wanted, "section") if wanted else "no section",
            "views": f" and {counted(views, 'kept view')}" if views else "",
            "lacking": "".join(f" {why}" for why in lacking),
        },
    )


def _unavailable(settings: ReportSettings, available: Collection[str]) -> list[str]:
    """Return the selected sections that are not available under any of their names."""
    return [name for name in settings.sections if not {*SAME_SECTION.get(name, (name,))} & {*available}]


def missing_sections(
    study: Study, settings: ReportSettings, section_names: Collection[str]
) -> Section | None:
    """Return the section that explains why selected sections are missing; None if there are none."""
    lacking = _unavailable(settings, {"heds", *(_PARENT_SECTION.get(name, name) for name in section_names)})
    if not lacking:
        return None
    return Section(
        "missing",
        "Chosen, but not possible",
        findings=[not_applicable("{why}", {"why": explain_missing(study, name)}) for name in lacking],
    )


def explain_missing(study: Study, name: str) -> str:
    why = _obstacle(study, name) or "these data do not say enough for it"
    return f"'{SECTION_TITLES[name]}' is missing: {why}."


def _obstacle(study: Study, name: str, with_any_reference: bool = False) -> str:
    """Return why a study cannot have a section; "" where it can."""
    dataset, rows = study.whole, KINDS[study.whole.kind].rows
    if name not in _SECTIONS[dataset.kind]:
        kinds = [KINDS[kind].rows for kind, sections in _SECTIONS.items() if name in sections]
        return f"it is about {listed(kinds)}"
    if name in RATER_SECTIONS and not study.raters_are_persons:
        return f"it compares raters, and nobody is named who gave these {rows}"
    column, numbers = _REQUIRED_COLUMN.get(name), dataset.named("item number")
    if dataset.kind == "ratings" and column and not dataset.has(column):
        return f"it needs a column {column}"
    match name:
        case "groups" if not study.comparable:
            if len(study.groups) < 2 and not numbers:
                return "there is no other group, and no number of the items, to hold the ratings against"
            if study.reference == study.candidate:
                chosen = f"{study.candidate} is its own reference"
            else:
                chosen = f"no reference is chosen to hold {study.candidate} against"
            return "" if with_any_reference else chosen
        case "metrics" if not numbers and dataset.kind == "ratings":
            return "no further numbers of the items are known"
        case "standing-in" if no_candidates(holding_of(dataset)) is not None:
            return "all raters are of one group, and nothing else is known of the items"
        case "labels" if (
            dataset.kind == "choices"
            and is_pairs(study)
            and not (dataset.has("gold") or dataset.has("expert"))
        ):
            return "it needs a column gold"
        case "systems" if dataset.kind == "choices" and not is_pairs(study):
            return "it is about choices between two systems"
    return ""


PACKAGES = ("numpy", "scipy", "pandas", "duckdb", "plotly")


def build_report(
    dataset: Dataset,
    key: str,
    settings: ReportSettings,
    address: str = "",
    contributors: Dataset | None = None,
    comparisons: Dataset | None = None,
) -> Report:
    """Open a data set with its linked tables and return its report."""
    study, scenario = open_report_study(dataset, key, settings, contributors, comparisons)
    return build_from_study(study, scenario, settings, address)


def build_from_study(
    study: Study,
    scenario: Scenario,
    settings: ReportSettings,
    address: str = "",
    on_progress: Callable[[str, float], object] = lambda title, done: None,
    views: Sequence[View] = (),
) -> Report:
    """Return the report of an open study without its excluded raters.

    `on_progress` receives the title of each section and the share completed; each of `views` becomes a section.
    """
    sections: list[Section] = []
    total = max(sum(map(settings.wants, available_sections(study))) + len(views), 1)
    for section in chain(
        _sections_with_doubts(study, scenario, settings), _view_sections(study, settings, views)
    ):
        sections.append(section)
        on_progress(section.title, min(len(sections) / total, 1.0))
    return Report(
        title=settings.title or study.whole.name,
        notes=settings.notes,
        sections=sections,
        facts=_facts(study, settings, address),
        settings=asdict(settings),
    )


def _view_sections(study: Study, settings: ReportSettings, views: Sequence[View]) -> Iterator[Section]:
    for number, view in enumerate(views, 1):
        seen, scenario, available = open_view(study.whole.as_saved, study.key, view, settings)
        yield view_section(number, view, seen, scenario, _page_sections(view, seen, scenario, available))


def _page_sections(view: View, study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the sections of a view's page under the settings of the view."""
    if view.path == "planning":
        plan = data_sections.plan_section_of_view(study, view.controls)
        return [] if plan is None else [plan]
    told = view.path in SECTION_OF_PAGE and not view.has_unrepeatable_rule
    return list(_sections_with_doubts(study, scenario, settings)) if told else []


def _sections_with_doubts(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the sections, with the doubts about the import added to their findings."""
    doubts = tuple((read_report(study.whole) or {}).get("doubts", ()))
    for section in _sections(study, scenario, settings):
        if section.has_conclusions:
            yield replace(
                section,
                findings=[add_doubts(one, doubts) for one in section.findings],
                details=[add_doubts(one, doubts) for one in section.details],
            )
        else:
            yield section


def _sections(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    if settings.wants("data"):
        yield data_sections.section(study, scenario)
    if not query(study.dataset, "overview")["rows"][0]:
        return
    sections = list[Section]()
    for name, make in _SECTIONS[study.whole.kind].items():
        if settings.wants(name) and not _obstacle(study, name):
            for section in make(study, scenario, settings):
                sections.append(section)
                yield section
    missing = missing_sections(study, settings, {"data", *(section.name for section in sections)})
    if missing is not None:
        yield missing
    if settings.wants("heds"):
        yield heds_sections.section(study, scenario, sections)


def _facts(study: Study, settings: ReportSettings, address: str) -> list[tuple[str, str]]:
    file = study.key if study.synthetic else file_name(study.whole, "FILE")
    rows = f", of only {filters_in_words(study.whole.only)}" if study.whole.only else ""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        ("Data set", study.whole.name),
        ("Content hash (SHA-256)", study.whole.sha256),
        ("Imported", f"{study.whole.created:%Y-%m-%d %H:%M} UTC"),
        *([("Address of this view", address)] if address else []),
        ("Seed of all draws", str(settings.seed)),
        ("Made with", f"Raterscope; {packages}"),
        (
            "Repeated by",
            f"{as_command(settings, file, extra_files(study))}{rows} (equal if its content hash is)",
        ),
    ]
