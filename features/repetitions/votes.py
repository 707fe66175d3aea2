"""Repetitions of votes: spec, cached results, and the section of curves with knees, ways to an answer, and costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.attenuation import Times, summarize_times
from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, resampled_curves, simulate
from analysis.repetitions.knee import DEFAULT_BOOTSTRAP, FittedCurves, KneeInterval, fit_curves
from analysis.repetitions.saturation import Curves
from analysis.resampling.intervals import wilson_interval
from analysis.values.estimate import BootstrapSpec, Codes, Estimate
from analysis.values.votes import Votes
from analysis.workers.polls import Poll
from features.assessments import polls
from features.blocks import (
    Block,
    Figure,
    Finding,
    NextStep,
    Progress,
    Table,
    capitalized,
    card_of,
    confidence_interval,
    for_raters,
    in_stages,
    last_stage,
    method_of,
    not_applicable,
    not_enough_data,
    too_few,
    uncertain,
)
from features.exclusion import largest_change
from features.plotting.panels import MOST
from features.plotting.theme import PERCENT_ONE_DIGIT, group_colour, share
from features.program import computed_by
from features.repetitions.figures import repetition_curves
from features.repetitions.ratings_findings import (
    FEWEST_ITEMS,
    curve_warnings,
    fit_columns,
    knee_columns,
    knee_finding,
    needs_two,
    why_no_stable_knee,
    with_told_reason,
)
from features.repetitions.ratings_results import (
    DEFAULT_SHUFFLES,
    SHUFFLES_OF_SAMPLE,
    Range,
    Repetitions,
    intervals_from,
    range_of_counts,
)
from features.repetitions.ratings_section import CURVES, Weighed, Wording, cost_blocks
from features.study import (
    LARGEST_BOOTSTRAP,
    OnProgress,
    Scenario,
    Study,
    cached,
    key_of,
    long_results,
    result,
)
from features.words import Column, counted, estimate_columns, table_of

GOLD, EXPERT, ALL_VOTES = "gold answer", "expert's answer", "answer of all votes"
AGAINST = (GOLD, EXPERT, ALL_VOTES)
"""Answers that the crowd's can be compared with, the best first."""


@dataclass(frozen=True)
class VotesSpec:
    """Curves of votes: how they are simulated, the answers they are compared with, Kneedle's S, and the intervals.

    `most` is the number of comparisons, the first ones, None for all.
    """

    curves: ChoiceRepetitionSpec
    against: str = ALL_VOTES
    sensitivity: float = 1.0
    bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP
    most: int | None = None


def default_votes_spec(
    study: Study, bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP, most: int | None = None
) -> VotesSpec:
    against = known_answers(study)[0]
    repetitions = range_of_votes(study, against).repetitions
    curves = ChoiceRepetitionSpec(DEFAULT_SHUFFLES, repetitions, bootstrap.seed)
    return VotesSpec(curves, against, bootstrap=bootstrap, most=most)


def known_answers(study: Study) -> list[str]:
    """Return what the answers of a study can be compared with, the best first."""
    truths = {against: [_truth_of(poll, against) for poll in polls(study)] for against in AGAINST}
    return [
        against
        for against, known in truths.items()
        if any(truth is None or (truth >= 0).any() for truth in known)
    ]


def _truth_of(poll: Poll, against: str) -> Codes | None:
    """Return the option (items,) that each item's answer is compared with, None for that of all votes."""
    return {GOLD: poll.gold, EXPERT: poll.expert, ALL_VOTES: None}[against]


def range_of_votes(study: Study, against: str) -> Range:
    """Return how far the curves of all polls can run."""
    counts = []
    for poll in polls(study):
        votes, truth, _ = _sampled(poll, against)
        each = votes.per_item
        counts.append(each[(each > 0) & (True if truth is None else truth >= 0)])
    return range_of_counts(counts)


