"""A data set and what is asked of it become a report, in the current session, and why it lacks some sections."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import chain

from data.dataset import Dataset
from data.kinds.definitions import KINDS
from features.assessments import is_pairs
from features.blocks import add_doubts, not_applicable
from features.notices import holding_of, no_candidates, what_passes
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
from report.asked import RATERS, Asked, as_command, opened
from report.blocks import Report, Section
from report.views import SHOWS, View, file_of, files_besides, opened_at
from report.views import section as of_view

NAMED = {
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
    "planning": data_sections.PLANNING_TITLE,
    "collection": COLLECT,
    "heds": "Human evaluation datasheet",
}
"""Names of the sections where they are chosen; no data set has both `raters` and `workers`."""
RENAMED = {"The workers": "The raters"}
"""Former names of sections, in old addresses."""
_ABOUT = {
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
"""The kinds of data set that a section is about; all, where it is not named."""
_MADE_AS = {"pairs-of-systems": "systems"}
"""Sections that are made in place of, or besides, those that are chosen."""
OF_RATERS = ("variance", "raters", "workers", "standing-in")
"""Sections that compare raters, which none has where nobody is named."""
_NEEDS = {"variance": "rater_id", "raters": "rater_id", "systems": "system", "labels": "gold"}


def offered(study: Study, with_any_reference: bool = False) -> list[str]:
    """Return the sections that a study can have, or with some other reference could have."""
    some = with_any_reference and (len(study.groups) > 1 or bool(study.whole.named("item number")))
    there, replaceable = ["data"], ["standing-in"] if has_candidates(study) else []
    if study.whole.kind == "ratings":
        known = study.whole.has("rater_id")
        there += [
            "agreement",
            *(["variance"] if known else []),
            *(["groups"] if study.comparable or some else []),
        ]
        there += [*replaceable, "repetitions", *(["raters"] if known else []), "items"]
        there += ["metrics"] if study.whole.named("item number") else []
        there += ["systems"] if study.whole.has("system") else []
        there += ["planning", "collection"]
    elif study.whole.kind == "choices":
        pairs = is_pairs(study)
        known = study.whole.has("gold") or study.whole.has("expert")
        there += [*(["systems"] if pairs else []), *(["labels"] if known or not pairs else [])]
        there += ["workers", *replaceable, "repetitions"]
        there += ["planning"] if pairs else []
        there.append("collection")
    elif study.whole.kind == "label sets":
        there += ["agreement", "labels", "workers"]
    elif study.whole.kind == "rankings":
        there += ["systems", "workers"]
    else:
        there += [study.whole.kind, *(["metrics"] if study.whole.named("item number") else [])]
    persons = study.raters_are_persons
    return [*(name for name in there if persons or name not in OF_RATERS), "heds"]


def has_candidates(study: Study) -> bool:
    """Return True where the page Replacing raters is listed for the data set."""
    rated = study.whole.kind in ("ratings", "choices")
    return rated and no_candidates(holding_of(study.whole)) is None


def facts_about(study: Study, asked: Asked, views: int = 0) -> Sentence:
    """Return what a report will hold."""
    there = offered(study)
    named = [NAMED[name] for name in there if asked.wants(name)]
    lacking = [why_missing(study, name) for name in _lacking(asked, there)]
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


def _lacking(asked: Asked, there: Collection[str]) -> list[str]:
    """Return the sections that were chosen and are not there, under no name."""
    raters = RATERS if any(name in there for name in RATERS) else ()
    return [name for name in asked.sections if name not in (*there, *raters)]


def missing(study: Study, asked: Asked, made: Collection[str]) -> Section | None:
    """Return why chosen sections are not among those made; None where all are."""
    lacking = _lacking(asked, {"heds", *(_MADE_AS.get(name, name) for name in made)})
    if not lacking:
        return None
    return Section(
        "missing",
        "Chosen, but not possible",
        findings=[not_applicable("{why}", {"why": why_missing(study, name)}) for name in lacking],
    )


def why_missing(study: Study, name: str) -> str:
    """Return why a section that was chosen cannot be made."""
    return f"'{NAMED[name]}' is missing: {_why(study, name)}."


def _why(study: Study, name: str) -> str:
    whole = study.whole
    about, column = _ABOUT.get(name, (whole.kind,)), _NEEDS.get(name)
    if whole.kind not in about:
        return f"it is about {listed([KINDS[kind].rows for kind in about])}"
    if name in OF_RATERS and not study.raters_are_persons:
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
    if whole.kind == "choices" and name in ("systems", "planning") and not is_pairs(study):
        return "it is about choices between two systems"
    return "these data do not say enough for it"


PACKAGES = ("numpy", "scipy", "pandas", "duckdb", "plotly")


def report_of(
    dataset: Dataset,
    key: str,
    asked: Asked,
    address: str = "",
    contributors: Dataset | None = None,
    comparisons: Dataset | None = None,
) -> Report:
    """Return the report of a data set, with the address of its view and the tables that belong to it."""
    study, scenario = opened(dataset, key, asked, contributors, comparisons)
    return of_study(study, scenario, asked, address)


def of_study(
    study: Study,
    scenario: Scenario,
    asked: Asked,
    address: str = "",
    tell: Callable[[str, float], object] = lambda title, done: None,
    views: Sequence[View] = (),
) -> Report:
    """Return the report of an open study and its excluded raters.

    `tell` gets the title of each section and the share that is done; each of `views` becomes a section.
    """
    made: list[Section] = []
    of = max(sum(map(asked.wants, offered(study))) + len(views), 1)
    for section in chain(_doubting(study, scenario, asked), _of_views(study, asked, views)):
        made.append(section)
        tell(section.title, min(len(made) / of, 1.0))
    return Report(
        title=asked.title or study.whole.name,
        notes=asked.notes,
        sections=made,
        facts=_facts(study, asked, address),
        settings=asdict(asked),
    )


def _of_views(study: Study, asked: Asked, views: Sequence[View]) -> Iterator[Section]:
    for at, view in enumerate(views, 1):
        seen, scenario, there = opened_at(study.whole.as_saved, study.key, view, asked)
        yield of_view(at, view, seen, scenario, _parts_of(view, seen, scenario, there))


def _parts_of(view: View, study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Return what the sections of a view's page say under its settings."""
    if view.path == "planning":
        plan = data_sections.of_view(study, view.controls)
        return [] if plan is None else [plan]
    told = view.path in SHOWS and not view.ruled
    return list(_doubting(study, scenario, asked)) if told else []


