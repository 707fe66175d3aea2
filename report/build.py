"""A data set and what is asked of it become a report, in the current session."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import chain

from data.dataset import Dataset
from features.blocks import add_doubts
from features.notices import what_passes
from features.results import query, read_report
from features.study import Scenario, Study
from report.chosen import has_candidates, missing, offered
from report.parts.asked import Asked, as_command, opened
from report.parts.model import Report, Section
from report.parts.views import SHOWS, View, file_of, files_besides, opened_at
from report.parts.views import section as of_view
from report.sections import choices, data, heds, planning, raters, ratings

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
        plan = planning.of_view(study, view.controls)
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
        yield heds.section(study, scenario, made)


def _of_kind(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    if asked.wants("data"):
        yield data.section(study, scenario)
    if not query(study.dataset, "overview")["rows"][0]:
        return
    match study.whole.kind:
        case "ratings":
            yield from _of_ratings(study, scenario, asked)
        case "choices":
            yield from _of_choices(study, scenario, asked)
        case "label sets":
            yield from choices.label_sets(study, scenario, asked)
        case "rankings":
            yield from choices.rankings(study, scenario, asked)
        case "comprehension" if asked.wants("comprehension"):
            yield from choices.comprehension(study, scenario, asked)
        case "relevance":
            yield from choices.relevance(study, scenario, asked)
    if study.whole.kind in ("ratings", "choices"):
        if asked.wants("planning"):
            yield from _if_any(planning.section(study, asked))
        if asked.wants("collection"):
            yield from _if_any(planning.collection(study))


def _of_ratings(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    if asked.wants("agreement"):
        yield ratings.agreement(study, scenario, asked)
    if asked.wants("variance") and study.whole.has("rater_id") and study.raters_are_persons:
        yield from _if_any(raters.variance(study, asked))
    if asked.wants("groups"):
        yield from ratings.comparisons(study, scenario, asked)
    yield from _standing_in(study, asked)
    if asked.wants("repetitions"):
        yield from ratings.repetitions(study, asked)
    if asked.wants("raters"):
        yield from raters.sections(study, scenario, asked)
        yield from _if_any(ratings.pyramid(study, scenario, asked))
    if asked.wants("items"):
        yield from _if_any(ratings.items(study, asked))
    if asked.wants("metrics"):
        yield from _if_any(ratings.metrics(study, scenario, asked))
    if asked.wants("systems"):
        yield from ratings.systems(study, scenario, asked)


def _if_any(section: Section | None) -> Iterator[Section]:
    if section is not None:
        yield section


def _of_choices(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    if asked.wants("systems"):
        yield from choices.systems(study, asked)
    if asked.wants("labels"):
        yield from _if_any(ratings.labels(study, asked))
    if asked.wants("workers") and study.raters_are_persons:
        yield choices.workers(study, scenario)
    yield from _standing_in(study, asked)
    if asked.wants("repetitions"):
        yield ratings.vote_repetitions(study, asked)


def _standing_in(study: Study, asked: Asked) -> Iterator[Section]:
    if asked.wants("standing-in") and has_candidates(study):
        yield from _if_any(raters.standing_in(study, asked))


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