def _sampled(poll: Poll, against: str) -> tuple[Votes, Codes | None, NDArray[np.float64]]:
    """Return votes, true answers and order of a poll; of very many items a sample, those with a known answer first."""
    truth = _truth_of(poll, against)
    if poll.votes.items <= LARGEST_BOOTSTRAP:
        return poll.votes, truth, poll.order
    order = np.random.default_rng(0).permutation(poll.votes.items)
    if truth is not None:
        order = order[np.argsort(truth[order] < 0, kind="stable")]
    taken = np.zeros(poll.votes.items, dtype=np.bool_)
    taken[order[:LARGEST_BOOTSTRAP]] = True
    kept = taken[poll.votes.item]
    return poll.votes.select(kept), truth, poll.order[kept]


def simulate_votes(study: Study, spec: VotesSpec) -> Repetitions:
    """Simulate and fit the curves of a study's votes, without intervals where these were stopped."""
    return last_stage(vote_stages(study, spec))


def vote_stages(study: Study, spec: VotesSpec) -> Iterator[Repetitions | Progress]:
    """Yield the fitted curves, unless their intervals are there already; then with them. Nothing where stopped."""
    if (fitted := fitted_votes(study, spec)) is None:
        yield Repetitions((), ())
        return
    if not spec.bootstrap.draws or cached(_samples_key(study, spec)) is None:
        yield Repetitions((), fitted)
    if spec.bootstrap.draws:
        yield Progress("Intervals of curves and knees")
        yield Repetitions((), fitted, _intervals(study, spec, fitted))


def fitted_votes(study: Study, spec: VotesSpec) -> tuple[FittedCurves, ...] | None:
    """Return the curves of all polls under one spec, fitted together; None while stopped."""
    there = polls(study)[: spec.most]
    names = tuple(poll.name for poll in there)

    def of_poll(poll: Poll, on_progress: OnProgress) -> Curves:
        votes, truth, order = _sampled(poll, spec.against)
        return simulate(votes, truth, spec.curves, order, on_progress)

    key = _key(study, "choice curves", names, spec.curves, spec.against)
    curves = long_results(key, f"Curves by {spec.curves.weights}", there, of_poll)
    if curves is None:
        return None
    return result(
        _key(study, "fitted choices", names, spec.curves, spec.against, spec.sensitivity),
        lambda: fit_curves(names, curves, spec.sensitivity),
    )


def _intervals(
    study: Study, spec: VotesSpec, fitted: Sequence[FittedCurves]
) -> tuple[KneeInterval, ...] | None:
    def resample(poll: Poll, on_progress: OnProgress) -> NDArray[np.float64]:
        votes, truth, _ = _sampled(poll, spec.against)
        given = spec.curves, spec.bootstrap, SHUFFLES_OF_SAMPLE, study.raters_are_persons
        return resampled_curves(votes, truth, *given, on_progress)

    label, there = "Intervals of curves and knees", polls(study)[: spec.most]
    samples = long_results(_samples_key(study, spec), label, there, resample)
    key = _key(study, "choice knees", spec)
    return intervals_from(samples, key, fitted, spec.sensitivity, spec.bootstrap.level)


def times_of_votes(study: Study) -> Times:
    def read() -> Times:
        there = polls(study)
        raters = np.concatenate([poll.votes.rater for poll in there])
        times = summarize_times(raters, np.concatenate([poll.seconds for poll in there]))
        return times.as_single_ratings() if "@seconds" in study.dataset.mapping else times

    return result(_key(study, "times of votes"), read)


def _key(study: Study, what: str, *parts: object) -> str:
    return key_of(study.dataset, what, study.candidate, *parts)


def _samples_key(study: Study, spec: VotesSpec) -> str:
    """Return the cache key of the bootstrap samples, which depend neither on the shuffles nor on Kneedle's S."""
    bare = replace(spec, curves=replace(spec.curves, shuffles=0), sensitivity=0.0)
    return _key(study, "choice samples", bare)


