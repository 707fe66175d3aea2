"""Section of repetitions of votes: curves with their knees, both ways to an answer, and costs."""

from collections.abc import Iterator, Sequence
from functools import partial

from analysis.repetitions.knee import FittedCurves
from features.blocks import Block, Figure, Heading, Progress, card_of, in_stages
from features.methods import method_of
from features.plotting.panels import MOST
from features.plotting.theme import GROUP_COLOURS, group_colour
from features.polls import polls
from features.program import study_program
from features.repetitions import votes_findings as findings
from features.repetitions.cost_findings import Weighed, cost_blocks
from features.repetitions.curves_figures import repetition_curves
from features.repetitions.ratings_findings import without_table
from features.repetitions.ratings_section import CURVES
from features.repetitions.votes_results import (
    VoteRepetitions,
    VotesSpec,
    default_votes_spec,
    fitted_votes,
    simulate_votes,
    vote_stages,
)
from features.study import Study


def votes_section(study: Study, spec: VotesSpec, panels: tuple[str, ...] | None = None) -> Iterator[Block]:
    """Yield how many votes are enough: first without intervals, unless these are there already.

    `panels` are the comparisons whose curves are drawn, None for the first nine.
    """
    found = yield from in_stages(vote_stages(study, spec), partial(_curve_blocks, study, spec, panels))
    if not found.fitted:
        yield findings.stopped_finding()
    if not has_curves(found.fitted):
        return
    yield from findings.votes_notes(study, spec, found.intervals is not None)
    yield from findings.votes_warnings(polls(study), found.fitted, spec)
    yield Progress("Both ways to an answer")
    if (other := fitted_votes(study, spec.other_weights)) is not None:
        ways = (found.fitted, other) if spec.curves.weights == "majority" else (other, found.fitted)
        yield Heading("Majority and PCC-H weights")
        yield findings.weights_table(found.fitted, *ways)
        yield findings.weights_note(spec)
    if study.dataset.without and (everyone := fitted_votes(study.everyone, spec)) is not None:
        yield Heading("Curves without the excluded raters")
        yield findings.exclusion_finding(study, everyone, found.fitted, spec)
        yield without_table(everyone, found.fitted, ("Comparison", "Share"))
    given = {"shuffles": spec.curves.shuffles, "seed": spec.curves.seed}
    yield method_of("repetitions", "votes", ["iskender2020", "satopaa2011"], **given)


def has_curves(fitted: Sequence[FittedCurves]) -> bool:
    """Return True where some comparison has items with two votes."""
    return max((one.curves.repetitions for one in fitted), default=0) > 1


def _curve_blocks(
    study: Study, spec: VotesSpec, panels: tuple[str, ...] | None, found: VoteRepetitions
) -> Iterator[Block]:
    if not found.fitted:
        return
    yield findings.votes_finding(found, spec)
    if not has_curves(found.fitted):
        return
    shown = panels or tuple(one.measure for one in found.fitted[:MOST])
    intervals = found.intervals or (None,) * len(found.fitted)
    bands = [None if one is None else (one.low, one.high) for one in intervals]
    drawn = [pair for pair in zip(found.fitted, bands, strict=True) if pair[0].measure in shown]
    color = (
        group_colour(study.candidate, study.groups) if study.candidate in study.groups else GROUP_COLOURS[0]
    )
    yield Figure(
        CURVES,
        (
            "Share of items with the {against} along the number of votes per item, with fitted curve and knee.",
            {"against": spec.against},
        ),
        partial(
            repetition_curves,
            [one for one, _ in drawn],
            f"Share of items with the {spec.against}",
            color,
            given="votes",
            bands=[band for _, band in drawn],
        ),
    )
    yield findings.votes_table(found)


def votes_cost_section(study: Study, spec: VotesSpec, weighed: Weighed) -> Iterator[Block]:
    """Yield what a number of votes per item costs, saves and gives up."""
    fitted = fitted_votes(study, spec) or ()
    if has_curves(fitted):
        yield from cost_blocks(fitted, weighed, findings.cost_wording(spec.against))


def votes_card(study: Study) -> Iterator[Block]:
    """Yield the finding and the curves of the first comparisons for the overview, without intervals."""
    spec = default_votes_spec(study, most=MOST)
    yield from card_of(_first_stage(study, spec))


def _first_stage(study: Study, spec: VotesSpec) -> Iterator[Block]:
    fitted = fitted_votes(study, spec)
    yield from _curve_blocks(study, spec, None, VoteRepetitions(fitted or ()))


def votes_program(study: Study, spec: VotesSpec) -> str:
    """Return a program that computes curves and knees of votes without a browser."""
    lines = [
        "results = {one.measure: {'knee': one.knee, 'fitted': one} for one in found.fitted}",
        "for one, knee in zip(found.fitted, found.intervals or [None] * len(found.fitted)):",
        "    results[one.measure]['interval'] = knee",
    ]
    return study_program(study, None, simulate_votes, spec, lines)
