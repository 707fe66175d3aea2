"""The systems: who is on top and how surely."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from analysis.assessors.exclusion import ExclusionSpec
from analysis.systems.system_ranking import system_ranking
from analysis.values.names import shorten
from charts.systems.scores import score_dots
from features.assessments import names
from features.blocks import Finding
from features.study import Scenario, Study
from features.verdicts import uncertain
from features.words import listed
from findings.assessors import rankings
from findings.systems import scores
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Picture, Section, Table, given
from report.parts.opening import of_each_group


def of_ratings(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Each group's systems on every measure, where the items have systems."""
    if not study.whole.has("system"):
        return []
    studies = of_each_group(study, asked)
    made = {each.candidate: _section(each, scenario, asked) for each in studies}
    parts = {group: one for group, one in made.items() if one is not None}
    return of_all(parts, [_of_all(parts)])


def _of_all(parts: Mapping[str, Section]) -> Finding:
    """Which system each group puts first, by the first measure."""
    first: dict[str, list[str]] = {}
    for group, part in parts.items():
        if part.tables:
            first.setdefault(str(part.tables[0].shown[0]["System"].iloc[0]), []).append(group)
    told = "; ".join(f"{shorten(system)} ({listed(groups, 9)})" for system, groups in first.items())
    return uncertain(
        "First by the ratings of each group: <b>{told}</b>; which are told apart stands below.",
        {"told": told},
    )


def _section(study: Study, scenario: Scenario, asked: Asked) -> Section | None:
    measures = [measure for measure in study.measures if rankings.outline(study, measure).has_systems]
    if not measures:
        return None
    bootstrap = asked.bootstrap()
    spec = ExclusionSpec(draws=bootstrap.draws, seed=bootstrap.seed)
    called, without = names(study, "system"), scenario.applied and scenario.excludes
    findings, pictures, tables, notes = [], [], [], []
    for nth, measure in enumerate(measures):
        point = rankings.point(study, measure, scenario, spec)
        drawn = given(rankings.intervals_of(study, measure, scenario, spec))
        each = rankings.ratings_of_each(study, measure, scenario if without else Scenario())
        low = scores.low_is_first(measure)
        ranking = system_ranking(point, drawn, np.asarray(each), without, low)
        raters = point.raters_left if without else point.raters
        findings.append(scores.finding(ranking, called, measure, raters, scenario, low))
        if not len(ranking):
            continue
        notes = scores.notes(
            point, drawn, ranking, called, without, rankings.outline(study, measure).has_topics
        )
        tables.append(
            Table(
                f"systems-{nth + 1}",
                ("Systems by {measure}, the first on top; those that share a letter are not told apart.",
                 {"measure": measure}),
                scores.table(ranking, called),
                scores.few_columns(ranking),
            )
        )  # fmt: skip
        pictures.append(
            Picture(
                f"systems-{nth + 1}",
                ("Score of each system by {measure} with its interval.", {"measure": measure}),
                partial(score_dots, ranking, called, measure),
            )
        )
    return Section(
        "systems",
        "Systems",
        findings=findings,
        pictures=pictures,
        tables=tables,
        notes=notes,
        methods=[
            (
                "A system's score is the mean over topics of its mean score within the topic, or the additive model "
                "system + topic where cells are missing (Owczarzak, Rankel, Dang and Conroy 2012). Every two systems "
                "are compared by their own difference; the intervals of all differences hold at once (max-T, {draws} "
                "draws of items and raters, seed {seed}).",
                {"draws": spec.draws, "seed": spec.seed},
            )
        ],
        cited=["owczarzak2012"],
    )