def _doubting(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    """Yield the sections, their conclusions with what looks wrong about the data."""
    doubts = tuple((read_report(study.whole) or {}).get("doubts", ()))
    for section in _sections(study, scenario, asked):
        if section.concludes:
            yield replace(
                section,
                findings=[add_doubts(one, doubts) for one in section.findings],
                details=[add_doubts(one, doubts) for one in section.details],
            )
        else:
            yield section


def _sections(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    made = list[Section]()
    for section in _of_kind(study, scenario, asked):
        made.append(section)
        yield section
    rows = query(study.dataset, "overview")["rows"][0]
    if rows:
        yield from _if_any(missing(study, asked, {section.name for section in made}))
    if asked.wants("heds") and rows:
        yield heds_sections.section(study, scenario, made)


def _of_kind(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    if asked.wants("data"):
        yield data_sections.section(study, scenario)
    if not query(study.dataset, "overview")["rows"][0]:
        return
    match study.whole.kind:
        case "ratings":
            yield from _of_ratings(study, scenario, asked)
        case "choices":
            yield from _of_choices(study, scenario, asked)
        case "label sets":
            yield from choices_sections.label_sets(study, scenario, asked)
        case "rankings":
            yield from choices_sections.rankings(study, scenario, asked)
        case "comprehension" if asked.wants("comprehension"):
            yield from choices_sections.comprehension(study, scenario, asked)
        case "relevance":
            yield from choices_sections.relevance(study, scenario, asked)
    if study.whole.kind in ("ratings", "choices"):
        if asked.wants("planning"):
            yield from _if_any(data_sections.planning(study, asked))
        if asked.wants("collection"):
            yield from _if_any(data_sections.collection(study))


def _of_ratings(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    if asked.wants("agreement"):
        yield ratings_sections.agreement(study, scenario, asked)
    if asked.wants("variance") and study.whole.has("rater_id") and study.raters_are_persons:
        yield from _if_any(raters_sections.variance(study, asked))
    if asked.wants("groups"):
        yield from ratings_sections.comparisons(study, scenario, asked)
    yield from _standing_in(study, asked)
    if asked.wants("repetitions"):
        yield from ratings_sections.repetitions(study, asked)
    if asked.wants("raters"):
        yield from raters_sections.sections(study, scenario, asked)
        yield from _if_any(ratings_sections.pyramid(study, scenario, asked))
    if asked.wants("items"):
        yield from _if_any(ratings_sections.items(study, asked))
    if asked.wants("metrics"):
        yield from _if_any(ratings_sections.metrics(study, scenario, asked))
    if asked.wants("systems"):
        yield from ratings_sections.systems(study, scenario, asked)


def _if_any(section: Section | None) -> Iterator[Section]:
    if section is not None:
        yield section


def _of_choices(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    if asked.wants("systems"):
        yield from choices_sections.systems(study, asked)
    if asked.wants("labels"):
        yield from _if_any(ratings_sections.labels(study, asked))
    if asked.wants("workers") and study.raters_are_persons:
        yield choices_sections.workers(study, scenario)
    yield from _standing_in(study, asked)
    if asked.wants("repetitions"):
        yield ratings_sections.vote_repetitions(study, asked)


def _standing_in(study: Study, asked: Asked) -> Iterator[Section]:
    if asked.wants("standing-in") and has_candidates(study):
        yield from _if_any(raters_sections.standing_in(study, asked))


def _facts(study: Study, asked: Asked, address: str) -> list[tuple[str, str]]:
    file = study.key if study.synthetic else file_of(study.whole, "FILE")
    rows = f", of only {what_passes(study.whole.only)}" if study.whole.only else ""
    used = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        ("Data set", study.whole.name),
        ("Content hash (SHA-256)", study.whole.sha256),
        ("Imported", f"{study.whole.created:%Y-%m-%d %H:%M} UTC"),
        *([("Address of this view", address)] if address else []),
        ("Seed of all draws", str(asked.seed)),
        ("Made with", f"Raterscope; {used}"),
        (
            "Repeated by",
            f"{as_command(asked, file, files_besides(study))}{rows} (equal if its content hash is)",
        ),
    ]
