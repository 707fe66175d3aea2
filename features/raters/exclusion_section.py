"""Section on the ranking with and without the excluded raters, and without each rater in turn."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial

from features.blocks import Block, Figure, Heading, Progress
from features.methods import method_of
from features.plotting.theme import GROUP_COLOURS, group_colour
from features.program import study_program
from features.raters import exclusion_findings as findings
from features.raters import exclusion_results as results
from features.raters.exclusion_figures import leave_one_out_bars, slopes
from features.raters.exclusion_results import RankingChange, RankingSpec
from features.study import Scenario, Study


def exclusion_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield how the ranking changes without the excluded raters, and without each rater in turn."""
    found = results.compare_points(study, scenario, spec)
    if scenario.excludes:
        found = yield from _change(study, scenario, spec, found)
        yield Heading("Each rater in turn")
    one_by_one = replace(found, one_by_one=results.exclude_each(study, spec))
    yield from _one_by_one(study, scenario, one_by_one)
    if not scenario.excludes:
        yield Progress("Intervals of differences")
        drawn = replace(found, drawn=results.draw_intervals(study, scenario, spec))
        if (pairs := findings.pairs_finding(drawn)) is not None:
            yield pairs
    yield method_of("raters", "exclusion", ["owczarzak2012"])


def change_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield how the ranking changes without the excluded raters, without intervals, for the report."""
    found = results.compare_points(study, scenario, spec)
    yield findings.change_finding(found, scenario)
    yield findings.summary_table(found.points)


def _change(
    study: Study, scenario: Scenario, spec: RankingSpec, found: RankingChange
) -> Generator[Block, None, RankingChange]:
    yield findings.change_finding(found, scenario)
    if found.here.change.pearson.n:
        caption = "Ranks of the {what} with everyone and without the excluded raters."
        draw = partial(slopes, found.here, found.ranked, found.what)
        yield Figure("slopes", (caption, {"what": found.what}), draw)
    yield Progress("Intervals and random exclusions")
    found = replace(found, drawn=results.draw_intervals(study, scenario, spec))
    yield findings.systems_table(found)
    drops = None if found.drawn is None else {measure: of for measure, (_, of) in found.drawn.items()}
    yield findings.summary_table(found.points, drops)
    yield from findings.change_notes(found, scenario)
    return found


def _one_by_one(study: Study, scenario: Scenario, found: RankingChange) -> Iterator[Block]:
    yield findings.single_finding(found, is_main=not scenario.excludes)
    one_by_one = found.one_by_one
    if one_by_one is None or one_by_one.reason:
        return
    color = (
        group_colour(study.candidate, study.groups) if study.candidate in study.groups else GROUP_COLOURS[0]
    )
    caption = "Change of the ranking by {measure} without each rater, the largest on top."
    draw = partial(leave_one_out_bars, one_by_one, found.raters, color, set(scenario.left_out_codes))
    yield Figure("leave-one-out", (caption, {"measure": found.measure}), draw)
    yield findings.one_by_one_table(found, one_by_one)


def exclusion_program(study: Study, scenario: Scenario, spec: RankingSpec) -> str:
    """Return a program that compares the rankings without a browser."""
    lines = ["results = {**vars(found), 'change': found.here.after - found.here.before}"]
    return study_program(study, scenario, results.compare_rankings, spec, lines)
