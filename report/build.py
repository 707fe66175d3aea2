"""Build the report of a data set in the current session, and explain missing sections."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import chain

from data.dataset import Dataset
from data.kinds.definitions import KINDS
from features.assessments import is_pairs
from features.blocks import add_doubts, not_applicable
from features.notices import filters_in_words, holding_of, no_candidates
from features.planning.specs import COLLECT
from features.study import Scenario, Study, query, read_report
from features.words import Sentence, counted, listed
from report import (
    choices_sections,
    data_sections,
    heds_sections,
    raters_sections,
    ratings_sections,
)
from report.blocks import Report, Section
from report.settings import SAME_SECTION, ReportSettings, as_command, open_report_study
from report.views import SECTION_OF_PAGE, View, extra_files, file_name, open_view, view_section

SECTION_TITLES = {
    "data": "The data",
    "agreement": "Agreement of the raters",
    "variance": raters_sections.VARIANCE_TITLE,
    "groups": "Groups compared",
    "standing-in": "Replacing raters",
    "repetitions": "How many ratings are enough",
    "raters": "The raters",
    "items": ratings_sections.ITEMS_TITLE,
    "metrics": ratings_sections.METRICS_TITLE,
    "labels": ratings_sections.LABELS_TITLE,
    "systems": "Systems",
    "workers": "The raters",
    "comprehension": "How much is shared",
    "relevance": "Which summaries suffice",
    "planning": COLLECT,
    "collection": COLLECT,
    "heds": "Human evaluation datasheet",
}
"""Titles of the sections in the control that selects them; no data set has two of the same title."""
FORMER_TITLES = {"The workers": "The raters", data_sections.PLANNING_TITLE: COLLECT}
"""Former titles of sections in old addresses, and their present ones."""
_KINDS_OF_SECTION = {
    "agreement": ("ratings", "label sets"),
    **dict.fromkeys(("variance", "groups", "raters", "items"), ("ratings",)),
    **dict.fromkeys(("standing-in", "repetitions", "planning", "collection"), ("ratings", "choices")),
    "systems": ("ratings", "choices", "rankings"),
    "labels": ("choices", "label sets"),
    "workers": ("choices", "label sets", "rankings"),
    "metrics": ("ratings", "comprehension", "relevance"),
    "comprehension": ("comprehension",),
    "relevance": ("relevance",),
}
"""Kinds of data sets for which a section exists; all kinds by default."""
_PARENT_SECTION = {"pairs-of-systems": "systems"}
"""Sections that belong to another section, by which they are selected."""
RATER_SECTIONS = ("variance", "raters", "workers", "standing-in")
"""Sections that compare raters; they need named raters."""
_REQUIRED_COLUMN = {"variance": "rater_id", "raters": "rater_id", "systems": "system", "labels": "gold"}


def available_sections(study: Study, with_any_reference: bool = False) -> list[str]:
    """Return the sections that are possible for a study, optionally with another reference."""
    some = with_any_reference and (len(study.groups) > 1 or bool(study.whole.named("item number")))
    available, replaceable = ["data"], ["standing-in"] if has_candidates(study) else []
    if study.whole.kind == "ratings":
        known = study.whole.has("rater_id")
        available += [
            "agreement",
            *(["variance"] if known else []),
            *(["groups"] if study.comparable or some else []),
        ]
        available += [*replaceable, "repetitions", *(["raters"] if known else []), "items"]
        available += ["metrics"] if study.whole.named("item number") else []
        available += ["systems"] if study.whole.has("system") else []
        available.append("collection")
    elif study.whole.kind == "choices":
        pairs = is_pairs(study)
        known = study.whole.has("gold") or study.whole.has("expert")
        available += [*(["systems"] if pairs else []), *(["labels"] if known or not pairs else [])]
        available += ["workers", *replaceable, "repetitions", "collection"]
    elif study.whole.kind == "label sets":
        available += ["agreement", "labels", "workers"]
    elif study.whole.kind == "rankings":
        available += ["systems", "workers"]
    else:
        available += [study.whole.kind, *(["metrics"] if study.whole.named("item number") else [])]
    persons = study.raters_are_persons
    return [*(name for name in available if persons or name not in RATER_SECTIONS), "heds"]


def has_candidates(study: Study) -> bool:
    """Return True if the page Replacing raters is listed for the data set."""
    rated = study.whole.kind in ("ratings", "choices")
    return rated and no_candidates(holding_of(study.whole)) is None


def describe_report(study: Study, settings: ReportSettings, views: int = 0) -> Sentence:
    """Return the sentence that describes the content of a report before it is built."""
    available = available_sections(study)
    named = [SECTION_TITLES[name] for name in available if settings.wants(name)]
    lacking = [explain_missing(study, name) for name in _unavailable(settings, available)]
    return (
        "The report of <b>{name}</b> has {sections}{views}{named}.{lacking} It is one file with the findings, figures, "
        "tables and methods of the pages; making it can take a minute.",
        {
            "name": study.whole.name,
            "sections": counted(len(named), "section") if named else "no section",
            "views": f" and {counted(views, 'kept view')}" if views else "",
            "named": f": {listed([name[:1].lower() + name[1:] for name in named], len(named))}"
            if named
            else "",
            "lacking": "".join(f" {why}" for why in lacking),
        },
    )


def _unavailable(settings: ReportSettings, available: Collection[str]) -> list[str]:
    """Return the selected sections that are not available under any of their names."""
    return [name for name in settings.sections if not {*SAME_SECTION.get(name, (name,))} & {*available}]


def missing_sections(study: Study, settings: ReportSettings, made: Collection[str]) -> Section | None:
    """Return the section that explains why selected sections are missing; None if there are none."""
    lacking = _unavailable(settings, {"heds", *(_PARENT_SECTION.get(name, name) for name in made)})
    if not lacking:
        return None
    return Section(
        "missing",
        "Chosen, but not possible",
        findings=[not_applicable("{why}", {"why": explain_missing(study, name)}) for name in lacking],
    )


def explain_missing(study: Study, name: str) -> str:
    """Return the sentence that explains why a selected section is missing."""
    return f"'{SECTION_TITLES[name]}' is missing: {_reason_missing(study, name)}."


def _reason_missing(study: Study, name: str) -> str:
    whole = study.whole
    about, column = _KINDS_OF_SECTION.get(name, (whole.kind,)), _REQUIRED_COLUMN.get(name)
    if whole.kind not in about:
        return f"it is about {listed([KINDS[kind].rows for kind in about])}"
    if name in RATER_SECTIONS and not study.raters_are_persons:
        return f"it compares raters, and nobody is named who gave these {KINDS[whole.kind].rows}"
    if name == "groups":
        if study.reference == study.candidate:
            return f"{study.candidate} is its own reference"
        if len(study.groups) > 1 or whole.named("item number"):
            return f"no reference is chosen to hold {study.candidate} against"
        return "there is no other group, and no number of the items, to hold the ratings against"
    if column and not whole.has(column) and not (name == "systems" and whole.kind != "ratings"):
        return f"it needs a column {column}"
    if name == "metrics" and not whole.named("item number"):
        return "no further numbers of the items are known"
    if name == "standing-in" and not has_candidates(study):
        return "all raters are of one group, and nothing else is known of the items"
    if whole.kind == "choices" and name == "systems" and not is_pairs(study):
        return "it is about choices between two systems"
    return "these data do not say enough for it"


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
    made: list[Section] = []
    of = max(sum(map(settings.wants, available_sections(study))) + len(views), 1)
    for section in chain(
        _sections_with_doubts(study, scenario, settings), _view_sections(study, settings, views)
    ):
        made.append(section)
        on_progress(section.title, min(len(made) / of, 1.0))
    return Report(
        title=settings.title or study.whole.name,
        notes=settings.notes,
        sections=made,
        facts=_facts(study, settings, address),
        settings=asdict(settings),
    )


def _view_sections(study: Study, settings: ReportSettings, views: Sequence[View]) -> Iterator[Section]:
    for at, view in enumerate(views, 1):
        seen, scenario, available = open_view(study.whole.as_saved, study.key, view, settings)
        yield view_section(at, view, seen, scenario, _page_sections(view, seen, scenario, available))


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
    made = list[Section]()
    for section in _sections_by_kind(study, scenario, settings):
        made.append(section)
        yield section
    rows = query(study.dataset, "overview")["rows"][0]
    if rows:
        yield from _optional(missing_sections(study, settings, {section.name for section in made}))
    if settings.wants("heds") and rows:
        yield heds_sections.section(study, scenario, made)


def _sections_by_kind(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    if settings.wants("data"):
        yield data_sections.section(study, scenario)
    if not query(study.dataset, "overview")["rows"][0]:
        return
    match study.whole.kind:
        case "ratings":
            yield from _rating_sections(study, scenario, settings)
        case "choices":
            yield from _choice_sections(study, scenario, settings)
        case "label sets":
            yield from choices_sections.label_sets(study, scenario, settings)
        case "rankings":
            yield from choices_sections.rankings(study, scenario, settings)
        case "comprehension" if settings.wants("comprehension"):
            yield from choices_sections.comprehension(study, scenario, settings)
        case "relevance":
            yield from choices_sections.relevance(study, scenario, settings)
    if study.whole.kind in ("ratings", "choices") and settings.wants("collection"):
        yield from _optional(data_sections.collection(study))


def _rating_sections(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    if settings.wants("agreement"):
        yield ratings_sections.agreement(study, scenario, settings)
    if settings.wants("variance") and study.whole.has("rater_id") and study.raters_are_persons:
        yield from _optional(raters_sections.variance(study, settings))
    if settings.wants("groups"):
        yield from ratings_sections.comparisons(study, scenario, settings)
    yield from _replacement_section(study, settings)
    if settings.wants("repetitions"):
        yield from ratings_sections.repetitions(study, settings)
    if settings.wants("raters"):
        yield from raters_sections.sections(study, scenario, settings)
        yield from _optional(ratings_sections.pyramid(study, scenario, settings))
    if settings.wants("items"):
        yield from _optional(ratings_sections.items(study, settings))
    if settings.wants("metrics"):
        yield from _optional(ratings_sections.metrics(study, scenario, settings))
    if settings.wants("systems"):
        yield from ratings_sections.systems(study, scenario, settings)


def _optional(section: Section | None) -> Iterator[Section]:
    if section is not None:
        yield section


def _choice_sections(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    if settings.wants("systems"):
        yield from choices_sections.systems(study, settings)
    if settings.wants("labels"):
        yield from _optional(ratings_sections.labels(study, settings))
    if settings.wants("workers") and study.raters_are_persons:
        yield choices_sections.workers(study, scenario)
    yield from _replacement_section(study, settings)
    if settings.wants("repetitions"):
        yield ratings_sections.vote_repetitions(study, settings)


def _replacement_section(study: Study, settings: ReportSettings) -> Iterator[Section]:
    if settings.wants("standing-in") and has_candidates(study):
        yield from _optional(raters_sections.standing_in(study, settings))


def _facts(study: Study, settings: ReportSettings, address: str) -> list[tuple[str, str]]:
    file = study.key if study.synthetic else file_name(study.whole, "FILE")
    rows = f", of only {filters_in_words(study.whole.only)}" if study.whole.only else ""
    used = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        ("Data set", study.whole.name),
        ("Content hash (SHA-256)", study.whole.sha256),
        ("Imported", f"{study.whole.created:%Y-%m-%d %H:%M} UTC"),
        *([("Address of this view", address)] if address else []),
        ("Seed of all draws", str(settings.seed)),
        ("Made with", f"Raterscope; {used}"),
        (
            "Repeated by",
            f"{as_command(settings, file, extra_files(study))}{rows} (equal if its content hash is)",
        ),
    ]
