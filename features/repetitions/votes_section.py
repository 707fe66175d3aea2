"""Section of repetitions of votes: curves with their knees, both ways to an answer, and costs."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import nan

import numpy as np

from analysis.repetitions.knee import FittedCurves, KneeInterval
from analysis.resampling.intervals import wilson
from analysis.values.estimate import Estimate
from features.assessments import polls
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Progress,
    Table,
    card_of,
    confidence_interval,
    for_raters,
    in_stages,
    largest_change,
    not_applicable,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.numbers import count, share
from features.plotting.panels import MOST
from features.plotting.theme import GROUP_COLOURS, group_colour
from features.program import method_of, study_program
from features.repetitions.details_findings import Weighed, Wording, cost_blocks
from features.repetitions.figures import repetition_curves
from features.repetitions.ratings_findings import (
    FEWEST_ITEMS,
    curve_warnings,
    fit_columns,
    knee_columns,
    knee_finding,
    needs_two,
    why_no_stable_knee,
    without_table,
)
from features.repetitions.ratings_results import SHUFFLES_OF_SAMPLE, Repetitions
from features.repetitions.ratings_section import CURVES
from features.repetitions.votes_results import (
    ALL_VOTES,
    EXPERT,
    VotesSpec,
    default_votes_spec,
    fitted_votes,
    simulate_votes,
    vote_stages,
)
from features.results import LARGEST_BOOTSTRAP
from features.study import Scenario, Study
from features.words import Column, counted, estimate_columns, table_of

_PERCENT = partial(share, digits=1)


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
    yield from curve_warnings(found.fitted, sampled, "votes", lacking)
    yield Progress("Both ways to an answer")
    if (other := fitted_votes(study, spec.other_weights)) is not None:
        ways = (found.fitted, other) if spec.curves.weights == "majority" else (other, found.fitted)
        yield Heading("Majority and PCC-H weights")
        yield weights_table(found.fitted, *ways)
    if study.dataset.without and (everyone := fitted_votes(study.everyone, spec)) is not None:
        yield Heading("Curves without the excluded raters")
        yield exclusion_finding(study, everyone, found.fitted, spec)
        yield without_table(everyone, found.fitted, ("Comparison", "Share"))
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
    """Return the finding of curves that were stopped."""
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
        return needs_two("votes", "Most items have one", *_share_line(first))

    known_end = " by construction" if spec.against == ALL_VOTES else ""

    def at_knee(one: FittedCurves) -> str:
        shares = [share(one.curves.mean_at(r)) for r in (one.knee or 0, one.curves.repetitions)]
        return f"{spec.against} on {shares[0]} of items instead of {shares[1]}{known_end}"

    if found.intervals is not None:
        of_knees = known, fitted, found.intervals, "votes", "comparisons", scope
        if (slow := knee_finding(*of_knees, at_knee=at_knee)) is not None:
            return slow
    values = {
        "comparison": first.measure,
        "against": spec.against,
        "share": share(first.curves.mean_at(first.curves.repetitions)),
    }
    who = "weighted majority" if spec.curves.weights == "PCC-H" else "majority"
    headline = f"The {who} matches the {{against}} on <b>{{share}}</b> of items."
    if several:
        headline = f"On {{comparison}}, the {who} matches the {{against}} on <b>{{share}}</b> of items."
    why = why_no_stable_knee(known, fitted, found.intervals, "votes")
    return uncertain(headline, values, *_share_line(first), why, known_end.strip())


def _share_line(one: FittedCurves) -> Iterator[str]:
    m, items = one.curves.repetitions, int(one.curves.items[-1])
    last = one.curves.mean_at(m)
    _, low, high = wilson(last * items, items)
    yield confidence_interval(Estimate(last, float(low), float(high)), share)
    yield counted(items, "item")
    yield f"{counted(m, 'vote')} per item"
    yield f"with one vote {share(one.curves.mean_at(1))}" if m > 1 else ""
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
    return largest_change(Scenario(names=study.dataset.without), what, *shares, _PERCENT)


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
            Column("After 1", first, _PERCENT),
            *estimate_columns("At the knee", at_knee, _PERCENT),
            Column("After all", _after_all(fitted), _PERCENT),
            *knee_columns(fitted, found.intervals, "Votes per item"),
            *fit_columns(fitted),
        ],
    )


def _after_all(fitted: Sequence[FittedCurves]) -> list[float]:
    return [one.curves.mean_at(one.curves.repetitions) for one in fitted]


def _at_knee(one: FittedCurves, drawn: KneeInterval | None) -> Estimate:
    if one.knee is None:
        return Estimate(nan)
    value = one.curves.mean_at(one.knee)
    if drawn is None or not drawn.draws:
        return Estimate(value)
    return Estimate(value, float(drawn.low[one.knee - 1]), float(drawn.high[one.knee - 1]))


def weights_table(
    fitted: Sequence[FittedCurves], majority: Sequence[FittedCurves], weighted: Sequence[FittedCurves]
) -> Table:
    """Return the shares by majority and by PCC-H weights at the knee of the curves shown, and after all votes."""
    at = [one.knee or one.curves.repetitions for one in fitted]
    ways = {"Majority": majority, "PCC-H weights": weighted}
    at_knee = {
        name: [one.curves.mean_at(r) for one, r in zip(of, at, strict=True)] for name, of in ways.items()
    }
    items = [int(one.curves.items[r - 1]) if r else 0 for one, r in zip(fitted, at, strict=True)]
    return table_of(
        "weights",
        "Share of items by majority and by PCC-H weights, at the knee (else after all votes) and after all votes.",
        [
            Column("Comparison", [one.measure for one in fitted]),
            Column("Items", items, count),
            Column("Votes", at),
            *(Column(name, values, _PERCENT) for name, values in at_knee.items()),
            Column("Difference", np.subtract(at_knee["PCC-H weights"], at_knee["Majority"]), _PERCENT),
            *(Column(f"{name}, all", _after_all(of), _PERCENT) for name, of in ways.items()),
        ],
    )


def cost_wording(against: str) -> Wording:
    """Return how costs of votes are worded."""
    return Wording("vote", "comparison", f"share of items with the {against}", {}, _PERCENT, _PERCENT)


def has_curves(fitted: Sequence[FittedCurves]) -> bool:
    """Return True where some comparison has items with two votes."""
    return max((one.curves.repetitions for one in fitted), default=0) > 1


def _curve_blocks(
    study: Study, spec: VotesSpec, panels: tuple[str, ...] | None, found: Repetitions
) -> Iterator[Block]:
    if not found.fitted:
        return
    scope = for_raters("raters like these" if study.raters_are_persons else "these raters")
    yield votes_finding(found, spec, scope)
    if not has_curves(found.fitted):
        return
    shown = panels or tuple(one.measure for one in found.fitted[:MOST])
    intervals = found.intervals or (None,) * len(found.fitted)
    bands = [None if one is None else (one.low, one.high) for one in intervals]
    drawn = [pair for pair in zip(found.fitted, bands, strict=True) if pair[0].measure in shown]
    color = (
        group_colour(study.candidate, study.groups) if study.candidate in study.groups else GROUP_COLOURS[0]
    )
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
    """Yield the finding and the curves of the first comparisons for the overview, without intervals."""
    spec = default_votes_spec(study, most=MOST)
    first = Repetitions((), fitted_votes(study, spec) or ())
    yield from card_of(_curve_blocks(study, spec, None, first))


def votes_program(study: Study, spec: VotesSpec) -> str:
    """Return a program that computes curves and knees of votes without a browser."""
    lines = [
        "results = {one.measure: {'knee': one.knee, 'fitted': one} for one in found.fitted}",
        "for one, knee in zip(found.fitted, found.intervals or [None] * len(found.fitted)):",
        "    results[one.measure]['interval'] = knee",
    ]
    return study_program(study, None, simulate_votes, spec, lines)