@computed_by(
    simulate_votes,
    "results = {one.measure: {'knee': one.knee, 'fitted': one} for one in found.fitted}",
    "for one, knee in zip(found.fitted, found.intervals or [None] * len(found.fitted)):",
    "    results[one.measure]['interval'] = knee",
)
def votes_section(study: Study, spec: VotesSpec, panels: tuple[str, ...] | None = None) -> Iterator[Block]:
    """Yield how many votes are enough: first without intervals, unless these are there already.

    `panels` are the comparisons whose curves are drawn, None for the first nine.
    """
    found = yield from in_stages(vote_stages(study, spec), partial(_curve_blocks, study, spec, panels))
    if not found.fitted:
        yield stopped_finding()
    if not has_curves(found.fitted):
        return
    sampled = [poll.name for poll in polls(study) if poll.votes.items > LARGEST_BOOTSTRAP]
    lacking = f"{'an' if spec.against == EXPERT else 'a'} {spec.against}"
    told = with_told_reason([one for one in found.fitted if one.curves.repetitions])
    yield from curve_warnings(found.fitted, sampled, "votes", lacking, "comparisons", told)
    yield method_of(
        "repetitions",
        "votes",
        ["iskender2020", "satopaa2011"],
        shuffles=spec.curves.shuffles,
        seed=spec.curves.seed,
        draws=spec.bootstrap.draws,
        inner=SHUFFLES_OF_SAMPLE,
        resampled="items and raters" if study.raters_are_persons else "items",
    )


def stopped_finding() -> Finding:
    return not_applicable("The curves are not computed: they were stopped.")


def votes_finding(found: Repetitions, spec: VotesSpec, scope: str = "") -> Finding:
    """Return where gains slow, once the knees' intervals are known; before, the share of items answered right."""
    fitted = found.fitted
    known = [one for one in fitted if one.curves.repetitions]
    if not known:
        headline = "Not enough data to say how many votes are enough."
        return not_enough_data(headline, {}, "; ".join(sorted({one.curves.reason for one in fitted})))
    items = max(int(one.curves.items[-1]) for one in known)
    if items < FEWEST_ITEMS:
        step = NextStep("Plan more items", "planning.py", {"plan": "Are labels right?"})
        return too_few("find where gains slow", {}, counted(items, "item"), FEWEST_ITEMS, next_step=step)
    first, several = known[0], len(fitted) > 1
    if not has_curves(known):
        return needs_two("votes", "Most items have one", counted(items, "item"))

    known_end = " by construction" if spec.against == ALL_VOTES else ""

    def at_knee(one: FittedCurves) -> str:
        shares = [share(one.curves.mean_at(r)) for r in (one.knee or 0, one.curves.repetitions)]
        instead = f" instead of {shares[1]}" if len({*shares}) > 1 else ", as with all votes"
        return f"{spec.against} on {shares[0]} of items{instead}{known_end}"

    if found.intervals is not None:
        of_knees = known, fitted, found.intervals, "votes", "comparisons", scope
        if (slow := knee_finding(*of_knees, at_knee=at_knee)) is not None:
            return slow
    r = 1 if known_end else first.curves.repetitions  # all votes match their own answer
    values = {
        "comparison": first.measure,
        "against": spec.against,
        "share": share(first.curves.mean_at(r)),
    }
    who = f"the {'weighted ' if spec.curves.weights == 'PCC-H' else ''}majority" if r > 1 else "one vote"
    where = "On {comparison}, " if several else ""
    headline = f"{where}{who} matches the {{against}} on <b>{{share}}</b> of items."
    why = why_no_stable_knee(known, fitted, found.intervals, "votes")
    return uncertain(capitalized(headline), values, *_share_line(first, r), why)


def _share_line(one: FittedCurves, r: int) -> Iterator[str]:
    m, items = one.curves.repetitions, int(one.curves.items[r - 1])
    reached = one.curves.mean_at(r)
    _, low, high = wilson_interval(reached * items, items)
    yield confidence_interval(Estimate(reached, float(low), float(high)), share)
    yield counted(items, "item")
    yield f"{counted(m, 'vote')} per item"
    yield f"with one vote {share(one.curves.mean_at(1))}" if r > 1 else ""
    yield "for these raters"


def exclusion_finding(
    study: Study, before: Sequence[FittedCurves], after: Sequence[FittedCurves], spec: VotesSpec
) -> Finding:
    """Return the comparison whose share of items changes most without the excluded raters."""
    shares: tuple[dict[str, Estimate], dict[str, Estimate]] = ({}, {})
    for pair in zip(before, after, strict=True):
        r = min(one.curves.repetitions for one in pair)
        for one, into in zip(pair, shares, strict=True):
            into[one.measure] = Estimate(one.curves.mean_at(r))
    what = f"the share of items with the {spec.against}, on"
    return largest_change(Scenario(names=study.dataset.without), what, *shares, PERCENT_ONE_DIGIT)


def votes_table(found: Repetitions) -> Table:
    """Return the share of items after one vote, at the knee and after all votes, the knee, and the fitted curves."""
    fitted, intervals = found.fitted, found.intervals or (None,) * len(found.fitted)
    at_knee = [_at_knee(one, drawn) for one, drawn in zip(fitted, intervals, strict=True)]
    first = [one.curves.mean_at(min(1, one.curves.repetitions)) for one in fitted]
    return table_of(
        "knees",
        "Share of items after one vote, at the knee and after all votes, and the knee of the fitted curve.",
        [
            Column("Comparison", [one.measure for one in fitted]),
            Column("After 1", first, PERCENT_ONE_DIGIT),
            *estimate_columns("At the knee", at_knee, PERCENT_ONE_DIGIT),
            Column(
                "After all", [one.curves.mean_at(one.curves.repetitions) for one in fitted], PERCENT_ONE_DIGIT
            ),
            *knee_columns(fitted, found.intervals, "Votes per item"),
            *fit_columns(fitted),
        ],
    )


def _at_knee(one: FittedCurves, drawn: KneeInterval | None) -> Estimate:
    if one.knee is None:
        return Estimate(nan)
    value = one.curves.mean_at(one.knee)
    if drawn is None or not drawn.draws:
        return Estimate(value)
    return Estimate(value, float(drawn.low[one.knee - 1]), float(drawn.high[one.knee - 1]))


def cost_wording(against: str) -> Wording:
    return Wording(
        "vote", "comparison", f"share of items with the {against}", {}, PERCENT_ONE_DIGIT, PERCENT_ONE_DIGIT
    )


def has_curves(fitted: Sequence[FittedCurves]) -> bool:
    """Return True where some comparison has items with two votes."""
    return max((one.curves.repetitions for one in fitted), default=0) > 1


def _curve_blocks(
    study: Study, spec: VotesSpec, panels: tuple[str, ...] | None, found: Repetitions
) -> Iterator[Block]:
    if not found.fitted:
        return
    if study.dataset.without and (everyone := fitted_votes(study.everyone, spec)) is not None:
        yield exclusion_finding(study, everyone, found.fitted, spec)
    scope = for_raters("raters like these" if study.raters_are_persons else "these raters")
    yield votes_finding(found, spec, scope)
    if not has_curves(found.fitted):
        return
    shown = panels or tuple(one.measure for one in found.fitted[:MOST])
    intervals = found.intervals or (None,) * len(found.fitted)
    bands = [None if one is None else (one.low, one.high) for one in intervals]
    drawn = [pair for pair in zip(found.fitted, bands, strict=True) if pair[0].measure in shown]
    color = group_colour(study.candidate, study.groups)
    caption = (
        "Share of items with the {against} along the number of votes per item, with fitted curve and knee."
    )
    draw = partial(
        repetition_curves,
        [one for one, _ in drawn],
        f"Share of items with the {spec.against}",
        color,
        given="votes",
        bands=[band for _, band in drawn],
    )
    yield Figure(CURVES, (caption, {"against": spec.against}), draw)
    yield votes_table(found)


def votes_cost_section(study: Study, spec: VotesSpec, weighed: Weighed) -> Iterator[Block]:
    """Yield what a number of votes per item costs, saves and gives up."""
    fitted = fitted_votes(study, spec) or ()
    if has_curves(fitted):
        yield from cost_blocks(fitted, weighed, cost_wording(spec.against))


def votes_card(study: Study) -> Iterator[Block]:
    """Yield the finding and its curve for the overview, without intervals."""
    spec = default_votes_spec(study, most=MOST)
    first = Repetitions((), fitted_votes(study, spec) or ())
    drawn = tuple(one.measure for one in first.fitted if one.curves.repetitions)[:1]
    yield from card_of(_curve_blocks(study, spec, drawn, first))
